/* Latencies of writes, and their summary. One table, for single-threaded programs. */
#ifndef BENCH_LATENCIES_H
#define BENCH_LATENCIES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOTED_MOST 1000000

typedef struct measured {
  double rate, median_ms, late_ms;
} measured;

static uint64_t noted[NOTED_MOST];
static size_t noted_count;

static inline uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void note(uint64_t ns) {
  if (noted_count < NOTED_MOST) noted[noted_count++] = ns;
}

static inline int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Summary of the latencies recorded since the last summary. */
static inline measured summary(uint64_t elapsed) {
  size_t count = noted_count;
  noted_count = 0;
  if (!count) return (measured){0};
  qsort(noted, count, sizeof noted[0], by_size);
  return (measured){(double)count * 1e9 / (double)elapsed, (double)noted[count / 2] * 1e-6,
                    (double)noted[count * 99 / 100] * 1e-6};
}

static inline void fail(const char *what) {
  perror(what);
  exit(EXIT_FAILURE);
}

#endif
