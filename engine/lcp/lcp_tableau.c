/* The dictionary of a linear complementarity problem: scaling, pivots, the lexicographic ratio test
 * (Cottle, Pang, Stone 2009, sections 2.3 and 4.9), and linear programs by Dantzig's simplex
 * method. The lexicographic rule terminates for degenerate problems too. */
#include "lcp/lcp_tableau.h"
#include "linear/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Constants up to BAND times the largest |q| are round-off of zero, and ratios this close are ties.
 * Column entries up to PIVOT times the greatest of the column are not used as pivots. Doubles lose
 * about 4 digits in a thousand pivots; double-doubles have 32. */
#define BAND 1e-12
#define BAND_WIDE 1e-26
#define PIVOT 1e-11
#define PIVOT_WIDE 1e-24
/* Scales are limited to 2^+-SCALE_EXPONENT_MAX, so that products of three of them stay in the range
 * of doubles. */
#define SCALE_EXPONENT_MAX 300

static double zero_band(const ct_tableau *t) { return t->low ? BAND_WIDE : BAND; }

static double clamped_power_of_two(int exponent) {
  if (exponent > SCALE_EXPONENT_MAX) exponent = SCALE_EXPONENT_MAX;
  if (exponent < -SCALE_EXPONENT_MAX) exponent = -SCALE_EXPONENT_MAX;
  return ldexp(1.0, exponent);
}

/* Returns the power of two that scales `size` to [1/2, 1), within the limits of scales. */
static double tableau_scale(double size) {
  int exponent;
  frexp(size, &exponent);
  return clamped_power_of_two(-exponent);
}

static bool is_scale_in_range(double scale) {
  return scale > clamped_power_of_two(-SCALE_EXPONENT_MAX) &&
         scale < clamped_power_of_two(SCALE_EXPONENT_MAX);
}

static double tableau_row_size(const double *row, const double *factors, size_t n) {
  double size = 0.0;
  for (size_t j = 0; j < n; j++) size = fmax(size, fabs(row[j]) * (factors ? factors[j] : 1.0));
  return size;
}

/* Scales the rows first, then the columns of the result. A row of zeros is scaled like the row with
 * the greatest entry, so that the scaled q does not depend on units. */
static void compute_tableau_scales(ct_tableau *t, const ct_lcp_job *job) {
  size_t n = t->size;
  double greatest = 0.0;
  for (size_t i = 0; i < n; i++)
    greatest = fmax(greatest, tableau_row_size(job->dense + i * n, NULL, n));
  for (size_t i = 0; i < n; i++) {
    double size = tableau_row_size(job->dense + i * n, NULL, n);
    t->row_scale[i] = tableau_scale(size > 0.0 ? size : greatest);
    t->column_scale[i] = 0.0;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      t->column_scale[j] = fmax(t->column_scale[j], fabs(job->dense[i * n + j]) * t->row_scale[i]);
  t->q_size = 0.0;
  t->beyond = false;
  for (size_t j = 0; j < n; j++) {
    t->column_scale[j] = t->column_scale[j] > 0.0 ? tableau_scale(t->column_scale[j]) : 1.0;
    t->q_size = fmax(t->q_size, fabs(job->q[j]) * t->row_scale[j]);
    t->beyond |= !is_scale_in_range(t->row_scale[j]) || !is_scale_in_range(t->column_scale[j]);
  }
  t->beyond |= !(t->q_size < clamped_power_of_two(SCALE_EXPONENT_MAX));
}

bool ct_tableau_create(ct_tableau *t, const ct_lcp_job *job, unsigned flags) {
  assert(job->dense && job->size > 0);
  size_t n = job->size, rows = n + (flags & CT_TABLEAU_OBJECTIVE ? 1 : 0), stride = n + 2;
  bool wide = flags & CT_TABLEAU_WIDE;
  *t = (ct_tableau){.size = n, .stride = stride, .rows = rows};
  t->high = ct_arena_alloc_doubles(job->arena, rows * stride);
  t->low = wide ? ct_arena_alloc_doubles(job->arena, rows * stride) : NULL;
  t->row_scale = ct_arena_alloc_doubles(job->arena, n);
  t->column_scale = ct_arena_alloc_doubles(job->arena, n);
  t->pivot_row = ct_arena_alloc_doubles(job->arena, 2 * stride);
  t->basic = ct_arena_alloc(job->arena, 5 * n + 2, sizeof *t->basic);
  if (!t->high || (wide && !t->low) || !t->row_scale || !t->column_scale || !t->pivot_row ||
      !t->basic)
    return false;
  t->column = t->basic + n;
  t->place = t->column + n + 1;
  t->ties = t->place + 2 * n + 1;
  compute_tableau_scales(t, job);
  return true;
}

void ct_tableau_fill(ct_tableau *t, const ct_lcp_job *job, const double *cover, double lift) {
  size_t n = t->size;
  double d_size = 0.0;
  for (size_t i = 0; i < n; i++) d_size = fmax(d_size, t->row_scale[i] * (cover ? cover[i] : 1.0));
  double d_scale = tableau_scale(d_size);
  for (size_t i = 0; i < n; i++) {
    double *row = t->high + i * t->stride;
    for (size_t j = 0; j < n; j++)
      row[j] = job->dense[i * n + j] * t->row_scale[i] * t->column_scale[j] + lift;
    row[n] = t->row_scale[i] * (cover ? cover[i] : 1.0) * d_scale;
    row[n + 1] = job->q[i] * t->row_scale[i];
    t->basic[i] = t->place[i] = (uint32_t)i;
    t->column[i] = (uint32_t)(n + i);
    t->place[n + i] = (uint32_t)(n + i);
  }
  t->column[n] = t->place[2 * n] = (uint32_t)(2 * n);
  if (t->rows > n) memset(t->high + n * t->stride, 0, t->stride * sizeof(double));
  if (t->low) memset(t->low, 0, t->rows * t->stride * sizeof(double));
}

static void set_tableau_entry(ct_tableau *t, size_t row, size_t column, ct_dd value) {
  t->high[row * t->stride + column] = value.high;
  if (t->low) t->low[row * t->stride + column] = value.low;
}

void ct_tableau_add_to_objective(ct_tableau *t, size_t row) {
  assert(t->rows == t->size + 1 && row < t->size);
  for (size_t j = 0; j < t->stride; j++)
    set_tableau_entry(t, t->size, j,
                      ct_dd_add(ct_tableau_at(t, t->size, j), ct_tableau_at(t, row, j)));
}

/* Adds factor * pivot_row to a row of double-doubles. */
static void add_row_wide(double *restrict high, double *restrict low,
                         const double *restrict pivot_row, ct_dd factor, size_t stride) {
  for (size_t j = 0; j < stride; j++) {
    if (pivot_row[j] == 0.0) continue;
    ct_dd sum = ct_dd_add((ct_dd){high[j], low[j]},
                          ct_dd_mul(factor, (ct_dd){pivot_row[j], pivot_row[stride + j]}));
    high[j] = sum.high;
    low[j] = sum.low;
  }
}

/* Expresses the entering variable by the leaving one: divides the row by minus its pivot. */
static void divide_pivot_row(ct_tableau *t, size_t row, size_t column) {
  size_t stride = t->stride;
  ct_dd divisor = ct_dd_neg(ct_tableau_at(t, row, column));
  for (size_t j = 0; j < stride; j++) {
    ct_dd value = ct_tableau_at(t, row, j);
    if (j == column) value = ct_dd_of(-1.0);
    /* In doubles, divide directly, so that the quotient is rounded only once. */
    value = t->low ? ct_dd_div(value, divisor) : ct_dd_of(value.high / divisor.high);
    set_tableau_entry(t, row, j, value);
    t->pivot_row[j] = value.high;
    t->pivot_row[stride + j] = value.low;
  }
}

void ct_tableau_pivot(ct_tableau *t, size_t row, size_t column) {
  assert(row < t->size && column <= t->size);
  size_t stride = t->stride, last = ct_tableau_constants(t);
  divide_pivot_row(t, row, column);
  for (size_t i = 0; i < t->rows; i++) {
    ct_dd factor = ct_tableau_at(t, i, column);
    if (i == row || factor.high == 0.0) continue;
    set_tableau_entry(t, i, column, ct_dd_of(0.0));
    if (t->low)
      add_row_wide(t->high + i * stride, t->low + i * stride, t->pivot_row, factor, stride);
    else ct_dense_add(t->high + i * stride, t->pivot_row, factor.high, stride);
    if (i < t->size && fabs(t->high[i * stride + last]) <= zero_band(t) * t->q_size)
      set_tableau_entry(t, i, last, ct_dd_of(0.0));
  }
  uint32_t leaves = t->basic[row], enters = t->column[column];
  t->basic[row] = enters;
  t->column[column] = leaves;
  t->place[enters] = (uint32_t)row;
  t->place[leaves] = (uint32_t)(t->size + column);
  assert(ct_tableau_is_basic(t, enters) && !ct_tableau_is_basic(t, leaves));
}

/* Returns entry k of this row of the inverse of the basis' matrix: the derivative of the row's
 * constant with respect to q_k. */
static double basis_inverse_entry(const ct_tableau *t, size_t row, size_t k) {
  if (ct_tableau_is_basic(t, (uint32_t)k)) return t->place[k] == row ? 1.0 : 0.0;
  return -ct_tableau_at(t, row, ct_tableau_column(t, (uint32_t)k)).high;
}

/* Returns the row among `ties` [count] that is first in lexicographic order of the rows of the
 * inverse of the basis' matrix, each divided by its entry in `column`. */
static size_t break_ties(const ct_tableau *t, size_t count, size_t column) {
  assert(count > 0 && column <= t->size);
  uint32_t *ties = t->ties;
  for (size_t k = 0; k < t->size && count > 1; k++) {
    double least = HUGE_VAL, greatest = 0.0;
    for (size_t i = 0; i < count; i++) {
      double ratio =
          basis_inverse_entry(t, ties[i], k) / fabs(ct_tableau_at(t, ties[i], column).high);
      least = fmin(least, ratio);
      greatest = fmax(greatest, fabs(ratio));
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
      double ratio =
          basis_inverse_entry(t, ties[i], k) / fabs(ct_tableau_at(t, ties[i], column).high);
      if (ratio <= least + zero_band(t) * greatest) ties[kept++] = ties[i];
    }
    count = kept;
  }
  return ties[0];
}

size_t ct_tableau_leaving(const ct_tableau *t, size_t column) {
  assert(column <= t->size);
  size_t n = t->size, last = ct_tableau_constants(t), count = 0;
  double greatest = 0.0;
  for (size_t i = 0; i < n; i++) greatest = fmax(greatest, fabs(t->high[i * t->stride + column]));
  double least = greatest * (t->low ? PIVOT_WIDE : PIVOT);
  ct_dd step = ct_dd_of(HUGE_VAL);
  for (size_t i = 0; i < n; i++) {
    ct_dd slope = ct_tableau_at(t, i, column), constant = ct_tableau_at(t, i, last);
    if (!(slope.high < -least)) continue;
    ct_dd ratio = constant.high > 0.0 ? ct_dd_div(constant, ct_dd_neg(slope)) : ct_dd_of(0.0);
    if (ratio.high < step.high || (ratio.high == step.high && ratio.low < step.low)) step = ratio;
  }
  for (size_t i = 0; i < n; i++) {
    ct_dd slope = ct_tableau_at(t, i, column), constant = ct_tableau_at(t, i, last);
    if (!(slope.high < -least)) continue;
    /* A row ties if its constant after the step is zero to round-off. */
    ct_dd left = ct_dd_add(constant, ct_dd_mul(slope, step));
    if (left.high > zero_band(t) * fmax(t->q_size, constant.high)) continue;
    if (t->basic[i] == ct_tableau_z0(t)) return i;
    t->ties[count++] = (uint32_t)i;
  }
  return count == 0 ? n : break_ties(t, count, column);
}

size_t ct_tableau_first(const ct_tableau *t) {
  size_t n = t->size, last = ct_tableau_constants(t), found = n;
  double least = 0.0;
  for (size_t i = 0; i < n; i++) {
    double ratio = t->high[i * t->stride + last] / t->high[i * t->stride + n];
    /* <=: among equal ratios the last row is returned, whose unit vector is lexicographically
     * first. */
    if (ratio < 0.0 && ratio <= least) {
      least = ratio;
      found = i;
    }
  }
  return found;
}

void ct_tableau_solution(const ct_tableau *t, double *z) {
  size_t n = t->size, last = ct_tableau_constants(t);
  for (size_t j = 0; j < n; j++) {
    uint32_t variable = (uint32_t)(n + j);
    double value = ct_tableau_is_basic(t, variable)
                       ? t->high[t->place[variable] * t->stride + last] * t->column_scale[j]
                       : 0.0;
    z[j] = value > 0.0 && value <= DBL_MAX ? value : 0.0;
  }
}

/* ---- simplex method -------------------------------------------------------------------------- */

/* Reduced costs not below minus this count as nonnegative; coefficients of the objective are of the
 * order of 1. For doubles and double-doubles. */
#define COST 1e-11
#define COST_WIDE 1e-26

void ct_lcp_simplex_begin(ct_tableau *t) {
  size_t row = ct_tableau_first(t);
  if (row < t->size) ct_tableau_pivot(t, row, t->size);
}

/* Returns the column with the most negative reduced cost; t->stride if none is negative. */
static size_t find_entering_column(const ct_tableau *t, const bool *barred) {
  const double *costs = t->high + t->size * t->stride;
  size_t n = t->size, found = t->stride;
  double least = t->low ? -COST_WIDE : -COST;
  for (size_t j = 0; j <= n; j++) {
    uint32_t variable = t->column[j];
    if (barred && variable >= n && variable < 2 * n && barred[variable - n]) continue;
    if (costs[j] >= least) continue;
    least = costs[j];
    found = j;
  }
  return found;
}

bool ct_lcp_simplex(ct_tableau *t, const bool *barred, const ct_cancel *cancel) {
  assert(t->rows == t->size + 1);
  for (uint64_t k = 0; k < ct_lcp_simplex_limit(t->size); k++) {
    size_t column = find_entering_column(t, barred);
    if (column == t->stride) return true;
    size_t row = ct_tableau_leaving(t, column);
    /* The objective is a sum of nonnegative variables and thus bounded below, so only round-off
     * leaves no row. */
    if (row == t->size || ct_cancel_raised(cancel)) return false;
    ct_tableau_pivot(t, row, column);
  }
  return false;
}
