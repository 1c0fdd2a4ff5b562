/* Closed forms: ball against ball and box, capsule against ball and capsule. Each declines (returns
 * false) where the direct formulas are ill-conditioned; the cell of the dispatch table then
 * decides. */
#include "primitives/primitive_pairs.h"
#include "base/simd_lanes.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

/* Least distance of two cores, as a fraction of the bodies' size; with a smaller one the normal
 * would be accurate to too few digits. */
#define CLOSE 0x1p-10
/* Least squared sine of the angle between two axes; below it their crossing loses digits, above it
 * is accurate to 2^-40 of their size. */
#define PARALLEL 0x1p-10
/* Fraction of the round-off of a distance to which its bounds must agree for two axes. */
#define GAP_FRACTION 0.125
/* Relative difference of two squares that the rounding of their roots can hide: more than eight
 * u. */
#define ROOT_BAND 0x1p-48
/* Range of squared lengths whose squares neither overflow nor underflow. */
#define SQUARE_MIN 0x1p-900
#define SQUARE_MAX 0x1p+900

typedef enum form { BALL, CAPSULE, BOX, OTHER } form;

/* A body as a core and a radius. */
typedef struct body {
  form form;
  double radius, half; /* half length of a capsule's segment; 0 for a ball */
} body;

/* Classifies capsules and ellipsoids that are balls. */
static body classify_degenerate_ball(const ct_shape *s) {
  body b = {.form = OTHER};
  double center_z;
  if (ct_shape_is_ball(s, &center_z, &b.radius)) {
    if (center_z == 0.0) b.form = BALL;
  }
  return b;
}

CT_INLINE body classify_body(const ct_shape *s) {
  if (s->kind == CT_KIND_SPHERE) return (body){BALL, s->sphere.radius + ct_shape_growth(s), 0.0};
  if (s->kind == CT_KIND_BOX)
    return (body){s->rounding == 0.0 && s->margin == 0.0 ? BOX : OTHER, 0.0, 0.0};
  if (s->kind == CT_KIND_CAPSULE && s->capsule.half_length > 0.0 &&
      s->capsule.radius_bottom == s->capsule.radius_top)
    return (body){CAPSULE, s->capsule.radius_top + ct_shape_growth(s), s->capsule.half_length};
  if (s->kind != CT_KIND_CAPSULE && s->kind != CT_KIND_ELLIPSOID) return (body){.form = OTHER};
  return classify_degenerate_ball(s);
}

/* Sets the relation from the distance. `overlapping`: relation of an overlapping pair, in the
 * caller's order. */
CT_INLINE void set_relation(ct_pair_result *out, double tolerance, ct_relation overlapping) {
  out->relation = out->distance > tolerance     ? CT_SEPARATED
                  : out->distance >= -tolerance ? CT_TOUCHING
                                                : overlapping;
}

static ct_relation swap_relation(ct_relation relation, bool swapped) {
  if (!swapped || relation < CT_CONTAINING) return relation;
  return relation == CT_CONTAINING ? CT_CONTAINED : CT_CONTAINING;
}

/* Computes the length and the direction of the vector `apart` between the cores' nearest points.
 * False: they are too close, or squares leave the range of doubles. */
CT_INLINE bool compute_direction(ct_vec3 apart, double length, double *core_gap, ct_vec3 *normal) {
  double square = ct_norm2(apart);
  if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  *core_gap = sqrt(square);
  *normal = ct_vec(apart.x / *core_gap, apart.y / *core_gap, apart.z / *core_gap);
  return *core_gap >= CLOSE * length;
}

/* Ball against ball. The arithmetic is symmetric up to signs, so content order is not needed. The
 * relation is computed without branches, which would be mispredicted in crowded scenes; containment
 * is rare. */
CT_INLINE bool solve_ball_ball(const ct_frame *a, const ct_frame *b, double ra, double rb,
                               double tolerance, ct_pair_result *out) {
  ct_vec3 p = a->position, q = b->position, normal;
  double core_gap, length = ct_max2(ra, rb);
  if (!compute_direction(ct_sub(q, p), length, &core_gap, &normal)) return false;
  ct_write_primitive_result(out, false, normal, ct_add_scaled(p, normal, ra),
                            ct_add_scaled(q, normal, -rb), core_gap - (ra + rb));
  ct_write_primitive_bounds(out, out->distance, length);
  out->relation =
      (ct_relation)((int)(out->distance <= tolerance) + (int)(out->distance < -tolerance));
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * length;
  if (core_gap > fabs(ra - rb) + 2.0 * slack) return true;
  set_relation(out, tolerance,
               core_gap + rb <= ra + slack   ? CT_CONTAINING
               : core_gap + ra <= rb + slack ? CT_CONTAINED
                                             : CT_PENETRATING);
  return true;
}

CT_INLINE double clamp_symmetric(double x, double limit) {
  return ct_max2(ct_min2(x, limit), -limit);
}

/* Two capsules, one per SIMD lane: directions, centres, half lengths, radii, and positions (`at`)
 * of the nearest points along the axes. The arithmetic is symmetric up to signs. */
typedef struct axes {
  ct_lanes x, y, z, px, py, pz, half, radius, at;
  ct_vec3 apart; /* vector from the first to the second centre */
} axes;

CT_INLINE ct_lanes swap_lanes(ct_lanes v) { return (ct_lanes){v[1], v[0]}; }
CT_INLINE ct_lanes clamp_lanes(ct_lanes v, ct_lanes limit) {
  return ct_lanes_higher(ct_lanes_lower(v, limit), -limit);
}

CT_INLINE axes load_axes(const body *a, const body *b, const ct_frame *fa, const ct_frame *fb) {
  return (axes){.x = {fa->rotation.rx.z, fb->rotation.rx.z},
                .y = {fa->rotation.ry.z, fb->rotation.ry.z},
                .z = {fa->rotation.rz.z, fb->rotation.rz.z},
                .px = {fa->position.x, fb->position.x},
                .py = {fa->position.y, fb->position.y},
                .pz = {fa->position.z, fb->position.z},
                .half = {a->half, b->half},
                .radius = {a->radius, b->radius},
                .apart = ct_sub(fb->position, fa->position)};
}

/* Finds the nearest points of two segments by projecting to one, to the other and back, limited to
 * the segments each time (Ericson 2005, 5.1.9). Each lane starts from its own segment. False: the
 * axes are nearly parallel. */
CT_INLINE bool find_nearest_on_axes(axes *o) {
  const ct_lanes sign = {1.0, -1.0};
  ct_lanes along = sign * (o->apart.x * o->x + o->apart.y * o->y + o->apart.z * o->z);
  ct_lanes cosine = o->x * swap_lanes(o->x) + o->y * swap_lanes(o->y) + o->z * swap_lanes(o->z);
  double square = 1.0 - cosine[0] * cosine[0];
  bool both = o->half[0] > 0.0 && o->half[1] > 0.0;
  if (both && square < PARALLEL) return false;
  double over = both ? 1.0 / square : 0.0;
  ct_lanes first = clamp_lanes((along + cosine * swap_lanes(along)) * over, o->half);
  ct_lanes next = clamp_lanes(along + cosine * swap_lanes(first), o->half);
  o->at = clamp_lanes(along + cosine * swap_lanes(next), o->half);
  return true;
}

CT_INLINE ct_vec3 compute_axis_gap(const axes *o) {
  ct_lanes x = o->x * o->at, y = o->y * o->at, z = o->z * o->at;
  return ct_add(o->apart, ct_vec(x[1] - x[0], y[1] - y[0], z[1] - z[0]));
}

/* Capsule against capsule or ball. The separation of the segments' ends along the normal is a lower
 * bound, which certifies the distance. */
CT_INLINE bool solve_capsule_capsule(const body *a, const body *b, const ct_frame *fa,
                                     const ct_frame *fb, double tolerance, ct_pair_result *out) {
  axes o = load_axes(a, b, fa, fb);
  if (!find_nearest_on_axes(&o)) return false;
  double ra = a->radius, rb = b->radius, radii = ra + rb,
         length = ct_max2(a->half + ra, b->half + rb), least = CLOSE * length;
  ct_vec3 offset = compute_axis_gap(&o);
  double square = ct_norm2(offset);
  if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  /* The inclination of the segments is computed before root and quotients, so that it does not wait
   * for them. */
  ct_lanes level = offset.x * o.x + offset.y * o.y + offset.z * o.z,
           lean = ct_lanes_higher(level, -level) * o.half;
  double core_gap = sqrt(square),
         lower = (ct_dot(offset, o.apart) - (lean[0] + lean[1])) / core_gap;
  ct_vec3 n = {offset.x / core_gap, offset.y / core_gap, offset.z / core_gap};
  if (core_gap < least) return false;
  if (core_gap - lower >
      GAP_FRACTION * CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (length + fabs(core_gap - radii)))
    return false;
  /* Each body must extend beyond the other along the normal; otherwise the cell decides about
   * containment. */
  if (square + 2.0 * lean[1] <= (ra - rb + least) * core_gap ||
      square + 2.0 * lean[0] <= (rb - ra + least) * core_gap)
    return false;
  const ct_lanes ends = o.radius * (ct_lanes){1.0, -1.0};
  ct_lanes x = o.px + o.x * o.at + n.x * ends, y = o.py + o.y * o.at + n.y * ends,
           z = o.pz + o.z * o.at + n.z * ends;
  ct_write_primitive_result(out, false, n, ct_vec(x[0], y[0], z[0]), ct_vec(x[1], y[1], z[1]),
                            core_gap - radii);
  ct_write_primitive_bounds(out, ct_min2(lower - radii, out->distance), length);
  /* Without branches: in crowded scenes the relation is unpredictable. */
  out->relation =
      (ct_relation)((int)(out->distance <= tolerance) + (int)(out->distance < -tolerance));
  return true;
}

/* Decides the overlap of balls and capsules by the squared distance of their cores. False: near
 * contact, where the full query decides, or nearly parallel axes. */
CT_INLINE bool test_round_overlap(const body *a, const body *b, const ct_frame *fa,
                                  const ct_frame *fb, bool *overlap) {
  double square, radii = a->radius + b->radius;
  if (a->half == 0.0 && b->half == 0.0) {
    square = ct_norm2(ct_sub(fb->position, fa->position));
  } else {
    axes o = load_axes(a, b, fa, fb);
    if (!find_nearest_on_axes(&o)) return false;
    square = ct_norm2(compute_axis_gap(&o));
  }
  double margin = CLOSE * ct_max2(a->half + a->radius, b->half + b->radius), most = radii + margin,
         least = radii - margin;
  *overlap = square < radii * radii;
  return square > most * most || (least > 0.0 && square < least * least);
}

/* For a centre inside the box, finds the nearest face: its outward normal `out` and the nearest
 * point `on`. Returns the depth; among ties the lowest axis, + before -. *several: other faces are
 * as near, to round-off. */
static double project_to_nearest_face(const double p[3], const double half[3], double out[3],
                                      double on[3], bool *several) {
  int axis = 0;
  double depth = half[0] - fabs(p[0]),
         level[3] = {depth, half[1] - fabs(p[1]), half[2] - fabs(p[2])};
  for (int i = 1; i < 3; i++) {
    if (level[i] >= depth) continue;
    depth = level[i];
    axis = i;
  }
  double limit = depth + CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (half[0] + half[1] + half[2]);
  int near = 0;
  for (int i = 0; i < 3; i++) {
    near += level[i] <= limit;
    near += half[i] + fabs(p[i]) <= limit;
    out[i] = 0.0;
    on[i] = p[i];
  }
  out[axis] = p[axis] >= 0.0 ? 1.0 : -1.0;
  on[axis] = out[axis] * half[axis];
  *several = near > 1;
  return depth;
}

/* Ball against box. `swapped`: the box is the caller's first body. */
static bool solve_ball_box(ct_placed ball, ct_placed box, double radius, bool swapped,
                           double tolerance, ct_pair_result *out) {
  /* Nearest point of the box in its frame; if the centre is inside, on the nearest face. */
  ct_vec3 center = ball.frame->position, local = ct_to_local(*box.frame, center),
          size = box.shape->box.half;
  ct_vec3 on = {clamp_symmetric(local.x, size.x), clamp_symmetric(local.y, size.y),
                clamp_symmetric(local.z, size.z)},
          offset = ct_sub(local, on);
  double square = ct_norm2(offset), core_gap, extent = sqrt(ct_norm2(size)),
         length = ct_max2(radius, extent);
  bool inside = ct_max_abs(offset) == 0.0, several = false;
  if (inside) {
    double face[3], foot[3];
    core_gap = -project_to_nearest_face((double[3]){local.x, local.y, local.z},
                                        (double[3]){size.x, size.y, size.z}, face, foot, &several);
    offset = ct_vec(face[0], face[1], face[2]);
    on = ct_vec(foot[0], foot[1], foot[2]);
  } else {
    if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
    core_gap = sqrt(square);
  }
  offset = ct_mat_mul(box.frame->rotation, offset);
  double reach = sqrt(ct_norm2(offset));
  ct_vec3 normal = {-offset.x / reach, -offset.y / reach, -offset.z / reach};
  ct_write_primitive_result(out, swapped, normal, ct_add_scaled(center, normal, radius),
                            ct_to_parent(*box.frame, on), core_gap - radius);
  ct_write_primitive_bounds(out, out->distance, length);
  if (several) out->flags = CT_FLAG_NORMAL_ARBITRARY;
  /* Containment: the ball is inside the box, or the farthest vertex of the box inside the ball. */
  ct_relation relation = CT_PENETRATING;
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * length;
  ct_vec3 corner = {fabs(local.x) + size.x, fabs(local.y) + size.y, fabs(local.z) + size.z};
  if (inside && -core_gap + slack >= radius) relation = CT_CONTAINED;
  else if (extent <= radius + slack && ct_norm(corner) <= radius + slack) relation = CT_CONTAINING;
  set_relation(out, tolerance, swap_relation(relation, swapped));
  return true;
}

/* Decides the overlap of ball and box by the squared distance of the centre from the box. False:
 * near contact, where the root decides. */
CT_INLINE bool test_ball_box_overlap(ct_placed ball, ct_placed box, double radius, bool *overlap) {
  ct_vec3 local = ct_to_local(*box.frame, ball.frame->position), size = box.shape->box.half;
  double x = local.x - clamp_symmetric(local.x, size.x),
         y = local.y - clamp_symmetric(local.y, size.y),
         z = local.z - clamp_symmetric(local.z, size.z);
  double square = ct_norm2(ct_vec(x, y, z)), level = radius * radius;
  *overlap = square < level;
  return fabs(square - level) > ROOT_BAND * level;
}

bool ct_primitive_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                           ct_pair_result *result) {
  body p = classify_body(a.shape), q = classify_body(b.shape);
  if (p.form == OTHER || q.form == OTHER) return false;
  if (p.form == BOX)
    return q.form == BALL && solve_ball_box(b, a, q.radius, true, options->tolerance, result);
  if (q.form == BOX)
    return p.form == BALL && solve_ball_box(a, b, p.radius, false, options->tolerance, result);
  if (p.form == BALL && q.form == BALL)
    return solve_ball_ball(a.frame, b.frame, p.radius, q.radius, options->tolerance, result);
  return solve_capsule_capsule(&p, &q, a.frame, b.frame, options->tolerance, result);
}

bool ct_sphere_sphere_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                               ct_pair_result *result) {
  const ct_shape *s = a.shape, *t = b.shape;
  assert(s->kind == CT_KIND_SPHERE && t->kind == CT_KIND_SPHERE);
  return solve_ball_ball(a.frame, b.frame, s->sphere.radius + ct_shape_growth(s),
                         t->sphere.radius + ct_shape_growth(t), options->tolerance, result);
}

bool ct_primitive_overlap(ct_placed a, ct_placed b, bool *overlap) {
  body p = classify_body(a.shape), q = classify_body(b.shape);
  if (p.form == OTHER || q.form == OTHER) return false;
  assert(p.form != BOX || q.form != BOX);
  if (p.form != BOX && q.form != BOX) {
    if (test_round_overlap(&p, &q, a.frame, b.frame, overlap)) return true;
  } else if (p.form == BALL || q.form == BALL) {
    bool first = p.form == BALL;
    if (test_ball_box_overlap(first ? a : b, first ? b : a, first ? p.radius : q.radius, overlap))
      return true;
  }
  ct_pair_result result;
  if (!ct_primitive_distance(a, b, &(ct_pair_options){.threshold = INFINITY}, &result))
    return false;
  *overlap = result.distance <= 0.0;
  return true;
}

bool ct_primitive_common_point(ct_placed a, ct_placed b, ct_vec3 *common) {
  body p = classify_body(a.shape), q = classify_body(b.shape);
  ct_pair_result r;
  if (!ct_primitive_distance(a, b, &(ct_pair_options){.threshold = INFINITY}, &r)) return false;
  /* Box: its nearest point, or the ball's centre if that is inside. Else a point between the
   * nearest points of the cores, in the ratio of the radii. */
  ct_vec3 core_a = ct_add_scaled(r.point_a, r.normal, -p.radius),
          core_b = ct_add_scaled(r.point_b, r.normal, q.radius);
  if (p.form == BOX || q.form == BOX) {
    const ct_vec3 center = p.form == BOX ? b.frame->position : a.frame->position;
    bool inside = r.distance < -ct_max2(p.radius, q.radius);
    *common = inside ? center : p.form == BOX ? r.point_a : r.point_b;
  } else {
    double radii = p.radius + q.radius;
    *common = ct_scale(ct_add(ct_scale(core_a, q.radius), ct_scale(core_b, p.radius)), 1.0 / radii);
  }
  *common = ct_clear_negative_zero(*common);
  return true;
}
