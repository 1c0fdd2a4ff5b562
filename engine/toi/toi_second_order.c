/* How long a convex pair that turns stays apart, to second order in the time.
 *
 * Let m turn with the constant angular velocity o, from the pair's normal n. Of a side that turns
 * with w about its pivot the point r is at m.r along it, which changes at m.(u x r), u = w - o: at
 * n.(u x r) = (n x u).r at first, and that by at most |u| (|o| |r|
 * + |w| arm) per second (and |w'| |r| where w changes). So what the side reaches along m after t is
 * at most what it reaches now along the tilted direction n + t (n x u), and half of that times t^2:
 * a convex function of t. The gap between the planes across m is then at least a concave function
 * of t; where it is positive now and at a time, it is positive between. Any o is a proof. At rest,
 * with either side, or as the normal was seen to turn, one of them keeps the face, edge or point of
 * each side that is nearest now nearest for a while: all but the square of the time to a contact is
 * then reported.
 */
#include "shape/shape_compare.h"
#include "toi/toi_relative_motion.h"

/* Angle up to which tilting is of use, rad. */
#define ANGLE_MAX 1.0
/* Times that are tried: the gap is above its chord from now, and each is shorter than the one
 * before by no more than the factor; looks between the last two. */
#define TRIES_MAX 12
#define TRY_FACTOR 0.4
#define REFINEMENTS 3
/* |w'| / |w|^2 without torque, at most: of moments none of which is above the sum of the others 1 /
 * sqrt 3. */
#define CHANGE_OF_SPIN 0.578

typedef struct tilt_side {
  const ct_toi_side *side;
  const ct_toi_side_pose *at;
  bool is_plane, is_ball;
  ct_vec3 center;  /* of a ball, from the pivot, world */
  double far, arm; /* of what is tilted: the shape's points, of a ball its centre; from the pivot,
                      from the axis */
  ct_vec3 outward; /* the direction that is looked along: n of a, -n of b */
  double now;      /* what the side reaches along it */
  /* For one choice of o. */
  ct_vec3 tilt; /* of the direction, per s */
  double bend;  /* m/s^2 */
} tilt_side;

static tilt_side side_of(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 outward) {
  tilt_side t = {.side = side, .at = at, .is_plane = side->reach == INFINITY, .outward = outward};
  if (t.is_plane) return t;
  t.is_ball = ct_shape_content_kind(side->shape) == CT_KIND_SPHERE;
  t.center = ct_sub(ct_to_parent(at->body, side->ball), at->pivot);
  t.far = t.is_ball ? ct_norm(ct_sub(side->ball, side->pivot)) : side->reach;
  t.arm = side->arm;
  if (!t.is_ball) t.now = ct_toi_support(side, at, outward);
  return t;
}

static void turn_with(tilt_side *t, ct_vec3 o) {
  t->tilt = ct_vec(0.0, 0.0, 0.0);
  t->bend = 0.0;
  if (t->is_plane || t->far == 0.0) return;
  ct_vec3 u = ct_sub(t->at->velocity.angular, o);
  double spin = t->side->spin, most = t->side->steady ? ct_norm(u) : spin + ct_norm(o);
  t->tilt = ct_cross(t->outward, u);
  t->bend = most * (ct_norm(o) * t->far + spin * t->arm) +
            (t->side->steady ? 0.0 : CHANGE_OF_SPIN * spin * spin * t->far);
  /* Rounding of u matters where it cancels. */
  t->bend *= 1.0 + SPEED_SLACK;
}

/* How much farther than now the side reaches along the direction after the time, but for what
 * bending adds. */
static double grown(const tilt_side *t, double time, double spins) {
  if (t->is_plane || t->far == 0.0) return 0.0;
  double slack = ALONG_SLACK * CT_UNIT_ROUNDOFF * t->side->reach * (1.0 + time * spins);
  if (t->is_ball) return time * ct_dot(t->tilt, t->center) + slack;
  return ct_toi_support(t->side, t->at, ct_add_scaled(t->outward, t->tilt, time)) - t->now + slack;
}

/* A gap that shrinks. */
typedef struct tilted_gap {
  tilt_side a, b;
  double gap, speed, bend;
  double spins; /* of both sides and the normal */
} tilted_gap;

static double left_after(const tilted_gap *g, double time) {
  double shrunk = (g->speed + 0.5 * g->bend * time) * time,
         rounding = TIME_SLACK * (g->gap + fabs(shrunk));
  return g->gap - shrunk - (grown(&g->a, time, g->spins) + grown(&g->b, time, g->spins)) - rounding;
}

/* The planes turn with o, for at most the horizon. */
static void set_motion(tilted_gap *g, const ct_toi_sample *s, const ct_relative_motion *d,
                       ct_vec3 o, double horizon) {
  ct_vec3 n = s->result.normal, offset = ct_sub(s->b.pivot, s->a.pivot), change = ct_cross(o, n);
  double turn = ct_norm(change), velocity = ct_norm(d->velocity),
         acceleration = ct_norm(d->acceleration);
  turn_with(&g->a, o);
  turn_with(&g->b, o);
  double error = d->speed_error + SPEED_SLACK * ct_norm(o) * (ct_norm(offset) + velocity);
  g->speed = error - (ct_dot(n, d->velocity) + ct_dot(change, offset));
  double far = ct_norm(offset) + (velocity + 0.5 * acceleration * horizon) * horizon;
  double turning = turn * (ct_norm(o) * far + 2.0 * velocity + 3.0 * acceleration * horizon) *
                   (1.0 + SPEED_SLACK);
  g->bend = ct_max2(0.0, d->acceleration_error - ct_dot(n, d->acceleration) + turning +
                             (g->a.bend + g->b.bend));
}

/* The longest time of some for which a gap is left; 0: none above `least`. */
static double longest(const tilted_gap *g, double first, double least) {
  double time = first, beyond = 0.0, lacking = 0.0, left = -1.0, now = left_after(g, 0.0);
  for (int i = 0; i < TRIES_MAX && time > least && !(left > 0.0); i++) {
    if (i > 0) time = ct_max2(TRY_FACTOR * time, time * (now / (now - left)));
    left = left_after(g, time);
    if (left > 0.0) break;
    beyond = time;
    lacking = left;
  }
  if (!(left > 0.0)) return 0.0;
  for (int i = 0; i < REFINEMENTS && beyond > 0.0; i++) {
    double next = time + (beyond - time) * (left / (left - lacking));
    if (!(next > time && next < beyond)) break;
    double there = left_after(g, next);
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

double ct_toi_tilted_time(const ct_toi_pair *pair, const ct_toi_sample *s, double least,
                          double horizon) {
  ct_vec3 n = s->result.normal, still = {0.0, 0.0, 0.0};
  bool turns = pair->a.spin > 0.0 || pair->b.spin > 0.0,
       planes = pair->a.reach == INFINITY && pair->b.reach == INFINITY;
  if (!turns || planes) return 0.0;
  tilted_gap g = {
      .a = side_of(&pair->a, &s->a, n), .b = side_of(&pair->b, &s->b, ct_neg(n)), .gap = s->along};
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  const ct_vec3 ways[] = {s->a.velocity.angular, s->b.velocity.angular, still, s->turn};
  double best = 0.0;
  for (int i = 0; i < 4; i++) {
    /* A half-space's planes turn with it. */
    if (g.a.is_plane ? i != 0 : g.b.is_plane ? i != 1 : i == 3 && ct_norm2(s->turn) == 0.0)
      continue;
    g.spins = (pair->a.spin + pair->b.spin) + ct_norm(ways[i]);
    double most = ct_min2(horizon, ANGLE_MAX / g.spins);
    set_motion(&g, s, &d, ways[i], most);
    if (!(left_after(&g, 0.0) > 0.0)) continue;
    /* Where the two nearest points alone come to. */
    double first = ct_min2(ct_gap_closing_time(s->along, -s->rate, g.bend), most);
    best = ct_max2(best, longest(&g, first, least));
  }
  return best * (1.0 - TIME_SLACK);
}
