/* L D L' of a principal submatrix of a symmetric positive semidefinite matrix, within its
 * envelope: entries left of a row's first nonzero entry stay 0. Rows are stored in panels of four,
 * each by columns, so that the inner loop reads four rows times four rows sequentially. George,
 * Liu 1981, ch. 4; Golub, Van Loan 2013, 4.1, 4.2. */
#ifndef LINEAR_LDL_H
#define LINEAR_LDL_H

#include "linear/arena.h"

enum { CT_LDL_PANEL = 4 };

typedef struct ct_ldl {
  size_t count, panels;
  size_t *first, *start; /* [panels] first column, a multiple of four; offset in `values` */
  double *values;        /* unit lower L: four rows of a column, then the next column */
  double *inverse;       /* [4 panels] inverse of D; 0 for a row that depends on earlier ones, whose
                            unknown is then 0 */
  size_t dependent;      /* number of dependent rows */
  double least;          /* least ratio of a pivot to its diagonal entry */
} ct_ldl;

/* The symmetric matrix and the rows of the submatrix: dense, `low[i]` the first column of row i
 * that may be nonzero. */
typedef struct ct_ldl_part {
  const double *m;
  size_t stride;
  const uint32_t *low;  /* indexed by row of m */
  const uint32_t *rows; /* [count] ascending */
  size_t count;
  const uint32_t *place; /* indexed by row of m: how many of `rows` are below it */
  double small; /* a row is dependent if its pivot is at most this part of its diagonal entry */
  double shift; /* part of each diagonal entry that is subtracted first; 0 for the matrix itself.
                   With a shift the factorisation is a test (ct_ldl_proof_shift) and ends at the
                   first dependent row */
} ct_ldl_part;

/* Allocates a factor for up to `capacity` rows. Returns false if out of memory. */
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
/* Solves A x = x in place; x [4 panels], in the order of `rows`. Entries behind the count are 0
 * and stay so. */
void ct_ldl_solve(const ct_ldl *f, double *x);

#endif
