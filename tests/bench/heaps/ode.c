/* ODE in the heap benchmark: QuickStep with its default 20 iterations, hash space. */
#include "heaps.h"

#include <ode/ode.h>

#include <stdlib.h>

enum { POINTS_MAX = 8 };

typedef struct heap {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBodyID *bodies;
  uint32_t count;
  /* forces of the floor's contacts in the last step */
  dJointFeedback *forces;
  size_t force_count, force_room;
} heap;

static void add_box(heap *h, const heaps_scene *scene, uint32_t i) {
  const heaps_body *b = &scene->bodies[i];
  const heaps_shape *shape = &scene->shapes[b->shape];
  dMass mass;
  dMassSetParameters(&mass, shape->mass, 0, 0, 0, shape->inertia[0], shape->inertia[1],
                     shape->inertia[2], 0, 0, 0);
  dBodyID body = dBodyCreate(h->world);
  dGeomID geom = dCreateBox(h->space, 2 * shape->half[0], 2 * shape->half[1], 2 * shape->half[2]);
  const dQuaternion rotation = {b->rotation[3], b->rotation[0], b->rotation[1], b->rotation[2]};
  dBodySetMass(body, &mass);
  dGeomSetBody(geom, body);
  dBodySetPosition(body, b->position[0], b->position[1], b->position[2]);
  dBodySetQuaternion(body, rotation);
  h->bodies[i] = body;
}

static void *create(const heaps_scene *scene, bool sleeping) {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  heap *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->count = scene->count;
  h->bodies = calloc(h->count, sizeof(dBodyID));
  /* A box in a heap has few neighbours; each body has at most this many contacts with the floor. */
  h->force_room = (size_t)POINTS_MAX * h->count;
  h->forces = calloc(h->force_room, sizeof *h->forces);
  if (!h->bodies || !h->forces) return NULL;
  h->world = dWorldCreate();
  h->space = dHashSpaceCreate(0);
  h->contacts = dJointGroupCreate(0);
  dWorldSetGravity(h->world, 0, 0, -HEAPS_GRAVITY);
  dWorldSetAutoDisableFlag(h->world, sleeping);
  dGeomID floor =
      dCreateBox(h->space, 2 * HEAPS_FLOOR_HALF, 2 * HEAPS_FLOOR_HALF, 2 * HEAPS_FLOOR_DEPTH);
  dGeomSetPosition(floor, 0, 0, -HEAPS_FLOOR_DEPTH);
  for (uint32_t i = 0; i < h->count; i++) add_box(h, scene, i);
  return h;
}

static void add_contacts(void *state, dGeomID a, dGeomID b) {
  heap *h = state;
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  dContact contacts[POINTS_MAX] = {{.surface = {.mode = 0}}};
  if (!body_a && !body_b) return;
  int count = dCollide(a, b, POINTS_MAX, &contacts[0].geom, sizeof contacts[0]);
  for (int i = 0; i < count; i++) {
    contacts[i].surface.mode = dContactApprox1;
    contacts[i].surface.mu = HEAPS_FRICTION;
    dJointID joint = dJointCreateContact(h->world, h->contacts, &contacts[i]);
    dJointAttach(joint, body_a, body_b);
    if ((!body_a || !body_b) && h->force_count < h->force_room)
      dJointSetFeedback(joint, &h->forces[h->force_count++]);
  }
}

static bool step(void *state) {
  heap *h = state;
  dJointGroupEmpty(h->contacts);
  h->force_count = 0;
  dSpaceCollide(h->space, h, add_contacts);
  return dWorldQuickStep(h->world, HEAPS_TIME_STEP) != 0;
}

static void read_state(void *state, heaps_body *bodies, double floor_impulse[3]) {
  const heap *h = state;
  for (uint32_t i = 0; i < h->count; i++) {
    const dReal *q = dBodyGetQuaternion(h->bodies[i]);
    for (int axis = 0; axis < 3; axis++) {
      bodies[i].position[axis] = dBodyGetPosition(h->bodies[i])[axis];
      bodies[i].velocity[axis] = dBodyGetLinearVel(h->bodies[i])[axis];
      bodies[i].angular_velocity[axis] = dBodyGetAngularVel(h->bodies[i])[axis];
      bodies[i].rotation[axis] = q[axis + 1];
    }
    bodies[i].rotation[3] = q[0];
  }
  /* The one body of a joint with the floor is its body 1. */
  for (int axis = 0; axis < 3; axis++) {
    floor_impulse[axis] = 0.0;
    for (size_t k = 0; k < h->force_count; k++)
      floor_impulse[axis] += HEAPS_TIME_STEP * h->forces[k].f1[axis];
  }
}

const heaps_engine heaps_ode = {"ODE QuickStep", false, false, 0.0, create, step, read_state, NULL};
