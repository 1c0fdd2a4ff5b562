/* Results of probes as JSON. What the numbers mean is in contact/probe.h. */
#ifndef API_RESULTS_PROBE_JSON_H
#define API_RESULTS_PROBE_JSON_H

#include <contact/probe.h>

#include "results/result_json.h"

void api_put_probe_answer(api_buffer *buffer, ct_probe_kind kind, const ct_body *body, ct_pose pose,
                          const ct_probe_hit *hit);

#endif
