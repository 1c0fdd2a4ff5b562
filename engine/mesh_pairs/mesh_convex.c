/* A convex body and a mesh: finds the nearest triangle by best-first descent of the mesh's BVH. */
#include "mesh_pairs/mesh_convex.h"

#include "mesh/mesh_support.h"
#include "mesh_pairs/elements_depth.h"
#include "mesh_pairs/mesh_mesh.h"
#include "mesh_pairs/mesh_tree_pairs.h"
#include "pair/workspace.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

/* Bound of the round-off of a node's bound, in units of u times extent and offset, as in
 * mesh_tree_pairs.c: the core is placed by the relative frame and by its inverse. */
#define BOUND_ROUNDOFFS 192.0
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)

static ct_frame invert_frame(const ct_frame *f) {
  ct_frame i = {ct_mat_transpose(f->rotation), {0.0, 0.0, 0.0}};
  i.position = ct_neg(ct_mat_mul(i.rotation, f->position));
  return i;
}

/* Returns the extent of the core along each row of a matrix: the minimum and maximum of row . p. */
static ct_aabb compute_core_extents(const ct_convex_proxy *proxy, const ct_mat3 *rows) {
  const ct_vec3 *row[3] = {&rows->rx, &rows->ry, &rows->rz};
  double low[3], high[3];
  for (int i = 0; i < 3; i++) {
    high[i] = ct_proxy_support_value(proxy, *row[i]);
    low[i] = -ct_proxy_support_value(proxy, ct_neg(*row[i]));
  }
  return (ct_aabb){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

static void open_convex_mesh(ct_convex_mesh *p, const ct_cell_input *in) {
  assert(in->workspace && in->shape_b->mesh);
  assert(!ct_kind_is_mesh(in->shape_a->kind));
  const ct_mat3 identity = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  ct_frame frame = invert_frame(&in->relative);
  *p = (ct_convex_mesh){.mesh = in->shape_b->mesh, .workspace = in->workspace};
  in->workspace->mesh.stopped = false;
  p->view = ct_mesh_get(p->mesh);
  ct_proxy_place(in->shape_a, &frame, &p->proxy);
  p->growth = ct_shape_growth(in->shape_b);
  p->extent = ct_max2(p->proxy.extent, ct_mesh_extent(p->view));
  if (!ct_proxy_is_tapered(&p->proxy)) {
    p->radius = p->proxy.radius[0];
    p->proxy.radius[0] = p->proxy.radius[1] = 0.0;
  }
  p->roundoff = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * p->extent;
  p->slack = BOUND_ROUNDOFFS * CT_UNIT_ROUNDOFF * (p->extent + ct_norm(frame.position));
  p->axes = in->relative.rotation;
  p->size = ct_mat_abs(p->axes);
  p->box = compute_core_extents(&p->proxy, &identity);
  p->own_box = compute_core_extents(&p->proxy, &p->axes);
}

static double interval_distance(double middle, double half, double low, double high) {
  return ct_max2(ct_max2(low - middle, middle - high) - half, 0.0);
}

static double compute_box_distance2(ct_vec3 c, ct_vec3 h, const ct_aabb *box) {
  double x = interval_distance(c.x, h.x, box->min.x, box->max.x),
         y = interval_distance(c.y, h.y, box->min.y, box->max.y);
  double z = interval_distance(c.z, h.z, box->min.z, box->max.z);
  return x * x + y * y + z * z;
}

/* Returns a lower bound of the distance between the core and the triangles of a node. */
static double bound_node_gap(const ct_convex_mesh *p, const ct_mesh_node *n) {
  ct_vec3 c = ct_scale(ct_add(n->box.min, n->box.max), 0.5),
          h = ct_scale(ct_sub(n->box.max, n->box.min), 0.5), own;
  double tapered =
      ct_proxy_is_tapered(&p->proxy) ? ct_max2(p->proxy.radius[0], p->proxy.radius[1]) : 0.0;
  double balls = ct_norm(ct_sub(c, p->proxy.middle)) - p->proxy.size - tapered - n->radius;
  double square = compute_box_distance2(c, h, &p->box);
  own = ct_mat_mul(p->size, h);
  own = ct_vec(ct_min2(own.x, n->radius), ct_min2(own.y, n->radius), ct_min2(own.z, n->radius));
  square = ct_max2(square, compute_box_distance2(ct_mat_mul(p->axes, c), own, &p->own_box));
  return ct_max2(balls, sqrt(square)) - p->slack;
}

/* Bracket of the distance between the core and a triangle: its bounds differ only if the core is
 * curved. */
typedef struct gap_bracket {
  double lower, upper;
} gap_bracket;

/* True if the distance of the core needs the solver of convex pairs: it is neither a ball nor an
 * untapered capsule. */
static bool needs_convex_solver(const ct_convex_mesh *p) {
  if (p->proxy.kind == CT_PROXY_POINT) return false;
  return p->proxy.kind != CT_PROXY_SEGMENT || ct_proxy_is_tapered(&p->proxy);
}

static ct_cell_input make_triangle_cell(const ct_convex_mesh *p, const ct_triangle *t,
                                        double limit) {
  ct_cell_input in = {.a = p->proxy,
                      .b = ct_proxy_triangle(t->v, p->extent),
                      .threshold = limit,
                      .workspace = p->workspace};
  in.relative = (ct_frame){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  in.a.extent = p->extent;
  return in;
}

static bool solve_triangle_gap(const ct_convex_mesh *p, const ct_triangle *t, double limit,
                               ct_gap *gap, gap_bracket *bracket) {
  ct_cell_input in = make_triangle_cell(p, t, limit);
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&in, &r);
  *bracket = (gap_bracket){ct_max2(r.lower, 0.0), ct_max2(r.upper, 0.0)};
  if (r.distance > limit) return false;
  *gap = (ct_gap){
      .distance = ct_max2(r.distance, 0.0), .a = r.point_a, .b = r.point_b, .normal = r.normal};
  gap->overlap = ct_max2(-r.distance, 0.0);
  return true;
}

/* Computes the gap between the core and a triangle. False: their distance is greater than `limit`.
 * The gap's points are on the core and on the triangle. If these intersect, the distance is 0 and
 * `overlap` is their depth. Sets *bracket in any case. */
static bool compute_triangle_gap(const ct_convex_mesh *p, uint32_t position, double limit,
                                 ct_gap *gap, gap_bracket *bracket) {
  ct_triangle t = ct_mesh_triangle(p->view, position);
  bool near;
  if (needs_convex_solver(p)) return solve_triangle_gap(p, &t, limit, gap, bracket);
  if (p->proxy.kind == CT_PROXY_POINT) {
    near = ct_point_gap(p->proxy.center, &t, limit, gap);
  } else {
    const ct_vec3 segment[2] = {ct_proxy_vertex(&p->proxy, 0), ct_proxy_vertex(&p->proxy, 1)};
    near = ct_segment_gap(segment, &t, limit, gap);
  }
  near = near && gap->distance <= limit;
  *bracket = near ? (gap_bracket){gap->distance, gap->distance} : (gap_bracket){limit, INFINITY};
  return near;
}

/* Returns a point of both the body and the mesh, given the gap of a triangle that the body reaches.
 * For a distance of 0 the points of the gap are those of least overlap: each is on its own surface,
 * but not always in the other body. */
static ct_vec3 find_shared_point(const ct_convex_mesh *p, uint32_t position, const ct_gap *gap) {
  ct_vec3 common;
  if (gap->distance == 0.0 && needs_convex_solver(p)) {
    ct_triangle t = ct_mesh_triangle(p->view, position);
    ct_cell_input in = make_triangle_cell(p, &t, INFINITY);
    if (ct_convex_overlap(&in, &common)) return common;
  }
  double grown = p->radius + p->growth;
  return ct_lerp(gap->a, gap->b, grown > 0.0 ? p->radius / grown : 1.0);
}

/* ---- the nearest triangle ------------------------------------------------------------------- */

typedef struct nearest_search {
  const ct_convex_mesh *p;
  ct_gap best;
  gap_bracket bracket; /* bounds of the least distance of the core from a triangle, over the
                          triangles tested so far */
  uint32_t position, tests;
  double drop, dropped, least; /* drop: BVH nodes with a greater lower distance bound are dropped
                                  (threshold plus round-off); dropped: least bound of the dropped
                                  nodes; least: lower bound of the distance of mesh and core; all in
                                  m */
  double cut;
  double reach; /* support value of the core along the normal of the best gap */
} nearest_search;

static bool prune_tree_node(nearest_search *s, double key) {
  double best = s->best.distance, contact = s->p->radius + s->p->growth;
  if (key + 2.0 * s->p->slack < best || (key <= contact && contact < best)) return false;
  s->cut = ct_min2(s->cut, key);
  return true;
}

/* True if the slab perpendicular to the best normal separates the body from the whole mesh: the
 * best triangle is then the nearest. */
static bool slab_separates_core(nearest_search *s) {
  const ct_convex_mesh *p = s->p;
  if (!(s->best.distance > 0.0)) return false;
  double width = -ct_mesh_support_value(p->view, ct_neg(s->best.normal)) - s->reach - p->slack;
  return width > 0.0 && prune_tree_node(s, width);
}

/* Returns the least n.p over a triangle's vertices. */
static double compute_triangle_bottom(const ct_triangle *t, ct_vec3 n) {
  return ct_min2(ct_min2(ct_dot(n, t->v[0]), ct_dot(n, t->v[1])), ct_dot(n, t->v[2]));
}

static void test_nearest_leaf(nearest_search *s, const ct_mesh_node *leaf) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count && s->best.distance > 0.0; i++) {
    ct_gap gap;
    gap_bracket bracket;
    /* Along the best normal most triangles are proven to be farther. */
    ct_triangle t = ct_mesh_triangle(s->p->view, i);
    if (compute_triangle_bottom(&t, s->best.normal) - s->reach - s->p->slack > s->best.distance)
      continue;
    s->tests++;
    bool near = compute_triangle_gap(s->p, i, s->best.distance, &gap, &bracket);
    s->bracket.lower = ct_min2(s->bracket.lower, bracket.lower);
    s->bracket.upper = ct_min2(s->bracket.upper, bracket.upper);
    if (!near) continue;
    const uint32_t *order = s->p->view->order;
    if (gap.distance == s->best.distance && order[i] > order[s->position]) continue;
    s->best = gap;
    s->position = i;
    s->reach = ct_proxy_support_value(&s->p->proxy, gap.normal);
  }
}

/* Writes the children of a node with their bounds, the nearer one first. */
static void open_tree_node(const ct_convex_mesh *p, ct_search_node w, ct_search_node out[2]) {
  uint32_t first = p->view->nodes[w.a].first;
  double near = ct_max2(bound_node_gap(p, &p->view->nodes[first]), w.key);
  double far = ct_max2(bound_node_gap(p, &p->view->nodes[first + 1]), w.key);
  bool turn = far < near;
  out[0] = (ct_search_node){turn ? far : near, first + turn, 0};
  out[1] = (ct_search_node){turn ? near : far, first + !turn, 0};
}

static void search_nodes_depth_first(nearest_search *s, ct_search_node w) {
  ct_search_node stack[STACK_SIZE];
  int top = 0;
  stack[top++] = w;
  while (top > 0 && !ct_mesh_is_cancelled(&s->p->workspace->mesh, 8)) {
    w = stack[--top];
    const ct_mesh_node *n = &s->p->view->nodes[w.a];
    if (prune_tree_node(s, w.key)) continue;
    if (n->count > 0) {
      test_nearest_leaf(s, n);
      continue;
    }
    assert(top + 2 <= STACK_SIZE);
    ct_search_node child[2];
    open_tree_node(s->p, w, child);
    stack[top++] = child[1];
    stack[top++] = child[0];
  }
}

static void push_tree_node(nearest_search *s, ct_search_node w) {
  if (prune_tree_node(s, w.key)) return;
  if (w.key > s->drop) s->dropped = ct_min2(s->dropped, w.key);
  else if (!ct_search_heap_push(&s->p->workspace->mesh, w)) search_nodes_depth_first(s, w);
}

static ct_mesh_outcome find_nearest_triangle(nearest_search *s, double threshold) {
  ct_mesh_scratch *memory = &s->p->workspace->mesh;
  const ct_mesh_node *nodes = s->p->view->nodes;
  s->best.distance = s->dropped = s->cut = INFINITY;
  s->bracket = (gap_bracket){INFINITY, INFINITY};
  s->drop = threshold + s->p->slack;
  memory->count = 0;
  ct_search_node w = {bound_node_gap(s->p, &nodes[0]), 0, 0}, child[2];
  /* Descend to one leaf first: the distance found there prunes the search. */
  ct_search_node down = w;
  while (nodes[down.a].count == 0) {
    open_tree_node(s->p, down, child);
    down = child[0];
  }
  test_nearest_leaf(s, &nodes[down.a]);
  push_tree_node(s, w);
  double judged = INFINITY;
  bool stopped = false;
  while (memory->count > 0 && s->best.distance > 0.0 && !stopped) {
    w = ct_search_heap_pop(memory);
    if (prune_tree_node(s, w.key)) break;
    s->least = ct_max2(w.key, 0.0);
    if (nodes[w.a].count > 0) {
      test_nearest_leaf(s, &nodes[w.a]);
      if (s->best.distance < judged && slab_separates_core(s)) break;
      judged = s->best.distance;
    } else {
      open_tree_node(s->p, w, child);
      push_tree_node(s, child[0]);
      push_tree_node(s, child[1]);
    }
    stopped = ct_mesh_is_cancelled(memory, 8);
  }
  if (stopped) return CT_MESH_STOPPED;
  s->bracket.lower = ct_min2(s->bracket.lower, ct_max2(s->cut, 0.0));
  if (s->dropped < s->best.distance) {
    s->least = s->dropped;
    return CT_MESH_BEYOND;
  }
  s->least = s->best.distance;
  return CT_MESH_FOUND;
}

/* ---- distance and depth --------------------------------------------------------------------- */

/* Transforms normal and points of the result from the mesh's frame to that of the pair. */
static void transform_to_pair_frame(const ct_cell_input *in, ct_cell_result *r) {
  r->normal = ct_mat_mul(in->relative.rotation, r->normal);
  r->point_a = ct_to_parent(in->relative, r->point_a);
  r->point_b = ct_to_parent(in->relative, r->point_b);
}

/* Writes the result for an open surface that intersects the body: the point of the triangle that is
 * in the body. */
static void write_crossed_result(const ct_convex_mesh *p, const nearest_search *s,
                                 ct_cell_result *result) {
  ct_gap gap = s->best;
  gap.overlap = gap.distance > 0.0 ? p->radius - gap.distance : gap.overlap + p->radius;
  gap.a = gap.b = gap.distance > 0.0 ? gap.b : find_shared_point(p, s->position, &gap);
  gap.distance = 0.0;
  ct_mesh_write_result(0.0, gap, (ct_mesh_growth){0.0, p->growth}, false, result);
}

static void write_solid_result(const ct_convex_mesh *p, const nearest_search *s,
                               ct_cell_result *result) {
  ct_convex_feature f = ct_convex_mesh_deepest(p, &s->best, p->view->order[s->position]);
  bool crossed = s->best.distance == 0.0;
  ct_mesh_write_result(-f.depth, f.gap, (ct_mesh_growth){p->radius, p->growth}, true, result);
  result->triangle_b = f.triangle;
  result->crossed = crossed;
  if (f.complete) return;
  result->status = CT_PAIR_ITERATION_LIMIT;
  result->lower = -2.0 * p->extent - p->radius - p->growth;
}

/* True if the plane perpendicular to the best normal separates the core from every triangle at the
 * mesh's witness point. These triangles are equally near; where bodies nearly touch, the bracket of
 * one of them may have been closed by a quite different normal. The witness points are exact to
 * round-off, which rotates the direction between them by round-off / distance. */
static bool plane_separates_core(const nearest_search *s) {
  const ct_convex_mesh *p = s->p;
  ct_search_node stack[STACK_SIZE];
  double floor = s->best.distance - p->slack * (1.0 + p->extent / s->best.distance);
  int top = 0;
  stack[top++] = (ct_search_node){0.0, 0, 0};
  while (top > 0) {
    const ct_mesh_node *n = &p->view->nodes[stack[--top].a];
    ct_vec3 b = s->best.b, middle = ct_lerp(n->box.min, n->box.max, 0.5),
            half = ct_scale(ct_sub(n->box.max, n->box.min), 0.5);
    /* Visit only nodes that contain the witness point. */
    if (compute_box_distance2(middle, half, &(ct_aabb){b, b}) > p->slack * p->slack) continue;
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
      ct_triangle t = ct_mesh_triangle(p->view, i);
      /* A triangle at the witness point must be beyond the plane. */
      if (compute_triangle_bottom(&t, s->best.normal) - s->reach >= floor) continue;
      if (ct_norm(ct_sub(ct_triangle_foot(&t, b), b)) <= p->slack) return false;
    }
    if (n->count > 0) continue;
    assert(top + 2 <= STACK_SIZE);
    stack[top++] = (ct_search_node){0.0, n->first, 0};
    stack[top++] = (ct_search_node){0.0, n->first + 1, 0};
  }
  return true;
}

/* Replaces a normal that is not proven by the direction between the witness points, if that is
 * proven. False: neither is. */
static bool prove_normal(nearest_search *s) {
  if (!needs_convex_solver(s->p) || !(s->best.distance > 0.0) || plane_separates_core(s))
    return true;
  nearest_search turned = *s;
  turned.best.normal = ct_unit_or(ct_sub(s->best.b, s->best.a), s->best.normal);
  turned.reach = ct_proxy_support_value(&s->p->proxy, turned.best.normal);
  if (!plane_separates_core(&turned)) return false;
  *s = turned;
  return true;
}

static void write_convex_mesh_separation(const ct_convex_mesh *p, nearest_search *s, bool early,
                                         ct_cell_result *result) {
  bool unproven = !early && !prove_normal(s);
  double grown = p->radius + p->growth;
  ct_mesh_write_result(s->best.distance, s->best, (ct_mesh_growth){p->radius, p->growth},
                       p->view->solid, result);
  result->lower = ct_min2(s->bracket.lower - grown, result->distance);
  result->upper = ct_max2(s->bracket.upper - grown, result->distance);
  if (s->bracket.upper - s->bracket.lower >
      2.0 * p->slack + CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * s->best.distance)
    result->status = CT_PAIR_DEGENERATE;
  if (unproven) result->status = CT_PAIR_DEGENERATE;
  if (early) result->distance = result->lower = ct_min2(s->least, s->bracket.lower) - grown;
}

void ct_cell_convex_mesh(const ct_cell_input *in, ct_cell_result *result) {
  ct_convex_mesh p;
  open_convex_mesh(&p, in);
  ct_mesh_growth growth = {p.radius, p.growth};
  nearest_search s = {.p = &p};
  /* Find the nearest triangle; it intersects the core if the distance is 0. */
  ct_mesh_outcome outcome = find_nearest_triangle(&s, in->threshold + p.radius + p.growth);
  result->iterations = s.tests;
  result->triangle_b = p.view->order[s.position];
  /* A core inside a solid overlaps it although the surfaces do not intersect. */
  bool inside = s.best.distance > 0.0 && p.view->solid && ct_mesh_contains(p.mesh, p.proxy.middle);
  bool overlap = p.view->solid && (inside || s.best.distance == 0.0) && outcome != CT_MESH_STOPPED;
  if (outcome == CT_MESH_STOPPED) {
    ct_mesh_write_result(s.best.distance, s.best, growth, p.view->solid, result);
    result->status = CT_PAIR_ITERATION_LIMIT;
    result->lower = (p.view->solid ? -2.0 * p.extent : s.least) - p.radius - p.growth;
  } else if (overlap) {
    result->crossed = s.best.distance == 0.0;
    if (ct_elements_have_depth(in) && ct_elements_deepest(in, result)) return;
    write_solid_result(&p, &s, result);
  } else if (!p.view->solid && s.best.distance <= p.radius) {
    write_crossed_result(&p, &s, result);
  } else {
    write_convex_mesh_separation(&p, &s, outcome == CT_MESH_BEYOND, result);
    result->crossed = s.best.distance <= p.radius;
    result->overlap = ct_max2(p.radius - s.best.distance, 0.0);
  }
  transform_to_pair_frame(in, result);
  /* For elements that touch: their depth or, if none overlap, the elements that the triangles
   * belong to. */
  if (!ct_elements_have_depth(in) || result->distance > 0.0 || outcome == CT_MESH_STOPPED) return;
  if (overlap || !ct_elements_deepest(in, result)) ct_elements_surface_contact(in, result);
}

/* ---- all near triangles --------------------------------------------------------------------- */

bool ct_convex_mesh_visit(const ct_convex_mesh *p, double reach, ct_convex_visit visit,
                          void *context) {
  ct_search_node stack[STACK_SIZE], child[2];
  int top = 0;
  stack[top++] = (ct_search_node){bound_node_gap(p, &p->view->nodes[0]), 0, 0};
  while (top > 0) {
    ct_search_node w = stack[--top];
    const ct_mesh_node *n = &p->view->nodes[w.a];
    if (w.key > reach) continue;
    if (ct_mesh_is_cancelled(&p->workspace->mesh, 8)) return false;
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
      ct_gap gap;
      gap_bracket bracket;
      if (compute_triangle_gap(p, i, reach, &gap, &bracket) && !visit(context, i, &gap))
        return false;
    }
    if (n->count > 0) continue;
    assert(top + 2 <= STACK_SIZE);
    open_tree_node(p, w, child);
    stack[top++] = child[1];
    stack[top++] = child[0];
  }
  return true;
}

typedef struct first_contact {
  const ct_convex_mesh *p;
  ct_vec3 *common; /* receives a common point; may be NULL */
  bool met;
} first_contact;

static bool record_first_contact(void *context, uint32_t position, const ct_gap *gap) {
  first_contact *f = context;
  f->met = true;
  if (f->common) *f->common = find_shared_point(f->p, position, gap);
  return false;
}

bool ct_convex_mesh_overlap(const ct_cell_input *in, ct_vec3 *common) {
  ct_convex_mesh p;
  open_convex_mesh(&p, in);
  first_contact first = {&p, common, false};
  ct_convex_mesh_visit(&p, p.radius + p.growth, record_first_contact, &first);
  bool inside = !first.met && p.view->solid && ct_mesh_contains(p.mesh, p.proxy.middle);
  if (!first.met && !inside) return false;
  if (inside && common) *common = p.proxy.middle;
  if (common) *common = ct_to_parent(in->relative, *common);
  return true;
}

/* ---- relation ------------------------------------------------------------------------------- */

typedef struct proper_overlap {
  double slack, radius;
  bool proper;
} proper_overlap;

static bool find_proper_triangle(void *context, uint32_t position, const ct_gap *gap) {
  proper_overlap *c = context;
  (void)position;
  double overlap = gap->distance > 0.0 ? c->radius - gap->distance : c->radius + gap->overlap;
  c->proper = overlap > c->slack;
  return !c->proper;
}

ct_relation ct_convex_mesh_relation(const ct_cell_input *in, const ct_cell_result *result,
                                    double tolerance) {
  ct_relation relation;
  if (ct_mesh_relation_by_distance(result, tolerance, &relation)) return relation;
  double touching = result->depth_kind != CT_DEPTH_NONE ? 0.0 : tolerance;
  ct_convex_mesh p;
  open_convex_mesh(&p, in);
  double radius = p.radius + p.growth;
  proper_overlap c = {ct_max2(touching, p.roundoff), radius, false};
  if (result->crossed || radius > 0.0) ct_convex_mesh_visit(&p, radius, find_proper_triangle, &c);
  if (!c.proper && p.view->solid && ct_mesh_contains(p.mesh, p.proxy.middle)) return CT_CONTAINED;
  if (!(ct_convex_mesh_outside(&p, p.radius - p.growth + p.roundoff) > -INFINITY))
    return CT_CONTAINING;
  return !c.proper && result->distance == 0.0 ? CT_TOUCHING : CT_PENETRATING;
}
