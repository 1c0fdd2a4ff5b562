/* Loads one scene or one posted shape from the store. Loop thread only; a worker applies the
 * records. */
#ifndef SRV_SCENES_LOAD_H
#define SRV_SCENES_LOAD_H

#include "state/request.h"

/* Callbacks for the end of a load. again: it failed because the store or memory was unavailable,
 * and may be repeated. full: the scene exceeds --scene-memory. */
typedef void srv_scene_loaded(srv_server *server, bool again, bool full);
typedef void srv_shape_loaded(srv_server *server, const char *id, bool again);

/* Starts loading the scene of an entry. Its presence is LOADING until the load ends; then the
 * requests that wait for it continue, and `done` (or NULL) is called. False: the load was not
 * started, the waiting requests are refused, and `done` is not called. */
bool srv_load_scene(srv_server *server, srv_entry *entry, srv_scene_loaded *done);
/* Starts loading a shape into the table of posted shapes. False: not started, and `done` is not
 * called. */
bool srv_load_shape(srv_server *server, const char *id, srv_shape_loaded *done);
/* Resumes the loads of scenes that wait until all posted shapes are loaded. */
void srv_load_resume(srv_server *server);
/* Continues all requests of a queue; they may queue for another load. */
void srv_load_continue(srv_server *server, srv_request_queue *queue);

#endif
