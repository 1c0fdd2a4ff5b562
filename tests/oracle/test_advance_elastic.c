/* Event-driven motion with the elastic contact law: sixteen bounces of a ball against an
 * independent integration; conservation of energy and momentum; fast bodies and thin plates. */
#include "tests/support/check.h"
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include <contact/advance.h>

static ct_arena *arena;

static const ct_material steel = {.dynamic_friction = 0.5,
                                  .static_friction = 0.5,
                                  .restitution = 0.7,
                                  .rolling_friction = 0.001,
                                  .youngs_modulus = 2e11,
                                  .poisson_ratio = 0.3};

typedef struct placed_body {
  const char *id;
  ct_shape shape;
  ct_pose pose;
  ct_velocity velocity;
  double mass; /* 0: static */
} placed_body;

static const ct_scene *scene_of(const placed_body *bodies, size_t count, double restitution) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  ct_named_material named = {.name = text_of("default"), .material = steel};
  named.material.restitution = restitution;
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){.items = &named, .count = 1}), CT_OK);
  for (size_t i = 0; i < count; i++) {
    ct_collider collider = {.shape = bodies[i].shape, .pose = ct_pose_identity()};
    ct_motion motion = {.source = CT_MASS_MASS, .value = bodies[i].mass};
    ct_body_options options = {.id = text_of(bodies[i].id),
                               .colliders = &collider,
                               .collider_count = 1,
                               .motion = bodies[i].mass > 0.0 ? &motion : NULL};
    const ct_body *body = NULL;
    uint32_t row;
    CHECK_INT(ct_body_create(&options, &body), CT_OK);
    CHECK_INT(ct_draft_insert(draft, body, &bodies[i].pose, &bodies[i].velocity, &row), CT_OK);
    ct_body_release(body);
  }
  return seal(draft, base);
}

static ct_advance *advance_of(const ct_scene *scene, double duration, ct_vec3 gravity) {
  ct_advance_options options = {.mode = CT_ADVANCE_COMPLIANT,
                                .duration = duration,
                                .time_step = 0.05,
                                .gravity = gravity,
                                .elastic = {.pull = true},
                                .contacts_max = 1000};
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &options, &advance), CT_OK);
  return advance;
}

/* Advances to the next begin or end of a contact. False: the motion is over. */
static bool to_event(ct_advance *advance) {
  uint64_t events = ct_advance_now(advance).events;
  bool done = false;
  while (!done && ct_advance_now(advance).events == events)
    CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
  return !done;
}

static void finish(ct_advance *advance, const ct_scene *scene) {
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

static double speed_of(const ct_advance *advance, uint32_t row) {
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, row, &pose, &velocity);
  return velocity.linear.z;
}

/* The sixteen contacts of a steel ball that falls by 1 m: begin, speed before, duration and speed
 * after. Reference: an integration of order eight, with closed forms of flight in 40 digits. */
static void sixteen_contacts_of_a_steel_ball(void) {
  static const struct {
    int contact;
    double begin, before, duration, after;
  } reported[] = {{1, 0.4515236410, 4.42944692, 8.595746e-6, 3.02610933},
                  {2, 1.0684760356, 3.02610933, 9.276359e-6, 2.06736978},
                  {3, 1.4899674280, 2.06736978, 1.001088e-5, 1.41237246},
                  {6, 2.1090476732, .65916996, 1.258255e-5, .45030696},
                  {10, 2.3357226382, .14351889, 1.707147e-5, .09801247},
                  {15, 2.3894416806, .02123552, 2.506906e-5, .01445279},
                  {16, 2.3924132920, .01445279, 2.711109e-5, .00981439}};
  const placed_body bodies[] = {
      {.id = "ground", .shape = plane_of(), .pose = pose_at(0, 0, 0)},
      {.id = "ball", .shape = sphere_of(0.1), .pose = pose_at(0, 0, 1.1), .mass = 0.001}};
  const ct_scene *scene = scene_of(bodies, 2, 0.7);
  ct_advance *advance = advance_of(scene, 2.393, ct_vec(0, 0, -9.81));
  size_t next = 0;
  for (int contact = 1; contact <= 16; contact++) {
    CHECK(to_event(advance));
    double begin = ct_advance_now(advance).time, before = -speed_of(advance, 1);
    CHECK_INT(ct_advance_now(advance).contacts, 1);
    CHECK(to_event(advance));
    double duration = ct_advance_now(advance).time - begin, after = speed_of(advance, 1);
    CHECK_INT(ct_advance_now(advance).contacts, 0);
    if (reported[next].contact != contact) continue;
    CHECK_NEAR(begin, reported[next].begin, 6e-11 + 1e-9 * begin);
    CHECK_NEAR(before, reported[next].before, 6e-9);
    CHECK_NEAR(duration, reported[next].duration, 6e-12);
    CHECK_NEAR(after, reported[next].after, 6e-9);
    next++;
  }
  CHECK(!to_event(advance));
  CHECK_NEAR(ct_advance_now(advance).time, 2.393, 0.0);
  CHECK_INT(ct_advance_now(advance).not_converged, 0);
  finish(advance, scene);
}

/* With restitution 1 the law is a spring: after the contact the ball has its initial energy. */
static void a_spring_keeps_the_energy(void) {
  const placed_body bodies[] = {
      {.id = "ground", .shape = box_of(1, 1, 0.5), .pose = pose_at(0, 0, -0.5)},
      {.id = "ball", .shape = sphere_of(0.1), .pose = pose_at(0, 0, 0.2), .mass = 0.5}};
  const ct_scene *scene = scene_of(bodies, 2, 1.0);
  ct_advance *advance = advance_of(scene, 1.0, ct_vec(0, 0, -9.81));
  double energy = 0.5 * 9.81 * 0.2;
  for (int contact = 0; contact < 3; contact++) {
    CHECK(to_event(advance));
    CHECK(to_event(advance));
    ct_advance_state state = ct_advance_now(advance);
    CHECK_NEAR(state.kinetic_energy + state.potential_energy, energy, 1e-9 * energy);
  }
  finish(advance, scene);
}

/* Two balls in free space, one of them spinning: friction transfers momentum, and total momentum
 * and angular momentum are conserved. */
static void momentum_stays(void) {
  const placed_body bodies[] = {{.id = "a",
                                 .shape = sphere_of(0.1),
                                 .pose = pose_at(0, 0, 0),
                                 .velocity = {{0, 0, 0}, {0, 30, 10}},
                                 .mass = 0.4},
                                {.id = "b",
                                 .shape = sphere_of(0.2),
                                 .pose = pose_at(0.5, 0.05, 0.02),
                                 .velocity = {{-3, 0, 0}, {5, 0, 0}},
                                 .mass = 1.5}};
  const ct_scene *scene = scene_of(bodies, 2, 0.7);
  ct_advance *advance = advance_of(scene, 0.2, ct_vec(0, 0, 0));
  ct_advance_state start = ct_advance_now(advance);
  CHECK(to_event(advance));
  CHECK(to_event(advance));
  ct_advance_state end = ct_advance_now(advance);
  CHECK_NEAR(ct_max_abs(ct_sub(end.momentum, start.momentum)), 0.0,
             1e-13 * ct_norm(start.momentum));
  CHECK_NEAR(ct_max_abs(ct_sub(end.angular_momentum, start.angular_momentum)), 0.0,
             1e-9 * ct_norm(start.angular_momentum));
  CHECK(end.kinetic_energy < start.kinetic_energy &&
        end.kinetic_energy > 0.5 * start.kinetic_energy);
  CHECK(fabs(end.momentum.y) < 1e-13);
  finish(advance, scene);
}

/* A sliding ball begins to roll at 5/7 of its speed under any friction law, except for rolling
 * resistance. */
static void a_sliding_ball_changes_to_rolling(void) {
  /* Soft, so that a contact lasts for many steps. */
  const placed_body bodies[] = {{.id = "ground", .shape = plane_of(), .pose = pose_at(0, 0, 0)},
                                {.id = "ball",
                                 .shape = sphere_of(0.1),
                                 .pose = pose_at(0, 0, 0.1),
                                 .velocity = {{1, 0, 0}, {0, 0, 0}},
                                 .mass = 1}};
  const ct_scene *base = scene_of(bodies, 2, 0.0);
  ct_draft *draft = ct_draft_begin(base);
  ct_named_material rubber = {.name = text_of("default"),
                              .material = {.dynamic_friction = 0.5,
                                           .static_friction = 0.5,
                                           .youngs_modulus = 1e6,
                                           .poisson_ratio = 0.4}};
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){.items = &rubber, .count = 1}), CT_OK);
  const ct_scene *scene = seal(draft, base);
  ct_advance *advance = advance_of(scene, 0.4, ct_vec(0, 0, -9.81));
  bool done = false;
  while (!done) CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  CHECK_NEAR(velocity.linear.x, 5.0 / 7.0, 2e-3);
  CHECK_NEAR(velocity.angular.y * pose.position.z, 5.0 / 7.0, 1e-2);
  finish(advance, scene);
}

/* A ball in front of a plate 1 cm thick at z = 0, and further bodies. */
static const ct_scene *before_a_plate(double height, double speed, const ct_body *other,
                                      ct_velocity turning) {
  const placed_body bodies[] = {
      {.id = "plate", .shape = box_of(2, 2, 0.005), .pose = pose_at(0, 0, 0)},
      {.id = "ball",
       .shape = sphere_of(0.02),
       .pose = pose_at(0, 0, height),
       .velocity = {{0, 0, -speed}, {0, 0, 0}},
       .mass = 2}};
  const ct_scene *base = scene_of(bodies, 2, 0.7);
  if (!other) return base;
  ct_draft *draft = ct_draft_begin(base);
  uint32_t row;
  const ct_pose far = pose_at(0, 0, -50);
  CHECK_INT(ct_draft_insert(draft, other, &far, &turning, &row), CT_OK);
  return seal(draft, base);
}

static ct_status to_end(ct_advance *advance) {
  bool done = false;
  ct_status status = CT_OK;
  while (!done && status == CT_OK) status = ct_advance_step(advance, workspace, arena, &done);
  return status;
}

/* The ball bounces off the plate although a distant half-space turns. */
static void a_rotating_half_space_misses_no_contact(void) {
  ct_collider collider = {.shape = plane_of(), .pose = ct_pose_identity()};
  ct_motion motion = {.is_kinematic = true};
  ct_body_options options = {
      .id = text_of("ground"), .colliders = &collider, .collider_count = 1, .motion = &motion};
  const ct_body *ground = NULL;
  CHECK_INT(ct_body_create(&options, &ground), CT_OK);
  const ct_scene *scene = before_a_plate(1, 1, ground, (ct_velocity){{0, 0, 0}, {1e-3, 0, 0}});
  ct_body_release(ground);
  ct_advance *advance = advance_of(scene, 1.5, ct_vec(0, 0, 0));
  CHECK_INT(to_end(advance), CT_OK);
  CHECK_INT(ct_advance_now(advance).events, 2);
  CHECK(speed_of(advance, 1) > 0.0);
  finish(advance, scene);
}

/* A load alone drives a body at rest onto the plate within one time step. */
static void a_load_drives_onto_the_plate_and_not_through(void) {
  const ct_scene *scene = before_a_plate(1, 0, NULL, (ct_velocity){{0, 0, 0}, {0, 0, 0}});
  ct_load load = {.row = 1, .force = {0, 0, -1000}};
  ct_advance_options options = {.mode = CT_ADVANCE_COMPLIANT,
                                .duration = 0.08,
                                .time_step = 1.0,
                                .elastic = {.pull = true},
                                .loads = &load,
                                .load_count = 1,
                                .contacts_max = 10};
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &options, &advance), CT_OK);
  CHECK_INT(to_end(advance), CT_OK);
  CHECK_INT(ct_advance_now(advance).events, 2);
  CHECK(speed_of(advance, 1) > 0.0);
  finish(advance, scene);
}

/* Contacts of soft bodies last long. The step into contact is nevertheless limited to a fraction of
 * the bodies' size. */
static void a_fast_soft_ball_is_seen_at_the_plate(void) {
  const ct_scene *base = before_a_plate(1, 100, NULL, (ct_velocity){{0, 0, 0}, {0, 0, 0}});
  ct_draft *draft = ct_draft_begin(base);
  ct_named_material soft = {.name = text_of("default"),
                            .material = {.youngs_modulus = 1e7, .poisson_ratio = 0.3}};
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){.items = &soft, .count = 1}), CT_OK);
  const ct_scene *scene = seal(draft, base);
  ct_advance *advance = advance_of(scene, 0.01, ct_vec(0, 0, 0));
  CHECK(to_event(advance));
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  CHECK_NEAR(pose.position.z, 0.025, 1e-12);
  CHECK_NEAR(ct_advance_now(advance).time, 0.975 / 100, 1e-14);
  finish(advance, scene);
}

static void a_body_beyond_the_largest_coordinate_is_reported(void) {
  const ct_scene *scene = before_a_plate(1, -1e6, NULL, (ct_velocity){{0, 0, 0}, {0, 0, 0}});
  ct_advance *advance = advance_of(scene, 1e6, ct_vec(0, 0, 0));
  CHECK_INT(to_end(advance), CT_LIMIT);
  finish(advance, scene);
}

static void a_material_without_a_modulus_is_refused(void) {
  const placed_body bodies[] = {
      {.id = "ball", .shape = sphere_of(0.1), .pose = pose_at(0, 0, 0.1), .mass = 1}};
  const ct_scene *base = scene_of(bodies, 1, 0.5);
  ct_draft *draft = ct_draft_begin(base);
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){0}), CT_OK);
  const ct_scene *scene = seal(draft, base);
  ct_advance_options options = {
      .mode = CT_ADVANCE_COMPLIANT, .duration = 1, .time_step = 0.1, .contacts_max = 10};
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &options, &advance), CT_NOT_FOUND);
  ct_scene_release(scene);
}

/* A surface has no interior, so a ball in it would have no depth and no force. */
static void a_surface_mesh_is_refused(void) {
  static const ct_vec3 corners[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  static const uint32_t triangle[1][3] = {{0, 1, 2}};
  const ct_mesh_data data = {
      .vertices = corners, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
  ct_mesh *mesh = NULL;
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, NULL, &mesh, NULL), CT_OK);
  const placed_body bodies[] = {
      {.id = "sheet", .shape = {.kind = CT_KIND_MESH, .mesh = mesh}, .pose = pose_at(0, 0, 0)},
      {.id = "ball", .shape = sphere_of(0.1), .pose = pose_at(0, 0, 0.2), .mass = 1}};
  const ct_scene *scene = scene_of(bodies, 2, 0.5);
  ct_advance_options options = {
      .mode = CT_ADVANCE_COMPLIANT, .duration = 1, .time_step = 0.1, .contacts_max = 10};
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &options, &advance), CT_OPEN_MESH);
  ct_scene_release(scene);
  ct_mesh_release(mesh);
}

static const check_test tests[] = {
    {"T8.7, checks 16.1 sixteen contacts of a steel ball", sixteen_contacts_of_a_steel_ball},
    {"a spring keeps the energy", a_spring_keeps_the_energy},
    {"momentum stays", momentum_stays},
    {"a sliding ball changes to rolling", a_sliding_ball_changes_to_rolling},
    {"a rotating half space misses no contact", a_rotating_half_space_misses_no_contact},
    {"a load drives onto the plate and not through", a_load_drives_onto_the_plate_and_not_through},
    {"a fast soft ball is seen at the plate", a_fast_soft_ball_is_seen_at_the_plate},
    {"a body beyond the largest coordinate is reported",
     a_body_beyond_the_largest_coordinate_is_reported},
    {"a material without a modulus is refused", a_material_without_a_modulus_is_refused},
    {"a surface mesh is refused", a_surface_mesh_is_refused},
};

int main(int argc, char **argv) {
  arena = ct_arena_create();
  int status = workspace_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_arena_destroy(arena);
  return status;
}
