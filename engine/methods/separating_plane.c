/* Separating planes of two bodies, with a cache of the last plane (temporal coherence).
 *
 * Polyhedra: separating axis test with Gauss map pruning (Gregorius 2013). A pair of edges forms a
 * face of the Minkowski difference only if their arcs cross on the Gauss map; other pairs are
 * skipped. Each axis is evaluated with the support points of both bodies, not with the features
 * that it comes from, so the reported separation is valid for any features that round-off selects.
 *
 * The cached plane is evaluated exactly as the full search would, in the same order and frame. It
 * is accepted only where the search would find a plane too, so that the answer is the same with and
 * without a cache. */
#include "pair/pair_input.h"
#include "pair/placed_proxies.h"
#include "pair/round_off_bound.h"
#include "pair/workspace.h"
#include "primitives/primitive_pairs.h"

#include <contact/pair_methods.h>

#include <assert.h>

/* ---- axes of polyhedra ---------------------------------------------------------------------- */

typedef struct axis_search {
  const ct_convex_proxy *a, *b;
  const ct_cancel *cancel;
  uint32_t hint[2];
  ct_separating_plane best; /* plane with the greatest separation so far; initially CT_PLANE_NONE
                               and -INFINITY */
} axis_search;

/* True if the core has faces and edges, and no radius. */
static bool is_polyhedral_proxy(const ct_convex_proxy *proxy) {
  return (proxy->kind == CT_PROXY_BOX || proxy->kind == CT_PROXY_HULL) && proxy->radius[0] == 0.0;
}

/* Number of faces, or of edges of a, evaluated between two polls of the cancel flag: less than 1
 * ms. */
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

/* Returns an empty search of two proxies, which it refers to. `cancel` may be NULL. */
static axis_search start_axis_search(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                     const ct_cancel *cancel) {
  return (axis_search){
      .a = a,
      .b = b,
      .cancel = cancel,
      .hint = {a->hint, b->hint},
      .best = {.kind = CT_PLANE_NONE, .separation = -INFINITY, .normal = {1.0, 0.0, 0.0}}};
}

/* Computes separation and points of the plane with a given unit normal, kind and features, and
 * retains it if its separation is greater than that of the best. */
static void consider_plane(axis_search *s, const ct_separating_plane *plane) {
  ct_separating_plane p = *plane;
  double radius_a, radius_b;
  p.point_a = ct_proxy_point(s->a, p.normal, &s->hint[0], &radius_a);
  p.point_b = ct_proxy_point(s->b, ct_neg(p.normal), &s->hint[1], &radius_b);
  p.separation = ct_dot(p.normal, ct_sub(p.point_b, p.point_a)) - radius_a - radius_b;
  p.point_a = ct_add_scaled(p.point_a, p.normal, radius_a);
  p.point_b = ct_add_scaled(p.point_b, p.normal, -radius_b);
  if (p.separation > s->best.separation) s->best = p;
}

static void evaluate_face_axis(axis_search *s, ct_plane_kind kind, uint32_t i) {
  bool first = kind == CT_PLANE_FACE_A;
  ct_separating_plane p = {
      .kind = kind, .feature_a = first ? i : CT_NO_FEATURE, .feature_b = first ? CT_NO_FEATURE : i};
  p.normal =
      first ? compute_proxy_face_normal(s->a, i) : ct_neg(compute_proxy_face_normal(s->b, i));
  consider_plane(s, &p);
}

/* Evaluates the planes of all faces of a, or of all faces of b. Each plane costs two support
 * points, one of a and one of b. */
static void evaluate_all_faces(axis_search *s, ct_plane_kind kind) {
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

/* Evaluates the plane of two edges if their arcs cross and points of the edges are separated along
 * its normal by more than `least`. */
static void evaluate_edge_axis(axis_search *s, const edge *a, const edge *b, uint32_t number[2],
                               double least) {
  if (!do_arcs_cross(a, b)) return;
  ct_vec3 m = ct_cross(a->direction, b->direction);
  if (ct_max_abs(m) == 0.0) return;
  m = ct_unit_or(m, m);
  if (ct_dot(m, ct_sub(a->point, s->a->middle)) < 0.0) m = ct_neg(m);
  if (!(ct_dot(m, ct_sub(b->point, a->point)) > least)) return;
  ct_separating_plane p = {
      .kind = CT_PLANE_EDGE_EDGE, .feature_a = number[0], .feature_b = number[1], .normal = m};
  consider_plane(s, &p);
}

static void evaluate_all_edge_pairs(axis_search *s) {
  assert(is_polyhedral_proxy(s->a) && is_polyhedral_proxy(s->b));
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

/* The negative number nearest to zero: with it as limit, pairs of edges with separation zero are
 * evaluated too. */
#define LESS_THAN_NONE (-0x1p-1074)

static void evaluate_edge_pair(axis_search *s, uint32_t i, uint32_t j) {
  edge a = build_edge(s->a, i), b = build_edge(s->b, j);
  evaluate_edge_axis(s, &a, &b, (uint32_t[2]){i, j}, LESS_THAN_NONE);
}

/* Evaluates one face or one pair of edges exactly as the full search does. A pair of edges with
 * negative separation is skipped, and so are feature numbers out of range. */
static void evaluate_axis_feature(axis_search *s, ct_plane_kind kind, uint32_t feature_a,
                                  uint32_t feature_b) {
  if (kind == CT_PLANE_FACE_A && feature_a < count_proxy_faces(s->a))
    evaluate_face_axis(s, kind, feature_a);
  if (kind == CT_PLANE_FACE_B && feature_b < count_proxy_faces(s->b))
    evaluate_face_axis(s, kind, feature_b);
  if (kind == CT_PLANE_EDGE_EDGE && feature_a < count_proxy_edges(s->a) &&
      feature_b < count_proxy_edges(s->b))
    evaluate_edge_pair(s, feature_a, feature_b);
}

/* Evaluates the planes of the faces adjacent to one face. */
static void evaluate_adjacent_faces(axis_search *s, ct_plane_kind kind, uint32_t face) {
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

static void evaluate_adjacent_features(axis_search *s, ct_plane_kind kind, uint32_t feature_a,
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

/* ---- planes --------------------------------------------------------------------------------- */

/* A plane certainly separates if its separation exceeds this many round-off bounds: that of the
 * distance query and its own. */
#define SURE_SLACKS 2.0

const char *ct_plane_kind_word(ct_plane_kind kind) {
  static const char *const words[] = {
#define PLANE_KIND_WORD(name, word) [CT_PLANE_##name] = word,
      CT_PLANE_KIND_MAP(PLANE_KIND_WORD)
#undef PLANE_KIND_WORD
  };
  if ((unsigned)kind >= sizeof words / sizeof words[0]) return "none";
  return words[kind];
}

static ct_plane_kind swap_plane_kind(ct_plane_kind kind) {
  return kind == CT_PLANE_FACE_A   ? CT_PLANE_FACE_B
         : kind == CT_PLANE_FACE_B ? CT_PLANE_FACE_A
                                   : kind;
}

/* Writes a plane in the world frame, with the bodies in the caller's order. */
static void write_separating_plane(const ct_placed_proxies *pair, const ct_separating_plane *found,
                                   ct_separating_plane *plane) {
  ct_vec3 n = ct_unit_or(ct_mat_mul(pair->frame->rotation, found->normal), ct_vec(1.0, 0.0, 0.0));
  ct_vec3 p = ct_clear_negative_zero(ct_to_parent(*pair->frame, found->point_a)),
          q = ct_clear_negative_zero(ct_to_parent(*pair->frame, found->point_b));
  *plane = *found;
  plane->normal = ct_clear_negative_zero(pair->swapped ? ct_neg(n) : n);
  plane->point_a = pair->swapped ? q : p;
  plane->point_b = pair->swapped ? p : q;
  if (!pair->swapped) return;
  plane->kind = swap_plane_kind(found->kind);
  plane->feature_a = found->feature_b;
  plane->feature_b = found->feature_a;
}

static bool has_separation(const axis_search *s) { return s->best.separation >= 0.0; }

/* Evaluates the cached plane and, if it does not separate, the planes of adjacent features. True:
 * one of them separates. */
static bool query_plane_cache(const ct_placed_proxies *pair, ct_plane_cache *cache,
                              axis_search *s) {
  ct_plane_kind kind = pair->swapped ? swap_plane_kind(cache->kind) : cache->kind;
  uint32_t feature_a = pair->swapped ? cache->feature_b : cache->feature_a;
  uint32_t feature_b = pair->swapped ? cache->feature_a : cache->feature_b;
  evaluate_axis_feature(s, kind, feature_a, feature_b);
  if (has_separation(s)) {
    cache->hits++;
    return true;
  }
  evaluate_adjacent_features(s, kind, feature_a, feature_b);
  if (has_separation(s)) cache->repairs++;
  return has_separation(s);
}

static bool search_all_axes(axis_search *s) {
  evaluate_all_faces(s, CT_PLANE_FACE_A);
  if (!has_separation(s)) evaluate_all_faces(s, CT_PLANE_FACE_B);
  if (!has_separation(s)) evaluate_all_edge_pairs(s);
  return has_separation(s);
}

static bool separate_polyhedra(const ct_placed_proxies *pair, ct_plane_cache *cache,
                               const ct_cancel *cancel, ct_separating_plane *plane) {
  axis_search s = start_axis_search(&pair->a, &pair->b, cancel);
  bool found = cache && query_plane_cache(pair, cache, &s);
  if (!found) {
    s = start_axis_search(&pair->a, &pair->b, cancel);
    found = search_all_axes(&s);
    if (cache) cache->searches++;
  }
  if (!found) return false;
  write_separating_plane(pair, &s.best, plane);
  if (cache) {
    cache->kind = plane->kind;
    cache->feature_a = plane->feature_a;
    cache->feature_b = plane->feature_b;
  }
  return true;
}

/* Evaluates the plane perpendicular to a world direction, which points from the caller's a to b. */
static void evaluate_direction(const ct_placed_proxies *pair, ct_vec3 world,
                               ct_separating_plane *plane) {
  ct_vec3 n = ct_mat_tmul(pair->frame->rotation, pair->swapped ? ct_neg(world) : world);
  ct_separating_plane p = {
      .kind = CT_PLANE_DIRECTION, .feature_a = CT_NO_FEATURE, .feature_b = CT_NO_FEATURE};
  p.normal = ct_unit_or(n, ct_vec(1.0, 0.0, 0.0));
  axis_search s = start_axis_search(&pair->a, &pair->b, NULL);
  consider_plane(&s, &p);
  write_separating_plane(pair, &s.best, plane);
}

/* True if the plane separates by more than round-off. */
static bool is_certainly_separating(const ct_placed_proxies *pair,
                                    const ct_separating_plane *plane) {
  return plane->separation >
         SURE_SLACKS * ct_bracket_slack(ct_proxy_scale(&pair->a, &pair->b), plane->separation);
}

static bool separate_by_distance(const ct_placed body[2], const ct_placed_proxies *pair,
                                 ct_plane_cache *cache, ct_workspace *workspace,
                                 ct_separating_plane *plane) {
  /* Try the cached direction first. */
  if (cache && cache->kind == CT_PLANE_DIRECTION) {
    evaluate_direction(pair, ct_mat_mul(body[0].frame->rotation, cache->direction), plane);
    if (is_certainly_separating(pair, plane)) {
      cache->hits++;
      return true;
    }
  }
  /* Otherwise use the normal of a distance query. */
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance(body[0], body[1], &options, workspace, &r);
  if (cache) cache->searches++;
  if (!(r.distance >= 0.0)) return false;
  evaluate_direction(pair, r.normal, plane);
  if (cache) {
    cache->kind = CT_PLANE_DIRECTION;
    cache->feature_a = cache->feature_b = CT_NO_FEATURE;
    cache->direction = ct_mat_tmul(body[0].frame->rotation, r.normal);
  }
  return true;
}

static bool find_separating_plane(const ct_placed body[2], const ct_placed_proxies *pair,
                                  ct_plane_cache *cache, ct_workspace *workspace,
                                  ct_separating_plane *plane) {
  if (is_polyhedral_proxy(&pair->a) && is_polyhedral_proxy(&pair->b))
    return separate_polyhedra(pair, cache, ct_workspace_cancel(workspace), plane);
  return separate_by_distance(body, pair, cache, workspace, plane);
}

static bool are_bounded_convex(ct_placed a, ct_placed b) {
  return ct_kind_is_bounded_convex(a.shape->kind) && ct_kind_is_bounded_convex(b.shape->kind);
}

bool ct_pair_separating_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room) || !are_bounded_convex(a, b)) return false;
  ct_separating_plane ignored;
  ct_placed_proxies pair = ct_place_proxies(a, b);
  return find_separating_plane((ct_placed[2]){a, b}, &pair, cache, workspace,
                               plane ? plane : &ignored);
}

bool ct_pair_overlap_by_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane,
                              ct_vec3 *witness) {
  ct_separating_plane found = {.kind = CT_PLANE_NONE};
  ct_frame room[2];
  bool overlap = ct_placed_prepare_both(&a, &b, room);
  if (overlap && are_bounded_convex(a, b)) {
    ct_placed_proxies pair = ct_place_proxies(a, b);
    overlap = !find_separating_plane((ct_placed[2]){a, b}, &pair, cache, workspace, &found) ||
              !is_certainly_separating(&pair, &found);
  }
  if (overlap) overlap = ct_pair_overlap(a, b, workspace, witness);
  if (overlap) found.kind = CT_PLANE_NONE;
  if (plane) *plane = found;
  return overlap;
}

static bool is_sharp_polyhedron(const ct_shape *s) {
  return (s->kind == CT_KIND_BOX || s->kind == CT_KIND_CONVEX) && s->rounding == 0.0 &&
         s->margin == 0.0;
}

bool ct_separating_axis_is_supported(const ct_shape *a, const ct_shape *b) {
  return is_sharp_polyhedron(a) && is_sharp_polyhedron(b);
}

void ct_pair_separating_axis(ct_placed a, ct_placed b, ct_workspace *workspace,
                             ct_separating_plane *plane) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *plane = (ct_separating_plane){
        .kind = CT_PLANE_NONE, .feature_a = CT_NO_FEATURE, .feature_b = CT_NO_FEATURE};
    return;
  }
  assert(ct_separating_axis_is_supported(a.shape, b.shape));
  ct_placed_proxies pair = ct_place_proxies(a, b);
  axis_search s = start_axis_search(&pair.a, &pair.b, ct_workspace_cancel(workspace));
  evaluate_all_faces(&s, CT_PLANE_FACE_A);
  evaluate_all_faces(&s, CT_PLANE_FACE_B);
  evaluate_all_edge_pairs(&s);
  write_separating_plane(&pair, &s.best, plane);
}
