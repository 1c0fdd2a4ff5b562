/* CPU time of this process, and medians, for the programs of `make bench`. */
#ifndef TESTS_BENCH_TIMING_H
#define TESTS_BENCH_TIMING_H

#include <stdlib.h>
#include <time.h>

/* CPU time of the process, ns. */
static inline double timing_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline int timing_compare(const void *left, const void *right) {
  double p = *(const double *)left, q = *(const double *)right;
  return (p > q) - (p < q);
}

/* Sorts the values. */
static inline double timing_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, timing_compare);
  return values[count / 2];
}

#endif
