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
/* Repeats failed reads of the store. Called by the reaper. */
void srv_recover_retry(srv_server *server, uint64_t now_ns);
/* Waits for background jobs, closes the store, frees the recovery. The loop must still exist. */
void srv_recover_end(srv_server *server);

/* The wait that the request must pass before its call can begin: AWAITS_SHAPES, AWAITS_SCENE, or
 * IDLE for none. The server has a store. */
srv_work srv_recover_wait(const srv_request *request);
static inline bool srv_recover_must_wait(const srv_request *request) {
  return srv_recover_wait(request) != SRV_WORK_IDLE;
}
/* Queues the request until the event given by its `work`; then calls the handler `resume`. */
void srv_recover_enqueue(srv_request *request);
/* Removes the request from that queue. */
void srv_recover_dequeue(srv_request *request);
/* True if the stored scene is corrupt and the call needs its content (all but PUT and DELETE); the
 * refusal is the reply. */
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
