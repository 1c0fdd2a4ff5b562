/* Synchronisation with a store to which other daemons write.
 *
 * Before a call begins, the store is queried for the revision of the call's scene, the list of
 * scenes or the posted shapes; outdated data in memory are reloaded. A call therefore sees every
 * write that any daemon had acknowledged before the call arrived. Loop thread only. */
#ifndef SRV_SCENES_SHARED_STORE_H
#define SRV_SCENES_SHARED_STORE_H

#include "state/request.h"

typedef struct srv_shared srv_shared;

/* Creates the synchronisation. shapes_found is called whenever missing shapes were loaded. NULL:
 * out of memory. */
srv_shared *srv_shared_create(void (*shapes_found)(srv_server *server));
void srv_shared_destroy(srv_shared *shared); /* NULL is allowed */

/* True if the store must be queried before the call begins; then call srv_shared_refresh. */
bool srv_shared_needs_refresh(srv_request *request);
/* Queries the store for the data that the call needs. The handler `resume` is called later, unless
 * the request is cancelled. False: out of memory. */
bool srv_shared_refresh(srv_request *request);
/* True if the shapes must be synchronised before the first piece of a streamed body is read,
 * because ids of shapes are resolved while the body arrives; then call
 * srv_shared_refresh_shapes. */
bool srv_shared_needs_shape_refresh(const srv_request *request);
/* Synchronises the posted shapes. The handler `resume` is called later, unless the request is
 * cancelled. False: out of memory. */
bool srv_shared_refresh_shapes(srv_request *request);
/* Marks the request's scene to be loaded if the revision in memory is older than the store's
 * answer. False: repeated loads did not help, and a refusal is the reply. */
bool srv_shared_reload_if_older(srv_request *request);
/* True if the reply may not contain recent writes of other daemons (--stale-reads). */
bool srv_shared_is_stale(const srv_request *request);

typedef void srv_scenes_listed(srv_server *server, bool good);
/* Reads the list of the store's scenes; `done` is called later. False: out of memory, and it is not
 * called. */
bool srv_shared_list_scenes(srv_server *server, srv_scenes_listed *done);

/* A wait for the synchronisation of the posted shapes. */
typedef struct srv_shape_sync {
  struct srv_shape_sync *next;
  void (*done)(struct srv_shape_sync *sync, srv_store_status status, const char *why);
} srv_shape_sync;

/* Synchronises the table of shapes with the store's state, as of now or later; sync->done is called
 * later. */
void srv_shared_sync_shapes(srv_server *server, srv_shape_sync *sync);

#endif
