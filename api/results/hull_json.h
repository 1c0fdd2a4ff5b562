/* Hulls of shapes as JSON: vertices, faces with their planes and neighbours, and edges. */
#ifndef API_RESULTS_HULL_JSON_H
#define API_RESULTS_HULL_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"

/* Greatest number of faces of a hull that GET /v1/shapes/{id} writes; writing them takes
 * approximately 30 ms. */
#define API_HULL_FACES_MAX 20000u

/* Returns the number of faces of a convex shape's hull or of a box, rounding radius and margin not
 * included; 0 for other kinds. */
uint32_t api_hull_faces(const ct_shape *shape);

/* Puts the members vertices, faces and edges, in the frame of the shape. Faces have the indices
 * that volumes and contacts report. False: out of memory, and the members are incomplete. O(n log
 * n). */
bool api_put_hull_members(api_buffer *buffer, const ct_shape *shape);

/* Puts the member "hulls" of a body, with one entry per collider that has a hull. False: as
 * api_put_hull_members. */
bool api_put_body_hulls(api_buffer *buffer, const ct_body *body);

#endif
