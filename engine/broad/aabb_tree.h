/* Nodes of the dynamic AABB tree; private to engine/broad.
 *
 * One array of 64-byte nodes. A leaf is a proxy and keeps its index. A bulk build stores siblings
 * side by side in depth-first order. Boxes are tight: a parent's box is the union of its children's
 * boxes.
 */
#ifndef BROAD_AABB_TREE_H
#define BROAD_AABB_TREE_H

#include <contact/broad.h>

typedef struct ct_tree_node {
  ct_aabb box;
  /* index of the parent, CT_TREE_NULL at the root; in a free node, the next free node */
  uint32_t parent;
  uint32_t child[2]; /* indices of the children; of a leaf: CT_TREE_NULL and the user value */
  /* number of tree edges from the node to its deepest leaf; 0: the node is a leaf; CT_TREE_FREE:
   * the node is unused */
  uint16_t height;
  uint16_t shallow; /* number of tree edges from the node to its nearest leaf; at most log2(number
                       of leaves below the node) */
} ct_tree_node;
_Static_assert(sizeof(ct_tree_node) == CT_TREE_NODE_BYTES, "as the public header tells");

#define CT_TREE_FREE UINT16_MAX

/* Largest number of leaves, and largest height for any input: 2 log2(largest number of leaves so
 * far) + CT_TREE_HEIGHT_SLACK. If the surface area heuristic would exceed it, a build halves ranges
 * instead, and an insertion chooses another sibling. */
#define CT_TREE_LEAVES_MAX (1u << 30)
#define CT_TREE_HEIGHT_SLACK 8
#define CT_TREE_HEIGHT_MAX (2 * 30 + CT_TREE_HEIGHT_SLACK)

struct ct_tree {
  ct_tree_node *nodes;
  uint32_t capacity;
  /* number of nodes in use or in the free list; nodes[used..capacity) have never been used */
  uint32_t used;
  uint32_t free_head; /* head of the free list */
  uint32_t root;
  uint32_t leaf_count;
};

/* floor(log2(count)); 0 for 0. */
static inline uint32_t ct_tree_log2(uint32_t count) {
  uint32_t bits = 0;
  for (; count > 1; count >>= 1) bits++;
  return bits;
}

/* Reserves space for `capacity` nodes; the used ones are preserved. False: out of memory, nothing
 * changed. */
bool ct_tree_reserve(ct_tree *tree, uint32_t capacity);

/* Upper limit of a box's extents in areas, m, so that unbounded boxes have finite areas with finite
 * sums. */
#define CT_TREE_EXTENT_MAX 1e100

/* max - min, clamped to [0, CT_TREE_EXTENT_MAX] for any input. */
static inline double ct_tree_extent(double min, double max) {
  double extent = max - min;
  if (!(extent < CT_TREE_EXTENT_MAX)) return CT_TREE_EXTENT_MAX;
  return extent > 0.0 ? extent : 0.0;
}

/* Sets box and heights of an inner node from its children a and b. */
static inline void ct_tree_join(ct_tree_node *node, const ct_tree_node *a, const ct_tree_node *b) {
  node->box = ct_aabb_union(a->box, b->box);
  node->height = (uint16_t)((a->height > b->height ? a->height : b->height) + 1);
  node->shallow = (uint16_t)((a->shallow < b->shallow ? a->shallow : b->shallow) + 1);
}

/* Half the surface area, m^2; finite. */
static inline double ct_tree_area(ct_aabb box) {
  double x = ct_tree_extent(box.min.x, box.max.x), y = ct_tree_extent(box.min.y, box.max.y),
         z = ct_tree_extent(box.min.z, box.max.z);
  return x * y + y * z + z * x;
}

#endif
