/* How long a contact of convex shapes certainly lasts, by one point of each in the other.
 *
 * In the frame of the one shape the other's deepest point goes along a path that is within K t^2 / 8 of its chord, K the most that
 * it accelerates there. Where it is that deep inside at both ends of a time, it is inside all the while: depth in a convex shape is
 * concave along the chord. A depth that hardly grows while the shapes slide past each other is followed far.
 */
#include "motion/impact_drift.h"

/* Times that are tried, each shorter than the one before by the factor. */
#define TRIES_MAX 6
#define TRY_FACTOR 0.25
/* Angle of both sides up to which the chord is of use, rad. */
#define ANGLE_MAX 1.0
/* |w'| / |w|^2 without torque, as in impact_tilt.c; and with what a steady turn adds. */
#define TURNING 1.578

/* A point of one side that is in the other. */
typedef struct held_point {
  const ct_impact_side *side, *other;
  ct_vec3 local; /* in the shape's frame */
} held_point;

/* How deep the point certainly is in the other shape; below 0 outside. */
static double depth_of(const held_point *p, const ct_impact_place *at, const ct_impact_place *other, double slack,
                       ct_workspace *workspace) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {CT_SIZE_MIN}};
  ct_frame frame = {at->shape.rotation, ct_to_parent(at->shape, p->local)};
  const ct_pair_options options = {0.0, INFINITY};
  ct_pair_result result;
  ct_pair_distance((ct_placed){&ball, &frame}, (ct_placed){p->other->shape, &other->shape}, &options, workspace, &result);
  return -result.upper_bound - CT_SIZE_MIN - slack;
}

/* Bound on the acceleration of a point of the side, seen from the other one's frame, within a time. */
static double acceleration_of(const held_point *p, const ct_impact_sample *s, const ct_drift *d, double time) {
  double spin = p->side->spin, turn = p->other->spin, acceleration = ct_norm(d->acceleration);
  double velocity = ct_norm(d->velocity) + acceleration * time;
  double far = ct_norm(ct_sub(s->b.pivot, s->a.pivot)) + velocity * time + p->side->reach;
  double sum = acceleration + TURNING * spin * spin * p->side->reach +
               2.0 * turn * (velocity + spin * p->side->reach + turn * far) + TURNING * turn * turn * far;
  return sum * (1.0 + SPEED_SLACK) + d->acceleration_error;
}

static double held_by(const held_point *p, const ct_impact_pair *pair, const ct_impact_sample *s, double horizon,
                      ct_workspace *workspace) {
  bool first = p->side == &pair->a;
  double deep = depth_of(p, first ? &s->a : &s->b, first ? &s->b : &s->a, s->slack, workspace);
  if (!(deep > 0.0)) return 0.0;
  ct_drift d = ct_drift_of(pair, s);
  double spins = pair->a.spin + pair->b.spin, time = spins * horizon > ANGLE_MAX ? ANGLE_MAX / spins : horizon;
  for (int i = 0; i < TRIES_MAX; i++, time *= TRY_FACTOR) {
    double bend = acceleration_of(p, s, &d, time);
    /* No longer than the depth of now allows. */
    if (bend * time * time > 8.0 * deep) time = sqrt(8.0 * deep / bend);
    double later = ct_impact_later(s->time, time * (1.0 - TIME_SLACK));
    if (!(later > s->time)) return 0.0;
    ct_impact_sample there;
    ct_impact_place_pair(pair, later, &there);
    double then = depth_of(p, first ? &there.a : &there.b, first ? &there.b : &there.a, there.slack, workspace);
    if (then > 0.125 * bend * time * time) return later - s->time;
  }
  return 0.0;
}

double ct_impact_held_by_points(const ct_impact_pair *pair, const ct_impact_sample *s, double horizon, ct_workspace *workspace) {
  bool plane = pair->a.reach == INFINITY || pair->b.reach == INFINITY;
  bool mesh = ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind);
  if (plane || mesh || !ct_sample_meets(s)) return 0.0;
  const held_point a = {&pair->a, &pair->b, ct_to_local(s->a.shape, s->result.point_a)};
  const held_point b = {&pair->b, &pair->a, ct_to_local(s->b.shape, s->result.point_b)};
  return ct_max2(held_by(&a, pair, s, horizon, workspace), held_by(&b, pair, s, horizon, workspace));
}
