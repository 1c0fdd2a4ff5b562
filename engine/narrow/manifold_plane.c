/* A bounded body over a half-space: every vertex, and quarter points of every rim, within reach of the surface. */
#include "narrow/manifold.h"

/* A point of the body: over its core by the radius. */
static void add(ct_contacts *c, ct_feature feature, ct_vec3 core_point, double radius, uint32_t number) {
  ct_vec3 down = c->view.normal, at = ct_add_scaled(core_point, down, radius);
  double level = ct_dot(down, c->relative.position);
  ct_meeting meeting = {.a = feature, .b = {CT_FEATURE_FACE, 0}, .at = at, .number = number, .distance = level - ct_dot(down, at)};
  ct_contacts_add(c, &meeting);
}

static void add_rims(ct_contacts *c) {
  const ct_core *core = &c->core_a;
  ct_vec3 axis = ct_unit_or(core->axis[2], ct_vec(0.0, 0.0, 1.0)), at[4];
  ct_vec3 across = ct_vec(core->rotation.rx.x, core->rotation.ry.x, core->rotation.rz.x);
  ct_rim_points(axis, across, c->view.normal, CT_PARALLEL_ANGLE, at);
  for (uint32_t top = 0; top < 2; top++) {
    ct_vec3 center = ct_add_scaled(core->center, core->axis[2], top ? 1.0 : -1.0);
    if (core->rim[top] == 0.0) add(c, (ct_feature){CT_FEATURE_VERTEX, 0}, center, core->radius[0], 0);
    for (uint32_t i = 0; i < 4 && core->rim[top] > 0.0; i++)
      add(c, (ct_feature){CT_FEATURE_EDGE, top}, ct_add_scaled(center, at[i], core->rim[top]), core->radius[0], i);
  }
}

void ct_contacts_plane(ct_contacts *c) {
  const ct_core *core = &c->core_a;
  if (core->kind == CT_CORE_FRUSTUM) {
    add_rims(c);
  } else if (core->kind == CT_CORE_ELLIPSOID || core->kind == CT_CORE_POINT) {
    uint32_t near = 0;
    double radius;
    ct_vec3 lowest = ct_core_point(core, c->view.normal, &near, &radius);
    add(c, (ct_feature){CT_FEATURE_SMOOTH, 0}, lowest, radius, 0);
  } else {
    uint32_t count = ct_core_vertex_count(core);
    for (uint32_t i = 0; i < count; i++)
      add(c, (ct_feature){CT_FEATURE_VERTEX, i}, ct_core_vertex(core, i), ct_core_vertex_radius(core, i), 0);
  }
}
