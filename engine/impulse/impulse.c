/* Impulses of an island: what its contacts are, which law answers, what that makes of velocities
 * and energies. */
#include "impulse/impulse.h"
#include "linear/arena.h"
#include "mechanics/mechanics.h"

#include <string.h>

static ct_vec3 point_velocity(const ct_contact_set *set, const ct_velocity *velocities,
                              uint32_t body, ct_vec3 at) {
  return ct_add(velocities[body].linear,
                ct_cross(velocities[body].angular, ct_sub(at, set->bodies[body].center)));
}

void ct_impulse_relative(const ct_impulse_work *work, size_t contact, const ct_velocity *velocities,
                         double u[3]) {
  const ct_contact *t = &work->set->contacts[contact];
  ct_vec3 of_a = point_velocity(work->set, velocities, t->a, t->position);
  ct_vec3 of_b = point_velocity(work->set, velocities, t->b, t->position);
  ct_impulse_to_frame(&work->contacts[contact].frame, ct_sub(of_b, of_a), u);
}

void ct_impulse_own_block(const ct_impulse_work *work, size_t contact, double k[3][3]) {
  const ct_contact *t = &work->set->contacts[contact];
  const ct_impulse_frame *frame = &work->contacts[contact].frame;
  ct_mat3 coupling = ct_delassus_block(work->set, t, t);
  ct_impulse_block(frame, frame, &coupling, k);
}

/* The impulse and its moment, of which minus that on b is on a. */
static void push(const ct_contact_set *set, uint32_t body, ct_vec3 impulse, ct_vec3 at,
                 ct_velocity *velocity) {
  const ct_mass_body *x = &set->bodies[body];
  if (x->mobility != CT_DYNAMIC) return;
  velocity->linear = ct_add_scaled(velocity->linear, impulse, x->inverse_mass);
  velocity->angular = ct_add(
      velocity->angular, ct_mat_mul(x->inverse_inertia, ct_cross(ct_sub(at, x->center), impulse)));
}

void ct_impulse_apply(const ct_impulse_work *work, size_t contact, const double p[3],
                      ct_velocity *velocities) {
  const ct_contact *t = &work->set->contacts[contact];
  ct_vec3 impulse = ct_impulse_to_world(&work->contacts[contact].frame, p);
  push(work->set, t->a, ct_neg(impulse), t->position, &velocities[t->a]);
  push(work->set, t->b, impulse, t->position, &velocities[t->b]);
}

/* ---- before --------------------------------------------------------------------------------- */

static void look_at(ct_impulse_work *work, size_t i) {
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

void ct_impulse_solve_contact(ct_impulse_work *work) {
  ct_impulse_contact *contact = &work->contacts[0];
  if (!contact->movable || contact->before.velocity_class != CT_CLASS_COLLIDING) return;
  const ct_contact *t = &work->set->contacts[0];
  ct_impulse_point point = {
      .static_friction = contact->static_friction,
      .dynamic_friction = contact->dynamic_friction,
      .restitution = contact->restitution,
      .slip_tolerance = work->options->velocity_tolerance,
      .inverse_mass = work->set->bodies[t->a].inverse_mass + work->set->bodies[t->b].inverse_mass,
  };
  ct_impulse_own_block(work, 0, point.k);
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

/* ---- after ---------------------------------------------------------------------------------- */

static double energy(const ct_contact_set *set, const ct_velocity *velocities) {
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

/* What a prescribed motion does to the others at a contact: minus the work on the body that is
 * moved. */
static double work_by(const ct_contact_set *set, uint32_t body, ct_vec3 impulse, ct_vec3 at) {
  const ct_mass_body *x = &set->bodies[body];
  if (x->mobility != CT_KINEMATIC) return 0.0;
  return -ct_dot(impulse,
                 ct_add(x->velocity.linear, ct_cross(x->velocity.angular, ct_sub(at, x->center))));
}

/* Sums of impulses come first, so that what two bodies exchange is the same to the bit but for one
 * rounding of each velocity. */
static void move_bodies(const ct_impulse_work *work, ct_velocity *sums, ct_velocity *velocities) {
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

static ct_contact_impulse told_of(const ct_impulse_work *work, size_t i) {
  const ct_contact *t = &work->set->contacts[i];
  const ct_impulse_contact *contact = &work->contacts[i];
  double along[3] = {0.0, contact->p[1], contact->p[2]};
  ct_velocity *v = work->reported.velocities;
  ct_vec3 of_a = point_velocity(work->set, v, t->a, t->position),
          of_b = point_velocity(work->set, v, t->b, t->position);
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

static void tell(ct_impulse_work *work, ct_velocity *sums, ct_impulse_result *result) {
  const ct_contact_set *set = work->set;
  work->reported.contacts = result->contacts;
  work->reported.velocities = result->velocities;
  for (size_t i = 0; i < set->body_count; i++) result->velocities[i] = set->bodies[i].velocity;
  work->reported.energy_before = energy(set, result->velocities);
  move_bodies(work, sums, result->velocities);
  work->reported.energy_after = energy(set, result->velocities);
  for (size_t i = 0; i < set->count; i++) {
    ct_contact_impulse reported = told_of(work, i);
    const ct_contact *t = &set->contacts[i];
    work->reported.work += work_by(set, t->a, ct_neg(reported.impulse), t->position) +
                           work_by(set, t->b, reported.impulse, t->position);
    result->contacts[i] = reported;
  }
  *result = work->reported;
}

/* ---- a set ---------------------------------------------------------------------------------- */

static bool has_friction(const ct_impulse_work *work) {
  for (size_t i = 0; i < work->set->count; i++)
    if (work->contacts[i].static_friction > 0.0) return true;
  return false;
}

static const char *law_name(const ct_impulse_work *work) {
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
  return has_friction(work) ? laws[work->options->law] : "frictionless";
}

static ct_status solve(ct_impulse_work *work) {
  if (work->set->count == 0) return CT_OK;
  if (work->set->count > 1)
    return work->options->simultaneity == CT_SIMULTANEITY_SEQUENTIAL
               ? ct_impulse_sequential(work)
               : ct_impulse_at_once(work, has_friction(work));
  ct_impulse_solve_contact(work);
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
    for (size_t i = 0; i < set->count; i++) look_at(&work, i);
    work.reported.converged = true;
    work.reported.guard = options->energy_guard ? CT_GUARD_PASSED : CT_GUARD_OFF;
    work.reported.guard_theta = 1.0;
    work.reported.law = law_name(&work);
    work.reported.certificate = result->certificate;
    for (size_t i = 0; result->certificate && i < set->count; i++) result->certificate[i] = 0.0;
    status = solve(&work);
  }
  if (status == CT_OK) tell(&work, sums, result);
  ct_arena_leave(arena, mark);
  return status;
}
