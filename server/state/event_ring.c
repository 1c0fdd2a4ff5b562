/* Event ring: a circular buffer whose capacity doubles up to its limit; and the formatting of
 * server-sent events. */
#include "state/event_ring.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Initial capacity of a ring, in events. */
#define CAPACITY_AT_FIRST 16

/* ---- events --------------------------------------------------------------------------------- */

srv_event *srv_event_create(uint64_t number, const api_event *event) {
  char head[96];
  int head_length =
      number ? snprintf(head, sizeof head,
                        "id: %llu\nevent: %s\ndata: ", (unsigned long long)number, event->name)
             : snprintf(head, sizeof head, "event: %s\ndata: ", event->name);
  size_t length = (size_t)head_length + event->length + 2;
  size_t state_length = event->contact_state ? strlen(event->contact_state) + 1 : 0;
  srv_event *created = malloc(sizeof *created + length + state_length);
  if (!created) return NULL;
  *created = (srv_event){.references = 1, .length = length};
  memcpy(created->text, head, (size_t)head_length);
  memcpy(created->text + head_length, event->data, event->length);
  memcpy(created->text + length - 2, "\n\n", 2);
  if (state_length) {
    memcpy(created->text + length, event->contact_state, state_length);
    created->contact_state = created->text + length;
  }
  return created;
}

void srv_event_release(srv_event *event) {
  if (event && --event->references == 0) free(event);
}

/* ---- the ring ------------------------------------------------------------------------------- */

srv_ring *srv_ring_create(uint64_t number, size_t most, size_t bytes_most) {
  srv_ring *ring = calloc(1, sizeof *ring);
  if (!ring) return NULL;
  ring->references = 1;
  ring->last = number;
  ring->most = most;
  ring->bytes_most = bytes_most;
  ring->retained_from = UINT64_MAX;
  return ring;
}

void srv_ring_retain(srv_ring *ring) { ring->references++; }

static srv_event **get_slot(const srv_ring *ring, size_t index) {
  assert(index < ring->capacity);
  return &ring->items[(ring->first + index) % ring->capacity];
}

static void evict_oldest(srv_ring *ring) {
  srv_event *event = *get_slot(ring, 0);
  ring->bytes -= event->length;
  ring->first = (ring->first + 1) % ring->capacity;
  ring->count--;
  srv_event_release(event);
}

void srv_ring_release(srv_ring *ring) {
  if (--ring->references > 0) return;
  while (ring->count) evict_oldest(ring);
  free(ring->items);
  free(ring);
}

static bool grow_if_full(srv_ring *ring) {
  if (ring->count < ring->capacity) return true;
  size_t capacity = ring->capacity ? ring->capacity * 2 : CAPACITY_AT_FIRST;
  srv_event **grown = malloc(capacity * sizeof *grown);
  if (!grown) return false;
  for (size_t i = 0; i < ring->count; i++) grown[i] = *get_slot(ring, i);
  free(ring->items);
  ring->items = grown;
  ring->first = 0;
  ring->capacity = capacity;
  return true;
}

void srv_ring_open_write(srv_ring *ring) { ring->retained_from = ring->last + 1; }

static bool exceeds_bounds(const srv_ring *ring) {
  return ring->count > ring->most || ring->bytes > ring->bytes_most;
}

const srv_event *srv_ring_add(srv_ring *ring, const api_event *event) {
  if (!grow_if_full(ring)) return NULL;
  srv_event *created = srv_event_create(ring->last + 1, event);
  if (!created) return NULL;
  ring->last++;
  *get_slot(ring, ring->count++) = created;
  ring->bytes += created->length;
  while (ring->count > 1 && exceeds_bounds(ring) && srv_ring_oldest(ring) < ring->retained_from)
    evict_oldest(ring);
  return created;
}

void srv_ring_break(srv_ring *ring, uint64_t last) {
  while (ring->count) evict_oldest(ring);
  ring->last = last;
}

uint64_t srv_ring_oldest(const srv_ring *ring) { return ring->last + 1 - ring->count; }

srv_event *srv_ring_at(const srv_ring *ring, uint64_t number) {
  assert(number >= srv_ring_oldest(ring) && number <= ring->last);
  return *get_slot(ring, (size_t)(number - srv_ring_oldest(ring)));
}
