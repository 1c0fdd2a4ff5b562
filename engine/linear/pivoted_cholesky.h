/* Which rows of a symmetric positive semidefinite matrix depend on others: a Cholesky factor with
 * pivots of the largest part left of their diagonal. Higham 2002, 10.3. */
#ifndef LINEAR_PIVOTED_CHOLESKY_H
#define LINEAR_PIVOTED_CHOLESKY_H

#include "linear/arena.h"

/* What the round-off of M itself makes of v'M v that is 0, where `terms` is the sum of sqrt(M_ii)
 * |v_i|: whoever made M as a product has made each entry right to some units in the last place of
 * sqrt(M_ii M_jj) at best. */
static inline double ct_rank_roundoff(double terms) {
  return 4.0 * CT_UNIT_ROUNDOFF * terms * terms;
}

typedef struct ct_rank {
  size_t size, count; /* pivots */
  size_t chosen;      /* of these, the first ones, from the rows that come first */
  double least;       /* of their diagonal entries the least part that was left; 1 without any */
  uint32_t *order;    /* [count] rows by pivot */
  double *factor;     /* row i of L at i size; all rows are there, what is right of a pivot row's
                         diagonal is unset */
  bool semidefinite;  /* nothing that was left is negative beyond round-off */
} ct_rank;

/* Pivots from the rows that are `first` as long as there are any, then from the others; a row is
 * done with when `small` of its diagonal is left. False: out of memory. Cost: size count^2. */
bool ct_rank_find(ct_rank *r, const double *dense, size_t size, const bool *first, double small,
                  ct_arena *arena);

#endif
