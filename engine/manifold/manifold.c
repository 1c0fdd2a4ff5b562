/* Manifolds: the pair's distance and normal, the outlines that face each other, their overlap, and the points that are kept.
 *
 * The pair itself is answered by ct_pair_distance; nothing here changes that. Everything is built on the pair in content order, in
 * the frame of its first body, so that a swapped call mirrors bit for bit. Terdiman, Gregorius, Catto (Game Physics, 2013 to 2015)
 * describe the choice between faces and edges.
 */
#include "manifold/manifold.h"
#include "convex/gjk.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"
#include "primitives/box_box.h"
#include "shape/sharp_shape.h"

#include <stdlib.h>

void ct_manifold_scratch_free(ct_manifold_scratch *memory) {
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

void ct_contacts_add(ct_contacts *c, const ct_contact_candidate *meeting) {
  if (!(meeting->distance <= c->reach)) return;
  ct_vec3 other = ct_add_scaled(meeting->at, c->view.normal, meeting->on_second ? -meeting->distance : meeting->distance);
  const ct_contact_point point = {.a = meeting->a,
                                  .b = meeting->b,
                                  .point_a = meeting->on_second ? other : meeting->at,
                                  .point_b = meeting->on_second ? meeting->at : other,
                                  .normal = c->view.normal,
                                  .distance = meeting->distance,
                                  .number = meeting->number};
  ct_contacts_push(c, &point);
}

static bool is_plane(ct_placed body) { return body.shape->kind == CT_KIND_PLANE; }
static bool is_mesh(ct_placed body) { return ct_kind_is_mesh(body.shape->kind); }

/* ---- outlines ---- */

static double reach_of(const ct_convex_proxy *proxy, ct_vec3 direction) {
  if (proxy->kind != CT_PROXY_BOX) return ct_proxy_support_value(proxy, direction);
  uint32_t top = 0;
  for (int i = 0; i < 3; i++) top |= (uint32_t)(ct_dot(direction, proxy->axis[i]) >= 0.0) << i;
  return ct_dot(direction, ct_proxy_box_vertex(proxy, top)) + proxy->radius[0];
}

/* Least distance of the two bodies along a direction; negative: they overlap by as much. */
static double separation(const ct_contacts *c, ct_vec3 direction) {
  return -reach_of(&c->core_b, ct_neg(direction)) - reach_of(&c->core_a, direction);
}

static bool is_face(const ct_supporting_face *o) {
  return o->kind == CT_SUPPORTING_FACE_POLYGON || o->kind == CT_SUPPORTING_FACE_DISC;
}

/* Is an outline a face that the bodies may be said to meet on? */
static bool meets_on(const ct_contacts *c, const ct_supporting_face *o, bool polygon) {
  if (!is_face(o)) return false;
  if (o->tilt <= CT_PARALLEL_ANGLE) return true;
  ct_vec3 normal = o->second ? ct_neg(o->normal) : o->normal;
  if (!polygon || ct_dot(normal, c->view.normal) < CT_FACE_COSINE_MIN) return false;
  double level = separation(c, normal), size = ct_min2(c->core_a.extent, c->core_b.extent);
  return level > c->distance - CT_FACE_OVER_EDGE_SIZE * size - CT_FACE_OVER_EDGE * fabs(level);
}

static bool outline_of(ct_contacts *c, int which, ct_supporting_face_want want) {
  ct_supporting_face *o = &c->memory->outline[which];
  o->second = which == 1;
  bool good = ct_supporting_face_find(which ? &c->core_b : &c->core_a, &c->view, want, o);
  c->failed = c->failed || !good;
  return good;
}

/* Two boxes on no face: do their edges part ways in the view beyond doubt? Then they share no more than the pair's own point. */
static bool edges_cross(ct_contacts *c, ct_supporting_face *a, ct_supporting_face *b) {
  ct_vec3 p = ct_supporting_face_box_edge(&c->core_a, &c->view, a), q = ct_supporting_face_box_edge(&c->core_b, &c->view, b);
  if (a->kind == CT_SUPPORTING_FACE_POINT || b->kind == CT_SUPPORTING_FACE_POINT) return true;
  double px = ct_dot(c->view.x, p), py = ct_dot(c->view.y, p), qx = ct_dot(c->view.x, q), qy = ct_dot(c->view.y, q);
  return fabs(px * qy - py * qx) > 2.0 * CT_PARALLEL_ANGLE * (fabs(px) + fabs(py)) * (fabs(qx) + fabs(qy));
}

/* Most pairs of boxes that meet at no face meet in one point: no corners are needed to know it. */
static bool boxes_cross(ct_contacts *c, ct_supporting_face *a, ct_supporting_face *b) {
  if (c->core_a.kind != CT_PROXY_BOX || c->core_b.kind != CT_PROXY_BOX) return false;
  a->second = false;
  b->second = true;
  ct_supporting_face_box_face(&c->core_a, &c->view, a);
  ct_supporting_face_box_face(&c->core_b, &c->view, b);
  return !meets_on(c, a, true) && !meets_on(c, b, true) && edges_cross(c, a, b);
}

static void meet_edges(ct_contacts *c) {
  ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (outline_of(c, 0, CT_SUPPORTING_WANT_EDGE) && outline_of(c, 1, CT_SUPPORTING_WANT_EDGE)) ct_contacts_overlap(c, a, b);
}

void ct_contacts_intersect_faces(ct_contacts *c) {
  ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (boxes_cross(c, a, b)) return;
  if (!outline_of(c, 0, CT_SUPPORTING_WANT_FACE) || !outline_of(c, 1, CT_SUPPORTING_WANT_FACE)) return;
  bool both = is_face(a) && is_face(b);
  if (meets_on(c, a, both) || meets_on(c, b, both)) {
    ct_contacts_overlap(c, a, b);
    return;
  }
  meet_edges(c);
}

void ct_contacts_intersect_edges(ct_contacts *c) {
  const ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (a->tilt > CT_PARALLEL_ANGLE && b->tilt > CT_PARALLEL_ANGLE) meet_edges(c);
}

/* ---- the pair's own point ---- */

/* What the pair's own point lies on: of an outline that leans an edge, the corner of that within twice a tie, or the support
 * vertex. */
static ct_feature feature_of(ct_contacts *c, int which, ct_vec3 at) {
  if (is_plane(which ? c->b : c->a)) return (ct_feature){CT_FEATURE_FACE, 0};
  if (is_plane(c->b) || is_mesh(c->a)) return (ct_feature){CT_FEATURE_SMOOTH, 0};
  ct_supporting_face *o = &c->memory->outline[which];
  if (o->tilt > CT_PARALLEL_ANGLE && !outline_of(c, which, CT_SUPPORTING_WANT_EDGE)) return (ct_feature){CT_FEATURE_SMOOTH, 0};
  for (uint32_t k = 0; o->kind == CT_SUPPORTING_FACE_SEGMENT && k < o->corners.count; k++) {
    const ct_corner *corner = &o->corners.items[k];
    if (corner->kind == CT_FEATURE_VERTEX && ct_norm(ct_sub(corner->at, at)) <= 2.0 * c->tie)
      return (ct_feature){CT_FEATURE_VERTEX, corner->vertex};
  }
  return o->inside;
}

static bool same_features(const ct_contact_point *p, const ct_contact_candidate *q) {
  return p->a.kind == q->a.kind && p->a.index == q->a.index && p->b.kind == q->b.kind && p->b.index == q->b.index;
}

/* The pair's own points stand where no other point is as deep: an overlap that is one point, or lies inside an outline. */
void ct_contacts_own(ct_contacts *c, uint32_t first, const ct_contact_candidate *own) {
  ct_manifold_scratch *m = c->memory;
  double least = INFINITY;
  for (uint32_t i = first; i < m->count; i++) least = ct_min2(least, m->points[i].distance);
  if (least <= own->distance + 2.0 * c->slack) return;
  if (least <= own->distance + ct_contacts_depth_tie(&m->points[first], m->count - first, &c->view, c->slack)) return;
  ct_contact_candidate meeting = *own;
  if (meeting.a.kind == CT_FEATURE_SMOOTH) meeting.a = feature_of(c, 0, own->at);
  if (meeting.b.kind == CT_FEATURE_SMOOTH)
    meeting.b = feature_of(c, 1, ct_add_scaled(own->at, c->view.normal, own->distance));
  for (uint32_t i = first; i < m->count; i++) {
    if (!same_features(&m->points[i], &meeting)) continue;
    m->points[i] = m->points[--m->count];
    break;
  }
  ct_contacts_add(c, &meeting);
}

/* ---- the pair ---- */

/* No negative zero leaves the engine. */
static ct_vec3 plain(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

/* From the pair's frame and order to the world's and the caller's. */
static void hand_back(const ct_contacts *c, bool swapped, ct_manifold *out) {
  ct_contact_point *points = c->memory->points;
  for (size_t i = 0; i < out->count; i++) {
    ct_contact_point p = points[i];
    ct_vec3 a = plain(ct_to_parent(*c->a.frame, p.point_a)), b = plain(ct_to_parent(*c->a.frame, p.point_b));
    points[i].point_a = swapped ? b : a;
    points[i].point_b = swapped ? a : b;
    points[i].a = swapped ? p.b : p.a;
    points[i].b = swapped ? p.a : p.b;
    ct_vec3 normal = is_mesh(c->b) ? ct_unit_or(ct_mat_mul(c->a.frame->rotation, p.normal), p.normal) : out->pair.normal;
    points[i].normal = is_mesh(c->b) ? plain(swapped ? ct_neg(normal) : normal) : normal;
    points[i].distance = p.distance + 0.0;
  }
  out->points = points;
}

/* By how much the depths of two patches may differ and still be equal: CT_CONTACT_TIE of the distance from the first of all points
 * to the farthest. */
static double tie_of_patches(const ct_contact_point *points, uint32_t count, double slack) {
  double most = 0.0;
  for (uint32_t i = 1; i < count; i++) most = ct_max2(most, ct_norm2(ct_sub(points[i].point_a, points[0].point_a)));
  return ct_max2(CT_CONTACT_TIE * sqrt(most), 2.0 * slack);
}

/* Of ordered patches, each with its deepest point first: moves that of the first patch that is as deep as any to a tie to the
 * front. */
static void deepest_patch_first(ct_contact_point *points, size_t count, double tie) {
  double least = INFINITY;
  size_t best = 0;
  for (size_t i = 0; i < count; i++) least = ct_min2(least, points[i].distance);
  for (size_t i = 1; i < count && points[best].distance > least + tie; i++)
    if (points[i].patch != points[i - 1].patch && points[i].distance < points[best].distance) best = i;
  if (best > 0) ct_contacts_move_front(points, (uint32_t)best);
}

/* Each patch for itself, its deepest point first; then the deepest of all before the others. */
static size_t keep(const ct_contacts *c, ct_detail detail) {
  ct_manifold_scratch *m = c->memory;
  uint32_t kept = 0, patches = 0;
  ct_contacts_order(m->points, m->count);
  if (is_mesh(c->b)) m->count = ct_contacts_unique(m->points, m->count);
  const double tie_of_all = is_mesh(c->a) || is_mesh(c->b) ? tie_of_patches(m->points, m->count, c->slack) : 0.0;
  for (uint32_t first = 0, end; first < m->count; first = end, patches++) {
    for (end = first + 1; end < m->count && m->points[end].patch == m->points[first].patch; end++) continue;
    ct_contact_point *patch = &m->points[first];
    uint32_t count = end - first;
    ct_view view = is_mesh(c->b) ? ct_view_along(patch[0].normal) : c->view;
    ct_contacts_deepest_first(patch, count, ct_contacts_depth_tie(patch, count, &view, c->slack));
    if (detail == CT_DETAIL_MANIFOLD) count = ct_contacts_reduce(patch, count, &view, c->slack);
    for (uint32_t i = 0; i < count && kept < first; i++) m->points[kept + i] = patch[i];
    kept += count;
  }
  if (patches > 1) deepest_patch_first(m->points, kept, tie_of_all);
  return detail == CT_DETAIL_DEEPEST && kept > 1 ? 1 : kept;
}

static double extent_of(ct_placed body) {
  const ct_mesh_view *mesh = ct_mesh_get(body.shape->mesh);
  return ct_norm(mesh->centroid) + mesh->radius;
}

static void place_frames(ct_contacts *c, ct_vec3 normal) {
  c->view = ct_contacts_view(c->a.frame, normal);
  c->relative.rotation = ct_mat_mat(ct_mat_transpose(c->a.frame->rotation), c->b.frame->rotation);
  c->relative.position = ct_to_local(*c->a.frame, c->b.frame->position);
}

static void place_cores(ct_contacts *c) {
  bool core_a = !is_plane(c->a) && !is_mesh(c->a), core_b = !is_plane(c->b) && !is_mesh(c->b);
  double scale_a = 0.0, scale_b = 0.0;
  if (core_a) {
    ct_proxy_place(c->a.shape, NULL, &c->core_a);
    scale_a = c->core_a.extent;
  } else {
    scale_a = is_mesh(c->a) ? extent_of(c->a) : ct_norm(c->relative.position);
  }
  if (core_b) {
    ct_proxy_place(c->b.shape, &c->relative, &c->core_b);
    scale_b = c->core_b.extent;
  } else if (is_mesh(c->b)) {
    scale_b = extent_of(c->b);
  }
  c->slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_max2(scale_a, scale_b) + fabs(c->distance));
  c->tie = ct_contacts_tie(is_plane(c->a) ? scale_b : scale_a, is_plane(c->b) ? scale_a : scale_b, c->slack);
}

/* All points but the pair's own. */
static void find_points(ct_contacts *c) {
  if (is_plane(c->a)) return;
  if (is_mesh(c->a)) {
    if (is_plane(c->b)) ct_contacts_mesh_plane(c);
    else ct_contacts_meshes(c);
  } else if (is_plane(c->b)) {
    ct_contacts_plane(c);
  } else if (is_mesh(c->b)) {
    ct_contacts_mesh(c);
  } else {
    ct_contacts_intersect_faces(c);
  }
}

/* The feature that the pair's answer names: the triangle of a mesh. Smooth where it names none. */
static ct_feature named(uint32_t triangle) {
  if (triangle == CT_NO_TRIANGLE) return (ct_feature){CT_FEATURE_SMOOTH, 0};
  return (ct_feature){CT_FEATURE_FACE, triangle};
}

static void find_by_outlines(ct_contacts *c, double clearance) {
  place_cores(c);
  c->reach = clearance + c->tie;
  find_points(c);
  /* Over a mesh the body's outline is that of the last triangle's view, or, where none was met, of an earlier pair. */
  if (is_mesh(c->b) && !is_mesh(c->a)) outline_of(c, 0, CT_SUPPORTING_WANT_FACE);
}

/* `quick`: may two balls be answered by the pair's own points alone? */
static void contacts_of(ct_placed a, ct_placed b, const ct_contact_options *options, ct_workspace *workspace, bool quick,
                        ct_manifold *out) {
  ct_pair_options pair_options = {options->tolerance, options->clearance};
  out->points = NULL;
  out->count = 0;
  out->failed = false;
  ct_pair_distance_within(a, b, &pair_options, workspace, &out->pair);
  const ct_pair_result *pair = &out->pair;
  if (pair->status == CT_PAIR_UNSUPPORTED || pair->distance > options->clearance) return;
  bool swapped = ct_pair_is_swapped(a, b);
  ct_contacts c;
  c.a = swapped ? b : a;
  c.b = swapped ? a : b;
  c.distance = pair->distance;
  c.workspace = workspace;
  c.memory = &workspace->manifold;
  c.memory->count = 0;
  c.failed = false;
  c.cut_short = false;
  c.own_triangle[0] = swapped ? pair->triangle_b : pair->triangle_a;
  c.own_triangle[1] = swapped ? pair->triangle_a : pair->triangle_b;
  c.own_point = ct_to_local(*c.a.frame, swapped ? pair->point_b : pair->point_a);
  place_frames(&c, swapped ? ct_neg(pair->normal) : pair->normal);
  ct_contact_candidate own = {
      .a = named(c.own_triangle[0]), .b = named(c.own_triangle[1]), .at = c.own_point, .distance = pair->distance};
  if (quick && a.shape->kind == CT_KIND_SPHERE && b.shape->kind == CT_KIND_SPHERE) {
    c.slack = c.tie = 0.0;
    c.reach = options->clearance;
    ct_contacts_add(&c, &own);
  } else {
    find_by_outlines(&c, options->clearance);
    ct_contacts_own(&c, 0, &own);
  }
  out->count = keep(&c, options->detail);
  workspace->manifold.out_of_memory = workspace->manifold.out_of_memory || c.failed;
  out->failed = c.failed;
  if (c.cut_short && pair->status == CT_PAIR_OK) out->pair.status = CT_PAIR_ITERATION_LIMIT;
  hand_back(&c, swapped, out);
}

/* A tetmesh or hexmesh meets others with its surface. */
static ct_shape seen_of(const ct_shape *shape) {
  ct_shape seen = *shape;
  if (ct_kind_has_elements(shape->kind)) seen.kind = CT_KIND_MESH;
  return seen;
}

void ct_pair_contacts(ct_placed a, ct_placed b, const ct_contact_options *options, ct_workspace *workspace, ct_manifold *out) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *out = (ct_manifold){.pair = ct_pair_unsupported()};
    return;
  }
  bool boxes = ct_box_is_sharp(a.shape) && ct_box_is_sharp(b.shape);
  if (boxes && ct_contacts_boxes(a, b, options, workspace, out)) return;
  if (!ct_kind_has_elements(a.shape->kind) && !ct_kind_has_elements(b.shape->kind)) {
    contacts_of(a, b, options, workspace, true, out);
    return;
  }
  ct_shape seen_a = seen_of(a.shape), seen_b = seen_of(b.shape);
  contacts_of((ct_placed){&seen_a, a.frame}, (ct_placed){&seen_b, b.frame}, options, workspace, true, out);
}

void ct_pair_contacts_by_supporting_faces(ct_placed a, ct_placed b, const ct_contact_options *options, ct_workspace *workspace,
                                          ct_manifold *out) {
  contacts_of(a, b, options, workspace, false, out);
}
