/* Detection of lost writes: writes that a shared store has acknowledged or reported before, but
 * does not contain any more.
 *
 * Causes are a failover to a replica that lacked the writes, or a restored backup. Lost writes
 * cannot be recovered; they are counted in the metrics and logged. Loop thread only. */
#ifndef SRV_SCENES_LOST_WRITES_H
#define SRV_SCENES_LOST_WRITES_H

#include "state/server.h"

/* Records that the store has the scene at this revision now. */
void srv_lost_writes_note_stored(srv_stored_scene *kept, uint64_t revision);
/* Records that this revision is in memory, written by the write with this stamp. */
void srv_lost_writes_note_loaded(srv_stored_scene *kept, uint64_t revision, uint64_t stamp);
/* Compares the loaded records with the revision that is, or was last, in memory: its write is lost
 * if the store has another write with its revision number. */
void srv_lost_writes_check_load(srv_server *server, srv_entry *entry, const srv_store_load *load);
/* Records that the store has deleted a scene at this revision. */
void srv_lost_writes_note_deleted(srv_server *server, uint64_t revision);
/* Checks the store's answer to a query or write that was sent at queried_ns. revision: that of the
 * scene, 0 if absent; last: greatest revision of deleted scenes. entry may be NULL. */
void srv_lost_writes_check_answer(srv_server *server, srv_entry *entry, uint64_t revision,
                                  uint64_t last, uint64_t queried_ns);

#endif
