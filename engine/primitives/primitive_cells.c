/* Cells of primitives in closed form: two balls or capsules, a ball and a box, half-spaces.
 *
 * Balls and capsules, tapered capsules included: each body is the convex hull of one or two balls.
 * A tangent plane touches an end ball or, along a line, the cone between the balls. Pairs of these
 * features define at most ten candidates for the normal. Each gives a certified lower bound of the
 * signed distance, and the best normal is among them, so the greatest value is the signed distance,
 * separated or overlapping. Candidates are built on a capsule's axis, so that nearly parallel axes
 * remain well conditioned.
 *
 * Half-spaces are solid where normal.(p - origin) <= 0, with the normal along z of the plane's
 * frame. Two half-spaces are separated only if their normals are opposite to round-off. */
#include "pair/pair_cell.h"

#include <assert.h>

/* Axes whose cross product is at most this many u long are parallel: the angle is round-off of the
 * rotation. */
#define PARALLEL_ROUNDOFFS 8.0
/* Both ends of a capsule touch the tangent plane if their heights differ by at most this many u of
 * the body's size. */
#define TOUCH_ROUNDOFFS 16.0
/* Fraction of the round-off of a distance within which two candidates tie. */
#define TIE_FRACTION 0.25
/* Normals that deviate by at most this many u from opposite are opposite: the angle is round-off of
 * two rotations. */
#define OPPOSITE_ROUNDOFFS 16.0

/* ---- balls and capsules -------------------------------------------------------------------- */

typedef struct round_body {
  ct_vec3 center, end[2]; /* centres of the end balls; a ball has only end[0] */
  int ends;
  ct_vec3 axis; /* unit vector from end 0 to end 1 */
  double half;
  double radius[2];
  double sine, cosine; /* component of the cone's normals along the axis, and perpendicular to it */
} round_body;

typedef struct candidate {
  ct_vec3 normal; /* unit */
  double value;
} candidate;

static round_body describe_round_body(const ct_convex_proxy *proxy) {
  assert(proxy->kind == CT_PROXY_POINT || proxy->kind == CT_PROXY_SEGMENT);
  round_body r = {
      .center = proxy->center, .ends = 1, .radius = {proxy->radius[0], proxy->radius[1]}};
  r.end[0] = proxy->center;
  if (proxy->kind == CT_PROXY_POINT) return r;
  r.ends = 2;
  r.half = proxy->size;
  r.axis = ct_vec(proxy->axis[2].x / r.half, proxy->axis[2].y / r.half, proxy->axis[2].z / r.half);
  r.end[0] = ct_proxy_vertex(proxy, 0);
  r.end[1] = ct_proxy_vertex(proxy, 1);
  r.sine = (r.radius[0] - r.radius[1]) / (2.0 * r.half);
  r.cosine = sqrt((1.0 - r.sine) * (1.0 + r.sine));
  return r;
}

/* Returns the signed distance of the two bodies along a unit normal from a to b, radii included. */
static double compute_tangent_value(const round_body *a, const round_body *b, ct_vec3 n) {
  double near_b = INFINITY, far_a = -INFINITY;
  for (int i = 0; i < a->ends; i++) far_a = ct_max2(far_a, ct_dot(n, a->end[i]) + a->radius[i]);
  for (int i = 0; i < b->ends; i++) near_b = ct_min2(near_b, ct_dot(n, b->end[i]) - b->radius[i]);
  return near_b - far_a;
}

/* True if the candidate's value is greater, or equal with a greater normal (ct_normal_greater). */
static bool is_better_candidate(const candidate *c, const candidate *best) {
  if (c->value != best->value) return c->value > best->value;
  return ct_normal_greater(c->normal, best->normal);
}

/* Candidates for the normal: four pairs of ends, two of each cone with the other's ends, two for
 * both cones. */
typedef struct candidates {
  candidate items[10];
  int count;
} candidates;

/* Evaluates a candidate direction of any length; a zero vector is replaced by x. */
static void add_candidate(const round_body *a, const round_body *b, ct_vec3 direction,
                          candidates *all) {
  assert(all->count < 10);
  candidate c = {.normal = ct_unit_or(direction, ct_vec(1.0, 0.0, 0.0))};
  c.value = compute_tangent_value(a, b, c.normal);
  all->items[all->count++] = c;
}

/* Returns the unit component of p perpendicular to a unit axis; a fixed perpendicular if p is on
 * the axis. */
static ct_vec3 compute_perpendicular(ct_vec3 p, ct_vec3 axis) {
  ct_vec3 q = ct_cross(axis, ct_cross(p, axis));
  if (ct_max_abs(q) > 0.0) return ct_unit_or(q, q);
  q = fabs(axis.x) < 0.75 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0);
  return ct_unit_or(ct_cross(axis, ct_cross(q, axis)), q);
}

/* Adds the normals of the planes tangent to both cones. The inclinations of the cones determine the
 * component in the plane of the axes. It is built on a's axis and its perpendicular, so that nearly
 * parallel axes lose no digits. */
static void add_cone_candidates(const round_body *a, const round_body *b, candidates *all) {
  ct_vec3 m = ct_cross(a->axis, b->axis);
  double angle = ct_norm(m);
  if (!(angle > 0.0)) return;
  m = ct_unit_or(m, m);
  double along = -(b->sine + a->sine * ct_dot(a->axis, b->axis)) / angle;
  double rest = (a->cosine - along) * (a->cosine + along);
  if (!(rest >= 0.0)) return;
  ct_vec3 tilt = ct_add_scaled(ct_scale(a->axis, a->sine), ct_cross(m, a->axis), along),
          up = ct_scale(m, sqrt(rest));
  add_candidate(a, b, ct_add(tilt, up), all);
  add_candidate(a, b, ct_sub(tilt, up), all);
}

static void collect_candidates(const round_body *a, const round_body *b, candidates *all) {
  all->count = 0;
  for (int i = 0; i < a->ends; i++)
    for (int j = 0; j < b->ends; j++) add_candidate(a, b, ct_sub(b->end[j], a->end[i]), all);
  for (int j = 0; j < b->ends && a->ends == 2; j++) {
    ct_vec3 p = compute_perpendicular(ct_sub(b->end[j], a->center), a->axis);
    add_candidate(a, b, ct_add(ct_scale(a->axis, a->sine), ct_scale(p, a->cosine)), all);
  }
  for (int i = 0; i < a->ends && b->ends == 2; i++) {
    ct_vec3 p = compute_perpendicular(ct_sub(a->end[i], b->center), b->axis);
    add_candidate(a, b, ct_neg(ct_add(ct_scale(b->axis, b->sine), ct_scale(p, b->cosine))), all);
  }
  if (a->ends == 2 && b->ends == 2) add_cone_candidates(a, b, all);
}

/* Returns the position on a body's axis, from the centre, of the ball that is tangent at the point
 * nearest to p along +-n. */
static double find_tangent_position(const round_body *r, ct_vec3 p, ct_vec3 n) {
  ct_vec3 d = ct_sub(p, r->center), flat = ct_cross(r->axis, ct_cross(d, r->axis));
  double lean = ct_dot(r->axis, n), reach = ct_dot(flat, n) / (r->cosine * r->cosine);
  return ct_min2(ct_max2(ct_dot(d, r->axis) - lean * reach, -r->half), r->half);
}

static ct_vec3 compute_axis_point(const round_body *r, double at) {
  return ct_add_scaled(r->center, r->axis, at);
}

static double interpolate_radius(const round_body *r, double at) {
  if (r->ends == 1 || r->radius[0] == r->radius[1]) return r->radius[0];
  double t = 0.5 + 0.5 * (at / r->half);
  return r->radius[0] + t * (r->radius[1] - r->radius[0]);
}

/* For parallel cones side by side, computes the middle of the common part of their axes. False:
 * there is none. */
static bool find_shared_stretch(const round_body *a, const round_body *b, ct_vec3 n, double *at_a,
                                double *at_b) {
  if (a->ends < 2 || b->ends < 2) return false;
  double limit = PARALLEL_ROUNDOFFS * CT_UNIT_ROUNDOFF;
  if (ct_norm(ct_cross(a->axis, b->axis)) > limit) return false;
  if (fabs(ct_dot(n, a->axis) - a->sine) > 2.0 * limit ||
      fabs(ct_dot(n, b->axis) + b->sine) > 2.0 * limit)
    return false;
  double p = find_tangent_position(a, b->end[0], n), q = find_tangent_position(a, b->end[1], n);
  if (p == q) return false;
  *at_a = 0.5 * (p + q);
  *at_b = find_tangent_position(b, compute_axis_point(a, *at_a), n);
  return true;
}

/* True if both ends are equally far along n to round-off: the cone touches the tangent plane, and
 * any position on the axis is valid. */
static bool cone_touches(const round_body *r, ct_vec3 n) {
  double level = ct_dot(n, r->axis) * 2.0 * r->half + (r->radius[1] - r->radius[0]);
  return r->ends == 2 && fabs(level) <= TOUCH_ROUNDOFFS * CT_UNIT_ROUNDOFF *
                                            (r->half + r->radius[0] + r->radius[1]);
}

static double select_far_end(const round_body *r, ct_vec3 n) {
  return ct_dot(n, r->axis) * 2.0 * r->half + (r->radius[1] - r->radius[0]) >= 0.0 ? r->half
                                                                                   : -r->half;
}

/* Computes the positions on the axes where the two tangent planes perpendicular to n touch the
 * bodies. */
static void find_contact_positions(const round_body *a, const round_body *b, ct_vec3 n,
                                   double *at_a, double *at_b) {
  bool cone_a = cone_touches(a, n), cone_b = cone_touches(b, ct_neg(n));
  *at_a = select_far_end(a, n);
  *at_b = select_far_end(b, ct_neg(n));
  if (cone_a && cone_b) {
    ct_vec3 side = ct_cross(a->axis, n);
    double slope = ct_dot(b->axis, side);
    double s = slope != 0.0 ? -ct_dot(ct_sub(b->center, a->center), side) / slope : 0.0;
    *at_b = ct_min2(ct_max2(s, -b->half), b->half);
  }
  if (cone_a) *at_a = find_tangent_position(a, compute_axis_point(b, *at_b), n);
  if (cone_b) *at_b = find_tangent_position(b, compute_axis_point(a, *at_a), n);
}

double ct_sphere_capsule_distance(const ct_convex_proxy *core_a, const ct_convex_proxy *core_b,
                                  ct_vec3 *normal) {
  round_body a = describe_round_body(core_a), b = describe_round_body(core_b);
  candidates all;
  collect_candidates(&a, &b, &all);
  candidate best = all.items[0];
  for (int i = 1; i < all.count; i++)
    if (is_better_candidate(&all.items[i], &best)) best = all.items[i];
  *normal = best.normal;
  return best.value;
}

/* Writes normal, distance and points for a candidate. Returns the distance of the second point from
 * the position that the normal and distance give: the error of the witness points. */
static double write_candidate_result(const round_body *a, const round_body *b, const candidate *c,
                                     ct_cell_result *result) {
  double at_a, at_b;
  bool stretch = find_shared_stretch(a, b, c->normal, &at_a, &at_b);
  if (!stretch) find_contact_positions(a, b, c->normal, &at_a, &at_b);
  result->normal = c->normal;
  result->distance = result->lower = result->upper = c->value;
  ct_vec3 axis_a = compute_axis_point(a, at_a), axis_b = compute_axis_point(b, at_b);
  result->radius_a = interpolate_radius(a, at_a);
  result->radius_b = interpolate_radius(b, at_b);
  result->point_a = ct_add_scaled(axis_a, c->normal, result->radius_a);
  result->point_b = ct_add_scaled(axis_b, c->normal, -result->radius_b);
  result->flags = stretch ? CT_FLAG_WITNESS_NOT_UNIQUE : 0;
  /* If the axes intersect, the normal may be rotated about the common point or reversed. */
  double size = a->half + a->radius[0] + b->half + b->radius[0];
  if (ct_norm(ct_sub(axis_b, axis_a)) <= TOUCH_ROUNDOFFS * CT_UNIT_ROUNDOFF * size)
    result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  return ct_norm(ct_add_scaled(ct_sub(result->point_b, result->point_a), c->normal, -c->value));
}

void ct_cell_sphere_capsule(const ct_cell_input *input, ct_cell_result *result) {
  round_body a = describe_round_body(&input->a), b = describe_round_body(&input->b);
  candidates all;
  collect_candidates(&a, &b, &all);
  double most = -INFINITY, least = INFINITY;
  for (int i = 0; i < all.count; i++) most = ct_max2(most, all.items[i].value);
  /* Among candidates that tie, choose the one with the least error of its witness points, then the
   * greatest normal. Candidates of a short capsule may agree in value but not in their contact
   * points. */
  double tie = TIE_FRACTION * CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF *
               (ct_proxy_scale(&input->a, &input->b) + fabs(most));
  candidate best = {.value = -INFINITY};
  for (int i = 0; i < all.count; i++) {
    candidate c = all.items[i];
    if (c.value < most - tie) continue;
    ct_cell_result tried = {.status = CT_PAIR_OK};
    double defect = ct_max2(write_candidate_result(&a, &b, &c, &tried), tie);
    if (defect > least || (defect == least && !is_better_candidate(&c, &best))) continue;
    least = defect;
    best = c;
    *result = tried;
  }
}

/* ---- ball and box -------------------------------------------------------------------------- */

static double clamp_coordinate(double x, double limit) {
  return x > limit ? limit : x < -limit ? -limit : x;
}

/* For a centre inside the box, returns the outward normal of the nearest face, its nearest point
 * and the depth; among ties the lowest axis, + before -. */
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

/* True if several faces are equally near to the inner point p, to round-off. */
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
  assert(input->a.kind == CT_PROXY_POINT && input->b.kind == CT_PROXY_BOX);
  const ct_convex_proxy *ball = &input->a;
  double radius = ball->radius[0], rounding = input->b.radius[0];
  ct_vec3 half = input->b.half;
  /* Nearest point of the box, in its frame. */
  ct_vec3 p = ct_to_local(input->relative, ball->center);
  ct_vec3 q = {clamp_coordinate(p.x, half.x), clamp_coordinate(p.y, half.y),
               clamp_coordinate(p.z, half.z)};
  ct_vec3 out = ct_sub(p, q);
  /* Centre outside: the direction is that from this point. Inside: the normal of the nearest
   * face. */
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

/* ---- half-spaces --------------------------------------------------------------------------- */

static ct_vec3 read_plane_normal(const ct_frame *plane) {
  return ct_vec(plane->rotation.rx.z, plane->rotation.ry.z, plane->rotation.rz.z);
}

void ct_cell_convex_half_space(const ct_cell_input *input, ct_cell_result *result) {
  assert(input->shape_b->kind == CT_KIND_PLANE);
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
    /* The planes intersect, or one half-space contains the other: the overlap is unbounded. A
     * common point is far along -(n + m) for the normals n and m. */
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

ct_vec3 ct_first_witness(const ct_cell_input *input, const ct_cell_result *result) {
  (void)input;
  return result->point_a;
}

ct_relation ct_half_spaces_relation(const ct_cell_input *input, const ct_cell_result *result,
                                    double tolerance) {
  assert(input->shape_a->kind == CT_KIND_PLANE && input->shape_b->kind == CT_KIND_PLANE);
  if (result->status == CT_PAIR_UNSUPPORTED) {
    /* Unbounded overlap: equal normals mean that one half-space contains the other. */
    ct_vec3 up = read_plane_normal(&input->relative);
    double limit = OPPOSITE_ROUNDOFFS * CT_UNIT_ROUNDOFF;
    if (fabs(up.x) > limit || fabs(up.y) > limit || up.z < 0.0) return CT_PENETRATING;
    return input->relative.position.z <= 0.0 ? CT_CONTAINING : CT_CONTAINED;
  }
  if (result->distance > tolerance) return CT_SEPARATED;
  return result->distance >= -tolerance ? CT_TOUCHING : CT_PENETRATING;
}

/* True if the half-space contains the body, radius included, to round-off. */
static bool half_space_contains(const ct_frame *plane, const ct_convex_proxy *inner) {
  ct_vec3 up = read_plane_normal(plane);
  uint32_t hint = 0;
  double radius;
  ct_vec3 highest = ct_proxy_point(inner, up, &hint, &radius);
  double top = ct_dot(up, ct_sub(highest, plane->position)) + radius;
  return top <= CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * ct_max2(inner->extent, fabs(top));
}

ct_relation ct_convex_half_space_relation(const ct_cell_input *input, const ct_cell_result *result,
                                          double tolerance) {
  assert(input->shape_b->kind == CT_KIND_PLANE);
  if (result->distance > tolerance) return CT_SEPARATED;
  if (result->distance >= -tolerance) return CT_TOUCHING;
  return half_space_contains(&input->relative, &input->a) ? CT_CONTAINED : CT_PENETRATING;
}
