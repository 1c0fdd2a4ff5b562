/* Whether a solution of a linear complementarity problem is the only one: proven, disproven by
 * another solution, or unknown. */
#ifndef LCP_LCP_UNIQUENESS_H
#define LCP_LCP_UNIQUENESS_H

#include "lcp/lcp_job.h"

/* *definite: the symmetric part of M is proven positive definite, which leaves one solution for
 * every q (Cottle, Pang, Stone 2009, 3.1). False where it is not, or so near to singular that
 * round-off decides. CT_OUT_OF_MEMORY. Cost: n^3 / 3 at most. */
ct_status ct_lcp_is_definite(const ct_lcp_job *job, bool *definite);

/* *semidefinite: the symmetric M is positive semidefinite, by the caller's word or by a proof from
 * `pivots` [count]: independent rows, as many as M has rank. CT_OUT_OF_MEMORY. */
ct_status ct_lcp_is_semidefinite(const ct_lcp_job *job, const uint32_t *pivots, size_t count,
                                 bool *semidefinite);

/* Is `other` [n] >= 0 a solution, to the round-off of its own entries and within the target, and
 * different from the result's? If so it becomes result->alternative, and `unique` NO. `w` [n]
 * scratch. */
bool ct_lcp_consider_alternative(const ct_lcp_job *job, const double *other, double *w,
                                 ct_lcp_result *result);

/* Compares the result with the solutions of all other complementary bases: `unique` becomes YES
 * where each of them is excluded with proven error bounds, or leads back to the same point; NO
 * where one has another solution. A basis with a singular matrix that the signs of its rows do not
 * exclude leaves it UNKNOWN. For up to CT_LCP_ENUMERATION_MAX rows. CT_OUT_OF_MEMORY, CT_CANCELLED.
 * Cost: 2^n n^3 / 2 operations at most. */
ct_status ct_lcp_compare_bases(const ct_lcp_job *job, ct_lcp_result *result);

#endif
