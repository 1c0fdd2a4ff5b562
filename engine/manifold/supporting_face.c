/* Supporting faces of points, segments (capsules), boxes and triangles; views; growing lists.
 *
 * The face of a box is the face whose normal leans least from the view's normal; the line of a
 * capsule is the line of its cone or cylinder that faces the normal.
 */
#include "manifold/supporting_face.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ct_view ct_view_along(ct_vec3 normal) {
  const double n[3] = {normal.x, normal.y, normal.z};
  double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
  /* Perpendicular to the axis with the least component of the normal. The choice is unpredictable,
   * so the code has no branches. */
  static const uint8_t next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
  int least = ((x > y) | (x > z)) * (2 - (y <= z)), after = next[least], before = last[least];
  double across[3];
  across[least] = 0.0;
  across[after] = -n[before];
  across[before] = n[after];
  ct_vec3 u = {across[0], across[1], across[2]};
  ct_view view = {.x = ct_scale(u, 1.0 / sqrt(ct_norm2(u))), .normal = normal};
  view.y = ct_cross(normal, view.x);
  return view;
}

static uint32_t grow_list_capacity(uint32_t capacity, uint32_t count) {
  uint32_t more = capacity ? capacity : 16;
  while (more < count) more *= 2;
  return more;
}

bool ct_corner_list_reserve(ct_corner_list *list, uint32_t count) {
  if (count <= list->capacity) return true;
  uint32_t capacity = grow_list_capacity(list->capacity, count);
  ct_corner *items = realloc(list->items, capacity * sizeof *items);
  if (!items) return false;
  list->items = items;
  list->capacity = capacity;
  return true;
}

bool ct_slope_list_reserve(ct_slope_list *list, uint32_t count) {
  if (count <= list->capacity) return true;
  uint32_t capacity = grow_list_capacity(list->capacity, count);
  ct_slope *items = realloc(list->items, capacity * sizeof *items);
  if (!items) return false;
  list->items = items;
  list->capacity = capacity;
  return true;
}

static inline void append_corner(const ct_view *view, ct_vec3 at, uint32_t vertex, uint32_t edge,
                                 ct_supporting_face *out) {
  assert(out->corners.count < out->corners.capacity);
  ct_corner *c = &out->corners.items[out->corners.count++];
  c->at = at;
  c->x = ct_dot(view->x, at);
  c->y = ct_dot(view->y, at);
  c->kind = CT_FEATURE_VERTEX;
  c->vertex = vertex;
  c->edge = edge;
}

void ct_supporting_face_add(const ct_convex_proxy *proxy, const ct_view *view, uint32_t vertex,
                            ct_vec3 direction, ct_supporting_face *out) {
  ct_vec3 at = ct_add_scaled(ct_proxy_vertex(proxy, vertex), direction,
                             ct_proxy_vertex_radius(proxy, vertex));
  append_corner(view, at, vertex, 0, out);
}

void ct_supporting_face_slope(const ct_view *view, ct_vec3 normal, double offset, uint32_t face,
                              ct_supporting_face *out) {
  double along = ct_dot(normal, view->normal);
  assert(out->slopes.count < out->slopes.capacity);
  out->slopes.items[out->slopes.count++] = (ct_slope){
      -ct_dot(normal, view->x) / along, -ct_dot(normal, view->y) / along, offset / along, face};
}

double ct_supporting_face_height(const ct_supporting_face *supporting, double x, double y) {
  const ct_slope *s = supporting->slopes.items;
  double height = s[0].x * x + s[0].y * y + s[0].level;
  for (uint32_t i = 1; i < supporting->slopes.count; i++) {
    double h = s[i].x * x + s[i].y * y + s[i].level;
    height = supporting->second ? ct_max2(height, h) : ct_min2(height, h);
  }
  return height;
}

static bool make_supporting_point(const ct_convex_proxy *proxy, const ct_view *view,
                                  ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out);
  out->kind = CT_SUPPORTING_FACE_POINT;
  out->inside = (ct_feature){CT_FEATURE_SMOOTH, 0};
  out->normal = direction;
  out->tilt = 0.0;
  uint32_t near = 0;
  double radius;
  ct_vec3 at = ct_proxy_point(proxy, direction, &near, &radius);
  at = ct_add_scaled(at, direction, radius);
  out->corners.items[out->corners.count++] =
      (ct_corner){.at = at, .x = ct_dot(view->x, at), .y = ct_dot(view->y, at)};
  return true;
}

/* The line of a capsule's surface that faces the view. If the line leans, the ball at the outer end
 * reaches farther; the pair's witness point covers this. */
static bool make_supporting_line(const ct_convex_proxy *proxy, const ct_view *view,
                                 ct_supporting_face_want want, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out),
          axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  /* The normal of a tapered capsule's cone leans towards the smaller ball. */
  double lean =
      proxy->size > 0.0 ? (proxy->radius[0] - proxy->radius[1]) / (2.0 * proxy->size) : 1.0;
  ct_vec3 across = ct_add_scaled(direction, axis, -ct_dot(direction, axis));
  double length = ct_norm(across);
  bool line = fabs(lean) < 1.0 && length > 0.0;
  if (line) {
    out->normal = ct_add_scaled(ct_scale(across, sqrt(1.0 - lean * lean) / length), axis, lean);
    out->tilt = ct_norm(ct_sub(out->normal, direction));
  }
  uint32_t low = ct_proxy_support(proxy, direction, 0);
  if (!line || (want == CT_SUPPORTING_WANT_EDGE && out->tilt > CT_PARALLEL_ANGLE)) {
    out->kind = CT_SUPPORTING_FACE_POINT;
    out->inside = (ct_feature){CT_FEATURE_VERTEX, low};
    out->normal = direction;
    out->tilt = 0.0;
    ct_supporting_face_add(proxy, view, low, direction, out);
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_SEGMENT;
  out->inside = (ct_feature){CT_FEATURE_EDGE, 0};
  bool flat = out->tilt <= CT_PARALLEL_ANGLE;
  for (uint32_t i = 0; i < 2; i++)
    ct_supporting_face_add(proxy, view, i, flat ? direction : out->normal, out);
  return true;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static double get_box_half(const ct_convex_proxy *box, int axis) {
  return axis == 0 ? box->half.x : axis == 1 ? box->half.y : box->half.z;
}

static ct_vec3 get_proxy_box_axis(const ct_convex_proxy *box, int axis) {
  const ct_mat3 *m = &box->rotation;
  return axis == 0   ? ct_vec(m->rx.x, m->ry.x, m->rz.x)
         : axis == 1 ? ct_vec(m->rx.y, m->ry.y, m->rz.y)
                     : ct_vec(m->rx.z, m->ry.z, m->rz.z);
}

/* The face of a box that leans least: its axis and its side. */
typedef struct box_face {
  int axis;
  bool positive;
} box_face;

static box_face find_least_leaning_box_face(const ct_convex_proxy *proxy, ct_vec3 direction,
                                            ct_supporting_face *out) {
  double cosine[3];
  for (int k = 0; k < 3; k++) cosine[k] = ct_dot(direction, get_proxy_box_axis(proxy, k));
  double near = ct_max2(ct_max2(fabs(cosine[0]), fabs(cosine[1])), fabs(cosine[2])) - CT_COSINE_TIE;
  int i = fabs(cosine[0]) >= near ? 0 : fabs(cosine[1]) >= near ? 1 : 2;
  bool positive = cosine[i] >= 0.0;
  out->kind = CT_SUPPORTING_FACE_POLYGON;
  out->normal = ct_scale(get_proxy_box_axis(proxy, i), positive ? 1.0 : -1.0);
  out->tilt = ct_norm(ct_sub(out->normal, direction));
  out->inside = (ct_feature){CT_FEATURE_FACE, 2u * (uint32_t)i + positive};
  return (box_face){i, positive};
}

void ct_supporting_face_box_face(const ct_convex_proxy *proxy, const ct_view *view,
                                 ct_supporting_face *out) {
  find_least_leaning_box_face(proxy, ct_supporting_face_normal(view, out), out);
}

ct_vec3 ct_supporting_face_box_edge(const ct_convex_proxy *proxy, const ct_view *view,
                                    ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out);
  uint32_t top = 0;
  int along = -1;
  for (int i = 0; i < 3; i++) {
    double cosine = ct_dot(direction, get_proxy_box_axis(proxy, i));
    top |= (uint32_t)(cosine >= 0.0) << i;
    if (fabs(cosine) <= CT_PARALLEL_ANGLE) along = i;
  }
  out->normal = direction;
  out->tilt = 0.0;
  out->kind = along < 0 ? CT_SUPPORTING_FACE_POINT : CT_SUPPORTING_FACE_SEGMENT;
  out->inside = along < 0 ? (ct_feature){CT_FEATURE_VERTEX, top}
                          : (ct_feature){CT_FEATURE_EDGE, ct_box_edge(along, top)};
  return along < 0 ? ct_vec(0.0, 0.0, 0.0) : proxy->axis[along];
}

static bool make_box_edge(const ct_convex_proxy *proxy, const ct_view *view,
                          ct_supporting_face *out) {
  ct_supporting_face_box_edge(proxy, view, out);
  if (out->kind == CT_SUPPORTING_FACE_POINT) {
    ct_supporting_face_add(proxy, view, out->inside.index, out->normal, out);
    return true;
  }
  /* Decode the edge number: the axis, and the signs on the other two axes. */
  uint32_t edge = out->inside.index, along = edge / 4, low = edge & 1u, high = edge >> 1 & 1u;
  uint32_t vertex = low << (along == 0 ? 1 : 0) | high << (along == 2 ? 1 : 2);
  for (uint32_t end = 0; end < 2; end++)
    ct_supporting_face_add(proxy, view, vertex | end << along, out->normal, out);
  return true;
}

void ct_supporting_face_box_ring(int axis, bool positive, bool second, uint32_t ring[4][2]) {
  uint32_t i = (uint32_t)axis, j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1, at = positive;
  /* Corners and the edges that start there, along j and k: 00, 10, 11, 01, or reversed. */
  uint32_t low = at << i, on_j = 1u << j, on_k = 1u << k;
  uint32_t edge_j = 4u * j + (i < k ? at : 2u * at), step_j = i < k ? 2u : 1u;
  uint32_t edge_k = 4u * k + (i < j ? at : 2u * at), step_k = i < j ? 2u : 1u;
  const uint32_t round[2][4][2] = {{{low, edge_j},
                                    {low | on_j, edge_k + step_k},
                                    {low | on_j | on_k, edge_j + step_j},
                                    {low | on_k, edge_k}},
                                   {{low, edge_k},
                                    {low | on_k, edge_j + step_j},
                                    {low | on_j | on_k, edge_k + step_k},
                                    {low | on_j, edge_j}}};
  memcpy(ring, round[positive == second], sizeof round[0]);
}

static bool make_box_face(const ct_convex_proxy *proxy, const ct_view *view,
                          ct_supporting_face_want want, ct_supporting_face *out) {
  if (want == CT_SUPPORTING_WANT_EDGE) return make_box_edge(proxy, view, out);
  ct_vec3 direction = ct_supporting_face_normal(view, out);
  box_face face = find_least_leaning_box_face(proxy, direction, out);
  uint32_t ring[4][2];
  ct_supporting_face_box_ring(face.axis, face.positive, out->second, ring);
  double radius = proxy->radius[0];
  ct_vec3 offset_direction = out->tilt <= CT_PARALLEL_ANGLE ? direction : out->normal;
  for (uint32_t i = 0; i < 4; i++)
    append_corner(view,
                  ct_add_scaled(ct_proxy_box_vertex(proxy, ring[i][0]), offset_direction, radius),
                  ring[i][0], ring[i][1], out);
  double offset = ct_dot(out->normal, proxy->center) + get_box_half(proxy, face.axis) + radius;
  ct_supporting_face_slope(view, out->normal, offset, out->inside.index, out);
  return true;
}

/* The side of the triangle that faces the view. The number of an edge is the number of its first
 * corner. */
static bool make_triangle_face(const ct_convex_proxy *proxy, const ct_view *view,
                               ct_supporting_face_want want, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out),
          normal = ct_cross(ct_sub(proxy->axis[1], proxy->axis[0]),
                            ct_sub(proxy->axis[2], proxy->axis[0]));
  bool backwards = ct_dot(normal, view->normal) < 0.0;
  normal = ct_unit_or(normal, direction);
  if (ct_dot(normal, direction) < 0.0) normal = ct_neg(normal);
  /* edge or vertex: the support vertex, and the first edge there that is perpendicular to the
   * normal */
  if (want == CT_SUPPORTING_WANT_EDGE || !(ct_dot(normal, direction) > CT_PARALLEL_ANGLE)) {
    uint32_t top = ct_proxy_support(proxy, direction, 0);
    out->kind = CT_SUPPORTING_FACE_POINT;
    out->inside = (ct_feature){CT_FEATURE_VERTEX, top};
    out->normal = direction;
    out->tilt = 0.0;
    ct_supporting_face_add(proxy, view, top, direction, out);
    for (uint32_t k = 1; k < 3; k++) {
      uint32_t v = (top + k) % 3;
      ct_vec3 edge = ct_sub(proxy->axis[v], proxy->axis[top]);
      if (fabs(ct_dot(direction, edge)) > CT_PARALLEL_ANGLE * ct_norm(edge)) continue;
      out->kind = CT_SUPPORTING_FACE_SEGMENT;
      out->inside = (ct_feature){CT_FEATURE_EDGE, k == 1 ? top : v};
      ct_supporting_face_add(proxy, view, v, direction, out);
      return true;
    }
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_POLYGON;
  out->inside = (ct_feature){CT_FEATURE_FACE, 0};
  out->normal = normal;
  out->tilt = ct_norm(ct_sub(normal, direction));
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t vertex = backwards ? 2 - k : k;
    ct_supporting_face_add(proxy, view, vertex, normal, out);
    out->corners.items[k].edge = backwards ? (vertex + 2) % 3 : vertex;
  }
  ct_supporting_face_slope(view, normal, ct_dot(normal, proxy->axis[0]) + proxy->radius[0], 0, out);
  return true;
}

bool ct_supporting_face_find(const ct_convex_proxy *proxy, const ct_view *view,
                             ct_supporting_face_want want, ct_supporting_face *out) {
  out->corners.count = out->slopes.count = 0;
  if (!ct_corner_list_reserve(&out->corners, 4) || !ct_slope_list_reserve(&out->slopes, 1))
    return false;
  switch (proxy->kind) {
  case CT_PROXY_POINT: return make_supporting_point(proxy, view, out);
  case CT_PROXY_SEGMENT: return make_supporting_line(proxy, view, want, out);
  case CT_PROXY_BOX: return make_box_face(proxy, view, want, out);
  case CT_PROXY_TRIANGLE: return make_triangle_face(proxy, view, want, out);
  case CT_PROXY_FRUSTUM: return ct_supporting_face_frustum(proxy, view, want, out);
  case CT_PROXY_ELLIPSOID: return make_supporting_point(proxy, view, out);
  case CT_PROXY_HULL: break;
  }
  return ct_supporting_face_hull(proxy, view, want, out);
}
