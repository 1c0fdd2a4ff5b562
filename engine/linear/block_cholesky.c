/* Sparse block Cholesky factor, left-looking: from each column, the products of earlier columns
 * that have a block in its row are subtracted; then it is divided by the factor of its diagonal
 * block. The order of elimination is nested dissection, with separators that are levels of a
 * breadth-first traversal. Methods and papers: block_cholesky.h. */
#include "linear/block_cholesky.h"
#include "linear/arena.h"
#include "linear/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROWS = CT_CHOLESKY_ROWS, BLOCK = CT_CHOLESKY_BLOCK };

#define NO_BLOCK_ROW UINT32_MAX
/* Number of columns between two polls of the cancel flag. */
#define POLL_COLUMNS 16u
/* Least pivot as a fraction of its diagonal entry; a smaller one is round-off. */
#define PIVOT_LEAST 1e-15

/* ---- order of elimination: nested dissection by level structures ----------------------------- */

/* Greatest number of vertices of a span that is not divided: for so few, the reverse breadth-first
 * order is as good. */
#define WHOLE_MAX 24
/* Least fraction of a span's vertices on each side of a separator. */
#define SIDE_PART 0.25

/* The vertices order[from] to order[to - 1]. `connected`: they are known to be connected. */
typedef struct vertex_span {
  size_t from, to;
  bool connected;
} vertex_span;

typedef struct dissection {
  const ct_graph *graph;
  uint32_t *order, *queue;
  uint32_t *label; /* [count] number of the last span that contained each vertex */
  uint32_t *level; /* [count] level of each vertex in the present traversal, from 1; 0: not
                      reached */
  uint32_t spans;
  vertex_span *stack; /* [count + 2] spans that remain to be divided */
  size_t waiting;
} dissection;

/* Traverses the vertices of the span with this label that are connected to `root`, breadth first.
 * Writes them to `queue` from index `begin`, and their levels. Returns the index behind the
 * last. */
static size_t traverse_levels(const dissection *d, uint32_t root, uint32_t label, size_t begin) {
  assert(d->label[root] == label);
  size_t end = begin;
  d->queue[end++] = root;
  d->level[root] = 1;
  for (size_t at = begin; at < end; at++) {
    uint32_t v = d->queue[at];
    for (size_t e = d->graph->starts[v]; e < d->graph->starts[v + 1]; e++) {
      uint32_t w = d->graph->neighbours[e];
      if (d->label[w] != label || d->level[w] != 0) continue;
      d->level[w] = d->level[v] + 1;
      d->queue[end++] = w;
    }
  }
  return end;
}

static void push_span(dissection *d, size_t from, size_t to, bool connected) {
  assert(from <= to && to <= d->graph->count);
  if (to > from) d->stack[d->waiting++] = (vertex_span){from, to, connected};
}

static void clear_levels(const dissection *d, vertex_span s) {
  for (size_t i = s.from; i < s.to; i++) d->level[d->order[i]] = 0;
}

/* Divides a span into its connected components and pushes each as a span. */
static void split_components(dissection *d, vertex_span s, uint32_t label) {
  size_t end = s.from;
  for (size_t i = s.from; i < s.to; i++) {
    if (d->level[d->order[i]] != 0) continue;
    size_t begin = end;
    end = traverse_levels(d, d->order[i], label, begin);
    push_span(d, begin, end, true);
  }
  for (size_t i = s.from; i < s.to; i++) d->order[i] = d->queue[i];
}

/* Returns the level with the fewest vertices among those with enough vertices on both sides; 0 if
 * there is none. The queue must be in the order of levels. */
static uint32_t choose_separator_level(const dissection *d, vertex_span s) {
  assert(s.connected);
  size_t size = s.to - s.from, least = SIZE_MAX;
  uint32_t best = 0;
  for (size_t i = s.from, end; i < s.to; i = end) {
    uint32_t level = d->level[d->queue[i]];
    for (end = i; end < s.to && d->level[d->queue[end]] == level;) end++;
    size_t before = i - s.from, behind = s.to - end, side = before < behind ? before : behind;
    if ((double)side < SIDE_PART * (double)size || end - i >= least) continue;
    least = end - i;
    best = level;
  }
  return best;
}

/* True if the vertex is in the level and has a neighbour in the next level. */
static bool is_in_separator(const dissection *d, uint32_t v, uint32_t level, uint32_t label) {
  if (d->level[v] != level) return false;
  for (size_t e = d->graph->starts[v]; e < d->graph->starts[v + 1]; e++) {
    uint32_t w = d->graph->neighbours[e];
    if (d->label[w] == label && d->level[w] == level + 1) return true;
  }
  return false;
}

/* Orders the span: vertices before the separator, vertices behind it, then the separator; pushes
 * the first two as spans. If there is no separator, orders the span in reverse order of the
 * traversal. */
static void divide_span(dissection *d, vertex_span s, uint32_t label) {
  uint32_t level = s.to - s.from > WHOLE_MAX ? choose_separator_level(d, s) : 0;
  if (level == 0) {
    for (size_t i = s.from; i < s.to; i++) d->order[i] = d->queue[s.to - 1 - (i - s.from)];
    return;
  }
  size_t at = s.from;
  for (size_t i = s.from; i < s.to; i++)
    if (d->level[d->queue[i]] <= level && !is_in_separator(d, d->queue[i], level, label))
      d->order[at++] = d->queue[i];
  size_t middle = at;
  for (size_t i = s.from; i < s.to; i++)
    if (d->level[d->queue[i]] > level) d->order[at++] = d->queue[i];
  size_t last = at;
  for (size_t i = s.from; i < s.to; i++)
    if (is_in_separator(d, d->queue[i], level, label)) d->order[at++] = d->queue[i];
  push_span(d, s.from, middle, false);
  push_span(d, middle, last, false);
}

static void dissect(dissection *d) {
  while (d->waiting > 0) {
    vertex_span s = d->stack[--d->waiting];
    uint32_t label = ++d->spans;
    for (size_t i = s.from; i < s.to; i++) d->label[d->order[i]] = label;
    clear_levels(d, s);
    if (!s.connected) {
      split_components(d, s, label);
      continue;
    }
    /* The last vertex of a traversal is far from its root. Two further traversals, each from the
     * last vertex of the one before, find a path near the diameter. */
    for (int pass = 0; pass < 3; pass++) {
      uint32_t root = pass == 0 ? d->order[s.from] : d->queue[s.to - 1];
      clear_levels(d, s);
      (void)traverse_levels(d, root, label, s.from);
    }
    divide_span(d, s, label);
  }
}

bool ct_nested_order(const ct_graph *graph, uint32_t *order, ct_arena *arena) {
  dissection d = {.graph = graph, .order = order};
  ct_arena_mark mark = ct_arena_enter(arena);
  d.queue = ct_arena_alloc(arena, 3 * graph->count + 1, sizeof *d.queue);
  d.stack = ct_arena_alloc(arena, graph->count + 2, sizeof *d.stack);
  bool has_memory = d.queue && d.stack;
  if (has_memory) {
    d.label = d.queue + graph->count;
    d.level = d.label + graph->count;
    for (uint32_t v = 0; v < graph->count; v++) {
      order[v] = v;
      d.label[v] = d.level[v] = 0;
    }
    push_span(&d, 0, graph->count, false);
    dissect(&d);
  }
  ct_arena_leave(arena, mark);
  return has_memory;
}

/* ---- symbolic factorisation ------------------------------------------------------------------ */

static bool make_graph(const ct_block_shape *shape, ct_graph *graph, ct_arena *arena) {
  size_t count = shape->count, pair_count = shape->pair_count;
  const ct_block_pair *pairs = shape->pairs;
  size_t *starts = ct_arena_alloc(arena, count + 2, sizeof *starts);
  uint32_t *neighbours = ct_arena_alloc(arena, 2 * pair_count + 1, sizeof *neighbours);
  if (!starts || !neighbours) return false;
  memset(starts, 0, (count + 2) * sizeof *starts);
  for (size_t i = 0; i < pair_count; i++) {
    assert(pairs[i].a < count && pairs[i].b < count && pairs[i].a != pairs[i].b);
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

/* For each column j, finds the first row below the diagonal in which L has a block: the parent of j
 * in the elimination tree (Liu 1986). */
static void find_parents(const ct_block_cholesky *f, const ct_graph *graph, uint32_t *parent,
                         uint32_t *ancestor) {
  for (uint32_t i = 0; i < f->count; i++) {
    parent[i] = ancestor[i] = NO_BLOCK_ROW;
    uint32_t v = f->order[i];
    for (size_t e = graph->starts[v]; e < graph->starts[v + 1]; e++) {
      uint32_t k = f->place[graph->neighbours[e]];
      while (k < i && k != NO_BLOCK_ROW) {
        uint32_t up = ancestor[k];
        ancestor[k] = i;
        if (up == NO_BLOCK_ROW) parent[k] = i;
        if (up == i) break;
        k = up;
      }
    }
  }
}

/* Row i of L has blocks in the columns on the paths of the elimination tree from its neighbours up
 * to i. Increments ends[column] for each block and, unless `rows` is NULL, stores the row at that
 * index before. */
static void find_rows(const ct_block_cholesky *f, const ct_graph *graph, const uint32_t *parent,
                      uint32_t *seen, size_t *ends, uint32_t *rows) {
  for (uint32_t i = 0; i < f->count; i++) seen[i] = NO_BLOCK_ROW;
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

/* Computes the number of multiplications of a factorisation, and `starts` from the number of blocks
 * of each column. */
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

static bool allocate_factor_values(ct_block_cholesky *f, ct_arena *arena) {
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
  if (!allocate_factor_values(f, arena)) return CT_OUT_OF_MEMORY;
  memcpy(ends, f->starts, count * sizeof *ends);
  find_rows(f, &graph, parent, mark, ends, f->rows);
  *fits = true;
  return CT_OK;
}

/* ---- numeric factorisation ------------------------------------------------------------------- */

void ct_block_cholesky_clear(ct_block_cholesky *f) {
  memset(f->values, 0, f->starts[f->count] * BLOCK * sizeof *f->values);
  memset(f->diagonal, 0, f->count * BLOCK * sizeof *f->diagonal);
}

/* Returns the index of the block in row i of column j, which must exist. */
static size_t find_block(const ct_block_cholesky *f, uint32_t i, uint32_t j) {
  size_t low = f->starts[j], high = f->starts[j + 1];
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (f->rows[middle] <= i) low = middle;
    else high = middle;
  }
  assert(f->rows[low] == i);
  return low;
}

void ct_block_cholesky_add(ct_block_cholesky *f, uint32_t a, uint32_t b, const double *block) {
  assert(a < f->count && b < f->count);
  uint32_t i = f->place[a], j = f->place[b];
  double *to = i == j ? &f->diagonal[BLOCK * (size_t)i]
                      : &f->values[BLOCK * (i > j ? find_block(f, i, j) : find_block(f, j, i))];
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < ROWS; c++)
      to[i >= j ? ROWS * r + c : ROWS * c + r] += block[ROWS * r + c];
}

/* Computes to -= x y', where y is given by columns. */
static void subtract_block_product(double *restrict to, const double *restrict x,
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

static void transpose_block(const double *block, double *out) {
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < ROWS; c++) out[ROWS * c + r] = block[ROWS * r + c];
}

/* Replaces the lower triangle of a diagonal block by its Cholesky factor. */
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

/* Computes x = x L'^-1 for a block x and the factor L of a diagonal block. */
static void divide_block(double *x, const double *l) {
  for (size_t r = 0; r < ROWS; r++, x += ROWS)
    for (size_t c = 0; c < ROWS; c++) {
      for (size_t k = 0; k < c; k++) x[c] -= x[k] * l[ROWS * c + k];
      x[c] /= l[ROWS * c + c];
    }
}

/* Sets the next block of a column and, unless it is behind the column's end, adds the column to the
 * list of the block's row. */
static void link_column(ct_block_cholesky *f, uint32_t column, size_t block) {
  f->ahead[column] = block;
  if (block == f->starts[column + 1]) return;
  uint32_t row = f->rows[block];
  f->next[column] = f->head[row];
  f->head[row] = column;
}

static void factor_column(ct_block_cholesky *f, uint32_t j) {
  assert(j < f->count);
  double *own = &f->diagonal[BLOCK * (size_t)j], columns[BLOCK];
  for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++) f->at[f->rows[e]] = e;
  for (uint32_t k = f->head[j], next; k != NO_BLOCK_ROW; k = next) {
    next = f->next[k];
    size_t e = f->ahead[k];
    transpose_block(&f->values[BLOCK * e], columns);
    subtract_block_product(own, &f->values[BLOCK * e], columns);
    for (size_t b = e + 1; b < f->starts[k + 1]; b++)
      subtract_block_product(&f->values[BLOCK * f->at[f->rows[b]]], &f->values[BLOCK * b], columns);
    link_column(f, k, e + 1);
  }
  factor_block(own);
  for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++) divide_block(&f->values[BLOCK * e], own);
  link_column(f, j, f->starts[j]);
}

ct_status ct_block_cholesky_factor(ct_block_cholesky *f, const ct_cancel *cancel) {
  for (size_t i = 0; i < f->count; i++) f->head[i] = NO_BLOCK_ROW;
  for (uint32_t j = 0; j < f->count; j++) {
    if (j % POLL_COLUMNS == 0 && ct_cancel_raised(cancel)) return CT_CANCELLED;
    factor_column(f, j);
  }
  return CT_OK;
}

/* ---- solving --------------------------------------------------------------------------------- */

static void solve_block_forward(const double *l, double *x) {
  for (size_t r = 0; r < ROWS; r++) {
    for (size_t k = 0; k < r; k++) x[r] -= l[ROWS * r + k] * x[k];
    x[r] /= l[ROWS * r + r];
  }
}

static void solve_block_backward(const double *l, double *x) {
  for (size_t r = ROWS; r-- > 0;) {
    for (size_t k = r + 1; k < ROWS; k++) x[r] -= l[ROWS * k + r] * x[k];
    x[r] /= l[ROWS * r + r];
  }
}

/* Computes to -= b x for a block b. */
static void subtract_block_vector(double *restrict to, const double *restrict b,
                                  const double *restrict x) {
  const ct_two x0 = ct_two_load(x), x1 = ct_two_load(x + 2), x2 = ct_two_load(x + 4);
  for (size_t r = 0; r < ROWS; r++, b += ROWS) {
    ct_two sums = ct_two_load(b) * x0 + ct_two_load(b + 2) * x1 + ct_two_load(b + 4) * x2;
    to[r] -= sums[0] + sums[1];
  }
}

/* Computes to -= b' x for a block b. */
static void subtract_transposed_vector(double *restrict to, const double *restrict b,
                                       const double *restrict x) {
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
    solve_block_forward(&f->diagonal[BLOCK * j], own);
    for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++)
      subtract_block_vector(&x[ROWS * (size_t)f->rows[e]], &f->values[BLOCK * e], own);
  }
  for (size_t j = f->count; j-- > 0;) {
    double *own = &x[ROWS * j];
    for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++)
      subtract_transposed_vector(own, &f->values[BLOCK * e], &x[ROWS * (size_t)f->rows[e]]);
    solve_block_backward(&f->diagonal[BLOCK * j], own);
  }
  for (size_t i = 0; i < f->count; i++)
    memcpy(&out[ROWS * (size_t)f->order[i]], &x[ROWS * i], ROWS * sizeof *x);
}
