/* Tetmeshes, hexmeshes and elementmeshes in JSON: {"vertices", "tetrahedra", "hexahedra" or
 * "elements", "normals"?, "surfaceIds"?}. */
#ifndef API_SHAPES_ELEMENTS_JSON_H
#define API_SHAPES_ELEMENTS_JSON_H

#include "json/fields.h"

typedef struct api_elements_source {
  ct_elements_data data;
  const api_pointer *at; /* the shape in the document, whose members contain the arrays; or the
                            place of all faults (`whole`) */
  bool whole;
  const ct_elements
      *moved; /* the elements whose vertices and normals `data` replaces; NULL: none */
} api_elements_source;

/* Returns the element type of a kind with elements. */
ct_element_type api_elements_type(ct_kind kind);

/* False with a fault: BAD_ELEMENT at the first faulty element, WRONG_TYPE if the number of
 * surfaceIds differs from the number of outer faces, OUT_OF_RANGE for a shape below the least size,
 * LIMIT_EXCEEDED, OUT_OF_MEMORY, DEADLINE_EXCEEDED. The caller owns *out. */
bool api_build_elements(api_reader *reader, const api_elements_source *source, ct_elements **out,
                        ct_elements_report *report);

/* Reads elements of the kind out->shape.kind. out->shape is a reference, owned. Faults: BAD_INDEX,
 * and those of api_build_elements. */
bool api_read_elements(api_reader *reader, const api_field *field, ct_collider *out);

/* Puts the member's value from the elements: the caller's arrays in the caller's order. */
void api_put_elements(api_buffer *buffer, const ct_collider *collider);

#endif
