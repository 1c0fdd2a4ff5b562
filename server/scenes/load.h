/* Loading of one scene or one posted shape from the store. Loop thread only; applying the records runs on a worker. */
#ifndef SRV_SCENES_LOAD_H
#define SRV_SCENES_LOAD_H

#include "state/request.h"

struct srv_loading;

/* Loads the scene of an entry that the store has: its presence is LOADING until then, and who waits for it is told at the end.
 * background: srv_recover_loaded hears of the end, too. False: it has not begun, and who waits is refused. */
bool srv_load_scene(srv_server *server, srv_entry *entry, bool background);
/* Goes on with a list of loadings that have waited for shapes. */
void srv_load_resume(struct srv_loading *first);
/* Adds a shape to the table, in the background. False: it has not begun. */
bool srv_load_shape(srv_server *server, const char *id);
/* The first of a list of requests that wait, taken out of it; NULL: it is empty. */
srv_request *srv_load_pop(srv_request **first, srv_request **last);

/* ---- recover.c ---- */

/* The scene that was loaded in the background, or a shape, is here or never will be. again: the store, or memory, was not to be
 * had. */
void srv_recover_loaded(srv_server *server, bool again);
void srv_recover_shape_loaded(srv_server *server, const char *id, bool again);
/* Where the loading of a scene is put that may need shapes which are not here yet, until srv_load_resume; NULL: all are here. */
struct srv_loading **srv_recover_shape_waiters(srv_server *server);

#endif
