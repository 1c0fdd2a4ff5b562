#include "execution/variant_summary.h"

#include <assert.h>

#include "results/result_json.h"

/* Words of api_summary, indexed by its values. */
static const char *const words[] = {
    [API_SUMMARY_ANY] = "any", [API_SUMMARY_COUNT] = "count", [API_SUMMARY_CLOSEST] = "closest"};

const char *api_summary_word(api_summary summary) { return words[summary]; }

/* ---- queries -------------------------------------------------------------------------------- */

/* Refuses members that only affect the list of results, which a summary replaces. The method of a
 * kind that measures distances is one of them; that of other kinds decides whether a pair is a
 * result. */
static bool refuse_result_members(api_reader *reader, const api_summary_fields *fields,
                                  const api_query *out) {
  static const char other[] = "summary";
  bool by_closest = out->summary == API_SUMMARY_CLOSEST;
  bool good = api_reject_combination(reader, fields->include, true, other);
  good = api_reject_combination(reader, fields->cache, true, other) && good;
  good = api_reject_combination(reader, fields->triangles, true, other) && good;
  if (out->kind->pair->measures)
    good = api_reject_combination(reader, fields->method, true, other) && good;
  return api_reject_combination(reader, fields->closest, !by_closest && out->evaluation.nearest,
                                "this summary") &&
         good;
}

/* Gives a query without variants a single variant, without poses of its own. */
static bool make_single_variant(api_reader *reader, api_query *out) {
  if (out->mode == API_MODE_VARIANTS) return true;
  out->variants = api_arena_array(reader->arena, 1, sizeof *out->variants);
  if (!out->variants) {
    api_fault_memory(reader->faults);
    return false;
  }
  out->variants[0] = (api_variant){.count = 0};
  out->variant_count = 1;
  out->mode = API_MODE_VARIANTS;
  return true;
}

bool api_read_summary(api_reader *reader, const api_summary_fields *fields, api_query *out) {
  static const char *const names[] = {"any", "count", "closest"};
  assert(out->kind->pair);
  size_t which = 0, known = out->kind->pair->measures ? 3 : 2;
  if (!api_field_present(fields->summary)) return true;
  if (!api_read_word(reader, fields->summary, names, known, &which)) return false;
  out->summary = (api_summary)(API_SUMMARY_ANY + which);
  if (!refuse_result_members(reader, fields, out)) return false;
  out->options.hits_only = true;
  out->method.cache = false; /* cache statistics are not reported */
  out->evaluation.nearest = out->summary == API_SUMMARY_CLOSEST;
  /* A summary is short: without `limit`, a page has the greatest allowed number of variants. */
  if (!api_field_present(fields->limit)) out->limit = reader->limits->page_max;
  return make_single_variant(reader, out);
}

/* ---- results -------------------------------------------------------------------------------- */

bool api_summarize_hit(api_range_run *run, const ct_distance_hit *distance) {
  api_variant_summary *summary = run->summary;
  assert(summary);
  summary->count++;
  if (distance) summary->closest = *distance;
  return run->task->question.summary == API_SUMMARY_COUNT;
}

/* Puts {"a", "b", "colliderA"?, "colliderB"?, "distance", "status"?}, or null if there is no
 * pair. */
static void put_closest_pair(api_buffer *out, const ct_scene *scene,
                             const api_variant_summary *summary) {
  const ct_distance_hit *hit = &summary->closest;
  const ct_pair_result *r = &hit->result;
  if (summary->count == 0) {
    api_put_raw(out, "null");
    return;
  }
  const ct_body *a = ct_scene_body(scene, hit->a), *b = ct_scene_body(scene, hit->b);
  api_put_byte(out, '{');
  api_put_id(out, "a", ct_body_id(a));
  api_put_id(out, "b", ct_body_id(b));
  api_put_collider_name(out, "colliderA", a, hit->collider_a);
  api_put_collider_name(out, "colliderB", b, hit->collider_b);
  if (r->status == CT_PAIR_UNSUPPORTED) api_put_member_bool(out, "overlap", true);
  else api_put_member_number(out, "distance", r->distance);
  if (r->status != CT_PAIR_OK) api_put_status(out, r->status, 0);
  api_put_byte(out, '}');
}

void api_put_summary(api_range_run *run, size_t index) {
  const api_query *q = &run->task->question;
  api_buffer *out = &run->range->text;
  api_put_item(out);
  assert(q->summary != API_SUMMARY_NONE && run->summary);
  switch (q->summary) {
  case API_SUMMARY_NONE: break;
  case API_SUMMARY_ANY: api_put_raw(out, run->summary->count > 0 ? "true" : "false"); break;
  case API_SUMMARY_COUNT: api_put_unsigned(out, run->summary->count); break;
  case API_SUMMARY_CLOSEST: put_closest_pair(out, run->scene, run->summary); break;
  }
  api_mark_result(run, (api_mark){.item = (uint32_t)index, .after = CT_NO_ROW});
}
