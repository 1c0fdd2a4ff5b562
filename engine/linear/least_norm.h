/* The shortest of the vectors that come nearest to solving linear equations: rank-revealing, for
 * systems with more unknowns than equations, more equations than unknowns, or equations that depend
 * on each other.
 */
#ifndef LINEAR_LEAST_NORM_H
#define LINEAR_LEAST_NORM_H

#include <contact/arena.h>

/* What is left of a column beside those before it, part of the longest, below which it counts as
 * dependent. */
#define CT_LEAST_NORM_RANK 1e-11

typedef struct ct_equations {
  size_t rows, columns;
  double *matrix; /* [columns][rows] column by column; overwritten */
  double *right;  /* [rows]; overwritten */
} ct_equations;

/* out: [columns]; *rank may be NULL. Householder reflections with column pivoting, then from the
 * right (complete orthogonal decomposition; Golub, Van Loan 5.4.7). False: out of memory. Cost: 4
 * rows columns min(rows, columns), at most. */
bool ct_least_norm(const ct_equations *equations, double *out, size_t *rank, ct_arena *arena);

#endif
