/* Tetmeshes, hexmeshes and elementmeshes in JSON: {"vertices", "tetrahedra", "hexahedra" or
 * "elements", "normals"?, "surfaceIds"?}. */
#ifndef API_SHAPES_ELEMENTS_JSON_H
#define API_SHAPES_ELEMENTS_JSON_H

#include "json/fields.h"

typedef struct api_elements_source {
  ct_elements_data data;
  const api_pointer *at; /* location of the shape, whose members contain the arrays; if `whole`,
                            location of all faults */
  bool whole;
  const ct_elements
      *moved; /* elements whose vertices and normals are replaced by those of `data`; NULL: none */
} api_elements_source;

/* Returns the element type of a kind of shape that has elements. */
ct_element_type api_elements_type(ct_kind kind);

/* Builds the elements, which the caller owns. Faults: BAD_ELEMENT at the first faulty element,
 * WRONG_TYPE if there is not one surfaceId per outer face, OUT_OF_RANGE for a shape below the least
 * size, LIMIT_EXCEEDED, OUT_OF_MEMORY, DEADLINE_EXCEEDED. */
bool api_build_elements(api_reader *reader, const api_elements_source *source, ct_elements **out,
                        ct_elements_report *report);

/* Reads elements of the kind out->shape.kind into out->shape, which is a reference that *out owns.
 * Faults: BAD_INDEX, and those of api_build_elements. */
bool api_read_elements(api_reader *reader, const api_field *field, ct_collider *out);

/* Puts the value of the shape's member: the arrays of the request in their order. */
void api_put_elements(api_buffer *buffer, const ct_collider *collider);

#endif
