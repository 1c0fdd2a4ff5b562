/* Flight between impacts: the motion of bodies under constant forces, and the first time at which
 * two bodies come into contact. */
#include "event_driven/event_driven.h"
#include <contact/toi.h>

#include <assert.h>
#include <stdlib.h>

/* Number of bisections for the time at which resting bodies touch elsewhere: to 1e-12 of the
 * interval. */
#define HALVINGS 40

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

static bool has_resting_contact(const ct_event_step *step, uint32_t row_a, uint32_t row_b) {
  for (size_t i = 0; i < step->resting_count; i++)
    if ((step->resting[i].a == row_a && step->resting[i].b == row_b) ||
        (step->resting[i].a == row_b && step->resting[i].b == row_a))
      return true;
  return false;
}

/* Records the time of an impact if it is the earliest. Skips resting pairs, which may separate and
 * meet again by round-off; end_before_new_contact monitors them. */
static bool record_first_impact(void *context, const ct_motion_hit *hit) {
  first_impact *first = context;
  const ct_toi *impact = hit->impact;
  const ct_event_driven *driven = first->step->driven;
  if (impact->event != CT_TOI_CONTACT || has_resting_contact(first->step, hit->a, hit->b))
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

/* ---- resting bodies -------------------------------------------------------------------------- */

static bool record_depth(void *context, const ct_distance_hit *hit) {
  double *depth = context;
  if (hit->result.status == CT_PAIR_OK) *depth = ct_max2(*depth, -hit->result.distance);
  return true;
}

/* Sets *depth to the greatest depth of the resting pairs at a time of the interval. */
static ct_status find_resting_depth(ct_event_step *step, double time, double *depth) {
  assert(time >= 0.0 && step->resting_count > 0);
  ct_event_driven *driven = step->driven;
  for (size_t i = 0; i < driven->common->moved_count; i++) {
    ct_body_state then = driven->common->next[i];
    ct_body_state_advance_flight(&then, step->result.time, time);
    driven->common->overrides[i] = (ct_override){then.row, then.pose};
  }
  ct_query_options options = {
      .pairs = step->resting, .pair_count = step->resting_count, .explicit_pairs = true};
  *depth = 0.0;
  return ct_integration_run_distances(driven->common, &options, step->workspace, record_depth,
                                      depth);
}

/* Reduces *time to the first time at which resting bodies are deeper than at the start, by more
 * than the contact tolerance, because they may touch elsewhere, as a rocking block does. *time is
 * unchanged if that happens immediately. */
static ct_status end_before_new_contact(ct_event_step *step, double *time) {
  double limit = step->result.depth + step->driven->common->options.contact_tolerance, depth,
         low = 0.0, high = ct_min2(*time, step->result.time);
  ct_status status = find_resting_depth(step, high, &depth);
  if (status != CT_OK || depth <= limit) return status;
  for (int k = 0; k < HALVINGS && status == CT_OK; k++) {
    double middle = low + 0.5 * (high - low);
    status = find_resting_depth(step, middle, &depth);
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
  if (status == CT_OK && step->resting_count) status = end_before_new_contact(step, time);
  for (size_t i = 0; moving && i < count; i++)
    ct_path_destroy((ct_path *)(uintptr_t)moving[i].path);
  free(moving);
  return status;
}
