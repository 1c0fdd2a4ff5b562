/* Loading of one scene or one posted shape from the store. Loop thread only; a worker applies the
 * records. */
#ifndef SRV_SCENES_LOAD_H
#define SRV_SCENES_LOAD_H

#include "state/request.h"

/* End of a load. again: the store or memory was unavailable. full: the scene exceeds
 * --scene-memory. */
typedef void srv_scene_loaded(srv_server *server, bool again, bool full);
typedef void srv_shape_loaded(srv_server *server, const char *id, bool again);

/* Starts loading the stored scene of an entry. Its presence is LOADING until the end, when waiting
 * requests continue; done (or NULL) is called after them. False: not started, waiting requests are
 * refused, done is not called. */
bool srv_load_scene(srv_server *server, srv_entry *entry, srv_scene_loaded *done);
/* Starts loading a shape into the table. False: not started, done is not called. */
bool srv_load_shape(srv_server *server, const char *id, srv_shape_loaded *done);
/* Resumes the loads of scenes that wait for all posted shapes. */
void srv_load_resume(srv_server *server);
/* Continues all requests of a queue. They may queue for another load. */
void srv_load_continue(srv_server *server, srv_request_queue *queue);

#endif
