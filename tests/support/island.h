/* Islands built by hand: bodies of given mass and inertia, contact points of given material, and
 * the forces that the engine computes. */
#ifndef TESTS_ISLAND_H
#define TESTS_ISLAND_H

#include <contact/resting.h>

#include "tests/support/check.h"

#define ISLAND_BODIES 16
#define ISLAND_TOUCHES 64
#define ISLAND_GRAVITY 9.81

typedef struct island {
  ct_mass_body bodies[ISLAND_BODIES];
  ct_contact contacts[ISLAND_TOUCHES];
  size_t body_count, count;
  ct_resting_options options;
  ct_contact_force forces[ISLAND_TOUCHES]; /* results */
  ct_body_acceleration accelerations[ISLAND_BODIES];
  ct_vec3 holding[ISLAND_TOUCHES];
  ct_velocity motion[ISLAND_BODIES];
  double certificate[ISLAND_TOUCHES];
  ct_resting_result result;
} island;

/* Begins with body 0, which does not move. */
static inline void island_begin(island *i, ct_resting_friction friction) {
  memset(i, 0, sizeof *i);
  i->bodies[0] = (ct_mass_body){.mobility = CT_FIXED};
  i->body_count = 1;
  i->options = (ct_resting_options){
      .friction = friction, .time_step = 1e-3, .velocity_tolerance = 1e-9, .stability = true};
}

/* Accelerations from the loads without contacts, including the gyroscopic torque. */
static inline void island_load(island *i, uint32_t body, ct_vec3 force, ct_vec3 torque) {
  ct_mass_body *b = &i->bodies[body];
  b->force = ct_add(b->force, force);
  b->torque = ct_add(b->torque, torque);
  b->linear_acceleration = ct_scale(b->force, b->inverse_mass);
  ct_vec3 spin = b->velocity.angular;
  b->angular_acceleration = ct_mat_mul(
      b->inverse_inertia, ct_sub(b->torque, ct_cross(spin, ct_mat_mul(b->inertia, spin))));
}

/* A dynamic body with principal axes along the world's, under gravity along -z times the factor. */
static inline uint32_t island_body(island *i, double mass, ct_vec3 inertia, ct_vec3 center) {
  uint32_t number = (uint32_t)i->body_count++;
  i->bodies[number] = (ct_mass_body){
      .mobility = CT_DYNAMIC, .mass = mass, .inverse_mass = 1.0 / mass, .center = center};
  i->bodies[number].inertia =
      (ct_mat3){{inertia.x, 0.0, 0.0}, {0.0, inertia.y, 0.0}, {0.0, 0.0, inertia.z}};
  i->bodies[number].inverse_inertia = (ct_mat3){
      {1.0 / inertia.x, 0.0, 0.0}, {0.0, 1.0 / inertia.y, 0.0}, {0.0, 0.0, 1.0 / inertia.z}};
  return number;
}

static inline ct_contact *island_touch(island *i, uint32_t a, uint32_t b, ct_vec3 at,
                                       ct_vec3 normal, double friction) {
  ct_contact *t = &i->contacts[i->count++];
  *t = (ct_contact){.a = a, .b = b, .collider_a = CT_NO_COLLIDER, .collider_b = CT_NO_COLLIDER};
  t->position = t->point_a = t->point_b = at;
  t->normal = normal;
  t->surface_a.form = CT_SURFACE_FACE;
  t->surface_b.form = CT_SURFACE_POINT;
  t->material = (ct_pair_material){.static_friction = friction, .dynamic_friction = friction};
  return t;
}

static inline ct_contact_set island_set(const island *i) {
  return (ct_contact_set){
      .bodies = i->bodies, .body_count = i->body_count, .contacts = i->contacts, .count = i->count};
}

static inline ct_status island_solve(island *i) {
  ct_contact_set set = island_set(i);
  i->result = (ct_resting_result){.contacts = i->forces,
                                  .bodies = i->accelerations,
                                  .holding = i->holding,
                                  .motion = i->motion,
                                  .certificate = i->certificate};
  ct_arena *arena = ct_arena_create();
  ct_status status =
      arena ? ct_resting_solve(&set, &i->options, arena, &i->result) : CT_OUT_OF_MEMORY;
  ct_arena_destroy(arena);
  return status;
}

#endif
