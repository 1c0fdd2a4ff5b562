/* Ball against box in closed form, and the depth of two boxes over their fifteen separating
 * axes. */
#include "primitives/box_cells.h"

#include <assert.h>

static double clamp_coordinate(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

/* Centre inside: the nearest face; among ties the lowest axis, + before -. */
static ct_vec3 find_nearest_box_face(ct_vec3 p, ct_vec3 half, ct_vec3 *on_face, double *depth) {
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

/* True if several faces are nearest to the inner point p, to round-off. */
static bool has_several_near_faces(ct_vec3 p, ct_vec3 half, double depth, double roundoff) {
  int near = 0;
  near += half.x - p.x <= depth + roundoff;
  near += half.x + p.x <= depth + roundoff;
  near += half.y - p.y <= depth + roundoff;
  near += half.y + p.y <= depth + roundoff;
  near += half.z - p.z <= depth + roundoff;
  near += half.z + p.z <= depth + roundoff;
  return near > 1;
}

void ct_cell_sphere_box(const ct_cell_input *input, ct_cell_result *result) {
  const ct_convex_proxy *ball = &input->a;
  double radius = ball->radius[0], rounding = input->b.radius[0];
  ct_vec3 half = input->b.half;
  /* Nearest point of the box in its frame. */
  ct_vec3 p = ct_to_local(input->relative, ball->center);
  ct_vec3 q = {clamp_coordinate(p.x, half.x), clamp_coordinate(p.y, half.y),
               clamp_coordinate(p.z, half.z)};
  ct_vec3 out = ct_sub(p, q);
  /* Centre outside: direction from that point. Inside: normal of the nearest face. */
  double gap = ct_norm(out);
  if (gap > 0.0) {
    out = ct_unit_or(out, out);
  } else {
    out = find_nearest_box_face(p, half, &q, &gap);
    double roundoff = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_proxy_scale(ball, &input->b);
    if (has_several_near_faces(p, half, gap, roundoff)) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
    gap = -gap;
  }
  /* Write the result in the frame of the ball. */
  result->distance = result->lower = result->upper = gap - (radius + rounding);
  result->normal = ct_neg(ct_mat_mul(input->relative.rotation, out));
  result->radius_a = radius;
  result->point_a = ct_add_scaled(ball->center, result->normal, radius);
  result->radius_b = rounding;
  result->point_b = ct_add_scaled(ct_to_parent(input->relative, q), result->normal, -rounding);
}

/* Search over the axes of two boxes. */
typedef struct box_axis_search {
  const ct_convex_proxy *a, *b;
  ct_vec3 between; /* centre to centre */
  double tie;
  bool breaking_ties; /* pass 1: find the least depth; pass 2: break ties near it */
  ct_epa_result *result;
} box_axis_search;

static double project_half_width(const ct_convex_proxy *box, ct_vec3 n) {
  return fabs(ct_dot(n, box->axis[0])) + fabs(ct_dot(n, box->axis[1])) +
         fabs(ct_dot(n, box->axis[2]));
}

/* Evaluates an axis, oriented from a to b; if the centres do not decide, the greater of both
 * signs. */
static void consider_box_axis(box_axis_search *f, ct_vec3 axis) {
  double length = ct_norm(axis);
  if (!(length > 0.0)) return;
  ct_vec3 n = ct_vec(axis.x / length, axis.y / length, axis.z / length);
  double level = ct_dot(n, f->between);
  if (level < 0.0 || (level == 0.0 && ct_normal_greater(ct_neg(n), n))) n = ct_neg(n);
  double depth = project_half_width(f->a, n) + project_half_width(f->b, n) - fabs(level);
  ct_epa_result *r = f->result;
  if (!f->breaking_ties && depth < r->first_depth) {
    r->first_depth = depth;
    r->first_normal = n;
  }
  if (!f->breaking_ties || depth > r->first_depth + f->tie) return;
  bool first = !(r->depth < INFINITY);
  if (fabs(level) <= f->tie || (!first && ct_norm(ct_sub(n, r->normal)) > 1e-6)) r->several = true;
  if (!first && !ct_normal_greater(n, r->normal)) return;
  r->depth = depth;
  r->normal = n;
}

static void evaluate_box_axes(box_axis_search *f) {
  for (int i = 0; i < 3; i++) consider_box_axis(f, f->a->axis[i]);
  for (int j = 0; j < 3; j++) consider_box_axis(f, f->b->axis[j]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) consider_box_axis(f, ct_cross(f->a->axis[i], f->b->axis[j]));
}

void ct_box_box_depth(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_epa_result *result) {
  assert(a->kind == CT_PROXY_BOX && b->kind == CT_PROXY_BOX);
  box_axis_search f = {.a = a, .b = b, .between = ct_sub(b->center, a->center), .result = result};
  f.tie = 2.0 * CT_UNIT_ROUNDOFF * (ct_norm(f.between) + a->size + b->size);
  *result = (ct_epa_result){.depth = INFINITY, .first_depth = INFINITY, .status = CT_PAIR_OK};
  evaluate_box_axes(&f);
  f.breaking_ties = true;
  evaluate_box_axes(&f);
  result->least = result->first_depth;
}
