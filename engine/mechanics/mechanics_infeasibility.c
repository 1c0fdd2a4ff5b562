/* Proof that no forces or impulses separate the contacts: y >= 0 such that impulses y along the
 * normals add up to zero on every dynamic body, while the sum of the gaps' rates, weighted by y, is
 * negative.
 *
 * Bodies carried by a rotating gripper are the hard case: its jaws neither open nor close, but
 * their velocities and accelerations are differences of large numbers. The weighted sum must
 * therefore be below zero by more than the round-off of the rates, and by more than the work of the
 * residual forces along any motion of their bodies that is up to CT_FRICTION_GROWTH times as fast
 * as the present one. */
#include "linear/arena.h"
#include "mechanics/mechanics.h"

#include <assert.h>
#include <string.h>

/* BALANCED_PART: greatest residual of the impulses on a body, relative to the sum of their
 * magnitudes. PLACE_ROUNDOFF: round-off of contact positions, relative to their coordinates. */
#define BALANCED_PART 1e-9
#define PLACE_ROUNDOFF 4e-16

/* Sums of the impulses and their moments on a body, and sums of their magnitudes. */
typedef struct impulse_sum {
  ct_vec3 linear, angular;
  double linears, angulars;
} impulse_sum;

static void add_impulse_sums(const ct_contact_set *set, uint32_t body, ct_vec3 impulse, ct_vec3 at,
                             impulse_sum *sums) {
  assert(body < set->body_count);
  impulse_sum *on = &sums[body];
  ct_vec3 arm = ct_sub(at, set->bodies[body].center);
  double size = ct_norm(impulse);
  on->linear = ct_add(on->linear, impulse);
  on->angular = ct_add(on->angular, ct_cross(arm, impulse));
  on->linears += size;
  on->angulars += size * (ct_norm(arm) + PLACE_ROUNDOFF / BALANCED_PART * ct_max_abs(at));
}

/* Returns the sum of the magnitudes of the terms of the velocity, or acceleration, of a body's
 * point. */
static double point_rate_size(const ct_mass_body *body, ct_vec3 at, ct_rate rate) {
  double arm = ct_norm(ct_sub(at, body->center)) + ct_max_abs(at),
         spin = ct_norm(body->velocity.angular);
  if (rate == CT_RATE_VELOCITY) return ct_norm(body->velocity.linear) + spin * arm;
  double turning = ct_norm(body->angular_acceleration) + spin * spin;
  return ct_norm(body->linear_acceleration) + turning * arm;
}

double ct_contact_rate_roundoff(const ct_contact_set *set, const ct_contact *contact,
                                ct_rate rate) {
  const ct_mass_body *a = &set->bodies[contact->a], *b = &set->bodies[contact->b];
  double size =
      point_rate_size(a, contact->position, rate) + point_rate_size(b, contact->position, rate);
  if (rate == CT_RATE_ACCELERATION) {
    /* The rotation of the normal adds twice its rate times the velocity at which the points
     * separate. */
    double spins = ct_norm(a->velocity.angular) + ct_norm(b->velocity.angular);
    size += 2.0 * spins * point_rate_size(a, contact->position, CT_RATE_VELOCITY);
    size += 2.0 * spins * point_rate_size(b, contact->position, CT_RATE_VELOCITY);
  }
  return CT_RATE_ROUNDOFF * size;
}

/* Returns a bound of the work of the residual impulse on a body along the fastest motion
 * considered; INFINITY if the residual is not round-off. */
static double bound_residual_work(const impulse_sum *sums, double fastest) {
  double linear = ct_norm(sums->linear), angular = ct_norm(sums->angular);
  bool balanced =
      linear <= BALANCED_PART * sums->linears && angular <= BALANCED_PART * sums->angulars;
  double turning = sums->angulars > 0.0 ? angular / sums->angulars * sums->linears : 0.0;
  return balanced ? CT_FRICTION_GROWTH * fastest * (linear + turning) : INFINITY;
}

ct_status ct_normals_margin(const ct_contact_set *set, const double *y, ct_rate rate,
                            ct_arena *arena, double *margin) {
  ct_arena_mark mark = ct_arena_enter(arena);
  impulse_sum *sums = ct_arena_alloc(arena, set->body_count, sizeof *sums);
  double fastest = 0.0;
  *margin = 0.0;
  if (sums) memset(sums, 0, set->body_count * sizeof *sums);
  for (size_t i = 0; sums && i < set->count; i++) {
    const ct_contact *t = &set->contacts[i];
    ct_vec3 impulse = ct_scale(t->normal, y[i]);
    add_impulse_sums(set, t->a, ct_neg(impulse), t->position, sums);
    add_impulse_sums(set, t->b, impulse, t->position, sums);
    double roundoff = ct_contact_rate_roundoff(set, t, rate);
    fastest = fmax(fastest, roundoff / CT_RATE_ROUNDOFF);
    *margin += y[i] >= 0.0 ? y[i] * roundoff : INFINITY;
  }
  for (size_t i = 0; sums && i < set->body_count; i++)
    if (set->bodies[i].mobility == CT_DYNAMIC) *margin += bound_residual_work(&sums[i], fastest);
  ct_arena_leave(arena, mark);
  return sums ? CT_OK : CT_OUT_OF_MEMORY;
}
