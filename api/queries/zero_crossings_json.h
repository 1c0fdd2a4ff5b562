/* Kind zeroCrossings: the two functions that tell whether a contact state still holds, for an integrator's event finding. */
#ifndef API_QUERIES_ZERO_CROSSINGS_JSON_H
#define API_QUERIES_ZERO_CROSSINGS_JSON_H

#include <contact/contact_state.h>

#include "common/buffer.h"
#include "json/fields.h"

typedef struct api_crossings {
  const ct_contact_state *state; /* borrowed from the scene */
  ct_contact_evaluation evaluation;
  bool contacts; /* listed in the answers */
} api_crossings;

typedef struct api_crossings_fields {
  const api_field *state, *evaluation;
} api_crossings_fields;

/* Decodes the question's own members. An unknown contact state: UNKNOWN_ID. */
bool api_read_crossings(api_reader *reader, const api_crossings_fields *fields, const ct_scene *scene, api_crossings *out);

/* One evaluation. */
void api_put_crossings(api_buffer *buffer, const ct_scene *scene, const api_crossings *asked, const ct_contact_monitor *found);

#endif
