/* Queries about pairs of bodies. */
#ifndef API_EXECUTION_PAIR_RUN_H
#define API_EXECUTION_PAIR_RUN_H

#include "execution/range_run.h"
#include "results/result_json.h"

/* Operations of the rows of kinds; see api_kind_operations and api_pair_operations. */
ct_status api_plan_pairs(const api_plan *plan, api_task *task, bool shared);
/* Runs queries of the modes SCENE, PAIR and BOXES. */
void api_run_pairs(api_range_run *run, size_t begin, size_t end);
bool api_write_pair_hit(api_range_run *run, const ct_hit *hit);
/* Writes a volume contact. Removed contacts are listed beside the results and do not count for the
 * page. */
bool api_write_volume_hit(api_range_run *run, const ct_hit *hit);
/* Evaluates the hit's pair of colliders by the query's method. */
void api_add_distance_method(api_range_run *run, const ct_hit *hit, ct_pair_result *own,
                             api_pair_answer *answer);
/* Adds what the method reported when it decided the hit, if that is about the hit. */
void api_add_overlap_method(api_range_run *run, const ct_hit *hit, ct_pair_result *own,
                            api_pair_answer *answer);
void api_evaluate_distance(api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                           api_pair_answer *answer);
void api_evaluate_overlap(api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                          api_pair_answer *answer);

/* Overlap of two colliders by the query's method: a ct_overlap_test. */
bool api_overlap_by_method(void *context, const ct_collider_pair *which, ct_placed a, ct_placed b,
                           ct_workspace *workspace, ct_vec3 *witness);
/* Runs items of a prepared query. */
void api_run_items(api_range_run *run, const ct_query *query, const ct_query_range *items);

#endif
