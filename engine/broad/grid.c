/* Hierarchy of uniform grids, filled by one counting sort: one level for each range of box sizes.
 *
 * A level has boxes of similar size, by binary exponent, and cells as large as its largest box. A
 * box is stored in the cell of its lower corner and extends at most into the next cell along each
 * axis. Overlapping boxes of a level are therefore in neighbouring cells. Boxes of a coarser level
 * that overlap a given box start at most one cell below the first cell that it overlaps. Candidates
 * from neighbouring cells are compared in quanta (grid.h); where quanta are equal, the coordinates
 * decide.
 *
 * Boxes without a level, such as unbounded ones, are tested against all boxes, if they are few. If
 * cells are too crowded (clusters, many boxes without a level), the pairs are found by the hybrid
 * method instead. */
#include "broad/grid.h"
#include "broad/broad_methods.h"
#include "broad/endpoint.h"

#include <assert.h>
#include <stdlib.h>

/* Largest number of outsized boxes that are tested against all boxes, so that they do not enlarge
 * the cells. */
#define WIDE_MAX 4
/* The next level begins when the remaining, smaller boxes would exceed this average number per
 * cell. */
#define BOXES_PER_CELL_MAX 8.0
/* Boxes with coordinates beyond this have no level, m; so differences of the others' coordinates
 * stay finite. */
#define COORDINATE_MAX 1e300
#define EXPONENT_INFINITE 2047
#define EXPONENT_ONE 1023 /* biased exponent of sizes in [1, 2) */

/* Bounds, largest extents and number of a set of boxes. */
typedef struct span {
  ct_aabb bounds;
  ct_vec3 largest;
  size_t count;
} span;

static const span empty_span = {
    {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, {0, 0, 0}, 0};

static inline void extend_span(span *s, const ct_aabb *box, ct_vec3 extent) {
  s->bounds.min =
      (ct_vec3){ct_min2(box->min.x, s->bounds.min.x), ct_min2(box->min.y, s->bounds.min.y),
                ct_min2(box->min.z, s->bounds.min.z)};
  s->bounds.max =
      (ct_vec3){ct_max2(box->max.x, s->bounds.max.x), ct_max2(box->max.y, s->bounds.max.y),
                ct_max2(box->max.z, s->bounds.max.z)};
  s->largest = (ct_vec3){ct_max2(extent.x, s->largest.x), ct_max2(extent.y, s->largest.y),
                         ct_max2(extent.z, s->largest.z)};
  s->count++;
}

static bool is_finite_box(const ct_aabb *box) {
  return ct_max_abs(box->min) < COORDINATE_MAX && ct_max_abs(box->max) < COORDINATE_MAX;
}

/* Fills the histogram of size exponents, and returns bounds and largest extents: of all boxes, or,
 * if some are unbounded or beyond COORDINATE_MAX, of the others. */
static span measure_boxes(const ct_grid_run *g, uint32_t *histogram) {
  span all = empty_span;
  for (size_t i = 0; i < g->count; i++) {
    ct_vec3 extent = ct_sub(g->boxes[i].max, g->boxes[i].min);
    histogram[ct_grid_exponent(extent)]++;
    extend_span(&all, &g->boxes[i], extent);
  }
  if (is_finite_box(&all.bounds)) return all;
  memset(histogram, 0, (EXPONENT_INFINITE + 1) * sizeof *histogram);
  all = empty_span;
  for (size_t i = 0; i < g->count; i++) {
    ct_vec3 extent = ct_sub(g->boxes[i].max, g->boxes[i].min);
    bool finite = is_finite_box(&g->boxes[i]);
    histogram[finite ? ct_grid_exponent(extent) : EXPONENT_INFINITE]++;
    if (finite) extend_span(&all, &g->boxes[i], extent);
  }
  return all;
}

/* Estimated number of cells that cover the bounds of all boxes, if a cell has the size of the
 * largest boxes with this exponent; at least 1. */
static double estimate_cells(const span *all, int exponent) {
  double edge = ldexp(1.0, exponent - EXPONENT_ONE + 1);
  ct_vec3 room = ct_sub(all->bounds.max, all->bounds.min);
  return (room.x / edge + 1.0) * (room.y / edge + 1.0) * (room.z / edge + 1.0);
}

/* Assigns exponents to levels, level 0 being the coarsest; the last level has all smaller boxes.
 * Returns the number of boxes with a level. */
static size_t assign_levels(ct_grid_run *g, const uint32_t *histogram, const span *all) {
  memset(g->of_exponent, -1, sizeof g->of_exponent);
  int top = EXPONENT_INFINITE - 1, began = 0;
  size_t left = all->count, wide = 0;
  for (; top >= 0 && wide + histogram[top] <= WIDE_MAX; top--) wide += histogram[top];
  left -= wide;
  const size_t levelled = left;
  for (int e = top; e >= 0 && left > 0; e--) {
    if (histogram[e] == 0) continue;
    bool crowded =
        g->level_count > 0 && (double)left > BOXES_PER_CELL_MAX * estimate_cells(all, began);
    if (g->level_count == 0 || (crowded && g->level_count < CT_GRID_LEVELS_MAX)) {
      g->level_count++;
      began = e;
    }
    g->of_exponent[e] = (int8_t)(g->level_count - 1);
    left -= histogram[e];
  }
  return levelled;
}

/* Level of a box; -1: it has none and is compared with all other boxes. */
static int find_grid_level(const ct_grid_run *g, const ct_aabb *box) {
  return is_finite_box(box) ? g->of_exponent[ct_grid_exponent(ct_sub(box->max, box->min))] : -1;
}

static void measure_levels(ct_grid_run *g, const span *all) {
  span spans[CT_GRID_LEVELS_MAX];
  for (int k = 0; k < g->level_count; k++) spans[k] = empty_span;
  if (g->uniform) spans[0] = *all;
  for (size_t i = 0; i < g->count && !g->uniform; i++) {
    int level = find_grid_level(g, &g->boxes[i]);
    if (level >= 0)
      extend_span(&spans[level], &g->boxes[i], ct_sub(g->boxes[i].max, g->boxes[i].min));
  }
  for (int k = 0; k < g->level_count; k++) {
    g->levels[k].bounds = spans[k].bounds;
    g->levels[k].largest = spans[k].largest;
    g->levels[k].count = spans[k].count;
  }
}

/* Chooses the levels, their bounds and largest extents. False: out of memory. */
static bool choose_grid_levels(ct_grid_run *g) {
  uint32_t *histogram = calloc(EXPONENT_INFINITE + 1, sizeof *histogram);
  if (!histogram) return false;
  span all = measure_boxes(g, histogram);
  g->uniform = assign_levels(g, histogram, &all) == g->count && g->level_count == 1;
  free(histogram);
  measure_levels(g, &all);
  return true;
}

/* Largest number of cells per box; more cells take longer to clear than they save. */
#define CELLS_PER_BOX 4
#define CELLS_LEAST 64
/* Largest extent of a box in quanta: two less than a cell's edge, so that rounding never makes a
 * box extend over three cells. */
#define LARGEST_QUANTA (CT_GRID_CELL - 2)
/* Cells are a quarter or half as long in x as along the other axes if their number permits, because
 * the candidates in a row are then fewer. */
#define X_BITS_LEAST (CT_GRID_CELL_BITS - 2)
#define EDGE_GROWTH 1.25
/* Least edge of a cell: relative to the level's extent, so that quanta are far below 2^52; and in
 * m, so that its inverse is finite. */
#define EDGE_SHARE 0x1p-36
#define EDGE_LEAST 0x1p-1000
#define NO_CELL UINT32_MAX

static double count_cells(ct_grid_level *level, int x_bits) {
  const ct_aabb *b = &level->bounds;
  level->x_bits = x_bits;
  double product = 1.0;
  for (int axis = 0; axis < 3; axis++) {
    int bits = axis == 0 ? x_bits : CT_GRID_CELL_BITS;
    level->cells[axis] =
        (ct_grid_quanta(ct_axis_of(b->max, axis), ct_axis_of(b->min, axis), level->inverse[axis]) >>
         bits) +
        1;
    product *= (double)level->cells[axis];
  }
  return product;
}

/* Chooses the cells of a level: as large as its largest box, then enlarged until their number is
 * small enough. */
static void choose_cell_size(ct_grid_level *level) {
  const ct_vec3 room = ct_sub(level->bounds.max, level->bounds.min);
  double most = (double)(CELLS_PER_BOX * level->count + CELLS_LEAST), edge[3];
  for (int axis = 0; axis < 3; axis++)
    edge[axis] = ct_max2(
        ct_max2(ct_axis_of(level->largest, axis), EDGE_SHARE * ct_axis_of(room, axis)), EDGE_LEAST);
  for (;;) {
    for (int axis = 0; axis < 3; axis++) level->inverse[axis] = LARGEST_QUANTA / edge[axis];
    for (int x_bits = X_BITS_LEAST; x_bits <= CT_GRID_CELL_BITS; x_bits++)
      if (count_cells(level, x_bits) <= most) return;
    for (int axis = 0; axis < 3; axis++)
      if (level->cells[axis] > 1) edge[axis] *= EDGE_GROWTH;
  }
}

/* Quantises a box into *packed and returns the index of its cell. NO_CELL: the box extends beyond
 * the next cell, which cannot occur for boxes of the level, not even by rounding. */
static inline uint32_t quantise_box(ct_grid_level *level, const ct_aabb *box, uint32_t id,
                                    ct_grid_box *packed) {
  int64_t lower[3];
  for (int axis = 0; axis < 3; axis++) {
    const double origin = ct_axis_of(level->bounds.min, axis);
    lower[axis] = ct_grid_quanta(ct_axis_of(box->min, axis), origin, level->inverse[axis]);
    int64_t upper = ct_grid_quanta(ct_axis_of(box->max, axis), origin, level->inverse[axis]),
            reach = upper - lower[axis];
    if (reach > level->reach[axis]) {
      if (reach > CT_GRID_CELL) return NO_CELL;
      level->reach[axis] = reach;
    }
    packed->lower[axis] = (int16_t)lower[axis];
    packed->minus_upper[axis] = (int16_t)-upper;
  }
  packed->id = id;
  assert(lower[0] >> level->x_bits < level->cells[0]);
  int64_t row = (lower[2] >> CT_GRID_CELL_BITS) * level->cells[1] + (lower[1] >> CT_GRID_CELL_BITS);
  return (uint32_t)((int64_t)level->first + row * level->cells[0] + (lower[0] >> level->x_bits));
}

/* Computes each box's cell and the number of boxes per cell; boxes without a cell are added to
 * `wide`. False: out of memory. */
static bool assign_cells(ct_grid_run *g, ct_grid_box *packed, uint32_t *cells, uint32_t *counts) {
  for (size_t i = 0; i < g->count; i++) {
    int number = g->uniform ? 0 : find_grid_level(g, &g->boxes[i]);
    cells[i] = number < 0 ? NO_CELL
                          : quantise_box(&g->levels[number], &g->boxes[i], (uint32_t)i, &packed[i]);
    if (cells[i] != NO_CELL) {
      counts[cells[i]]++;
      continue;
    }
    if (!g->wide) g->wide = malloc(g->count * sizeof *g->wide);
    if (!g->wide) return false;
    g->wide[g->wide_count++] = (uint32_t)i;
  }
  return true;
}

/* Creates the cells of each level and sorts the boxes into them; boxes without a level go to
 * `wide`. CT_OUT_OF_MEMORY. */
static ct_status fill_grid_cells(ct_grid_run *g) {
  size_t cell_count = 0;
  for (int k = 0; k < g->level_count; k++) {
    ct_grid_level *level = &g->levels[k];
    choose_cell_size(level);
    level->first = cell_count;
    cell_count += (size_t)(level->cells[0] * level->cells[1] * level->cells[2]);
  }
  ct_grid_box *packed = aligned_alloc(16, g->count * sizeof *packed);
  uint32_t *cells = malloc(g->count * sizeof *cells);
  g->members = aligned_alloc(16, g->count * sizeof *g->members);
  g->starts = calloc(cell_count + 2, sizeof *g->starts);
  bool good = packed && cells && g->members && g->starts;
  /* The number of boxes of a cell is counted in starts[cell + 2]. Filling then advances starts[cell
   * + 1] from the cell's first member to the next cell's first member. */
  good = good && assign_cells(g, packed, cells, g->starts + 2);
  for (size_t c = 2; good && c < cell_count + 2; c++) g->starts[c] += g->starts[c - 1];
  for (size_t i = 0; good && i < g->count; i++) {
    if (cells[i] == NO_CELL) continue;
    g->members[g->starts[cells[i] + 1]++] = packed[i];
  }
  free(packed);
  free(cells);
  return good ? CT_OK : CT_OUT_OF_MEMORY;
}

/* Numbers of tests per box and per pair found above which the hybrid method is faster: it takes 1
 * to 2 us per box, a test takes 1 ns. */
#define TESTS_PER_BOX 400
#define TESTS_PER_PAIR 16
/* Tests between two polls of the cancel flag and of the crowding limit. */
#define TESTS_PER_POLL 4096

/* Polls the cancel flag, and sets g->crowded after too many tests. CT_CANCELLED. */
static inline ct_status poll_grid(ct_grid_run *g) {
  if (!ct_poll_is_due(&g->poll, g->out->box_tests)) return CT_OK;
  if (ct_cancel_raised(g->out->cancel)) return CT_CANCELLED;
  g->crowded = g->out->box_tests >
               TESTS_PER_BOX * (uint64_t)g->count + TESTS_PER_PAIR * (uint64_t)g->out->list->count;
  return CT_OK;
}

/* True if two boxes of a level have equal quanta somewhere, so that quanta alone cannot decide
 * whether they overlap. */
static inline bool is_undecided(const ct_grid_box *a, const ct_grid_box *b) {
  bool equal = false;
  for (int axis = 0; axis < 3; axis++) {
    equal |= (uint16_t)(a->minus_upper[axis] + b->lower[axis]) == 0;
    equal |= (uint16_t)(b->minus_upper[axis] + a->lower[axis]) == 0;
  }
  return equal;
}

/* Adds the collected pairs of boxes of one level that overlap; each hit is two indices of
 * members. */
static ct_status add_level_hits(ct_grid_run *g) {
  ct_pair_index pairs[CT_GRID_HITS];
  size_t count = 0;
  for (size_t k = 0; k < g->hit_count; k++) {
    const ct_grid_box *a = &g->members[g->hits[k] >> 32], *b = &g->members[g->hits[k] & UINT32_MAX];
    if (is_undecided(a, b) && !ct_aabb_overlap(&g->boxes[a->id], &g->boxes[b->id])) continue;
    uint32_t first = a->id < b->id ? a->id : b->id;
    pairs[count++] = (ct_pair_index){first, a->id ^ b->id ^ first};
  }
  g->hit_count = 0;
  return ct_pair_output_add_many(g->out, pairs, count);
}

/* Adds the collected pairs of boxes of two levels that overlap; each hit is the number of a box of
 * the finer level and the index of a member of the coarser one. */
static ct_status add_cross_level_hits(ct_grid_run *g) {
  ct_status status = CT_OK;
  for (size_t k = 0; k < g->hit_count && status == CT_OK; k++) {
    uint32_t a = (uint32_t)(g->hits[k] >> 32), b = g->members[g->hits[k] & UINT32_MAX].id;
    if (ct_aabb_overlap(&g->boxes[a], &g->boxes[b])) status = ct_pair_output_add(g->out, a, b);
  }
  g->hit_count = 0;
  return status;
}

typedef ct_status add_hits(ct_grid_run *g);

/* Tests a box against the members [from, to) if the buffer of hits may not suffice: empties it with
 * `add` whenever it is full. */
static ct_status test_long_run(ct_grid_run *g, ct_grid_query a, uint32_t from, uint32_t to,
                               uint64_t tag, add_hits *add) {
  while (from < to) {
    uint32_t most = (uint32_t)(CT_GRID_HITS - g->hit_count),
             size = to - from < most ? to - from : most;
    g->hit_count += ct_grid_test(a, g->members, from, from + size, tag, g->hits + g->hit_count);
    from += size;
    if (g->hit_count < CT_GRID_HITS) continue;
    ct_status status = add(g);
    if (status != CT_OK) return status;
  }
  return CT_OK;
}

static inline ct_status test_candidates(ct_grid_run *g, ct_grid_query a, uint32_t from, uint32_t to,
                                        uint64_t tag, add_hits *add) {
  assert(from <= to && g->hit_count < CT_GRID_HITS);
  g->out->box_tests += to - from;
  if (to - from >= CT_GRID_HITS - g->hit_count) return test_long_run(g, a, from, to, tag, add);
  g->hit_count += ct_grid_test(a, g->members, from, to, tag, g->hits + g->hit_count);
  return CT_OK;
}

/* Number of cells before (after) the box's own cell, along an axis, in which its candidates may be
 * stored, computed from the position of the box in its cell. */
static inline uint32_t count_cells_back(const ct_grid_box *a, int axis, int64_t reach, int bits) {
  uint32_t last = (1u << bits) - 1, within = (uint16_t)a->lower[axis] & last;
  return ((uint32_t)reach + last - within) >> bits;
}
static inline uint32_t count_cells_forward(const ct_grid_box *a, int axis, int bits) {
  uint32_t within = (uint16_t)a->lower[axis] & ((1u << bits) - 1),
           extent = (uint16_t)(-a->minus_upper[axis] - a->lower[axis]);
  return (within + extent) >> bits;
}

/* Tests a box against the members in the cells [from, end). */
static inline ct_status test_cell_range(ct_grid_run *g, ct_grid_query a, size_t from, size_t end,
                                        uint64_t tag) {
  return test_candidates(g, a, g->starts[from], g->starts[end], tag, add_level_hits);
}

/* Tests member k against later members: in its own row of cells, the next row, and the rows around
 * it in the next layer, as far as the box extends. */
static inline ct_status find_box_overlaps(ct_grid_run *g, const ct_grid_level *level, uint32_t k,
                                          size_t row, size_t x, bool first_row) {
  const ct_grid_box *box = &g->members[k];
  const ct_grid_query a = ct_grid_query_box(box);
  const size_t width = (size_t)level->cells[0], layer = width * (size_t)level->cells[1];
  const uint64_t tag = (uint64_t)k << 32;
  size_t back = count_cells_back(box, 0, level->reach[0], level->x_bits);
  size_t from = row + (x > back ? x - back : 0),
         end = row + x + count_cells_forward(box, 0, level->x_bits) + 1;
  bool row_on = count_cells_forward(box, 1, CT_GRID_CELL_BITS) > 0;
  ct_status status = test_candidates(g, a, k + 1, g->starts[end], tag, add_level_hits);
  if (row_on && status == CT_OK) status = test_cell_range(g, a, from + width, end + width, tag);
  if (status != CT_OK || count_cells_forward(box, 2, CT_GRID_CELL_BITS) == 0) return status;
  bool row_back = !first_row && count_cells_back(box, 1, level->reach[1], CT_GRID_CELL_BITS) > 0;
  from += layer;
  end += layer;
  if (row_back) status = test_cell_range(g, a, from - width, end - width, tag);
  if (status == CT_OK) status = test_cell_range(g, a, from, end, tag);
  if (row_on && status == CT_OK) status = test_cell_range(g, a, from + width, end + width, tag);
  return status;
}

static ct_status find_row_overlaps(ct_grid_run *g, const ct_grid_level *level, size_t row,
                                   bool first_row) {
  /* The quanta of a member give the x index of its cell only modulo `wrap`; the number of wraps is
   * counted. */
  const uint32_t wrap = 1u << (16 - level->x_bits);
  size_t x = 0;
  for (uint32_t k = g->starts[row]; k < g->starts[row + (size_t)level->cells[0]]; k++) {
    x += (((uint32_t)(uint16_t)g->members[k].lower[0] >> level->x_bits) - x) & (wrap - 1);
    while (g->starts[row + x + 1] <= k) x += wrap;
    ct_status status = find_box_overlaps(g, level, k, row, x, first_row);
    if (status == CT_OK) status = poll_grid(g);
    if (status != CT_OK || g->crowded) return status;
  }
  return CT_OK;
}

static ct_status find_level_overlaps(ct_grid_run *g, const ct_grid_level *level) {
  int64_t rows = level->cells[1] * level->cells[2];
  for (int64_t r = 0; r < rows; r++) {
    size_t row = level->first + (size_t)(r * level->cells[0]);
    ct_status status = find_row_overlaps(g, level, row, r % level->cells[1] == 0);
    if (status != CT_OK || g->crowded) return status;
  }
  return add_level_hits(g);
}

/* ---- levels against each other -------------------------------------------------------------- */

/* A box of a finer level in the quanta of a coarser level. Coordinates are clamped to the level's
 * bounds plus one quantum, which preserves the order. */
typedef struct coarse_box {
  ct_grid_box packed;
  int64_t lower[3], upper[3];
} coarse_box;

static int64_t clamp_quanta(double v, double from, double to, double inverse) {
  if (v < from) return -1;
  if (v > to) return ct_grid_quanta(to, from, inverse) + 1;
  return ct_grid_quanta(v, from, inverse);
}

static coarse_box quantise_for_level(const ct_grid_level *level, const ct_aabb *box) {
  coarse_box o = {.packed.id = 0};
  for (int axis = 0; axis < 3; axis++) {
    double from = ct_axis_of(level->bounds.min, axis), to = ct_axis_of(level->bounds.max, axis);
    o.lower[axis] = clamp_quanta(ct_axis_of(box->min, axis), from, to, level->inverse[axis]);
    o.upper[axis] = clamp_quanta(ct_axis_of(box->max, axis), from, to, level->inverse[axis]);
    o.packed.lower[axis] = (int16_t)o.lower[axis];
    o.packed.minus_upper[axis] = (int16_t)-o.upper[axis];
  }
  return o;
}

static int64_t clamp_cell(int64_t quanta, int bits, int64_t cells) {
  int64_t cell = quanta < 0 ? 0 : quanta >> bits;
  return cell < cells ? cell : cells - 1;
}

/* Tests a box of a finer level against the cells in which overlapping boxes of `level` may start:
 * from the largest extent of these boxes below the box up to its upper end. */
static ct_status find_coarser_overlaps(ct_grid_run *g, const ct_grid_level *level, uint32_t id) {
  coarse_box o = quantise_for_level(level, &g->boxes[id]);
  int64_t from[3], to[3];
  for (int axis = 0; axis < 3; axis++) {
    int bits = axis == 0 ? level->x_bits : CT_GRID_CELL_BITS;
    if (o.upper[axis] < 0) return CT_OK;
    from[axis] = clamp_cell(o.lower[axis] - level->reach[axis], bits, level->cells[axis]);
    to[axis] = clamp_cell(o.upper[axis], bits, level->cells[axis]);
  }
  const ct_grid_query query = ct_grid_query_box(&o.packed);
  ct_status status = CT_OK;
  for (int64_t z = from[2]; z <= to[2]; z++)
    for (int64_t y = from[1]; y <= to[1] && status == CT_OK; y++) {
      size_t row = level->first + (size_t)((z * level->cells[1] + y) * level->cells[0]);
      status = test_candidates(g, query, g->starts[row + (size_t)from[0]],
                               g->starts[row + (size_t)to[0] + 1], (uint64_t)id << 32,
                               add_cross_level_hits);
    }
  return status;
}

static ct_status find_cross_level_overlaps(ct_grid_run *g, const ct_grid_level *fine,
                                           const ct_grid_level *coarse) {
  size_t cells = (size_t)(fine->cells[0] * fine->cells[1] * fine->cells[2]);
  for (uint32_t k = g->starts[fine->first]; k < g->starts[fine->first + cells]; k++) {
    ct_status status = find_coarser_overlaps(g, coarse, g->members[k].id);
    if (status == CT_OK) status = poll_grid(g);
    if (status != CT_OK || g->crowded) return status;
  }
  return add_cross_level_hits(g);
}

/* Finds all overlapping pairs of boxes that have a level. Ends early if g->crowded is set. */
static ct_status find_grid_overlaps(ct_grid_run *g) {
  ct_status status = CT_OK;
  for (int k = 0; k < g->level_count && status == CT_OK && !g->crowded; k++) {
    status = find_level_overlaps(g, &g->levels[k]);
    for (int coarse = 0; coarse < k && status == CT_OK && !g->crowded; coarse++)
      status = find_cross_level_overlaps(g, &g->levels[k], &g->levels[coarse]);
  }
  return status;
}

/* ---- the method -------------------------------------------------------------------------- */

/* Tests the boxes without a level against all boxes, each pair once. */
static ct_status find_wide_overlaps(ct_grid_run *g) {
  for (size_t i = 0, next = 0; i < g->count && g->wide_count > 0; i++) {
    bool is_wide = next < g->wide_count && g->wide[next] == i;
    next += is_wide;
    size_t most = is_wide ? next - 1 : g->wide_count;
    for (size_t w = 0; w < most; w++) {
      if (!ct_aabb_overlap(&g->boxes[g->wide[w]], &g->boxes[i])) continue;
      ct_status status = ct_pair_output_add(g->out, g->wide[w], (uint32_t)i);
      if (status != CT_OK) return status;
    }
    g->out->box_tests += most;
    ct_status status = poll_grid(g);
    if (status != CT_OK || g->crowded) return status;
  }
  return CT_OK;
}

static ct_status find_grid_pairs(ct_grid_run *g) {
  if (!choose_grid_levels(g)) return CT_OUT_OF_MEMORY;
  ct_status status = ct_cancel_raised(g->out->cancel) ? CT_CANCELLED : fill_grid_cells(g);
  if (status == CT_OK) status = find_wide_overlaps(g);
  if (status == CT_OK && !g->crowded) status = find_grid_overlaps(g);
  return status;
}

ct_status ct_broad_grid(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
  if (count < 2) return CT_OK;
  ct_grid_run g = {.boxes = boxes,
                   .count = count,
                   .out = out,
                   .poll = ct_poll_start(out->cancel, TESTS_PER_POLL)};
  ct_status status = find_grid_pairs(&g);
  free(g.wide);
  free(g.members);
  free(g.starts);
  if (status != CT_OK || !g.crowded) return status;
  out->list->count = 0;
  return ct_broad_hybrid(boxes, count, out);
}
