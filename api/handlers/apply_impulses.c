/* The question of kind impulse as a write. Its ranges keep the velocities that they tell; all of them become one revision. Who asks
 * names the revision that he has seen: a collision that is resolved twice is another one. */
#include "handlers/apply_impulses.h"

#include "documents/packed_poses_json.h"

#include <string.h>

/* The scene with the poses and velocities of the request in it, a reference: nobody else sees it. They are taken out of the
 * request. NULL: faults. */
static const ct_scene *place_bodies(api_call *call, api_reader *reader, const api_field *root) {
  const api_pointer at = api_pointer_member(&root->path, "poses");
  const api_field field = api_field_at(json_object_get(root->value, "poses"), at);
  if (!api_field_present(&field)) return ct_scene_retain(call->scene);
  const ct_scene *placed = NULL;
  ct_draft *draft = ct_draft_begin(call->scene);
  api_poses poses;
  bool good = draft && api_read_poses(reader, &field, &poses) && api_apply_poses(reader, &at, &poses, false, draft);
  if (good) placed = ct_draft_seal(draft);
  if (!placed) ct_draft_discard(draft);
  if (!placed && (good || !draft)) api_fault_memory(&call->faults);
  json_object_del(root->value, "poses");
  return placed;
}

static bool read_impulse_query(api_call *call, const api_field *root) {
  api_query *question = &call->plan->tasks[0].question;
  api_reader reader = api_call_reader(call);
  question->scene = place_bodies(call, &reader, root);
  question->owns_scene = question->scene != NULL;
  if (!question->scene) return false;
  const api_query_context asking = {.call = call,
                                    .kind = API_KIND_IMPULSE,
                                    .scene = question->scene,
                                    .writes = true,
                                    .hash_seed = api_query_seed(call),
                                    .deadline_ms = &call->deadline_ms};
  return api_read_query(&reader, root, &asking, question);
}

api_step api_impulses_post(api_call *call) {
  api_field root;
  if (!call->if_match) {
    unsigned long long revision = ct_scene_revision(call->scene);
    api_call_etag(call, revision);
    api_fault_plain(&call->faults, API_PROBLEM_PRECONDITION_REQUIRED,
                    "If-Match has to name the revision; the current one is \"r%llu\".", revision);
    return api_call_fail(call);
  }
  if (!api_call_may_write(call, true) || !api_call_parse(call, &root)) return api_call_fail(call);
  call->plan = api_plan_create(call, 1);
  if (!call->plan) api_fault_memory(&call->faults);
  if (!call->plan || !read_impulse_query(call, &root)) return api_call_fail(call);
  return api_query_start(call);
}

bool api_call_writes_impulses(const api_call *call) { return call->route->begin == api_impulses_post; }

/* Speeds that could not be given to a body cannot become the scene's either. */
static bool within_speed(api_call *call, const ct_scene *scene, const api_task *task) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_velocity *after = &task->after[row].velocity;
    if (!task->after[row].told) continue;
    if (ct_max2(ct_max_abs(after->linear), ct_max_abs(after->angular)) <= CT_SPEED_MAX) continue;
    char echo[API_ECHO_MAX + 4];
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" would be faster than a scene's bodies may be, 1e9 m/s or rad/s.",
                    api_echo(ct_body_id(ct_scene_body(scene, row)), echo));
    return false;
  }
  return true;
}

/* Velocities that have changed into the draft. */
static bool write_velocities(const ct_scene *scene, const api_task *task, ct_draft *draft) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_velocity before = ct_scene_velocity(scene, row), *after = &task->after[row].velocity;
    if (!task->after[row].told || memcmp(&before, after, sizeof before) == 0) continue;
    if (ct_draft_set_velocity(draft, row, after) != CT_OK) return false;
  }
  return true;
}

void api_impulses_finish(api_call *call) {
  api_task *task = &call->plan->tasks[0];
  api_call_open(call);
  if (!api_put_task_members(call, task, &call->out, &call->faults)) {
    api_call_fail(call);
    return;
  }
  const ct_scene *scene = task->question.scene;
  if (!within_speed(call, scene, task)) {
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
