/* Two meshes: distance of the surfaces, containment of solids, depth by features, and relations; a
 * mesh and a half-space.
 *
 * Solids whose surfaces are disjoint overlap if one contains a connected component of the other.
 * Each component is on one side of the other surface, so one of its vertices decides. */
#include "mesh_pairs/mesh_mesh.h"

#include "mesh/mesh_support.h"
#include "mesh_pairs/elements_depth.h"
#include "mesh_pairs/mesh_depth.h"
#include "pair/workspace.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

static double compute_pair_roundoff(const ct_mesh_pair *p) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * p->extent;
}

void ct_mesh_write_result(double proxy, ct_gap gap, ct_mesh_growth growth, bool solids,
                          ct_cell_result *result) {
  assert(growth.a >= 0.0 && growth.b >= 0.0);
  double grown = growth.a + growth.b;
  result->distance = result->lower = result->upper = proxy - grown;
  result->normal = gap.normal;
  result->point_a = ct_add_scaled(gap.a, gap.normal, growth.a);
  result->point_b = ct_add_scaled(gap.b, gap.normal, -growth.b);
  result->radius_a = growth.a;
  result->radius_b = growth.b;
  result->crossed = gap.distance == 0.0;
  if (result->distance > 0.0) return;
  /* Bodies with a rounding radius or margin have a depth even if their surfaces are open. */
  result->depth_kind = solids || grown > 0.0 ? CT_DEPTH_FEATURE : CT_DEPTH_NONE;
  result->overlap = gap.overlap;
  if (result->depth_kind == CT_DEPTH_NONE) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
}

ct_convex_proxy ct_mesh_ball(const ct_shape *shape, const ct_frame *frame) {
  assert(ct_kind_is_mesh(shape->kind));
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  ct_convex_proxy proxy = {.kind = CT_PROXY_POINT, .size = view->radius};
  proxy.center = proxy.middle = frame ? ct_to_parent(*frame, view->centroid) : view->centroid;
  proxy.radius[0] = proxy.radius[1] = ct_shape_growth(shape);
  proxy.extent = ct_mesh_extent(view) + proxy.radius[0];
  return proxy;
}

static void open_mesh_cell(const ct_cell_input *in, ct_mesh_pair *p) {
  assert(in->workspace && in->shape_a->mesh && in->shape_b->mesh);
  ct_mesh_pair_open(p, in->shape_a->mesh, in->shape_b->mesh, &in->relative, &in->workspace->mesh);
  p->memory->stopped = false;
  p->contact = ct_shape_growth(in->shape_a) + ct_shape_growth(in->shape_b);
}

/* A vertex of one mesh that the other mesh contains. */
typedef struct contained_vertex {
  ct_vec3 point; /* in the frame of the first mesh */
  ct_vec3 own;   /* in the frame of its own mesh */
  bool second;   /* true: a vertex of the second mesh */
} contained_vertex;

/* Finds a connected component of one mesh that is inside the other, a solid, and returns its
 * vertex. `second`: components of b in a; else of a in b. */
static bool find_contained_component(const ct_mesh_pair *p, bool second, contained_vertex *inner) {
  const ct_mesh_view *parts = second ? p->b : p->a, *solid = second ? p->a : p->b;
  if (!solid->solid) return false;
  for (uint32_t i = 0; i < parts->component_count; i++) {
    ct_vec3 v = parts->vertices[parts->component_vertex[i]];
    ct_vec3 there = second ? ct_to_parent(p->relative, v) : ct_to_local(p->relative, v);
    if (ct_mesh_is_cancelled(p->memory, 8)) return false;
    if (!ct_mesh_contains(second ? p->mesh_a : p->mesh_b, there)) continue;
    *inner = (contained_vertex){second ? there : v, v, second};
    return true;
  }
  return false;
}

/* For disjoint surfaces: true if one body contains a component of the other. */
static bool find_nested_component(const ct_mesh_pair *p, contained_vertex *inner) {
  return !ct_mesh_pair_boxes_part(p) &&
         (find_contained_component(p, true, inner) || find_contained_component(p, false, inner));
}

/* Reports the vertex as both points, with the nearest triangle of its own mesh and none of the
 * other. */
static void write_nested_points(const ct_mesh_pair *p, const contained_vertex *inner, ct_gap *gap,
                                ct_cell_result *result) {
  assert(inner->second ? p->a->solid : p->b->solid);
  ct_mesh_foot foot = {.triangle = CT_NO_TRIANGLE};
  ct_mesh_nearest(inner->second ? p->mesh_b : p->mesh_a, inner->own, INFINITY, &foot);
  result->triangle_a = inner->second ? CT_NO_TRIANGLE : foot.triangle;
  result->triangle_b = inner->second ? foot.triangle : CT_NO_TRIANGLE;
  gap->a = gap->b = inner->point;
}

static void write_solids_result(const ct_mesh_pair *p, const ct_gap *found, ct_mesh_growth growth,
                                ct_cell_result *result) {
  ct_mesh_feature f;
  ct_gap gap = *found;
  bool deep = ct_mesh_pair_deepest(p, &f);
  if (deep) {
    gap.a = f.point_a;
    gap.b = f.point_b;
    gap.normal = f.normal;
    result->triangle_a = f.triangle_a;
    result->triangle_b = f.triangle_b;
  }
  double depth = deep ? f.depth : 0.0;
  if (depth <= compute_pair_roundoff(p))
    ct_mesh_pair_touch_normal(p, compute_pair_roundoff(p), &gap.normal);
  ct_mesh_write_result(-depth, gap, growth, true, result);
  if (f.complete) return;
  result->status = CT_PAIR_ITERATION_LIMIT;
  result->lower = ct_min2(result->lower, -f.bound - growth.a - growth.b);
}

/* Writes the result of a cancelled query: the distance is between the bound and the best distance
 * found, and one solid may contain the other. */
static void write_cancelled_result(const ct_mesh_pair *p, const ct_mesh_nearest_pair *found,
                                   ct_mesh_growth growth, ct_cell_result *result) {
  bool solids = p->a->solid && p->b->solid;
  ct_mesh_write_result(found->gap.distance, found->gap, growth, solids, result);
  result->status = CT_PAIR_ITERATION_LIMIT;
  result->lower = ct_min2(found->least, 0.0) - growth.a - growth.b;
  if (!p->a->solid && !p->b->solid) result->lower = found->least - growth.a - growth.b;
  else if (solids) result->lower = -2.0 * ct_min2(p->a->radius, p->b->radius) - growth.a - growth.b;
}

/* Writes the result for surfaces that have no common point. */
static void write_mesh_mesh_separation(const ct_mesh_pair *p, double threshold,
                                       ct_mesh_growth growth, ct_cell_result *result) {
  ct_mesh_nearest_pair found;
  double grown = growth.a + growth.b;
  ct_mesh_outcome outcome = ct_mesh_pair_nearest(p, threshold + grown, &found);
  result->iterations = found.tests;
  result->triangle_a = p->a->order[found.position_a];
  result->triangle_b = p->b->order[found.position_b];
  if (outcome == CT_MESH_STOPPED) {
    write_cancelled_result(p, &found, growth, result);
    return;
  }
  if (found.gap.distance <= compute_pair_roundoff(p))
    ct_mesh_pair_touch_normal(p, compute_pair_roundoff(p), &found.gap.normal);
  ct_mesh_write_result(found.gap.distance, found.gap, growth, p->a->solid && p->b->solid, result);
  result->lower = found.least - grown;
  if (outcome == CT_MESH_BEYOND) result->distance = result->lower;
}

void ct_cell_mesh_mesh(const ct_cell_input *in, ct_cell_result *result) {
  ct_mesh_pair p;
  open_mesh_cell(in, &p);
  ct_mesh_growth growth = {ct_shape_growth(in->shape_a), ct_shape_growth(in->shape_b)};
  bool solids = p.a->solid && p.b->solid;
  ct_mesh_nearest_pair found = {.gap = {.normal = {1.0, 0.0, 0.0}}};
  contained_vertex inner;
  /* Do the surfaces intersect, or does one solid contain a component of the other? */
  bool crossed = ct_mesh_pair_cross(&p, &found),
       overlap = crossed || find_nested_component(&p, &inner);
  /* Disjoint: the distance of the surfaces. Overlapping: the depth of elements or features. */
  if (!overlap) {
    write_mesh_mesh_separation(&p, in->threshold, growth, result);
  } else {
    result->iterations = found.tests;
    result->triangle_a = p.a->order[found.position_a];
    result->triangle_b = p.b->order[found.position_b];
    result->crossed = crossed;
    if (ct_elements_have_depth(in) && ct_elements_deepest(in, result)) return;
    if (!crossed) write_nested_points(&p, &inner, &found.gap, result);
    if (solids) write_solids_result(&p, &found.gap, growth, result);
    else ct_mesh_write_result(0.0, found.gap, growth, false, result);
    result->crossed = crossed;
  }
  /* For elements that touch: the elements that the triangles belong to. */
  if (ct_elements_have_depth(in) && result->distance <= 0.0 && !p.memory->stopped &&
      (crossed || !ct_elements_deepest(in, result)))
    ct_elements_surface_contact(in, result);
  /* If cancelled, only the smaller mesh bounds the depth. */
  if (!p.memory->stopped || result->status != CT_PAIR_OK) return;
  result->status = CT_PAIR_ITERATION_LIMIT;
  result->lower =
      ct_min2(result->lower, -2.0 * ct_min2(p.a->radius, p.b->radius) - growth.a - growth.b);
}

/* Tests the overlap of meshes with a rounding radius or margin, by the distance of their
 * surfaces. */
static bool test_rounded_mesh_overlap(const ct_cell_input *in, ct_vec3 *common) {
  ct_cell_input full = *in;
  full.threshold = 0.0;
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_mesh_mesh(&full, &r);
  double sum = r.radius_a + r.radius_b;
  if (common) *common = ct_lerp(r.point_a, r.point_b, sum > 0.0 ? r.radius_b / sum : 0.5);
  return r.distance <= 0.0;
}

bool ct_mesh_mesh_overlap(const ct_cell_input *in, ct_vec3 *common) {
  if (ct_shape_growth(in->shape_a) + ct_shape_growth(in->shape_b) != 0.0)
    return test_rounded_mesh_overlap(in, common);
  ct_mesh_pair p;
  open_mesh_cell(in, &p);
  ct_mesh_nearest_pair found;
  contained_vertex inner;
  bool crossed = ct_mesh_pair_cross(&p, &found);
  if (!crossed && !find_nested_component(&p, &inner)) return false;
  if (common) *common = crossed ? found.gap.a : inner.point;
  return true;
}

/* ---- relation ------------------------------------------------------------------------------- */

bool ct_mesh_relation_by_distance(const ct_cell_result *r, double tolerance,
                                  ct_relation *relation) {
  bool measured = r->depth_kind != CT_DEPTH_NONE;
  *relation = r->distance > tolerance ? CT_SEPARATED : CT_TOUCHING;
  return r->distance > 0.0 || (measured && r->distance >= -tolerance && r->distance < 0.0);
}

typedef struct proper_crossing {
  double slack;
  bool proper;
} proper_crossing;

static bool find_proper_pair(void *context, const ct_near_triangles *near) {
  proper_crossing *c = context;
  c->proper = near->gap.overlap > c->slack;
  return !c->proper;
}

/* True if the surfaces intersect by more than round-off; false if they only touch. */
static bool surfaces_intersect(const ct_mesh_pair *p, const ct_cell_result *result, double slack) {
  proper_crossing c = {slack, result->overlap > slack};
  if (!c.proper) ct_mesh_pair_visit(p, 0.0, find_proper_pair, &c);
  return c.proper;
}

/* True if one mesh is contained in the other, a solid, given that the surfaces may touch but do not
 * intersect. `every`: the surfaces touch, so all vertices are tested; else one vertex of each
 * component. */
static bool mesh_contains_mesh(const ct_mesh_pair *p, bool second, bool every) {
  const ct_mesh_view *inner = second ? p->b : p->a, *outer = second ? p->a : p->b;
  const ct_mesh *outer_mesh = second ? p->mesh_a : p->mesh_b;
  contained_vertex other;
  if (!outer->solid) return false;
  if (every)
    return ct_mesh_pair_outside(p, second) <= compute_pair_roundoff(p) &&
           !(inner->solid && ct_mesh_pair_inside(p, !second) > compute_pair_roundoff(p));
  for (uint32_t i = 0; i < inner->component_count; i++) {
    ct_vec3 v = inner->vertices[inner->component_vertex[i]];
    ct_vec3 there = second ? ct_to_parent(p->relative, v) : ct_to_local(p->relative, v);
    if (!ct_mesh_contains(outer_mesh, there)) return false;
  }
  return !find_contained_component(p, !second, &other);
}

ct_relation ct_mesh_mesh_relation(const ct_cell_input *in, const ct_cell_result *result,
                                  double tolerance) {
  ct_relation relation;
  if (ct_mesh_relation_by_distance(result, tolerance, &relation)) return relation;
  double touching = result->depth_kind != CT_DEPTH_NONE ? 0.0 : tolerance;
  ct_mesh_pair p;
  open_mesh_cell(in, &p);
  if (result->crossed &&
      surfaces_intersect(&p, result, ct_max2(touching, compute_pair_roundoff(&p))))
    return CT_PENETRATING;
  /* A vertex that is inside the other mesh by round-off alone does not decide for its component. */
  bool every = result->crossed || fabs(result->distance) <= compute_pair_roundoff(&p);
  if (mesh_contains_mesh(&p, true, every)) return CT_CONTAINING;
  if (mesh_contains_mesh(&p, false, every)) return CT_CONTAINED;
  return result->crossed && result->distance == 0.0 ? CT_TOUCHING : CT_PENETRATING;
}

/* ---- a mesh and a half-space: the lowest vertex --------------------------------------------- */

#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)

/* Search for the lowest vertex of a mesh above a half-space. */
typedef struct lowest {
  const ct_mesh_view *view;
  ct_vec3 up, origin;
  double height;
  uint32_t vertex, triangle; /* numbers in the caller's order; the lowest triangle number of the
                                vertex */
} lowest;

/* Returns the height of the lowest corner of a box. */
static double find_box_bottom(const lowest *l, const ct_aabb *box) {
  ct_vec3 up = l->up,
          p = {up.x >= 0.0 ? box->min.x : box->max.x, up.y >= 0.0 ? box->min.y : box->max.y,
               up.z >= 0.0 ? box->min.z : box->max.z};
  return ct_dot(up, ct_sub(p, l->origin));
}

static void test_lowest_leaf(lowest *l, const ct_mesh_node *leaf) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t vertex = l->view->corners[i][k], triangle = l->view->order[i];
      double height = ct_dot(l->up, ct_sub(l->view->vertices[vertex], l->origin));
      if (height > l->height) continue;
      if (height == l->height &&
          (vertex > l->vertex || (vertex == l->vertex && triangle >= l->triangle)))
        continue;
      l->height = height;
      l->vertex = vertex;
      l->triangle = triangle;
    }
  }
}

/* Finds the lowest vertex. Sums and products are in the same order for boxes and vertices, so no
 * vertex is rounded below the bottom of its box. */
static void find_lowest(lowest *l) {
  uint32_t stack[STACK_SIZE];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *n = &l->view->nodes[stack[--top]];
    if (find_box_bottom(l, &n->box) > l->height) continue;
    if (n->count > 0) {
      test_lowest_leaf(l, n);
      continue;
    }
    assert(top + 2 <= STACK_SIZE);
    bool second = find_box_bottom(l, &l->view->nodes[n->first + 1].box) <
                  find_box_bottom(l, &l->view->nodes[n->first].box);
    stack[top++] = n->first + (second ? 0 : 1);
    stack[top++] = n->first + (second ? 1 : 0);
  }
}

void ct_cell_mesh_half_space(const ct_cell_input *in, ct_cell_result *result) {
  assert(ct_kind_is_mesh(in->shape_a->kind) && in->shape_b->kind == CT_KIND_PLANE);
  const ct_mat3 *r = &in->relative.rotation;
  lowest l = {
      .view = ct_mesh_get(in->shape_a->mesh), .origin = in->relative.position, .height = INFINITY};
  l.up = ct_unit_or(ct_vec(r->rx.z, r->ry.z, r->rz.z), ct_vec(0.0, 0.0, 1.0));
  l.vertex = l.triangle = UINT32_MAX;
  find_lowest(&l);
  ct_vec3 vertex = l.view->vertices[l.vertex], down = ct_neg(l.up);
  double radius = ct_shape_growth(in->shape_a);
  result->normal = down;
  result->distance = result->lower = result->upper = l.height - radius;
  result->point_a = ct_add_scaled(vertex, down, radius);
  result->point_b = ct_add_scaled(vertex, down, l.height);
  result->triangle_a = l.triangle;
  result->iterations = 1;
}

/* True if the whole mesh is below the plane of the half-space, to round-off. */
static bool half_space_contains_mesh(const ct_cell_input *in) {
  const ct_mat3 *r = &in->relative.rotation;
  ct_vec3 up = ct_unit_or(ct_vec(r->rx.z, r->ry.z, r->rz.z), ct_vec(0.0, 0.0, 1.0));
  double top = ct_mesh_support_value(ct_mesh_get(in->shape_a->mesh), up) -
               ct_dot(up, in->relative.position) + in->a.radius[0];
  return top <= CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_max2(in->a.extent, fabs(top));
}

ct_relation ct_mesh_half_space_relation(const ct_cell_input *in, const ct_cell_result *r,
                                        double tolerance) {
  if (r->distance > tolerance) return CT_SEPARATED;
  if (r->distance >= -tolerance) return CT_TOUCHING;
  return half_space_contains_mesh(in) ? CT_CONTAINED : CT_PENETRATING;
}
