/* Between impacts: where bodies go under constant forces, and when two of them meet first. */
#include "advance/advance.h"
#include <contact/motion.h>

#include <stdlib.h>

/* Halvings that find when held bodies come to touch elsewhere: the stretch to 1e-12 of it. */
#define HALVINGS 40

/* ---- the ways of the bodies ----------------------------------------------------------------- */

static bool is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

static ct_vec3 acceleration_of(const ct_body_state *m) {
  return m->is_dynamic ? ct_scale(m->force, 1.0 / m->mass) : m->acceleration.linear;
}

/* Of a body whose torque is not zero: its angular velocity is taken as constant, that in the middle
 * of the stretch. */
static bool is_turned(const ct_body_state *m) {
  return m->is_dynamic ? !is_zero(m->torque) : !is_zero(m->acceleration.angular);
}

static ct_vec3 middle_angular(const ct_body_state *m, double stretch) {
  if (!m->is_dynamic)
    return ct_add_scaled(m->velocity.angular, m->acceleration.angular, 0.5 * stretch);
  ct_body_state middle = *m;
  middle.angular_momentum = ct_add_scaled(m->angular_momentum, m->torque, 0.5 * stretch);
  return ct_body_state_angular_velocity(&middle);
}

/* Of a body that has its forces for a stretch, over a time. */
static ct_path_options path_options(const ct_body_state *m, double stretch, double time) {
  bool twists = is_turned(m) || !m->is_dynamic;
  ct_vec3 angular = is_turned(m) ? middle_angular(m, stretch) : m->velocity.angular;
  return (ct_path_options){.kind = twists ? CT_PATH_BALLISTIC : CT_PATH_TORQUE_FREE,
                           .start = m->pose,
                           .duration = time,
                           .center = m->center,
                           .velocity = {m->velocity.linear, angular},
                           .acceleration = acceleration_of(m),
                           .inertia_diagonal = m->moments,
                           .inertia_orientation = m->axes};
}

void ct_body_state_advance_flight(ct_body_state *m, double stretch, double time) {
  ct_vec3 a = acceleration_of(m), v = m->velocity.linear;
  ct_vec3 way = ct_add_scaled(ct_scale(v, time), a, 0.5 * time * time);
  if (is_turned(m)) {
    ct_vec3 angular = middle_angular(m, stretch);
    ct_body_state_rotate(m, angular, time);
    m->angular_momentum = ct_add_scaled(m->angular_momentum, m->torque, time);
    m->velocity.angular = m->is_dynamic
                              ? ct_body_state_angular_velocity(m)
                              : ct_add_scaled(m->velocity.angular, m->acceleration.angular, time);
  } else {
    m->velocity.linear = ct_vec(0, 0, 0);
    ct_body_state_drift(m, time);
  }
  m->velocity.linear = ct_add_scaled(v, a, time);
  ct_body_state_translate(m, way);
}

/* ---- who meets first ------------------------------------------------------------------------ */

typedef struct first_impact {
  const ct_step *step;
  double time; /* s; INFINITY: none */
} first_impact;

static bool is_dynamic(const ct_advance *advance, uint32_t row) {
  return advance->moved_of[row] != CT_NO_ROW && advance->now[advance->moved_of[row]].is_dynamic;
}

/* Of bodies that are held stop_held looks after: they may part and meet again by rounding. */
static bool take_impact(void *context, const ct_motion_hit *hit) {
  first_impact *first = context;
  const ct_toi *impact = hit->impact;
  const ct_advance *advance = first->step->advance;
  if (impact->event != CT_TOI_CONTACT || ct_step_has_resting_contact(first->step, hit->a, hit->b))
    return true;
  if (!is_dynamic(advance, hit->a) && !is_dynamic(advance, hit->b)) return true;
  first->time = ct_min2(first->time, impact->time);
  return true;
}

static ct_status search(ct_step *step, const ct_row_motion *moving, size_t count, double *time) {
  const ct_advance_options *o = &step->advance->options;
  const ct_motion_options options = {.impact = {.end = step->time + step->slack,
                                                .tolerance = o->contact_tolerance,
                                                .iterations_max = CT_TOI_ITERATIONS},
                                     .moving = moving,
                                     .moving_count = count,
                                     .where_a = step->advance->moving_rows,
                                     .cancel = o->cancel};
  ct_motion_query *query = NULL;
  ct_status status = ct_motion_prepare(step->advance->scene, &options, &query);
  if (status != CT_OK) return status;
  first_impact first = {step, INFINITY};
  status = ct_motion_run(query, 0, ct_motion_items(query), step->workspace, take_impact, &first);
  ct_motion_destroy(query);
  *time = first.time;
  return status;
}

/* ---- bodies that are held ------------------------------------------------------------------- */

static bool take_distance(void *context, const ct_hit *hit) {
  double *depth = context;
  if (hit->result.status == CT_PAIR_OK) *depth = ct_max2(*depth, -hit->result.distance);
  return true;
}

/* Of the pairs that are held, at a time of the stretch. */
static ct_status depth_at(ct_step *step, double time, double *depth) {
  ct_advance *advance = step->advance;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_body_state then = advance->next[i];
    ct_body_state_advance_flight(&then, step->time, time);
    advance->overrides[i] = (ct_override){then.row, then.pose};
  }
  ct_query_options options = {.kind = CT_QUERY_DISTANCE,
                              .pairs = step->held,
                              .pair_count = step->held_count,
                              .explicit_pairs = true};
  *depth = 0.0;
  return ct_advance_run_query(advance, &options, step->workspace, take_distance, depth);
}

/* Bodies that rest on each other may come to touch elsewhere, as a block that rocks does: *time
 * becomes the first at which they are deeper than at the start. Not when that is at once. */
static ct_status stop_held(ct_step *step, double *time) {
  double limit = step->depth + step->advance->options.contact_tolerance, depth, low = 0.0,
         high = ct_min2(*time, step->time);
  ct_status status = depth_at(step, high, &depth);
  if (status != CT_OK || depth <= limit) return status;
  for (int k = 0; k < HALVINGS && status == CT_OK; k++) {
    double middle = low + 0.5 * (high - low);
    status = depth_at(step, middle, &depth);
    if (depth <= limit) low = middle;
    else high = middle;
  }
  if (status == CT_OK && low > 0.0) *time = high;
  return status;
}

/* Why a way cannot be: its forces make the body go, or turn, too far. */
static void note_limit(ct_advance *advance, const ct_body_state *m, const ct_path_options *way) {
  double t = way->duration,
         reach = ct_max_abs(m->position) +
                 t * (ct_max_abs(way->velocity.linear) + 0.5 * t * ct_max_abs(way->acceleration));
  advance->limit_row = m->row;
  advance->limit = reach < CT_COORDINATE_MAX ? CT_ADVANCE_LIMIT_TURN : CT_ADVANCE_LIMIT_REACH;
}

ct_status ct_step_first_impact(ct_step *step, double *time) {
  ct_advance *advance = step->advance;
  ct_row_motion *moving = calloc(advance->moved_count + 1, sizeof *moving);
  ct_status status = moving ? CT_OK : CT_OUT_OF_MEMORY;
  size_t count = 0;
  ct_step_mark_awake(step);
  for (; count < advance->moved_count && status == CT_OK; count++) {
    const ct_body_state *m = &advance->next[count];
    const ct_path_options options = path_options(m, step->time, step->time + step->slack);
    ct_path *path = NULL;
    status = ct_path_create(&options, &path);
    if (status == CT_LIMIT) note_limit(advance, m, &options);
    moving[count] = (ct_row_motion){m->row, path};
  }
  if (status == CT_OK) status = search(step, moving, count, time);
  if (status == CT_OK && step->held_count) status = stop_held(step, time);
  for (size_t i = 0; moving && i < count; i++)
    ct_path_destroy((ct_path *)(uintptr_t)moving[i].path);
  free(moving);
  return status;
}
