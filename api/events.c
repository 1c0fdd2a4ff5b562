/* Events of a write: gathered while it is prepared, handed out when it is committed; and the call that asks to hear of them. */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"

void api_events_free(api_event_list *list) {
  for (size_t i = 0; i < list->count; i++) free((void *)(uintptr_t)list->items[i].data);
  free(list->items);
  *list = (api_event_list){0};
}

/* Listeners will be told that they have missed something: what there is need not be kept. */
static void lose(api_event_list *list) {
  api_events_free(list);
  list->lost = true;
}

/* A place at the end. False: the list is short of one from now on. */
static bool make_room(api_event_list *list) {
  if (list->count < list->capacity) return true;
  size_t capacity = list->capacity ? list->capacity * 2 : 4;
  api_event *grown = realloc(list->items, capacity * sizeof *grown);
  if (!grown) return false;
  list->items = grown;
  list->capacity = capacity;
  return true;
}

/* Puts an event at a place of the list. Takes over the data; NULL: it could not be made. */
static void insert(api_event_list *list, size_t at, api_event event) {
  if (!event.data || !make_room(list)) {
    free((void *)(uintptr_t)event.data);
    lose(list);
    return;
  }
  memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof *list->items);
  list->items[at] = event;
  list->count++;
  list->bytes += event.length;
}

void api_call_add_event(api_call *call, const char *name, const char *contact_state, api_buffer *data) {
  api_event_list *list = &call->events;
  const api_limits *limits = &call->service->limits;
  bool many = list->count >= limits->event_ring || list->bytes + data->length > limits->event_backlog_bytes * API_EVENTS_BACKLOGS;
  if (many || list->lost) {
    api_buffer_free(data);
    lose(list);
    return;
  }
  api_event event = {.name = name, .contact_state = contact_state};
  event.data = api_buffer_take(data, &event.length);
  insert(list, list->count, event);
}

/* ---- the write itself ------------------------------------------------------------------------------------------------- */

static void put_place(api_buffer *out, const char *scene_id, uint64_t revision) {
  api_put_byte(out, '{');
  api_put_member_string(out, "scene", api_text(scene_id));
  api_put_member_unsigned(out, "revision", revision);
}

char *api_event_revision(const char *scene_id, const ct_scene *scene, size_t *length) {
  api_buffer out = {0};
  put_place(&out, scene_id, ct_scene_revision(scene));
  api_put_member_unsigned(&out, "bodies", ct_scene_count(scene));
  api_put_byte(&out, '}');
  return api_buffer_take(&out, length);
}

/* The number that the reply to a DELETE names. */
static char *deleted_data(const api_call *call, size_t *length) {
  api_buffer out = {0};
  put_place(&out, call->match.scene_id, ct_scene_revision(call->input.scene) + 1);
  api_put_byte(&out, '}');
  return api_buffer_take(&out, length);
}

static bool is_deletion(const api_call *call) {
  return call->match.target == API_TARGET_DELETE && call->reply.status >= 200 && call->reply.status < 300;
}

const api_event *api_call_events(api_call *call, size_t *count, bool *whole) {
  api_event_list *list = &call->events;
  *count = 0;
  *whole = true;
  if (!call->next && !is_deletion(call)) return NULL;
  if (!list->opened) {
    api_event event = {.name = call->next ? "revision" : "deleted"};
    const char *id = call->match.target == API_TARGET_CREATE ? call->input.new_scene_id : call->match.scene_id;
    if (call->next) event.data = api_event_revision(id, call->next, &event.length);
    else event.data = deleted_data(call, &event.length);
    insert(list, 0, event);
    list->opened = true;
  }
  *count = list->count;
  *whole = !list->lost;
  return list->items;
}

/* ---- listening -------------------------------------------------------------------------------------------------------- */

const char *api_call_contact_state(const api_call *call) { return call->contact_state; }

/* Whether the contact state exists is not asked: a listener may come before it. */
api_step api_events_get(api_call *call) {
  const char *text = call->query;
  api_url_parameter parameter;
  for (bool seen = false; api_url_next(&text, &parameter); seen = true) {
    if (seen || !api_id_valid((ct_text){parameter.value, parameter.value_length})) {
      api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER, "Give contactState= once at most, the id of a contact state.");
      return api_call_fail(call);
    }
    memcpy(call->contact_state, parameter.value, parameter.value_length + 1);
  }
  call->reply.status = 200;
  call->reply.content_type = "text/event-stream";
  return API_STEP_DONE;
}
