/* Operations of the query kind zeroCrossings: two indicator functions of a contact state, z1 and
 * z2, whose sign changes are the events of a hybrid integrator. */
#include "kinds/kinds.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/spelling.h"
#include "execution/cost_estimate.h"
#include "execution/variants_run.h"
#include "queries/query_members.h"
#include "queries/variant_scene.h"
#include "results/contact_state_json.h"
#include "results/result_json.h"

/* Reads the contact state and which functions to evaluate. UNKNOWN_ID: the scene has no such
 * contact state. */
static bool read_evaluation(api_reader *reader, const api_member_set *set, const ct_scene *scene,
                            api_crossings *out) {
  const api_field *state = api_member(set, API_MEMBER_CONTACT_STATE);
  static const char *const words[] = {"monitor", "sample"};
  size_t which = 0;
  ct_text id;
  bool good = api_read_word(reader, api_member(set, API_MEMBER_EVALUATION), words, 2, &which);
  out->evaluation = which == 0 ? CT_EVALUATE_MONITOR : CT_EVALUATE_SAMPLE;
  /* The evaluation `sample` reports nothing but contacts. */
  out->contacts = out->contacts || which == 1;
  if (!api_field_present(state)) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &state->path,
                 "The member \"%s\" is required.", state->name);
    return false;
  }
  if (!api_read_id(reader, state, &id)) return false;
  out->state = api_contact_state_find(scene, id);
  if (out->state) return good;
  char echo[API_ECHO_MAX + 4];
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &state->path,
                                  "The scene has no contact state \"%s\".", api_echo(id, echo));
  api_fault_did_you_mean(fault, api_spelling_of_attachments(scene, id));
  return false;
}

/* Reads the members of a query of a scene: the contact state, and the poses at which it is
 * evaluated. */
static bool read_crossings_query(api_reader *reader, const api_member_set *set,
                                 const api_query_context *context, api_query *out) {
  out->mode = API_MODE_STATE;
  bool good = read_evaluation(reader, set, out->scene, &out->crossings);
  good = api_read_what_if(reader, api_member(set, API_MEMBER_POSES), context, out) && good;
  const api_variant_fields variants = {api_member(set, API_MEMBER_VARIANTS),
                                       api_member(set, API_MEMBER_WHERE),
                                       api_member(set, API_MEMBER_PAIRS)};
  good = api_read_variants(reader, &variants, out) && good;
  if (good && !api_scene_has_motion(out->scene))
    api_warn_query(reader, &out->warnings, API_NO_MOTION_TEXT);
  return good;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Puts the value of a zero-crossing function and the pair of bodies that determines it. */
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

/* True if the pair's body was deleted, or filters exclude the pair. Intersecting half-spaces are
 * also unsupported (they have no distance), but overlap. */
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

/* Puts the result of one evaluation. */
static void put_crossings(api_buffer *buffer, const ct_scene *scene, const api_crossings *crossings,
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

/* ---- running -------------------------------------------------------------------------------- */

/* Sets the number of items and the estimated cost. For variants, the cost of overlapping pairs is
 * added: bodies that are apart in the scene may overlap in a variant. */
static ct_status plan_crossings(const api_plan *plan, api_task *task, bool shared) {
  (void)plan;
  (void)shared;
  api_query *q = &task->question;
  task->items = q->mode == API_MODE_VARIANTS ? q->variant_count : 1;
  double each;
  ct_status status = api_estimate_contacts_cost(q->scene, q->crossings.state, &q->options,
                                                CT_QUERY_DISTANCE, &each);
  if (status != CT_OK) return status;
  if (q->mode == API_MODE_VARIANTS) each += api_estimate_variants_cost(CT_QUERY_DISTANCE, q->scene);
  task->cost = each * (double)task->items;
  return CT_OK;
}

/* Evaluates the contact state with the given poses and puts one result. */
static void run_crossings_poses(api_range_run *run, const ct_override *overrides, size_t count) {
  const api_query *q = &run->task->question;
  const api_crossings *crossings = &q->crossings;
  api_range *range = run->range;
  assert(crossings->state);
  ct_contact_monitor found = {.contacts = NULL};
  ct_pair_result *contacts = NULL;
  if (crossings->contacts) {
    contacts = found.contacts =
        malloc((ct_contact_state_count(crossings->state) + 1) * sizeof *contacts);
    if (!contacts) {
      range->memory = true;
      return;
    }
  }
  const ct_contact_monitor_options options = {crossings->evaluation, overrides, count,
                                              run->plan->cancel};
  ct_status status =
      ct_contact_monitor_run(run->scene, crossings->state, &options, run->workspace, &found);
  if (status == CT_OK) {
    api_put_item(&range->text);
    put_crossings(&range->text, run->scene, crossings, &found);
    api_mark_result(run, (api_mark){.after = CT_NO_ROW});
  } else {
    range->status = status;
  }
  free(contacts);
}

static void run_crossings(api_range_run *run, size_t begin, size_t end) {
  if (run->task->question.mode == API_MODE_VARIANTS) api_run_variants(run, begin, end);
  else run_crossings_poses(run, run->options->overrides, run->options->override_count);
}

static const api_include_word include_words[] = {
    {"contacts", offsetof(api_query, crossings.contacts)}, {0}};

const api_kind_operations api_kind_zero_crossings = {
    .number = API_KIND_ZERO_CROSSINGS,
    .scene_members = API_MEMBERS_PAGE | API_MEMBER(CONTACT_STATE) | API_MEMBER(EVALUATION) |
                     API_MEMBER(POSES) | API_MEMBER(VARIANTS) | API_MEMBER(INCLUDE),
    .include = include_words,
    .uses_filters = true,
    .scene_only = "zeroCrossings needs a contact state of a scene: use /v1/scenes/{id}/query.",
    .read = read_crossings_query,
    .plan = plan_crossings,
    .run = run_crossings,
    .run_poses = run_crossings_poses,
};
