/* A complementary basis' solution, from the problem's own numbers. */
#ifndef LCP_LCP_BASIS_H
#define LCP_LCP_BASIS_H

#include "lcp/lcp.h"

/* z with (M z + q)_i = 0 where in[i], else z_i = 0: an LU factorisation in doubles, refined by
 * residuals in double-doubles. *solved is false where the matrix is singular to working precision:
 * z is untouched. Entries may be negative. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_lcp_basis_solve(const ct_lcp_job *job, const bool *in, double *z, bool *solved);

#endif
