/* Calls of /v1/solve: linear complementarity and friction problems. All numbers are in the request,
 * and nothing is stored. The handler reads the problem, a single range solves it, on a worker
 * unless it is tiny, and finish writes the result. */
#ifndef API_HANDLERS_SOLVE_H
#define API_HANDLERS_SOLVE_H

#include "calls/call.h"
#include "execution/scratch.h"

#include <contact/friction.h>
#include <contact/lcp.h>

struct api_solve {
  bool friction; /* true: friction problem; false: linear complementarity problem */
  ct_lcp lcp;
  ct_lcp_options lcp_options;
  ct_lcp_result lcp_result;
  ct_friction_problem problem;
  ct_friction_options friction_options;
  ct_friction_result friction_result;
  ct_status status; /* status of the solver, set once `complete` */
  bool handed_out, complete;
  double cost; /* ns on one core */
};

api_step api_solve_lcp(api_call *call);
api_step api_solve_friction(api_call *call);

/* solve_json.c: read the request into call->solve and allocate the result. False: faults were
 * added. */
bool api_read_lcp(api_call *call);
bool api_read_friction(api_call *call);
/* Put the members of the result. */
void api_put_lcp(api_buffer *out, const ct_lcp_result *result, size_t size);
void api_put_friction(api_buffer *out, const ct_friction_result *result, size_t size);

#endif
