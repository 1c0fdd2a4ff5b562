/* Proofs that no z >= 0 satisfies M z + q >= 0 (Farkas): y >= 0 with M'y <= 0 and q'y < 0. */
#ifndef LCP_LCP_FARKAS_H
#define LCP_LCP_FARKAS_H

#include "lcp/lcp_job.h"

/* Searches for a proof by a linear program in doubles or double-doubles (flags: CT_TABLEAU_WIDE,
 * lcp_tableau.h). *found: y [n] is a proof, exact if possible; from double-doubles otherwise valid
 * to its round-off. Not found: the inequalities have a solution, or round-off leaves it undecided.
 * Returns CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_lcp_farkas(const ct_lcp_job *job, double *y, unsigned flags, bool *found);

/* True if y is a proof: y >= 0, M'y <= 0 to round-off, q'y < 0 beyond round-off. `scratch` [2 n].
 */
bool ct_lcp_farkas_is_valid(const ct_lcp_job *job, const double *y, double *scratch);

/* True if y is a proof in exact arithmetic. False also for numbers outside the range of
 * base/predicates.h. */
bool ct_lcp_farkas_exact(const ct_lcp_job *job, const double *y);

/* Makes a proof exact, if possible: unchanged, or as whole multiples of small numbers. `scratch`
 * [n]. Returns true if y is now exact; otherwise y is unchanged. */
bool ct_lcp_farkas_round(const ct_lcp_job *job, double *y, double *scratch);

#endif
