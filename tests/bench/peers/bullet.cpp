// Bullet in double precision in the peers' benchmark: its pair detector and its GJK-EPA for hulls,
// its dispatcher for primitives.
#define BT_USE_DOUBLE_PRECISION
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <vector>

#include "peers.h"

namespace {

btTransform transform_of(const double q[4], const double p[3]) {
  btQuaternion turned(q[0], q[1], q[2], q[3]);
  turned.normalize();
  return btTransform(turned, btVector3(p[0], p[1], p[2]));
}

struct Hulls {
  std::vector<btConvexHullShape *> shapes;
  std::vector<btTransform> a, b;
};

void *prepare_hulls(const bench_row *row) {
  auto *s = new Hulls;
  for (int i = 0; i < BENCH_HULLS; i++) {
    auto *shape = new btConvexHullShape;
    for (int v = 0; v < row->hulls[i].vertex_count; v++) {
      const double *p = row->hulls[i].vertex[v];
      shape->addPoint(btVector3(p[0], p[1], p[2]), false);
    }
    shape->recalcLocalAabb();
    shape->setMargin(0);
    s->shapes.push_back(shape);
  }
  for (int i = 0; i < row->count; i++) {
    s->a.push_back(transform_of(row->pairs[i].rotation_a, row->pairs[i].position_a));
    s->b.push_back(transform_of(row->pairs[i].rotation_b, row->pairs[i].position_b));
  }
  return s;
}

void pair_detector(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  bool apart = row->work == BENCH_DISTANCE;
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver epa;
  for (int i = 0; i < row->count; i++) {
    const bench_pair &p = row->pairs[i];
    btGjkPairDetector detector(s->shapes[p.hull_a], s->shapes[p.hull_b], &simplex,
                               apart ? nullptr : &epa);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = s->a[i];
    input.m_transformB = s->b[i];
    btPointCollector out;
    detector.getClosestPoints(input, out, nullptr);
    bool found = out.m_hasResult && (apart || out.m_distance < 0);
    values[i] = !found ? BENCH_FAILED : apart ? out.m_distance : -out.m_distance;
  }
}

void gjk_epa2(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  bool apart = row->work == BENCH_DISTANCE;
  for (int i = 0; i < row->count; i++) {
    const bench_pair &p = row->pairs[i];
    btGjkEpaSolver2::sResults r;
    btVector3 guess = s->b[i].getOrigin() - s->a[i].getOrigin();
    bool found = apart
                     ? btGjkEpaSolver2::Distance(s->shapes[p.hull_a], s->a[i], s->shapes[p.hull_b],
                                                 s->b[i], guess, r)
                     : btGjkEpaSolver2::Penetration(s->shapes[p.hull_a], s->a[i],
                                                    s->shapes[p.hull_b], s->b[i], guess, r, false);
    values[i] = !found ? BENCH_FAILED : apart ? r.distance : -r.distance;
  }
}

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btCollisionWorld world{&dispatcher, &broadphase, &configuration};
  std::vector<btCollisionObject *> objects[2];
};

btCollisionShape *shape_of(const bench_solid &s) {
  if (s.kind == BENCH_BOX) return new btBoxShape(btVector3(s.size[0], s.size[1], s.size[2]));
  if (s.kind == BENCH_SPHERE) return new btSphereShape(s.size[0]);
  return new btCapsuleShapeZ(s.size[0], 2 * s.size[1]);
}

void *prepare_solids(const bench_row *row) {
  auto *s = new World;
  for (int i = 0; i < row->count; i++)
    for (int k = 0; k < 2; k++) {
      const bench_solid &solid = row->solids[i][k];
      auto *object = new btCollisionObject;
      object->setCollisionShape(shape_of(solid));
      object->setWorldTransform(transform_of(solid.rotation, solid.position));
      s->objects[k].push_back(object);
    }
  return s;
}

struct Deepest : btCollisionWorld::ContactResultCallback {
  double depth = BENCH_NO_CONTACT;
  btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int, int,
                           const btCollisionObjectWrapper *, int, int) override {
    if (point.getDistance() <= 0) depth = std::max(depth, -point.getDistance());
    return 0;
  }
};

void pair_test(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<World *>(opaque);
  for (int i = 0; i < row->count; i++) {
    Deepest deepest;
    s->world.contactPairTest(s->objects[0][i], s->objects[1][i], deepest);
    values[i] = deepest.depth;
  }
}

bool takes_hulls(const bench_row *row) {
  return row->work == BENCH_DISTANCE || row->work == BENCH_DEPTH;
}
bool takes_solids(const bench_row *row) { return row->solids != nullptr; }

} // namespace

extern "C" {
const bench_engine bench_bullet[] = {
    {"Bullet pair detector", false, true, takes_hulls, prepare_hulls, pair_detector},
    {"Bullet GJK-EPA2", false, true, takes_hulls, prepare_hulls, gjk_epa2},
    {"Bullet contactPairTest", false, true, takes_solids, prepare_solids, pair_test},
};
const int bench_bullet_count = sizeof bench_bullet / sizeof bench_bullet[0];
}
