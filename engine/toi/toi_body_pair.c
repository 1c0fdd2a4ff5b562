/* Pairs of colliders of two bodies: a tree of balls over the colliders of each body, and the
 * simultaneous traversal of both trees from the roots down to pairs of colliders. */
#include "shape/shape_compare.h"
#include "toi/toi_collider_tree.h"

#include <assert.h>
#include <stdlib.h>

/* ---- colliders of a body --------------------------------------------------------------------- */

/* The tree of balls is in the body's frame, so that it is valid for the whole motion. Inner nodes
 * are split on demand, and sides are prepared on demand: preparing a side reads all vertices of a
 * hull, and most pairs of colliders of compounds are excluded by their balls alone. */

/* Widening of a ball that contains balls, for round-off, relative to its size and its
 * coordinates. */
#define BALL_WIDENING (16.0 * CT_UNIT_ROUNDOFF)
/* Depth down to which nodes are split by position; deeper nodes are split into halves of equal
 * number, which bounds the height. */
#define UNEVEN_LEVELS 40

static double node_arm(const ct_toi_colliders *c, ct_vec3 center) {
  ct_vec3 to = ct_sub(center, c->group.pivot);
  double far = ct_norm(to);
  return (c->group.steady ? ct_norm(ct_cross(c->axis, to)) : far) + BALL_WIDENING * far;
}

static void set_leaves(ct_toi_colliders *c) {
  const ct_frame identity = ct_frame_of(ct_pose_identity());
  for (uint32_t i = 0; i < c->count; i++) {
    ct_frame frame = ct_body_shape_frame(c->mover.body, i, &identity);
    ct_toi_leaf *leaf = &c->leaves[i];
    ct_vec3 center;
    leaf->index = i;
    ct_shape_ball(ct_body_shape(c->mover.body, i), &center, &leaf->radius);
    leaf->center = ct_to_parent(frame, center);
    /* A group with a half-space has an infinite ball and is never skipped. */
    if (!(leaf->radius < INFINITY)) continue;
    double origin = ct_norm(ct_sub(frame.position, c->group.pivot));
    double reach = ct_norm(ct_sub(leaf->center, c->group.pivot)) + leaf->radius;
    c->group.reach = ct_max2(c->group.reach, ct_max2(origin, reach) * (1.0 + BALL_WIDENING));
  }
  c->group.arm = c->group.reach;
}

static ct_aabb box_of_centers(const ct_toi_colliders *c, const ct_toi_node *node) {
  ct_aabb box = {c->leaves[node->begin].center, c->leaves[node->begin].center};
  for (uint32_t i = node->begin; i < node->end; i++)
    box = ct_aabb_union(box, (ct_aabb){c->leaves[i].center, c->leaves[i].center});
  return box;
}

/* Returns a node for the leaves [begin, end): the ball of a single collider, or a ball about the
 * middle of the box of the centres. */
static ct_toi_node node_of(const ct_toi_colliders *c, uint32_t begin, uint32_t end,
                           uint32_t depth) {
  const ct_toi_leaf *leaf = &c->leaves[begin];
  ct_toi_node node = {leaf->center, leaf->radius, 0.0, begin, end, 0, depth};
  if (!ct_toi_node_single(&node)) {
    ct_aabb centers = box_of_centers(c, &node);
    node.center = ct_scale(ct_add(centers.min, centers.max), 0.5);
    node.radius = 0.0;
    for (uint32_t i = begin; i < end; i++)
      node.radius = ct_max2(node.radius, ct_norm(ct_sub(c->leaves[i].center, node.center)) +
                                             c->leaves[i].radius);
    node.radius += BALL_WIDENING * (node.radius + ct_max_abs(node.center));
  }
  node.arm = node_arm(c, node.center);
  return node;
}

static double axis_component(ct_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Splits the leaves of a node: half-spaces to the left, so that the right child has a finite ball;
 * without half-spaces, at the middle of the widest axis. Returns the index of the first leaf of the
 * right child. */
static uint32_t partition_leaves(ct_toi_colliders *c, const ct_toi_node *node) {
  ct_toi_leaf *leaves = c->leaves;
  /* find the middle of the axis along which the centres extend farthest */
  ct_aabb centers = box_of_centers(c, node);
  ct_vec3 width = ct_sub(centers.max, centers.min);
  int axis = width.x >= width.y && width.x >= width.z ? 0 : width.y >= width.z ? 1 : 2;
  double middle = 0.5 * (axis_component(centers.min, axis) + axis_component(centers.max, axis));
  /* move half-spaces, or else centres below the middle, to the left */
  uint32_t planes = 0, left = node->begin;
  for (uint32_t i = node->begin; i < node->end; i++) planes += !(leaves[i].radius < INFINITY);
  bool by_kind = planes > 0 && planes < node->end - node->begin;
  for (uint32_t i = node->begin; i < node->end; i++) {
    bool is_left =
        by_kind ? !(leaves[i].radius < INFINITY) : axis_component(leaves[i].center, axis) < middle;
    if (!is_left) continue;
    ct_toi_leaf swap = leaves[i];
    leaves[i] = leaves[left];
    leaves[left++] = swap;
  }
  /* halve the number of leaves if one part is empty or the node is deep */
  bool halves = node->depth >= UNEVEN_LEVELS || left == node->begin || left == node->end;
  return halves ? node->begin + (node->end - node->begin) / 2 : left;
}

uint32_t ct_toi_split_node(ct_toi_colliders *c, uint32_t at) {
  ct_toi_node *node = &c->nodes[at];
  if (node->child != 0) return node->child;
  assert(!ct_toi_node_single(node) && c->used + 2 <= 2 * c->count);
  uint32_t middle = partition_leaves(c, node);
  assert(middle > node->begin && middle < node->end);
  node->child = c->used;
  c->nodes[c->used++] = node_of(c, node->begin, middle, node->depth + 1);
  c->nodes[c->used++] = node_of(c, middle, node->end, node->depth + 1);
  return node->child;
}

static void release_collider_part(void *part) {
  ct_body_scratch *memory = part;
  for (int k = 0; k < 2; k++) free(memory->blocks[k]);
}

const ct_workspace_part_type ct_collider_part_type = {sizeof(ct_body_scratch), CT_NO_FLAG,
                                                      release_collider_part};
_Static_assert(sizeof(ct_body_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

/* True if the memory block still contains the colliders of the same body and path. */
static bool is_retained(const ct_body_scratch *memory, int which, ct_moving_body mover) {
  if (!memory->retains || !memory->filled[which]) return false;
  const ct_toi_colliders *c = memory->blocks[which];
  return c->mover.body == mover.body && c->mover.path == mover.path;
}

static bool reserve_block(ct_body_scratch *memory, int which, size_t bytes) {
  if (memory->sizes[which] >= bytes) return true;
  free(memory->blocks[which]);
  memory->blocks[which] = malloc(bytes);
  memory->sizes[which] = memory->blocks[which] ? bytes : 0;
  return memory->blocks[which] != NULL;
}

ct_status ct_toi_colliders_set(ct_moving_body mover, ct_body_scratch *memory, int which,
                               ct_toi_colliders **out) {
  uint32_t count = (uint32_t)ct_body_collider_count(mover.body);
  size_t sides = sizeof **out, nodes = sides + count * sizeof(ct_toi_side),
         leaves = nodes + 2 * count * sizeof(ct_toi_node);
  /* reuse the block of the same mover */
  bool is_filled = is_retained(memory, which, mover);
  memory->filled[which] = is_filled;
  if (!is_filled && !reserve_block(memory, which, leaves + count * sizeof(ct_toi_leaf)))
    return CT_OUT_OF_MEMORY;
  ct_toi_colliders *c = *out = memory->blocks[which];
  if (is_filled) return CT_OK;
  *c = (ct_toi_colliders){.mover = mover, .count = count, .group = ct_toi_side_start(mover)};
  c->group.group = true;
  /* lay out the arrays and create the root of the tree */
  c->sides = (ct_toi_side *)((char *)c + sides);
  c->nodes = (ct_toi_node *)((char *)c + nodes);
  for (uint32_t i = 0; i < count; i++) c->sides[i].body = NULL;
  c->leaves = (ct_toi_leaf *)((char *)c + leaves);
  c->axis = ct_mat_tmul(ct_frame_of(ct_path_pose(mover.path, 0.0)).rotation, c->group.axis);
  set_leaves(c);
  c->nodes[c->used++] = node_of(c, 0, count, 0);
  memory->filled[which] = true;
  return CT_OK;
}

void ct_toi_retain_colliders(ct_workspace *workspace, bool retain) {
  ct_body_scratch *memory = ct_workspace_colliders(workspace);
  memory->retains = retain;
  memory->filled[0] = memory->filled[1] = false;
}

const ct_toi_side *ct_toi_collider(ct_toi_colliders *colliders, uint32_t index) {
  assert(index < colliders->count);
  ct_toi_side *side = &colliders->sides[index];
  if (side->body) return side;
  *side = ct_toi_side_of(colliders->mover, index);
  colliders->sides_prepared++;
  return side;
}

ct_toi_side ct_toi_node_side(const ct_toi_colliders *colliders, uint32_t node) {
  const ct_toi_node *n = &colliders->nodes[node];
  ct_toi_side side = colliders->group;
  side.ball = n->center;
  side.ball_arm = n->arm;
  side.radius = n->radius;
  bool plane = ct_toi_node_single(n) && !(n->radius < INFINITY);
  if (plane) side.shape = ct_body_shape(colliders->mover.body, colliders->leaves[n->begin].index);
  if (plane) side.index = colliders->leaves[n->begin].index;
  return side;
}

/* ---- two bodies ------------------------------------------------------------------------------ */

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
  ct_body_scratch *memory = ct_workspace_colliders(workspace);
  bodies->b_first = compare_movers(options, b, a) < 0;
  ct_status status = ct_toi_colliders_set(a, memory, 0, &bodies->in[0]);
  return status == CT_OK ? ct_toi_colliders_set(b, memory, 1, &bodies->in[1]) : status;
}

/* ---- groups of colliders -------------------------------------------------------------------- */

/* A pair of nodes on the stack: one of the first body's tree and one of the second's. */
typedef struct node_pair {
  uint32_t first, second;
  double key;
} node_pair;

typedef struct group_traversal {
  const ct_toi_bodies *bodies;
  ct_toi_colliders *first, *second;
  const ct_toi_visitor *visitor;
  void *context;
  node_pair stack[2 * CT_TOI_TREE_HEIGHT_MAX];
  uint32_t top;
} group_traversal;

static ct_toi_pair ordered_pair(const group_traversal *t, const ct_toi_side *first,
                                const ct_toi_side *second) {
  return t->bodies->b_first ? (ct_toi_pair){*second, *first} : (ct_toi_pair){*first, *second};
}

/* True if the visitor does not skip the two groups; sets w->key. */
static bool admits_groups(group_traversal *t, node_pair *w) {
  ct_toi_side first = ct_toi_node_side(t->first, w->first),
              second = ct_toi_node_side(t->second, w->second);
  ct_toi_pair groups = ordered_pair(t, &first, &second);
  t->bodies->in[0]->groups_tested++;
  return !t->visitor->skips(t->context, &groups, &w->key);
}

/* Splits the larger of the two groups and pushes the pairs that are not skipped; the one with the
 * smaller key is on top. */
static void descend_larger_group(group_traversal *t, const node_pair *w) {
  const ct_toi_node *first = &t->first->nodes[w->first], *second = &t->second->nodes[w->second];
  bool splits_first =
      ct_toi_node_single(second) || (!ct_toi_node_single(first) && first->radius >= second->radius);
  uint32_t child = splits_first ? ct_toi_split_node(t->first, w->first)
                                : ct_toi_split_node(t->second, w->second);
  node_pair children[2] = {*w, *w};
  bool admitted[2];
  for (uint32_t k = 0; k < 2; k++) {
    if (splits_first) children[k].first = child + k;
    else children[k].second = child + k;
    admitted[k] = admits_groups(t, &children[k]);
  }
  uint32_t sooner = children[1].key < children[0].key ? 1 : 0;
  assert(t->top + 2 <= 2 * CT_TOI_TREE_HEIGHT_MAX);
  if (admitted[1 - sooner]) t->stack[t->top++] = children[1 - sooner];
  if (admitted[sooner]) t->stack[t->top++] = children[sooner];
}

static ct_status run_descent(group_traversal *t) {
  const ct_cancel *cancel = t->bodies->options->cancel;
  while (t->top > 0) {
    node_pair w = t->stack[--t->top];
    if (ct_cancel_raised(cancel)) return CT_CANCELLED;
    if (t->visitor->is_excluded(t->context, w.key)) continue;
    const ct_toi_node *first = &t->first->nodes[w.first], *second = &t->second->nodes[w.second];
    if (!ct_toi_node_single(first) || !ct_toi_node_single(second)) {
      descend_larger_group(t, &w);
      continue;
    }
    const ct_toi_side *side = ct_toi_collider(t->first, t->first->leaves[first->begin].index);
    ct_toi_pair pair =
        ordered_pair(t, side, ct_toi_collider(t->second, t->second->leaves[second->begin].index));
    ct_status status = t->visitor->visit(t->context, &pair, w.key);
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
  group_traversal t = {.bodies = bodies, .visitor = visitor, .context = context};
  t.first = bodies->in[bodies->b_first ? 1 : 0];
  t.second = bodies->in[bodies->b_first ? 0 : 1];
  node_pair all = {0, 0, -INFINITY};
  if (admits_groups(&t, &all)) t.stack[t.top++] = all;
  return run_descent(&t);
}

/* ---- the nearest pair ----------------------------------------------------------------------- */

typedef struct nearest_query {
  const ct_toi_bodies *bodies;
  double time;
  bool found;
  ct_toi_pair *pair;
  ct_toi_sample *sample;
  uint32_t *distances;
  bool has_poses;
  ct_toi_sample poses; /* poses of both bodies at `time`, shared by all groups */
} nearest_query;

static bool is_beyond_nearest(void *context, double key) {
  const nearest_query *q = context;
  return q->found && key > q->sample->result.distance;
}

/* True if the two groups cannot contain the nearest pair. *key: the gap between their bounding
 * balls, m. */
static bool can_skip_for_nearest(void *context, const ct_toi_pair *groups, double *key) {
  nearest_query *q = context;
  if (!q->has_poses) ct_toi_place_pair(groups, q->time, &q->poses);
  q->has_poses = true;
  ct_vec3 direction;
  *key = ct_toi_ball_gap(groups, &q->poses, &direction);
  return is_beyond_nearest(q, *key);
}

static ct_status visit_nearest(void *context, const ct_toi_pair *pair, double key) {
  (void)key;
  nearest_query *q = context;
  const ct_toi_options *o = q->bodies->options;
  ct_toi_sample sample;
  const ct_pair_options options = {o->tolerance,
                                   q->found ? ct_max2(q->sample->result.distance, 0.0) : INFINITY};
  ct_toi_measure(pair, q->time, &options, q->bodies->workspace, &sample);
  ++*q->distances;
  if (ct_workspace_out_of_memory(q->bodies->workspace)) return CT_OUT_OF_MEMORY;
  /* sample->lower becomes the least lower bound of all pairs */
  if (q->found && !(sample.result.distance < q->sample->result.distance)) {
    q->sample->lower = ct_min2(q->sample->lower, sample.lower);
    return CT_OK;
  }
  if (q->found) sample.lower = ct_min2(sample.lower, q->sample->lower);
  q->found = true;
  *q->pair = *pair;
  *q->sample = sample;
  return CT_OK;
}

ct_status ct_toi_nearest(const ct_toi_bodies *bodies, double time, ct_toi_pair *pair,
                         ct_toi_sample *sample, uint32_t *distances) {
  nearest_query q = {
      .bodies = bodies, .time = time, .pair = pair, .sample = sample, .distances = distances};
  const ct_toi_visitor visitor = {visit_nearest, can_skip_for_nearest, is_beyond_nearest};
  return ct_toi_each_pair(bodies, &visitor, &q);
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
