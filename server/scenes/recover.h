/* What comes back from the store: the list of scenes at start, then all posted shapes, then scenes, on their first use or one after
 * the other. Loop thread only; what takes long runs on workers. */
#ifndef SRV_SCENES_RECOVER_H
#define SRV_SCENES_RECOVER_H

#include "state/request.h"

typedef struct srv_recovery srv_recovery;

/* Lists the scenes, before anybody listens: runs the loop until the store has answered. False after one sentence on stderr. */
bool srv_recover_list(srv_server *server);
/* Begins to load shapes, then scenes. */
void srv_recover_begin(srv_server *server);
/* A scene that was loaded in the background was larger than it was taken for: no other is. */
void srv_recover_stop_background(srv_server *server);
/* The scenes of a shared store have been listed, or could not be. */
void srv_recover_listed(srv_server *server, bool good);
/* Tries again what the store could not tell. Called by the reaper. */
void srv_recover_retry(srv_server *server, uint64_t now_ns);
/* Waits for what runs, closes the store, frees. The loop must still be there. */
void srv_recover_end(srv_server *server);

/* Are all posted shapes there? True without a store. */
bool srv_recover_has_shapes(const srv_server *server);
/* Must the request wait until something is loaded? */
bool srv_recover_must_wait(const srv_request *request);
/* It waits: srv_job_loaded or srv_job_not_loaded will be called. */
void srv_recover_enqueue(srv_request *request);
/* It does not wait any more. */
void srv_recover_dequeue(srv_request *request);
/* Is the scene of the request one that cannot be read, and the call none that does without? The refusal is the reply then. */
bool srv_recover_refuses(srv_request *request);
/* What is in memory of the scene is not what the store has: that is at the revision, 0: it is not there. */
void srv_recover_reload(srv_server *server, srv_entry *entry, uint64_t revision, uint64_t stamp);
/* Posted shapes have come that were missing: scenes that could not be read are loaded again, as after a start. One that is being
 * written keeps what it has. O(scenes) */
void srv_recover_reload_corrupt(srv_server *server);

/* Is all listed that the store has, so that requests are served? */
bool srv_recover_has_listed(const srv_server *server);
/* Is the daemon ready? False: the refusal is the reply. */
bool srv_recover_ready(srv_request *request);
/* May a body be streamed now, which names shapes as it arrives? False: the refusal is the reply. */
bool srv_recover_admits_stream(srv_request *request);
/* The document of /readyz, with how many scenes are where. free() it; NULL: out of memory. */
char *srv_recover_document(const srv_server *server, size_t *length);

#endif
