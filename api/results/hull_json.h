/* Hulls of shapes as JSON: vertices, faces with their planes and neighbours, edges. */
#ifndef API_RESULTS_HULL_JSON_H
#define API_RESULTS_HULL_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"

/* Most faces of a hull that GET /v1/shapes/{id} writes: about 30 ms. */
#define API_HULL_FACES_MAX 20000u

/* Number of faces of the shape's hull, without rounding and margin; 0: neither convex nor box. */
uint32_t api_hull_faces(const ct_shape *shape);

/* Puts the members vertices, faces and edges, in the shape's frame, with the face numbers of
 * volumes and contacts. False: out of memory, incomplete. O(n log n) */
bool api_put_hull_members(api_buffer *buffer, const ct_shape *shape);

/* Puts "hulls" of a body: one entry per collider with a hull. False: as above. */
bool api_put_body_hulls(api_buffer *buffer, const ct_body *body);

#endif
