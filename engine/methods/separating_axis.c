/* Separating axis test of polyhedra with Gauss map pruning (Gregorius 2013). Edge pairs form faces
 * of the Minkowski difference only if their arcs cross on the Gauss map; other pairs are skipped.
 *
 * Each axis is evaluated by the supports of both bodies, not by the features that proposed it. The
 * reported separation is therefore valid despite round-off in the choice of features.
 */
#include "methods/separating_axis.h"

#include <assert.h>

/* Faces, or edges of a, evaluated between two polls of the cancel flag: less than 1 ms. */
#define FEATURES_PER_POLL 1024u

typedef struct edge {
  ct_vec3 point, direction; /* one end; vector to the other end */
  ct_vec3 left, right;      /* unit normals of the adjacent faces */
  ct_vec3 between;          /* left x right */
} edge;

static ct_vec3 extract_rotation_column(const ct_mat3 *m, uint32_t i) {
  return i == 0   ? ct_vec(m->rx.x, m->ry.x, m->rz.x)
         : i == 1 ? ct_vec(m->rx.y, m->ry.y, m->rz.y)
                  : ct_vec(m->rx.z, m->ry.z, m->rz.z);
}

static uint32_t count_proxy_faces(const ct_convex_proxy *proxy) {
  return proxy->kind == CT_PROXY_BOX ? 6 : proxy->view->face_count;
}
static uint32_t count_proxy_edges(const ct_convex_proxy *proxy) {
  return proxy->kind == CT_PROXY_BOX ? 12 : proxy->view->edge_count;
}

static ct_vec3 compute_proxy_face_normal(const ct_convex_proxy *proxy, uint32_t i) {
  if (proxy->kind == CT_PROXY_BOX)
    return ct_scale(extract_rotation_column(&proxy->rotation, i / 2), i & 1 ? 1.0 : -1.0);
  ct_vec3 n = {proxy->view->nx[i], proxy->view->ny[i], proxy->view->nz[i]};
  return proxy->turned ? ct_unit_or(ct_mat_mul(proxy->rotation, n), n) : n;
}

static void read_proxy_edge_faces(const ct_convex_proxy *proxy, uint32_t i, uint32_t faces[2]) {
  if (proxy->kind == CT_PROXY_HULL) {
    faces[0] = proxy->view->edge_faces[i][0];
    faces[1] = proxy->view->edge_faces[i][1];
    return;
  }
  uint32_t k = i / 4;
  faces[0] = 2 * ((k + 1) % 3) + (i >> 1 & 1u);
  faces[1] = 2 * ((k + 2) % 3) + (i & 1u);
}

static void read_proxy_edge_ends(const ct_convex_proxy *proxy, uint32_t i, uint32_t ends[2]) {
  if (proxy->kind == CT_PROXY_HULL) {
    ends[0] = proxy->view->edge_vertices[i][0];
    ends[1] = proxy->view->edge_vertices[i][1];
    return;
  }
  uint32_t k = i / 4;
  ends[0] = (i >> 1 & 1u) << (k + 1) % 3 | (i & 1u) << (k + 2) % 3;
  ends[1] = ends[0] | 1u << k;
}

static edge build_edge(const ct_convex_proxy *proxy, uint32_t i) {
  uint32_t ends[2], faces[2];
  read_proxy_edge_ends(proxy, i, ends);
  read_proxy_edge_faces(proxy, i, faces);
  edge e = {.point = ct_proxy_vertex(proxy, ends[0]),
            .left = compute_proxy_face_normal(proxy, faces[0]),
            .right = compute_proxy_face_normal(proxy, faces[1])};
  e.direction = ct_sub(ct_proxy_vertex(proxy, ends[1]), e.point);
  e.between = ct_cross(e.left, e.right);
  return e;
}

ct_axis_search ct_axis_search_of(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                 const ct_cancel *cancel) {
  return (ct_axis_search){
      .a = a,
      .b = b,
      .cancel = cancel,
      .hint = {a->hint, b->hint},
      .best = {.kind = CT_PLANE_NONE, .separation = -INFINITY, .normal = {1.0, 0.0, 0.0}}};
}

void ct_axis_consider(ct_axis_search *s, const ct_separating_plane *plane) {
  ct_separating_plane p = *plane;
  double radius_a, radius_b;
  p.point_a = ct_proxy_point(s->a, p.normal, &s->hint[0], &radius_a);
  p.point_b = ct_proxy_point(s->b, ct_neg(p.normal), &s->hint[1], &radius_b);
  p.separation = ct_dot(p.normal, ct_sub(p.point_b, p.point_a)) - radius_a - radius_b;
  p.point_a = ct_add_scaled(p.point_a, p.normal, radius_a);
  p.point_b = ct_add_scaled(p.point_b, p.normal, -radius_b);
  if (p.separation > s->best.separation) s->best = p;
}

static void evaluate_face_axis(ct_axis_search *s, ct_plane_kind kind, uint32_t i) {
  bool first = kind == CT_PLANE_FACE_A;
  ct_separating_plane p = {
      .kind = kind, .feature_a = first ? i : CT_NO_FEATURE, .feature_b = first ? CT_NO_FEATURE : i};
  p.normal =
      first ? compute_proxy_face_normal(s->a, i) : ct_neg(compute_proxy_face_normal(s->b, i));
  ct_axis_consider(s, &p);
}

void ct_axis_faces(ct_axis_search *s, ct_plane_kind kind) {
  assert(kind == CT_PLANE_FACE_A || kind == CT_PLANE_FACE_B);
  uint32_t count = count_proxy_faces(kind == CT_PLANE_FACE_A ? s->a : s->b);
  for (uint32_t i = 0; i < count; i++) {
    if (i % FEATURES_PER_POLL == 0 && ct_cancel_raised(s->cancel)) return;
    evaluate_face_axis(s, kind, i);
  }
}

/* True if the Gauss map arc of an edge of a crosses the negated arc of an edge of b. */
static bool do_arcs_cross(const edge *a, const edge *b) {
  double c_below = ct_dot(b->left, a->between), d_below = ct_dot(b->right, a->between);
  if (!(c_below * d_below < 0.0)) return false;
  double a_below = ct_dot(a->left, b->between), b_below = ct_dot(a->right, b->between);
  return a_below * b_below < 0.0 && c_below * b_below < 0.0;
}

/* Evaluates an edge pair if its own points separate by more than `least`. */
static void evaluate_edge_axis(ct_axis_search *s, const edge *a, const edge *b, uint32_t number[2],
                               double least) {
  if (!do_arcs_cross(a, b)) return;
  ct_vec3 m = ct_cross(a->direction, b->direction);
  if (ct_max_abs(m) == 0.0) return;
  m = ct_unit_or(m, m);
  if (ct_dot(m, ct_sub(a->point, s->a->middle)) < 0.0) m = ct_neg(m);
  if (!(ct_dot(m, ct_sub(b->point, a->point)) > least)) return;
  ct_separating_plane p = {
      .kind = CT_PLANE_EDGE_EDGE, .feature_a = number[0], .feature_b = number[1], .normal = m};
  ct_axis_consider(s, &p);
}

void ct_axis_edges(ct_axis_search *s) {
  assert(ct_proxy_is_polyhedron(s->a) && ct_proxy_is_polyhedron(s->b));
  uint32_t count_a = count_proxy_edges(s->a), count_b = count_proxy_edges(s->b);
  for (uint32_t j = 0; j < count_b; j++) {
    edge b = build_edge(s->b, j);
    for (uint32_t i = 0; i < count_a; i++) {
      if (i % FEATURES_PER_POLL == 0 && ct_cancel_raised(s->cancel)) return;
      edge a = build_edge(s->a, i);
      evaluate_edge_axis(s, &a, &b, (uint32_t[2]){i, j}, s->best.separation);
    }
  }
}

/* Just below zero: edge pairs with zero separation are evaluated, too. */
#define LESS_THAN_NONE (-0x1p-1074)

static void evaluate_edge_pair(ct_axis_search *s, uint32_t i, uint32_t j) {
  edge a = build_edge(s->a, i), b = build_edge(s->b, j);
  evaluate_edge_axis(s, &a, &b, (uint32_t[2]){i, j}, LESS_THAN_NONE);
}

void ct_axis_feature(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a,
                     uint32_t feature_b) {
  if (kind == CT_PLANE_FACE_A && feature_a < count_proxy_faces(s->a))
    evaluate_face_axis(s, kind, feature_a);
  if (kind == CT_PLANE_FACE_B && feature_b < count_proxy_faces(s->b))
    evaluate_face_axis(s, kind, feature_b);
  if (kind == CT_PLANE_EDGE_EDGE && feature_a < count_proxy_edges(s->a) &&
      feature_b < count_proxy_edges(s->b))
    evaluate_edge_pair(s, feature_a, feature_b);
}

/* Evaluates the faces adjacent to one face. */
static void evaluate_adjacent_faces(ct_axis_search *s, ct_plane_kind kind, uint32_t face) {
  const ct_convex_proxy *proxy = kind == CT_PLANE_FACE_A ? s->a : s->b;
  for (uint32_t i = 0; i < count_proxy_edges(proxy); i++) {
    uint32_t faces[2];
    read_proxy_edge_faces(proxy, i, faces);
    if (faces[0] == face) evaluate_face_axis(s, kind, faces[1]);
    if (faces[1] == face) evaluate_face_axis(s, kind, faces[0]);
  }
}

static bool share_vertex(const ct_convex_proxy *proxy, uint32_t i, uint32_t j) {
  uint32_t p[2], q[2];
  read_proxy_edge_ends(proxy, i, p);
  read_proxy_edge_ends(proxy, j, q);
  return i != j && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]);
}

void ct_axis_neighbours(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a,
                        uint32_t feature_b) {
  if (kind == CT_PLANE_FACE_A) evaluate_adjacent_faces(s, kind, feature_a);
  if (kind == CT_PLANE_FACE_B) evaluate_adjacent_faces(s, kind, feature_b);
  if (kind != CT_PLANE_EDGE_EDGE || feature_a >= count_proxy_edges(s->a) ||
      feature_b >= count_proxy_edges(s->b))
    return;
  for (uint32_t i = 0; i < count_proxy_edges(s->a); i++)
    if (share_vertex(s->a, feature_a, i)) evaluate_edge_pair(s, i, feature_b);
  for (uint32_t j = 0; j < count_proxy_edges(s->b); j++)
    if (share_vertex(s->b, feature_b, j)) evaluate_edge_pair(s, feature_a, j);
}
