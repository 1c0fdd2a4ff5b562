/* Gaps, surfaces and fallback normals of contacts, by distance queries and support points. */
#include "volume/volume_gaps.h"

#include "mesh/mesh_support.h"
#include "pair/workspace.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

/* Largest distance from the surface of a computed surface point, in unit round-offs of the size. */
#define SURFACE_ROUNDOFFS 256.0

/* Computes the distance of the pair with both bodies displaced outward by `by` along a
 * direction. */
static ct_pair_result query_displaced_distance(ct_volume_pair *pair, ct_vec3 along, double by) {
  ct_pair_options options = {.threshold = INFINITY};
  ct_frame a = ct_frame_of(ct_pose_identity()), b = pair->relative;
  a.position = ct_scale(along, -by);
  b.position = ct_add_scaled(b.position, along, by);
  ct_pair_result r;
  ct_pair_distance((ct_placed){pair->a.shape, &a}, (ct_placed){pair->b.shape, &b}, &options,
                   pair->workspace, &r);
  return r;
}

ct_pair_result ct_volume_distance(ct_volume_pair *pair) {
  return query_displaced_distance(pair, ct_vec(0.0, 0.0, 0.0), 0.0);
}

void ct_volume_use_distance_normal(ct_volume_pair *pair, ct_volume_contact *c) {
  ct_pair_result r = ct_volume_distance(pair);
  c->normal = r.normal;
  c->flags |= CT_VOLUME_FLAG_NORMAL_FALLBACK;
  if (r.flags & CT_FLAG_NORMAL_ARBITRARY) c->flags |= CT_VOLUME_FLAG_NORMAL_ARBITRARY;
}

/* Returns the support of a body along a direction in its own frame. For a half-space, which has a
 * support along its normal only, the height of its surface. */
static double compute_body_support(const ct_shape *shape, ct_vec3 along) {
  double growth = ct_shape_growth(shape);
  if (shape->kind == CT_KIND_PLANE) return growth;
  if (ct_kind_is_mesh(shape->kind))
    return ct_mesh_support_value(ct_mesh_get(shape->mesh), along) + growth * ct_norm(along);
  return ct_dot(along, ct_shape_support(shape, along));
}

double ct_volume_depth(const ct_volume_pair *pair, ct_vec3 normal) {
  ct_vec3 local = ct_mat_tmul(pair->relative.rotation, ct_neg(normal));
  double depth = compute_body_support(pair->a.shape, normal) +
                 compute_body_support(pair->b.shape, local) -
                 ct_dot(normal, pair->relative.position);
  return ct_max2(depth, 0.0); /* round-off may make a touching depth negative */
}

void ct_volume_gaps(ct_volume_pair *pair, ct_volume_contact *c) {
  c->depth_along_normal = ct_volume_depth(pair, c->normal);
  double apart = -c->raw_gap;
  assert(apart >= 0.0);
  c->gap = ct_min2(
      ct_max2(query_displaced_distance(pair, c->normal, apart).distance, 0.0) - 2.0 * apart, 0.0);
}

/* ---- surfaces ------------------------------------------------------------------------------- */

/* Returns the id of the face whose plane, displaced by rounding radius and margin, is nearest to a
 * point. An inset hull uses the faces of its outer hull that insetting left. */
static uint32_t find_hull_surface(const ct_shape *shape, ct_vec3 p) {
  const ct_hull *outer = ct_hull_outer(shape->hull);
  const ct_hull_view *v = ct_hull_get(shape->hull), *named = ct_hull_get(outer);
  double growth = shape->rounding + shape->margin, least = INFINITY;
  uint32_t face = 0;
  for (uint32_t f = 0; f < v->face_count; f++) {
    double height = fabs(v->nx[f] * p.x + v->ny[f] * p.y + v->nz[f] * p.z - v->offset[f] - growth);
    if (height >= least) continue;
    least = height;
    face = outer == shape->hull ? f : v->face_plane[f];
  }
  assert(face < named->face_count);
  return named->surface_ids ? named->surface_ids[face] : face;
}

static uint32_t find_box_surface(const ct_shape *shape, ct_vec3 p) {
  double growth = ct_shape_growth(shape);
  ct_vec3 half = ct_add(shape->box.half, ct_vec(growth, growth, growth));
  const double height[6] = {fabs(p.x + half.x), fabs(p.x - half.x), fabs(p.y + half.y),
                            fabs(p.y - half.y), fabs(p.z + half.z), fabs(p.z - half.z)};
  uint32_t face = 0;
  for (uint32_t f = 1; f < 6; f++)
    if (height[f] < height[face]) face = f;
  return shape->surface_ids ? shape->surface_ids[face] : face;
}

/* Returns the id of the outer element face that contains a boundary triangle; for a mesh, the
 * triangle's index. */
static uint32_t get_triangle_surface(const ct_shape *shape, uint32_t triangle) {
  if (!ct_kind_has_elements(shape->kind)) return triangle;
  const ct_elements_view *view = ct_elements_get(shape->elements);
  uint32_t face = ct_elements_outer_of(view, triangle);
  return view->surface_ids ? view->surface_ids[face] : face;
}

static uint32_t find_surface_id(const ct_shape *shape, ct_vec3 p) {
  ct_mesh_foot foot;
  switch (shape->kind) {
  case CT_KIND_BOX: return find_box_surface(shape, p);
  case CT_KIND_CONVEX: return find_hull_surface(shape, p);
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
    return ct_mesh_nearest(shape->mesh, p, INFINITY, &foot)
               ? get_triangle_surface(shape, foot.triangle)
               : CT_NO_FACE;
  case CT_KIND_PLANE: return shape->surface_ids ? shape->surface_ids[0] : 0;
  default: return CT_NO_FACE;
  }
}

void ct_volume_curved_surfaces(const ct_volume_pair *pair, const ct_pair_result *r,
                               ct_volume_contact *c) {
  ct_vec3 in_b = ct_to_local(pair->relative, r->point_b),
          out_of_b = ct_mat_tmul(pair->relative.rotation, ct_neg(r->normal));
  c->surface_a = ct_shape_surface_at(pair->a.shape, r->point_a, r->normal);
  c->surface_b = ct_shape_surface_at(pair->b.shape, in_b, out_of_b);
}

/* True if a point is inside a solid mesh, or on its surface up to round-off. */
static bool is_in_solid_mesh(const ct_mesh *mesh, ct_vec3 p) {
  ct_mesh_foot foot;
  double slack = SURFACE_ROUNDOFFS * CT_UNIT_ROUNDOFF * (ct_mesh_get(mesh)->radius + ct_max_abs(p));
  return ct_mesh_contains(mesh, p) || ct_mesh_nearest(mesh, p, slack, &foot);
}

void ct_volume_surfaces(ct_volume_pair *pair, ct_volume_contact *c) {
  ct_vec3 in_b = ct_to_local(pair->relative, c->position);
  c->surface_a = find_surface_id(pair->a.shape, c->position);
  c->surface_b = find_surface_id(pair->b.shape, in_b);
  bool outside =
      (ct_kind_is_mesh(pair->a.shape->kind) &&
       !is_in_solid_mesh(pair->a.shape->mesh, c->position)) ||
      (ct_kind_is_mesh(pair->b.shape->kind) && !is_in_solid_mesh(pair->b.shape->mesh, in_b));
  if (outside) c->flags |= CT_VOLUME_FLAG_POINT_OUTSIDE;
}
