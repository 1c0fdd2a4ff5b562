/* The box benchmark: all overlapping pairs of many boxes, by this engine and by the engines
 * packaged in Debian, in one run.
 *
 * A row is a number of boxes, either from scratch or step by step, each box moving by up to a
 * hundredth of its size. The measured time begins when an engine receives the boxes and ends when
 * it has returned all pairs; construction of its objects is not measured. */
#ifndef BENCH_BOXES_H
#define BENCH_BOXES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_STEPS = 5 };

/* All ends are floats: every engine gets the same input, in either precision. */
typedef struct bench_box {
  double low[3], high[3];
} bench_box;

/* Pairs as a user of an engine collects them: in any order, each once. */
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
  int ours;         /* 1: the default method; 2: a method by name, for information */
  uint32_t most[2]; /* greatest number of boxes, from scratch and in steps; 0: not measured */
  void *(*prepare)(const bench_box *boxes, uint32_t count);
  void (*reset)(
      void *state); /* not measured: resets all state, so that the next answer is from scratch */
  void (*place)(void *state,
                const bench_box *boxes); /* not measured: moves the objects to the new boxes */
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
