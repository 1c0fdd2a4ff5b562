/* Containment. A convex body holds a hull of balls when it holds each ball; a polytope holds a body that passes none of its faces.
 *
 * Else, of a curved body that is held, the point farthest out is looked for: the distance of a point from the holder is convex, so
 * from any point the support along the holder's normal there is no nearer, and the search climbs until it is no farther. It is
 * begun all round, and every step that ends outside is a proof.
 */
#include "curved/curved.h"

/* Steps of one climb: each is a support of the held body; they end when a step gains round-off. */
#define CLIMB_STEPS_MAX 64

/* Balls, corners or faces between two looks at the cancel flag: below 1 ms. */
#define FEATURES_PER_POLL 256u

static bool cancelled(uint32_t step, const ct_cancel *cancel) { return step % FEATURES_PER_POLL == 0 && ct_cancel_raised(cancel); }

static double slack_of(const ct_convex_proxy *holder, const ct_convex_proxy *held) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_proxy_scale(holder, held);
}

static bool reaches_beyond(const ct_convex_proxy *holder, const ct_convex_proxy *held, ct_vec3 direction, double slack) {
  return ct_proxy_support_value(held, direction) > ct_proxy_support_value(holder, direction) + slack;
}

bool ct_proxy_point_distance(const ct_convex_proxy *holder, ct_vec3 p, double *distance, ct_vec3 *normal) {
  ct_convex_proxy point = {.kind = CT_PROXY_POINT, .center = p, .middle = p};
  if (ct_proxy_is_curved(holder)) {
    ct_curved_closest foot = ct_curved_closest_point(holder, p, 1.0);
    *distance = foot.distance - holder->radius[0];
    *normal = foot.normal;
    return true;
  }
  if (holder->kind == CT_PROXY_POINT || holder->kind == CT_PROXY_SEGMENT) {
    *distance = ct_sphere_capsule_distance(holder, &point, normal);
    return true;
  }
  ct_convex_proxy bare = *holder;
  bare.radius[0] = bare.radius[1] = 0.0;
  ct_gjk g = {.a = &bare, .b = &point, .threshold = INFINITY, .enough = -INFINITY};
  if (ct_gjk_run(&g) == CT_GJK_INSIDE) return false;
  *distance = g.simplex.value - holder->radius[0];
  *normal = g.simplex.normal;
  return true;
}

/* Each ball of the held body is at least its radius deep. */
static bool holds_balls(const ct_convex_proxy *holder, const ct_convex_proxy *held, double slack, const ct_cancel *cancel) {
  for (uint32_t i = 0; i < ct_proxy_vertex_count(held); i++) {
    if (cancelled(i, cancel)) return false;
    double distance;
    ct_vec3 normal;
    if (!ct_proxy_point_distance(holder, ct_proxy_vertex(held, i), &distance, &normal)) continue;
    if (distance + ct_proxy_vertex_radius(held, i) > slack) return false;
  }
  return true;
}

/* Does the climb from the support along `start` stay inside? */
static bool climb_stays_inside(const ct_convex_proxy *holder, const ct_convex_proxy *held, ct_vec3 start, double slack) {
  uint32_t near = 0;
  double radius;
  ct_vec3 p = ct_proxy_point(held, start, &near, &radius);
  for (int step = 0; step < CLIMB_STEPS_MAX; step++) {
    double distance;
    ct_vec3 normal;
    if (!ct_proxy_point_distance(holder, p, &distance, &normal)) return true;
    if (distance + radius > slack) return false;
    ct_vec3 next = ct_proxy_point(held, normal, &near, &radius);
    if (ct_dot(normal, ct_sub(next, p)) <= 0.25 * slack) return true;
    p = next;
  }
  return true;
}

static bool holds_curved(const ct_convex_proxy *holder, const ct_convex_proxy *held, double slack) {
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      for (int z = -1; z <= 1; z++) {
        ct_vec3 way = {x, y, z};
        if (x == 0 && y == 0 && z == 0) continue;
        if (!climb_stays_inside(holder, held, ct_mat_mul(held->rotation, way), slack)) return false;
        if (ct_proxy_is_curved(holder) && !climb_stays_inside(holder, held, ct_mat_mul(holder->rotation, way), slack)) return false;
      }
  return true;
}

/* Are the balls of the held body within the rounding of a polytope whose faces they do not pass? A ball no smaller than the
 * rounding is, and any other when its centre is as near to the bare polytope as the radii differ. */
static bool corners_hold(const ct_convex_proxy *holder, const ct_convex_proxy *held, double slack, const ct_cancel *cancel) {
  ct_convex_proxy bare = *holder;
  bare.radius[0] = bare.radius[1] = 0.0;
  for (uint32_t i = 0; i < ct_proxy_vertex_count(held); i++) {
    if (cancelled(i, cancel)) return false;
    double spare = holder->radius[0] - ct_proxy_vertex_radius(held, i);
    if (spare <= 0.0) continue;
    ct_convex_proxy point = {.kind = CT_PROXY_POINT, .center = ct_proxy_vertex(held, i)};
    point.middle = point.center;
    ct_gjk g = {.a = &bare, .b = &point, .threshold = spare + slack, .enough = spare};
    ct_gjk_outcome outcome = ct_gjk_run(&g);
    if (outcome == CT_GJK_BEYOND || (outcome == CT_GJK_SEPARATED && g.simplex.value > spare + slack)) return false;
  }
  return true;
}

/* Box or hull: no face is passed. */
static bool faces_hold(const ct_convex_proxy *holder, const ct_convex_proxy *held, double slack, const ct_cancel *cancel) {
  bool hull = holder->kind == CT_PROXY_HULL;
  uint32_t faces = hull ? holder->view->face_count : 3, near = 0;
  for (uint32_t i = 0; i < faces; i++) {
    if (cancelled(i, cancel)) return false;
    ct_vec3 n = {i == 0, i == 1, i == 2};
    if (hull) n = ct_vec(holder->view->nx[i], holder->view->ny[i], holder->view->nz[i]);
    if (!hull || holder->turned) n = ct_mat_mul(holder->rotation, n);
    for (int side = hull ? 1 : -1; side <= 1; side += 2) {
      ct_vec3 out = ct_scale(n, side);
      double radius;
      ct_vec3 far = ct_proxy_point(held, out, &near, &radius);
      double limit = hull ? holder->view->offset[i] : i == 0 ? holder->half.x : i == 1 ? holder->half.y : holder->half.z;
      limit += holder->radius[0];
      double reach = ct_dot(out, ct_sub(far, holder->center)) + radius;
      if (reach > limit + slack) return false;
    }
  }
  return true;
}

bool ct_proxy_contains(const ct_convex_proxy *holder, const ct_convex_proxy *held, ct_vec3 toward, const ct_cancel *cancel) {
  double slack = slack_of(holder, held);
  if (reaches_beyond(holder, held, toward, slack) || reaches_beyond(holder, held, ct_neg(toward), slack)) return false;
  ct_vec3 apart = ct_unit_or(ct_sub(held->middle, holder->middle), toward);
  if (reaches_beyond(holder, held, apart, slack)) return false;
  if (holder->kind == CT_PROXY_TRIANGLE) return false;
  bool faces = holder->kind == CT_PROXY_BOX || holder->kind == CT_PROXY_HULL;
  if (faces && !faces_hold(holder, held, slack, cancel)) return false;
  if (faces && holder->radius[0] == 0.0) return true;
  if (ct_proxy_is_curved(held)) return holds_curved(holder, held, slack);
  return faces ? corners_hold(holder, held, slack, cancel) : holds_balls(holder, held, slack, cancel);
}
