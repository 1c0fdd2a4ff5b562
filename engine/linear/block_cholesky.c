/* Left-looking: each column takes what the columns before it that reach its row do to it, then is
 * divided. */
#include "linear/block_cholesky.h"

#include "linear/arena.h"
#include "linear/dense.h"
#include "linear/nested_dissection.h"

#include <math.h>
#include <string.h>

enum { ROWS = CT_CHOLESKY_ROWS, BLOCK = CT_CHOLESKY_BLOCK };

#define NONE UINT32_MAX
/* Looks at the cancel flag once in so many columns. */
#define POLL_COLUMNS 16u
/* A pivot below this part of its diagonal entry is rounding. */
#define PIVOT_LEAST 1e-15

/* ---- where blocks are ----------------------------------------------------------------------- */

static bool make_graph(const ct_block_shape *shape, ct_graph *graph, ct_arena *arena) {
  size_t count = shape->count, pair_count = shape->pair_count;
  const ct_block_pair *pairs = shape->pairs;
  size_t *starts = ct_arena_alloc(arena, count + 2, sizeof *starts);
  uint32_t *neighbours = ct_arena_alloc(arena, 2 * pair_count + 1, sizeof *neighbours);
  if (!starts || !neighbours) return false;
  memset(starts, 0, (count + 2) * sizeof *starts);
  for (size_t i = 0; i < pair_count; i++) {
    starts[pairs[i].a + 2]++;
    starts[pairs[i].b + 2]++;
  }
  for (size_t v = 0; v < count; v++) starts[v + 2] += starts[v + 1];
  for (size_t i = 0; i < pair_count; i++) {
    neighbours[starts[pairs[i].a + 1]++] = pairs[i].b;
    neighbours[starts[pairs[i].b + 1]++] = pairs[i].a;
  }
  *graph = (ct_graph){count, starts, neighbours};
  return true;
}

/* For each column the first row in which L has a block under the diagonal (Liu 1986). */
static void find_parents(const ct_block_cholesky *f, const ct_graph *graph, uint32_t *parent,
                         uint32_t *ancestor) {
  for (uint32_t i = 0; i < f->count; i++) {
    parent[i] = ancestor[i] = NONE;
    uint32_t v = f->order[i];
    for (size_t e = graph->starts[v]; e < graph->starts[v + 1]; e++) {
      uint32_t k = f->place[graph->neighbours[e]];
      while (k < i && k != NONE) {
        uint32_t up = ancestor[k];
        ancestor[k] = i;
        if (up == NONE) parent[k] = i;
        if (up == i) break;
        k = up;
      }
    }
  }
}

/* Row i of L has blocks in the columns on the ways up the tree from its neighbours: each is counted
 * at ends[column], and (rows not NULL) noted there. */
static void find_rows(const ct_block_cholesky *f, const ct_graph *graph, const uint32_t *parent,
                      uint32_t *seen, size_t *ends, uint32_t *rows) {
  for (uint32_t i = 0; i < f->count; i++) seen[i] = NONE;
  for (uint32_t i = 0; i < f->count; i++) {
    seen[i] = i;
    uint32_t v = f->order[i];
    for (size_t e = graph->starts[v]; e < graph->starts[v + 1]; e++) {
      for (uint32_t k = f->place[graph->neighbours[e]]; k < i && seen[k] != i; k = parent[k]) {
        seen[k] = i;
        if (rows) rows[ends[k]] = i;
        ends[k]++;
      }
    }
  }
}

/* Multiplications of a factor, and how many blocks it has; columns begin where those before them
 * end. */
static void count_work(ct_block_cholesky *f, const size_t *counts) {
  double work = 0.0;
  f->starts[0] = 0;
  for (size_t j = 0; j < f->count; j++) {
    double n = (double)counts[j];
    work += 0.5 * n * (n + 1.0) + 0.5 * n + 0.2;
    f->starts[j + 1] = f->starts[j] + counts[j];
  }
  f->work = work * BLOCK * ROWS;
}

static bool take_numbers(ct_block_cholesky *f, ct_arena *arena) {
  size_t n = f->count, blocks = f->starts[n];
  f->rows = ct_arena_alloc(arena, blocks + 1, sizeof *f->rows);
  f->values = ct_arena_alloc_doubles(arena, BLOCK * blocks + 1);
  f->diagonal = ct_arena_alloc_doubles(arena, BLOCK * n + 1);
  f->right = ct_arena_alloc_doubles(arena, ROWS * n + 1);
  f->head = ct_arena_alloc(arena, 2 * n + 1, sizeof *f->head);
  f->ahead = ct_arena_alloc(arena, 2 * n + 1, sizeof *f->ahead);
  if (!f->rows || !f->values || !f->diagonal || !f->right || !f->head || !f->ahead) return false;
  f->next = f->head + n;
  f->at = f->ahead + n;
  return true;
}

ct_status ct_block_cholesky_open(ct_block_cholesky *f, const ct_block_shape *shape, ct_arena *arena,
                                 bool *fits) {
  size_t count = shape->count;
  *fits = false;
  *f = (ct_block_cholesky){.count = count};
  ct_graph graph;
  uint32_t *numbers = ct_arena_alloc(arena, 5 * count + 1, sizeof *numbers);
  f->starts = ct_arena_alloc(arena, 2 * count + 2, sizeof *f->starts);
  if (!numbers || !f->starts || !make_graph(shape, &graph, arena)) return CT_OUT_OF_MEMORY;
  f->order = numbers;
  f->place = numbers + count;
  uint32_t *parent = numbers + 2 * count, *mark = numbers + 3 * count;
  size_t *ends = f->starts + count + 1;
  if (!ct_nested_order(&graph, f->order, arena)) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count; i++) f->place[f->order[i]] = i;
  find_parents(f, &graph, parent, mark);
  memset(ends, 0, count * sizeof *ends);
  find_rows(f, &graph, parent, mark, ends, NULL);
  count_work(f, ends);
  if (f->starts[count] > shape->blocks_max || f->work > shape->work_max) return CT_OK;
  if (!take_numbers(f, arena)) return CT_OUT_OF_MEMORY;
  memcpy(ends, f->starts, count * sizeof *ends);
  find_rows(f, &graph, parent, mark, ends, f->rows);
  *fits = true;
  return CT_OK;
}

/* ---- numbers -------------------------------------------------------------------------------- */

void ct_block_cholesky_clear(ct_block_cholesky *f) {
  memset(f->values, 0, f->starts[f->count] * BLOCK * sizeof *f->values);
  memset(f->diagonal, 0, f->count * BLOCK * sizeof *f->diagonal);
}

/* Where column j has its block of row i, which it has. */
static size_t find_block(const ct_block_cholesky *f, uint32_t i, uint32_t j) {
  size_t low = f->starts[j], high = f->starts[j + 1];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (f->rows[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

void ct_block_cholesky_add(ct_block_cholesky *f, uint32_t a, uint32_t b, const double *block) {
  uint32_t i = f->place[a], j = f->place[b];
  double *to = i == j ? &f->diagonal[BLOCK * (size_t)i]
                      : &f->values[BLOCK * (i > j ? find_block(f, i, j) : find_block(f, j, i))];
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < ROWS; c++)
      to[i >= j ? ROWS * r + c : ROWS * c + r] += block[ROWS * r + c];
}

/* to -= x y', y given by columns. */
static void take_away(double *restrict to, const double *restrict x,
                      const double *restrict columns) {
  for (size_t r = 0; r < ROWS; r++, to += ROWS, x += ROWS) {
    ct_two a = ct_two_load(to), b = ct_two_load(to + 2), c = ct_two_load(to + 4);
    for (size_t k = 0; k < ROWS; k++) {
      const double *column = &columns[ROWS * k];
      const ct_two times = {x[k], x[k]};
      a -= times * ct_two_load(column);
      b -= times * ct_two_load(column + 2);
      c -= times * ct_two_load(column + 4);
    }
    ct_two_store(to, a);
    ct_two_store(to + 2, b);
    ct_two_store(to + 4, c);
  }
}

static void turn(const double *block, double *out) {
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < ROWS; c++) out[ROWS * c + r] = block[ROWS * r + c];
}

/* Cholesky's factor of a block, in place. */
static void factor_block(double *m) {
  for (size_t j = 0; j < ROWS; j++) {
    for (size_t i = j; i < ROWS; i++) {
      double whole = m[i * ROWS + j], sum = whole;
      for (size_t k = 0; k < j; k++) sum -= m[i * ROWS + k] * m[j * ROWS + k];
      if (i == j) m[i * ROWS + j] = sqrt(fmax(sum, fmax(PIVOT_LEAST * fabs(whole), 1e-300)));
      else m[i * ROWS + j] = sum / m[j * ROWS + j];
    }
  }
}

/* x = x L'^-1 */
static void divide_block(double *x, const double *l) {
  for (size_t r = 0; r < ROWS; r++, x += ROWS)
    for (size_t c = 0; c < ROWS; c++) {
      for (size_t k = 0; k < c; k++) x[c] -= x[k] * l[ROWS * c + k];
      x[c] /= l[ROWS * c + c];
    }
}

/* Puts a column to those that wait for the row of its next block. */
static void wait(ct_block_cholesky *f, uint32_t column, size_t block) {
  f->ahead[column] = block;
  if (block == f->starts[column + 1]) return;
  uint32_t row = f->rows[block];
  f->next[column] = f->head[row];
  f->head[row] = column;
}

static void make_column(ct_block_cholesky *f, uint32_t j) {
  double *own = &f->diagonal[BLOCK * (size_t)j], columns[BLOCK];
  for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++) f->at[f->rows[e]] = e;
  for (uint32_t k = f->head[j], next; k != NONE; k = next) {
    next = f->next[k];
    size_t e = f->ahead[k];
    turn(&f->values[BLOCK * e], columns);
    take_away(own, &f->values[BLOCK * e], columns);
    for (size_t b = e + 1; b < f->starts[k + 1]; b++)
      take_away(&f->values[BLOCK * f->at[f->rows[b]]], &f->values[BLOCK * b], columns);
    wait(f, k, e + 1);
  }
  factor_block(own);
  for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++) divide_block(&f->values[BLOCK * e], own);
  wait(f, j, f->starts[j]);
}

ct_status ct_block_cholesky_factor(ct_block_cholesky *f, const ct_cancel *cancel) {
  for (size_t i = 0; i < f->count; i++) f->head[i] = NONE;
  for (uint32_t j = 0; j < f->count; j++) {
    if (j % POLL_COLUMNS == 0 && ct_cancel_raised(cancel)) return CT_CANCELLED;
    make_column(f, j);
  }
  return CT_OK;
}

/* ---- solving -------------------------------------------------------------------------------- */

static void forward(const double *l, double *x) {
  for (size_t r = 0; r < ROWS; r++) {
    for (size_t k = 0; k < r; k++) x[r] -= l[ROWS * r + k] * x[k];
    x[r] /= l[ROWS * r + r];
  }
}

static void backward(const double *l, double *x) {
  for (size_t r = ROWS; r-- > 0;) {
    for (size_t k = r + 1; k < ROWS; k++) x[r] -= l[ROWS * k + r] * x[k];
    x[r] /= l[ROWS * r + r];
  }
}

/* to -= b x */
static void take_product(double *restrict to, const double *restrict b, const double *restrict x) {
  const ct_two x0 = ct_two_load(x), x1 = ct_two_load(x + 2), x2 = ct_two_load(x + 4);
  for (size_t r = 0; r < ROWS; r++, b += ROWS) {
    ct_two sums = ct_two_load(b) * x0 + ct_two_load(b + 2) * x1 + ct_two_load(b + 4) * x2;
    to[r] -= sums[0] + sums[1];
  }
}

/* to -= b' x */
static void take_turned(double *restrict to, const double *restrict b, const double *restrict x) {
  ct_two t0 = ct_two_load(to), t1 = ct_two_load(to + 2), t2 = ct_two_load(to + 4);
  for (size_t r = 0; r < ROWS; r++, b += ROWS) {
    const ct_two times = {x[r], x[r]};
    t0 -= ct_two_load(b) * times;
    t1 -= ct_two_load(b + 2) * times;
    t2 -= ct_two_load(b + 4) * times;
  }
  ct_two_store(to, t0);
  ct_two_store(to + 2, t1);
  ct_two_store(to + 4, t2);
}

void ct_block_cholesky_solve(const ct_block_cholesky *f, const double *right, double *out) {
  double *x = f->right;
  for (size_t i = 0; i < f->count; i++)
    memcpy(&x[ROWS * i], &right[ROWS * (size_t)f->order[i]], ROWS * sizeof *x);
  for (size_t j = 0; j < f->count; j++) {
    double *own = &x[ROWS * j];
    forward(&f->diagonal[BLOCK * j], own);
    for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++)
      take_product(&x[ROWS * (size_t)f->rows[e]], &f->values[BLOCK * e], own);
  }
  for (size_t j = f->count; j-- > 0;) {
    double *own = &x[ROWS * j];
    for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++)
      take_turned(own, &f->values[BLOCK * e], &x[ROWS * (size_t)f->rows[e]]);
    backward(&f->diagonal[BLOCK * j], own);
  }
  for (size_t i = 0; i < f->count; i++)
    memcpy(&out[ROWS * (size_t)f->order[i]], &x[ROWS * i], ROWS * sizeof *x);
}
