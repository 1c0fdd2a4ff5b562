/* Cholesky factor of some rows and columns of a symmetric matrix, positive definite there, to which
 * rows are appended and from which they are taken. Gill, Golub, Murray, Saunders 1974. */
#ifndef LINEAR_CHOLESKY_UPDATE_H
#define LINEAR_CHOLESKY_UPDATE_H

#include "linear/arena.h"

typedef struct ct_factor {
  double *rows;  /* L by rows, `stride` apart; the diagonal's entries are inverses */
  size_t *index; /* [count] which row of the matrix each is */
  double *turns; /* [2 capacity] scratch of a removal */
  size_t stride, capacity, count;
} ct_factor;

/* For up to `capacity` rows. False: out of memory. */
bool ct_factor_make(ct_factor *f, size_t capacity, ct_arena *arena);

/* x = L^-1 x and x = L'^-1 x, in the order of `index`. */
void ct_factor_forward(const ct_factor *f, double *x);
void ct_factor_back(const ct_factor *f, double *x);

/* Appends row i: y = L^-1 of its entries in the columns of `index`, pivot what it has left on the
 * diagonal, > 0. */
void ct_factor_append(ct_factor *f, size_t i, const double *y, double pivot);
/* Takes out the row at a place in `index`; the ones behind it move up. Cost: the square of their
 * number. */
void ct_factor_remove(ct_factor *f, size_t place);

#endif
