/* Surface ids in results. */
#include "results/surface_id_json.h"

#include <contact/hull.h>

static bool has_surface_ids(const ct_shape *shape) {
  if (shape->kind == CT_KIND_CONVEX)
    return ct_hull_get(ct_hull_outer(shape->hull))->surface_ids != NULL;
  if (ct_kind_has_elements(shape->kind))
    return ct_elements_get(shape->elements)->surface_ids != NULL;
  return shape->surface_ids != NULL && ct_kind_surface_count(shape->kind) > 0;
}

api_surface api_surface_of(const ct_body *body, uint32_t collider, ct_pose pose) {
  const ct_collider placed = ct_body_collider(body, collider);
  if (!has_surface_ids(&placed.shape)) return (api_surface){.has_ids = false};
  return (api_surface){placed.shape, ct_frame_mul(ct_frame_of(pose), ct_frame_of(placed.pose)),
                       true};
}

void api_put_surface_id(api_buffer *buffer, const char *name, const api_surface *surface,
                        ct_vec3 point, ct_vec3 outward) {
  if (!surface->has_ids) return;
  ct_vec3 local = ct_to_local(surface->frame, point),
          along = ct_mat_tmul(surface->frame.rotation, outward);
  api_put_member_unsigned(buffer, name, ct_shape_surface_at(&surface->shape, local, along));
}
