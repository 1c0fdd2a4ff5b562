/* The friction problem as 3 x 3 blocks, read from a dense or sparse matrix; projection onto the
 * cone |r_t| <= mu r_n; and the residual of an iterate. */
#include "friction/friction.h"

#include <assert.h>

/* ---- cones and residual ---------------------------------------------------------------------- */

ct_triple ct_cone_nearest(ct_triple x, double mu) {
  assert(mu >= 0.0);
  double length = ct_length2(x.s, x.t);
  if (x.n >= 0.0 && length <= mu * x.n) return x;
  double n = (x.n + mu * length) / (1.0 + mu * mu);
  if (!(n > 0.0)) return (ct_triple){0.0, 0.0, 0.0};
  double part = length > 0.0 ? mu * n / length : 0.0;
  return (ct_triple){n, part * x.s, part * x.t};
}

/* The length and the products have a round-off of some 4 u, so that the tangential part is limited
 * with a margin of 8 u. */
ct_triple ct_cone_contains(ct_triple r, double mu) {
  assert(mu >= 0.0);
  if (!(r.n > 0.0)) return (ct_triple){0.0, 0.0, 0.0};
  double length = ct_length2(r.s, r.t), most = mu * r.n * (1.0 - 8.0 * CT_UNIT_ROUNDOFF);
  /* Near the underflow limit, doubles do not have this relative accuracy: no tangential force. */
  if (!(most > 0x1p-960)) return (ct_triple){r.n, 0.0, 0.0};
  if (length <= most) return r;
  double part = most / length;
  return (ct_triple){r.n, part * r.s, part * r.t};
}

/* Computes the projection of x = r - rho (u + mu |u_t| n). At a contact that slides fast, rho |u_t|
 * is much longer than r, and x_n + mu |x_t| cancels. So the difference of the lengths |x_t| - rho
 * |u_t| is computed from the difference of their squares. */
ct_triple ct_friction_defect(ct_triple r, ct_triple u, double mu, double rho, double *size) {
  double slip = rho * ct_length2(u.s, u.t), along = r.n - rho * u.n;
  ct_triple x = {along - mu * slip, r.s - rho * u.s, r.t - rho * u.t}, p = x;
  double length = ct_length2(x.s, x.t);
  /* For mu = 0 the second test is false for x_n of either sign, so the first one is needed. */
  if (!(x.n >= 0.0) || length > mu * x.n) {
    double both = length + slip,
           less = both > 0.0 ? r.s * ((x.s - rho * u.s) / both) + r.t * ((x.t - rho * u.t) / both)
                             : 0.0;
    p.n = fmax(0.0, (along + mu * less) / (1.0 + mu * mu));
    double part = length > 0.0 ? mu * p.n / length : 0.0;
    p.s = part * x.s;
    p.t = part * x.t;
  }
  double most = fmax(ct_length2(r.n, ct_length2(r.s, r.t)), ct_length2(p.n, ct_length2(p.s, p.t)));
  if (!(*size > most)) *size = most;
  return ct_triple_sub(r, p);
}

double ct_friction_evaluate(ct_friction_work *w) {
  double sum = 0.0, size = 0.0;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple u =
        ct_triple_add(ct_friction_sum_others(w, w->r, i), ct_block_times(&w->diagonal[i], w->r[i]));
    sum += ct_triple_norm2(ct_friction_defect(w->r[i], u, w->mu[i], w->rho[i], &size));
  }
  double residual = sum == 0.0 ? 0.0 : sqrt(sum) / fmin(size, w->size_max);
  residual = fmax(residual, ct_friction_roundoff(size, w->size_max));
  if (residual < w->best_residual) {
    w->best_residual = residual;
    w->best_method = w->method;
    for (size_t i = 0; i < w->contacts; i++) w->best[i] = w->r[i];
  }
  return residual;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Contacts between two polls of the cancel flag. */
#define POLL_CONTACTS 1024u

/* The rows of one contact, which are read in parallel. */
typedef struct rows {
  const ct_matrix *matrix;
  unsigned dimension;
  size_t first, at[3]; /* sparse: position in each row; dense: at[0] is the next column */
} rows;

static rows contact_rows(const ct_matrix *matrix, unsigned dimension, size_t contact) {
  rows w = {.matrix = matrix, .dimension = dimension, .first = contact * dimension};
  if (!matrix->dense)
    for (unsigned k = 0; k < dimension; k++) w.at[k] = matrix->starts[w.first + k];
  return w;
}

static bool next_dense_block(rows *w, size_t *column, ct_block *block) {
  size_t size = w->matrix->size, d = w->dimension;
  for (; w->at[0] < size; w->at[0] += d) {
    bool any = false;
    *block = (ct_block){{0.0}};
    for (size_t i = 0; i < d; i++)
      for (size_t j = 0; j < d; j++) {
        double value = w->matrix->dense[(w->first + i) * size + w->at[0] + j];
        block->m[3 * i + j] = value;
        any = any || value != 0.0;
      }
    if (!any) continue;
    *column = w->at[0] / d;
    w->at[0] += d;
    return true;
  }
  return false;
}

/* Reads the next nonzero block of the rows, in ascending columns. False: there is none. */
static bool next_row_block(rows *w, size_t *column, ct_block *block) {
  if (w->matrix->dense) return next_dense_block(w, column, block);
  const ct_matrix *m = w->matrix;
  size_t least = SIZE_MAX, d = w->dimension;
  for (size_t i = 0; i < d; i++)
    if (w->at[i] < m->starts[w->first + i + 1] && m->columns[w->at[i]] / d < least)
      least = m->columns[w->at[i]] / d;
  if (least == SIZE_MAX) return false;
  *column = least;
  *block = (ct_block){{0.0}};
  for (size_t i = 0; i < d; i++)
    for (; w->at[i] < m->starts[w->first + i + 1] && m->columns[w->at[i]] / d == least; w->at[i]++)
      block->m[3 * i + m->columns[w->at[i]] % d] = m->values[w->at[i]];
  return true;
}

static double greatest_entry(const double *values, size_t count) {
  double most = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  return most;
}

/* Returns the exponent e for which |value| 2^-e is in [1/2, 1); 0 for a value of 0. */
static int exponent_of_entry(double value) {
  int e = 0;
  (void)frexp(value, &e);
  return e;
}

static ct_triple scale_triple(const double *x, unsigned dimension, int exponent) {
  return (ct_triple){ldexp(x[0], exponent), ldexp(x[1], exponent),
                     dimension == 3 ? ldexp(x[2], exponent) : 0.0};
}

static double triple_block_norm(const ct_block *b) {
  double sum = 0.0;
  for (int i = 0; i < 9; i++) sum += b->m[i] * b->m[i];
  return sqrt(sum);
}

/* Computes rho of each contact. For a zero block it is the greatest rho of the others. Planar
 * contacts get the norm of their block as diagonal entry of the second tangent. */
static void fill_rho(double *rho, ct_block *diagonal, size_t contacts, unsigned dimension) {
  double most = 0.0;
  for (size_t i = 0; i < contacts; i++) {
    double norm = triple_block_norm(&diagonal[i]);
    rho[i] = norm > 0.0 ? 1.0 / norm : 0.0;
    most = fmax(most, rho[i]);
    if (dimension == 2) diagonal[i].m[8] = norm;
  }
  for (size_t i = 0; i < contacts; i++)
    if (!(rho[i] > 0.0)) rho[i] = most > 0.0 ? most : 1.0;
}

static bool count_friction_blocks(const ct_friction_problem *p, size_t *starts,
                                  const ct_cancel *cancel) {
  size_t column;
  ct_block block;
  starts[0] = 0;
  for (size_t i = 0; i < p->contacts; i++) {
    if (i % POLL_CONTACTS == 0 && ct_cancel_raised(cancel)) return false;
    rows w = contact_rows(&p->matrix, p->dimension, i);
    starts[i + 1] = starts[i];
    while (next_row_block(&w, &column, &block)) starts[i + 1] += column != i;
  }
  return true;
}

typedef struct block_rows {
  size_t *starts;
  uint32_t *columns;
  ct_block *blocks, *diagonal;
} block_rows;

static void fill_friction_blocks(const ct_friction_problem *p, int exponent,
                                 const block_rows *out) {
  size_t column;
  ct_block block;
  for (size_t i = 0, k = 0; i < p->contacts; i++) {
    rows w = contact_rows(&p->matrix, p->dimension, i);
    out->diagonal[i] = (ct_block){{0.0}};
    while (next_row_block(&w, &column, &block)) {
      for (int e = 0; e < 9; e++) block.m[e] = ldexp(block.m[e], exponent);
      if (column == i) out->diagonal[i] = block;
      else {
        assert(k < out->starts[p->contacts]);
        out->columns[k] = (uint32_t)column;
        out->blocks[k++] = block;
      }
    }
  }
}

ct_status ct_friction_prepare(const ct_friction_problem *p, const ct_friction_options *options,
                              ct_friction_work *w) {
  assert(p->dimension == 2 || p->dimension == 3);
  size_t n = p->contacts, d = p->dimension,
         entries = p->matrix.dense ? n * d * n * d : p->matrix.starts[n * d];
  /* Allocate the vectors, and count the blocks. */
  ct_arena *arena = w->arena;
  block_rows out = {.starts = ct_arena_alloc(arena, n + 1, sizeof(size_t)),
                    .diagonal = ct_arena_alloc(arena, n, sizeof(ct_block))};
  double *rho = ct_arena_alloc_doubles(arena, n);
  ct_triple *q = ct_arena_alloc(arena, n, sizeof(ct_triple));
  w->r = ct_arena_alloc(arena, n, sizeof(ct_triple));
  w->best = ct_arena_alloc(arena, n, sizeof(ct_triple));
  if (!out.starts || !out.diagonal || !rho || !q || !w->r || !w->best) return CT_OUT_OF_MEMORY;
  if (!count_friction_blocks(p, out.starts, options->cancel)) return CT_CANCELLED;
  out.columns = ct_arena_alloc(arena, out.starts[n], sizeof(uint32_t));
  out.blocks = ct_arena_alloc(arena, out.starts[n], sizeof(ct_block));
  if (!out.columns || !out.blocks) return CT_OUT_OF_MEMORY;
  /* Determine the scales of W and q, and fill the blocks. */
  int matrix_exponent = exponent_of_entry(
      greatest_entry(p->matrix.dense ? p->matrix.dense : p->matrix.values, entries));
  int q_exponent = exponent_of_entry(greatest_entry(p->q, n * d));
  fill_friction_blocks(p, -matrix_exponent, &out);
  fill_rho(rho, out.diagonal, n, p->dimension);
  w->matrix_exponent = matrix_exponent;
  w->r_exponent = q_exponent - matrix_exponent;
  /* Scale q and the start, and compute the greatest accepted force size. */
  w->size_max = 0.0;
  double normal = 0.0;
  for (size_t i = 0; i < n; i++) {
    q[i] = scale_triple(p->q + d * i, p->dimension, -q_exponent);
    w->r[i] = (ct_triple){0.0, 0.0, 0.0};
    if (options->start)
      w->r[i] = ct_cone_contains(
          ct_cone_nearest(scale_triple(options->start + d * i, p->dimension, -w->r_exponent),
                          p->mu[i]),
          p->mu[i]);
    w->best[i] = w->r[i];
    normal = fmax(normal, CT_FRICTION_GROWTH * rho[i] * fabs(q[i].n));
    w->size_max = fmax(w->size_max, CT_FRICTION_GROWTH * rho[i] *
                                        ct_length2(q[i].n, ct_length2(q[i].s, q[i].t)));
  }
  if (normal > 0.0) w->size_max = normal;
  w->contacts = n;
  w->dimension = p->dimension;
  w->starts = out.starts;
  w->columns = out.columns;
  w->blocks = out.blocks;
  w->diagonal = out.diagonal;
  w->q = q;
  w->mu = p->mu;
  w->rho = rho;
  w->best_residual = INFINITY;
  w->cancel = options->cancel;
  return CT_OK;
}
