// Bullet in double precision in the heap benchmark: sequential impulses with its default ten
// iterations and split impulses, dynamic trees.
#define BT_USE_DOUBLE_PRECISION
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "heaps.h"

namespace {

struct Heap {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::unique_ptr<btRigidBody> floor;
};

btVector3 vector_of(const double v[3]) { return btVector3(v[0], v[1], v[2]); }

std::unique_ptr<btCollisionShape> shape_of(const heaps_shape &shape) {
  if (!shape.is_hull) return std::make_unique<btBoxShape>(vector_of(shape.half));
  auto hull = std::make_unique<btConvexHullShape>();
  for (uint32_t i = 0; i < shape.point_count; i++)
    hull->addPoint(vector_of(shape.points[i]), false);
  hull->recalcLocalAabb();
  return hull;
}

// The friction of a pair is the product of both.
std::unique_ptr<btRigidBody> body_of(double mass, btCollisionShape *shape, const btVector3 &inertia,
                                     const btTransform &pose) {
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_startWorldTransform = pose;
  info.m_friction = std::sqrt(HEAPS_FRICTION);
  return std::make_unique<btRigidBody>(info);
}

void *create(const heaps_scene *scene, bool sleeping) {
  auto *h = new Heap;
  h->world.setGravity(btVector3(0, 0, -HEAPS_GRAVITY));
  for (uint32_t i = 0; i < scene->shape_count; i++) h->shapes.push_back(shape_of(scene->shapes[i]));
  h->shapes.push_back(std::make_unique<btBoxShape>(
      btVector3(HEAPS_FLOOR_HALF, HEAPS_FLOOR_HALF, HEAPS_FLOOR_DEPTH)));
  btTransform below(btQuaternion::getIdentity(), btVector3(0, 0, -HEAPS_FLOOR_DEPTH));
  h->floor = body_of(0, h->shapes.back().get(), btVector3(0, 0, 0), below);
  h->world.addRigidBody(h->floor.get());
  for (uint32_t i = 0; i < scene->count; i++) {
    const heaps_body &b = scene->bodies[i];
    const heaps_shape &shape = scene->shapes[b.shape];
    btTransform pose(btQuaternion(b.rotation[0], b.rotation[1], b.rotation[2], b.rotation[3]),
                     vector_of(b.position));
    h->bodies.push_back(
        body_of(shape.mass, h->shapes[b.shape].get(), vector_of(shape.inertia), pose));
    if (!sleeping) h->bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    h->world.addRigidBody(h->bodies.back().get());
  }
  return h;
}

bool step(void *state) {
  return static_cast<Heap *>(state)->world.stepSimulation(HEAPS_TIME_STEP, 0) >= 0;
}

// Sum of the impulses of the floor on the bodies in the last step.
btVector3 floor_impulse_of(Heap *h) {
  btVector3 sum(0, 0, 0);
  for (int i = 0; i < h->dispatcher.getNumManifolds(); i++) {
    const btPersistentManifold *m = h->dispatcher.getManifoldByIndexInternal(i);
    bool on_a = m->getBody1() == h->floor.get();
    if (!on_a && m->getBody0() != h->floor.get()) continue;
    for (int k = 0; k < m->getNumContacts(); k++) {
      const btManifoldPoint &p = m->getContactPoint(k);
      btVector3 impulse = p.m_normalWorldOnB * p.m_appliedImpulse +
                          p.m_lateralFrictionDir1 * p.m_appliedImpulseLateral1 +
                          p.m_lateralFrictionDir2 * p.m_appliedImpulseLateral2;
      sum += on_a ? impulse : -impulse;
    }
  }
  return sum;
}

void read_state(void *state, heaps_body *bodies, double floor_impulse[3]) {
  auto *h = static_cast<Heap *>(state);
  for (size_t i = 0; i < h->bodies.size(); i++) {
    const btTransform &pose = h->bodies[i]->getWorldTransform();
    btQuaternion rotation = pose.getRotation();
    for (int axis = 0; axis < 3; axis++) {
      bodies[i].position[axis] = pose.getOrigin()[axis];
      bodies[i].velocity[axis] = h->bodies[i]->getLinearVelocity()[axis];
      bodies[i].angular_velocity[axis] = h->bodies[i]->getAngularVelocity()[axis];
    }
    for (int k = 0; k < 4; k++) bodies[i].rotation[k] = rotation[k];
  }
  btVector3 impulse = floor_impulse_of(h);
  for (int axis = 0; axis < 3; axis++) floor_impulse[axis] = impulse[axis];
}

} // namespace

const heaps_engine heaps_bullet = {"Bullet", false, true,       CONVEX_DISTANCE_MARGIN,
                                   create,   step,  read_state, nullptr};
