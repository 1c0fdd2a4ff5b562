/* Posted shapes that no scene names go after --shape-seconds, where a store keeps them: without a store they end with the process.
 * The time is counted since the daemon has last seen the shape posted or named; it looks often enough that this is known to an
 * eighth. Where other daemons see shapes, too, the store knows which write has last told it that one was seen, and removes none
 * that has been seen after that; a daemon tells it so only when it has not done so for a tenth of the time, and waits for a tenth
 * more. Loop thread only. */
#ifndef SRV_SCENES_SHAPE_EXPIRY_H
#define SRV_SCENES_SHAPE_EXPIRY_H

#include "state/server.h"

typedef struct srv_shape_expiry srv_shape_expiry;

/* NULL: out of memory. */
srv_shape_expiry *srv_shape_expiry_create(void);
void srv_shape_expiry_destroy(srv_shape_expiry *shelf); /* NULL is allowed */
/* The shape has been posted again. */
void srv_shape_expiry_renew(srv_server *server, const char *id);
/* Is the store to be told that the shape has been posted again (SRV_STORE_SEEN)? */
bool srv_shape_expiry_needs_report(srv_server *server, const char *id);
/* The store has been told, not before that time. */
void srv_shape_expiry_reported(srv_server *server, const char *id, uint64_t told_ns);
/* Looks who names shapes, when it is time. Called by the reaper. */
void srv_shape_expiry_tick(srv_server *server, uint64_t now_ns);

#endif
