/* Farkas vectors, proofs that no z >= 0 satisfies M z + q >= 0: y >= 0 with M'y <= 0 and q'y <
 * 0. */
#ifndef LCP_LCP_FARKAS_H
#define LCP_LCP_FARKAS_H

#include "lcp/lcp_job.h"

/* Searches for a proof y [n] by a linear program in doubles, or in double-doubles with the flag
 * CT_TABLEAU_WIDE (lcp_tableau.h). *found: y is a proof; exact if possible, otherwise
 * (double-doubles only) valid to round-off. Not found: the inequalities have a solution, or
 * round-off leaves the question open. Returns CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_lcp_farkas(const ct_lcp_job *job, double *y, unsigned flags, bool *found);

/* True if y is a proof to round-off: y >= 0, M'y <= 0 within round-off, and q'y < 0 beyond
 * round-off. `scratch` [2 n]. */
bool ct_lcp_farkas_is_valid(const ct_lcp_job *job, const double *y, double *scratch);

/* True if y is a proof in exact arithmetic. False also if a value is outside the exactness range of
 * base/predicates.h. */
bool ct_lcp_farkas_exact(const ct_lcp_job *job, const double *y);

/* Makes the proof y exact if possible: leaves it unchanged, or replaces it by a multiple that is
 * rounded to whole numbers. True if y is now exact; otherwise y is unchanged. `scratch` [n]. */
bool ct_lcp_farkas_round(const ct_lcp_job *job, double *y, double *scratch);

#endif
