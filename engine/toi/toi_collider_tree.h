/* The colliders of a body on its path, and a tree of balls around them. */
#ifndef TOI_TOI_COLLIDER_TREE_H
#define TOI_TOI_COLLIDER_TREE_H

#include "pair/workspace.h"
#include "toi/toi.h"

/* Levels of a tree: splits that fall unevenly end in halvings by number. */
#define CT_TOI_TREE_HEIGHT_MAX 80

/* A ball around a collider, body frame. */
typedef struct ct_toi_leaf {
  ct_vec3 center;
  double radius;
  uint32_t index;
} ct_toi_leaf;

/* A group of colliders. */
typedef struct ct_toi_node {
  ct_vec3 center;      /* of a ball that holds them, body frame */
  double radius;       /* INFINITY: with a half-space */
  double arm;          /* of the centre, as ball_arm of a side */
  uint32_t begin, end; /* leaves; one: a collider */
  uint32_t child;      /* the first of two, side by side; 0: not taken apart yet */
  uint32_t depth;
} ct_toi_node;

struct ct_toi_colliders {
  ct_moving_body mover;
  uint32_t count;
  uint32_t made;      /* sides */
  uint64_t looked;    /* pairs of groups that were looked at, of a's set */
  ct_toi_side group;  /* of all, without a ball */
  ct_toi_side *sides; /* [count] each made when it is first asked for: body NULL before */
  ct_toi_node *nodes; /* [used]; the first: all */
  uint32_t used;
  ct_toi_leaf *leaves; /* [count] those of a node side by side */
  ct_vec3 axis;        /* body frame, where it is steady */
};

/* Growing blocks for the colliders of two bodies. */
typedef struct ct_body_scratch {
  void *blocks[2];
  size_t sizes[2];
  bool filled[2];
  bool keeps; /* bodies and paths are unchanged between calls: filled blocks stay valid for the same
                 ones */
} ct_body_scratch;

/* The colliders part of a workspace. */
extern const ct_workspace_part_type ct_collider_part_type;
static inline ct_body_scratch *ct_workspace_colliders(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_COLLIDERS, &ct_collider_part_type);
}

/* In the first or second block of the memory. CT_OUT_OF_MEMORY. Cost: O(n), where they are not
 * there already. */
ct_status ct_toi_colliders_set(ct_moving_body mover, ct_body_scratch *memory, int which,
                               ct_toi_colliders **out);
const ct_toi_side *ct_toi_collider(ct_toi_colliders *colliders, uint32_t index);
static inline bool ct_toi_node_single(const ct_toi_node *node) {
  return node->end - node->begin == 1;
}
/* The first of the two parts of a node of several colliders. Cost: O(n) for the first time. */
uint32_t ct_toi_node_parts(ct_toi_colliders *colliders, uint32_t node);
/* A node as a side: a group, or a leaf. */
ct_toi_side ct_toi_node_side(const ct_toi_colliders *colliders, uint32_t node);

#endif
