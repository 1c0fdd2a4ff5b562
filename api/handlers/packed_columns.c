/* Handles a scene's poses and vertices, which are transferred as packed columns, and its
 * filters. */
#include <string.h>

#include "common/spelling.h"
#include "documents/filters_json.h"
#include "documents/moved_vertices_json.h"
#include "documents/packed_poses_json.h"
#include "handlers/contact_state.h"
#include "handlers/scenes.h"

/* ---- poses ---------------------------------------------------------------------------------- */

api_step api_poses_get(api_call *call) {
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_put_poses(&call->out, call->scene);
  return api_call_send_raw(call, 200);
}

static api_step write_packed_poses(api_call *call, bool all) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  api_poses poses;
  api_field root, contact_state, persisted;
  if (api_call_parse(call, &root) &&
      api_read_poses_write(&reader, &root, &poses, &contact_state, &persisted) &&
      api_reject_unused(&reader, &persisted, !api_field_present(&contact_state), "contactState") &&
      api_apply_poses(&reader, NULL, &poses, all, draft))
    return api_field_present(&contact_state)
               ? api_contact_event_of_write(call, draft, &contact_state, &persisted)
               : api_call_commit(call, draft, 200);
  ct_draft_discard(draft);
  return api_call_fail(call);
}

api_step api_poses_put(api_call *call) { return write_packed_poses(call, true); }

api_step api_poses_patch(api_call *call) { return write_packed_poses(call, false); }

/* ---- vertices ------------------------------------------------------------------------------- */

api_step api_vertices_patch(api_call *call) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  api_field root;
  size_t count = 0;
  if (api_call_parse(call, &root) && api_move_vertices(&reader, &root, draft, &count)) {
    api_call_open(call);
    api_put_member_unsigned(&call->out, "count", count);
    return api_call_commit(call, draft, 200);
  }
  ct_draft_discard(draft);
  return api_call_fail(call);
}

/* ---- filters -------------------------------------------------------------------------------- */

api_step api_filters_get(api_call *call) {
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_put_filters(&call->out, ct_scene_filters(call->scene));
  return api_call_send_raw(call, 200);
}

api_step api_filters_put(api_call *call) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  ct_filters filters;
  api_field root;
  if (api_call_parse(call, &root) && api_read_filters(&reader, &root, &filters) &&
      api_apply_filters(&reader, NULL, &filters, draft)) {
    api_warn_groups(&reader, NULL, &filters, draft);
    return api_call_commit(call, draft, 200);
  }
  ct_draft_discard(draft);
  return api_call_fail(call);
}

/* Returns the row of the body that the URL parameter `name` selects; the parameter must occur once.
 * CT_NO_ROW: a fault was added. */
static uint32_t find_parameter_row(api_call *call, const char *name) {
  const char *text = call->query;
  api_url_parameter parameter, found = {0};
  int count = 0;
  while (api_url_next(&text, &parameter)) {
    if (!api_url_named(&parameter, name)) continue;
    found = parameter;
    count++;
  }
  ct_text id = {found.value, found.value_length};
  char echo[API_ECHO_MAX + 4];
  if (count != 1 || !api_id_valid(id)) {
    api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                    "The URL parameter %s is required once, with the id of a body.", name);
    return CT_NO_ROW;
  }
  uint32_t row = ct_scene_find(call->scene, id);
  if (row == CT_NO_ROW)
    api_fault_did_you_mean(api_fault_plain(&call->faults, API_PROBLEM_UNKNOWN_ID,
                                           "The scene has no body \"%s\".", api_echo(id, echo)),
                           api_spelling_of_bodies(call->scene, id));
  return row;
}

api_step api_filters_effective(api_call *call) {
  uint32_t a = find_parameter_row(call, "a"), b = find_parameter_row(call, "b");
  if (a != CT_NO_ROW && a == b)
    api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                    "a and b must be two different bodies.");
  if (api_faults_any(&call->faults)) return api_call_fail(call);
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_put_effective(&call->out, call->scene, a, b);
  return api_call_send_raw(call, 200);
}
