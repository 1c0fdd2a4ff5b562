/* Convex shapes, given by points or planes, in JSON. */
#ifndef API_SHAPES_CONVEX_JSON_H
#define API_SHAPES_CONVEX_JSON_H

#include "json/pose_json.h"

#include <contact/scene.h>

/* Reads the value of `convex`. out->shape.hull is a reference, which *out owns. out->note is set if
 * the request cannot be reproduced from the hull alone: points that are not vertices, planes, or
 * ids. Faults: DEGENERATE_HULL, OUT_OF_RANGE, LIMIT_EXCEEDED; WRONG_TYPE if there is not one
 * surfaceId per face or plane. */
bool api_read_convex(api_reader *reader, const api_field *field, ct_collider *out);

/* Builds the hull of points, which the caller owns. Faults at `field`: DEGENERATE_HULL,
 * OUT_OF_RANGE, LIMIT_EXCEEDED. */
bool api_make_hull(api_reader *reader, const api_field *field, const ct_vec3 *points, size_t count,
                   ct_hull **out);

/* Puts the members "vertices":[...], in the order of the request, and, if the faces have ids,
 * "surfaceIds":[...]. */
void api_put_vertices(api_buffer *buffer, const ct_hull *hull);

#endif
