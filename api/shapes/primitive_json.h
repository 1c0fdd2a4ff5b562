/* Primitives: spheres, boxes, capsules, cylinders, cones, ellipsoids, half-spaces. */
#ifndef API_SHAPES_PRIMITIVE_JSON_H
#define API_SHAPES_PRIMITIVE_JSON_H

#include "json/pose_json.h"

/* Reads the value of the member of out->shape.kind. A spelling that the numbers cannot reproduce is
 * stored in out->note, in the arena, as are the face ids (out->shape.surface_ids), one per face. */
bool api_read_primitive(api_reader *reader, const api_field *field, ct_collider *out);

/* Reads 0 or a size. */
bool api_read_size_or_zero(api_reader *reader, const api_field *field, double *out);

/* Puts the members of the value: "radius":1, ... */
void api_put_primitive(api_buffer *buffer, const ct_shape *shape);

#endif
