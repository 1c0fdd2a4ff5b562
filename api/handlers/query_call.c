/* Handles single queries: replaces a request that continues a cursor by the stored query, makes a
 * plan from the request, and the reply from the plan's ranges. */
#include "handlers/query_call.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execution/variant_summary.h"
#include "json/json_parser.h"

uint64_t api_query_seed(const api_call *call) {
  return api_hash_bytes(api_hash_start(), call->match.scene_id, strlen(call->match.scene_id));
}

bool api_query_plan(api_call *call, const api_work_operations *work, size_t task_count) {
  assert(!call->plan && !call->work);
  call->plan = api_plan_create(&call->service->limits, call->input.cancel, task_count);
  if (call->plan) call->work = work;
  else api_fault_memory(&call->faults);
  return call->plan != NULL;
}

api_step api_query_start(api_call *call) {
  assert(call->plan && call->work);
  if (!api_plan_cut(call->plan, &call->faults)) return api_call_fail(call);
  if (call->plan->range_count > 0) return API_STEP_WORK;
  call->work->finish(call);
  return API_STEP_DONE;
}

/* ---- results -------------------------------------------------------------------------------- */

static void put_query_warnings(api_buffer *out, const api_query *q) {
  if (q->warnings.count == 0) return;
  api_put_key(out, "warnings");
  api_put_byte(out, '[');
  for (size_t i = 0; i < q->warnings.count; i++) {
    api_put_item(out);
    api_put_string(out, api_text(q->warnings.items[i]));
  }
  if (q->warnings.omitted > 0) {
    char more[64];
    snprintf(more, sizeof more, "%zu more warnings are not listed.", q->warnings.omitted);
    api_put_item(out);
    api_put_string(out, api_text(more));
  }
  api_put_byte(out, ']');
}

/* Frees a range's results once the reply contains them, so that large answers are not stored
 * twice. */
static void free_written_results(api_range *range) {
  assert(range->complete);
  api_buffer_free(&range->text);
  free(range->marks);
  range->marks = NULL;
  range->count = range->capacity = 0;
}

/* Writes the first page->count results of the ranges. */
static void put_page_results(api_buffer *out, api_task *task, const api_page *page) {
  uint64_t left = page->count;
  for (size_t r = 0; r < page->ranges && left > 0; r++) {
    api_range *range = &task->ranges[r];
    assert(r < task->range_count && range->complete);
    bool whole = range->count <= left;
    size_t taken = whole ? range->count : (size_t)left;
    if (taken == 0) continue;
    api_put_item(out);
    api_put_bytes(out, range->text.bytes, whole ? range->text.length : range->marks[taken - 1].end);
    left -= taken;
    free_written_results(range);
  }
  assert(left == 0);
}

/* Writes the removed contacts in [begin, end) of the range's text. */
static void put_removed_contacts(api_buffer *out, const api_range *range, size_t begin,
                                 size_t end) {
  api_put_key(out, "removed");
  api_put_byte(out, '[');
  assert(end <= range->removed.length);
  if (begin > 0 && begin < end) begin++; /* the comma */
  if (begin < end) api_put_bytes(out, range->removed.bytes + begin, end - begin);
  api_put_byte(out, ']');
}

/* Appends the sums of element-wise pairs in [begin, end) of a range's text. */
static void append_sums(api_buffer *out, const api_range *range, size_t begin, size_t end) {
  assert(end <= range->sums.length);
  if (begin > 0 && begin < end) begin++; /* the comma */
  if (begin >= end) return;
  api_put_item(out);
  api_put_bytes(out, range->sums.bytes + begin, end - begin);
}

/* Collects the sums of pairs with a contact on the page; empty without element-wise pairs. */
static void collect_page_sums(api_buffer *out, const api_task *task, const api_page *page) {
  uint64_t left = page->count;
  for (size_t r = 0; r < page->ranges && left > 0; r++) {
    const api_range *range = &task->ranges[r];
    bool whole = range->count <= left;
    size_t taken = whole ? range->count : (size_t)left;
    if (taken > 0)
      append_sums(out, range, 0, whole ? range->sums.length : range->marks[taken - 1].sums);
    left -= taken;
  }
}

static void put_collected_sums(api_buffer *out, const api_buffer *sums) {
  out->failed = out->failed || sums->failed;
  if (sums->length == 0) return;
  api_put_key(out, "sums");
  api_put_byte(out, '[');
  api_put_bytes(out, sums->bytes, sums->length);
  api_put_byte(out, ']');
}

/* End of the removed contacts of a page, which is in a single range; later ones belong to the next
 * page. */
static size_t find_removed_end(const api_task *task, const api_page *page) {
  const api_range *range = &task->ranges[0];
  assert(task->range_count == 1 && (!page->truncated || page->count > 0));
  return page->truncated ? range->marks[page->count - 1].removed : range->removed.length;
}

/* A variant's part of a page: marks [first, first + count) of a range, and removed contacts. */
typedef struct variant_part {
  const api_range *range;
  size_t index; /* index in the range */
  size_t variant, first, count, removed_begin, removed_end, sums_begin, sums_end;
  bool sparsified;
  bool whole; /* all results of the variant are on this page; otherwise the variant's members beside
                 `results` are omitted */
} variant_part;

static void put_variant_part(api_buffer *out, const variant_part *part) {
  const api_range *range = part->range;
  assert(part->index < range->variant_count && part->first + part->count <= range->count);
  api_put_item(out);
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "variant", part->variant);
  api_put_member_unsigned(out, "count", part->count);
  size_t from = part->index > 0 ? range->variants[part->index - 1].more : 0,
         to = range->variants[part->index].more;
  if (part->whole && to > from) {
    api_put_item(out);
    api_put_bytes(out, range->frames.bytes + from, to - from);
  }
  api_put_key(out, "results");
  api_put_byte(out, '[');
  if (part->count > 0) {
    /* Results after the first are preceded by a comma. */
    size_t begin = part->first > 0 ? range->marks[part->first - 1].end + 1 : 0;
    api_put_bytes(out, range->text.bytes + begin,
                  range->marks[part->first + part->count - 1].end - begin);
  }
  api_put_byte(out, ']');
  if (part->sums_begin < part->sums_end) {
    api_put_key(out, "sums");
    api_put_byte(out, '[');
    append_sums(out, range, part->sums_begin, part->sums_end);
    api_put_byte(out, ']');
  }
  if (part->sparsified) put_removed_contacts(out, range, part->removed_begin, part->removed_end);
  api_put_byte(out, '}');
}

/* True if the page has all results of its variant `listed`. Only the first variant may have begun
 * on an earlier page, only the last may continue. */
static bool is_complete_variant(const api_task *task, const api_page *page, size_t listed) {
  const api_cursor *from = &task->question.from;
  bool begun = task->question.resumed && listed == 0 &&
               (from->item > 0 || from->after != CT_NO_ROW || from->part > 0);
  return !begun && !(page->truncated && listed + 1 == page->variants);
}

static void put_page_variants(api_buffer *out, api_task *task, const api_page *page) {
  uint64_t left = page->count;
  size_t listed = 0;
  for (size_t r = 0; r < task->range_count && listed < page->variants; r++) {
    api_range *range = &task->ranges[r];
    variant_part part = {.range = range, .sparsified = task->question.volume.sparsifies};
    for (; part.index < range->variant_count && listed < page->variants; part.index++, listed++) {
      const api_variant_extent *extent = &range->variants[part.index];
      part.variant = task->start + listed;
      part.count = extent->count <= left ? extent->count : (size_t)left;
      part.whole = is_complete_variant(task, page, listed);
      part.removed_end = extent->removed;
      part.sums_end = extent->sums;
      if (page->truncated && listed + 1 == page->variants) {
        const api_mark *last = part.count > 0 ? &range->marks[part.first + part.count - 1] : NULL;
        part.removed_end = last ? last->removed : part.removed_begin;
        part.sums_end = last ? last->sums : part.sums_begin;
      }
      put_variant_part(out, &part);
      part.first += extent->count;
      part.removed_begin = extent->removed;
      part.sums_begin = extent->sums;
      left -= part.count;
    }
    free_written_results(range);
  }
}

/* Reserves room for all results at once: growing in steps would store a large answer twice. */
static void reserve_results(api_buffer *out, const api_task *task, const api_page *page) {
  size_t bytes = 0;
  for (size_t r = 0; r < page->ranges && r < task->range_count; r++)
    bytes += task->ranges[r].text.length + 1;
  if (bytes > 0) api_buffer_reserve(out, bytes);
}

/* Writes the number of results on all pages; null: unknown. */
static void put_total_count(api_buffer *out, uint64_t code) {
  if (code == API_TOTAL_NONE) return;
  api_put_key(out, "total");
  if (code == API_TOTAL_UNKNOWN) api_put_raw(out, "null");
  else api_put_unsigned(out, code - 1);
}

static void put_result_members(api_buffer *out, api_task *task, const api_page *page) {
  const api_query *q = &task->question;
  bool variants = q->mode == API_MODE_VARIANTS && q->summary == API_SUMMARY_NONE,
       boxes = q->mode == API_MODE_BOXES;
  /* Identify the answer: revision, kind, count, total. */
  if (q->reports_revision) api_put_member_unsigned(out, "revision", ct_scene_revision(q->revision));
  api_put_member_string(out, "kind", api_text(api_kind_word(q->kind)));
  if (q->summary != API_SUMMARY_NONE)
    api_put_member_string(out, "summary", api_text(api_summary_word(q->summary)));
  api_put_member_unsigned(out, "count", variants ? page->variants : page->count);
  put_total_count(out, page->total);
  if (page->truncated) {
    char cursor[API_CURSOR_LENGTH_MAX + 1];
    uint64_t hash;
    if (!api_query_hash(q, &hash)) out->failed = true;
    api_cursor_write(&page->next, hash, cursor);
    task->cursor_hash = hash;
    api_put_member_bool(out, "truncated", true);
    api_put_member_string(out, "nextCursor", api_text(cursor));
  }
  /* Statistics and effective tolerances. */
  api_put_member_bool(out, "complete", !page->truncated);
  put_query_warnings(out, q);
  if (q->kind->put_members) q->kind->put_members(out, task, page);
  bool sparsified = q->mode == API_MODE_SCENE && q->volume.sparsifies && task->range_count > 0;
  size_t left_out = sparsified ? find_removed_end(task, page) : 0;
  /* Results, then the lists beside them. */
  api_put_key(out, boxes ? "pairs" : "results");
  api_put_byte(out, '[');
  reserve_results(out, task, page);
  /* Written results are freed. */
  api_buffer sums = {0};
  if (q->mode == API_MODE_SCENE) collect_page_sums(&sums, task, page);
  if (variants) put_page_variants(out, task, page);
  else put_page_results(out, task, page);
  api_put_byte(out, ']');
  put_collected_sums(out, &sums);
  api_buffer_free(&sums);
  if (sparsified) put_removed_contacts(out, &task->ranges[0], 0, left_out);
  if (q->kind->put_lists) q->kind->put_lists(out, task);
}

/* Writes the page. If it has a cursor, pins the revision, and stores the query unless it belongs to
 * a batch, so that the cursor alone can continue it. */
static void put_pinned_page(api_call *call, api_task *task, api_buffer *out, const api_page *page) {
  put_result_members(out, task, page);
  if (!page->truncated || !task->question.reports_revision) return;
  call->pin = task->question.revision;
  if (task->in_batch) return;
  if (call->continued) call->kept_query = *call->continued;
  else if (call->input.body_length > 0)
    call->kept_query = (api_kept_query){0, call->input.body, call->input.body_length};
  else call->kept_query = (api_kept_query){0, "{}", 2};
  call->kept_query.hash = task->cursor_hash;
}

bool api_put_task_members(api_call *call, api_task *task, api_buffer *out, api_faults *faults) {
  api_page page;
  if (!api_task_page(call->plan, task, &page, faults)) return false;
  put_pinned_page(call, task, out, &page);
  return true;
}

bool api_put_task_result(api_call *call, api_task *task, api_buffer *out, api_faults *faults) {
  api_page page;
  if (!api_task_page(call->plan, task, &page, faults)) return false;
  api_put_byte(out, '{');
  put_pinned_page(call, task, out, &page);
  api_put_byte(out, '}');
  return true;
}

/* ---- single queries ------------------------------------------------------------------------- */

static void finish_query(api_call *call) {
  api_task *task = &call->plan->tasks[0];
  if (!api_put_task_result(call, task, &call->out, &call->faults)) {
    api_call_fail(call);
    return;
  }
  if (task->question.reports_revision)
    api_call_etag(call, ct_scene_revision(task->question.revision));
  api_call_send_raw(call, 200);
}

static const api_work_operations query_work = API_PLAN_WORK(finish_query);

/* ---- continued queries ---------------------------------------------------------------------- */

static const api_kept_query *find_stored_query(const api_input *input, const char *text,
                                               size_t length, api_cursor *cursor) {
  for (size_t i = 0; i < input->kept_query_count; i++)
    if (api_cursor_read(text, length, input->kept_queries[i].hash, cursor))
      return &input->kept_queries[i];
  return NULL;
}

/* If the cursor belongs to a stored query: replaces *root and call->json by that query with this
 * request's cursor, limit and deadlineMs. Otherwise changes nothing. False: out of memory, or a
 * fault in the stored text. */
static bool continue_stored_query(api_call *call, api_field *root) {
  const json_t *text = json_object_get(root->value, "cursor");
  if (!text || !api_is_cursor_alone(root->value)) return true;
  api_cursor cursor;
  const api_kept_query *query =
      find_stored_query(&call->input, json_string_value(text), json_string_length(text), &cursor);
  if (!query) return true;
  const api_limits *limits = &call->service->limits;
  const api_json_options options = {.depth = limits->json_depth,
                                    .memory = limits->request_memory_bytes,
                                    .cancel = call->input.cancel};
  json_t *kept = api_json_parse(query->bytes, query->length, &options, &call->faults);
  if (!kept) return false;
  /* Without a limit in the request, the page has the limit of the page before. */
  bool good = json_object_set_new(kept, "limit", json_integer((json_int_t)cursor.limit)) == 0;
  for (size_t i = 0; i < API_PAGE_MEMBERS; i++) {
    json_t *value = json_object_get(call->json, api_page_members[i]);
    if (value) good = json_object_set(kept, api_page_members[i], value) == 0 && good;
  }
  json_decref(call->json);
  call->json = kept;
  call->continued = query;
  *root = api_field_root(kept);
  if (!good) api_fault_memory(&call->faults);
  return good;
}

api_step api_query_one(api_call *call) {
  api_field root;
  assert(call->route->kind);
  if ((call->if_match && !api_call_pick_revision(call)) || !api_call_parse(call, &root))
    return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  if (!continue_stored_query(call, &root)) return api_call_fail(call);
  api_query_context context = {.call = call,
                               .kind = call->route->kind,
                               .scene = call->scene,
                               .hash_seed = api_query_seed(call),
                               .deadline_ms = &call->deadline_ms};
  if (!api_query_plan(call, &query_work, 1) ||
      !api_read_query(&reader, &root, &context, &call->plan->tasks[0].question))
    return api_call_fail(call);
  return api_query_start(call);
}
