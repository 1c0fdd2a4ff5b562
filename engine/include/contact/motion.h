/* Times of impact and timelines over a scene: the pairs of bodies whose swept boxes meet, in ranges as in query.h.
 *
 * Work items are the explicit pairs, or the candidate pairs in ascending order of rows; a range yields its hits in order, so ranges
 * laid end to end give the same list whatever the cut. With `earliest` there is one item.
 */
#ifndef CONTACT_MOTION_H
#define CONTACT_MOTION_H

#include <contact/linkage.h>
#include <contact/query.h>
#include <contact/toi.h>

CT_DECLARATIONS_BEGIN

/* A body's motion. Rows that are not named stay where they are. */
typedef struct ct_row_motion {
  uint32_t row;
  const ct_path *path; /* borrowed; starts at the row's pose, or the override's */
} ct_row_motion;

typedef struct ct_motion_options {
  bool timeline;            /* all changes of each pair; else the first impact */
  bool earliest;            /* impacts: only the pairs that meet first: all of which none is certainly earlier, and those that meet
                             * within time_tolerance of the first. Bodies that part at the start count when they meet again */
  bool grazes;              /* pairs that only graze are hits, too; impacts and timelines list all grazes. Not with `earliest` */
  size_t changes_max;       /* timeline: of one pair; 0: CT_CHANGES_MAX */
  ct_toi_options impact;    /* begin, end, method ...; its cancel is not read */
  const ct_row_motion *moving; /* [moving_count], sorted by row, each row once; all paths of one duration */
  size_t moving_count;
  const uint8_t *where_a, *where_b; /* as in ct_query_options */
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  ct_broadphase broadphase;     /* of swept boxes; AUTO takes trees. The candidates are the same by all */
  const ct_override *overrides; /* of rows that stay: what-if */
  size_t override_count;
  const ct_cancel *cancel;
} ct_motion_options;
/* Defaults: changes_max CT_CHANGES_MAX; impact as its own default. */
ct_motion_options ct_motion_options_default(void);

typedef struct ct_motion_hit {
  uint32_t a, b; /* rows */
  size_t item;
  /* One of the two. Of all pairs CONTACT, INITIAL and UNDECIDED alone are hits, and timelines with a change, in contact at the
   * start, or cut short; with `grazes` those that graze, too; explicit pairs are always hits. */
  const ct_toi *impact;
  const ct_timeline *timeline;
  const ct_graze *grazes; /* [graze_count] of an impact with `grazes`: all before it, ascending in time */
  size_t graze_count;
} ct_motion_hit;

typedef bool (*ct_motion_sink)(void *context, const ct_motion_hit *hit);

typedef struct ct_motion_query ct_motion_query;

/* Borrows the scene and everything in options until ct_motion_destroy. Finds the candidates: pairs whose swept boxes overlap, of
 * which one moves, that filters and `where` allow. Pairs of bodies that both stay are never looked at, explicit ones excepted.
 * CT_LIMIT: `begin` and `end` that are not in order within all durations; a mover without a path, or
 * whose row has no body; an explicit pair of a row with itself, or of one that is not there.
 * CT_PAIR_LIMIT beyond CT_PAIRS_MAX, CT_CANCELLED. */
ct_status ct_motion_prepare(const ct_scene *scene, const ct_motion_options *options, ct_motion_query **out);
void ct_motion_destroy(ct_motion_query *query);
size_t ct_motion_items(const ct_motion_query *query);
size_t ct_motion_candidates(const ct_motion_query *query);
double ct_motion_cost(const ct_motion_query *query); /* rough, ns on one core */
/* Items [begin, end); false from the sink stops the range. */
ct_status ct_motion_run(const ct_motion_query *query, size_t begin, size_t end, ct_workspace *workspace, ct_motion_sink sink,
                        void *context);

CT_DECLARATIONS_END

#endif
