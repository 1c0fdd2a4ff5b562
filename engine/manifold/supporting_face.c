/* Supporting faces of convex bodies: the face, edge or vertex that faces a direction.
 *
 * The supporting face of a box is the face whose normal is nearest to the direction; that of a
 * capsule is the line of its side that faces the direction. Frustums (cylinders and cones): a cap
 * is a disc, the side a line; else a point of a rim or the apex.
 *
 * Hulls: rounded vertex coordinates of a rotated polyhedron split a face into several almost
 * coplanar hull faces. Connected faces whose normals differ from that of the first by at most
 * FLAT_ANGLE, a region, form one supporting face; heights are those of the individual faces. The
 * region is found by flood fill over adjacent faces, and its border is traced once. */
#include "manifold/supporting_face.h"
#include "base/array.h"

#include <assert.h>
#include <string.h>

ct_view ct_view_along(ct_vec3 normal) {
  const double n[3] = {normal.x, normal.y, normal.z};
  double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
  /* x is perpendicular to the coordinate axis along which the normal is shortest. Which one that
   * is, is unpredictable, so the code has no branches. */
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

bool ct_corner_list_reserve(ct_corner_list *list, uint32_t count) {
  return ct_array_reserve32(&list->items, &list->capacity, count, sizeof *list->items);
}

static bool reserve_slopes(ct_slope_list *list, uint32_t count) {
  return ct_array_reserve32(&list->items, &list->capacity, count, sizeof *list->items);
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

/* Adds the corner for a vertex of the core, displaced along `direction` by the core's radius there.
 * The list must have space for it. */
static void add_core_corner(const ct_convex_proxy *proxy, const ct_view *view, uint32_t vertex,
                            ct_vec3 direction, ct_supporting_face *out) {
  ct_vec3 at = ct_add_scaled(ct_proxy_vertex(proxy, vertex), direction,
                             ct_proxy_vertex_radius(proxy, vertex));
  append_corner(view, at, vertex, 0, out);
}

/* Adds the plane normal.p = offset of a face. The list must have space for it. */
static void add_face_slope(const ct_view *view, ct_vec3 normal, double offset, uint32_t face,
                           ct_supporting_face *out) {
  double along = ct_dot(normal, view->normal);
  assert(out->slopes.count < out->slopes.capacity);
  out->slopes.items[out->slopes.count++] = (ct_slope){
      -ct_dot(normal, view->x) / along, -ct_dot(normal, view->y) / along, offset / along, face};
}

double ct_supporting_face_height(const ct_supporting_face *supporting, double x, double y) {
  const ct_slope *s = supporting->slopes.items;
  assert(supporting->slopes.count > 0);
  double height = s[0].x * x + s[0].y * y + s[0].level;
  for (uint32_t i = 1; i < supporting->slopes.count; i++) {
    double h = s[i].x * x + s[i].y * y + s[i].level;
    height = supporting->second ? ct_max2(height, h) : ct_min2(height, h);
  }
  return height;
}

/* ---- points and segments --------------------------------------------------------------------- */

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

/* Makes the line of a capsule's side that faces the view; or a point if there is no such line, or
 * an edge is wanted and the line is inclined. Of an inclined line the ball at the outer end extends
 * farther; the pair's witness point covers this. */
static bool make_supporting_line(const ct_convex_proxy *proxy, const ct_view *view,
                                 ct_supporting_face_want want, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out),
          axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  /* The normal of a tapered capsule's side is inclined towards the smaller ball by the angle with
   * this sine. */
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
    add_core_corner(proxy, view, low, direction, out);
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_SEGMENT;
  out->inside = (ct_feature){CT_FEATURE_EDGE, 0};
  bool flat = out->tilt <= CT_PARALLEL_ANGLE;
  for (uint32_t i = 0; i < 2; i++)
    add_core_corner(proxy, view, i, flat ? direction : out->normal, out);
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

/* A face of a box: its axis, and the side on it. */
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
    add_core_corner(proxy, view, out->inside.index, out->normal, out);
    return true;
  }
  /* Decode the number of the edge: its axis, and the sides on the other two axes. */
  uint32_t edge = out->inside.index, along = edge / 4, low = edge & 1u, high = edge >> 1 & 1u;
  uint32_t vertex = low << (along == 0 ? 1 : 0) | high << (along == 2 ? 1 : 2);
  for (uint32_t end = 0; end < 2; end++)
    add_core_corner(proxy, view, vertex | end << along, out->normal, out);
  return true;
}

void ct_supporting_face_box_ring(int axis, bool positive, bool second, uint32_t ring[4][2]) {
  uint32_t i = (uint32_t)axis, j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1, at = positive;
  /* Vertices and the edges that start there, by sides on the axes j and k: 00, 10, 11, 01, or in
   * reverse order. */
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
  add_face_slope(view, out->normal, offset, out->inside.index, out);
  return true;
}

/* Makes the side of a triangle that faces the view. An edge has the number of the vertex it starts
 * from. */
static bool make_triangle_face(const ct_convex_proxy *proxy, const ct_view *view,
                               ct_supporting_face_want want, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out),
          normal = ct_cross(ct_sub(proxy->axis[1], proxy->axis[0]),
                            ct_sub(proxy->axis[2], proxy->axis[0]));
  bool backwards = ct_dot(normal, view->normal) < 0.0;
  normal = ct_unit_or(normal, direction);
  if (ct_dot(normal, direction) < 0.0) normal = ct_neg(normal);
  /* An edge or vertex: the support vertex, and the first edge there that is perpendicular to the
   * normal. */
  if (want == CT_SUPPORTING_WANT_EDGE || !(ct_dot(normal, direction) > CT_PARALLEL_ANGLE)) {
    uint32_t top = ct_proxy_support(proxy, direction, 0);
    out->kind = CT_SUPPORTING_FACE_POINT;
    out->inside = (ct_feature){CT_FEATURE_VERTEX, top};
    out->normal = direction;
    out->tilt = 0.0;
    add_core_corner(proxy, view, top, direction, out);
    for (uint32_t k = 1; k < 3; k++) {
      uint32_t v = (top + k) % 3;
      ct_vec3 edge = ct_sub(proxy->axis[v], proxy->axis[top]);
      if (fabs(ct_dot(direction, edge)) > CT_PARALLEL_ANGLE * ct_norm(edge)) continue;
      out->kind = CT_SUPPORTING_FACE_SEGMENT;
      out->inside = (ct_feature){CT_FEATURE_EDGE, k == 1 ? top : v};
      add_core_corner(proxy, view, v, direction, out);
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
    add_core_corner(proxy, view, vertex, normal, out);
    out->corners.items[k].edge = backwards ? (vertex + 2) % 3 : vertex;
  }
  add_face_slope(view, normal, ct_dot(normal, proxy->axis[0]) + proxy->radius[0], 0, out);
  return true;
}

/* ---- frustums ------------------------------------------------------------------------------- */

static ct_vec3 get_frame_x(const ct_convex_proxy *proxy) {
  return ct_vec(proxy->rotation.rx.x, proxy->rotation.ry.x, proxy->rotation.rz.x);
}

static bool make_cap_face(const ct_convex_proxy *proxy, const ct_view *view, ct_vec3 axis,
                          uint32_t top, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out);
  out->kind = CT_SUPPORTING_FACE_DISC;
  out->inside = (ct_feature){CT_FEATURE_FACE, top};
  out->normal = top ? axis : ct_neg(axis);
  out->tilt = ct_norm(ct_sub(out->normal, direction));
  out->radius = proxy->rim[top];
  out->across = get_frame_x(proxy);
  out->center = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
  out->center = ct_add_scaled(out->center, out->normal, proxy->radius[0]);
  add_face_slope(view, out->normal, ct_dot(out->normal, out->center), top, out);
  return true;
}

/* Adds the point of a rim in the direction radial_and_offset[0], displaced outward along
 * radial_and_offset[1] by the core's radius. A rim of radius 0 is the apex, a vertex. */
static void add_rim_corner(const ct_convex_proxy *proxy, const ct_view *view, uint32_t top,
                           const ct_vec3 radial_and_offset[2], ct_supporting_face *out) {
  ct_vec3 at = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
  at = ct_add_scaled(at, radial_and_offset[0], proxy->rim[top]);
  at = ct_add_scaled(at, radial_and_offset[1], proxy->radius[0]);
  bool apex = proxy->rim[top] == 0.0;
  out->corners.items[out->corners.count++] =
      (ct_corner){.at = at,
                  .x = ct_dot(view->x, at),
                  .y = ct_dot(view->y, at),
                  .kind = apex ? CT_FEATURE_VERTEX : CT_FEATURE_EDGE,
                  .vertex = apex ? 0 : top};
}

static bool find_frustum_supporting_face(const ct_convex_proxy *proxy, const ct_view *view,
                                         ct_supporting_face_want want, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out),
          axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  double along = ct_dot(direction, axis);
  ct_vec3 across = ct_add_scaled(direction, axis, -along);
  double length = ct_norm(across);
  ct_side_slope lean = ct_proxy_side_slope(proxy);
  assert(proxy->kind == CT_PROXY_FRUSTUM);
  double side = along * lean.sine + length * lean.cosine;
  uint32_t top = along > lean.sine; /* the end farther along the direction */
  if (want == CT_SUPPORTING_WANT_FACE && fabs(along) > side && proxy->rim[along > 0.0] > 0.0)
    return make_cap_face(proxy, view, axis, along > 0.0, out);
  /* No cap faces the direction: make the line of the side that does, or the supporting point of the
   * outer rim. */
  ct_vec3 radial = length > 0.0 ? ct_scale(across, 1.0 / length) : get_frame_x(proxy);
  out->normal = ct_add_scaled(ct_scale(radial, lean.cosine), axis, lean.sine);
  out->tilt = ct_norm(ct_sub(out->normal, direction));
  bool flat = out->tilt <= CT_PARALLEL_ANGLE, line = flat || want == CT_SUPPORTING_WANT_FACE;
  out->kind = line ? CT_SUPPORTING_FACE_SEGMENT : CT_SUPPORTING_FACE_POINT;
  for (uint32_t end = 0; end < 2; end++)
    if (line || end == top)
      add_rim_corner(proxy, view, end, (ct_vec3[]){radial, flat || !line ? direction : out->normal},
                     out);
  out->inside = (ct_feature){CT_FEATURE_SMOOTH, 0};
  if (!line) {
    out->inside = (ct_feature){out->corners.items[0].kind, out->corners.items[0].vertex};
    out->normal = direction;
    out->tilt = 0.0;
  }
  return true;
}

/* ---- hulls ---------------------------------------------------------------------------------- */

/* Faces form one supporting face if their unit normals are no farther apart than this: the error of
 * single-precision coordinates on edges a thousandth of the body's size. */
#define FLAT_ANGLE 1e-4

/* Returns the index of the edge between two vertices, which must exist, by binary search in the
 * sorted list of edges. */
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

/* Result of a search over faces: the least squared distance of a face's normal from a unit
 * direction, and the lowest number of a face for which it is at most `limit`. */
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

/* Returns the other end of the first edge at a vertex that is perpendicular to a direction; the
 * vertex itself if there is none. */
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

/* Returns the face at one of two vertices (which may be equal) whose normal is nearest to a
 * direction; within CT_PARALLEL_ANGLE, the one with the lowest number. */
static uint32_t find_least_leaning_face(const ct_hull_view *view, uint32_t vertex, uint32_t other,
                                        ct_vec3 direction) {
  lean_search s = {INFINITY, -1.0, UINT32_MAX};
  for (int pass = 0; pass < 2; pass++) {
    search_vertex_faces(view, vertex, direction, &s);
    if (other != vertex) search_vertex_faces(view, other, direction, &s);
    double limit = sqrt(s.least) + CT_PARALLEL_ANGLE;
    s.limit = limit * limit;
  }
  assert(s.lowest < view->face_count);
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
  ct_vec3 seed; /* normal of the first face, in the hull's frame */
  ct_supporting_face *out;
} region;

static bool is_in_region(const region *r, uint32_t face) {
  return ct_norm2(ct_sub(get_hull_face_normal(r->hull, face), r->seed)) <= FLAT_ANGLE * FLAT_ANGLE;
}

/* A directed edge of a face: the edge that begins at index `at` of the face's loop. */
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

/* Returns the directed edge of another face that begins at the same vertex. */
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
  if (!reserve_slopes(&r->out->slopes, r->out->slopes.count + 1)) return false;
  const ct_convex_proxy *proxy = r->proxy;
  ct_vec3 normal = get_hull_face_normal(r->hull, face);
  double offset = r->hull->offset[face] + proxy->radius[0];
  if (proxy->turned) {
    normal = ct_mat_mul(proxy->rotation, normal);
    offset += ct_dot(normal, proxy->center);
  }
  add_face_slope(r->view, normal, offset, face, r->out);
  return true;
}

/* Lists the faces of the region by flood fill from the face `seed`, and finds one border edge. A
 * border exists, because the normals of a closed hull cover all directions. False: out of
 * memory. */
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

/* Traces the border of the region from the edge `start`, and adds one corner per border edge.
 * False: out of memory. */
static bool trace_region_rim(const region *r, place start, bool flat) {
  ct_corner_list *corners = &r->out->corners;
  ct_vec3 direction = flat ? ct_supporting_face_normal(r->view, r->out) : r->out->normal;
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
    add_core_corner(r->proxy, r->view, vertex, direction, r->out);
    corners->items[corners->count - 1].edge = edge;
    p = get_next_in_loop(r, p);
  } while (--bound > 0 &&
           (get_loop_edge(r, p) != first || get_loop_vertex(r, p) != get_loop_vertex(r, start)));
  return true;
}

/* Reverses the order of the corners; each gets the edge to its new successor. */
static void reverse_corners(ct_corner_list *corners) {
  uint32_t n = corners->count;
  ct_corner *c = corners->items;
  assert(n >= 3);
  for (uint32_t i = 0, k = n - 1; i < k; i++, k--) {
    ct_corner corner = c[i];
    c[i] = c[k];
    c[k] = corner;
  }
  /* The edge stored in a corner led to its old successor, which now is before it: shift the edges
   * by one corner. */
  uint32_t last = c[0].edge;
  for (uint32_t i = 0; i + 1 < n; i++) c[i].edge = c[i + 1].edge;
  c[n - 1].edge = last;
}

static bool make_hull_face(const ct_convex_proxy *proxy, const ct_view *view, uint32_t top,
                           ct_vec3 local, ct_supporting_face *out) {
  const ct_hull_view *hull = proxy->view;
  /* If an edge at the support vertex is perpendicular to the normal, either of its ends may be the
   * support vertex: search the faces of both. */
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

static bool find_hull_supporting_face(const ct_convex_proxy *proxy, const ct_view *view,
                                      ct_supporting_face_want want, ct_supporting_face *out) {
  assert(proxy->kind == CT_PROXY_HULL);
  const ct_hull_view *hull = proxy->view;
  ct_vec3 facing = ct_supporting_face_normal(view, out),
          local = proxy->turned ? ct_mat_tmul(proxy->rotation, facing) : facing;
  uint32_t top = ct_proxy_support(proxy, facing, 0);
  if (want == CT_SUPPORTING_WANT_FACE) return make_hull_face(proxy, view, top, local, out);
  out->normal = facing;
  out->tilt = 0.0;
  add_core_corner(proxy, view, top, facing, out);
  uint32_t end = find_perpendicular_edge_end(hull, top, local);
  if (end != top) {
    out->kind = CT_SUPPORTING_FACE_SEGMENT;
    out->inside = (ct_feature){CT_FEATURE_EDGE, find_hull_edge(hull, top, end)};
    add_core_corner(proxy, view, end, facing, out);
    return true;
  }
  out->kind = CT_SUPPORTING_FACE_POINT;
  out->inside = (ct_feature){CT_FEATURE_VERTEX, top};
  return true;
}

/* ---- any proxy ------------------------------------------------------------------------------ */

bool ct_supporting_face_find(const ct_convex_proxy *proxy, const ct_view *view,
                             ct_supporting_face_want want, ct_supporting_face *out) {
  out->corners.count = out->slopes.count = 0;
  if (!ct_corner_list_reserve(&out->corners, 4) || !reserve_slopes(&out->slopes, 1)) return false;
  switch (proxy->kind) {
  case CT_PROXY_POINT: return make_supporting_point(proxy, view, out);
  case CT_PROXY_SEGMENT: return make_supporting_line(proxy, view, want, out);
  case CT_PROXY_BOX: return make_box_face(proxy, view, want, out);
  case CT_PROXY_TRIANGLE: return make_triangle_face(proxy, view, want, out);
  case CT_PROXY_FRUSTUM: return find_frustum_supporting_face(proxy, view, want, out);
  case CT_PROXY_ELLIPSOID: return make_supporting_point(proxy, view, out);
  case CT_PROXY_HULL: break;
  }
  return find_hull_supporting_face(proxy, view, want, out);
}
