/* A Cholesky factor that grows and shrinks; see cholesky_update.h. */
#include "linear/cholesky_update.h"

#include "linear/dense.h"

#include <math.h>
#include <string.h>

bool ct_factor_make(ct_factor *f, size_t capacity, ct_arena *arena) {
  f->capacity = capacity;
  f->stride = capacity;
  f->count = 0;
  f->rows = ct_arena_alloc_doubles(arena, capacity * capacity);
  f->index = ct_arena_alloc(arena, capacity, sizeof *f->index);
  f->turns = ct_arena_alloc_doubles(arena, 2 * capacity);
  return f->rows && f->index && f->turns;
}

void ct_factor_forward(const ct_factor *f, double *x) {
  for (size_t i = 0; i < f->count; i++) {
    const double *row = f->rows + i * f->stride;
    x[i] = (x[i] - ct_dense_dot(row, x, i)) * row[i];
  }
}

void ct_factor_back(const ct_factor *f, double *x) {
  for (size_t i = f->count; i-- > 0;) {
    const double *row = f->rows + i * f->stride;
    x[i] *= row[i];
    ct_dense_add(x, row, -x[i], i);
  }
}

void ct_factor_append(ct_factor *f, size_t i, const double *y, double pivot) {
  double *row = f->rows + f->count * f->stride;
  memcpy(row, y, f->count * sizeof *row);
  row[f->count] = 1.0 / sqrt(pivot);
  f->index[f->count++] = i;
}

void ct_factor_remove(ct_factor *f, size_t place) {
  size_t last = --f->count;
  memmove(f->index + place, f->index + place + 1, (last - place) * sizeof *f->index);
  /* Each row behind it has one entry right of the diagonal now: rotations of neighbouring columns
   * bring these to 0. */
  double *cosines = f->turns, *sines = f->turns + f->capacity;
  for (size_t i = place; i < last; i++) {
    double *row = f->rows + i * f->stride, *from = row + f->stride;
    memcpy(row, from, (i + 1) * sizeof *row);
    double carried = row[place];
    for (size_t k = place; k < i; k++) {
      double next = from[k + 1];
      row[k] = cosines[k] * carried + sines[k] * next;
      carried = cosines[k] * next - sines[k] * carried;
    }
    double diagonal = 1.0 / from[i + 1], length = sqrt(carried * carried + diagonal * diagonal);
    cosines[i] = carried / length;
    sines[i] = diagonal / length;
    row[i] = 1.0 / length;
  }
}
