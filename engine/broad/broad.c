/* Broad phase: all overlapping pairs of an array of AABBs. Table of methods, and the automatic
 * choice among them. */
#include "broad/broad_methods.h"

typedef ct_status (*broad_run)(const ct_aabb *boxes, size_t count, ct_pair_output *out);

static const struct {
  ct_broadphase method;
  broad_run run;
} methods[] = {
    {CT_BROADPHASE_TREE, ct_broad_tree},
    {CT_BROADPHASE_SWEEP, ct_broad_sweep},
    {CT_BROADPHASE_SWEEP_SINGLE_AXIS, ct_broad_sweep_single},
    {CT_BROADPHASE_HYBRID, ct_broad_hybrid},
    {CT_BROADPHASE_GRID, ct_broad_grid},
    {CT_BROADPHASE_BRUTE_FORCE, ct_broad_brute_force},
};

static broad_run find_method(ct_broadphase method) {
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++)
    if (methods[k].method == method) return methods[k].run;
  return ct_broad_brute_force;
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
