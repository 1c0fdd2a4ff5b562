/* Queries of kind zeroCrossings: two indicator functions of a contact state, whose sign changes are
 * the events of a hybrid integrator. */
#ifndef API_QUERIES_ZERO_CROSSINGS_JSON_H
#define API_QUERIES_ZERO_CROSSINGS_JSON_H

#include <contact/contact_state.h>

#include "common/buffer.h"
#include "json/fields.h"

typedef struct api_crossings {
  const ct_contact_state *state; /* borrowed from the scene */
  ct_contact_evaluation evaluation;
  bool contacts; /* list the contacts in results */
} api_crossings;

typedef struct api_crossings_fields {
  const api_field *state, *evaluation;
} api_crossings_fields;

/* Reads the members of the kind. UNKNOWN_ID: the contact state. */
bool api_read_crossings(api_reader *reader, const api_crossings_fields *fields,
                        const ct_scene *scene, api_crossings *out);

/* Writes the result of one evaluation. */
void api_put_crossings(api_buffer *buffer, const ct_scene *scene, const api_crossings *crossings,
                       const ct_contact_monitor *found);

#endif
