/* Queries kept for their cursors: a client that continues with the cursor alone does not send its query again. They are kept beside
 * the revisions that cursors keep, as long as these, and never more than `cursorsBytes` of all scenes together. Loop thread only,
 * but for the reference counts. */
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

/* Those of one scene, the oldest first. */
typedef struct srv_cursor_queries {
  srv_cursor_query *items;
  size_t count;
} srv_cursor_queries;

/* What bounds them, and what all take. */
typedef struct srv_cursor_query_bounds {
  size_t per_scene;
  uint64_t bytes_max, bytes;
} srv_cursor_query_bounds;

/* Keeps a query, or renews the one of the same hash. Where there is no room, the oldest ones of the scene make some; else the query
 * is not kept. O(per_scene) */
void srv_cursor_queries_add(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds, const api_kept_query *query,
                            uint64_t expires_ns);
/* Drops those whose time is over; UINT64_MAX: all. */
void srv_cursor_queries_expire(srv_cursor_queries *queries, srv_cursor_query_bounds *bounds, uint64_t now_ns);

/* Of one request: references to all of a scene. */
typedef struct srv_retained_queries {
  api_kept_query *items;
  srv_query_text **texts;
  size_t count;
  size_t longest; /* bytes */
} srv_retained_queries;

/* False: out of memory; nothing is borrowed. */
bool srv_cursor_queries_retain(const srv_cursor_queries *queries, srv_retained_queries *out);
/* Any thread. */
void srv_cursor_queries_release(srv_retained_queries *borrowed);

#endif
