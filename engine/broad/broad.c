/* Broad phase: all overlapping pairs of an array of AABBs. Table of methods, the automatic choice
 * among them; brute force, which tests every pair in O(n^2); and the pairs of a new AABB tree. */
#include "broad/broad_methods.h"

/* Box tests between two polls of the cancel flag: a few microseconds. */
#define TESTS_PER_POLL 4096

static ct_status find_pairs_by_brute_force(const ct_aabb *boxes, size_t count,
                                           ct_pair_output *out) {
  for (size_t i = 0; i < count; i++) {
    size_t j = i + 1;
    while (j < count) {
      if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
      size_t stop = count - j > TESTS_PER_POLL ? j + TESTS_PER_POLL : count;
      out->box_tests += stop - j;
      for (; j < stop; j++) {
        if (!ct_aabb_overlap(&boxes[i], &boxes[j])) continue;
        ct_status status = ct_pair_output_add(out, (uint32_t)i, (uint32_t)j);
        if (status != CT_OK) return status;
      }
    }
  }
  return CT_OK;
}

static ct_status find_pairs_by_tree(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  ct_tree *tree = ct_tree_create();
  if (!tree) return CT_OUT_OF_MEMORY;
  ct_status status = ct_tree_build(tree, boxes, NULL, count, NULL, out->cancel);
  if (status == CT_OK) status = ct_tree_pairs(tree, out);
  ct_tree_destroy(tree);
  return status;
}

typedef ct_status (*broad_run)(const ct_aabb *boxes, size_t count, ct_pair_output *out);

static const struct {
  ct_broadphase method;
  broad_run run;
} methods[] = {
    {CT_BROADPHASE_TREE, find_pairs_by_tree},
    {CT_BROADPHASE_SWEEP, ct_broad_sweep},
    {CT_BROADPHASE_SWEEP_SINGLE_AXIS, ct_broad_sweep_single},
    {CT_BROADPHASE_HYBRID, ct_broad_hybrid},
    {CT_BROADPHASE_GRID, ct_broad_grid},
    {CT_BROADPHASE_BRUTE_FORCE, find_pairs_by_brute_force},
};

static broad_run find_method(ct_broadphase method) {
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++)
    if (methods[k].method == method) return methods[k].run;
  return find_pairs_by_brute_force;
}

ct_status ct_broad_pairs(const ct_aabb *boxes, size_t count, const ct_broad_options *options,
                         ct_pair_list *list, ct_broad_statistics *statistics) {
  if (count > CT_BROAD_BOXES_MAX) return CT_LIMIT;
  ct_broadphase method = options->method;
  if (method == CT_BROADPHASE_AUTO)
    method = count <= CT_BROAD_BRUTE_FORCE_MAX ? CT_BROADPHASE_BRUTE_FORCE : CT_BROADPHASE_GRID;
  ct_pair_list pairs = {NULL, 0, 0};
  ct_pair_output out = {.list = &pairs, .limit = options->limit, .cancel = options->cancel};
  ct_status status = find_method(method)(boxes, count, &out);
  if (status == CT_OK)
    status = ct_pair_index_sort(pairs.items, pairs.count, count, options->cancel);
  if (status != CT_OK) {
    ct_pair_list_free(&pairs);
    return status;
  }
  *list = pairs;
  if (statistics)
    *statistics = (ct_broad_statistics){method, out.tree_height, out.full_sorts, out.box_tests};
  return CT_OK;
}
