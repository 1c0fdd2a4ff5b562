/* Solves linear equations in the least-squares sense; among all such solutions, finds the one of
 * least norm. Determines the rank; suitable for underdetermined, overdetermined and dependent
 * systems. */
#ifndef LINEAR_LEAST_NORM_H
#define LINEAR_LEAST_NORM_H

#include <contact/arena.h>

/* A column counts as dependent if its component orthogonal to the columns before is at most this
 * fraction of the longest. */
#define CT_LEAST_NORM_RANK 1e-11

typedef struct ct_equations {
  size_t rows, columns;
  double *matrix; /* [columns][rows] stored column by column; overwritten */
  double *right;  /* [rows] right-hand side; overwritten */
} ct_equations;

/* Writes the solution to out [columns], and the rank to *rank unless NULL. Method: Householder
 * reflections with column pivoting, then reflections from the right (complete orthogonal
 * decomposition; Golub, Van Loan 5.4.7). False: out of memory. Cost: at most 4 rows columns
 * min(rows, columns). */
bool ct_least_norm(const ct_equations *equations, double *out, size_t *rank, ct_arena *arena);

#endif
