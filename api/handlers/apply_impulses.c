/* Handles impulses as a write: answers a query of kind impulse and writes all resulting velocities
 * to the scene as one revision. If-Match is required: a repeated request would find the velocities
 * after the first collision and resolve another one. */
#include <assert.h>
#include <string.h>

#include "documents/packed_poses_json.h"
#include "handlers/query_call.h"

/* Returns the scene with the poses and velocities of the request applied; it is not published, and
 * the caller owns it. Removes the poses from the request. NULL: faults were added. */
static const ct_scene *apply_request_poses(api_call *call, api_reader *reader,
                                           const api_field *root) {
  const api_pointer at = api_pointer_member(&root->path, "poses");
  const api_field field = api_field_at(json_object_get(root->value, "poses"), at);
  if (!api_field_present(&field)) return ct_scene_retain(call->scene);
  const ct_scene *placed = NULL;
  ct_draft *draft = ct_draft_begin(call->scene);
  api_poses poses;
  bool good = draft && api_read_poses(reader, &field, &poses) &&
              api_apply_poses(reader, &at, &poses, false, draft);
  if (good) placed = ct_draft_seal(draft);
  if (!placed) ct_draft_discard(draft);
  if (!placed && (good || !draft)) api_fault_memory(&call->faults);
  json_object_del(root->value, "poses");
  return placed;
}

static bool read_impulse_query(api_call *call, const api_field *root) {
  api_query *query = &call->plan->tasks[0].question;
  api_reader reader = api_call_reader(call);
  query->scene = apply_request_poses(call, &reader, root);
  query->owns_scene = query->scene != NULL;
  if (!query->scene) return false;
  const api_query_context context = {.call = call,
                                     .kind = &api_kind_impulse,
                                     .scene = query->scene,
                                     .writes = true,
                                     .hash_seed = api_query_seed(call),
                                     .deadline_ms = &call->deadline_ms};
  return api_read_query(&reader, root, &context, query);
}

/* Checks that no resulting velocity exceeds the limit for the bodies of a scene. */
static bool check_speeds(api_call *call, const ct_scene *scene, const api_task *task) {
  assert(task->after);
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_velocity *after = &task->after[row].velocity;
    if (!task->after[row].reported) continue;
    if (ct_max2(ct_max_abs(after->linear), ct_max_abs(after->angular)) <= CT_SPEED_MAX) continue;
    char echo[API_ECHO_MAX + 4];
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" would exceed the largest speed, 1e9 m/s or rad/s: reduce the "
                    "velocities before the impulse.",
                    api_echo(ct_body_id(ct_scene_body(scene, row)), echo));
    return false;
  }
  return true;
}

/* Writes the velocities that changed to the draft. */
static bool write_velocities(const ct_scene *scene, const api_task *task, ct_draft *draft) {
  assert(task->after);
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_velocity before = ct_scene_velocity(scene, row), *after = &task->after[row].velocity;
    if (!task->after[row].reported || memcmp(&before, after, sizeof before) == 0) continue;
    if (ct_draft_set_velocity(draft, row, after) != CT_OK) return false;
  }
  return true;
}

static void finish_impulses(api_call *call) {
  api_task *task = &call->plan->tasks[0];
  api_call_open(call);
  if (!api_put_task_members(call, task, &call->out, &call->faults)) {
    api_call_fail(call);
    return;
  }
  const ct_scene *scene = task->question.scene;
  if (!check_speeds(call, scene, task)) {
    api_call_fail(call);
    return;
  }
  ct_draft *draft = scene == call->scene ? ct_draft_begin(scene) : ct_draft_amend(scene);
  if (draft && write_velocities(scene, task, draft)) {
    api_call_commit(call, draft, 200);
    return;
  }
  ct_draft_discard(draft);
  api_fault_memory(&call->faults);
  api_call_fail(call);
}

static const api_work_operations impulses_work = API_PLAN_WORK(finish_impulses);

api_step api_impulses_post(api_call *call) {
  api_field root;
  if (!call->if_match) {
    unsigned long long revision = ct_scene_revision(call->scene);
    api_call_etag(call, revision);
    api_fault_plain(
        &call->faults, API_PROBLEM_PRECONDITION_REQUIRED,
        "The header If-Match is required: it must name the current revision, \"r%llu\".", revision);
    return api_call_fail(call);
  }
  if (!api_call_may_write(call, true) || !api_call_parse(call, &root)) return api_call_fail(call);
  if (!api_query_plan(call, &impulses_work, 1) || !read_impulse_query(call, &root))
    return api_call_fail(call);
  return api_query_start(call);
}
