/* The youngest events of one scene, numbered, so that clients that come back can read on where they were. An event's text is made
 * once, however many streams send it; who is sending one holds it. Loop thread only; knows nothing of streams.
 *
 * Numbers of a ring follow one another without a hole. A ring begins above every number of any ring before it, so that a number
 * that a client has kept of an earlier one is never in it. */
#ifndef SRV_STATE_EVENT_RING_H
#define SRV_STATE_EVENT_RING_H

#include <api/api.h>

/* An event as it is sent, with its number. */
typedef struct srv_event {
  unsigned references;
  size_t length;
  const char *contact_state; /* only streams that name it get the event; NULL: all do */
  char text[];
} srv_event;

typedef struct srv_ring {
  unsigned references;
  bool closed;       /* the scene has gone: nothing follows */
  uint64_t last;     /* number of the youngest event, or that before the first */
  srv_event **items; /* a circle of `capacity` places, from `first` on */
  size_t first, count, capacity;
  size_t bytes; /* of the events */
  size_t most, bytes_most;
  uint64_t held_from; /* events from this number on are of the youngest write */
  /* For the ring's users. */
  struct srv_entry *entry;
  unsigned listeners;
  /* Where the events come through a store that others write to, too: */
  struct srv_store_subscription *heard; /* owned; NULL: writes here are all there are, or nothing comes any more */
  bool fed;
  uint64_t revision, bodies; /* of the scene after the last event */
  struct srv_ring *next, *previous;
} srv_ring;

/* One reference. number: that before the first event's. At most so many events and bytes are kept, but for the youngest event and
 * those of the youngest write, which always are. NULL: out of memory. */
srv_ring *srv_ring_create(uint64_t number, size_t most, size_t bytes_most);
void srv_ring_retain(srv_ring *ring);
void srv_ring_release(srv_ring *ring);

/* A write begins: the events that follow, up to the next write, are its own. Who is up to date before it misses none of them. */
void srv_ring_open_write(srv_ring *ring);
/* Adds an event; its text is the answer, owned by the ring. NULL: out of memory; nothing has changed. */
const srv_event *srv_ring_add(srv_ring *ring, const api_event *event);
/* Something that should have been added is missing: all that is kept goes, and numbers up to `last` are left out, so that everybody
 * finds that the next event is not the one that follows. */
void srv_ring_break(srv_ring *ring, uint64_t last);
/* Number of the oldest event that is kept; last + 1: none is. */
uint64_t srv_ring_oldest(const srv_ring *ring);
/* An event that is kept. */
srv_event *srv_ring_at(const srv_ring *ring, uint64_t number);

/* An event on its own, one reference. number 0: it is sent without one. NULL: out of memory. */
srv_event *srv_event_create(uint64_t number, const api_event *event);
void srv_event_release(srv_event *event); /* NULL is allowed */

#endif
