/* Broad phase over AABBs: overlapping pairs of many boxes, and a dynamic tree. Boxes are closed and
 * overlap if they overlap on all three axes. Sides may be infinite, extents may be zero; min <= max
 * on each axis, no NaN. Pair lists are i < j, sorted by (i, j), unique, and identical for every
 * method. sweep.h has the methods that reuse data of the previous frame. */
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
/* Frees the items and empties the list. */
void ct_pair_list_free(ct_pair_list *list);

typedef enum ct_broadphase {
  CT_BROADPHASE_AUTO,
  CT_BROADPHASE_TREE, /* dynamic tree, queried for its own pairs */
  /* sort and sweep on three axes; can continue from a previous frame: sweep.h */
  CT_BROADPHASE_SWEEP,
  CT_BROADPHASE_SWEEP_SINGLE_AXIS, /* sort and sweep on the axis of the largest variance */
  CT_BROADPHASE_HYBRID,     /* streamed segment tree and scans (Zomorodian, Edelsbrunner 2002) */
  CT_BROADPHASE_GRID,       /* uniform grids, one per range of sizes; HYBRID for crowded cells */
  CT_BROADPHASE_BRUTE_FORCE /* all pairs */
} ct_broadphase;

typedef struct ct_broad_options {
  ct_broadphase method;
  size_t limit;            /* largest number of pairs */
  const ct_cancel *cancel; /* NULL: never */
} ct_broad_options;
/* Defaults: AUTO; limit CT_PAIRS_MAX. A zero limit allows no pair. */
ct_broad_options ct_broad_options_default(void);

typedef struct ct_broad_statistics {
  ct_broadphase method; /* the method used; never AUTO */
  uint32_t tree_height; /* tree only, else 0 */
  uint32_t full_sorts;  /* 1 for the sweep on three axes, else 0 */
  uint64_t box_tests;   /* tests of two boxes, at leaves and inner nodes */
} ct_broad_statistics;

/* All overlapping pairs of boxes[0..count), added to *list, which must be empty; the caller frees
 * it. AUTO chooses by count. `statistics` may be NULL.
 * CT_PAIR_LIMIT: more than `limit` pairs (counting stops there). CT_CANCELLED, CT_OUT_OF_MEMORY.
 * Brute force O(n^2), tree O(n log n + pairs), hybrid O(n log^3 n + pairs), grid O(n + pairs) for
 * evenly distributed boxes, sweeps O(n log n + pairs that overlap on one axis). */
ct_status ct_broad_pairs(const ct_aabb *boxes, size_t count, const ct_broad_options *options,
                         ct_pair_list *list, ct_broad_statistics *statistics);

/* Dynamic AABB tree with one proxy per box. One writer at a time; queries are const and may run
 * concurrently. */
typedef struct ct_tree ct_tree;
#define CT_TREE_NULL UINT32_MAX

ct_tree *ct_tree_create(void); /* NULL: out of memory */
/* Copy of the tree with equal proxies, owned by the caller; NULL: out of memory. ct_tree_destroy
 * frees a tree; NULL is allowed. */
ct_tree *ct_tree_clone(const ct_tree *tree);
void ct_tree_destroy(ct_tree *tree);
/* Replaces all proxies by boxes[0..count) with user values users[i] (NULL: i). proxies (may be
 * NULL): [count], set to the proxies. CT_CANCELLED leaves the tree empty. */
ct_status ct_tree_build(ct_tree *tree, const ct_aabb *boxes, const uint32_t *users, size_t count,
                        uint32_t *proxies, const ct_cancel *cancel);
/* Refits a tree built by ct_tree_build; the topology is unchanged. boxes[u] is the box of user
 * value u. O(n). */
void ct_tree_fit(ct_tree *tree, const ct_aabb *boxes);
/* Expected query cost: sum of the nodes' surface areas relative to the root's (Goldsmith, Salmon
 * 1987). 0 if the root has no area. O(n). */
double ct_tree_cost(const ct_tree *tree);
/* Add, remove and move a box; *proxy identifies it until its removal. Insertion returns
 * CT_OUT_OF_MEMORY and leaves the tree unchanged. O(log n). */
ct_status ct_tree_insert(ct_tree *tree, const ct_aabb *box, uint32_t user, uint32_t *proxy);
void ct_tree_remove(ct_tree *tree, uint32_t proxy);
void ct_tree_move(ct_tree *tree, uint32_t proxy, const ct_aabb *box);
/* Numbers of boxes and of levels below the root; memory in bytes. O(1). */
size_t ct_tree_count(const ct_tree *tree);
uint32_t ct_tree_height(const ct_tree *tree);
size_t ct_tree_bytes(const ct_tree *tree);
#define CT_TREE_NODE_BYTES 64u /* bytes per node; n leaves have 2 n - 1 nodes */
/* False if an invariant is violated (parent boxes, heights, leaf count, links). For tests. O(n). */
bool ct_tree_valid(const ct_tree *tree);
/* Box of a proxy; borrowed until the tree changes. O(1). */
const ct_aabb *ct_tree_aabb(const ct_tree *tree, uint32_t proxy);
/* AABB of all boxes; false: the tree is empty. */
bool ct_tree_bounds(const ct_tree *tree, ct_aabb *box);

/* Calls visit(context, user) for each proxy whose box overlaps `box`, in unspecified order, until
 * it returns false. Adds the number of box tests to *tests (may be NULL). */
typedef bool (*ct_tree_visit)(void *context, uint32_t user);
void ct_tree_query(const ct_tree *tree, const ct_aabb *box, ct_tree_visit visit, void *context,
                   uint64_t *tests);

CT_DECLARATIONS_END

#endif
