/* Computes velocities at the centre of mass, which is cached for consecutive hits of the same
 * body. */
#include "execution/contact_velocity.h"

#include "queries/motion_path_json.h"

/* The centre of mass in the body frame. */
static ct_vec3 find_center(api_range_run *run, int side, uint32_t row, const ct_body *body) {
  api_center *known = &run->centers[side];
  if (known->row != row) *known = (api_center){row, api_motion_center(body)};
  return known->center;
}

static ct_velocity find_velocity(const api_range_run *run, uint32_t row) {
  const api_query *q = &run->task->question;
  const api_velocities *lists[] = {run->velocities, &q->velocities[0], &q->velocities[1]};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    const ct_velocity *given = lists[i] ? api_velocity_of(lists[i], row) : NULL;
    if (given) return *given;
  }
  return ct_scene_velocity(run->scene, row);
}

static void set_moving_body(api_range_run *run, int side, uint32_t row, ct_mass_body *out) {
  const ct_scene *scene = run->scene;
  const ct_body *body = ct_scene_body(scene, row);
  *out = (ct_mass_body){.mobility = CT_FIXED};
  if (!ct_body_motion(body)) return;
  ct_pose pose =
      ct_override_pose(scene, run->options->overrides, run->options->override_count, row);
  out->mobility = CT_KINEMATIC; /* forces do not matter here */
  out->center = ct_to_parent(ct_frame_of(pose), find_center(run, side, row, body));
  out->velocity = find_velocity(run, row);
}

void api_contact_velocity_of(api_range_run *run, const ct_hit *hit, api_contact_velocity *out) {
  set_moving_body(run, 0, hit->a, &out->bodies[0]);
  set_moving_body(run, 1, hit->b, &out->bodies[1]);
  out->tolerance = run->task->question.force.velocity_tolerance;
}
