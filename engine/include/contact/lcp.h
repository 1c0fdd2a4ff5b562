/* Linear complementarity: w = M z + q, w >= 0, z >= 0, w'z = 0.
 *
 * Every answer tells its residual, recomputed from M, q and z after the solve, and who says that there is no solution brings a
 * proof. Cottle, Pang, Stone 2009; Baraff 1994 (Dantzig's method); Judice, Pires 1994 (block pivoting).
 */
#ifndef CONTACT_LCP_H
#define CONTACT_LCP_H

#include <contact/arena.h>
#include <contact/linkage.h>

CT_DECLARATIONS_BEGIN

/* AUTO: which method is taken depends on M and n alone; where that one fails the next is tried, and `method` tells which answered.
 * DANTZIG, BLOCK_PIVOTING (which goes on with proximal points where many rows depend on others, and as DANTZIG where it does not
 * settle; of AUTO no method takes more than a few seconds), PGS and QUADRATIC are for symmetric positive semidefinite M, LEMKE
 * (which asks DANTZIG where M is symmetric and its first path ends badly) and ENUMERATION for any. Direct ones (DANTZIG,
 * BLOCK_PIVOTING, LEMKE) take up to CT_LCP_DIRECT_MAX rows, ENUMERATION up to CT_LCP_ENUMERATION_MAX; PGS and QUADRATIC (projected
 * gradient with proportioning) up to CT_LCP_ITERATIVE_MAX, and no memory that grows faster than the entries of M. */
#define CT_LCP_METHOD_MAP(X)                                                                                                       \
  X(AUTO, "auto")                                                                                                                  \
  X(DANTZIG, "dantzig")                                                                                                            \
  X(BLOCK_PIVOTING, "blockPivoting")                                                                                               \
  X(LEMKE, "lemke")                                                                                                                \
  X(PGS, "pgs")                                                                                                                    \
  X(QUADRATIC, "quadratic")                                                                                                        \
  X(ENUMERATION, "enumeration")

typedef enum ct_lcp_method {
#define CT_LCP_METHOD_ENUM(name, word) CT_LCP_##name,
  CT_LCP_METHOD_MAP(CT_LCP_METHOD_ENUM)
#undef CT_LCP_METHOD_ENUM
      CT_LCP_METHOD_COUNT
} ct_lcp_method;

/* INFEASIBLE: no z >= 0 has M z + q >= 0: the certificate y >= 0 has M'y <= 0 and q'y < 0 (Farkas), exactly where doubles hold such
 * a y and it was found (whole numbers where M and q are), else but for its round-off. EXHAUSTED: every complementary basis was
 * looked at, each excluded beyond round-off. RAY: Lemke's paths (from several covering vectors) ended in rays, and no such y was
 * found: that proves nothing for this M. */
#define CT_LCP_STATUS_MAP(X)                                                                                                       \
  X(OK, "ok")                                                                                                                      \
  X(INFEASIBLE, "infeasible")                                                                                                      \
  X(EXHAUSTED, "exhausted")                                                                                                        \
  X(RAY, "ray")                                                                                                                    \
  X(ITERATION_LIMIT, "iterationLimit")

typedef enum ct_lcp_status {
#define CT_LCP_STATUS_ENUM(name, word) CT_LCP_STATUS_##name,
  CT_LCP_STATUS_MAP(CT_LCP_STATUS_ENUM)
#undef CT_LCP_STATUS_ENUM
} ct_lcp_status;

/* Which of several solutions: of a symmetric positive semidefinite M all have one w. MIN_NORM: the least |z|, by direct methods and
 * ENUMERATION, which also report the rank and `unique` then. If round-off decides which vectors are null vectors of M, `unique` is
 * UNKNOWN and z may not be the least. ANY: the first solution found, the same every time. Iterative methods, and other M: always
 * the first solution found. */
typedef enum ct_lcp_tie { CT_LCP_TIE_MIN_NORM, CT_LCP_TIE_ANY } ct_lcp_tie;

typedef struct ct_lcp {
  ct_matrix matrix;
  const double *q; /* [n] */
} ct_lcp;

typedef struct ct_lcp_options {
  ct_lcp_method method;
  ct_lcp_tie tie;
  double tolerance;        /* converged: residual <= tolerance (1 + |q|max); of direct methods <= tolerance |q|max, for which
                            * doubles near z are looked for where that one's round-off is more. 0: CT_LCP_TOLERANCE;
                            * CT_LCP_PGS_TOLERANCE for iterative methods by name, and for AUTO above CT_LCP_DIRECT_MAX rows */
  uint64_t iterations_max; /* pivots, factorisations or sweeps; 0: the method's own limit */
  double relaxation;       /* PGS: 0 < omega < 2; 0: 1 */
  const double *start;     /* [n] iterative methods: z to begin from; NULL: 0 */
  bool semidefinite;       /* M is known to be a product J W J', W positive semidefinite, but for the rounding of its entries:
                            * `unique` then needs no proof that M is semidefinite */
  const ct_cancel *cancel;
} ct_lcp_options;
/* Defaults: AUTO, MIN_NORM, relaxation 1; tolerance and iterations stay 0, which means those of the method. */
ct_lcp_options ct_lcp_options_default(void);

typedef struct ct_lcp_result {
  double *z, *w;       /* [n] the caller's; z >= 0 exactly; the best that was found where not OK */
  double *certificate; /* [n] the caller's, or NULL; set where INFEASIBLE */
  double *alternative; /* [n] the caller's, or NULL; set where unique is NO: another solution */
  ct_lcp_status status;
  ct_lcp_method method;   /* that gave the answer; never AUTO */
  bool converged;         /* OK and residual within the tolerance */
  double tolerance;       /* in force: the option, or the default of the method */
  double residual;        /* max |min(z, w)|, w recomputed from M, z, q */
  double complementarity; /* max |z w| */
  double asymmetry;       /* max |M - M'| */
  uint64_t iterations;
  size_t rank; /* of M, where rank_known */
  bool rank_known;
  ct_tristate unique; /* is z the only solution? See below */
} ct_lcp_result;

/* `unique` is YES where it is proven that no solution is apart from the one at z by more than round-off: the symmetric part of M is
 * positive definite; or M is symmetric, proven positive semidefinite (by its exact rank), and no null vector leads from z to
 * another solution; or, for up to 8 rows (ENUMERATION by name: 16), every complementary basis is solved with error bounds, and each
 * is excluded or leads back to one point. NO where `alternative` is a solution too: its residual is the round-off of its entries,
 * and it differs from z by more than 1e-7 of the greatest entry, each in units of 1 / sqrt(M_ii) (1 where M_ii <= 0). UNKNOWN in
 * all other cases, and always with CT_LCP_TIE_ANY, with iterative methods, and where the result has not converged. */

/* CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT (more rows than the method takes, or rows without M or
 * q). M and q are finite; nothing else is asked of them.
 * The same input gives the same bits; scaling M and q by powers of two scales z and w of the direct methods for symmetric M and
 * changes nothing else (iterative ones stop by a tolerance that is not relative alone). Cost: direct methods some n^3, with small
 * constants where n is small; sweeps O(entries of M) each. */
ct_status ct_lcp_solve(const ct_lcp *problem, const ct_lcp_options *options, ct_arena *arena, ct_lcp_result *result);

/* max |min(z, M z + q)|; w (may be NULL) gets M z + q. */
double ct_lcp_residual(const ct_lcp *problem, const double *z, double *w);

CT_DECLARATIONS_END

#endif
