/* Primitive shapes in JSON: spheres, boxes, capsules, cylinders, cones, ellipsoids and
 * half-spaces. */
#ifndef API_SHAPES_PRIMITIVE_JSON_H
#define API_SHAPES_PRIMITIVE_JSON_H

#include "json/pose_json.h"

/* Reads the value of the member for out->shape.kind. If the numbers of the shape cannot reproduce
 * the members of the request, their text is stored in out->note. The note and the face ids
 * (out->shape.surface_ids, one per face) are in the reader's arena. */
bool api_read_primitive(api_reader *reader, const api_field *field, ct_collider *out);

/* Reads a number that is 0 or a valid size. */
bool api_read_size_or_zero(api_reader *reader, const api_field *field, double *out);

/* Puts the members of the shape's value, for example "radius":1. */
void api_put_primitive(api_buffer *buffer, const ct_shape *shape);

#endif
