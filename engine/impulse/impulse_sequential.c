/* Contacts one after the other, each by the law of one contact, in the order of the set, again and
 * again until none approaches.
 *
 * What blows hand on in a row of bodies (Newton's cradle) comes out as it is seen. Of bodies that
 * come to rest against each other it is a sum without end, which stops where approaches are too
 * slow to count.
 */
#include "impulse/impulse_simultaneous.h"
#include "linear/arena.h"

#include <string.h>

#define SWEEPS_MAX 1000
/* Approaches that round-off leaves of the greatest velocity. */
#define APPROACH_PART (64.0 * CT_UNIT_ROUNDOFF)

static void strike(ct_impulse_work *work, size_t i, const double u[3], ct_velocity *velocities) {
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
  ct_impulse_own_block(work, i, point.k);
  ct_impulse_at_point(&point, o->law, o->energy_guard, &answer);
  ct_impulse_apply(work, i, answer.p, velocities);
  for (int c = 0; c < 3; c++) contact->p[c] += answer.p[c];
  contact->outcome = answer.outcome;
  work->reported.converged = work->reported.converged && answer.converged;
  work->reported.residual = ct_max2(work->reported.residual, answer.residual);
  work->reported.rotation_ignored = work->reported.rotation_ignored || answer.rotation_ignored;
  if (!answer.guarded) return;
  work->reported.guard = CT_GUARD_APPLIED;
  work->reported.guard_theta = ct_min2(work->reported.guard_theta, answer.theta);
}

/* The fastest approach there is, and, of `strikes`, one blow at each that is fast enough. Blows of
 * a law that makes energy may grow from one to the next: none is given to what is faster than any
 * body may be. */
static double sweep(ct_impulse_work *work, double slowest, bool strikes, ct_velocity *velocities) {
  double fastest = 0.0;
  for (size_t i = 0; i < work->set->count; i++) {
    if (!work->contacts[i].movable) continue;
    double u[3];
    ct_impulse_relative(work, i, velocities, u);
    fastest = ct_max2(fastest, -u[0]);
    if (strikes && -u[0] > slowest && -u[0] <= CT_SPEED_MAX) strike(work, i, u, velocities);
  }
  return fastest;
}

/* Blows that no number of sweeps ends, because bodies whose motion is prescribed press others into
 * each other: none is given. */
static ct_status give_up(ct_impulse_work *work) {
  ct_status status = ct_impulse_find_squeeze(work);
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

ct_status ct_impulse_sequential(ct_impulse_work *work) {
  const ct_impulse_options *o = work->options;
  ct_velocity *velocities = ct_arena_alloc(work->arena, work->set->body_count, sizeof *velocities);
  if (!velocities) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < work->set->body_count; i++) velocities[i] = work->set->bodies[i].velocity;
  uint64_t most = o->iterations_max ? o->iterations_max : SWEEPS_MAX, sweeps = 0;
  double slowest = ct_max2(o->velocity_tolerance,
                           (o->tolerance > 0.0 ? o->tolerance : APPROACH_PART) * work->speed);
  double fastest = sweep(work, slowest, false, velocities);
  while (fastest > slowest && fastest <= CT_SPEED_MAX && sweeps < most) {
    if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
    (void)sweep(work, slowest, true, velocities);
    sweeps++;
    fastest = sweep(work, slowest, false, velocities);
  }
  work->reported.iterations = sweeps;
  work->reported.converged = work->reported.converged && fastest <= slowest;
  if (fastest > o->velocity_tolerance)
    work->reported.residual = ct_max2(work->reported.residual, fastest / work->speed);
  return fastest > slowest && ct_impulse_any_driven(work->set) ? give_up(work) : CT_OK;
}
