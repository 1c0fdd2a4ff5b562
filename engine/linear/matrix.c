/* Products with a ct_matrix; see matrix.h. */
#include "linear/matrix.h"

#include "base/double_double.h"
#include "linear/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows of a square tile. Two tiles stay in the first-level cache while one of them is read by
 * columns. */
enum { TILE = 16 };

double ct_matrix_row(const ct_matrix *m, size_t i, const double *x) {
  assert(i < m->size);
  if (m->dense) return ct_dense_dot(m->dense + i * m->size, x, m->size);
  double sum = 0.0;
  for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) sum += m->values[e] * x[m->columns[e]];
  return sum;
}

/* The splitting of factors near the limit of doubles overflows; then the sum in doubles is
 * returned. */
double ct_dense_row_beside(const double *row, const double *x, size_t low, size_t high, double c) {
  assert(low <= high);
  ct_dd sum = ct_dd_of(c);
  for (size_t j = low; j < high; j++)
    if (x[j] != 0.0 && row[j] != 0.0) sum = ct_dd_add(sum, ct_two_product(row[j], x[j]));
  double value = ct_dd_value(sum);
  return isfinite(value) ? value : ct_dense_dot(row + low, x + low, high - low) + c;
}

double ct_matrix_row_beside(const ct_matrix *m, size_t i, const double *x, double c) {
  assert(i < m->size);
  if (m->dense) return ct_dense_row_beside(m->dense + i * m->size, x, 0, m->size, c);
  ct_dd sum = ct_dd_of(c);
  for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++)
    if (x[m->columns[e]] != 0.0)
      sum = ct_dd_add(sum, ct_two_product(m->values[e], x[m->columns[e]]));
  double value = ct_dd_value(sum);
  return isfinite(value) ? value : ct_matrix_row(m, i, x) + c;
}

void ct_matrix_product(const ct_matrix *m, const double *x, double *y) {
  assert(x != y);
  for (size_t i = 0; i < m->size; i++) y[i] = ct_matrix_row(m, i, x);
}

void ct_matrix_transposed_product(const ct_matrix *m, const double *x, double *y) {
  assert(x != y);
  memset(y, 0, m->size * sizeof *y);
  for (size_t i = 0; i < m->size; i++) {
    if (m->dense) {
      ct_dense_add(y, m->dense + i * m->size, x[i], m->size);
    } else {
      for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++)
        y[m->columns[e]] += m->values[e] * x[i];
    }
  }
}

double ct_matrix_entry(const ct_matrix *m, size_t i, size_t j) {
  assert(i < m->size && j < m->size);
  if (m->dense) return m->dense[i * m->size + j];
  size_t low = m->starts[i], high = m->starts[i + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (m->columns[middle] == j) return m->values[middle];
    if (m->columns[middle] < j) low = middle + 1;
    else high = middle;
  }
  return 0.0;
}

static double dense_asymmetry(const double *a, size_t n, double *largest) {
  double most = 0.0, size = 0.0;
  for (size_t top = 0; top < n; top += TILE)
    for (size_t left = 0; left <= top; left += TILE)
      for (size_t i = top; i < n && i < top + TILE; i++)
        for (size_t j = left; j <= i && j < left + TILE; j++) {
          double x = a[i * n + j], y = a[j * n + i], apart = fabs(x - y),
                 larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
          most = apart > most ? apart : most;
          size = larger > size ? larger : size;
        }
  *largest = size;
  return most;
}

double ct_matrix_asymmetry(const ct_matrix *m, double *largest) {
  if (m->dense) return dense_asymmetry(m->dense, m->size, largest);
  double most = 0.0;
  *largest = 0.0;
  for (size_t i = 0; i < m->size; i++)
    for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++) {
      double apart =
          m->columns[e] == i ? 0.0 : fabs(m->values[e] - ct_matrix_entry(m, m->columns[e], i));
      most = apart > most ? apart : most;
      *largest = fabs(m->values[e]) > *largest ? fabs(m->values[e]) : *largest;
    }
  return most;
}

void ct_matrix_spread(const ct_matrix *m, double *dense) {
  assert(m->starts && m->columns && m->values);
  memset(dense, 0, m->size * m->size * sizeof *dense);
  for (size_t i = 0; i < m->size; i++)
    for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++)
      dense[i * m->size + m->columns[e]] = m->values[e];
}

void ct_matrix_ranges(const double *dense, size_t n, uint32_t *low, uint32_t *high) {
  for (size_t i = 0; i < n; i++) {
    const double *row = dense + i * n;
    size_t from = 0, to = n;
    while (from < i && row[from] == 0.0) from++;
    while (to > i + 1 && row[to - 1] == 0.0) to--;
    low[i] = (uint32_t)from;
    high[i] = (uint32_t)to;
    assert(low[i] <= i && i < high[i]);
  }
}
