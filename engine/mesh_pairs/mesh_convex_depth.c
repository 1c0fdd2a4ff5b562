/* Depth of a convex core and a solid mesh: the deepest vertex, end of a capsule, point of a curved
 * surface, or point of the mesh's edges in a frustum.
 *
 * Edges of the mesh in a frustum: if a flat cap has sunk into a face, there is no unique farthest
 * point, and the cap's centre may be beside the face. If no vertex of the mesh is in the frustum
 * either, the border of the face passes through it. Depth in a convex body is concave along an edge
 * and 1-Lipschitz, which permits golden-section search on edges and bounds for nodes. */
#include "mesh_pairs/mesh_convex.h"
#include "mesh_pairs/mesh_depth.h"
#include "pair/workspace.h"

#include <assert.h>

/* ---- edges of a mesh in a frustum ----------------------------------------------------------- */

#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)
/* Steps of the golden-section search; they reduce the interval to 1e-8 of the edge. */
#define SECTIONS 40
#define GOLDEN 0.61803398874989485
/* Weight of the depth below the side when depths are compared: among points of equal depth the one
 * farthest from the rim is selected. */
#define SIDE_SHARE 1e-6
/* Cost of a triangle in steps of 100 ns, for polling the cancel flag. */
#define TRIANGLE_STEPS 2

typedef struct frustum {
  ct_vec3 center, axis;               /* centre; unit vector along the axis */
  double half, middle, slope, cosine; /* half length; radius at the centre and its derivative along
                                         the axis; cosine of the side's inclination */
} frustum;

static bool init_frustum(const ct_convex_proxy *proxy, frustum *f) {
  f->half = ct_norm(proxy->axis[2]);
  if (!(f->half > 0.0)) return false;
  f->center = proxy->center;
  f->axis = ct_scale(proxy->axis[2], 1.0 / f->half);
  f->middle = 0.5 * (proxy->rim[0] + proxy->rim[1]);
  f->slope = 0.5 * (proxy->rim[1] - proxy->rim[0]) / f->half;
  f->cosine = 1.0 / sqrt(1.0 + f->slope * f->slope);
  return true;
}

/* Computes the depths of p below the nearer cap's plane and below the side; negative outside. */
static void compute_frustum_depths(const frustum *f, ct_vec3 p, double *cap, double *side) {
  ct_vec3 d = ct_sub(p, f->center);
  double z = ct_dot(d, f->axis), r = ct_norm(ct_add_scaled(d, f->axis, -z));
  *cap = f->half - fabs(z);
  *side = (f->middle + f->slope * z - r) * f->cosine;
}

static double compute_frustum_depth(const frustum *f, ct_vec3 p, double share) {
  double cap, side;
  compute_frustum_depths(f, p, &cap, &side);
  return ct_min2(cap, side) + share * side;
}

typedef struct edge_search {
  frustum frustum;
  const ct_mesh_view *view;
  double depth; /* greatest depth so far */
  ct_vec3 point;
  uint32_t position;
} edge_search;

/* Returns the parameter, from 0 at p to 1 at q, of the deepest point of an edge. */
static double find_deepest_parameter(const frustum *f, ct_vec3 p, ct_vec3 q) {
  double low = 0.0, high = 1.0, at[2] = {1.0 - GOLDEN, GOLDEN}, depth[2];
  for (int i = 0; i < 2; i++) depth[i] = compute_frustum_depth(f, ct_lerp(p, q, at[i]), SIDE_SHARE);
  for (int step = 0; step < SECTIONS; step++) {
    int keep = depth[0] >= depth[1] ? 0 : 1;
    *(keep ? &low : &high) = at[1 - keep];
    at[1 - keep] = at[keep];
    depth[1 - keep] = depth[keep];
    at[keep] = keep ? low + GOLDEN * (high - low) : high - GOLDEN * (high - low);
    depth[keep] = compute_frustum_depth(f, ct_lerp(p, q, at[keep]), SIDE_SHARE);
  }
  return 0.5 * (low + high);
}

static void consider_edge(edge_search *s, uint32_t position, ct_vec3 p, ct_vec3 q) {
  double z[2] = {ct_dot(ct_sub(p, s->frustum.center), s->frustum.axis),
                 ct_dot(ct_sub(q, s->frustum.center), s->frustum.axis)};
  /* No point of the edge is deeper below a cap than one of its ends. */
  double below_top = s->frustum.half - ct_min2(z[0], z[1]);
  double above_bottom = s->frustum.half + ct_max2(z[0], z[1]);
  if (ct_min2(below_top, above_bottom) <= s->depth) return;
  ct_vec3 at = ct_lerp(p, q, find_deepest_parameter(&s->frustum, p, q));
  double depth = compute_frustum_depth(&s->frustum, at, 0.0);
  if (!(depth > s->depth)) return;
  s->depth = depth;
  s->point = at;
  s->position = position;
}

static void consider_leaf(edge_search *s, const ct_mesh_node *leaf) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
    const uint32_t *corner = s->view->corners[i];
    for (int k = 0; k < 3; k++) {
      uint32_t v = corner[k], w = corner[k == 2 ? 0 : k + 1], other = s->view->across[i][k];
      if (other != CT_NO_TRIANGLE && other < i) continue;
      consider_edge(s, i, s->view->vertices[v < w ? v : w], s->view->vertices[v < w ? w : v]);
    }
  }
}

bool ct_convex_mesh_deepest_edge(const ct_convex_mesh *p, double floor, ct_mesh_point *out) {
  edge_search s = {.view = p->view, .depth = floor, .position = CT_NO_TRIANGLE};
  uint32_t stack[STACK_SIZE], top = 0;
  out->complete = true;
  if (p->proxy.kind != CT_PROXY_FRUSTUM || !init_frustum(&p->proxy, &s.frustum)) return false;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &p->view->nodes[stack[--top]];
    ct_vec3 middle = ct_scale(ct_add(node->box.min, node->box.max), 0.5);
    if (compute_frustum_depth(&s.frustum, middle, 0.0) + node->radius <= s.depth) continue;
    if (node->count > 0) consider_leaf(&s, node);
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 2; k-- > 0 && node->count == 0;) stack[top++] = node->first + k;
    out->complete = !ct_mesh_is_cancelled(&p->workspace->mesh, TRIANGLE_STEPS * (node->count + 1));
    if (!out->complete) return false;
  }
  out->point = s.point;
  out->position = s.position;
  return s.position != CT_NO_TRIANGLE;
}

/* ---- a mesh and a core ---------------------------------------------------------------------- */

/* Limit of the number of support points tried on a curved core. */
#define CLIMB_STEPS 8
/* Limit of Newton steps to the far side of a body; they converge quadratically. */
#define THROUGH_STEPS 32
/* A feature less deep than this fraction of the smaller body's size counts as being on the surface:
 * whole triangles are then evaluated too. The feature of flush bodies thus does not depend on the
 * round-off of their position. */
#define FLUSH 1e-6
/* Two directions are parallel if the sine of their angle is at most this: the perpendicular
 * component is round-off. */
#define ALONG_AXIS 1e-8
/* Limit of the number of intersecting triangles whose overlap is evaluated. */
#define CROSSING_TRIANGLES_MAX 256

/* ---- a point and a core --------------------------------------------------------------------- */

static void solve_point_to_core(const ct_convex_mesh *p, ct_vec3 point, ct_cell_result *r) {
  ct_cell_input in = {
      .a = {.kind = CT_PROXY_POINT, .center = point, .middle = point, .extent = p->extent},
      .b = p->proxy};
  in.relative = (ct_frame){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  in.threshold = INFINITY;
  in.workspace = p->workspace;
  *r = (ct_cell_result){.status = CT_PAIR_OK};
  /* Balls and capsules have a function of their own; the general one supports tapered capsules
   * against polytopes only. */
  bool round = p->proxy.kind == CT_PROXY_POINT || p->proxy.kind == CT_PROXY_SEGMENT;
  (round ? ct_cell_sphere_capsule : ct_cell_convex_convex)(&in, r);
}

/* Returns the depth of a point in the core; negative outside. If it is at most `need`, an upper
 * bound that is at most `need` may be returned. For hulls, an upper bound is returned outside. */
static double compute_depth_in_core(void *context, ct_vec3 point, double need) {
  const ct_convex_mesh *p = context;
  const ct_convex_proxy *proxy = &p->proxy;
  /* The bounding ball may suffice; then use closed forms for ball and box, and the planes of
   * hulls. */
  double far = ct_norm(ct_sub(point, proxy->middle)) - proxy->size -
               ct_max2(proxy->radius[0], proxy->radius[1]);
  if (-far <= need) return -far;
  if (proxy->kind == CT_PROXY_POINT) return -ct_norm(ct_sub(point, proxy->center));
  if (proxy->kind == CT_PROXY_BOX) {
    ct_vec3 d = ct_mat_tmul(proxy->rotation, ct_sub(point, proxy->center));
    d = ct_vec(fabs(d.x) - proxy->half.x, fabs(d.y) - proxy->half.y, fabs(d.z) - proxy->half.z);
    double most = ct_max2(ct_max2(d.x, d.y), d.z);
    return most <= 0.0 ? -most
                       : -ct_norm(ct_vec(ct_max2(d.x, 0.0), ct_max2(d.y, 0.0), ct_max2(d.z, 0.0)));
  }
  if (proxy->kind == CT_PROXY_HULL) {
    ct_vec3 d = ct_mat_tmul(proxy->rotation, ct_sub(point, proxy->center));
    const ct_hull_view *v = proxy->view;
    double most = -INFINITY;
    for (uint32_t i = 0; i < v->face_count && -most > need; i++)
      most = ct_max2(most, v->nx[i] * d.x + v->ny[i] * d.y + v->nz[i] * d.z - v->offset[i]);
    return -most;
  }
  /* Other cores: use the distance query. */
  ct_cell_result r;
  solve_point_to_core(p, point, &r);
  return -r.distance;
}

/* Returns the distance of a point from the core; negative inside. */
static double compute_distance_outside_core(void *context, ct_vec3 point, double need) {
  const ct_convex_mesh *p = context;
  (void)need;
  if (p->proxy.kind == CT_PROXY_HULL) {
    ct_cell_result r;
    solve_point_to_core(p, point, &r);
    return r.distance;
  }
  return -compute_depth_in_core(context, point, -INFINITY);
}

double ct_convex_mesh_outside(const ct_convex_mesh *p, double floor) {
  ct_lipschitz_function peak = ct_mesh_maximize(
      p->view, &p->workspace->mesh, floor, compute_distance_outside_core, (void *)(uintptr_t)p);
  return peak.stopped ? INFINITY : peak.value;
}

/* ---- points of the core in the mesh --------------------------------------------------------- */

/* Finds the point of the solid's surface nearest to a given point, and the unit direction `in` into
 * the solid there. Returns the depth of the point; negative outside. */
static double find_nearest_surface(const ct_convex_mesh *p, ct_vec3 point, ct_mesh_foot *foot,
                                   ct_vec3 *in) {
  bool inside = ct_mesh_contains(p->mesh, point);
  ct_mesh_nearest(p->mesh, point, INFINITY, foot);
  *in = ct_neg(ct_mesh_normal(p->mesh, foot->triangle));
  if (foot->distance > p->roundoff)
    *in = ct_unit_or(inside ? ct_sub(point, foot->point) : ct_sub(foot->point, point), *in);
  return inside ? foot->distance : -foot->distance;
}

/* Candidate: the point that is `ball` farther inward than a point at the given depth; it is
 * retained if it is deeper than the best. */
static void keep_deeper_point(ct_convex_feature *best, ct_vec3 point, ct_vec3 in, double ball,
                              double depth, const ct_mesh_foot *foot) {
  if (!(depth + ball > best->depth)) return;
  best->gap = (ct_gap){.a = ct_add_scaled(point, in, ball), .b = foot->point, .normal = in};
  best->depth = depth + ball;
  best->triangle = foot->triangle;
}

/* Candidate: the support point of the whole body along a unit direction. Returns this point, and in
 * *in the inward direction at its nearest surface point. */
static ct_vec3 try_support_point(const ct_convex_mesh *p, ct_vec3 direction,
                                 ct_convex_feature *best, ct_vec3 *in) {
  uint32_t near = 0;
  double ball;
  ct_mesh_foot foot;
  ct_vec3 point = ct_proxy_point(&p->proxy, direction, &near, &ball);
  point = ct_add_scaled(point, direction, ball + p->radius);
  double depth = find_nearest_surface(p, point, &foot, in);
  /* Depths of candidates are those of the core; the radius is added to the final result. */
  keep_deeper_point(best, point, *in, -p->radius, depth, &foot);
  return point;
}

/* Candidate: a vertex of the core that is in the mesh, or above its surface by less than `ball`,
 * the part of the vertex's radius that exceeds `radius`. The deepest point of the vertex's ball is
 * on the body's surface unless the rest of the body reaches farther along the inward direction;
 * then the support point is the candidate. Returns the depth of the vertex. */
static double try_core_vertex(const ct_convex_mesh *p, ct_vec3 v, double ball,
                              ct_convex_feature *best) {
  ct_mesh_foot foot;
  ct_vec3 in;
  double depth = find_nearest_surface(p, v, &foot, &in);
  if (!(depth + ball > best->depth)) return depth;
  bool round = ball + p->radius > 0.0;
  if (round && ct_proxy_support_value(&p->proxy, in) > ct_dot(in, v) + ball + p->roundoff)
    try_support_point(p, in, best, &in);
  else keep_deeper_point(best, v, in, ball, depth, &foot);
  return depth;
}

/* Candidates: the vertices of a polytope. The depth evaluated last bounds that of vertices near
 * it. */
static void try_core_vertices(const ct_convex_mesh *p, ct_convex_feature *best) {
  uint32_t count = ct_proxy_vertex_count(&p->proxy);
  ct_vec3 last = p->proxy.middle;
  double depth = INFINITY;
  for (uint32_t i = 0; i < count && best->complete; i++) {
    ct_vec3 v = ct_proxy_vertex(&p->proxy, i);
    double ball = ct_proxy_is_tapered(&p->proxy) ? ct_proxy_vertex_radius(&p->proxy, i) : 0.0;
    if (depth + ct_norm(ct_sub(v, last)) + ball <= best->depth) continue;
    depth = try_core_vertex(p, v, ball, best);
    last = v;
    best->complete = !ct_mesh_is_cancelled(&p->workspace->mesh, 16);
  }
}

/* Candidate: a point of the core's surface. If the core has a radius, the deepest point of the ball
 * around the point is on the body's surface unless the core reaches farther along the inward
 * direction, as for a vertex. Returns the inward direction at the nearest surface point. */
static ct_vec3 try_core_point(const ct_convex_mesh *p, ct_vec3 point, ct_convex_feature *best) {
  ct_mesh_foot foot;
  ct_vec3 in, next;
  double depth = find_nearest_surface(p, point, &foot, &in);
  bool exceeded =
      p->radius > 0.0 && ct_proxy_support_value(&p->proxy, in) > ct_dot(in, point) + p->roundoff;
  if (exceeded) try_support_point(p, in, best, &next);
  else keep_deeper_point(best, point, in, 0.0, depth, &foot);
  return in;
}

/* Computes the unit vector of the component of `direction` perpendicular to `axis` (both unit).
 * False: that component is too short to have a direction. */
static bool compute_perpendicular_part(ct_vec3 direction, ct_vec3 axis, ct_vec3 *out) {
  ct_vec3 across = ct_add_scaled(direction, axis, -ct_dot(direction, axis));
  double length = ct_norm(across);
  if (!(length > ALONG_AXIS)) return false;
  across = ct_scale(across, 1.0 / length);
  /* Remove the round-off along the axis, which the scaling has amplified. */
  *out = ct_unit_or(ct_add_scaled(across, axis, -ct_dot(across, axis)), across);
  return true;
}

/* Candidates: the ends and the middle of the line of a frustum's side that is extreme along a
 * direction; none if the direction is parallel to the axis. */
static void try_side_line(const ct_convex_mesh *p, ct_vec3 direction, ct_convex_feature *best) {
  const ct_convex_proxy *proxy = &p->proxy;
  ct_vec3 axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0)), across, end[2];
  if (!compute_perpendicular_part(direction, axis, &across)) return;
  for (int top = 0; top < 2; top++) {
    ct_vec3 cap = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
    end[top] = ct_add_scaled(cap, across, proxy->rim[top]);
    try_core_point(p, end[top], best);
  }
  try_core_point(p, ct_lerp(end[0], end[1], 0.5), best);
}

/* Candidates on a frustum: the centres of its caps, and the lines of its side that are extreme
 * along the inward directions at its middle and at its caps. A flat feature has no unique farthest
 * point; its middle is the deepest point, or nearly so. */
static void try_flat_features(const ct_convex_mesh *p, ct_vec3 in, ct_convex_feature *best) {
  try_side_line(p, in, best);
  for (int top = 0; top < 2; top++)
    try_side_line(
        p,
        try_core_point(p, ct_add_scaled(p->proxy.center, p->proxy.axis[2], top ? 1.0 : -1.0), best),
        best);
}

/* Candidates on a curved core: the support point along the inward direction at the core's middle,
 * then the support point along the inward direction at that point, and so on while the depth
 * increases. */
static void try_farthest_points(const ct_convex_mesh *p, ct_convex_feature *best) {
  ct_mesh_foot foot;
  ct_vec3 in;
  find_nearest_surface(p, p->proxy.middle, &foot, &in);
  if (p->proxy.kind == CT_PROXY_FRUSTUM) try_flat_features(p, in, best);
  for (int step = 0; step < CLIMB_STEPS; step++) {
    double before = best->depth;
    try_support_point(p, in, best, &in);
    if (step > 0 && !(best->depth > before)) return;
  }
}

/* Candidate for a core inside the solid whose ball is thicker than the solid, so that no other
 * candidate is deep. Its depth is the length of the line from the surface point nearest to the core
 * along the inward normal to the far side of the rounded core: a translation by this length takes
 * the rounded core out through that point. Newton's method on the distance from the core, a convex
 * function, finds the far side, starting beyond it. */
static void try_way_through(const ct_convex_mesh *p, const ct_gap *nearest, uint32_t triangle,
                            ct_convex_feature *best) {
  ct_vec3 in = ct_neg(nearest->normal);
  double at = ct_proxy_support_value(&p->proxy, in) - ct_dot(in, nearest->b) + p->radius;
  for (int step = 0; step < THROUGH_STEPS; step++) {
    ct_cell_result r;
    solve_point_to_core(p, ct_add_scaled(nearest->b, in, at), &r);
    double slope = -ct_dot(r.normal, in), beyond = r.distance - p->radius;
    if (!(beyond > p->roundoff) || !(slope > 0.0)) break;
    at -= beyond / slope;
  }
  const ct_mesh_foot foot = {.point = nearest->b, .triangle = triangle};
  keep_deeper_point(best, nearest->b, in, at - p->radius, 0.0, &foot);
}

/* ---- vertices of the mesh in the core ------------------------------------------------------- */

/* Makes a point of the mesh inside the core the best candidate. */
static void set_mesh_point(const ct_convex_mesh *p, ct_vec3 v, uint32_t position,
                           ct_convex_feature *best) {
  ct_cell_result r;
  solve_point_to_core(p, v, &r);
  best->depth = ct_max2(-r.distance, 0.0);
  best->gap.normal = ct_neg(r.normal);
  best->gap.a = r.point_b;
  best->gap.b = v;
  best->triangle = p->view->order[position];
}

static void try_mesh_vertex(const ct_convex_mesh *p, ct_convex_feature *best) {
  ct_lipschitz_function peak = ct_mesh_maximize(p->view, &p->workspace->mesh, best->depth,
                                                compute_depth_in_core, (void *)(uintptr_t)p);
  if (peak.stopped) best->complete = false;
  if (peak.value > best->depth)
    set_mesh_point(p, p->view->vertices[peak.vertex], peak.position, best);
}

/* Points of the mesh's edges are candidates if they are deeper by more than round-off. */
static void try_mesh_edge(const ct_convex_mesh *p, ct_convex_feature *best) {
  ct_mesh_point edge;
  if (ct_convex_mesh_deepest_edge(p, best->depth + 2.0 * p->roundoff, &edge))
    set_mesh_point(p, edge.point, edge.position, best);
  if (!edge.complete) best->complete = false;
}

/* ---- triangles through the core ------------------------------------------------------------- */

typedef struct overlap_search {
  const ct_convex_mesh *p;
  ct_convex_feature *best;
  uint32_t position;
  int count;
} overlap_search;

/* Visitor: retains the triangle with the greatest overlap. Any separation of the bodies separates
 * the core from each triangle, so the greatest overlap is a lower bound of the depth. */
static bool keep_greatest_overlap(void *context, uint32_t position, const ct_gap *gap) {
  overlap_search *h = context;
  if (gap->overlap > h->best->depth) {
    h->best->depth = gap->overlap;
    h->best->gap = *gap;
    h->best->gap.a = ct_add_scaled(gap->b, gap->normal, gap->overlap);
    h->best->triangle = h->p->view->order[position];
    h->position = position;
  }
  return ++h->count < CROSSING_TRIANGLES_MAX;
}

/* For a segment that crosses a triangle, both points of the gap are the crossing. Replaces them by
 * the points that separate last: the closest points after the triangle is moved by twice the
 * overlap along the normal of least overlap. */
static void separate_segment_points(const overlap_search *h) {
  ct_gap *gap = &h->best->gap, parted;
  ct_triangle t = ct_mesh_triangle(h->p->view, h->position);
  ct_vec3 shift = ct_scale(gap->normal, 2.0 * h->best->depth);
  for (int k = 0; k < 3; k++) t.v[k] = ct_add(t.v[k], shift);
  const ct_vec3 segment[2] = {ct_proxy_vertex(&h->p->proxy, 0), ct_proxy_vertex(&h->p->proxy, 1)};
  if (!ct_segment_gap(segment, &t, INFINITY, &parted) || parted.distance == 0.0) return;
  gap->a = parted.a;
  gap->b = ct_sub(parted.b, shift);
}

ct_convex_feature ct_convex_mesh_deepest(const ct_convex_mesh *p, const ct_gap *nearest,
                                         uint32_t triangle) {
  /* Initial feature: the point between the nearest points. It is on the triangle only if these
   * coincide. */
  ct_convex_feature best = {.gap = *nearest,
                            .triangle = nearest->distance == 0.0 ? triangle : CT_NO_TRIANGLE,
                            .complete = true};
  best.gap.b = best.gap.a = ct_lerp(nearest->a, nearest->b, 0.5);
  if (ct_proxy_is_curved(&p->proxy)) try_farthest_points(p, &best);
  else try_core_vertices(p, &best);
  bool solid_core = p->proxy.kind != CT_PROXY_POINT &&
                    !(p->proxy.kind == CT_PROXY_SEGMENT && !ct_proxy_is_tapered(&p->proxy));
  if (solid_core && best.complete) try_mesh_vertex(p, &best);
  if (best.complete) try_mesh_edge(p, &best);
  if (p->radius > 0.0 && nearest->distance > p->roundoff && best.depth <= p->roundoff)
    try_way_through(p, nearest, triangle, &best);
  double flush = ct_max2(FLUSH * ct_min2(p->proxy.size, p->view->radius), p->roundoff);
  if (best.complete && best.depth <= flush) {
    ct_convex_feature deeper = best;
    overlap_search h = {p, &deeper, CT_NO_TRIANGLE, 0};
    ct_convex_mesh_visit(p, 0.0, keep_greatest_overlap, &h);
    bool segment = p->proxy.kind == CT_PROXY_SEGMENT && !ct_proxy_is_tapered(&p->proxy);
    if (segment && h.position != CT_NO_TRIANGLE) separate_segment_points(&h);
    if (best.depth <= p->roundoff || deeper.depth > 2.0 * flush) best = deeper;
  }
  if (best.depth <= p->roundoff && ct_max_abs(nearest->normal) > 0.0)
    best.gap.normal = nearest->normal;
  return best;
}
