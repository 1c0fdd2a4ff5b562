/* The tests' own small harness: a program is a list of named facts; each is a function that records
 * failures. A failed check prints file, line and both values, and the test continues. argv[1]
 * selects the tests whose names contain it. The last line printed is "N passed, N failed, N
 * skipped"; tests/run adds these up. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures; /* in the running test */
static bool check_skipped;

typedef struct check_test {
  const char *name;
  void (*run)(void);
} check_test;

#define CHECK_FAIL(...)                                                                            \
  do {                                                                                             \
    if (check_failures++ < 10) {                                                                   \
      fprintf(stderr, "  %s:%d: ", __FILE__, __LINE__);                                            \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
    }                                                                                              \
  } while (0)

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) CHECK_FAIL("not true: %s", #condition);                                      \
  } while (0)

#define CHECK_INT(actual, expected)                                                                \
  do {                                                                                             \
    long long check_a = (long long)(actual), check_e = (long long)(expected);                      \
    if (check_a != check_e) CHECK_FAIL("%s is %lld, should be %lld", #actual, check_a, check_e);   \
  } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                    \
  do {                                                                                             \
    double check_a = (actual), check_e = (expected), check_t = (tolerance);                        \
    if (!(fabs(check_a - check_e) <= check_t))                                                     \
      CHECK_FAIL("%s is %.17g, should be %.17g within %g (off by %g)", #actual, check_a, check_e,  \
                 check_t, check_a - check_e);                                                      \
  } while (0)

#define CHECK_TEXT(actual, expected)                                                               \
  do {                                                                                             \
    const char *check_a = (actual), *check_e = (expected);                                         \
    if (strcmp(check_a, check_e) != 0)                                                             \
      CHECK_FAIL("%s is \"%s\", should be \"%s\"", #actual, check_a, check_e);                     \
  } while (0)

/* Prints the reason and marks the running test as skipped. */
#define CHECK_SKIP(reason)                                                                         \
  do {                                                                                             \
    fprintf(stderr, "  skipped: %s\n", reason);                                                    \
    check_skipped = true;                                                                          \
  } while (0)

static inline int check_main(int argc, char **argv, const check_test *tests, size_t count) {
  int passed = 0, failed = 0, skipped = 0;
  for (size_t i = 0; i < count; i++) {
    if (argc > 1 && !strstr(tests[i].name, argv[1])) continue;
    check_failures = 0;
    check_skipped = false;
    tests[i].run();
    if (check_failures) {
      failed++;
      printf("FAILED %s (%d checks)\n", tests[i].name, check_failures);
    } else if (check_skipped) {
      skipped++;
    } else {
      passed++;
    }
    fflush(stdout);
  }
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed != 0;
}

#define CHECK_MAIN(tests)                                                                          \
  int main(int argc, char **argv) {                                                                \
    return check_main(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]));                      \
  }

/* SplitMix64 (Steele, Lea, Flood 2014): reproducible random input from a printed seed. */
typedef struct check_random {
  uint64_t state;
} check_random;

static inline uint64_t check_next(check_random *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/* Uniform in [low, high). */
static inline double check_uniform(check_random *r, double low, double high) {
  return low + (high - low) * ((double)(check_next(r) >> 11) * 0x1p-53);
}

#endif
