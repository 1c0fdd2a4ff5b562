/* Ring of a scene's latest events, numbered, so that a client can resume after its Last-Event-ID.
 *
 * The text of an event is formatted once for all streams; a stream retains the event that it sends.
 * Numbers of a ring are consecutive. A new ring begins above every number of earlier rings, so that
 * a Last-Event-ID of an earlier ring never matches. Loop thread only; independent of streams. */
#ifndef SRV_STATE_EVENT_RING_H
#define SRV_STATE_EVENT_RING_H

#include <api/api.h>

/* An event in the format of server-sent events, with its number. */
typedef struct srv_event {
  unsigned references;
  size_t length;
  const char *contact_state; /* only streams of this contact state get the event; NULL: all do */
  char text[];
} srv_event;

typedef struct srv_ring {
  unsigned references;
  bool closed;       /* the scene was deleted: no event follows */
  uint64_t last;     /* number of the latest event; initially the number before the first */
  srv_event **items; /* circular buffer of `capacity` places, oldest event at `first` */
  size_t first, count, capacity;
  size_t bytes; /* texts of all events */
  size_t most, bytes_most;
  uint64_t retained_from; /* first number of the latest write, whose events are never evicted */
  /* Used by event_stream.c: */
  struct srv_entry *entry;
  unsigned listeners;
  /* With a shared store, which delivers the events of all daemons: */
  struct srv_store_subscription *subscription; /* owned; NULL: no subscription, or ended */
  bool from_store;                             /* filled by the store, not by local writes */
  uint64_t revision, bodies;                   /* state of the scene after the last event */
  struct srv_ring *next, *previous;
} srv_ring;

/* Creates a ring with one reference. number: one below the first event's. Retains at most `most`
 * events and `bytes_most` bytes, but always the latest event and those of the latest write. NULL:
 * out of memory. */
srv_ring *srv_ring_create(uint64_t number, size_t most, size_t bytes_most);
void srv_ring_retain(srv_ring *ring);
void srv_ring_release(srv_ring *ring);

/* Begins a write: its events are not evicted before the next write begins, so that a stream that is
 * up to date misses none of them. */
void srv_ring_open_write(srv_ring *ring);
/* Adds an event. Returns it, owned by the ring. NULL: out of memory, nothing has changed. */
const srv_event *srv_ring_add(srv_ring *ring, const api_event *event);
/* Marks a gap: removes all events and skips the numbers up to `last`, so that every stream detects
 * the missing events. */
void srv_ring_break(srv_ring *ring, uint64_t last);
/* Number of the oldest retained event; last + 1: none. */
uint64_t srv_ring_oldest(const srv_ring *ring);
/* A retained event by its number, from srv_ring_oldest to last. */
srv_event *srv_ring_at(const srv_ring *ring, uint64_t number);

/* Creates an event outside of a ring, with one reference. number 0: sent without id. NULL: out of
 * memory. */
srv_event *srv_event_create(uint64_t number, const api_event *event);
void srv_event_release(srv_event *event); /* NULL is allowed */

#endif
