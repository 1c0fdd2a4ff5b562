// CGAL in the boxes' benchmark: the hybrid of Zomorodian and Edelsbrunner, over its own boxes in
// both precisions. It reorders what it is given, so its boxes are made as part of the answer.
#include <CGAL/Box_intersection_d/Box_d.h>
#include <CGAL/box_intersection_d.h>

#include <vector>

#include "boxes.h"

namespace {

template <class Number> struct Box : CGAL::Box_intersection_d::Box_d<Number, 3> {
  uint32_t number = 0;
  Box(Number *low, Number *high, uint32_t which)
      : CGAL::Box_intersection_d::Box_d<Number, 3>(low, high), number(which) {}
};

struct State {
  uint32_t count;
};

void *prepare(const bench_box *, uint32_t count) { return new State{count}; }
void reset(void *) {}
void place(void *, const bench_box *) {}

// Of cutoffs from 10 to 1000, 100 is the fastest of few boxes and 300 of many.
template <class Number, int cutoff>
void answer(void *opaque, const bench_box *boxes, bench_pairs *pairs) {
  auto *s = static_cast<State *>(opaque);
  std::vector<Box<Number>> list;
  list.reserve(s->count);
  for (uint32_t i = 0; i < s->count; i++) {
    Number low[3], high[3];
    for (int k = 0; k < 3; k++) {
      low[k] = static_cast<Number>(boxes[i].low[k]);
      high[k] = static_cast<Number>(boxes[i].high[k]);
    }
    list.emplace_back(low, high, i);
  }
  pairs->count = 0;
  CGAL::box_self_intersection_d(
      list.begin(), list.end(),
      [&](const Box<Number> &a, const Box<Number> &b) { bench_add(pairs, a.number, b.number); },
      std::ptrdiff_t(cutoff));
}

} // namespace

extern "C" {
const bench_broad bench_broad_cgal[] = {
    {"CGAL float, cutoff 100", 0, {100000, 100000}, prepare, reset, place, answer<float, 100>},
    {"CGAL float, cutoff 300", 0, {1000000, 100000}, prepare, reset, place, answer<float, 300>},
    {"CGAL double, cutoff 300", 0, {100000, 100000}, prepare, reset, place, answer<double, 300>},
};
const int bench_broad_cgal_count = sizeof bench_broad_cgal / sizeof bench_broad_cgal[0];
}
