/* The colliders of a body on its path, and a tree of balls around them. */
#ifndef TOI_TOI_COLLIDER_TREE_H
#define TOI_TOI_COLLIDER_TREE_H

#include "pair/workspace.h"
#include "toi/toi.h"

/* Upper bound of the height of a tree: UNEVEN_LEVELS levels split by position, then levels that
 * halve the number of leaves. */
#define CT_TOI_TREE_HEIGHT_MAX 80

/* A ball around one collider, body frame. */
typedef struct ct_toi_leaf {
  ct_vec3 center;
  double radius;
  uint32_t index;
} ct_toi_leaf;

/* A group of colliders: a single leaf, or an inner node that is split on demand. */
typedef struct ct_toi_node {
  ct_vec3 center; /* centre of a ball that contains the group, body frame */
  double radius;  /* m; INFINITY: the group contains a half-space */
  double arm; /* distance of the centre from the axis of rotation, like ct_toi_side.ball_arm, m */
  uint32_t begin, end; /* leaves [begin, end) of the group */
  uint32_t child;      /* first of two adjacent children; 0: not split yet */
  uint32_t depth;
} ct_toi_node;

struct ct_toi_colliders {
  ct_moving_body mover;
  uint32_t count;
  uint32_t sides_prepared; /* number of sides prepared so far */
  uint64_t groups_tested; /* number of pairs of groups tested; counted in the colliders of body a */
  ct_toi_side group;      /* the members that all colliders share; its ball is not set */
  ct_toi_side *sides;     /* [count] prepared on demand; `body` is NULL before */
  ct_toi_node *nodes;     /* [used]; nodes[0] is the root */
  uint32_t used;
  ct_toi_leaf *leaves; /* [count] the leaves of a node are adjacent */
  ct_vec3 axis;        /* axis of rotation in the body frame, if it is steady */
};

/* Memory blocks for the colliders of two bodies; they only grow. */
typedef struct ct_body_scratch {
  void *blocks[2];
  size_t sizes[2];
  bool filled[2];
  bool retains; /* bodies and paths do not change between calls, so that a filled block remains
                   valid for the same body and path */
} ct_body_scratch;

/* Workspace part that stores the collider trees of two bodies. */
extern const ct_workspace_part_type ct_collider_part_type;
static inline ct_body_scratch *ct_workspace_colliders(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_COLLIDERS, &ct_collider_part_type);
}

/* Prepares the colliders of a body in memory block `which` (0 or 1). CT_OUT_OF_MEMORY. Cost: O(n),
 * or O(1) if the block contains them already. */
ct_status ct_toi_colliders_set(ct_moving_body mover, ct_body_scratch *memory, int which,
                               ct_toi_colliders **out);
const ct_toi_side *ct_toi_collider(ct_toi_colliders *colliders, uint32_t index);
static inline bool ct_toi_node_single(const ct_toi_node *node) {
  return node->end - node->begin == 1;
}
/* Returns the first of the two children of a node with several colliders; splits the node if
 * needed. Cost: O(n) for the first call. */
uint32_t ct_toi_split_node(ct_toi_colliders *colliders, uint32_t node);
/* Returns the group of colliders of a node as a side. */
ct_toi_side ct_toi_node_side(const ct_toi_colliders *colliders, uint32_t node);

#endif
