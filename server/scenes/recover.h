/* Recovery from the store at start: the list of scenes, then all posted shapes, then the scenes, on
 * first use or one by one in the background. Loop thread only; workers apply the records. */
#ifndef SRV_SCENES_RECOVER_H
#define SRV_SCENES_RECOVER_H

#include "state/request.h"

typedef struct srv_recovery srv_recovery;

/* Reads the list of stored scenes before the daemon listens; runs the loop until the store has
 * answered. False after one sentence on standard error. */
bool srv_recover_list(srv_server *server);
/* Starts loading the posted shapes, then the scenes. */
void srv_recover_begin(srv_server *server);
/* Repeats a failed read of the store if its time has come. Called by the reaper. */
void srv_recover_retry(srv_server *server, uint64_t now_ns);
/* Waits until the background jobs have ended, closes the store and frees the recovery. The event
 * loop must still exist. */
void srv_recover_end(srv_server *server);

/* Returns what the request must wait for before its call can begin: AWAITS_SHAPES, AWAITS_SCENE, or
 * IDLE for nothing. Precondition: the server has a store. */
srv_work srv_recover_wait(const srv_request *request);
static inline bool srv_recover_must_wait(const srv_request *request) {
  return srv_recover_wait(request) != SRV_WORK_IDLE;
}
/* Queues the request until the event that its `work` names; then the handler `resume` is called. */
void srv_recover_enqueue(srv_request *request);
/* Removes the request from the queue into which srv_recover_enqueue has put it. */
void srv_recover_dequeue(srv_request *request);
/* True if the stored scene is corrupt and the call needs its content, as all but PUT and DELETE do.
 * A refusal is then the reply. */
bool srv_recover_refuses(srv_request *request);
/* Reloads a scene that differs from the store's. revision: that of the store, 0 if the store does
 * not have the scene; stamp: that of the revision. */
void srv_recover_reload(srv_server *server, srv_entry *entry, uint64_t revision, uint64_t stamp);
/* Marks the corrupt scenes, except those being written, to be loaded again, because shapes that
 * they lacked were posted. O(scenes) */
void srv_recover_reload_corrupt(srv_server *server);

/* True if the lists of the store's scenes and shapes have been read, so that requests can be
 * served. */
bool srv_recover_has_listed(const srv_server *server);
/* True if the daemon is ready (/readyz). False: a refusal is the reply. */
bool srv_recover_ready(srv_request *request);
/* True if the body of the HTTP request may be parsed while it arrives: all shapes stored by POST
 * /v1/shapes must be loaded, because the body may refer to them. False: a refusal has been set as
 * the reply. */
bool srv_recover_admits_stream(srv_request *request);
/* Returns the document of /readyz with the numbers of scenes and shapes by state; free() it. NULL:
 * out of memory. */
char *srv_recover_document(const srv_server *server, size_t *length);

#endif
