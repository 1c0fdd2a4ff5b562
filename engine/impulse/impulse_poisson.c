/* Restitution by Poisson's law (Anitescu, Potra 1997): after compression, normal impulses of at
 * least e times those of compression, more where the bodies would still approach.
 *
 * With friction the tangential impulse of such a contact is in a cone cut off at its bottom: |r_t|
 * <= mu (c + s), s >= 0 what is added to c. That is the cone of s and the disc of radius mu c
 * together, and a disc is a cone whose normal impulse is held at c by a motion that nothing else
 * takes part in. So each contact with a c is listed twice, and the friction solver answers as ever.
 */
#include "impulse/impulse_simultaneous.h"
#include "linear/arena.h"
#include "linear/matrix.h"

#include <string.h>

typedef struct doubled {
  const ct_impulse_many *many;
  const double *least; /* [count] c */
  uint32_t *source;    /* [extra] the contact that each disc belongs to */
  uint32_t *place;     /* [count] its disc, where it has one */
  size_t extra, rows;  /* discs; 3 (count + extra) */
  size_t *starts;      /* [rows + 1] */
  uint32_t *columns;
  double *values;
} doubled;

static bool has_disc(const doubled *d, uint32_t contact) { return d->place[contact] != UINT32_MAX; }

/* The entries of row `from` of the matrix, laid out for contacts and discs. The row is a disc's if
 * `disc`: its own normal impulse then moves nothing but its own normal. */
static size_t lay_row(const doubled *d, size_t from, size_t to) {
  const ct_matrix *m = d->many->matrix;
  size_t at = d->starts[to];
  for (size_t e = m->starts[from]; e < m->starts[from + 1]; e++, at++)
    d->columns[at] = m->columns[e], d->values[at] = m->values[e];
  for (size_t e = m->starts[from]; e < m->starts[from + 1]; e++) {
    uint32_t contact = m->columns[e] / 3, axis = m->columns[e] % 3;
    if (axis == 0 || !has_disc(d, contact)) continue;
    d->columns[at] = (uint32_t)(3 * (d->many->count + d->place[contact]) + axis);
    d->values[at++] = m->values[e];
  }
  return at;
}

static double diagonal(const ct_matrix *m, size_t row) {
  for (size_t e = m->starts[row]; e < m->starts[row + 1]; e++)
    if (m->columns[e] == row) return m->values[e];
  return 0.0;
}

static void lay(const doubled *d) {
  size_t count = d->many->count;
  d->starts[0] = 0;
  for (size_t row = 0; row < 3 * count; row++) d->starts[row + 1] = lay_row(d, row, row);
  for (size_t k = 0; k < d->extra; k++) {
    size_t row = 3 * (count + k), at = d->starts[row];
    d->columns[at] = (uint32_t)row;
    d->values[at] = diagonal(d->many->matrix, 3 * (size_t)d->source[k]);
    d->starts[row + 1] = at + 1;
    for (size_t axis = 1; axis < 3; axis++)
      d->starts[row + axis + 1] = lay_row(d, 3 * (size_t)d->source[k] + axis, row + axis);
  }
}

/* The tangential entries of a disc also answer to the contact's own normal impulse, but not the
 * other way round of the disc's. */
static bool take(doubled *d, ct_arena *arena) {
  size_t count = d->many->count, entries = d->many->matrix->starts[d->many->rows];
  d->place = ct_arena_alloc(arena, count, sizeof *d->place);
  d->source = ct_arena_alloc(arena, count, sizeof *d->source);
  if (!d->place || !d->source) return false;
  for (uint32_t i = 0; i < count; i++) {
    bool disc = d->least[i] > 0.0 && d->many->mu[i] > 0.0;
    d->place[i] = disc ? (uint32_t)d->extra : UINT32_MAX;
    if (disc) d->source[d->extra++] = i;
  }
  d->rows = 3 * (count + d->extra);
  d->starts = ct_arena_alloc(arena, d->rows + 1, sizeof *d->starts);
  /* At most every row and every column twice. */
  d->columns = ct_arena_alloc(arena, 4 * entries, sizeof *d->columns);
  d->values = ct_arena_alloc_doubles(arena, 4 * entries);
  return d->starts && d->columns && d->values;
}

static ct_status with_friction(const ct_impulse_many *many, const double *least, const double *u,
                               double *p, ct_impulse_phase *phase) {
  ct_arena *arena = many->work->arena;
  doubled d = {.many = many, .least = least};
  if (!take(&d, arena)) return CT_OUT_OF_MEMORY;
  lay(&d);
  size_t contacts = many->count + d.extra;
  double *q = ct_arena_alloc_doubles(arena, d.rows), *mu = ct_arena_alloc_doubles(arena, contacts);
  double *r = ct_arena_alloc_doubles(arena, d.rows);
  if (!q || !mu || !r) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < many->count; i++) {
    mu[i] = many->mu[i];
    for (size_t k = 0; k < 3; k++) q[3 * i + k] = u[3 * i + k] - (k == 0 ? many->floor[i] : 0.0);
  }
  for (size_t k = 0; k < d.extra; k++) {
    size_t row = 3 * (many->count + k), i = d.source[k];
    mu[many->count + k] = many->mu[i];
    q[row] = -least[i] * diagonal(many->matrix, 3 * i);
    q[row + 1] = u[3 * i + 1];
    q[row + 2] = u[3 * i + 2];
  }
  ct_friction_problem problem = {
      {.size = d.rows, .starts = d.starts, .columns = d.columns, .values = d.values},
      q,
      mu,
      contacts,
      3};
  ct_status status = ct_impulse_cones(many, &problem, r, phase);
  if (status != CT_OK) return status;
  for (size_t row = 0; row < many->rows; row++) p[row] = r[row];
  for (size_t k = 0; k < d.extra; k++)
    for (size_t axis = 1; axis < 3; axis++)
      p[3 * (size_t)d.source[k] + axis] += r[3 * (many->count + k) + axis];
  for (size_t i = 0; i < many->count; i++) p[3 * i] += least[i];
  return CT_OK;
}

ct_status ct_impulse_restitute(const ct_impulse_many *many, const double *compression, double *p,
                               ct_impulse_phase *phase) {
  ct_arena *arena = many->work->arena;
  ct_arena_mark mark = ct_arena_enter(arena);
  size_t rows = many->rows, d = many->dimension;
  double *memory = ct_arena_alloc_doubles(arena, 3 * rows),
         *least = ct_arena_alloc_doubles(arena, many->count);
  ct_status status = memory && least ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    /* Velocities after the compression and the least restitution. */
    double *sum = memory, *u = memory + rows, *moved = memory + 2 * rows;
    memcpy(sum, compression, rows * sizeof *sum);
    for (size_t i = 0; i < many->count; i++)
      least[i] = many->e[i] * compression[d * i], sum[d * i] += least[i];
    ct_matrix_product(many->matrix, sum, moved);
    for (size_t row = 0; row < rows; row++) u[row] = many->u[row] + moved[row];
    if (d == 3) status = with_friction(many, least, u, p, phase);
    else status = ct_impulse_solve_phase(many, u, NULL, p, phase);
    for (size_t i = 0; status == CT_OK && d == 1 && i < many->count; i++) p[i] += least[i];
  }
  ct_arena_leave(arena, mark);
  return status;
}
