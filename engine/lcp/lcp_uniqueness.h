/* Decides whether a solution of a linear complementarity problem is the only one: proven, disproven
 * by another solution, or unknown. */
#ifndef LCP_LCP_UNIQUENESS_H
#define LCP_LCP_UNIQUENESS_H

#include "lcp/lcp_job.h"

/* Sets *definite to whether the symmetric part of M is proven positive definite; then there is
 * exactly one solution for every q (Cottle, Pang, Stone 2009, 3.1). False also if M is singular to
 * round-off. Returns CT_OUT_OF_MEMORY. Cost: n^3 / 3 at most. */
ct_status ct_lcp_is_definite(const ct_lcp_job *job, bool *definite);

/* Sets *semidefinite to whether the symmetric M is positive semidefinite: as stated by the caller,
 * or proven. `pivots` [count] are independent rows of M, as many as its presumed rank. Returns
 * CT_OUT_OF_MEMORY. */
ct_status ct_lcp_is_semidefinite(const ct_lcp_job *job, const uint32_t *pivots, size_t count,
                                 bool *semidefinite);

/* True if `other` [n] >= 0 is a solution, to the round-off of its entries and within the target,
 * and differs from the result. It is then copied to result->alternative, and result->unique becomes
 * NO. `w` [n] is scratch. */
bool ct_lcp_consider_alternative(const ct_lcp_job *job, const double *other, double *w,
                                 ct_lcp_result *result);

/* Compares the result with the solutions of all complementary bases. `unique` becomes YES if each
 * basis is excluded with proven error bounds or has the same solution; NO if one has another
 * solution. It stays UNKNOWN if a basis has a singular matrix and the signs of its entries do not
 * exclude it. For up to CT_LCP_ENUMERATION_MAX rows. Returns CT_OUT_OF_MEMORY, CT_CANCELLED. Cost:
 * 2^n n^3 / 2 operations at most. */
ct_status ct_lcp_compare_bases(const ct_lcp_job *job, ct_lcp_result *result);

#endif
