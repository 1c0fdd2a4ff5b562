/* Dynamic AABB tree: insertion, removal, movement and rotations; queries for the leaves that
 * overlap a box and for pairs of overlapping leaves. Bulk build: aabb_tree_build.c.
 *
 * Insertion searches the sibling with the least added surface area by branch and bound (Goldsmith,
 * Salmon 1987; Bittner, Hapala, Havran 2013); rotations reduce the area on the way up (Kensler
 * 2008). Neither exceeds the tree's height limit, which bounds the stacks of the queries. Pairs
 * are found by simultaneous descent from (root, root).
 */
#include "broad/aabb_tree.h"
#include "broad/broad_methods.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of nodes visited in a search for a sibling; already the first descent finds a good
 * one. */
#define SEARCH_NODES_MAX 256
#define FIRST_NODES 16

ct_tree *ct_tree_create(void) {
  ct_tree *tree = malloc(sizeof *tree);
  if (tree) *tree = (ct_tree){.free_head = CT_TREE_NULL, .root = CT_TREE_NULL};
  return tree;
}

ct_tree *ct_tree_clone(const ct_tree *tree) {
  ct_tree *copy = ct_tree_create();
  if (!copy) return NULL;
  if (!ct_tree_reserve(copy, tree->used)) {
    free(copy);
    return NULL;
  }
  if (tree->used) memcpy(copy->nodes, tree->nodes, tree->used * sizeof *tree->nodes);
  copy->used = tree->used;
  copy->free_head = tree->free_head;
  copy->root = tree->root;
  copy->leaf_count = tree->leaf_count;
  return copy;
}

void ct_tree_destroy(ct_tree *tree) {
  if (!tree) return;
  free(tree->nodes);
  free(tree);
}

bool ct_tree_reserve(ct_tree *tree, uint32_t capacity) {
  if (capacity <= tree->capacity) return true;
  ct_tree_node *nodes = aligned_alloc(sizeof *nodes, (size_t)capacity * sizeof *nodes);
  if (!nodes) return false;
  if (tree->used) memcpy(nodes, tree->nodes, tree->used * sizeof *nodes);
  free(tree->nodes);
  tree->nodes = nodes;
  tree->capacity = capacity;
  return true;
}

size_t ct_tree_count(const ct_tree *tree) { return tree->leaf_count; }

uint32_t ct_tree_height(const ct_tree *tree) {
  return tree->root == CT_TREE_NULL ? 0 : tree->nodes[tree->root].height;
}

size_t ct_tree_bytes(const ct_tree *tree) {
  return sizeof *tree + tree->capacity * sizeof *tree->nodes;
}

const ct_aabb *ct_tree_aabb(const ct_tree *tree, uint32_t proxy) {
  assert(proxy < tree->used && tree->nodes[proxy].height == 0);
  return &tree->nodes[proxy].box;
}

bool ct_tree_bounds(const ct_tree *tree, ct_aabb *box) {
  if (tree->root == CT_TREE_NULL) return false;
  *box = tree->nodes[tree->root].box;
  return true;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static uint32_t allocate_node(ct_tree *tree) {
  uint32_t index = tree->free_head;
  if (index != CT_TREE_NULL) tree->free_head = tree->nodes[index].parent;
  else index = tree->used++;
  assert(index < tree->capacity);
  return index;
}

static void free_node(ct_tree *tree, uint32_t index) {
  assert(index < tree->used && tree->nodes[index].height != CT_TREE_FREE);
  tree->nodes[index].height = CT_TREE_FREE;
  tree->nodes[index].parent = tree->free_head;
  tree->free_head = index;
}

static double measure_union(const ct_tree *tree, uint32_t a, uint32_t b) {
  return ct_tree_area(ct_aabb_union(tree->nodes[a].box, tree->nodes[b].box));
}

static bool has_equal_aabb(const ct_aabb *a, const ct_aabb *b) {
  return a->min.x == b->min.x && a->min.y == b->min.y && a->min.z == b->min.z &&
         a->max.x == b->max.x && a->max.y == b->max.y && a->max.z == b->max.z;
}

static bool contains_aabb(const ct_aabb *outer, const ct_aabb *inner) {
  return outer->min.x <= inner->min.x && outer->min.y <= inner->min.y &&
         outer->min.z <= inner->min.z && inner->max.x <= outer->max.x &&
         inner->max.y <= outer->max.y && inner->max.z <= outer->max.z;
}

/* Recomputes box and heights of an inner node from its children. True if any of them changed. */
static bool recompute_node(ct_tree *tree, uint32_t index) {
  ct_tree_node *node = &tree->nodes[index], old = *node;
  ct_tree_join(node, &tree->nodes[old.child[0]], &tree->nodes[old.child[1]]);
  return node->height != old.height || node->shallow != old.shallow ||
         !has_equal_aabb(&node->box, &old.box);
}

static void replace_child(ct_tree *tree, uint32_t parent, uint32_t old, uint32_t new) {
  assert(parent == CT_TREE_NULL
             ? tree->root == old
             : tree->nodes[parent].child[0] == old || tree->nodes[parent].child[1] == old);
  if (parent == CT_TREE_NULL) tree->root = new;
  else tree->nodes[parent].child[tree->nodes[parent].child[1] == old] = new;
  tree->nodes[new].parent = parent;
}

/* ---- rotations ------------------------------------------------------------------------------ */

static uint32_t compute_height_limit(const ct_tree *tree) {
  return 2 * ct_tree_log2(tree->leaf_count) + CT_TREE_HEIGHT_SLACK;
}

static uint32_t greater_height(const ct_tree_node *a, const ct_tree_node *b) {
  return a->height > b->height ? a->height : b->height;
}

/* Exchange of a child of a node with one of its grandchildren. */
typedef struct exchange {
  double gain; /* reduction of the surface area of the child's sibling by the exchange, m^2 */
  uint32_t child, grandchild;
} exchange;

/* Replaces *best if exchanging `child` with a child of its sibling reduces the area more. The gain
 * is the reduction of the sibling's area. Exchanges that increase the height are rejected. */
static void consider_exchange(const ct_tree *tree, uint32_t child, uint32_t sibling,
                              exchange *best) {
  const ct_tree_node *nodes = tree->nodes;
  if (nodes[sibling].height == 0) return;
  double area = ct_tree_area(nodes[sibling].box);
  for (int k = 0; k < 2; k++) {
    uint32_t out = nodes[sibling].child[k], stays = nodes[sibling].child[!k];
    double gain = area - measure_union(tree, stays, child);
    if (!(gain > best->gain)) continue;
    uint32_t inner = greater_height(&nodes[stays], &nodes[child]) + 1u,
             height = inner > nodes[out].height ? inner : nodes[out].height;
    if (height > greater_height(&nodes[child], &nodes[sibling])) continue;
    *best = (exchange){gain, child, out};
  }
}

/* Applies the best of the four exchanges of a child with a grandchild of the node, if one reduces
 * the area. */
static void rotate_below(ct_tree *tree, uint32_t index) {
  ct_tree_node *nodes = tree->nodes;
  assert(nodes[index].height > 0);
  uint32_t a = nodes[index].child[0], b = nodes[index].child[1];
  exchange best = {0.0, CT_TREE_NULL, CT_TREE_NULL};
  consider_exchange(tree, a, b, &best);
  consider_exchange(tree, b, a, &best);
  if (best.child == CT_TREE_NULL) return;
  uint32_t sibling = nodes[best.grandchild].parent;
  replace_child(tree, index, best.child, best.grandchild);
  replace_child(tree, sibling, best.grandchild, best.child);
  recompute_node(tree, sibling);
  recompute_node(tree, index);
}

/* Recomputes boxes and heights from `index` up to the root, with rotations; ends at the first node
 * that does not change. */
static void refit_ancestors(ct_tree *tree, uint32_t index) {
  while (index != CT_TREE_NULL) {
    if (!recompute_node(tree, index)) return;
    rotate_below(tree, index);
    index = tree->nodes[index].parent;
  }
}

/* ---- insertion ------------------------------------------------------------------------------ */

typedef struct sibling_step {
  uint32_t index, depth;
  /* sum of the area increases of the ancestors of `index` if the new leaf is inserted below */
  double inherited;
} sibling_step;

/* Returns the leaf nearest to the root; its depth is at most log2(leaves). */
static uint32_t find_shallowest_leaf(const ct_tree *tree) {
  const ct_tree_node *nodes = tree->nodes;
  uint32_t at = tree->root;
  while (nodes[at].height > 0)
    at = nodes[at].child[nodes[nodes[at].child[1]].shallow < nodes[nodes[at].child[0]].shallow];
  return at;
}

/* Returns the best sibling for a new leaf: the node with the least increase of total area within
 * the height limit; of equal increases the node of lower height, then of lower index. Requires a
 * nonempty tree. */
static uint32_t find_sibling(const ct_tree *tree, const ct_aabb *box) {
  const ct_tree_node *nodes = tree->nodes;
  sibling_step stack[SEARCH_NODES_MAX + 2];
  double leaf_area = ct_tree_area(*box), best_cost = INFINITY;
  uint32_t best = CT_TREE_NULL, limit = compute_height_limit(tree);
  int top = 0;
  assert(tree->root != CT_TREE_NULL);
  stack[top++] = (sibling_step){tree->root, 0, 0.0};
  for (int visited = 0; top > 0 && visited < SEARCH_NODES_MAX; visited++) {
    sibling_step step = stack[--top];
    const ct_tree_node *node = &nodes[step.index];
    double cost = ct_tree_area(ct_aabb_union(node->box, *box)) + step.inherited;
    /* Best sibling so far, within the height limit. */
    bool fits = step.depth + node->height + 1 <= limit;
    if (fits &&
        (cost < best_cost ||
         (cost == best_cost && (node->height < nodes[best].height ||
                                (node->height == nodes[best].height && step.index < best))))) {
      best_cost = cost;
      best = step.index;
    }
    /* Prune: this is a lower bound of the cost of every descendant. */
    double inherited = cost - ct_tree_area(node->box);
    if (node->height == 0 || inherited + leaf_area > best_cost) continue;
    const ct_tree_node *c0 = &nodes[node->child[0]], *c1 = &nodes[node->child[1]];
    double grow0 = ct_tree_area(ct_aabb_union(c0->box, *box)) - ct_tree_area(c0->box);
    double grow1 = ct_tree_area(ct_aabb_union(c1->box, *box)) - ct_tree_area(c1->box);
    /* The child whose area grows less is visited first, so it is pushed last; of equal ones the
     * child of lower height. */
    assert(top + 2 <= SEARCH_NODES_MAX + 2);
    int first = grow1 < grow0 || (grow1 == grow0 && c1->height < c0->height);
    stack[top++] = (sibling_step){node->child[!first], step.depth + 1, inherited};
    stack[top++] = (sibling_step){node->child[first], step.depth + 1, inherited};
  }
  return best == CT_TREE_NULL ? find_shallowest_leaf(tree) : best;
}

/* Links a leaf into the tree. Requires that one more node can be allocated. */
static void link_leaf(ct_tree *tree, uint32_t leaf) {
  ct_tree_node *nodes = tree->nodes;
  if (tree->root == CT_TREE_NULL) {
    tree->root = leaf;
    nodes[leaf].parent = CT_TREE_NULL;
    return;
  }
  uint32_t sibling = find_sibling(tree, &nodes[leaf].box);
  uint32_t parent = allocate_node(tree);
  replace_child(tree, nodes[sibling].parent, sibling, parent);
  nodes[parent].child[0] = sibling;
  nodes[parent].child[1] = leaf;
  nodes[parent].height = 0; /* an outdated height, so that refit_ancestors does not stop at the
                               parent */
  nodes[sibling].parent = parent;
  nodes[leaf].parent = parent;
  refit_ancestors(tree, parent);
}

/* Unlinks a leaf from the tree: its own node stays allocated, its parent's node is freed. */
static void unlink_leaf(ct_tree *tree, uint32_t leaf) {
  ct_tree_node *nodes = tree->nodes;
  uint32_t parent = nodes[leaf].parent;
  if (parent == CT_TREE_NULL) {
    tree->root = CT_TREE_NULL;
    return;
  }
  uint32_t sibling = nodes[parent].child[nodes[parent].child[0] == leaf],
           grandparent = nodes[parent].parent;
  replace_child(tree, grandparent, parent, sibling);
  free_node(tree, parent);
  refit_ancestors(tree, grandparent);
}

ct_status ct_tree_insert(ct_tree *tree, const ct_aabb *box, uint32_t user, uint32_t *proxy) {
  if (tree->leaf_count >= CT_TREE_LEAVES_MAX) return CT_LIMIT;
  /* An insertion needs a leaf and an inner node; a tree with n leaves has 2 n - 1 nodes. */
  uint32_t needed = 2 * tree->leaf_count + 2;
  if (needed > tree->capacity) {
    uint32_t more = tree->capacity + tree->capacity / 2;
    if (more < FIRST_NODES) more = FIRST_NODES;
    if (!ct_tree_reserve(tree, more > needed ? more : needed)) return CT_OUT_OF_MEMORY;
  }
  uint32_t leaf = allocate_node(tree);
  tree->nodes[leaf] = (ct_tree_node){*box, CT_TREE_NULL, {CT_TREE_NULL, user}, 0, 0};
  tree->leaf_count++;
  link_leaf(tree, leaf);
  *proxy = leaf;
  return CT_OK;
}

void ct_tree_remove(ct_tree *tree, uint32_t proxy) {
  assert(proxy < tree->used && tree->nodes[proxy].height == 0);
  unlink_leaf(tree, proxy);
  free_node(tree, proxy);
  assert(tree->leaf_count > 0);
  tree->leaf_count--;
}

void ct_tree_move(ct_tree *tree, uint32_t proxy, const ct_aabb *box) {
  assert(proxy < tree->used && tree->nodes[proxy].height == 0);
  ct_tree_node *nodes = tree->nodes;
  if (has_equal_aabb(box, &nodes[proxy].box)) {
    nodes[proxy].box = *box;
    return;
  }
  uint32_t parent = nodes[proxy].parent;
  uint32_t fence = parent == CT_TREE_NULL || nodes[parent].parent == CT_TREE_NULL
                       ? parent
                       : nodes[parent].parent;
  /* A box inside its grandparent's box enlarges no box above it, so the leaf may stay in place. */
  bool stays = fence != CT_TREE_NULL && contains_aabb(&nodes[fence].box, box);
  if (!stays) unlink_leaf(tree, proxy);
  nodes[proxy].box = *box;
  if (stays) refit_ancestors(tree, parent);
  else link_leaf(tree, proxy);
}

/* ---- check ---------------------------------------------------------------------------------- */

static bool is_valid_node(const ct_tree *tree, uint32_t index) {
  const ct_tree_node *node = &tree->nodes[index];
  uint32_t a = node->child[0], b = node->child[1];
  if (a >= tree->used || b >= tree->used || a == b) return false;
  if (tree->nodes[a].parent != index || tree->nodes[b].parent != index) return false;
  ct_tree_node joined;
  ct_tree_join(&joined, &tree->nodes[a], &tree->nodes[b]);
  return has_equal_aabb(&joined.box, &node->box) && node->height == joined.height &&
         node->shallow == joined.shallow;
}

bool ct_tree_valid(const ct_tree *tree) {
  /* Check each node, and count leaves, inner and unused nodes. */
  uint32_t leaves = 0, inner = 0, unused = 0;
  for (uint32_t i = 0; i < tree->used; i++) {
    const ct_tree_node *node = &tree->nodes[i];
    if (node->height == CT_TREE_FREE) {
      unused++;
      continue;
    }
    if ((node->parent == CT_TREE_NULL) != (i == tree->root)) return false;
    if (node->height == 0) {
      if (node->child[0] != CT_TREE_NULL || node->shallow != 0) return false;
      leaves++;
    } else {
      if (!is_valid_node(tree, i)) return false;
      inner++;
    }
  }
  /* Check the height limit, the free list and the counts. */
  if (ct_tree_height(tree) > CT_TREE_HEIGHT_MAX) return false;
  uint32_t listed = 0;
  for (uint32_t i = tree->free_head; i != CT_TREE_NULL && listed <= unused;
       i = tree->nodes[i].parent)
    listed++;
  return leaves == tree->leaf_count && inner == (leaves ? leaves - 1 : 0) && listed == unused &&
         (leaves == 0) == (tree->root == CT_TREE_NULL);
}

/* Pairs of nodes between two polls of the cancel flag. */
#define STEPS_PER_POLL 4096
/* Size of the stack of pending pairs of nodes: on each level of either side, a pair of equal nodes
 * leaves two pairs and any other pair one. */
#define PAIR_STACK (4 * CT_TREE_HEIGHT_MAX + 4)

void ct_tree_query(const ct_tree *tree, const ct_aabb *box, ct_tree_visit visit, void *context,
                   uint64_t *tests) {
  const ct_tree_node *nodes = tree->nodes;
  const ct_aabb query = *box;
  uint32_t stack[CT_TREE_HEIGHT_MAX + 2];
  uint64_t tested = 0;
  int top = 0;
  if (tree->root != CT_TREE_NULL) stack[top++] = tree->root;
  while (top > 0) {
    const ct_tree_node *node = &nodes[stack[--top]];
    tested++;
    if (!ct_aabb_overlap(&node->box, &query)) continue;
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

/* Adds all pairs of overlapping leaves, by simultaneous descent from (root, root). Each pair on the
 * stack is a node with itself, or two nodes that overlap. */
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
    /* The node of greater height is opened, so that both sides descend evenly. */
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
