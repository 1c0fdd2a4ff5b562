/* Which scenes are in memory, where a store has them all: as many as --scene-memory has room for. What is more is let go of, those
 * used longest ago first, and loaded on its next use. Loop thread only. */
#ifndef SRV_RESIDENT_H
#define SRV_RESIDENT_H

#include "request.h"

/* Is there room for one scene more that nobody has asked for? */
bool srv_resident_has_room(const srv_server *server, const srv_entry *entry);
/* Lets go of scenes that are too many, as far as nobody uses them. */
void srv_resident_trim(srv_server *server);

#endif
