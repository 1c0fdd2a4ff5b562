/* Queries of the AABB tree: leaves that overlap a box, and pairs of overlapping leaves by
 * simultaneous descent. */
#include "broad/aabb_tree.h"
#include "broad/broad_methods.h"

#include <assert.h>

/* Node pairs between two polls of the cancel flag. */
#define STEPS_PER_POLL 4096
/* Pending node pairs: per level, a pair of equal nodes leaves two and any other pair one, on two
 * sides. */
#define PAIR_STACK (4 * CT_TREE_HEIGHT_MAX + 4)

void ct_tree_query(const ct_tree *tree, const ct_aabb *box, ct_tree_visit visit, void *context,
                   uint64_t *tests) {
  const ct_tree_node *nodes = tree->nodes;
  const ct_aabb asked = *box;
  uint32_t stack[CT_TREE_HEIGHT_MAX + 2];
  uint64_t tested = 0;
  int top = 0;
  if (tree->root != CT_TREE_NULL) stack[top++] = tree->root;
  while (top > 0) {
    const ct_tree_node *node = &nodes[stack[--top]];
    tested++;
    if (!ct_aabb_overlap(&node->box, &asked)) continue;
    if (node->height > 0) {
      assert(top + 2 <= CT_TREE_HEIGHT_MAX + 2);
      stack[top++] = node->child[1];
      stack[top++] = node->child[0];
    } else if (!visit(context, node->child[1])) {
      break;
    }
  }
  if (tests) *tests += tested;
}

typedef struct node_pair {
  uint32_t a, b;
} node_pair;

/* Finds all overlapping pairs of leaves by descent from (root, root). Pairs on the stack are
 * equal nodes or overlap. */
static ct_status find_leaf_pairs(const ct_tree *tree, ct_pair_output *out) {
  const ct_tree_node *nodes = tree->nodes;
  node_pair stack[PAIR_STACK];
  int top = 0;
  stack[top++] = (node_pair){tree->root, tree->root};
  for (uint64_t step = 0; top > 0; step++) {
    if (step % STEPS_PER_POLL == 0 && ct_cancel_raised(out->cancel)) return CT_CANCELLED;
    node_pair p = stack[--top];
    assert(top + 3 <= PAIR_STACK);
    const ct_tree_node *a = &nodes[p.a], *b = &nodes[p.b];
    if (p.a == p.b) {
      if (a->height == 0) continue;
      uint32_t c = a->child[0], d = a->child[1];
      stack[top++] = (node_pair){c, c};
      stack[top++] = (node_pair){d, d};
      out->box_tests++;
      if (ct_aabb_overlap(&nodes[c].box, &nodes[d].box)) stack[top++] = (node_pair){c, d};
      continue;
    }
    if (a->height == 0 && b->height == 0) {
      ct_status status = ct_pair_output_add(out, a->child[1], b->child[1]);
      if (status != CT_OK) return status;
      continue;
    }
    /* The higher node is opened, so both sides shrink alike. */
    uint32_t open = a->height >= b->height ? p.a : p.b, other = open == p.a ? p.b : p.a;
    const ct_aabb *against = &nodes[other].box;
    out->box_tests += 2;
    for (int k = 1; k >= 0; k--) {
      uint32_t child = nodes[open].child[k];
      if (ct_aabb_overlap(&nodes[child].box, against)) stack[top++] = (node_pair){child, other};
    }
  }
  return CT_OK;
}

ct_status ct_tree_pairs(const ct_tree *tree, ct_pair_output *out) {
  out->tree_height = ct_tree_height(tree);
  return tree->root == CT_TREE_NULL ? CT_OK : find_leaf_pairs(tree, out);
}

ct_status ct_broad_tree(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  ct_tree *tree = ct_tree_create();
  if (!tree) return CT_OUT_OF_MEMORY;
  ct_status status = ct_tree_build(tree, boxes, NULL, count, NULL, out->cancel);
  if (status == CT_OK) status = ct_tree_pairs(tree, out);
  ct_tree_destroy(tree);
  return status;
}
