/* Contact manifold of one pair: distance and normal, the two supporting faces, their overlap, and
 * the reduction to few points.
 *
 * ct_pair_distance computes distance and normal; this file does not change them. All steps use the
 * pair in content order, in the frame of its first body, so that a call with swapped bodies gives
 * bit-identical mirrored results. The choice between face and edge contact follows Terdiman,
 * Gregorius and Catto (Game Physics, 2013 to 2015). Limits: one normal per pair, except for pairs
 * with a mesh, which have one per patch.
 */
#include "manifold/manifold.h"
#include "convex/gjk.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"
#include "primitives/box_box.h"
#include "shape/sharp_shape.h"

#include <stdlib.h>

static void release_manifold_part(void *part) {
  ct_manifold_scratch *memory = part;
  for (int i = 0; i < 2; i++) {
    free(memory->outline[i].corners.items);
    free(memory->outline[i].slopes.items);
    free(memory->cut[i].items);
  }
  free(memory->points);
  free(memory->root);
  free(memory->contacts);
  free(memory->link);
}

const ct_workspace_part_type ct_manifold_part_type = {sizeof(ct_manifold_scratch),
                                                      offsetof(ct_manifold_scratch, out_of_memory),
                                                      release_manifold_part};
_Static_assert(sizeof(ct_manifold_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

bool ct_contacts_reserve(ct_manifold_scratch *m, uint32_t capacity) {
  if (capacity <= m->capacity) return true;
  ct_contact_point *points = realloc(m->points, capacity * sizeof *points);
  if (!points) return false;
  m->points = points;
  m->capacity = capacity;
  return true;
}

void ct_contacts_push(ct_contacts *c, const ct_contact_point *point) {
  ct_manifold_scratch *m = c->memory;
  if (m->count == m->capacity && !ct_contacts_reserve(m, m->capacity ? 2 * m->capacity : 16)) {
    c->failed = true;
    return;
  }
  m->points[m->count++] = *point;
}

void ct_contacts_add(ct_contacts *c, const ct_contact_candidate *candidate) {
  if (!(candidate->distance <= c->reach)) return;
  ct_vec3 other = ct_add_scaled(candidate->at, c->view.normal,
                                candidate->on_second ? -candidate->distance : candidate->distance);
  const ct_contact_point point = {.a = candidate->a,
                                  .b = candidate->b,
                                  .point_a = candidate->on_second ? other : candidate->at,
                                  .point_b = candidate->on_second ? candidate->at : other,
                                  .normal = c->view.normal,
                                  .distance = candidate->distance,
                                  .number = candidate->number};
  ct_contacts_push(c, &point);
}

static bool is_half_space_body(ct_placed body) { return body.shape->kind == CT_KIND_PLANE; }
static bool is_mesh_body(ct_placed body) { return ct_kind_is_mesh(body.shape->kind); }

/* ---- supporting faces ----------------------------------------------------------------------- */

static double compute_proxy_support(const ct_convex_proxy *proxy, ct_vec3 direction) {
  if (proxy->kind != CT_PROXY_BOX) return ct_proxy_support_value(proxy, direction);
  uint32_t top = 0;
  for (int i = 0; i < 3; i++) top |= (uint32_t)(ct_dot(direction, proxy->axis[i]) >= 0.0) << i;
  return ct_dot(direction, ct_proxy_box_vertex(proxy, top)) + proxy->radius[0];
}

/* Separation of the two bodies along a direction, m. Negative: penetration depth along the
 * direction. */
static double compute_proxy_separation(const ct_contacts *c, ct_vec3 direction) {
  return -compute_proxy_support(&c->core_b, ct_neg(direction)) -
         compute_proxy_support(&c->core_a, direction);
}

static bool is_planar_face(const ct_supporting_face *o) {
  return o->kind == CT_SUPPORTING_FACE_POLYGON || o->kind == CT_SUPPORTING_FACE_DISC;
}

/* True if the supporting face is a face contact candidate: perpendicular to the normal, or nearly
 * as separating as the normal. */
static bool is_face_contact(const ct_contacts *c, const ct_supporting_face *o, bool polygon) {
  if (!is_planar_face(o)) return false;
  if (o->tilt <= CT_PARALLEL_ANGLE) return true;
  ct_vec3 normal = o->second ? ct_neg(o->normal) : o->normal;
  if (!polygon || ct_dot(normal, c->view.normal) < CT_FACE_COSINE_MIN) return false;
  double level = compute_proxy_separation(c, normal),
         size = ct_min2(c->core_a.extent, c->core_b.extent);
  return level > c->distance - CT_FACE_OVER_EDGE_SIZE * size - CT_FACE_OVER_EDGE * fabs(level);
}

static bool find_supporting_face(ct_contacts *c, int which, ct_supporting_face_want want) {
  ct_supporting_face *o = &c->memory->outline[which];
  o->second = which == 1;
  bool ok = ct_supporting_face_find(which ? &c->core_b : &c->core_a, &c->view, want, o);
  c->failed = c->failed || !ok;
  return ok;
}

/* True if the supporting edges of two boxes are certainly not parallel in the view. The bodies then
 * share the witness point only. */
static bool have_crossing_box_edges(ct_contacts *c, ct_supporting_face *a, ct_supporting_face *b) {
  ct_vec3 p = ct_supporting_face_box_edge(&c->core_a, &c->view, a),
          q = ct_supporting_face_box_edge(&c->core_b, &c->view, b);
  if (a->kind == CT_SUPPORTING_FACE_POINT || b->kind == CT_SUPPORTING_FACE_POINT) return true;
  double px = ct_dot(c->view.x, p), py = ct_dot(c->view.y, p), qx = ct_dot(c->view.x, q),
         qy = ct_dot(c->view.y, q);
  return fabs(px * qy - py * qx) >
         2.0 * CT_PARALLEL_ANGLE * (fabs(px) + fabs(py)) * (fabs(qx) + fabs(qy));
}

/* Early-out for two boxes without face contact: most such pairs have one point, which needs no
 * corners. */
static bool have_single_box_point(ct_contacts *c, ct_supporting_face *a, ct_supporting_face *b) {
  if (c->core_a.kind != CT_PROXY_BOX || c->core_b.kind != CT_PROXY_BOX) return false;
  a->second = false;
  b->second = true;
  ct_supporting_face_box_face(&c->core_a, &c->view, a);
  ct_supporting_face_box_face(&c->core_b, &c->view, b);
  return !is_face_contact(c, a, true) && !is_face_contact(c, b, true) &&
         have_crossing_box_edges(c, a, b);
}

static void intersect_supporting_edges(ct_contacts *c) {
  ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (find_supporting_face(c, 0, CT_SUPPORTING_WANT_EDGE) &&
      find_supporting_face(c, 1, CT_SUPPORTING_WANT_EDGE))
    ct_contacts_overlap(c, a, b);
}

void ct_contacts_intersect_faces(ct_contacts *c) {
  ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (have_single_box_point(c, a, b)) return;
  if (!find_supporting_face(c, 0, CT_SUPPORTING_WANT_FACE) ||
      !find_supporting_face(c, 1, CT_SUPPORTING_WANT_FACE))
    return;
  bool both = is_planar_face(a) && is_planar_face(b);
  if (is_face_contact(c, a, both) || is_face_contact(c, b, both)) {
    ct_contacts_overlap(c, a, b);
    return;
  }
  intersect_supporting_edges(c);
}

void ct_contacts_intersect_edges(ct_contacts *c) {
  const ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (a->tilt > CT_PARALLEL_ANGLE && b->tilt > CT_PARALLEL_ANGLE) intersect_supporting_edges(c);
}

/* ---- the pair's own point ------------------------------------------------------------------- */

/* Feature of a witness point: on a leaning face, its supporting edge, or an end of it within twice
 * a tie; else the supporting feature. */
static ct_feature find_witness_feature(ct_contacts *c, int which, ct_vec3 at) {
  if (is_half_space_body(which ? c->b : c->a)) return (ct_feature){CT_FEATURE_FACE, 0};
  if (is_half_space_body(c->b) || is_mesh_body(c->a)) return (ct_feature){CT_FEATURE_SMOOTH, 0};
  ct_supporting_face *o = &c->memory->outline[which];
  if (o->tilt > CT_PARALLEL_ANGLE && !find_supporting_face(c, which, CT_SUPPORTING_WANT_EDGE))
    return (ct_feature){CT_FEATURE_SMOOTH, 0};
  for (uint32_t k = 0; o->kind == CT_SUPPORTING_FACE_SEGMENT && k < o->corners.count; k++) {
    const ct_corner *corner = &o->corners.items[k];
    if (corner->kind == CT_FEATURE_VERTEX && ct_norm(ct_sub(corner->at, at)) <= 2.0 * c->tie)
      return (ct_feature){CT_FEATURE_VERTEX, corner->vertex};
  }
  return o->inside;
}

static bool have_same_features(const ct_contact_point *p, const ct_contact_candidate *q) {
  return p->a.kind == q->a.kind && p->a.index == q->a.index && p->b.kind == q->b.kind &&
         p->b.index == q->b.index;
}

/* Adds the witness points where no other point is as deep: the overlap is a single point, or the
 * deepest point is interior. */
void ct_contacts_own(ct_contacts *c, uint32_t first, const ct_contact_candidate *own) {
  ct_manifold_scratch *m = c->memory;
  double least = INFINITY;
  for (uint32_t i = first; i < m->count; i++) least = ct_min2(least, m->points[i].distance);
  if (least <= own->distance + 2.0 * c->slack) return;
  if (least <= own->distance +
                   ct_contacts_depth_tie(&m->points[first], m->count - first, &c->view, c->slack))
    return;
  ct_contact_candidate candidate = *own;
  if (candidate.a.kind == CT_FEATURE_SMOOTH) candidate.a = find_witness_feature(c, 0, own->at);
  if (candidate.b.kind == CT_FEATURE_SMOOTH)
    candidate.b = find_witness_feature(c, 1, ct_add_scaled(own->at, c->view.normal, own->distance));
  for (uint32_t i = first; i < m->count; i++) {
    if (!have_same_features(&m->points[i], &candidate)) continue;
    m->points[i] = m->points[--m->count];
    break;
  }
  ct_contacts_add(c, &candidate);
}

/* ---- the pair ------------------------------------------------------------------------------- */

/* Replaces negative zeros by zeros, so that no result contains one. */
static ct_vec3 clear_negative_zeros(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

/* Transforms the points from the pair's frame and content order to the world and the caller's
 * order. */
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
    ct_vec3 normal = is_mesh_body(c->b)
                         ? ct_unit_or(ct_mat_mul(c->a.frame->rotation, p.normal), p.normal)
                         : out->pair.normal;
    points[i].normal =
        is_mesh_body(c->b) ? clear_negative_zeros(swapped ? ct_neg(normal) : normal) : normal;
    points[i].distance = p.distance + 0.0;
  }
  out->points = points;
}

/* Depths of two patches that differ by less are equal, m: CT_CONTACT_TIE times the distance from
 * the first point to the farthest, at least twice the round-off. */
static double compute_patch_depth_tie(const ct_contact_point *points, uint32_t count,
                                      double slack) {
  double farthest = 0.0;
  for (uint32_t i = 1; i < count; i++)
    farthest = ct_max2(farthest, ct_norm2(ct_sub(points[i].point_a, points[0].point_a)));
  return ct_max2(CT_CONTACT_TIE * sqrt(farthest), 2.0 * slack);
}

/* Moves the deepest point of the deepest patch to the front. Each patch starts with its deepest
 * point; ties go to the first patch. */
static void move_deepest_patch_first(ct_contact_point *points, size_t count, double tie) {
  double least = INFINITY;
  size_t best = 0;
  for (size_t i = 0; i < count; i++) least = ct_min2(least, points[i].distance);
  for (size_t i = 1; i < count && points[best].distance > least + tie; i++)
    if (points[i].patch != points[i - 1].patch && points[i].distance < points[best].distance)
      best = i;
  if (best > 0) ct_contacts_move_front(points, (uint32_t)best);
}

/* Reduces each patch separately, deepest point first, then moves the deepest point of all to the
 * front. Returns the number of points. */
static size_t reduce_patches(const ct_contacts *c, ct_detail detail) {
  ct_manifold_scratch *m = c->memory;
  uint32_t point_count = 0, patches = 0;
  /* sort, and keep one point per pair of features */
  ct_contacts_order(m->points, m->count);
  if (is_mesh_body(c->b)) m->count = ct_contacts_unique(m->points, m->count);
  const double patch_tie = is_mesh_body(c->a) || is_mesh_body(c->b)
                               ? compute_patch_depth_tie(m->points, m->count, c->slack)
                               : 0.0;
  for (uint32_t first = 0, end; first < m->count; first = end, patches++) {
    for (end = first + 1; end < m->count && m->points[end].patch == m->points[first].patch; end++)
      continue;
    /* reduce one patch and compact it to the front */
    ct_contact_point *patch = &m->points[first];
    uint32_t count = end - first;
    ct_view view = is_mesh_body(c->b) ? ct_view_along(patch[0].normal) : c->view;
    ct_contacts_deepest_first(patch, count, ct_contacts_depth_tie(patch, count, &view, c->slack));
    if (detail == CT_DETAIL_MANIFOLD) count = ct_contacts_reduce(patch, count, &view, c->slack);
    for (uint32_t i = 0; i < count && point_count < first; i++)
      m->points[point_count + i] = patch[i];
    point_count += count;
  }
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
  bool core_a = !is_half_space_body(c->a) && !is_mesh_body(c->a),
       core_b = !is_half_space_body(c->b) && !is_mesh_body(c->b);
  double scale_a = 0.0, scale_b = 0.0;
  if (core_a) {
    ct_proxy_place(c->a.shape, NULL, &c->core_a);
    scale_a = c->core_a.extent;
  } else {
    scale_a = is_mesh_body(c->a) ? compute_mesh_extent(c->a) : ct_norm(c->relative.position);
  }
  if (core_b) {
    ct_proxy_place(c->b.shape, &c->relative, &c->core_b);
    scale_b = c->core_b.extent;
  } else if (is_mesh_body(c->b)) {
    scale_b = compute_mesh_extent(c->b);
  }
  c->slack =
      CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_max2(scale_a, scale_b) + fabs(c->distance));
  c->tie = ct_contacts_tie(is_half_space_body(c->a) ? scale_b : scale_a,
                           is_half_space_body(c->b) ? scale_a : scale_b, c->slack);
}

/* Finds all points except the witness points. */
static void find_pair_points(ct_contacts *c) {
  if (is_half_space_body(c->a)) return;
  if (is_mesh_body(c->a)) {
    if (is_half_space_body(c->b)) ct_contacts_mesh_plane(c);
    else ct_contacts_meshes(c);
  } else if (is_half_space_body(c->b)) {
    ct_contacts_plane(c);
  } else if (is_mesh_body(c->b)) {
    ct_contacts_mesh(c);
  } else {
    ct_contacts_intersect_faces(c);
  }
}

/* Feature of a witness point: the mesh triangle, or smooth if there is none. */
static ct_feature make_triangle_feature(uint32_t triangle) {
  if (triangle == CT_NO_TRIANGLE) return (ct_feature){CT_FEATURE_SMOOTH, 0};
  return (ct_feature){CT_FEATURE_FACE, triangle};
}

static void find_contact_points(ct_contacts *c, double clearance) {
  place_pair_proxies(c);
  c->reach = clearance + c->tie;
  find_pair_points(c);
  /* A mesh query leaves the supporting face of the last triangle's view, or of an earlier pair:
   * find it again for the pair's normal. */
  if (is_mesh_body(c->b) && !is_mesh_body(c->a))
    find_supporting_face(c, 0, CT_SUPPORTING_WANT_FACE);
}

/* Computes the manifold of one pair. `quick`: two spheres need only their witness points. */
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
  /* Content order: results do not depend on the order of the arguments. */
  c.a = swapped ? b : a;
  c.b = swapped ? a : b;
  c.distance = pair->distance;
  c.workspace = workspace;
  c.memory = ct_workspace_manifold(workspace);
  c.memory->count = 0;
  c.failed = false;
  c.cut_short = false;
  /* The distance query answers in the caller's order; the manifold uses content order. */
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
  /* Reduce, then return the points in the world frame. */
  out->count = reduce_patches(&c, options->detail);
  ct_workspace_manifold(workspace)->out_of_memory =
      ct_workspace_manifold(workspace)->out_of_memory || c.failed;
  out->failed = c.failed;
  if (c.cut_short && pair->status == CT_PAIR_OK) out->pair.status = CT_PAIR_ITERATION_LIMIT;
  transform_points_to_world(&c, swapped, out);
}

/* The shape whose surface is in contact: a tetmesh or hexmesh is reduced to its boundary mesh. */
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
