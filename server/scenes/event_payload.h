/* Event payload: the events of a write in sequence, without numbers, as bytes that a store
 * distributes to daemons. */
#ifndef SRV_SCENES_EVENT_PAYLOAD_H
#define SRV_SCENES_EVENT_PAYLOAD_H

#include <api/api.h>

/* Serialises the events of a write; free() the result. NULL: out of memory. */
char *srv_event_payload_write(const api_event *events, size_t count, size_t *length);
/* Parses the event at offset *at (initially 0) and advances *at past it. *out points into bytes.
 * False: the end is reached, or the bytes are not a valid event. */
bool srv_event_payload_next(const char *bytes, size_t length, size_t *at, api_event *out);

#endif
