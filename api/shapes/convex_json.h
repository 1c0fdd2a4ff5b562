/* Convex shapes by their points or planes: decode and encode. */
#ifndef API_SHAPES_CONVEX_JSON_H
#define API_SHAPES_CONVEX_JSON_H

#include "json/pose_json.h"

#include <contact/scene.h>

/* The value of `convex`. out->shape.hull is a reference, owned; out->note is set if the hull
 * alone cannot reproduce the request (other points, planes or ids). Faults: DEGENERATE_HULL,
 * OUT_OF_RANGE, LIMIT_EXCEEDED; WRONG_TYPE if the number of surfaceIds differs from the number of
 * faces or planes. */
bool api_read_convex(api_reader *reader, const api_field *field, ct_collider *out);

/* Creates the hull of points; faults are reported at `field`. The caller owns the hull. Faults:
 * DEGENERATE_HULL, OUT_OF_RANGE, LIMIT_EXCEEDED. */
bool api_make_hull(api_reader *reader, const api_field *field, const ct_vec3 *points, size_t count,
                   ct_hull **out);

/* Puts the members "vertices":[...] and, if the faces have ids, "surfaceIds":[...]. */
void api_put_vertices(api_buffer *buffer, const ct_hull *hull);

#endif
