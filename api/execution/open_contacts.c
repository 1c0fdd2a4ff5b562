/* Records of the contacts of an advance: a list sorted by the rows and colliders of the pairs,
 * which is also the order of the records of a contact state. */
#include "execution/open_contacts.h"

#include <assert.h>
#include <contact/restore.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A contact that has begun and not ended. */
typedef struct open_contact {
  uint32_t a, b; /* rows, a < b */
  ct_contact_record record;
} open_contact;

struct api_open_contacts {
  const ct_scene *scene;
  const ct_contact_state *previous;
  ct_contact_event_options options;
  double origin;        /* time of the motion's start, s */
  open_contact **items; /* [count] sorted by rows and colliders */
  size_t count, capacity;
  open_contact *ended;       /* the contact that ended last, or NULL */
  uint64_t last_pair, begun; /* greatest pair number; number of contacts that began */
  ct_contact_event first, last;
  const ct_contact_state *last_steps; /* contacts after the last step; owns texts of last.ended */
};

api_open_contacts *api_open_contacts_create(const ct_scene *scene, const ct_contact_state *previous,
                                            const ct_contact_event_options *options,
                                            double origin) {
  api_open_contacts *contacts = calloc(1, sizeof *contacts);
  if (!contacts) return NULL;
  contacts->scene = scene;
  contacts->previous = previous;
  contacts->options = *options;
  contacts->origin = origin;
  return contacts;
}

static void release_event(ct_contact_event *event) {
  ct_contact_state_release(event->state);
  ct_contact_event_free(event);
}

void api_open_contacts_destroy(api_open_contacts *contacts) {
  if (!contacts) return;
  for (size_t i = 0; i < contacts->count; i++) free(contacts->items[i]);
  free(contacts->items);
  free(contacts->ended);
  release_event(&contacts->first);
  release_event(&contacts->last);
  ct_contact_state_release(contacts->last_steps);
  free(contacts);
}

uint64_t api_open_contacts_begun(const api_open_contacts *contacts) { return contacts->begun; }

/* ---- the list -------------------------------------------------------------------------------- */

static int compare_open_contact(const open_contact *contact, const ct_advance_event *event) {
  if (contact->a != event->row_a) return contact->a < event->row_a ? -1 : 1;
  if (contact->b != event->row_b) return contact->b < event->row_b ? -1 : 1;
  if (contact->record.collider_a != event->collider_a)
    return contact->record.collider_a < event->collider_a ? -1 : 1;
  if (contact->record.collider_b != event->collider_b)
    return contact->record.collider_b < event->collider_b ? -1 : 1;
  return 0;
}

/* Returns the index of the event's pair, or of the place where it belongs. */
static size_t find_open_contact(const api_open_contacts *contacts, const ct_advance_event *event) {
  size_t low = 0, high = contacts->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_open_contact(contacts->items[middle], event) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ct_status insert_open_contact(api_open_contacts *contacts, size_t place,
                                     const open_contact *contact) {
  if (contacts->count >= contacts->options.contacts_max) return CT_LIMIT;
  if (!api_array_reserve(&contacts->items, &contacts->capacity, contacts->count + 1,
                         sizeof *contacts->items))
    return CT_OUT_OF_MEMORY;
  open_contact *copy = malloc(sizeof *copy);
  if (!copy) return CT_OUT_OF_MEMORY;
  *copy = *contact;
  assert(place <= contacts->count);
  memmove(&contacts->items[place + 1], &contacts->items[place],
          (contacts->count - place) * sizeof *contacts->items);
  contacts->items[place] = copy;
  contacts->count++;
  return CT_OK;
}

static bool is_body_dynamic(const ct_scene *scene, uint32_t row) {
  const ct_motion *motion = ct_body_motion(ct_scene_body(scene, row));
  return motion && !motion->is_kinematic;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Adds the contacts of the first event to the list, and those with a dynamic body to `given`,
 * which has room for all of them. The steps do not report the others. */
static ct_status add_first_contacts(api_open_contacts *contacts, ct_advance_contact *given,
                                    size_t *count) {
  const ct_contact_state *state = contacts->first.state;
  ct_status status = CT_OK;
  *count = 0;
  for (size_t i = 0; i < ct_contact_state_count(state) && status == CT_OK; i++) {
    const ct_contact_record *r = ct_contact_state_record(state, i);
    const open_contact open = {ct_scene_find(contacts->scene, r->body_a),
                               ct_scene_find(contacts->scene, r->body_b), *r};
    assert(open.a < open.b && open.b != CT_NO_ROW);
    status = insert_open_contact(contacts, contacts->count, &open);
    if (!is_body_dynamic(contacts->scene, open.a) && !is_body_dynamic(contacts->scene, open.b))
      continue;
    given[(*count)++] = (ct_advance_contact){.row_a = open.a,
                                             .row_b = open.b,
                                             .collider_a = r->collider_a,
                                             .collider_b = r->collider_b,
                                             .normal_velocity = r->normal_velocity,
                                             .normal = r->result.normal,
                                             .distance = r->result.distance};
  }
  return status;
}

ct_status api_open_contacts_begin(api_open_contacts *contacts, ct_advance *motion,
                                  ct_workspace *workspace, const ct_contact_event **event) {
  assert(!contacts->first.state);
  ct_status status = ct_contact_event_run(contacts->scene, contacts->previous, &contacts->options,
                                          workspace, &contacts->first);
  if (status != CT_OK) return status;
  size_t count = ct_contact_state_count(contacts->first.state);
  ct_advance_contact *given = malloc((count + 1) * sizeof *given);
  if (!given) return CT_OUT_OF_MEMORY;
  contacts->last_pair = ct_contact_state_save(contacts->first.state).last_pair;
  contacts->begun = contacts->first.began_count;
  status = add_first_contacts(contacts, given, &count);
  if (status == CT_OK) status = ct_advance_set_contacts(motion, given, count);
  free(given);
  *event = &contacts->first;
  return status;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Geometry of the deepest point of the event. */
static ct_pair_result result_of_event(const ct_advance_event *event) {
  ct_vec3 half = ct_scale(event->normal, 0.5 * event->distance);
  return (ct_pair_result){.distance = event->distance,
                          .lower_bound = event->distance,
                          .upper_bound = event->distance,
                          .normal = event->normal,
                          .point_a = ct_sub(event->position, half),
                          .point_b = ct_add(event->position, half),
                          .relation = event->distance < 0.0   ? CT_PENETRATING
                                      : event->distance > 0.0 ? CT_SEPARATED
                                                              : CT_TOUCHING};
}

static open_contact make_open_contact(const api_open_contacts *contacts,
                                      const ct_advance_event *event) {
  const ct_scene *scene = contacts->scene;
  const ct_body *a = ct_scene_body(scene, event->row_a), *b = ct_scene_body(scene, event->row_b);
  const ct_collider at_a = ct_body_collider(a, event->collider_a),
                    at_b = ct_body_collider(b, event->collider_b);
  return (open_contact){
      event->row_a, event->row_b,
      (ct_contact_record){
          .pair = contacts->last_pair + 1,
          .serial_a = ct_scene_serial(scene, event->row_a),
          .serial_b = ct_scene_serial(scene, event->row_b),
          .body_a = ct_body_id(a),
          .body_b = ct_body_id(b),
          .name_a = at_a.id,
          .name_b = at_b.id,
          .several_a = ct_body_collider_count(a) > 1,
          .several_b = ct_body_collider_count(b) > 1,
          .surface = ct_shape_is_surface(&at_a.shape) || ct_shape_is_surface(&at_b.shape),
          .collider_a = event->collider_a,
          .collider_b = event->collider_b,
          .begun = contacts->origin + event->time,
          .normal_velocity = event->normal_velocity,
          .cause = CT_CAUSE_Z2,
          .distance = event->distance - ct_contact_state_epsilon(contacts->first.state),
          .result = result_of_event(event)}};
}

ct_status api_open_contacts_apply(api_open_contacts *contacts, const ct_advance_event *event,
                                  const ct_contact_record **record) {
  size_t place = find_open_contact(contacts, event);
  bool is_open =
      place < contacts->count && compare_open_contact(contacts->items[place], event) == 0;
  /* Events of a pair alternate, and the steps begin with the contacts of the first event. */
  assert(is_open == (event->kind != CT_ADVANCE_EVENT_BEGAN));
  if (!is_open) {
    const open_contact contact = make_open_contact(contacts, event);
    ct_status status = insert_open_contact(contacts, place, &contact);
    if (status != CT_OK) return status;
    contacts->last_pair++;
    contacts->begun++;
  }
  open_contact *contact = contacts->items[place];
  *record = &contact->record;
  if (event->kind != CT_ADVANCE_EVENT_ENDED) return CT_OK;
  free(contacts->ended);
  contacts->ended = contact;
  contacts->count--;
  memmove(&contacts->items[place], &contacts->items[place + 1],
          (contacts->count - place) * sizeof *contacts->items);
  return CT_OK;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* Makes the state of the contacts after the last step, from which the last event continues. */
static ct_status make_open_state(const api_open_contacts *contacts, double time,
                                 const ct_contact_state **out) {
  ct_contact_record *records = malloc((contacts->count + 1) * sizeof *records);
  if (!records) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < contacts->count; i++) records[i] = contacts->items[i]->record;
  ct_contact_state_data data = ct_contact_state_save(contacts->first.state);
  data.time = time;
  data.last_pair = contacts->last_pair;
  data.records = records;
  data.count = contacts->count;
  ct_status status = ct_contact_state_restore(&data, out);
  assert(status != CT_LIMIT);
  free(records);
  return status;
}

ct_status api_open_contacts_end(api_open_contacts *contacts, const ct_scene *scene, double time,
                                ct_workspace *workspace, const ct_contact_event **event) {
  assert(contacts->first.state && !contacts->last.state && !contacts->last_steps);
  ct_status status = make_open_state(contacts, time, &contacts->last_steps);
  if (status != CT_OK) return status;
  ct_contact_event_options options = contacts->options;
  options.time = time;
  status = ct_contact_event_run(scene, contacts->last_steps, &options, workspace, &contacts->last);
  if (status == CT_OK) contacts->begun += contacts->last.began_count;
  *event = &contacts->last;
  return status;
}
