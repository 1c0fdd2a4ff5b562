/* Contact sets built by hand: bodies with mass and position, contacts between two of them. */
#ifndef TESTS_CONTACT_SETS_H
#define TESTS_CONTACT_SETS_H

#include "tests/support/check.h"

#include <contact/impulse.h>

#define SET_BODIES_MAX 32
#define SET_TOUCHES_MAX 64

typedef struct contact_set {
  ct_mass_body bodies[SET_BODIES_MAX];
  ct_contact contacts[SET_TOUCHES_MAX];
  size_t body_count, count;
} contact_set;

static ct_arena *arena;

static inline ct_mat3 diagonal(double x, double y, double z) {
  return (ct_mat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

static inline uint32_t set_body(contact_set *s, ct_mass_body body) {
  s->bodies[s->body_count] = body;
  return (uint32_t)s->body_count++;
}

/* A dynamic body whose inertia is known in the world's axes. */
static inline uint32_t set_dynamic(contact_set *s, double mass, ct_vec3 inertia, ct_vec3 center,
                                   ct_vec3 linear) {
  return set_body(
      s, (ct_mass_body){
             .mobility = CT_DYNAMIC,
             .mass = mass,
             .inverse_mass = 1.0 / mass,
             .inertia = diagonal(inertia.x, inertia.y, inertia.z),
             .inverse_inertia = diagonal(1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z),
             .center = center,
             .velocity = {.linear = linear},
         });
}

static inline uint32_t set_ball(contact_set *s, double mass, double radius, ct_vec3 center,
                                ct_vec3 linear) {
  double i = 0.4 * mass * radius * radius;
  return set_dynamic(s, mass, ct_vec(i, i, i), center, linear);
}

static inline uint32_t set_fixed(contact_set *s) {
  return set_body(s, (ct_mass_body){.mobility = CT_FIXED});
}

static inline ct_contact *set_touch(contact_set *s, uint32_t a, uint32_t b, ct_vec3 position,
                                    ct_vec3 normal) {
  ct_contact *t = &s->contacts[s->count++];
  *t = (ct_contact){.a = a,
                    .b = b,
                    .position = position,
                    .normal = normal,
                    .point_a = position,
                    .point_b = position};
  return t;
}

static inline ct_contact_set set_of(const contact_set *s) {
  return (ct_contact_set){s->bodies, s->body_count, s->contacts, s->count};
}

typedef struct struck {
  ct_impulse_result result;
  ct_contact_impulse contacts[SET_TOUCHES_MAX];
  ct_velocity velocities[SET_BODIES_MAX];
} struck;

static inline ct_impulse_options impulse_options(ct_impulse_law law, ct_simultaneity mode) {
  return (ct_impulse_options){.law = law, .simultaneity = mode, .energy_guard = true};
}

/* One arena serves all calls. */
static inline void strike(const contact_set *s, const ct_impulse_options *options, struck *out) {
  if (!arena) arena = ct_arena_create();
  ct_contact_set set = set_of(s);
  out->result = (ct_impulse_result){.contacts = out->contacts, .velocities = out->velocities};
  CHECK_INT(ct_impulse_solve(&set, options, arena, &out->result), CT_OK);
}

#endif
