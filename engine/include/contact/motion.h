/* Times of impact and timelines of a scene: the body pairs with overlapping swept AABBs, in ranges
 * as in query.h.
 *
 * Work items are the explicit pairs, or the candidate pairs in ascending order of rows. A range
 * reports its hits in order, so concatenated ranges give the same list for every partition. With
 * `earliest` there is one item. */
#ifndef CONTACT_MOTION_H
#define CONTACT_MOTION_H

#include <contact/linkage.h>
#include <contact/query.h>
#include <contact/toi.h>

CT_DECLARATIONS_BEGIN

/* Path of a body. Rows without a path stay at rest. */
typedef struct ct_row_motion {
  uint32_t row;
  const ct_path *path; /* borrowed; starts at the pose of the row or its override */
} ct_row_motion;

typedef struct ct_motion_options {
  bool timeline; /* report all changes of each pair; else the first impact */
  /* Impacts: report only the first pairs. These are the pairs that none precedes with certainty,
   * and those within time_tolerance of the first. Bodies that separate at the start count from
   * their next contact on. */
  bool earliest;
  /* pairs that only graze are hits too; impacts and timelines list all grazes. Not with `earliest`
   */
  bool grazes;
  size_t changes_max;    /* timeline: changes per pair; 0: CT_CHANGES_MAX */
  ct_toi_options impact; /* begin, end, method ...; its `cancel` is ignored */
  /* [moving_count] sorted by row, each row once; all paths have one duration */
  const ct_row_motion *moving;
  size_t moving_count;
  const uint8_t *where_a, *where_b; /* as in ct_query_options */
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  /* for swept boxes; AUTO uses trees. The candidates are the same for all methods */
  ct_broadphase broadphase;
  const ct_override *overrides; /* [override_count] what-if poses of rows at rest */
  size_t override_count;
  const ct_cancel *cancel;
} ct_motion_options;
/* Defaults: changes_max CT_CHANGES_MAX; impact has its own default. */
ct_motion_options ct_motion_options_default(void);

typedef struct ct_motion_hit {
  uint32_t a, b; /* rows */
  size_t item;
  /* One of the two is set. Explicit pairs are always hits. Other pairs are hits with event CONTACT,
   * INITIAL or UNDECIDED; timelines with a change, in contact at the start, or cut short; with
   * `grazes`, also if they graze. */
  const ct_toi *impact;
  const ct_timeline *timeline;
  /* [graze_count] impact with `grazes`: all grazes before it, ascending in time */
  const ct_graze *grazes;
  size_t graze_count;
} ct_motion_hit;

/* Receives each hit in order; returning false stops the range. */
typedef bool (*ct_motion_sink)(void *context, const ct_motion_hit *hit);

typedef struct ct_motion_query ct_motion_query;

/* Finds the candidate pairs: swept AABBs overlap, at least one body moves, filters and `where`
 * allow the pair. Two bodies at rest are only examined as an explicit pair. Borrows the scene and
 * everything in options until ct_motion_destroy. The caller owns *out.
 * CT_LIMIT: `begin` and `end` not in order within all durations; a moving row without a path or
 * body; an explicit pair of a row with itself, or of a missing row. CT_PAIR_LIMIT: more than
 * CT_PAIRS_MAX. CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_prepare(const ct_scene *scene, const ct_motion_options *options,
                            ct_motion_query **out);
/* Frees the query; NULL is allowed. */
void ct_motion_destroy(ct_motion_query *query);
/* Numbers of work items and of candidate pairs. */
size_t ct_motion_items(const ct_motion_query *query);
size_t ct_motion_candidates(const ct_motion_query *query);
double ct_motion_cost(const ct_motion_query *query); /* estimate, ns on one core */
/* Runs the items [begin, end) and calls the sink for each hit; false from the sink stops the range.
 * CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_run(const ct_motion_query *query, size_t begin, size_t end,
                        ct_workspace *workspace, ct_motion_sink sink, void *context);

CT_DECLARATIONS_END

#endif
