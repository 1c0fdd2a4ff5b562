/* Events in a circle that grows up to its bound. */
#include "state/event_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places of the first circle. */
#define PLACES_AT_FIRST 16

/* ---- events ---------------------------------------------------------------------------------------------------------- */

srv_event *srv_event_create(uint64_t number, const api_event *event) {
  char head[96];
  int head_length = number ? snprintf(head, sizeof head, "id: %llu\nevent: %s\ndata: ", (unsigned long long)number, event->name)
                           : snprintf(head, sizeof head, "event: %s\ndata: ", event->name);
  size_t length = (size_t)head_length + event->length + 2;
  size_t state_length = event->contact_state ? strlen(event->contact_state) + 1 : 0;
  srv_event *made = malloc(sizeof *made + length + state_length);
  if (!made) return NULL;
  *made = (srv_event){.references = 1, .length = length};
  memcpy(made->text, head, (size_t)head_length);
  memcpy(made->text + head_length, event->data, event->length);
  memcpy(made->text + length - 2, "\n\n", 2);
  if (state_length) {
    memcpy(made->text + length, event->contact_state, state_length);
    made->contact_state = made->text + length;
  }
  return made;
}

void srv_event_release(srv_event *event) {
  if (event && --event->references == 0) free(event);
}

/* ---- the ring -------------------------------------------------------------------------------------------------------- */

srv_ring *srv_ring_create(uint64_t number, size_t most, size_t bytes_most) {
  srv_ring *ring = calloc(1, sizeof *ring);
  if (!ring) return NULL;
  ring->references = 1;
  ring->last = number;
  ring->most = most;
  ring->bytes_most = bytes_most;
  ring->held_from = UINT64_MAX;
  return ring;
}

void srv_ring_retain(srv_ring *ring) { ring->references++; }

static srv_event **place(const srv_ring *ring, size_t index) { return &ring->items[(ring->first + index) % ring->capacity]; }

static void drop_oldest(srv_ring *ring) {
  srv_event *event = *place(ring, 0);
  ring->bytes -= event->length;
  ring->first = (ring->first + 1) % ring->capacity;
  ring->count--;
  srv_event_release(event);
}

void srv_ring_release(srv_ring *ring) {
  if (--ring->references > 0) return;
  while (ring->count) drop_oldest(ring);
  free(ring->items);
  free(ring);
}

static bool make_room(srv_ring *ring) {
  if (ring->count < ring->capacity) return true;
  size_t capacity = ring->capacity ? ring->capacity * 2 : PLACES_AT_FIRST;
  srv_event **grown = malloc(capacity * sizeof *grown);
  if (!grown) return false;
  for (size_t i = 0; i < ring->count; i++) grown[i] = *place(ring, i);
  free(ring->items);
  ring->items = grown;
  ring->first = 0;
  ring->capacity = capacity;
  return true;
}

void srv_ring_open_write(srv_ring *ring) { ring->held_from = ring->last + 1; }

static bool is_full(const srv_ring *ring) { return ring->count > ring->most || ring->bytes > ring->bytes_most; }

const srv_event *srv_ring_add(srv_ring *ring, const api_event *event) {
  if (!make_room(ring)) return NULL;
  srv_event *made = srv_event_create(ring->last + 1, event);
  if (!made) return NULL;
  ring->last++;
  *place(ring, ring->count++) = made;
  ring->bytes += made->length;
  while (ring->count > 1 && is_full(ring) && srv_ring_oldest(ring) < ring->held_from) drop_oldest(ring);
  return made;
}

void srv_ring_break(srv_ring *ring, uint64_t last) {
  while (ring->count) drop_oldest(ring);
  ring->last = last;
}

uint64_t srv_ring_oldest(const srv_ring *ring) { return ring->last + 1 - ring->count; }

srv_event *srv_ring_at(const srv_ring *ring, uint64_t number) { return *place(ring, (size_t)(number - srv_ring_oldest(ring))); }
