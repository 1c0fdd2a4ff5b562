/* Handles batches: queries of any kinds at one revision, answered in order, each with its own HTTP
 * status. */
#include <stdlib.h>

#include "handlers/query_call.h"
#include "kinds/kinds.h"

/* ---- the reply ------------------------------------------------------------------------------ */

/* Puts {"id"?, "httpStatus", "result" | "problem"}, the answer of one query. */
static void put_batch_answer(api_call *call, api_task *task, api_faults *faults) {
  api_buffer *out = &call->out;
  api_buffer result = {0};
  api_faults_clear(faults);
  bool answered = task->status == 0 && api_put_task_result(call, task, &result, faults);
  bool late = task->status == 0 && !answered;
  if (late) api_put_problem(&result, faults);
  const api_buffer *text = task->status == 0 ? &result : &task->problem;
  int status = answered ? 200 : late ? api_problem_get(faults->id)->status : task->status;
  api_put_item(out);
  api_put_byte(out, '{');
  if (task->id.length > 0) api_put_member_string(out, "id", task->id);
  api_put_member_unsigned(out, "httpStatus", (uint64_t)status);
  api_put_key(out, answered ? "result" : "problem");
  api_put_bytes(out, text->bytes, text->length);
  api_put_byte(out, '}');
  out->failed = out->failed || text->failed;
  api_buffer_free(&result);
}

static void finish_batch(api_call *call) {
  api_faults *faults = malloc(sizeof *faults);
  if (!faults || ct_cancel_raised(call->input.cancel)) {
    if (faults) api_fault_cancelled(&call->faults);
    else api_fault_memory(&call->faults);
    free(faults);
    api_call_fail(call);
    return;
  }
  api_buffer *out = &call->out;
  api_call_open(call);
  if (call->scene) {
    api_call_etag(call, ct_scene_revision(call->scene));
    api_put_member_unsigned(out, "revision", ct_scene_revision(call->scene));
  }
  api_put_member_unsigned(out, "count", call->plan->task_count);
  api_put_key(out, "results");
  api_put_byte(out, '[');
  for (size_t t = 0; t < call->plan->task_count; t++)
    put_batch_answer(call, &call->plan->tasks[t], faults);
  api_put_byte(out, ']');
  free(faults);
  api_call_send(call, 200);
}

static const api_work_operations batch_work = API_PLAN_WORK(finish_batch);

/* ---- the request ---------------------------------------------------------------------------- */

/* Members of the batch, as opposed to those of its queries. */
enum { B_QUERIES, B_POSES, B_ADD, B_FILTERS, B_DEADLINE, B_COUNT };

/* Reads the kind and the id of a query, because the kind determines which other members it has. */
static bool read_query_kind(api_reader *reader, const api_field *field,
                            const api_kind_operations **kind, ct_text *id) {
  const char *words[API_KIND_COUNT];
  if (!json_is_object(field->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                 "Expected an object, got %s.", api_type_words(field->value));
    return false;
  }
  for (int k = 0; k < API_KIND_COUNT; k++) words[k] = api_kind_word(api_kinds[k]);
  api_field named =
      api_field_at(json_object_get(field->value, "id"), api_pointer_member(&field->path, "id"));
  api_field word =
      api_field_at(json_object_get(field->value, "kind"), api_pointer_member(&field->path, "kind"));
  size_t which = API_KIND_COUNT;
  bool good = api_read_id(reader, &named, id);
  if (!word.value) api_fault_missing(reader, field, "kind");
  else good = api_read_word(reader, &word, words, API_KIND_COUNT, &which) && good;
  if (which < API_KIND_COUNT) *kind = api_kinds[which];
  return good && which < API_KIND_COUNT;
}

/* Reads one query. If it has faults, the problem becomes the answer of this query alone. The
 * query's memory is owned by the call. */
static void read_batch_query(api_call *call, const api_field *field, const api_query_context *batch,
                             api_faults *faults, api_task *task) {
  api_reader reader = api_call_reader(call);
  reader.faults = faults;
  api_query_context context = *batch;
  api_faults_clear(faults);
  task->in_batch = true;
  if (read_query_kind(&reader, field, &context.kind, &task->id))
    api_read_query(&reader, field, &context, &task->question);
  if (!api_faults_any(faults)) return;
  task->status = api_problem_get(faults->id)->status;
  api_put_problem(&task->problem, faults);
}

/* Members of a batch that apply to all of its queries. */
typedef struct common_members {
  api_field members[B_COUNT];
  api_poses poses;
  api_hypotheses supposed;
  uint64_t supposed_rows;
} common_members;

/* Reads the members add and filters of the batch, which apply to every query. */
static bool read_batch_hypotheses(api_call *call, common_members *common) {
  api_reader reader = api_call_reader(call);
  common->supposed = (api_hypotheses){{&common->members[B_ADD]}, {&common->members[B_FILTERS]}};
  if (!api_has_hypotheses(&common->supposed)) return true;
  call->plan->supposed = api_make_hypothetical_scene(&reader, &common->supposed, call->scene);
  return call->plan->supposed != NULL;
}

/* Reads the poses of the batch, which apply to every query whose kind has poses, and checks their
 * ids in the scene. */
static bool read_batch_poses(api_call *call, common_members *common, const ct_scene *scene) {
  const api_field *field = &common->members[B_POSES];
  api_reader reader = api_call_reader(call);
  ct_override *unused;
  size_t count;
  if (!api_field_present(field)) return true;
  return api_read_poses(&reader, field, &common->poses) &&
         api_override_poses(&reader, &field->path, &common->poses, scene, &unused, &count);
}

/* Refuses members of the batch that require a scene in the path. */
static bool refuse_scene_members(api_call *call, const common_members *common) {
  static const int of_scene[] = {B_POSES, B_ADD, B_FILTERS};
  api_reader reader = api_call_reader(call);
  bool good = true;
  for (size_t i = 0; !call->scene && i < sizeof of_scene / sizeof of_scene[0]; i++)
    good = api_reject_unused(&reader, &common->members[of_scene[i]], true, "a scene in the path") &&
           good;
  return good;
}

/* Adds the shared members to the hash to which the cursors of the queries are bound. False: out of
 * memory. */
static bool hash_shared_members(const common_members *common, uint64_t *hash) {
  static const int bound[] = {B_POSES, B_ADD, B_FILTERS};
  json_t *object = json_object();
  bool good = object != NULL;
  for (size_t i = 0; good && i < sizeof bound / sizeof bound[0]; i++) {
    const api_field *field = &common->members[bound[i]];
    if (api_field_present(field)) good = json_object_set(object, field->name, field->value) == 0;
  }
  if (good && json_object_size(object) > 0) good = api_hash_request(hash, object);
  json_decref(object);
  return good;
}

static bool read_batch_queries(api_call *call, const api_field *queries, size_t count,
                               const api_query_context *context) {
  /* The queries are read with one collector of faults in turn; it is too large for the stack. */
  api_faults *faults = malloc(sizeof *faults);
  for (size_t i = 0; faults && i < count; i++) {
    api_field element = api_field_element(queries, i);
    read_batch_query(call, &element, context, faults, &call->plan->tasks[i]);
  }
  if (!faults) api_fault_memory(&call->faults);
  free(faults);
  return !api_faults_any(&call->faults);
}

static bool read_batch(api_call *call, common_members *common) {
  api_field root;
  api_reader reader = api_call_reader(call);
  const api_limits *limits = &call->service->limits;
  const api_field *queries = &common->members[B_QUERIES];
  size_t count = 0;
  if (!api_call_pick_revision(call) || !api_call_parse(call, &root) ||
      !api_read_object(&reader, &root, common->members, B_COUNT) ||
      !api_read_array(&reader, queries, 0, limits->batch, &count) ||
      !api_read_unsigned(&reader, &common->members[B_DEADLINE], 1, limits->deadline_max_ms,
                         &call->deadline_ms) ||
      !refuse_scene_members(call, common))
    return false;
  api_query_context context = {.call = call,
                               .scene = call->scene,
                               .base = api_field_present(&common->members[B_POSES]) ? &common->poses
                                                                                    : NULL,
                               .base_at = &common->members[B_POSES].path,
                               .supposed = &common->supposed,
                               .supposed_rows = &common->supposed_rows,
                               .in_batch = true,
                               .hash_seed = api_query_seed(call)};
  if (!api_query_plan(call, &batch_work, count)) return false;
  if (!hash_shared_members(common, &context.hash_seed)) {
    api_fault_memory(&call->faults);
    return false;
  }
  if (!read_batch_hypotheses(call, common)) return false;
  context.supposed_scene = call->plan->supposed;
  return read_batch_poses(call, common,
                          context.supposed_scene ? context.supposed_scene : call->scene) &&
         read_batch_queries(call, queries, count, &context);
}

api_step api_query_batch(api_call *call) {
  common_members common = {.members = {{.name = "queries", .required = true},
                                       {.name = "poses"},
                                       {.name = "add"},
                                       {.name = "filters"},
                                       {.name = "deadlineMs"}}};
  return read_batch(call, &common) ? api_query_start(call) : api_call_fail(call);
}
