/* Uniform grids by counting sort, one for each range of sizes.
 *
 * A level takes the boxes of which none is an eighth of the largest or smaller, in cells of the largest's edge: each box reaches at
 * most one cell beyond that of its lower corner, which is checked where cells are computed, not assumed. A cell number grows with
 * the coordinate whatever the rounding, so boxes of a level that overlap lie in neighbouring cells, and the boxes of a coarser
 * level that one overlaps begin at most one cell below its own first. Candidates are compared in single precision, rounded
 * outwards, then exactly. Boxes that fit no level, infinite ones among them, are tested against all while they are few. Where
 * the cells turn out too crowded (clusters, too many boxes without a level) the hybrid starts over: see TESTS_PER_BOX.
 */
#include "broad/method.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 6
/* Exponents of two in a level: sizes within a factor eight. */
#define LEVEL_EXPONENTS 3
/* The largest boxes, so many at most, are tested against all rather than set the size of the cells. */
#define WIDE_MAX 16
/* Cells per box at most; more cost more to clear than they save. */
#define CELLS_PER_BOX 4
#define CELLS_LEAST 64
/* Cells are larger than the largest box by this share, so that rounding does not make it reach over two. */
#define EDGE_GROWTH 1.25
#define EDGE_SLACK 0x1p-20
/* Tests per box, and per pair found, beyond which the hybrid is faster: it takes about 1 us a box at 1e5 boxes, a test 2 ns. */
#define TESTS_PER_BOX 400
#define TESTS_PER_PAIR 16
/* Tests between two looks at the cancel flag and at the tests made. */
#define TESTS_PER_POLL 4096
/* Exponents of finite sizes, and of zero, are in 0 .. EXPONENTS - 1. */
#define EXPONENT_ZERO 1080
#define EXPONENTS 2110

/* Lower corner and negated upper corner, in single precision, rounded outwards: a overlaps b only if each of a's six numbers is at
 * most b's, taken from the other end. */
typedef struct __attribute__((aligned(32))) packed_box {
  float lo[3];
  uint32_t id;
  float hi[3];
  uint32_t place; /* not used by comparisons */
} packed_box;

typedef struct grid_level {
  double size;       /* of the largest box, m */
  ct_vec3 origin;    /* lower corner of the first cell */
  double inverse;    /* 1 / edge of a cell */
  uint32_t cells[3]; /* along each axis, one more than used at either end of x, y and z */
  uint32_t *starts;  /* [cell_count + 1] */
  packed_box *boxes; /* by cell */
  uint32_t *members; /* [count] their numbers, ascending */
  size_t count;
} grid_level;

typedef struct gridding {
  const ct_box *boxes;
  size_t count;
  ct_pair_output *out;
  uint64_t next_poll;
  bool crowded;
  int8_t *level_of; /* [count]; -1: wide */
  grid_level levels[LEVELS_MAX];
  int level_count;
  uint32_t *wide;
  size_t wide_count;
} gridding;

static float below(double v) {
  float f = (float)v;
  return (double)f > v ? nextafterf(f, -INFINITY) : f;
}
static float above(double v) {
  float f = (float)v;
  return (double)f < v ? nextafterf(f, INFINITY) : f;
}

static packed_box pack(const ct_box *box, uint32_t id) {
  return (packed_box){
      {below(box->min.x), below(box->min.y), below(box->min.z)}, id, {above(box->max.x), above(box->max.y), above(box->max.z)}, 0};
}

static bool may_overlap(const packed_box *a, const packed_box *b) {
#ifdef __SSE2__
  typedef float lanes __attribute__((vector_size(16), may_alias));
  const lanes *pa = (const lanes *)(const void *)a, *pb = (const lanes *)(const void *)b;
  /* The fourth lanes hold numbers, not coordinates. */
  int apart = __builtin_ia32_movmskps((lanes)(pa[0] > pb[1])) | __builtin_ia32_movmskps((lanes)(pb[0] > pa[1]));
  return !(apart & 7);
#else
  return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
         (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
#endif
}

/* ---- levels ---- */

static double size_of(const ct_box *box) {
  return ct_max2(ct_max2(box->max.x - box->min.x, box->max.y - box->min.y), box->max.z - box->min.z);
}

/* EXPONENTS: not finite. Corners so far out that sizes would overflow count as infinite too. */
static int exponent_of(const ct_box *box) {
  double size = size_of(box);
  if (!(size < INFINITY) || !(ct_max_abs(box->min) < 1e300) || !(ct_max_abs(box->max) < 1e300)) return EXPONENTS;
  int exponent = 0;
  frexp(size, &exponent);
  return size > 0.0 ? exponent + EXPONENT_ZERO : 0;
}

/* The exponent that the highest level ends at, the largest boxes being wide; -1: all are. */
static int top_exponent(const uint32_t *histogram) {
  uint32_t wide = 0;
  for (int e = EXPONENTS - 1; e >= 0; e--) {
    if (wide + histogram[e] > WIDE_MAX) return e;
    wide += histogram[e];
  }
  return -1;
}

/* Each exponent's level, from the coarsest, 0; the last takes all that is smaller. */
static void cut_levels(gridding *g, const uint32_t *histogram, int8_t *of_exponent) {
  memset(of_exponent, -1, EXPONENTS + 1);
  for (int e = top_exponent(histogram); e >= 0; e--) {
    if (histogram[e] == 0) continue;
    int last = g->level_count == LEVELS_MAX - 1 || e < LEVEL_EXPONENTS ? 0 : e - LEVEL_EXPONENTS + 1;
    for (int k = last; k <= e; k++) of_exponent[k] = (int8_t)g->level_count;
    g->level_count++;
    e = last;
  }
}

static ct_status choose_levels(gridding *g) {
  uint32_t *histogram = calloc(EXPONENTS + 1, sizeof *histogram);
  g->level_of = malloc(g->count);
  g->wide = malloc(g->count * sizeof *g->wide);
  ct_status status = histogram && g->level_of && g->wide ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    int8_t of_exponent[EXPONENTS + 1];
    for (size_t i = 0; i < g->count; i++) histogram[exponent_of(&g->boxes[i])]++;
    cut_levels(g, histogram, of_exponent);
    for (size_t i = 0; i < g->count; i++) {
      int8_t level = of_exponent[exponent_of(&g->boxes[i])];
      g->level_of[i] = level;
      if (level < 0) {
        g->wide[g->wide_count++] = (uint32_t)i;
        continue;
      }
      g->levels[level].count++;
      g->levels[level].size = ct_max2(g->levels[level].size, size_of(&g->boxes[i]));
    }
  }
  free(histogram);
  return status;
}

/* ---- cells ---- */

static double along(double v, double origin, double inverse) { return floor((v - origin) * inverse); }

/* Cells from 1 on, so that those below and above are there; a coordinate outside takes the nearest row of empty cells. */
static uint32_t cell_along(const grid_level *level, double v, double origin, int axis) {
  double at = along(v, origin, level->inverse) + 1.0;
  double last = (double)(level->cells[axis] - 1);
  return at > 0.0 ? (uint32_t)(at < last ? at : last) : 0;
}

typedef struct cell_at {
  uint32_t x, y, z;
} cell_at;

static cell_at cell_of(const grid_level *level, ct_vec3 p) {
  return (cell_at){cell_along(level, p.x, level->origin.x, 0), cell_along(level, p.y, level->origin.y, 1),
                   cell_along(level, p.z, level->origin.z, 2)};
}

static size_t cell_index(const grid_level *level, uint32_t x, uint32_t y, uint32_t z) {
  return ((size_t)z * level->cells[1] + y) * level->cells[0] + x;
}

/* Edges grow until there are few enough cells. The room of cells above the last is for upper corners. */
static void size_cells(grid_level *level, ct_box bounds) {
  double edge = level->size * (1.0 + EDGE_SLACK), most = (double)(CELLS_PER_BOX * level->count + CELLS_LEAST);
  double largest = size_of(&bounds);
  if (!(edge > largest * 0x1p-40)) edge = largest * 0x1p-40;
  if (!(edge > 0x1p-1000)) edge = 0x1p-1000;
  level->origin = bounds.min;
  for (;; edge *= EDGE_GROWTH) {
    level->inverse = 1.0 / edge;
    double x = along(bounds.max.x, bounds.min.x, level->inverse) + 4.0, y = along(bounds.max.y, bounds.min.y, level->inverse) + 4.0,
           z = along(bounds.max.z, bounds.min.z, level->inverse) + 4.0;
    if (x * y * z > most && (x > 4.0 || y > 4.0 || z > 4.0)) continue;
    level->cells[0] = (uint32_t)x;
    level->cells[1] = (uint32_t)y;
    level->cells[2] = (uint32_t)z;
    return;
  }
}

static bool reaches_one_beyond(const grid_level *level, const ct_box *box) {
  cell_at a = cell_of(level, box->min), b = cell_of(level, box->max);
  return b.x <= a.x + 1 && b.y <= a.y + 1 && b.z <= a.z + 1;
}

static ct_status fill_level(gridding *g, int number) {
  grid_level *level = &g->levels[number];
  level->members = malloc((level->count + 1) * sizeof *level->members);
  uint32_t *cells = malloc((level->count + 1) * sizeof *cells);
  level->boxes = aligned_alloc(32, (level->count + 1) * sizeof *level->boxes);
  if (!level->members || !cells || !level->boxes) {
    free(cells);
    return CT_OUT_OF_MEMORY;
  }
  ct_box bounds = ct_box_nothing();
  for (size_t i = 0; i < g->count; i++)
    if (g->level_of[i] == number) bounds = ct_box_union(bounds, g->boxes[i]);
  size_cells(level, bounds);
  size_t cell_count = cell_index(level, 0, 0, level->cells[2]), count = 0;
  level->starts = calloc(cell_count + 2, sizeof *level->starts);
  for (size_t i = 0; level->starts && i < g->count; i++) {
    if (g->level_of[i] != number) continue;
    if (!reaches_one_beyond(level, &g->boxes[i])) {
      g->level_of[i] = -1;
      g->wide[g->wide_count++] = (uint32_t)i;
      continue;
    }
    cell_at c = cell_of(level, g->boxes[i].min);
    cells[count] = (uint32_t)cell_index(level, c.x, c.y, c.z);
    level->members[count] = (uint32_t)i;
    level->starts[cells[count++] + 2]++;
  }
  level->count = count;
  for (size_t c = 2; level->starts && c < cell_count + 2; c++) level->starts[c] += level->starts[c - 1];
  for (size_t k = 0; level->starts && k < count; k++)
    level->boxes[level->starts[cells[k] + 1]++] = pack(&g->boxes[level->members[k]], level->members[k]);
  free(cells);
  return level->starts ? CT_OK : CT_OUT_OF_MEMORY;
}

/* ---- pairs ---- */

/* False: cancelled, or too many tests. */
static ct_status poll(gridding *g) {
  if (g->out->box_tests < g->next_poll) return CT_OK;
  g->next_poll = g->out->box_tests + TESTS_PER_POLL;
  if (ct_cancel_raised(g->out->cancel)) return CT_CANCELLED;
  g->crowded = g->out->box_tests > TESTS_PER_BOX * (uint64_t)g->count + TESTS_PER_PAIR * (uint64_t)g->out->list->count;
  return CT_OK;
}

static ct_status test_run(gridding *g, const packed_box *a, const packed_box *run, const packed_box *end) {
  g->out->box_tests += (uint64_t)(end - run);
  for (; run < end; run++) {
    if (!may_overlap(a, run) || !ct_box_overlap(&g->boxes[a->id], &g->boxes[run->id])) continue;
    ct_status status = ct_pair_output_add(g->out, a->id, run->id);
    if (status != CT_OK) return status;
  }
  return CT_OK;
}

/* The boxes of the cells from..to of a row. */
static ct_status test_row(gridding *g, const packed_box *a, const grid_level *level, size_t from, size_t to) {
  return test_run(g, a, level->boxes + level->starts[from], level->boxes + level->starts[to + 1]);
}

/* A box's own level: what follows it in its cell and the next, and the cells of the four rows after. */
static ct_status meet_own(gridding *g, const grid_level *level, size_t cell) {
  size_t row = level->cells[0], layer = row * level->cells[1];
  const size_t rows[4] = {cell + row, cell + layer - row, cell + layer, cell + layer + row};
  for (uint32_t k = level->starts[cell]; k < level->starts[cell + 1]; k++) {
    const packed_box *a = &level->boxes[k];
    ct_status status = poll(g);
    if (status == CT_OK && g->crowded) return CT_OK;
    if (status == CT_OK) status = test_run(g, a, a + 1, level->boxes + level->starts[cell + 2]);
    for (int r = 0; r < 4 && status == CT_OK; r++) status = test_row(g, a, level, rows[r] - 1, rows[r] + 1);
    if (status != CT_OK) return status;
  }
  return CT_OK;
}

static ct_status meet_level(gridding *g, const grid_level *level) {
  for (uint32_t z = 1; z + 1 < level->cells[2]; z++)
    for (uint32_t y = 1; y + 1 < level->cells[1]; y++)
      for (uint32_t x = 1; x + 1 < level->cells[0]; x++) {
        size_t cell = cell_index(level, x, y, z);
        if (level->starts[cell] == level->starts[cell + 1]) continue;
        ct_status status = meet_own(g, level, cell);
        if (status != CT_OK || g->crowded) return status;
      }
  return CT_OK;
}

/* Boxes of a finer level against a coarser one: those that begin between one cell below the lower corner's and the upper's. */
static ct_status meet_coarser(gridding *g, const grid_level *fine, const grid_level *coarse) {
  for (size_t k = 0; k < fine->count; k++) {
    const packed_box *a = &fine->boxes[k];
    cell_at from = cell_of(coarse, g->boxes[a->id].min), to = cell_of(coarse, g->boxes[a->id].max);
    ct_status status = poll(g);
    if (status == CT_OK && g->crowded) return CT_OK;
    for (uint32_t z = from.z - (from.z > 0); z <= to.z && status == CT_OK; z++)
      for (uint32_t y = from.y - (from.y > 0); y <= to.y && status == CT_OK; y++)
        status = test_row(g, a, coarse, cell_index(coarse, from.x - (from.x > 0), y, z), cell_index(coarse, to.x, y, z));
    if (status != CT_OK) return status;
  }
  return CT_OK;
}

/* Boxes without a level against all with one, and against each other. */
static ct_status meet_wide(gridding *g) {
  for (size_t w = 0; w < g->wide_count; w++) {
    uint32_t a = g->wide[w];
    for (size_t i = 0; i < g->count; i++) {
      ct_status status = poll(g);
      if (status == CT_OK && g->crowded) return CT_OK;
      g->out->box_tests++;
      bool counts = i != a && (g->level_of[i] >= 0 || i > a);
      if (status == CT_OK && counts && ct_box_overlap(&g->boxes[a], &g->boxes[i]))
        status = ct_pair_output_add(g->out, a, (uint32_t)i);
      if (status != CT_OK) return status;
    }
  }
  return CT_OK;
}

static ct_status run_grid(gridding *g) {
  ct_status status = choose_levels(g);
  for (int k = 0; k < g->level_count && status == CT_OK; k++)
    status = ct_cancel_raised(g->out->cancel) ? CT_CANCELLED : fill_level(g, k);
  if (status == CT_OK) status = meet_wide(g);
  for (int k = 0; k < g->level_count && status == CT_OK && !g->crowded; k++) {
    status = meet_level(g, &g->levels[k]);
    for (int coarse = 0; coarse < k && status == CT_OK && !g->crowded; coarse++)
      status = meet_coarser(g, &g->levels[k], &g->levels[coarse]);
  }
  return status;
}

ct_status ct_broad_grid(const ct_box *boxes, size_t count, ct_pair_output *out) {
  if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
  if (count < 2) return CT_OK;
  gridding g = {.boxes = boxes, .count = count, .out = out, .next_poll = TESTS_PER_POLL};
  ct_status status = run_grid(&g);
  for (int k = 0; k < g.level_count; k++) {
    free(g.levels[k].starts);
    free(g.levels[k].boxes);
    free(g.levels[k].members);
  }
  free(g.level_of);
  free(g.wide);
  if (status != CT_OK || !g.crowded) return status;
  out->list->count = 0;
  return ct_broad_hybrid(boxes, count, out);
}
