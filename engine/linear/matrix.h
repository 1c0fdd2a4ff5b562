/* Products with a ct_matrix, dense or sparse. Sums are in a fixed order. */
#ifndef LINEAR_MATRIX_H
#define LINEAR_MATRIX_H

#include <contact/arena.h>

/* Row i times x. */
double ct_matrix_row(const ct_matrix *m, size_t i, const double *x);
/* Row i times x, plus c, in double-doubles: accurate to a bit or two even if terms cancel. */
double ct_matrix_row_beside(const ct_matrix *m, size_t i, const double *x, double c);
/* The same for a dense row that is 0 outside of columns low .. high - 1. */
double ct_dense_row_beside(const double *row, const double *x, size_t low, size_t high, double c);
/* y = M x, y = M' x. */
void ct_matrix_product(const ct_matrix *m, const double *x, double *y);
void ct_matrix_transposed_product(const ct_matrix *m, const double *x, double *y);
/* Entry i, j. For a sparse matrix, by a search in the row. */
double ct_matrix_entry(const ct_matrix *m, size_t i, size_t j);
/* max |M - M'|; *largest is max |M|. */
double ct_matrix_asymmetry(const ct_matrix *m, double *largest);
/* Copies a sparse matrix to a dense one [n n]. */
void ct_matrix_spread(const ct_matrix *m, double *dense);
/* Computes ranges: row i of a dense [n n] is 0 outside of low[i] .. high[i] - 1, which include the
 * diagonal. */
void ct_matrix_ranges(const double *dense, size_t n, uint32_t *low, uint32_t *high);

#endif
