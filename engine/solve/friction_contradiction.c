/* Contacts that cannot all part or rest: a ball between walls that close in. Farkas: where y >= 0 has (y'W)_j r_j <= 0 for every
 * r_j in its cone, y'u = y'W r + y'q <= y'q for the normal velocities u, and q'y < 0 leaves no u >= 0.
 */
#include "solve/friction.h"

/* Contacts above which nobody waits for a proof: it costs the cube of them. */
#define CONTACTS_MAX 256u
/* Rounding of a sum of as many products, relative to their absolute values; and what q'y has to be less than zero by. */
#define ROUNDING (16.0 * CT_UNIT_ROUNDOFF)

/* What y does to the force of contact j, and the sizes of what is added up. W by columns is not at hand: all rows are gone through.
 */
static void gather(const ct_friction_work *w, const double *y, ct_triple *sum, ct_triple *size) {
  for (size_t j = 0; j < w->contacts; j++) sum[j] = size[j] = (ct_triple){0.0, 0.0, 0.0};
  for (size_t i = 0; i < w->contacts; i++)
    for (size_t k = w->starts[i]; k <= w->starts[i + 1]; k++) {
      bool last = k == w->starts[i + 1];
      const double *m = last ? w->diagonal[i].m : w->blocks[k].m;
      size_t j = last ? i : w->columns[k];
      sum[j] = ct_triple_add(sum[j], (ct_triple){y[i] * m[0], y[i] * m[1], y[i] * m[2]});
      size[j] = ct_triple_add(size[j], (ct_triple){y[i] * fabs(m[0]), y[i] * fabs(m[1]), y[i] * fabs(m[2])});
    }
}

static bool proves(const ct_friction_work *w, const double *y, ct_triple *sum, ct_triple *size) {
  double n = (double)w->contacts, q = 0.0, q_size = 0.0;
  gather(w, y, sum, size);
  for (size_t j = 0; j < w->contacts; j++) {
    if (!(y[j] >= 0.0)) return false;
    q += y[j] * w->q[j].n;
    q_size += y[j] * fabs(w->q[j].n);
    double most = size[j].n + w->mu[j] * (size[j].s + size[j].t);
    if (sum[j].n + w->mu[j] * ct_length2(sum[j].s, sum[j].t) > ROUNDING * n * most) return false;
  }
  return q < -ROUNDING * n * q_size;
}

ct_status ct_friction_contradicts(const ct_friction_work *w, bool *contradicts) {
  *contradicts = false;
  if (w->contacts > CONTACTS_MAX) return CT_OK;
  ct_solver_mark mark = ct_solver_enter(w->solver);
  ct_friction_work plain = *w;
  double *mu = ct_solver_doubles(w->solver, w->contacts);
  ct_triple *sum = ct_solver_take(w->solver, w->contacts, sizeof *sum),
            *size = ct_solver_take(w->solver, w->contacts, sizeof *size);
  plain.best = ct_solver_take(w->solver, w->contacts, sizeof *plain.best);
  ct_status status = mu && sum && size && plain.best ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (size_t i = 0; i < w->contacts; i++) mu[i] = 0.0;
    plain.mu = mu;
    ct_friction_options options = {.cancel = w->cancel};
    ct_friction_result result = {0};
    status = ct_friction_polyhedral(&plain, &options, &result);
    *contradicts = status == CT_OK && plain.certificate && proves(w, plain.certificate, sum, size);
  }
  ct_solver_leave(w->solver, mark);
  return status;
}
