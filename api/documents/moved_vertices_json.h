/* Replaces vertices of triangle and element meshes in bodies of a scene. */
#ifndef API_DOCUMENTS_MOVED_VERTICES_JSON_H
#define API_DOCUMENTS_MOVED_VERTICES_JSON_H

#include "json/fields.h"

/* Greatest number of colliders in one call. */
#define API_MOVED_MESHES_MAX 1000

/* Applies {"meshes": [{"body", "collider"?, "vertices", "normals"?}]} to the draft. A collider
 * keeps its connectivity, id, pose and material, and a body everything else. Arrays contain
 * vectors, or all components in sequence. *count: number of changed colliders. Faults: UNKNOWN_ID;
 * DUPLICATE_ID (a collider is moved twice); NO_TRIANGLES (the shape has no vertices that can be
 * moved); WRONG_TYPE (an array has the wrong length); faults of building a mesh, at the vertices.
 * If false is returned, the draft must be discarded. */
bool api_move_vertices(api_reader *reader, const api_field *field, ct_draft *draft, size_t *count);

#endif
