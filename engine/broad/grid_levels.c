/* Grid levels: ranges of box sizes by binary exponent, and the bounds of each level. */
#include "broad/grid.h"

#include <stdlib.h>

/* Largest number of outsized boxes that are tested against all boxes instead of enlarging the
 * cells. */
#define WIDE_MAX 4
/* A level ends if the smaller boxes would exceed this number per cell. */
#define BOXES_PER_CELL_MAX 8.0
/* Corners beyond this count as infinite, m: differences of finite ones stay finite. */
#define COORDINATE_MAX 1e300
#define EXPONENT_INFINITE 2047
#define EXPONENT_ONE 1023 /* biased exponent of sizes in [1, 2) */

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

/* Histogram of size exponents and the span of all boxes, or of the finite ones if some are
 * infinite or too far out. */
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

/* Estimated number of cells of an exponent's largest boxes in the bounds of all boxes; at least
 * 1. */
static double estimate_cells(const span *all, int exponent) {
  double edge = ldexp(1.0, exponent - EXPONENT_ONE + 1);
  ct_vec3 room = ct_sub(all->bounds.max, all->bounds.min);
  return (room.x / edge + 1.0) * (room.y / edge + 1.0) * (room.z / edge + 1.0);
}

/* Assigns exponents to levels, coarsest level 0; the last one takes all smaller boxes. Returns
 * the number of boxes with a level. */
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

int ct_grid_level_of(const ct_grid_run *g, const ct_aabb *box) {
  return is_finite_box(box) ? g->of_exponent[ct_grid_exponent(ct_sub(box->max, box->min))] : -1;
}

static void measure_levels(ct_grid_run *g, const span *all) {
  span spans[CT_GRID_LEVELS_MAX];
  for (int k = 0; k < g->level_count; k++) spans[k] = empty_span;
  if (g->uniform) spans[0] = *all;
  for (size_t i = 0; i < g->count && !g->uniform; i++) {
    int level = ct_grid_level_of(g, &g->boxes[i]);
    if (level >= 0)
      extend_span(&spans[level], &g->boxes[i], ct_sub(g->boxes[i].max, g->boxes[i].min));
  }
  for (int k = 0; k < g->level_count; k++) {
    g->levels[k].bounds = spans[k].bounds;
    g->levels[k].largest = spans[k].largest;
    g->levels[k].count = spans[k].count;
  }
}

bool ct_grid_choose_levels(ct_grid_run *g) {
  uint32_t *histogram = calloc(EXPONENT_INFINITE + 1, sizeof *histogram);
  if (!histogram) return false;
  span all = measure_boxes(g, histogram);
  g->uniform = assign_levels(g, histogram, &all) == g->count && g->level_count == 1;
  free(histogram);
  measure_levels(g, &all);
  return true;
}
