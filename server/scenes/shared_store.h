/* A store that other daemons write to, too: what is in memory is what the store has had at some time. Before a call begins the
 * store is asked for the revision of its scene, for the list of scenes, for the posted shapes; what is older here is loaded anew.
 * So a call sees everything that was acknowledged before it came, by whichever daemon. Loop thread only. */
#ifndef SRV_SCENES_SHARED_STORE_H
#define SRV_SCENES_SHARED_STORE_H

#include "state/request.h"

typedef struct srv_shared srv_shared;

/* NULL: out of memory. */
srv_shared *srv_shared_create(void);
void srv_shared_destroy(srv_shared *shared); /* NULL is allowed */

/* Must the store be asked before the call begins? Then srv_shared_refresh is to be called. */
bool srv_shared_needs_refresh(srv_request *request);
/* Asks: srv_job_loaded or srv_job_not_loaded will be called, unless the request is cancelled before. False: out of memory. */
bool srv_shared_refresh(srv_request *request);
/* A streamed body may name shapes, which are looked up as it arrives: must the store be asked for them before its first piece is
 * read? Then srv_shared_refresh_shapes is to be called. */
bool srv_shared_needs_shape_refresh(const srv_request *request);
/* Asks: srv_job_resume_feed will be called, unless the request is cancelled before. False: out of memory. */
bool srv_shared_refresh_shapes(srv_request *request);
/* Where the scene in memory is older than the store has said when it was asked, it is to be loaded. False: that did not help; the
 * refusal is the reply. */
bool srv_shared_reload_if_older(srv_request *request);
/* May the reply be older than what others have written (--stale-reads)? */
bool srv_shared_is_stale(const srv_request *request);

/* Looks which scenes there are: srv_recover_listed is called later. False: out of memory, and it is not. */
bool srv_shared_list_scenes(srv_server *server);

/* Who waits until the posted shapes are those of the store. */
typedef struct srv_shape_sync {
  struct srv_shape_sync *next;
  void (*done)(struct srv_shape_sync *sync, srv_store_status status, const char *why);
} srv_shape_sync;

/* Brings the table of shapes to what the store has from now on. done is called later. */
void srv_shared_sync_shapes(srv_server *server, srv_shape_sync *sync);

#endif
