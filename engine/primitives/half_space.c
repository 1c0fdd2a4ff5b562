/* Half-spaces in closed form: solid where normal.(p - origin) <= 0, with the normal along z of the
 * plane's frame. */
#include "pair/pair_cell.h"

/* Normals within this many u of opposite are opposite: the angle is round-off of two rotations. */
#define OPPOSITE_ROUNDOFFS 16.0

static ct_vec3 read_plane_normal(const ct_frame *plane) {
  return ct_vec(plane->rotation.rx.z, plane->rotation.ry.z, plane->rotation.rz.z);
}

void ct_cell_convex_half_space(const ct_cell_input *input, ct_cell_result *result) {
  ct_vec3 up = ct_unit_or(read_plane_normal(&input->relative), ct_vec(0.0, 0.0, 1.0)),
          down = ct_neg(up);
  uint32_t hint = 0;
  double radius;
  ct_vec3 lowest = ct_proxy_point(&input->a, down, &hint, &radius);
  double height = ct_dot(up, ct_sub(lowest, input->relative.position));
  result->normal = down;
  result->distance = result->lower = result->upper = height - radius;
  result->point_a = ct_add_scaled(lowest, down, radius);
  result->point_b = ct_add_scaled(lowest, down, height);
  result->iterations = input->a.kind == CT_PROXY_HULL ? 1 : 0;
  ct_vec3 span[2];
  if (ct_proxy_feature(&input->a, down, 1e-6, span) > 0)
    result->flags |= CT_FLAG_WITNESS_NOT_UNIQUE;
}

void ct_cell_half_spaces(const ct_cell_input *input, ct_cell_result *result) {
  ct_vec3 up = read_plane_normal(&input->relative), origin = input->relative.position;
  result->normal = ct_vec(0.0, 0.0, 1.0);
  result->flags |= CT_FLAG_WITNESS_NOT_UNIQUE;
  double limit = OPPOSITE_ROUNDOFFS * CT_UNIT_ROUNDOFF;
  if (fabs(up.x) > limit || fabs(up.y) > limit || up.z > 0.0) {
    /* The planes intersect or one half-space contains the other: the overlap is unbounded. A
     * common point is far along -(n + m). */
    result->status = CT_PAIR_UNSUPPORTED;
    ct_vec3 sum = ct_vec(up.x, up.y, up.z + 1.0);
    double above = ct_max2(-ct_dot(up, origin), 0.0), square = ct_norm2(sum);
    result->point_a = result->point_b = ct_scale(sum, square > 0.0 ? -2.0 * above / square : 0.0);
    return;
  }
  result->distance = result->lower = result->upper = origin.z;
  result->point_a = ct_vec(origin.x, origin.y, 0.0);
  result->point_b = origin;
}

ct_relation ct_half_spaces_relation(const ct_frame *relative) {
  ct_vec3 up = read_plane_normal(relative);
  double limit = OPPOSITE_ROUNDOFFS * CT_UNIT_ROUNDOFF;
  if (fabs(up.x) > limit || fabs(up.y) > limit || up.z < 0.0) return CT_PENETRATING;
  return relative->position.z <= 0.0 ? CT_CONTAINING : CT_CONTAINED;
}

bool ct_half_space_contains(const ct_frame *plane, const ct_convex_proxy *inner) {
  ct_vec3 up = read_plane_normal(plane);
  uint32_t hint = 0;
  double radius;
  ct_vec3 highest = ct_proxy_point(inner, up, &hint, &radius);
  double top = ct_dot(up, ct_sub(highest, plane->position)) + radius;
  return top <= CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_max2(inner->extent, fabs(top));
}
