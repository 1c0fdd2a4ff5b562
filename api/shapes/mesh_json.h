/* Meshes in JSON: {"vertices", "triangles", "normals"?, "solid"?, "repair"?, "convexHull"?}. */
#ifndef API_SHAPES_MESH_JSON_H
#define API_SHAPES_MESH_JSON_H

#include "json/fields.h"

/* Reads a mesh, or with convexHull the hull of its vertices (out->shape.kind). out->shape is a
 * reference, owned, and out->note is in the reader's arena. Faults: BAD_INDEX at an index that is
 * not a vertex or is repeated, and those of api_build_mesh. */
bool api_read_mesh(api_reader *reader, const api_field *field, ct_collider *out);

/* Puts the value of the member mesh: the caller's vertices and triangles in the caller's order. */
void api_put_mesh(api_buffer *buffer, const ct_collider *collider);

/* Makes the note of a mesh with kept duplicate triangles from its arrays; *note is in the reader's
 * arena. False with a fault: out of memory. */
bool api_describe_duplicates(api_reader *reader, const ct_mesh *mesh, ct_text *note);

#endif
