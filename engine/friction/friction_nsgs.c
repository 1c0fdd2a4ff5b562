/* Block Gauss-Seidel: the contacts one after the other, each solved exactly with the others held;
 * there and back in turns, so that neither end of a stack waits for the other. Jourdan, Alart, Jean
 * 1998. No proof that it converges where contacts are redundant: it ends when nothing gets better.
 */
#include "friction/friction.h"

/* The residual of all contacts at once costs as much as a sweep: it is looked at once in so many,
 * and when the changes are small.
 */
#define LOOK_SWEEPS 16u
/* Sweeps in which the residual has to fall by a part of STALL_PART; else no more is to be had. */
#define STALL_SWEEPS 1024u
#define STALL_PART 0.9
/* Of a sweep, in products with W: each contact is solved on the way. */
#define SWEEP_PRICE 4.0
/* Looks at the cancel flag once in so many contacts. */
#define POLL_CONTACTS 1024u

/* A contact that has no solution of its own (W_ii not positive definite): one step of projected
 * descent. */
static ct_triple descend(const ct_friction_work *w, size_t i, ct_triple b) {
  ct_triple u = ct_triple_add(b, ct_block_times(&w->diagonal[i], w->r[i]));
  double size = 0.0;
  ct_triple defect = ct_friction_defect(w->r[i], u, w->mu[i], w->rho[i], &size);
  return ct_triple_sub(w->r[i], defect);
}

/* One sweep; *moved is the residual seen on the way, each contact just before its turn. */
static bool sweep(ct_friction_work *w, bool back, double *moved) {
  double sum = 0.0, size = 0.0;
  size_t n = w->contacts;
  for (size_t k = 0; k < n; k++) {
    if (k % POLL_CONTACTS == 0 && ct_cancel_raised(w->cancel)) return false;
    size_t i = back ? n - 1 - k : k;
    ct_triple b = ct_friction_sum_others(w, w->r, i), r;
    if (!ct_friction_local(&w->diagonal[i], b, w->mu[i], w->dimension, &r)) r = descend(w, i, b);
    r = ct_cone_contains(r, w->mu[i]);
    sum += ct_triple_norm2(ct_triple_sub(r, w->r[i]));
    size = fmax(size, ct_triple_norm2(r));
    w->r[i] = r;
  }
  *moved = sum > 0.0 ? sqrt(sum / size) : 0.0;
  return true;
}

ct_status ct_friction_nsgs(ct_friction_work *w, uint64_t sweeps) {
  double mark = INFINITY;
  uint64_t mark_at = 0;
  for (uint64_t k = 0; k < sweeps && w->iterations < w->iterations_max; k++) {
    double moved = 0.0;
    if (!sweep(w, w->iterations % 2 == 1, &moved)) return CT_CANCELLED;
    w->iterations++;
    w->multiplied += SWEEP_PRICE * ct_friction_entries(w);
    if (!(moved <= w->tolerance) && (k + 1) % LOOK_SWEEPS != 0 && k + 1 < sweeps) continue;
    (void)ct_friction_evaluate(w);
    if (w->best_residual <= w->tolerance || moved == 0.0) break;
    if (w->best_residual <= STALL_PART * mark) {
      mark = w->best_residual;
      mark_at = k;
    }
    if (k - mark_at >= STALL_SWEEPS) break;
  }
  return CT_OK;
}
