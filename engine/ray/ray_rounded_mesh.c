/* Ray cast against a rounded mesh (a mesh plus a ball) by sphere tracing (Hart 1996).
 *
 * Each step advances by the distance from the surface, so no crossing is missed. Limit: STEPS_MAX
 * steps for one ray.
 */
#include "ray/ray_mesh.h"

/* Largest number of steps of one ray. */
#define STEPS_MAX 4096

/* A position on the line, its signed distance from the surface, negative inside, and the nearest
 * surface point. */
typedef struct trace_point {
  double t, height;
  ct_vec3 point, out;
  uint32_t triangle;
} trace_point;

static trace_point evaluate_trace(const ct_mesh_ray *m, double growth, double t) {
  trace_point at = {.t = t, .point = ct_add_scaled(m->origin, m->direction, t)};
  ct_mesh_foot foot = {.distance = INFINITY};
  ct_mesh_nearest(m->mesh, at.point, INFINITY, &foot);
  bool inside = ct_mesh_contains(m->mesh, at.point);
  at.height = (inside ? -foot.distance : foot.distance) - growth;
  at.out = inside ? ct_sub(foot.point, at.point) : ct_sub(at.point, foot.point);
  at.triangle = foot.triangle;
  return at;
}

static void add_trace_crossing(const ct_mesh_ray *m, const trace_point *at, bool entering,
                               bool limited, ct_ray_crossing_list *list) {
  ct_ray_crossing c;
  if (!ct_ray_crossing_at(m->ray, m->shape.frame, m->before + at->t * m->length, at->point, &c))
    return;
  ct_ray_crossing_normal(m->shape.frame, at->out, &c);
  c.triangle = at->triangle;
  c.entering = entering;
  c.status = limited ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_OK;
  ct_ray_crossing_add(list, &c);
}

/* Sphere tracing. On the surface, within round-off, steps grow until the ray leaves it; the side
 * reached decides whether the surface was crossed. */
void ct_ray_cross_grown(const ct_mesh_ray *m, double growth, ct_ray_crossing_list *list) {
  double zero_distance = m->same * m->length, nudge = m->same;
  trace_point met = {.t = -1.0}, at = evaluate_trace(m, growth, 0.0);
  bool outside = at.height > 0.0, near = false;
  for (int step = 0; at.t <= m->end && at.t <= m->t_max && !(list->room == 1 && list->count > 0);
       step++) {
    bool limited = step == STEPS_MAX;
    /* on the surface: remember the first point and step on */
    if (fabs(at.height) <= zero_distance && !limited) {
      if (!near) met = at;
      near = true;
      at = evaluate_trace(m, growth, at.t + nudge);
      nudge *= 2.0;
      continue;
    }
    /* off the surface: a change of side is a crossing */
    bool is_outside = at.height > 0.0;
    if (limited || is_outside != outside)
      add_trace_crossing(m, near ? &met : &at, outside, limited, list);
    if (limited) return;
    outside = is_outside;
    near = false;
    nudge = m->same;
    at = evaluate_trace(m, growth, at.t + fabs(at.height) / m->length);
  }
}
