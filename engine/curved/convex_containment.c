/* Containment of one convex body in another, up to round-off.
 *
 * If the inner body is a hull of balls, an outer body contains it if it contains each ball. An
 * outer polytope contains any body that crosses none of its face planes.
 *
 * For a curved inner body, its point farthest outside is searched. The distance from the outer body
 * is convex, so the inner body's support point along the outward normal is never less far outside.
 * The search starts in all directions and ascends until a step gains only round-off. Each point
 * found outside is a proof. */
#include "curved/curved.h"
#include "pair/workspace.h"

/* Largest number of iterations of one ascent, each with one support of the inner body; an ascent
 * ends when a step gains only round-off. */
#define CLIMB_STEPS_MAX 64

/* Number of balls, vertices or faces evaluated between two polls of the cancel flag: less than 1
 * ms. */
#define FEATURES_PER_POLL 256u

static bool is_containment_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % FEATURES_PER_POLL == 0 && ct_cancel_raised(cancel);
}

static double compute_containment_slack(const ct_convex_proxy *outer,
                                        const ct_convex_proxy *inner) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_proxy_scale(outer, inner);
}

static bool extends_beyond(const ct_convex_proxy *outer, const ct_convex_proxy *inner,
                           ct_vec3 direction, double slack) {
  return ct_proxy_support_value(inner, direction) >
         ct_proxy_support_value(outer, direction) + slack;
}

/* Signed distance of a point from the outer body, and the body's normal there; false if the point
 * is inside the core of a polytope. */
bool ct_proxy_point_distance(const ct_convex_proxy *outer, ct_vec3 p, double *distance,
                             ct_vec3 *normal) {
  ct_convex_proxy point = {.kind = CT_PROXY_POINT, .center = p, .middle = p};
  if (ct_proxy_is_curved(outer)) {
    ct_curved_closest foot = ct_curved_closest_point(outer, p, 1.0);
    *distance = foot.distance - outer->radius[0];
    *normal = foot.normal;
    return true;
  }
  if (outer->kind == CT_PROXY_POINT || outer->kind == CT_PROXY_SEGMENT) {
    *distance = ct_sphere_capsule_distance(outer, &point, normal);
    return true;
  }
  ct_convex_proxy bare = *outer;
  bare.radius[0] = bare.radius[1] = 0.0;
  ct_gjk g = {.a = &bare, .b = &point, .threshold = INFINITY, .enough = -INFINITY};
  if (ct_gjk_run(&g) == CT_GJK_INSIDE) return false;
  *distance = g.simplex.value - outer->radius[0];
  *normal = g.simplex.normal;
  return true;
}

/* True if the centre of each ball of the inner body is at least the ball's radius deep in the outer
 * body. */
static bool contains_balls(const ct_convex_proxy *outer, const ct_convex_proxy *inner, double slack,
                           const ct_cancel *cancel) {
  for (uint32_t i = 0; i < ct_proxy_vertex_count(inner); i++) {
    if (is_containment_cancelled(i, cancel)) return false;
    double distance;
    ct_vec3 normal;
    if (!ct_proxy_point_distance(outer, ct_proxy_vertex(inner, i), &distance, &normal)) continue;
    if (distance + ct_proxy_vertex_radius(inner, i) > slack) return false;
  }
  return true;
}

/* True if the ascent from the inner body's support point along `start` finds no point outside. */
static bool climb_stays_inside(const ct_convex_proxy *outer, const ct_convex_proxy *inner,
                               ct_vec3 start, double slack) {
  uint32_t hint = 0;
  double radius;
  ct_vec3 p = ct_proxy_point(inner, start, &hint, &radius);
  for (int step = 0; step < CLIMB_STEPS_MAX; step++) {
    double distance;
    ct_vec3 normal;
    if (!ct_proxy_point_distance(outer, p, &distance, &normal)) return true;
    if (distance + radius > slack) return false;
    ct_vec3 next = ct_proxy_point(inner, normal, &hint, &radius);
    if (ct_dot(normal, ct_sub(next, p)) <= 0.25 * slack) return true;
    p = next;
  }
  return true;
}

static bool contains_curved_body(const ct_convex_proxy *outer, const ct_convex_proxy *inner,
                                 double slack) {
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      for (int z = -1; z <= 1; z++) {
        ct_vec3 direction = {x, y, z};
        if (x == 0 && y == 0 && z == 0) continue;
        if (!climb_stays_inside(outer, inner, ct_mat_mul(inner->rotation, direction), slack))
          return false;
        if (ct_proxy_is_curved(outer) &&
            !climb_stays_inside(outer, inner, ct_mat_mul(outer->rotation, direction), slack))
          return false;
      }
  return true;
}

/* For a rounded polytope whose face planes no ball crosses: true if each ball is within the
 * rounding. A ball at least as large as the rounding is. A smaller ball is if its centre is at most
 * the difference of the radii away from the polytope without rounding. */
static bool contains_corner_balls(const ct_convex_proxy *outer, const ct_convex_proxy *inner,
                                  double slack, const ct_cancel *cancel) {
  ct_convex_proxy bare = *outer;
  bare.radius[0] = bare.radius[1] = 0.0;
  for (uint32_t i = 0; i < ct_proxy_vertex_count(inner); i++) {
    if (is_containment_cancelled(i, cancel)) return false;
    double spare = outer->radius[0] - ct_proxy_vertex_radius(inner, i);
    if (spare <= 0.0) continue;
    ct_convex_proxy point = {.kind = CT_PROXY_POINT, .center = ct_proxy_vertex(inner, i)};
    point.middle = point.center;
    ct_gjk g = {.a = &bare, .b = &point, .threshold = spare + slack, .enough = spare};
    ct_gjk_outcome outcome = ct_gjk_run(&g);
    if (outcome == CT_GJK_BEYOND ||
        (outcome == CT_GJK_SEPARATED && g.simplex.value > spare + slack))
      return false;
  }
  return true;
}

/* True if the inner body crosses no face plane of a box or hull; rounding radii included. */
static bool is_within_faces(const ct_convex_proxy *outer, const ct_convex_proxy *inner,
                            double slack, const ct_cancel *cancel) {
  bool hull = outer->kind == CT_PROXY_HULL;
  uint32_t faces = hull ? outer->view->face_count : 3, hint = 0;
  for (uint32_t i = 0; i < faces; i++) {
    if (is_containment_cancelled(i, cancel)) return false;
    ct_vec3 n = {i == 0, i == 1, i == 2};
    if (hull) n = ct_vec(outer->view->nx[i], outer->view->ny[i], outer->view->nz[i]);
    if (!hull || outer->turned) n = ct_mat_mul(outer->rotation, n);
    /* A box has two faces per axis, a hull one per entry of its view. */
    for (int side = hull ? 1 : -1; side <= 1; side += 2) {
      ct_vec3 out = ct_scale(n, side);
      double radius;
      ct_vec3 far = ct_proxy_point(inner, out, &hint, &radius);
      double limit = hull     ? outer->view->offset[i]
                     : i == 0 ? outer->half.x
                     : i == 1 ? outer->half.y
                              : outer->half.z;
      limit += outer->radius[0];
      double reach = ct_dot(out, ct_sub(far, outer->center)) + radius;
      if (reach > limit + slack) return false;
    }
  }
  return true;
}

bool ct_proxy_contains(const ct_convex_proxy *outer, const ct_convex_proxy *inner, ct_vec3 toward,
                       const ct_cancel *cancel) {
  /* Necessary conditions first: the extents along three likely directions. */
  double slack = compute_containment_slack(outer, inner);
  if (extends_beyond(outer, inner, toward, slack) ||
      extends_beyond(outer, inner, ct_neg(toward), slack))
    return false;
  ct_vec3 apart = ct_unit_or(ct_sub(inner->middle, outer->middle), toward);
  if (extends_beyond(outer, inner, apart, slack)) return false;
  if (outer->kind == CT_PROXY_TRIANGLE) return false;
  /* Then the test that suits the kinds: faces, balls or ascent. */
  bool faces = outer->kind == CT_PROXY_BOX || outer->kind == CT_PROXY_HULL;
  if (faces && !is_within_faces(outer, inner, slack, cancel)) return false;
  if (faces && outer->radius[0] == 0.0) return true;
  if (ct_proxy_is_curved(inner)) return contains_curved_body(outer, inner, slack);
  return faces ? contains_corner_balls(outer, inner, slack, cancel)
               : contains_balls(outer, inner, slack, cancel);
}

ct_relation ct_convex_relation(const ct_cell_input *in, const ct_cell_result *r, double tolerance) {
  if (r->distance > tolerance) return CT_SEPARATED;
  if (r->distance >= -tolerance) return CT_TOUCHING;
  const ct_cancel *cancel = ct_workspace_cancel(in->workspace);
  if (ct_proxy_contains(&in->a, &in->b, r->normal, cancel)) return CT_CONTAINING;
  if (ct_proxy_contains(&in->b, &in->a, ct_neg(r->normal), cancel)) return CT_CONTAINED;
  return CT_PENETRATING;
}
