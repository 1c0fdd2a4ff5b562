/* Cache of separating planes, one per pair of colliders, reused from variant to variant. */
#ifndef API_EXECUTION_PLANE_CACHES_H
#define API_EXECUTION_PLANE_CACHES_H

#include <contact/pair_methods.h>
#include <contact/query.h>

/* Statistics of the cache: sums over pairs. */
typedef struct api_plane_counts {
  uint64_t hits, repairs, searches;
} api_plane_counts;

typedef struct api_plane_caches {
  struct api_plane_entry *entries; /* hash table [capacity] */
  size_t count, capacity;          /* capacity: 0, or a power of two */
  api_plane_counts counts;         /* of all queries through these caches */
  bool failed;                     /* out of memory: pairs are queried without cache */
} api_plane_caches;

/* Removes the planes, not the counts. */
void api_plane_caches_clear(api_plane_caches *caches);
void api_plane_caches_free(api_plane_caches *caches);

/* The pair's plane, to be passed to the query and then to api_plane_caches_count. NULL: the cache
 * is full. Valid until the next call. */
ct_plane_cache *api_plane_cache(api_plane_caches *caches, const ct_collider_pair *pair);
/* Adds the plane's counters to the sums and resets them. */
void api_plane_caches_count(api_plane_caches *caches, ct_plane_cache *cache);

#endif
