/* What a thread's ranges run with. */
#ifndef API_EXECUTION_SCRATCH_H
#define API_EXECUTION_SCRATCH_H

#include <api/api.h>

struct api_scratch {
  ct_workspace *workspace;
  ct_arena *arena;
  api_solver_counts solved;
};

/* One problem more. */
static inline void api_solver_counts_add(api_solver_counts *solved, uint64_t iterations,
                                         bool failed) {
  solved->problems++;
  solved->iterations += iterations;
  solved->failures += failed;
}

#endif
