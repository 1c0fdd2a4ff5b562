/* Tetmeshes, hexmeshes and elementmeshes in JSON: {"vertices", "tetrahedra", "hexahedra" or
 * "elements", "normals"?, "surfaceIds"?}. */
#ifndef API_SHAPES_ELEMENTS_JSON_H
#define API_SHAPES_ELEMENTS_JSON_H

#include "json/fields.h"

typedef struct api_elements_source {
  ct_elements_data data;
  const api_pointer *at; /* the shape in the document, whose members hold the arrays; or what is
                            reported of the whole */
  bool whole;
  const ct_elements
      *moved; /* the elements whose vertices and normals `data` replaces; NULL: none */
} api_elements_source;

/* The type of the elements of a kind that has some. */
ct_element_type api_elements_type(ct_kind kind);

/* False with a fault: BAD_ELEMENT that names the first element at fault, WRONG_TYPE for surfaceIds
 * of another count than there are outer faces, OUT_OF_RANGE for a shape below the least size,
 * LIMIT_EXCEEDED, OUT_OF_MEMORY, DEADLINE_EXCEEDED. The caller owns *out. */
bool api_build_elements(api_reader *reader, const api_elements_source *source, ct_elements **out,
                        ct_elements_report *report);

/* out->shape.kind tells which of them; out->shape is a reference, owned. Faults: BAD_INDEX, those
 * of api_build_elements. */
bool api_read_elements(api_reader *reader, const api_field *field, ct_collider *out);

/* The value of the member, out of the elements themselves: the caller's arrays in the caller's
 * order. */
void api_put_elements(api_buffer *buffer, const ct_collider *collider);

#endif
