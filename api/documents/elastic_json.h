/* Options of the elastic contact law, and the check for elastic moduli. */
#ifndef API_DOCUMENTS_ELASTIC_JSON_H
#define API_DOCUMENTS_ELASTIC_JSON_H

#include <contact/compliant.h>

#include "common/buffer.h"
#include "json/fields.h"

/* Reads the options; absent members are unchanged. `all`: moduli for all colliders, given both or
 * neither; NULL: not accepted. */
bool api_read_elastic(api_reader *reader, const api_field *field, ct_elastic_options *out,
                      ct_compliant_options *all);

/* Write the member elastic: effective options, or the defaults where none can be given. */
void api_put_elastic_options(api_buffer *out, const ct_elastic_options *options);
void api_put_default_elastic(api_buffer *out);

/* Finds the first collider of a row without a material with both moduli. False: none. */
bool api_find_soft(const ct_scene *scene, uint32_t row, uint32_t *collider);
/* Detail of its fault. */
#define API_NO_MODULI_TEXT                                                                         \
  "Collider %u of body \"%s\" needs a material with youngsModulus and poissonRatio."

#endif
