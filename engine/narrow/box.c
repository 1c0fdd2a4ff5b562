/* Ball and box: closed form in the frame of the box. */
#include "narrow/matrix.h"

static double clamp(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

/* Centre inside: out through the nearest face; among equally near ones the lowest axis, + before -. */
static ct_vec3 nearest_face(ct_vec3 p, ct_vec3 half, ct_vec3 *on_face, double *depth) {
  double to_x = half.x - fabs(p.x), to_y = half.y - fabs(p.y), to_z = half.z - fabs(p.z);
  ct_vec3 n = {0.0, 0.0, 0.0};
  *on_face = p;
  if (to_x <= to_y && to_x <= to_z) {
    n.x = p.x >= 0.0 ? 1.0 : -1.0;
    on_face->x = n.x * half.x;
    *depth = to_x;
  } else if (to_y <= to_z) {
    n.y = p.y >= 0.0 ? 1.0 : -1.0;
    on_face->y = n.y * half.y;
    *depth = to_y;
  } else {
    n.z = p.z >= 0.0 ? 1.0 : -1.0;
    on_face->z = n.z * half.z;
    *depth = to_z;
  }
  return n;
}

/* Is another face as near to the inner point p, to round-off? */
static bool several_faces(ct_vec3 p, ct_vec3 half, double depth, double roundoff) {
  int near = 0;
  near += half.x - p.x <= depth + roundoff;
  near += half.x + p.x <= depth + roundoff;
  near += half.y - p.y <= depth + roundoff;
  near += half.y + p.y <= depth + roundoff;
  near += half.z - p.z <= depth + roundoff;
  near += half.z + p.z <= depth + roundoff;
  return near > 1;
}

void ct_cell_ball_box(const ct_cell_input *input, ct_cell_result *result) {
  const ct_core *ball = &input->a;
  double radius = ball->radius[0];
  ct_vec3 half = input->b.half;
  ct_vec3 p = ct_to_local(input->relative, ball->center);
  ct_vec3 q = {clamp(p.x, half.x), clamp(p.y, half.y), clamp(p.z, half.z)};
  ct_vec3 out = ct_sub(p, q);
  double core = ct_norm(out);
  if (core > 0.0) {
    out = ct_unit_or(out, out);
  } else {
    out = nearest_face(p, half, &q, &core);
    double roundoff = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_core_scale(ball, &input->b);
    if (several_faces(p, half, core, roundoff)) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
    core = -core;
  }
  result->distance = result->lower = result->upper = core - radius;
  result->normal = ct_neg(ct_mat_mul(input->relative.rotation, out));
  result->radius_a = radius;
  result->point_a = ct_add_scaled(ball->center, result->normal, radius);
  result->point_b = ct_to_parent(input->relative, q);
}
