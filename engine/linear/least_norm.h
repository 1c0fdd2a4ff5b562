/* Least-squares solution of least norm of linear equations. Rank-revealing, for underdetermined,
 * overdetermined and dependent systems. */
#ifndef LINEAR_LEAST_NORM_H
#define LINEAR_LEAST_NORM_H

#include <contact/arena.h>

/* A column is dependent if its part orthogonal to earlier columns is at most this part of the
 * longest. */
#define CT_LEAST_NORM_RANK 1e-11

typedef struct ct_equations {
  size_t rows, columns;
  double *matrix; /* [columns][rows] column by column; overwritten */
  double *right;  /* [rows]; overwritten */
} ct_equations;

/* out: [columns]; *rank may be NULL. Householder reflections with column pivoting, then from the
 * right (complete orthogonal decomposition; Golub, Van Loan 5.4.7). Returns false if out of
 * memory. Cost: at most 4 rows columns min(rows, columns). */
bool ct_least_norm(const ct_equations *equations, double *out, size_t *rank, ct_arena *arena);

#endif
