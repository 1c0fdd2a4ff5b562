/* Outlines: views, lists, and those of points, segments and boxes. */
#include "manifold/supporting_face.h"

#include <stdlib.h>
#include <string.h>

ct_view ct_view_along(ct_vec3 normal) {
  const double n[3] = {normal.x, normal.y, normal.z};
  double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
  /* Across the axis that is least along the normal: any of them, so nothing branches on it. */
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

static uint32_t grown(uint32_t capacity, uint32_t count) {
  uint32_t more = capacity ? capacity : 16;
  while (more < count) more *= 2;
  return more;
}

bool ct_corner_list_reserve(ct_corner_list *list, uint32_t count) {
  if (count <= list->capacity) return true;
  uint32_t capacity = grown(list->capacity, count);
  ct_corner *items = realloc(list->items, capacity * sizeof *items);
  if (!items) return false;
  list->items = items;
  list->capacity = capacity;
  return true;
}

bool ct_slope_list_reserve(ct_slope_list *list, uint32_t count) {
  if (count <= list->capacity) return true;
  uint32_t capacity = grown(list->capacity, count);
  ct_slope *items = realloc(list->items, capacity * sizeof *items);
  if (!items) return false;
  list->items = items;
  list->capacity = capacity;
  return true;
}

static inline void add_corner(const ct_view *view, ct_vec3 at, uint32_t vertex, uint32_t edge, ct_supporting_face *out) {
  ct_corner *c = &out->corners.items[out->corners.count++];
  c->at = at;
  c->x = ct_dot(view->x, at);
  c->y = ct_dot(view->y, at);
  c->kind = CT_FEATURE_VERTEX;
  c->vertex = vertex;
  c->edge = edge;
}

void ct_supporting_face_add(const ct_convex_proxy *proxy, const ct_view *view, uint32_t vertex, ct_vec3 way,
                            ct_supporting_face *out) {
  ct_vec3 at = ct_add_scaled(ct_proxy_vertex(proxy, vertex), way, ct_proxy_vertex_radius(proxy, vertex));
  add_corner(view, at, vertex, 0, out);
}

void ct_supporting_face_slope(const ct_view *view, ct_vec3 normal, double offset, uint32_t face, ct_supporting_face *out) {
  double along = ct_dot(normal, view->normal);
  out->slopes.items[out->slopes.count++] =
      (ct_slope){-ct_dot(normal, view->x) / along, -ct_dot(normal, view->y) / along, offset / along, face};
}

double ct_supporting_face_height(const ct_supporting_face *outline, double x, double y) {
  const ct_slope *s = outline->slopes.items;
  double height = s[0].x * x + s[0].y * y + s[0].level;
  for (uint32_t i = 1; i < outline->slopes.count; i++) {
    double h = s[i].x * x + s[i].y * y + s[i].level;
    height = outline->second ? ct_max2(height, h) : ct_min2(height, h);
  }
  return height;
}

static bool point_outline(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face *out) {
  ct_vec3 way = ct_supporting_face_normal(view, out);
  out->kind = CT_SUPPORTING_FACE_POINT;
  out->inside = (ct_feature){CT_FEATURE_SMOOTH, 0};
  out->normal = way;
  out->tilt = 0.0;
  uint32_t near = 0;
  double radius;
  ct_vec3 at = ct_proxy_point(proxy, way, &near, &radius);
  at = ct_add_scaled(at, way, radius);
  out->corners.items[out->corners.count++] = (ct_corner){.at = at, .x = ct_dot(view->x, at), .y = ct_dot(view->y, at)};
  return true;
}

/* The line of the surface along a segment that faces the view. Where it leans, the ball of the end that is farther out reaches
 * farther yet: that is the pair's own point. */
static bool segment_outline(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                            ct_supporting_face *out) {
  ct_vec3 way = ct_supporting_face_normal(view, out), axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  /* The normal of the cone between two balls leans to the smaller one. */
  double lean = proxy->size > 0.0 ? (proxy->radius[0] - proxy->radius[1]) / (2.0 * proxy->size) : 1.0;
  ct_vec3 across = ct_add_scaled(way, axis, -ct_dot(way, axis));
  double length = ct_norm(across);
  bool line = fabs(lean) < 1.0 && length > 0.0;
  if (line) {
    out->normal = ct_add_scaled(ct_scale(across, sqrt(1.0 - lean * lean) / length), axis, lean);
    out->tilt = ct_norm(ct_sub(out->normal, way));
  }
  uint32_t low = ct_proxy_support(proxy, way, 0);
  if (!line || (want == CT_SUPPORTING_WANT_EDGE && out->tilt > CT_PARALLEL_ANGLE)) {
    out->kind = CT_SUPPORTING_FACE_POINT;
    out->inside = (ct_feature){CT_FEATURE_VERTEX, low};
    out->normal = way;
    out->tilt = 0.0;
    ct_supporting_face_add(proxy, view, low, way, out);
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_SEGMENT;
  out->inside = (ct_feature){CT_FEATURE_EDGE, 0};
  bool flat = out->tilt <= CT_PARALLEL_ANGLE;
  for (uint32_t i = 0; i < 2; i++) ct_supporting_face_add(proxy, view, i, flat ? way : out->normal, out);
  return true;
}

/* ---- boxes ---- */

static double half_of(const ct_convex_proxy *box, int axis) {
  return axis == 0 ? box->half.x : axis == 1 ? box->half.y : box->half.z;
}

static ct_vec3 box_axis(const ct_convex_proxy *box, int axis) {
  const ct_mat3 *m = &box->rotation;
  return axis == 0   ? ct_vec(m->rx.x, m->ry.x, m->rz.x)
         : axis == 1 ? ct_vec(m->rx.y, m->ry.y, m->rz.y)
                     : ct_vec(m->rx.z, m->ry.z, m->rz.z);
}

/* The face of the box that is most nearly across: its axis, and its side there. */
typedef struct box_face {
  int axis;
  bool positive;
} box_face;

static box_face lean_face(const ct_convex_proxy *proxy, ct_vec3 way, ct_supporting_face *out) {
  double cosine[3];
  for (int k = 0; k < 3; k++) cosine[k] = ct_dot(way, box_axis(proxy, k));
  double near = ct_max2(ct_max2(fabs(cosine[0]), fabs(cosine[1])), fabs(cosine[2])) - CT_COSINE_TIE;
  int i = fabs(cosine[0]) >= near ? 0 : fabs(cosine[1]) >= near ? 1 : 2;
  bool positive = cosine[i] >= 0.0;
  out->kind = CT_SUPPORTING_FACE_POLYGON;
  out->normal = ct_scale(box_axis(proxy, i), positive ? 1.0 : -1.0);
  out->tilt = ct_norm(ct_sub(out->normal, way));
  out->inside = (ct_feature){CT_FEATURE_FACE, 2u * (uint32_t)i + positive};
  return (box_face){i, positive};
}

void ct_supporting_face_box_face(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face *out) {
  lean_face(proxy, ct_supporting_face_normal(view, out), out);
}

ct_vec3 ct_supporting_face_box_edge(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face *out) {
  ct_vec3 way = ct_supporting_face_normal(view, out);
  uint32_t top = 0;
  int along = -1;
  for (int i = 0; i < 3; i++) {
    double cosine = ct_dot(way, box_axis(proxy, i));
    top |= (uint32_t)(cosine >= 0.0) << i;
    if (fabs(cosine) <= CT_PARALLEL_ANGLE) along = i;
  }
  out->normal = way;
  out->tilt = 0.0;
  out->kind = along < 0 ? CT_SUPPORTING_FACE_POINT : CT_SUPPORTING_FACE_SEGMENT;
  out->inside = along < 0 ? (ct_feature){CT_FEATURE_VERTEX, top} : (ct_feature){CT_FEATURE_EDGE, ct_box_edge(along, top)};
  return along < 0 ? ct_vec(0.0, 0.0, 0.0) : proxy->axis[along];
}

static bool box_edge_outline(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face *out) {
  ct_supporting_face_box_edge(proxy, view, out);
  if (out->kind == CT_SUPPORTING_FACE_POINT) {
    ct_supporting_face_add(proxy, view, out->inside.index, out->normal, out);
    return true;
  }
  /* Of the edge's number: the axis, and the signs of the other two. */
  uint32_t edge = out->inside.index, along = edge / 4, low = edge & 1u, high = edge >> 1 & 1u;
  uint32_t vertex = low << (along == 0 ? 1 : 0) | high << (along == 2 ? 1 : 2);
  for (uint32_t end = 0; end < 2; end++) ct_supporting_face_add(proxy, view, vertex | end << along, out->normal, out);
  return true;
}

void ct_supporting_face_box_ring(int axis, bool positive, bool second, uint32_t ring[4][2]) {
  uint32_t i = (uint32_t)axis, j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1, at = positive;
  /* Corners and the edges from them, along j and k: 00, 10, 11, 01, or the other way round. */
  uint32_t low = at << i, on_j = 1u << j, on_k = 1u << k;
  uint32_t edge_j = 4u * j + (i < k ? at : 2u * at), step_j = i < k ? 2u : 1u;
  uint32_t edge_k = 4u * k + (i < j ? at : 2u * at), step_k = i < j ? 2u : 1u;
  const uint32_t round[2][4][2] = {
      {{low, edge_j}, {low | on_j, edge_k + step_k}, {low | on_j | on_k, edge_j + step_j}, {low | on_k, edge_k}},
      {{low, edge_k}, {low | on_k, edge_j + step_j}, {low | on_j | on_k, edge_k + step_k}, {low | on_j, edge_j}}};
  memcpy(ring, round[positive == second], sizeof round[0]);
}

static bool box_outline(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want, ct_supporting_face *out) {
  if (want == CT_SUPPORTING_WANT_EDGE) return box_edge_outline(proxy, view, out);
  ct_vec3 way = ct_supporting_face_normal(view, out);
  box_face face = lean_face(proxy, way, out);
  uint32_t ring[4][2];
  ct_supporting_face_box_ring(face.axis, face.positive, out->second, ring);
  double radius = proxy->radius[0];
  ct_vec3 moved = out->tilt <= CT_PARALLEL_ANGLE ? way : out->normal;
  for (uint32_t i = 0; i < 4; i++)
    add_corner(view, ct_add_scaled(ct_proxy_box_vertex(proxy, ring[i][0]), moved, radius), ring[i][0], ring[i][1], out);
  double offset = ct_dot(out->normal, proxy->center) + half_of(proxy, face.axis) + radius;
  ct_supporting_face_slope(view, out->normal, offset, out->inside.index, out);
  return true;
}

/* Either side of a triangle; edges are numbered by their first corner. */
static bool triangle_outline(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                             ct_supporting_face *out) {
  ct_vec3 way = ct_supporting_face_normal(view, out),
          normal = ct_cross(ct_sub(proxy->axis[1], proxy->axis[0]), ct_sub(proxy->axis[2], proxy->axis[0]));
  bool backwards = ct_dot(normal, view->normal) < 0.0;
  normal = ct_unit_or(normal, way);
  if (ct_dot(normal, way) < 0.0) normal = ct_neg(normal);
  if (want == CT_SUPPORTING_WANT_EDGE || !(ct_dot(normal, way) > CT_PARALLEL_ANGLE)) {
    uint32_t top = ct_proxy_support(proxy, way, 0);
    out->kind = CT_SUPPORTING_FACE_POINT;
    out->inside = (ct_feature){CT_FEATURE_VERTEX, top};
    out->normal = way;
    out->tilt = 0.0;
    ct_supporting_face_add(proxy, view, top, way, out);
    for (uint32_t k = 1; k < 3; k++) {
      uint32_t v = (top + k) % 3;
      ct_vec3 edge = ct_sub(proxy->axis[v], proxy->axis[top]);
      if (fabs(ct_dot(way, edge)) > CT_PARALLEL_ANGLE * ct_norm(edge)) continue;
      out->kind = CT_SUPPORTING_FACE_SEGMENT;
      out->inside = (ct_feature){CT_FEATURE_EDGE, k == 1 ? top : v};
      ct_supporting_face_add(proxy, view, v, way, out);
      return true;
    }
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_POLYGON;
  out->inside = (ct_feature){CT_FEATURE_FACE, 0};
  out->normal = normal;
  out->tilt = ct_norm(ct_sub(normal, way));
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t vertex = backwards ? 2 - k : k;
    ct_supporting_face_add(proxy, view, vertex, normal, out);
    out->corners.items[k].edge = backwards ? (vertex + 2) % 3 : vertex;
  }
  ct_supporting_face_slope(view, normal, ct_dot(normal, proxy->axis[0]) + proxy->radius[0], 0, out);
  return true;
}

bool ct_supporting_face_find(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                             ct_supporting_face *out) {
  out->corners.count = out->slopes.count = 0;
  if (!ct_corner_list_reserve(&out->corners, 4) || !ct_slope_list_reserve(&out->slopes, 1)) return false;
  switch (proxy->kind) {
  case CT_PROXY_POINT: return point_outline(proxy, view, out);
  case CT_PROXY_SEGMENT: return segment_outline(proxy, view, want, out);
  case CT_PROXY_BOX: return box_outline(proxy, view, want, out);
  case CT_PROXY_TRIANGLE: return triangle_outline(proxy, view, want, out);
  case CT_PROXY_FRUSTUM: return ct_supporting_face_frustum(proxy, view, want, out);
  case CT_PROXY_ELLIPSOID: return point_outline(proxy, view, out);
  case CT_PROXY_HULL: break;
  }
  return ct_supporting_face_hull(proxy, view, want, out);
}
