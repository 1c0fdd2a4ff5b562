/* Points that are inside without a doubt: within an ellipsoid that is within the hull of the extreme points along 13 axes.
 *
 * The ellipsoid has the proportions of the points' box. Coordinates are first taken in units of powers of two near the sides of
 * that box, which changes no bit and keeps flat clouds away from round-off. Of a ball full of points half are told at the cost of a
 * distance each. Source of the idea: Akl, Toussaint 1978.
 */
#include "hull/hull_cull_points.h"
#include "base/simd_lanes.h"
#include "hull/quickhull.h"

#include <stdlib.h>

/* Axes in pairs, one of them twice. */
#define PAIRS 7
#define AXES (2 * PAIRS)
/* Points whose extremes are found before a point is looked for. */
#define BLOCK 64u
/* Above the rounding of a squared distance, 10 u, and of the square of the size, 18 u. */
#define SHRINK (1.0 - 64.0 * CT_UNIT_ROUNDOFF)
/* Exponents of units stay where squares and cubes of coordinates neither over- nor underflow. */
#define EXPONENT_MAX 250

/* In units of its own: the points p with |(p - center) / axes| < size. */
typedef struct ellipsoid {
  ct_vec3 unit; /* a power of two for each coordinate */
  ct_vec3 center, axes;
  double square; /* of the size; 0: there is none */
} ellipsoid;

static ct_vec3 scaled(ct_vec3 p, ct_vec3 unit) { return (ct_vec3){p.x * unit.x, p.y * unit.y, p.z * unit.z}; }

static double unit_of(double extent) {
  int exponent;
  (void)frexp(extent, &exponent);
  return extent > 0.0 && abs(exponent) <= EXPONENT_MAX ? ldexp(1.0, -exponent) : 1.0;
}

/* Along the axes: the coordinates, sums and differences of two and of all three; z twice. */
typedef struct reach {
  ct_lanes least[PAIRS], most[PAIRS];
} reach;

static inline void heights(ct_vec3 point, ct_vec3 unit, ct_lanes out[PAIRS]) {
  ct_vec3 p = scaled(point, unit);
  ct_lanes xy = {p.x, p.y}, z = {p.z, p.z}, across = {p.x + p.y, p.x - p.y};
  out[0] = xy;
  out[1] = z;
  out[2] = across;
  out[3] = xy + z;
  out[4] = xy - z;
  out[5] = across + z;
  out[6] = across - z;
}

static void reach_of_block(const ct_vec3 *points, uint32_t count, ct_vec3 unit, reach *r) {
  heights(points[0], unit, r->least);
  heights(points[0], unit, r->most);
  for (uint32_t i = 1; i < count; i++) {
    ct_lanes along[PAIRS];
    heights(points[i], unit, along);
    for (int a = 0; a < PAIRS; a++) {
      r->least[a] = ct_lanes_lower(r->least[a], along[a]);
      r->most[a] = ct_lanes_higher(r->most[a], along[a]);
    }
  }
}

/* The first point at a height along an axis; one of them is. */
static uint32_t point_at(const ct_vec3 *points, uint32_t count, ct_vec3 unit, int axis, double height) {
  for (uint32_t i = 0; i < count; i++) {
    ct_lanes along[PAIRS];
    heights(points[i], unit, along);
    if (along[axis / 2][axis % 2] == height) return i;
  }
  return 0;
}

static uint32_t block_end(uint32_t from, uint32_t count) { return count - from < BLOCK ? count : from + BLOCK; }

/* The points farthest each way along the axes: first the block of each, then the point. */
static void find_extremes(const ct_vec3 *points, uint32_t count, ct_vec3 unit, uint32_t out[2 * AXES]) {
  double least[AXES], most[AXES];
  for (uint32_t from = 0; from < count; from += BLOCK) {
    reach r;
    reach_of_block(points + from, block_end(from, count) - from, unit, &r);
    for (int a = 0; a < AXES; a++) {
      double low = r.least[a / 2][a % 2], high = r.most[a / 2][a % 2];
      if (from == 0 || low < least[a]) {
        least[a] = low;
        out[2 * a] = from;
      }
      if (from == 0 || high > most[a]) {
        most[a] = high;
        out[2 * a + 1] = from;
      }
    }
  }
  for (int a = 0; a < AXES; a++) {
    uint32_t low = out[2 * a], high = out[2 * a + 1];
    out[2 * a] = low + point_at(points + low, block_end(low, count) - low, unit, a, least[a]);
    out[2 * a + 1] = high + point_at(points + high, block_end(high, count) - high, unit, a, most[a]);
  }
}

/* The largest size about the center that no face's plane cuts, told from below: a slack covers the error of the normal in both. */
static double inner_size(const ct_hull_builder *grow, ct_vec3 center, ct_vec3 axes) {
  double size = INFINITY;
  for (uint32_t f = 0; f < grow->face_count; f++) {
    if (!ct_hull_builder_is_alive(grow, f)) continue;
    const ct_hull_builder_face *face = &grow->faces[f];
    ct_vec3 d = ct_sub(center, grow->points[face->vertex[0]]);
    double depth = -ct_dot(face->normal, d) - face->slack * (fabs(d.x) + fabs(d.y) + fabs(d.z));
    size = ct_min2(size, depth / (ct_norm(scaled(face->normal, axes)) + face->slack * ct_max_abs(axes)));
  }
  return size;
}

static ct_status find_ellipsoid(const ct_vec3 *points, uint32_t count, ellipsoid *out) {
  uint32_t extremes[2 * AXES];
  ct_vec3 corner[2 * AXES], sum = {0.0, 0.0, 0.0};
  ct_aabb box = {points[0], points[0]};
  for (uint32_t i = 1; i < count; i++) box = ct_aabb_union(box, (ct_aabb){points[i], points[i]});
  ct_vec3 extent = ct_sub(box.max, box.min);
  *out = (ellipsoid){.unit = {unit_of(extent.x), unit_of(extent.y), unit_of(extent.z)}};
  out->axes = scaled(extent, out->unit);
  find_extremes(points, count, out->unit, extremes);
  for (int i = 0; i < 2 * AXES; i++) {
    corner[i] = scaled(points[extremes[i]], out->unit);
    sum = ct_add(sum, ct_scale(ct_sub(corner[i], corner[0]), 1.0 / (2 * AXES)));
  }
  out->center = ct_add(corner[0], sum);
  ct_hull_builder grow = {0};
  int rank;
  ct_status status = ct_quickhull(corner, 2 * AXES, NULL, &grow, &rank);
  if (status == CT_OK) {
    double size = inner_size(&grow, out->center, out->axes);
    if (size > 0.0 && size < INFINITY) out->square = size * size * SHRINK;
  }
  ct_hull_builder_free(&grow);
  return status == CT_OUT_OF_MEMORY ? status : CT_OK;
}

ct_status ct_hull_cull(ct_vec3 *points, uint32_t *count, uint32_t *kept) {
  ellipsoid e;
  ct_status status = find_ellipsoid(points, *count, &e);
  if (status != CT_OK) return status;
  bool none = !(e.square > 0.0);
  ct_vec3 weight = none ? e.unit : (ct_vec3){1.0 / e.axes.x, 1.0 / e.axes.y, 1.0 / e.axes.z};
  uint32_t left = 0;
  for (uint32_t i = 0; i < *count; i++) {
    ct_vec3 p = points[i];
    bool inside = ct_norm2(scaled(ct_sub(scaled(p, e.unit), e.center), weight)) < e.square;
    points[left] = p;
    kept[left] = i;
    left += !inside;
  }
  *count = left;
  return CT_OK;
}
