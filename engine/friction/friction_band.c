/* Equations in a band: elimination, the largest of each column as pivot, rows exchanged. Where
 * everything meets everything the band is the whole matrix. Golub, Van Loan, Matrix
 * Computations, 4.3.
 */
#include "friction/friction_newton.h"

/* Looks at the cancel flag once in so many columns. */
#define POLL_COLUMNS 16u

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The largest of column k is brought to row k; returns how far the rows then reach. */
static size_t bring_pivot(ct_newton *n, size_t k, size_t size, size_t reach) {
  size_t best = k, last = least(size - 1, k + n->band);
  for (size_t i = k + 1; i <= last; i++)
    if (fabs(*ct_newton_at(n, i, k)) > fabs(*ct_newton_at(n, best, k))) best = i;
  size_t wide = least(size - 1, best + n->band);
  if (wide > reach) reach = wide;
  if (best == k) return reach;
  for (size_t j = k; j <= reach; j++) {
    double *a = ct_newton_at(n, k, j), *b = ct_newton_at(n, best, j), t = *a;
    *a = *b;
    *b = t;
  }
  double t = n->rhs[k];
  n->rhs[k] = n->rhs[best];
  n->rhs[best] = t;
  return reach;
}

static bool substitute(ct_newton *n, size_t size) {
  for (size_t k = size; k-- > 0;) {
    const double *row = ct_newton_at(n, k, k);
    double sum = n->rhs[k];
    for (size_t j = 1, end = least(size - 1 - k, 2 * n->band); j <= end; j++)
      sum -= row[j] * n->rhs[k + j];
    n->rhs[k] = sum / row[0];
    if (!(fabs(n->rhs[k]) < INFINITY)) return false;
  }
  return true;
}

bool ct_newton_eliminate(ct_newton *n) {
  size_t size = 3 * n->count, reach = 0;
  for (size_t k = 0; k < size; k++) {
    if (k % POLL_COLUMNS == 0 && ct_cancel_raised(n->w->cancel)) return false;
    reach = bring_pivot(n, k, size, reach);
    const double *pivot = ct_newton_at(n, k, k);
    if (!(fabs(pivot[0]) > 0.0)) return false;
    for (size_t i = k + 1, last = least(size - 1, k + n->band); i <= last; i++) {
      double *row = ct_newton_at(n, i, k), part = row[0] / pivot[0];
      if (part == 0.0) continue;
      for (size_t j = 1; j <= reach - k; j++) row[j] -= part * pivot[j];
      n->rhs[i] -= part * n->rhs[k];
    }
  }
  return substitute(n, size);
}
