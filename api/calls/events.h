/* Events that a write sends to the subscribers of its scene. The call collects the events; the
 * server publishes them when the write is committed. A write that fails or is never committed
 * publishes nothing. */
#ifndef API_CALLS_EVENTS_H
#define API_CALLS_EVENTS_H

#include <api/api.h>

#include "common/buffer.h"

/* A zeroed list is empty and ready. */
typedef struct api_event_list {
  api_event *items; /* data owned */
  size_t count, capacity;
  size_t bytes; /* sum of the items' data lengths, bytes */
  bool lost;    /* memory ran out: all events of this list were dropped, and events added later are
                   discarded */
  bool opened;  /* `revision` or `deleted`, the event that reports the write as a whole, has been
                   inserted at index 0 */
} api_event_list;

/* Handles GET /v1/scenes/{s}/events: checks the request. The server owns the stream that
 * follows. */
api_step api_events_get(api_call *call);

void api_events_free(api_event_list *list);

/* Appends an event. The event of the write itself, `revision` or `deleted`, is not added here:
 * api_call_events puts it first. name: static. contact_state: id of the contact state whose
 * subscribers receive the event; borrowed for the call's life; events of one state must be added
 * consecutively. data: a JSON object without line end; ownership passes to the list, and the buffer
 * is empty afterwards. False: memory ran out, or the write has more events than a scene retains;
 * one `reset` then replaces the events of the state, and its later events are discarded. */
bool api_call_add_event(api_call *call, const char *name, const char *contact_state,
                        api_buffer *data);

/* Replaces the state's events by one `reset`, which makes its subscribers read the state again. */
void api_call_drop_events(api_call *call, const char *contact_state);

#endif
