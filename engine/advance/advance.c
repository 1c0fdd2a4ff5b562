/* Steps in time: what is moved, what is reported of it. */
#include "advance/advance.h"

#include <stdlib.h>
#include <string.h>

/* Part of a step below which what is left of the duration is round-off. */
#define REST_PART 1e-9

/* ---- what moves ----------------------------------------------------------------------------- */

static bool set_mass(ct_body_state *moved, const ct_body *body) {
  ct_mass_properties mass;
  bool overlap_ignored;
  if (!ct_body_mass(body, &mass, &overlap_ignored)) return false;
  moved->mass = mass.mass;
  moved->center = mass.center;
  ct_inertia_principal(&mass.inertia, &moved->moments, &moved->axes);
  double least = ct_min2(ct_min2(moved->moments.x, moved->moments.y), moved->moments.z);
  return mass.mass > 0.0 && least > 0.0 && isfinite(1.0 / least);
}

/* Radius of a ball about the point of the body that holds it. */
static double radius_about(const ct_body *body, ct_vec3 point) {
  double radius = 0.0;
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_collider collider = ct_body_collider(body, i);
    ct_vec3 center;
    double own;
    ct_shape_ball(&collider.shape, &center, &own);
    center = ct_to_parent(ct_frame_of(collider.pose), center);
    radius = ct_max2(radius, ct_norm(ct_sub(center, point)) + own + collider.shape.rounding +
                                 collider.shape.margin);
  }
  return radius;
}

/* False: a dynamic body without a mass. */
static bool set_moved(ct_body_state *moved, const ct_scene *scene, uint32_t row,
                      const ct_motion *motion) {
  *moved = (ct_body_state){.row = row, .is_dynamic = !motion->is_kinematic};
  moved->pose = ct_scene_pose(scene, row);
  moved->velocity = ct_scene_velocity(scene, row);
  if (moved->is_dynamic && !set_mass(moved, ct_scene_body(scene, row))) return false;
  if (!moved->is_dynamic) {
    moved->center = motion->has_center ? motion->center : ct_vec(0, 0, 0);
    if (motion->acceleration) moved->acceleration = *motion->acceleration;
  }
  moved->radius = radius_about(ct_scene_body(scene, row), moved->center);
  moved->position = ct_to_parent(ct_frame_of(moved->pose), moved->center);
  if (moved->is_dynamic)
    moved->angular_momentum = ct_body_state_inertia(moved, moved->velocity.angular);
  return true;
}

static const ct_motion *motion_of(const ct_scene *scene, uint32_t row) {
  const ct_body *body = ct_scene_body(scene, row);
  return body ? ct_body_motion(body) : NULL;
}

static ct_status find_moved(ct_advance *advance) {
  const ct_scene *scene = advance->scene;
  uint32_t rows = ct_scene_rows(scene);
  size_t count = 0;
  for (uint32_t row = 0; row < rows; row++) count += motion_of(scene, row) != NULL;
  advance->now = malloc((count + 1) * sizeof *advance->now);
  advance->next = malloc((count + 1) * sizeof *advance->next);
  advance->moved_of = malloc(((size_t)rows + 1) * sizeof *advance->moved_of);
  advance->overrides = malloc((count + 1) * sizeof *advance->overrides);
  advance->moving_rows = calloc((size_t)rows + 1, 1);
  if (!advance->now || !advance->next || !advance->moved_of || !advance->overrides ||
      !advance->moving_rows)
    return CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < rows; row++) {
    const ct_motion *motion = motion_of(scene, row);
    advance->moved_of[row] = motion ? (uint32_t)advance->moved_count : CT_NO_ROW;
    if (!motion) continue;
    if (!set_moved(&advance->now[advance->moved_count++], scene, row, motion)) return CT_LIMIT;
  }
  return CT_OK;
}

ct_status ct_advance_set_loads(ct_advance *advance, const ct_load *loads, size_t count) {
  if (count > advance->load_room) {
    ct_load *room = realloc(advance->loads, count * sizeof *room);
    if (!room) return CT_OUT_OF_MEMORY;
    advance->loads = room;
    advance->load_room = count;
  }
  if (count) memcpy(advance->loads, loads, count * sizeof *loads);
  advance->load_count = count;
  advance->last_time = 0.0;
  return CT_OK;
}

static void set_steps(ct_advance *advance) {
  const ct_advance_options *o = &advance->options;
  double whole = floor(o->duration / o->time_step), rest = o->duration - whole * o->time_step;
  if (rest > (1.0 - REST_PART) * o->time_step) {
    whole += 1.0;
    rest = 0.0;
  }
  advance->steps_whole = (uint64_t)whole;
  advance->step_rest = rest > REST_PART * o->time_step ? rest : 0.0;
}

/* ---- the sums ------------------------------------------------------------------------------- */

void ct_advance_sum_energy(ct_advance *advance) {
  ct_advance_state *s = &advance->state;
  s->kinetic_energy = s->potential_energy = 0.0;
  s->momentum = s->angular_momentum = ct_vec(0, 0, 0);
  for (size_t i = 0; i < advance->moved_count; i++) {
    const ct_body_state *m = &advance->now[i];
    if (!m->is_dynamic) continue;
    ct_vec3 momentum = ct_scale(m->velocity.linear, m->mass);
    s->kinetic_energy += 0.5 * (ct_dot(momentum, m->velocity.linear) +
                                ct_dot(m->angular_momentum, m->velocity.angular));
    s->potential_energy -= m->mass * ct_dot(advance->options.gravity, m->position);
    s->momentum = ct_add(s->momentum, momentum);
    s->angular_momentum =
        ct_add(s->angular_momentum, ct_add(m->angular_momentum, ct_cross(m->position, momentum)));
  }
}

/* ---- what the caller sees ------------------------------------------------------------------- */

ct_status ct_advance_create(const ct_scene *scene, const ct_advance_options *options,
                            ct_advance **out) {
  if (!(options->duration > 0.0 && options->duration <= CT_DURATION_MAX &&
        options->time_step > 0.0))
    return CT_LIMIT;
  if (options->duration / options->time_step > CT_ADVANCE_STEPS_MAX) return CT_LIMIT;
  ct_advance *advance = calloc(1, sizeof *advance);
  if (!advance) return CT_OUT_OF_MEMORY;
  advance->scene = scene;
  advance->options = *options;
  if (options->contacts_max == 0) advance->options.contacts_max = CT_CONTACTS_MAX;
  advance->pace_row = CT_NO_ROW;
  set_steps(advance);
  ct_status status = ct_advance_set_loads(advance, options->loads, options->load_count);
  if (status == CT_OK) status = find_moved(advance);
  if (status == CT_OK && options->mode == CT_ADVANCE_COMPLIANT) status = ct_elastic_create(advance);
  if (status != CT_OK) {
    ct_advance_destroy(advance);
    return status;
  }
  advance->state.velocity_tolerance = options->velocity_tolerance;
  ct_advance_sum_energy(advance);
  *out = advance;
  return CT_OK;
}

void ct_advance_destroy(ct_advance *advance) {
  if (!advance) return;
  free(advance->loads);
  free(advance->now);
  free(advance->next);
  free(advance->moved_of);
  free(advance->overrides);
  free(advance->moving_rows);
  ct_elastic_destroy(advance->elastic);
  free(advance->contacts.items);
  free(advance->asked.items);
  free(advance->found.items);
  free(advance->reported.items);
  free(advance);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* The greatest of the components in size; INFINITY where one is no number, which a comparison would
 * pass over. */
static double size_of(ct_vec3 v) { return isfinite(v.x + v.y + v.z) ? ct_max_abs(v) : INFINITY; }

bool ct_advance_is_within_limits(ct_advance *advance, const ct_body_state *moved, double ahead,
                                 double longest) {
  for (size_t i = 0; i < advance->moved_count; i++) {
    const ct_body_state *m = &moved[i];
    double speed = size_of(m->velocity.linear), turning = size_of(m->velocity.angular);
    advance->limit_row = m->row;
    advance->limit = CT_ADVANCE_LIMIT_REACH;
    if (!(size_of(m->position) + (ahead > 0.0 ? ahead * speed : 0.0) < CT_COORDINATE_MAX))
      return false;
    if (!(size_of(m->pose.position) <= CT_COORDINATE_MAX))
      return false; /* about a centre of mass far from it */
    advance->limit = CT_ADVANCE_LIMIT_SPEED;
    if (!(speed <= CT_SPEED_MAX && turning <= CT_SPEED_MAX)) return false;
    advance->limit = CT_ADVANCE_LIMIT_TURN;
    if (!(longest * turning < CT_TURN_MAX)) return false;
  }
  advance->limit = CT_ADVANCE_LIMIT_CONTACTS; /* the only one that is left */
  return true;
}

ct_advance_limit ct_advance_limit_reason(const ct_advance *advance, uint32_t *row) {
  *row = advance->limit == CT_ADVANCE_LIMIT_CONTACTS ? CT_NO_ROW : advance->limit_row;
  return advance->limit;
}

double ct_advance_pace(const ct_advance *advance, uint32_t *row) {
  *row = advance->pace_row;
  return advance->pace;
}

ct_advance_state ct_advance_now(const ct_advance *advance) { return advance->state; }

void ct_advance_body(const ct_advance *advance, uint32_t row, ct_pose *pose,
                     ct_velocity *velocity) {
  uint32_t index = advance->moved_of[row];
  *pose = index == CT_NO_ROW ? ct_scene_pose(advance->scene, row) : advance->now[index].pose;
  *velocity =
      index == CT_NO_ROW ? ct_scene_velocity(advance->scene, row) : advance->now[index].velocity;
}

ct_status ct_advance_write(const ct_advance *advance, ct_draft *draft) {
  ct_status status = CT_OK;
  for (size_t i = 0; i < advance->moved_count && status == CT_OK; i++) {
    const ct_body_state *m = &advance->now[i];
    status = ct_draft_set_pose(draft, m->row, &m->pose);
    if (status == CT_OK) status = ct_draft_set_velocity(draft, m->row, &m->velocity);
  }
  return status;
}
