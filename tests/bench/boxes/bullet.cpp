// Bullet in double precision in the boxes' benchmark: its dynamic trees and its sort-and-sweep,
// which keep a list of pairs. Boxes in it are wider than asked; what only the wider ones do is left
// out of the answer.
#define BT_USE_DOUBLE_PRECISION
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <btBulletCollisionCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "boxes.h"

namespace {

struct State {
  uint32_t count = 0;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  std::unique_ptr<btBroadphaseInterface> phase;
  std::vector<btBroadphaseProxy *> proxies;
};

btVector3 vector_of(const double v[3]) { return btVector3(v[0], v[1], v[2]); }

void *prepare(const bench_box *, uint32_t count) {
  auto *s = new State;
  s->count = count;
  return s;
}

void reset_trees(void *opaque) {
  auto *s = static_cast<State *>(opaque);
  s->phase = std::make_unique<btDbvtBroadphase>();
  s->proxies.clear();
}

void reset_sweep(void *opaque) {
  auto *s = static_cast<State *>(opaque);
  double room = std::cbrt(2.0 * s->count) + 2;
  s->phase = std::make_unique<bt32BitAxisSweep3>(btVector3(-2, -2, -2), btVector3(room, room, room),
                                                 s->count + 1);
  s->proxies.clear();
}

void place(void *, const bench_box *) {}

uint32_t number(const btBroadphaseProxy *p) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p->m_clientObject));
}

void answer(void *opaque, const bench_box *boxes, bench_pairs *pairs) {
  auto *s = static_cast<State *>(opaque);
  if (s->proxies.empty()) {
    for (uint32_t i = 0; i < s->count; i++)
      s->proxies.push_back(s->phase->createProxy(
          vector_of(boxes[i].low), vector_of(boxes[i].high), BOX_SHAPE_PROXYTYPE,
          reinterpret_cast<void *>(static_cast<uintptr_t>(i)), 1, 1, &s->dispatcher));
  } else {
    for (uint32_t i = 0; i < s->count; i++)
      s->phase->setAabb(s->proxies[i], vector_of(boxes[i].low), vector_of(boxes[i].high),
                        &s->dispatcher);
  }
  s->phase->calculateOverlappingPairs(&s->dispatcher);
  const btBroadphasePairArray &kept =
      s->phase->getOverlappingPairCache()->getOverlappingPairArray();
  pairs->count = 0;
  for (int k = 0; k < kept.size(); k++) {
    const btBroadphaseProxy *a = kept[k].m_pProxy0, *b = kept[k].m_pProxy1;
    bool apart = false;
    for (int axis = 0; axis < 3; axis++)
      apart |= a->m_aabbMin[axis] > b->m_aabbMax[axis] || b->m_aabbMin[axis] > a->m_aabbMax[axis];
    if (!apart) bench_add(pairs, number(a), number(b));
  }
}

} // namespace

extern "C" {
const bench_broad bench_broad_bullet[] = {
    {"Bullet dynamic trees", 0, {100000, 100000}, prepare, reset_trees, place, answer},
    {"Bullet sweep", 0, {1000, 1000}, prepare, reset_sweep, place, answer},
};
const int bench_broad_bullet_count = sizeof bench_broad_bullet / sizeof bench_broad_bullet[0];
}
