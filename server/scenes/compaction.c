/* Compaction: replaces a scene's base and changes in the store with a new base, in the background.
 *
 * Without it, loading time and the store's size would grow with every write. A worker serialises
 * the current revision, which is immutable, while the scene is read and written. */
#include "scenes/durable_write.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>

/* A compaction is due if a scene's changes exceed FOLD_BYTES and also FOLD_BASES times the size of
 * their base. */
#define FOLD_BYTES 1048576u
#define FOLD_BASES 2u
/* Number of changes from which on a compaction is due regardless of their size. */
#define FOLD_CHANGES 4096u

typedef struct compaction {
  srv_job job; /* must be first: the pool gets this address */
  srv_server *server;
  srv_entry *entry; /* retained */
  const ct_scene *scene;
  uint64_t stamp; /* stamp of the scene's revision */
  api_record record;
  bool made;
  srv_store_write write;
} compaction;

static void run_compaction(srv_job *job, long piece, api_scratch *scratch) {
  compaction *pending = (compaction *)job;
  (void)piece;
  (void)scratch;
  pending->made = api_record_base(pending->scene, &pending->record);
}

/* Ends and frees a compaction. good: the store has the new base. Otherwise the next attempt is made
 * when the changes have twice their present size. */
static void end_compaction(compaction *pending, bool good) {
  srv_server *server = pending->server;
  srv_stored_scene *kept = pending->entry->kept;
  if (kept) {
    kept->folding = false;
    kept->fold_bytes = good ? 0 : 2 * kept->change_bytes;
    if (good) {
      kept->base_bytes = pending->record.length;
      kept->change_bytes -= kept->folded_bytes;
      kept->changes -= kept->folded_changes;
    }
  }
  if (pending->made) api_record_free(&pending->record);
  srv_free_scene_later(server, pending->scene);
  srv_registry_release(server->registry, pending->entry);
  free(pending);
  server->background_jobs--;
}

static void on_base_stored(srv_store_write *write) {
  compaction *pending = write->cls;
  srv_metrics_stored(&pending->server->metrics, write);
  /* no request waits for a compaction, so damage of the store is only logged */
  if (write->status == SRV_STORE_DAMAGED)
    srv_log_event(pending->server->log, "storageDamaged", write->why);
  end_compaction(pending, write->status == SRV_STORE_OK);
}

static void on_base_made(srv_job *job, long piece) {
  compaction *pending = (compaction *)job;
  (void)piece;
  srv_pool_withdraw(pending->server->pool, job);
  if (!pending->made || pending->server->ending) {
    end_compaction(pending, false);
    return;
  }
  pending->write = (srv_store_write){.space = SRV_STORE_SCENES,
                                     .act = SRV_STORE_COMPACT,
                                     .before_stamp = pending->stamp,
                                     .revision = ct_scene_revision(pending->scene),
                                     .bodies = ct_scene_count(pending->scene),
                                     .bytes = pending->record.bytes,
                                     .length = pending->record.length,
                                     .done = on_base_stored,
                                     .cls = pending};
  /* no list of shapes is written: a later change may already have updated the store's list */
  snprintf(pending->write.id, sizeof pending->write.id, "%s", pending->entry->id);
  srv_server_submit_write(pending->server, &pending->write);
}

static void begin_compaction(srv_server *server, srv_entry *entry) {
  srv_stored_scene *kept = entry->kept;
  compaction *pending = server->ending ? NULL : calloc(1, sizeof *pending);
  if (!pending) return;
  pending->job = (srv_job){.run = run_compaction, .done = on_base_made};
  pending->server = server;
  pending->entry = entry;
  pending->scene = ct_scene_retain(entry->current);
  pending->stamp = kept->memory_stamp;
  srv_registry_retain(server->registry, entry);
  kept->folding = true;
  kept->folded_bytes = kept->change_bytes;
  kept->folded_changes = kept->changes;
  server->background_jobs++;
  srv_pool_submit(server->pool, &pending->job, &entry->lane, false);
  srv_pool_pump(server->pool);
}

static bool is_compaction_due(const srv_stored_scene *kept) {
  uint64_t most = FOLD_BASES * kept->base_bytes;
  if (most < FOLD_BYTES) most = FOLD_BYTES;
  if (kept->fold_bytes) return kept->change_bytes > kept->fold_bytes;
  return kept->change_bytes > most || kept->changes > FOLD_CHANGES;
}

void srv_compaction_note_record(srv_server *server, srv_entry *entry, bool base, uint64_t bytes) {
  srv_stored_scene *kept = entry->kept;
  if (base) {
    kept->base_bytes = bytes;
    kept->change_bytes = kept->changes = kept->folded_bytes = kept->folded_changes = 0;
  } else {
    kept->change_bytes += bytes;
    kept->changes++;
  }
  srv_registry_weigh(server->registry, entry);
  if (!base && !kept->folding && is_compaction_due(kept)) begin_compaction(server, entry);
}
