/* Hash table of separating planes with linear probing. The order of entries has no effect on
 * results. */
#include "execution/plane_caches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Greatest number of cached pairs (16 MiB); for further pairs the plane is searched each time. */
#define PAIRS_MAX 131072
#define FIRST_CAPACITY 64

typedef struct api_plane_entry {
  ct_collider_pair pair;
  bool used;
  ct_plane_cache cache;
} api_plane_entry;

/* Returns the hash of a pair, by the finaliser of MurmurHash3. */
static uint64_t hash_collider_pair(const ct_collider_pair *p) {
  uint64_t h = (uint64_t)p->a << 32 | p->b;
  h ^= ((uint64_t)p->collider_a << 32 | p->collider_b) * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
  h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 33;
}

static bool is_same_pair(const ct_collider_pair *p, const ct_collider_pair *q) {
  return p->a == q->a && p->b == q->b && p->collider_a == q->collider_a &&
         p->collider_b == q->collider_b;
}

/* Returns the pair's entry, or the free entry in which it is to be stored. */
static api_plane_entry *find_plane_entry(const api_plane_caches *caches,
                                         const ct_collider_pair *pair) {
  assert(caches->capacity > 0 && (caches->capacity & (caches->capacity - 1)) == 0);
  size_t mask = caches->capacity - 1, at = (size_t)hash_collider_pair(pair) & mask;
  while (caches->entries[at].used && !is_same_pair(&caches->entries[at].pair, pair))
    at = (at + 1) & mask;
  return &caches->entries[at];
}

static bool grow_table(api_plane_caches *caches) {
  api_plane_caches larger = {.capacity = caches->capacity ? 2 * caches->capacity : FIRST_CAPACITY};
  larger.entries = calloc(larger.capacity, sizeof *larger.entries);
  if (!larger.entries) return false;
  for (size_t i = 0; i < caches->capacity; i++)
    if (caches->entries[i].used)
      *find_plane_entry(&larger, &caches->entries[i].pair) = caches->entries[i];
  free(caches->entries);
  caches->entries = larger.entries;
  caches->capacity = larger.capacity;
  return true;
}

void api_plane_caches_clear(api_plane_caches *caches) {
  if (caches->count > 0) memset(caches->entries, 0, caches->capacity * sizeof *caches->entries);
  caches->count = 0;
}

void api_plane_caches_free(api_plane_caches *caches) {
  free(caches->entries);
  *caches = (api_plane_caches){.entries = NULL};
}

ct_plane_cache *api_plane_cache(api_plane_caches *caches, const ct_collider_pair *pair) {
  api_plane_entry *entry = caches->capacity ? find_plane_entry(caches, pair) : NULL;
  if (entry && entry->used) return &entry->cache;
  if (caches->count == PAIRS_MAX) return NULL;
  if (4 * (caches->count + 1) > 3 * caches->capacity) {
    if (!grow_table(caches)) {
      caches->failed = true;
      return NULL;
    }
    entry = find_plane_entry(caches, pair);
  }
  *entry = (api_plane_entry){.pair = *pair, .used = true};
  caches->count++;
  assert(caches->count < caches->capacity);
  return &entry->cache;
}

void api_plane_caches_count(api_plane_caches *caches, ct_plane_cache *cache) {
  caches->counts.hits += cache->hits;
  caches->counts.repairs += cache->repairs;
  caches->counts.searches += cache->searches;
  cache->hits = cache->repairs = cache->searches = 0;
}
