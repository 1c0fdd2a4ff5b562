/* Registry of scenes: entries in one array sorted by id. Lookup by bisection, O(log n); insertion
 * and removal move pointers, O(n); listings need no sort.
 *
 * Cache: a doubly linked list of the unused scenes in memory, least recently used first, and the
 * sum of the sizes of all scenes in memory that the store has. Each step is O(1). The size of a
 * scene in memory is the sum over its bodies, which each revision contains (ct_scene_weight). For
 * other scenes it is estimated from the number of bodies, which the store's list contains. */
#include "state/registry.h"

#include "process/array.h"
#include "state/event_ring.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Number of random bytes of an id, 128 bits, which are written in base 32. */
#define ID_BYTES 16

/* Cache of scenes: the sizes of scenes in memory, and the list of those that are unused. */
typedef struct srv_scene_cache {
  uint64_t bytes;     /* size of all scenes in memory that the store has */
  uint64_t freed;     /* total of bytes freed by evicting, deleting and shrinking scenes */
  srv_list_node idle; /* head of the list of unused scenes: first those never requested, then the
                         others by last use */
} srv_scene_cache;

struct srv_registry {
  srv_entry **items;
  size_t count, capacity;
  size_t scenes;          /* number of entries with a scene, in memory or in the store */
  size_t loaded;          /* number of entries with a current revision */
  uint64_t bodies;        /* number of bodies in all current revisions */
  size_t reserved;        /* number of creations in progress */
  size_t pins;            /* number of pinned revisions of all entries */
  uint64_t last_revision; /* greatest revision of deleted scenes */
  srv_scene_cache cache;
  srv_cursor_bounds cursors;
  srv_cursor_query_bounds queries;
  srv_release_revision *release;
  void *release_cls;
};

srv_registry *srv_registry_create(const srv_cursor_bounds *cursors, srv_release_revision *release,
                                  void *cls) {
  srv_registry *registry = calloc(1, sizeof *registry);
  if (!registry) return NULL;
  registry->cursors = *cursors;
  registry->queries =
      (srv_cursor_query_bounds){.per_scene = cursors->per_scene, .bytes_max = cursors->query_bytes};
  registry->release = release;
  registry->release_cls = cls;
  registry->cache.idle = (srv_list_node){&registry->cache.idle, &registry->cache.idle};
  return registry;
}

static void release_later(srv_registry *registry, const ct_scene *scene) {
  registry->release(registry->release_cls, scene);
}

static void release_now(void *cls, const ct_scene *scene) {
  (void)cls;
  ct_scene_release(scene);
}

/* ---- cache ---------------------------------------------------------------------------------- */

/* Estimated size of a body with one simple collider, B. */
#define BODY_BYTES 600u

static uint64_t estimate_scene_bytes(const srv_entry *entry) {
  return entry->current ? ct_scene_weight(entry->current) : entry->kept->bodies * BODY_BYTES;
}

static void unlink_idle(srv_entry *entry) {
  srv_list_node *link = &entry->idle;
  if (!link->after) return;
  assert(link->before->after == link && link->after->before == link);
  link->before->after = link->after;
  link->after->before = link->before;
  *link = (srv_list_node){0};
}

/* Returns the number of references to the entry by streams that a shared store feeds; these do not
 * need the scene in memory. */
static unsigned count_store_listeners(const srv_entry *entry) {
  return entry->ring && entry->ring->from_store ? entry->ring->listeners : 0;
}

/* True if the scene is in memory but unused: it has no reference that needs it there, and no
 * revision pinned by a cursor. */
static bool is_idle(const srv_entry *entry) {
  return entry->current && entry->kept && entry->uses == count_store_listeners(entry) &&
         entry->pin_count == 0;
}

/* A scene that is in the list already keeps its position. */
void srv_registry_order(srv_registry *registry, srv_entry *entry) {
  srv_scene_cache *cache = &registry->cache;
  srv_list_node *link = &entry->idle;
  if (!is_idle(entry)) {
    unlink_idle(entry);
    return;
  }
  if (link->after) return;
  link->before = entry->used ? cache->idle.before : &cache->idle;
  link->after = link->before->after;
  link->before->after = link->after->before = link;
}

void srv_registry_weigh(srv_registry *registry, srv_entry *entry) {
  srv_scene_cache *cache = &registry->cache;
  uint64_t weight = entry->current && entry->kept ? estimate_scene_bytes(entry) : 0;
  assert(cache->bytes >= entry->weight);
  if (weight < entry->weight) cache->freed += entry->weight - weight;
  cache->bytes += weight - entry->weight;
  entry->weight = weight;
  srv_registry_order(registry, entry);
}

bool srv_registry_has_space(const srv_registry *registry, const srv_entry *entry,
                            uint64_t bytes_max) {
  return registry->cache.bytes + estimate_scene_bytes(entry) <= bytes_max;
}

bool srv_registry_evict(srv_registry *registry, uint64_t bytes_max, uint64_t *evicted) {
  srv_scene_cache *cache = &registry->cache;
  bool full = cache->bytes > bytes_max;
  while (cache->bytes > bytes_max && cache->idle.after != &cache->idle) {
    srv_entry *entry = (srv_entry *)((char *)cache->idle.after - offsetof(srv_entry, idle));
    assert(is_idle(entry));
    /* Outdated revisions are evicted too: this daemon may never be queried for their scenes
     * again. */
    srv_registry_unload(registry, entry);
    entry->used = false;
    (*evicted)++;
  }
  return full;
}

/* ---- entries -------------------------------------------------------------------------------- */

static void release_pins(srv_registry *registry, srv_entry *entry) {
  for (size_t i = 0; i < entry->pin_count; i++) release_later(registry, entry->pins[i].scene);
  registry->pins -= entry->pin_count;
  free(entry->pins);
  entry->pins = NULL;
  entry->pin_count = 0;
  srv_cursor_queries_expire(&entry->queries, &registry->queries, UINT64_MAX);
  srv_registry_order(registry, entry);
}

void srv_registry_destroy(srv_registry *registry) {
  if (!registry) return;
  registry->release = release_now;
  for (size_t i = 0; i < registry->count; i++) {
    srv_entry *entry = registry->items[i];
    /* Without `kept`, srv_registry_order removes the entry from the list of unused scenes. */
    free(entry->kept);
    entry->kept = NULL;
    release_pins(registry, entry);
    if (entry->current) ct_scene_release(entry->current);
    free(entry);
  }
  free(registry->items);
  free(registry);
}

size_t srv_registry_count(const srv_registry *registry) {
  return registry->scenes + registry->reserved;
}

void srv_registry_reserve(srv_registry *registry, int by) {
  if (by > 0) registry->reserved++;
  else {
    assert(registry->reserved > 0);
    registry->reserved--;
  }
}

/* Returns the index of the first entry whose id is not below `id`. */
static size_t find_insertion_index(const srv_registry *registry, const char *id) {
  size_t low = 0, high = registry->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(registry->items[middle]->id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

srv_entry *srv_registry_find(srv_registry *registry, const char *id) {
  size_t at = find_insertion_index(registry, id);
  return at < registry->count && strcmp(registry->items[at]->id, id) == 0 ? registry->items[at]
                                                                          : NULL;
}

void srv_registry_nearest_id(const srv_registry *registry, const char *id,
                             char out[CT_ID_LENGTH_MAX + 1]) {
  api_spelling likeness = api_spelling_start(id, strlen(id));
  bool more = true;
  for (size_t i = 0; more && i < registry->count; i++) {
    const srv_entry *entry = registry->items[i];
    if (entry->current || entry->kept)
      more = api_spelling_consider(&likeness, entry->id, strlen(entry->id));
  }
  if (likeness.best.length) memcpy(out, likeness.best.bytes, likeness.best.length);
  out[likeness.best.length] = 0;
}

srv_entry *srv_registry_open(srv_registry *registry, const char *id) {
  size_t at = find_insertion_index(registry, id);
  if (at < registry->count && strcmp(registry->items[at]->id, id) == 0) return registry->items[at];
  size_t length = strlen(id);
  if (length > CT_ID_LENGTH_MAX) return NULL;
  if (!srv_array_reserve(&registry->items, &registry->capacity, registry->count + 1,
                         sizeof *registry->items, 64))
    return NULL;
  srv_entry *entry = calloc(1, sizeof *entry);
  if (!entry) return NULL;
  memcpy(entry->id, id, length + 1);
  memmove(registry->items + at + 1, registry->items + at,
          (registry->count - at) * sizeof *registry->items);
  registry->items[at] = entry;
  registry->count++;
  return entry;
}

srv_entry *srv_registry_after(srv_registry *registry, const char *id) {
  size_t at = find_insertion_index(registry, id);
  if (at < registry->count && strcmp(registry->items[at]->id, id) == 0) at++;
  return at < registry->count ? registry->items[at] : NULL;
}

void srv_registry_set_stored(srv_registry *registry, srv_entry *entry, srv_stored_scene *kept) {
  if (!entry->current) registry->scenes++;
  entry->kept = kept;
  srv_registry_weigh(registry, entry);
}

size_t srv_registry_count_presence(const srv_registry *registry, srv_presence presence) {
  size_t n = 0;
  for (size_t i = 0; i < registry->count; i++)
    n += registry->items[i]->kept && registry->items[i]->kept->presence == presence;
  return n;
}

srv_entry *srv_registry_at(const srv_registry *registry, size_t index) {
  return index < registry->count ? registry->items[index] : NULL;
}

uint64_t srv_registry_bytes(const srv_registry *registry) { return registry->cache.bytes; }
uint64_t srv_registry_freed_bytes(const srv_registry *registry) { return registry->cache.freed; }

size_t srv_registry_loaded(const srv_registry *registry) { return registry->loaded; }

uint64_t srv_registry_bodies(const srv_registry *registry) { return registry->bodies; }

void srv_registry_retain(srv_registry *registry, srv_entry *entry) {
  entry->uses++;
  srv_registry_order(registry, entry);
}

static void free_entry_if_empty(srv_registry *registry, srv_entry *entry) {
  if (entry->uses || entry->current || entry->kept) return;
  /* A deletion detaches the ring first, and streams retain the entry. */
  assert(!entry->ring);
  size_t at = find_insertion_index(registry, entry->id);
  memmove(registry->items + at, registry->items + at + 1,
          (registry->count - at - 1) * sizeof *registry->items);
  registry->count--;
  release_pins(registry, entry);
  free(entry);
}

void srv_registry_release(srv_registry *registry, srv_entry *entry) {
  assert(entry->uses > 0);
  entry->uses--;
  srv_registry_order(registry, entry);
  free_entry_if_empty(registry, entry);
}

void srv_registry_commit(srv_registry *registry, srv_entry *entry, const ct_scene *scene) {
  const ct_scene *old = entry->current;
  entry->current = ct_scene_retain(scene);
  registry->bodies += ct_scene_count(scene);
  registry->loaded += !old;
  if (old) registry->bodies -= ct_scene_count(old);
  /* This is not the last reference: the write that created the new revision retains the old one. */
  if (old) ct_scene_release(old);
  else if (!entry->kept) registry->scenes++;
  srv_registry_weigh(registry, entry);
}

void srv_registry_remove(srv_registry *registry, srv_entry *entry) {
  if (!entry->current && !entry->kept) return;
  uint64_t revision = entry->current ? ct_scene_revision(entry->current) : entry->kept->revision;
  /* A deletion has a revision number of its own, which its reply contains. */
  if (revision + 1 > registry->last_revision) registry->last_revision = revision + 1;
  if (entry->current) registry->bodies -= ct_scene_count(entry->current);
  registry->loaded -= entry->current != NULL;
  /* This is not the last reference: the request of the deletion retains the revision. */
  if (entry->current) ct_scene_release(entry->current);
  entry->current = NULL;
  free(entry->kept);
  entry->kept = NULL;
  registry->scenes--;
  srv_registry_weigh(registry, entry);
  release_pins(registry, entry);
  free_entry_if_empty(registry, entry);
}

void srv_registry_unload(srv_registry *registry, srv_entry *entry) {
  srv_stored_scene *kept = entry->kept;
  /* If the revision in memory is outdated, `kept` already describes the store's newer one. */
  if (kept->presence == SRV_PRESENCE_HERE) {
    kept->revision = ct_scene_revision(entry->current);
    kept->stamp = kept->memory_stamp;
    kept->bodies = ct_scene_count(entry->current);
    kept->presence = SRV_PRESENCE_STORED;
  }
  registry->bodies -= ct_scene_count(entry->current);
  registry->loaded--;
  release_later(registry, entry->current);
  entry->current = NULL;
  srv_registry_weigh(registry, entry);
}

uint64_t srv_registry_first_revision(const srv_registry *registry) {
  return registry->last_revision + 1;
}

void srv_registry_raise_first_revision(srv_registry *registry, uint64_t last_revision) {
  if (last_revision > registry->last_revision) registry->last_revision = last_revision;
}

/* ---- cursors -------------------------------------------------------------------------------- */

static void release_pin(srv_registry *registry, srv_entry *entry, size_t index) {
  release_later(registry, entry->pins[index].scene);
  memmove(entry->pins + index, entry->pins + index + 1,
          (entry->pin_count - index - 1) * sizeof *entry->pins);
  entry->pin_count--;
  registry->pins--;
  srv_registry_order(registry, entry);
}

bool srv_registry_pin(srv_registry *registry, srv_entry *entry, const ct_scene *scene,
                      uint64_t now_ns) {
  if (!entry->current) return true; /* deleted meanwhile, with its cursors */
  if (!entry->pins) {
    entry->pins = calloc(registry->cursors.per_scene, sizeof *entry->pins);
    if (!entry->pins) return false;
  }
  /* A revision that is pinned again becomes the youngest. */
  for (size_t i = 0; i < entry->pin_count; i++) {
    if (entry->pins[i].scene != scene) continue;
    release_pin(registry, entry, i);
    break;
  }
  if (entry->pin_count == registry->cursors.per_scene) release_pin(registry, entry, 0);
  entry->pins[entry->pin_count++] =
      (srv_pin){ct_scene_retain(scene), now_ns + registry->cursors.keep_ns};
  registry->pins++;
  srv_registry_order(registry, entry);
  return true;
}

void srv_registry_keep_query(srv_registry *registry, srv_entry *entry, const api_kept_query *query,
                             uint64_t now_ns) {
  /* A query without a pinned revision is useless. */
  if (entry->pin_count > 0)
    srv_cursor_queries_add(&entry->queries, &registry->queries, query,
                           now_ns + registry->cursors.keep_ns);
}

void srv_registry_unpin(srv_registry *registry, srv_entry *entry) { release_pins(registry, entry); }

void srv_registry_expire(srv_registry *registry, uint64_t now_ns) {
  if (registry->pins == 0) return;
  for (size_t i = 0; i < registry->count; i++) {
    srv_entry *entry = registry->items[i];
    while (entry->pin_count && entry->pins[0].expires_ns <= now_ns) release_pin(registry, entry, 0);
    /* A query expires slightly later than its revision; it is released with the last pinned
     * revision. */
    srv_cursor_queries_expire(&entry->queries, &registry->queries,
                              entry->pin_count ? now_ns : UINT64_MAX);
    if (entry->pins && entry->pin_count == 0) {
      free(entry->pins);
      entry->pins = NULL;
    }
  }
}

/* ---- lists and ids -------------------------------------------------------------------------- */

static bool has_scene(const srv_entry *entry) { return entry->current || entry->kept; }

static void describe_stored_scene(const srv_stored_scene *kept, api_scene_entry *out) {
  out->status = kept->presence == SRV_PRESENCE_CORRUPT ? "corrupt" : "stored";
  out->revision = kept->revision;
  out->bodies = kept->bodies;
}

bool srv_registry_list(srv_registry *registry, api_scene_entry **out, size_t *count) {
  /* The ids are copied behind the list: entries may be freed while a worker reads the list. */
  size_t text = 0;
  for (size_t i = 0; i < registry->count; i++)
    if (has_scene(registry->items[i])) text += strlen(registry->items[i]->id) + 1;
  api_scene_entry *list = malloc(registry->scenes * sizeof *list + text + 1);
  if (!list) return false;
  char *at = (char *)(list + registry->scenes);
  size_t n = 0;
  for (size_t i = 0; i < registry->count; i++) {
    const srv_entry *entry = registry->items[i];
    if (!has_scene(entry)) continue;
    size_t length = strlen(entry->id) + 1;
    memcpy(at, entry->id, length);
    list[n] = (api_scene_entry){.id = at};
    bool is_old = entry->kept && (entry->kept->presence == SRV_PRESENCE_STORED ||
                                  entry->kept->presence == SRV_PRESENCE_LOADING);
    if (entry->current && !is_old) list[n].scene = ct_scene_retain(entry->current);
    else describe_stored_scene(entry->kept, &list[n]);
    n++;
    at += length;
  }
  *out = list;
  *count = n;
  return true;
}

void srv_registry_list_free(api_scene_entry *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i].scene) ct_scene_release(list[i].scene);
  free(list);
}

bool srv_registry_new_id(char out[CT_ID_LENGTH_MAX + 1]) {
  static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char bytes[ID_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  size_t n = 0;
  unsigned bits = 0, held = 0;
  for (size_t i = 0; i < sizeof bytes; i++) {
    bits = bits << 8 | bytes[i];
    for (held += 8; held >= 5; held -= 5) out[n++] = digits[bits >> (held - 5) & 31];
    bits &= (1u << held) - 1;
  }
  out[n++] = digits[bits << (5 - held) & 31];
  out[n] = 0;
  return true;
}
