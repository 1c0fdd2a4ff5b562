/* Which boxes share a grid: levels by size, and what each of them spans. */
#include "broad/grid.h"

#include <stdlib.h>

/* The largest boxes, so many at most, are tested against all rather than set the size of cells. */
#define WIDE_MAX 4
/* A level ends where the smaller boxes would be more than this many to a cell of the level's. */
#define CROWD 8.0
/* Corners farther out count as infinite: differences of finite ones stay finite. m */
#define FAR 1e300
#define EXPONENT_INFINITE 2047
#define EXPONENT_ONE 1023 /* of sizes in [1, 2) */

typedef struct span {
  ct_aabb bounds;
  ct_vec3 largest;
  size_t count;
} span;

static const span nothing = {{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, {0, 0, 0}, 0};

static inline void add_to(span *s, const ct_aabb *box, ct_vec3 extent) {
  s->bounds.min =
      (ct_vec3){ct_min2(box->min.x, s->bounds.min.x), ct_min2(box->min.y, s->bounds.min.y), ct_min2(box->min.z, s->bounds.min.z)};
  s->bounds.max =
      (ct_vec3){ct_max2(box->max.x, s->bounds.max.x), ct_max2(box->max.y, s->bounds.max.y), ct_max2(box->max.z, s->bounds.max.z)};
  s->largest = (ct_vec3){ct_max2(extent.x, s->largest.x), ct_max2(extent.y, s->largest.y), ct_max2(extent.z, s->largest.z)};
  s->count++;
}

static bool near_enough(const ct_aabb *box) { return ct_max_abs(box->min) < FAR && ct_max_abs(box->max) < FAR; }

/* How many boxes there are of each exponent, and what all span if none is infinite or far out; else only those that count. */
static span measure(const ct_grid_run *g, uint32_t *histogram) {
  span all = nothing;
  for (size_t i = 0; i < g->count; i++) {
    ct_vec3 extent = ct_sub(g->boxes[i].max, g->boxes[i].min);
    histogram[ct_grid_exponent(extent)]++;
    add_to(&all, &g->boxes[i], extent);
  }
  if (near_enough(&all.bounds)) return all;
  memset(histogram, 0, (EXPONENT_INFINITE + 1) * sizeof *histogram);
  all = nothing;
  for (size_t i = 0; i < g->count; i++) {
    ct_vec3 extent = ct_sub(g->boxes[i].max, g->boxes[i].min);
    bool finite = near_enough(&g->boxes[i]);
    histogram[finite ? ct_grid_exponent(extent) : EXPONENT_INFINITE]++;
    if (finite) add_to(&all, &g->boxes[i], extent);
  }
  return all;
}

/* Cells of the largest boxes of an exponent that all boxes' bounds have room for; at least 1. */
static double cells_of(const span *all, int exponent) {
  double edge = ldexp(1.0, exponent - EXPONENT_ONE + 1);
  ct_vec3 room = ct_sub(all->bounds.max, all->bounds.min);
  return (room.x / edge + 1.0) * (room.y / edge + 1.0) * (room.z / edge + 1.0);
}

/* Each exponent's level, from the coarsest, 0; the last takes all that is smaller. Returns how many boxes have one. */
static size_t cut_levels(ct_grid_run *g, const uint32_t *histogram, const span *all) {
  memset(g->of_exponent, -1, sizeof g->of_exponent);
  int top = EXPONENT_INFINITE - 1, began = 0;
  size_t left = all->count, wide = 0;
  for (; top >= 0 && wide + histogram[top] <= WIDE_MAX; top--) wide += histogram[top];
  left -= wide;
  const size_t levelled = left;
  for (int e = top; e >= 0 && left > 0; e--) {
    if (histogram[e] == 0) continue;
    bool crowded = g->level_count > 0 && (double)left > CROWD * cells_of(all, began);
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
  return near_enough(box) ? g->of_exponent[ct_grid_exponent(ct_sub(box->max, box->min))] : -1;
}

static void span_levels(ct_grid_run *g, const span *all) {
  span spans[CT_GRID_LEVELS_MAX];
  for (int k = 0; k < g->level_count; k++) spans[k] = nothing;
  if (g->uniform) spans[0] = *all;
  for (size_t i = 0; i < g->count && !g->uniform; i++) {
    int level = ct_grid_level_of(g, &g->boxes[i]);
    if (level >= 0) add_to(&spans[level], &g->boxes[i], ct_sub(g->boxes[i].max, g->boxes[i].min));
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
  span all = measure(g, histogram);
  g->uniform = cut_levels(g, histogram, &all) == g->count && g->level_count == 1;
  free(histogram);
  span_levels(g, &all);
  return true;
}
