/* A pair of shapes at a time: placed by the paths, measured by the narrow phase, with what
 * round-off can have done on the way. */
#include "pair/pair_order.h"
#include "toi/toi.h"

/* Round-off of a placed point, in units of u: of the pivot's coordinates and its way, as path.h
 * promises; of rotations, matrices (23 each, 9 for the product) and sums, times the reach; of the
 * angle, for each radian. */
#define PLACE_SLACK 16.0
#define TURN_SLACK 64.0
#define ANGLE_SLACK 8.0
/* TORQUE_FREE, as path.h promises: rad, and rad for each rad turned. */
#define TORQUE_FREE_ANGLE 2e-14
#define TORQUE_FREE_SLACK 1e-14

static void place(const ct_toi_side *side, double time, ct_toi_side_pose *out) {
  out->body = ct_frame_of(ct_path_pose(side->path, time));
  out->shape = ct_body_shape_frame(side->body, side->index, &out->body);
  out->pivot = ct_to_parent(out->body, side->pivot);
  out->velocity = ct_path_velocity(side->path, time);
}

/* How far the points of a side can be from where its path has them. `reach`: of a half-space as far
 * as the other side is. */
static double place_slack(const ct_toi_side *side, const ct_toi_side_pose *at, double time,
                          double reach) {
  double slack = 0.0;
  if (side->group || ct_body_shape_pose(side->body, side->index))
    slack +=
        TURN_SLACK * CT_UNIT_ROUNDOFF * (reach + ct_norm(at->pivot) + ct_norm(at->shape.position));
  if (!side->moves || time == 0.0) return slack;
  double turned = side->spin * time;
  double way = time * (ct_norm(at->velocity.linear) + 1.5 * time * ct_norm(side->acceleration));
  ct_vec3 start = ct_path_pose(side->path, 0.0).position;
  slack += PLACE_SLACK * CT_UNIT_ROUNDOFF *
           (ct_norm(at->pivot) + ct_norm(start) + ct_norm(side->pivot) + way);
  slack += (TURN_SLACK + ANGLE_SLACK * turned) * CT_UNIT_ROUNDOFF * reach;
  return side->steady ? slack : slack + (TORQUE_FREE_ANGLE + TORQUE_FREE_SLACK * turned) * reach;
}

/* How far the shape's points are from the pivot, of a half-space the points of the other side that
 * matter. */
static double reach_within(const ct_toi_side *side, const ct_toi_side *other, double offset) {
  return side->reach < INFINITY    ? side->reach
         : other->reach < INFINITY ? offset + other->reach
                                   : offset;
}

void ct_toi_place_pair(const ct_toi_pair *pair, double time, ct_toi_sample *sample) {
  sample->time = time;
  sample->collider_a = pair->a.index;
  sample->collider_b = pair->b.index;
  place(&pair->a, time, &sample->a);
  place(&pair->b, time, &sample->b);
  double offset = ct_norm(ct_sub(sample->b.pivot, sample->a.pivot));
  double slack_a =
      place_slack(&pair->a, &sample->a, time, reach_within(&pair->a, &pair->b, offset));
  double slack_b =
      place_slack(&pair->b, &sample->b, time, reach_within(&pair->b, &pair->a, offset));
  sample->slack = (pair->a.group ? CT_TOI_GROUP_SLACK : 1.0) * slack_a +
                  (pair->b.group ? CT_TOI_GROUP_SLACK : 1.0) * slack_b;
}

double ct_toi_support(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 direction) {
  ct_vec3 p = ct_shape_support(side->shape, ct_mat_tmul(at->shape.rotation, direction));
  return ct_dot(direction,
                ct_add(ct_mat_mul(at->shape.rotation, p), ct_sub(at->shape.position, at->pivot)));
}

static double room(const ct_toi_side *side, double extent) {
  if (!(side->reach < INFINITY)) return INFINITY;
  return ct_max2(0.0, side->reach - extent) + ALONG_SLACK * CT_UNIT_ROUNDOFF * side->reach;
}

/* The gap between the planes across the normal, and how much of it turning alone can take. */
static void look_along(const ct_toi_pair *pair, ct_toi_sample *s) {
  bool plane_a = pair->a.shape->kind == CT_KIND_PLANE,
       plane_b = pair->b.shape->kind == CT_KIND_PLANE;
  bool mesh = ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind);
  ct_vec3 n = s->result.normal;
  s->fixed = true;
  s->along = s->lower;
  s->room_a = s->room_b = INFINITY;
  if (plane_a || plane_b) {
    /* The plane is the half-space's own, and the distance is that along it. */
    s->room_a = room(&pair->a, ct_dot(n, ct_sub(s->result.point_a, s->a.pivot)));
    s->room_b = room(&pair->b, ct_dot(n, ct_sub(s->b.pivot, s->result.point_b)));
    return;
  }
  ct_vec3 offset = ct_sub(s->b.pivot, s->a.pivot);
  double reach_a = ct_toi_support(&pair->a, &s->a, n),
         reach_b = ct_toi_support(&pair->b, &s->b, ct_neg(n));
  double size = (pair->a.reach + pair->b.reach) + ct_norm(offset);
  s->along =
      ct_dot(n, offset) - (reach_a + reach_b) - ALONG_SLACK * CT_UNIT_ROUNDOFF * size - s->slack;
  s->room_a = room(&pair->a, reach_a);
  s->room_b = room(&pair->b, reach_b);
  /* The hulls of meshes may overlap where these do not. */
  s->fixed = !mesh || s->along > 0.0;
}

static ct_vec3 point_velocity(const ct_toi_side_pose *at, ct_vec3 point) {
  return ct_add(at->velocity.linear, ct_cross(at->velocity.angular, ct_sub(point, at->pivot)));
}

ct_vec3 ct_toi_relative_velocity(const ct_toi_sample *s, ct_vec3 point_a, ct_vec3 point_b) {
  return ct_sub(point_velocity(&s->b, point_b), point_velocity(&s->a, point_a));
}

void ct_toi_measure(const ct_toi_pair *pair, double time, const ct_pair_options *options,
                    ct_workspace *workspace, ct_toi_sample *s) {
  ct_toi_place_pair(pair, time, s);
  const ct_placed a = {pair->a.shape, &s->a.shape}, b = {pair->b.shape, &s->b.shape};
  ct_pair_distance_within(a, b, options, workspace, &s->result);
  s->lower = s->result.lower_bound - s->slack;
  s->upper = s->result.upper_bound + s->slack;
  s->rate =
      ct_dot(s->result.normal, ct_toi_relative_velocity(s, s->result.point_a, s->result.point_b));
  s->turn = ct_vec(0.0, 0.0, 0.0);
  look_along(pair, s);
  /* Planes that part them are as good a proof as the bounds of the distance, and often a sharper
   * one. */
  if (s->fixed && s->result.distance > 0.0) s->lower = ct_max2(s->lower, s->along);
}
