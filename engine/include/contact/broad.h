/* Broad phase over AABBs: the overlapping pairs of many boxes, and a dynamic tree. Boxes are closed
 * and overlap if their intervals overlap on all three axes. Sides may be at infinity, extents may
 * be zero; min <= max on each axis, no NaN. Lists of pairs have i < j, are sorted by (i, j),
 * without repetitions, and identical for all methods. Sequences of frames reuse data of the
 * previous frame. */
#ifndef CONTACT_BROAD_H
#define CONTACT_BROAD_H

#include <contact/base.h>
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
  CT_BROADPHASE_TREE, /* dynamic tree: all pairs of overlapping leaves */
  /* sort and sweep on three axes; its sorted lists can continue from a previous frame */
  CT_BROADPHASE_SWEEP,
  CT_BROADPHASE_SWEEP_SINGLE_AXIS, /* sort and sweep on the axis of the largest variance */
  /* segment tree streamed in sorted order, and scans (Zomorodian, Edelsbrunner 2002) */
  CT_BROADPHASE_HYBRID,
  /* uniform grids, one per range of box sizes; crowded cells are passed to HYBRID */
  CT_BROADPHASE_GRID,
  CT_BROADPHASE_BRUTE_FORCE /* all pairs */
} ct_broadphase;

typedef struct ct_broad_options {
  ct_broadphase method;
  size_t limit;            /* largest number of pairs */
  const ct_cancel *cancel; /* NULL: never */
} ct_broad_options;
/* Defaults: method AUTO, limit CT_PAIRS_MAX. A limit of 0 allows no pair. */
ct_broad_options ct_broad_options_default(void);

typedef struct ct_broad_statistics {
  ct_broadphase method; /* the method used; never AUTO */
  uint32_t tree_height; /* tree only, else 0 */
  uint32_t full_sorts;  /* 1 for the sweep on three axes, else 0 */
  uint64_t box_tests;   /* number of tests of two boxes, at leaves and at inner nodes */
} ct_broad_statistics;

/* Writes all pairs of overlapping boxes of boxes[0..count) to *list, which must be empty; the
 * caller frees the list. AUTO chooses the method by `count`. `statistics` may be NULL.
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
/* Returns a copy of the tree in which every proxy has the same number; owned by the caller. NULL:
 * out of memory. */
ct_tree *ct_tree_clone(const ct_tree *tree);
/* Frees the tree; NULL is allowed. */
void ct_tree_destroy(ct_tree *tree);
/* Replaces all boxes of the tree by boxes[0..count). Box i has the user value users[i], or i if
 * `users` is NULL. proxies (may be NULL): [count], set to the proxy of each box. CT_CANCELLED
 * leaves the tree empty. */
ct_status ct_tree_build(ct_tree *tree, const ct_aabb *boxes, const uint32_t *users, size_t count,
                        uint32_t *proxies, const ct_cancel *cancel);
/* Refits a tree made by ct_tree_build to moved boxes: boxes[u] is the new box of user value u. The
 * topology is unchanged, so queries may become slower (ct_tree_cost). O(n). */
void ct_tree_fit(ct_tree *tree, const ct_aabb *boxes);
/* Expected query cost: sum of the nodes' surface areas relative to the root's (Goldsmith, Salmon
 * 1987). 0 if the root has no area. O(n). */
double ct_tree_cost(const ct_tree *tree);
/* Adds a box. *proxy: set to its proxy, which identifies the box until its removal.
 * CT_OUT_OF_MEMORY leaves the tree unchanged. O(log n). */
ct_status ct_tree_insert(ct_tree *tree, const ct_aabb *box, uint32_t user, uint32_t *proxy);
/* ct_tree_remove removes the box of a proxy, ct_tree_move changes it to *box. O(log n). */
void ct_tree_remove(ct_tree *tree, uint32_t proxy);
void ct_tree_move(ct_tree *tree, uint32_t proxy, const ct_aabb *box);
/* Number of boxes. O(1). */
size_t ct_tree_count(const ct_tree *tree);
/* Number of levels below the root. O(1). */
uint32_t ct_tree_height(const ct_tree *tree);
/* Memory of the tree, bytes. O(1). */
size_t ct_tree_bytes(const ct_tree *tree);
#define CT_TREE_NODE_BYTES 64u /* bytes per node; n leaves have 2 n - 1 nodes */
/* True if all invariants are satisfied (parent boxes, heights, leaf count, links). For tests.
 * O(n). */
bool ct_tree_valid(const ct_tree *tree);
/* Box of a proxy; borrowed until the tree changes. O(1). */
const ct_aabb *ct_tree_aabb(const ct_tree *tree, uint32_t proxy);
/* Writes the AABB of all boxes to *box. False: the tree is empty. */
bool ct_tree_bounds(const ct_tree *tree, ct_aabb *box);

/* Calls visit(context, user) for each proxy whose box overlaps `box`, in unspecified order, until
 * it returns false. Adds the number of box tests to *tests (may be NULL). */
typedef bool (*ct_tree_visit)(void *context, uint32_t user);
void ct_tree_query(const ct_tree *tree, const ct_aabb *box, ct_tree_visit visit, void *context,
                   uint64_t *tests);

/* ---- frames ---------------------------------------------------------------------------------- */

/* Sort and sweep with lists that persist from frame to frame (Baraff 1992; Cohen, Lin, Manocha,
 * Ponamgi 1995). If boxes move little, a frame costs little more than the exchanges of neighbours
 * in the lists.
 *
 * Each axis has a sorted list of the ends of the boxes' intervals. A frame writes the new values
 * and sorts by insertion; when the upper end of one box and the lower end of another exchange
 * places, the two boxes begin or end to overlap on that axis. The first frame sorts from scratch,
 * and so do frames for which this is cheaper. One writer at a time. */

typedef struct ct_sweep ct_sweep;

typedef struct ct_sweep_options {
  size_t limit;            /* largest number of pairs */
  bool keep_order;         /* for tests and measurements: only the first frame sorts from scratch */
  const ct_cancel *cancel; /* NULL: never */
} ct_sweep_options;
/* Defaults: limit CT_PAIRS_MAX. A limit of 0 allows no pair. */
ct_sweep_options ct_sweep_options_default(void);

/* Result of a frame. Each list of pairs is sorted, with i < j, and owned by the sweep until its
 * next frame. */
typedef struct ct_sweep_frame {
  /* pairs: all overlapping pairs. begun: pairs of this frame that the previous frame lacks. ended:
   * pairs of the previous frame that this frame lacks */
  const ct_pair_index *pairs, *begun, *ended;
  size_t pair_count, begun_count, ended_count;
  uint64_t swaps;      /* exchanges of neighbours in the sorted lists of the three axes */
  uint64_t box_tests;  /* tests of two boxes */
  uint32_t full_sorts; /* 1 if this frame sorted the lists from scratch, else 0 */
  /* largest number of simultaneously open intervals; 0 unless sorted from scratch */
  uint32_t longest_active;
} ct_sweep_frame;

ct_sweep *ct_sweep_create(void); /* an empty sweep; NULL: out of memory */
void ct_sweep_destroy(ct_sweep *sweep);

/* Adds a box; effective from the next frame on. *number: set to the lowest free number.
 * CT_OUT_OF_MEMORY, CT_LIMIT. */
ct_status ct_sweep_add(ct_sweep *sweep, const ct_aabb *box, uint32_t *number);
/* Removes (moves) the box of a number, which must exist; effective from the next frame on. A
 * removed box's number is free after the next frame. */
void ct_sweep_remove(ct_sweep *sweep, uint32_t number);
void ct_sweep_move(ct_sweep *sweep, uint32_t number, const ct_aabb *box);
/* Returns the number of boxes. */
size_t ct_sweep_count(const ct_sweep *sweep);

/* Computes the next frame. O(n + swaps), or O(n log n + pairs that overlap along the axis of
 * largest variance) for a frame that sorts from scratch. Frames sort from scratch if they are the
 * first, if more than a tenth of the boxes were added or removed, beyond n^2 / 8 swaps, and after a
 * failed frame.
 * CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY: the next frame reports changes relative to the
 * last successful one. */
ct_status ct_sweep_update(ct_sweep *sweep, const ct_sweep_options *options, ct_sweep_frame *frame);

/* Frames of a fixed number of boxes, by any method. SWEEP continues from the previous frame; other
 * methods start from scratch. AUTO chooses as in ct_broad_pairs, except that it prefers the sweep
 * for up to 2000 boxes if an earlier frame needed many tests per box. */
typedef struct ct_frames ct_frames;

typedef struct ct_frame_pairs {
  ct_broadphase method; /* the method used; never AUTO */
  const ct_pair_index *pairs, *begun,
      *ended; /* as in ct_sweep_frame; owned by the ct_frames until its next frame */
  size_t pair_count, begun_count, ended_count;
  uint64_t swaps;
  uint64_t box_tests;
  uint32_t full_sorts;
  uint32_t tree_height;
} ct_frame_pairs;

ct_frames *ct_frames_create(size_t count); /* frames of `count` boxes each; NULL: out of memory */
void ct_frames_destroy(ct_frames *frames);
/* Finds the pairs of boxes[0..count), and the changes since the previous frame. Errors and cost as
 * ct_broad_pairs. After a failure, the next frame's changes refer to the last successful frame. */
ct_status ct_frames_next(ct_frames *frames, const ct_aabb *boxes, const ct_broad_options *options,
                         ct_frame_pairs *found);

CT_DECLARATIONS_END

#endif
