/* Loading of one scene or one posted shape from the store. Loop thread only; a worker applies the
 * records. */
#ifndef SRV_SCENES_LOAD_H
#define SRV_SCENES_LOAD_H

#include "state/request.h"

struct srv_loading;

/* Starts loading the stored scene of an entry. Its presence is LOADING until the end, when waiting
 * requests continue. background: srv_recover_loaded is called too. False: not started, waiting
 * requests are refused. */
bool srv_load_scene(srv_server *server, srv_entry *entry, bool background);
/* Resumes a list of loads that waited for shapes. */
void srv_load_resume(struct srv_loading *first);
/* Starts loading a shape into the table. False: not started. */
bool srv_load_shape(srv_server *server, const char *id);
/* Removes and returns the first request of a waiting list. NULL: empty. */
srv_request *srv_load_pop(srv_request **first, srv_request **last);

/* ---- recover.c ------------------------------------------------------------------------------ */

/* End of a background load of a scene, or of a shape's load. again: the store or memory was
 * unavailable. */
void srv_recover_loaded(srv_server *server, bool again);
void srv_recover_shape_loaded(srv_server *server, const char *id, bool again);
/* List for loads that may need shapes not loaded yet, until srv_load_resume. NULL: all shapes are
 * loaded. */
struct srv_loading **srv_recover_shape_waiters(srv_server *server);

#endif
