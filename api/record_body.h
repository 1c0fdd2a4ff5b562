/* Bodies in records. */
#ifndef API_RECORD_BODY_H
#define API_RECORD_BODY_H

#include "record_restore.h"

/* before: the body whose place it takes, or NULL; hulls and meshes that the two share are not written again. */
void api_record_put_body(api_buffer *out, const ct_body *body, const ct_body *before);
/* *out is a reference. */
bool api_record_get_body(api_restoring *r, const ct_body *before, const ct_body **out);

/* record_collider.c. A collider that was read owns its shape (api_collider_release); its texts are borrowed from the record or in
 * the arena. */
void api_record_put_collider(api_buffer *out, const ct_collider *collider, const ct_body *before);
bool api_record_get_collider(api_restoring *r, const ct_body *before, ct_collider *out);

/* record_geometry.c: hulls, meshes and elements by their numbers, those of a hull before it was shrunk. What was read is a
 * reference in shape->hull or shape->mesh; note: how a mesh was to be read. */
void api_record_put_points(api_buffer *out, const ct_hull *hull);
void api_record_put_mesh(api_buffer *out, const ct_mesh *mesh);
void api_record_put_elements(api_buffer *out, const ct_elements *elements);
bool api_record_get_points(api_restoring *r, ct_shape *shape);
bool api_record_get_mesh(api_restoring *r, ct_text note, ct_shape *shape);
bool api_record_get_elements(api_restoring *r, ct_shape *shape);

#endif
