/* Containment: a convex body holds a hull of balls when it holds each ball. */
#include "narrow/matrix.h"

static double slack_of(const ct_core *holder, const ct_core *held) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_core_scale(holder, held);
}

static bool reaches_beyond(const ct_core *holder, const ct_core *held, ct_vec3 direction, double slack) {
  return ct_core_reach(held, direction) > ct_core_reach(holder, direction) + slack;
}

/* Ball or capsule: each ball of the held body is at least its radius deep. */
static bool round_holds(const ct_core *holder, const ct_core *held, double slack) {
  for (uint32_t i = 0; i < ct_core_vertex_count(held); i++) {
    ct_core point = {.kind = CT_CORE_POINT, .center = ct_core_vertex(held, i)};
    ct_vec3 normal;
    if (ct_round_distance(holder, &point, &normal) + ct_core_vertex_radius(held, i) > slack) return false;
  }
  return true;
}

/* Box or hull: no face is passed. */
static bool polytope_holds(const ct_core *holder, const ct_core *held, double slack) {
  bool hull = holder->kind == CT_CORE_HULL;
  uint32_t faces = hull ? holder->view->face_count : 3, near = 0;
  for (uint32_t i = 0; i < faces; i++) {
    ct_vec3 n = {i == 0, i == 1, i == 2};
    if (hull) n = ct_vec(holder->view->nx[i], holder->view->ny[i], holder->view->nz[i]);
    if (!hull || holder->turned) n = ct_mat_mul(holder->rotation, n);
    for (int side = hull ? 1 : -1; side <= 1; side += 2) {
      ct_vec3 out = ct_scale(n, side);
      near = ct_core_support(held, out, near);
      double limit = hull ? holder->view->offset[i] : i == 0 ? holder->half.x : i == 1 ? holder->half.y : holder->half.z;
      double reach = ct_dot(out, ct_sub(ct_core_vertex(held, near), holder->center)) + ct_core_vertex_radius(held, near);
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
  bool round = holder->kind == CT_CORE_POINT || holder->kind == CT_CORE_SEGMENT;
  return round ? round_holds(holder, held, slack) : polytope_holds(holder, held, slack);
}
