/* Linear programs over a problem's dictionary: is there any z >= 0 with M z + q >= 0, with parts of
 * z and w held at zero?
 */
#ifndef LCP_LCP_SIMPLEX_H
#define LCP_LCP_SIMPLEX_H

#include "lcp/lcp_tableau.h"

/* Least of the objective, the tableau's last row, over all values >= 0 of the variables. `barred`
 * [n]: z_j stays 0; NULL: none. False: cancelled, or more pivots than ct_lcp_simplex_limit: the
 * value is only an upper bound. */
bool ct_lcp_simplex(ct_tableau *t, const bool *barred, const ct_cancel *cancel);
static inline uint64_t ct_lcp_simplex_limit(size_t n) { return 50 * (uint64_t)n + 1000; }

/* Brings z0 in, where a constant is negative, so that none is. */
void ct_lcp_simplex_begin(ct_tableau *t);

#endif
