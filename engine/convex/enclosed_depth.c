/* Depth of a point or a segment inside a convex hull, computed in the hull's frame. Pass 1 finds
 * the smallest depth, pass 2 breaks ties among the planes that reach it to round-off. */
#include "convex/enclosed_depth.h"

#include <assert.h>

/* Two planes tie if their values differ by at most this many u of the size: the round-off of one
 * dot product. */
#define TIE_FACTOR 2.0
/* A plane bounds the hull if no vertex is beyond it by more than this many u of the size: three
 * dot products. */
#define BOUND_FACTOR 12.0
/* An edge with a sine against a face below this many u counts as parallel to the face. */
#define FLAT_ROUNDOFFS 8.0
/* Faces or edges evaluated between two polls of the cancel flag: less than 1 ms. */
#define PLANES_PER_POLL 1024u

typedef struct plane_scan {
  const ct_hull_view *view;
  const ct_convex_proxy *hull;
  /* In the hull's frame: ends and axis; for a point both ends coincide and the axis is zero. */
  ct_vec3 end[2], along;
  double tie, greatest; /* greatest: greatest signed distance over all planes, negative inside */
  bool breaking_ties;   /* pass 1: find the greatest value; pass 2: break ties near it */
  ct_vec3 best_normal;  /* best plane so far: outward, in the hull's frame; a vertex on it */
  uint32_t best_vertex;
  ct_epa_result *result;
} plane_scan;

static ct_vec3 read_hull_vertex(const ct_hull_view *v, uint32_t i) {
  return ct_vec(v->x[i], v->y[i], v->z[i]);
}
static ct_vec3 read_hull_normal(const ct_hull_view *v, uint32_t i) {
  return ct_vec(v->nx[i], v->ny[i], v->nz[i]);
}

/* Evaluates the plane n.x = level with outward normal n as a candidate for the depth. */
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

/* Evaluates a face. The level is taken from the vertices, as the stored plane offset has its own
 * round-off. */
static void consider_enclosing_face(plane_scan *s, uint32_t face) {
  const ct_hull_view *v = s->view;
  ct_vec3 n = read_hull_normal(v, face);
  double level = -INFINITY;
  for (uint32_t i = v->face_start[face]; i < v->face_start[face + 1]; i++)
    level = ct_max2(level, ct_dot(n, read_hull_vertex(v, v->face_loop[i])));
  consider_enclosing_plane(s, n, level, v->face_loop[v->face_start[face]]);
}

/* Evaluates the plane through an edge and parallel to the segment. The edge must be a silhouette
 * edge along the segment: one face front, one back. The cross product is exact, as an edge nearly
 * parallel to the segment would otherwise give a wrong plane. */
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

/* Evaluates all faces, and for a segment all edges. Returns false if cancelled. */
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
  /* Pass 1 finds the least depth, pass 2 chooses among the ties. */
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
