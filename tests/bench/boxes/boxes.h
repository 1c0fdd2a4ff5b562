/* The boxes' benchmark: all overlapping pairs of many boxes, by this engine and by those that
 * Debian packages, in one run.
 *
 * A row is a number of boxes, either from nothing or step by step, each box moving by up to a
 * hundredth of its size. An engine is measured from where it is told the boxes until it has handed
 * over all pairs; making its objects is not counted.
 */
#ifndef BENCH_BOXES_H
#define BENCH_BOXES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_STEPS = 5 };

/* All ends are floats: every engine sees the same, in either precision. */
typedef struct bench_box {
  double low[3], high[3];
} bench_box;

/* As the user of an engine would collect them: in any order, each once. */
typedef struct bench_pairs {
  uint32_t (*items)[2];
  size_t count, capacity;
} bench_pairs;

static inline void bench_add(bench_pairs *pairs, uint32_t i, uint32_t j) {
  if (pairs->count == pairs->capacity) {
    pairs->capacity = pairs->capacity ? 2 * pairs->capacity : 65536;
    void *more = realloc(pairs->items, pairs->capacity * sizeof *pairs->items);
    if (!more) abort();
    pairs->items = (uint32_t(*)[2])more;
  }
  pairs->items[pairs->count][0] = i;
  pairs->items[pairs->count++][1] = j;
}

typedef struct bench_broad {
  const char *name;
  int ours;         /* 1: what a user gets; 2: a method by name, for information */
  uint32_t most[2]; /* boxes at most, from nothing and in steps; 0: not at all */
  void *(*prepare)(const bench_box *boxes, uint32_t count);
  void (*reset)(
      void *state); /* not measured: forget all, so that the next answer is from nothing */
  void (*place)(void *state,
                const bench_box *boxes); /* not measured: objects to where the boxes have moved */
  void (*answer)(void *state, const bench_box *boxes, bench_pairs *pairs);
} bench_broad;

extern const bench_broad bench_broad_ours[], bench_broad_cgal[], bench_broad_fcl[],
    bench_broad_bullet[], bench_broad_ode[];
extern const int bench_broad_ours_count, bench_broad_cgal_count, bench_broad_fcl_count,
    bench_broad_bullet_count, bench_broad_ode_count;

#ifdef __cplusplus
}
#endif

#endif
