/* Operations of the query kinds impulse, restingForces and compliantForces, whose results are
 * contact forces. */
#include "kinds/kinds.h"

#include <stddef.h>

#include "execution/force_run.h"
#include "queries/query_members.h"

/* Checks that the inertias of all dynamic bodies are invertible. False with BAD_MASS, at the body
 * if the request contains it, else at the query. */
static bool check_inertias(api_reader *reader, const api_member_set *set, const api_query *out) {
  uint32_t row = api_find_singular(out->scene);
  if (row == CT_NO_ROW) return true;
  char echo[API_ECHO_MAX + 4];
  bool of_scene = api_field_present(api_member(set, API_MEMBER_SCENE)), given = out->body_count > 0;
  const api_field *side = api_member(set, of_scene ? API_MEMBER_SCENE
                                          : row    ? API_MEMBER_B
                                                   : API_MEMBER_A);
  api_pointer bodies = api_pointer_member(&side->path, "bodies"),
              body = api_pointer_index(&bodies, row);
  api_fault_at(reader->faults, API_PROBLEM_BAD_MASS,
               of_scene ? &body
               : given  ? &side->path
                        : set->whole,
               "The inertia of body \"%s\" cannot be inverted: set a positive inertiaDiagonal in "
               "its motion.",
               api_echo(ct_body_id(ct_scene_body(out->scene, row)), echo));
  return false;
}

/* Reads the members of a query of a scene: the selection, the contacts and the options of the
 * kind. */
static bool read_force_query(api_reader *reader, const api_member_set *set,
                             const api_query_context *context, api_query *out) {
  if (!api_check_selection(reader, set) || !api_read_selected_pairs(reader, set, context, out))
    return false;
  api_force_fields fields = {.method = api_member(set, API_MEMBER_METHOD),
                             .state = api_member(set, API_MEMBER_CONTACT_STATE),
                             .question = set->whole};
  for (int m = 0; m < API_FORCE_MEMBER_COUNT; m++)
    fields.own[m] = api_member(set, API_MEMBER_FORCE + m);
  const api_field *pairs = api_member(set, API_MEMBER_PAIRS),
                  *where = api_member(set, API_MEMBER_WHERE);
  if (!api_reject_combination(reader, pairs, api_field_present(fields.own[API_FORCE_CONTACTS]),
                              "contacts"))
    return false;
  /* A body without contacts is part of the result only if a side of `where` that the request gives
   * selects it. */
  if (!json_object_get(where->value, "a")) out->options.where_a = NULL;
  if (!json_object_get(where->value, "b")) out->options.where_b = NULL;
  ct_row_velocity *velocities = NULL;
  size_t count = 0;
  if (!api_merge_velocities(reader, out, &velocities, &count)) return false;
  const api_force_scope about = {out->scene, &out->options, out->evaluation.detail, velocities,
                                 count};
  out->mode = API_MODE_FORCE;
  const api_field *volumetric = fields.own[API_FORCE_VOLUMETRIC];
  bool is_volumetric = volumetric && api_field_present(volumetric);
  if (!api_reject_combination(reader, api_member(set, API_MEMBER_DETAIL), is_volumetric,
                              "volumetric"))
    return false;
  if (!api_read_force(reader, &fields, &about, out->kind->force->read_options, &out->force))
    return false;
  if (out->force.warning) api_warn_query(reader, &out->warnings, "%s", out->force.warning);
  return check_inertias(reader, set, out);
}

#define OF_SCENE                                                                                   \
  (API_MEMBERS_PAGE | API_MEMBER(WHERE) | API_MEMBER(PAIRS) | API_MEMBER(POSES) |                  \
   API_MEMBER(BROADPHASE))
#define OF_GIVEN (API_MEMBERS_PAGE | API_MEMBERS_GIVEN)
/* Members of impulse and restingForces. */
#define OF_ISLANDS                                                                                 \
  (API_FORCE_MEMBER(CONTACTS) | API_FORCE_MEMBER(CONTACT_TOLERANCE) |                              \
   API_FORCE_MEMBER(VELOCITY_TOLERANCE) | API_FORCE_MEMBER(GRAVITY) | API_FORCE_MEMBER(MATERIAL) | \
   API_FORCE_MEMBER(FRICTION) | API_FORCE_MEMBER(VOLUMETRIC))

static const api_force_operations impulse_operations = {api_read_impulse_options,
                                                        api_run_impulse_island, true};

const api_kind_operations api_kind_impulse = {
    .number = API_KIND_IMPULSE,
    .scene_members = OF_SCENE | API_MEMBER(DETAIL),
    .given_members = OF_GIVEN | API_MEMBER(DETAIL),
    .force_members = OF_ISLANDS | API_FORCE_MEMBER(LAW) | API_FORCE_MEMBER(SIMULTANEOUS) |
                     API_FORCE_MEMBER(ENERGY_GUARD) | API_FORCE_MEMBER(REST_VELOCITY),
    .uses_filters = true,
    .uses_velocities = true,
    .force = &impulse_operations,
    .read = read_force_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_forces,
    .run = api_run_forces,
    .put_members = api_put_impulse_members,
};

static const api_include_word resting_words[] = {{"A", offsetof(api_query, force.put_matrix)},
                                                 {"b", offsetof(api_query, force.put_vector)},
                                                 {0}};
static const api_force_operations resting_operations = {api_read_resting_options,
                                                        api_run_resting_island, false};

const api_kind_operations api_kind_resting_forces = {
    .number = API_KIND_RESTING_FORCES,
    .scene_members = OF_SCENE | API_MEMBER(DETAIL) | API_MEMBER(METHOD) | API_MEMBER(INCLUDE),
    .given_members = OF_GIVEN | API_MEMBER(DETAIL) | API_MEMBER(METHOD) | API_MEMBER(INCLUDE),
    .force_members = OF_ISLANDS | API_FORCE_MEMBER(LOADS) | API_FORCE_MEMBER(LEVEL) |
                     API_FORCE_MEMBER(TIME_STEP) | API_FORCE_MEMBER(DIRECTIONS) |
                     API_FORCE_MEMBER(CIRCUMSCRIBED) | API_FORCE_MEMBER(TIE),
    .include = resting_words,
    .uses_filters = true,
    .uses_velocities = true,
    .force = &resting_operations,
    .read = read_force_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_forces,
    .run = api_run_forces,
    .put_members = api_put_resting_members,
};

static const api_force_operations compliant_operations = {api_read_compliant_options, NULL, false};

const api_kind_operations api_kind_compliant_forces = {
    .number = API_KIND_COMPLIANT_FORCES,
    .scene_members = OF_SCENE,
    .stored_members = API_MEMBER(CONTACT_STATE),
    .given_members = OF_GIVEN,
    .force_members = API_FORCE_MEMBER(MATERIAL) | API_FORCE_MEMBER(ELASTIC),
    .uses_filters = true,
    .uses_velocities = true,
    .force = &compliant_operations,
    .read = read_force_query,
    .read_given = api_read_given_pair,
    .plan = api_plan_forces,
    .run = api_run_compliant,
    .put_members = api_put_compliant_members,
};
