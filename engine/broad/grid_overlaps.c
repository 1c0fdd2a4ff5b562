/* Overlapping boxes of the grids: candidates from neighbouring cells, compared in quanta; equal
 * quanta are decided by the coordinates. */
#include "broad/endpoint.h"
#include "broad/grid.h"

/* Tests per box and per found pair above which the hybrid method is faster: it takes 1 to 2 us
 * per box, a test 1 ns. */
#define TESTS_PER_BOX 400
#define TESTS_PER_PAIR 16
/* Tests between two polls of the cancel flag and the crowding limit. */
#define TESTS_PER_POLL 4096

ct_status ct_grid_poll(ct_grid_run *g) {
  g->next_poll = g->out->box_tests + TESTS_PER_POLL;
  if (ct_cancel_raised(g->out->cancel)) return CT_CANCELLED;
  g->crowded = g->out->box_tests >
               TESTS_PER_BOX * (uint64_t)g->count + TESTS_PER_PAIR * (uint64_t)g->out->list->count;
  return CT_OK;
}

/* True if equal quanta leave the overlap of two boxes of a level undecided. */
static inline bool is_undecided(const ct_grid_box *a, const ct_grid_box *b) {
  bool equal = false;
  for (int axis = 0; axis < 3; axis++) {
    equal |= (uint16_t)(a->minus_upper[axis] + b->lower[axis]) == 0;
    equal |= (uint16_t)(b->minus_upper[axis] + a->lower[axis]) == 0;
  }
  return equal;
}

/* Adds hits inside one level; each hit is two member indices. */
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

/* Adds hits between levels; each hit is a box number of another level and a member index. */
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

/* Tests a run with more candidates than free hits. */
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
  g->out->box_tests += to - from;
  if (to - from >= CT_GRID_HITS - g->hit_count) return test_long_run(g, a, from, to, tag, add);
  g->hit_count += ct_grid_test(a, g->members, from, to, tag, g->hits + g->hit_count);
  return CT_OK;
}

/* Number of cells before and after its own that a box's candidates span, from its quanta inside
 * its cell. */
static inline uint32_t count_cells_back(const ct_grid_box *a, int axis, int64_t reach, int bits) {
  uint32_t last = (1u << bits) - 1, within = (uint16_t)a->lower[axis] & last;
  return ((uint32_t)reach + last - within) >> bits;
}
static inline uint32_t count_cells_forward(const ct_grid_box *a, int axis, int bits) {
  uint32_t within = (uint16_t)a->lower[axis] & ((1u << bits) - 1),
           extent = (uint16_t)(-a->minus_upper[axis] - a->lower[axis]);
  return (within + extent) >> bits;
}

/* Tests the boxes in the cells [from, end). */
static inline ct_status test_cell_range(ct_grid_run *g, ct_grid_query a, size_t from, size_t end,
                                        uint64_t tag) {
  return test_candidates(g, a, g->starts[from], g->starts[end], tag, add_level_hits);
}

/* Tests a box against later boxes in its row, the next row, and the rows around it in the next
 * layer, as far as it extends. */
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
  /* Quanta give a member's cell modulo the wrap-around; the rest is counted. */
  const uint32_t wrap = 1u << (16 - level->x_bits);
  size_t x = 0;
  for (uint32_t k = g->starts[row]; k < g->starts[row + (size_t)level->cells[0]]; k++) {
    x += (((uint32_t)(uint16_t)g->members[k].lower[0] >> level->x_bits) - x) & (wrap - 1);
    while (g->starts[row + x + 1] <= k) x += wrap;
    ct_status status = find_box_overlaps(g, level, k, row, x, first_row);
    if (status == CT_OK && ct_grid_time_to_poll(g)) status = ct_grid_poll(g);
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

/* A finer box in the quanta of a coarser level, clamped to the level's bounds plus one cell,
 * which keeps the order. */
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

/* Tests the cells in which overlapping boxes of the level may start: from one largest extent
 * below the box to its upper end. */
static ct_status find_coarser_overlaps(ct_grid_run *g, const ct_grid_level *level, uint32_t id) {
  coarse_box o = quantise_for_level(level, &g->boxes[id]);
  int64_t from[3], to[3];
  for (int axis = 0; axis < 3; axis++) {
    int bits = axis == 0 ? level->x_bits : CT_GRID_CELL_BITS;
    if (o.upper[axis] < 0) return CT_OK;
    from[axis] = clamp_cell(o.lower[axis] - level->reach[axis], bits, level->cells[axis]);
    to[axis] = clamp_cell(o.upper[axis], bits, level->cells[axis]);
  }
  const ct_grid_query asked = ct_grid_query_box(&o.packed);
  ct_status status = CT_OK;
  for (int64_t z = from[2]; z <= to[2]; z++)
    for (int64_t y = from[1]; y <= to[1] && status == CT_OK; y++) {
      size_t row = level->first + (size_t)((z * level->cells[1] + y) * level->cells[0]);
      status = test_candidates(g, asked, g->starts[row + (size_t)from[0]],
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
    if (status == CT_OK && ct_grid_time_to_poll(g)) status = ct_grid_poll(g);
    if (status != CT_OK || g->crowded) return status;
  }
  return add_cross_level_hits(g);
}

ct_status ct_grid_find_overlaps(ct_grid_run *g) {
  ct_status status = CT_OK;
  for (int k = 0; k < g->level_count && status == CT_OK && !g->crowded; k++) {
    status = find_level_overlaps(g, &g->levels[k]);
    for (int coarse = 0; coarse < k && status == CT_OK && !g->crowded; coarse++)
      status = find_cross_level_overlaps(g, &g->levels[k], &g->levels[coarse]);
  }
  return status;
}
