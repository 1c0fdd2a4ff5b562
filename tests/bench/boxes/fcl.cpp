// FCL in the boxes' benchmark: its two dynamic trees, its sort-and-sweep and its interval tree.
#include <fcl/fcl.h>

#include <memory>
#include <vector>

#include "boxes.h"

namespace {

using Manager = fcl::BroadPhaseCollisionManagerd;

struct State {
  std::vector<std::shared_ptr<fcl::Boxd>> shapes;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> owned;
  std::vector<fcl::CollisionObjectd *> objects;
  std::unique_ptr<Manager> manager;
  bool fresh = true;
};

fcl::Vector3d middle(const bench_box &b) {
  return fcl::Vector3d((b.low[0] + b.high[0]) / 2, (b.low[1] + b.high[1]) / 2,
                       (b.low[2] + b.high[2]) / 2);
}

fcl::Vector3d extents(const bench_box &b) {
  return fcl::Vector3d(b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]);
}

// Extents too: ends that move are rounded each by itself.
void place(void *opaque, const bench_box *boxes) {
  auto *s = static_cast<State *>(opaque);
  for (size_t i = 0; i < s->objects.size(); i++) {
    s->shapes[i]->side = extents(boxes[i]);
    s->shapes[i]->computeLocalAABB();
    s->objects[i]->setTranslation(middle(boxes[i]));
    s->objects[i]->computeAABB();
  }
}

void *prepare(const bench_box *boxes, uint32_t count) {
  auto *s = new State;
  for (uint32_t i = 0; i < count; i++) {
    s->shapes.push_back(std::make_shared<fcl::Boxd>(extents(boxes[i])));
    s->owned.push_back(std::make_unique<fcl::CollisionObjectd>(
        s->shapes.back(), fcl::Matrix3d::Identity(), middle(boxes[i])));
    s->owned.back()->setUserData(reinterpret_cast<void *>(static_cast<uintptr_t>(i)));
    s->objects.push_back(s->owned.back().get());
  }
  place(s, boxes);
  return s;
}

template <class Kind> void reset(void *opaque) {
  auto *s = static_cast<State *>(opaque);
  s->manager = std::make_unique<Kind>();
  s->fresh = true;
}

uint32_t number(const fcl::CollisionObjectd *object) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object->getUserData()));
}

bool collect(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *pairs) {
  if (a->getAABB().overlap(b->getAABB()))
    bench_add(static_cast<bench_pairs *>(pairs), number(a), number(b));
  return false;
}

void answer(void *opaque, const bench_box *, bench_pairs *pairs) {
  auto *s = static_cast<State *>(opaque);
  if (s->fresh) {
    s->manager->registerObjects(s->objects);
    s->manager->setup();
  } else {
    s->manager->update();
  }
  s->fresh = false;
  pairs->count = 0;
  s->manager->collide(pairs, collect);
}

} // namespace

extern "C" {
const bench_broad bench_broad_fcl[] = {
    {"FCL dynamic tree",
     0,
     {1000000, 1000000},
     prepare,
     reset<fcl::DynamicAABBTreeCollisionManagerd>,
     place,
     answer},
    {"FCL dynamic tree, array",
     0,
     {1000000, 1000000},
     prepare,
     reset<fcl::DynamicAABBTreeCollisionManager_Array<double>>,
     place,
     answer},
    {"FCL SaP", 0, {1000, 1000}, prepare, reset<fcl::SaPCollisionManagerd>, place, answer},
    {"FCL SSaP", 0, {10000, 10000}, prepare, reset<fcl::SSaPCollisionManagerd>, place, answer},
    {"FCL interval tree",
     0,
     {1000, 1000},
     prepare,
     reset<fcl::IntervalTreeCollisionManagerd>,
     place,
     answer},
};
const int bench_broad_fcl_count = sizeof bench_broad_fcl / sizeof bench_broad_fcl[0];
}
