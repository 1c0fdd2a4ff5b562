/* Results of probes: where a ray crosses a body, which body is near a point, holds it, or is in a
 * region. */
#include "results/probe_json.h"

#include "results/surface_id_json.h"

void api_put_probe_answer(api_buffer *buffer, ct_probe_kind kind, const ct_body *body, ct_pose pose,
                          const ct_probe_hit *hit) {
  api_put_byte(buffer, '{');
  if (kind != CT_PROBE_REGION)
    api_put_member_unsigned(buffer, kind == CT_PROBE_RAYCAST ? "ray" : "point", hit->item);
  api_put_id(buffer, "id", ct_body_id(body));
  api_put_collider_name(buffer, "collider", body, hit->collider);
  const ct_shape shape = ct_body_collider(body, hit->collider).shape;
  bool surface = kind == CT_PROBE_RAYCAST ? ct_shape_is_surface(&shape) : ct_body_has_surface(body);
  if (surface) api_put_member_bool(buffer, "surface", true);
  if (kind == CT_PROBE_REGION) {
    api_put_member_bool(buffer, "inside", hit->inside);
  } else {
    api_put_member_number(buffer, "distance", hit->distance);
    api_put_member_vec3(buffer, "position", hit->position);
    api_put_member_vec3(buffer, "normal", hit->normal);
    if (kind == CT_PROBE_RAYCAST) api_put_member_bool(buffer, "entering", hit->entering);
    const api_surface at = api_surface_of(body, hit->collider, pose);
    api_put_surface_id(buffer, "surfaceId", &at, hit->position, hit->normal);
    if (hit->triangle != CT_NO_TRIANGLE) api_put_member_unsigned(buffer, "triangle", hit->triangle);
    api_put_status(buffer, hit->status, hit->flags);
  }
  api_put_byte(buffer, '}');
}
