/* What a write tells, as bytes that a store passes on: its events one after the other, without numbers. */
#ifndef SRV_SCENES_EVENT_PAYLOAD_H
#define SRV_SCENES_EVENT_PAYLOAD_H

#include <api/api.h>

/* free() it. NULL: out of memory. */
char *srv_event_payload_write(const api_event *events, size_t count, size_t *length);
/* The next event; *at goes from 0 on. What it points to is in the bytes. False: there is none, or it is none of ours. */
bool srv_event_payload_next(const char *bytes, size_t length, size_t *at, api_event *out);

#endif
