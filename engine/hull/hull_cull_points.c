/* Culls points inside an ellipsoid that is itself inside the hull of the extreme points along 13
 * axes. After Akl, Toussaint 1978.
 *
 * The ellipsoid has the proportions of the bounding box. Coordinates are scaled by powers of two
 * near the sides of the box, which is exact and keeps flat clouds away from round-off. Of points
 * uniformly distributed in a ball about half are culled, at the cost of one distance each. */
#include "hull/hull_cull_points.h"
#include "base/simd_lanes.h"
#include "hull/quickhull.h"

#include <stdlib.h>

/* Number of SIMD pairs of axes: 13 axes, of which z occurs twice. */
#define PAIRS 7
#define AXES (2 * PAIRS)
/* Points per block: a first pass finds the block with each extreme, a second the point in it. */
#define BLOCK 64u
/* Shrinks the squared size of the ellipsoid, which covers the round-off of a squared distance (10
 * u) and of the squared size itself (18 u). */
#define SHRINK (1.0 - 64.0 * CT_UNIT_ROUNDOFF)
/* Greatest exponent of a scale: up to it, squares and cubes of coordinates neither overflow nor
 * underflow. */
#define EXPONENT_MAX 250

/* The set of points p with |(p - center) / axes| < size, componentwise, in scaled coordinates. */
typedef struct ellipsoid {
  ct_vec3 unit; /* power of two by which each coordinate is multiplied */
  ct_vec3 center, axes;
  double square; /* size^2; 0: there is no ellipsoid */
} ellipsoid;

static ct_vec3 scale_by_unit(ct_vec3 p, ct_vec3 unit) {
  return (ct_vec3){p.x * unit.x, p.y * unit.y, p.z * unit.z};
}

static double choose_unit(double extent) {
  int exponent;
  (void)frexp(extent, &exponent);
  return extent > 0.0 && abs(exponent) <= EXPONENT_MAX ? ldexp(1.0, -exponent) : 1.0;
}

/* Minima and maxima of a point set along the 13 axes: the coordinates, sums and differences of two
 * coordinates, and of all three; z occurs twice. */
typedef struct reach {
  ct_lanes least[PAIRS], most[PAIRS];
} reach;

static inline void compute_heights(ct_vec3 point, ct_vec3 unit, ct_lanes out[PAIRS]) {
  ct_vec3 p = scale_by_unit(point, unit);
  ct_lanes xy = {p.x, p.y}, z = {p.z, p.z}, across = {p.x + p.y, p.x - p.y};
  out[0] = xy;
  out[1] = z;
  out[2] = across;
  out[3] = xy + z;
  out[4] = xy - z;
  out[5] = across + z;
  out[6] = across - z;
}

static void find_block_extremes(const ct_vec3 *points, uint32_t count, ct_vec3 unit, reach *r) {
  compute_heights(points[0], unit, r->least);
  compute_heights(points[0], unit, r->most);
  for (uint32_t i = 1; i < count; i++) {
    ct_lanes along[PAIRS];
    compute_heights(points[i], unit, along);
    for (int a = 0; a < PAIRS; a++) {
      r->least[a] = ct_lanes_lower(r->least[a], along[a]);
      r->most[a] = ct_lanes_higher(r->most[a], along[a]);
    }
  }
}

/* Returns the index of the first point with exactly this coordinate along the axis. Requires that
 * one exists. */
static uint32_t find_point_at_height(const ct_vec3 *points, uint32_t count, ct_vec3 unit, int axis,
                                     double height) {
  for (uint32_t i = 0; i < count; i++) {
    ct_lanes along[PAIRS];
    compute_heights(points[i], unit, along);
    if (along[axis / 2][axis % 2] == height) return i;
  }
  return 0;
}

static uint32_t clamp_block_end(uint32_t from, uint32_t count) {
  return count - from < BLOCK ? count : from + BLOCK;
}

/* Writes the extreme points in both directions of each axis: out[2 a] lowest, out[2 a + 1] highest
 * on axis a. */
static void find_extremes(const ct_vec3 *points, uint32_t count, ct_vec3 unit,
                          uint32_t out[2 * AXES]) {
  double least[AXES], most[AXES];
  for (uint32_t from = 0; from < count; from += BLOCK) {
    reach r;
    find_block_extremes(points + from, clamp_block_end(from, count) - from, unit, &r);
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
    out[2 * a] = low + find_point_at_height(points + low, clamp_block_end(low, count) - low, unit,
                                            a, least[a]);
    out[2 * a + 1] = high + find_point_at_height(points + high, clamp_block_end(high, count) - high,
                                                 unit, a, most[a]);
  }
}

/* Returns a lower bound of the size of the largest ellipsoid that no face cuts. The slack of a face
 * bounds the error of its normal in numerator and denominator. */
static double find_inner_size(const ct_hull_builder *grow, ct_vec3 center, ct_vec3 axes) {
  double size = INFINITY;
  for (uint32_t f = 0; f < grow->face_count; f++) {
    if (!ct_hull_builder_is_alive(grow, f)) continue;
    const ct_hull_builder_face *face = &grow->faces[f];
    ct_vec3 d = ct_sub(center, grow->points[face->vertex[0]]);
    double depth = -ct_dot(face->normal, d) - face->slack * (fabs(d.x) + fabs(d.y) + fabs(d.z));
    size = ct_min2(size, depth / (ct_norm(scale_by_unit(face->normal, axes)) +
                                  face->slack * ct_max_abs(axes)));
  }
  return size;
}

static ct_status find_ellipsoid(const ct_vec3 *points, uint32_t count, ellipsoid *out) {
  uint32_t extremes[2 * AXES];
  ct_vec3 corner[2 * AXES], sum = {0.0, 0.0, 0.0};
  ct_aabb box = {points[0], points[0]};
  for (uint32_t i = 1; i < count; i++) box = ct_aabb_union(box, (ct_aabb){points[i], points[i]});
  ct_vec3 extent = ct_sub(box.max, box.min);
  *out = (ellipsoid){.unit = {choose_unit(extent.x), choose_unit(extent.y), choose_unit(extent.z)}};
  out->axes = scale_by_unit(extent, out->unit);
  find_extremes(points, count, out->unit, extremes);
  for (int i = 0; i < 2 * AXES; i++) {
    corner[i] = scale_by_unit(points[extremes[i]], out->unit);
    sum = ct_add(sum, ct_scale(ct_sub(corner[i], corner[0]), 1.0 / (2 * AXES)));
  }
  out->center = ct_add(corner[0], sum);
  /* Find the largest ellipsoid inside the hull of the extreme points. */
  ct_hull_builder grow = {0};
  int rank;
  ct_status status = ct_quickhull(corner, 2 * AXES, NULL, &grow, &rank);
  if (status == CT_OK) {
    double size = find_inner_size(&grow, out->center, out->axes);
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
    bool inside =
        ct_norm2(scale_by_unit(ct_sub(scale_by_unit(p, e.unit), e.center), weight)) < e.square;
    points[left] = p;
    kept[left] = i;
    left += !inside;
  }
  *count = left;
  return CT_OK;
}
