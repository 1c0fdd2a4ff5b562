/* Events of a write for the subscribers of its scene. The call collects events; the server
 * publishes them when the write is committed. A write that fails or is never committed publishes
 * nothing. */
#ifndef API_CALLS_EVENTS_H
#define API_CALLS_EVENTS_H

#include <api/api.h>

#include "common/buffer.h"

/* A zeroed list is empty and ready. */
typedef struct api_event_list {
  api_event *items; /* data owned */
  size_t count, capacity;
  size_t bytes; /* of the data */
  bool lost;    /* out of memory: events are missing, later events are discarded */
  bool opened;  /* the event of the write itself has been inserted at the front */
} api_event_list;

/* Handler of GET /v1/scenes/{s}/events: checks the request; the server owns the stream. */
api_step api_events_get(api_call *call);

void api_events_free(api_event_list *list);

/* Adds an event after all others; the event of the write itself, `revision` or `deleted`, precedes
 * them and is not added here. name: static. contact_state: the event is for its subscribers;
 * borrowed for the call's life; events of one state are contiguous. data: a JSON object without
 * line end; ownership passes to the list, and the buffer is empty afterwards. False: the state has
 * more events than fit into the backlog, or out of memory: its subscribers get `reset`, and later
 * events for them are discarded. */
bool api_call_add_event(api_call *call, const char *name, const char *contact_state,
                        api_buffer *data);

/* Replaces the state's events by one `reset`: subscribers must read the state again. */
void api_call_drop_events(api_call *call, const char *contact_state);

#endif
