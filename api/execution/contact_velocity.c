/* Velocities are of the centre of mass, which is asked for once for as long as the same body comes again. */
#include "execution/contact_velocity.h"

#include "queries/motion_path_json.h"

/* The centre of mass in the body's frame. */
static ct_vec3 center_of(api_range_run *run, int side, uint32_t row, const ct_body *body) {
  api_center *known = &run->centers[side];
  if (known->row != row) *known = (api_center){row, api_motion_center(body)};
  return known->center;
}

static ct_velocity velocity_of(const api_range_run *run, uint32_t row) {
  const api_query *q = &run->task->question;
  const api_velocities *lists[] = {run->velocities, &q->velocities[0], &q->velocities[1]};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    const ct_velocity *given = lists[i] ? api_velocity_of(lists[i], row) : NULL;
    if (given) return *given;
  }
  return ct_scene_velocity(run->scene, row);
}

static void set_body(api_range_run *run, int side, uint32_t row, ct_mass_body *out) {
  const ct_scene *scene = run->scene;
  const ct_body *body = ct_scene_body(scene, row);
  *out = (ct_mass_body){.mobility = CT_FIXED};
  if (!ct_body_motion(body)) return;
  ct_pose pose = ct_override_pose(scene, run->options->overrides, run->options->override_count, row);
  out->mobility = CT_KINEMATIC; /* forces are not asked about */
  out->center = ct_to_parent(ct_frame_of(pose), center_of(run, side, row, body));
  out->velocity = velocity_of(run, row);
}

void api_contact_velocity_of(api_range_run *run, const ct_hit *hit, api_contact_velocity *out) {
  set_body(run, 0, hit->a, &out->bodies[0]);
  set_body(run, 1, hit->b, &out->bodies[1]);
  out->tolerance = run->task->question.force.velocity_tolerance;
}
