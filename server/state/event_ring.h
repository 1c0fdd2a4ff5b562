/* Ring of a scene's latest events, which are numbered, so that a client can resume after its
 * Last-Event-ID.
 *
 * The text of an event is formatted once for all streams; a stream retains the event that it is
 * sending. The numbers in a ring are consecutive. A new ring begins above every number of earlier
 * rings, so that a Last-Event-ID from an earlier ring never matches. Loop thread only; independent
 * of streams. */
#ifndef SRV_STATE_EVENT_RING_H
#define SRV_STATE_EVENT_RING_H

#include <api/api.h>

/* An event with its number, formatted as a server-sent event. */
typedef struct srv_event {
  unsigned references;
  size_t length;
  const char
      *contact_state; /* only streams of this contact state get the event; NULL: all streams do */
  char text[];
} srv_event;

typedef struct srv_ring {
  unsigned references;
  bool closed;   /* the scene was deleted, so no event follows */
  uint64_t last; /* number of the latest event; initially one below the number of the first */
  srv_event *
      *items; /* circular buffer of `capacity` places, with the oldest event at index `first` */
  size_t first, count, capacity;
  size_t bytes; /* total length of the texts of the events in the ring, B */
  size_t most, bytes_most;
  uint64_t retained_from; /* number of the first event of the latest write; that write's events are
                             not evicted */
  /* Used by event_stream.c: */
  struct srv_entry *entry;
  unsigned listeners;
  /* With a shared store, which delivers the events of all daemons: */
  struct srv_store_subscription *subscription; /* subscription to the scene's events in a shared
                                                  store, owned; NULL: there is none, or it has
                                                  ended */
  bool from_store;           /* events come from the subscription, not directly from the writes of
                                this daemon */
  uint64_t revision, bodies; /* revision and number of bodies of the scene after the last event */
  struct srv_ring *next, *previous;
} srv_ring;

/* Creates a ring with one reference. number: one below the number of the first event. The ring
 * retains at most `most` events and `bytes_most` bytes, but always the latest event and those of
 * the latest write. NULL: out of memory. */
srv_ring *srv_ring_create(uint64_t number, size_t most, size_t bytes_most);
void srv_ring_retain(srv_ring *ring);
void srv_ring_release(srv_ring *ring);

/* Begins a write: its events will not be evicted before the next write begins, so that a stream
 * that has read all earlier events misses none of them. */
void srv_ring_open_write(srv_ring *ring);
/* Adds an event and returns it, owned by the ring. NULL: out of memory, and nothing has changed. */
const srv_event *srv_ring_add(srv_ring *ring, const api_event *event);
/* Marks a gap: removes all events and skips the numbers up to `last`, so that every stream detects
 * that it has missed events. */
void srv_ring_break(srv_ring *ring, uint64_t last);
/* Returns the number of the oldest retained event; ring->last + 1 if there is none. */
uint64_t srv_ring_oldest(const srv_ring *ring);
/* Returns a retained event by its number, which must be from srv_ring_oldest(ring) to
 * ring->last. */
srv_event *srv_ring_at(const srv_ring *ring, uint64_t number);

/* Creates an event outside of a ring, with one reference. number 0: the event is sent without an
 * id. NULL: out of memory. */
srv_event *srv_event_create(uint64_t number, const api_event *event);
void srv_event_release(srv_event *event); /* NULL is allowed */

#endif
