/* Contact points of a bounded convex body: against another convex body, and over a half-space; and
 * the witness points of a pair.
 *
 * The contact points of two convex bodies are the corners of the overlap of their supporting faces.
 * The choice between face and edge contact follows Terdiman, Gregorius and Catto (Game Physics,
 * 2013 to 2015).
 *
 * Over a half-space, all vertices within reach, and four points of each rim, are contact points. A
 * rounded body has a ball at each vertex; only the directions in the vertex's normal cone are part
 * of the surface. The contact point of a vertex is the lowest point of this part. The direction
 * straight down is in the normal cone of the lowest vertex only. */
#include "manifold/manifold.h"

#include <assert.h>

/* ---- two convex bodies ---------------------------------------------------------------------- */

static double compute_proxy_support(const ct_convex_proxy *proxy, ct_vec3 direction) {
  if (proxy->kind != CT_PROXY_BOX) return ct_proxy_support_value(proxy, direction);
  uint32_t top = 0;
  for (int i = 0; i < 3; i++) top |= (uint32_t)(ct_dot(direction, proxy->axis[i]) >= 0.0) << i;
  return ct_dot(direction, ct_proxy_box_vertex(proxy, top)) + proxy->radius[0];
}

/* Returns the separation of the two bodies along a unit direction, rounding radii included, m.
 * Negative: their penetration along the direction. */
static double compute_proxy_separation(const ct_contacts *c, ct_vec3 direction) {
  return -compute_proxy_support(&c->core_b, ct_neg(direction)) -
         compute_proxy_support(&c->core_a, direction);
}

static bool is_planar_face(const ct_supporting_face *o) {
  return o->kind == CT_SUPPORTING_FACE_POLYGON || o->kind == CT_SUPPORTING_FACE_DISC;
}

/* True if the supporting face makes a face contact: it is perpendicular to the normal, or the
 * separation along its own normal is nearly the distance (CT_FACE_OVER_EDGE). `polygon`: both
 * supporting faces are planar; otherwise only a perpendicular face counts. */
static bool is_face_contact(const ct_contacts *c, const ct_supporting_face *o, bool polygon) {
  if (!is_planar_face(o)) return false;
  if (o->tilt <= CT_PARALLEL_ANGLE) return true;
  ct_vec3 normal = o->second ? ct_neg(o->normal) : o->normal;
  if (!polygon || ct_dot(normal, c->view.normal) < CT_FACE_COSINE_MIN) return false;
  double level = compute_proxy_separation(c, normal),
         size = ct_min2(c->core_a.extent, c->core_b.extent);
  return level > c->distance - CT_FACE_OVER_EDGE_SIZE * size - CT_FACE_OVER_EDGE * fabs(level);
}

bool ct_contacts_find_face(ct_contacts *c, int which, ct_supporting_face_want want) {
  ct_supporting_face *o = &c->memory->outline[which];
  assert(which == 0 || which == 1);
  o->second = which == 1;
  bool ok = ct_supporting_face_find(which ? &c->core_b : &c->core_a, &c->view, want, o);
  c->failed = c->failed || !ok;
  return ok;
}

/* True if the supporting edges of two boxes are certainly not parallel in the view, or one of the
 * features is a vertex. The only contact point is then the witness point. */
static bool have_crossing_box_edges(ct_contacts *c, ct_supporting_face *a, ct_supporting_face *b) {
  ct_vec3 p = ct_supporting_face_box_edge(&c->core_a, &c->view, a),
          q = ct_supporting_face_box_edge(&c->core_b, &c->view, b);
  if (a->kind == CT_SUPPORTING_FACE_POINT || b->kind == CT_SUPPORTING_FACE_POINT) return true;
  double px = ct_dot(c->view.x, p), py = ct_dot(c->view.y, p), qx = ct_dot(c->view.x, q),
         qy = ct_dot(c->view.y, q);
  return fabs(px * qy - py * qx) >
         2.0 * CT_PARALLEL_ANGLE * (fabs(px) + fabs(py)) * (fabs(qx) + fabs(qy));
}

/* Early-out for two boxes: true if they have no face contact and only the witness point. Most such
 * pairs do, and need no corners. */
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
  if (ct_contacts_find_face(c, 0, CT_SUPPORTING_WANT_EDGE) &&
      ct_contacts_find_face(c, 1, CT_SUPPORTING_WANT_EDGE))
    ct_contacts_overlap(c, a, b);
}

void ct_contacts_intersect_faces(ct_contacts *c) {
  ct_supporting_face *a = &c->memory->outline[0], *b = &c->memory->outline[1];
  if (have_single_box_point(c, a, b)) return;
  if (!ct_contacts_find_face(c, 0, CT_SUPPORTING_WANT_FACE) ||
      !ct_contacts_find_face(c, 1, CT_SUPPORTING_WANT_FACE))
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

/* ---- witness points -------------------------------------------------------------------------- */

/* Returns the feature of a witness point. On a face that is not perpendicular to the normal: its
 * supporting edge, or an end of the edge within twice a tie; else the supporting feature. */
static ct_feature find_witness_feature(ct_contacts *c, int which, ct_vec3 at) {
  if (ct_placed_is_half_space(which ? c->b : c->a)) return (ct_feature){CT_FEATURE_FACE, 0};
  if (ct_placed_is_half_space(c->b) || ct_placed_is_mesh(c->a))
    return (ct_feature){CT_FEATURE_SMOOTH, 0};
  ct_supporting_face *o = &c->memory->outline[which];
  if (o->tilt > CT_PARALLEL_ANGLE && !ct_contacts_find_face(c, which, CT_SUPPORTING_WANT_EDGE))
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

/* Adds the witness point where no other point is as deep: where the overlap is a single point, or
 * the deepest point is in its interior. */
void ct_contacts_own(ct_contacts *c, uint32_t first, const ct_contact_candidate *own) {
  ct_manifold_scratch *m = c->memory;
  double least = INFINITY;
  for (uint32_t i = first; i < m->count; i++) least = ct_min2(least, m->points[i].distance);
  if (least <= own->distance + 2.0 * c->slack) return;
  if (least <= own->distance +
                   ct_contacts_depth_tie(&m->points[first], m->count - first, &c->view, c->slack))
    return;
  ct_contact_candidate candidate = *own;
  assert(first <= m->count);
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

/* ---- over a half-space ---------------------------------------------------------------------- */

/* A point of the core, and the direction from it to the point of the rounded surface. */
typedef struct surface_point {
  ct_feature feature;
  ct_vec3 core_point, direction; /* direction: unit vector in the normal cone of the core at the
                                    point */
  double radius;
  uint32_t number;
} surface_point;

static void add_half_space_point(ct_contacts *c, const surface_point *s) {
  ct_vec3 down = c->view.normal, at = ct_add_scaled(s->core_point, s->direction, s->radius);
  double level = ct_dot(down, c->relative.position);
  ct_contact_candidate candidate = {.a = s->feature,
                                    .b = {CT_FEATURE_FACE, 0},
                                    .at = at,
                                    .number = s->number,
                                    .distance = level - ct_dot(down, at)};
  ct_contacts_add(c, &candidate);
}

/* Components of a vector along an axis and perpendicular to it. */
typedef struct flat_vec {
  double along, across;
} flat_vec;

static double cross_flat(flat_vec p, flat_vec q) { return p.along * q.across - p.across * q.along; }
static double dot_flat(flat_vec p, flat_vec q) { return p.along * q.along + p.across * q.across; }

/* Returns the unit vector nearest to `down` on the arc from first to second, which must be less
 * than half a turn counter-clockwise. */
static flat_vec clamp_to_arc(flat_vec first, flat_vec second, flat_vec down) {
  double length = sqrt(dot_flat(down, down));
  assert(cross_flat(first, second) > 0.0);
  if (length > 0.0 && cross_flat(first, down) >= 0.0 && cross_flat(down, second) >= 0.0)
    return (flat_vec){down.along / length, down.across / length};
  return dot_flat(first, down) >= dot_flat(second, down) ? first : second;
}

static void add_rim_of_frustum(ct_contacts *c, uint32_t top, const ct_vec3 at[4], ct_vec3 axis) {
  const ct_convex_proxy *proxy = &c->core_a;
  ct_vec3 center = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
  ct_side_slope lean = ct_proxy_side_slope(proxy);
  double outward = top ? 1.0 : -1.0, rim = proxy->rim[top];
  ct_vec3 out = ct_scale(axis, outward);
  /* ends of the arc of normals at the rim: the normal of the cap, and of the side */
  flat_vec cap = {1.0, 0.0}, side = {outward * lean.sine, lean.cosine};
  for (uint32_t i = 0; i < (rim > 0.0 ? 4u : 1u); i++) {
    flat_vec down = {ct_dot(c->view.normal, out), ct_dot(c->view.normal, at[i])};
    flat_vec direction = clamp_to_arc(cap, side, down);
    surface_point s = {
        .feature = {rim > 0.0 ? CT_FEATURE_EDGE : CT_FEATURE_VERTEX, rim > 0.0 ? top : 0},
        .core_point = ct_add_scaled(center, at[i], rim),
        .direction = ct_add_scaled(ct_scale(out, direction.along), at[i], direction.across),
        .radius = proxy->radius[0],
        .number = i};
    add_half_space_point(c, &s);
  }
}

static void add_frustum_rims(ct_contacts *c) {
  const ct_convex_proxy *proxy = &c->core_a;
  ct_vec3 axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0)), at[4];
  ct_vec3 across = ct_vec(proxy->rotation.rx.x, proxy->rotation.ry.x, proxy->rotation.rz.x);
  ct_rim_points(axis, across, c->view.normal, CT_PARALLEL_ANGLE, at);
  for (uint32_t top = 0; top < 2; top++) add_rim_of_frustum(c, top, at, axis);
}

/* Returns the unit vector nearest to straight down in the normal cone of a box's vertex, which is
 * an octant. */
static ct_vec3 find_box_vertex_normal(const ct_convex_proxy *box, uint32_t vertex, ct_vec3 down) {
  const ct_mat3 *m = &box->rotation;
  ct_vec3 local = ct_mat_tmul(*m, down);
  double sign[3], level[3] = {local.x, local.y, local.z};
  int best = 0;
  for (int i = 0; i < 3; i++) {
    sign[i] = vertex >> i & 1u ? 1.0 : -1.0;
    level[i] *= sign[i];
    if (level[i] > level[best]) best = i;
  }
  if (level[0] >= 0.0 && level[1] >= 0.0 && level[2] >= 0.0) return down;
  ct_vec3 face =
      ct_vec(best == 0 ? sign[0] : 0.0, best == 1 ? sign[1] : 0.0, best == 2 ? sign[2] : 0.0);
  ct_vec3 inside = ct_vec(sign[0] * ct_max2(level[0], 0.0), sign[1] * ct_max2(level[1], 0.0),
                          sign[2] * ct_max2(level[2], 0.0));
  return ct_mat_mul(*m, ct_unit_or(inside, face));
}

/* Computes the normal of a capsule's side along its lowest line. False: the ball of one end
 * contains the other ball, so there is no side. */
static bool find_capsule_side_normal(const ct_convex_proxy *proxy, const ct_view *view,
                                     ct_vec3 *direction) {
  ct_vec3 axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  double lean =
      proxy->size > 0.0 ? (proxy->radius[0] - proxy->radius[1]) / (2.0 * proxy->size) : 1.0;
  if (!(fabs(lean) < 1.0)) return false;
  ct_vec3 across = ct_add_scaled(view->normal, axis, -ct_dot(view->normal, axis));
  across = ct_add_scaled(across, axis, -ct_dot(across, axis));
  ct_vec3 other =
      ct_cross(axis, fabs(axis.x) < 0.5 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0));
  across = ct_norm(across) > CT_PARALLEL_ANGLE ? across : other;
  *direction =
      ct_add_scaled(ct_scale(ct_unit_or(across, other), sqrt(1.0 - lean * lean)), axis, lean);
  return true;
}

static void add_core_vertices(ct_contacts *c) {
  const ct_convex_proxy *proxy = &c->core_a;
  ct_vec3 down = c->view.normal, side = down;
  uint32_t count = ct_proxy_vertex_count(proxy);
  double lowest = ct_proxy_support_value(proxy, down);
  bool has_side =
      proxy->kind != CT_PROXY_SEGMENT || find_capsule_side_normal(proxy, &c->view, &side);
  for (uint32_t i = 0; i < count; i++) {
    surface_point s = {.feature = {CT_FEATURE_VERTEX, i},
                       .core_point = ct_proxy_vertex(proxy, i),
                       .radius = ct_proxy_vertex_radius(proxy, i)};
    bool low = s.radius == 0.0 || ct_dot(down, s.core_point) + s.radius >= lowest - c->slack;
    if (!low && !has_side) continue;
    s.direction = low                           ? down
                  : proxy->kind == CT_PROXY_BOX ? find_box_vertex_normal(proxy, i, down)
                  : proxy->kind == CT_PROXY_SEGMENT
                      ? side
                      : ct_supporting_face_hull_normal(proxy, i, down);
    add_half_space_point(c, &s);
  }
}

void ct_contacts_plane(ct_contacts *c) {
  assert(ct_placed_is_half_space(c->b));
  const ct_convex_proxy *proxy = &c->core_a;
  if (proxy->kind == CT_PROXY_FRUSTUM) {
    add_frustum_rims(c);
  } else if (proxy->kind == CT_PROXY_ELLIPSOID || proxy->kind == CT_PROXY_POINT) {
    uint32_t near = 0;
    surface_point s = {.direction = c->view.normal};
    s.core_point = ct_proxy_point(proxy, c->view.normal, &near, &s.radius);
    add_half_space_point(c, &s);
  } else {
    add_core_vertices(c);
  }
}
