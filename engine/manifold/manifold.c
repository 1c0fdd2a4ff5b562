/* Contact manifold of one pair: distance and normal, the two supporting faces, their overlap, and
 * the reduction to few points.
 *
 * ct_pair_distance computes distance and normal; this file does not change them. All steps use the
 * pair in content order, in the frame of its first body, so that a call with exchanged bodies gives
 * bit-identical exchanged results. All points of a pair have the same normal, except for pairs with
 * a mesh, which have one per patch. */
#include "manifold/manifold.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"
#include "primitives/box_box.h"
#include "shape/sharp_shape.h"

#include <assert.h>

/* ---- the pair ------------------------------------------------------------------------------- */

/* Replaces negative zeros by zeros, so that no result contains one. */
static ct_vec3 clear_negative_zeros(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

/* Transforms the points from the pair's frame to the world, from content order to the caller's
 * order, and sets out->points. */
static void transform_points_to_world(const ct_contacts *c, bool swapped, ct_manifold *out) {
  ct_contact_point *points = c->memory->points;
  for (size_t i = 0; i < out->count; i++) {
    ct_contact_point p = points[i];
    ct_vec3 a = clear_negative_zeros(ct_to_parent(*c->a.frame, p.point_a)),
            b = clear_negative_zeros(ct_to_parent(*c->a.frame, p.point_b));
    points[i].point_a = swapped ? b : a;
    points[i].point_b = swapped ? a : b;
    points[i].a = swapped ? p.b : p.a;
    points[i].b = swapped ? p.a : p.b;
    ct_vec3 normal = ct_placed_is_mesh(c->b)
                         ? ct_unit_or(ct_mat_mul(c->a.frame->rotation, p.normal), p.normal)
                         : out->pair.normal;
    points[i].normal =
        ct_placed_is_mesh(c->b) ? clear_negative_zeros(swapped ? ct_neg(normal) : normal) : normal;
    points[i].distance = p.distance + 0.0;
  }
  out->points = points;
}

/* Returns the difference of depths, m, up to which points of different patches are equally deep:
 * CT_CONTACT_TIE times the largest distance from the first point to another, but at least twice the
 * round-off. */
static double compute_patch_depth_tie(const ct_contact_point *points, uint32_t count,
                                      double slack) {
  double farthest = 0.0;
  for (uint32_t i = 1; i < count; i++)
    farthest = ct_max2(farthest, ct_norm2(ct_sub(points[i].point_a, points[0].point_a)));
  return ct_max2(CT_CONTACT_TIE * sqrt(farthest), 2.0 * slack);
}

/* Moves the deepest point of the deepest patch to the front; among patches equally deep within
 * `tie`, of the first. Each patch must begin with its deepest point. */
static void move_deepest_patch_first(ct_contact_point *points, size_t count, double tie) {
  double least = INFINITY;
  size_t best = 0;
  for (size_t i = 0; i < count; i++) least = ct_min2(least, points[i].distance);
  for (size_t i = 1; i < count && points[best].distance > least + tie; i++)
    if (points[i].patch != points[i - 1].patch && points[i].distance < points[best].distance)
      best = i;
  if (best > 0) ct_contacts_move_front(points, (uint32_t)best);
}

/* Reduces each patch separately, its deepest point first, then moves the deepest point of all
 * patches to the front. Returns the number of points. */
static size_t reduce_patches(const ct_contacts *c, ct_detail detail) {
  ct_manifold_scratch *m = c->memory;
  uint32_t point_count = 0, patches = 0;
  /* Sort, and keep one point per pair of features. */
  ct_contacts_order(m->points, m->count);
  if (ct_placed_is_mesh(c->b)) m->count = ct_contacts_unique(m->points, m->count);
  const double patch_tie = ct_placed_is_mesh(c->a) || ct_placed_is_mesh(c->b)
                               ? compute_patch_depth_tie(m->points, m->count, c->slack)
                               : 0.0;
  for (uint32_t first = 0, end; first < m->count; first = end, patches++) {
    for (end = first + 1; end < m->count && m->points[end].patch == m->points[first].patch; end++)
      continue;
    /* Reduce one patch, and move it towards the front of the list. */
    ct_contact_point *patch = &m->points[first];
    uint32_t count = end - first;
    ct_view view = ct_placed_is_mesh(c->b) ? ct_view_along(patch[0].normal) : c->view;
    ct_contacts_deepest_first(patch, count, ct_contacts_depth_tie(patch, count, &view, c->slack));
    if (detail == CT_DETAIL_MANIFOLD) count = ct_contacts_reduce(patch, count, &view, c->slack);
    for (uint32_t i = 0; i < count && point_count < first; i++)
      m->points[point_count + i] = patch[i];
    point_count += count;
  }
  assert(point_count <= m->count && patches <= m->count);
  if (patches > 1) move_deepest_patch_first(m->points, point_count, patch_tie);
  return detail == CT_DETAIL_DEEPEST && point_count > 1 ? 1 : point_count;
}

static double compute_mesh_extent(ct_placed body) {
  const ct_mesh_view *mesh = ct_mesh_get(body.shape->mesh);
  return ct_norm(mesh->centroid) + mesh->radius;
}

static void compute_relative_frames(ct_contacts *c, ct_vec3 normal) {
  c->view = ct_contacts_view(c->a.frame, normal);
  c->relative.rotation = ct_mat_mat(ct_mat_transpose(c->a.frame->rotation), c->b.frame->rotation);
  c->relative.position = ct_to_local(*c->a.frame, c->b.frame->position);
}

static void place_pair_proxies(ct_contacts *c) {
  bool core_a = !ct_placed_is_half_space(c->a) && !ct_placed_is_mesh(c->a),
       core_b = !ct_placed_is_half_space(c->b) && !ct_placed_is_mesh(c->b);
  double scale_a = 0.0, scale_b = 0.0;
  if (core_a) {
    ct_proxy_place(c->a.shape, NULL, &c->core_a);
    scale_a = c->core_a.extent;
  } else {
    scale_a = ct_placed_is_mesh(c->a) ? compute_mesh_extent(c->a) : ct_norm(c->relative.position);
  }
  if (core_b) {
    ct_proxy_place(c->b.shape, &c->relative, &c->core_b);
    scale_b = c->core_b.extent;
  } else if (ct_placed_is_mesh(c->b)) {
    scale_b = compute_mesh_extent(c->b);
  }
  c->slack =
      CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_max2(scale_a, scale_b) + fabs(c->distance));
  c->tie = ct_contacts_tie(ct_placed_is_half_space(c->a) ? scale_b : scale_a,
                           ct_placed_is_half_space(c->b) ? scale_a : scale_b, c->slack);
}

/* Adds all contact points of the pair except the witness points. */
static void find_pair_points(ct_contacts *c) {
  /* Content order: a half-space is the second body; a mesh is first only if the second body is a
   * mesh or a half-space. */
  assert(!ct_placed_is_half_space(c->a) || ct_placed_is_half_space(c->b));
  assert(!ct_placed_is_mesh(c->a) || ct_placed_is_mesh(c->b) || ct_placed_is_half_space(c->b));
  if (ct_placed_is_half_space(c->a)) return;
  if (ct_placed_is_mesh(c->a)) {
    if (ct_placed_is_half_space(c->b)) ct_contacts_mesh_plane(c);
    else ct_contacts_meshes(c);
  } else if (ct_placed_is_half_space(c->b)) {
    ct_contacts_plane(c);
  } else if (ct_placed_is_mesh(c->b)) {
    ct_contacts_mesh(c);
  } else {
    ct_contacts_intersect_faces(c);
  }
}

/* Returns the feature of a witness point on a mesh triangle; a smooth feature if there is no
 * triangle. */
static ct_feature make_triangle_feature(uint32_t triangle) {
  if (triangle == CT_NO_TRIANGLE) return (ct_feature){CT_FEATURE_SMOOTH, 0};
  return (ct_feature){CT_FEATURE_FACE, triangle};
}

static void find_contact_points(ct_contacts *c, double clearance) {
  place_pair_proxies(c);
  assert(c->slack >= 0.0 && c->tie >= c->slack);
  c->reach = clearance + c->tie;
  find_pair_points(c);
  /* A query with a mesh leaves the supporting face for the last triangle's normal, or that of an
   * earlier pair, in memory->outline[0]: find the face for the pair's normal again. */
  if (ct_placed_is_mesh(c->b) && !ct_placed_is_mesh(c->a))
    ct_contacts_find_face(c, 0, CT_SUPPORTING_WANT_FACE);
}

/* Computes the manifold of one pair. `quick`: two spheres are treated by their witness points
 * alone. */
static void compute_manifold(ct_placed a, ct_placed b, const ct_contact_options *options,
                             ct_workspace *workspace, bool quick, ct_manifold *out) {
  ct_pair_options pair_options = {options->tolerance, options->clearance};
  out->points = NULL;
  out->count = 0;
  out->failed = false;
  ct_pair_distance_within(a, b, &pair_options, workspace, &out->pair);
  const ct_pair_result *pair = &out->pair;
  if (pair->status == CT_PAIR_UNSUPPORTED || pair->distance > options->clearance) return;
  bool swapped = ct_pair_is_swapped(a, b);
  ct_contacts c;
  /* Use content order, so that results do not depend on the order of the arguments. */
  c.a = swapped ? b : a;
  c.b = swapped ? a : b;
  c.distance = pair->distance;
  c.workspace = workspace;
  c.memory = ct_workspace_manifold(workspace);
  c.memory->count = 0;
  c.failed = false;
  c.cut_short = false;
  /* The distance query answers in the caller's order: exchange its results if needed. */
  c.own_triangle[0] = swapped ? pair->triangle_b : pair->triangle_a;
  c.own_triangle[1] = swapped ? pair->triangle_a : pair->triangle_b;
  c.own_point = ct_to_local(*c.a.frame, swapped ? pair->point_b : pair->point_a);
  compute_relative_frames(&c, swapped ? ct_neg(pair->normal) : pair->normal);
  ct_contact_candidate own = {.a = make_triangle_feature(c.own_triangle[0]),
                              .b = make_triangle_feature(c.own_triangle[1]),
                              .at = c.own_point,
                              .distance = pair->distance};
  /* Two spheres have one point; all others intersect their supporting faces. */
  if (quick && a.shape->kind == CT_KIND_SPHERE && b.shape->kind == CT_KIND_SPHERE) {
    c.slack = c.tie = 0.0;
    c.reach = options->clearance;
    ct_contacts_add(&c, &own);
  } else {
    find_contact_points(&c, options->clearance);
    ct_contacts_own(&c, 0, &own);
  }
  /* Reduce the points, and transform them to the world frame. */
  out->count = reduce_patches(&c, options->detail);
  ct_workspace_manifold(workspace)->out_of_memory =
      ct_workspace_manifold(workspace)->out_of_memory || c.failed;
  out->failed = c.failed;
  if (c.cut_short && pair->status == CT_PAIR_OK) out->pair.status = CT_PAIR_ITERATION_LIMIT;
  transform_points_to_world(&c, swapped, out);
}

/* Returns the shape whose surface is in contact: a tetmesh or hexmesh is replaced by its boundary
 * mesh. */
static ct_shape make_surface_shape(const ct_shape *shape) {
  ct_shape surface = *shape;
  if (ct_kind_has_elements(shape->kind)) surface.kind = CT_KIND_MESH;
  return surface;
}

void ct_pair_contacts(ct_placed a, ct_placed b, const ct_contact_options *options,
                      ct_workspace *workspace, ct_manifold *out) {
  ct_frame prepared[2];
  if (!ct_placed_prepare_both(&a, &b, prepared)) {
    *out = (ct_manifold){.pair = ct_pair_unsupported()};
    return;
  }
  bool boxes = ct_box_is_sharp(a.shape) && ct_box_is_sharp(b.shape);
  if (boxes && ct_contacts_boxes(a, b, options, workspace, out)) return;
  if (!ct_kind_has_elements(a.shape->kind) && !ct_kind_has_elements(b.shape->kind)) {
    compute_manifold(a, b, options, workspace, true, out);
    return;
  }
  ct_shape surface_a = make_surface_shape(a.shape), surface_b = make_surface_shape(b.shape);
  compute_manifold((ct_placed){&surface_a, a.frame}, (ct_placed){&surface_b, b.frame}, options,
                   workspace, true, out);
}

void ct_pair_contacts_by_supporting_faces(ct_placed a, ct_placed b,
                                          const ct_contact_options *options,
                                          ct_workspace *workspace, ct_manifold *out) {
  compute_manifold(a, b, options, workspace, false, out);
}
