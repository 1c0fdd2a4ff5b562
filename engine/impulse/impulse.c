/* Impulses of an island of contacts: classifies the contacts, selects the law, and computes
 * velocities and energies after the impulses.
 *
 * Sequential mode: resolves one contact after the other in the order of the set, each by the law
 * for one contact, until no contact approaches. An impact thus propagates along a row of bodies
 * (Newton's cradle). For bodies that come to rest against each other the sequence is infinite; it
 * is ended when all approaches are slower than the tolerance. */
#include "impulse/impulse.h"
#include "linear/arena.h"
#include "mechanics/mechanics.h"

#include <assert.h>
#include <string.h>

static ct_vec3 moved_point_velocity(const ct_contact_set *set, const ct_velocity *velocities,
                                    uint32_t body, ct_vec3 at) {
  return ct_add(velocities[body].linear,
                ct_cross(velocities[body].angular, ct_sub(at, set->bodies[body].center)));
}

/* Computes the velocity of b relative to a at a contact, in its frame. */
static void relative_velocity_in_frame(const ct_impulse_work *work, size_t contact,
                                       const ct_velocity *velocities, double u[3]) {
  const ct_contact *t = &work->set->contacts[contact];
  ct_vec3 of_a = moved_point_velocity(work->set, velocities, t->a, t->position);
  ct_vec3 of_b = moved_point_velocity(work->set, velocities, t->b, t->position);
  ct_impulse_to_frame(&work->contacts[contact].frame, ct_sub(of_b, of_a), u);
}

/* Computes the Delassus block K of one contact with itself, in its frame. */
static void contact_block(const ct_impulse_work *work, size_t contact, double k[3][3]) {
  const ct_contact *t = &work->set->contacts[contact];
  const ct_impulse_frame *frame = &work->contacts[contact].frame;
  ct_mat3 coupling = ct_delassus_block(work->set, t, t);
  ct_impulse_block(frame, frame, &coupling, k);
}

/* Changes the velocity of a dynamic body by an impulse that acts on it at the point `at`. */
static void apply_impulse(const ct_contact_set *set, uint32_t body, ct_vec3 impulse, ct_vec3 at,
                          ct_velocity *velocity) {
  const ct_mass_body *x = &set->bodies[body];
  if (x->mobility != CT_DYNAMIC) return;
  velocity->linear = ct_add_scaled(velocity->linear, impulse, x->inverse_mass);
  velocity->angular = ct_add(
      velocity->angular, ct_mat_mul(x->inverse_inertia, ct_cross(ct_sub(at, x->center), impulse)));
}

/* Changes the velocities of both bodies of a contact by the impulse p, given in its frame: p acts
 * on b, -p on a. */
static void apply_contact_impulse(const ct_impulse_work *work, size_t contact, const double p[3],
                                  ct_velocity *velocities) {
  const ct_contact *t = &work->set->contacts[contact];
  ct_vec3 impulse = ct_impulse_to_world(&work->contacts[contact].frame, p);
  apply_impulse(work->set, t->a, ct_neg(impulse), t->position, &velocities[t->a]);
  apply_impulse(work->set, t->b, impulse, t->position, &velocities[t->b]);
}

/* ---- classification -------------------------------------------------------------------------- */

static void classify_contact(ct_impulse_work *work, size_t i) {
  assert(i < work->set->count);
  const ct_contact *t = &work->set->contacts[i];
  const ct_impulse_options *o = work->options;
  ct_impulse_contact *contact = &work->contacts[i];
  bool free_a = work->set->bodies[t->a].mobility == CT_DYNAMIC,
       free_b = work->set->bodies[t->b].mobility == CT_DYNAMIC;
  *contact = (ct_impulse_contact){
      .frame = ct_impulse_frame_of(t->normal),
      .before = ct_contact_relative_velocity(work->set, t, o->velocity_tolerance),
      .static_friction = o->frictionless ? 0.0 : t->material.static_friction,
      .dynamic_friction = o->frictionless ? 0.0 : t->material.dynamic_friction,
      .movable = free_a || free_b,
      .outcome = free_a || free_b ? CT_IMPULSE_OUTCOME_NONE : CT_IMPULSE_OUTCOME_IMMOVABLE,
  };
  if (fabs(contact->before.normal) >= o->rest_velocity)
    contact->restitution = t->material.restitution;
  if (contact->movable)
    work->speed = ct_max2(work->speed, ct_max2(fabs(contact->before.normal), contact->before.slip));
}

/* Computes the impulse of a set that consists of one contact. */
static void solve_single_contact(ct_impulse_work *work) {
  ct_impulse_contact *contact = &work->contacts[0];
  if (!contact->movable || contact->before.velocity_class != CT_CLASS_COLLIDING) return;
  const ct_contact *t = &work->set->contacts[0];
  /* Describe the contact, apply the law, and copy the answer to the result. */
  ct_impulse_point point = {
      .static_friction = contact->static_friction,
      .dynamic_friction = contact->dynamic_friction,
      .restitution = contact->restitution,
      .slip_tolerance = work->options->velocity_tolerance,
      .inverse_mass = work->set->bodies[t->a].inverse_mass + work->set->bodies[t->b].inverse_mass,
  };
  contact_block(work, 0, point.k);
  ct_impulse_to_frame(&contact->frame, contact->before.relative, point.u);
  ct_impulse_answer answer;
  ct_impulse_at_point(&point, work->options->law, work->options->energy_guard, &answer);
  memcpy(contact->p, answer.p, sizeof contact->p);
  contact->outcome = answer.outcome;
  work->reported.converged = answer.converged;
  work->reported.residual = answer.residual;
  work->reported.iterations = answer.steps;
  if (answer.integrated && work->options->law == CT_IMPULSE_ALGEBRAIC)
    work->reported.law = "integrated";
  work->reported.rotation_ignored = answer.rotation_ignored;
  if (answer.guarded)
    work->reported.guard = CT_GUARD_APPLIED, work->reported.guard_theta = answer.theta;
}

/* ---- sequential mode ------------------------------------------------------------------------- */

#define SWEEPS_MAX 1000
/* Approaches slower than this fraction of the greatest velocity are round-off. */
#define APPROACH_PART (64.0 * CT_UNIT_ROUNDOFF)

static void solve_one_contact(ct_impulse_work *work, size_t i, const double u[3],
                              ct_velocity *velocities) {
  const ct_contact *t = &work->set->contacts[i];
  const ct_impulse_options *o = work->options;
  ct_impulse_contact *contact = &work->contacts[i];
  ct_impulse_point point = {
      .u = {u[0], u[1], u[2]},
      .static_friction = contact->static_friction,
      .dynamic_friction = contact->dynamic_friction,
      .restitution = -u[0] >= o->rest_velocity ? t->material.restitution : 0.0,
      .slip_tolerance = o->velocity_tolerance,
      .inverse_mass = work->set->bodies[t->a].inverse_mass + work->set->bodies[t->b].inverse_mass,
  };
  ct_impulse_answer answer;
  contact_block(work, i, point.k);
  ct_impulse_at_point(&point, o->law, o->energy_guard, &answer);
  apply_contact_impulse(work, i, answer.p, velocities);
  for (int c = 0; c < 3; c++) contact->p[c] += answer.p[c];
  contact->outcome = answer.outcome;
  work->reported.converged = work->reported.converged && answer.converged;
  work->reported.residual = ct_max2(work->reported.residual, answer.residual);
  work->reported.rotation_ignored = work->reported.rotation_ignored || answer.rotation_ignored;
  if (!answer.guarded) return;
  work->reported.guard = CT_GUARD_APPLIED;
  work->reported.guard_theta = ct_min2(work->reported.guard_theta, answer.theta);
}

/* Visits all contacts once and returns the greatest approach velocity found. If `resolves`, each
 * approach faster than `slowest` is resolved when it is visited. A law that creates energy may
 * raise velocities from one impact to the next, so an approach above CT_SPEED_MAX gets no
 * impulse. */
static double sweep_contacts(ct_impulse_work *work, double slowest, bool resolves,
                             ct_velocity *velocities) {
  double fastest = 0.0;
  for (size_t i = 0; i < work->set->count; i++) {
    if (!work->contacts[i].movable) continue;
    double u[3];
    relative_velocity_in_frame(work, i, velocities, u);
    fastest = ct_max2(fastest, -u[0]);
    if (resolves && -u[0] > slowest && -u[0] <= CT_SPEED_MAX)
      solve_one_contact(work, i, u, velocities);
  }
  return fastest;
}

/* Sets all impulses to zero if kinematic bodies are proven to press others together. For such sets
 * the sweeps do not end. */
static ct_status discard_infeasible_impulses(ct_impulse_work *work) {
  ct_status status = ct_impulse_find_infeasible(work);
  if (status != CT_OK || !work->reported.contradictory) return status;
  double fastest = 0.0;
  for (size_t i = 0; i < work->set->count; i++) {
    ct_impulse_contact *contact = &work->contacts[i];
    memset(contact->p, 0, sizeof contact->p);
    contact->restitution = 0.0;
    if (!contact->movable) continue;
    contact->outcome = CT_IMPULSE_OUTCOME_NONE;
    fastest = ct_max2(fastest, -contact->before.normal);
  }
  work->reported.residual = fastest / work->speed;
  work->reported.rotation_ignored = false;
  return CT_OK;
}

static ct_status solve_sequentially(ct_impulse_work *work) {
  const ct_impulse_options *o = work->options;
  ct_velocity *velocities = ct_arena_alloc(work->arena, work->set->body_count, sizeof *velocities);
  if (!velocities) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < work->set->body_count; i++) velocities[i] = work->set->bodies[i].velocity;
  uint64_t most = o->iterations_max ? o->iterations_max : SWEEPS_MAX, sweeps = 0;
  double slowest = ct_max2(o->velocity_tolerance,
                           (o->tolerance > 0.0 ? o->tolerance : APPROACH_PART) * work->speed);
  double fastest = sweep_contacts(work, slowest, false, velocities);
  while (fastest > slowest && fastest <= CT_SPEED_MAX && sweeps < most) {
    if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
    (void)sweep_contacts(work, slowest, true, velocities);
    sweeps++;
    fastest = sweep_contacts(work, slowest, false, velocities);
  }
  work->reported.iterations = sweeps;
  work->reported.converged = work->reported.converged && fastest <= slowest;
  if (fastest > o->velocity_tolerance)
    work->reported.residual = ct_max2(work->reported.residual, fastest / work->speed);
  return fastest > slowest && ct_impulse_any_driven(work->set) ? discard_infeasible_impulses(work)
                                                               : CT_OK;
}

/* ---- result ---------------------------------------------------------------------------------- */

static double kinetic_energy(const ct_contact_set *set, const ct_velocity *velocities) {
  double sum = 0.0;
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *x = &set->bodies[i];
    if (x->mobility != CT_DYNAMIC) continue;
    ct_vec3 turning = ct_mat_mul(x->inertia, velocities[i].angular);
    sum +=
        0.5 * (x->mass * ct_norm2(velocities[i].linear) + ct_dot(velocities[i].angular, turning));
  }
  return sum;
}

/* Returns the work that a kinematic body does on the other body of a contact: minus the work of
 * `impulse`, which acts on the kinematic body. 0 for other bodies. */
static double kinematic_work(const ct_contact_set *set, uint32_t body, ct_vec3 impulse,
                             ct_vec3 at) {
  const ct_mass_body *x = &set->bodies[body];
  if (x->mobility != CT_KINEMATIC) return 0.0;
  return -ct_dot(impulse,
                 ct_add(x->velocity.linear, ct_cross(x->velocity.angular, ct_sub(at, x->center))));
}

/* Applies all impulses to the velocities. The impulses on each body are summed first, so that the
 * momenta of two bodies change by exactly opposite amounts, except for one rounding per
 * velocity. */
static void apply_all_impulses(const ct_impulse_work *work, ct_velocity *sums,
                               ct_velocity *velocities) {
  const ct_contact_set *set = work->set;
  memset(sums, 0, set->body_count * sizeof *sums);
  for (size_t i = 0; i < set->count; i++) {
    const ct_contact *t = &set->contacts[i];
    ct_vec3 impulse = ct_impulse_to_world(&work->contacts[i].frame, work->contacts[i].p);
    for (int side = 0; side < 2; side++) {
      uint32_t body = side ? t->b : t->a;
      ct_vec3 on = side ? impulse : ct_neg(impulse);
      sums[body].linear = ct_add(sums[body].linear, on);
      sums[body].angular =
          ct_add(sums[body].angular, ct_cross(ct_sub(t->position, set->bodies[body].center), on));
    }
  }
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *x = &set->bodies[i];
    velocities[i] = x->velocity;
    if (x->mobility != CT_DYNAMIC) continue;
    velocities[i].linear = ct_add_scaled(velocities[i].linear, sums[i].linear, x->inverse_mass);
    velocities[i].angular =
        ct_add(velocities[i].angular, ct_mat_mul(x->inverse_inertia, sums[i].angular));
  }
}

static ct_contact_impulse make_contact_impulse(const ct_impulse_work *work, size_t i) {
  const ct_contact *t = &work->set->contacts[i];
  const ct_impulse_contact *contact = &work->contacts[i];
  double along[3] = {0.0, contact->p[1], contact->p[2]};
  ct_velocity *v = work->reported.velocities;
  ct_vec3 of_a = moved_point_velocity(work->set, v, t->a, t->position),
          of_b = moved_point_velocity(work->set, v, t->b, t->position);
  ct_contact_impulse reported = {
      .impulse = ct_impulse_to_world(&contact->frame, contact->p),
      .normal = contact->p[0],
      .tangential = ct_impulse_to_world(&contact->frame, along),
      .before = contact->before,
      .after = ct_sub(of_b, of_a),
      .restitution = contact->restitution,
      .outcome = contact->outcome,
  };
  reported.normal_after = ct_dot(t->normal, reported.after);
  return reported;
}

static void write_impulse_result(ct_impulse_work *work, ct_velocity *sums,
                                 ct_impulse_result *result) {
  const ct_contact_set *set = work->set;
  work->reported.contacts = result->contacts;
  work->reported.velocities = result->velocities;
  for (size_t i = 0; i < set->body_count; i++) result->velocities[i] = set->bodies[i].velocity;
  work->reported.energy_before = kinetic_energy(set, result->velocities);
  apply_all_impulses(work, sums, result->velocities);
  work->reported.energy_after = kinetic_energy(set, result->velocities);
  for (size_t i = 0; i < set->count; i++) {
    ct_contact_impulse reported = make_contact_impulse(work, i);
    const ct_contact *t = &set->contacts[i];
    work->reported.work += kinematic_work(set, t->a, ct_neg(reported.impulse), t->position) +
                           kinematic_work(set, t->b, reported.impulse, t->position);
    result->contacts[i] = reported;
  }
  *result = work->reported;
}

/* ---- sets of contacts ------------------------------------------------------------------------ */

static bool has_any_friction(const ct_impulse_work *work) {
  for (size_t i = 0; i < work->set->count; i++)
    if (work->contacts[i].static_friction > 0.0) return true;
  return false;
}

static const char *find_law_name(const ct_impulse_work *work) {
  static const char *const laws[] = {
#define CT_IMPULSE_LAW_WORD(name, word) word,
      CT_IMPULSE_LAW_MAP(CT_IMPULSE_LAW_WORD)
#undef CT_IMPULSE_LAW_WORD
  };
  static const char *const modes[] = {
#define CT_SIMULTANEITY_WORD(name, word) word,
      CT_SIMULTANEITY_MAP(CT_SIMULTANEITY_WORD)
#undef CT_SIMULTANEITY_WORD
  };
  if (work->set->count > 1) return modes[work->options->simultaneity];
  return has_any_friction(work) ? laws[work->options->law] : "frictionless";
}

static ct_status solve_impulses(ct_impulse_work *work) {
  if (work->set->count == 0) return CT_OK;
  if (work->set->count > 1)
    return work->options->simultaneity == CT_SIMULTANEITY_SEQUENTIAL
               ? solve_sequentially(work)
               : ct_impulse_at_once(work, has_any_friction(work));
  solve_single_contact(work);
  return CT_OK;
}

ct_status ct_impulse_solve(const ct_contact_set *set, const ct_impulse_options *options,
                           ct_arena *arena, ct_impulse_result *result) {
  if (!ct_contact_set_stands(set)) return CT_LIMIT;
  ct_arena_mark mark = ct_arena_enter(arena);
  ct_impulse_work work = {.set = set, .options = options, .arena = arena};
  work.contacts = ct_arena_alloc(arena, set->count, sizeof *work.contacts);
  ct_velocity *sums = ct_arena_alloc(arena, set->body_count, sizeof *sums);
  ct_status status = work.contacts && sums ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (size_t i = 0; i < set->count; i++) classify_contact(&work, i);
    work.reported.converged = true;
    work.reported.guard = options->energy_guard ? CT_GUARD_PASSED : CT_GUARD_OFF;
    work.reported.guard_theta = 1.0;
    work.reported.law = find_law_name(&work);
    work.reported.certificate = result->certificate;
    for (size_t i = 0; result->certificate && i < set->count; i++) result->certificate[i] = 0.0;
    status = solve_impulses(&work);
  }
  if (status == CT_OK) write_impulse_result(&work, sums, result);
  ct_arena_leave(arena, mark);
  return status;
}
