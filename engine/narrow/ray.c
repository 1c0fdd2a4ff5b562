/* A ray and one placed shape: into the shape's frame, to the interval that they share, and back.
 *
 * The line is first moved, exactly to round-off of the shape's size, to its point nearest to the shape's middle: an origin far away
 * costs no digits.
 */
#include <contact/ray.h>

#include "base/double_double.h"
#include "narrow/ray_forms.h"

#include <contact/limits.h>

/* Rounding of the quick test against the bounding ball, in u of what goes in. */
#define BALL_ROUNDOFFS 64.0

/* The ray seen from the shape. */
typedef struct local_ray {
  ct_line line;
  double start;   /* parameter of the line's o on the world's line */
  double length;  /* of the world's direction: distance = (start + s) length */
  ct_vec3 middle; /* of the bounding ball, local */
  double radius;
} local_ray;

/* The direction brought to between 1 and 2 without changing it: a power of two. */
static ct_vec3 scaled(ct_vec3 d) {
  int exponent;
  frexp(ct_max_abs(d), &exponent);
  return ct_vec(ldexp(d.x, 1 - exponent), ldexp(d.y, 1 - exponent), ldexp(d.z, 1 - exponent));
}

/* o - p + s d, rounded once. */
static double moved(double o, double p, double s, double d) {
  return ct_dd_value(ct_dd_add(ct_two_sum(o, -p), ct_two_product(s, d)));
}

static void look_from(const ct_ray *ray, ct_placed shape, local_ray *local) {
  const ct_frame *frame = shape.frame;
  ct_vec3 d = scaled(ray->direction), o = ray->origin, p = frame->position;
  ct_shape_ball(shape.shape, &local->middle, &local->radius);
  ct_vec3 apart = ct_sub(ct_sub(o, p), ct_mat_mul(frame->rotation, local->middle));
  double s = -ct_dot(apart, d) / ct_norm2(d);
  ct_vec3 near = {moved(o.x, p.x, s, d.x), moved(o.y, p.y, s, d.y), moved(o.z, p.z, s, d.z)};
  local->start = s;
  local->length = ct_norm(d);
  local->line = (ct_line){ct_mat_tmul(frame->rotation, near), ct_mat_tmul(frame->rotation, d)};
}

/* Certainly past the bounding ball? */
static bool passes_by(const local_ray *local) {
  if (!(local->radius < INFINITY)) return false;
  ct_vec3 aside = ct_cross(ct_sub(local->line.o, local->middle), local->line.d);
  double slack = BALL_ROUNDOFFS * CT_UNIT_ROUNDOFF * (ct_max_abs(local->line.o) + ct_max_abs(local->middle) + local->radius);
  return ct_norm(aside) > (local->radius + slack) * local->length;
}

/* ---- spans ---- */

static bool span_of(const local_ray *local, const ct_shape *shape, ct_line_span *span) {
  const ct_line *line = &local->line;
  switch (shape->kind) {
  case CT_KIND_SPHERE: return ct_line_ball(line, 0.0, shape->sphere.radius, span);
  case CT_KIND_BOX: return ct_line_box(line, shape->box.half, span);
  case CT_KIND_CAPSULE: {
    ct_capsule_form form = ct_capsule_reduce(shape);
    return ct_line_capsule(line, &form, span);
  }
  case CT_KIND_CONVEX: return ct_line_hull(line, ct_hull_get(shape->hull), span);
  case CT_KIND_PLANE: return ct_line_half_space(line, 0.0, span);
  default: return false;
  }
}

/* ---- the answer ---- */

static ct_vec3 plain(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

/* One end of the span as a crossing of the ray; false: behind the origin or out of reach. */
static bool make_crossing(const ct_ray *ray, const local_ray *local, const ct_frame *frame, double s, ct_ray_crossing *out) {
  double distance = (local->start + s) * local->length;
  if (!(distance >= 0.0 && distance <= ray->reach && distance < INFINITY)) return false;
  *out = (ct_ray_crossing){.distance = distance + 0.0, .triangle = CT_NO_TRIANGLE, .status = CT_PAIR_OK};
  out->position = plain(ct_to_parent(*frame, ct_add_scaled(local->line.o, local->line.d, s)));
  return true;
}

static void set_normal(const ct_frame *frame, ct_vec3 normal, ct_ray_crossing *out) {
  ct_vec3 unit = ct_unit_or(normal, ct_vec(0.0, 0.0, 1.0));
  out->normal = plain(ct_unit_or(ct_mat_mul(frame->rotation, unit), unit));
}

int ct_ray_cross(const ct_ray *ray, ct_placed shape, ct_workspace *workspace, ct_ray_crossing out[2]) {
  (void)workspace;
  local_ray local;
  ct_line_span span;
  look_from(ray, shape, &local);
  if (passes_by(&local) || !span_of(&local, shape.shape, &span)) return 0;
  int count = 0;
  if (make_crossing(ray, &local, shape.frame, span.in, &out[count])) {
    set_normal(shape.frame, span.normal_in, &out[count]);
    out[count++].entering = true;
  }
  if (make_crossing(ray, &local, shape.frame, span.out, &out[count])) set_normal(shape.frame, span.normal_out, &out[count++]);
  return count;
}
