/* Contact events: find the contacts of a revision and match them with the records of the previous
 * state. */
#include "base/array.h"
#include "contact_state/contact_pairs.h"
#include "contact_state/contact_state.h"

#include <contact/pair_methods.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Value of `record` below, in place of an index: the contact continues no record of the previous
 * state, that is, it begins. */
#define NONE SIZE_MAX

typedef struct found_contact {
  ct_contact_key key;
  ct_pair_result result;
  size_t record; /* record of the previous state that continues as this contact, or NONE */
} found_contact;

/* What has become of a record of the previous state. */
typedef struct known_contact {
  /* seen: the pair still takes part in contacts, and its distance was computed; persists: the pair
   * is still in contact */
  bool seen, persists;
  double distance;
} known_contact;

typedef struct event_run {
  ct_contact_pairs pairs;
  const ct_contact_state *previous;
  const ct_contact_event_options *options;
  ct_contact_member *members;
  size_t member_count;
  known_contact *known; /* [records of the previous state] */
  found_contact *found;
  size_t count, capacity;
} event_run;

/* ---- contact search -------------------------------------------------------------------------- */

static ct_status add_found(event_run *run, const found_contact *contact) {
  assert(run->count <= run->capacity);
  if (run->count >= run->options->contacts_max) return CT_LIMIT;
  if (!ct_array_reserve(&run->found, &run->capacity, run->count + 1, sizeof *run->found))
    return CT_OUT_OF_MEMORY;
  run->found[run->count++] = *contact;
  return CT_OK;
}

static ct_status evaluate_key(event_run *run, const ct_contact_key *key, size_t record) {
  assert(record == NONE || (run->previous && record < run->previous->count));
  found_contact contact = {.key = *key, .record = record};
  ct_status status = ct_contact_pairs_result(&run->pairs, key, &contact.result);
  if (status != CT_OK) return status;
  double distance = ct_contact_distance(&run->pairs, contact.result.distance);
  if (record != NONE) run->known[record] = (known_contact){true, distance <= 0.0, distance};
  return distance <= 0.0 ? add_found(run, &contact) : CT_OK;
}

static ct_status visit_candidate(void *context, const ct_contact_key *key, double bound) {
  event_run *run = context;
  size_t member = ct_contact_member_find(run->members, run->member_count, key);
  assert(ct_contact_is_candidate(&run->pairs, bound));
  (void)bound;
  return evaluate_key(run, key, member < run->member_count ? run->members[member].record : NONE);
}

static int compare_found(const void *x, const void *y) {
  return ct_contact_key_compare(&((const found_contact *)x)->key, &((const found_contact *)y)->key);
}

/* Finds all pairs in contact. The distances of the previous state's contacts are always computed;
 * those of other pairs only if their boxes are within epsilon. */
static ct_status find_contacts(event_run *run) {
  const double limit = run->pairs.epsilon;
  ct_status status = CT_OK;
  if (run->previous)
    status = ct_contact_members_of(&run->pairs, run->previous, &run->members, &run->member_count);
  if (status != CT_OK) return status;
  run->known = calloc((run->previous ? run->previous->count : 0) + 1, sizeof *run->known);
  if (!run->known) return CT_OUT_OF_MEMORY;
  status = ct_contact_pairs_enumerate(&run->pairs, &limit, visit_candidate, run);
  for (size_t k = 0; k < run->member_count && status == CT_OK; k++) {
    const ct_contact_member *member = &run->members[k];
    if (!run->known[member->record].seen) status = evaluate_key(run, &member->key, member->record);
  }
  if (status == CT_OK && run->count > 1)
    qsort(run->found, run->count, sizeof *run->found, compare_found);
  return status;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Velocity of the body's material point at p: velocity of the centre of mass (of the frame's
 * origin, if no centre is known) plus rotation about it. Zero for a body without motion. */
static ct_vec3 row_velocity_at(const ct_scene *scene, uint32_t row, ct_vec3 p) {
  const ct_body *body = ct_scene_body(scene, row);
  const ct_motion *motion = ct_body_motion(body);
  if (!motion) return ct_vec(0.0, 0.0, 0.0);
  ct_velocity v = ct_scene_velocity(scene, row);
  if (v.angular.x == 0.0 && v.angular.y == 0.0 && v.angular.z == 0.0) return v.linear;
  ct_mass_properties mass;
  bool ignored;
  ct_vec3 center = motion->center;
  if (!motion->has_center)
    center = ct_body_mass(body, &mass, &ignored) ? mass.center : ct_vec(0.0, 0.0, 0.0);
  ct_vec3 arm = ct_sub(p, ct_to_parent(ct_frame_of(ct_scene_pose(scene, row)), center));
  return ct_add(v.linear, ct_cross(v.angular, arm));
}

static double record_normal_velocity(const ct_scene *scene, const found_contact *found) {
  const ct_pair_result *r = &found->result;
  ct_vec3 p = ct_scale(ct_add(r->point_a, r->point_b), 0.5);
  ct_vec3 relative =
      ct_sub(row_velocity_at(scene, found->key.b, p), row_velocity_at(scene, found->key.a, p));
  return ct_dot(r->normal, relative);
}

static ct_status set_supports(event_run *run, const ct_contact_key *key,
                              ct_contact_record *record) {
  const ct_mpr_options usual = {CT_MPR_TOLERANCE, CT_MPR_ITERATIONS};
  const ct_mpr_options *options = run->pairs.method == CT_CONTACT_MPR ? &run->pairs.mpr : &usual;
  ct_mpr_result portal;
  ct_placed a, b;
  ct_status status = ct_contact_pairs_place(&run->pairs, key, &a, &b);
  if (status != CT_OK) return status;
  ct_pair_mpr(a, b, options, &portal);
  record->supports_defined = portal.support_count > 0;
  for (uint32_t i = 0; i < 3 && record->supports_defined; i++) {
    uint32_t from = i < portal.support_count ? i : portal.support_count - 1;
    record->support_a[i] = portal.support_a[from];
    record->support_b[i] = portal.support_b[from];
  }
  return CT_OK;
}

static ct_text append_text(ct_text text, char **texts) {
  ct_text copy = {*texts, text.length};
  memcpy(*texts, text.bytes, text.length);
  *texts += text.length;
  return copy;
}

static ct_contact_cause cause_of(const event_run *run, const ct_contact_record *record) {
  if (!run->previous) return CT_CAUSE_INIT;
  /* Serials ascend with rows, so b has the greater serial of the two. */
  return record->serial_b >= run->previous->next_serial ? CT_CAUSE_TIME : CT_CAUSE_Z2;
}

/* Sets the members of a record that change with every event. The ids are copied to *texts, which is
 * advanced. */
static ct_status set_record(event_run *run, const found_contact *found, ct_contact_record *record,
                            char **texts) {
  const ct_scene *scene = run->pairs.scene;
  const ct_contact_key *key = &found->key;
  const ct_body *a = ct_scene_body(scene, key->a), *b = ct_scene_body(scene, key->b);
  record->serial_a = ct_scene_serial(scene, key->a);
  record->serial_b = ct_scene_serial(scene, key->b);
  assert(key->a < key->b && record->serial_a < record->serial_b);
  record->body_a = append_text(ct_body_id(a), texts);
  record->body_b = append_text(ct_body_id(b), texts);
  record->name_a = append_text(ct_body_collider_id(a, key->collider_a), texts);
  record->name_b = append_text(ct_body_collider_id(b, key->collider_b), texts);
  record->collider_a = key->collider_a;
  record->collider_b = key->collider_b;
  record->surface = ct_shape_is_surface(ct_body_shape(a, key->collider_a)) ||
                    ct_shape_is_surface(ct_body_shape(b, key->collider_b));
  record->distance = ct_contact_distance(&run->pairs, found->result.distance);
  record->result = found->result;
  return run->options->supports ? set_supports(run, key, record) : CT_OK;
}

/* Sets the members of a record that are fixed when the contact begins: computed for a new contact,
 * copied from the previous record of a persisting one. */
static void set_beginning(event_run *run, const found_contact *found, uint64_t pair,
                          ct_contact_record *record) {
  if (found->record == NONE) {
    const ct_scene *scene = run->pairs.scene;
    record->pair = pair;
    record->several_a = ct_body_collider_count(ct_scene_body(scene, found->key.a)) > 1;
    record->several_b = ct_body_collider_count(ct_scene_body(scene, found->key.b)) > 1;
    record->begun = run->options->time;
    record->normal_velocity = record_normal_velocity(scene, found);
    record->cause = cause_of(run, record);
    return;
  }
  const ct_contact_record *before = &run->previous->records[found->record];
  assert(run->known[found->record].persists);
  record->pair = before->pair;
  record->several_a = before->several_a;
  record->several_b = before->several_b;
  record->begun = before->begun;
  record->normal_velocity = before->normal_velocity;
  record->cause = before->cause;
}

/* Number of bytes of the ids that the pair's record stores. */
static size_t count_text_bytes(const ct_scene *scene, const ct_contact_key *key) {
  const ct_body *a = ct_scene_body(scene, key->a), *b = ct_scene_body(scene, key->b);
  return ct_body_id(a).length + ct_body_id(b).length +
         ct_body_collider_id(a, key->collider_a).length +
         ct_body_collider_id(b, key->collider_b).length;
}

static uint64_t find_last_pair_number(const event_run *run) {
  uint64_t given = ct_scene_contacts_begun(run->pairs.scene),
           before = run->previous ? run->previous->last_pair : 0;
  return given > before ? given : before;
}

static ct_status make_state(event_run *run, ct_contact_state **out) {
  const ct_scene *scene = run->pairs.scene;
  /* Allocate the state with its texts. */
  size_t text_bytes = 0;
  for (size_t i = 0; i < run->count; i++) text_bytes += count_text_bytes(scene, &run->found[i].key);
  char *texts;
  ct_contact_state *state = ct_contact_state_new(run->count, text_bytes, &texts);
  if (!state) return CT_OUT_OF_MEMORY;
  state->time = run->options->time;
  state->epsilon = run->pairs.epsilon;
  state->method = run->pairs.method;
  state->mpr = run->pairs.mpr;
  state->events = run->previous ? run->previous->events + 1 : 1;
  state->last_pair = find_last_pair_number(run);
  state->next_serial = scene->next_serial;
  /* Write the records; begun contacts get new pair numbers. */
  ct_status status = CT_OK;
  for (size_t i = 0; i < run->count && status == CT_OK; i++) {
    const found_contact *found = &run->found[i];
    status = set_record(run, found, &state->records[i], &texts);
    if (found->record == NONE) state->last_pair++;
    set_beginning(run, found, state->last_pair, &state->records[i]);
  }
  if (status == CT_OK) *out = state;
  else ct_contact_state_release(state);
  return status;
}

/* ---- changes --------------------------------------------------------------------------------- */

static int compare_ended_pairs(const void *x, const void *y) {
  uint64_t p = ((const ct_contact_ended *)x)->record.pair,
           q = ((const ct_contact_ended *)y)->record.pair;
  return (p > q) - (p < q);
}

/* Lists the records of the previous state that no contact of the new state continues. */
static void report_ended(const event_run *run, ct_contact_event *event) {
  size_t records = run->previous ? run->previous->count : 0;
  for (size_t i = 0; i < records; i++) {
    const known_contact *known = &run->known[i];
    if (known->persists) continue;
    event->ended[event->ended_count++] = (ct_contact_ended){
        run->previous->records[i], known->seen ? CT_CAUSE_Z1 : CT_CAUSE_BODY, known->distance};
  }
  assert(event->ended_count <= records);
  if (event->ended_count > 1)
    qsort(event->ended, event->ended_count, sizeof *event->ended, compare_ended_pairs);
}

/* Index of a record of the new state, with its pair number as sort key. */
typedef struct indexed_pair {
  uint64_t pair;
  uint32_t index;
} indexed_pair;

static int compare_indexed_pairs(const void *x, const void *y) {
  uint64_t p = ((const indexed_pair *)x)->pair, q = ((const indexed_pair *)y)->pair;
  return (p > q) - (p < q);
}

/* Lists the contacts that began and those that persist. New pair numbers ascend with the records,
 * so only persisting contacts have to be sorted; `order` is scratch memory with room for all
 * contacts. */
static void report_present(const event_run *run, const ct_contact_state *state, indexed_pair *order,
                           ct_contact_event *event) {
  for (size_t i = 0; i < run->count; i++) {
    uint32_t index = (uint32_t)i;
    if (run->found[i].record == NONE) event->began[event->began_count++] = index;
    else order[event->persisted_count++] = (indexed_pair){state->records[i].pair, index};
  }
  assert(event->began_count + event->persisted_count == run->count);
  if (event->persisted_count > 1)
    qsort(order, event->persisted_count, sizeof *order, compare_indexed_pairs);
  for (size_t i = 0; i < event->persisted_count; i++) event->persisted[i] = order[i].index;
}

static ct_status report_event(event_run *run, ct_contact_event *event) {
  size_t before = run->previous ? run->previous->count : 0;
  ct_contact_state *state = NULL;
  *event = (ct_contact_event){.ended = malloc((before + 1) * sizeof *event->ended),
                              .began = malloc((run->count + 1) * sizeof *event->began),
                              .persisted = malloc((run->count + 1) * sizeof *event->persisted)};
  indexed_pair *order = malloc((run->count + 1) * sizeof *order);
  ct_status status = event->ended && event->began && event->persisted && order
                         ? make_state(run, &state)
                         : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    event->state = state;
    event->narrow = run->pairs.narrow;
    event->boxes = ct_contact_pairs_total(run->pairs.scene) - run->pairs.narrow;
    report_ended(run, event);
    report_present(run, state, order, event);
  } else {
    ct_contact_event_free(event);
  }
  free(order);
  return status;
}

void ct_contact_event_free(ct_contact_event *event) {
  free(event->ended);
  free(event->began);
  free(event->persisted);
  event->ended = NULL;
  event->began = event->persisted = NULL;
}

ct_status ct_contact_event_run(const ct_scene *scene, const ct_contact_state *previous,
                               const ct_contact_event_options *options, ct_workspace *workspace,
                               ct_contact_event *event) {
  ct_contact_evaluated how = {.epsilon = previous ? previous->epsilon : options->epsilon,
                              .method = previous ? previous->method : options->method,
                              .enumerates = true,
                              .cancel = options->cancel,
                              .workspace = workspace};
  if (how.method == CT_CONTACT_MPR) how.mpr = previous ? previous->mpr : options->mpr;
  if (!isfinite(options->time) || (previous && options->time < previous->time)) return CT_LIMIT;
  if (!(how.epsilon > 0.0 && how.epsilon <= CT_CONTACT_EPSILON_MAX)) return CT_LIMIT;
  if (how.method == CT_CONTACT_MPR && !(how.mpr.tolerance > 0.0 && how.mpr.iterations_max > 0))
    return CT_LIMIT;
  event_run run = {.previous = previous, .options = options};
  ct_status status = ct_contact_pairs_open(&run.pairs, scene, &how);
  if (status != CT_OK) return status;
  ct_contact_event made;
  status = find_contacts(&run);
  if (status == CT_OK) status = report_event(&run, &made);
  if (status == CT_OK) *event = made;
  ct_contact_pairs_close(&run.pairs);
  free(run.members);
  free(run.known);
  free(run.found);
  return status;
}
