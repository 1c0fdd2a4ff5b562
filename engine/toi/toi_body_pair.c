/* Two bodies as pairs of colliders.
 *
 * Their trees of balls are gone through together, from the two bodies as wholes down to pairs of
 * colliders.
 */
#include "shape/shape_compare.h"
#include "toi/toi_collider_tree.h"

static int compare_movers(const ct_toi_options *options, ct_moving_body a, ct_moving_body b) {
  const double times[] = {options->begin, options->end, 0.5 * (options->begin + options->end)};
  int order = 0;
  for (int i = 0; i < 3 && order == 0; i++) {
    ct_pose pose_a = ct_path_pose(a.path, times[i]), pose_b = ct_path_pose(b.path, times[i]);
    order = ct_body_compare(a.body, &pose_a, b.body, &pose_b);
  }
  return order;
}

ct_status ct_toi_bodies_set(ct_toi_bodies *bodies, ct_moving_body a, ct_moving_body b,
                            const ct_toi_options *options, ct_workspace *workspace) {
  *bodies = (ct_toi_bodies){.a = a, .b = b, .options = options, .workspace = workspace};
  if (ct_body_collider_count(a.body) == 1 && ct_body_collider_count(b.body) == 1) {
    bodies->single = (ct_toi_pair){ct_toi_side_of(a, 0), ct_toi_side_of(b, 0)};
    return CT_OK;
  }
  ct_body_scratch *memory = &workspace->bodies;
  bodies->b_first = compare_movers(options, b, a) < 0;
  ct_status status = ct_toi_colliders_set(a, memory, 0, &bodies->in[0]);
  return status == CT_OK ? ct_toi_colliders_set(b, memory, 1, &bodies->in[1]) : status;
}

/* ---- groups of colliders -------------------------------------------------------------------- */

/* A node of each body, the first body's first, that waits. */
typedef struct waiting {
  uint32_t first, second;
  double key;
} waiting;

typedef struct group_walk {
  const ct_toi_bodies *bodies;
  ct_toi_colliders *first, *second;
  const ct_toi_visitor *visitor;
  void *context;
  waiting stack[2 * CT_TOI_TREE_HEIGHT_MAX];
  uint32_t top;
} group_walk;

static ct_toi_pair in_order(const group_walk *walk, const ct_toi_side *first,
                            const ct_toi_side *second) {
  return walk->bodies->b_first ? (ct_toi_pair){*second, *first} : (ct_toi_pair){*first, *second};
}

/* To the waiting ones, unless they can be left out. */
static bool meets(group_walk *walk, waiting *w) {
  ct_toi_side first = ct_toi_node_side(walk->first, w->first),
              second = ct_toi_node_side(walk->second, w->second);
  ct_toi_pair groups = in_order(walk, &first, &second);
  walk->bodies->in[0]->looked++;
  return !walk->visitor->skips(walk->context, &groups, &w->key);
}

/* The larger of two groups is taken apart. */
static void take_apart(group_walk *walk, const waiting *w) {
  const ct_toi_node *first = &walk->first->nodes[w->first],
                    *second = &walk->second->nodes[w->second];
  bool at_first =
      ct_toi_node_single(second) || (!ct_toi_node_single(first) && first->radius >= second->radius);
  uint32_t child = at_first ? ct_toi_node_parts(walk->first, w->first)
                            : ct_toi_node_parts(walk->second, w->second);
  waiting parts[2] = {*w, *w};
  bool met[2];
  for (uint32_t k = 0; k < 2; k++) {
    if (at_first) parts[k].first = child + k;
    else parts[k].second = child + k;
    met[k] = meets(walk, &parts[k]);
  }
  uint32_t sooner = parts[1].key < parts[0].key ? 1 : 0;
  if (met[1 - sooner]) walk->stack[walk->top++] = parts[1 - sooner];
  if (met[sooner]) walk->stack[walk->top++] = parts[sooner];
}

static ct_status go_on(group_walk *walk) {
  const ct_cancel *cancel = walk->bodies->options->cancel;
  while (walk->top > 0) {
    waiting w = walk->stack[--walk->top];
    if (ct_cancel_raised(cancel)) return CT_CANCELLED;
    if (walk->visitor->late(walk->context, w.key)) continue;
    const ct_toi_node *first = &walk->first->nodes[w.first],
                      *second = &walk->second->nodes[w.second];
    if (!ct_toi_node_single(first) || !ct_toi_node_single(second)) {
      take_apart(walk, &w);
      continue;
    }
    const ct_toi_side *side = ct_toi_collider(walk->first, walk->first->leaves[first->begin].index);
    ct_toi_pair pair = in_order(
        walk, side, ct_toi_collider(walk->second, walk->second->leaves[second->begin].index));
    ct_status status = walk->visitor->visit(walk->context, &pair, w.key);
    if (status != CT_OK) return status;
  }
  return CT_OK;
}

ct_status ct_toi_each_pair(const ct_toi_bodies *bodies, const ct_toi_visitor *visitor,
                           void *context) {
  if (!bodies->in[0])
    return ct_cancel_raised(bodies->options->cancel)
               ? CT_CANCELLED
               : visitor->visit(context, &bodies->single, -INFINITY);
  group_walk walk = {.bodies = bodies, .visitor = visitor, .context = context};
  walk.first = bodies->in[bodies->b_first ? 1 : 0];
  walk.second = bodies->in[bodies->b_first ? 0 : 1];
  waiting all = {0, 0, -INFINITY};
  if (meets(&walk, &all)) walk.stack[walk.top++] = all;
  return go_on(&walk);
}

/* ---- the nearest pair ----------------------------------------------------------------------- */

typedef struct nearest_walk {
  const ct_toi_bodies *bodies;
  double time;
  bool found;
  ct_toi_pair *pair;
  ct_toi_sample *sample;
  uint32_t *spent;
  bool placed;
  ct_toi_sample place; /* of the bodies: all groups are at the same frames, with the same slack */
} nearest_walk;

static bool late_nearest(void *context, double key) {
  const nearest_walk *walk = context;
  return walk->found && key > walk->sample->result.distance;
}

/* The key is the distance that the balls leave. */
static bool skips_nearest(void *context, const ct_toi_pair *groups, double *key) {
  nearest_walk *walk = context;
  if (!walk->placed) ct_toi_place_pair(groups, walk->time, &walk->place);
  walk->placed = true;
  ct_vec3 direction;
  *key = ct_toi_ball_gap(groups, &walk->place, &direction);
  return late_nearest(walk, *key);
}

static ct_status visit_nearest(void *context, const ct_toi_pair *pair, double key) {
  (void)key;
  nearest_walk *walk = context;
  const ct_toi_options *o = walk->bodies->options;
  ct_toi_sample sample;
  const ct_pair_options options = {
      o->tolerance, walk->found ? ct_max2(walk->sample->result.distance, 0.0) : INFINITY};
  ct_toi_measure(pair, walk->time, &options, walk->bodies->workspace, &sample);
  ++*walk->spent;
  if (ct_workspace_out_of_memory(walk->bodies->workspace)) return CT_OUT_OF_MEMORY;
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

ct_status ct_toi_nearest(const ct_toi_bodies *bodies, double time, ct_toi_pair *pair,
                         ct_toi_sample *sample, uint32_t *spent) {
  nearest_walk walk = {
      .bodies = bodies, .time = time, .pair = pair, .sample = sample, .spent = spent};
  const ct_toi_visitor visitor = {visit_nearest, skips_nearest, late_nearest};
  return ct_toi_each_pair(bodies, &visitor, &walk);
}

void ct_toi_write_result(const ct_toi_sample *s, ct_toi *impact) {
  impact->time = s->time;
  impact->collider_a = s->collider_a;
  impact->collider_b = s->collider_b;
  impact->contact = s->result;
  ct_vec3 position = ct_scale(ct_add(s->result.point_a, s->result.point_b), 0.5);
  impact->relative_velocity = ct_toi_relative_velocity(s, position, position);
  impact->normal_velocity = ct_dot(s->result.normal, impact->relative_velocity);
}
