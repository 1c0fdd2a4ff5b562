/* Motion bounds of conservative advancement: how long a pair that is apart certainly stays apart.
 *
 * Mirtich 1996, Impulse-based dynamic simulation of rigid body systems, chapter 2. Along a fixed
 * direction, the offset of the pivots changes by known amounts; rotation of a side reduces the gap
 * by at most the speed of its farthest point times the time, and by at most the growth of its
 * support up to its reach. Choosing one of these for each side gives four bounds, and the longest
 * time is used. Convex pairs that rotate: the direction rotates too (second order). Meshes: each
 * triangle by its own direction (Tang, Kim, Manocha 2009, C2A). */
#include "shape/shape_compare.h"
#include "shape/sharp_shape.h"
#include "toi/toi_relative_motion.h"

#include <assert.h>

/* ---- convex pairs that turn ------------------------------------------------------------------ */

/* Second-order bound for convex pairs that rotate.
 *
 * Let the direction m rotate with the constant angular velocity o, beginning at the pair's normal
 * n. A side rotates with w about its pivot. Its point r has the coordinate m.r along m, and with u
 * = w - o the rate of this coordinate is m.(u x r). The rate is n.(u x r) = (n x u).r at first and
 * changes by at most |u| (|o| |r| + |w| arm) per second (plus |w'| |r| if w changes). Hence the
 * support along m at time t is at most the present support along the tilted direction n + t (n x
 * u), plus half of that bound times t^2: a convex function of t. The gap between the planes across
 * m is therefore at least a concave function of t; if it is positive now and at t, it is positive
 * in between. This is valid for any o. Tried are 0, the rotation of either side, and the observed
 * rotation of the normal: one of them preserves the nearest features of both sides for a while, and
 * the remaining time to the contact then shrinks quadratically. */

/* Largest angle by which the direction may be tilted, rad. */
#define ANGLE_MAX 1.0
/* TRIES_MAX: largest number of times tried until the gap is positive. Each is the root of the gap's
 * chord, but at least TRY_FACTOR times the previous one. REFINEMENTS: regula falsi steps between
 * the last two. */
#define TRIES_MAX 12
#define TRY_FACTOR 0.4
#define REFINEMENTS 3
/* Upper bound of |w'| / |w|^2 for rotation without torque: 1 / sqrt 3, for moments of inertia that
 * satisfy the triangle inequality. */
#define CHANGE_OF_SPIN 0.578

typedef struct tilt_side {
  const ct_toi_side *side;
  const ct_toi_side_pose *at;
  bool is_plane, is_ball;
  ct_vec3 center;  /* centre of a ball relative to the pivot, world axes */
  double far, arm; /* upper bounds of the distance from the pivot, and from the axis, of the points
                      that rotate: the shape's points, or the centre of a ball, m */
  ct_vec3 outward; /* direction of the support: n for a, -n for b */
  double now;      /* support along `outward` at the sample's time, m */
  /* For the angular velocity o of the planes that is tried: */
  ct_vec3 tilt; /* rate of change of the direction, n x u in the comment above, 1/s */
  double bend;  /* upper bound of the second derivative of the support that `tilt` does not cover,
                   m/s^2 */
} tilt_side;

static tilt_side tilt_side_of(const ct_toi_side *side, const ct_toi_side_pose *at,
                              ct_vec3 outward) {
  tilt_side t = {.side = side, .at = at, .is_plane = side->reach == INFINITY, .outward = outward};
  if (t.is_plane) return t;
  t.is_ball = ct_shape_content_kind(side->shape) == CT_KIND_SPHERE;
  t.center = ct_sub(ct_to_parent(at->body, side->ball), at->pivot);
  t.far = t.is_ball ? ct_norm(ct_sub(side->ball, side->pivot)) : side->reach;
  t.arm = side->arm;
  if (!t.is_ball) t.now = ct_toi_support(side, at, outward);
  return t;
}

static void set_tilt(tilt_side *t, ct_vec3 o) {
  t->tilt = ct_vec(0.0, 0.0, 0.0);
  t->bend = 0.0;
  if (t->is_plane || t->far == 0.0) return;
  ct_vec3 u = ct_sub(t->at->velocity.angular, o);
  double spin = t->side->spin, most = t->side->steady ? ct_norm(u) : spin + ct_norm(o);
  t->tilt = ct_cross(t->outward, u);
  t->bend = most * (ct_norm(o) * t->far + spin * t->arm) +
            (t->side->steady ? 0.0 : CHANGE_OF_SPIN * spin * spin * t->far);
  /* u = w - o may cancel: add its round-off. */
  t->bend *= 1.0 + SPEED_SLACK;
}

/* Returns an upper bound of the growth of the side's support along the rotating direction within
 * `time`, without the quadratic term of `bend`. */
static double support_growth(const tilt_side *t, double time, double spins) {
  if (t->is_plane || t->far == 0.0) return 0.0;
  double slack = ALONG_SLACK * CT_UNIT_ROUNDOFF * t->side->reach * (1.0 + time * spins);
  if (t->is_ball) return time * ct_dot(t->tilt, t->center) + slack;
  return ct_toi_support(t->side, t->at, ct_add_scaled(t->outward, t->tilt, time)) - t->now + slack;
}

/* Lower bound of the gap between two planes that rotate: gap - speed t - bend t^2 / 2 minus the
 * growth of both supports. */
typedef struct tilted_gap {
  tilt_side a, b;
  double gap, speed, bend;
  double spins; /* sum of the angular speeds of both sides and of the normal, rad/s */
} tilted_gap;

static double gap_after(const tilted_gap *g, double time) {
  double shrunk = (g->speed + 0.5 * g->bend * time) * time,
         rounding = TIME_SLACK * (g->gap + fabs(shrunk));
  return g->gap - shrunk -
         (support_growth(&g->a, time, g->spins) + support_growth(&g->b, time, g->spins)) - rounding;
}

/* Sets g->speed and g->bend, upper bounds of the gap's rate of decrease now and of its second
 * derivative over [0, horizon], for bounding planes that rotate with the angular velocity o. */
static void set_plane_rotation(tilted_gap *g, const ct_toi_sample *s, const ct_relative_motion *d,
                               ct_vec3 o, double horizon) {
  ct_vec3 n = s->result.normal, offset = ct_sub(s->b.pivot, s->a.pivot), change = ct_cross(o, n);
  double turn = ct_norm(change), velocity = ct_norm(d->velocity),
         acceleration = ct_norm(d->acceleration);
  set_tilt(&g->a, o);
  set_tilt(&g->b, o);
  double error = d->speed_error + SPEED_SLACK * ct_norm(o) * (ct_norm(offset) + velocity);
  g->speed = error - (ct_dot(n, d->velocity) + ct_dot(change, offset));
  double far = ct_norm(offset) + (velocity + 0.5 * acceleration * horizon) * horizon;
  double turning = turn * (ct_norm(o) * far + 2.0 * velocity + 3.0 * acceleration * horizon) *
                   (1.0 + SPEED_SLACK);
  g->bend = ct_max2(0.0, d->acceleration_error - ct_dot(n, d->acceleration) + turning +
                             (g->a.bend + g->b.bend));
}

/* Returns the longest of the tried times at which the gap is positive; 0 if there is none above
 * `least`. */
static double longest_time_apart(const tilted_gap *g, double first, double least) {
  double time = first, beyond = 0.0, lacking = 0.0, left = -1.0, now = gap_after(g, 0.0);
  /* shorten the time until the gap is positive */
  for (int i = 0; i < TRIES_MAX && time > least && !(left > 0.0); i++) {
    if (i > 0) time = ct_max2(TRY_FACTOR * time, time * (now / (now - left)));
    left = gap_after(g, time);
    if (left > 0.0) break;
    beyond = time;
    lacking = left;
  }
  if (!(left > 0.0)) return 0.0;
  /* lengthen it toward the last time with a negative gap */
  for (int i = 0; i < REFINEMENTS && beyond > 0.0; i++) {
    double next = time + (beyond - time) * (left / (left - lacking));
    if (!(next > time && next < beyond)) break;
    double there = gap_after(g, next);
    if (there > 0.0) {
      time = next;
      left = there;
    } else {
      beyond = next;
      lacking = there;
    }
  }
  return time;
}

static double second_order_time(const ct_toi_pair *pair, const ct_toi_sample *s, double least,
                                double horizon) {
  ct_vec3 n = s->result.normal, still = {0.0, 0.0, 0.0};
  bool turns = pair->a.spin > 0.0 || pair->b.spin > 0.0,
       planes = pair->a.reach == INFINITY && pair->b.reach == INFINITY;
  if (!turns || planes) return 0.0;
  tilted_gap g = {.a = tilt_side_of(&pair->a, &s->a, n),
                  .b = tilt_side_of(&pair->b, &s->b, ct_neg(n)),
                  .gap = s->along};
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  const ct_vec3 plane_rotations[] = {s->a.velocity.angular, s->b.velocity.angular, still, s->turn};
  double best = 0.0;
  for (int i = 0; i < 4; i++) {
    /* The boundary of a half-space rotates with it: only its own rotation is possible. The last
     * candidate is the normal's observed rotation, if known. */
    if (g.a.is_plane ? i != 0 : g.b.is_plane ? i != 1 : i == 3 && ct_norm2(s->turn) == 0.0)
      continue;
    g.spins = (pair->a.spin + pair->b.spin) + ct_norm(plane_rotations[i]);
    double most = ct_min2(horizon, ANGLE_MAX / g.spins);
    set_plane_rotation(&g, s, &d, plane_rotations[i], most);
    if (!(gap_after(&g, 0.0) > 0.0)) continue;
    /* First trial: the time at which the gap closes at the present rate. */
    double first = ct_min2(ct_gap_closing_time(s->along, -s->rate, g.bend), most);
    best = ct_max2(best, longest_time_apart(&g, first, least));
  }
  return best * (1.0 - TIME_SLACK);
}

/* ---- meshes, by their triangles -------------------------------------------------------------- */

/* Motion bound of a mesh by its triangles, each with the best of DIRECTIONS directions.
 *
 * A body between the arms of a fork is not separated from the fork by one plane, but from each arm
 * by one. The BVH of the mesh is traversed: the best direction of a node, and finally of a
 * triangle, bounds how long it stays apart from the convex hull of the other shape. The result is
 * the minimum over the triangles; a node that stays apart longer than the minimum so far is
 * skipped. */

/* The pair's normal, and both directions along each axis of the mesh's frame. */
#define DIRECTIONS 7
/* Largest number of nodes visited; above it, the bound for the mesh as a whole is returned. */
#define NODES_MAX 2048
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 2)

/* A direction from the mesh to the other shape, and bounds of the other shape's position and
 * approach along it. */
typedef struct mesh_direction {
  ct_vec3 local; /* the direction in the mesh's frame */
  double low;    /* lower bound of the coordinates of the other shape's points along it, from the
                    mesh's origin, m */
  double speed,
      acceleration; /* upper bounds of speed and acceleration of the other shape's approach */
} mesh_direction;

typedef struct mesh_bound {
  const ct_mesh_view *view;
  mesh_direction directions[DIRECTIONS];
  double all; /* time for which the mesh as a whole is certainly apart, s */
} mesh_bound;

static void set_mesh_direction(mesh_direction *p, const ct_toi_pair *pair, const ct_toi_sample *s,
                               bool first, ct_vec3 direction) {
  const ct_toi_side *mesh = first ? &pair->a : &pair->b, *other = first ? &pair->b : &pair->a;
  const ct_toi_side_pose *at = first ? &s->a : &s->b, *there = first ? &s->b : &s->a;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  ct_vec3 velocity = first ? d.velocity : ct_neg(d.velocity),
          acceleration = first ? d.acceleration : ct_neg(d.acceleration);
  ct_vec3 offset = ct_sub(there->pivot, at->shape.position);
  double size =
      mesh->reach + other->reach + ct_norm(offset) + ct_norm(ct_sub(at->shape.position, at->pivot));
  double growth = ct_shape_sharp(mesh->shape).radius;
  p->local = ct_mat_tmul(at->shape.rotation, direction);
  p->low = ct_dot(direction, offset) - ct_toi_support(other, there, ct_neg(direction)) - growth;
  p->low -= ALONG_SLACK * CT_UNIT_ROUNDOFF * size + s->slack;
  double turning = ct_turning_speed(mesh, at, direction, mesh->arm) +
                   ct_turning_speed(other, there, direction, other->arm);
  p->speed = turning - ct_dot(direction, velocity) + d.speed_error;
  p->acceleration = d.acceleration_error - ct_dot(direction, acceleration);
}

static mesh_bound mesh_bound_of(const ct_toi_pair *pair, const ct_toi_sample *s, bool first,
                                double all) {
  const ct_frame *frame = first ? &s->a.shape : &s->b.shape;
  mesh_bound p = {.view = ct_mesh_get((first ? &pair->a : &pair->b)->shape->mesh), .all = all};
  set_mesh_direction(&p.directions[0], pair, s, first,
                     first ? s->result.normal : ct_neg(s->result.normal));
  for (int k = 0; k < 3; k++) {
    ct_vec3 axis = ct_mat_mul(frame->rotation,
                              ct_vec(k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0));
    set_mesh_direction(&p.directions[1 + 2 * k], pair, s, first, axis);
    set_mesh_direction(&p.directions[2 + 2 * k], pair, s, first, ct_neg(axis));
  }
  return p;
}

static double box_reach(const ct_aabb *box, ct_vec3 d) {
  return ct_dot(d,
                ct_vec(d.x >= 0.0 ? box->max.x : box->min.x, d.y >= 0.0 ? box->max.y : box->min.y,
                       d.z >= 0.0 ? box->max.z : box->min.z));
}

static double time_of_direction(const mesh_direction *d, double reach) {
  return ct_gap_closing_time(d->low - reach, d->speed, d->acceleration);
}

static double node_time(const mesh_bound *p, const ct_mesh_node *node) {
  double best = p->all;
  for (int i = 0; i < DIRECTIONS; i++)
    best = ct_max2(
        best, time_of_direction(&p->directions[i], box_reach(&node->box, p->directions[i].local)));
  return best;
}

static double triangle_time(const mesh_bound *p, const uint32_t corners[3]) {
  double best = p->all;
  for (int i = 0; i < DIRECTIONS; i++) {
    ct_vec3 d = p->directions[i].local;
    const ct_vec3 *v = p->view->vertices;
    double reach = ct_max2(ct_max2(ct_dot(d, v[corners[0]]), ct_dot(d, v[corners[1]])),
                           ct_dot(d, v[corners[2]]));
    best = ct_max2(best, time_of_direction(&p->directions[i], reach));
  }
  return best;
}

/* Returns the minimum over all triangles of the time for which a triangle certainly stays apart;
 * p->all if the node limit is reached or the minimum is not longer. */
static double shortest_triangle_time(const mesh_bound *p) {
  uint32_t stack[STACK_SIZE], depth = 0, nodes = 0;
  double least = INFINITY;
  stack[depth++] = 0;
  while (depth > 0) {
    const ct_mesh_node *node = &p->view->nodes[stack[--depth]];
    if (++nodes > NODES_MAX || least <= p->all) return p->all;
    if (node_time(p, node) >= least) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      least = ct_min2(least, triangle_time(p, p->view->corners[i]));
    if (node->count > 0) continue;
    /* Visit the child with the earlier time first. */
    bool swap =
        node_time(p, &p->view->nodes[node->first]) > node_time(p, &p->view->nodes[node->first + 1]);
    assert(depth + 2 <= STACK_SIZE);
    stack[depth++] = node->first + (swap ? 0 : 1);
    stack[depth++] = node->first + (swap ? 1 : 0);
  }
  return least;
}

static double triangles_time(const ct_toi_pair *pair, const ct_toi_sample *s, double all) {
  double best = all;
  for (int k = 0; k < 2; k++) {
    const ct_toi_side *side = k == 0 ? &pair->a : &pair->b, *other = k == 0 ? &pair->b : &pair->a;
    if (!ct_kind_is_mesh(side->shape->kind) || other->reach == INFINITY) continue;
    mesh_bound p = mesh_bound_of(pair, s, k == 0, all);
    best = ct_max2(best, shortest_triangle_time(&p));
  }
  return best;
}

/* ---- all pairs ------------------------------------------------------------------------------- */

/* Upper bound of the round-off of the gap between balls, relative to their extent. */
#define BALL_SLACK (64.0 * CT_UNIT_ROUNDOFF)
/* Upper bound of the round-off of the gap between a ball and a half-space, its pose included: twice
 * the bound of toi_sample.c. */
#define PLANE_SLACK (256.0 * CT_UNIT_ROUNDOFF)
/* Two balls are near if their gap is below this fraction of their radii. */
#define BALLS_NEAR 0.5
/* A unit axis that differs from a half-space's normal by no more than this is parallel to it within
 * round-off. */
#define AXIS_SLACK (8.0 * CT_UNIT_ROUNDOFF)
/* Largest number of horizons tried for a half-space that rotates. */
#define HORIZONS 8

static double time_along_direction(const ct_relative_motion *d, ct_vec3 n, double gap,
                                   double turning) {
  double speed = turning - ct_dot(n, d->velocity) + d->speed_error;
  return ct_gap_closing_time(gap, speed, d->acceleration_error - ct_dot(n, d->acceleration));
}

/* Returns how long the pair stays apart along its fixed normal: the longest of four bounds, with or
 * without the growth of each side's support. Precondition: neither side is a half-space that
 * rotates. */
static double time_along_normal(const ct_toi_pair *pair, const ct_toi_sample *s,
                                const ct_relative_motion *d) {
  ct_vec3 n = s->result.normal;
  double turning_a =
      pair->a.reach < INFINITY ? ct_turning_speed(&pair->a, &s->a, n, pair->a.arm) : 0.0;
  double turning_b =
      pair->b.reach < INFINITY ? ct_turning_speed(&pair->b, &s->b, n, pair->b.arm) : 0.0;
  double best = time_along_direction(d, n, s->along, turning_a + turning_b);
  if (s->growth_a < s->along)
    best = ct_max2(best, time_along_direction(d, n, s->along - s->growth_a, turning_b));
  if (s->growth_b < s->along)
    best = ct_max2(best, time_along_direction(d, n, s->along - s->growth_b, turning_a));
  double both = s->growth_a + s->growth_b;
  if (both < s->along) best = ct_max2(best, time_along_direction(d, n, s->along - both, 0.0));
  return best;
}

/* Returns an upper bound of the displacement of the pivots relative to each other within a time,
 * m. */
static double bound_pivot_drift(const ct_relative_motion *d, double time) {
  return (ct_norm(d->velocity) + 0.5 * time * ct_norm(d->acceleration)) * time;
}

/* Returns the arm of a side, m; for a half-space that rotates, the largest distance from its pivot
 * at which the other side can be within the horizon. */
static double arm_within(const ct_toi_side *side, const ct_toi_side *other, const ct_toi_sample *s,
                         const ct_relative_motion *d, double horizon) {
  if (side->arm < INFINITY || side->spin == 0.0) return side->spin == 0.0 ? 0.0 : side->arm;
  double offset = ct_norm(ct_sub(s->b.pivot, s->a.pivot));
  return offset + bound_pivot_drift(d, horizon) +
         (other->reach < INFINITY ? other->reach : INFINITY);
}

/* Returns how long the pair stays apart by a bound for all directions: no point approaches any
 * point of the other side faster than `speed`. */
static double time_all_directions(const ct_toi_pair *pair, const ct_toi_sample *s,
                                  const ct_relative_motion *d, double gap, double horizon) {
  double arm_a = arm_within(&pair->a, &pair->b, s, d, horizon),
         arm_b = arm_within(&pair->b, &pair->a, s, d, horizon);
  double turning_a = pair->a.spin == 0.0 ? 0.0 : pair->a.spin * arm_a,
         turning_b = pair->b.spin == 0.0 ? 0.0 : pair->b.spin * arm_b;
  double speed = ct_norm(d->velocity) + (turning_a + turning_b) + d->speed_error;
  double acceleration = ct_norm(d->acceleration) + d->acceleration_error;
  return ct_gap_closing_time(gap, speed * (1.0 + SPEED_SLACK), acceleration * (1.0 + SPEED_SLACK));
}

static bool has_turning_plane(const ct_toi_pair *pair) {
  return (pair->a.reach == INFINITY && pair->a.spin > 0.0) ||
         (pair->b.reach == INFINITY && pair->b.spin > 0.0);
}

/* Returns the bound for all directions. The arm of a half-space that rotates depends on the
 * horizon, so several horizons are tried and the longest time is used. */
static double time_within_horizons(const ct_toi_pair *pair, const ct_toi_sample *s,
                                   const ct_relative_motion *d, double gap, double horizon) {
  double best = 0.0;
  for (int i = 0; i < HORIZONS; i++) {
    double time = time_all_directions(pair, s, d, gap, horizon);
    if (!has_turning_plane(pair) || (i == 0 && time >= horizon)) return time;
    best = ct_max2(best, ct_min2(time, horizon));
    if (time >= horizon) break;
    horizon = ct_max2(2.0 * time, 0.125 * horizon);
  }
  return best;
}

/* True if the rotation within a time leaves the half-space's normal unchanged up to round-off. */
static bool turns_about_normal(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 n,
                               double time) {
  if (side->spin * time <= CT_UNIT_ROUNDOFF) return true;
  return side->steady && ct_norm(ct_cross(at->velocity.angular, n)) <= AXIS_SLACK * side->spin;
}

/* Returns how long two half-spaces that are apart stay so: only while their normals are
 * opposite. */
static double half_spaces_time(const ct_toi_pair *pair, const ct_toi_sample *s,
                               const ct_relative_motion *d, double horizon) {
  ct_vec3 n = s->result.normal, w_a = s->a.velocity.angular, w_b = s->b.velocity.angular;
  if (turns_about_normal(&pair->a, &s->a, n, horizon) &&
      turns_about_normal(&pair->b, &s->b, n, horizon))
    return time_along_direction(d, n, s->lower, 0.0);
  if (!pair->a.steady || !pair->b.steady || w_a.x != w_b.x || w_a.y != w_b.y || w_a.z != w_b.z)
    return 0.0;
  /* Both rotate together: the gap changes only by the offset of the pivots along the rotating
   * normal. */
  double far = ct_norm(ct_sub(s->b.pivot, s->a.pivot)) + bound_pivot_drift(d, horizon);
  double speed = ct_norm(d->velocity) + pair->a.spin * far + d->speed_error;
  return ct_gap_closing_time(s->lower, speed * (1.0 + SPEED_SLACK),
                             ct_norm(d->acceleration) + d->acceleration_error);
}

bool ct_toi_are_planes(const ct_toi_pair *pair) {
  return pair->a.reach == INFINITY && pair->b.reach == INFINITY;
}

double ct_toi_separated_time(const ct_toi_pair *pair, const ct_toi_sample *s, double horizon) {
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  if (ct_toi_are_planes(pair)) return half_spaces_time(pair, s, &d, horizon);
  bool direct = s->has_plane_gap && !has_turning_plane(pair),
       mesh = ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind);
  double time = direct ? time_along_normal(pair, s, &d) : 0.0;
  /* The convex hulls of meshes may be much nearer to each other than the meshes are. */
  if (!direct || mesh) time = ct_max2(time, time_within_horizons(pair, s, &d, s->lower, horizon));
  if (time >= horizon) return time;
  return s->has_plane_gap ? ct_max2(time, second_order_time(pair, s, time, horizon))
                          : triangles_time(pair, s, time);
}

double ct_toi_gap_time(const ct_toi_pair *pair, const ct_toi_sample *s, double gap,
                       double horizon) {
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  return time_within_horizons(pair, s, &d, gap, horizon);
}

static bool is_half_space_side(const ct_toi_side *side) {
  return side->shape && side->shape->kind == CT_KIND_PLANE;
}

/* Returns a lower bound of the gap between a bounding ball and a half-space that does not rotate,
 * m. *normal: the half-space's. */
static double gap_above_plane(const ct_toi_side *plane, const ct_toi_side_pose *at,
                              const ct_toi_side *other, const ct_toi_side_pose *there, double slack,
                              ct_vec3 *normal) {
  ct_frame frame = ct_body_shape_frame(plane->body, plane->index, &at->body);
  ct_vec3 to = ct_sub(ct_to_parent(there->body, other->ball), frame.position);
  *normal = ct_vec(frame.rotation.rx.z, frame.rotation.ry.z, frame.rotation.rz.z);
  /* The pose round-off of the half-space is bounded for points within the other side's reach. */
  double size = ct_norm(to) + other->radius + (ct_norm(at->pivot) + ct_norm(frame.position)) +
                ct_norm(there->pivot);
  return ct_dot(*normal, to) - other->radius - PLANE_SLACK * (size + other->reach) -
         CT_TOI_GROUP_SLACK * slack;
}

double ct_toi_ball_gap(const ct_toi_pair *pair, const ct_toi_sample *s, ct_vec3 *direction) {
  *direction = ct_vec(1.0, 0.0, 0.0);
  double radii = pair->a.radius + pair->b.radius;
  if (radii < INFINITY) {
    ct_vec3 offset =
        ct_sub(ct_to_parent(s->b.body, pair->b.ball), ct_to_parent(s->a.body, pair->a.ball));
    double far = ct_norm(offset);
    *direction = ct_unit_or(offset, *direction);
    return far - radii - BALL_SLACK * (far + radii) - s->slack;
  }
  if (is_half_space_side(&pair->a) && pair->a.spin == 0.0 && pair->b.radius < INFINITY)
    return gap_above_plane(&pair->a, &s->a, &pair->b, &s->b, s->slack, direction);
  if (!is_half_space_side(&pair->b) || pair->b.spin != 0.0 || !(pair->a.radius < INFINITY))
    return -INFINITY;
  double gap = gap_above_plane(&pair->b, &s->b, &pair->a, &s->a, s->slack, direction);
  *direction = ct_neg(*direction);
  return gap;
}

double ct_toi_ball_time(const ct_toi_pair *pair, const ct_toi_sample *s, double horizon,
                        bool *near) {
  ct_vec3 n;
  double gap = ct_toi_ball_gap(pair, s, &n), radius = ct_min2(pair->a.radius, pair->b.radius);
  double radii = pair->a.radius + pair->b.radius;
  *near = true;
  if (!(gap > 0.0)) return 0.0;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  double turning = ct_turning_speed(&pair->a, &s->a, n, pair->a.ball_arm) +
                   ct_turning_speed(&pair->b, &s->b, n, pair->b.ball_arm);
  double time = time_along_direction(&d, n, gap, turning);
  *near = gap < BALLS_NEAR * (radii < INFINITY ? radii : radius) && time < horizon;
  return time;
}

double ct_toi_later(double time, double step) {
  assert(!(step < 0.0));
  double later = time + step;
  if (later - time > step) later = nextafter(later, time);
  return later;
}
