/* Does a crate stay on a slope of 30 degrees? It does while the coefficient of friction is at least
 * tan 30 = 0.577. */
#include <contact/contact.h>

#include <stdio.h>

static ct_status add_body(ct_draft *draft, ct_text id, ct_shape shape, double z,
                          const ct_motion *motion) {
  const ct_collider collider = {.shape = shape};
  ct_body_options options = ct_body_options_default();
  options.id = id;
  options.colliders = &collider;
  options.collider_count = 1;
  options.motion = motion;
  const ct_body *body = NULL;
  const ct_pose pose = {.position = {0.0, 0.0, z}};
  uint32_t row;
  ct_status status = ct_body_create(&options, &body);
  if (status == CT_OK) status = ct_draft_insert(draft, body, &pose, NULL, &row);
  ct_body_release(body);
  return status;
}

/* The normal forces' sum, N, and whether the crate stays. The slope is level and gravity leans
 * instead. */
static ct_stability solve_rest(const ct_scene *scene, double friction, ct_vec3 gravity,
                               double *normal_force) {
  const ct_pair_material material = {.static_friction = friction, .dynamic_friction = friction};
  ct_mechanics_options options = ct_mechanics_options_default();
  options.contact_tolerance = 1e-6;
  options.detail = CT_DETAIL_MANIFOLD;
  options.material = &material;
  options.gravity = &gravity;
  ct_workspace *workspace = ct_workspace_create();
  ct_arena *arena = ct_arena_create();
  ct_mechanics *mechanics = NULL;
  ct_contact_force forces[4];
  ct_body_acceleration accelerations[2];
  ct_resting_result result = {.contacts = forces, .bodies = accelerations};
  *normal_force = 0.0;
  if (workspace && arena && ct_mechanics_prepare(scene, &options, workspace, &mechanics) == CT_OK) {
    const ct_island island = ct_mechanics_island(mechanics, 0);
    ct_resting_options resting = ct_resting_options_default();
    resting.friction = CT_RESTING_FRICTION_CONE;
    resting.time_step = 0.01;
    resting.velocity_tolerance = ct_scene_velocity_tolerance(options.contact_tolerance, gravity);
    resting.stability = true;
    if (island.set.count == 4 && ct_resting_solve(&island.set, &resting, arena, &result) == CT_OK)
      for (size_t i = 0; i < island.set.count; i++) *normal_force += forces[i].normal;
  }
  ct_mechanics_destroy(mechanics);
  ct_arena_destroy(arena);
  ct_workspace_destroy(workspace);
  return result.stability;
}

int main(void) {
  const ct_motion crate = {.source = CT_MASS_MASS, .value = 10.0};
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  if (add_body(draft, (ct_text){"slope", 5}, (ct_shape){.kind = CT_KIND_PLANE}, 0.0, NULL) != CT_OK)
    return 1;
  if (add_body(draft, (ct_text){"crate", 5},
               (ct_shape){.kind = CT_KIND_BOX, .box = {{0.5, 0.5, 0.25}}}, 0.25, &crate) != CT_OK)
    return 1;
  const ct_scene *scene = ct_draft_seal(draft);
  const double angle = 0.52359877559829882, g = 9.81; /* 30 degrees */
  const ct_vec3 gravity = {g * sin(angle), 0.0, -g * cos(angle)};
  double normal_force, sliding_force;
  const ct_stability rough = solve_rest(scene, 0.60, gravity, &normal_force);
  const ct_stability smooth = solve_rest(scene, 0.55, gravity, &sliding_force);
  printf("friction 0.60: %s\n", rough == CT_STABILITY_STAYS ? "stays" : "does not stay");
  printf("friction 0.55: %s\n", smooth == CT_STABILITY_FALLS ? "slides" : "does not slide");
  printf("normal force %.9f N, closed form m g cos 30 = %.9f N\n", normal_force,
         10.0 * g * cos(angle));
  ct_scene_release(scene);
  ct_scene_release(empty);
  return rough != CT_STABILITY_STAYS || smooth != CT_STABILITY_FALLS ||
         fabs(normal_force - 10.0 * g * cos(angle)) > 1e-6;
}
