/* Rank of a symmetric positive semidefinite matrix by Cholesky factorisation with pivoting: each
 * pivot is the row with the greatest remaining diagonal entry, relative to its original one. Higham
 * 2002, 10.3. */
#ifndef LINEAR_PIVOTED_CHOLESKY_H
#define LINEAR_PIVOTED_CHOLESKY_H

#include "linear/arena.h"

/* Effect of the round-off of M on v'M v for a null vector v, where `terms` is the sum of sqrt(M_ii)
 * |v_i|. Entries of a computed product M are accurate to a few units in the last place of sqrt(M_ii
 * M_jj) at best. */
static inline double ct_rank_roundoff(double terms) {
  return 4.0 * CT_UNIT_ROUNDOFF * terms * terms;
}

typedef struct ct_rank {
  size_t size, count; /* number of rows of the matrix; number of pivots, which is the rank */
  size_t chosen;      /* number of pivots chosen from the rows marked in `first` */
  double least;       /* least ratio of one of these `chosen` pivots to the diagonal entry in its
                         row; 1 if `chosen` is 0 */
  uint32_t *order;    /* [count] row of each pivot */
  double *factor; /* row i of L begins at i * size, for all rows; in a row that is a pivot, entries
                     to the right of its diagonal are unset */
  bool semidefinite; /* no remaining diagonal entry is negative beyond round-off */
} ct_rank;

/* Factors dense [size size], with pivots from the rows marked in `first`, then from the others. A
 * row is dependent if its pivot is at most `small` times its diagonal entry. False: out of memory.
 * Cost: size count^2. */
bool ct_rank_find(ct_rank *r, const double *dense, size_t size, const bool *first, double small,
                  ct_arena *arena);

#endif
