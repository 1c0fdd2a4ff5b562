/* Rank of a semidefinite matrix; see rank.h. */
#include "solve/rank.h"

#include "solve/dense.h"

#include <math.h>
#include <string.h>

/* Part of a diagonal entry below zero that round-off does not make. */
#define INDEFINITE 1e-9

typedef struct search {
  const double *m;
  double *left; /* of the diagonal; of a pivot, nothing */
  bool *done;
} search;

static size_t best_row(const ct_rank *r, const search *s, const bool *first, bool wanted, double small) {
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

static void take_pivot(ct_rank *r, const search *s, size_t p) {
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

bool ct_rank_find(ct_rank *r, const double *dense, size_t size, const bool *first, double small, ct_solver *solver) {
  *r = (ct_rank){.size = size, .semidefinite = true};
  r->order = ct_solver_take(solver, size, sizeof *r->order);
  r->factor = ct_solver_doubles(solver, size * size);
  search s = {dense, ct_solver_doubles(solver, size), ct_solver_take(solver, size, sizeof(bool))};
  if (!r->order || !r->factor || !s.left || !s.done) return false;
  for (size_t i = 0; i < size; i++) {
    s.left[i] = dense[i * size + i];
    s.done[i] = false;
  }
  for (int wanted = 1; wanted >= 0; wanted--) {
    for (size_t p; (p = best_row(r, &s, first, wanted, small)) < size;) take_pivot(r, &s, p);
    if (wanted) r->chosen = r->count;
  }
  for (size_t i = 0; i < size; i++)
    if (!s.done[i] && s.left[i] < -INDEFINITE * fabs(dense[i * size + i])) r->semidefinite = false;
  return true;
}
