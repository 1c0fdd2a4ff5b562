/* How fast everything changes by loads and elastic contacts, and a step of the rule of Dormand and
 * Prince (1980). */
#include "compliant/compliant_motion.h"

#include <stdlib.h>

/* ---- what is near --------------------------------------------------------------------------- */

static ct_quat unit_quat(ct_quat q) {
  double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (ct_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static void place(ct_body_state *m, const ct_flow *flow) {
  m->position = flow->position;
  m->pose.rotation = unit_quat(flow->rotation);
  m->pose.position = ct_sub(m->position, ct_mat_mul(ct_quat_matrix(m->pose.rotation), m->center));
  m->velocity.linear = flow->velocity;
  if (m->is_dynamic) m->angular_momentum = flow->spin;
  m->velocity.angular = m->is_dynamic ? ct_body_state_angular_velocity(m) : flow->spin;
}

typedef struct finding {
  const ct_advance *advance;
  ct_elastic_candidates *nears;
  size_t most;
  ct_status status;
} finding;

static bool moves_by_forces(const ct_advance *advance, uint32_t row) {
  uint32_t index = advance->moved_of[row];
  return index != CT_NO_ROW && advance->now[index].is_dynamic;
}

static bool take(void *context, const ct_hit *hit) {
  finding *f = context;
  if (hit->point_count == 0) return true;
  if (!moves_by_forces(f->advance, hit->a) && !moves_by_forces(f->advance, hit->b)) return true;
  if (f->nears->count == f->most) {
    f->status = CT_LIMIT;
    return false;
  }
  if (f->nears->count == f->nears->room) {
    size_t room = 2 * f->nears->room + 16;
    ct_elastic_candidate *items = realloc(f->nears->items, room * sizeof *items);
    if (!items) {
      f->status = CT_OUT_OF_MEMORY;
      return false;
    }
    f->nears->items = items;
    f->nears->room = room;
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

ct_status ct_elastic_find_candidates(ct_advance *advance, const ct_flow *flow, double clearance,
                                     ct_workspace *workspace) {
  ct_elastic *elastic = advance->elastic;
  for (size_t i = 0; i < advance->moved_count; i++) {
    place(&elastic->bodies[i], &flow[i]);
    advance->overrides[i] =
        (ct_override){.row = elastic->bodies[i].row, .pose = elastic->bodies[i].pose};
  }
  ct_query_options options = {.kind = CT_QUERY_CONTACTS,
                              .clearance = clearance,
                              .detail = CT_DETAIL_DEEPEST,
                              .where_a = advance->moving_rows};
  finding f = {.advance = advance,
               .nears = &elastic->nears,
               .most = advance->options.contacts_max,
               .status = CT_OK};
  elastic->nears.count = 0;
  ct_status status = ct_advance_run_query(advance, &options, workspace, take, &f);
  return status == CT_OK ? f.status : status;
}

/* ---- forces --------------------------------------------------------------------------------- */

static int order(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

int ct_elastic_pair_compare(const ct_elastic_contact *m, const ct_elastic_candidate *n) {
  int by_row = order(m->a, n->a) ? order(m->a, n->a) : order(m->b, n->b);
  if (by_row) return by_row;
  return order(m->collider_a, n->collider_a) ? order(m->collider_a, n->collider_a)
                                             : order(m->collider_b, n->collider_b);
}

size_t ct_elastic_find_contact(const ct_elastic *elastic, const ct_elastic_candidate *near) {
  size_t low = 0, high = elastic->member_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ct_elastic_pair_compare(&elastic->members[middle], near) < 0) low = middle + 1;
    else high = middle;
  }
  return low < elastic->member_count && ct_elastic_pair_compare(&elastic->members[low], near) == 0
             ? low
             : elastic->member_count;
}

/* NULL: the row does not move. */
static ct_body_state *moved_of(const ct_advance *advance, uint32_t row) {
  uint32_t index = advance->moved_of[row];
  return index == CT_NO_ROW ? NULL : &advance->elastic->bodies[index];
}

static ct_mass_body as_mass_body(const ct_body_state *m) {
  return m ? (ct_mass_body){.center = m->position, .velocity = m->velocity} : (ct_mass_body){0};
}

ct_compliant_force ct_elastic_force(const ct_advance *advance, const ct_elastic_candidate *near,
                                    const ct_elastic_pair *pair) {
  ct_mass_body bodies[2] = {as_mass_body(moved_of(advance, near->a)),
                            as_mass_body(moved_of(advance, near->b))};
  ct_contact contact = {.a = 0,
                        .b = 1,
                        .position = near->position,
                        .normal = near->normal,
                        .distance = near->distance};
  ct_contact_set set = {.bodies = bodies, .body_count = 2, .contacts = &contact, .count = 1};
  return ct_compliant_law(pair, &set, &contact, &advance->options.elastic);
}

/* The force pushes the body of a flow's rate, if it is one that forces move. */
static void push(const ct_advance *advance, ct_flow *rates, uint32_t row,
                 const ct_elastic_candidate *near, const ct_compliant_force *force, double sign) {
  uint32_t index = advance->moved_of[row];
  if (index == CT_NO_ROW || !advance->now[index].is_dynamic) return;
  const ct_body_state *m = &advance->elastic->bodies[index];
  ct_flow *rate = &rates[index];
  ct_vec3 moment =
      ct_add(ct_cross(ct_sub(near->position, m->position), force->force), force->torque);
  rate->velocity = ct_add_scaled(rate->velocity, force->force, sign / m->mass);
  rate->spin = ct_add_scaled(rate->spin, moment, sign);
}

/* Power of a kinematic body by what the contact does to the other, which is `sign` times the force
 * on b. */
static double power_of(const ct_body_state *m, const ct_elastic_candidate *near,
                       const ct_compliant_force *force, double sign) {
  if (!m || m->is_dynamic) return 0.0;
  ct_vec3 velocity = ct_add(m->velocity.linear,
                            ct_cross(m->velocity.angular, ct_sub(near->position, m->position)));
  return sign * (ct_dot(force->force, velocity) + ct_dot(force->torque, m->velocity.angular));
}

static bool is_dynamic(const ct_body_state *m) { return m && m->is_dynamic; }

static void add_contact(const ct_advance *advance, const ct_elastic_candidate *near, ct_flow *rates,
                        ct_flow_sums *sums) {
  const ct_elastic *elastic = advance->elastic;
  size_t k = ct_elastic_find_contact(elastic, near);
  if (k == elastic->member_count) return;
  ct_compliant_force force = ct_elastic_force(advance, near, &elastic->members[k].pair);
  push(advance, rates, near->a, near, &force, -1.0);
  push(advance, rates, near->b, near, &force, 1.0);
  const ct_body_state *a = moved_of(advance, near->a), *b = moved_of(advance, near->b);
  if (is_dynamic(a) != is_dynamic(b))
    sums->impulse = ct_add_scaled(sums->impulse, force.force, is_dynamic(b) ? 1.0 : -1.0);
  sums->work += power_of(a, near, &force, 1.0) + power_of(b, near, &force, -1.0);
}

static void add_load(const ct_advance *advance, const ct_load *load, ct_flow *rates,
                     ct_flow_sums *sums) {
  uint32_t index = advance->moved_of[load->row];
  if (index == CT_NO_ROW || !advance->now[index].is_dynamic) return;
  const ct_body_state *m = &advance->elastic->bodies[index];
  ct_vec3 torque = load->torque;
  if (load->has_at) torque = ct_add(torque, ct_cross(ct_sub(load->at, m->position), load->force));
  rates[index].velocity = ct_add_scaled(rates[index].velocity, load->force, 1.0 / m->mass);
  rates[index].spin = ct_add(rates[index].spin, torque);
  sums->work += ct_dot(load->force, m->velocity.linear) + ct_dot(torque, m->velocity.angular);
}

static ct_status find_rates(ct_advance *advance, const ct_flow *flow, ct_workspace *workspace,
                            ct_flow *rates, ct_flow_sums *sums) {
  ct_elastic *elastic = advance->elastic;
  ct_status status = ct_elastic_find_candidates(advance, flow, 0.0, workspace);
  if (status != CT_OK) return status;
  *sums = (ct_flow_sums){0};
  for (size_t i = 0; i < advance->moved_count; i++) {
    const ct_body_state *m = &elastic->bodies[i];
    ct_vec3 w = m->velocity.angular;
    ct_quat turn = ct_quat_mul((ct_quat){w.x, w.y, w.z, 0.0}, flow[i].rotation);
    rates[i] =
        (ct_flow){.position = m->velocity.linear,
                  .rotation = {0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 0.5 * turn.w},
                  .velocity = m->is_dynamic ? advance->options.gravity : m->acceleration.linear,
                  .spin = m->is_dynamic ? ct_vec(0, 0, 0) : m->acceleration.angular};
  }
  for (size_t k = 0; k < advance->load_count; k++)
    add_load(advance, &advance->loads[k], rates, sums);
  for (size_t k = 0; k < elastic->nears.count; k++)
    add_contact(advance, &elastic->nears.items[k], rates, sums);
  return CT_OK;
}

ct_status ct_elastic_first_rates(ct_advance *advance, ct_workspace *workspace) {
  ct_elastic *elastic = advance->elastic;
  ct_status status =
      find_rates(advance, elastic->flow, workspace, elastic->rates[0], &elastic->rate_sums[0]);
  elastic->first_known = status == CT_OK;
  return status;
}

/* ---- a step --------------------------------------------------------------------------------- */

/* Weights of the rates before each stage; the last row is that of the result, and the first stage
 * of the step after. */
static const double WEIGHTS[CT_FLOW_STAGES][CT_FLOW_STAGES - 1] = {
    {0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
/* Of the difference from the result of fourth order. */
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

/* The rates' sum first and then the state: little is lost of small changes. */
static ct_flow weighed(const ct_elastic *elastic, size_t body, const double *weights, int count) {
  ct_flow sum = {0};
  for (int s = 0; s < count; s++)
    if (weights[s] != 0.0) add_flow(&sum, &elastic->rates[s][body], weights[s]);
  return sum;
}

static double quat_size(ct_quat q) { return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w); }

/* Of one body's step, in units of the tolerance: of its speed, and of that of a contact, which
 * passes through 0 on the way. What turns is weighed by how far the body's points go. */
static double error_of(const ct_advance *advance, size_t body, double time, double fastest) {
  const ct_elastic *elastic = advance->elastic;
  const ct_body_state *m = &advance->now[body];
  ct_flow error = weighed(elastic, body, ERRORS, CT_FLOW_STAGES);
  const ct_flow *from = &elastic->flow[body], *to = &elastic->trial[body];
  double speed = ct_max2(fastest, ct_max2(ct_norm(from->velocity), ct_norm(to->velocity)));
  double turning = ct_norm(elastic->bodies[body].velocity.angular);
  double worst = 0.0;
  if (speed > 0.0) {
    worst = ct_max2(worst, time * ct_norm(error.velocity) / speed);
    worst = ct_max2(worst, ct_norm(error.position) / speed);
  }
  double spin = ct_max2(ct_norm(from->spin), ct_norm(to->spin));
  if (isfinite(m->radius)) {
    if (m->is_dynamic) spin = ct_max2(spin, m->mass * m->radius * speed);
    turning = ct_max2(turning, speed / m->radius);
  }
  if (spin > 0.0) worst = ct_max2(worst, time * ct_norm(error.spin) / spin);
  if (turning > 0.0) worst = ct_max2(worst, quat_size(error.rotation) / turning);
  return worst / advance->options.tolerance;
}

static double fastest_approach(const ct_elastic *elastic) {
  double fastest = 0.0;
  for (size_t k = 0; k < elastic->member_count; k++)
    fastest = ct_max2(fastest, elastic->members[k].approach);
  return fastest;
}

ct_status ct_elastic_try_step(ct_advance *advance, double time, ct_workspace *workspace,
                              double *error) {
  ct_elastic *elastic = advance->elastic;
  for (int s = 1; s < CT_FLOW_STAGES; s++) {
    ct_flow *at = s == CT_FLOW_STAGES - 1 ? elastic->trial : elastic->stage;
    for (size_t i = 0; i < advance->moved_count; i++) {
      ct_flow sum = weighed(elastic, i, WEIGHTS[s], s);
      at[i] = elastic->flow[i];
      add_flow(&at[i], &sum, time);
    }
    ct_status status =
        find_rates(advance, at, workspace, elastic->rates[s], &elastic->rate_sums[s]);
    if (status != CT_OK) return status;
  }
  elastic->trial_sums = (ct_flow_sums){0};
  for (int s = 0; s < CT_FLOW_STAGES - 1; s++) {
    double by = time * WEIGHTS[CT_FLOW_STAGES - 1][s];
    elastic->trial_sums.impulse =
        ct_add_scaled(elastic->trial_sums.impulse, elastic->rate_sums[s].impulse, by);
    elastic->trial_sums.work += by * elastic->rate_sums[s].work;
  }
  double fastest = fastest_approach(elastic);
  *error = 0.0;
  elastic->worst = CT_NO_ROW;
  for (size_t i = 0; i < advance->moved_count; i++) {
    double own = error_of(advance, i, time, fastest);
    if (own > *error) elastic->worst = advance->now[i].row;
    *error = ct_max2(*error, own);
  }
  return CT_OK;
}
