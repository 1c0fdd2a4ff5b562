/* Recovery from the store at start: the list of scenes, then all posted shapes, then scenes on
 * first use or one by one in the background. Loop thread only; workers apply the records. */
#ifndef SRV_SCENES_RECOVER_H
#define SRV_SCENES_RECOVER_H

#include "state/request.h"

typedef struct srv_recovery srv_recovery;

/* Lists the stored scenes before the daemon listens; runs the loop until the store has answered.
 * False after one sentence on standard error. */
bool srv_recover_list(srv_server *server);
/* Starts loading shapes, then scenes. */
void srv_recover_begin(srv_server *server);
/* Ends background loading: a loaded scene was larger than estimated and exceeded --scene-memory. */
void srv_recover_stop_background(srv_server *server);
/* Result of srv_shared_list_scenes: scenes of a shared store are listed, or the store failed. */
void srv_recover_listed(srv_server *server, bool good);
/* Repeats failed reads of the store. Called by the reaper. */
void srv_recover_retry(srv_server *server, uint64_t now_ns);
/* Waits for background jobs, closes the store, frees the recovery. The loop must still exist. */
void srv_recover_end(srv_server *server);

/* True if all posted shapes are loaded, or there is no store. */
bool srv_recover_has_shapes(const srv_server *server);
/* True if the request must wait until its scene, or the posted shapes, are loaded. */
bool srv_recover_must_wait(const srv_request *request);
/* Queues the request for loading; srv_job_loaded or srv_job_not_loaded will be called. */
void srv_recover_enqueue(srv_request *request);
/* Removes the request from that queue. */
void srv_recover_dequeue(srv_request *request);
/* True if the scene is corrupt and the call needs its content (all but PUT and DELETE); the refusal
 * is the reply. */
bool srv_recover_refuses(srv_request *request);
/* Reloads a scene that differs from the store's. revision: the store's, 0: absent. */
void srv_recover_reload(srv_server *server, srv_entry *entry, uint64_t revision, uint64_t stamp);
/* Reloads corrupt scenes after missing shapes were posted, except those being written. O(scenes) */
void srv_recover_reload_corrupt(srv_server *server);

/* True if the store's scenes and shapes are listed, so that requests can be served. */
bool srv_recover_has_listed(const srv_server *server);
/* True if the daemon is ready (/readyz). False: the refusal is the reply. */
bool srv_recover_ready(srv_request *request);
/* True if a body may be streamed, which needs all posted shapes. False: the refusal is the reply.
 */
bool srv_recover_admits_stream(srv_request *request);
/* Document of /readyz with counts of scenes and shapes by state. free() it. NULL: out of memory. */
char *srv_recover_document(const srv_server *server, size_t *length);

#endif
