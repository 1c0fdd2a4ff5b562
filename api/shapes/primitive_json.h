/* Shapes of a few numbers: balls, boxes, capsules, cylinders, cones, ellipsoids, half-spaces. */
#ifndef API_SHAPES_PRIMITIVE_JSON_H
#define API_SHAPES_PRIMITIVE_JSON_H

#include "json/pose_json.h"

/* The value of the member of out->shape.kind. A spelling that the numbers do not tell goes into
 * out->note, in the arena, as the ids of its faces do (out->shape.surface_ids), one for each face.
 */
bool api_read_primitive(api_reader *reader, const api_field *field, ct_collider *out);

/* 0 or a size. */
bool api_read_size_or_zero(api_reader *reader, const api_field *field, double *out);

/* Puts the members of the value: "radius":1,... */
void api_put_primitive(api_buffer *buffer, const ct_shape *shape);

#endif
