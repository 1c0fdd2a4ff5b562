/* A ray and one placed shape: into the shape's frame, to the interval that they share, and back.
 *
 * The line is first moved, exactly to round-off of the shape's size, to its point nearest to the shape's middle: an origin far away
 * costs no digits. Sharp shapes have closed forms; to the surface of one with a ball around it a point moves from both sides.
 */
#include "base/double_double.h"
#include "pair/pair_input.h"
#include "ray/exact_frame.h"
#include "ray/ray_local.h"
#include "shape/sharp_shape.h"

#include <contact/limits.h>

/* Steps to the surface of a shape in a ball: the distance falls quadratically where the line crosses, by halves where it touches.
 */
#define STEPS_MAX 128
/* Point distances are round-off up to here, in u of the shape's size. */
#define ENOUGH_ROUNDOFFS 4.0
/* Round-off of the ends of a span, in u of the shape's size: a shorter span is a touch, and an end
 * so little behind the origin is at the origin, so that rays from on the surface cross it. */
#define SPAN_ROUNDOFFS 64.0
/* Rounding of the quick test against the bounding ball, in u of what goes in. */
#define BALL_ROUNDOFFS 64.0

/* o - p + s d, rounded once. */
static double moved(double o, double p, double s, double d) {
  return ct_dd_value(ct_dd_add(ct_two_sum(o, -p), ct_two_product(s, d)));
}

static void look_from(const ct_ray *ray, ct_placed shape, ct_local_ray *local) {
  const ct_frame *frame = shape.frame;
  ct_vec3 d = ct_ray_scaled(ray->direction), o = ray->origin, p = frame->position;
  ct_shape_ball(shape.shape, &local->middle, &local->radius);
  ct_vec3 apart = ct_sub(ct_sub(o, p), ct_mat_mul(frame->rotation, local->middle));
  double s = -ct_dot(apart, d) / ct_norm2(d);
  ct_vec3 near = {moved(o.x, p.x, s, d.x), moved(o.y, p.y, s, d.y), moved(o.z, p.z, s, d.z)};
  local->start = s;
  local->length = ct_norm(d);
  local->line = (ct_line){ct_mat_tmul(frame->rotation, near), ct_mat_tmul(frame->rotation, d)};
}

/* Certainly past the bounding ball? */
static bool passes_by(const ct_local_ray *local) {
  if (!(local->radius < INFINITY)) return false;
  ct_vec3 aside = ct_cross(ct_sub(local->line.o, local->middle), local->line.d);
  double slack = BALL_ROUNDOFFS * CT_UNIT_ROUNDOFF * (ct_max_abs(local->line.o) + ct_max_abs(local->middle) + local->radius);
  return ct_norm(aside) > (local->radius + slack) * local->length;
}

/* ---- sharp shapes ---- */

static bool span_of(const ct_line *line, const ct_shape *shape, ct_line_span *span) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return ct_line_ball(line, 0.0, shape->sphere.radius, span);
  case CT_KIND_BOX: return ct_line_box(line, shape->box.half, span);
  case CT_KIND_CAPSULE: {
    ct_capsule_form form = ct_capsule_reduce(shape);
    return ct_line_capsule(line, &form, span);
  }
  case CT_KIND_CYLINDER:
    return ct_line_frustum(line, shape->cylinder.half_length, shape->cylinder.radius, shape->cylinder.radius, span);
  case CT_KIND_CONE: return ct_line_frustum(line, shape->cone.half_length, shape->cone.radius_bottom, shape->cone.radius_top, span);
  case CT_KIND_ELLIPSOID: return ct_line_ellipsoid(line, shape->ellipsoid.radii, span);
  case CT_KIND_CONVEX: return ct_line_hull(line, ct_hull_get(shape->hull), span);
  case CT_KIND_PLANE: return ct_line_half_space(line, 0.0, span);
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
  case CT_KIND_COUNT: break;
  }
  return false;
}

/* ---- shapes in a ball ---- */

/* A point that moves along the line to a sharp shape with a ball around it. */
typedef struct approach {
  const ct_line *line;
  const ct_sharp_shape *inner;
  ct_workspace *workspace;
  double enough; /* distance that counts as none */
  bool limited;  /* out of steps */
} approach;

/* Signed distance of the line's point from the surface, and the way out there. */
static double height_at(const approach *a, double s, ct_vec3 *out) {
  const ct_shape point = {.kind = CT_KIND_SPHERE};
  const ct_mat3 same = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const ct_frame at = {same, ct_add_scaled(a->line->o, a->line->d, s)}, origin = {same, ct_vec(0.0, 0.0, 0.0)};
  const ct_pair_options options = {.threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&point, &at}, (ct_placed){&a->inner->shape, &origin}, &options, a->workspace, &r);
  *out = ct_neg(r.normal);
  return r.distance - a->inner->radius;
}

/* From a place outside, from tangent plane to tangent plane: the distance is convex along the line, so that no step goes through
 * the surface. sense 1: on along the line, -1: back. False: the line passes by. */
static bool approach_surface(approach *a, double sense, double *s, ct_vec3 *normal) {
  for (int step = 0; step < STEPS_MAX; step++) {
    double height = height_at(a, *s, normal);
    if (height <= a->enough) return true;
    double fall = -sense * ct_dot(*normal, a->line->d);
    if (fall <= 0.0) return false;
    double next = *s + sense * (height / fall);
    if (next == *s) return true;
    if (!(fabs(next) < INFINITY)) return false;
    *s = next;
  }
  a->limited = true;
  return true;
}

/* From both sides of the bounding ball. */
static bool approach_both(approach *a, const ct_local_ray *local, ct_line_span *span) {
  ct_line from = {ct_sub(local->line.o, local->middle), local->line.d};
  if (!ct_line_ball(&from, 0.0, local->radius * (1.0 + BALL_ROUNDOFFS * CT_UNIT_ROUNDOFF), span)) return false;
  if (!approach_surface(a, 1.0, &span->in, &span->normal_in) || !approach_surface(a, -1.0, &span->out, &span->normal_out))
    return false;
  return span->in <= span->out;
}

/* The span with the shape, whatever kind it is; *limited: not brought to round-off. */
static bool find_span(const ct_local_ray *local, const ct_shape *shape, ct_workspace *workspace, ct_line_span *span,
                      bool *limited) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  *limited = false;
  if (shape->kind == CT_KIND_PLANE) return ct_line_half_space(&local->line, inner.radius, span);
  ct_line line = local->line;
  line.o.z -= inner.center_z;
  if (inner.radius == 0.0) return span_of(&line, &inner.shape, span);
  approach a = {&line, &inner, workspace, ENOUGH_ROUNDOFFS * CT_UNIT_ROUNDOFF * local->radius, false};
  ct_local_ray moved_ray = *local;
  moved_ray.line = line;
  moved_ray.middle.z -= inner.center_z;
  bool hit = approach_both(&a, &moved_ray, span);
  *limited = a.limited;
  return hit;
}

/* ---- the answer ---- */

static ct_vec3 plain(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

bool ct_ray_crossing_at(const ct_ray *ray, const ct_frame *frame, double distance, ct_vec3 local, ct_ray_crossing *out) {
  if (!(distance >= 0.0 && distance <= ray->reach && distance < INFINITY)) return false;
  *out = (ct_ray_crossing){.distance = distance + 0.0, .triangle = CT_NO_TRIANGLE, .status = CT_PAIR_OK};
  out->position = plain(ct_to_parent(*frame, local));
  return true;
}

void ct_ray_crossing_normal(const ct_frame *frame, ct_vec3 normal, ct_ray_crossing *out) {
  ct_vec3 unit = ct_unit_or(normal, ct_vec(0.0, 0.0, 1.0));
  out->normal = plain(ct_unit_or(ct_mat_mul(frame->rotation, unit), unit));
}

/* Both ends of a span, those that the ray has. */
static size_t cross_convex(const ct_ray *ray, ct_placed shape, const ct_local_ray *local, ct_workspace *workspace,
                           ct_ray_crossing out[2]) {
  ct_line_span span;
  bool limited;
  size_t count = 0;
  if (!find_span(local, shape.shape, workspace, &span, &limited)) return 0;
  double size = ct_max_abs(local->line.o) +
                (local->radius < INFINITY ? local->radius + ct_max_abs(local->middle) : 0.0);
  double slack = SPAN_ROUNDOFFS * CT_UNIT_ROUNDOFF * size;
  if ((span.out - span.in) * local->length <= slack) return 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? span.out : span.in;
    ct_vec3 point = ct_add_scaled(local->line.o, local->line.d, s);
    double distance = (local->start + s) * local->length;
    if (distance < 0.0 &&
        distance >= -slack - SPAN_ROUNDOFFS * CT_UNIT_ROUNDOFF * fabs(local->start) * local->length)
      distance = 0.0;
    if (!ct_ray_crossing_at(ray, shape.frame, distance, point, &out[count])) continue;
    ct_ray_crossing_normal(shape.frame, end ? span.normal_out : span.normal_in, &out[count]);
    out[count].entering = end == 0;
    if (limited) out[count].status = CT_PAIR_ITERATION_LIMIT;
    count++;
  }
  return count;
}

size_t ct_ray_cross(const ct_ray *ray, ct_placed shape, ct_workspace *workspace, ct_ray_crossing *out, size_t room) {
  ct_local_ray local;
  ct_ray_crossing ends[2];
  ct_frame unturned;
  if (!ct_placed_prepare(&shape, &unturned) || ct_max_abs(ray->direction) == 0.0) return 0;
  ct_frame frame = ct_frame_exact(shape.frame);
  shape.frame = &frame;
  look_from(ray, shape, &local);
  if (passes_by(&local)) return 0;
  if (ct_kind_is_mesh(shape.shape->kind)) return ct_ray_cross_mesh(ray, shape, &local, workspace, out, room);
  size_t count = cross_convex(ray, shape, &local, workspace, ends);
  for (size_t k = 0; k < count && k < room; k++) out[k] = ends[k];
  return count;
}
