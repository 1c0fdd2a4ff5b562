/* What a write tells those who listen to its scene's events: gathered by the call, published by the server when the write is
 * committed. A write that fails, or is never committed, has told nothing. */
#ifndef API_CALLS_EVENTS_H
#define API_CALLS_EVENTS_H

#include <api/api.h>

#include "common/buffer.h"

/* A zeroed list is empty and ready. */
typedef struct api_event_list {
  api_event *items; /* data owned */
  size_t count, capacity;
  size_t bytes; /* of the data */
  bool lost;    /* some are missing for want of memory: what is added from now on is of no use */
  bool opened;  /* the write itself stands at the front */
} api_event_list;

/* Handler of a scene's stream of events: checks what is asked; the stream is the server's. */
api_step api_events_get(api_call *call);

void api_events_free(api_event_list *list);

/* Adds an event behind those there are; `revision` or `deleted` of the write itself comes before all of them without being added.
 * name: static. contact_state: listeners that name it hear of it; borrowed for the call's life (match.item_id, say); the events of
 * one stand together. data: a JSON object without a line end, as the api_put_ functions make it; it is taken over and empty after
 * it. False: this state's events are more than are ever kept, or memory is out; listeners will be told that they have missed them,
 * and what is added for them from now on is thrown away. */
bool api_call_add_event(api_call *call, const char *name, const char *contact_state, api_buffer *data);

/* In place of the state's events, which cannot all be told: `reset` for those who name it, who are to look at the state anew. */
void api_call_drop_events(api_call *call, const char *contact_state);

#endif
