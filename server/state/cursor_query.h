/* Cache of queries for their cursors, so that a client continues with the cursor alone.
 *
 * Queries live as long as the revisions pinned by cursors, and at most `cursorsBytes` over all
 * scenes. Loop thread only, except for the reference counts. */
#ifndef SRV_STATE_CURSOR_QUERY_H
#define SRV_STATE_CURSOR_QUERY_H

#include <api/api.h>

#include <stdatomic.h>

/* The text of a query; immutable, shared by the registry and the requests that read it. */
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

/* Queries of one scene, oldest first. */
typedef struct srv_cursor_queries {
  srv_cursor_query *items;
  size_t count;
} srv_cursor_queries;

/* Bounds, and the bytes in use by all scenes. */
typedef struct srv_cursor_query_bounds {
  size_t per_scene;
  uint64_t bytes_max, bytes;
} srv_cursor_query_bounds;

/* Adds a query, or renews the one with the same hash. Evicts the scene's oldest queries for
 * space; if the space does not suffice, the query is not cached. O(per_scene) */
void srv_cursor_queries_add(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds,
                            const api_kept_query *query, uint64_t expires_ns);
/* Removes queries that expire at or before now_ns; UINT64_MAX: all. */
void srv_cursor_queries_expire(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds,
                               uint64_t now_ns);

/* A request's references to all queries of a scene. */
typedef struct srv_retained_queries {
  api_kept_query *items;
  srv_query_text **texts;
  size_t count;
  size_t longest; /* bytes */
} srv_retained_queries;

/* Retains all queries of a scene. False: out of memory, nothing is retained. */
bool srv_cursor_queries_retain(const srv_cursor_queries *queries, srv_retained_queries *out);
/* Releases them. Any thread. */
void srv_cursor_queries_release(srv_retained_queries *borrowed);

#endif
