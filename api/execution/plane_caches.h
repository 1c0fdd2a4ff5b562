/* Cache of separating planes: one plane per pair of colliders, carried from one variant to the
 * next. */
#ifndef API_EXECUTION_PLANE_CACHES_H
#define API_EXECUTION_PLANE_CACHES_H

#include <contact/pair_methods.h>
#include <contact/query.h>

/* Statistics of the cache, summed over pairs: planes that still separated, planes that were
 * corrected, planes that had to be searched. */
typedef struct api_plane_counts {
  uint64_t hits, repairs, searches;
} api_plane_counts;

typedef struct api_plane_caches {
  struct api_plane_entry *entries; /* hash table [capacity] */
  size_t count, capacity;          /* count: number of cached pairs; capacity: number of slots of
                                      the hash table, 0 or a power of two */
  api_plane_counts counts;         /* hits, repairs and searches, summed over all queries that used
                                      these caches */
  bool failed;                     /* out of memory: pairs are evaluated without a cache */
} api_plane_caches;

/* Removes all planes; the statistics are retained. */
void api_plane_caches_clear(api_plane_caches *caches);
void api_plane_caches_free(api_plane_caches *caches);

/* Returns the pair's plane, to be passed to the query and then to api_plane_caches_count. NULL: the
 * cache is full or out of memory. The pointer is valid until the next call of this function. */
ct_plane_cache *api_plane_cache(api_plane_caches *caches, const ct_collider_pair *pair);
/* Adds the plane's counters to the statistics and sets them to 0. */
void api_plane_caches_count(api_plane_caches *caches, ct_plane_cache *cache);

#endif
