/* Separating axes of polyhedra. Every axis is judged by the supports of both bodies along it, never by the features that proposed
 * it: so what is reported is a gap of the bodies whatever round-off did to the choice. Of pairs of edges only those count whose
 * arcs cross on the Gauss map: they alone make faces of the Minkowski difference. Gregorius 2013. */
#include "methods/separating_axis.h"

/* Faces, or edges of a, between two looks at the cancel flag: below 1 ms. */
#define FEATURES_PER_POLL 1024u

typedef struct edge {
  ct_vec3 point, way;  /* a point of it; its direction, of its length or half of it */
  ct_vec3 left, right; /* normals of its faces, unit */
  ct_vec3 between;     /* left x right */
} edge;

static ct_vec3 column(const ct_mat3 *m, uint32_t i) {
  return i == 0   ? ct_vec(m->rx.x, m->ry.x, m->rz.x)
         : i == 1 ? ct_vec(m->rx.y, m->ry.y, m->rz.y)
                  : ct_vec(m->rx.z, m->ry.z, m->rz.z);
}

static uint32_t face_count(const ct_convex_proxy *proxy) { return proxy->kind == CT_PROXY_BOX ? 6 : proxy->view->face_count; }
static uint32_t edge_count(const ct_convex_proxy *proxy) { return proxy->kind == CT_PROXY_BOX ? 12 : proxy->view->edge_count; }

static ct_vec3 face_normal(const ct_convex_proxy *proxy, uint32_t i) {
  if (proxy->kind == CT_PROXY_BOX) return ct_scale(column(&proxy->rotation, i / 2), i & 1 ? 1.0 : -1.0);
  ct_vec3 n = {proxy->view->nx[i], proxy->view->ny[i], proxy->view->nz[i]};
  return proxy->turned ? ct_unit_or(ct_mat_mul(proxy->rotation, n), n) : n;
}

static void edge_faces(const ct_convex_proxy *proxy, uint32_t i, uint32_t faces[2]) {
  if (proxy->kind == CT_PROXY_HULL) {
    faces[0] = proxy->view->edge_faces[i][0];
    faces[1] = proxy->view->edge_faces[i][1];
    return;
  }
  uint32_t k = i / 4;
  faces[0] = 2 * ((k + 1) % 3) + (i >> 1 & 1u);
  faces[1] = 2 * ((k + 2) % 3) + (i & 1u);
}

static void edge_ends(const ct_convex_proxy *proxy, uint32_t i, uint32_t ends[2]) {
  if (proxy->kind == CT_PROXY_HULL) {
    ends[0] = proxy->view->edge_vertices[i][0];
    ends[1] = proxy->view->edge_vertices[i][1];
    return;
  }
  uint32_t k = i / 4;
  ends[0] = (i >> 1 & 1u) << (k + 1) % 3 | (i & 1u) << (k + 2) % 3;
  ends[1] = ends[0] | 1u << k;
}

static edge edge_of(const ct_convex_proxy *proxy, uint32_t i) {
  uint32_t ends[2], faces[2];
  edge_ends(proxy, i, ends);
  edge_faces(proxy, i, faces);
  edge e = {.point = ct_proxy_vertex(proxy, ends[0]), .left = face_normal(proxy, faces[0]), .right = face_normal(proxy, faces[1])};
  e.way = ct_sub(ct_proxy_vertex(proxy, ends[1]), e.point);
  e.between = ct_cross(e.left, e.right);
  return e;
}

ct_axis_search ct_axis_search_of(const ct_convex_proxy *a, const ct_convex_proxy *b, const ct_cancel *cancel) {
  return (ct_axis_search){.a = a,
                          .b = b,
                          .cancel = cancel,
                          .near = {a->near, b->near},
                          .best = {.kind = CT_PLANE_NONE, .separation = -INFINITY, .normal = {1.0, 0.0, 0.0}}};
}

void ct_axis_consider(ct_axis_search *s, const ct_separating_plane *plane) {
  ct_separating_plane p = *plane;
  double radius_a, radius_b;
  p.point_a = ct_proxy_point(s->a, p.normal, &s->near[0], &radius_a);
  p.point_b = ct_proxy_point(s->b, ct_neg(p.normal), &s->near[1], &radius_b);
  p.separation = ct_dot(p.normal, ct_sub(p.point_b, p.point_a)) - radius_a - radius_b;
  p.point_a = ct_add_scaled(p.point_a, p.normal, radius_a);
  p.point_b = ct_add_scaled(p.point_b, p.normal, -radius_b);
  if (p.separation > s->best.separation) s->best = p;
}

static void look_at_face(ct_axis_search *s, ct_plane_kind kind, uint32_t i) {
  bool first = kind == CT_PLANE_FACE_A;
  ct_separating_plane p = {.kind = kind, .feature_a = first ? i : CT_NO_FEATURE, .feature_b = first ? CT_NO_FEATURE : i};
  p.normal = first ? face_normal(s->a, i) : ct_neg(face_normal(s->b, i));
  ct_axis_consider(s, &p);
}

void ct_axis_faces(ct_axis_search *s, ct_plane_kind kind) {
  uint32_t count = face_count(kind == CT_PLANE_FACE_A ? s->a : s->b);
  for (uint32_t i = 0; i < count; i++) {
    if (i % FEATURES_PER_POLL == 0 && ct_cancel_raised(s->cancel)) return;
    look_at_face(s, kind, i);
  }
}

/* Do the arc of an edge of a and the opposite of the arc of an edge of b cross? */
static bool arcs_cross(const edge *a, const edge *b) {
  double c_below = ct_dot(b->left, a->between), d_below = ct_dot(b->right, a->between);
  if (!(c_below * d_below < 0.0)) return false;
  double a_below = ct_dot(a->left, b->between), b_below = ct_dot(a->right, b->between);
  return a_below * b_below < 0.0 && c_below * b_below < 0.0;
}

/* A pair of edges; looked at when it separates by more than `least` by its own points. */
static void look_at_edges(ct_axis_search *s, const edge *a, const edge *b, uint32_t number[2], double least) {
  if (!arcs_cross(a, b)) return;
  ct_vec3 m = ct_cross(a->way, b->way);
  if (ct_max_abs(m) == 0.0) return;
  m = ct_unit_or(m, m);
  if (ct_dot(m, ct_sub(a->point, s->a->middle)) < 0.0) m = ct_neg(m);
  if (!(ct_dot(m, ct_sub(b->point, a->point)) > least)) return;
  ct_separating_plane p = {.kind = CT_PLANE_EDGE_EDGE, .feature_a = number[0], .feature_b = number[1], .normal = m};
  ct_axis_consider(s, &p);
}

void ct_axis_edges(ct_axis_search *s) {
  uint32_t count_a = edge_count(s->a), count_b = edge_count(s->b);
  for (uint32_t j = 0; j < count_b; j++) {
    edge b = edge_of(s->b, j);
    for (uint32_t i = 0; i < count_a; i++) {
      if (i % FEATURES_PER_POLL == 0 && ct_cancel_raised(s->cancel)) return;
      edge a = edge_of(s->a, i);
      look_at_edges(s, &a, &b, (uint32_t[2]){i, j}, s->best.separation);
    }
  }
}

/* Just below zero: pairs of edges that separate by nothing count too. */
#define LESS_THAN_NONE (-0x1p-1074)

static void look_at_pair(ct_axis_search *s, uint32_t i, uint32_t j) {
  edge a = edge_of(s->a, i), b = edge_of(s->b, j);
  look_at_edges(s, &a, &b, (uint32_t[2]){i, j}, LESS_THAN_NONE);
}

void ct_axis_feature(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a, uint32_t feature_b) {
  if (kind == CT_PLANE_FACE_A && feature_a < face_count(s->a)) look_at_face(s, kind, feature_a);
  if (kind == CT_PLANE_FACE_B && feature_b < face_count(s->b)) look_at_face(s, kind, feature_b);
  if (kind == CT_PLANE_EDGE_EDGE && feature_a < edge_count(s->a) && feature_b < edge_count(s->b))
    look_at_pair(s, feature_a, feature_b);
}

/* The faces across the edges of one. */
static void look_beside_face(ct_axis_search *s, ct_plane_kind kind, uint32_t face) {
  const ct_convex_proxy *proxy = kind == CT_PLANE_FACE_A ? s->a : s->b;
  for (uint32_t i = 0; i < edge_count(proxy); i++) {
    uint32_t faces[2];
    edge_faces(proxy, i, faces);
    if (faces[0] == face) look_at_face(s, kind, faces[1]);
    if (faces[1] == face) look_at_face(s, kind, faces[0]);
  }
}

static bool edges_meet(const ct_convex_proxy *proxy, uint32_t i, uint32_t j) {
  uint32_t p[2], q[2];
  edge_ends(proxy, i, p);
  edge_ends(proxy, j, q);
  return i != j && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]);
}

void ct_axis_neighbours(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a, uint32_t feature_b) {
  if (kind == CT_PLANE_FACE_A) look_beside_face(s, kind, feature_a);
  if (kind == CT_PLANE_FACE_B) look_beside_face(s, kind, feature_b);
  if (kind != CT_PLANE_EDGE_EDGE || feature_a >= edge_count(s->a) || feature_b >= edge_count(s->b)) return;
  for (uint32_t i = 0; i < edge_count(s->a); i++)
    if (edges_meet(s->a, feature_a, i)) look_at_pair(s, i, feature_b);
  for (uint32_t j = 0; j < edge_count(s->b); j++)
    if (edges_meet(s->b, feature_b, j)) look_at_pair(s, feature_a, j);
}
