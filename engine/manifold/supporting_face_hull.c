/* Outlines of hulls.
 *
 * The rounding of a turned face's vertices cuts it into several faces that differ by a hair. They are one face to everybody, so
 * faces that are connected and flat to FLAT_ANGLE make one outline; heights over it are still those of each face.
 */
#include "manifold/supporting_face.h"

/* Normals that differ by less make one face, as a distance of unit vectors: that of single-precision coordinates over edges of a
 * thousandth of the size. */
#define FLAT_ANGLE 1e-4

/* The hull's edge between two vertices. */
static uint32_t edge_between(const ct_hull_view *view, uint32_t u, uint32_t v) {
  uint32_t first = u < v ? u : v, second = u < v ? v : u, low = 0, high = view->edge_count - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const uint32_t *e = view->edge_vertices[middle];
    if (e[0] < first || (e[0] == first && e[1] < second)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ct_vec3 face_normal(const ct_hull_view *view, uint32_t face) {
  return ct_vec(view->nx[face], view->ny[face], view->nz[face]);
}

/* Over faces: the least lean from a direction, as the square of the distance of unit vectors, and the lowest face that leans by no
 * more than `limit`. */
typedef struct lean_search {
  double least, limit;
  uint32_t lowest;
} lean_search;

static void search_faces_at(const ct_hull_view *view, uint32_t vertex, ct_vec3 direction, lean_search *s) {
  for (uint32_t i = view->neighbour_start[vertex]; i < view->neighbour_start[vertex + 1]; i++) {
    const uint32_t *faces = view->edge_faces[edge_between(view, vertex, view->neighbour[i])];
    for (int side = 0; side < 2; side++) {
      double lean = ct_norm2(ct_sub(face_normal(view, faces[side]), direction));
      s->least = ct_min2(s->least, lean);
      if (lean <= s->limit && faces[side] < s->lowest) s->lowest = faces[side];
    }
  }
}

/* The other end of the first edge at a vertex that is across a direction; the vertex itself: there is none. */
static uint32_t end_across(const ct_hull_view *view, uint32_t vertex, ct_vec3 direction) {
  ct_vec3 from = ct_vec(view->x[vertex], view->y[vertex], view->z[vertex]);
  for (uint32_t i = view->neighbour_start[vertex]; i < view->neighbour_start[vertex + 1]; i++) {
    uint32_t v = view->neighbour[i];
    ct_vec3 edge = ct_sub(ct_vec(view->x[v], view->y[v], view->z[v]), from);
    if (fabs(ct_dot(direction, edge)) <= CT_PARALLEL_ANGLE * ct_norm(edge)) return v;
  }
  return vertex;
}

/* The face at one of two vertices, or of one given twice, that leans least from a direction: of those that lean equally, to
 * CT_PARALLEL_ANGLE, the lowest. */
static uint32_t least_leaning_face(const ct_hull_view *view, uint32_t vertex, uint32_t other, ct_vec3 direction) {
  lean_search s = {INFINITY, -1.0, UINT32_MAX};
  for (int pass = 0; pass < 2; pass++) {
    search_faces_at(view, vertex, direction, &s);
    if (other != vertex) search_faces_at(view, other, direction, &s);
    double limit = sqrt(s.least) + CT_PARALLEL_ANGLE;
    s.limit = limit * limit;
  }
  return s.lowest;
}

ct_vec3 ct_supporting_face_hull_normal(const ct_convex_proxy *proxy, uint32_t vertex, ct_vec3 direction) {
  ct_vec3 local = proxy->turned ? ct_mat_tmul(proxy->rotation, direction) : direction;
  ct_vec3 normal = face_normal(proxy->view, least_leaning_face(proxy->view, vertex, vertex, local));
  return proxy->turned ? ct_mat_mul(proxy->rotation, normal) : normal;
}

typedef struct region {
  const ct_convex_proxy *proxy;
  const ct_hull_view *hull;
  const ct_view *view;
  ct_vec3 seed; /* normal, in the hull's frame */
  ct_supporting_face *out;
} region;

static bool in_region(const region *r, uint32_t face) {
  return ct_norm2(ct_sub(face_normal(r->hull, face), r->seed)) <= FLAT_ANGLE * FLAT_ANGLE;
}

/* A directed edge of a face: the one that begins at place `at` of its loop. */
typedef struct place {
  uint32_t face, at;
} place;

static uint32_t loop_length(const region *r, uint32_t face) { return r->hull->face_start[face + 1] - r->hull->face_start[face]; }
static uint32_t vertex_at(const region *r, place p) { return r->hull->face_loop[r->hull->face_start[p.face] + p.at]; }
static place next_in_loop(const region *r, place p) { return (place){p.face, p.at + 1 == loop_length(r, p.face) ? 0 : p.at + 1}; }
static uint32_t edge_of(const region *r, place p) {
  return edge_between(r->hull, vertex_at(r, p), vertex_at(r, next_in_loop(r, p)));
}
static uint32_t face_across(const region *r, place p, uint32_t edge) {
  const uint32_t *faces = r->hull->edge_faces[edge];
  return faces[0] == p.face ? faces[1] : faces[0];
}

/* The directed edge that begins at the same vertex in another face of it. */
static place same_vertex(const region *r, place p, uint32_t face) {
  uint32_t vertex = vertex_at(r, p), length = loop_length(r, face);
  for (uint32_t i = 0; i < length; i++)
    if (vertex_at(r, (place){face, i}) == vertex) return (place){face, i};
  return p;
}

static bool listed(const ct_slope_list *slopes, uint32_t face) {
  for (uint32_t i = 0; i < slopes->count; i++)
    if (slopes->items[i].face == face) return true;
  return false;
}

static bool add_face(const region *r, uint32_t face) {
  if (!ct_slope_list_reserve(&r->out->slopes, r->out->slopes.count + 1)) return false;
  const ct_convex_proxy *proxy = r->proxy;
  ct_vec3 normal = face_normal(r->hull, face);
  double offset = r->hull->offset[face] + proxy->radius[0];
  if (proxy->turned) {
    normal = ct_mat_mul(proxy->rotation, normal);
    offset += ct_dot(normal, proxy->center);
  }
  ct_supporting_face_slope(r->view, normal, offset, face, r->out);
  return true;
}

/* The faces of the region, and an edge of its rim. A hull has no region without one: its normals go all round. */
static bool flood(const region *r, uint32_t seed, place *rim) {
  bool found = false;
  if (!add_face(r, seed)) return false;
  for (uint32_t k = 0; k < r->out->slopes.count; k++) {
    uint32_t face = r->out->slopes.items[k].face;
    for (place p = {face, 0}; p.at < loop_length(r, face); p.at++) {
      uint32_t other = face_across(r, p, edge_of(r, p));
      if (!in_region(r, other)) {
        if (!found) *rim = p;
        found = true;
      } else if (!listed(&r->out->slopes, other) && !add_face(r, other)) {
        return false;
      }
    }
  }
  return true;
}

/* Walks round the rim. */
static bool walk_rim(const region *r, place start, bool flat) {
  ct_corner_list *corners = &r->out->corners;
  ct_vec3 moved = flat ? ct_supporting_face_normal(r->view, r->out) : r->out->normal;
  place p = start;
  uint32_t first = edge_of(r, start), bound = 4 * r->hull->edge_count;
  do {
    uint32_t edge = edge_of(r, p), other = face_across(r, p, edge);
    if (in_region(r, other)) {
      p = same_vertex(r, p, other);
      continue;
    }
    if (!ct_corner_list_reserve(corners, corners->count + 1)) return false;
    uint32_t vertex = vertex_at(r, p);
    ct_supporting_face_add(r->proxy, r->view, vertex, moved, r->out);
    corners->items[corners->count - 1].edge = edge;
    p = next_in_loop(r, p);
  } while (--bound > 0 && (edge_of(r, p) != first || vertex_at(r, p) != vertex_at(r, start)));
  return true;
}

/* The other way round. */
static void reverse(ct_corner_list *corners) {
  uint32_t n = corners->count;
  ct_corner *c = corners->items;
  for (uint32_t i = 0, k = n - 1; i < k; i++, k--) {
    ct_corner corner = c[i];
    c[i] = c[k];
    c[k] = corner;
  }
  /* Edge i led from old corner n - 1 - i to the one before it in the new order. */
  uint32_t last = c[0].edge;
  for (uint32_t i = 0; i + 1 < n; i++) c[i].edge = c[i + 1].edge;
  c[n - 1].edge = last;
}

static bool face_outline(const ct_convex_proxy *proxy, const ct_view *view, uint32_t top, ct_vec3 local, ct_supporting_face *out) {
  const ct_hull_view *hull = proxy->view;
  /* Of an edge across the view either end may be the support vertex. */
  uint32_t seed = least_leaning_face(hull, top, end_across(hull, top, local), local);
  region r = {proxy, hull, view, face_normal(hull, seed), out};
  out->kind = CT_SUPPORTING_FACE_POLYGON;
  out->normal = proxy->turned ? ct_mat_mul(proxy->rotation, r.seed) : r.seed;
  out->tilt = ct_norm(ct_sub(r.seed, local));
  place rim = {seed, 0};
  if (!flood(&r, seed, &rim)) return false;
  uint32_t lowest = seed;
  for (uint32_t i = 0; i < out->slopes.count; i++)
    if (out->slopes.items[i].face < lowest) lowest = out->slopes.items[i].face;
  out->inside = (ct_feature){CT_FEATURE_FACE, lowest};
  if (!walk_rim(&r, rim, out->tilt <= CT_PARALLEL_ANGLE)) return false;
  if (out->second) reverse(&out->corners);
  return true;
}

bool ct_supporting_face_hull(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                             ct_supporting_face *out) {
  const ct_hull_view *hull = proxy->view;
  ct_vec3 way = ct_supporting_face_normal(view, out), local = proxy->turned ? ct_mat_tmul(proxy->rotation, way) : way;
  uint32_t top = ct_proxy_support(proxy, way, 0);
  if (want == CT_SUPPORTING_WANT_FACE) return face_outline(proxy, view, top, local, out);
  out->normal = way;
  out->tilt = 0.0;
  ct_supporting_face_add(proxy, view, top, way, out);
  uint32_t end = end_across(hull, top, local);
  if (end != top) {
    out->kind = CT_SUPPORTING_FACE_SEGMENT;
    out->inside = (ct_feature){CT_FEATURE_EDGE, edge_between(hull, top, end)};
    ct_supporting_face_add(proxy, view, end, way, out);
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_POINT;
  out->inside = (ct_feature){CT_FEATURE_VERTEX, top};
  return true;
}
