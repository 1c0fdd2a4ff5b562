/* Convex proxies: placement, vertices, support functions and support features. */
#include "pair/convex_proxy.h"

#include "base/simd_lanes.h"
#include "shape/sharp_shape.h"

#include <assert.h>
#include <string.h>

/* Limit of the number of neighbours evaluated for one feature. In a face with more edges, two of
 * its directions are found earlier. */
#define FEATURE_NEIGHBOURS_MAX 1024

static ct_vec3 read_matrix_column(const ct_mat3 *m, int i) {
  return i == 0   ? ct_vec(m->rx.x, m->ry.x, m->rz.x)
         : i == 1 ? ct_vec(m->rx.y, m->ry.y, m->rz.y)
                  : ct_vec(m->rx.z, m->ry.z, m->rz.z);
}

static ct_vec3 scale_frame_axis(const ct_frame *frame, int i, double length) {
  ct_vec3 unit = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
  return ct_scale(frame ? read_matrix_column(&frame->rotation, i) : unit, length);
}

static void place_hull_proxy(const ct_shape *shape, const ct_frame *frame, ct_convex_proxy *proxy) {
  proxy->kind = CT_PROXY_HULL;
  proxy->hull = shape->hull;
  proxy->view = ct_hull_get(shape->hull);
  proxy->turned = frame != NULL;
  proxy->middle = frame ? ct_to_parent(*frame, proxy->view->centroid) : proxy->view->centroid;
  proxy->size = proxy->view->radius;
  proxy->extent = ct_norm(proxy->view->centroid) + proxy->size;
}

static void place_frustum_proxy(double half_length, double bottom, double top,
                                const ct_frame *frame, ct_convex_proxy *proxy) {
  proxy->kind = CT_PROXY_FRUSTUM;
  proxy->rim[0] = bottom;
  proxy->rim[1] = top;
  proxy->half = ct_vec(ct_max2(bottom, top), ct_max2(bottom, top), half_length);
  proxy->axis[2] = scale_frame_axis(frame, 2, half_length);
  proxy->size = proxy->extent = ct_norm(ct_vec(proxy->half.x, 0.0, half_length));
}

/* Sets the proxy of a shape without rounding radius and margin. The radii are those of a ball or
 * capsule, else 0. */
static void place_sharp_proxy(const ct_shape *shape, const ct_frame *frame,
                              ct_convex_proxy *proxy) {
  switch (shape->kind) {
  case CT_KIND_SPHERE:
    proxy->kind = CT_PROXY_POINT;
    proxy->radius[0] = proxy->radius[1] = proxy->extent = shape->sphere.radius;
    break;
  case CT_KIND_CAPSULE:
    proxy->kind = CT_PROXY_SEGMENT;
    proxy->axis[2] = scale_frame_axis(frame, 2, shape->capsule.half_length);
    proxy->radius[0] = shape->capsule.radius_bottom;
    proxy->radius[1] = shape->capsule.radius_top;
    proxy->size = shape->capsule.half_length;
    proxy->extent = proxy->size + ct_max2(proxy->radius[0], proxy->radius[1]);
    break;
  case CT_KIND_BOX:
    proxy->kind = CT_PROXY_BOX;
    proxy->half = shape->box.half;
    proxy->axis[0] = scale_frame_axis(frame, 0, shape->box.half.x);
    proxy->axis[1] = scale_frame_axis(frame, 1, shape->box.half.y);
    proxy->axis[2] = scale_frame_axis(frame, 2, shape->box.half.z);
    proxy->size = proxy->extent = ct_norm(shape->box.half);
    break;
  case CT_KIND_CYLINDER:
    place_frustum_proxy(shape->cylinder.half_length, shape->cylinder.radius, shape->cylinder.radius,
                        frame, proxy);
    break;
  case CT_KIND_CONE:
    place_frustum_proxy(shape->cone.half_length, shape->cone.radius_bottom, shape->cone.radius_top,
                        frame, proxy);
    break;
  case CT_KIND_ELLIPSOID:
    proxy->kind = CT_PROXY_ELLIPSOID;
    proxy->half = shape->ellipsoid.radii;
    proxy->size = proxy->extent = ct_max_abs(shape->ellipsoid.radii);
    break;
  case CT_KIND_CONVEX: place_hull_proxy(shape, frame, proxy); break;
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: assert(false && "a core is bounded and convex");
  }
}

void ct_proxy_place(const ct_shape *shape, const ct_frame *frame, ct_convex_proxy *proxy) {
  static const ct_frame own = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                               {0.0, 0.0, 0.0}};
  const ct_frame *at = frame ? frame : &own;
  bool is_plain = ct_shape_is_plain(shape);
  proxy->center = at->position;
  proxy->rotation = at->rotation;
  if (is_plain && shape->kind == CT_KIND_CONVEX) {
    /* Fast path: members that are not used for a hull stay unset. */
    proxy->radius[0] = proxy->radius[1] = 0.0;
    proxy->hint = 0;
    place_hull_proxy(shape, frame, proxy);
    return;
  }
  memset(proxy, 0, sizeof *proxy);
  proxy->center = at->position;
  proxy->rotation = at->rotation;
  if (is_plain) {
    proxy->middle = proxy->center;
    place_sharp_proxy(shape, frame, proxy);
    return;
  }
  /* Rounding radius and margin: a smaller sharp shape with a radius. */
  ct_sharp_shape inner = ct_shape_sharp(shape);
  if (inner.center_z != 0.0)
    proxy->center = ct_add(proxy->center, scale_frame_axis(frame, 2, inner.center_z));
  proxy->middle = proxy->center;
  place_sharp_proxy(&inner.shape, frame, proxy);
  proxy->radius[0] += inner.radius;
  proxy->radius[1] += inner.radius;
  proxy->extent += fabs(inner.center_z) + inner.radius;
}

ct_convex_proxy ct_proxy_triangle(const ct_vec3 corner[3], double extent) {
  ct_convex_proxy proxy = {.kind = CT_PROXY_TRIANGLE, .extent = extent};
  for (int i = 0; i < 3; i++) proxy.axis[i] = corner[i];
  proxy.middle = proxy.center =
      ct_scale(ct_add(ct_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
  for (int i = 0; i < 3; i++)
    proxy.size = ct_max2(proxy.size, ct_norm(ct_sub(corner[i], proxy.middle)));
  return proxy;
}

ct_convex_proxy ct_proxy_translated(const ct_convex_proxy *proxy, ct_vec3 by) {
  ct_convex_proxy moved = *proxy;
  for (int i = 0; i < 3 && proxy->kind == CT_PROXY_TRIANGLE; i++)
    moved.axis[i] = ct_add(proxy->axis[i], by);
  moved.center = ct_add(proxy->center, by);
  moved.middle = ct_add(proxy->middle, by);
  moved.turned = true;
  return moved;
}

uint32_t ct_proxy_vertex_count(const ct_convex_proxy *proxy) {
  switch (proxy->kind) {
  case CT_PROXY_POINT: return 1;
  case CT_PROXY_SEGMENT: return 2;
  case CT_PROXY_TRIANGLE: return 3;
  case CT_PROXY_BOX: return 8;
  case CT_PROXY_HULL: return proxy->view->vertex_count;
  case CT_PROXY_FRUSTUM:
  case CT_PROXY_ELLIPSOID: break;
  }
  return 0;
}

ct_vec3 ct_proxy_vertex(const ct_convex_proxy *proxy, uint32_t index) {
  ct_vec3 p = proxy->center;
  switch (proxy->kind) {
  case CT_PROXY_SEGMENT: return index ? ct_add(p, proxy->axis[2]) : ct_sub(p, proxy->axis[2]);
  case CT_PROXY_TRIANGLE: return proxy->axis[index];
  case CT_PROXY_BOX: return ct_proxy_box_vertex(proxy, index);
  case CT_PROXY_HULL: {
    ct_vec3 v = {proxy->view->x[index], proxy->view->y[index], proxy->view->z[index]};
    return proxy->turned ? ct_add(ct_mat_mul(proxy->rotation, v), p) : v;
  }
  case CT_PROXY_POINT:
  case CT_PROXY_FRUSTUM:
  case CT_PROXY_ELLIPSOID: break;
  }
  return p;
}

uint32_t ct_proxy_support(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t start) {
  switch (proxy->kind) {
  case CT_PROXY_SEGMENT:
    return 2.0 * ct_dot(direction, proxy->axis[2]) + (proxy->radius[1] - proxy->radius[0]) >= 0.0
               ? 1
               : 0;
  case CT_PROXY_TRIANGLE: {
    double height[3];
    for (int i = 0; i < 3; i++) height[i] = ct_dot(direction, proxy->axis[i]);
    if (height[0] >= height[1]) return height[0] >= height[2] ? 0 : 2;
    return height[1] >= height[2] ? 1 : 2;
  }
  case CT_PROXY_BOX:
    return (ct_dot(direction, proxy->axis[0]) >= 0.0 ? 1u : 0u) |
           (ct_dot(direction, proxy->axis[1]) >= 0.0 ? 2u : 0u) |
           (ct_dot(direction, proxy->axis[2]) >= 0.0 ? 4u : 0u);
  case CT_PROXY_HULL:
    return ct_hull_support(
        proxy->hull, proxy->turned ? ct_mat_tmul(proxy->rotation, direction) : direction, start);
  case CT_PROXY_POINT:
  case CT_PROXY_FRUSTUM:
  case CT_PROXY_ELLIPSOID: break;
  }
  return 0;
}

/* Length below which squares lose digits to underflow. */
#define ACROSS_SAFE 1e-140

/* Returns the support point of a frustum in its own frame; for a direction along the axis, the
 * centre of the disc. */
static ct_vec3 find_frustum_support(const ct_convex_proxy *proxy, ct_vec3 d) {
  double across = sqrt(d.x * d.x + d.y * d.y);
  bool top = 2.0 * proxy->half.z * d.z + (proxy->rim[1] - proxy->rim[0]) * across >= 0.0;
  double radius = proxy->rim[top ? 1 : 0], z = top ? proxy->half.z : -proxy->half.z;
  if (across > ACROSS_SAFE) return ct_vec(radius * (d.x / across), radius * (d.y / across), z);
  ct_vec3 out = ct_unit_or(ct_vec(d.x, d.y, 0.0), ct_vec(0.0, 0.0, 0.0));
  return ct_vec(radius * out.x, radius * out.y, z);
}

static ct_vec3 find_ellipsoid_support(ct_vec3 radii, ct_vec3 d) {
  ct_vec3 m =
      ct_unit_or(ct_vec(radii.x * d.x, radii.y * d.y, radii.z * d.z), ct_vec(1.0, 0.0, 0.0));
  return ct_vec(radii.x * m.x, radii.y * m.y, radii.z * m.z);
}

ct_vec3 ct_proxy_point(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t *hint,
                       double *radius) {
  if (!ct_proxy_is_curved(proxy)) {
    *hint = ct_proxy_support(proxy, direction, *hint);
    *radius = ct_proxy_vertex_radius(proxy, *hint);
    return ct_proxy_vertex(proxy, *hint);
  }
  *radius = proxy->radius[0];
  ct_vec3 d = ct_mat_tmul(proxy->rotation, direction);
  ct_vec3 local = proxy->kind == CT_PROXY_FRUSTUM ? find_frustum_support(proxy, d)
                                                  : find_ellipsoid_support(proxy->half, d);
  return ct_add(ct_mat_mul(proxy->rotation, local), proxy->center);
}

double ct_proxy_support_value(const ct_convex_proxy *proxy, ct_vec3 direction) {
  uint32_t hint = proxy->hint;
  double radius;
  ct_vec3 far = ct_proxy_point(proxy, direction, &hint, &radius);
  return ct_dot(direction, far) + radius;
}

ct_side_slope ct_proxy_side_slope(const ct_convex_proxy *proxy) {
  if (proxy->kind == CT_PROXY_FRUSTUM) {
    double rise = proxy->rim[0] - proxy->rim[1], length = 2.0 * proxy->half.z,
           slant = sqrt(rise * rise + length * length);
    return (ct_side_slope){rise / slant, length / slant};
  }
  double rise = proxy->radius[0] - proxy->radius[1], length = 2.0 * proxy->size;
  return (ct_side_slope){rise / length,
                         sqrt(ct_max2((length - rise) * (length + rise), 0.0)) / length};
}

/* Adds the direction d to the span, unless it is zero or parallel to the first direction within
 * 1e-6 rad, the documented meaning of parallel. Returns the new number of directions. */
static int add_span_direction(ct_vec3 span[2], int rank, ct_vec3 d) {
  ct_vec3 unit = ct_unit_or(d, ct_vec(0.0, 0.0, 0.0));
  if (rank == 0) {
    span[0] = unit;
    return ct_max_abs(unit) > 0.0 ? 1 : 0;
  }
  if (rank == 1 && ct_norm(ct_cross(span[0], unit)) > 1e-6) {
    span[1] = unit;
    return 2;
  }
  return rank;
}

static inline ct_vec3 read_view_vertex(const ct_hull_view *view, uint32_t i) {
  return ct_vec(view->x[i], view->y[i], view->z[i]);
}

/* True if an edge is perpendicular to a unit direction within the angle `slack`. The first test
 * uses the 1-norm, an upper bound of the length, and rejects most edges without a square root. */
static inline bool is_perpendicular_edge(ct_vec3 direction, ct_vec3 edge, double slack) {
  double level = fabs(ct_dot(direction, edge));
  return level <= 2.0 * slack * (fabs(edge.x) + fabs(edge.y) + fabs(edge.z)) &&
         level <= slack * ct_norm(edge);
}

/* Finds the support feature of a hull that fits into the SIMD lanes: evaluates all vertices at
 * once, then the few whose height is near the maximum. */
static int find_small_hull_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack,
                                   ct_vec3 span[2]) {
  const ct_hull_view *view = proxy->view;
  uint32_t top, others = ct_lanes_near_top(view->x, view->y, view->z, direction,
                                           4.0 * slack * view->radius, &top);
  int rank = 0;
  /* The lanes are padded with the last vertex: mask the padding. */
  others &= (1u << view->vertex_count) - 1u;
  for (; others && rank < 2; others &= others - 1) {
    ct_vec3 edge = ct_sub(read_view_vertex(view, (uint32_t)__builtin_ctz(others)),
                          read_view_vertex(view, top));
    if (is_perpendicular_edge(direction, edge, slack))
      rank =
          add_span_direction(span, rank, proxy->turned ? ct_mat_mul(proxy->rotation, edge) : edge);
  }
  return rank;
}

static int find_hull_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack,
                             ct_vec3 span[2]) {
  const ct_hull_view *view = proxy->view;
  /* Work in the hull's frame, so that only the reported edges are rotated. */
  ct_vec3 local = proxy->turned ? ct_mat_tmul(proxy->rotation, direction) : direction;
  if (view->vertex_count <= CT_HULL_LANES)
    return find_small_hull_feature(proxy, local, slack, span);
  uint32_t top = ct_hull_support(proxy->hull, local, proxy->hint);
  int rank = 0;
  uint32_t first = view->neighbour_start[top], end = view->neighbour_start[top + 1];
  if (end - first > FEATURE_NEIGHBOURS_MAX) end = first + FEATURE_NEIGHBOURS_MAX;
  for (uint32_t i = first; i < end && rank < 2; i++) {
    ct_vec3 edge = ct_sub(read_view_vertex(view, view->neighbour[i]), read_view_vertex(view, top));
    if (is_perpendicular_edge(local, edge, slack))
      rank =
          add_span_direction(span, rank, proxy->turned ? ct_mat_mul(proxy->rotation, edge) : edge);
  }
  return rank;
}

static int find_triangle_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack,
                                 ct_vec3 span[2]) {
  uint32_t top = ct_proxy_support(proxy, direction, proxy->hint);
  int rank = 0;
  for (uint32_t i = 1; i < 3; i++) {
    ct_vec3 edge = ct_sub(proxy->axis[(top + i) % 3], proxy->axis[top]);
    if (fabs(ct_dot(direction, edge)) <= slack * ct_norm(edge))
      rank = add_span_direction(span, rank, edge);
  }
  return rank;
}

/* Finds the support feature of a frustum: a disc perpendicular to the direction, or a line of the
 * side. */
static int find_frustum_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack,
                                ct_vec3 span[2]) {
  ct_vec3 d = ct_mat_tmul(proxy->rotation, direction);
  double across = sqrt(d.x * d.x + d.y * d.y);
  if (across <= slack && proxy->rim[d.z >= 0.0 ? 1 : 0] > 0.0) {
    span[0] = read_matrix_column(&proxy->rotation, 0);
    span[1] = read_matrix_column(&proxy->rotation, 1);
    return 2;
  }
  double rise = proxy->rim[1] - proxy->rim[0], length = 2.0 * proxy->half.z;
  if (across == 0.0 ||
      fabs(length * d.z + rise * across) > slack * sqrt(rise * rise + length * length))
    return 0;
  ct_vec3 line = {rise * (d.x / across), rise * (d.y / across), length};
  return add_span_direction(span, 0, ct_mat_mul(proxy->rotation, line));
}

int ct_proxy_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack,
                     ct_vec3 span[2]) {
  switch (proxy->kind) {
  case CT_PROXY_HULL: return find_hull_feature(proxy, direction, slack, span);
  case CT_PROXY_TRIANGLE: return find_triangle_feature(proxy, direction, slack, span);
  case CT_PROXY_FRUSTUM: return find_frustum_feature(proxy, direction, slack, span);
  case CT_PROXY_POINT:
  case CT_PROXY_ELLIPSOID: return 0;
  case CT_PROXY_SEGMENT:
  case CT_PROXY_BOX: break;
  }
  int rank = 0;
  for (int i = proxy->kind == CT_PROXY_BOX ? 0 : 2; i < 3 && rank < 2; i++) {
    double level = 2.0 * ct_dot(direction, proxy->axis[i]) + (proxy->radius[1] - proxy->radius[0]);
    if (fabs(level) <= 2.0 * slack * ct_norm(proxy->axis[i]))
      rank = add_span_direction(span, rank, proxy->axis[i]);
  }
  return rank;
}
