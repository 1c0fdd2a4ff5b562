/* Balls against balls and boxes, capsules against balls and capsules. */
#include "base/simd_lanes.h"
#include "primitives/box_box.h"
#include "shape/tapered_capsule.h"

/* Cores nearer to each other than this part of their bodies' size leave the normal open by too many u. */
#define CLOSE 0x1p-10
/* Squared sine of the angle between axes below which their crossing loses digits; above, it is found to 2^-40 of their size. */
#define PARALLEL 0x1p-10
/* Of the round-off of the contract, what the points of two axes may miss each other's normal by. */
#define GAP_FRACTION 0.125
/* Part of a square that its root and rounding can hide: more than eight u. */
#define ROOT_BAND 0x1p-48
/* Squares of lengths within these neither overflow nor underflow. */
#define SQUARE_MIN 0x1p-900
#define SQUARE_MAX 0x1p+900

typedef enum form { BALL, CAPSULE, BOX, OTHER } form;

/* A body as its core and the radius around that. */
typedef struct body {
  form form;
  double radius, half; /* half: of a capsule's segment, 0 for a ball */
} body;

/* Kinds that are balls at times. */
static body other_body(const ct_shape *s) {
  body b = {.form = OTHER};
  double center_z;
  if (ct_shape_is_ball(s, &center_z, &b.radius)) {
    if (center_z == 0.0) b.form = BALL;
  }
  return b;
}

CT_INLINE body body_of(const ct_shape *s) {
  if (s->kind == CT_KIND_SPHERE) return (body){BALL, s->sphere.radius + ct_shape_growth(s), 0.0};
  if (s->kind == CT_KIND_BOX) return (body){s->rounding == 0.0 && s->margin == 0.0 ? BOX : OTHER, 0.0, 0.0};
  if (s->kind == CT_KIND_CAPSULE && s->capsule.half_length > 0.0 && s->capsule.radius_bottom == s->capsule.radius_top)
    return (body){CAPSULE, s->capsule.radius_top + ct_shape_growth(s), s->capsule.half_length};
  if (s->kind != CT_KIND_CAPSULE && s->kind != CT_KIND_ELLIPSOID) return (body){.form = OTHER};
  return other_body(s);
}

/* `overlapping`: what the relation is of a pair that overlaps, in the order of the call. */
CT_INLINE void relate(ct_pair_result *out, double tolerance, ct_relation overlapping) {
  out->relation = out->distance > tolerance ? CT_SEPARATED : out->distance >= -tolerance ? CT_TOUCHING : overlapping;
}

static ct_relation turned(ct_relation relation, bool swapped) {
  if (!swapped || relation < CT_CONTAINING) return relation;
  return relation == CT_CONTAINING ? CT_CONTAINED : CT_CONTAINING;
}

/* The direction between two cores' nearest points; false: too close for it. */
CT_INLINE bool direction_of(ct_vec3 apart, double length, double *proxy, ct_vec3 *normal) {
  double square = ct_norm2(apart);
  if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  *proxy = sqrt(square);
  *normal = ct_vec(apart.x / *proxy, apart.y / *proxy, apart.z / *proxy);
  return *proxy >= CLOSE * length;
}

/* All is the same, but for signs, whichever comes first. Relations are counted, not branched upon: in a crowd they are as good as
 * random; that one ball holds the other is rare. */
CT_INLINE bool ball_ball(const ct_frame *a, const ct_frame *b, double ra, double rb, double tolerance, ct_pair_result *out) {
  ct_vec3 p = a->position, q = b->position, normal;
  double proxy, length = ct_max2(ra, rb);
  if (!direction_of(ct_sub(q, p), length, &proxy, &normal)) return false;
  ct_write_primitive_result(out, false, normal, ct_add_scaled(p, normal, ra), ct_add_scaled(q, normal, -rb), proxy - (ra + rb));
  ct_write_primitive_bounds(out, out->distance, length);
  out->relation = (ct_relation)((int)(out->distance <= tolerance) + (int)(out->distance < -tolerance));
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * length;
  if (proxy > fabs(ra - rb) + 2.0 * slack) return true;
  relate(out, tolerance, proxy + rb <= ra + slack ? CT_CONTAINING : proxy + ra <= rb + slack ? CT_CONTAINED : CT_PENETRATING);
  return true;
}

CT_INLINE double clamp(double x, double limit) { return ct_max2(ct_min2(x, limit), -limit); }

/* Two bodies around axes, a number of each in a lane: directions, middles, half lengths, radii, and the places of the nearest
 * points along the axes. All is the same, but for signs, whichever comes first. */
typedef struct axes {
  ct_lanes x, y, z, px, py, pz, half, radius, at;
  ct_vec3 apart; /* of the middles */
} axes;

CT_INLINE ct_lanes turned_round(ct_lanes v) { return (ct_lanes){v[1], v[0]}; }
CT_INLINE ct_lanes clamp_lanes(ct_lanes v, ct_lanes limit) { return ct_lanes_higher(ct_lanes_lower(v, limit), -limit); }

CT_INLINE axes axes_of(const body *a, const body *b, const ct_frame *fa, const ct_frame *fb) {
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

/* Nearest points of two segments by clamping to one, to the other and back (Ericson 2005, 5.1.9), begun at either. False: too
 * nearly parallel. */
CT_INLINE bool find_nearest(axes *o) {
  const ct_lanes sign = {1.0, -1.0};
  ct_lanes along = sign * (o->apart.x * o->x + o->apart.y * o->y + o->apart.z * o->z);
  ct_lanes cosine = o->x * turned_round(o->x) + o->y * turned_round(o->y) + o->z * turned_round(o->z);
  double square = 1.0 - cosine[0] * cosine[0];
  bool both = o->half[0] > 0.0 && o->half[1] > 0.0;
  if (both && square < PARALLEL) return false;
  double over = both ? 1.0 / square : 0.0;
  ct_lanes first = clamp_lanes((along + cosine * turned_round(along)) * over, o->half);
  ct_lanes next = clamp_lanes(along + cosine * turned_round(first), o->half);
  o->at = clamp_lanes(along + cosine * turned_round(next), o->half);
  return true;
}

CT_INLINE ct_vec3 between(const axes *o) {
  ct_lanes x = o->x * o->at, y = o->y * o->at, z = o->z * o->at;
  return ct_add(o->apart, ct_vec(x[1] - x[0], y[1] - y[0], z[1] - z[0]));
}

/* The least over the ends of what the normal separates proves the answer. */
CT_INLINE bool capsule_capsule(const body *a, const body *b, const ct_frame *fa, const ct_frame *fb, double tolerance,
                               ct_pair_result *out) {
  axes o = axes_of(a, b, fa, fb);
  if (!find_nearest(&o)) return false;
  double ra = a->radius, rb = b->radius, radii = ra + rb, length = ct_max2(a->half + ra, b->half + rb), least = CLOSE * length;
  ct_vec3 way = between(&o);
  double square = ct_norm2(way);
  if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  /* What the ends lean along the normal is taken before root and quotients, which it need not wait for. */
  ct_lanes level = way.x * o.x + way.y * o.y + way.z * o.z, lean = ct_lanes_higher(level, -level) * o.half;
  double proxy = sqrt(square), lower = (ct_dot(way, o.apart) - (lean[0] + lean[1])) / proxy;
  ct_vec3 n = {way.x / proxy, way.y / proxy, way.z / proxy};
  if (proxy < least) return false;
  if (proxy - lower > GAP_FRACTION * CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (length + fabs(proxy - radii))) return false;
  /* Each must stick out of the other, if only along the normal; else the matrix tells which is held. */
  if (square + 2.0 * lean[1] <= (ra - rb + least) * proxy || square + 2.0 * lean[0] <= (rb - ra + least) * proxy) return false;
  const ct_lanes ends = o.radius * (ct_lanes){1.0, -1.0};
  ct_lanes x = o.px + o.x * o.at + n.x * ends, y = o.py + o.y * o.at + n.y * ends, z = o.pz + o.z * o.at + n.z * ends;
  ct_write_primitive_result(out, false, n, ct_vec(x[0], y[0], z[0]), ct_vec(x[1], y[1], z[1]), proxy - radii);
  ct_write_primitive_bounds(out, ct_min2(lower - radii, out->distance), length);
  /* Counted, not branched upon: in a crowd it is as good as random. */
  out->relation = (ct_relation)((int)(out->distance <= tolerance) + (int)(out->distance < -tolerance));
  return true;
}

/* Balls and capsules, by the squared distance of their cores. False: so near to touching that the full answer decides, or axes too
 * nearly parallel. */
CT_INLINE bool round_overlap(const body *a, const body *b, const ct_frame *fa, const ct_frame *fb, bool *overlap) {
  double square, radii = a->radius + b->radius;
  if (a->half == 0.0 && b->half == 0.0) {
    square = ct_norm2(ct_sub(fb->position, fa->position));
  } else {
    axes o = axes_of(a, b, fa, fb);
    if (!find_nearest(&o)) return false;
    square = ct_norm2(between(&o));
  }
  double margin = CLOSE * ct_max2(a->half + a->radius, b->half + b->radius), most = radii + margin, least = radii - margin;
  *overlap = square < radii * radii;
  return square > most * most || (least > 0.0 && square < least * least);
}

/* Centre inside: out through the nearest face; among equally near ones the lowest axis, + before -. Returns how deep it is. */
static double nearest_face(const double p[3], const double half[3], double out[3], double on[3], bool *several) {
  int axis = 0;
  double depth = half[0] - fabs(p[0]), level[3] = {depth, half[1] - fabs(p[1]), half[2] - fabs(p[2])};
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

/* `swapped`: the call named the box first. *inside: the ball's centre is in the box. */
static bool ball_box(ct_placed ball, ct_placed box, double radius, bool swapped, double tolerance, ct_pair_result *out) {
  ct_vec3 center = ball.frame->position, local = ct_to_local(*box.frame, center), size = box.shape->box.half;
  ct_vec3 on = {clamp(local.x, size.x), clamp(local.y, size.y), clamp(local.z, size.z)}, way = ct_sub(local, on);
  double square = ct_norm2(way), proxy, extent = sqrt(ct_norm2(size)), length = ct_max2(radius, extent);
  bool inside = ct_max_abs(way) == 0.0, several = false;
  if (inside) {
    double face[3], foot[3];
    proxy = -nearest_face((double[3]){local.x, local.y, local.z}, (double[3]){size.x, size.y, size.z}, face, foot, &several);
    way = ct_vec(face[0], face[1], face[2]);
    on = ct_vec(foot[0], foot[1], foot[2]);
  } else {
    if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
    proxy = sqrt(square);
  }
  way = ct_mat_mul(box.frame->rotation, way);
  double reach = sqrt(ct_norm2(way));
  ct_vec3 normal = {-way.x / reach, -way.y / reach, -way.z / reach};
  ct_write_primitive_result(out, swapped, normal, ct_add_scaled(center, normal, radius), ct_to_parent(*box.frame, on),
                            proxy - radius);
  ct_write_primitive_bounds(out, out->distance, length);
  if (several) out->flags = CT_FLAG_NORMAL_ARBITRARY;
  ct_relation relation = CT_PENETRATING;
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * length;
  ct_vec3 corner = {fabs(local.x) + size.x, fabs(local.y) + size.y, fabs(local.z) + size.z};
  if (inside && -proxy + slack >= radius) relation = CT_CONTAINED;
  else if (extent <= radius + slack && ct_norm(corner) <= radius + slack) relation = CT_CONTAINING;
  relate(out, tolerance, turned(relation, swapped));
  return true;
}

/* A ball and a box, by the squared distance of the centre from the box, the same as above but for the root. False: so near to
 * touching that the root decides. */
CT_INLINE bool ball_box_overlap(ct_placed ball, ct_placed box, double radius, bool *overlap) {
  ct_vec3 local = ct_to_local(*box.frame, ball.frame->position), size = box.shape->box.half;
  double x = local.x - clamp(local.x, size.x), y = local.y - clamp(local.y, size.y), z = local.z - clamp(local.z, size.z);
  double square = ct_norm2(ct_vec(x, y, z)), level = radius * radius;
  *overlap = square < level;
  return fabs(square - level) > ROOT_BAND * level;
}

/* Apart from the rest, whose many registers are to be kept and given back. */
static __attribute__((noinline)) bool any_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                                                   ct_pair_result *result) {
  if (ct_box_is_sharp(a.shape) && ct_box_is_sharp(b.shape)) return ct_box_box_distance(a, b, options, result);
  body p = body_of(a.shape), q = body_of(b.shape);
  if (p.form == OTHER || q.form == OTHER) return false;
  if (p.form == BOX) return q.form == BALL && ball_box(b, a, q.radius, true, options->tolerance, result);
  if (q.form == BOX) return p.form == BALL && ball_box(a, b, p.radius, false, options->tolerance, result);
  if (p.form == BALL && q.form == BALL) return ball_ball(a.frame, b.frame, p.radius, q.radius, options->tolerance, result);
  return capsule_capsule(&p, &q, a.frame, b.frame, options->tolerance, result);
}

bool ct_primitive_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result) {
  const ct_shape *s = a.shape, *t = b.shape;
  if (s->kind != CT_KIND_SPHERE || t->kind != CT_KIND_SPHERE) return any_distance(a, b, options, result);
  return ball_ball(a.frame, b.frame, s->sphere.radius + ct_shape_growth(s), t->sphere.radius + ct_shape_growth(t),
                   options->tolerance, result);
}

bool ct_primitive_overlap(ct_placed a, ct_placed b, bool *overlap) {
  body p = body_of(a.shape), q = body_of(b.shape);
  if (p.form == OTHER || q.form == OTHER) return false;
  if (p.form == BOX && q.form == BOX) return ct_box_box_overlap(a, b, overlap);
  if (p.form != BOX && q.form != BOX) {
    if (round_overlap(&p, &q, a.frame, b.frame, overlap)) return true;
  } else if (p.form == BALL || q.form == BALL) {
    bool first = p.form == BALL;
    if (ball_box_overlap(first ? a : b, first ? b : a, first ? p.radius : q.radius, overlap)) return true;
  }
  ct_pair_result result;
  if (!ct_primitive_distance(a, b, &(ct_pair_options){.threshold = INFINITY}, &result)) return false;
  *overlap = result.distance <= 0.0;
  return true;
}

bool ct_primitive_common_point(ct_placed a, ct_placed b, ct_vec3 *common) {
  body p = body_of(a.shape), q = body_of(b.shape);
  ct_pair_result r;
  if (p.form == OTHER || q.form == OTHER || (p.form == BOX && q.form == BOX)) return false;
  if (!ct_primitive_distance(a, b, &(ct_pair_options){.threshold = INFINITY}, &r)) return false;
  /* Of a box the nearest point, or the ball's centre where that is inside; else between the cores, as the radii are. */
  ct_vec3 core_a = ct_add_scaled(r.point_a, r.normal, -p.radius), core_b = ct_add_scaled(r.point_b, r.normal, q.radius);
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
