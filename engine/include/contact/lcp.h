/* Linear complementarity problems (LCP): w = M z + q, w >= 0, z >= 0, w'z = 0. For a symmetric,
 * semidefinite M these are the KKT conditions of min z'M z / 2 + q'z with z >= 0.
 *
 * Every result has its residual, recomputed from M, q and z after the solve. Every claim of
 * infeasibility has a proof. Cottle, Pang, Stone 2009; Baraff 1994 (Dantzig's method); Judice,
 * Pires 1994 (block pivoting). */
#ifndef CONTACT_LCP_H
#define CONTACT_LCP_H

#include <contact/arena.h>
#include <contact/base.h>

CT_DECLARATIONS_BEGIN

/* Solvers.
 * - AUTO: chooses by M and n alone, and tries the next method if one fails; no choice takes more
 *   than a few seconds. `method` of the result is the method used.
 * - DANTZIG: for symmetric positive semidefinite M; direct.
 * - BLOCK_PIVOTING: for symmetric positive semidefinite M; direct. Continues with proximal point
 *   iterations if many rows are dependent, and as DANTZIG if it does not converge.
 * - LEMKE: for any M; direct. Tries DANTZIG if M is symmetric and Lemke's first path fails.
 * - PGS: projected Gauss-Seidel, for symmetric positive semidefinite M.
 * - QUADRATIC: projected gradient with proportioning, for symmetric positive semidefinite M.
 * - ENUMERATION: for any M; examines all complementary bases.
 *
 * Largest number of rows: DANTZIG, BLOCK_PIVOTING and LEMKE CT_LCP_DIRECT_MAX, ENUMERATION
 * CT_LCP_ENUMERATION_MAX, PGS and QUADRATIC CT_LCP_ITERATIVE_MAX, with memory proportional to the
 * entries of M. */
#define CT_LCP_METHOD_MAP(X)                                                                       \
  X(AUTO, "auto")                                                                                  \
  X(DANTZIG, "dantzig")                                                                            \
  X(BLOCK_PIVOTING, "blockPivoting")                                                               \
  X(LEMKE, "lemke")                                                                                \
  X(PGS, "pgs")                                                                                    \
  X(QUADRATIC, "quadratic")                                                                        \
  X(ENUMERATION, "enumeration")

typedef enum ct_lcp_method {
#define CT_LCP_METHOD_ENUM(name, word) CT_LCP_##name,
  CT_LCP_METHOD_MAP(CT_LCP_METHOD_ENUM)
#undef CT_LCP_METHOD_ENUM
      CT_LCP_METHOD_COUNT
} ct_lcp_method;

/* Status of a result.
 * - INFEASIBLE: no z >= 0 has M z + q >= 0, proven by the certificate y >= 0 with M'y <= 0 and q'y
 *   < 0 (Farkas). The inequalities are exact if doubles that satisfy them exactly were found
 *   (integers if M and q are integer), else satisfied up to round-off.
 * - EXHAUSTED: every complementary basis was examined, and each is excluded beyond round-off.
 * - RAY: Lemke's paths from several covering vectors ended in rays, and no certificate was found;
 *   this proves nothing for this M.
 * - ITERATION_LIMIT: no solution within the limit. */
#define CT_LCP_STATUS_MAP(X)                                                                       \
  X(OK, "ok")                                                                                      \
  X(INFEASIBLE, "infeasible")                                                                      \
  X(EXHAUSTED, "exhausted")                                                                        \
  X(RAY, "ray")                                                                                    \
  X(ITERATION_LIMIT, "iterationLimit")

typedef enum ct_lcp_status {
#define CT_LCP_STATUS_ENUM(name, word) CT_LCP_STATUS_##name,
  CT_LCP_STATUS_MAP(CT_LCP_STATUS_ENUM)
#undef CT_LCP_STATUS_ENUM
} ct_lcp_status;

/* Which of several solutions is returned; for symmetric positive semidefinite M all solutions have
 * the same w. MIN_NORM: the solution of least |z|, by direct methods and ENUMERATION, which then
 * also report the rank and `unique`. If the null vectors of M are lost in round-off, `unique` is
 * UNKNOWN and |z| may not be the least. ANY, and always for iterative methods and other M: the
 * first solution found, deterministically. */
typedef enum ct_lcp_tie { CT_LCP_TIE_MIN_NORM, CT_LCP_TIE_ANY } ct_lcp_tie;

typedef struct ct_lcp {
  ct_matrix matrix;
  const double *q; /* [n] */
} ct_lcp;

typedef struct ct_lcp_options {
  ct_lcp_method method;
  ct_lcp_tie tie;
  /* Largest residual of a converged result. Iterative methods: residual <= tolerance (1 + |q|max).
   * Direct methods: residual <= tolerance |q|max; if round-off exceeds it, doubles near z are
   * tried. 0: CT_LCP_TOLERANCE; CT_LCP_PGS_TOLERANCE for iterative methods chosen by name, and for
   * AUTO above CT_LCP_DIRECT_MAX rows. */
  double tolerance;
  /* largest number of pivots, factorisations or sweeps; 0: the method's limit */
  uint64_t iterations_max;
  double relaxation;   /* PGS: relaxation factor omega, 0 < omega < 2; 0: 1 */
  const double *start; /* [n] iterative methods: initial z (warm start); NULL: 0 */
  /* the caller asserts that M is a product J W J' with positive semidefinite W, up to round-off of
   * its entries: `unique` then needs no proof that M is semidefinite */
  bool semidefinite;
  const ct_cancel *cancel;
} ct_lcp_options;
/* Defaults: AUTO, MIN_NORM, relaxation 1; tolerance and iterations_max 0, that is the method's
 * defaults. */
ct_lcp_options ct_lcp_options_default(void);

typedef struct ct_lcp_result {
  /* [n] caller's arrays: the solution, z >= 0 exactly; the best z and w found if status is not
   * OK */
  double *z, *w;
  double *certificate; /* [n] caller's array, or NULL: set to the proof if status is INFEASIBLE */
  double *alternative; /* [n] caller's array, or NULL: set to another solution if unique is NO */
  ct_lcp_status status;
  ct_lcp_method method;   /* the method used; never AUTO */
  bool converged;         /* OK and residual within the tolerance */
  double tolerance;       /* the tolerance used */
  double residual;        /* max |min(z, w)|, where w is recomputed from M, z and q */
  double complementarity; /* max |z w| */
  double asymmetry;       /* max |M - M'| */
  uint64_t iterations;
  size_t rank; /* rank of M, if rank_known */
  bool rank_known;
  ct_tristate unique; /* is z the only solution? Defined below */
} ct_lcp_result;

/* Meaning of `unique`.
 * - YES: proven that all solutions are equal to z up to round-off, in one of three ways: the
 *   symmetric part of M is positive definite; or M is symmetric, proven positive semidefinite (by
 *   its exact rank), and z plus a null vector is never another solution; or, for up to 8 rows
 *   (ENUMERATION chosen by name: 16), every complementary basis is solved with error bounds, and
 *   each is excluded or has the solution z.
 * - NO: `alternative` is a solution too, with a residual of the round-off of its entries. It
 *   differs from z by more than 1e-7 of the greatest entry, where entry i is measured in units of 1
 *   / sqrt(M_ii) (1 if M_ii <= 0).
 * - UNKNOWN: all other cases, and always with CT_LCP_TIE_ANY, iterative methods or unconverged
 *   results. */

/* Solves the LCP; fills *result and its arrays. M and q have to be finite. Deterministic. Direct
 * methods for symmetric M: scaling M and q by powers of two scales z and w and changes nothing
 * else; iterative methods have a tolerance that is not purely relative. Cost: direct methods
 * O(n^3), with small constants for small n; sweeps O(entries of M) each.
 * CT_LIMIT: more rows than the method supports, or rows without M or q. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
ct_status ct_lcp_solve(const ct_lcp *problem, const ct_lcp_options *options, ct_arena *arena,
                       ct_lcp_result *result);

/* Returns the residual max |min(z, M z + q)| of any z; w [n] (may be NULL): set to M z + q.
 * O(entries of M). */
double ct_lcp_residual(const ct_lcp *problem, const double *z, double *w);

CT_DECLARATIONS_END

#endif
