/* Bodies in records. */
#ifndef API_RECORDS_RECORD_BODY_H
#define API_RECORDS_RECORD_BODY_H

#include "records/record_decoder.h"

/* before: the body whose place it takes, or NULL; hulls and meshes that the two share are not
 * written again. */
void api_record_put_body(api_buffer *out, const ct_body *body, const ct_body *before);
/* *out is a reference. */
bool api_record_get_body(api_record_decoder *r, const ct_body *before, const ct_body **out);

/* record_collider.c. A collider that was read owns its shape (api_collider_release); its texts are
 * borrowed from the record or in the arena. */
void api_record_put_collider(api_buffer *out, const ct_collider *collider, const ct_body *before);
bool api_record_get_collider(api_record_decoder *r, const ct_body *before, ct_collider *out);

/* record_geometry.c: hulls, meshes and elements by their numbers, those of a hull before it was
 * shrunk. What was read is a reference in shape->hull or shape->mesh; note: how a mesh was to be
 * read. */
void api_record_put_points(api_buffer *out, const ct_hull *hull);
void api_record_put_mesh(api_buffer *out, const ct_mesh *mesh);
void api_record_put_elements(api_buffer *out, const ct_elements *elements);
void api_record_put_normals(api_buffer *out, const ct_vec3 *normals, size_t count); /* NULL: none */
bool api_record_get_points(api_record_decoder *r, ct_shape *shape);
bool api_record_get_mesh(api_record_decoder *r, ct_text note, ct_shape *shape);
bool api_record_get_elements(api_record_decoder *r, ct_shape *shape);
/* The arrays of a mesh that is read as a solid, or as a surface, and keeps duplicate triangles or
 * does not. */
bool api_record_get_arrays(api_record_decoder *r, ct_mesh_reading reading, bool repeats,
                           ct_shape *shape);
/* `count` vectors of components up to `greatest`, in the arena; NULL: refused. */
ct_vec3 *api_record_get_vectors(api_record_decoder *r, size_t count, double greatest);
/* `count` normals; *normals NULL: none. */
bool api_record_get_normals(api_record_decoder *r, size_t count, const ct_vec3 **normals);

/* record_moved_vertices.c: meshes and elements whose vertices were moved, by the numbers of their
 * origin and the moved vertices. Answers depend on the tree in their last bits, and the tree was
 * built for the origin. */
bool api_record_has_moved_vertices(const ct_shape *shape);
void api_record_put_moved_vertices(api_buffer *out, const ct_shape *shape);
bool api_record_get_moved_vertices(api_record_decoder *r, ct_shape *shape);

#endif
