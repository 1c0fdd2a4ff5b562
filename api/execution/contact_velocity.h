/* Velocities of the bodies of a contact, from which the relative velocities of its points
 * follow. */
#ifndef API_EXECUTION_CONTACT_VELOCITY_H
#define API_EXECUTION_CONTACT_VELOCITY_H

#include "execution/range_run.h"
#include "results/result_json.h"

/* Sets the moving bodies of a hit and the tolerance. A velocity is the variant's, else the query's
 * poses', else the scene's. */
void api_contact_velocity_of(api_range_run *run, const ct_hit *hit, api_contact_velocity *out);

#endif
