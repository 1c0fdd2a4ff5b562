/* A bounded body over a half-space: every vertex within reach of the surface. */
#include "narrow/manifold.h"

void ct_contacts_plane(ct_contacts *c) {
  const ct_core *core = &c->core_a;
  ct_vec3 down = c->view.normal;
  double level = ct_dot(down, c->relative.position);
  if (ct_core_curved(core)) {
    uint32_t near = 0;
    double radius;
    ct_vec3 lowest = ct_core_point(core, down, &near, &radius);
    lowest = ct_add_scaled(lowest, down, radius);
    ct_meeting meeting = {.b = {CT_FEATURE_FACE, 0}, .at = lowest, .distance = level - ct_dot(down, lowest)};
    ct_contacts_add(c, &meeting);
    return;
  }
  uint32_t count = ct_core_vertex_count(core);
  bool smooth = core->kind == CT_CORE_POINT;
  for (uint32_t i = 0; i < count; i++) {
    ct_vec3 at = ct_add_scaled(ct_core_vertex(core, i), down, ct_core_vertex_radius(core, i));
    ct_meeting meeting = {.a = {smooth ? CT_FEATURE_SMOOTH : CT_FEATURE_VERTEX, smooth ? 0 : i},
                          .b = {CT_FEATURE_FACE, 0},
                          .at = at,
                          .distance = level - ct_dot(down, at)};
    ct_contacts_add(c, &meeting);
  }
}
