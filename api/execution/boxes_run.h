/* Raw boxes: their pairs, frame by frame. */
#ifndef API_EXECUTION_BOXES_RUN_H
#define API_EXECUTION_BOXES_RUN_H

#include "execution/query_run.h"

/* The one range of a question of mode BOXES. */
void api_run_boxes(const api_plan *plan, api_task *task, api_range *range);
/* What it tells beside the pairs: of the first frame `statistics`, after the pairs the other frames, if any were asked for. */
void api_put_boxes_statistics(api_buffer *out, const ct_frame_pairs *found);
void api_put_boxes_frames(api_buffer *out, const api_task *task);

#endif
