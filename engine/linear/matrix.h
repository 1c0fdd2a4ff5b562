/* Products of a ct_matrix, dense or sparse, with vectors. Terms are added in a fixed order. */
#ifndef LINEAR_MATRIX_H
#define LINEAR_MATRIX_H

#include <contact/arena.h>

/* Returns row i times x. */
double ct_matrix_row(const ct_matrix *m, size_t i, const double *x);
/* Returns row i times x, plus c, computed in double-doubles: the error is a bit or two even if the
 * terms cancel. */
double ct_matrix_row_beside(const ct_matrix *m, size_t i, const double *x, double c);
/* Returns the same for a dense row that is 0 outside of the columns low to high - 1. */
double ct_dense_row_beside(const double *row, const double *x, size_t low, size_t high, double c);
/* Computes y = M x (product), y = M' x (transposed product). x and y must be different arrays. */
void ct_matrix_product(const ct_matrix *m, const double *x, double *y);
void ct_matrix_transposed_product(const ct_matrix *m, const double *x, double *y);
/* Returns entry (i, j). In a sparse matrix, by binary search in the row. */
double ct_matrix_entry(const ct_matrix *m, size_t i, size_t j);
/* Returns max |M - M'| over all entries; *largest is max |M|. */
double ct_matrix_asymmetry(const ct_matrix *m, double *largest);
/* Writes all entries of a sparse matrix, zeros included, to dense [n n]. */
void ct_matrix_spread(const ct_matrix *m, double *dense);
/* For each row i of dense [n n], sets low[i] and high[i] so that the row is 0 outside of the
 * columns low[i] to high[i] - 1; the range includes the diagonal. */
void ct_matrix_ranges(const double *dense, size_t n, uint32_t *low, uint32_t *high);

#endif
