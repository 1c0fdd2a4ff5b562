/* Balls against balls and boxes, capsules against balls and capsules. */
#include "narrow/quick.h"
#include "narrow/bracket.h"
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
  const ct_frame *frame;
  const ct_shape *shape;
} body;

static body body_of(ct_placed placed) {
  const ct_shape *s = placed.shape;
  body b = {.form = OTHER, .frame = placed.frame, .shape = s};
  double center_z;
  if (s->kind == CT_KIND_BOX) {
    if (s->rounding == 0.0 && s->margin == 0.0) b.form = BOX;
  } else if (ct_shape_is_ball(s, &center_z, &b.radius)) {
    if (center_z == 0.0) b.form = BALL;
  } else if (s->kind == CT_KIND_CAPSULE) {
    ct_capsule_form c = ct_capsule_reduce(s);
    if (c.radius_top == c.radius_bottom) b.form = CAPSULE;
    b.half = c.top;
    b.radius = c.radius_top;
  }
  return b;
}

/* What the forms find out: the pair in the order given to them. */
typedef struct answer {
  double distance, lower, upper, length; /* bounds before round-off; length: the larger body's reach */
  ct_vec3 normal, point_a, point_b, common;
  ct_relation relation; /* of a pair that overlaps */
  uint32_t flags;
} answer;

static void hand_over(const answer *r, bool swapped, double tolerance, ct_pair_result *out) {
  double slack = ct_bracket_slack(r->length, r->distance);
  ct_relation relation = r->distance > tolerance ? CT_SEPARATED : r->distance >= -tolerance ? CT_TOUCHING : r->relation;
  if (swapped && relation >= CT_CONTAINING) relation = relation == CT_CONTAINING ? CT_CONTAINED : CT_CONTAINING;
  ct_vec3 p = ct_plain(r->point_a), q = ct_plain(r->point_b);
  *out = (ct_pair_result){.distance = r->distance + 0.0,
                          .lower_bound = r->lower - slack + 0.0,
                          .upper_bound = r->upper + slack + 0.0,
                          .normal = ct_plain(swapped ? ct_neg(r->normal) : r->normal),
                          .point_a = swapped ? q : p,
                          .point_b = swapped ? p : q,
                          .relation = relation,
                          .status = CT_PAIR_OK,
                          .flags = r->flags,
                          .triangle_a = CT_NO_TRIANGLE,
                          .triangle_b = CT_NO_TRIANGLE};
}

/* Two cores whose nearest points are p and q = p + apart. False: too close for the normal. */
static bool join(const body *a, const body *b, ct_vec3 p, ct_vec3 apart, answer *r) {
  double square = ct_norm2(apart), radii = a->radius + b->radius;
  if (!(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  double core = sqrt(square);
  r->length = ct_max2(a->half + a->radius, b->half + b->radius);
  if (core < CLOSE * r->length) return false;
  r->normal = ct_vec(apart.x / core, apart.y / core, apart.z / core);
  r->distance = r->lower = r->upper = core - radii;
  r->point_a = ct_add_scaled(p, r->normal, a->radius);
  r->point_b = ct_add_scaled(ct_add(p, apart), r->normal, -b->radius);
  r->common = ct_add_scaled(p, apart, a->radius / radii);
  r->flags = 0;
  r->relation = CT_PENETRATING;
  return true;
}

static bool ball_ball(const body *a, const body *b, answer *r) {
  if (!join(a, b, a->frame->position, ct_sub(b->frame->position, a->frame->position), r)) return false;
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * r->length, core = r->distance + (a->radius + b->radius);
  if (core + b->radius <= a->radius + slack) r->relation = CT_CONTAINING;
  else if (core + a->radius <= b->radius + slack) r->relation = CT_CONTAINED;
  return true;
}

static double clamp(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

/* By half length and radius, then by pose; 0: the same body twice. */
static int compare(const body *a, const body *b) {
  if (a->half != b->half) return a->half < b->half ? -1 : 1;
  if (a->radius != b->radius) return a->radius < b->radius ? -1 : 1;
  const ct_vec3 p[2] = {a->frame->position, ct_frame_axis_z(a->frame)}, q[2] = {b->frame->position, ct_frame_axis_z(b->frame)};
  for (int i = 0; i < 2; i++) {
    if (p[i].x != q[i].x) return p[i].x < q[i].x ? -1 : 1;
    if (p[i].y != q[i].y) return p[i].y < q[i].y ? -1 : 1;
    if (p[i].z != q[i].z) return p[i].z < q[i].z ? -1 : 1;
  }
  return 0;
}

/* Nearest points of two segments by clamping to one and then to the other; the least over the ends of what the normal separates
 * proves the answer. Ericson 2005, 5.1.9. */
static bool capsule_capsule(const body *a, const body *b, answer *r) {
  ct_vec3 u = ct_frame_axis_z(a->frame), v = ct_frame_axis_z(b->frame), d = ct_sub(b->frame->position, a->frame->position);
  double cosine = ct_dot(u, v), along_a = ct_dot(d, u), along_b = ct_dot(d, v), sine = 1.0 - cosine * cosine;
  double s = 0.0, t = 0.0;
  if (a->half > 0.0 && b->half > 0.0) {
    if (sine < PARALLEL) return false;
    s = clamp((along_a - cosine * along_b) / sine, a->half);
  }
  t = clamp(cosine * s - along_b, b->half);
  s = clamp(cosine * t + along_a, a->half);
  ct_vec3 p = ct_scale(u, s), apart = ct_sub(ct_add_scaled(d, v, t), p);
  if (!join(a, b, ct_add(a->frame->position, p), apart, r)) return false;
  double lean_a = fabs(ct_dot(r->normal, u)) * a->half, lean_b = fabs(ct_dot(r->normal, v)) * b->half;
  double radii = a->radius + b->radius;
  r->lower = ct_dot(r->normal, d) - lean_a - lean_b - radii;
  double roundoff = GAP_FRACTION * CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (r->length + fabs(r->distance));
  if (r->upper - r->lower > roundoff) return false;
  r->lower = ct_min2(r->lower, r->distance);
  /* Each must stick out of the other, if only along the normal; else the matrix tells which is held. */
  double core = r->distance + radii, least = CLOSE * r->length;
  return core + 2.0 * lean_b + b->radius > a->radius + least && core + 2.0 * lean_a + a->radius > b->radius + least;
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

/* Ball first. */
static bool ball_box(const body *ball, const body *box, answer *r) {
  ct_vec3 center = ball->frame->position, local = ct_to_local(*box->frame, center), size = box->shape->box.half;
  const double p[3] = {local.x, local.y, local.z}, half[3] = {size.x, size.y, size.z};
  double on[3], out[3], radius = ball->radius;
  for (int i = 0; i < 3; i++) {
    on[i] = clamp(p[i], half[i]);
    out[i] = p[i] - on[i];
  }
  double square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2], core, extent = ct_norm(size);
  bool inside = out[0] == 0.0 && out[1] == 0.0 && out[2] == 0.0, several = false;
  if (!inside && !(square > SQUARE_MIN && square < SQUARE_MAX)) return false;
  core = inside ? -nearest_face(p, half, out, on, &several) : sqrt(square);
  ct_vec3 way = ct_mat_mul(box->frame->rotation, ct_vec(out[0], out[1], out[2]));
  double reach = sqrt(ct_norm2(way));
  r->normal = ct_vec(-way.x / reach, -way.y / reach, -way.z / reach);
  r->distance = r->lower = r->upper = core - radius;
  r->length = ct_max2(radius, extent);
  r->point_a = ct_add_scaled(center, r->normal, radius);
  r->point_b = ct_to_parent(*box->frame, ct_vec(on[0], on[1], on[2]));
  r->common = inside ? center : r->point_b;
  r->flags = several ? CT_FLAG_NORMAL_ARBITRARY : 0;
  r->relation = CT_PENETRATING;
  if (r->distance >= 0.0) return true;
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * r->length;
  ct_vec3 corner = {fabs(p[0]) + half[0], fabs(p[1]) + half[1], fabs(p[2]) + half[2]};
  if (inside && -core + slack >= radius) r->relation = CT_CONTAINED;
  else if (extent <= radius + slack && ct_norm(corner) <= radius + slack) r->relation = CT_CONTAINING;
  return true;
}

/* The answer of two forms that are not two boxes, and whether it is that of the pair swapped. */
static bool solve(const body *a, const body *b, answer *r, bool *swapped) {
  *swapped = false;
  if (a->form <= CAPSULE && b->form <= CAPSULE) {
    int order = compare(a, b);
    if (order == 0) return false;
    *swapped = order > 0;
    const body *first = order < 0 ? a : b, *second = order < 0 ? b : a;
    return second->form == BALL ? ball_ball(first, second, r) : capsule_capsule(first, second, r);
  }
  if (a->form == BALL && b->form == BOX) return ball_box(a, b, r);
  *swapped = true;
  return a->form == BOX && b->form == BALL && ball_box(b, a, r);
}

bool ct_quick_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result, ct_vec3 *common) {
  body p = body_of(a), q = body_of(b);
  if (p.form == OTHER || q.form == OTHER) return false;
  if (p.form == BOX && q.form == BOX) return !common && ct_quick_boxes(a, b, options, result);
  answer r;
  bool swapped;
  if (!solve(&p, &q, &r, &swapped)) return false;
  hand_over(&r, swapped, options->tolerance, result);
  if (common) *common = ct_plain(r.common);
  return true;
}

bool ct_quick_overlap(ct_placed a, ct_placed b, bool *overlap) {
  body p = body_of(a), q = body_of(b);
  if (p.form == OTHER || q.form == OTHER) return false;
  if (p.form == BOX && q.form == BOX) return ct_quick_boxes_overlap(a, b, overlap);
  answer r;
  bool swapped;
  if (!solve(&p, &q, &r, &swapped)) return false;
  *overlap = r.distance <= 0.0;
  return true;
}
