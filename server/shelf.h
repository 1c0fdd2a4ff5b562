/* Posted shapes that no scene names go after --shape-seconds, where a store keeps them: without a store they end with the process.
 * The time is counted since the daemon has last seen the shape posted or named; it looks often enough that this is known to an
 * eighth. Loop thread only. */
#ifndef SRV_SHELF_H
#define SRV_SHELF_H

#include "server.h"

typedef struct srv_shelf srv_shelf;

/* NULL: out of memory. */
srv_shelf *srv_shelf_create(void);
void srv_shelf_destroy(srv_shelf *shelf); /* NULL is allowed */
/* The shape has been posted again. */
void srv_shelf_touch(srv_server *server, const char *id);
/* Looks who names shapes, when it is time. Called by the reaper. */
void srv_shelf_look(srv_server *server, uint64_t now_ns);

#endif
