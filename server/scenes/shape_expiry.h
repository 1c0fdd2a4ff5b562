/* Expiry of posted shapes in a store: a shape that no scene refers to is removed after
 * --shape-seconds.
 *
 * The time counts from the last moment at which the daemon found that the shape was posted or
 * referred to. Scenes are inspected every eighth of --shape-seconds, which bounds the error. In a
 * shared store, daemons report the use of a shape, at most every tenth of that time; expiry then
 * waits a tenth longer, and the store refuses to remove a shape that was reported meanwhile.
 * Without a store, shapes end with the process. Loop thread only. */
#ifndef SRV_SCENES_SHAPE_EXPIRY_H
#define SRV_SCENES_SHAPE_EXPIRY_H

#include "state/server.h"

typedef struct srv_shape_expiry srv_shape_expiry;

/* Creates the state of the expiry. NULL: out of memory. */
srv_shape_expiry *srv_shape_expiry_create(void);
void srv_shape_expiry_destroy(srv_shape_expiry *expiry); /* NULL is allowed */
/* Records the use of a shape that was posted again. */
void srv_shape_expiry_renew(srv_server *server, const char *id);
/* True if the store must be informed that the shape was posted again (SRV_STORE_SEEN), because the
 * last report is too old. */
bool srv_shape_expiry_needs_report(srv_server *server, const char *id);
/* Records that the store was informed of the shape's use at reported_ns or later. */
void srv_shape_expiry_reported(srv_server *server, const char *id, uint64_t reported_ns);
/* Starts a search for expired shapes if one is due. Called by the reaper. */
void srv_shape_expiry_tick(srv_server *server, uint64_t now_ns);

#endif
