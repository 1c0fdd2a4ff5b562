/* How long a pair certainly stays apart, or in contact: the bounds of conservative advancement.
 *
 * Along a direction that stays, points move apart by the exact motion of the pivots, and turning
 * takes at most the speed of the farthest point, and at most what is left of its reach. Each choice
 * of the two for each side is a bound: the longest counts.
 */
#include "toi/toi_relative_motion.h"

/* Rounding of the gap between balls, relative to how far they reach. */
#define BALL_SLACK (64.0 * CT_UNIT_ROUNDOFF)
/* And of that above a half-space, with what places it; twice what toi_sample.c has for one. */
#define PLANE_SLACK (256.0 * CT_UNIT_ROUNDOFF)
/* Balls are near when their gap is below this part of their radii. */
#define BALLS_NEAR 0.5
/* A unit axis that is this near to a half-space's normal is that, but for rounding of the two. */
#define AXIS_SLACK (8.0 * CT_UNIT_ROUNDOFF)
/* Tries for how far a half-space that turns can be followed at once. */
#define HORIZONS 8

static double along_direction(const ct_relative_motion *d, ct_vec3 n, double gap, double turning) {
  double speed = turning - ct_dot(n, d->velocity) + d->speed_error;
  return ct_gap_closing_time(gap, speed, d->acceleration_error - ct_dot(n, d->acceleration));
}

/* Neither side is a half-space that turns. */
static double along_normal(const ct_toi_pair *pair, const ct_toi_sample *s,
                           const ct_relative_motion *d) {
  ct_vec3 n = s->result.normal;
  double turning_a =
      pair->a.reach < INFINITY ? ct_turning_speed(&pair->a, &s->a, n, pair->a.arm) : 0.0;
  double turning_b =
      pair->b.reach < INFINITY ? ct_turning_speed(&pair->b, &s->b, n, pair->b.arm) : 0.0;
  double best = along_direction(d, n, s->along, turning_a + turning_b);
  if (s->room_a < s->along)
    best = ct_max2(best, along_direction(d, n, s->along - s->room_a, turning_b));
  if (s->room_b < s->along)
    best = ct_max2(best, along_direction(d, n, s->along - s->room_b, turning_a));
  double both = s->room_a + s->room_b;
  if (both < s->along) best = ct_max2(best, along_direction(d, n, s->along - both, 0.0));
  return best;
}

/* How far the pivots come from each other at most, over and above now, within a time. */
static double drifted(const ct_relative_motion *d, double time) {
  return (ct_norm(d->velocity) + 0.5 * time * ct_norm(d->acceleration)) * time;
}

/* Points of a half-space that matter, where it turns: as far from its pivot as the other side can
 * be within the horizon. */
static double arm_within(const ct_toi_side *side, const ct_toi_side *other, const ct_toi_sample *s,
                         const ct_relative_motion *d, double horizon) {
  if (side->arm < INFINITY || side->spin == 0.0) return side->spin == 0.0 ? 0.0 : side->arm;
  double offset = ct_norm(ct_sub(s->b.pivot, s->a.pivot));
  return offset + drifted(d, horizon) + (other->reach < INFINITY ? other->reach : INFINITY);
}

/* Whatever the directions: no point comes nearer to any other faster than this. */
static double all_directions(const ct_toi_pair *pair, const ct_toi_sample *s,
                             const ct_relative_motion *d, double gap, double horizon) {
  double arm_a = arm_within(&pair->a, &pair->b, s, d, horizon),
         arm_b = arm_within(&pair->b, &pair->a, s, d, horizon);
  double turning_a = pair->a.spin == 0.0 ? 0.0 : pair->a.spin * arm_a,
         turning_b = pair->b.spin == 0.0 ? 0.0 : pair->b.spin * arm_b;
  double speed = ct_norm(d->velocity) + (turning_a + turning_b) + d->speed_error;
  double acceleration = ct_norm(d->acceleration) + d->acceleration_error;
  return ct_gap_closing_time(gap, speed * (1.0 + SPEED_SLACK), acceleration * (1.0 + SPEED_SLACK));
}

static bool turning_plane(const ct_toi_pair *pair) {
  return (pair->a.reach == INFINITY && pair->a.spin > 0.0) ||
         (pair->b.reach == INFINITY && pair->b.spin > 0.0);
}

/* The same where an arm grows with the horizon: the longest of some. */
static double in_horizons(const ct_toi_pair *pair, const ct_toi_sample *s,
                          const ct_relative_motion *d, double gap, double horizon) {
  double best = 0.0;
  for (int i = 0; i < HORIZONS; i++) {
    double time = all_directions(pair, s, d, gap, horizon);
    if (!turning_plane(pair) || (i == 0 && time >= horizon)) return time;
    best = ct_max2(best, ct_min2(time, horizon));
    if (time >= horizon) break;
    horizon = ct_max2(2.0 * time, 0.125 * horizon);
  }
  return best;
}

/* Does turning leave the half-space as it is, as far as its normal can be reported, within a time?
 */
static bool turns_in_itself(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 n,
                            double time) {
  if (side->spin * time <= CT_UNIT_ROUNDOFF) return true;
  return side->steady && ct_norm(ct_cross(at->velocity.angular, n)) <= AXIS_SLACK * side->spin;
}

/* Two half-spaces, apart: their normals are opposite, and they stay apart only as long as these
 * are. */
static double planes_time(const ct_toi_pair *pair, const ct_toi_sample *s,
                          const ct_relative_motion *d, double horizon) {
  ct_vec3 n = s->result.normal, w_a = s->a.velocity.angular, w_b = s->b.velocity.angular;
  if (turns_in_itself(&pair->a, &s->a, n, horizon) && turns_in_itself(&pair->b, &s->b, n, horizon))
    return along_direction(d, n, s->lower, 0.0);
  if (!pair->a.steady || !pair->b.steady || w_a.x != w_b.x || w_a.y != w_b.y || w_a.z != w_b.z)
    return 0.0;
  /* As they turn together, only what the pivots do matters: the offset's part along the normal that
   * turns. */
  double far = ct_norm(ct_sub(s->b.pivot, s->a.pivot)) + drifted(d, horizon);
  double speed = ct_norm(d->velocity) + pair->a.spin * far + d->speed_error;
  return ct_gap_closing_time(s->lower, speed * (1.0 + SPEED_SLACK),
                             ct_norm(d->acceleration) + d->acceleration_error);
}

bool ct_toi_are_planes(const ct_toi_pair *pair) {
  return pair->a.reach == INFINITY && pair->b.reach == INFINITY;
}

double ct_toi_separated_time(const ct_toi_pair *pair, const ct_toi_sample *s, double horizon) {
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  if (ct_toi_are_planes(pair)) return planes_time(pair, s, &d, horizon);
  bool direct = s->fixed && !turning_plane(pair),
       mesh = ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind);
  double time = direct ? along_normal(pair, s, &d) : 0.0;
  /* The hulls of meshes are nearer than the meshes. */
  if (!direct || mesh) time = ct_max2(time, in_horizons(pair, s, &d, s->lower, horizon));
  if (time >= horizon) return time;
  return s->fixed ? ct_max2(time, ct_toi_tilted_time(pair, s, time, horizon))
                  : ct_toi_parts_time(pair, s, time);
}

double ct_toi_gap_time(const ct_toi_pair *pair, const ct_toi_sample *s, double gap,
                       double horizon) {
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  return in_horizons(pair, s, &d, gap, horizon);
}

static bool is_plane(const ct_toi_side *side) {
  return side->shape && side->shape->kind == CT_KIND_PLANE;
}

/* Of the ball above a half-space that does not turn; *normal: the half-space's. */
static double above_plane(const ct_toi_side *plane, const ct_toi_side_pose *at,
                          const ct_toi_side *other, const ct_toi_side_pose *there, double slack,
                          ct_vec3 *normal) {
  ct_frame frame = ct_body_shape_frame(plane->body, plane->index, &at->body);
  ct_vec3 to = ct_sub(ct_to_parent(there->body, other->ball), frame.position);
  *normal = ct_vec(frame.rotation.rx.z, frame.rotation.ry.z, frame.rotation.rz.z);
  /* How far the half-space can be from where its path has it there: both reaches are the other
   * side's. */
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
  if (is_plane(&pair->a) && pair->a.spin == 0.0 && pair->b.radius < INFINITY)
    return above_plane(&pair->a, &s->a, &pair->b, &s->b, s->slack, direction);
  if (!is_plane(&pair->b) || pair->b.spin != 0.0 || !(pair->a.radius < INFINITY)) return -INFINITY;
  double gap = above_plane(&pair->b, &s->b, &pair->a, &s->a, s->slack, direction);
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
  double time = along_direction(&d, n, gap, turning);
  *near = gap < BALLS_NEAR * (radii < INFINITY ? radii : radius) && time < horizon;
  return time;
}

double ct_toi_later(double time, double step) {
  double later = time + step;
  if (later - time > step) later = nextafter(later, time);
  return later;
}
