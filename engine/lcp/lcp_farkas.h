/* Proofs that no z >= 0 has M z + q >= 0 (Farkas): y >= 0 with M'y <= 0 and q'y < 0.
 */
#ifndef LCP_LCP_FARKAS_H
#define LCP_LCP_FARKAS_H

#include "lcp/lcp_job.h"

/* Looks for one by a linear program in doubles, or in double-doubles (flags: CT_TABLEAU_WIDE,
 * lcp_tableau.h). *found: y [n] is a proof, exact where doubles can hold one and it could be found;
 * else, of double-doubles alone, but for its round-off. Not found: the inequalities have a
 * solution, or the numbers leave it open. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_lcp_farkas(const ct_lcp_job *job, double *y, unsigned flags, bool *found);

/* Is y a proof: y >= 0, M'y <= 0 but for round-off, q'y < 0 beyond it? `scratch` [2 n]. */
bool ct_lcp_farkas_is_valid(const ct_lcp_job *job, const double *y, double *scratch);

/* Is y a proof, in exact arithmetic? False also where numbers are outside the range of
 * base/predicates.h. */
bool ct_lcp_farkas_exact(const ct_lcp_job *job, const double *y);

/* Tries to make a proof that holds but for round-off an exact one: as it is, and in whole multiples
 * of small numbers. `scratch` [n]. True: y is now exact; false: y is untouched. */
bool ct_lcp_farkas_round(const ct_lcp_job *job, double *y, double *scratch);

#endif
