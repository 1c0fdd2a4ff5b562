/* Supporting faces of convex hulls: face, edge or vertex.
 *
 * Rounded vertex coordinates of a rotated polyhedron split a face into several almost coplanar hull
 * faces. A region of connected faces within FLAT_ANGLE of the first face forms one supporting face;
 * heights are those of the individual faces. The region grows by flood fill over face adjacency,
 * and its border is traced once.
 */
#include "manifold/supporting_face.h"

/* Faces whose normals differ by less form one supporting face, as a distance of unit vectors: the
 * error of single-precision coordinates on edges of a thousandth of the size. */
#define FLAT_ANGLE 1e-4

/* Binary search for the edge between two vertices in the sorted list of edges. */
static uint32_t find_hull_edge(const ct_hull_view *view, uint32_t u, uint32_t v) {
  uint32_t first = u < v ? u : v, second = u < v ? v : u, low = 0, high = view->edge_count - 1;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const uint32_t *e = view->edge_vertices[middle];
    if (e[0] < first || (e[0] == first && e[1] < second)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ct_vec3 get_hull_face_normal(const ct_hull_view *view, uint32_t face) {
  return ct_vec(view->nx[face], view->ny[face], view->nz[face]);
}

/* Least squared lean from a direction over the faces searched, as the squared distance of unit
 * vectors, and the lowest face number with a lean of at most `limit`. */
typedef struct lean_search {
  double least, limit;
  uint32_t lowest;
} lean_search;

static void search_vertex_faces(const ct_hull_view *view, uint32_t vertex, ct_vec3 direction,
                                lean_search *s) {
  for (uint32_t i = view->neighbour_start[vertex]; i < view->neighbour_start[vertex + 1]; i++) {
    const uint32_t *faces = view->edge_faces[find_hull_edge(view, vertex, view->neighbour[i])];
    for (int side = 0; side < 2; side++) {
      double lean = ct_norm2(ct_sub(get_hull_face_normal(view, faces[side]), direction));
      s->least = ct_min2(s->least, lean);
      if (lean <= s->limit && faces[side] < s->lowest) s->lowest = faces[side];
    }
  }
}

/* Other end of the first edge at a vertex that is perpendicular to a direction; the vertex itself
 * if there is none. */
static uint32_t find_perpendicular_edge_end(const ct_hull_view *view, uint32_t vertex,
                                            ct_vec3 direction) {
  ct_vec3 from = ct_vec(view->x[vertex], view->y[vertex], view->z[vertex]);
  for (uint32_t i = view->neighbour_start[vertex]; i < view->neighbour_start[vertex + 1]; i++) {
    uint32_t v = view->neighbour[i];
    ct_vec3 edge = ct_sub(ct_vec(view->x[v], view->y[v], view->z[v]), from);
    if (fabs(ct_dot(direction, edge)) <= CT_PARALLEL_ANGLE * ct_norm(edge)) return v;
  }
  return vertex;
}

/* The face at one of two vertices (which may be equal) that leans least from a direction; ties
 * within CT_PARALLEL_ANGLE go to the lowest number. */
static uint32_t find_least_leaning_face(const ct_hull_view *view, uint32_t vertex, uint32_t other,
                                        ct_vec3 direction) {
  lean_search s = {INFINITY, -1.0, UINT32_MAX};
  for (int pass = 0; pass < 2; pass++) {
    search_vertex_faces(view, vertex, direction, &s);
    if (other != vertex) search_vertex_faces(view, other, direction, &s);
    double limit = sqrt(s.least) + CT_PARALLEL_ANGLE;
    s.limit = limit * limit;
  }
  return s.lowest;
}

ct_vec3 ct_supporting_face_hull_normal(const ct_convex_proxy *proxy, uint32_t vertex,
                                       ct_vec3 direction) {
  ct_vec3 local = proxy->turned ? ct_mat_tmul(proxy->rotation, direction) : direction;
  ct_vec3 normal = get_hull_face_normal(
      proxy->view, find_least_leaning_face(proxy->view, vertex, vertex, local));
  return proxy->turned ? ct_mat_mul(proxy->rotation, normal) : normal;
}

typedef struct region {
  const ct_convex_proxy *proxy;
  const ct_hull_view *hull;
  const ct_view *view;
  ct_vec3 seed; /* normal, in the hull's frame */
  ct_supporting_face *out;
} region;

static bool is_in_region(const region *r, uint32_t face) {
  return ct_norm2(ct_sub(get_hull_face_normal(r->hull, face), r->seed)) <= FLAT_ANGLE * FLAT_ANGLE;
}

/* A directed edge of a face: the edge that starts at index `at` of the face's loop. */
typedef struct place {
  uint32_t face, at;
} place;

static uint32_t get_loop_length(const region *r, uint32_t face) {
  return r->hull->face_start[face + 1] - r->hull->face_start[face];
}
static uint32_t get_loop_vertex(const region *r, place p) {
  return r->hull->face_loop[r->hull->face_start[p.face] + p.at];
}
static place get_next_in_loop(const region *r, place p) {
  return (place){p.face, p.at + 1 == get_loop_length(r, p.face) ? 0 : p.at + 1};
}
static uint32_t get_loop_edge(const region *r, place p) {
  return find_hull_edge(r->hull, get_loop_vertex(r, p), get_loop_vertex(r, get_next_in_loop(r, p)));
}
static uint32_t get_face_across(const region *r, place p, uint32_t edge) {
  const uint32_t *faces = r->hull->edge_faces[edge];
  return faces[0] == p.face ? faces[1] : faces[0];
}

/* The directed edge of another face that starts at the same vertex. */
static place find_shared_loop_vertex(const region *r, place p, uint32_t face) {
  uint32_t vertex = get_loop_vertex(r, p), length = get_loop_length(r, face);
  for (uint32_t i = 0; i < length; i++)
    if (get_loop_vertex(r, (place){face, i}) == vertex) return (place){face, i};
  return p;
}

static bool is_face_listed(const ct_slope_list *slopes, uint32_t face) {
  for (uint32_t i = 0; i < slopes->count; i++)
    if (slopes->items[i].face == face) return true;
  return false;
}

static bool add_region_face(const region *r, uint32_t face) {
  if (!ct_slope_list_reserve(&r->out->slopes, r->out->slopes.count + 1)) return false;
  const ct_convex_proxy *proxy = r->proxy;
  ct_vec3 normal = get_hull_face_normal(r->hull, face);
  double offset = r->hull->offset[face] + proxy->radius[0];
  if (proxy->turned) {
    normal = ct_mat_mul(proxy->rotation, normal);
    offset += ct_dot(normal, proxy->center);
  }
  ct_supporting_face_slope(r->view, normal, offset, face, r->out);
  return true;
}

/* Flood fill: lists the faces of the region and finds one border edge. A border exists, because the
 * normals of a closed hull cover all directions. */
static bool flood_region(const region *r, uint32_t seed, place *rim) {
  bool found = false;
  if (!add_region_face(r, seed)) return false;
  for (uint32_t k = 0; k < r->out->slopes.count; k++) {
    uint32_t face = r->out->slopes.items[k].face;
    for (place p = {face, 0}; p.at < get_loop_length(r, face); p.at++) {
      uint32_t other = get_face_across(r, p, get_loop_edge(r, p));
      if (!is_in_region(r, other)) {
        if (!found) *rim = p;
        found = true;
      } else if (!is_face_listed(&r->out->slopes, other) && !add_region_face(r, other)) {
        return false;
      }
    }
  }
  return true;
}

/* Traces the border of the region and adds one corner per border edge. */
static bool trace_region_rim(const region *r, place start, bool flat) {
  ct_corner_list *corners = &r->out->corners;
  ct_vec3 moved = flat ? ct_supporting_face_normal(r->view, r->out) : r->out->normal;
  place p = start;
  uint32_t first = get_loop_edge(r, start), bound = 4 * r->hull->edge_count;
  do {
    uint32_t edge = get_loop_edge(r, p), other = get_face_across(r, p, edge);
    if (is_in_region(r, other)) {
      p = find_shared_loop_vertex(r, p, other);
      continue;
    }
    if (!ct_corner_list_reserve(corners, corners->count + 1)) return false;
    uint32_t vertex = get_loop_vertex(r, p);
    ct_supporting_face_add(r->proxy, r->view, vertex, moved, r->out);
    corners->items[corners->count - 1].edge = edge;
    p = get_next_in_loop(r, p);
  } while (--bound > 0 &&
           (get_loop_edge(r, p) != first || get_loop_vertex(r, p) != get_loop_vertex(r, start)));
  return true;
}

/* Reverses the corners; each keeps the edge to its new successor. */
static void reverse_corners(ct_corner_list *corners) {
  uint32_t n = corners->count;
  ct_corner *c = corners->items;
  for (uint32_t i = 0, k = n - 1; i < k; i++, k--) {
    ct_corner corner = c[i];
    c[i] = c[k];
    c[k] = corner;
  }
  /* Edge i led from old corner n - 1 - i to its predecessor in the new order. */
  uint32_t last = c[0].edge;
  for (uint32_t i = 0; i + 1 < n; i++) c[i].edge = c[i + 1].edge;
  c[n - 1].edge = last;
}

static bool make_hull_face(const ct_convex_proxy *proxy, const ct_view *view, uint32_t top,
                           ct_vec3 local, ct_supporting_face *out) {
  const ct_hull_view *hull = proxy->view;
  /* Either end of an edge that is perpendicular to the normal may be the support vertex: search
   * both. */
  uint32_t seed =
      find_least_leaning_face(hull, top, find_perpendicular_edge_end(hull, top, local), local);
  region r = {proxy, hull, view, get_hull_face_normal(hull, seed), out};
  out->kind = CT_SUPPORTING_FACE_POLYGON;
  out->normal = proxy->turned ? ct_mat_mul(proxy->rotation, r.seed) : r.seed;
  out->tilt = ct_norm(ct_sub(r.seed, local));
  place rim = {seed, 0};
  if (!flood_region(&r, seed, &rim)) return false;
  uint32_t lowest = seed;
  for (uint32_t i = 0; i < out->slopes.count; i++)
    if (out->slopes.items[i].face < lowest) lowest = out->slopes.items[i].face;
  out->inside = (ct_feature){CT_FEATURE_FACE, lowest};
  if (!trace_region_rim(&r, rim, out->tilt <= CT_PARALLEL_ANGLE)) return false;
  if (out->second) reverse_corners(&out->corners);
  return true;
}

bool ct_supporting_face_hull(const ct_convex_proxy *proxy, const ct_view *view,
                             ct_supporting_face_want want, ct_supporting_face *out) {
  const ct_hull_view *hull = proxy->view;
  ct_vec3 facing = ct_supporting_face_normal(view, out),
          local = proxy->turned ? ct_mat_tmul(proxy->rotation, facing) : facing;
  uint32_t top = ct_proxy_support(proxy, facing, 0);
  if (want == CT_SUPPORTING_WANT_FACE) return make_hull_face(proxy, view, top, local, out);
  out->normal = facing;
  out->tilt = 0.0;
  ct_supporting_face_add(proxy, view, top, facing, out);
  uint32_t end = find_perpendicular_edge_end(hull, top, local);
  if (end != top) {
    out->kind = CT_SUPPORTING_FACE_SEGMENT;
    out->inside = (ct_feature){CT_FEATURE_EDGE, find_hull_edge(hull, top, end)};
    ct_supporting_face_add(proxy, view, end, facing, out);
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_POINT;
  out->inside = (ct_feature){CT_FEATURE_VERTEX, top};
  return true;
}
