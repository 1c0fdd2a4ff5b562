/* Meshes in JSON: {"vertices", "triangles", "normals"?, "solid"?, "repair"?, "convexHull"?}. */
#ifndef API_SHAPES_MESH_JSON_H
#define API_SHAPES_MESH_JSON_H

#include "json/fields.h"

/* Reads a mesh or, with convexHull, the hull of its vertices (out->shape.kind is then CONVEX).
 * out->shape is a reference that *out owns, and out->note is in the reader's arena. Faults:
 * BAD_INDEX at a number that is not a vertex index or is repeated, and those of api_build_mesh. */
bool api_read_mesh(api_reader *reader, const api_field *field, ct_collider *out);

/* Puts the value of the member mesh: vertices and triangles in the order of the request. */
void api_put_mesh(api_buffer *buffer, const ct_collider *collider);

/* Makes the note of a mesh with kept duplicate triangles, which contains its arrays; *note is in
 * the reader's arena. False with a fault: out of memory. */
bool api_describe_duplicates(api_reader *reader, const ct_mesh *mesh, ct_text *note);

#endif
