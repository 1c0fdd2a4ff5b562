/* The colliders of a body on its path: a tree of balls, and sides, made where they are asked for.
 *
 * The tree is in the body's frame, so that it holds for the whole motion. Making a side goes
 * through a hull's vertices; most pairs of compounds are reported by balls that their shapes have
 * anyway.
 */
#include "toi/toi_collider_tree.h"

#include <stdlib.h>

/* Rounding of a ball around balls, relative to its size and to the coordinates. */
#define BALL_WIDENING (16.0 * CT_UNIT_ROUNDOFF)
/* Splits are uneven for so many levels, and then in halves by number. */
#define UNEVEN_LEVELS 40

static double arm_of(const ct_toi_colliders *c, ct_vec3 center) {
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
    /* Groups with a half-space are never left out. */
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

/* A collider's own ball, or one about the middle of the centres. */
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
  node.arm = arm_of(c, node.center);
  return node;
}

static double along(ct_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Half-spaces go to the left, so that the others have balls; else what lies below the middle of the
 * widest axis. Where the right begins. */
static uint32_t split(ct_toi_colliders *c, const ct_toi_node *node) {
  ct_toi_leaf *leaves = c->leaves;
  ct_aabb centers = box_of_centers(c, node);
  ct_vec3 width = ct_sub(centers.max, centers.min);
  int axis = width.x >= width.y && width.x >= width.z ? 0 : width.y >= width.z ? 1 : 2;
  double middle = 0.5 * (along(centers.min, axis) + along(centers.max, axis));
  uint32_t planes = 0, left = node->begin;
  for (uint32_t i = node->begin; i < node->end; i++) planes += !(leaves[i].radius < INFINITY);
  bool apart = planes > 0 && planes < node->end - node->begin;
  for (uint32_t i = node->begin; i < node->end; i++) {
    bool goes = apart ? !(leaves[i].radius < INFINITY) : along(leaves[i].center, axis) < middle;
    if (!goes) continue;
    ct_toi_leaf swap = leaves[i];
    leaves[i] = leaves[left];
    leaves[left++] = swap;
  }
  bool halves = node->depth >= UNEVEN_LEVELS || left == node->begin || left == node->end;
  return halves ? node->begin + (node->end - node->begin) / 2 : left;
}

uint32_t ct_toi_node_parts(ct_toi_colliders *c, uint32_t at) {
  ct_toi_node *node = &c->nodes[at];
  if (node->child != 0) return node->child;
  uint32_t middle = split(c, node);
  node->child = c->used;
  c->nodes[c->used++] = node_of(c, node->begin, middle, node->depth + 1);
  c->nodes[c->used++] = node_of(c, middle, node->end, node->depth + 1);
  return node->child;
}

/* Is the mover in the block already? */
static bool is_kept(const ct_body_scratch *memory, int which, ct_moving_body mover) {
  if (!memory->keeps || !memory->filled[which]) return false;
  const ct_toi_colliders *c = memory->blocks[which];
  return c->mover.body == mover.body && c->mover.path == mover.path;
}

static bool reserve(ct_body_scratch *memory, int which, size_t bytes) {
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
  bool kept = is_kept(memory, which, mover);
  memory->filled[which] = kept;
  if (!kept && !reserve(memory, which, leaves + count * sizeof(ct_toi_leaf)))
    return CT_OUT_OF_MEMORY;
  ct_toi_colliders *c = *out = memory->blocks[which];
  if (kept) return CT_OK;
  *c = (ct_toi_colliders){.mover = mover, .count = count, .group = ct_toi_side_start(mover)};
  c->group.group = true;
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

void ct_toi_retain_colliders(ct_workspace *workspace, bool keeps) {
  workspace->bodies.keeps = keeps;
  workspace->bodies.filled[0] = workspace->bodies.filled[1] = false;
}

const ct_toi_side *ct_toi_collider(ct_toi_colliders *colliders, uint32_t index) {
  ct_toi_side *side = &colliders->sides[index];
  if (side->body) return side;
  *side = ct_toi_side_of(colliders->mover, index);
  colliders->made++;
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
