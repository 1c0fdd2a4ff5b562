/* LU with partial pivoting of the principal submatrix of a basis, and iterative refinement (Higham
 * 2002, chapter 12). */
#include "lcp/lcp_basis.h"
#include "base/double_double.h"
#include "linear/dense.h"

#include <math.h>
#include <string.h>

/* Refinement stops when it gains less than half; this many steps only where it still does. */
#define REFINEMENTS_MAX 30
/* Pivots below this part of the greatest entry of their row are zero: refinement would not
 * converge. */
#define SINGULAR 1e-15

typedef struct basis {
  size_t size;
  uint32_t *index;     /* [size] rows of the problem */
  uint32_t *order;     /* [size] rows of `factors`, as exchanged */
  double *factors;     /* [size size] */
  double *scale;       /* [size] 1 / greatest entry of a row */
  double *high, *low;  /* [size] the solution */
  double *rest, *step; /* [size] */
} basis;

static bool basis_take(basis *b, const ct_lcp_job *job, const bool *in) {
  size_t n = job->size, k = 0;
  for (size_t i = 0; i < n; i++) k += in[i];
  *b = (basis){.size = k};
  b->index = ct_arena_alloc(job->arena, 2 * k + 1, sizeof *b->index);
  b->factors = ct_arena_alloc_doubles(job->arena, k * k + 5 * k + 1);
  if (!b->index || !b->factors) return false;
  b->order = b->index + k;
  b->scale = b->factors + k * k;
  b->high = b->scale + k;
  b->low = b->high + k;
  b->rest = b->low + k;
  b->step = b->rest + k;
  for (size_t i = 0, at = 0; i < n; i++)
    if (in[i]) b->index[at++] = (uint32_t)i;
  for (size_t i = 0; i < k; i++) {
    const double *row = job->dense + b->index[i] * n;
    double greatest = 0.0;
    for (size_t j = 0; j < k; j++) {
      b->factors[i * k + j] = row[b->index[j]];
      greatest = fmax(greatest, fabs(row[b->index[j]]));
    }
    b->order[i] = (uint32_t)i;
    b->scale[i] = greatest;
    b->high[i] = b->low[i] = 0.0;
  }
  return true;
}

/* False: singular, or cancelled. Rows stay where they are; `order` says which one is the k-th. */
static bool factor(basis *b, const ct_cancel *cancel) {
  size_t n = b->size;
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    double greatest = 0.0;
    for (size_t i = k; i < n; i++) {
      double size = fabs(b->factors[b->order[i] * n + k]) / b->scale[b->order[i]];
      if (size > greatest) {
        greatest = size;
        best = i;
      }
    }
    if (!(greatest > SINGULAR) || ct_cancel_raised(cancel)) return false;
    uint32_t pivot = b->order[best];
    b->order[best] = b->order[k];
    b->order[k] = pivot;
    const double *top = b->factors + pivot * n;
    for (size_t i = k + 1; i < n; i++) {
      double *row = b->factors + b->order[i] * n;
      if (row[k] == 0.0) continue;
      row[k] /= top[k];
      ct_dense_add(row + k + 1, top + k + 1, -row[k], n - k - 1);
    }
  }
  return true;
}

/* step = factors^-1 rest */
static void substitute(const basis *b) {
  size_t n = b->size;
  for (size_t i = 0; i < n; i++) {
    const double *row = b->factors + b->order[i] * n;
    b->step[i] = b->rest[b->order[i]] - ct_dense_dot(row, b->step, i);
  }
  for (size_t i = n; i-- > 0;) {
    const double *row = b->factors + b->order[i] * n;
    b->step[i] = (b->step[i] - ct_dense_dot(row + i + 1, b->step + i + 1, n - i - 1)) / row[i];
  }
}

/* rest = -q - M z on the basis' rows; the greatest, each by its row's own size. */
static double look(const basis *b, const ct_lcp_job *job) {
  double greatest = 0.0;
  for (size_t i = 0; i < b->size; i++) {
    const double *row = job->dense + b->index[i] * job->size;
    ct_dd sum = ct_dd_of(-job->q[b->index[i]]);
    for (size_t j = 0; j < b->size; j++)
      sum = ct_dd_add(sum, ct_dd_mul(ct_dd_of(-row[b->index[j]]), (ct_dd){b->high[j], b->low[j]}));
    b->rest[i] = ct_dd_value(sum);
    greatest = fmax(greatest, fabs(b->rest[i]) / b->scale[i]);
  }
  return greatest;
}

ct_status ct_lcp_basis_solve(const ct_lcp_job *job, const bool *in, double *z, bool *solved) {
  basis b;
  *solved = false;
  if (!basis_take(&b, job, in)) return CT_OUT_OF_MEMORY;
  if (!factor(&b, job->options->cancel))
    return ct_cancel_raised(job->options->cancel) ? CT_CANCELLED : CT_OK;
  double before = HUGE_VAL;
  for (int k = 0; k < REFINEMENTS_MAX; k++) {
    double size = look(&b, job);
    if (!(size < 0.5 * before) || size == 0.0) break;
    before = size;
    substitute(&b);
    for (size_t i = 0; i < b.size; i++) {
      ct_dd sum = ct_dd_add((ct_dd){b.high[i], b.low[i]}, ct_dd_of(b.step[i]));
      b.high[i] = sum.high;
      b.low[i] = sum.low;
    }
  }
  memset(z, 0, job->size * sizeof *z);
  for (size_t i = 0; i < b.size; i++) z[b.index[i]] = b.high[i];
  *solved = true;
  return CT_OK;
}
