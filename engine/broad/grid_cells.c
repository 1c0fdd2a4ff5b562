/* Grid cells of all levels, and the boxes sorted by cell: one counting sort for all levels. */
#include "broad/endpoint.h"
#include "broad/grid.h"

#include <stdlib.h>

/* Largest number of cells per box; clearing more costs more than they save. */
#define CELLS_PER_BOX 4
#define CELLS_LEAST 64
/* Quanta of the largest extent along an axis: two less than a cell, so rounding never makes a
 * box span three cells. */
#define LARGEST_QUANTA (CT_GRID_CELL - 2)
/* Cells along x have a quarter or half of the other edges if their number allows: fewer
 * candidates in a row. */
#define X_BITS_LEAST (CT_GRID_CELL_BITS - 2)
#define EDGE_GROWTH 1.25
/* Least edge relative to the level's extent, so quanta are far below 2^52; and in m, so its
 * inverse is finite. */
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

/* Edges as large as the largest box, enlarged until the number of cells is small enough. */
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

/* Quantises the box and returns its cell. NO_CELL: it spans more than the next cell, which
 * rounding cannot cause. */
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
  int64_t row = (lower[2] >> CT_GRID_CELL_BITS) * level->cells[1] + (lower[1] >> CT_GRID_CELL_BITS);
  return (uint32_t)((int64_t)level->first + row * level->cells[0] + (lower[0] >> level->x_bits));
}

/* Computes each box's cell and counts boxes per cell. False: out of memory. */
static bool assign_cells(ct_grid_run *g, ct_grid_box *packed, uint32_t *cells, uint32_t *counts) {
  for (size_t i = 0; i < g->count; i++) {
    int number = g->uniform ? 0 : ct_grid_level_of(g, &g->boxes[i]);
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

ct_status ct_grid_fill(ct_grid_run *g) {
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
  /* Counts go to starts[cell + 2]. Filling then advances starts[cell + 1] from the start of the
   * cell to the start of the next one. */
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
