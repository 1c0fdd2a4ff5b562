/* Records the results of a running range and decides whether more are needed. */
#include "execution/range_run.h"

#include <assert.h>

#include "common/array.h"

bool api_range_is_full(const api_range_run *run) {
  const api_range *range = run->range;
  return range->counts_only || range->overflow || range->count > run->task->question.limit;
}

bool api_count_result(api_range_run *run) {
  run->range->found++;
  return run->range->status == CT_OK && !run->range->memory &&
         api_needs_total(&run->task->question);
}

bool api_mark_result(api_range_run *run, api_mark mark) {
  api_range *range = run->range;
  assert(range->count <= range->capacity && !range->complete);
  assert(range->count == 0 || range->marks[range->count - 1].end <= range->text.length);
  api_mark *marks =
      api_array_reserve(range->marks, &range->capacity, range->count + 1, sizeof *marks);
  if (!marks) {
    range->memory = true;
    return false;
  }
  range->marks = marks;
  mark.end = range->text.length;
  mark.removed = range->removed.length;
  mark.sums = range->sums.length;
  range->marks[range->count++] = mark;
  range->found++;
  range->memory = range->memory || range->text.failed;
  bool counts = api_needs_total(&run->task->question);
  if (range->text.length + range->removed.length + range->sums.length >
      run->plan->limits->request_memory_bytes) {
    range->overflow = true;
    if (!counts) range->status = CT_LIMIT;
  }
  return !range->memory && range->status == CT_OK &&
         (counts || range->count <= run->task->question.limit);
}

bool api_range_open(const api_range_run *run) {
  const api_range *range = run->range;
  return range->status == CT_OK && !range->memory && range->count <= run->task->question.limit;
}
