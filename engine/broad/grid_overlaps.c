/* Which boxes of the grids overlap: candidates from neighbouring cells, compared in quanta; where equal quanta leave it open, by
 * their coordinates. */
#include "broad/endpoint.h"
#include "broad/grid.h"

/* Tests per box, and per pair found, beyond which what takes over is faster: it takes 1 to 2 us a box, a test 1 ns. */
#define TESTS_PER_BOX 400
#define TESTS_PER_PAIR 16
/* Tests between two looks at the cancel flag and at the tests made. */
#define TESTS_PER_POLL 4096

ct_status ct_grid_poll(ct_grid_run *g) {
  g->next_poll = g->out->box_tests + TESTS_PER_POLL;
  if (ct_cancel_raised(g->out->cancel)) return CT_CANCELLED;
  g->crowded = g->out->box_tests > TESTS_PER_BOX * (uint64_t)g->count + TESTS_PER_PAIR * (uint64_t)g->out->list->count;
  return CT_OK;
}

/* Is it open whether two boxes of a level overlap, which in quanta they do? */
static inline bool is_open(const ct_grid_box *a, const ct_grid_box *b) {
  bool equal = false;
  for (int axis = 0; axis < 3; axis++) {
    equal |= (uint16_t)(a->minus_upper[axis] + b->lower[axis]) == 0;
    equal |= (uint16_t)(b->minus_upper[axis] + a->lower[axis]) == 0;
  }
  return equal;
}

/* Hits are two places, of boxes of the same level. */
static ct_status add_own(ct_grid_run *g) {
  ct_pair_index pairs[CT_GRID_HITS];
  size_t count = 0;
  for (size_t k = 0; k < g->hit_count; k++) {
    const ct_grid_box *a = &g->members[g->hits[k] >> 32], *b = &g->members[g->hits[k] & UINT32_MAX];
    if (is_open(a, b) && !ct_aabb_overlap(&g->boxes[a->id], &g->boxes[b->id])) continue;
    uint32_t first = a->id < b->id ? a->id : b->id;
    pairs[count++] = (ct_pair_index){first, a->id ^ b->id ^ first};
  }
  g->hit_count = 0;
  return ct_pair_output_add_many(g->out, pairs, count);
}

/* Hits are the number of a box of another level, and a place. */
static ct_status add_other(ct_grid_run *g) {
  ct_status status = CT_OK;
  for (size_t k = 0; k < g->hit_count && status == CT_OK; k++) {
    uint32_t a = (uint32_t)(g->hits[k] >> 32), b = g->members[g->hits[k] & UINT32_MAX].id;
    if (ct_aabb_overlap(&g->boxes[a], &g->boxes[b])) status = ct_pair_output_add(g->out, a, b);
  }
  g->hit_count = 0;
  return status;
}

typedef ct_status adding(ct_grid_run *g);

/* A run of more candidates than there is room for hits. */
static ct_status test_long(ct_grid_run *g, ct_grid_query a, uint32_t from, uint32_t to, uint64_t tag, adding *add) {
  while (from < to) {
    uint32_t most = (uint32_t)(CT_GRID_HITS - g->hit_count), size = to - from < most ? to - from : most;
    g->hit_count += ct_grid_test(a, g->members, from, from + size, tag, g->hits + g->hit_count);
    from += size;
    if (g->hit_count < CT_GRID_HITS) continue;
    ct_status status = add(g);
    if (status != CT_OK) return status;
  }
  return CT_OK;
}

static inline ct_status test_run(ct_grid_run *g, ct_grid_query a, uint32_t from, uint32_t to, uint64_t tag, adding *add) {
  g->out->box_tests += to - from;
  if (to - from >= CT_GRID_HITS - g->hit_count) return test_long(g, a, from, to, tag, add);
  g->hit_count += ct_grid_test(a, g->members, from, to, tag, g->hits + g->hit_count);
  return CT_OK;
}

/* How many cells back of its own a box's candidates begin, and how many on they do: by its quanta within its cell. */
static inline uint32_t cells_back(const ct_grid_box *a, int axis, int64_t reach, int bits) {
  uint32_t last = (1u << bits) - 1, within = (uint16_t)a->lower[axis] & last;
  return ((uint32_t)reach + last - within) >> bits;
}
static inline uint32_t cells_on(const ct_grid_box *a, int axis, int bits) {
  uint32_t within = (uint16_t)a->lower[axis] & ((1u << bits) - 1), extent = (uint16_t)(-a->minus_upper[axis] - a->lower[axis]);
  return (within + extent) >> bits;
}

/* Candidates: the boxes of the cells [from, end). */
static inline ct_status test_cells(ct_grid_run *g, ct_grid_query a, size_t from, size_t end, uint64_t tag) {
  return test_run(g, a, g->starts[from], g->starts[end], tag, add_own);
}

/* A box against what comes after it in its row, in the next row, and in the rows around in the next layer, as far as it reaches. */
static inline ct_status meet_one(ct_grid_run *g, const ct_grid_level *level, uint32_t k, size_t row, size_t x, bool first_row) {
  const ct_grid_box *box = &g->members[k];
  const ct_grid_query a = ct_grid_query_box(box);
  const size_t width = (size_t)level->cells[0], layer = width * (size_t)level->cells[1];
  const uint64_t tag = (uint64_t)k << 32;
  size_t back = cells_back(box, 0, level->reach[0], level->x_bits);
  size_t from = row + (x > back ? x - back : 0), end = row + x + cells_on(box, 0, level->x_bits) + 1;
  bool row_on = cells_on(box, 1, CT_GRID_CELL_BITS) > 0;
  ct_status status = test_run(g, a, k + 1, g->starts[end], tag, add_own);
  if (row_on && status == CT_OK) status = test_cells(g, a, from + width, end + width, tag);
  if (status != CT_OK || cells_on(box, 2, CT_GRID_CELL_BITS) == 0) return status;
  bool row_back = !first_row && cells_back(box, 1, level->reach[1], CT_GRID_CELL_BITS) > 0;
  from += layer;
  end += layer;
  if (row_back) status = test_cells(g, a, from - width, end - width, tag);
  if (status == CT_OK) status = test_cells(g, a, from, end, tag);
  if (row_on && status == CT_OK) status = test_cells(g, a, from + width, end + width, tag);
  return status;
}

static ct_status meet_row(ct_grid_run *g, const ct_grid_level *level, size_t row, bool first_row) {
  /* Which cell of the row a member is in, quanta tell up to a multiple of those that wrap around; the rest is counted. */
  const uint32_t wrap = 1u << (16 - level->x_bits);
  size_t x = 0;
  for (uint32_t k = g->starts[row]; k < g->starts[row + (size_t)level->cells[0]]; k++) {
    x += (((uint32_t)(uint16_t)g->members[k].lower[0] >> level->x_bits) - x) & (wrap - 1);
    while (g->starts[row + x + 1] <= k) x += wrap;
    ct_status status = meet_one(g, level, k, row, x, first_row);
    if (status == CT_OK && ct_grid_time_to_poll(g)) status = ct_grid_poll(g);
    if (status != CT_OK || g->crowded) return status;
  }
  return CT_OK;
}

static ct_status meet_level(ct_grid_run *g, const ct_grid_level *level) {
  int64_t rows = level->cells[1] * level->cells[2];
  for (int64_t r = 0; r < rows; r++) {
    size_t row = level->first + (size_t)(r * level->cells[0]);
    ct_status status = meet_row(g, level, row, r % level->cells[1] == 0);
    if (status != CT_OK || g->crowded) return status;
  }
  return add_own(g);
}

/* ---- levels against each other ---- */

/* A finer box in a coarser level's quanta, cut to what the level spans and a cell beyond: that reverses no order either. */
typedef struct outlook {
  ct_grid_box packed;
  int64_t lower[3], upper[3];
} outlook;

static int64_t cut_quanta(double v, double from, double to, double inverse) {
  if (v < from) return -1;
  if (v > to) return ct_grid_quanta(to, from, inverse) + 1;
  return ct_grid_quanta(v, from, inverse);
}

static outlook look(const ct_grid_level *level, const ct_aabb *box) {
  outlook o = {.packed.id = 0};
  for (int axis = 0; axis < 3; axis++) {
    double from = ct_axis_of(level->bounds.min, axis), to = ct_axis_of(level->bounds.max, axis);
    o.lower[axis] = cut_quanta(ct_axis_of(box->min, axis), from, to, level->inverse[axis]);
    o.upper[axis] = cut_quanta(ct_axis_of(box->max, axis), from, to, level->inverse[axis]);
    o.packed.lower[axis] = (int16_t)o.lower[axis];
    o.packed.minus_upper[axis] = (int16_t)-o.upper[axis];
  }
  return o;
}

static int64_t cell_within(int64_t quanta, int bits, int64_t cells) {
  int64_t cell = quanta < 0 ? 0 : quanta >> bits;
  return cell < cells ? cell : cells - 1;
}

/* The cells where the level's boxes begin that may overlap: from one reach below to the upper end. */
static ct_status meet_coarser(ct_grid_run *g, const ct_grid_level *level, uint32_t id) {
  outlook o = look(level, &g->boxes[id]);
  int64_t from[3], to[3];
  for (int axis = 0; axis < 3; axis++) {
    int bits = axis == 0 ? level->x_bits : CT_GRID_CELL_BITS;
    if (o.upper[axis] < 0) return CT_OK;
    from[axis] = cell_within(o.lower[axis] - level->reach[axis], bits, level->cells[axis]);
    to[axis] = cell_within(o.upper[axis], bits, level->cells[axis]);
  }
  const ct_grid_query asked = ct_grid_query_box(&o.packed);
  ct_status status = CT_OK;
  for (int64_t z = from[2]; z <= to[2]; z++)
    for (int64_t y = from[1]; y <= to[1] && status == CT_OK; y++) {
      size_t row = level->first + (size_t)((z * level->cells[1] + y) * level->cells[0]);
      status =
          test_run(g, asked, g->starts[row + (size_t)from[0]], g->starts[row + (size_t)to[0] + 1], (uint64_t)id << 32, add_other);
    }
  return status;
}

static ct_status meet_levels(ct_grid_run *g, const ct_grid_level *fine, const ct_grid_level *coarse) {
  size_t cells = (size_t)(fine->cells[0] * fine->cells[1] * fine->cells[2]);
  for (uint32_t k = g->starts[fine->first]; k < g->starts[fine->first + cells]; k++) {
    ct_status status = meet_coarser(g, coarse, g->members[k].id);
    if (status == CT_OK && ct_grid_time_to_poll(g)) status = ct_grid_poll(g);
    if (status != CT_OK || g->crowded) return status;
  }
  return add_other(g);
}

ct_status ct_grid_find_overlaps(ct_grid_run *g) {
  ct_status status = CT_OK;
  for (int k = 0; k < g->level_count && status == CT_OK && !g->crowded; k++) {
    status = meet_level(g, &g->levels[k]);
    for (int coarse = 0; coarse < k && status == CT_OK && !g->crowded; coarse++)
      status = meet_levels(g, &g->levels[k], &g->levels[coarse]);
  }
  return status;
}
