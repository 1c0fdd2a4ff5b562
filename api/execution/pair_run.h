/* Runs queries about pairs of bodies. */
#ifndef API_EXECUTION_PAIR_RUN_H
#define API_EXECUTION_PAIR_RUN_H

#include "execution/range_run.h"
#include "results/result_json.h"

/* plan and prepare, run_items and so on of the pair kinds; see api_kind_operations and
 * api_pair_operations. */
ct_status api_plan_pairs(const api_plan *plan, api_task *task, bool shared);
/* Runs queries of the modes SCENE, PAIR and BOXES. */
void api_run_pairs(api_range_run *run, size_t begin, size_t end);
/* A result of any pair kind except volume, as the engine reports it. */
typedef struct api_pair_hit {
  uint32_t a, b; /* rows of the bodies */
  uint32_t collider_a, collider_b;
  bool overlap;
  const ct_pair_result *result; /* OVERLAP, DISTANCE, CONTACTS */
  const ct_contacts_hit *contacts;
  const ct_feature_hit *feature;
  ct_hit_position position;
} api_pair_hit;

/* prepare and run_items of the pair kinds (api_pair_operations). */
ct_status api_prepare_pairs(const api_query *q, const ct_scene *scene,
                            const ct_query_options *options, ct_query_frames *frames,
                            ct_query **out);
ct_status api_run_pairs_items(api_range_run *run, const ct_query *query,
                              const ct_query_range *items);
ct_status api_prepare_overlaps(const api_query *q, const ct_scene *scene,
                               const ct_query_options *options, ct_query_frames *frames,
                               ct_query **out);
ct_status api_run_overlaps_items(api_range_run *run, const ct_query *query,
                                 const ct_query_range *items);
ct_status api_prepare_distances(const api_query *q, const ct_scene *scene,
                                const ct_query_options *options, ct_query_frames *frames,
                                ct_query **out);
ct_status api_run_distances_items(api_range_run *run, const ct_query *query,
                                  const ct_query_range *items);
ct_status api_prepare_contacts(const api_query *q, const ct_scene *scene,
                               const ct_query_options *options, ct_query_frames *frames,
                               ct_query **out);
ct_status api_run_contacts_items(api_range_run *run, const ct_query *query,
                                 const ct_query_range *items);
ct_status api_prepare_volumes(const api_query *q, const ct_scene *scene,
                              const ct_query_options *options, ct_query_frames *frames,
                              ct_query **out);
ct_status api_run_volumes_items(api_range_run *run, const ct_query *query,
                                const ct_query_range *items);
ct_status api_prepare_features(const api_query *q, const ct_scene *scene,
                               const ct_query_options *options, ct_query_frames *frames,
                               ct_query **out);
ct_status api_run_features_items(api_range_run *run, const ct_query *query,
                                 const ct_query_range *items);
/* add_method of the pair kinds: evaluates the hit's two colliders by the method that the query
 * requests, and sets the method's members of *answer. *own is storage for the result. */
void api_add_distance_method(api_range_run *run, const api_pair_hit *hit, ct_pair_result *own,
                             api_pair_answer *answer);
/* As above for overlap: adds the members of the method that decided the hit, if its results
 * describe this hit. */
void api_add_overlap_method(api_range_run *run, const api_pair_hit *hit, ct_pair_result *own,
                            api_pair_answer *answer);
void api_evaluate_distance(api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                           api_pair_answer *answer);
void api_evaluate_overlap(api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                          api_pair_answer *answer);

/* Decides by the query's method whether two colliders overlap: a ct_overlap_test. */
bool api_overlap_by_method(void *context, const ct_collider_pair *which, ct_placed a, ct_placed b,
                           ct_workspace *workspace, ct_vec3 *witness);
/* Runs items of a prepared query and puts their results. */
void api_run_items(api_range_run *run, const ct_query *query, const ct_query_range *items);

#endif
