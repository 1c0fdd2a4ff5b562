/* The simplex method (Dantzig) with the lexicographic ratio test, which comes to an end on
 * degenerate problems too. */
#include "lcp/lcp_simplex.h"

/* Reduced costs above this are not negative: of an objective whose coefficients are about 1. */
#define COST 1e-11
#define COST_WIDE 1e-26

void ct_lcp_simplex_begin(ct_tableau *t) {
  size_t row = ct_tableau_first(t);
  if (row < t->size) ct_tableau_pivot(t, row, t->size);
}

/* The column with the most negative reduced cost; stride: none. */
static size_t entering(const ct_tableau *t, const bool *barred) {
  const double *costs = t->high + t->size * t->stride;
  size_t n = t->size, found = t->stride;
  double least = t->low ? -COST_WIDE : -COST;
  for (size_t j = 0; j <= n; j++) {
    uint32_t variable = t->column[j];
    if (barred && variable >= n && variable < 2 * n && barred[variable - n]) continue;
    if (costs[j] >= least) continue;
    least = costs[j];
    found = j;
  }
  return found;
}

bool ct_lcp_simplex(ct_tableau *t, const bool *barred, const ct_cancel *cancel) {
  for (uint64_t k = 0; k < ct_lcp_simplex_limit(t->size); k++) {
    size_t column = entering(t, barred);
    if (column == t->stride) return true;
    size_t row = ct_tableau_leaving(t, column);
    /* The objective is a sum of variables that are never negative, so it has a least value: only
     * round-off comes here. */
    if (row == t->size || ct_cancel_raised(cancel)) return false;
    ct_tableau_pivot(t, row, column);
  }
  return false;
}
