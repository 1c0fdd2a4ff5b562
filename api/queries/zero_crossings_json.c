/* Reads zeroCrossings queries and writes their results. */
#include "queries/zero_crossings_json.h"

#include "common/spelling.h"
#include "results/contact_state_json.h"
#include "results/result_json.h"

bool api_read_crossings(api_reader *reader, const api_crossings_fields *fields,
                        const ct_scene *scene, api_crossings *out) {
  static const char *const words[] = {"monitor", "sample"};
  size_t which = 0;
  ct_text id;
  bool good = api_read_word(reader, fields->evaluation, words, 2, &which);
  out->evaluation = which == 0 ? CT_EVALUATE_MONITOR : CT_EVALUATE_SAMPLE;
  /* A sample consists of contacts only. */
  out->contacts = out->contacts || which == 1;
  if (!api_field_present(fields->state)) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &fields->state->path,
                 "The member \"%s\" is missing.", fields->state->name);
    return false;
  }
  if (!api_read_id(reader, fields->state, &id)) return false;
  out->state = api_contact_state_find(scene, id);
  if (out->state) return good;
  char echo[API_ECHO_MAX + 4];
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &fields->state->path,
                                  "The scene has no contact state \"%s\".", api_echo(id, echo));
  api_fault_did_you_mean(fault, api_spelling_of_attachments(scene, id));
  return false;
}

/* Writes the value of a zero-crossing function and the pair that determines it. */
static void put_zero_crossing(api_buffer *buffer, const char *name, const ct_scene *scene,
                              const ct_zero_crossing *z) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '{');
  api_put_member_number(buffer, "value", z->value);
  if (z->present) {
    const ct_body *a = ct_scene_body(scene, z->a), *b = ct_scene_body(scene, z->b);
    api_put_id(buffer, "a", ct_body_id(a));
    api_put_id(buffer, "b", ct_body_id(b));
    if (z->narrow) {
      api_put_collider_name(buffer, "colliderA", a, z->collider_a);
      api_put_collider_name(buffer, "colliderB", b, z->collider_b);
      api_put_surface_of(buffer, a, z->collider_a, b, z->collider_b);
    } else {
      api_put_member_bool(buffer, "lowerBoundOfBoxes", true);
    }
  }
  api_put_byte(buffer, '}');
}

/* True if a body was deleted or filters exclude the pair. Intersecting half-spaces have no distance
 * either, but overlap. */
static bool is_pair_absent(const ct_pair_result *now) {
  return now->status == CT_PAIR_UNSUPPORTED && now->relation == CT_SEPARATED;
}

static void put_state_contacts(api_buffer *buffer, const ct_contact_state *state,
                               const ct_pair_result *now) {
  api_put_key(buffer, "contacts");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < ct_contact_state_count(state); i++) {
    const ct_contact_record *r = ct_contact_state_record(state, i);
    if (is_pair_absent(&now[i])) continue;
    api_put_item(buffer);
    api_put_current_contact(buffer, r, ct_contact_state_epsilon(state), &now[i]);
  }
  api_put_byte(buffer, ']');
}

void api_put_crossings(api_buffer *buffer, const ct_scene *scene, const api_crossings *crossings,
                       const ct_contact_monitor *found) {
  api_put_byte(buffer, '{');
  if (crossings->evaluation == CT_EVALUATE_MONITOR) {
    api_put_key(buffer, "z");
    api_put_byte(buffer, '[');
    api_put_number(buffer, found->z1.value);
    api_put_byte(buffer, ',');
    api_put_number(buffer, found->z2.value);
    api_put_byte(buffer, ']');
    put_zero_crossing(buffer, "z1", scene, &found->z1);
    put_zero_crossing(buffer, "z2", scene, &found->z2);
  }
  if (crossings->contacts) put_state_contacts(buffer, crossings->state, found->contacts);
  api_put_key(buffer, "statistics");
  api_put_byte(buffer, '{');
  api_put_member_unsigned(buffer, "narrow", found->narrow);
  api_put_member_unsigned(buffer, "boxes", found->boxes);
  api_put_byte(buffer, '}');
  api_put_byte(buffer, '}');
}
