/* Broad phase over boxes. Boxes are closed; a pair touches if it overlaps on all three axes. Sides may be infinite and boxes may
 * have no extent; min <= max on each axis, and no NaN. Pair lists are i < j, sorted by (i, j), each once: the same list whatever
 * the method. What keeps its lists from one frame to the next is in sweep.h. */
#ifndef CONTACT_BROAD_H
#define CONTACT_BROAD_H

#include <contact/cancel.h>
#include <contact/linkage.h>
#include <contact/status.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_pair_index {
  uint32_t i, j; /* i < j */
} ct_pair_index;

typedef struct ct_pair_list {
  ct_pair_index *items; /* owned by the list; free with ct_pair_list_free */
  size_t count, capacity;
} ct_pair_list;
void ct_pair_list_free(ct_pair_list *list);

typedef enum ct_broadphase {
  CT_BROADPHASE_AUTO,
  CT_BROADPHASE_TREE,              /* a tree of boxes, asked for its own pairs */
  CT_BROADPHASE_SWEEP,             /* sort and sweep on three axes, able to go on from a frame before: sweep.h */
  CT_BROADPHASE_SWEEP_SINGLE_AXIS, /* sort and sweep on the axis of the largest variance */
  CT_BROADPHASE_HYBRID,            /* Zomorodian and Edelsbrunner 2002: streamed segment tree and scans */
  CT_BROADPHASE_GRID,              /* uniform grids, one for each range of sizes; where cells are crowded, the hybrid */
  CT_BROADPHASE_BRUTE_FORCE        /* every pair */
} ct_broadphase;

typedef struct ct_broad_options {
  ct_broadphase method;
  size_t limit;            /* pairs at most */
  const ct_cancel *cancel; /* NULL: never */
} ct_broad_options;
/* Defaults: AUTO; limit CT_PAIRS_MAX, where 0 allows no pair. */
ct_broad_options ct_broad_options_default(void);

typedef struct ct_broad_statistics {
  ct_broadphase method; /* the one used; never AUTO */
  uint32_t tree_height; /* 0 for all but the tree */
  uint32_t full_sorts;  /* 1 for the sweep on three axes, else 0 */
  uint64_t box_tests;   /* box against box, leaves and inner nodes */
} ct_broad_statistics;

/* All overlapping pairs of boxes[0..count). AUTO picks by count. CT_PAIR_LIMIT when there are more than limit pairs (counting stops
 * there), CT_CANCELLED. `list` must be empty; `statistics` may be NULL. Brute force O(n^2), tree O(n log n + pairs), hybrid
 * O(n log^3 n + pairs), grid O(n + pairs) for boxes spread evenly, sweeps O(n log n + pairs that overlap on one axis). */
ct_status ct_broad_pairs(const ct_aabb *boxes, size_t count, const ct_broad_options *options, ct_pair_list *list,
                         ct_broad_statistics *statistics);

/* Dynamic tree of boxes, a proxy per box; see each function for who owns what. One writer at a time; queries are const. */
typedef struct ct_tree ct_tree;
#define CT_TREE_NULL UINT32_MAX

ct_tree *ct_tree_create(void); /* NULL: out of memory */
ct_tree *ct_tree_clone(const ct_tree *tree);
void ct_tree_destroy(ct_tree *tree);
/* Replaces all proxies by boxes[0..count) with user values users[i] (or i if users is NULL); proxies[i], if not NULL, is set.
 * CT_CANCELLED leaves the tree empty. */
ct_status ct_tree_build(ct_tree *tree, const ct_aabb *boxes, const uint32_t *users, size_t count, uint32_t *proxies,
                        const ct_cancel *cancel);
/* Recomputes the boxes of a tree that ct_tree_build made, and keeps its branches. boxes[u]: of the
 * proxy of user value u. O(n) */
void ct_tree_fit(ct_tree *tree, const ct_aabb *boxes);
/* Expected cost of a query: the sum of the nodes' surface areas over the root's (Goldsmith, Salmon
 * 1987). 0 where the root has none. O(n) */
double ct_tree_cost(const ct_tree *tree);
ct_status ct_tree_insert(ct_tree *tree, const ct_aabb *box, uint32_t user, uint32_t *proxy);
void ct_tree_remove(ct_tree *tree, uint32_t proxy);
void ct_tree_move(ct_tree *tree, uint32_t proxy, const ct_aabb *box);
size_t ct_tree_count(const ct_tree *tree);
uint32_t ct_tree_height(const ct_tree *tree);
size_t ct_tree_bytes(const ct_tree *tree);
#define CT_TREE_NODE_BYTES 64u /* of it for a node: n leaves have 2 n - 1 */
/* False if an invariant is broken (a parent's box is its children's union, heights, leaf count, links). For tests. */
bool ct_tree_valid(const ct_tree *tree);
const ct_aabb *ct_tree_aabb(const ct_tree *tree, uint32_t proxy);
/* The box of all; false: the tree is empty. */
bool ct_tree_bounds(const ct_tree *tree, ct_aabb *box);

/* Calls visit(context, user) for each proxy whose box overlaps `box`, in no particular order, until it returns false.
 * Adds the boxes tested to *tests if not NULL. */
typedef bool (*ct_tree_visit)(void *context, uint32_t user);
void ct_tree_query(const ct_tree *tree, const ct_aabb *box, ct_tree_visit visit, void *context, uint64_t *tests);

CT_DECLARATIONS_END

#endif
