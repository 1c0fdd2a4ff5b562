/* Cache of queries for their cursors, so that a client can continue a query by its cursor alone.
 *
 * A query is cached as long as a cursor pins the revision that it reads; all queries together have
 * at most `cursorsBytes`. Loop thread only, except for the reference counts. */
#ifndef SRV_STATE_CURSOR_QUERY_H
#define SRV_STATE_CURSOR_QUERY_H

#include <api/api.h>

#include <stdatomic.h>

/* The text of a query; immutable, shared by reference count between the cache and the requests that
 * read it. */
typedef struct srv_query_text {
  _Atomic uint32_t references;
  uint64_t hash;
  size_t length;
  char bytes[];
} srv_query_text;

typedef struct srv_cursor_query {
  srv_query_text *text;
  uint64_t expires_ns;
} srv_cursor_query;

/* Cached queries of one scene, oldest first. */
typedef struct srv_cursor_queries {
  srv_cursor_query *items;
  size_t count;
} srv_cursor_queries;

/* Limits of the cache, and the bytes that the queries of all scenes use. */
typedef struct srv_cursor_query_bounds {
  size_t per_scene;
  uint64_t bytes_max, bytes;
} srv_cursor_query_bounds;

/* Caches a query, or renews the cached one with the same hash. If there is no space, the scene's
 * oldest queries are evicted; if that does not suffice, the query is not cached. O(per_scene) */
void srv_cursor_queries_add(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds,
                            const api_kept_query *query, uint64_t expires_ns);
/* Removes the queries that expire at or before now_ns; UINT64_MAX: all queries. */
void srv_cursor_queries_expire(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds,
                               uint64_t now_ns);

/* References of a request to all cached queries of a scene. */
typedef struct srv_retained_queries {
  api_kept_query *items;
  srv_query_text **texts;
  size_t count;
  size_t longest; /* length of the longest query, B */
} srv_retained_queries;

/* Retains all cached queries of a scene for a request. False: out of memory, and nothing is
 * retained. */
bool srv_cursor_queries_retain(const srv_cursor_queries *queries, srv_retained_queries *out);
/* Releases the queries retained for a request. May be called on any thread. */
void srv_cursor_queries_release(srv_retained_queries *borrowed);

#endif
