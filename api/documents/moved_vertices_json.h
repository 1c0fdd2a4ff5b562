/* Vertices of meshes of triangles or of elements that are replaced in bodies of a scene. */
#ifndef API_DOCUMENTS_MOVED_VERTICES_JSON_H
#define API_DOCUMENTS_MOVED_VERTICES_JSON_H

#include "json/fields.h"

/* Colliders of one call, at most. */
#define API_MOVED_MESHES_MAX 1000

/* {"meshes": [{"body", "collider"?, "vertices", "normals"?}]} into the draft, all or nothing: the
 * colliders keep connectivity, id, pose and material, the bodies everything else. Arrays are of vectors
 * or, flat, of their components. *count: colliders that were changed. Faults: UNKNOWN_ID; DUPLICATE_ID:
 * a collider is named twice; NO_TRIANGLES: it has no vertices to move; WRONG_TYPE: an array of another
 * length; those of building a mesh or elements, at the vertices. Discard the draft on false. */
bool api_move_vertices(api_reader *reader, const api_field *field, ct_draft *draft, size_t *count);

#endif
