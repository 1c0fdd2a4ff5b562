/* Proofs that M is positive definite, or positive semidefinite: then all solutions of the problem
 * are one point, or a polyhedron.
 *
 * Definite: a factorisation of M with a shifted diagonal succeeds (ldl.h). Semidefinite: as many
 * rows as M has rank are independent by that test, and the rank is exact (exact_rank.h); the Schur
 * complement of those rows is 0 then.
 */
#include "lcp/lcp_uniqueness.h"
#include "linear/exact_rank.h"
#include "linear/ldl.h"
#include "linear/matrix.h"

/* Rows and columns of a symmetric matrix, as in ct_ldl_part. */
typedef struct part {
  const double *m;
  size_t size;
  const uint32_t *low, *rows;
  size_t count;
} part;

static ct_status prove_definite(const part *p, ct_arena *arena, bool *definite) {
  size_t n = p->size, count = p->count;
  *definite = false;
  for (size_t i = 0; i < count; i++) {
    double diagonal = p->m[p->rows[i] * n + p->rows[i]];
    if (!(diagonal >= CT_LDL_PROOF_MIN && diagonal <= CT_LDL_PROOF_MAX)) return CT_OK;
  }
  ct_ldl f;
  uint32_t *place = ct_arena_alloc(arena, n, sizeof *place);
  if (!place || !ct_ldl_make(&f, count + 1, arena)) return CT_OUT_OF_MEMORY;
  for (size_t i = 0, before = 0; i < n; i++) {
    place[i] = (uint32_t)before;
    if (before < count && p->rows[before] == i) before++;
  }
  const ct_ldl_part factored = {p->m,  n,     p->low, p->rows,
                                count, place, 0.0,    ct_ldl_proof_shift(count)};
  ct_ldl_factor(&f, &factored);
  *definite = f.dependent == 0;
  return CT_OK;
}

/* (M + M') / 2 in `half`, and its rows' ranges. */
static void make_symmetric_part(const double *m, size_t n, double *half, uint32_t *low) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) half[i * n + j] = 0.5 * m[i * n + j] + 0.5 * m[j * n + i];
  ct_matrix_ranges(half, n, low, low + n);
}

ct_status ct_lcp_is_definite(const ct_lcp_job *job, bool *definite) {
  size_t n = job->size;
  *definite = false;
  for (size_t i = 0; i < n; i++)
    if (!(job->dense[i * n + i] > 0.0)) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  uint32_t *rows = ct_arena_alloc(job->arena, 3 * n, sizeof *rows), *ends = rows + n;
  double *half = rows && !job->exactly_symmetric ? ct_arena_alloc_doubles(job->arena, n * n) : NULL;
  ct_status status = rows && (half || job->exactly_symmetric) ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (size_t i = 0; i < n; i++) rows[i] = (uint32_t)i;
    if (half) make_symmetric_part(job->dense, n, half, ends);
    const part all = {half ? half : job->dense, n, half ? ends : job->low, rows, n};
    status = prove_definite(&all, job->arena, definite);
  }
  ct_arena_leave(job->arena, mark);
  return status;
}

ct_status ct_lcp_is_semidefinite(const ct_lcp_job *job, const uint32_t *pivots, size_t count,
                                 bool *semidefinite) {
  size_t n = job->size;
  *semidefinite = job->semidefinite;
  if (*semidefinite || !job->exactly_symmetric) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  bool *is_pivot = ct_arena_alloc(job->arena, n, sizeof *is_pivot);
  uint32_t *rows = ct_arena_alloc(job->arena, count + 1, sizeof *rows);
  ct_status status = is_pivot && rows ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) is_pivot[i] = false;
    for (size_t k = 0; k < count; k++) is_pivot[pivots[k]] = true;
    for (size_t i = 0; i < n; i++)
      if (is_pivot[i]) rows[at++] = (uint32_t)i;
    const part independent = {job->dense, n, job->low, rows, count};
    status = prove_definite(&independent, job->arena, semidefinite);
  }
  if (status == CT_OK && *semidefinite)
    status = ct_exact_rank_at_most(job->dense, n, count, job->arena, semidefinite);
  ct_arena_leave(job->arena, mark);
  return status;
}
