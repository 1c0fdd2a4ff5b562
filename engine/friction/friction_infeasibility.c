/* Proof that contacts can neither separate nor rest, such as those of a ball between closing walls
 * (Farkas). If y >= 0 has (y'W)_j r_j <= 0 for every r_j in its cone, then the normal velocities u
 * satisfy y'u = y'W r + y'q <= y'q. If also q'y < 0, there is no u >= 0.
 *
 * The proof costs many sweeps. So projected conjugate gradients on the normal forces alone are
 * tried first: if normal forces separate all contacts without friction, there is no such y. One
 * iteration costs a small fraction of a sweep. If no solution exists, the conjugate gradients
 * diverge or reach their limit. */
#include "friction/friction.h"

#include <contact/lcp.h>

#include <assert.h>

/* Largest number of contacts for which a proof is searched: its cost grows with the cube of this
 * number. */
#define CONTACTS_MAX 256u
/* Round-off of a sum of products, relative to the sum of their absolute values. q'y has to be
 * negative by more than this. */
#define ROUNDING (16.0 * CT_UNIT_ROUNDOFF)
/* Largest number of conjugate gradient iterations: GRADIENTS_LEAST, plus GRADIENTS_PER_CONTACT for
 * each contact. */
#define GRADIENTS_LEAST 200u
#define GRADIENTS_PER_CONTACT 4u
/* Contacts count as separated if none approaches faster than this fraction of the greatest normal
 * velocity. */
#define APPROACH_MAX 1e-6

/* Computes for each contact (y'W)_j, the factors of its force, and the sums of absolute values of
 * their terms. W is stored by rows, so each row's products are added to the sums of its columns. */
static void gather_certificate_sums(const ct_friction_work *w, const double *y, ct_triple *sum,
                                    ct_triple *size) {
  for (size_t j = 0; j < w->contacts; j++) sum[j] = size[j] = (ct_triple){0.0, 0.0, 0.0};
  for (size_t i = 0; i < w->contacts; i++)
    for (size_t k = w->starts[i]; k <= w->starts[i + 1]; k++) {
      bool last = k == w->starts[i + 1];
      const double *m = last ? w->diagonal[i].m : w->blocks[k].m;
      size_t j = last ? i : w->columns[k];
      sum[j] = ct_triple_add(sum[j], (ct_triple){y[i] * m[0], y[i] * m[1], y[i] * m[2]});
      size[j] = ct_triple_add(size[j],
                              (ct_triple){y[i] * fabs(m[0]), y[i] * fabs(m[1]), y[i] * fabs(m[2])});
    }
}

static bool is_certificate(const ct_friction_work *w, const double *y, ct_triple *sum,
                           ct_triple *size) {
  double n = (double)w->contacts, q = 0.0, q_size = 0.0;
  gather_certificate_sums(w, y, sum, size);
  for (size_t j = 0; j < w->contacts; j++) {
    if (!(y[j] >= 0.0)) return false;
    q += y[j] * w->q[j].n;
    q_size += y[j] * fabs(w->q[j].n);
    double most = size[j].n + w->mu[j] * (size[j].s + size[j].t);
    if (sum[j].n + w->mu[j] * ct_length2(sum[j].s, sum[j].t) > ROUNDING * n * most) return false;
  }
  return q < -ROUNDING * n * q_size;
}

/* Writes the normal velocities, scaled by a power of two that makes the greatest of them less than
 * 1; tangential velocities do not affect the scale. */
static void scale_normal_rows(const ct_friction_work *w, double *q) {
  double most = 0.0;
  int exponent;
  for (size_t i = 0; i < w->contacts; i++) most = fmax(most, fabs(w->q[i].n));
  (void)frexp(most, &exponent);
  for (size_t i = 0; i < w->contacts; i++) q[i] = ldexp(w->q[i].n, -exponent);
}

/* Extracts the rows and columns of the normal forces from W. False: out of memory. */
static bool make_normal_matrix(const ct_friction_work *w, ct_matrix *matrix) {
  size_t n = w->contacts, count = 0;
  size_t *starts = ct_arena_alloc(w->arena, n + 1, sizeof *starts);
  uint32_t *columns = ct_arena_alloc(w->arena, w->starts[n] + n, sizeof *columns);
  double *values = ct_arena_alloc_doubles(w->arena, w->starts[n] + n);
  if (!starts || !columns || !values) return false;
  for (size_t i = 0; i < n; i++) {
    starts[i] = count;
    /* Merge the diagonal entry into the ascending columns of the row. */
    bool placed = false;
    for (size_t k = w->starts[i]; k <= w->starts[i + 1]; k++) {
      bool last = k == w->starts[i + 1];
      if (!placed && (last || w->columns[k] > i)) {
        columns[count] = (uint32_t)i;
        values[count++] = w->diagonal[i].m[0];
        placed = true;
      }
      if (last) continue;
      columns[count] = w->columns[k];
      values[count++] = w->blocks[k].m[0];
    }
  }
  starts[n] = count;
  assert(count == w->starts[n] + n);
  *matrix = (ct_matrix){.size = n, .starts = starts, .columns = columns, .values = values};
  return true;
}

/* Sets *indicated to true if no normal forces were found that separate all contacts. */
static ct_status search_indication(const ct_friction_work *w, bool *indicated) {
  size_t n = w->contacts;
  double *vectors = ct_arena_alloc_doubles(w->arena, 3 * n);
  ct_lcp normals = {.q = vectors};
  if (!vectors || !make_normal_matrix(w, &normals.matrix)) return CT_OUT_OF_MEMORY;
  scale_normal_rows(w, vectors);
  const ct_lcp_options options = {.method = CT_LCP_QUADRATIC,
                                  .tolerance = APPROACH_MAX,
                                  .iterations_max = GRADIENTS_LEAST + GRADIENTS_PER_CONTACT * n,
                                  .cancel = w->cancel};
  ct_lcp_result result = {.z = vectors + n, .w = vectors + 2 * n};
  ct_status status = ct_lcp_solve(&normals, &options, w->arena, &result);
  *indicated = !result.converged;
  return status;
}

static ct_status search_certificate(const ct_friction_work *w, bool *contradicts) {
  assert(w->contacts <= CONTACTS_MAX);
  ct_friction_work plain = *w;
  double *mu = ct_arena_alloc_doubles(w->arena, w->contacts);
  ct_triple *sum = ct_arena_alloc(w->arena, w->contacts, sizeof *sum),
            *size = ct_arena_alloc(w->arena, w->contacts, sizeof *size);
  plain.best = ct_arena_alloc(w->arena, w->contacts, sizeof *plain.best);
  if (!mu || !sum || !size || !plain.best) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < w->contacts; i++) mu[i] = 0.0;
  plain.mu = mu;
  ct_friction_options options = {.cancel = w->cancel};
  ct_friction_result result = {0};
  ct_status status = ct_friction_polyhedral(&plain, &options, &result);
  *contradicts =
      status == CT_OK && plain.certificate && is_certificate(w, plain.certificate, sum, size);
  return status;
}

ct_status ct_friction_prove_infeasible(const ct_friction_work *w, ct_friction_proof proof,
                                       bool *contradicts) {
  *contradicts = false;
  if (w->contacts > CONTACTS_MAX || proof == CT_FRICTION_PROOF_NEVER) return CT_OK;
  bool wanted = proof == CT_FRICTION_PROOF_ALWAYS;
  ct_status status = CT_OK;
  ct_arena_mark mark = ct_arena_enter(w->arena);
  if (!wanted) status = search_indication(w, &wanted);
  ct_arena_leave(w->arena, mark);
  mark = ct_arena_enter(w->arena);
  if (status == CT_OK && wanted) status = search_certificate(w, contradicts);
  ct_arena_leave(w->arena, mark);
  return status;
}
