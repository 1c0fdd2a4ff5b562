/* A ray and a mesh in a ball: the ray walks up to its surface by the distance from the mesh, so
 * that nothing is passed over. */
#include "ray/ray_mesh.h"

/* Steps to and along the surface, for one ray. */
#define STEPS_MAX 4096

/* A place on the line: how far from the surface it is, negative within, and the foot. */
typedef struct place {
  double t, height;
  ct_vec3 point, out;
  uint32_t triangle;
} place;

static place place_at(const ct_mesh_ray *m, double growth, double t) {
  place at = {.t = t, .point = ct_add_scaled(m->origin, m->direction, t)};
  ct_mesh_foot foot = {.distance = INFINITY};
  ct_mesh_nearest(m->mesh, at.point, INFINITY, &foot);
  bool inside = ct_mesh_contains(m->mesh, at.point);
  at.height = (inside ? -foot.distance : foot.distance) - growth;
  at.out = inside ? ct_sub(foot.point, at.point) : ct_sub(at.point, foot.point);
  at.triangle = foot.triangle;
  return at;
}

static void put_place(const ct_mesh_ray *m, const place *at, bool entering, bool limited,
                      ct_ray_crossing_list *list) {
  ct_ray_crossing c;
  if (!ct_ray_crossing_at(m->ray, m->shape.frame, m->before + at->t * m->length, at->point, &c))
    return;
  ct_ray_crossing_normal(m->shape.frame, at->out, &c);
  c.triangle = at->triangle;
  c.entering = entering;
  c.status = limited ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_OK;
  ct_ray_crossing_add(list, &c);
}

/* From place to place, each as far on as the last was from the surface; on the surface by steps of
 * round-off that grow until it is left, on the side that decides whether it was crossed. */
void ct_ray_cross_grown(const ct_mesh_ray *m, double growth, ct_ray_crossing_list *list) {
  double enough = m->same * m->length, nudge = m->same;
  place met = {.t = -1.0}, at = place_at(m, growth, 0.0);
  bool outside = at.height > 0.0, near = false;
  for (int step = 0; at.t <= m->end && at.t <= m->t_max && !(list->room == 1 && list->count > 0);
       step++) {
    bool limited = step == STEPS_MAX;
    if (fabs(at.height) <= enough && !limited) {
      if (!near) met = at;
      near = true;
      at = place_at(m, growth, at.t + nudge);
      nudge *= 2.0;
      continue;
    }
    bool now = at.height > 0.0;
    if (limited || now != outside) put_place(m, near ? &met : &at, outside, limited, list);
    if (limited) return;
    outside = now;
    near = false;
    nudge = m->same;
    at = place_at(m, growth, at.t + fabs(at.height) / m->length);
  }
}
