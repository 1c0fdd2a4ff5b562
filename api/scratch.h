/* What a thread's ranges run with. */
#ifndef API_SCRATCH_H
#define API_SCRATCH_H

#include <api/api.h>

struct api_scratch {
  ct_workspace *workspace;
  ct_solver *solver;
};

#endif
