/* The separating planes that a run over variants remembers: one for each pair of colliders that was asked. */
#ifndef API_EXECUTION_PLANE_CACHES_H
#define API_EXECUTION_PLANE_CACHES_H

#include <contact/query.h>
#include <contact/separating_plane.h>

/* What remembering came to; sums over pairs. */
typedef struct api_plane_counts {
  uint64_t hits, repairs, searches;
} api_plane_counts;

typedef struct api_plane_caches {
  struct api_plane_entry *entries; /* [capacity], by hash */
  size_t count, capacity;          /* capacity: 0, or a power of two */
  api_plane_counts counts;         /* of all that was asked through these */
  bool failed;                     /* memory was refused: pairs are asked without a cache */
} api_plane_caches;

/* Forgets the planes, not the counts. */
void api_plane_caches_clear(api_plane_caches *caches);
void api_plane_caches_free(api_plane_caches *caches);

/* The pair's plane, to be asked with and then given to api_plane_caches_count. NULL: there is no room for more. Valid until the
 * next pair is looked up. */
ct_plane_cache *api_plane_cache(api_plane_caches *caches, const ct_collider_pair *pair);
/* Adds what the pair's own counters say to the sums, and sets them to zero. */
void api_plane_caches_count(api_plane_caches *caches, ct_plane_cache *cache);

#endif
