/* Face planes of a hull from its vertices, in double-double: two triangles at a time in SIMD
 * lanes, other polygons one by one. Both paths give the same bits. */
#include "base/double_double.h"
#include "base/simd_double_double.h"
#include "hull/hull_faces.h"

#include <assert.h>
#include <string.h>

void ct_wide_triangle(const ct_vec3 *vertices, const uint32_t *loop, uint32_t count,
                      uint32_t wide[3]) {
  assert(count >= 3);
  uint32_t second = 1, third = 2;
  ct_vec3 origin = vertices[loop[0]];
  double most = -1.0;
  for (uint32_t i = 1; i < count; i++) {
    double d = ct_norm2(ct_sub(vertices[loop[i]], origin));
    if (d > most) {
      most = d;
      second = i;
    }
  }
  /* Farthest vertex from the line through the first two. */
  ct_vec3 along = ct_sub(vertices[loop[second]], origin);
  most = -1.0;
  for (uint32_t i = 1; i < count; i++) {
    double d = ct_norm2(ct_cross(along, ct_sub(vertices[loop[i]], origin)));
    if (i != second && d > most) {
      most = d;
      third = i;
    }
  }
  wide[0] = loop[0];
  wide[1] = loop[second < third ? second : third];
  wide[2] = loop[second < third ? third : second];
}

/* Normal from a double-double cross product. The offset is the maximum of n.v over the face, so
 * all its vertices are inside. */
static void find_polygon_plane(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face,
                               double plane[4]) {
  uint32_t wide[3], count = view->face_start[face + 1] - view->face_start[face];
  const uint32_t *loop = view->face_loop + view->face_start[face];
  ct_wide_triangle(vertices, loop, count, wide);
  ct_dd3 p = ct_dd3_sub(vertices[wide[1]], vertices[wide[0]]),
         q = ct_dd3_sub(vertices[wide[2]], vertices[wide[0]]);
  ct_dd3 cross = ct_dd3_cross(&p, &q);
  ct_vec3 normal = ct_unit_or(ct_dd3_value(&cross), ct_vec(0.0, 0.0, 1.0));
  ct_dd3 n = ct_dd3_of(normal);
  double offset = -INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    ct_dd3 v = ct_dd3_of(vertices[loop[i]]);
    offset = ct_max2(offset, ct_dd_value(ct_dd3_dot(&n, &v)));
  }
  memcpy(plane, (double[4]){normal.x, normal.y, normal.z, offset}, 4 * sizeof *plane);
}

static ct_vec3_lanes load_corner_pair(const ct_vec3 *vertices, uint32_t a, uint32_t b) {
  const ct_vec3 *p = &vertices[a], *q = &vertices[b];
  return (ct_vec3_lanes){{p->x, q->x}, {p->y, q->y}, {p->z, q->z}};
}

static ct_lanes absolute_lanes(ct_lanes a) { return ct_lanes_higher(a, -a); }

/* Dot product of two double vectors in double-double. */
static ct_lanes dot_in_double_double(ct_vec3_lanes n, ct_vec3_lanes v) {
  ct_dd_lanes xy = ct_dd_add_lanes(ct_two_product_lanes(n.x, v.x), ct_two_product_lanes(n.y, v.y));
  ct_dd_lanes sum = ct_dd_add_lanes(xy, ct_two_product_lanes(n.z, v.z));
  return sum.high + sum.low;
}

/* Planes of two triangles with consecutive loops. False: the area of one is not representable in
 * doubles. */
static bool find_triangle_planes(const uint32_t loop[6], const ct_vec3 *vertices,
                                 double planes[2][4]) {
  ct_vec3_lanes corner[3];
  for (int i = 0; i < 3; i++) corner[i] = load_corner_pair(vertices, loop[i], loop[i + 3]);
  ct_dd3_lanes p = ct_dd3_sub_lanes(corner[1], corner[0]),
               q = ct_dd3_sub_lanes(corner[2], corner[0]);
  ct_dd3_lanes cross = ct_dd3_cross_lanes(&p, &q);
  ct_vec3_lanes n = {cross.x.high + cross.x.low, cross.y.high + cross.y.low,
                     cross.z.high + cross.z.low};
  /* Scale by the largest component, so squares neither overflow nor underflow. */
  ct_lanes most = ct_lanes_higher(ct_lanes_higher(absolute_lanes(n.x), absolute_lanes(n.y)),
                                  absolute_lanes(n.z));
  if (!(most[0] > 0.0 && most[1] > 0.0)) return false;
  n = (ct_vec3_lanes){n.x / most, n.y / most, n.z / most};
  ct_lanes square = n.x * n.x + n.y * n.y + n.z * n.z, length = {sqrt(square[0]), sqrt(square[1])};
  n = (ct_vec3_lanes){n.x / length, n.y / length, n.z / length};
  ct_lanes offset = ct_lanes_higher(
      ct_lanes_higher(dot_in_double_double(n, corner[0]), dot_in_double_double(n, corner[1])),
      dot_in_double_double(n, corner[2]));
  for (int i = 0; i < 2; i++)
    memcpy(planes[i], (double[4]){n.x[i], n.y[i], n.z[i], offset[i]}, sizeof planes[i]);
  return true;
}

uint32_t ct_hull_face_planes(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face,
                             double planes[2][4]) {
  bool two = face + 1 < view->face_count &&
             view->face_start[face] + 3 == view->face_start[face + 1] &&
             view->face_start[face] + 6 == view->face_start[face + 2];
  if (two && find_triangle_planes(view->face_loop + view->face_start[face], vertices, planes))
    return 2;
  find_polygon_plane(view, vertices, face, planes[0]);
  return 1;
}
