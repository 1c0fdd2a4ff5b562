/* Writes that a shared store has acknowledged, or told of, and does not have any more: a replica was made the primary before it had
 * all of them, or an old copy was put back. Nobody can bring them back; they are counted and said. Loop thread only. */
#ifndef SRV_SCENES_LOST_WRITES_H
#define SRV_SCENES_LOST_WRITES_H

#include "state/server.h"

/* The store has the scene at the revision now. */
void srv_lost_writes_note_stored(srv_stored_scene *kept, uint64_t revision);
/* The revision is in memory from now on, and was made by the write of this stamp. */
void srv_lost_writes_note_loaded(srv_stored_scene *kept, uint64_t revision, uint64_t stamp);
/* The records of the scene, which take the place of what is in memory, or was: that is lost if
 * another write has its number now. */
void srv_lost_writes_check_load(srv_server *server, srv_entry *entry, const srv_store_load *load);
/* The store has taken out a scene: it knows of a scene that has gone at this revision now. */
void srv_lost_writes_note_deleted(srv_server *server, uint64_t revision);
/* To a question (or a write) of asked_ns the store has answered that the scene is at the revision, 0: not there, and that the
 * greatest of those that have gone is `last`. entry may be NULL. */
void srv_lost_writes_check_answer(srv_server *server, srv_entry *entry, uint64_t revision, uint64_t last, uint64_t asked_ns);

#endif
