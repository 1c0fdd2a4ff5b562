/* Surface ids in results: which face of a collider a point of its surface belongs to, by the ids
 * that the collider's shape has been given. */
#ifndef API_RESULTS_SURFACE_ID_JSON_H
#define API_RESULTS_SURFACE_ID_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"

/* A collider where it is in the world. */
typedef struct api_surface {
  ct_shape shape;
  ct_frame frame;
  bool has_ids; /* false: the rest is not set */
} api_surface;

/* Of a body at a pose. The shape is borrowed from the body. */
api_surface api_surface_of(const ct_body *body, uint32_t collider, ct_pose pose);

/* The member `name` with the id at a point of the surface, as ct_shape_surface_at finds it; nothing
 * without ids. World; outward: unit, out of the collider. O(1), hulls O(faces), elements O(log n)
 */
void api_put_surface_id(api_buffer *buffer, const char *name, const api_surface *surface,
                        ct_vec3 point, ct_vec3 outward);

#endif
