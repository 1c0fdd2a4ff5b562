/* Records of the contacts of an advance: a list sorted by the rows and colliders of the pairs,
 * which is also the order of the records of a contact state. */
#include "execution/contact_lives.h"

#include <assert.h>
#include <contact/restore.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A contact that has begun and not ended. */
typedef struct contact_life {
  uint32_t a, b; /* rows, a < b */
  ct_contact_record record;
} contact_life;

struct api_contact_lives {
  const ct_scene *scene;
  const ct_contact_state *previous;
  ct_contact_event_options options;
  double origin;        /* time of the motion's start, s */
  contact_life **items; /* [count] sorted by rows and colliders */
  size_t count, capacity;
  contact_life *ended;       /* the contact that ended last, or NULL */
  uint64_t last_pair, begun; /* greatest pair number; number of contacts that began */
  ct_contact_event first, last;
  const ct_contact_state *open; /* contacts after the last step; owns texts of last.ended */
};

api_contact_lives *api_contact_lives_create(const ct_scene *scene, const ct_contact_state *previous,
                                            const ct_contact_event_options *options,
                                            double origin) {
  api_contact_lives *lives = calloc(1, sizeof *lives);
  if (!lives) return NULL;
  lives->scene = scene;
  lives->previous = previous;
  lives->options = *options;
  lives->origin = origin;
  return lives;
}

static void release_event(ct_contact_event *event) {
  ct_contact_state_release(event->state);
  ct_contact_event_free(event);
}

void api_contact_lives_destroy(api_contact_lives *lives) {
  if (!lives) return;
  for (size_t i = 0; i < lives->count; i++) free(lives->items[i]);
  free(lives->items);
  free(lives->ended);
  release_event(&lives->first);
  release_event(&lives->last);
  ct_contact_state_release(lives->open);
  free(lives);
}

uint64_t api_contact_lives_begun(const api_contact_lives *lives) { return lives->begun; }

/* ---- the list -------------------------------------------------------------------------------- */

static int compare_life(const contact_life *life, const ct_advance_event *event) {
  if (life->a != event->row_a) return life->a < event->row_a ? -1 : 1;
  if (life->b != event->row_b) return life->b < event->row_b ? -1 : 1;
  if (life->record.collider_a != event->collider_a)
    return life->record.collider_a < event->collider_a ? -1 : 1;
  if (life->record.collider_b != event->collider_b)
    return life->record.collider_b < event->collider_b ? -1 : 1;
  return 0;
}

/* Returns the index of the event's pair, or of the place where it belongs. */
static size_t find_life_place(const api_contact_lives *lives, const ct_advance_event *event) {
  size_t low = 0, high = lives->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_life(lives->items[middle], event) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ct_status insert_life(api_contact_lives *lives, size_t place, const contact_life *life) {
  if (lives->count >= lives->options.contacts_max) return CT_LIMIT;
  if (!api_array_reserve(&lives->items, &lives->capacity, lives->count + 1, sizeof *lives->items))
    return CT_OUT_OF_MEMORY;
  contact_life *copy = malloc(sizeof *copy);
  if (!copy) return CT_OUT_OF_MEMORY;
  *copy = *life;
  assert(place <= lives->count);
  memmove(&lives->items[place + 1], &lives->items[place],
          (lives->count - place) * sizeof *lives->items);
  lives->items[place] = copy;
  lives->count++;
  return CT_OK;
}

static bool is_body_dynamic(const ct_scene *scene, uint32_t row) {
  const ct_motion *motion = ct_body_motion(ct_scene_body(scene, row));
  return motion && !motion->is_kinematic;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Adds the contacts of the first event to the list, and those with a dynamic body to `contacts`,
 * which has room for all of them. The steps do not report the others. */
static ct_status add_first_contacts(api_contact_lives *lives, ct_advance_contact *contacts,
                                    size_t *count) {
  const ct_contact_state *state = lives->first.state;
  ct_status status = CT_OK;
  *count = 0;
  for (size_t i = 0; i < ct_contact_state_count(state) && status == CT_OK; i++) {
    const ct_contact_record *r = ct_contact_state_record(state, i);
    const contact_life life = {ct_scene_find(lives->scene, r->body_a),
                               ct_scene_find(lives->scene, r->body_b), *r};
    assert(life.a < life.b && life.b != CT_NO_ROW);
    status = insert_life(lives, lives->count, &life);
    if (!is_body_dynamic(lives->scene, life.a) && !is_body_dynamic(lives->scene, life.b)) continue;
    contacts[(*count)++] = (ct_advance_contact){.row_a = life.a,
                                                .row_b = life.b,
                                                .collider_a = r->collider_a,
                                                .collider_b = r->collider_b,
                                                .normal_velocity = r->normal_velocity,
                                                .normal = r->result.normal,
                                                .distance = r->result.distance};
  }
  return status;
}

ct_status api_contact_lives_begin(api_contact_lives *lives, ct_advance *motion,
                                  ct_workspace *workspace, const ct_contact_event **event) {
  assert(!lives->first.state);
  ct_status status = ct_contact_event_run(lives->scene, lives->previous, &lives->options, workspace,
                                          &lives->first);
  if (status != CT_OK) return status;
  size_t count = ct_contact_state_count(lives->first.state);
  ct_advance_contact *contacts = malloc((count + 1) * sizeof *contacts);
  if (!contacts) return CT_OUT_OF_MEMORY;
  lives->last_pair = ct_contact_state_save(lives->first.state).last_pair;
  lives->begun = lives->first.began_count;
  status = add_first_contacts(lives, contacts, &count);
  if (status == CT_OK) status = ct_advance_set_contacts(motion, contacts, count);
  free(contacts);
  *event = &lives->first;
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

static contact_life make_life(const api_contact_lives *lives, const ct_advance_event *event) {
  const ct_scene *scene = lives->scene;
  const ct_body *a = ct_scene_body(scene, event->row_a), *b = ct_scene_body(scene, event->row_b);
  const ct_collider at_a = ct_body_collider(a, event->collider_a),
                    at_b = ct_body_collider(b, event->collider_b);
  return (contact_life){
      event->row_a, event->row_b,
      (ct_contact_record){
          .pair = lives->last_pair + 1,
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
          .begun = lives->origin + event->time,
          .normal_velocity = event->normal_velocity,
          .cause = CT_CAUSE_Z2,
          .distance = event->distance - ct_contact_state_epsilon(lives->first.state),
          .result = result_of_event(event)}};
}

ct_status api_contact_lives_apply(api_contact_lives *lives, const ct_advance_event *event,
                                  const ct_contact_record **record) {
  size_t place = find_life_place(lives, event);
  bool is_open = place < lives->count && compare_life(lives->items[place], event) == 0;
  /* Events of a pair alternate, and the steps begin with the contacts of the first event. */
  assert(is_open == (event->kind != CT_ADVANCE_EVENT_BEGAN));
  if (!is_open) {
    const contact_life life = make_life(lives, event);
    ct_status status = insert_life(lives, place, &life);
    if (status != CT_OK) return status;
    lives->last_pair++;
    lives->begun++;
  }
  contact_life *life = lives->items[place];
  *record = &life->record;
  if (event->kind != CT_ADVANCE_EVENT_ENDED) return CT_OK;
  free(lives->ended);
  lives->ended = life;
  lives->count--;
  memmove(&lives->items[place], &lives->items[place + 1],
          (lives->count - place) * sizeof *lives->items);
  return CT_OK;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* Makes the state of the contacts after the last step, from which the last event continues. */
static ct_status make_open_state(const api_contact_lives *lives, double time,
                                 const ct_contact_state **out) {
  ct_contact_record *records = malloc((lives->count + 1) * sizeof *records);
  if (!records) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < lives->count; i++) records[i] = lives->items[i]->record;
  ct_contact_state_data data = ct_contact_state_save(lives->first.state);
  data.time = time;
  data.last_pair = lives->last_pair;
  data.records = records;
  data.count = lives->count;
  ct_status status = ct_contact_state_restore(&data, out);
  assert(status != CT_LIMIT);
  free(records);
  return status;
}

ct_status api_contact_lives_end(api_contact_lives *lives, const ct_scene *scene, double time,
                                ct_workspace *workspace, const ct_contact_event **event) {
  assert(lives->first.state && !lives->last.state && !lives->open);
  ct_status status = make_open_state(lives, time, &lives->open);
  if (status != CT_OK) return status;
  ct_contact_event_options options = lives->options;
  options.time = time;
  status = ct_contact_event_run(scene, lives->open, &options, workspace, &lives->last);
  if (status == CT_OK) lives->begun += lives->last.began_count;
  *event = &lives->last;
  return status;
}
