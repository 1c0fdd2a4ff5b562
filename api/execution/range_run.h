/* The state of a running range, shared by the runners of all kinds. */
#ifndef API_EXECUTION_RANGE_RUN_H
#define API_EXECUTION_RANGE_RUN_H

#include "execution/query_plan.h"

/* State is reused between variants only within blocks of this size, counted from the first variant
 * of the request. Blocks may run in parallel, and results do not depend on the division into
 * ranges. */
#define API_VARIANTS_BLOCK 64

/* Cached centre of mass, body frame, of the body in a row of the scene; row CT_NO_ROW: nothing is
 * cached. */
typedef struct api_center {
  uint32_t row;
  ct_vec3 center;
} api_center;

typedef struct api_range_run {
  const api_plan *plan;
  api_task *task;
  api_range *range;
  ct_workspace *workspace;
  ct_arena *arena;
  api_solver_counts *solved;
  const ct_scene *scene;            /* scene that is queried: that of the query, or that of the
                                       current variant; NULL: none */
  const ct_query_options *options;  /* options of the query, or of the current variant */
  const api_velocities *velocities; /* of the current variant's poses; NULL: none */
  api_center centers[2];            /* CONTACTS with velocities: centres of mass of the two bodies
                                       of the last pair */
  api_method_answer method_answer;  /* OVERLAP with a requested method: what the method reported for
                                       the last pair */
  api_plane_caches *caches;         /* separating planes of earlier variants; NULL: planes are not
                                       reused */
  ct_collider_pair summed;          /* VOLUME: if has_summed, the last pair of colliders whose sums
                                       over elements were written */
  size_t summed_item;
  bool has_summed;
  struct api_variant_summary *summary; /* summary of the variant; NULL: none */
  bool silent;                         /* hits are not written, because an earlier range or page
                                          contains them */
  bool skips;                          /* hits before the start of the page are not written */
} api_range_run;

/* True if the range needs further results. */
bool api_range_open(const api_range_run *run);
/* True if the range's text is complete: results are at most counted. Check before each result. */
bool api_range_is_full(const api_range_run *run);
/* Counts a result that is not written. False: no further results are needed. */
bool api_count_result(api_range_run *run);
/* Marks the end of the result just written; sets mark.end. False: the range has enough results, or
 * memory is out. */
bool api_mark_result(api_range_run *run, api_mark mark);

#endif
