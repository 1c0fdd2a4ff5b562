/* Brute-force broad phase: tests every pair. O(n^2). */
#include "broad/broad_methods.h"

/* Tests between two polls of the cancel flag: a few microseconds. */
#define TESTS_PER_POLL 4096

ct_status ct_broad_brute_force(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  for (size_t i = 0; i < count; i++) {
    size_t j = i + 1;
    while (j < count) {
      if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
      size_t stop = count - j > TESTS_PER_POLL ? j + TESTS_PER_POLL : count;
      out->box_tests += stop - j;
      for (; j < stop; j++) {
        if (!ct_aabb_overlap(&boxes[i], &boxes[j])) continue;
        ct_status status = ct_pair_output_add(out, (uint32_t)i, (uint32_t)j);
        if (status != CT_OK) return status;
      }
    }
  }
  return CT_OK;
}
