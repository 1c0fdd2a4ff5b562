/* Results of queries over moving bodies as JSON. The values are defined in contact/toi.h. */
#ifndef API_RESULTS_MOTION_RESULT_H
#define API_RESULTS_MOTION_RESULT_H

#include <contact/toi.h>

#include "results/result_json.h"

/* Puts one result of a sweep: the impact of two bodies. */
void api_put_time_of_impact(api_buffer *buffer, const ct_body *a, const ct_body *b,
                            const ct_motion_hit *hit);
/* Puts one result of a timeline: a contact of two bodies that begins or ends. */
void api_put_contact_change(api_buffer *buffer, const ct_body *a, const ct_body *b,
                            const ct_contact_change *change);

#endif
