/* Runs queries over raw boxes: overlapping pairs of the boxes, then of the boxes of each frame. */
#ifndef API_EXECUTION_BOXES_RUN_H
#define API_EXECUTION_BOXES_RUN_H

#include "execution/query_plan.h"

/* Runs a query of mode BOXES, which has a single range. */
void api_run_boxes(const api_plan *plan, api_task *task, api_range *range);
/* Put the member `statistics` of the first frame, and, after its pairs, the member `frames` with
 * all other frames if the request has any. */
void api_put_boxes_statistics(api_buffer *out, const ct_frame_pairs *found);
void api_put_boxes_frames(api_buffer *out, const api_task *task);

#endif
