/* Contact points of a bounded convex body over a half-space: all vertices and quarter points of all
 * rims within reach.
 *
 * A rounded body has a ball at each vertex, of which only the directions in the vertex's normal
 * cone are part of the surface. The point of a vertex is the lowest point of this part. Straight
 * down is in the normal cone of the lowest vertex only.
 */
#include "manifold/manifold.h"

/* A point of the core, and the direction in which the surface point is. */
typedef struct surface_point {
  ct_feature feature;
  ct_vec3 core_point, direction; /* direction: unit, a normal of the core at the point */
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

/* Components along an axis and perpendicular to it. */
typedef struct flat_vec {
  double along, across;
} flat_vec;

static double cross_flat(flat_vec p, flat_vec q) { return p.along * q.across - p.across * q.along; }
static double dot_flat(flat_vec p, flat_vec q) { return p.along * q.along + p.across * q.across; }

/* The unit vector nearest to `down` on the arc from first to second, less than half a turn
 * counter-clockwise. */
static flat_vec clamp_to_arc(flat_vec first, flat_vec second, flat_vec down) {
  double length = sqrt(dot_flat(down, down));
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
  /* the arc of normals from the cap to the side */
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

/* The vector of a box vertex's normal cone, an octant, that is nearest to straight down. */
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

/* The normal of a capsule's side at its lowest line. False: the ball of one end contains the other
 * ball. */
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
