/* Balls against balls and boxes, capsules against balls and capsules. */
#include "narrow/box_pair.h"
#include "shape/capsule.h"

/* Cores nearer to each other than this part of their bodies' size leave the normal open by too many u. */
#define CLOSE 0x1p-10
/* Squared sine of the angle between axes below which their crossing loses digits. */
#define PARALLEL 0x1p-10
/* Of the round-off of the contract, what the points of two axes may miss each other's normal by. */
#define GAP_FRACTION 0.125
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
CT_INLINE bool direction_of(ct_vec3 apart, double length, double *core, ct_vec3 *normal) {
  double square = ct_norm2(apart);
  if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  *core = sqrt(square);
  *normal = ct_vec(apart.x / *core, apart.y / *core, apart.z / *core);
  return *core >= CLOSE * length;
}

/* All is the same, but for signs, whichever comes first. */
CT_INLINE bool ball_ball(ct_placed a, ct_placed b, double ra, double rb, double tolerance, ct_pair_result *out) {
  ct_vec3 p = a.frame->position, q = b.frame->position, normal;
  double core, length = ct_max2(ra, rb);
  if (!direction_of(ct_sub(q, p), length, &core, &normal)) return false;
  ct_quick_answer(out, false, normal, ct_add_scaled(p, normal, ra), ct_add_scaled(q, normal, -rb), core - (ra + rb));
  ct_quick_bound(out, out->distance, length);
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * length;
  relate(out, tolerance, core + rb <= ra + slack ? CT_CONTAINING : core + ra <= rb + slack ? CT_CONTAINED : CT_PENETRATING);
  return true;
}

CT_INLINE double clamp(double x, double limit) { return ct_max2(ct_min2(x, limit), -limit); }

/* By pose; 0: the same. */
static int compare(const ct_frame *a, const ct_frame *b) {
  const ct_vec3 p[2] = {a->position, ct_frame_axis_z(a)}, q[2] = {b->position, ct_frame_axis_z(b)};
  for (int i = 0; i < 2; i++) {
    if (p[i].x != q[i].x) return p[i].x < q[i].x ? -1 : 1;
    if (p[i].y != q[i].y) return p[i].y < q[i].y ? -1 : 1;
    if (p[i].z != q[i].z) return p[i].z < q[i].z ? -1 : 1;
  }
  return 0;
}

/* Nearest points of two segments by clamping to one and then to the other; the least over the ends of what the normal separates
 * proves the answer. Ericson 2005, 5.1.9. */
CT_INLINE bool capsule_capsule(const body *first, const body *second, const ct_frame *const frames[2], double tolerance,
                               ct_pair_result *out) {
  /* The order is by half length, radius and pose. */
  int order = first->half != second->half       ? (first->half > second->half) - (first->half < second->half)
              : first->radius != second->radius ? (first->radius > second->radius) - (first->radius < second->radius)
                                                : compare(frames[0], frames[1]);
  if (order == 0) return false;
  bool swapped = order > 0;
  const ct_frame *fa = frames[swapped], *fb = frames[!swapped];
  const body *a = swapped ? second : first, *b = swapped ? first : second;
  double half_a = a->half, half_b = b->half, ra = a->radius, rb = b->radius, radii = ra + rb;
  ct_vec3 u = ct_frame_axis_z(fa), v = ct_frame_axis_z(fb), d = ct_sub(fb->position, fa->position), normal;
  double cosine = ct_dot(u, v), along_a = ct_dot(d, u), along_b = ct_dot(d, v), sine = 1.0 - cosine * cosine, s = 0.0, core;
  if (half_a > 0.0 && half_b > 0.0) {
    if (sine < PARALLEL) return false;
    s = clamp((along_a - cosine * along_b) / sine, half_a);
  }
  double t = clamp(cosine * s - along_b, half_b), length = ct_max2(half_a + ra, half_b + rb);
  s = clamp(cosine * t + along_a, half_a);
  ct_vec3 p = ct_add_scaled(fa->position, u, s), q = ct_add_scaled(fb->position, v, t);
  if (!direction_of(ct_sub(ct_add_scaled(d, v, t), ct_scale(u, s)), length, &core, &normal)) return false;
  double lean_a = fabs(ct_dot(normal, u)) * half_a, lean_b = fabs(ct_dot(normal, v)) * half_b;
  double lower = ct_dot(normal, d) - lean_a - lean_b, least = CLOSE * length;
  if (core - lower > GAP_FRACTION * CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (length + fabs(core - radii))) return false;
  /* Each must stick out of the other, if only along the normal; else the matrix tells which is held. */
  if (core + 2.0 * lean_b + rb <= ra + least || core + 2.0 * lean_a + ra <= rb + least) return false;
  ct_quick_answer(out, swapped, normal, ct_add_scaled(p, normal, ra), ct_add_scaled(q, normal, -rb), core - radii);
  ct_quick_bound(out, ct_min2(lower - radii, out->distance), length);
  relate(out, tolerance, CT_PENETRATING);
  return true;
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
  double square = ct_norm2(way), core, extent = sqrt(ct_norm2(size)), length = ct_max2(radius, extent);
  bool inside = ct_max_abs(way) == 0.0, several = false;
  if (inside) {
    double face[3], foot[3];
    core = -nearest_face((double[3]){local.x, local.y, local.z}, (double[3]){size.x, size.y, size.z}, face, foot, &several);
    way = ct_vec(face[0], face[1], face[2]);
    on = ct_vec(foot[0], foot[1], foot[2]);
  } else {
    if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
    core = sqrt(square);
  }
  way = ct_mat_mul(box.frame->rotation, way);
  double reach = sqrt(ct_norm2(way));
  ct_vec3 normal = {-way.x / reach, -way.y / reach, -way.z / reach};
  ct_quick_answer(out, swapped, normal, ct_add_scaled(center, normal, radius), ct_to_parent(*box.frame, on), core - radius);
  ct_quick_bound(out, out->distance, length);
  if (several) out->flags = CT_FLAG_NORMAL_ARBITRARY;
  ct_relation relation = CT_PENETRATING;
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * length;
  ct_vec3 corner = {fabs(local.x) + size.x, fabs(local.y) + size.y, fabs(local.z) + size.z};
  if (inside && -core + slack >= radius) relation = CT_CONTAINED;
  else if (extent <= radius + slack && ct_norm(corner) <= radius + slack) relation = CT_CONTAINING;
  relate(out, tolerance, turned(relation, swapped));
  return true;
}

bool ct_quick_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result) {
  if (ct_box_is_plain(a.shape) && ct_box_is_plain(b.shape)) return ct_quick_boxes(a, b, options, result);
  body p = body_of(a.shape), q = body_of(b.shape);
  if (p.form == OTHER || q.form == OTHER) return false;
  if (p.form == BOX)
    return q.form == BALL && ball_box(b, a, q.radius, true, options->tolerance, result);
  if (q.form == BOX) return p.form == BALL && ball_box(a, b, p.radius, false, options->tolerance, result);
  if (p.form == BALL && q.form == BALL) return ball_ball(a, b, p.radius, q.radius, options->tolerance, result);
  return capsule_capsule(&p, &q, (const ct_frame *[2]){a.frame, b.frame}, options->tolerance, result);
}

bool ct_quick_overlap(ct_placed a, ct_placed b, bool *overlap) {
  if (a.shape->kind == CT_KIND_BOX && b.shape->kind == CT_KIND_BOX)
    return ct_box_is_plain(a.shape) && ct_box_is_plain(b.shape) && ct_quick_boxes_overlap(a, b, overlap);
  ct_pair_result result;
  if (!ct_quick_distance(a, b, &(ct_pair_options){.threshold = INFINITY}, &result)) return false;
  *overlap = result.distance <= 0.0;
  return true;
}

bool ct_quick_common(ct_placed a, ct_placed b, ct_vec3 *common) {
  body p = body_of(a.shape), q = body_of(b.shape);
  ct_pair_result r;
  if (p.form == OTHER || q.form == OTHER || (p.form == BOX && q.form == BOX)) return false;
  if (!ct_quick_distance(a, b, &(ct_pair_options){.threshold = INFINITY}, &r)) return false;
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
  *common = ct_plain(*common);
  return true;
}
