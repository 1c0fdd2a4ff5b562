/* JSON of the elastic contact law: its options, and the check that bodies have elastic moduli. */
#ifndef API_DOCUMENTS_ELASTIC_JSON_H
#define API_DOCUMENTS_ELASTIC_JSON_H

#include <contact/compliant.h>

#include "common/buffer.h"
#include "json/fields.h"

/* Reads the options of the elastic law; options of absent members are unchanged. `all` receives
 * Young's modulus and Poisson's ratio for all colliders, which must be given together or not at
 * all; if `all` is NULL, the two members are refused. */
bool api_read_elastic(api_reader *reader, const api_field *field, ct_elastic_options *out,
                      ct_compliant_options *all);

/* Put the member elastic: the options in effect, or the default options. */
void api_put_elastic_options(api_buffer *out, const ct_elastic_options *options);
void api_put_default_elastic(api_buffer *out);

/* Finds the first collider, of the body in a row of the scene, whose material lacks Young's modulus
 * or Poisson's ratio. False: there is no such collider. */
bool api_find_soft(const ct_scene *scene, uint32_t row, uint32_t *collider);
/* Detail of the fault for a collider that api_find_soft found. */
#define API_NO_MODULI_TEXT                                                                         \
  "Collider %u of body \"%s\" has no elastic moduli: give it a material with youngsModulus and "   \
  "poissonRatio."

#endif
