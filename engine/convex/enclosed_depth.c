/* Depth of a point or a segment in a hull, in the frame of the hull. */
#include "convex/enclosed_depth.h"

/* Planes whose values differ by this many u of the size are equally near: the rounding of one dot product. */
#define TIE_FACTOR 2.0
/* A plane bounds the hull when no vertex is beyond it by more than this many u of the size: three dot products. */
#define BOUND_FACTOR 12.0
/* Sines of edges against faces below this many u count as zero. */
#define FLAT_ROUNDOFFS 8.0
/* Faces or edges between two looks at the cancel flag: below 1 ms. */
#define PLANES_PER_POLL 1024u

typedef struct scan {
  const ct_hull_view *view;
  const ct_convex_proxy *hull;
  ct_vec3 end[2], along; /* of the segment, in the hull's frame; a point has both ends there and no direction */
  double tie, most;      /* most: greatest value of all, below zero inside */
  bool choosing;         /* first pass: look for the greatest value; second: choose among the planes that are as good */
  ct_vec3 own;           /* chosen so far: its outward normal in the hull's frame, and a vertex on the plane */
  uint32_t vertex;
  ct_epa_result *result;
} scan;

static ct_vec3 vertex_at(const ct_hull_view *v, uint32_t i) { return ct_vec(v->x[i], v->y[i], v->z[i]); }
static ct_vec3 normal_at(const ct_hull_view *v, uint32_t i) { return ct_vec(v->nx[i], v->ny[i], v->nz[i]); }

/* Judges the plane with outward normal n that reaches to `level`. */
static void offer(scan *s, ct_vec3 n, double level, uint32_t vertex) {
  double value = ct_min2(ct_dot(n, s->end[0]), ct_dot(n, s->end[1])) - level;
  if (!s->choosing) s->most = ct_max2(s->most, value);
  if (!s->choosing || value < s->most - s->tie) return;
  ct_epa_result *r = s->result;
  ct_vec3 normal = ct_neg(ct_unit_or(ct_mat_mul(s->hull->rotation, n), n));
  bool first = !(r->depth < INFINITY);
  if (value == s->most) {
    r->first_normal = normal;
    r->first_depth = -value;
  }
  if (!first && ct_norm(ct_sub(normal, r->normal)) > 1e-6) r->several = true;
  if (!first && !ct_normal_greater(normal, r->normal)) return;
  r->normal = normal;
  r->depth = -value;
  s->own = n;
  s->vertex = vertex;
}

/* Levels are those of the vertices: an offset has its own rounding. */
static void offer_face(scan *s, uint32_t face) {
  const ct_hull_view *v = s->view;
  ct_vec3 n = normal_at(v, face);
  double level = -INFINITY;
  for (uint32_t i = v->face_start[face]; i < v->face_start[face + 1]; i++)
    level = ct_max2(level, ct_dot(n, vertex_at(v, v->face_loop[i])));
  offer(s, n, level, v->face_loop[v->face_start[face]]);
}

/* Seen along the segment the edge must be an outline: one face turned each way. Cross products are exact, so that an edge nearly
 * along the segment has the plane that it should. */
static void offer_edge(scan *s, uint32_t edge) {
  const ct_hull_view *v = s->view;
  ct_vec3 left = normal_at(v, v->edge_faces[edge][0]), right = normal_at(v, v->edge_faces[edge][1]);
  double rise = ct_dot(left, s->along), fall = ct_dot(right, s->along);
  double flat = FLAT_ROUNDOFFS * CT_UNIT_ROUNDOFF * ct_norm(s->along);
  if ((rise > flat && fall > flat) || (rise < -flat && fall < -flat)) return;
  uint32_t at = v->edge_vertices[edge][0];
  ct_vec3 p = vertex_at(v, at);
  ct_vec3 n = ct_exact_cross(p, vertex_at(v, v->edge_vertices[edge][1]), s->along);
  if (ct_max_abs(n) == 0.0) return;
  n = ct_unit_or(n, n);
  if (ct_dot(n, ct_add(left, right)) < 0.0) n = ct_neg(n);
  double level = ct_dot(n, p);
  if (ct_min2(ct_dot(n, s->end[0]), ct_dot(n, s->end[1])) - level < (s->choosing ? s->most - s->tie : s->most)) return;
  offer(s, n, ct_dot(n, vertex_at(v, ct_hull_support(s->hull->hull, n, at))), at);
}

/* False: cancelled. */
static bool offer_all(scan *s, const ct_cancel *cancel) {
  for (uint32_t i = 0; i < s->view->face_count; i++) {
    if (i % PLANES_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    offer_face(s, i);
  }
  for (uint32_t i = 0; i < s->view->edge_count && ct_max_abs(s->along) > 0.0; i++) {
    if (i % PLANES_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    offer_edge(s, i);
  }
  return true;
}

bool ct_hull_segment_depth(const ct_convex_proxy *inner, const ct_convex_proxy *hull, const ct_cancel *cancel,
                           ct_epa_result *result) {
  double size = ct_minkowski_size(inner, hull);
  scan s = {.view = hull->view, .hull = hull, .most = -INFINITY, .result = result};
  s.tie = TIE_FACTOR * CT_UNIT_ROUNDOFF * size;
  bool segment = inner->kind == CT_PROXY_SEGMENT;
  if (segment) s.along = ct_mat_tmul(hull->rotation, inner->axis[2]);
  for (uint32_t k = 0; k < 2; k++)
    s.end[k] = ct_mat_tmul(hull->rotation, ct_sub(ct_proxy_vertex(inner, segment ? k : 0), hull->center));
  *result = (ct_epa_result){.depth = INFINITY, .first_depth = INFINITY, .status = CT_PAIR_OK};
  bool whole = offer_all(&s, cancel);
  s.choosing = true;
  if (!whole || !offer_all(&s, cancel)) {
    *result = (ct_epa_result){.normal = {1.0, 0.0, 0.0}, .depth = size, .least = -size, .status = CT_PAIR_ITERATION_LIMIT};
    return true;
  }
  result->least = -s.most;
  ct_vec3 top = vertex_at(s.view, ct_hull_support(hull->hull, s.own, s.vertex));
  return ct_dot(s.own, ct_sub(top, vertex_at(s.view, s.vertex))) <= BOUND_FACTOR * CT_UNIT_ROUNDOFF * size;
}
