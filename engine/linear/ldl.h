/* L D L' of the part of a symmetric positive semidefinite matrix that some rows and columns make,
 * within its envelope: what is left of a row's first entry that is not 0 stays 0. Rows go in panels
 * of four, a panel's columns one after the other, so that the inner loop takes four rows times four
 * rows from memory in order. George, Liu 1981, ch. 4; Golub, Van Loan 2013, 4.1, 4.2.
 */
#ifndef LINEAR_LDL_H
#define LINEAR_LDL_H

#include "linear/arena.h"

enum { CT_LDL_PANEL = 4 };

typedef struct ct_ldl {
  size_t count, panels;
  size_t *first, *start; /* [panels] first column, a multiple of four; where in `values` it is */
  double *values;        /* unit lower L: four of a column, then the next column */
  double *inverse;  /* [4 panels] of D; 0 where a row depends on those before it: its unknown is 0
                       then */
  size_t dependent; /* how many do */
  double least;     /* part of a diagonal entry that was left of it, the least */
} ct_ldl;

/* The symmetric matrix, and which of its rows: dense, `low[i]` the first column of row i that may
 * be other than 0. */
typedef struct ct_ldl_part {
  const double *m;
  size_t stride;
  const uint32_t *low;  /* by row of m */
  const uint32_t *rows; /* [count] ascending */
  size_t count;
  const uint32_t *place; /* by row of m: how many of `rows` are below it */
  double small; /* a row depends on others when this part of its diagonal is left, or less */
  double shift; /* part of each diagonal entry that is subtracted first; 0 for the matrix itself.
                 * Else the factorisation is a test (ct_ldl_proof_shift) and ends at the first row
                 * that depends on others */
} ct_ldl_part;

/* Memory for up to `capacity` rows. False: out of memory. */
bool ct_ldl_make(ct_ldl *f, size_t capacity, ct_arena *arena);
void ct_ldl_factor(ct_ldl *f, const ct_ldl_part *part);

/* The shift that proves A positive definite if the factorisation of `count` rows finds no dependent
 * row. In units in which the diagonal of A is 1, the computed factors are those of A - shift I + E,
 * where each entry of E is at most about (count + 10) u, so |E| <= count (count + 10) u. The other
 * half covers entries of A that are themselves rounded. Requires diagonal entries within
 * CT_LDL_PROOF_MIN .. CT_LDL_PROOF_MAX, where nothing under- or overflows. Rump 2006, Verification
 * of positive definiteness. */
#define CT_LDL_PROOF_MIN 0x1p-400
#define CT_LDL_PROOF_MAX 0x1p+400
static inline double ct_ldl_proof_shift(size_t count) {
  return 2.0 * CT_UNIT_ROUNDOFF * (double)count * ((double)count + 10.0);
}
/* x = the solution of A x = x; x [4 panels], in the order of `rows`; what is behind the count is 0
 * and stays so. */
void ct_ldl_solve(const ct_ldl *f, double *x);

#endif
