/* Variants: the question asked again for each variant's poses, one after the other. */
#include "range_run.h"

#include <stdlib.h>

/* The question's poses with the variant's over them, in scratch memory of base + variant items. */
static size_t lay_over(const ct_query_options *base, const api_variant *variant, ct_override *out) {
  size_t b = 0, v = 0, count = 0;
  while (b < base->override_count || v < variant->count) {
    bool from_base = v == variant->count || (b < base->override_count && base->overrides[b].row < variant->items[v].row);
    if (!from_base && b < base->override_count && base->overrides[b].row == variant->items[v].row) b++;
    out[count++] = from_base ? base->overrides[b++] : variant->items[v++];
  }
  return count;
}

static void run_variant(api_range_run *run, size_t index, ct_override *scratch) {
  const api_question *q = &run->task->question;
  ct_query_options options = q->options;
  options.override_count = lay_over(&q->options, &q->variants[index], scratch);
  options.overrides = scratch;
  run->options = &options;
  ct_query *query;
  ct_status status = ct_query_prepare(q->scene, &options, &query);
  if (status != CT_OK) {
    run->range->status = status;
    return;
  }
  bool resumed = q->resumed && index == run->task->start;
  ct_query_range items = {0, ct_query_items(query), CT_NO_ROW, 0};
  if (resumed) items = (ct_query_range){(size_t)q->from.item, items.end, q->from.after, q->from.part};
  uint64_t before = run->range->statistics.candidates;
  if (items.begin < items.end) api_run_items(run, query, &items);
  ct_query_destroy(query);
  if (run->range->statistics.candidates - before > run->plan->limits->pairs) run->range->status = CT_PAIR_LIMIT;
}

void api_run_variants(api_range_run *run, size_t begin, size_t end) {
  const api_question *q = &run->task->question;
  size_t most = 0;
  for (size_t i = begin; i < end; i++) most = q->variants[i].count > most ? q->variants[i].count : most;
  ct_override *scratch = malloc((most + q->options.override_count + 1) * sizeof *scratch);
  run->range->variant_counts = calloc(end - begin, sizeof *run->range->variant_counts);
  run->range->variant_removed = calloc(end - begin, sizeof *run->range->variant_removed);
  run->range->memory = !scratch || !run->range->variant_counts || !run->range->variant_removed;
  for (size_t i = begin; i < end && api_range_open(run); i++) {
    size_t before = run->range->count;
    run_variant(run, i, scratch);
    run->range->variant_counts[i - begin] = (uint32_t)(run->range->count - before);
    run->range->variant_removed[i - begin] = run->range->removed.length;
    run->range->variant_count = i - begin + 1;
  }
  free(scratch);
}
