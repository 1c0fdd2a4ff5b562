/* Programs with a short form of fixed seed (make test) and a full form (CONTACTD_FULL=1) whose
 * fresh seed is printed. CONTACTD_SEED repeats a run of either form. */
#ifndef TESTS_FULL_H
#define TESTS_FULL_H

#include "tests/support/check.h"

#include <time.h>

static inline int full_cases(int few, int many) { return getenv("CONTACTD_FULL") ? many : few; }

/* The generator of a fact: from the fixed seed, or in the full form from a fresh seed that is
 * printed with the fact's name. */
static inline check_random full_random(const char *fact, uint64_t seed) {
  const char *given = getenv("CONTACTD_SEED");
  struct timespec now;
  if (given) {
    seed = strtoull(given, NULL, 10);
  } else if (getenv("CONTACTD_FULL")) {
    timespec_get(&now, TIME_UTC);
    seed = (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
  }
  if (given || getenv("CONTACTD_FULL"))
    printf("%s: CONTACTD_SEED=%llu\n", fact, (unsigned long long)seed);
  return (check_random){seed};
}

#endif
