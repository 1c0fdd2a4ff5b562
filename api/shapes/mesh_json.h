/* Meshes in JSON: {"vertices", "triangles", "normals"?, "solid"?, "repair"?, "convexHull"?}. */
#ifndef API_SHAPES_MESH_JSON_H
#define API_SHAPES_MESH_JSON_H

#include "json/fields.h"

/* A mesh, or with convexHull the hull of its vertices (out->shape.kind tells which); out->shape is
 * a reference, owned, and out->note is in the reader's arena. Faults: BAD_INDEX at an index that
 * names no vertex or one twice, those of api_build_mesh. */
bool api_read_mesh(api_reader *reader, const api_field *field, ct_collider *out);

/* The value of the member mesh, out of the mesh itself: the caller's vertices and triangles in the
 * caller's order. */
void api_put_mesh(api_buffer *buffer, const ct_collider *collider);

/* The note of a mesh that keeps duplicate triangles, out of its own arrays, into *note in the
 * reader's arena. False with a fault: out of memory. */
bool api_describe_duplicates(api_reader *reader, const ct_mesh *mesh, ct_text *note);

#endif
