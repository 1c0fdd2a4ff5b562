/* Scenes with moving bodies, and time steps of them. */
#ifndef TESTS_ADVANCE_H
#define TESTS_ADVANCE_H

#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include <contact/advance.h>

#define GRAVITY 9.81 /* m/s^2 */

static ct_arena *arena;

typedef struct placed_body {
  const char *id;
  ct_shape shape;
  ct_pose pose;
  ct_velocity velocity;
  const ct_motion *motion; /* NULL: static */
} placed_body;

static inline const ct_scene *scene_of(const placed_body *bodies, size_t count) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  for (size_t i = 0; i < count; i++) {
    ct_collider collider = {.shape = bodies[i].shape, .pose = ct_pose_identity()};
    ct_body_options options = {.id = text_of(bodies[i].id),
                               .colliders = &collider,
                               .collider_count = 1,
                               .motion = bodies[i].motion};
    const ct_body *body = NULL;
    uint32_t row;
    CHECK_INT(ct_body_create(&options, &body), CT_OK);
    CHECK_INT(ct_draft_insert(draft, body, &bodies[i].pose, &bodies[i].velocity, &row), CT_OK);
    ct_body_release(body);
  }
  return seal(draft, base);
}

/* A scene whose default material is given. */
static inline const ct_scene *scene_with(const placed_body *bodies, size_t count,
                                         ct_material material) {
  const ct_scene *scene = scene_of(bodies, count);
  const ct_named_material item = {text_of(CT_MATERIAL_DEFAULT), material};
  const ct_materials materials = {.items = &item, .count = 1};
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_set_materials(draft, &materials), CT_OK);
  return seal(draft, scene);
}

static inline ct_material friction_of(double mu) {
  return (ct_material){.static_friction = mu, .dynamic_friction = mu};
}

#define AT_REST                                                                                    \
  {                                                                                                \
    {0, 0, 0}, { 0, 0, 0 }                                                                         \
  }
static const placed_body ground = {
    "ground", {.kind = CT_KIND_PLANE}, {{0, 0, 0}, {0, 0, 0, 1}}, AT_REST, NULL};

static inline ct_advance *advance_of(const ct_scene *scene, const ct_advance_options *options) {
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, options, &advance), CT_OK);
  return advance;
}

/* Time stepping under gravity along -z. */
static inline ct_advance_options stepping_under_gravity(double duration, double time_step) {
  return (ct_advance_options){.mode = CT_ADVANCE_STEPPING,
                              .duration = duration,
                              .time_step = time_step,
                              .gravity = {0, 0, -GRAVITY},
                              .contact_tolerance = 1e-7,
                              .velocity_tolerance = 1e-3,
                              .rest_velocity = 0.01,
                              .contacts_max = 100000};
}

/* Takes `count` steps, fewer if the end is reached. True at the end. */
static inline bool steps(ct_advance *advance, uint64_t count) {
  bool done = false;
  for (uint64_t k = 0; k < count && !done; k++)
    CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
  return done;
}

static inline void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

static const ct_motion one_kilogram = {.source = CT_MASS_MASS, .value = 1.0};

/* Main of a program that steps: all facts share one arena. */
static inline int advance_main(int argc, char **argv, const check_test *tests, size_t count) {
  arena = ct_arena_create();
  int status = workspace_main(argc, argv, tests, count);
  ct_arena_destroy(arena);
  return status;
}

#endif
