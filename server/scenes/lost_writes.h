/* Detection of lost writes: writes that a shared store has acknowledged or reported and does not
 * have any more.
 *
 * Causes: a failover to a replica that lacked them, or a restored backup. They cannot be recovered;
 * they are counted in the metrics and logged. Loop thread only. */
#ifndef SRV_SCENES_LOST_WRITES_H
#define SRV_SCENES_LOST_WRITES_H

#include "state/server.h"

/* Notes that the store has the scene at the revision now. */
void srv_lost_writes_note_stored(srv_stored_scene *kept, uint64_t revision);
/* Notes that the revision is in memory and stems from the write of this stamp. */
void srv_lost_writes_note_loaded(srv_stored_scene *kept, uint64_t revision, uint64_t stamp);
/* Compares loaded records with the revision in memory now or last: that write is lost if another
 * write has its number. */
void srv_lost_writes_check_load(srv_server *server, srv_entry *entry, const srv_store_load *load);
/* Notes that the store has deleted a scene at this revision. */
void srv_lost_writes_note_deleted(srv_server *server, uint64_t revision);
/* Checks an answer of the store to a query or write of queried_ns. revision: the scene's, 0:
 * absent; last: greatest revision of deleted scenes. entry may be NULL. */
void srv_lost_writes_check_answer(srv_server *server, srv_entry *entry, uint64_t revision,
                                  uint64_t last, uint64_t queried_ns);

#endif
