/* Rank of a semidefinite matrix; see pivoted_cholesky.h. */
#include "linear/pivoted_cholesky.h"

#include "linear/dense.h"
#include "linear/matrix.h"
#include <contact/limits.h>

#include <assert.h>
#include <math.h>
#include <string.h>

/* A remaining diagonal entry below minus this fraction of the original one is negative beyond
 * round-off. */
#define INDEFINITE 1e-9
/* A pivot below this fraction of its diagonal entry is recomputed accurately. */
#define SMALL_PIVOT 1e-8
enum { REFINEMENTS = 3 };
/* Greatest number of rows for which small pivots are recomputed. For more rows this would take
 * seconds: `small`, which is far above the factor's round-off, decides alone. */
enum { ACCURATE_ROWS_MAX = 128 };

typedef struct search {
  const double *m;
  double *left; /* [size] remaining diagonal entries; unspecified for pivots */
  bool *done;
  double *vector, *scratch;
} search;

static size_t choose_pivot_row(const ct_rank *r, const search *s, const bool *first, bool wanted,
                               double small) {
  double most = small;
  size_t best = r->size;
  for (size_t i = 0; i < r->size; i++) {
    double whole = s->m[i * r->size + i];
    if (s->done[i] || first[i] != wanted || !(s->left[i] > most * whole)) continue;
    most = s->left[i] / whole;
    best = i;
  }
  return best;
}

/* Recomputes the pivot of row p without the round-off of the factor: as the product of the row with
 * the null vector that it forms with the pivots, which is refined. Returns 0 if the result is
 * round-off. */
static double recompute_pivot(const ct_rank *r, const search *s, size_t p) {
  size_t n = r->size;
  double *v = s->vector, *x = s->scratch;
  memset(v, 0, n * sizeof *v);
  memcpy(x, r->factor + p * n, r->count * sizeof *x);
  v[p] = 1.0;
  const ct_matrix matrix = {.size = n, .dense = s->m};
  for (int k = 0; k <= REFINEMENTS; k++) {
    for (size_t j = 0; k > 0 && j < r->count; j++) {
      const double *pivot = r->factor + r->order[j] * n;
      x[j] = (ct_matrix_row_beside(&matrix, r->order[j], v, 0.0) - ct_dense_dot(pivot, x, j)) /
             pivot[j];
    }
    for (size_t j = r->count; j-- > 0;) {
      const double *pivot = r->factor + r->order[j] * n;
      x[j] /= pivot[j];
      ct_dense_add(x, pivot, -x[j], j);
      v[r->order[j]] -= x[j];
    }
  }
  double left = ct_matrix_row_beside(&matrix, p, v, 0.0), terms = 0.0;
  for (size_t i = 0; i < n; i++)
    if (v[i] != 0.0) terms += sqrt(s->m[i * n + i]) * fabs(v[i]);
  return left > ct_rank_roundoff(terms) ? left : 0.0;
}

static void append_pivot(ct_rank *r, const search *s, size_t p) {
  assert(!s->done[p] && s->left[p] > 0.0);
  assert(r->count < r->size);
  size_t j = r->count;
  double root = sqrt(s->left[p]);
  const double *row = r->factor + p * r->size, *entries = s->m + p * r->size;
  for (size_t i = 0; i < r->size; i++) {
    if (s->done[i] || i == p) continue;
    double *other = r->factor + i * r->size;
    other[j] = (entries[i] - ct_dense_dot(other, row, j)) / root;
    s->left[i] -= other[j] * other[j];
  }
  r->factor[p * r->size + j] = root;
  r->order[r->count++] = (uint32_t)p;
  s->done[p] = true;
}

bool ct_rank_find(ct_rank *r, const double *dense, size_t size, const bool *first, double small,
                  ct_arena *arena) {
  *r = (ct_rank){.size = size, .least = 1.0, .semidefinite = true};
  r->order = ct_arena_alloc(arena, size, sizeof *r->order);
  r->factor = ct_arena_alloc_doubles(arena, size * size);
  search s = {dense, ct_arena_alloc_doubles(arena, size), ct_arena_alloc(arena, size, sizeof(bool)),
              ct_arena_alloc_doubles(arena, size), ct_arena_alloc_doubles(arena, size)};
  if (!r->order || !r->factor || !s.left || !s.done || !s.vector || !s.scratch) return false;
  for (size_t i = 0; i < size; i++) {
    s.left[i] = dense[i * size + i];
    s.done[i] = false;
  }
  /* Choose pivots, first from the marked rows; recompute small ones accurately. */
  for (int wanted = 1; wanted >= 0; wanted--) {
    for (size_t p; (p = choose_pivot_row(r, &s, first, wanted, small)) < size;) {
      double whole = dense[p * size + p];
      bool is_small = size <= ACCURATE_ROWS_MAX && s.left[p] < SMALL_PIVOT * whole;
      if (is_small) s.left[p] = recompute_pivot(r, &s, p);
      if (!(s.left[p] > (is_small ? 0.0 : small * whole))) continue;
      if (wanted) r->least = fmin(r->least, s.left[p] / whole);
      append_pivot(r, &s, p);
    }
    if (wanted) r->chosen = r->count;
    assert(r->chosen <= r->count && r->count <= size);
  }
  /* If a remaining diagonal entry is negative, M is not semidefinite. */
  for (size_t i = 0; i < size; i++)
    if (!s.done[i] && s.left[i] < -INDEFINITE * fabs(dense[i * size + i])) r->semidefinite = false;
  return true;
}
