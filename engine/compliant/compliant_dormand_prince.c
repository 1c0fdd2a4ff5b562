/* Rates of change of the bodies' states under loads and elastic contact forces, one step of the
 * method of Dormand and Prince (1980), and the scale of its error: a relative part, and floors that
 * the contacts of each body determine. */
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

bool ct_elastic_is_patch(const ct_compliant_motion *motion, const ct_elastic_candidate *candidate) {
  if (motion->common->options.contact_law != CT_CONTACT_LAW_PATCH) return false;
  const ct_scene *scene = motion->common->scene;
  const ct_collider a = ct_body_collider(ct_scene_body(scene, candidate->a), candidate->collider_a),
                    b = ct_body_collider(ct_scene_body(scene, candidate->b), candidate->collider_b);
  return ct_patch_applies(&a.shape, &b.shape);
}

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
  ct_elastic_candidate *candidate = &f->nears->items[f->nears->count++];
  *candidate = (ct_elastic_candidate){.a = hit->a,
                                      .b = hit->b,
                                      .collider_a = hit->collider_a,
                                      .collider_b = hit->collider_b,
                                      .distance = point->distance,
                                      .position = ct_lerp(point->point_a, point->point_b, 0.5),
                                      .normal = point->normal};
  /* The point may be one that ties with the deepest one within CT_CONTACT_TIE. Between almost
   * parallel faces it may be apart while others penetrate. */
  const ct_pair_result *pair = &hit->result;
  if (point->distance <= pair->upper_bound || !ct_elastic_is_patch(f->motion, candidate))
    return true;
  candidate->distance = pair->distance;
  candidate->position = ct_lerp(pair->point_a, pair->point_b, 0.5);
  candidate->normal = pair->normal;
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

/* Sets the side of a patch from a collider of the row, relative to the origin, and adds `sign`
 * times the velocity of its body at the origin. */
static ct_patch_side patch_side_of(const ct_compliant_motion *motion, uint32_t row,
                                   const ct_collider *collider, ct_vec3 origin, double sign,
                                   ct_velocity *relative) {
  const ct_body_state *m = flow_body_of(motion, row);
  ct_pose pose = m ? m->pose : ct_scene_pose(motion->common->scene, row);
  ct_frame frame = ct_frame_mul(ct_frame_of(pose), ct_frame_of(collider->pose));
  frame.position = ct_sub(frame.position, origin);
  if (m) {
    ct_vec3 arm = ct_sub(origin, m->position);
    ct_vec3 velocity = ct_add(m->velocity.linear, ct_cross(m->velocity.angular, arm));
    relative->linear = ct_add_scaled(relative->linear, velocity, sign);
    relative->angular = ct_add_scaled(relative->angular, m->velocity.angular, sign);
  }
  return (ct_patch_side){.shape = &collider->shape, .frame = frame};
}

/* Force of a contact that is a patch, at the candidate's position. False: out of memory. */
static bool find_patch_force(ct_compliant_motion *motion, const ct_elastic_candidate *candidate,
                             const ct_elastic_pair *pair, ct_compliant_force *out) {
  const ct_scene *scene = motion->common->scene;
  const ct_collider a = ct_body_collider(ct_scene_body(scene, candidate->a), candidate->collider_a),
                    b = ct_body_collider(ct_scene_body(scene, candidate->b), candidate->collider_b);
  ct_velocity relative = {{0, 0, 0}, {0, 0, 0}};
  ct_vec3 origin = candidate->position;
  ct_patch_side side_a = patch_side_of(motion, candidate->a, &a, origin, -1.0, &relative),
                side_b = patch_side_of(motion, candidate->b, &b, origin, 1.0, &relative);
  ct_patch patch;
  if (!ct_patch_find(&side_a, &side_b, candidate->normal, &motion->scratch, &patch)) return false;
  *out = ct_patch_force(&patch, pair, relative.linear, relative.angular,
                        &motion->common->options.elastic);
  return true;
}

/* Adds the force of a contact in force to the rates. False: out of memory. */
static bool add_contact(ct_compliant_motion *motion, const ct_elastic_candidate *candidate,
                        ct_flow *rates, ct_flow_sums *sums) {
  size_t k = ct_elastic_find_contact(motion, candidate);
  if (k == motion->member_count) return true;
  ct_compliant_force force;
  const ct_elastic_contact *member = &motion->members[k];
  if (!member->is_patch) force = ct_elastic_force(motion, candidate, &member->pair);
  else if (!find_patch_force(motion, candidate, &member->pair, &force)) return false;
  add_force_rate(motion, rates, candidate->a, candidate, &force, -1.0);
  add_force_rate(motion, rates, candidate->b, candidate, &force, 1.0);
  const ct_body_state *a = flow_body_of(motion, candidate->a),
                      *b = flow_body_of(motion, candidate->b);
  if (ct_body_state_is_dynamic(a) != ct_body_state_is_dynamic(b))
    sums->impulse =
        ct_add_scaled(sums->impulse, force.force, ct_body_state_is_dynamic(b) ? 1.0 : -1.0);
  sums->work +=
      kinematic_power(a, candidate, &force, 1.0) + kinematic_power(b, candidate, &force, -1.0);
  return true;
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
    if (!add_contact(motion, &motion->candidates.items[k], rates, sums)) return CT_OUT_OF_MEMORY;
  return CT_OK;
}

ct_status ct_elastic_first_rates(ct_compliant_motion *motion, ct_workspace *workspace) {
  assert(motion->flow && motion->rates[0]);
  ct_status status =
      find_rates(motion, motion->flow, workspace, motion->rates[0], &motion->rate_sums[0]);
  motion->first_known = status == CT_OK;
  return status;
}

/* ---- floors of the error --------------------------------------------------------------------- */

/* A relative error alone is not attainable near rest: the body's speed tends to 0, but the
 * round-off of its depth does not. A depth that is computed from coordinates of size X has the
 * round-off u X; over a step of about 1 / w it changes the velocity by w u X, where w = sqrt(F' /
 * m) is the frequency of the contact. Each floor is the greater of this round-off and a small part
 * of the depth at which the contact carries the load. So floors scale with the units of the problem
 * (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4). */

/* Floor of the position error in units of `tolerance` times the contact's depth under load. With
 * the default tolerance, the depth of a settling body is exact to about 1e-10 of itself. */
#define FLOOR_PART 10.0
/* Multiples of u X. The first one bounds the round-off of a distance: of the transforms of both
 * bodies, and of a few operations on coordinates of size X. The second one is the floor: with this
 * or a greater round-off, steps stay in proportion to 1 / w. */
#define HYSTERESIS_UNITS 16.0
#define FLOOR_UNITS 2.0
/* Least relative tolerance, in units of u. */
#define RELATIVE_UNITS 16.0

/* Root of degree 3 or 5 by Newton's method: unlike pow, the same bits on every platform. */
static double odd_root(double x, int degree) {
  if (!(x > 0.0)) return 0.0;
  if (isinf(x)) return x;
  int exponent;
  double part = frexp(x, &exponent); /* in [1/2, 1) */
  int whole = exponent >= 0 ? exponent / degree : -((degree - 1 - exponent) / degree);
  /* in [1/2, 2^(degree - 1)): its root is below 2, and Newton's method descends to it */
  part = ldexp(part, exponent - degree * whole);
  double root = 2.0;
  for (int i = 0; i < 12; i++) {
    double power = degree == 3 ? root * root : root * root * root * root;
    root = ((degree - 1) * root + part / power) / degree;
  }
  return ldexp(root, whole);
}

double ct_fifth_root(double x) { return odd_root(x, 5); }

double ct_elastic_reduced_mass(const ct_compliant_motion *motion, uint32_t row_a, uint32_t row_b) {
  double sum = 0.0;
  const uint32_t rows[2] = {row_a, row_b};
  for (int k = 0; k < 2; k++)
    if (ct_integration_is_dynamic(motion->common, rows[k]))
      sum += 1.0 / motion->common->now[motion->common->moved_of[rows[k]]].mass;
  assert(sum > 0.0);
  return 1.0 / sum;
}

/* Acceleration of the row's body without contacts, m/s^2: of gravity and loads, or prescribed. The
 * magnitudes are added, so that opposite ones do not cancel. */
static double free_acceleration(const ct_compliant_motion *motion, uint32_t row) {
  const ct_integration *common = motion->common;
  uint32_t index = common->moved_of[row];
  if (index == CT_NO_ROW) return 0.0;
  const ct_body_state *m = &common->now[index];
  if (!m->is_dynamic) return ct_norm(m->acceleration.linear);
  double sum = ct_norm(common->options.gravity);
  for (size_t k = 0; k < common->load_count; k++)
    if (common->loads[k].row == row) sum += ct_norm(common->loads[k].force) / m->mass;
  return sum;
}

static double load_acceleration(const ct_compliant_motion *motion,
                                const ct_elastic_contact *member) {
  return ct_max2(free_acceleration(motion, member->a), free_acceleration(motion, member->b));
}

/* Depth at which the contact's force is `mass` times the bodies' free acceleration. If nothing
 * accelerates the bodies: greatest depth of an impact at `speed`. m */
static double depth_under_load(const ct_compliant_motion *motion, const ct_elastic_contact *member,
                               double mass, double speed) {
  double factor = member->pair.c_res * member->pair.c_geo;
  double pull = load_acceleration(motion, member), root;
  if (pull > 0.0) {
    root = odd_root(mass * pull / factor, 3);
    return root * root;
  }
  root = odd_root(1.25 * mass * speed * speed / factor, 5);
  return root * root;
}

/* Upper bound of the stiffness of a patch, N/m: that of a flat punch of the radius of the smaller
 * moving body; 0: no moving body is bounded. */
static double patch_stiffness(const ct_compliant_motion *motion, const ct_elastic_contact *member) {
  double radius = INFINITY;
  const uint32_t rows[2] = {member->a, member->b};
  for (int k = 0; k < 2; k++) {
    uint32_t index = motion->common->moved_of[rows[k]];
    if (index != CT_NO_ROW) radius = ct_min2(radius, motion->common->now[index].radius);
  }
  return isfinite(radius) ? 2.0 * member->pair.c_res * radius : 0.0;
}

/* Radius of a ball about the collider's frame that contains it, m; 0 for a half-space. */
static double collider_reach(const ct_compliant_motion *motion, uint32_t row, uint32_t collider) {
  const ct_collider c = ct_body_collider(ct_scene_body(motion->common->scene, row), collider);
  ct_vec3 center;
  double radius;
  ct_shape_ball(&c.shape, &center, &radius);
  return isfinite(radius) ? ct_norm(center) + radius : 0.0;
}

/* Size of the coordinates from which the distance of the candidate's pair is computed, m: of the
 * contact's position in both frames; of flat bodies also that of their vertices. */
static double coordinate_size(const ct_compliant_motion *motion,
                              const ct_elastic_candidate *candidate, bool is_patch) {
  double size = ct_max_abs(candidate->position);
  const uint32_t rows[2] = {candidate->a, candidate->b},
                 colliders[2] = {candidate->collider_a, candidate->collider_b};
  for (int k = 0; k < 2; k++) {
    uint32_t index = motion->common->moved_of[rows[k]];
    ct_vec3 origin = index == CT_NO_ROW ? ct_scene_pose(motion->common->scene, rows[k]).position
                                        : motion->bodies[index].pose.position;
    double arm = ct_max_abs(ct_sub(candidate->position, origin));
    if (is_patch) arm = ct_max2(arm, collider_reach(motion, rows[k], colliders[k]));
    size = ct_max2(size, ct_max2(ct_max_abs(origin), arm));
  }
  return size;
}

static ct_error_floor lower_floor(ct_error_floor a, ct_error_floor b) {
  if (!(a.position > 0.0)) return b;
  if (!(b.position > 0.0)) return a;
  return (ct_error_floor){ct_min2(a.position, b.position), ct_min2(a.velocity, b.velocity)};
}

/* Floor of the error of a body that has this contact. */
static ct_error_floor contact_floor(const ct_compliant_motion *motion,
                                    const ct_elastic_candidate *candidate,
                                    const ct_elastic_contact *member, double fastest) {
  double factor = member->pair.c_res * member->pair.c_geo;
  if (!(factor > 0.0 && isfinite(factor))) return (ct_error_floor){0};
  double mass = ct_elastic_reduced_mass(motion, candidate->a, candidate->b);
  double roundoff = FLOOR_UNITS / HYSTERESIS_UNITS * member->hysteresis;
  double punch = member->is_patch ? patch_stiffness(motion, member) : 0.0;
  if (punch > 0.0) {
    double pull = load_acceleration(motion, member), rate = sqrt(punch / mass);
    double part = FLOOR_PART * motion->common->options.tolerance *
                  (pull > 0.0 ? mass * pull / punch : fastest / rate);
    return (ct_error_floor){ct_max2(part, roundoff), rate * ct_max2(part, roundoff)};
  }
  double depth = depth_under_load(motion, member, mass, fastest);
  double frequency = sqrt(1.5 * factor * sqrt(depth) / mass);
  double greatest = sqrt(1.5 * factor * sqrt(ct_max2(depth, -candidate->distance)) / mass);
  double part = FLOOR_PART * motion->common->options.tolerance * depth;
  return (ct_error_floor){ct_max2(part, roundoff), ct_max2(part * frequency, roundoff * greatest)};
}

double ct_elastic_fastest_approach(const ct_compliant_motion *motion) {
  double fastest = 0.0;
  for (size_t k = 0; k < motion->member_count; k++)
    fastest = ct_max2(fastest, motion->members[k].approach);
  return fastest;
}

void ct_elastic_set_floors(ct_compliant_motion *motion) {
  for (size_t i = 0; i < motion->common->moved_count; i++) motion->floors[i] = (ct_error_floor){0};
  double fastest = ct_elastic_fastest_approach(motion);
  for (size_t k = 0; k < motion->candidates.count; k++) {
    const ct_elastic_candidate *candidate = &motion->candidates.items[k];
    size_t which = ct_elastic_find_contact(motion, candidate);
    if (which == motion->member_count) continue;
    ct_elastic_contact *member = &motion->members[which];
    member->hysteresis =
        HYSTERESIS_UNITS * CT_UNIT_ROUNDOFF * coordinate_size(motion, candidate, member->is_patch);
    ct_error_floor contact = contact_floor(motion, candidate, member, fastest);
    const uint32_t rows[2] = {candidate->a, candidate->b};
    for (int side = 0; side < 2; side++) {
      uint32_t index = motion->common->moved_of[rows[side]];
      if (index == CT_NO_ROW) continue;
      motion->floors[index] = lower_floor(motion->floors[index], contact);
    }
  }
}

void ct_elastic_report_floors(ct_compliant_motion *motion) {
  ct_error_scale *scale = &motion->common->state.error_scale;
  ct_error_floor least = {scale->position, scale->velocity};
  for (size_t i = 0; i < motion->common->moved_count; i++)
    least = lower_floor(least, motion->floors[i]);
  scale->relative = ct_max2(motion->common->options.tolerance, RELATIVE_UNITS * CT_UNIT_ROUNDOFF);
  scale->position = least.position;
  scale->velocity = least.velocity;
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
