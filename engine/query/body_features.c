/* Contact features of two bodies: one hit for each, of all pairs of colliders that have triangles.
 */
#include "query/query.h"

typedef struct feature_run {
  const ct_body_pair *pair;
  const ct_feature_pair_visit *walk;
  ct_hit hit;
  bool stopped;
} feature_run;

static void give(feature_run *run, const ct_pair_feature *feature) {
  run->hit.feature = feature;
  run->hit.part++;
  if (run->hit.part > run->walk->part && !run->walk->sink(run->walk->context, &run->hit))
    run->stopped = true;
}

static ct_status visit(void *context, uint32_t a, uint32_t b) {
  feature_run *run = context;
  const ct_body_pair *pair = run->pair;
  ct_placed placed_a = ct_placed_collider(pair->a, a), placed_b = ct_placed_collider(pair->b, b);
  if (run->stopped || !ct_features_are_supported(placed_a.shape) ||
      !ct_features_are_supported(placed_b.shape))
    return CT_OK;
  ct_features features;
  ct_pair_features(placed_a, placed_b, run->walk->options, pair->workspace, &features);
  bool out_of_memory = ct_workspace_out_of_memory(pair->workspace);
  /* A large pair may have been cut short. */
  if (ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
  if (out_of_memory || features.status == CT_FEATURES_OUT_OF_MEMORY) return CT_OUT_OF_MEMORY;
  run->hit.collider_a = a;
  run->hit.collider_b = b;
  run->hit.features_status = features.status;
  *run->walk->doubled += features.doubled;
  if (features.status != CT_FEATURES_OK) give(run, NULL);
  for (size_t i = 0; i < features.count && !run->stopped; i++) give(run, &features.items[i]);
  return CT_OK;
}

ct_status ct_body_pair_features(const ct_body_pair *pair, const ct_feature_pair_visit *walk,
                                const ct_hit *hit, bool *stopped) {
  feature_run run = {.pair = pair, .walk = walk, .hit = *hit};
  ct_status status = ct_body_pair_visit(pair, visit, &run);
  *stopped = run.stopped;
  return status;
}
