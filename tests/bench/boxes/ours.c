/* This engine in the box benchmark: the method `auto` and the methods by name. */
#include "boxes.h"

#include <contact/broad.h>
#include <string.h>

typedef struct state {
  uint32_t count;
  ct_broadphase method;
  bool steps;
  ct_frames *frames;
  bench_box *boxes;
} state;

static void *prepare(uint32_t count, ct_broadphase method, bool steps) {
  state *s = calloc(1, sizeof *s);
  if (s) *s = (state){.count = count, .method = method, .steps = steps};
  return s;
}

static void reset(void *opaque) {
  state *s = opaque;
  ct_frames_destroy(s->frames);
  s->frames = ct_frames_create(s->count);
}

static void place(void *opaque, const bench_box *boxes) {
  (void)opaque;
  (void)boxes;
}

static void from_nothing(const state *s, const ct_aabb *boxes, bench_pairs *pairs) {
  const ct_broad_options options = {s->method, SIZE_MAX, NULL};
  ct_pair_list list = {NULL, 0, 0};
  if (ct_broad_pairs(boxes, s->count, &options, &list, NULL) != CT_OK) abort();
  free(pairs->items);
  *pairs = (bench_pairs){(uint32_t(*)[2])(void *)list.items, list.count, list.capacity};
}

/* The pair list and the changes persist between frames; returning them is a copy. */
static void next_frame(const state *s, const ct_aabb *boxes, bench_pairs *pairs) {
  const ct_broad_options options = {s->method, SIZE_MAX, NULL};
  ct_frame_pairs found;
  if (ct_frames_next(s->frames, boxes, &options, &found) != CT_OK) abort();
  if (pairs->capacity < found.pair_count) {
    free(pairs->items);
    pairs->items = malloc(found.pair_count * sizeof *pairs->items);
    pairs->capacity = found.pair_count;
    if (!pairs->items) abort();
  }
  pairs->count = found.pair_count;
  memcpy(pairs->items, found.pairs, found.pair_count * sizeof *pairs->items);
}

static void answer(void *opaque, const bench_box *boxes, bench_pairs *pairs) {
  const state *s = opaque;
  _Static_assert(sizeof(bench_box) == sizeof(ct_aabb), "the same six numbers");
  const ct_aabb *same = (const ct_aabb *)(const void *)boxes;
  if (s->steps) next_frame(s, same, pairs);
  else from_nothing(s, same, pairs);
}

#define PREPARE(name, method, steps)                                                               \
  static void *name(const bench_box *boxes, uint32_t count) {                                      \
    (void)boxes;                                                                                   \
    return prepare(count, method, steps);                                                          \
  }
PREPARE(prepare_auto, CT_BROADPHASE_AUTO, false)
PREPARE(prepare_auto_steps, CT_BROADPHASE_AUTO, true)
PREPARE(prepare_sweep_steps, CT_BROADPHASE_SWEEP, true)
PREPARE(prepare_tree, CT_BROADPHASE_TREE, false)
PREPARE(prepare_sweep, CT_BROADPHASE_SWEEP, false)
PREPARE(prepare_single, CT_BROADPHASE_SWEEP_SINGLE_AXIS, false)
PREPARE(prepare_hybrid, CT_BROADPHASE_HYBRID, false)
PREPARE(prepare_brute, CT_BROADPHASE_BRUTE_FORCE, false)

const bench_broad bench_broad_ours[] = {
    {"contactd auto", 1, {1000000, 0}, prepare_auto, reset, place, answer},
    {"contactd auto", 1, {0, 1000000}, prepare_auto_steps, reset, place, answer},
    {"contactd sweep", 2, {10000, 0}, prepare_sweep, reset, place, answer},
    {"contactd sweep", 2, {0, 10000}, prepare_sweep_steps, reset, place, answer},
    {"contactd tree", 2, {100000, 0}, prepare_tree, reset, place, answer},
    {"contactd hybrid", 2, {100000, 0}, prepare_hybrid, reset, place, answer},
    {"contactd sweepSingleAxis", 2, {10000, 0}, prepare_single, reset, place, answer},
    {"contactd bruteForce", 2, {1000, 0}, prepare_brute, reset, place, answer},
};
const int bench_broad_ours_count = sizeof bench_broad_ours / sizeof bench_broad_ours[0];
