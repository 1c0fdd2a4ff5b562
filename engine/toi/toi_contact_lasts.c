/* How long a contact certainly lasts: by how deep it is, by what is below a plane, and by one point
 * of a shape in the other.
 *
 * In the frame of a convex shape a point of the other goes along a path that is within K t^2 / 8 of
 * its chord, K the most that it accelerates there. Where it is that deep inside at both ends of a
 * time, it is inside all the while: depth in a convex shape is concave along the chord. A depth
 * that hardly grows while the shapes slide past each other is followed far. The same says, with
 * less depth, that the two come no farther apart than is allowed.
 */
#include "toi/toi_relative_motion.h"

/* Times that are tried, each shorter than the one before by the factor, or where the depth is gone
 * at its present rate. */
#define TRIES_MAX 6
#define TRY_FACTOR 0.25
/* Angle of both sides up to which the chord is of use, rad. */
#define ANGLE_MAX 1.0
/* |w'| / |w|^2 without torque, as in toi_second_order.c; and with what a steady turn adds. */
#define TURNING 1.578
/* Looks for a deeper point of a mesh: the way to each is shorter where the last was no deeper. */
#define DEEPER_LOOKS 24
#define DEEPER_FACTOR 0.5

/* A point of one side, and what it is in. */
typedef struct held_point {
  const ct_toi_side *side, *other;
  ct_vec3 local; /* in the shape's frame */
} held_point;

typedef struct held_depth {
  double deep;    /* how deep the point certainly is; below 0 outside */
  ct_vec3 inward; /* the way deeper */
} held_depth;

static held_depth depth_of(ct_vec3 point, const ct_toi_side *other, const ct_toi_side_pose *there,
                           double slack, ct_workspace *workspace) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {CT_SIZE_MIN}};
  ct_frame frame = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, point};
  const ct_pair_options options = {0.0, INFINITY};
  ct_pair_result result;
  ct_pair_distance((ct_placed){&ball, &frame}, (ct_placed){other->shape, &there->shape}, &options,
                   workspace, &result);
  return (held_depth){-result.upper_bound - CT_SIZE_MIN - slack, result.normal};
}

/* Bound on the acceleration of a point of the side, seen from the other one's frame, within a time.
 */
static double acceleration_of(const held_point *p, const ct_toi_sample *s,
                              const ct_relative_motion *d, double time) {
  double spin = p->side->spin, turn = p->other->spin, acceleration = ct_norm(d->acceleration);
  double velocity = ct_norm(d->velocity) + acceleration * time;
  double far = ct_norm(ct_sub(s->b.pivot, s->a.pivot)) + velocity * time + p->side->reach;
  double own = (p->side->steady ? p->side->arm : TURNING * p->side->reach) * spin * spin;
  /* A ball's arm is that of its centre; the point is on its surface. */
  if (p->side->steady)
    own += spin * spin * ct_max2(0.0, ct_min2(p->side->reach - p->side->arm, p->side->radius));
  double sum = acceleration + own + 2.0 * turn * (velocity + spin * p->side->reach + turn * far) +
               (p->other->steady ? 1.0 : TURNING) * turn * turn * far;
  return sum * (1.0 + SPEED_SLACK) + d->acceleration_error;
}

static double held_by(const held_point *p, const ct_toi_pair *pair, const ct_toi_sample *s,
                      double allowed, double horizon, ct_workspace *workspace) {
  bool first = p->side == &pair->a;
  const ct_toi_side_pose *at = first ? &s->a : &s->b, *there = first ? &s->b : &s->a;
  ct_vec3 point = ct_to_parent(at->shape, p->local),
          away = ct_toi_relative_velocity(s, point, point);
  held_depth now = depth_of(point, p->other, there, s->slack, workspace);
  double deep = now.deep + allowed,
         rate = first ? ct_dot(now.inward, away) : -ct_dot(now.inward, away);
  if (!(deep > 0.0)) return 0.0;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  double spins = pair->a.spin + pair->b.spin,
         time = spins * horizon > ANGLE_MAX ? ANGLE_MAX / spins : horizon;
  for (int i = 0; i < TRIES_MAX; i++) {
    double bend = acceleration_of(p, s, &d, time);
    /* No longer than the depth of now allows. */
    if (bend * time * time > 8.0 * deep) time = sqrt(8.0 * deep / bend);
    double later = ct_toi_later(s->time, time * (1.0 - TIME_SLACK));
    if (!(later > s->time)) return 0.0;
    ct_toi_sample moved;
    ct_toi_place_pair(pair, later, &moved);
    const ct_toi_side_pose *at_then = first ? &moved.a : &moved.b,
                           *there_then = first ? &moved.b : &moved.a;
    held_depth then = depth_of(ct_to_parent(at_then->shape, p->local), p->other, there_then,
                               moved.slack, workspace);
    if (then.deep + allowed > 0.125 * bend * time * time) return later - s->time;
    double gone = ct_gap_closing_time(deep, rate, 1.25 * bend), next = TRY_FACTOR * time;
    time = gone > next && gone < time ? gone : next;
  }
  return 0.0;
}

/* A point of the mesh that is deeper in the other shape than the given one, in the world: steps
 * inward, each back to the mesh. */
static ct_vec3 deeper(const ct_toi_side *mesh, const ct_toi_side_pose *at, const ct_toi_side *other,
                      const ct_toi_side_pose *there, ct_vec3 point, ct_workspace *workspace) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {CT_SIZE_MIN}};
  const ct_pair_options options = {0.0, INFINITY};
  held_depth best = depth_of(point, other, there, 0.0, workspace);
  double way = DEEPER_FACTOR * ct_min2(other->radius, mesh->radius);
  ct_vec3 aim = ct_to_parent(there->body, other->ball);
  for (int i = 0; i < DEEPER_LOOKS; i++) {
    ct_frame frame = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, aim};
    ct_pair_result nearest;
    ct_pair_distance((ct_placed){mesh->shape, &at->shape}, (ct_placed){&ball, &frame}, &options,
                     workspace, &nearest);
    held_depth now = depth_of(nearest.point_a, other, there, 0.0, workspace);
    if (now.deep > best.deep) {
      best = now;
      point = nearest.point_a;
    } else if (i > 0) {
      way *= DEEPER_FACTOR;
    }
    aim = ct_add_scaled(point, best.inward, way);
  }
  return point;
}

static bool is_surface(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH && !ct_mesh_get(shape->mesh)->solid;
}

static double held_by_point_of(bool first, const ct_toi_pair *pair, const ct_toi_sample *s,
                               double allowed, double horizon, ct_workspace *workspace) {
  const ct_toi_side *side = first ? &pair->a : &pair->b, *other = first ? &pair->b : &pair->a;
  const ct_toi_side_pose *at = first ? &s->a : &s->b, *there = first ? &s->b : &s->a;
  bool crossing = s->result.depth_kind == CT_DEPTH_NONE && ct_kind_is_mesh(side->shape->kind),
       mesh = ct_kind_is_mesh(other->shape->kind);
  if (side->reach == INFINITY || (mesh && !(crossing && !is_surface(other->shape)))) return 0.0;
  ct_vec3 point = first ? s->result.point_a : s->result.point_b;
  if (crossing) point = deeper(side, at, other, there, point, workspace);
  if (mesh)
    return ct_toi_gap_time(
        pair, s, depth_of(point, other, there, s->slack, workspace).deep + allowed, horizon);
  const held_point p = {side, other, ct_to_local(at->shape, point)};
  return held_by(&p, pair, s, allowed, horizon, workspace);
}

/* Along the normal of a half-space that does not turn its own point that is deepest now stays below
 * it for so long; of a ball its centre and the radius. By how it moves now and can bend, or by how
 * fast it can ever be. */
static double held_by_plane(const ct_toi_pair *pair, const ct_toi_sample *s, double gap) {
  ct_vec3 n = s->result.normal;
  ct_relative_motion d = ct_relative_motion_of(pair, s);
  double bend = 0.0, turning = 0.0, error = d.speed_error;
  for (int k = 0; k < 2; k++) {
    const ct_toi_side *side = k == 0 ? &pair->a : &pair->b;
    if (side->reach == INFINITY || side->spin == 0.0) continue;
    turning = ct_turning_speed(side, k == 0 ? &s->a : &s->b, n, side->arm);
    bend = side->spin * (side->steady ? turning : TURNING * side->spin * side->reach) *
           (1.0 + SPEED_SLACK);
    error += SPEED_SLACK * side->spin * side->reach;
  }
  double acceleration = d.acceleration_error + ct_dot(n, d.acceleration);
  return ct_max2(ct_gap_closing_time(gap, s->rate + error, bend + acceleration),
                 ct_gap_closing_time(gap, ct_dot(n, d.velocity) + turning + error, acceleration));
}

/* Half-spaces meet but where their normals are opposite. */
static double planes_held(const ct_toi_pair *pair, const ct_toi_sample *s, double allowed) {
  ct_vec3 up = ct_vec(0.0, 0.0, 1.0);
  ct_vec3 sum = ct_add(ct_mat_mul(s->a.shape.rotation, up), ct_mat_mul(s->b.shape.rotation, up));
  double angle =
      ct_norm(sum) - 64.0 * CT_UNIT_ROUNDOFF + (allowed > 0.0 ? CT_TIMELINE_RESOLUTION : 0.0);
  return ct_gap_closing_time(angle, pair->a.spin + pair->b.spin, 0.0);
}

double ct_toi_contact_lasts(const ct_toi_pair *pair, const ct_toi_sample *s, double allowed,
                            double horizon, ct_workspace *workspace) {
  bool plane_a = pair->a.reach == INFINITY, plane_b = pair->b.reach == INFINITY;
  if (s->result.status == CT_PAIR_UNSUPPORTED) return planes_held(pair, s, allowed);
  bool turning_plane = (plane_a && pair->a.spin > 0.0) || (plane_b && pair->b.spin > 0.0);
  double gap = allowed - s->upper, time = 0.0;
  if (allowed > 0.0 || s->result.depth_kind != CT_DEPTH_NONE)
    time = ct_toi_gap_time(pair, s, gap, horizon);
  if (time < horizon && (plane_a != plane_b) && !turning_plane)
    time = ct_max2(time, held_by_plane(pair, s, gap));
  if (s->result.depth_kind == CT_DEPTH_NONE && is_surface(pair->a.shape) &&
      is_surface(pair->b.shape))
    return ct_max2(time,
                   ct_toi_gap_time(pair, s, ct_toi_crossing_lasts(pair, s) + allowed, horizon));
  for (int k = 0; k < 2 && time < horizon; k++)
    time = ct_max2(time, held_by_point_of(k == 0, pair, s, allowed, horizon, workspace));
  return time;
}
