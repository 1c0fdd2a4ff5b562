/* Scans over candidate planes, in the frame of the hull or polytope. Pass 1 finds the greatest
 * value, pass 2 selects the normal among the planes that reach it within round-off. */
#include "convex/plane_scans.h"

#include <assert.h>

/* ---- a point or a segment in a hull
 * -------------------------------------------------------------- */

/* Two planes tie if their values differ by at most this many u of the size, which is the round-off
 * of one dot product. */
#define TIE_FACTOR 2.0
/* A plane counts as bounding the hull if no vertex is beyond it by more than this many u of the
 * size, which is the round-off of three dot products. */
#define BOUND_FACTOR 12.0
/* A segment counts as parallel to a face if the sine of their angle is at most this many u. */
#define FLAT_ROUNDOFFS 8.0
/* Faces or edges evaluated between two polls of the cancel flag: less than 1 ms. */
#define PLANES_PER_POLL 1024u

typedef struct plane_scan {
  const ct_hull_view *view;
  const ct_convex_proxy *hull;
  /* In the hull's frame: the ends of the segment and its axis; for a point, equal ends and a zero
   * axis. */
  ct_vec3 end[2], along;
  /* tie: tolerance of ties, m; greatest: over all face planes, the greatest signed distance of the
   * segment's end nearer to the inside, m; negative if this end is inside the hull */
  double tie, greatest;
  /* false, pass 1: find `greatest`; true, pass 2: select the normal among ties */
  bool breaking_ties;
  /* outward normal of the best plane so far, in the hull's frame, and a hull vertex on the plane */
  ct_vec3 best_normal;
  uint32_t best_vertex;
  ct_epa_result *result;
} plane_scan;

static ct_vec3 read_hull_vertex(const ct_hull_view *v, uint32_t i) {
  return ct_vec(v->x[i], v->y[i], v->z[i]);
}
static ct_vec3 read_hull_normal(const ct_hull_view *v, uint32_t i) {
  return ct_vec(v->nx[i], v->ny[i], v->nz[i]);
}

/* Considers the plane n.x = level with the outward normal n as the one that determines the depth;
 * vertex: a hull vertex on it. */
static void consider_enclosing_plane(plane_scan *s, ct_vec3 n, double level, uint32_t vertex) {
  double value = ct_min2(ct_dot(n, s->end[0]), ct_dot(n, s->end[1])) - level;
  if (!s->breaking_ties) s->greatest = ct_max2(s->greatest, value);
  if (!s->breaking_ties || value < s->greatest - s->tie) return;
  ct_epa_result *r = s->result;
  ct_vec3 normal = ct_neg(ct_unit_or(ct_mat_mul(s->hull->rotation, n), n));
  bool first = !(r->depth < INFINITY);
  if (value == s->greatest) {
    r->first_normal = normal;
    r->first_depth = -value;
  }
  if (!first && ct_norm(ct_sub(normal, r->normal)) > 1e-6) r->several = true;
  if (!first && !ct_normal_greater(normal, r->normal)) return;
  r->normal = normal;
  r->depth = -value;
  s->best_normal = n;
  s->best_vertex = vertex;
}

/* Considers the plane of a face. Its level is computed from the vertices, because the stored plane
 * offset has round-off of its own. */
static void consider_enclosing_face(plane_scan *s, uint32_t face) {
  const ct_hull_view *v = s->view;
  ct_vec3 n = read_hull_normal(v, face);
  double level = -INFINITY;
  for (uint32_t i = v->face_start[face]; i < v->face_start[face + 1]; i++)
    level = ct_max2(level, ct_dot(n, read_hull_vertex(v, v->face_loop[i])));
  consider_enclosing_plane(s, n, level, v->face_loop[v->face_start[face]]);
}

/* Considers the plane through an edge and parallel to the segment. Only silhouette edges, seen
 * along the segment, count: one adjacent face is in front, one behind. The cross product is exact,
 * because for an edge nearly parallel to the segment a rounded one would be wrong. */
static void consider_enclosing_edge(plane_scan *s, uint32_t edge) {
  const ct_hull_view *v = s->view;
  ct_vec3 left = read_hull_normal(v, v->edge_faces[edge][0]),
          right = read_hull_normal(v, v->edge_faces[edge][1]);
  double rise = ct_dot(left, s->along), fall = ct_dot(right, s->along);
  double flat = FLAT_ROUNDOFFS * CT_UNIT_ROUNDOFF * ct_norm(s->along);
  if ((rise > flat && fall > flat) || (rise < -flat && fall < -flat)) return;
  uint32_t at = v->edge_vertices[edge][0];
  ct_vec3 p = read_hull_vertex(v, at);
  ct_vec3 n = ct_exact_cross(p, read_hull_vertex(v, v->edge_vertices[edge][1]), s->along);
  if (ct_max_abs(n) == 0.0) return;
  n = ct_unit_or(n, n);
  if (ct_dot(n, ct_add(left, right)) < 0.0) n = ct_neg(n);
  double level = ct_dot(n, p);
  if (ct_min2(ct_dot(n, s->end[0]), ct_dot(n, s->end[1])) - level <
      (s->breaking_ties ? s->greatest - s->tie : s->greatest))
    return;
  consider_enclosing_plane(
      s, n, ct_dot(n, read_hull_vertex(v, ct_hull_support(s->hull->hull, n, at))), at);
}

/* Considers the planes of all faces and, for a segment, of all edges. False: cancelled. */
static bool scan_enclosing_planes(plane_scan *s, const ct_cancel *cancel) {
  for (uint32_t i = 0; i < s->view->face_count; i++) {
    if (i % PLANES_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    consider_enclosing_face(s, i);
  }
  for (uint32_t i = 0; i < s->view->edge_count && ct_max_abs(s->along) > 0.0; i++) {
    if (i % PLANES_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    consider_enclosing_edge(s, i);
  }
  return true;
}

bool ct_hull_segment_depth(const ct_convex_proxy *inner, const ct_convex_proxy *hull,
                           const ct_cancel *cancel, ct_epa_result *result) {
  assert(inner->kind == CT_PROXY_POINT || inner->kind == CT_PROXY_SEGMENT);
  assert(hull->kind == CT_PROXY_HULL && !ct_proxy_is_tapered(inner));
  double size = ct_minkowski_size(inner, hull);
  plane_scan s = {.view = hull->view, .hull = hull, .greatest = -INFINITY, .result = result};
  s.tie = TIE_FACTOR * CT_UNIT_ROUNDOFF * size;
  /* Transform the segment to the hull's frame. */
  bool segment = inner->kind == CT_PROXY_SEGMENT;
  if (segment) s.along = ct_mat_tmul(hull->rotation, inner->axis[2]);
  for (uint32_t k = 0; k < 2; k++)
    s.end[k] =
        ct_mat_tmul(hull->rotation, ct_sub(ct_proxy_vertex(inner, segment ? k : 0), hull->center));
  *result = (ct_epa_result){.depth = INFINITY, .first_depth = INFINITY, .status = CT_PAIR_OK};
  /* Pass 1 finds the least depth; pass 2 selects the normal among the planes that tie. */
  bool whole = scan_enclosing_planes(&s, cancel);
  s.breaking_ties = true;
  if (!whole || !scan_enclosing_planes(&s, cancel)) {
    *result = (ct_epa_result){.normal = {1.0, 0.0, 0.0},
                              .depth = size,
                              .least = -size,
                              .status = CT_PAIR_ITERATION_LIMIT};
    return true;
  }
  /* Check that the chosen plane bounds the hull to round-off. */
  result->least = -s.greatest;
  ct_vec3 top = read_hull_vertex(s.view, ct_hull_support(hull->hull, s.best_normal, s.best_vertex));
  return ct_dot(s.best_normal, ct_sub(top, read_hull_vertex(s.view, s.best_vertex))) <=
         BOUND_FACTOR * CT_UNIT_ROUNDOFF * size;
}

/* ---- a polytope and a tapered capsule
 * ------------------------------------------------------------ */

/* The search over the features of a polytope for the best normal to a tapered capsule, in the
 * polytope's frame. */
typedef struct feature_search {
  const ct_convex_proxy *polytope; /* the polytope in its own frame: rotation and centre of the
                                      proxy are not applied */
  ct_vec3 end[2];
  double radius[2];
  ct_vec3 inner;      /* interior point of the polytope */
  double tolerance;   /* tolerance of tests at a vertex, and of ties between values, m */
  double first_value; /* greatest separation of all features so far, m, and the first normal with
                         this separation */
  ct_vec3 first_normal;
  /* false, pass 1: find first_value; true, pass 2: select the normal among ties */
  bool breaking_ties;
  ct_vec3 normal; /* the normal selected so far, and the separation along it, m */
  double value;
  bool several;
} feature_search;

/* Features evaluated between two polls of the cancel flag: less than 1 ms. */
#define FEATURES_PER_POLL 1024u

static const uint8_t box_edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                         {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static uint32_t count_polytope_edges(const ct_convex_proxy *p) {
  return p->kind == CT_PROXY_BOX ? 12 : p->view->edge_count;
}
static uint32_t count_polytope_faces(const ct_convex_proxy *p) {
  return p->kind == CT_PROXY_BOX ? 6 : p->view->face_count;
}

static void read_edge_ends(const ct_convex_proxy *p, uint32_t i, uint32_t ends[2]) {
  ends[0] = p->kind == CT_PROXY_BOX ? box_edges[i][0] : p->view->edge_vertices[i][0];
  ends[1] = p->kind == CT_PROXY_BOX ? box_edges[i][1] : p->view->edge_vertices[i][1];
}

static ct_vec3 read_polytope_normal(const ct_convex_proxy *p, uint32_t i) {
  if (p->kind == CT_PROXY_HULL) return ct_vec(p->view->nx[i], p->view->ny[i], p->view->nz[i]);
  double sign = i & 1 ? -1.0 : 1.0;
  return ct_vec(i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0);
}

/* True if no neighbour of the vertex is farther along n, so that n is an outward normal of the
 * polytope at the vertex. */
static bool is_extreme_vertex(const feature_search *q, uint32_t vertex, ct_vec3 n) {
  const ct_convex_proxy *p = q->polytope;
  double level = ct_dot(n, ct_proxy_vertex(p, vertex)) + q->tolerance;
  if (p->kind == CT_PROXY_BOX)
    return ct_dot(n, ct_proxy_vertex(p, vertex ^ 1u)) <= level &&
           ct_dot(n, ct_proxy_vertex(p, vertex ^ 2u)) <= level &&
           ct_dot(n, ct_proxy_vertex(p, vertex ^ 4u)) <= level;
  for (uint32_t i = p->view->neighbour_start[vertex]; i < p->view->neighbour_start[vertex + 1]; i++)
    if (ct_dot(n, ct_proxy_vertex(p, p->view->neighbour[i])) > level) return false;
  return true;
}

/* Considers a unit normal at a vertex. Cheap tests come first: n must point outward and not be
 * worse than the best. Values tie if they are close to the greatest one; comparing neighbours in a
 * chain of near ties would drift away from it. */
static void consider_tangent_normal(feature_search *q, ct_vec3 n, uint32_t vertex) {
  ct_vec3 v = ct_proxy_vertex(q->polytope, vertex);
  if (ct_dot(n, ct_sub(v, q->inner)) < 0.0) return;
  double near = ct_min2(ct_dot(n, q->end[0]) - q->radius[0], ct_dot(n, q->end[1]) - q->radius[1]);
  double limit = q->breaking_ties ? q->first_value - q->tolerance : q->first_value;
  if (near - ct_dot(n, v) < limit || !is_extreme_vertex(q, vertex, n)) return;
  double value =
      near - ct_dot(n, ct_proxy_vertex(q->polytope, ct_proxy_support(q->polytope, n, vertex)));
  if (!q->breaking_ties && value > q->first_value) {
    q->first_value = value;
    q->first_normal = n;
  }
  if (!q->breaking_ties || value < limit) return;
  bool first = !(q->value > -INFINITY);
  if (!first && ct_norm(ct_sub(n, q->normal)) > 1e-6) q->several = true;
  if (!first && !ct_normal_greater(n, q->normal)) return;
  q->value = value;
  q->normal = n;
}

static ct_vec3 remove_component(ct_vec3 p, ct_vec3 unit) {
  return ct_cross(unit, ct_cross(p, unit));
}

/* Computes the unit normal *n with n.axis = sine whose component along `to` is greatest. False:
 * there is none. */
static bool compute_tilted_normal(ct_vec3 axis, double sine, ct_vec3 to, ct_vec3 *n) {
  ct_vec3 flat = remove_component(to, axis);
  if (!(fabs(sine) < 1.0) || ct_max_abs(flat) == 0.0) return false;
  *n = ct_unit_or(ct_add_scaled(ct_scale(axis, sine), ct_unit_or(flat, flat),
                                sqrt((1.0 - sine) * (1.0 + sine))),
                  flat);
  return true;
}

/* Considers the normals between a vertex and both end balls, and between the vertex and the
 * cone. */
static void consider_vertex_normals(feature_search *q, uint32_t vertex) {
  ct_vec3 v = ct_proxy_vertex(q->polytope, vertex), n, axis = ct_sub(q->end[1], q->end[0]);
  double length = ct_norm(axis);
  axis = ct_unit_or(axis, axis);
  for (int k = 0; k < 2; k++) {
    ct_vec3 d = ct_sub(q->end[k], v);
    if (ct_max_abs(d) > 0.0) consider_tangent_normal(q, ct_unit_or(d, d), vertex);
  }
  if (compute_tilted_normal(axis, (q->radius[1] - q->radius[0]) / length, ct_sub(q->end[0], v), &n))
    consider_tangent_normal(q, n, vertex);
}

/* Considers the normals between an edge and both end balls (perpendicular to the edge), and between
 * the edge and the cone (perpendicular to the edge, tilted by the cone's slope). */
static void consider_edge_normals(feature_search *q, const uint32_t ends[2]) {
  ct_vec3 v = ct_proxy_vertex(q->polytope, ends[0]), to = ct_proxy_vertex(q->polytope, ends[1]);
  ct_vec3 edge = ct_unit_or(ct_sub(to, v), ct_vec(1.0, 0.0, 0.0)), n;
  for (int k = 0; k < 2; k++)
    if (compute_tilted_normal(edge, 0.0, ct_sub(q->end[k], v), &n))
      consider_tangent_normal(q, n, ends[0]);
  ct_vec3 axis = remove_component(ct_sub(q->end[1], q->end[0]), edge), side = ct_cross(edge, axis);
  double length = ct_norm(axis), sine = (q->radius[1] - q->radius[0]) / length;
  if (!(length > 0.0) || !(fabs(sine) < 1.0)) return;
  ct_vec3 tilt = ct_scale(axis, sine / length),
          up = ct_scale(side, sqrt((1.0 - sine) * (1.0 + sine)) / length);
  consider_tangent_normal(q, ct_unit_or(ct_add(tilt, up), up), ends[0]);
  consider_tangent_normal(q, ct_unit_or(ct_sub(tilt, up), up), ends[0]);
}

/* Polls the cancel flag every FEATURES_PER_POLL steps: true if it is raised. */
static bool is_cancelled_at(uint32_t step, const ct_cancel *cancel) {
  return step % FEATURES_PER_POLL == 0 && ct_cancel_raised(cancel);
}

/* Considers the normals of all faces, edges and vertices. False: cancelled. */
static bool evaluate_features(feature_search *q, const ct_cancel *cancel) {
  const ct_convex_proxy *p = q->polytope;
  for (uint32_t i = 0; i < count_polytope_faces(p); i++) {
    if (is_cancelled_at(i, cancel)) return false;
    ct_vec3 n = read_polytope_normal(p, i);
    consider_tangent_normal(
        q, n,
        ct_proxy_support(
            p, n, p->kind == CT_PROXY_HULL ? p->view->face_loop[p->view->face_start[i]] : 0));
  }
  for (uint32_t i = 0; i < count_polytope_edges(p); i++) {
    uint32_t ends[2];
    if (is_cancelled_at(i, cancel)) return false;
    read_edge_ends(p, i, ends);
    consider_edge_normals(q, ends);
  }
  for (uint32_t i = 0; i < ct_proxy_vertex_count(p); i++) {
    if (is_cancelled_at(i, cancel)) return false;
    consider_vertex_normals(q, i);
  }
  return true;
}

/* Result of a cancelled search: the direction between the middles of both bodies, and its value. */
static ct_tangent bound_by_middles(const ct_convex_proxy *polytope,
                                   const ct_convex_proxy *segment) {
  ct_vec3 n = ct_unit_or(ct_sub(segment->middle, polytope->middle), ct_vec(1.0, 0.0, 0.0));
  double bare = ct_proxy_support_value(polytope, n) - polytope->radius[0],
         value = -ct_proxy_support_value(segment, ct_neg(n)) - bare;
  return (ct_tangent){
      .normal = n, .value = value, .first_normal = n, .first_value = INFINITY, .cancelled = true};
}

ct_tangent ct_polytope_capsule_separation(const ct_convex_proxy *polytope,
                                          const ct_convex_proxy *segment, const ct_cancel *cancel) {
  assert((polytope->kind == CT_PROXY_BOX || polytope->kind == CT_PROXY_HULL) &&
         segment->kind == CT_PROXY_SEGMENT);
  /* Transform the capsule to the polytope's frame. */
  ct_convex_proxy own = *polytope;
  ct_mat3 turn = polytope->rotation;
  feature_search q = {.polytope = &own,
                      .radius = {segment->radius[0], segment->radius[1]},
                      .first_value = -INFINITY,
                      .value = -INFINITY};
  q.tolerance = 8.0 * CT_UNIT_ROUNDOFF * ct_proxy_scale(polytope, segment);
  own.center = ct_vec(0.0, 0.0, 0.0);
  q.inner = own.kind == CT_PROXY_HULL ? own.view->centroid : own.center;
  own.turned = false;
  for (int i = 0; i < 3 && own.kind == CT_PROXY_BOX; i++) own.axis[i] = ct_vec(0.0, 0.0, 0.0);
  own.axis[0].x = own.half.x;
  own.axis[1].y = own.half.y;
  own.axis[2].z = own.half.z;
  for (uint32_t k = 0; k < 2; k++)
    q.end[k] = ct_mat_tmul(turn, ct_sub(ct_proxy_vertex(segment, k), polytope->center));
  bool whole = evaluate_features(&q, cancel);
  q.breaking_ties = whole;
  whole = whole && evaluate_features(&q, cancel);
  if (!whole) return bound_by_middles(polytope, segment);
  return (ct_tangent){.normal = ct_mat_mul(turn, q.normal),
                      .value = q.value,
                      .first_normal = ct_mat_mul(turn, q.first_normal),
                      .first_value = q.first_value,
                      .several = q.several};
}
