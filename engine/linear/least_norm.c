/* Complete orthogonal decomposition M P = Q [T 0; 0 0] Z with orthogonal Q and Z, a permutation P,
 * and a triangular T whose size is the rank. */
#include "linear/least_norm.h"

#include "linear/arena.h"

#include <assert.h>
#include <math.h>

typedef struct equations {
  size_t rows, columns, rank;
  double *matrix, *right;
  size_t *order; /* [columns] unknown that each column belongs to */
} equations;

static double strided_length(const double *a, size_t count, size_t stride) {
  double most = 0.0, sum = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(a[i * stride]));
  if (most == 0.0) return 0.0;
  for (size_t i = 0; i < count; i++) sum += (a[i * stride] / most) * (a[i * stride] / most);
  return most * sqrt(sum);
}

static void swap_columns(equations *e, size_t i, size_t j) {
  assert(i < e->columns && j < e->columns);
  if (i == j) return;
  for (size_t r = 0; r < e->rows; r++) {
    double kept = e->matrix[i * e->rows + r];
    e->matrix[i * e->rows + r] = e->matrix[j * e->rows + r];
    e->matrix[j * e->rows + r] = kept;
  }
  size_t kept = e->order[i];
  e->order[i] = e->order[j];
  e->order[j] = kept;
}

/* Applies a Householder reflection y -= beta (v.y) v with beta = 2 / v.v. v[0] is 1 and not
 * stored. */
static void apply_reflection(const double *v, double beta, double *y, size_t count) {
  double along = y[0];
  for (size_t i = 1; i < count; i++) along += v[i] * y[i];
  along *= beta;
  y[0] -= along;
  for (size_t i = 1; i < count; i++) y[i] -= along * v[i];
}

/* Computes the reflection that maps x to (+-length, 0, ...). Stores that length in x[0] and v[1]
 * ... in the other entries; v[0] = 1. Returns beta; 0 if x is 0. */
static double make_reflection(double *x, size_t count, size_t stride) {
  assert(count > 0);
  double length = strided_length(x, count, stride);
  if (length == 0.0) return 0.0;
  double first = x[0] >= 0.0 ? x[0] + length : x[0] - length;
  /* beta = 2 / v.v for v = (1, x / first), since first^2 + (sum of the other squares) = 2 length
   * |first|. */
  double beta = fabs(first) / length;
  for (size_t i = 1; i < count; i++) x[i * stride] /= first;
  x[0] = x[0] >= 0.0 ? -length : length;
  return beta;
}

/* Reduces the matrix to an upper triangle of independent columns, followed by dependent ones, and
 * sets the rank. */
static void triangulate(equations *e) {
  size_t m = e->rows, most = m < e->columns ? m : e->columns;
  double greatest = 0.0;
  for (e->rank = 0; e->rank < most; e->rank++) {
    size_t k = e->rank, best = k;
    double longest = -1.0;
    for (size_t j = k; j < e->columns; j++) {
      double length = strided_length(&e->matrix[j * m + k], m - k, 1);
      if (length > longest) {
        longest = length;
        best = j;
      }
    }
    greatest = fmax(greatest, longest);
    if (!(longest > CT_LEAST_NORM_RANK * greatest)) return;
    swap_columns(e, k, best);
    double *v = &e->matrix[k * m + k], beta = make_reflection(v, m - k, 1);
    for (size_t j = k + 1; j < e->columns; j++)
      apply_reflection(v, beta, &e->matrix[j * m + k], m - k);
    apply_reflection(v, beta, &e->right[k], m - k);
  }
}

/* Reflects row i of the triangle onto its diagonal entry: its entries in the dependent columns
 * would become zero; v of the reflection is stored in their place. Returns beta. */
static double clear_dependent_part(equations *e, size_t i, double *row) {
  assert(i < e->rank);
  size_t m = e->rows, spare = e->columns - e->rank;
  row[0] = e->matrix[i * m + i];
  for (size_t j = 0; j < spare; j++) row[1 + j] = e->matrix[(e->rank + j) * m + i];
  double beta = make_reflection(row, spare + 1, 1);
  for (size_t above = 0; above < i; above++) {
    double along = e->matrix[i * m + above];
    for (size_t j = 0; j < spare; j++) along += row[1 + j] * e->matrix[(e->rank + j) * m + above];
    along *= beta;
    e->matrix[i * m + above] -= along;
    for (size_t j = 0; j < spare; j++) e->matrix[(e->rank + j) * m + above] -= along * row[1 + j];
  }
  if (beta != 0.0) e->matrix[i * m + i] = row[0];
  for (size_t j = 0; j < spare; j++) e->matrix[(e->rank + j) * m + i] = row[1 + j];
  return beta;
}

/* Computes the solution of least norm, in the order of the columns, to y: solves T y = right, then
 * applies the reflections from the right in reverse order. */
static void solve_shortest(equations *e, const double *betas, double *y) {
  size_t m = e->rows, spare = e->columns - e->rank;
  for (size_t i = 0; i < e->columns; i++) y[i] = i < e->rank ? e->right[i] : 0.0;
  for (size_t i = e->rank; i-- > 0;) {
    y[i] /= e->matrix[i * m + i];
    for (size_t above = 0; above < i; above++) y[above] -= e->matrix[i * m + above] * y[i];
  }
  for (size_t i = 0; spare > 0 && i < e->rank; i++) {
    double along = y[i];
    for (size_t j = 0; j < spare; j++) along += e->matrix[(e->rank + j) * m + i] * y[e->rank + j];
    along *= betas[i];
    y[i] -= along;
    for (size_t j = 0; j < spare; j++) y[e->rank + j] -= along * e->matrix[(e->rank + j) * m + i];
  }
}

bool ct_least_norm(const ct_equations *of, double *out, size_t *rank, ct_arena *arena) {
  ct_arena_mark mark = ct_arena_enter(arena);
  equations e = {
      .rows = of->rows, .columns = of->columns, .matrix = of->matrix, .right = of->right};
  e.order = ct_arena_alloc(arena, e.columns + 1, sizeof *e.order);
  double *betas = ct_arena_alloc_doubles(arena, 2 * e.columns + 2 * e.rows + 4),
         *scratch = betas ? betas + e.rows + 1 : NULL;
  if (e.order && betas) {
    for (size_t j = 0; j < e.columns; j++) e.order[j] = j;
    triangulate(&e);
    assert(e.rank <= e.rows && e.rank <= e.columns);
    if (e.rank < e.columns)
      for (size_t i = e.rank; i-- > 0;) betas[i] = clear_dependent_part(&e, i, scratch);
    solve_shortest(&e, betas, scratch);
    for (size_t j = 0; j < e.columns; j++) out[e.order[j]] = scratch[j];
    if (rank) *rank = e.rank;
  }
  ct_arena_leave(arena, mark);
  return e.order && betas;
}
