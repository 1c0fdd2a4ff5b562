/* Active-set method for least squares over cones. The columns of the active generators are stored
 * as a Q R factorisation, which is updated when a generator is added or removed (Daniel, Gragg,
 * Kaufman, Stewart 1976). Iterative refinement in double-double arithmetic corrects the forces. */
#include "friction/cone_active_set.h"

#include "base/double_double.h"
#include "linear/arena.h"

#include <assert.h>

/* A block is balanced if its residual is at most this fraction of the loads and forces on it. */
#define BALANCED_PART 1e-14
/* A generator is orthogonal to the residual if the cosine of their angle is at most this. */
#define PULL_LEAST 1e-13
/* Larger limit of that cosine, used when round-off prevents steps from reducing the residual. */
#define PULL_ROUNDOFF 1e-9
/* A generator depends on the active ones if its component orthogonal to them is at most this
 * fraction of its length. */
#define DEPENDENT 1e-13
/* If the tangential part of the residual's pull is less than this fraction of the normal part, the
 * generator is the normal alone; a later step adds a tangential direction if one is needed. */
#define SLOPE_LEAST 1e-3

typedef struct generator {
  size_t cone;
  double weights[3]; /* weights of the normal, always 1, and of both tangents */
  double entries[2 * CT_CONE_BLOCK];
} generator;

typedef struct active_set {
  const ct_cone_fit_problem *problem;
  size_t rows, active;
  /* [rows] the generators with a force; the first `active` entries are valid */
  generator *generators;
  double *q, *r; /* [rows x rows], stored by columns */
  /* [rows] each: z = Q' target; x and low: high and low part of the force on each generator; next:
   * the next forces */
  double *z, *x, *low, *next;
  double *rest, *scale; /* [rows] the residual; [blocks] sum of the load and forces on each block */
  ct_dd *wide;          /* [rows] the residual in double-double */
  uint8_t *blocked;     /* [count] 1: the cone's last generator did not reduce the residual */
} active_set;

/* Row of entry e of a cone's columns. Entries of a missing block have the row f->rows, which does
 * not exist. */
static size_t generator_row(const active_set *f, size_t cone, size_t entry) {
  assert(cone < f->problem->count && entry < 2 * CT_CONE_BLOCK);
  size_t block = f->problem->cones[cone].block[entry / CT_CONE_BLOCK];
  return block == CT_CONE_NO_BLOCK ? f->rows : block * CT_CONE_BLOCK + entry % CT_CONE_BLOCK;
}

static double dot_rows(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static double vector_length(const double *a, size_t count) {
  double most = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
  if (most == 0.0) return 0.0;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += (a[i] / most) * (a[i] / most);
  return most * sqrt(sum);
}

/* ---- Q R factorisation ----------------------------------------------------------------------- */

/* Orthogonalises `column` (dense) against the active columns, and appends it to Q and R. False: it
 * depends linearly on them. */
static bool append_generator(active_set *f, double *column) {
  assert(f->active < f->rows);
  size_t m = f->rows, k = f->active;
  double *r = &f->r[k * m], length = vector_length(column, m);
  for (size_t j = 0; j < k; j++) r[j] = 0.0;
  for (int pass = 0; pass < 2;
       pass++) { /* two passes are enough (Giraud, Langou, Rozloznik 2005) */
    for (size_t j = 0; j < k; j++) {
      const double *q = &f->q[j * m];
      double along = dot_rows(q, column, m);
      r[j] += along;
      for (size_t i = 0; i < m; i++) column[i] -= along * q[i];
    }
  }
  double left = vector_length(column, m);
  if (!(left > DEPENDENT * length)) return false;
  r[k] = left;
  for (size_t i = 0; i < m; i++) f->q[k * m + i] = column[i] / left;
  f->z[k] = dot_rows(&f->q[k * m], f->rest, m);
  f->active++;
  return true;
}

/* Applies a Givens rotation to rows i and i + 1 of R, from column `from` on, which makes row i + 1
 * zero in that column. Q and z are rotated accordingly. */
static void rotate_rows(active_set *f, size_t i, size_t from) {
  assert(i + 1 < f->rows && from < f->active);
  size_t m = f->rows;
  double a = f->r[from * m + i], b = f->r[from * m + i + 1];
  double length = ct_norm(ct_vec(a, b, 0.0));
  if (length == 0.0) return;
  double c = a / length, s = b / length;
  for (size_t j = from; j < f->active; j++) {
    double *r = &f->r[j * m + i], top = r[0], bottom = r[1];
    r[0] = c * top + s * bottom;
    r[1] = c * bottom - s * top;
  }
  for (size_t row = 0; row < m; row++) {
    double *q = &f->q[i * m + row], *p = &f->q[(i + 1) * m + row], first = *q, second = *p;
    *q = c * first + s * second;
    *p = c * second - s * first;
  }
  double first = f->z[i], second = f->z[i + 1];
  f->z[i] = c * first + s * second;
  f->z[i + 1] = c * second - s * first;
}

static void remove_generator(active_set *f, size_t gone) {
  assert(gone < f->active);
  size_t m = f->rows;
  f->active--;
  for (size_t j = gone; j < f->active; j++) {
    for (size_t i = 0; i <= j + 1; i++) f->r[j * m + i] = f->r[(j + 1) * m + i];
    f->generators[j] = f->generators[j + 1];
    f->x[j] = f->x[j + 1];
  }
  for (size_t i = gone; i < f->active; i++) rotate_rows(f, i, i);
}

/* Solves R x = y for the active columns; x replaces y. */
static void solve_triangle(const active_set *f, double *y) {
  size_t m = f->rows;
  for (size_t j = f->active; j-- > 0;) {
    y[j] /= f->r[j * m + j];
    for (size_t i = 0; i < j; i++) y[i] -= f->r[j * m + i] * y[j];
  }
}

/* ---- residual -------------------------------------------------------------------------------- */

/* Computes the residual from the forces, and the scale of each block. */
static void compute_rest(active_set *f) {
  for (size_t i = 0; i < f->rows; i++) f->wide[i] = ct_dd_of(f->problem->target[i]);
  for (size_t b = 0; b < f->problem->blocks; b++)
    f->scale[b] = vector_length(&f->problem->target[b * CT_CONE_BLOCK], CT_CONE_BLOCK);
  for (size_t j = 0; j < f->active; j++) {
    const generator *g = &f->generators[j];
    ct_dd x = ct_fast_two_sum(f->x[j], f->low[j]);
    for (size_t e = 0; e < 2 * CT_CONE_BLOCK; e++) {
      size_t row = generator_row(f, g->cone, e);
      if (row < f->rows)
        f->wide[row] = ct_dd_add(f->wide[row], ct_dd_neg(ct_dd_mul(x, ct_dd_of(g->entries[e]))));
    }
    for (size_t side = 0; side < 2; side++) {
      size_t block = f->problem->cones[g->cone].block[side];
      const double *normal =
          &f->problem->cones[g->cone]
               .columns[0][side * CT_CONE_BLOCK]; /* the normal alone, because tangential forces may
                                                     cancel each other */
      if (block != CT_CONE_NO_BLOCK)
        f->scale[block] += f->x[j] * vector_length(normal, CT_CONE_BLOCK);
    }
  }
  for (size_t i = 0; i < f->rows; i++) f->rest[i] = ct_dd_value(f->wide[i]);
}

/* Refines the forces of the active generators to double-double accuracy, and computes the
 * residual. */
static void refine_forces(active_set *f) {
  for (size_t j = 0; j < f->active; j++) f->low[j] = 0.0;
  compute_rest(f);
  double before = INFINITY;
  for (int pass = 0; pass < 6 && f->active > 0; pass++) {
    for (size_t j = 0; j < f->active; j++)
      f->next[j] = dot_rows(&f->q[j * f->rows], f->rest, f->rows);
    double along = vector_length(f->next, f->active);
    if (!(along < before) || along == 0.0) break; /* no further gain in accuracy */
    before = along;
    solve_triangle(f, f->next);
    for (size_t j = 0; j < f->active; j++) {
      ct_dd x = ct_dd_add((ct_dd){f->x[j], f->low[j]}, ct_dd_of(f->next[j]));
      f->x[j] = x.high;
      f->low[j] = x.low;
    }
    compute_rest(f);
  }
}

static bool is_balanced(const active_set *f) {
  for (size_t b = 0; b < f->problem->blocks; b++)
    if (vector_length(&f->rest[b * CT_CONE_BLOCK], CT_CONE_BLOCK) > BALANCED_PART * f->scale[b])
      return false;
  return true;
}

/* ---- generators ------------------------------------------------------------------------------ */

/* Returns the generator of a cone in the direction that has the greatest product with the
 * residual. */
static generator make_generator(const active_set *f, size_t cone) {
  const ct_cone *c = &f->problem->cones[cone];
  generator g = {.cone = cone, .weights = {1.0, 0.0, 0.0}};
  double pull[3] = {0.0, 0.0, 0.0};
  for (size_t e = 0; e < 2 * CT_CONE_BLOCK; e++) {
    size_t row = generator_row(f, cone, e);
    for (size_t p = 0; row < f->rows && p < 3; p++) pull[p] += c->columns[p][e] * f->rest[row];
  }
  double slope = ct_norm(ct_vec(pull[1], pull[2], 0.0));
  if (c->mu > 0.0 && slope > SLOPE_LEAST * pull[0]) {
    g.weights[1] = c->mu * pull[1] / slope;
    g.weights[2] = c->mu * pull[2] / slope;
  }
  for (size_t e = 0; e < 2 * CT_CONE_BLOCK; e++)
    g.entries[e] =
        c->columns[0][e] + g.weights[1] * c->columns[1][e] + g.weights[2] * c->columns[2][e];
  return g;
}

/* Returns the product of the residual and the unit vector along a generator. */
static double generator_pull(const active_set *f, const generator *g) {
  double sum = 0.0, length = vector_length(g->entries, 2 * CT_CONE_BLOCK);
  for (size_t e = 0; e < 2 * CT_CONE_BLOCK; e++) {
    size_t row = generator_row(f, g->cone, e);
    if (row < f->rows) sum += g->entries[e] * f->rest[row];
  }
  return length > 0.0 ? sum / length : 0.0;
}

/* Finds the generator of a cone that is not blocked with the greatest cosine between it and the
 * residual. Returns the cosine. */
static double choose_generator(const active_set *f, generator *out) {
  double best = 0.0;
  for (size_t i = 0; i < f->problem->count; i++) {
    if (f->blocked[i]) continue;
    generator g = make_generator(f, i);
    double pull = generator_pull(f, &g);
    if (!(pull > best)) continue;
    best = pull;
    *out = g;
  }
  return best / vector_length(f->rest, f->rows);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Adds a generator to the active set, with zero force. False: it depends on the active ones, or
 * there are as many as rows. */
static bool add_generator(active_set *f, const generator *g) {
  if (f->active == f->rows) return false;
  double *column = f->next;
  for (size_t i = 0; i < f->rows; i++) column[i] = 0.0;
  for (size_t e = 0; e < 2 * CT_CONE_BLOCK; e++) {
    size_t row = generator_row(f, g->cone, e);
    if (row < f->rows) column[row] += g->entries[e];
  }
  if (!append_generator(f, column)) return false;
  f->generators[f->active - 1] = *g;
  f->x[f->active - 1] = 0.0;
  return true;
}

/* Moves from the current forces towards the least-squares solution of the active generators.
 * Generators whose force would become negative are removed on the way. */
static void restore_positive_forces(active_set *f) {
  while (f->active > 0) {
    for (size_t j = 0; j < f->active; j++) f->next[j] = f->z[j];
    solve_triangle(f, f->next);
    double step = 1.0;
    size_t limit = f->active;
    for (size_t j = 0; j < f->active; j++) {
      if (f->next[j] > 0.0) continue;
      double s = f->x[j] > 0.0 ? f->x[j] / (f->x[j] - f->next[j]) : 0.0;
      if (limit == f->active || s < step) {
        step = s;
        limit = j;
      }
    }
    for (size_t j = 0; j < f->active; j++) f->x[j] += step * (f->next[j] - f->x[j]);
    if (limit == f->active) return;
    remove_generator(f, limit);
  }
}

static void unblock_generators(active_set *f) {
  for (size_t i = 0; i < f->problem->count; i++) f->blocked[i] = 0;
}

static bool allocate_active_set(active_set *f, ct_arena *arena) {
  size_t m = f->rows + 1;
  f->generators = ct_arena_alloc(arena, m, sizeof *f->generators);
  f->q = ct_arena_alloc_doubles(arena, m * m);
  f->r = ct_arena_alloc_doubles(arena, m * m);
  double *vectors = ct_arena_alloc_doubles(arena, 6 * m);
  f->wide = ct_arena_alloc(arena, m, sizeof *f->wide);
  f->blocked = ct_arena_alloc(arena, f->problem->count + 1, sizeof *f->blocked);
  if (!f->generators || !f->q || !f->r || !vectors || !f->wide || !f->blocked) return false;
  double **places[] = {&f->z, &f->x, &f->low, &f->next, &f->rest, &f->scale};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) *places[i] = vectors + i * m;
  return true;
}

/* Adds one generator and solves again. False: the residual did not become shorter, compared to the
 * last bit. */
static bool improve_fit(active_set *f, const generator *g) {
  double before = vector_length(f->rest, f->rows);
  if (!add_generator(f, g)) return false;
  restore_positive_forces(f);
  refine_forces(f);
  return vector_length(f->rest, f->rows) < before;
}

static ct_status run_active_set(active_set *f, ct_cone_fit_result *result) {
  uint64_t limit = 100 + 40 * (uint64_t)f->problem->count + 10 * (uint64_t)f->rows;
  unblock_generators(f);
  refine_forces(f);
  result->pull = 0.0;
  for (result->iterations = 0; result->iterations < limit; result->iterations++) {
    if (ct_cancel_raised(f->problem->cancel)) return CT_CANCELLED;
    result->status = CT_CONE_FIT_BALANCED;
    if (is_balanced(f)) return CT_OK;
    generator g;
    double pull = choose_generator(f, &g);
    result->status =
        fmax(pull, result->pull) <= PULL_ROUNDOFF ? CT_CONE_FIT_INFEASIBLE : CT_CONE_FIT_UNDECIDED;
    if (pull <= PULL_LEAST) return CT_OK;
    bool better = improve_fit(f, &g);
    if (better) unblock_generators(f);
    else f->blocked[g.cone] = 1;
    result->pull = better ? 0.0 : fmax(pull, result->pull);
  }
  return CT_OK;
}

/* Writes the force of each contact, the sum over its generators, and the residual. */
static void sum_generator_forces(const active_set *f, ct_cone_fit_result *result) {
  for (size_t i = 0; i < 3 * f->problem->count; i++) result->forces[i] = 0.0;
  for (size_t j = 0; j < f->active; j++) {
    double *force = &result->forces[3 * f->generators[j].cone];
    for (size_t p = 0; p < 3; p++) force[p] += fmax(f->x[j], 0.0) * f->generators[j].weights[p];
  }
  for (size_t i = 0; i < f->rows; i++) result->rest[i] = f->rest[i];
}

ct_status ct_cone_fit(const ct_cone_fit_problem *problem, ct_arena *arena,
                      ct_cone_fit_result *result) {
  active_set f = {.problem = problem, .rows = problem->blocks * CT_CONE_BLOCK};
  ct_arena_mark mark = ct_arena_enter(arena);
  ct_status status = allocate_active_set(&f, arena) ? run_active_set(&f, result) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) sum_generator_forces(&f, result);
  ct_arena_leave(arena, mark);
  return status;
}
