/* This engine in the heap benchmark: timeStepping, to a residual of HEAPS_TOLERANCE. */
#include "shapes.h"

#include <contact/advance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct heap {
  const ct_scene *scene;
  ct_advance *advance;
  ct_workspace *workspace;
  ct_arena *arena;
  uint32_t count;
  bool sleeping;
} heap;

static bool insert_body(ct_draft *draft, const char *name, const ct_shape *shape,
                        const ct_motion *motion, ct_pose pose) {
  const ct_collider collider = {.shape = *shape, .pose = ct_pose_identity()};
  const ct_body_options options = {
      .id = {name, strlen(name)}, .colliders = &collider, .collider_count = 1, .motion = motion};
  const ct_velocity at_rest = {{0, 0, 0}, {0, 0, 0}};
  const ct_body *body = NULL;
  uint32_t row;
  if (ct_body_create(&options, &body) != CT_OK) return false;
  ct_status status = ct_draft_insert(draft, body, &pose, &at_rest, &row);
  ct_body_release(body);
  return status == CT_OK;
}

/* Inserts the bodies in their order, so that their rows are their indices, and then the floor. */
static bool insert_bodies(ct_draft *draft, const heaps_scene *scene) {
  const ct_motion dense = {.source = CT_MASS_DENSITY, .value = HEAPS_DENSITY};
  const ct_shape floor = {.kind = CT_KIND_BOX,
                          .box.half = {HEAPS_FLOOR_HALF, HEAPS_FLOOR_HALF, HEAPS_FLOOR_DEPTH}};
  ct_shape shapes[HEAPS_SHAPES_MAX];
  for (uint32_t i = 0; i < scene->shape_count; i++)
    if (!heaps_contact_shape(&scene->shapes[i], &shapes[i])) return false;
  for (uint32_t i = 0; i < scene->count; i++) {
    const heaps_body *b = &scene->bodies[i];
    char name[16];
    snprintf(name, sizeof name, "%u", i);
    const ct_pose pose = {{b->position[0], b->position[1], b->position[2]},
                          {b->rotation[0], b->rotation[1], b->rotation[2], b->rotation[3]}};
    if (!insert_body(draft, name, &shapes[b->shape], &dense, pose)) return false;
  }
  for (uint32_t i = 0; i < scene->shape_count; i++) ct_shape_release(&shapes[i]);
  return insert_body(draft, "floor", &floor, NULL,
                     (ct_pose){{0.0, 0.0, -HEAPS_FLOOR_DEPTH}, {0.0, 0.0, 0.0, 1.0}});
}

static bool make_contact_scene(heap *h, const heaps_scene *scene) {
  const ct_named_material rough = {
      {CT_MATERIAL_DEFAULT, strlen(CT_MATERIAL_DEFAULT)},
      {.static_friction = HEAPS_FRICTION, .dynamic_friction = HEAPS_FRICTION}};
  const ct_materials materials = {.items = &rough, .count = 1};
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = base ? ct_draft_begin(base) : NULL;
  if (!draft || ct_draft_set_materials(draft, &materials) != CT_OK || !insert_bodies(draft, scene))
    return false;
  h->scene = ct_draft_seal(draft);
  ct_scene_release(base);
  return h->scene != NULL;
}

static void *create(const heaps_scene *scene, bool sleeping) {
  heap *h = calloc(1, sizeof *h);
  if (!h || !make_contact_scene(h, scene)) return NULL;
  h->count = scene->count;
  h->sleeping = sleeping;
  h->workspace = ct_workspace_create();
  h->arena = ct_arena_create();
  ct_advance_options options = ct_advance_options_default();
  options.mode = CT_ADVANCE_STEPPING;
  options.duration = 1000.0;
  options.time_step = HEAPS_TIME_STEP;
  options.tolerance = HEAPS_TOLERANCE;
  options.gravity = (ct_vec3){0.0, 0.0, -HEAPS_GRAVITY};
  options.contact_tolerance = ct_scene_default_epsilon(h->scene);
  options.velocity_tolerance =
      ct_scene_velocity_tolerance(options.contact_tolerance, options.gravity);
  options.rest_velocity = options.velocity_tolerance;
  if (!h->workspace || !h->arena || ct_advance_create(h->scene, &options, &h->advance) != CT_OK)
    return NULL;
  return h;
}

/* Without sleep the loads, which are none, are set before each step: changed loads wake all bodies.
 * Velocities, poses and warm start do not change by this. */
static bool step(void *state) {
  const heap *h = state;
  bool done = false;
  if (!h->sleeping && ct_advance_set_loads(h->advance, NULL, 0) != CT_OK) return false;
  return ct_advance_step(h->advance, h->workspace, h->arena, &done) == CT_OK;
}

static void read_state(void *state, heaps_body *bodies, double floor_impulse[3]) {
  const heap *h = state;
  for (uint32_t i = 0; i < h->count; i++) {
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(h->advance, i, &pose, &velocity);
    memcpy(bodies[i].position, &pose.position, sizeof bodies[i].position);
    memcpy(bodies[i].rotation, &pose.rotation, sizeof bodies[i].rotation);
    memcpy(bodies[i].velocity, &velocity.linear, sizeof bodies[i].velocity);
    memcpy(bodies[i].angular_velocity, &velocity.angular, sizeof bodies[i].angular_velocity);
  }
  ct_vec3 impulse = ct_advance_now(h->advance).contact_impulse;
  memcpy(floor_impulse, &impulse, 3 * sizeof *floor_impulse);
}

static uint64_t unconverged(void *state) {
  const heap *h = state;
  return ct_advance_now(h->advance).not_converged;
}

const heaps_engine heaps_ours = {"contactd", true, true,       0.0,
                                 create,     step, read_state, unconverged};
