/* Whether forces, or impulses, along the normals of contacts hold each other at every body.
 */
#include "force/mechanics.h"
#include "solve/solver.h"

#include <string.h>

/* What a proof's impulses may leave over on a body, part of their sum, and the rounding of the places where they act. */
#define BALANCED_PART 1e-9
#define PLACE_ROUNDOFF 4e-16

/* Sums over a body, and of the sizes of what is summed. */
typedef struct pressed {
  ct_vec3 linear, angular;
  double linears, angulars;
} pressed;

static void press(const ct_contact_set *set, uint32_t body, ct_vec3 impulse, ct_vec3 at, pressed *sums) {
  pressed *on = &sums[body];
  ct_vec3 arm = ct_sub(at, set->bodies[body].center);
  double size = ct_norm(impulse);
  on->linear = ct_add(on->linear, impulse);
  on->angular = ct_add(on->angular, ct_cross(arm, impulse));
  on->linears += size;
  on->angulars += size * (ct_norm(arm) + PLACE_ROUNDOFF / BALANCED_PART * ct_max_abs(at));
}

ct_status ct_normals_balance(const ct_contact_set *set, const double *y, ct_solver *solver, bool *balances) {
  ct_solver_mark mark = ct_solver_enter(solver);
  pressed *sums = ct_solver_take(solver, set->body_count, sizeof *sums);
  *balances = sums != NULL;
  if (sums) memset(sums, 0, set->body_count * sizeof *sums);
  for (size_t i = 0; sums && i < set->count; i++) {
    const ct_touch *t = &set->touches[i];
    ct_vec3 impulse = ct_scale(t->normal, y[i]);
    press(set, t->a, ct_neg(impulse), t->position, sums);
    press(set, t->b, impulse, t->position, sums);
  }
  for (size_t i = 0; sums && i < set->body_count; i++) {
    if (set->bodies[i].mobility != CT_DYNAMIC) continue;
    bool linear = ct_norm(sums[i].linear) <= BALANCED_PART * sums[i].linears;
    *balances = *balances && linear && ct_norm(sums[i].angular) <= BALANCED_PART * sums[i].angulars;
  }
  ct_solver_leave(solver, mark);
  return sums ? CT_OK : CT_OUT_OF_MEMORY;
}
