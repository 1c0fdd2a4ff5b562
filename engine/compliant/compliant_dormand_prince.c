/* Rates of change of the bodies' states under loads and elastic contact forces, and one step of the
 * method of Dormand and Prince (1980). */
#include "base/array.h"
#include "compliant/compliant_motion.h"

#include <assert.h>

/* ---- candidates ------------------------------------------------------------------------------ */

static ct_quat normalised_rotation(ct_quat q) {
  double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (ct_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static void set_body_from_flow(ct_body_state *m, const ct_flow *flow) {
  m->position = flow->position;
  m->pose.rotation = normalised_rotation(flow->rotation);
  m->pose.position = ct_sub(m->position, ct_mat_mul(ct_quat_matrix(m->pose.rotation), m->center));
  m->velocity.linear = flow->velocity;
  if (m->is_dynamic) m->angular_momentum = flow->spin;
  m->velocity.angular = m->is_dynamic ? ct_body_state_angular_velocity(m) : flow->spin;
}

typedef struct finding {
  const ct_compliant_motion *motion;
  ct_elastic_candidates *nears;
  size_t most;
  ct_status status;
} finding;

static bool add_elastic_candidate(void *context, const ct_contacts_hit *hit) {
  finding *f = context;
  if (hit->point_count == 0) return true;
  if (!ct_integration_is_dynamic(f->motion->common, hit->a) &&
      !ct_integration_is_dynamic(f->motion->common, hit->b))
    return true;
  if (f->nears->count == f->most) {
    f->status = CT_LIMIT;
    return false;
  }
  assert(f->nears->count <= f->nears->room && f->nears->count < f->most);
  if (!ct_array_reserve(&f->nears->items, &f->nears->room, f->nears->count + 1,
                        sizeof *f->nears->items)) {
    f->status = CT_OUT_OF_MEMORY;
    return false;
  }
  const ct_contact_point *point = &hit->points[0];
  f->nears->items[f->nears->count++] =
      (ct_elastic_candidate){.a = hit->a,
                             .b = hit->b,
                             .collider_a = hit->collider_a,
                             .collider_b = hit->collider_b,
                             .distance = point->distance,
                             .position = ct_lerp(point->point_a, point->point_b, 0.5),
                             .normal = point->normal};
  return true;
}

ct_status ct_elastic_find_candidates(ct_compliant_motion *motion, const ct_flow *flow,
                                     double clearance, ct_workspace *workspace) {
  assert(!(clearance < 0.0));
  for (size_t i = 0; i < motion->common->moved_count; i++) {
    set_body_from_flow(&motion->bodies[i], &flow[i]);
    motion->common->overrides[i] =
        (ct_override){.row = motion->bodies[i].row, .pose = motion->bodies[i].pose};
  }
  ct_query_options options = {.clearance = clearance, .where_a = motion->common->moving_rows};
  const ct_query_contacts_options contacts = {.detail = CT_DETAIL_DEEPEST};
  finding f = {.motion = motion,
               .nears = &motion->candidates,
               .most = motion->common->options.contacts_max,
               .status = CT_OK};
  motion->candidates.count = 0;
  ct_status status = ct_integration_run_contacts(motion->common, &options, &contacts, workspace,
                                                 add_elastic_candidate, &f);
  return status == CT_OK ? f.status : status;
}

/* ---- forces --------------------------------------------------------------------------------- */

static int compare_elastic_ids(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

int ct_elastic_pair_compare(const ct_elastic_contact *m, const ct_elastic_candidate *n) {
  int by_row = compare_elastic_ids(m->a, n->a) ? compare_elastic_ids(m->a, n->a)
                                               : compare_elastic_ids(m->b, n->b);
  if (by_row) return by_row;
  return compare_elastic_ids(m->collider_a, n->collider_a)
             ? compare_elastic_ids(m->collider_a, n->collider_a)
             : compare_elastic_ids(m->collider_b, n->collider_b);
}

size_t ct_elastic_find_contact(const ct_compliant_motion *motion,
                               const ct_elastic_candidate *candidate) {
  size_t low = 0, high = motion->member_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ct_elastic_pair_compare(&motion->members[middle], candidate) < 0) low = middle + 1;
    else high = middle;
  }
  return low < motion->member_count &&
                 ct_elastic_pair_compare(&motion->members[low], candidate) == 0
             ? low
             : motion->member_count;
}

/* State of the row's body at the last evaluation; NULL: the row does not move. */
static ct_body_state *flow_body_of(const ct_compliant_motion *motion, uint32_t row) {
  uint32_t index = motion->common->moved_of[row];
  return index == CT_NO_ROW ? NULL : &motion->bodies[index];
}

static ct_mass_body as_mass_body(const ct_body_state *m) {
  return m ? (ct_mass_body){.center = m->position, .velocity = m->velocity} : (ct_mass_body){0};
}

ct_compliant_force ct_elastic_force(const ct_compliant_motion *motion,
                                    const ct_elastic_candidate *candidate,
                                    const ct_elastic_pair *pair) {
  ct_mass_body bodies[2] = {as_mass_body(flow_body_of(motion, candidate->a)),
                            as_mass_body(flow_body_of(motion, candidate->b))};
  ct_contact contact = {.a = 0,
                        .b = 1,
                        .position = candidate->position,
                        .normal = candidate->normal,
                        .distance = candidate->distance};
  ct_contact_set set = {.bodies = bodies, .body_count = 2, .contacts = &contact, .count = 1};
  return ct_compliant_law(pair, &set, &contact, &motion->common->options.elastic);
}

/* Adds `sign` times a contact force to the rates of change of the row's momenta, if its body is
 * dynamic. */
static void add_force_rate(const ct_compliant_motion *motion, ct_flow *rates, uint32_t row,
                           const ct_elastic_candidate *candidate, const ct_compliant_force *force,
                           double sign) {
  uint32_t index = motion->common->moved_of[row];
  if (index == CT_NO_ROW || !motion->common->now[index].is_dynamic) return;
  const ct_body_state *m = &motion->bodies[index];
  ct_flow *rate = &rates[index];
  ct_vec3 moment =
      ct_add(ct_cross(ct_sub(candidate->position, m->position), force->force), force->torque);
  rate->velocity = ct_add_scaled(rate->velocity, force->force, sign / m->mass);
  rate->spin = ct_add_scaled(rate->spin, moment, sign);
}

/* Power that a kinematic body delivers, against the contact force on it; `sign`: 1 if it is body a,
 * -1 if it is b. 0 for other bodies. */
static double kinematic_power(const ct_body_state *m, const ct_elastic_candidate *candidate,
                              const ct_compliant_force *force, double sign) {
  if (!m || m->is_dynamic) return 0.0;
  ct_vec3 velocity = ct_add(
      m->velocity.linear, ct_cross(m->velocity.angular, ct_sub(candidate->position, m->position)));
  return sign * (ct_dot(force->force, velocity) + ct_dot(force->torque, m->velocity.angular));
}

static void add_contact(const ct_compliant_motion *motion, const ct_elastic_candidate *candidate,
                        ct_flow *rates, ct_flow_sums *sums) {
  size_t k = ct_elastic_find_contact(motion, candidate);
  if (k == motion->member_count) return;
  ct_compliant_force force = ct_elastic_force(motion, candidate, &motion->members[k].pair);
  add_force_rate(motion, rates, candidate->a, candidate, &force, -1.0);
  add_force_rate(motion, rates, candidate->b, candidate, &force, 1.0);
  const ct_body_state *a = flow_body_of(motion, candidate->a),
                      *b = flow_body_of(motion, candidate->b);
  if (ct_body_state_is_dynamic(a) != ct_body_state_is_dynamic(b))
    sums->impulse =
        ct_add_scaled(sums->impulse, force.force, ct_body_state_is_dynamic(b) ? 1.0 : -1.0);
  sums->work +=
      kinematic_power(a, candidate, &force, 1.0) + kinematic_power(b, candidate, &force, -1.0);
}

static void add_load(const ct_compliant_motion *motion, const ct_load *load, ct_flow *rates,
                     ct_flow_sums *sums) {
  uint32_t index = motion->common->moved_of[load->row];
  if (index == CT_NO_ROW || !motion->common->now[index].is_dynamic) return;
  const ct_body_state *m = &motion->bodies[index];
  ct_vec3 torque = ct_body_state_load_torque(m, load);
  rates[index].velocity = ct_add_scaled(rates[index].velocity, load->force, 1.0 / m->mass);
  rates[index].spin = ct_add(rates[index].spin, torque);
  sums->work += ct_dot(load->force, m->velocity.linear) + ct_dot(torque, m->velocity.angular);
}

static ct_status find_rates(ct_compliant_motion *motion, const ct_flow *flow,
                            ct_workspace *workspace, ct_flow *rates, ct_flow_sums *sums) {
  ct_status status = ct_elastic_find_candidates(motion, flow, 0.0, workspace);
  if (status != CT_OK) return status;
  *sums = (ct_flow_sums){0};
  for (size_t i = 0; i < motion->common->moved_count; i++) {
    const ct_body_state *m = &motion->bodies[i];
    ct_vec3 w = m->velocity.angular;
    ct_quat turn = ct_quat_mul((ct_quat){w.x, w.y, w.z, 0.0}, flow[i].rotation);
    rates[i] = (ct_flow){.position = m->velocity.linear,
                         .rotation = {0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 0.5 * turn.w},
                         .velocity = m->is_dynamic ? motion->common->options.gravity
                                                   : m->acceleration.linear,
                         .spin = m->is_dynamic ? ct_vec(0, 0, 0) : m->acceleration.angular};
  }
  for (size_t k = 0; k < motion->common->load_count; k++)
    add_load(motion, &motion->common->loads[k], rates, sums);
  for (size_t k = 0; k < motion->candidates.count; k++)
    add_contact(motion, &motion->candidates.items[k], rates, sums);
  return CT_OK;
}

ct_status ct_elastic_first_rates(ct_compliant_motion *motion, ct_workspace *workspace) {
  assert(motion->flow && motion->rates[0]);
  ct_status status =
      find_rates(motion, motion->flow, workspace, motion->rates[0], &motion->rate_sums[0]);
  motion->first_known = status == CT_OK;
  return status;
}

/* ---- step ------------------------------------------------------------------------------------ */

/* Row s: weights with which the rates of stages 0 .. s - 1 are summed for stage s. The last row
 * yields the step's result, which is also the first stage of the next step. */
static const double WEIGHTS[CT_FLOW_STAGES][CT_FLOW_STAGES - 1] = {
    {0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
/* Weights of the rates in the difference of the results of fifth and fourth order. */
static const double ERRORS[CT_FLOW_STAGES] = {
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

static void add_flow(ct_flow *to, const ct_flow *rate, double by) {
  to->position = ct_add_scaled(to->position, rate->position, by);
  to->velocity = ct_add_scaled(to->velocity, rate->velocity, by);
  to->spin = ct_add_scaled(to->spin, rate->spin, by);
  to->rotation =
      (ct_quat){to->rotation.x + by * rate->rotation.x, to->rotation.y + by * rate->rotation.y,
                to->rotation.z + by * rate->rotation.z, to->rotation.w + by * rate->rotation.w};
}

/* Weighted sum of the rates of one body over the first `count` stages. The rates are summed before
 * they are added to the state, so that small changes lose few digits. */
static ct_flow weighted_flow(const ct_compliant_motion *motion, size_t body, const double *weights,
                             int count) {
  ct_flow sum = {0};
  for (int s = 0; s < count; s++)
    if (weights[s] != 0.0) add_flow(&sum, &motion->rates[s][body], weights[s]);
  return sum;
}

static double quat_size(ct_quat q) { return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w); }

static double scaled_error(double error, double scale) {
  assert(!(error < 0.0) && !(scale < 0.0));
  return scale > 0.0 ? error / scale : 0.0;
}

/* Estimates the error of one body's step in units of the tolerance. Errors are relative to the
 * distance moved and to the greater of the body's speed and the greatest approach speed of all
 * contacts, above the floors of the body's contacts. Rotations are compared by the displacement of
 * the body's points. */
static double estimate_error(const ct_compliant_motion *motion, size_t body, double time,
                             double fastest) {
  const ct_body_state *m = &motion->common->now[body];
  const ct_error_floor *least = &motion->floors[body];
  const ct_flow *from = &motion->flow[body], *to = &motion->trial[body];
  ct_flow error = weighted_flow(motion, body, ERRORS, CT_FLOW_STAGES);
  double relative = motion->common->state.error_scale.relative;
  double speed = ct_max2(fastest, ct_max2(ct_norm(from->velocity), ct_norm(to->velocity)));
  double turning = ct_norm(motion->bodies[body].velocity.angular);
  double spin = ct_max2(ct_norm(from->spin), ct_norm(to->spin));
  double spin_floor = 0.0, rotation_floor = 0.0;
  if (isfinite(m->radius) && m->radius > 0.0) {
    if (m->is_dynamic) spin = ct_max2(spin, m->mass * m->radius * speed);
    turning = ct_max2(turning, speed / m->radius);
    spin_floor = (m->is_dynamic ? m->mass * m->radius : 1.0 / m->radius) * least->velocity;
    rotation_floor = 0.5 * least->position / m->radius;
  }
  const double errors[4] = {
      scaled_error(time * ct_norm(error.velocity), relative * speed + least->velocity),
      scaled_error(time * ct_norm(error.position), relative * time * speed + least->position),
      scaled_error(time * ct_norm(error.spin), relative * spin + spin_floor),
      scaled_error(time * quat_size(error.rotation), relative * time * turning + rotation_floor)};
  double worst = ct_max2(ct_max2(errors[0], errors[1]), ct_max2(errors[2], errors[3]));
  /* A step that is much too long may overflow. */
  return isfinite(errors[0] + errors[1] + errors[2] + errors[3]) ? worst : INFINITY;
}

ct_status ct_elastic_try_step(ct_compliant_motion *motion, double time, ct_workspace *workspace,
                              double *error) {
  assert(time > 0.0 && motion->first_known);
  for (int s = 1; s < CT_FLOW_STAGES; s++) {
    ct_flow *at = s == CT_FLOW_STAGES - 1 ? motion->trial : motion->stage;
    for (size_t i = 0; i < motion->common->moved_count; i++) {
      ct_flow sum = weighted_flow(motion, i, WEIGHTS[s], s);
      at[i] = motion->flow[i];
      add_flow(&at[i], &sum, time);
    }
    ct_status status = find_rates(motion, at, workspace, motion->rates[s], &motion->rate_sums[s]);
    if (status != CT_OK) return status;
  }
  motion->trial_sums = (ct_flow_sums){0};
  for (int s = 0; s < CT_FLOW_STAGES - 1; s++) {
    double by = time * WEIGHTS[CT_FLOW_STAGES - 1][s];
    motion->trial_sums.impulse =
        ct_add_scaled(motion->trial_sums.impulse, motion->rate_sums[s].impulse, by);
    motion->trial_sums.work += by * motion->rate_sums[s].work;
  }
  double fastest = ct_elastic_fastest_approach(motion);
  *error = 0.0;
  motion->worst = CT_NO_ROW;
  for (size_t i = 0; i < motion->common->moved_count; i++) {
    double own = estimate_error(motion, i, time, fastest);
    if (own > *error) motion->worst = motion->common->now[i].row;
    *error = ct_max2(*error, own);
  }
  return CT_OK;
}
