/* Encodes and decodes the bodies, colliders and shapes of records. */
#ifndef API_RECORDS_RECORD_BODY_H
#define API_RECORDS_RECORD_BODY_H

#include "records/record_decoder.h"

/* Puts a body. before: the body that it replaces, or NULL; hulls and meshes that both share are not
 * encoded again. */
void api_record_put_body(api_buffer *out, const ct_body *body, const ct_body *before);
/* Decodes a body; *out is a reference for the caller. False: the record is rejected. */
bool api_record_get_body(api_record_decoder *r, const ct_body *before, const ct_body **out);

/* record_collider.c: colliders. A decoded collider owns its shape (api_collider_release); its texts
 * are borrowed from the record or the arena. */
void api_record_put_collider(api_buffer *out, const ct_collider *collider, const ct_body *before);
bool api_record_get_collider(api_record_decoder *r, const ct_body *before, ct_collider *out);

/* record_geometry.c: hulls, meshes and elements, encoded by the arrays from which they are built;
 * of a hull shrunk for its rounding, the points before shrinking. The decoded shape is a reference
 * in shape->hull, shape->mesh or shape->elements. note: the reading option "true" (solid) or
 * "false" (surface) of a mesh. */
void api_record_put_points(api_buffer *out, const ct_hull *hull);
void api_record_put_mesh(api_buffer *out, const ct_mesh *mesh);
void api_record_put_elements(api_buffer *out, const ct_elements *elements);
void api_record_put_normals(api_buffer *out, const ct_vec3 *normals, size_t count); /* NULL: none */
bool api_record_get_points(api_record_decoder *r, ct_shape *shape);
bool api_record_get_mesh(api_record_decoder *r, ct_text note, ct_shape *shape);
bool api_record_get_elements(api_record_decoder *r, ct_shape *shape);
/* Decodes the arrays of a mesh and builds it as a solid or a surface. repeats: duplicate triangles
 * are kept. */
bool api_record_get_arrays(api_record_decoder *r, ct_mesh_reading reading, bool repeats,
                           ct_shape *shape);
/* Decodes `count` vectors, whose components must not exceed `greatest`, into the arena. NULL: the
 * record is rejected. */
ct_vec3 *api_record_get_vectors(api_record_decoder *r, size_t count, double greatest);
/* Decodes `count` normals into the arena; *normals is NULL if the record has none. */
bool api_record_get_normals(api_record_decoder *r, size_t count, const ct_vec3 **normals);

/* record_moved_vertices.c: meshes and elements with moved vertices, encoded by the arrays of their
 * origin and the moved vertices. The origin is stored because the bounding volume tree was built
 * for it, and the last bits of results depend on the tree. */
bool api_record_has_moved_vertices(const ct_shape *shape);
void api_record_put_moved_vertices(api_buffer *out, const ct_shape *shape);
bool api_record_get_moved_vertices(api_record_decoder *r, ct_shape *shape);

#endif
