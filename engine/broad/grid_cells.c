/* Cells of the levels, and the boxes sorted by cell: one counting sort for all levels. */
#include "broad/endpoint.h"
#include "broad/grid.h"

#include <stdlib.h>

/* Cells per box at most; more cost more to clear than they save. */
#define CELLS_PER_BOX 4
#define CELLS_LEAST 64
/* Quanta of the largest extent along an axis: two less than a cell's, so that rounding does not make a box reach over two cells. */
#define LARGEST_QUANTA (CT_GRID_CELL - 2)
/* Cells along x are a quarter of the others' edge, or a half, while there is room for so many: fewer candidates in a row. */
#define X_BITS_LEAST (CT_GRID_CELL_BITS - 2)
#define EDGE_GROWTH 1.25
/* An edge at least, of what the level spans, so that quanta are far below 2^52; and in m, so that their inverse is finite. */
#define EDGE_SHARE 0x1p-36
#define EDGE_LEAST 0x1p-1000
#define NO_CELL UINT32_MAX

static double count_cells(ct_grid_level *level, int x_bits) {
  const ct_aabb *b = &level->bounds;
  level->x_bits = x_bits;
  double product = 1.0;
  for (int axis = 0; axis < 3; axis++) {
    int bits = axis == 0 ? x_bits : CT_GRID_CELL_BITS;
    level->cells[axis] = (ct_grid_quanta(ct_axis_of(b->max, axis), ct_axis_of(b->min, axis), level->inverse[axis]) >> bits) + 1;
    product *= (double)level->cells[axis];
  }
  return product;
}

/* Edges as large as the boxes, or larger until there are few enough cells. */
static void size_cells(ct_grid_level *level) {
  const ct_vec3 room = ct_sub(level->bounds.max, level->bounds.min);
  double most = (double)(CELLS_PER_BOX * level->count + CELLS_LEAST), edge[3];
  for (int axis = 0; axis < 3; axis++)
    edge[axis] = ct_max2(ct_max2(ct_axis_of(level->largest, axis), EDGE_SHARE * ct_axis_of(room, axis)), EDGE_LEAST);
  for (;;) {
    for (int axis = 0; axis < 3; axis++) level->inverse[axis] = LARGEST_QUANTA / edge[axis];
    for (int x_bits = X_BITS_LEAST; x_bits <= CT_GRID_CELL_BITS; x_bits++)
      if (count_cells(level, x_bits) <= most) return;
    for (int axis = 0; axis < 3; axis++)
      if (level->cells[axis] > 1) edge[axis] *= EDGE_GROWTH;
  }
}

/* The box in quanta, and its cell. NO_CELL: it reaches over more than the next cell, which no rounding should bring about. */
static inline uint32_t place(ct_grid_level *level, const ct_aabb *box, uint32_t id, ct_grid_box *packed) {
  int64_t lower[3];
  for (int axis = 0; axis < 3; axis++) {
    const double origin = ct_axis_of(level->bounds.min, axis);
    lower[axis] = ct_grid_quanta(ct_axis_of(box->min, axis), origin, level->inverse[axis]);
    int64_t upper = ct_grid_quanta(ct_axis_of(box->max, axis), origin, level->inverse[axis]), reach = upper - lower[axis];
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

/* Each box's cell, and how many are in each. */
static bool place_all(ct_grid_run *g, ct_grid_box *packed, uint32_t *cells, uint32_t *counts) {
  for (size_t i = 0; i < g->count; i++) {
    int number = g->uniform ? 0 : ct_grid_level_of(g, &g->boxes[i]);
    cells[i] = number < 0 ? NO_CELL : place(&g->levels[number], &g->boxes[i], (uint32_t)i, &packed[i]);
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
    size_cells(level);
    level->first = cell_count;
    cell_count += (size_t)(level->cells[0] * level->cells[1] * level->cells[2]);
  }
  ct_grid_box *packed = aligned_alloc(16, g->count * sizeof *packed);
  uint32_t *cells = malloc(g->count * sizeof *cells);
  g->members = aligned_alloc(16, g->count * sizeof *g->members);
  g->starts = calloc(cell_count + 2, sizeof *g->starts);
  bool good = packed && cells && g->members && g->starts;
  /* Counts go to starts[cell + 2], so that filling turns starts[cell + 1] from where the cell begins to where the next one does. */
  good = good && place_all(g, packed, cells, g->starts + 2);
  for (size_t c = 2; good && c < cell_count + 2; c++) g->starts[c] += g->starts[c - 1];
  for (size_t i = 0; good && i < g->count; i++) {
    if (cells[i] == NO_CELL) continue;
    g->members[g->starts[cells[i] + 1]++] = packed[i];
  }
  free(packed);
  free(cells);
  return good ? CT_OK : CT_OUT_OF_MEMORY;
}
