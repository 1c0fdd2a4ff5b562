/* Factor L D L' of a principal submatrix of a symmetric positive semidefinite matrix, within its
 * envelope: entries to the left of a row's first nonzero entry stay 0. Rows are stored in panels of
 * four, each panel by columns, so that the inner loop reads memory sequentially. George, Liu 1981,
 * ch. 4; Golub, Van Loan 2013, 4.1, 4.2. */
#ifndef LINEAR_LDL_H
#define LINEAR_LDL_H

#include "linear/arena.h"

enum { CT_LDL_PANEL = 4 };

typedef struct ct_ldl {
  size_t count, panels;
  size_t *first, *start; /* [panels] first column of each panel, a multiple of four; index in
                            `values` of its first entry */
  double *values;        /* entries of the unit lower triangular L: for each column of a panel, its
                            four rows */
  double *inverse;       /* [4 panels] inverse of D; 0 for a row that depends on earlier ones, whose
                            unknown is then 0 */
  size_t dependent;      /* number of dependent rows */
  double least;          /* least ratio of a pivot to the diagonal entry in its row, at most 1 */
} ct_ldl;

/* A dense symmetric matrix, and the rows of its principal submatrix. */
typedef struct ct_ldl_part {
  const double *m;
  size_t stride;
  const uint32_t *low;  /* [rows of m] first column of each row of m that may be nonzero */
  const uint32_t *rows; /* [count] rows of the submatrix, ascending */
  size_t count;
  const uint32_t *place; /* [rows of m] number of entries of `rows` that are less than each row
                            index of m */
  double small; /* a row is dependent if its pivot is at most this fraction of its diagonal entry */
  double shift; /* fraction of each diagonal entry that is subtracted first; 0 to factor the matrix
                   itself. With a shift the factorisation is a test of definiteness
                   (ct_ldl_proof_shift) and ends at the first dependent row */
} ct_ldl_part;

/* Allocates a factor for up to `capacity` rows. False: out of memory. */
bool ct_ldl_make(ct_ldl *f, size_t capacity, ct_arena *arena);
void ct_ldl_factor(ct_ldl *f, const ct_ldl_part *part);

/* Returns a shift with which A is proven positive definite if the factorisation of `count` rows
 * finds no dependent row. In units in which the diagonal of A is 1, the computed factors are those
 * of A - shift I + E, where each |entry| of E is at most approximately (count + 10) u (u: unit
 * round-off), so |E| <= count (count + 10) u. The factor 2 also covers the rounding of A's entries.
 * Diagonal entries must be in [CT_LDL_PROOF_MIN, CT_LDL_PROOF_MAX], where nothing underflows or
 * overflows. Rump 2006, Verification of positive definiteness. */
#define CT_LDL_PROOF_MIN 0x1p-400
#define CT_LDL_PROOF_MAX 0x1p+400
static inline double ct_ldl_proof_shift(size_t count) {
  return 2.0 * CT_UNIT_ROUNDOFF * (double)count * ((double)count + 10.0);
}
/* Replaces x by the solution y of A y = x, where A is the factored submatrix. x [4 panels] is in
 * the order of `rows`; entries from `count` on must be 0 and stay so. */
void ct_ldl_solve(const ct_ldl *f, double *x);

#endif
