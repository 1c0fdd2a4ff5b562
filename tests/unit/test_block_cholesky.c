/* Sparse block Cholesky factor: residuals of its solutions in long double for graphs of many kinds;
 * fill-in of a wall against the bound of nested dissection (George 1973); limits and cancellation.
 */
#include "linear/arena.h"
#include "linear/block_cholesky.h"
#include "tests/support/check.h"

#define COUNT_MAX 64
#define PAIRS_MAX 400
#define N CT_CHOLESKY_ROWS

typedef struct equations {
  size_t count, pair_count;
  ct_block_pair pairs[PAIRS_MAX];
  double diagonal[COUNT_MAX][N * N], beside[PAIRS_MAX][N * N];
} equations;

/* Sum over pairs of H H', H random, which couples both blocks: semidefinite. A positive diagonal is
 * added. */
static void fill(equations *e, check_random *r) {
  memset(e->diagonal, 0, sizeof e->diagonal);
  for (size_t b = 0; b < e->count; b++)
    for (size_t k = 0; k < N; k++) e->diagonal[b][k * N + k] = 1e-3;
  for (size_t p = 0; p < e->pair_count; p++) {
    double h[2][N][2];
    for (size_t i = 0; i < 4 * N; i++) (&h[0][0][0])[i] = check_uniform(r, -1.0, 1.0);
    double *to[3] = {e->diagonal[e->pairs[p].a], e->diagonal[e->pairs[p].b], e->beside[p]};
    memset(to[2], 0, N * N * sizeof **to);
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < N; j++)
        for (size_t k = 0; k < 2; k++) {
          to[0][i * N + j] += h[0][i][k] * h[0][j][k];
          to[1][i * N + j] += h[1][i][k] * h[1][j][k];
          to[2][i * N + j] += h[0][i][k] * h[1][j][k];
        }
  }
}

/* Paths, stars, rings, complete graphs, disconnected parts, and random pairs, some of them twice.
 */
static void join(equations *e, int kind, check_random *r) {
  e->count = 1 + check_next(r) % COUNT_MAX;
  e->pair_count = 0;
  for (uint32_t b = 1; b < e->count; b++) {
    if (kind == 0) e->pairs[e->pair_count++] = (ct_block_pair){b, b - 1};
    if (kind == 1) e->pairs[e->pair_count++] = (ct_block_pair){b % 2 ? 0 : b, b % 2 ? b : 0};
    if (kind == 2 && b % 8) e->pairs[e->pair_count++] = (ct_block_pair){b - 1, b};
    for (uint32_t a = 0; kind == 3 && b < 20 && a < b; a++)
      e->pairs[e->pair_count++] = (ct_block_pair){a, b};
  }
  while (kind == 4 && e->count > 1 && e->pair_count < 4 * e->count) {
    uint32_t a = (uint32_t)(check_next(r) % e->count), b = (uint32_t)(check_next(r) % e->count);
    if (a != b) e->pairs[e->pair_count++] = (ct_block_pair){a, b};
  }
}

/* The greatest |A x - right|, relative to the greatest |x|. */
static double wrong(const equations *e, const double *x, const double *right) {
  long double rest[COUNT_MAX * N], most = 0.0L, worst = 0.0L;
  for (size_t i = 0; i < e->count * N; i++) {
    rest[i] = -right[i];
    most = fmaxl(most, fabsl((long double)x[i]));
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      for (size_t b = 0; b < e->count; b++)
        rest[b * N + i] += (long double)e->diagonal[b][i * N + j] * x[b * N + j];
      for (size_t p = 0; p < e->pair_count; p++) {
        rest[e->pairs[p].a * N + i] +=
            (long double)e->beside[p][i * N + j] * x[e->pairs[p].b * N + j];
        rest[e->pairs[p].b * N + j] +=
            (long double)e->beside[p][i * N + j] * x[e->pairs[p].a * N + i];
      }
    }
  for (size_t i = 0; i < e->count * N; i++) worst = fmaxl(worst, fabsl(rest[i]));
  return (double)(worst / most);
}

static void solutions_solve(void) {
  static equations e;
  check_random r = {20260107};
  ct_arena *arena = ct_arena_create();
  for (int turn = 0; turn < 200; turn++) {
    join(&e, turn % 5, &r);
    ct_arena_mark mark = ct_arena_enter(arena);
    ct_block_cholesky f;
    bool fits = false;
    const ct_block_shape shape = {e.count, e.pairs, e.pair_count, SIZE_MAX, INFINITY};
    CHECK_INT(ct_block_cholesky_open(&f, &shape, arena, &fits), CT_OK);
    CHECK(fits);
    uint32_t seen = 0;
    for (size_t i = 0; i < e.count; i++) seen += f.order[f.place[i]] == i;
    CHECK_INT(seen, e.count);
    for (int again = 0; again < 2; again++) {
      double right[COUNT_MAX * N], x[COUNT_MAX * N];
      fill(&e, &r);
      ct_block_cholesky_clear(&f);
      for (uint32_t b = 0; b < e.count; b++) ct_block_cholesky_add(&f, b, b, e.diagonal[b]);
      for (size_t p = 0; p < e.pair_count; p++)
        ct_block_cholesky_add(&f, e.pairs[p].a, e.pairs[p].b, e.beside[p]);
      CHECK_INT(ct_block_cholesky_factor(&f, NULL), CT_OK);
      for (size_t i = 0; i < e.count * N; i++) right[i] = check_uniform(&r, -1.0, 1.0);
      ct_block_cholesky_solve(&f, right, x);
      CHECK(wrong(&e, x, right) <= 1e-12);
      ct_block_cholesky_solve(&f, right, right);
      CHECK(memcmp(x, right, e.count * N * sizeof *x) == 0);
    }
    ct_arena_leave(arena, mark);
  }
  ct_arena_destroy(arena);
}

#define SIDE 64

/* Nested dissection of a grid of n x n fills in at most 31/4 n^2 log2 n (George 1973); a band
 * factor, n^3. */
static void a_wall_fills_in_little(void) {
  static ct_block_pair pairs[2 * SIDE * SIDE];
  size_t count = 0;
  for (uint32_t y = 0; y < SIDE; y++)
    for (uint32_t x = 0; x < SIDE; x++) {
      if (x > 0) pairs[count++] = (ct_block_pair){y * SIDE + x - 1, y * SIDE + x};
      if (y > 0) pairs[count++] = (ct_block_pair){(y - 1) * SIDE + x, y * SIDE + x};
    }
  ct_arena *arena = ct_arena_create();
  ct_arena_mark mark = ct_arena_enter(arena);
  ct_block_cholesky f;
  bool fits = false;
  ct_block_shape shape = {SIDE * SIDE, pairs, count, SIZE_MAX, INFINITY};
  CHECK_INT(ct_block_cholesky_open(&f, &shape, arena, &fits), CT_OK);
  CHECK(fits && (double)f.starts[SIDE * SIDE] <= 7.75 * SIDE * SIDE * 6.0);
  size_t blocks = f.starts[SIDE * SIDE];
  double work = f.work;
  shape.blocks_max = blocks - 1;
  CHECK_INT(ct_block_cholesky_open(&f, &shape, arena, &fits), CT_OK);
  CHECK(!fits);
  shape.blocks_max = blocks;
  shape.work_max = 0.99 * work;
  CHECK_INT(ct_block_cholesky_open(&f, &shape, arena, &fits), CT_OK);
  CHECK(!fits);
  shape.work_max = work;
  CHECK_INT(ct_block_cholesky_open(&f, &shape, arena, &fits), CT_OK);
  CHECK(fits);
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  ct_block_cholesky_clear(&f);
  CHECK_INT(ct_block_cholesky_factor(&f, cancel), CT_CANCELLED);
  ct_cancel_destroy(cancel);
  ct_arena_leave(arena, mark);
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"solutions solve their equations, whatever touches whatever", solutions_solve},
    {"a wall fills in n^2 log n; limits are kept; a raised flag ends it", a_wall_fills_in_little},
};

CHECK_MAIN(tests)
