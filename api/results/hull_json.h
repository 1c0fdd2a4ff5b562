/* Hulls of shapes as JSON: vertices, faces with their planes and neighbours, edges. */
#ifndef API_RESULTS_HULL_JSON_H
#define API_RESULTS_HULL_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"

/* Faces of a hull that GET /v1/shapes/{id} writes, at most: some 30 ms. */
#define API_HULL_FACES_MAX 20000u

/* Faces of the shape's hull as given, without rounding and margin; 0: it has none (neither convex
 * nor box). */
uint32_t api_hull_faces(const ct_shape *shape);

/* The members vertices, faces and edges, in the shape's frame; numbers of faces are those that
 * volumes and contacts name. False: memory was refused, some of them are missing. O(n log n) */
bool api_put_hull_members(api_buffer *buffer, const ct_shape *shape);

/* "hulls" of a body: of each collider that has one. False: likewise. */
bool api_put_body_hulls(api_buffer *buffer, const ct_body *body);

#endif
