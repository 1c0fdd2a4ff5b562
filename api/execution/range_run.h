/* A range at work: what the runners of its items share. */
#ifndef API_EXECUTION_RANGE_RUN_H
#define API_EXECUTION_RANGE_RUN_H

#include "execution/plane_caches.h"
#include "execution/query_run.h"

/* What is kept from variant to variant is kept within blocks of this many, counted from the first variant of the request: blocks
 * can run side by side, and what is told is the same however they did. */
#define API_VARIANTS_BLOCK 64

/* The centre of mass of a row's body in its frame; CT_NO_ROW: of none yet. */
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
  const ct_scene *scene;            /* of the query being run: a variant may have its own; NULL: none */
  const ct_query_options *options;  /* of the query being run: a variant has its own */
  const api_velocities *velocities; /* of the variant being run; NULL: it has none */
  api_center centers[2];            /* CONTACTS with velocities: of the bodies asked for last */
  api_method_answer told;           /* OVERLAP by a method: of the pair that was asked last */
  api_plane_caches *caches;         /* NULL: no planes are remembered */
  ct_collider_pair summed;             /* VOLUME: the pair whose sums were written last, with has_summed */
  size_t summed_item;
  bool has_summed;
  struct api_variant_summary *summary; /* of the variant being run; NULL: results are written */
  bool silent;                      /* what is found is not told: an earlier range or page tells it */
  bool skips;                       /* nor what comes before the place where the question resumes */
} api_range_run;

/* Does the range still want results? */
bool api_range_open(const api_range_run *run);
/* Is the range's text complete, so that a result is not written, but at most counted? To be asked before each result. */
bool api_range_is_full(const api_range_run *run);
/* Counts a result that is not written. False: no more are wanted. */
bool api_count_result(api_range_run *run);
/* Marks the end of the result just written; its end is set here. False: the range has seen enough, or memory is out. */
bool api_mark_result(api_range_run *run, api_mark mark);
/* Evaluates the contact state of a question of kind ZERO_CROSSINGS, with other poses for some rows: one result. */
void api_run_crossings(api_range_run *run, const ct_override *overrides, size_t count);
/* Items of a prepared query. */
void api_run_items(api_range_run *run, const ct_query *query, const ct_query_range *items);

/* The member `statistics` of planes that were remembered. */
void api_put_plane_counts(api_buffer *out, const api_plane_counts *counts);

/* Variants [begin, end) of a question of mode VARIANTS. */
void api_run_variants(api_range_run *run, size_t begin, size_t end);

#endif
