/* Steps in time: against closed forms. */
#include "tests/support/check.h"
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include <contact/advance.h>

static ct_solver *solver;

typedef struct placed_body {
  const char *id;
  ct_shape shape;
  ct_pose pose;
  ct_velocity velocity;
  const ct_motion *motion; /* NULL: static */
} placed_body;

static const ct_scene *scene_of(const placed_body *bodies, size_t count) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  for (size_t i = 0; i < count; i++) {
    ct_collider collider = {.shape = bodies[i].shape, .pose = ct_pose_identity()};
    ct_body_options options = {
        .id = text_of(bodies[i].id), .colliders = &collider, .collider_count = 1, .motion = bodies[i].motion};
    const ct_body *body = NULL;
    uint32_t row;
    CHECK_INT(ct_body_create(&options, &body), CT_OK);
    CHECK_INT(ct_draft_insert(draft, body, &bodies[i].pose, &bodies[i].velocity, &row), CT_OK);
    ct_body_release(body);
  }
  return seal(draft, base);
}

static ct_advance_options stepping(double duration, double time_step) {
  return (ct_advance_options){
      .mode = CT_ADVANCE_STEPPING, .duration = duration, .time_step = time_step, .gravity = {0, 0, -9.81}, .contacts_max = 1000};
}

static ct_advance *advance_of(const ct_scene *scene, const ct_advance_options *options) {
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, options, &advance), CT_OK);
  return advance;
}

/* So many steps, or to the end. */
static bool steps(ct_advance *advance, uint64_t count) {
  bool done = false;
  for (uint64_t k = 0; k < count && !done; k++) CHECK_INT(ct_advance_step(advance, workspace, solver, &done), CT_OK);
  return done;
}

static void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) { CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance); }

static const ct_motion one_kilogram = {.source = CT_MASS_MASS, .value = 1.0};

/* T14.2: x0 + v t + g t^2/2 at every step, and at the end of one that is shorter; a body's centre may be anywhere in it. */
static void free_fall_is_exact(void) {
  const ct_motion motion = {.source = CT_MASS_MASS, .value = 2.5, .has_center = true, .center = {0.3, -0.2, 0.1}};
  const placed_body ball = {"ball", box_of(0.2, 0.3, 0.4), pose_at(1, 2, 30), {{3, -1, 4}, {0, 0, 0}}, &motion};
  const ct_scene *scene = scene_of(&ball, 1);
  const ct_advance_options o = stepping(1.0005, 1e-3);
  ct_advance *advance = advance_of(scene, &o);
  double start = 0.0;
  for (int k = 1; k <= 1001; k++) {
    bool done = steps(advance, 1);
    double t = k <= 1000 ? k * 1e-3 : 1.0005;
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 0, &pose, &velocity);
    ct_advance_state now = ct_advance_now(advance);
    CHECK_NEAR(now.time, t, 1e-15);
    near_vec(pose.position, ct_vec(1 + 3 * t, 2 - t, 30 + 4 * t - 4.905 * t * t), 1e-12);
    near_vec(velocity.linear, ct_vec(3, -1, 4 - 9.81 * t), 1e-12);
    near_vec(now.momentum, ct_vec(7.5, -2.5, 10 - 24.525 * t), 1e-11);
    if (k == 1) start = now.kinetic_energy + now.potential_energy;
    CHECK_NEAR(now.kinetic_energy + now.potential_energy, start, 1e-11 * start);
    CHECK(done == (k == 1001));
  }
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* T14.3: a top with three moments, about the middle one, which is not stable. */
static void a_free_top_keeps_momentum_and_energy(void) {
  const ct_motion motion = {.source = CT_MASS_MASS,
                            .value = 1.0,
                            .has_center = true,
                            .has_inertia = true,
                            .inertia_diagonal = {1, 2, 3},
                            .inertia_orientation = {0, 0, 0, 1}};
  const placed_body top = {"top", sphere_of(1), pose_at(0, 0, 0), {{0, 0, 0}, {0.1, 2, 0.1}}, &motion};
  const ct_scene *scene = scene_of(&top, 1);
  ct_advance_options o = stepping(10, 1e-3);
  o.gravity = ct_vec(0, 0, 0);
  ct_advance *advance = advance_of(scene, &o);
  const ct_vec3 momentum = {0.1, 4, 0.3};
  const double energy = 0.5 * (0.01 + 8 + 0.03);
  double turned = 0.0;
  bool done = false;
  while (!done) {
    done = steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    near_vec(now.angular_momentum, momentum, 1e-12);
    CHECK_NEAR(now.kinetic_energy, energy, 1e-11);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 0, &pose, &velocity);
    ct_vec3 own = ct_mat_tmul(ct_quat_matrix(pose.rotation), velocity.angular);
    CHECK_NEAR(ct_norm2(ct_vec(own.x, 2 * own.y, 3 * own.z)), ct_norm2(momentum), 1e-10);
    turned = fmax(turned, -own.y);
  }
  CHECK(turned > 1.9); /* it has turned over */
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A load at a point that stays where it is in the world: momentum and angular momentum grow by what it gives. */
static void loads_change_momentum_by_what_they_push(void) {
  const placed_body bar = {"bar", box_of(1, 0.1, 0.1), pose_at(0, 0, 0), {{0, 0, 0}, {0, 0, 0}}, &one_kilogram};
  const ct_scene *scene = scene_of(&bar, 1);
  ct_advance_options o = stepping(1, 1e-3);
  o.gravity = ct_vec(0, 0, 0);
  const ct_load loads[2] = {{.row = 0, .force = {0, 0.5, 0}, .has_at = true, .at = {1, 0, 0}}, {.row = 0, .torque = {0, 0, 0.25}}};
  o.loads = loads;
  o.load_count = 2;
  ct_advance *advance = advance_of(scene, &o);
  steps(advance, 500);
  ct_advance_state now = ct_advance_now(advance);
  near_vec(now.momentum, ct_vec(0, 0.25, 0), 1e-13);
  /* About the origin: 0.5 from the force, which stays at (1, 0, 0), and the torque. */
  near_vec(now.angular_momentum, ct_vec(0, 0, 0.375), 1e-12);
  CHECK_NEAR(now.kinetic_energy, now.work, 1e-12);
  CHECK_INT(ct_advance_set_loads(advance, NULL, 0), CT_OK);
  steps(advance, 500);
  now = ct_advance_now(advance);
  near_vec(now.momentum, ct_vec(0, 0.25, 0), 1e-13);
  near_vec(now.angular_momentum, ct_vec(0, 0, 0.375), 1e-12);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* What moves is written to a draft as it is told. */
static void what_has_moved_is_written(void) {
  const placed_body bodies[2] = {{"wall", box_of(1, 1, 1), pose_at(9, 0, 0), {{0, 0, 0}, {0, 0, 0}}, NULL},
                                 {"ball", sphere_of(0.1), pose_at(0, 0, 5), {{1, 0, 0}, {0, 2, 0}}, &one_kilogram}};
  const ct_scene *scene = scene_of(bodies, 2);
  const ct_advance_options o = stepping(0.25, 1e-2);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 100));
  CHECK_INT(ct_advance_now(advance).steps, 25);
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_advance_write(advance, draft), CT_OK);
  for (uint32_t row = 0; row < 2; row++) {
    ct_pose told, written = ct_draft_pose(draft, row);
    ct_velocity velocity, written_velocity = ct_draft_velocity(draft, row);
    ct_advance_body(advance, row, &told, &velocity);
    CHECK(memcmp(&told, &written, sizeof told) == 0);
    CHECK(memcmp(&velocity, &written_velocity, sizeof velocity) == 0);
  }
  CHECK_NEAR(ct_draft_pose(draft, 1).position.x, 0.25, 1e-15);
  ct_draft_discard(draft);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

static void a_body_without_mass_is_refused(void) {
  const ct_motion no_mass = {.source = CT_MASS_NONE};
  const placed_body plane = {"plane", plane_of(), pose_at(0, 0, 0), {{0, 0, 0}, {0, 0, 0}}, &no_mass};
  const ct_scene *scene = scene_of(&plane, 1);
  const ct_advance_options o = stepping(1, 1e-3);
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &o, &advance), CT_LIMIT);
  CHECK(advance == NULL);
  ct_scene_release(scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"T14.2 free_fall_is_exact", free_fall_is_exact},
      {"T14.3 a_free_top_keeps_momentum_and_energy", a_free_top_keeps_momentum_and_energy},
      {"loads_change_momentum_by_what_they_push", loads_change_momentum_by_what_they_push},
      {"what_has_moved_is_written", what_has_moved_is_written},
      {"a_body_without_mass_is_refused", a_body_without_mass_is_refused},
  };
  return workspace_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
