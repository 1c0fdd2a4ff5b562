/* How fast the bodies of a contact move: what its points' velocities are made of. */
#ifndef API_EXECUTION_CONTACT_VELOCITY_H
#define API_EXECUTION_CONTACT_VELOCITY_H

#include "execution/range_run.h"
#include "results/result_json.h"

/* The bodies of a hit as they move in the query being run: velocities of its variant, else of the question's poses, else of the
 * scene's. Sets bodies and tolerance. */
void api_contact_velocity_of(api_range_run *run, const ct_hit *hit, api_contact_velocity *out);

#endif
