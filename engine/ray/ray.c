/* Ray cast against one placed shape: transforms the ray to the shape's frame, intersects it, and
 * transforms the crossings back.
 *
 * The line is parametrised from its point nearest to the centre of the shape's bounding ball, whose
 * error is a few unit round-offs of the shape's size, so that a distant origin costs no accuracy.
 * Sharp convex shapes have closed forms (ray_convex.c). Rounded shapes use conservative advancement
 * along the line from both sides: the distance to a convex shape is a convex function along a line,
 * so no step passes through the surface. Meshes: ray_mesh.c.
 *
 * Limits: at most STEPS_MAX steps to a rounded shape, else the status is
 * CT_PAIR_ITERATION_LIMIT. */
#include "base/double_double.h"
#include "pair/pair_input.h"
#include "ray/exact_frame.h"
#include "ray/ray_local.h"
#include "ray/ray_mesh.h"
#include "shape/sharp_shape.h"

#include <contact/limits.h>

#include <assert.h>

/* Largest number of advancement steps. Convergence is quadratic where the line crosses the surface;
 * at a tangent point each step halves the distance. */
#define STEPS_MAX 128
/* Distances from the surface up to this many unit round-offs of the shape's size count as zero. */
#define ENOUGH_ROUNDOFFS 4.0
/* Error of the ends of a span, in unit round-offs of the shape's size. A line with a shorter span
 * is a tangent and has no crossing. A span end behind the ray's origin by less counts as being at
 * the origin, so that a ray that starts on the surface crosses it. */
#define SPAN_ROUNDOFFS 64.0
/* Round-off of the bounding ball test, in unit round-offs of its operands. */
#define BALL_ROUNDOFFS 64.0

/* Returns o - p + s d, rounded once. */
static double compute_exact_offset(double o, double p, double s, double d) {
  return ct_dd_value(ct_dd_add(ct_two_sum(o, -p), ct_two_product(s, d)));
}

static void make_local_ray(const ct_ray *ray, ct_placed shape, ct_local_ray *local) {
  const ct_frame *frame = shape.frame;
  ct_vec3 d = ct_ray_scaled(ray->direction), o = ray->origin, p = frame->position;
  ct_shape_ball(shape.shape, &local->middle, &local->radius);
  ct_vec3 apart = ct_sub(ct_sub(o, p), ct_mat_mul(frame->rotation, local->middle));
  double s = -ct_dot(apart, d) / ct_norm2(d);
  ct_vec3 near = {compute_exact_offset(o.x, p.x, s, d.x), compute_exact_offset(o.y, p.y, s, d.y),
                  compute_exact_offset(o.z, p.z, s, d.z)};
  local->start = s;
  local->length = ct_norm(d);
  local->line = (ct_line){ct_mat_tmul(frame->rotation, near), ct_mat_tmul(frame->rotation, d)};
}

/* True if the line certainly misses the bounding ball. */
static bool misses_ball(const ct_local_ray *local) {
  assert(local->radius >= 0.0 && local->length > 0.0);
  if (!(local->radius < INFINITY)) return false;
  ct_vec3 aside = ct_cross(ct_sub(local->line.o, local->middle), local->line.d);
  double slack = BALL_ROUNDOFFS * CT_UNIT_ROUNDOFF *
                 (ct_max_abs(local->line.o) + ct_max_abs(local->middle) + local->radius);
  return ct_norm(aside) > (local->radius + slack) * local->length;
}

/* ---- sharp shapes --------------------------------------------------------------------------- */

static bool intersect_sharp_shape(const ct_line *line, const ct_shape *shape, ct_line_span *span) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return ct_line_ball(line, 0.0, shape->sphere.radius, span);
  case CT_KIND_BOX: return ct_line_box(line, shape->box.half, span);
  case CT_KIND_CAPSULE: {
    ct_capsule_form form = ct_capsule_reduce(shape);
    return ct_line_capsule(line, &form, span);
  }
  case CT_KIND_CYLINDER:
    return ct_line_frustum(line, shape->cylinder.half_length, shape->cylinder.radius,
                           shape->cylinder.radius, span);
  case CT_KIND_CONE:
    return ct_line_frustum(line, shape->cone.half_length, shape->cone.radius_bottom,
                           shape->cone.radius_top, span);
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

/* ---- rounded shapes ------------------------------------------------------------------------- */

/* Conservative advancement of a point along the line towards a sharp shape plus a ball. */
typedef struct approach {
  const ct_line *line;
  const ct_sharp_shape *inner;
  ct_workspace *workspace;
  double zero_distance; /* distance that counts as zero, m */
  bool limited;         /* STEPS_MAX was reached */
} approach;

/* Returns the signed distance of the line's point at parameter s from the rounded surface, and the
 * outward direction there. */
static double compute_signed_distance(const approach *a, double s, ct_vec3 *out) {
  const ct_shape point = {.kind = CT_KIND_SPHERE};
  const ct_mat3 same = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const ct_frame at = {same, ct_add_scaled(a->line->o, a->line->d, s)},
                 origin = {same, ct_vec(0.0, 0.0, 0.0)};
  const ct_pair_options options = {.threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&point, &at}, (ct_placed){&a->inner->shape, &origin}, &options,
                   a->workspace, &r);
  *out = ct_neg(r.normal);
  return r.distance - a->inner->radius;
}

/* Advances the parameter *s along the line from a point outside to the surface, using the tangent
 * plane at each step; no step passes the surface, because the distance is a convex function along
 * the line. sense: 1 forward, -1 backward. False: the line misses the shape. */
static bool approach_surface(approach *a, double sense, double *s, ct_vec3 *normal) {
  assert(sense == 1.0 || sense == -1.0);
  for (int step = 0; step < STEPS_MAX; step++) {
    double height = compute_signed_distance(a, *s, normal);
    if (height <= a->zero_distance) return true;
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

/* Finds the span of the line in the rounded shape: advances from both ends of its span in the
 * bounding ball. False: the line misses the shape. */
static bool approach_from_both_sides(approach *a, const ct_local_ray *local, ct_line_span *span) {
  ct_line from = {ct_sub(local->line.o, local->middle), local->line.d};
  if (!ct_line_ball(&from, 0.0, local->radius * (1.0 + BALL_ROUNDOFFS * CT_UNIT_ROUNDOFF), span))
    return false;
  if (!approach_surface(a, 1.0, &span->in, &span->normal_in) ||
      !approach_surface(a, -1.0, &span->out, &span->normal_out))
    return false;
  return span->in <= span->out;
}

/* Finds the span of the line in a convex shape. False: the line misses it. *limited: the span has
 * not converged to round-off. */
static bool find_convex_span(const ct_local_ray *local, const ct_shape *shape,
                             ct_workspace *workspace, ct_line_span *span, bool *limited) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  *limited = false;
  if (shape->kind == CT_KIND_PLANE) return ct_line_half_space(&local->line, inner.radius, span);
  ct_line line = local->line;
  line.o.z -= inner.center_z;
  if (inner.radius == 0.0) return intersect_sharp_shape(&line, &inner.shape, span);
  assert(inner.radius > 0.0 && local->radius < INFINITY);
  approach a = {&line, &inner, workspace, ENOUGH_ROUNDOFFS * CT_UNIT_ROUNDOFF * local->radius,
                false};
  ct_local_ray shifted_ray = *local;
  shifted_ray.line = line;
  shifted_ray.middle.z -= inner.center_z;
  bool hit = approach_from_both_sides(&a, &shifted_ray, span);
  *limited = a.limited;
  return hit;
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Writes the ends of the line's span that are within the ray's reach as crossings, and returns
 * their number. */
static size_t write_span_crossings(const ct_ray *ray, ct_placed shape, const ct_local_ray *local,
                                   ct_workspace *workspace, ct_ray_crossing out[2]) {
  ct_line_span span;
  bool limited;
  size_t count = 0;
  if (!find_convex_span(local, shape.shape, workspace, &span, &limited)) return 0;
  /* a span no longer than its round-off belongs to a tangent line, which has no crossing */
  double size = ct_max_abs(local->line.o) +
                (local->radius < INFINITY ? local->radius + ct_max_abs(local->middle) : 0.0);
  double slack = SPAN_ROUNDOFFS * CT_UNIT_ROUNDOFF * size;
  if ((span.out - span.in) * local->length <= slack) return 0;
  for (int end = 0; end < 2; end++) {
    double s = end ? span.out : span.in;
    ct_vec3 point = ct_add_scaled(local->line.o, local->line.d, s);
    double distance = (local->start + s) * local->length;
    /* an end behind the origin by no more than round-off counts as being at the origin */
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

size_t ct_ray_cross(const ct_ray *ray, ct_placed shape, ct_workspace *workspace,
                    ct_ray_crossing *out, size_t capacity) {
  ct_local_ray local;
  ct_ray_crossing ends[2];
  ct_frame unturned;
  if (!ct_placed_prepare(&shape, &unturned) || ct_max_abs(ray->direction) == 0.0) return 0;
  ct_frame frame = ct_frame_exact(shape.frame);
  shape.frame = &frame;
  make_local_ray(ray, shape, &local);
  if (misses_ball(&local)) return 0;
  if (ct_kind_is_mesh(shape.shape->kind))
    return ct_ray_cross_mesh(ray, shape, &local, workspace, out, capacity);
  size_t count = write_span_crossings(ray, shape, &local, workspace, ends);
  for (size_t k = 0; k < count && k < capacity; k++) out[k] = ends[k];
  return count;
}
