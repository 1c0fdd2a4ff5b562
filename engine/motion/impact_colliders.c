/* The colliders of a body on its path: a tree of balls, and sides made when they are asked for.
 *
 * The tree is in the body's frame, so that it holds for the whole motion. Making a side goes through a hull's vertices; most pairs
 * of compounds are told by balls that their shapes have anyway.
 */
#include "motion/impact_colliders.h"

#include <stdlib.h>

/* Rounding of a ball around balls, relative to its size and to the coordinates. */
#define BALL_WIDENING (16.0 * CT_UNIT_ROUNDOFF)
/* Splits are uneven for so many levels, and then in halves by number. */
#define UNEVEN_LEVELS 40

/* A ball around a collider; while the tree is made. */
typedef struct leaf_ball {
  ct_vec3 center;
  double radius;
  uint32_t index;
} leaf_ball;

/* Leaves [begin, end) that become a node. */
typedef struct range {
  uint32_t begin, end, node, depth;
} range;

static double arm_of(const ct_impact_colliders *c, ct_vec3 axis, ct_vec3 center) {
  ct_vec3 to = ct_sub(center, c->group.pivot);
  double far = ct_norm(to);
  return (c->group.steady ? ct_norm(ct_cross(axis, to)) : far) + BALL_WIDENING * far;
}

static void set_leaves(ct_impact_colliders *c, leaf_ball *leaves) {
  const ct_frame identity = ct_frame_of(ct_pose_identity());
  for (uint32_t i = 0; i < c->count; i++) {
    ct_frame frame = ct_body_shape_frame(c->mover.body, i, &identity);
    leaf_ball *leaf = &leaves[i];
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

/* A ball about the middle of the centres. */
static void set_ball(ct_impact_node *node, const leaf_ball *leaves, const range *r, ct_box *centers) {
  centers->min = centers->max = leaves[r->begin].center;
  for (uint32_t i = r->begin; i < r->end; i++) *centers = ct_box_union(*centers, (ct_box){leaves[i].center, leaves[i].center});
  node->center = ct_scale(ct_add(centers->min, centers->max), 0.5);
  node->radius = 0.0;
  for (uint32_t i = r->begin; i < r->end; i++)
    node->radius = ct_max2(node->radius, ct_norm(ct_sub(leaves[i].center, node->center)) + leaves[i].radius);
  node->radius += BALL_WIDENING * (node->radius + ct_max_abs(node->center));
}

static double along(ct_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Half-spaces go to the left, so that the others have balls; else what lies below the middle of the widest axis. Where the right
 * begins. */
static uint32_t split(leaf_ball *leaves, const range *r, const ct_box *centers) {
  ct_vec3 width = ct_sub(centers->max, centers->min);
  int axis = width.x >= width.y && width.x >= width.z ? 0 : width.y >= width.z ? 1 : 2;
  double middle = 0.5 * (along(centers->min, axis) + along(centers->max, axis));
  uint32_t planes = 0;
  for (uint32_t i = r->begin; i < r->end; i++) planes += !(leaves[i].radius < INFINITY);
  bool apart = planes > 0 && planes < r->end - r->begin;
  uint32_t left = r->begin;
  for (uint32_t i = r->begin; i < r->end; i++) {
    bool goes = apart ? !(leaves[i].radius < INFINITY) : along(leaves[i].center, axis) < middle;
    if (!goes) continue;
    leaf_ball swap = leaves[i];
    leaves[i] = leaves[left];
    leaves[left++] = swap;
  }
  bool halves = r->depth >= UNEVEN_LEVELS || left == r->begin || left == r->end;
  return halves ? r->begin + (r->end - r->begin) / 2 : left;
}

static void make_tree(ct_impact_colliders *c, leaf_ball *leaves) {
  ct_frame start = ct_frame_of(ct_path_pose(c->mover.path, 0.0));
  ct_vec3 axis = ct_mat_tmul(start.rotation, c->group.axis);
  range stack[CT_IMPACT_TREE_HEIGHT_MAX];
  uint32_t top = 0, used = 1;
  stack[top++] = (range){0, c->count, 0, 0};
  while (top > 0) {
    range r = stack[--top];
    ct_impact_node *node = &c->nodes[r.node];
    ct_box centers;
    *node = (ct_impact_node){.index = leaves[r.begin].index};
    if (r.end - r.begin == 1) {
      node->center = leaves[r.begin].center;
      node->radius = leaves[r.begin].radius;
      node->arm = arm_of(c, axis, node->center);
      continue;
    }
    set_ball(node, leaves, &r, &centers);
    node->arm = arm_of(c, axis, node->center);
    node->child = used;
    uint32_t middle = split(leaves, &r, &centers);
    stack[top++] = (range){middle, r.end, used + 1, r.depth + 1};
    stack[top++] = (range){r.begin, middle, used, r.depth + 1};
    used += 2;
  }
}

/* Is the mover in the block already? */
static bool is_kept(const ct_body_memory *memory, int which, ct_mover mover) {
  if (!memory->keeps || !memory->filled[which]) return false;
  const ct_impact_colliders *c = memory->blocks[which];
  return c->mover.body == mover.body && c->mover.path == mover.path;
}

static bool reserve(ct_body_memory *memory, int which, size_t bytes) {
  if (memory->sizes[which] >= bytes) return true;
  free(memory->blocks[which]);
  memory->blocks[which] = malloc(bytes);
  memory->sizes[which] = memory->blocks[which] ? bytes : 0;
  return memory->blocks[which] != NULL;
}

ct_status ct_impact_colliders_set(ct_mover mover, ct_body_memory *memory, int which, ct_impact_colliders **out) {
  uint32_t count = (uint32_t)ct_body_collider_count(mover.body);
  size_t sides = sizeof **out, nodes = sides + count * sizeof(ct_impact_side), leaves = nodes + 2 * count * sizeof(ct_impact_node);
  bool kept = is_kept(memory, which, mover);
  memory->filled[which] = kept;
  if (!kept && !reserve(memory, which, leaves + count * sizeof(leaf_ball))) return CT_OUT_OF_MEMORY;
  ct_impact_colliders *c = *out = memory->blocks[which];
  if (kept) return CT_OK;
  *c = (ct_impact_colliders){.mover = mover, .count = count, .group = ct_impact_side_start(mover)};
  c->group.group = true;
  c->sides = (ct_impact_side *)((char *)c + sides);
  c->nodes = (ct_impact_node *)((char *)c + nodes);
  for (uint32_t i = 0; i < count; i++) c->sides[i].body = NULL;
  set_leaves(c, (leaf_ball *)((char *)c + leaves));
  make_tree(c, (leaf_ball *)((char *)c + leaves));
  memory->filled[which] = true;
  return CT_OK;
}

void ct_impact_keep(ct_workspace *workspace, bool keeps) {
  workspace->bodies.keeps = keeps;
  workspace->bodies.filled[0] = workspace->bodies.filled[1] = false;
}

const ct_impact_side *ct_impact_collider(ct_impact_colliders *colliders, uint32_t index) {
  ct_impact_side *side = &colliders->sides[index];
  if (side->body) return side;
  *side = ct_impact_side_of(colliders->mover, index);
  colliders->made++;
  return side;
}

ct_impact_side ct_impact_node_side(const ct_impact_colliders *colliders, uint32_t node) {
  const ct_impact_node *n = &colliders->nodes[node];
  ct_impact_side side = colliders->group;
  side.ball = n->center;
  side.ball_arm = n->arm;
  side.radius = n->radius;
  bool plane = n->child == 0 && !(n->radius < INFINITY);
  if (plane) side.shape = ct_body_shape(colliders->mover.body, n->index);
  if (plane) side.index = n->index;
  return side;
}
