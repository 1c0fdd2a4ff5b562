/* Flight between impacts: the motion of bodies under constant forces, and the first time at which
 * two bodies come into contact.
 *
 * The end of an interval: positions of resting contacts, work of kinematic bodies, energy.
 *
 * Projection. The motion closes or opens the gap of a contact with a force by the third order
 * of the interval. The least displacement in the metric of the masses that removes this change
 * moves the bodies (Hairer, Wanner 1996, VII.2); velocities do not change.
 *
 * Work. A contact force F that is constant over the interval moves with the material point of the
 * kinematic body that it acts on; the work is F times the point's way, which is exact for
 * translations with constant acceleration.
 *
 * Energy. The balance of kinetic energy, work of loads (gravity included) and work of kinematic
 * bodies has an error of the third order, of either sign. A gain is removed from the velocities
 * relative to the kinematic body of the island, or to the world: contacts that stick or are closed
 * stay so, and the forces, which carry weights, are not changed. */
#include "event_driven/event_driven.h"
#include "linear/arena.h"
#include <contact/toi.h>

#include <assert.h>
#include <stdlib.h>

/* Number of bisections for the time at which touching bodies touch elsewhere: to 1e-12 of the
 * interval. */
#define HALVINGS 40
/* Depth within an interval, as a multiple of that at its end: the gap of a contact that rests at
 * both ends is a cubic of time. */
#define DRIFT_FACTOR 2.0

/* Largest number of sweeps of the projection. */
#define PROJECTION_SWEEPS_MAX 200
/* A change of a gap up to this fraction of the coordinates is round-off. */
#define GAP_PART (4.0 * CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* A gain of energy up to this fraction of the terms of the balance is round-off. */
#define GAIN_PART (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)

/* ---- paths of the bodies --------------------------------------------------------------------- */

static ct_vec3 flight_acceleration(const ct_body_state *m) {
  return m->is_dynamic ? ct_scale(m->force, 1.0 / m->mass) : m->acceleration.linear;
}

/* True if a torque or a prescribed angular acceleration acts on the body. Its angular velocity is
 * then approximated by a constant, the value in the middle of the interval. */
static bool has_torque(const ct_body_state *m) {
  return m->is_dynamic ? !ct_is_zero_vec(m->torque) : !ct_is_zero_vec(m->acceleration.angular);
}

static ct_vec3 mean_angular_velocity(const ct_body_state *m, double stretch) {
  if (!m->is_dynamic)
    return ct_add_scaled(m->velocity.angular, m->acceleration.angular, 0.5 * stretch);
  ct_body_state middle = *m;
  middle.angular_momentum = ct_add_scaled(m->angular_momentum, m->torque, 0.5 * stretch);
  ct_body_state_rotate(&middle, m->velocity.angular, 0.5 * stretch);
  return ct_body_state_angular_velocity(&middle);
}

/* Path of a body for the first `time` s of an interval of `stretch` s, over which forces are
 * constant. */
static ct_path_options flight_path_options(const ct_body_state *m, double stretch, double time) {
  bool twists = has_torque(m) || !m->is_dynamic;
  ct_vec3 angular = has_torque(m) ? mean_angular_velocity(m, stretch) : m->velocity.angular;
  return (ct_path_options){.kind = twists ? CT_PATH_BALLISTIC : CT_PATH_TORQUE_FREE,
                           .start = m->pose,
                           .duration = time,
                           .center = m->center,
                           .velocity = {m->velocity.linear, angular},
                           .acceleration = flight_acceleration(m),
                           .inertia_diagonal = m->moments,
                           .inertia_orientation = m->axes};
}

void ct_body_state_advance_flight(ct_body_state *m, double stretch, double time) {
  ct_vec3 a = flight_acceleration(m), v = m->velocity.linear;
  ct_vec3 displacement = ct_add_scaled(ct_scale(v, time), a, 0.5 * time * time);
  if (has_torque(m)) {
    ct_vec3 angular = mean_angular_velocity(m, stretch);
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
  ct_body_state_translate(m, displacement);
}

/* ---- first impact ---------------------------------------------------------------------------- */

typedef struct first_impact {
  const ct_event_step *step;
  double time; /* s; INFINITY: none */
} first_impact;

/* Records the time of an impact if it is the earliest. Skips resting pairs, which may separate and
 * meet again by round-off; end_before_new_contact monitors them. */
static bool record_first_impact(void *context, const ct_motion_hit *hit) {
  first_impact *first = context;
  const ct_toi *impact = hit->impact;
  const ct_event_driven *driven = first->step->driven;
  if (impact->event != CT_TOI_CONTACT || ct_event_is_resting_pair(first->step, hit->a, hit->b))
    return true;
  if (!ct_integration_is_dynamic(driven->common, hit->a) &&
      !ct_integration_is_dynamic(driven->common, hit->b))
    return true;
  first->time = ct_min2(first->time, impact->time);
  return true;
}

static ct_status search_first_impact(ct_event_step *step, const ct_row_motion *moving, size_t count,
                                     double *time) {
  const ct_advance_options *o = &step->driven->common->options;
  const ct_motion_options options = {.impact = {.end = step->result.time + step->slack,
                                                .tolerance = o->contact_tolerance,
                                                .iterations_max = CT_TOI_ITERATIONS},
                                     .moving = moving,
                                     .moving_count = count,
                                     .where_a = step->driven->common->moving_rows,
                                     .cancel = o->cancel};
  ct_motion_query *query = NULL;
  ct_status status = ct_motion_prepare(step->driven->common->scene, &options, &query);
  if (status != CT_OK) return status;
  first_impact first = {step, INFINITY};
  status =
      ct_motion_run(query, 0, ct_motion_items(query), step->workspace, record_first_impact, &first);
  ct_motion_destroy(query);
  *time = first.time;
  return status;
}

/* ---- touching bodies ------------------------------------------------------------------------- */

static bool record_depth(void *context, const ct_distance_hit *hit) {
  double *depth = context;
  if (hit->result.status == CT_PAIR_OK) *depth = ct_max2(*depth, -hit->result.distance);
  return true;
}

/* Sets *depth to the greatest depth of the touching pairs at a time of the interval. */
static ct_status find_touching_depth(ct_event_step *step, double time, double *depth) {
  assert(time >= 0.0 && step->touching_count > 0);
  ct_event_driven *driven = step->driven;
  for (size_t i = 0; i < driven->common->moved_count; i++) {
    ct_body_state then = driven->common->next[i];
    ct_body_state_advance_flight(&then, step->result.time, time);
    driven->common->overrides[i] = (ct_override){then.row, then.pose};
  }
  ct_query_options options = {
      .pairs = step->touching, .pair_count = step->touching_count, .explicit_pairs = true};
  *depth = 0.0;
  return ct_integration_run_distances(driven->common, &options, step->workspace, record_depth,
                                      depth);
}

/* Reduces *time to the first time at which touching bodies are deeper than at the start, by more
 * than the contact tolerance: resting ones may touch elsewhere, as a rocking block does, and
 * separating ones return. *time is unchanged if that happens immediately. */
static ct_status end_before_new_contact(ct_event_step *step, double *time) {
  double limit = step->result.depth + DRIFT_FACTOR * step->drift +
                 step->driven->common->options.contact_tolerance,
         depth, low = 0.0, high = ct_min2(*time, step->result.time);
  ct_status status = find_touching_depth(step, high, &depth);
  if (status != CT_OK || depth <= limit) return status;
  for (int k = 0; k < HALVINGS && status == CT_OK; k++) {
    double middle = low + 0.5 * (high - low);
    status = find_touching_depth(step, middle, &depth);
    if (depth <= limit) low = middle;
    else high = middle;
  }
  if (status == CT_OK && low > 0.0) *time = high;
  return status;
}

/* Records which limit, of translation or of rotation, a path exceeds. */
static void record_flight_limit(ct_event_driven *driven, const ct_body_state *m,
                                const ct_path_options *path) {
  double t = path->duration,
         reach = ct_max_abs(m->position) +
                 t * (ct_max_abs(path->velocity.linear) + 0.5 * t * ct_max_abs(path->acceleration));
  driven->common->limit_row = m->row;
  driven->common->limit =
      reach < CT_COORDINATE_MAX ? CT_ADVANCE_LIMIT_TURN : CT_ADVANCE_LIMIT_REACH;
}

ct_status ct_event_first_impact(ct_event_step *step, double *time) {
  ct_event_driven *driven = step->driven;
  ct_row_motion *moving = calloc(driven->common->moved_count + 1, sizeof *moving);
  ct_status status = moving ? CT_OK : CT_OUT_OF_MEMORY;
  size_t count = 0;
  ct_event_mark_awake(step);
  for (; count < driven->common->moved_count && status == CT_OK; count++) {
    const ct_body_state *m = &driven->common->next[count];
    const ct_path_options options =
        flight_path_options(m, step->result.time, step->result.time + step->slack);
    ct_path *path = NULL;
    status = ct_path_create(&options, &path);
    if (status == CT_LIMIT) record_flight_limit(driven, m, &options);
    moving[count] = (ct_row_motion){m->row, path};
  }
  if (status == CT_OK) status = search_first_impact(step, moving, count, time);
  if (status == CT_OK && step->touching_count) status = end_before_new_contact(step, time);
  for (size_t i = 0; moving && i < count; i++)
    ct_path_destroy((ct_path *)(uintptr_t)moving[i].path);
  free(moving);
  return status;
}

/* ---- projection ------------------------------------------------------------------------------ */

/* Displacement of a body: of its centre, and a small rotation. */
typedef struct displacement {
  ct_vec3 linear, angular;
} displacement;

/* Displacements of all bodies, and their inverse inertias. */
typedef struct projection {
  const ct_event_step *step;
  displacement *moved;
  ct_mat3 *inverse;
} projection;

/* Returns the small displacement from `from` to `to`: the rotation vector is twice the vector part
 * of the quaternion. */
static displacement displacement_between(const ct_body_state *from, const ct_body_state *to) {
  ct_quat back = {-from->pose.rotation.x, -from->pose.rotation.y, -from->pose.rotation.z,
                  from->pose.rotation.w};
  ct_quat q = ct_quat_mul(to->pose.rotation, back);
  double factor = q.w < 0.0 ? -2.0 : 2.0;
  return (displacement){ct_sub(to->position, from->position),
                        ct_vec(factor * q.x, factor * q.y, factor * q.z)};
}

static ct_vec3 point_displacement(const displacement *d, ct_vec3 arm) {
  return ct_add(d->linear, ct_cross(d->angular, arm));
}

double ct_event_gap_change(const ct_event_step *step, const ct_event_support *s,
                           const ct_body_state *bodies) {
  const uint32_t rows[2] = {s->row_a, s->row_b};
  const ct_vec3 arms[2] = {s->end_arm_a, s->end_arm_b};
  double change = s->distance - s->rest_distance;
  for (int side = 0; side < 2; side++) {
    uint32_t index = step->driven->common->moved_of[rows[side]];
    if (index == CT_NO_ROW) continue;
    displacement d = displacement_between(&step->then[index], &bodies[index]);
    change += (side ? 1.0 : -1.0) * ct_dot(s->normal, point_displacement(&d, arms[side]));
  }
  return change;
}

/* Change of the gap at the end of the interval, with the displacements so far. */
static double gap_change(const projection *p, const ct_event_support *s) {
  const ct_integration *common = p->step->driven->common;
  double change = ct_event_gap_change(p->step, s, common->next);
  uint32_t a = common->moved_of[s->row_a], b = common->moved_of[s->row_b];
  if (a != CT_NO_ROW) change -= ct_dot(s->normal, point_displacement(&p->moved[a], s->end_arm_a));
  if (b != CT_NO_ROW) change += ct_dot(s->normal, point_displacement(&p->moved[b], s->end_arm_b));
  return change;
}

/* Moves both bodies along the normal so that the contact's gap is as at the start; returns the size
 * of its change before. */
static double close_gap(projection *p, const ct_event_support *s) {
  const ct_integration *common = p->step->driven->common;
  const uint32_t rows[2] = {s->row_a, s->row_b};
  const ct_vec3 arms[2] = {s->end_arm_a, s->end_arm_b};
  double response = 0.0, change = gap_change(p, s), size = 0.0;
  for (int side = 0; side < 2; side++) {
    const ct_body_state *m = ct_integration_next_of(common, rows[side]);
    if (m) size = ct_max2(size, ct_max_abs(m->position));
    if (!ct_body_state_is_dynamic(m)) continue;
    ct_vec3 turn = ct_cross(arms[side], s->normal);
    response +=
        1.0 / m->mass + ct_dot(turn, ct_mat_mul(p->inverse[common->moved_of[rows[side]]], turn));
  }
  if (!(response > 0.0) || fabs(change) <= GAP_PART * size) return 0.0;
  for (int side = 0; side < 2; side++) {
    const ct_body_state *m = ct_integration_next_of(common, rows[side]);
    if (!ct_body_state_is_dynamic(m)) continue;
    uint32_t index = common->moved_of[rows[side]];
    ct_vec3 push = ct_scale(s->normal, (side ? -1.0 : 1.0) * change / response);
    p->moved[index].linear = ct_add_scaled(p->moved[index].linear, push, 1.0 / m->mass);
    p->moved[index].angular =
        ct_add(p->moved[index].angular, ct_mat_mul(p->inverse[index], ct_cross(arms[side], push)));
  }
  return fabs(change);
}

ct_status ct_event_close_gaps(ct_event_step *step) {
  const ct_integration *common = step->driven->common;
  if (step->refined_count == 0) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(step->arena);
  projection p = {.step = step,
                  .moved = ct_arena_alloc(step->arena, common->moved_count, sizeof *p.moved),
                  .inverse = ct_arena_alloc(step->arena, common->moved_count, sizeof *p.inverse)};
  ct_status status = p.moved && p.inverse ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < common->moved_count && status == CT_OK; i++) {
    p.moved[i] = (displacement){{0, 0, 0}, {0, 0, 0}};
    if (step->loads[i].is_refined) p.inverse[i] = ct_body_state_inverse_inertia(&common->next[i]);
  }
  double worst = status == CT_OK ? INFINITY : 0.0;
  for (int sweep = 0; sweep < PROJECTION_SWEEPS_MAX && worst > 0.0; sweep++) {
    worst = 0.0;
    for (size_t i = 0; i < step->refined_count; i++)
      if (step->refined[i].closes) worst = ct_max2(worst, close_gap(&p, &step->refined[i]));
  }
  /* Move the bodies; the angular momentum does not change. */
  for (size_t i = 0; i < common->moved_count && status == CT_OK; i++) {
    ct_body_state *m = &common->next[i];
    if (!step->loads[i].is_refined) continue;
    ct_body_state_rotate(m, p.moved[i].angular, 1.0);
    ct_body_state_translate(m, p.moved[i].linear);
    m->velocity.angular = ct_body_state_angular_velocity(m);
  }
  ct_arena_leave(step->arena, mark);
  return status;
}

/* ---- impulses and work of the supports ------------------------------------------------------- */

/* Velocity of the material point of a kinematic body at `arm` from its centre, in the middle of the
 * interval. */
static ct_vec3 driven_velocity(const ct_body_state *m, ct_vec3 arm, double time) {
  ct_vec3 linear = ct_add_scaled(m->velocity.linear, m->acceleration.linear, 0.5 * time);
  ct_vec3 angular = ct_add_scaled(m->velocity.angular, m->acceleration.angular, 0.5 * time);
  return ct_add(linear, ct_cross(angular, arm));
}

static double support_work(const ct_event_step *step, const ct_event_support *s) {
  const ct_integration *common = step->driven->common;
  const ct_body_state *a = ct_integration_next_of(common, s->row_a),
                      *b = ct_integration_next_of(common, s->row_b);
  double h = step->result.time, power = 0.0;
  if (a && !a->is_dynamic) power += ct_dot(s->force, driven_velocity(a, s->arm_a, h));
  if (b && !b->is_dynamic) power -= ct_dot(s->force, driven_velocity(b, s->arm_b, h));
  return power * h;
}

void ct_event_sum_supports(ct_event_step *step) {
  const ct_integration *common = step->driven->common;
  for (size_t i = 0; i < step->support_count; i++) {
    const ct_event_support *s = &step->supports[i];
    ct_vec3 impulse = ct_scale(s->force, step->result.time);
    if (!ct_integration_is_dynamic(common, s->row_a))
      step->result.contact_impulse = ct_add(step->result.contact_impulse, impulse);
    if (!ct_integration_is_dynamic(common, s->row_b))
      step->result.contact_impulse = ct_sub(step->result.contact_impulse, impulse);
    step->result.acting += ct_max_abs(s->force) > 0.0;
    step->support_work[i] = support_work(step, s);
    step->result.kinematic_work += step->support_work[i];
  }
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* Balance of an island over the interval, J. */
typedef struct island_balance {
  double gain, size; /* energy gained beyond all work; sum of the terms' sizes */
} island_balance;

static double kinetic_energy_of(const ct_body_state *m) {
  return 0.5 * (m->mass * ct_dot(m->velocity.linear, m->velocity.linear) +
                ct_dot(m->angular_momentum, m->velocity.angular));
}

static void add_body_balance(const ct_event_step *step, size_t index, island_balance *balance) {
  const ct_body_state *m = &step->driven->common->next[index], *begin = &step->begin[index];
  const ct_event_load *load = &step->loads[index];
  double before = kinetic_energy_of(begin), after = kinetic_energy_of(m);
  double force = ct_dot(load->force, ct_sub(m->position, begin->position));
  double torque = 0.5 * step->result.time *
                  ct_dot(load->torque, ct_add(begin->velocity.angular, m->velocity.angular));
  balance->gain += after - before - force - torque;
  balance->size +=
      before + after + fabs(force) + fabs(torque) + ct_norm(load->force) * ct_max_abs(m->position);
}

/* Velocity of a frame that moves with a rigid body. */
typedef struct moving_frame {
  ct_vec3 origin;
  ct_velocity velocity;
} moving_frame;

static ct_velocity frame_velocity(const moving_frame *frame, ct_vec3 at) {
  ct_vec3 turn = ct_cross(frame->velocity.angular, ct_sub(at, frame->origin));
  return (ct_velocity){ct_add(frame->velocity.linear, turn), frame->velocity.angular};
}

/* Removes up to `gain` from the kinetic energy of the island's bodies by scaling their velocities
 * relative to the frame; returns what is left of it. */
static double scale_velocities(const ct_event_step *step, const ct_island *island,
                               const moving_frame *frame, double gain) {
  const ct_integration *common = step->driven->common;
  /* T(s) = constant + linear s + square s^2 for the factor s. */
  double square = 0.0, linear = 0.0;
  for (size_t i = 0; i < island->set.body_count; i++) {
    const ct_body_state *m = ct_integration_next_of(common, island->rows[i]);
    if (!ct_body_state_is_dynamic(m)) continue;
    ct_velocity base = frame_velocity(frame, m->position);
    ct_vec3 v = ct_sub(m->velocity.linear, base.linear),
            w = ct_sub(m->velocity.angular, base.angular), turn = ct_body_state_inertia(m, w);
    square += 0.5 * (m->mass * ct_dot(v, v) + ct_dot(w, turn));
    linear += m->mass * ct_dot(base.linear, v) + ct_dot(base.angular, turn);
  }
  /* Least d = 1 - s with T(1) - T(1 - d) = gain, or the d of the least energy. */
  double slope = 2.0 * square + linear, root = slope * slope - 4.0 * square * gain;
  if (!(slope > 0.0)) return gain;
  double d = root > 0.0 ? 2.0 * gain / (slope + sqrt(root)) : 0.5 * slope / square;
  if (!(d < 1.0)) d = 1.0;
  for (size_t i = 0; i < island->set.body_count; i++) {
    ct_body_state *m = ct_integration_next_of(common, island->rows[i]);
    if (!ct_body_state_is_dynamic(m)) continue;
    ct_velocity base = frame_velocity(frame, m->position);
    ct_vec3 v = ct_sub(m->velocity.linear, base.linear),
            w = ct_sub(m->velocity.angular, base.angular);
    m->velocity.linear = ct_add_scaled(m->velocity.linear, v, -d);
    m->velocity.angular = ct_add_scaled(m->velocity.angular, w, -d);
    m->angular_momentum = ct_body_state_inertia(m, m->velocity.angular);
  }
  return gain - (slope * d - square * d * d);
}

/* Returns the frame of the island's first kinematic body that moves, otherwise the world. */
static moving_frame frame_of_island(const ct_event_step *step, const ct_island *island) {
  for (size_t i = 0; i < island->set.body_count; i++) {
    const ct_body_state *m = ct_integration_next_of(step->driven->common, island->rows[i]);
    if (m && !m->is_dynamic && !ct_body_state_is_fixed(m))
      return (moving_frame){m->position, m->velocity};
  }
  return (moving_frame){{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}}};
}

/* Limits the energy of one island. What the relative velocities do not have is taken from the
 * velocities themselves. */
static void limit_island_energy(ct_event_step *step, const ct_island *island,
                                const island_balance *balance) {
  const moving_frame world = {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}}};
  double least = GAIN_PART * balance->size;
  if (!(balance->gain > least)) return;
  const moving_frame frame = frame_of_island(step, island);
  double left = scale_velocities(step, island, &frame, balance->gain);
  if (left > least) left = scale_velocities(step, island, &world, left);
  step->is_unbalanced = step->is_unbalanced || left > least;
  step->result.guarded = true;
}

ct_status ct_event_limit_energy(ct_event_step *step, const ct_mechanics *mechanics) {
  const ct_integration *common = step->driven->common;
  size_t count = ct_mechanics_islands(mechanics);
  step->is_unbalanced = false;
  ct_arena_mark mark = ct_arena_enter(step->arena);
  island_balance *balances = ct_arena_alloc(step->arena, count + 1, sizeof *balances);
  size_t *island_of = ct_arena_alloc(step->arena, common->moved_count + 1, sizeof *island_of);
  ct_status status = balances && island_of ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < count && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    balances[i] = (island_balance){0.0, 0.0};
    for (size_t k = 0; k < island.set.body_count && island.set.count > 0; k++) {
      if (island.set.bodies[k].mobility != CT_DYNAMIC) continue;
      size_t index = common->moved_of[island.rows[k]];
      island_of[index] = i;
      add_body_balance(step, index, &balances[i]);
    }
  }
  for (size_t i = 0; i < step->support_count && status == CT_OK; i++) {
    const ct_event_support *s = &step->supports[i];
    uint32_t row = ct_integration_is_dynamic(common, s->row_a) ? s->row_a : s->row_b;
    island_balance *balance = &balances[island_of[common->moved_of[row]]];
    balance->gain -= step->support_work[i];
    balance->size += fabs(step->support_work[i]);
  }
  for (size_t i = 0; i < count && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (island.set.count > 0) limit_island_energy(step, &island, &balances[i]);
  }
  ct_arena_leave(step->arena, mark);
  return status;
}
