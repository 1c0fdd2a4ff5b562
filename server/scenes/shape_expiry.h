/* Posted shapes that no scene names go after --shape-seconds, where a store keeps them: without a store they end with the process.
 * The time is counted since the daemon has last seen the shape posted or named; it looks often enough that this is known to an
 * eighth. Where other daemons see shapes, too, the store knows which write has last told it that one was seen, and removes none
 * that has been seen after that; a daemon tells it so only when it has not done so for a tenth of the time, and waits for a tenth
 * more. Loop thread only. */
#ifndef SRV_SCENES_SHAPE_EXPIRY_H
#define SRV_SCENES_SHAPE_EXPIRY_H

#include "state/server.h"

typedef struct srv_shelf srv_shelf;

/* NULL: out of memory. */
srv_shelf *srv_shelf_create(void);
void srv_shelf_destroy(srv_shelf *shelf); /* NULL is allowed */
/* The shape has been posted again. */
void srv_shelf_touch(srv_server *server, const char *id);
/* Is the store to be told that the shape has been posted again (SRV_STORE_SEEN)? */
bool srv_shelf_tells(srv_server *server, const char *id);
/* The store has been told, not before that time. */
void srv_shelf_told(srv_server *server, const char *id, uint64_t told_ns);
/* Looks who names shapes, when it is time. Called by the reaper. */
void srv_shelf_look(srv_server *server, uint64_t now_ns);

#endif
