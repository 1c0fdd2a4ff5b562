/* Rank of a symmetric positive semidefinite matrix: a Cholesky factor that chooses the row with
 * the greatest pivot relative to its diagonal entry. Higham 2002, 10.3. */
#ifndef LINEAR_PIVOTED_CHOLESKY_H
#define LINEAR_PIVOTED_CHOLESKY_H

#include "linear/arena.h"

/* Effect of M's round-off on v'M v = 0, where `terms` is the sum of sqrt(M_ii) |v_i|. Entries of a
 * computed product M are accurate to some units in the last place of sqrt(M_ii M_jj) at best. */
static inline double ct_rank_roundoff(double terms) {
  return 4.0 * CT_UNIT_ROUNDOFF * terms * terms;
}

typedef struct ct_rank {
  size_t size, count; /* rows; pivots */
  size_t chosen;      /* pivots chosen from the rows marked `first` */
  double least;       /* least ratio of such a pivot to its diagonal entry; 1 without any */
  uint32_t *order;    /* [count] rows by pivot */
  double *factor; /* row i of L at i size, for all rows; entries right of a pivot row's diagonal are
                     unset */
  bool semidefinite; /* no remaining diagonal entry is negative beyond round-off */
} ct_rank;

/* Chooses pivots from the rows marked `first`, then from the others. A row is dependent if its
 * pivot is at most `small` of its diagonal entry. Returns false if out of memory. Cost: size
 * count^2. */
bool ct_rank_find(ct_rank *r, const double *dense, size_t size, const bool *first, double small,
                  ct_arena *arena);

#endif
