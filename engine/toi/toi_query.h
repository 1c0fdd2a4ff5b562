/* Internals of a motion query. */
#ifndef TOI_TOI_QUERY_H
#define TOI_TOI_QUERY_H

#include "query/query.h"

#include <contact/toi.h>

struct ct_motion_query {
  const ct_scene *scene;
  ct_motion_options options;
  ct_query *still;       /* query of the scene at the start of the motion: poses, AABBs, collision
                            filters and `where` */
  const ct_path **paths; /* [rows] path of each moving row, else NULL; once the candidates are
                            listed, also a path at rest for every other row of a pair */
  ct_path **own;         /* [own_count] paths at rest that the query created */
  size_t own_count;
  double *reach;  /* [moving_count] largest distance of the body's points from the pivot, m */
  ct_aabb *swept; /* [moving_count] boxes swept over the whole motion */
  ct_pair_index *listed; /* candidate pairs, sorted by rows */
  size_t listed_count, listed_capacity;
};

/* Lists the candidate pairs in query->listed. Returns CT_OK, CT_PAIR_LIMIT, CT_CANCELLED or
 * CT_OUT_OF_MEMORY. */
ct_status ct_motion_list(ct_motion_query *query);

/* Returns the box that a moving body sweeps between two times. */
ct_aabb ct_motion_swept(const ct_motion_query *query, size_t mover, double begin, double end);
/* Finds the index of the row among the moving rows. False: the row does not move. */
bool ct_motion_find_moving_body(const ct_motion_query *query, uint32_t row, size_t *mover);

/* Returns pair `index` of the query: an explicit pair, or a candidate. */
ct_row_pair ct_motion_pair(const ct_motion_query *query, size_t index);

/* Finds the first impact of one pair between options.impact.begin and `end`. */
ct_status ct_motion_toi(const ct_motion_query *query, ct_row_pair pair, double end,
                        ct_workspace *workspace, ct_toi *impact);
/* Passes the pairs that come into contact first to the sink. *searched: number of searches of
 * single pairs. */
ct_status ct_motion_earliest(const ct_motion_query *query, ct_workspace *workspace,
                             ct_motion_sink sink, void *context, size_t *searched);

#endif
