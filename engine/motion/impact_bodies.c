/* Two bodies as pairs of colliders. */
#include "motion/impact.h"
#include "shape/compare.h"

/* Balls that are this much farther apart than the nearest pair, relative to their offset, tell no more. */
#define BALL_SLACK (64.0 * CT_UNIT_ROUNDOFF)
/* Colliders of the second body from which on it is first looked at as a whole. */
#define WHOLE_MIN 8

static int compare_movers(const ct_impact_options *options, ct_mover a, ct_mover b) {
  const double times[] = {options->begin, options->end, 0.5 * (options->begin + options->end)};
  int order = 0;
  for (int i = 0; i < 3 && order == 0; i++) {
    ct_pose pose_a = ct_path_pose(a.path, times[i]), pose_b = ct_path_pose(b.path, times[i]);
    order = ct_body_compare(a.body, &pose_a, b.body, &pose_b);
  }
  return order;
}

ct_impact_bodies ct_impact_bodies_of(ct_mover a, ct_mover b, const ct_impact_options *options, ct_workspace *workspace) {
  ct_impact_bodies bodies = {a, b, false, options, workspace};
  bool single = ct_body_collider_count(a.body) <= 1 && ct_body_collider_count(b.body) <= 1;
  if (!single) bodies.b_first = compare_movers(options, b, a) < 0;
  return bodies;
}

/* The whole body in one ball about its pivot, in the place of its first collider; of a half-space, without end. */
static ct_impact_side whole_of(ct_mover mover) {
  ct_impact_side whole = ct_impact_side_of(mover, 0);
  double reach = whole.reach;
  for (uint32_t i = 1; i < ct_body_collider_count(mover.body); i++) reach = ct_max2(reach, ct_impact_side_of(mover, i).reach);
  whole.ball = whole.pivot;
  whole.ball_arm = 0.0;
  whole.radius = whole.reach = reach;
  return whole;
}

static ct_impact_pair in_order(const ct_impact_bodies *bodies, const ct_impact_side *first, const ct_impact_side *second) {
  return bodies->b_first ? (ct_impact_pair){*second, *first} : (ct_impact_pair){*first, *second};
}

ct_status ct_impact_each_pair(const ct_impact_bodies *bodies, const ct_impact_visitor *visitor, void *context) {
  ct_mover first = bodies->b_first ? bodies->b : bodies->a, second = bodies->b_first ? bodies->a : bodies->b;
  uint32_t first_count = (uint32_t)ct_body_collider_count(first.body), second_count = (uint32_t)ct_body_collider_count(second.body);
  bool large = second_count >= WHOLE_MIN;
  ct_impact_side whole = large ? whole_of(second) : (ct_impact_side){.body = NULL};
  for (uint32_t i = 0; i < first_count; i++) {
    ct_impact_side side = ct_impact_side_of(first, i);
    ct_impact_pair pair = in_order(bodies, &side, &whole);
    if (large && visitor->skips(context, &pair)) continue;
    for (uint32_t j = 0; j < second_count; j++) {
      ct_impact_side other = ct_impact_side_of(second, j);
      pair = in_order(bodies, &side, &other);
      ct_status status = ct_cancel_raised(bodies->options->cancel) ? CT_CANCELLED : visitor->visit(context, &pair);
      if (status != CT_OK) return status;
    }
  }
  return CT_OK;
}

typedef struct nearest_walk {
  const ct_impact_bodies *bodies;
  double time;
  bool found;
  ct_impact_pair *pair;
  ct_impact_sample *sample;
  uint32_t *spent;
} nearest_walk;

/* Distance of the balls around the shapes, at least; -INFINITY for half-spaces. */
static double balls_apart(const ct_impact_pair *pair, const ct_impact_sample *s) {
  double radii = pair->a.radius + pair->b.radius;
  if (!(radii < INFINITY)) return -INFINITY;
  double far = ct_norm(ct_sub(ct_to_parent(s->b.body, pair->b.ball), ct_to_parent(s->a.body, pair->a.ball)));
  return far - radii - BALL_SLACK * (far + radii) - s->slack;
}

static bool skips_nearest(void *context, const ct_impact_pair *pair) {
  const nearest_walk *walk = context;
  ct_impact_sample sample;
  if (!walk->found) return false;
  ct_impact_place_pair(pair, walk->time, &sample);
  return balls_apart(pair, &sample) > walk->sample->result.distance;
}

static ct_status visit_nearest(void *context, const ct_impact_pair *pair) {
  nearest_walk *walk = context;
  const ct_impact_options *o = walk->bodies->options;
  ct_impact_sample sample;
  ct_impact_place_pair(pair, walk->time, &sample);
  if (walk->found && balls_apart(pair, &sample) > walk->sample->result.distance) return CT_OK;
  const ct_pair_options options = {o->tolerance, walk->found ? ct_max2(walk->sample->result.distance, 0.0) : INFINITY};
  ct_impact_measure(pair, walk->time, &options, walk->bodies->workspace, &sample);
  ++*walk->spent;
  if (ct_workspace_starved(walk->bodies->workspace)) return CT_OUT_OF_MEMORY;
  if (walk->found && !(sample.result.distance < walk->sample->result.distance)) {
    walk->sample->lower = ct_min2(walk->sample->lower, sample.lower);
    return CT_OK;
  }
  if (walk->found) sample.lower = ct_min2(sample.lower, walk->sample->lower);
  walk->found = true;
  *walk->pair = *pair;
  *walk->sample = sample;
  return CT_OK;
}

ct_status ct_impact_nearest(const ct_impact_bodies *bodies, double time, ct_impact_pair *pair, ct_impact_sample *sample,
                            uint32_t *spent) {
  nearest_walk walk = {bodies, time, false, pair, sample, spent};
  const ct_impact_visitor visitor = {visit_nearest, skips_nearest};
  return ct_impact_each_pair(bodies, &visitor, &walk);
}

void ct_impact_tell(const ct_impact_sample *s, ct_impact *impact) {
  impact->time = s->time;
  impact->collider_a = s->collider_a;
  impact->collider_b = s->collider_b;
  impact->contact = s->result;
  ct_vec3 position = ct_scale(ct_add(s->result.point_a, s->result.point_b), 0.5);
  impact->relative_velocity = ct_impact_relative_velocity(s, position, position);
  impact->normal_velocity = ct_dot(s->result.normal, impact->relative_velocity);
}
