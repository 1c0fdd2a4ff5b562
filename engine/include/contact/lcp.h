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
 * - AUTO: the choice depends on M and n alone; if a method fails, the next one is tried. `method`
 *   reports the one used. No method takes more than a few seconds.
 * - DANTZIG: for symmetric positive semidefinite M; direct.
 * - BLOCK_PIVOTING: likewise. Continues with proximal points if many rows are dependent, and as
 *   DANTZIG if it does not converge.
 * - LEMKE: for any M; direct. Tries DANTZIG if M is symmetric and the first path fails.
 * - PGS: projected Gauss-Seidel, for symmetric positive semidefinite M.
 * - QUADRATIC: projected gradient with proportioning, for symmetric positive semidefinite M.
 * - ENUMERATION: for any M; all complementary bases.
 *
 * Rows: DANTZIG, BLOCK_PIVOTING and LEMKE up to CT_LCP_DIRECT_MAX, ENUMERATION up to
 * CT_LCP_ENUMERATION_MAX. PGS and QUADRATIC up to CT_LCP_ITERATIVE_MAX, with memory proportional to
 * the entries of M. */
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

/* INFEASIBLE: no z >= 0 has M z + q >= 0. The certificate y >= 0 has M'y <= 0 and q'y < 0 (Farkas),
 * exactly if such doubles exist and were found (whole numbers if M and q are), else up to
 * round-off. EXHAUSTED: every complementary basis was examined, and each is excluded beyond
 * round-off. RAY: Lemke's paths from several covering vectors ended in rays without such a y, which
 * proves nothing for this M. */
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

/* Choice among several solutions; for symmetric positive semidefinite M all have one w. MIN_NORM:
 * the least |z|, with direct methods and ENUMERATION, which then also report the rank and `unique`.
 * If round-off decides the null vectors of M, `unique` is UNKNOWN and z may not be the least. ANY:
 * the first solution found, deterministically. Iterative methods and other M: always the first
 * solution found. */
typedef enum ct_lcp_tie { CT_LCP_TIE_MIN_NORM, CT_LCP_TIE_ANY } ct_lcp_tie;

typedef struct ct_lcp {
  ct_matrix matrix;
  const double *q; /* [n] */
} ct_lcp;

typedef struct ct_lcp_options {
  ct_lcp_method method;
  ct_lcp_tie tie;
  /* Converged: residual <= tolerance (1 + |q|max). Direct methods: residual <= tolerance |q|max; if
   * round-off exceeds it, doubles near z are searched. 0: CT_LCP_TOLERANCE; CT_LCP_PGS_TOLERANCE
   * for iterative methods chosen by name, and for AUTO above CT_LCP_DIRECT_MAX rows. */
  double tolerance;
  uint64_t iterations_max; /* pivots, factorisations or sweeps; 0: the method's limit */
  double relaxation;       /* PGS: 0 < omega < 2; 0: 1 */
  const double *start;     /* [n] iterative methods: warm start for z; NULL: 0 */
  /* M is known to be a product J W J' with positive semidefinite W, up to round-off of its entries:
   * `unique` then needs no proof that M is semidefinite */
  bool semidefinite;
  const ct_cancel *cancel;
} ct_lcp_options;
/* Defaults: AUTO, MIN_NORM, relaxation 1; tolerance and iterations stay 0, the method's defaults.
 */
ct_lcp_options ct_lcp_options_default(void);

typedef struct ct_lcp_result {
  double *z, *w;       /* [n] caller's arrays; z >= 0 exactly; if not OK, the best found */
  double *certificate; /* [n] caller's array, or NULL; set if INFEASIBLE */
  double *alternative; /* [n] caller's array, or NULL; another solution, set if unique is NO */
  ct_lcp_status status;
  ct_lcp_method method;   /* the method used; never AUTO */
  bool converged;         /* OK and residual within the tolerance */
  double tolerance;       /* the tolerance used */
  double residual;        /* max |min(z, w)|, w recomputed from M, z, q */
  double complementarity; /* max |z w| */
  double asymmetry;       /* max |M - M'| */
  uint64_t iterations;
  size_t rank; /* rank of M, if rank_known */
  bool rank_known;
  ct_tristate unique; /* is z the only solution? Defined below */
} ct_lcp_result;

/* Meaning of `unique`. YES: proven that all solutions are at z up to round-off, in one of three
 * ways. The symmetric part of M is positive definite. Or M is symmetric, proven positive
 * semidefinite (by its exact rank), and no null vector leads from z to another solution. Or, for up
 * to 8 rows (ENUMERATION by name: 16), every complementary basis is solved with error bounds, and
 * each is excluded or leads to one point. NO: `alternative` is a solution too. Its residual is the
 * round-off of its entries. It differs from z by more than 1e-7 of the greatest entry, each in
 * units of 1 / sqrt(M_ii) (1 if M_ii <= 0). UNKNOWN: all other cases, and always with
 * CT_LCP_TIE_ANY, iterative methods or unconverged results. */

/* Solves the LCP; fills *result and its arrays. M and q are finite, without other requirements.
 * Deterministic. Direct methods for symmetric M: scaling M and q by powers of two scales z and w
 * and changes nothing else. The tolerance of iterative methods is not purely relative. Cost: direct
 * methods O(n^3) with small constants for small n; sweeps O(entries of M) each.
 * CT_LIMIT: more rows than the method supports, or rows without M or q. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
ct_status ct_lcp_solve(const ct_lcp *problem, const ct_lcp_options *options, ct_arena *arena,
                       ct_lcp_result *result);

/* Residual max |min(z, M z + q)|; w [n] (may be NULL) is set to M z + q. O(entries of M). */
double ct_lcp_residual(const ct_lcp *problem, const double *z, double *w);

CT_DECLARATIONS_END

#endif
