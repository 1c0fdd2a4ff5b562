/* Choices among elastic laws, and who has the moduli that the law needs. */
#ifndef API_DOCUMENTS_ELASTIC_JSON_H
#define API_DOCUMENTS_ELASTIC_JSON_H

#include <contact/compliant.h>

#include "common/buffer.h"
#include "json/fields.h"

/* Members that are not given stay as they are. `all` NULL: moduli of all colliders cannot be given here; else both are, or
 * neither. */
bool api_read_elastic(api_reader *reader, const api_field *field, ct_elastic_options *out, ct_compliant_options *all);

/* The member elastic: the choices in force; and the usual ones, where none could be given. */
void api_put_elastic_options(api_buffer *out, const ct_elastic_options *options);
void api_put_default_elastic(api_buffer *out);

/* The first collider of a row that is of no material with both moduli; false: all are. */
bool api_find_soft(const ct_scene *scene, uint32_t row, uint32_t *collider);
/* What is told of it. */
#define API_NO_MODULI_TEXT "Collider %u of body \"%s\" is of no material with youngsModulus and poissonRatio."

#endif
