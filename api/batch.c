/* A batch: questions of mixed kinds at one revision, answered in order, each judged alone. */
#include <stdlib.h>

#include "query_call.h"

/* Members of the batch itself. */
enum { B_QUERIES, B_POSES, B_DEADLINE, B_COUNT };

/* The kind of a question, and its id, ahead of the rest: what else it may have depends on the kind. */
static bool read_kind(api_reader *reader, const api_field *field, api_kind *kind, ct_text *id) {
  const char *words[API_KIND_COUNT];
  if (!json_is_object(field->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path, "A query is an object, not %s.",
                 api_type_words(field->value));
    return false;
  }
  for (int k = 0; k < API_KIND_COUNT; k++) words[k] = api_kind_word((api_kind)k);
  api_field named = api_field_at(json_object_get(field->value, "id"), api_path_member(&field->path, "id"));
  api_field word = api_field_at(json_object_get(field->value, "kind"), api_path_member(&field->path, "kind"));
  size_t which = API_KIND_COUNT;
  bool good = api_read_id(reader, &named, id);
  if (!word.value) api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path, "The member \"kind\" is missing.");
  else good = api_read_word(reader, &word, words, API_KIND_COUNT, &which) && good;
  *kind = (api_kind)which;
  return good && which < API_KIND_COUNT;
}

/* Reads one question. What is wrong with it becomes its answer. Its memory, unlike its faults, is the call's. */
static void read_query(api_call *call, const api_field *field, const api_asking *batch, api_faults *faults, api_task *task) {
  api_reader reader = api_call_reader(call);
  reader.faults = faults;
  api_asking asking = *batch;
  api_faults_clear(faults);
  task->in_batch = true;
  if (read_kind(&reader, field, &asking.kind, &task->id)) api_read_question(&reader, field, &asking, &task->question);
  if (!api_faults_any(faults)) return;
  task->status = api_problem_get(faults->id)->status;
  api_put_problem(&task->problem, faults);
}

/* Poses of the batch, which every question that looks at poses starts from; they must fit the scene. */
static bool read_batch_poses(api_call *call, const api_field *field, api_poses *poses) {
  api_reader reader = api_call_reader(call);
  ct_override *unused;
  size_t count;
  if (!api_read_poses(&reader, field, poses)) return false;
  if (!call->scene) {
    api_fault_at(&call->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path,
                 "\"poses\" requires a scene: send the batch to /v1/scenes/{id}/query.");
    return false;
  }
  return api_override_poses(&reader, &field->path, poses, call->scene, &unused, &count);
}

static bool read_queries(api_call *call, const api_field *queries, size_t count, const api_asking *asking) {
  /* One collector of errors serves all; it is too large for the stack. */
  api_faults *faults = malloc(sizeof *faults);
  for (size_t i = 0; faults && i < count; i++) {
    api_field element = api_field_element(queries, i);
    read_query(call, &element, asking, faults, &call->plan->tasks[i]);
  }
  if (!faults) api_fault_memory(&call->faults);
  free(faults);
  return !api_faults_any(&call->faults);
}

api_step api_query_batch(api_call *call) {
  api_field root, members[B_COUNT] = {{.name = "queries", .required = true}, {.name = "poses"}, {.name = "deadlineMs"}};
  api_reader reader = api_call_reader(call);
  const api_limits *limits = &call->service->limits;
  if (!api_call_pick_revision(call) || !api_call_parse(call, &root) || !api_read_object(&reader, &root, members, B_COUNT))
    return api_call_fail(call);
  size_t count = 0;
  api_poses poses;
  bool has_poses = api_field_present(&members[B_POSES]);
  if (!api_read_array(&reader, &members[B_QUERIES], 0, limits->batch, &count) ||
      !api_read_unsigned(&reader, &members[B_DEADLINE], 1, limits->deadline_max_ms, &call->deadline_ms) ||
      (has_poses && !read_batch_poses(call, &members[B_POSES], &poses)))
    return api_call_fail(call);
  call->plan = api_plan_create(call, count);
  if (!call->plan) {
    api_fault_memory(&call->faults);
    return api_call_fail(call);
  }
  api_asking asking = {.call = call,
                       .scene = call->scene,
                       .base = has_poses ? &poses : NULL,
                       .base_at = &members[B_POSES].path,
                       .in_batch = true,
                       .hash_seed = api_query_seed(call)};
  if (has_poses && !api_hash_request(&asking.hash_seed, members[B_POSES].value)) {
    api_fault_memory(&call->faults);
    return api_call_fail(call);
  }
  if (!read_queries(call, &members[B_QUERIES], count, &asking)) return api_call_fail(call);
  return api_query_start(call);
}

/* {"id"?, "httpStatus", "result" | "problem"} */
static void put_answer(api_call *call, api_task *task, api_faults *faults) {
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

void api_batch_finish(api_call *call) {
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
  for (size_t t = 0; t < call->plan->task_count; t++) put_answer(call, &call->plan->tasks[t], faults);
  api_put_byte(out, ']');
  free(faults);
  api_call_send(call, 200);
}
