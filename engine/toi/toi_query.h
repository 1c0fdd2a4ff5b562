/* A motion query's insides, for the files of this room. */
#ifndef TOI_TOI_QUERY_H
#define TOI_TOI_QUERY_H

#include "query/query.h"

#include <contact/motion.h>

struct ct_motion_query {
  const ct_scene *scene;
  ct_motion_options options;
  ct_query *still;       /* poses and boxes of rows as they start, filters and `where` */
  const ct_path **paths; /* [rows] movers alone while candidates are looked for; then every row that
                            is asked for */
  ct_path **own;         /* [own_count] of rows that stay */
  size_t own_count;
  double *reach;         /* [moving_count] farthest point of the body about the pivot, m */
  ct_aabb *swept;        /* [moving_count] */
  ct_pair_index *listed; /* candidates, ascending in rows */
  size_t listed_count, listed_room;
};

/* The candidates into query->listed. CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_list(ct_motion_query *query);

/* Box of what a mover sweeps from one time to another. */
ct_aabb ct_motion_swept(const ct_motion_query *query, size_t mover, double begin, double end);
/* The mover of the row; false: it stays. */
bool ct_motion_find_moving_body(const ct_motion_query *query, uint32_t row, size_t *mover);

/* One of the pairs that are looked at: an explicit one, or a candidate. */
ct_row_pair ct_motion_pair(const ct_motion_query *query, size_t index);

/* First impact of one pair, over the options' times or up to an earlier end. */
ct_status ct_motion_toi(const ct_motion_query *query, ct_row_pair pair, double end,
                        ct_workspace *workspace, ct_toi *impact);
/* The pairs that meet first, to the sink. *searched: impacts that were searched for. */
ct_status ct_motion_earliest(const ct_motion_query *query, ct_workspace *workspace,
                             ct_motion_sink sink, void *context, size_t *searched);

#endif
