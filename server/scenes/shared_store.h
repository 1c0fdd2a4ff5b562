/* Synchronisation with a store that other daemons write to.
 *
 * Before a call begins, the store is queried for the revision of its scene, the list of scenes or
 * the posted shapes; outdated data in memory is reloaded. A call therefore sees every write
 * acknowledged by any daemon before the call arrived. Loop thread only. */
#ifndef SRV_SCENES_SHARED_STORE_H
#define SRV_SCENES_SHARED_STORE_H

#include "state/request.h"

typedef struct srv_shared srv_shared;

/* shapes_found is called after missing shapes were loaded. NULL: out of memory. */
srv_shared *srv_shared_create(void (*shapes_found)(srv_server *server));
void srv_shared_destroy(srv_shared *shared); /* NULL is allowed */

/* True if the store must be queried before the call begins, by srv_shared_refresh. */
bool srv_shared_needs_refresh(srv_request *request);
/* Queries the store. The handler `resume` is called later, unless the request is cancelled. False:
 * out of memory. */
bool srv_shared_refresh(srv_request *request);
/* True if shapes must be synchronised before the first piece of a streamed body is read, by
 * srv_shared_refresh_shapes: ids of shapes are resolved while the body arrives. */
bool srv_shared_needs_shape_refresh(const srv_request *request);
/* Synchronises shapes. The handler `resume` is called later, unless the request is cancelled.
 * False: out of memory. */
bool srv_shared_refresh_shapes(srv_request *request);
/* Marks the scene to be loaded if memory is older than the store's answer. False: repeated loads
 * did not help; the refusal is the reply. */
bool srv_shared_reload_if_older(srv_request *request);
/* True if the reply may miss recent writes of other daemons (--stale-reads). */
bool srv_shared_is_stale(const srv_request *request);

typedef void srv_scenes_listed(srv_server *server, bool good);
/* Lists the store's scenes; done is called later. False: out of memory, and it is not called. */
bool srv_shared_list_scenes(srv_server *server, srv_scenes_listed *done);

/* A wait for the synchronisation of posted shapes. */
typedef struct srv_shape_sync {
  struct srv_shape_sync *next;
  void (*done)(struct srv_shape_sync *sync, srv_store_status status, const char *why);
} srv_shape_sync;

/* Synchronises the table of shapes with the store's state as of now or later. done is called later.
 */
void srv_shared_sync_shapes(srv_server *server, srv_shape_sync *sync);

#endif
