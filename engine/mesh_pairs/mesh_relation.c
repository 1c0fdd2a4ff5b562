/* How a body and a mesh lie, and whether they overlap: by kinds. */
#include "mesh/mesh_support.h"
#include "mesh_pairs/mesh_mesh.h"
#include "mesh_pairs/mesh_tree_pairs.h"
#include "shape/tapered_capsule.h"

ct_convex_proxy ct_mesh_ball(const ct_shape *shape, const ct_frame *frame) {
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  ct_convex_proxy proxy = {.kind = CT_PROXY_POINT, .size = view->radius};
  proxy.center = proxy.middle = frame ? ct_to_parent(*frame, view->centroid) : view->centroid;
  proxy.radius[0] = proxy.radius[1] = ct_shape_growth(shape);
  proxy.extent = ct_mesh_extent(view) + proxy.radius[0];
  return proxy;
}

/* Is the whole mesh below the plane's surface, to round-off? */
static bool plane_holds(const ct_cell_input *in) {
  const ct_mat3 *r = &in->relative.rotation;
  ct_vec3 up = ct_unit_or(ct_vec(r->rx.z, r->ry.z, r->rz.z), ct_vec(0.0, 0.0, 1.0));
  double top = ct_mesh_support_value(ct_mesh_get(in->shape_a->mesh), up) -
               ct_dot(up, in->relative.position) + in->a.radius[0];
  return top <= CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_max2(in->a.extent, fabs(top));
}

ct_relation ct_mesh_relation(const ct_cell_input *in, const ct_cell_result *r, double tolerance) {
  bool measured = r->depth_kind != CT_DEPTH_NONE;
  if (r->distance > tolerance) return CT_SEPARATED;
  if (r->distance > 0.0) return CT_TOUCHING;
  if (in->shape_b->kind == CT_KIND_PLANE) {
    if (r->distance >= -tolerance) return CT_TOUCHING;
    return plane_holds(in) ? CT_CONTAINED : CT_PENETRATING;
  }
  if (measured && r->distance >= -tolerance && r->distance < 0.0) return CT_TOUCHING;
  if (ct_kind_is_mesh(in->shape_a->kind))
    return ct_mesh_mesh_relation(in, r, measured ? 0.0 : tolerance);
  return ct_convex_mesh_relation(in, r, measured ? 0.0 : tolerance);
}

bool ct_mesh_overlap(const ct_cell_input *in, ct_vec3 *common) {
  if (in->shape_b->kind == CT_KIND_PLANE || !ct_kind_is_mesh(in->shape_a->kind)) {
    ct_cell_result r = {.status = CT_PAIR_OK};
    if (ct_kind_is_mesh(in->shape_b->kind)) return ct_convex_mesh_overlap(in, common);
    ct_cell_mesh_half_space(in, &r);
    if (common) *common = r.point_a;
    return r.distance <= 0.0;
  }
  if (ct_shape_growth(in->shape_a) + ct_shape_growth(in->shape_b) == 0.0)
    return ct_mesh_mesh_overlap(in, common);
  ct_cell_input full = *in;
  full.threshold = 0.0;
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_mesh_mesh(&full, &r);
  double sum = r.radius_a + r.radius_b;
  if (common) *common = ct_lerp(r.point_a, r.point_b, sum > 0.0 ? r.radius_b / sum : 0.5);
  return r.distance <= 0.0;
}
