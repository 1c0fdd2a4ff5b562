/* Scratch memory and solver counters of a worker thread. */
#ifndef API_EXECUTION_SCRATCH_H
#define API_EXECUTION_SCRATCH_H

#include <api/api.h>

struct api_scratch {
  ct_workspace *workspace;
  ct_arena *arena;
  api_solver_counts solved;
};

/* Counts one solved problem. failed: it did not reach its tolerance and is not proven
 * infeasible. */
static inline void api_solver_counts_add(api_solver_counts *solved, uint64_t iterations,
                                         bool failed) {
  solved->problems++;
  solved->iterations += iterations;
  solved->failures += failed;
}

#endif
