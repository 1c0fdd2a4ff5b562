/* Supporting faces of frustums (cylinders and cones): a cap is a disc, the side a line, anything
 * else a point of a rim or the apex. */
#include "manifold/supporting_face.h"

static ct_vec3 get_frame_x(const ct_convex_proxy *proxy) {
  return ct_vec(proxy->rotation.rx.x, proxy->rotation.ry.x, proxy->rotation.rz.x);
}

static bool make_cap_face(const ct_convex_proxy *proxy, const ct_view *view, ct_vec3 axis,
                          uint32_t top, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out);
  out->kind = CT_SUPPORTING_FACE_DISC;
  out->inside = (ct_feature){CT_FEATURE_FACE, top};
  out->normal = top ? axis : ct_neg(axis);
  out->tilt = ct_norm(ct_sub(out->normal, direction));
  out->radius = proxy->rim[top];
  out->across = get_frame_x(proxy);
  out->center = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
  out->center = ct_add_scaled(out->center, out->normal, proxy->radius[0]);
  ct_supporting_face_slope(view, out->normal, ct_dot(out->normal, out->center), top, out);
  return true;
}

/* Adds the point of a rim that is farthest along the radial direction, moved outward along the
 * second direction. A rim of radius 0 is the apex, a vertex. */
static void add_rim_corner(const ct_convex_proxy *proxy, const ct_view *view, uint32_t top,
                           const ct_vec3 radial_and_offset[2], ct_supporting_face *out) {
  ct_vec3 at = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
  at = ct_add_scaled(at, radial_and_offset[0], proxy->rim[top]);
  at = ct_add_scaled(at, radial_and_offset[1], proxy->radius[0]);
  bool apex = proxy->rim[top] == 0.0;
  out->corners.items[out->corners.count++] =
      (ct_corner){.at = at,
                  .x = ct_dot(view->x, at),
                  .y = ct_dot(view->y, at),
                  .kind = apex ? CT_FEATURE_VERTEX : CT_FEATURE_EDGE,
                  .vertex = apex ? 0 : top};
}

bool ct_supporting_face_frustum(const ct_convex_proxy *proxy, const ct_view *view,
                                ct_supporting_face_want want, ct_supporting_face *out) {
  ct_vec3 direction = ct_supporting_face_normal(view, out),
          axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  double along = ct_dot(direction, axis);
  ct_vec3 across = ct_add_scaled(direction, axis, -along);
  double length = ct_norm(across);
  ct_side_slope lean = ct_proxy_side_slope(proxy);
  double side = along * lean.sine + length * lean.cosine;
  uint32_t top = along > lean.sine; /* the end farther along the direction */
  if (want == CT_SUPPORTING_WANT_FACE && fabs(along) > side && proxy->rim[along > 0.0] > 0.0)
    return make_cap_face(proxy, view, axis, along > 0.0, out);
  /* no cap: the line of the side that faces the view, or the supporting point of the outer rim */
  ct_vec3 radial = length > 0.0 ? ct_scale(across, 1.0 / length) : get_frame_x(proxy);
  out->normal = ct_add_scaled(ct_scale(radial, lean.cosine), axis, lean.sine);
  out->tilt = ct_norm(ct_sub(out->normal, direction));
  bool flat = out->tilt <= CT_PARALLEL_ANGLE, line = flat || want == CT_SUPPORTING_WANT_FACE;
  out->kind = line ? CT_SUPPORTING_FACE_SEGMENT : CT_SUPPORTING_FACE_POINT;
  for (uint32_t end = 0; end < 2; end++)
    if (line || end == top)
      add_rim_corner(proxy, view, end, (ct_vec3[]){radial, flat || !line ? direction : out->normal},
                     out);
  out->inside = (ct_feature){CT_FEATURE_SMOOTH, 0};
  if (!line) {
    out->inside = (ct_feature){out->corners.items[0].kind, out->corners.items[0].vertex};
    out->normal = direction;
    out->tilt = 0.0;
  }
  return true;
}
