/* Replaces vertices of triangle and element meshes in bodies of a scene. */
#ifndef API_DOCUMENTS_MOVED_VERTICES_JSON_H
#define API_DOCUMENTS_MOVED_VERTICES_JSON_H

#include "json/fields.h"

/* Greatest number of colliders in one call. */
#define API_MOVED_MESHES_MAX 1000

/* Applies {"meshes": [{"body", "collider"?, "vertices", "normals"?}]} to the draft, all or nothing.
 * Colliders retain connectivity, id, pose and material, bodies everything else. Arrays have vectors
 * or, flat, their components. *count: changed colliders. Faults: UNKNOWN_ID; DUPLICATE_ID, a
 * collider twice; NO_TRIANGLES, a shape without movable vertices; WRONG_TYPE, an array of wrong
 * length; faults of building a mesh, at the vertices. Discard the draft on false. */
bool api_move_vertices(api_reader *reader, const api_field *field, ct_draft *draft, size_t *count);

#endif
