/* Containment: a convex body holds a hull of balls when it holds each ball. */
#include "narrow/gjk.h"
#include "narrow/matrix.h"

static double slack_of(const ct_core *holder, const ct_core *held) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_core_scale(holder, held);
}

static bool reaches_beyond(const ct_core *holder, const ct_core *held, ct_vec3 direction, double slack) {
  return ct_core_reach(held, direction) > ct_core_reach(holder, direction) + slack;
}

/* Ball or capsule: each ball of the held body is at least its radius deep. */
static bool round_holds(const ct_core *holder, const ct_core *held, double slack) {
  if (ct_core_curved(held)) return false;
  for (uint32_t i = 0; i < ct_core_vertex_count(held); i++) {
    ct_core point = {.kind = CT_CORE_POINT, .center = ct_core_vertex(held, i)};
    ct_vec3 normal;
    if (ct_round_distance(holder, &point, &normal) + ct_core_vertex_radius(held, i) > slack) return false;
  }
  return true;
}

/* Are the balls of the held body within the rounding of a polytope whose faces they do not pass? A ball no smaller than the
 * rounding is, and any other when its centre is as near to the bare polytope as the radii differ. */
static bool corners_hold(const ct_core *holder, const ct_core *held, double slack) {
  ct_core bare = *holder;
  bare.radius[0] = bare.radius[1] = 0.0;
  for (uint32_t i = 0; i < ct_core_vertex_count(held); i++) {
    double spare = holder->radius[0] - ct_core_vertex_radius(held, i);
    if (spare <= 0.0) continue;
    ct_core point = {.kind = CT_CORE_POINT, .center = ct_core_vertex(held, i)};
    point.middle = point.center;
    ct_gjk g = {.a = &bare, .b = &point, .threshold = spare + slack, .enough = spare};
    ct_gjk_outcome outcome = ct_gjk_run(&g);
    if (outcome == CT_GJK_BEYOND || (outcome == CT_GJK_SEPARATED && g.simplex.value > spare + slack)) return false;
  }
  return true;
}

/* Box or hull: no face is passed. */
static bool faces_hold(const ct_core *holder, const ct_core *held, double slack) {
  bool hull = holder->kind == CT_CORE_HULL;
  uint32_t faces = hull ? holder->view->face_count : 3, near = 0;
  for (uint32_t i = 0; i < faces; i++) {
    ct_vec3 n = {i == 0, i == 1, i == 2};
    if (hull) n = ct_vec(holder->view->nx[i], holder->view->ny[i], holder->view->nz[i]);
    if (!hull || holder->turned) n = ct_mat_mul(holder->rotation, n);
    for (int side = hull ? 1 : -1; side <= 1; side += 2) {
      ct_vec3 out = ct_scale(n, side);
      double radius;
      ct_vec3 far = ct_core_point(held, out, &near, &radius);
      double limit = hull ? holder->view->offset[i] : i == 0 ? holder->half.x : i == 1 ? holder->half.y : holder->half.z;
      limit += holder->radius[0];
      double reach = ct_dot(out, ct_sub(far, holder->center)) + radius;
      if (reach > limit + slack) return false;
    }
  }
  return true;
}

bool ct_core_holds(const ct_core *holder, const ct_core *held, ct_vec3 toward) {
  double slack = slack_of(holder, held);
  if (reaches_beyond(holder, held, toward, slack) || reaches_beyond(holder, held, ct_neg(toward), slack)) return false;
  ct_vec3 apart = ct_unit_or(ct_sub(held->middle, holder->middle), toward);
  if (reaches_beyond(holder, held, apart, slack)) return false;
  if (ct_core_curved(holder) || holder->kind == CT_CORE_TRIANGLE) return false;
  bool round = holder->kind == CT_CORE_POINT || holder->kind == CT_CORE_SEGMENT;
  if (round) return round_holds(holder, held, slack);
  return faces_hold(holder, held, slack) && (holder->radius[0] == 0.0 || corners_hold(holder, held, slack));
}
