/* Motion by the elastic law from event to event (Modia3D). A contact begins at the first
 * representable time at which its distance is <= 0, and ends at the first at which its distance
 * exceeds the hysteresis, which is the round-off of a distance. Between events the set of contacts
 * is constant. A step ends at the latest when bodies may meet, or shortly after the start of their
 * contact. */
#include "compliant/compliant_motion.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- limits of a step ------------------------------------------------------------------------ */

/* Largest step into a contact, as fractions of the contact's duration and of the time in which the
 * approach covers the smaller radius, so that no contact is missed. */
#define DURATION_PART 0.1
#define SIZE_PART 0.1
/* Factor of the duration of an undamped Hertz contact: duration = factor (5 m / (4 k))^(2/5)
 * v^(-1/5), with the reduced mass m, stiffness k and approach speed v. */
#define HERTZ_DURATION 2.94

/* Velocity and acceleration of a body, for upper bounds of its motion. All members but `radius` are
 * 0 for a body that does not move. */
typedef struct motion_bound {
  ct_vec3 center, linear, angular;
  double radius; /* bounding radius, m; INFINITY for half-spaces and bodies that do not move */
  /* magnitudes of the linear acceleration, m/s^2, and the angular acceleration, rad/s^2 */
  double pull, turn;
  bool is_dynamic;
} motion_bound;

/* Motion data of a moving body, by its index in `bodies` (CT_NO_ROW: does not move). Each
 * acceleration is the greater of those at the start and at the end of the last trial step. */
static motion_bound motion_bound_of(const ct_compliant_motion *motion, uint32_t index) {
  if (index == CT_NO_ROW) return (motion_bound){.radius = INFINITY};
  const ct_body_state *m = &motion->bodies[index];
  motion_bound out = {.center = m->position,
                      .linear = m->velocity.linear,
                      .angular = m->velocity.angular,
                      .radius = m->radius,
                      .is_dynamic = m->is_dynamic};
  const ct_flow *rates[2] = {&motion->rates[0][index], &motion->rates[CT_FLOW_STAGES - 1][index]};
  for (int k = 0; k < 2; k++) {
    ct_vec3 turn = rates[k]->spin;
    if (m->is_dynamic) {
      turn = ct_sub(turn, ct_cross(out.angular, m->angular_momentum));
      turn = ct_mat_mul(ct_body_state_inverse_inertia(m), turn);
    }
    out.pull = ct_max2(out.pull, ct_norm(rates[k]->velocity));
    out.turn = ct_max2(out.turn, ct_norm(turn));
  }
  return out;
}

/* Upper bound of the speed (acceleration) of the body's points that are at most `distance` from its
 * centre. */
static double bound_speed(const motion_bound *m, double distance) {
  double turning = ct_norm(m->angular);
  return ct_norm(m->linear) + (turning > 0.0 ? turning * distance : 0.0);
}

static double bound_acceleration(const motion_bound *m, double distance) {
  double turning = m->turn + ct_norm2(m->angular);
  return m->pull + (turning > 0.0 ? turning * distance : 0.0);
}

/* Upper bounds of the rate at which a pair's gap closes, and of its second derivative. Points that
 * can meet are within the bounding ball of the smaller body, enlarged by the gap. */
static void bound_closing(const motion_bound *a, const motion_bound *b, double gap, double *speed,
                          double *pull) {
  const motion_bound *ball = a->radius < b->radius ? a : b, *other = ball == a ? b : a;
  ct_vec3 across = ct_sub(ball->center, other->center);
  ct_vec3 relative = ct_sub(ball->linear, ct_add(other->linear, ct_cross(other->angular, across)));
  double reach = ball->radius + gap;
  *speed = ct_norm(relative) + (ct_norm(ball->angular) + ct_norm(other->angular)) * reach;
  *pull = bound_acceleration(ball, reach) + bound_acceleration(other, ct_norm(across) + reach);
}

/* Longest permitted step into a contact that begins with the closing speed; 0 if a solid's modulus
 * is unknown. */
static double step_into_contact(const ct_compliant_motion *motion,
                                const ct_elastic_candidate *candidate, double speed) {
  static const ct_pair_material none = {0};
  ct_elastic_solid solids[2];
  if (!ct_scene_elastic_solid(motion->common->scene, candidate->a, candidate->collider_a,
                              &solids[0]) ||
      !ct_scene_elastic_solid(motion->common->scene, candidate->b, candidate->collider_b,
                              &solids[1]))
    return 0.0;
  ct_elastic_pair pair =
      ct_elastic_pair_of(&solids[0], &solids[1], &none, 0.0, &motion->common->options.elastic);
  assert(speed > 0.0);
  double mass = ct_elastic_reduced_mass(motion, candidate->a, candidate->b);
  double fifth = ct_fifth_root(1.25 * mass / (pair.c_res * pair.c_geo));
  double duration = HERTZ_DURATION * fifth * fifth / ct_fifth_root(speed);
  return ct_min2(DURATION_PART * duration,
                 SIZE_PART * ct_min2(solids[0].radius, solids[1].radius) / speed);
}

static double bound_step(const ct_compliant_motion *motion) {
  double most = ct_min2(motion->common->options.time_step, motion->horizon);
  for (size_t k = 0; k < motion->candidates.count; k++) {
    const ct_elastic_candidate *candidate = &motion->candidates.items[k];
    if (candidate->distance <= 0.0) continue;
    motion_bound a = motion_bound_of(motion, motion->common->moved_of[candidate->a]),
                 b = motion_bound_of(motion, motion->common->moved_of[candidate->b]);
    /* The overlap of two half-spaces causes no force. */
    if (isinf(a.radius) && isinf(b.radius)) continue;
    double speed, pull;
    bound_closing(&a, &b, candidate->distance, &speed, &pull);
    double last = sqrt(speed * speed + 2.0 * pull * candidate->distance);
    if (!(last > 0.0)) continue;
    double meeting_time = 2.0 * candidate->distance / (speed + last);
    if (meeting_time >= most) continue;
    most = ct_min2(most, ct_max2(meeting_time, step_into_contact(motion, candidate, last)));
  }
  return most;
}

/* Upper bound of the distance that points of the body, at most `distance` from its centre, travel
 * in a time. */
static double bound_distance(const motion_bound *m, double distance, double time) {
  return time * (bound_speed(m, distance) + time * bound_acceleration(m, distance));
}

static double choose_clearance(const ct_compliant_motion *motion) {
  double own = 0.0, others = 0.0, time = motion->horizon;
  for (size_t i = 0; i < motion->common->moved_count; i++) {
    motion_bound m = motion_bound_of(motion, (uint32_t)i);
    if (isinf(m.radius)) continue;
    double distance = bound_distance(&m, m.radius, time);
    if (m.is_dynamic) own = ct_max2(own, distance);
    others = ct_max2(others, distance);
  }
  for (size_t j = 0; j < motion->common->moved_count; j++) {
    motion_bound wide = motion_bound_of(motion, (uint32_t)j);
    if (!isinf(wide.radius)) continue;
    for (size_t i = 0; i < motion->common->moved_count; i++) {
      motion_bound m = motion_bound_of(motion, (uint32_t)i);
      if (isinf(m.radius)) continue;
      double reach = ct_norm(ct_sub(m.center, wide.center)) + m.radius + own;
      others = ct_max2(others, bound_distance(&wide, reach, time));
    }
  }
  return ct_min2(own + others, CT_SIZE_MAX);
}

/* Factors of the step size control: safety factor of the next step relative to the step that the
 * error allows, and greatest growth and shrinkage of the step. */
#define SAFETY 0.9
#define GROWTH_MAX 5.0
#define SHRINK_MAX 0.1
/* Least step, in units of u times the current time (at least time_step): the round-off of the time
 * would dominate smaller steps. */
#define STEP_MIN_U 64.0

/* ---- creation ------------------------------------------------------------------------ */

void ct_compliant_motion_destroy(ct_compliant_motion *motion) {
  if (!motion) return;
  free(motion->bodies);
  free(motion->flow);
  free(motion->trial);
  free(motion->stage);
  free(motion->floors);
  free(motion->saved_rates);
  for (int s = 0; s < CT_FLOW_STAGES; s++) free(motion->rates[s]);
  free(motion->candidates.items);
  free(motion->members);
  ct_patch_scratch_free(&motion->scratch);
  free(motion);
}

/* True if the materials of all colliders of the scene have elastic moduli. */
static bool are_materials_elastic(const ct_scene *scene) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    for (size_t i = 0; body && i < ct_body_collider_count(body); i++)
      if (!ct_scene_elastic_solid(scene, row, (uint32_t)i, NULL)) return false;
  }
  return true;
}

/* True if a collider of the scene is a surface mesh. It has no interior, so bodies have no depth in
 * it and would fall through. */
static bool has_surface_mesh(const ct_scene *scene) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    if (body && ct_body_has_surface(body)) return true;
  }
  return false;
}

ct_status ct_compliant_motion_create(ct_integration *common, ct_compliant_motion **out) {
  if (!are_materials_elastic(common->scene)) return CT_NOT_FOUND;
  if (has_surface_mesh(common->scene)) return CT_OPEN_MESH;
  ct_compliant_motion *motion = *out = calloc(1, sizeof *motion);
  if (!motion) return CT_OUT_OF_MEMORY;
  /* Allocate the state and the stages of a step. */
  size_t count = common->moved_count + 1;
  motion->common = common;
  motion->bodies = malloc(count * sizeof *motion->bodies);
  motion->flow = malloc(count * sizeof *motion->flow);
  motion->trial = malloc(count * sizeof *motion->trial);
  motion->stage = malloc(count * sizeof *motion->stage);
  motion->floors = calloc(count, sizeof *motion->floors);
  motion->saved_rates = malloc(count * sizeof *motion->saved_rates);
  bool good = motion->bodies && motion->flow && motion->trial && motion->stage && motion->floors &&
              motion->saved_rates;
  for (int s = 0; s < CT_FLOW_STAGES; s++) {
    motion->rates[s] = calloc(count, sizeof *motion->rates[s]);
    good = good && motion->rates[s];
  }
  if (!good) return CT_OUT_OF_MEMORY;
  /* Set the initial state from the bodies. */
  if (!(common->options.tolerance > 0.0)) common->options.tolerance = CT_ADVANCE_TOLERANCE;
  for (size_t i = 0; i < common->moved_count; i++) common->moving_rows[common->now[i].row] = 1;
  memcpy(motion->bodies, common->now, common->moved_count * sizeof *common->now);
  for (size_t i = 0; i < common->moved_count; i++) {
    const ct_body_state *m = &common->now[i];
    motion->flow[i] = (ct_flow){.position = m->position,
                                .rotation = m->pose.rotation,
                                .velocity = m->velocity.linear,
                                .spin = m->is_dynamic ? m->angular_momentum : m->velocity.angular};
  }
  ct_elastic_report_floors(motion);
  return CT_OK;
}

/* ---- pairs in contact ------------------------------------------------------------------------ */

/* True if the candidate is in contact: its distance is <= 0, or it is a member within its
 * hysteresis. */
static bool is_in_contact(const ct_compliant_motion *motion,
                          const ct_elastic_candidate *candidate) {
  if (candidate->distance <= 0.0) return true;
  size_t k = ct_elastic_find_contact(motion, candidate);
  return k < motion->member_count && candidate->distance <= motion->members[k].hysteresis;
}

static double greatest_hysteresis(const ct_compliant_motion *motion) {
  double most = 0.0;
  for (size_t k = 0; k < motion->member_count; k++)
    most = ct_max2(most, motion->members[k].hysteresis);
  return most;
}

/* True if the candidates in contact are other pairs than the members. */
static bool has_changed(const ct_compliant_motion *motion) {
  size_t in = 0;
  for (size_t k = 0; k < motion->candidates.count; k++) {
    if (!is_in_contact(motion, &motion->candidates.items[k])) continue;
    if (in == motion->member_count ||
        ct_elastic_pair_compare(&motion->members[in], &motion->candidates.items[k]) != 0)
      return true;
    in++;
  }
  return in < motion->member_count;
}

/* Contact record of a candidate that comes into contact now: its approach velocity, and the
 * constants of its law. */
static ct_elastic_contact new_contact(const ct_compliant_motion *motion,
                                      const ct_elastic_candidate *candidate) {
  const ct_scene *scene = motion->common->scene;
  static const ct_elastic_pair none = {0};
  ct_elastic_solid a = {0}, b = {0};
  ct_scene_elastic_solid(scene, candidate->a, candidate->collider_a, &a);
  ct_scene_elastic_solid(scene, candidate->b, candidate->collider_b, &b);
  ct_pair_material material = ct_scene_pair_material(
      scene, ct_body_collider(ct_scene_body(scene, candidate->a), candidate->collider_a).material,
      ct_body_collider(ct_scene_body(scene, candidate->b), candidate->collider_b).material);
  if (motion->common->options.frictionless)
    material.static_friction = material.dynamic_friction = material.rolling_friction = 0.0;
  double approach = fabs(ct_elastic_force(motion, candidate, &none).depth_rate);
  return (ct_elastic_contact){
      .is_patch = ct_elastic_is_patch(motion, candidate),
      .a = candidate->a,
      .b = candidate->b,
      .collider_a = candidate->collider_a,
      .collider_b = candidate->collider_b,
      .approach = approach,
      .pair = ct_elastic_pair_of(&a, &b, &material, approach, &motion->common->options.elastic)};
}

/* Candidate that is the pair of m; NULL: the pair is not among the candidates. */
static const ct_elastic_candidate *candidate_of(const ct_compliant_motion *motion,
                                                const ct_elastic_contact *m) {
  size_t low = 0, high = motion->candidates.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ct_elastic_pair_compare(m, &motion->candidates.items[middle]) > 0) low = middle + 1;
    else high = middle;
  }
  return low < motion->candidates.count &&
                 ct_elastic_pair_compare(m, &motion->candidates.items[low]) == 0
             ? &motion->candidates.items[low]
             : NULL;
}

static double candidate_normal_velocity(const ct_compliant_motion *motion,
                                        const ct_elastic_candidate *candidate) {
  static const ct_elastic_pair none = {0};
  return -ct_elastic_force(motion, candidate, &none).depth_rate;
}

/* Contact of the candidate's pair for events, with its velocity now. */
static ct_advance_contact event_contact(const ct_compliant_motion *motion,
                                        const ct_elastic_candidate *candidate) {
  double velocity = candidate_normal_velocity(motion, candidate);
  return (ct_advance_contact){.row_a = candidate->a,
                              .row_b = candidate->b,
                              .collider_a = candidate->collider_a,
                              .collider_b = candidate->collider_b,
                              .normal_velocity = velocity,
                              .separation = velocity,
                              .position = candidate->position,
                              .normal = candidate->normal,
                              .distance = candidate->distance};
}

/* Emits an event for each contact that ended at `time`, then for each that began. The candidates
 * in contact are the contacts now; motion->members are those before. */
static ct_status emit_changes(ct_compliant_motion *motion, double time) {
  for (size_t i = 0; i < motion->member_count; i++) {
    const ct_elastic_candidate *candidate = candidate_of(motion, &motion->members[i]);
    if (!candidate) continue;
    const ct_advance_contact contact = event_contact(motion, candidate);
    ct_contact_events_set_separation(&motion->common->tracker, &contact);
  }
  ct_status status = CT_OK;
  for (size_t k = 0; k < motion->candidates.count && status == CT_OK; k++) {
    if (!is_in_contact(motion, &motion->candidates.items[k])) continue;
    const ct_advance_contact contact = event_contact(motion, &motion->candidates.items[k]);
    status = ct_contact_events_add(&motion->common->tracker, &contact);
  }
  return status == CT_OK ? ct_contact_events_compare(&motion->common->tracker, time) : status;
}

/* Replaces the members by the candidates in contact and emits the changes. Persisting
 * contacts retain the constants of their law. CT_OUT_OF_MEMORY: the members are unchanged. */
static ct_status set_members(ct_compliant_motion *motion, double time) {
  size_t count = 0, kept = 0;
  for (size_t k = 0; k < motion->candidates.count; k++)
    count += is_in_contact(motion, &motion->candidates.items[k]);
  /* Collect the pairs in contact: persisting members, and new ones. */
  ct_elastic_contact *members = malloc((count + 1) * sizeof *members);
  if (!members) return CT_OUT_OF_MEMORY;
  count = 0;
  for (size_t k = 0; k < motion->candidates.count; k++) {
    const ct_elastic_candidate *candidate = &motion->candidates.items[k];
    if (!is_in_contact(motion, candidate)) continue;
    size_t old = ct_elastic_find_contact(motion, candidate);
    kept += old < motion->member_count;
    members[count++] =
        old < motion->member_count ? motion->members[old] : new_contact(motion, candidate);
  }
  /* Report the changes, then replace the members. */
  ct_status status = emit_changes(motion, time);
  if (status != CT_OK) {
    free(members);
    return status;
  }
  assert(kept <= count && kept <= motion->member_count);
  motion->common->state.events += (motion->member_count - kept) + (count - kept);
  free(motion->members);
  motion->members = members;
  motion->member_count = count;
  motion->first_known = false;
  return CT_OK;
}

/* ---- step ------------------------------------------------------------------------------------ */

static double next_step_size(double time, double error) {
  assert(time > 0.0 && !(error < 0.0));
  double factor = error > 0.0 ? SAFETY / ct_fifth_root(error) : GROWTH_MAX;
  return time * ct_max2(SHRINK_MAX, ct_min2(GROWTH_MAX, factor));
}

static double least_step_size(const ct_compliant_motion *motion) {
  return STEP_MIN_U * CT_UNIT_ROUNDOFF *
         ct_max2(motion->common->state.time, motion->common->options.time_step);
}

/* Finds the pairs that may meet within a next step of at most `step` s, with a clearance that the
 * bodies' speeds and accelerations determine. */
static ct_status find_candidates_ahead(ct_compliant_motion *motion, const ct_flow *flow,
                                       double step, ct_workspace *workspace) {
  motion->horizon = ct_min2(step, motion->common->options.time_step);
  double clearance = ct_max2(choose_clearance(motion), 4.0 * greatest_hysteresis(motion));
  return ct_elastic_find_candidates(motion, flow, clearance, workspace);
}

/* Tries a step of *time, then shorter ones until the error is within the tolerance or the step is
 * the least one. *time, *error: duration and error of the last trial. Afterwards `trial` is the
 * state and the candidates are the pairs near it. */
static ct_status try_within_tolerance(ct_compliant_motion *motion, double *time,
                                      ct_workspace *workspace, double *error) {
  double least = least_step_size(motion);
  for (;;) {
    if (ct_cancel_raised(motion->common->options.cancel)) return CT_CANCELLED;
    ct_status status = ct_elastic_try_step(motion, *time, workspace, error);
    if (status != CT_OK) return status;
    motion->step = next_step_size(*time, *error);
    if (*error <= 1.0 || *time <= least) break;
    *time = ct_max2(motion->step, least);
  }
  if (!ct_integration_is_within_limits(motion->common, motion->bodies, 0.0,
                                       ct_max2(*time, motion->common->options.time_step)))
    return CT_LIMIT;
  return find_candidates_ahead(motion, motion->trial, motion->step, workspace);
}

/* Bisects for the first representable time at which the pairs in contact differ from the members,
 * given that they differ after *time. *time: set to it; `trial` and the candidates are those at
 * that time. */
static ct_status find_change(ct_compliant_motion *motion, double *time, ct_workspace *workspace) {
  assert(has_changed(motion));
  double low = 0.0, high = *time, start = motion->common->state.time, error;
  /* A query may omit pairs whose distance differs from the clearance by round-off. */
  double clearance = ct_max2(choose_clearance(motion), 4.0 * greatest_hysteresis(motion));
  for (;;) {
    double middle = 0.5 * (low + high);
    if (!(start + low < start + middle && start + middle < start + high)) break;
    if (ct_cancel_raised(motion->common->options.cancel)) return CT_CANCELLED;
    ct_status status = ct_elastic_try_step(motion, middle, workspace, &error);
    if (status == CT_OK)
      status = ct_elastic_find_candidates(motion, motion->trial, clearance, workspace);
    if (status != CT_OK) return status;
    if (has_changed(motion)) high = middle;
    else low = middle;
  }
  *time = high;
  ct_status status = ct_elastic_try_step(motion, high, workspace, &error);
  return status == CT_OK ? find_candidates_ahead(motion, motion->trial, motion->step, workspace)
                         : status;
}

/* Makes `trial` the current state, `time` later. */
static void accept_trial(ct_compliant_motion *motion, double time, double error) {
  assert(time > 0.0 && motion->flow != motion->trial);
  ct_advance_state *state = &motion->common->state;
  /* Swap present and trial state; the last stage becomes the first of the next step. */
  ct_flow *flow = motion->flow;
  motion->flow = motion->trial;
  motion->trial = flow;
  ct_flow *first = motion->rates[0];
  motion->rates[0] = motion->rates[CT_FLOW_STAGES - 1];
  motion->rates[CT_FLOW_STAGES - 1] = first;
  motion->rate_sums[0] = motion->rate_sums[CT_FLOW_STAGES - 1];
  memcpy(motion->common->now, motion->bodies,
         motion->common->moved_count * sizeof *motion->common->now);
  /* Update the reported state. */
  state->time = time < motion->common->options.duration - state->time
                    ? state->time + time
                    : motion->common->options.duration;
  state->steps++;
  motion->common->pace = time;
  motion->common->pace_row = motion->worst;
  ct_elastic_report_floors(motion);
  state->not_converged += error > 1.0;
  state->residual = ct_max2(state->residual, error * motion->common->options.tolerance);
  state->contact_impulse = motion->trial_sums.impulse;
  state->work += motion->trial_sums.work;
  state->penetration = 0.0;
  for (size_t k = 0; k < motion->candidates.count; k++)
    state->penetration = ct_max2(state->penetration, -motion->candidates.items[k].distance);
}

/* Starts the motion: finds the pairs in contact at time 0, which are the first members. */
static ct_status begin_motion(ct_compliant_motion *motion, ct_workspace *workspace) {
  ct_status status = ct_elastic_find_candidates(motion, motion->flow, 0.0, workspace);
  if (status == CT_OK) status = set_members(motion, 0.0);
  if (status == CT_OK) motion->step = motion->common->options.time_step;
  return status;
}

/* Computes the rates of change at the start of the step, and the candidates. Those of the previous
 * step are reused unless the members or loads changed or the previous step failed. */
static ct_status prepare_first_rates(ct_compliant_motion *motion, ct_workspace *workspace) {
  ct_status status = motion->step > 0.0 ? CT_OK : begin_motion(motion, workspace);
  if (status != CT_OK) return status;
  if (motion->first_known && !motion->is_stale && motion->common->last_time != 0.0) return CT_OK;
  memcpy(motion->bodies, motion->common->now,
         motion->common->moved_count * sizeof *motion->common->now);
  status = ct_elastic_first_rates(motion, workspace);
  if (status == CT_OK)
    status = find_candidates_ahead(motion, motion->flow, motion->step, workspace);
  motion->is_stale = status != CT_OK;
  return status;
}

static ct_status step_to_event(ct_compliant_motion *motion, ct_workspace *workspace, bool *done) {
  ct_advance_state *state = &motion->common->state;
  double left = motion->common->options.duration - state->time;
  *done = !(left > 0.0);
  if (*done) return CT_OK;
  ct_status status = prepare_first_rates(motion, workspace);
  if (status != CT_OK) return status;
  motion->common->last_time = motion->common->options.time_step;
  ct_elastic_set_floors(motion);
  double time = ct_min2(motion->step, bound_step(motion)), error = 0.0;
  time = ct_min2(ct_max2(time, least_step_size(motion)), left);
  status = try_within_tolerance(motion, &time, workspace, &error);
  bool changed = status == CT_OK && has_changed(motion);
  if (changed) status = find_change(motion, &time, workspace);
  if (changed && status == CT_OK) status = set_members(motion, state->time + time);
  if (status != CT_OK) return status;
  accept_trial(motion, time, error);
  *done = !(state->time < motion->common->options.duration);
  state->contacts = motion->member_count;
  ct_integration_sum_energy(motion->common);
  return CT_OK;
}

ct_status ct_compliant_motion_step(ct_compliant_motion *motion, ct_workspace *workspace,
                                   bool *done) {
  double step = motion->step, last_time = motion->common->last_time;
  size_t bytes = motion->common->moved_count * sizeof *motion->saved_rates;
  memcpy(motion->saved_rates, motion->rates[CT_FLOW_STAGES - 1], bytes);
  ct_status status = step_to_event(motion, workspace, done);
  if (status == CT_OK) return CT_OK;
  /* After a failed step the state, the step size and the events are restored. */
  motion->is_stale = true;
  memcpy(motion->rates[CT_FLOW_STAGES - 1], motion->saved_rates, bytes);
  motion->step = step;
  motion->common->last_time = last_time;
  motion->common->tracker.reported.count = 0;
  if (step > 0.0) return status;
  /* The motion has not begun: the contacts at time 0 are found again by the next call. */
  motion->member_count = 0;
  motion->first_known = false;
  motion->common->state.events = 0;
  return status;
}
