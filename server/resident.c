/* What a scene takes is estimated from what is known without looking through it: its bodies and the weight of its records, from
 * which hulls, meshes and texts are made. */
#include "resident.h"

#include "event_ring.h"

/* Of a body with its place in the trees and indices; and of what a byte of a record becomes. */
#define BODY_BYTES 600u
#define BYTES_PER_RECORD_BYTE 3u

/* Records of a scene that has not been loaded are not weighed: as many bytes for each body, a box's and some. */
#define RECORD_BYTES_PER_BODY 200u

static uint64_t bytes_of(const srv_entry *entry) {
  const srv_kept *kept = entry->kept;
  if (!entry->current) return kept->bodies * (BODY_BYTES + BYTES_PER_RECORD_BYTE * RECORD_BYTES_PER_BODY);
  return ct_scene_count(entry->current) * BODY_BYTES + BYTES_PER_RECORD_BYTE * (kept->base_bytes + kept->change_bytes);
}

/* Of those that hold the entry: streams of events that come from a store need no scene. */
static unsigned listeners(const srv_entry *entry) { return entry->ring && entry->ring->fed ? entry->ring->listeners : 0; }

/* Does nobody need it in memory? The store has what is current, nobody who needs the scene holds the entry, no cursor an earlier
 * revision. */
static bool is_idle(const srv_entry *entry) {
  if (!entry->current || !entry->kept || entry->kept->presence != SRV_PRESENCE_HERE) return false;
  return entry->uses == listeners(entry) && entry->pin_count == 0;
}

/* Let go of at a time: each is looked for among all. */
#define LET_GO_MOST 64

/* Bytes of all scenes in memory; *oldest: the idle one that was used longest ago. O(scenes) */
static uint64_t weigh(const srv_server *server, srv_entry **oldest) {
  uint64_t bytes = 0;
  *oldest = NULL;
  srv_entry *entry;
  for (size_t i = 0; (entry = srv_registry_at(server->registry, i)); i++) {
    if (entry->current && entry->kept) bytes += bytes_of(entry);
    if (is_idle(entry) && (!*oldest || entry->used_ns < (*oldest)->used_ns)) *oldest = entry;
  }
  return bytes;
}

bool srv_resident_has_room(const srv_server *server, const srv_entry *entry) {
  srv_entry *oldest;
  return weigh(server, &oldest) + bytes_of(entry) <= server->config->scene_memory;
}

void srv_resident_trim(srv_server *server) {
  srv_entry *oldest;
  if (!server->store) return;
  for (int i = 0; i < LET_GO_MOST && weigh(server, &oldest) > server->config->scene_memory && oldest; i++) {
    srv_registry_let_go(server->registry, oldest);
    server->metrics.let_go++;
  }
}
