/* Handles reading and deletion of contact states. Their events are handled in contact_event.c. */
#include "handlers/contact_state.h"

#include <string.h>

#include "documents/elastic_json.h"
#include "handlers/contact_event_payload.h"
#include "handlers/scenes.h"
#include "results/contact_state_json.h"
#include "results/result_json.h"

size_t api_match_contact_count(const api_match *match, const ct_scene *scene) {
  if (!match->item_id[0] || !strstr(match->label, "/contactStates/")) return 0;
  const ct_contact_state *state = api_contact_state_find(scene, api_text(match->item_id));
  return state ? ct_contact_state_count(state) : 0;
}

/* The contacts of an event may use the fraction 1 / CONTACTS_SHARE of a request's memory: they are
 * found, reported and stored. */
#define CONTACTS_SHARE 4

size_t api_contact_records_max(const api_limits *limits) {
  return limits->request_memory_bytes / CONTACTS_SHARE / sizeof(ct_contact_record);
}

void api_fault_contact_records(api_call *call) {
  api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                  "An event has more than %zu contacts, the most that requestMemoryBytes allows: "
                  "exclude pairs by filters.",
                  api_contact_records_max(&call->service->limits));
}

double api_contact_event_time(const ct_scene *scene, const ct_contact_state *previous) {
  double time = ct_scene_time(scene);
  return previous ? ct_max2(ct_contact_state_time(previous), time) : time;
}

bool api_contact_state_may_add(api_call *call) {
  uint64_t limit = call->service->limits.contact_states;
  size_t count = ct_scene_attachment_count(call->scene);
  if (count < limit) return true;
  api_fault *fault = api_fault_plain(
      &call->faults, API_PROBLEM_LIMIT_EXCEEDED,
      "The scene already has %llu contact states, the limit (contactStates): delete one first.",
      (unsigned long long)limit);
  api_fault_limit(fault, (double)limit, (double)count + 1.0);
  return false;
}

bool api_contact_states_fit(api_call *call, const ct_contact_state *previous,
                            const ct_contact_state *state) {
  uint64_t limit = call->service->limits.contact_states_bytes,
           bytes = ct_contact_state_bytes(state);
  for (size_t i = 0; i < ct_scene_attachment_count(call->scene); i++) {
    const ct_attachment *other = ct_scene_attachment(call->scene, i);
    if (other->value != previous) bytes += ct_contact_state_bytes(other->value);
  }
  if (bytes <= limit) return true;
  api_fault *fault = api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                                     "The contact states of the scene would need %llu bytes; the "
                                     "limit is %llu (contactStatesBytes): delete a contact state.",
                                     (unsigned long long)bytes, (unsigned long long)limit);
  api_fault_limit(fault, (double)limit, (double)bytes);
  return false;
}

api_step api_contact_states_list(api_call *call) {
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  const ct_scene *scene = call->scene;
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_unsigned(out, "revision", ct_scene_revision(scene));
  api_put_member_unsigned(out, "count", ct_scene_attachment_count(scene));
  api_put_key(out, "contactStates");
  api_put_byte(out, '[');
  for (size_t i = 0; i < ct_scene_attachment_count(scene); i++) {
    const ct_attachment *attachment = ct_scene_attachment(scene, i);
    const ct_contact_state *state = attachment->value;
    api_put_item(out);
    api_put_byte(out, '{');
    api_put_id(out, "id", attachment->name);
    api_put_member_number(out, "time", ct_contact_state_time(state));
    api_put_member_unsigned(out, "events", ct_contact_state_events(state));
    api_put_member_unsigned(out, "contacts", ct_contact_state_count(state));
    api_put_byte(out, '}');
  }
  api_put_byte(out, ']');
  return api_call_send(call, 200);
}

api_step api_contact_state_get(api_call *call) {
  ct_text id = api_text(call->match.item_id);
  const ct_contact_state *state = api_contact_state_find(call->scene, id);
  if (!state) return api_call_not_found(call, API_PROBLEM_CONTACT_STATE_NOT_FOUND);
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_unsigned(out, "revision", ct_scene_revision(call->scene));
  api_put_contact_state(out, id, state);
  api_put_member_unsigned(out, "count", ct_contact_state_count(state));
  api_put_key(out, "contacts");
  api_put_byte(out, '[');
  bool elastic = false;
  for (size_t i = 0; i < ct_contact_state_count(state); i++) {
    api_put_item(out);
    elastic =
        api_put_contact_members(out, call->scene, ct_contact_state_record(state, i)) || elastic;
  }
  api_put_byte(out, ']');
  if (elastic) api_put_default_elastic(out);
  return api_call_send(call, 200);
}

api_step api_contact_state_delete(api_call *call) {
  ct_text id = api_text(call->match.item_id);
  const ct_contact_state *state = api_contact_state_find(call->scene, id);
  if (!state) return api_call_not_found(call, API_PROBLEM_CONTACT_STATE_NOT_FOUND);
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  if (ct_draft_attach(draft, id, NULL, &api_contact_state_type) == CT_OK) {
    api_emit_state_ended(call, call->match.item_id, state);
    return api_call_commit(call, draft, 200);
  }
  ct_draft_discard(draft);
  api_fault_memory(&call->faults);
  return api_call_fail(call);
}
