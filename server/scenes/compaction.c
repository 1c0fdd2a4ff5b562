/* Many changes of a scene become one base again, in the background: loading would take longer and longer, and the store would grow
 * without end. The base is made of a revision that nobody changes any more, while the scene is read and written on. */
#include "scenes/durable_write.h"
#include "scenes/scene_cache.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>

/* Changes weigh more than this, and than so many times their base: then they are folded. */
#define FOLD_BYTES 1048576u
#define FOLD_BASES 2u
/* So many are folded however little they weigh. */
#define FOLD_CHANGES 4096u

typedef struct folding {
  srv_job job; /* first: the pool's view */
  srv_server *server;
  srv_entry *entry; /* held */
  const ct_scene *scene;
  uint64_t stamp; /* of its revision */
  api_record record;
  bool taken, made;
  srv_store_write write;
} folding;

static long take(srv_job *job) {
  folding *f = (folding *)job;
  if (f->taken) return SRV_NO_PIECE;
  f->taken = true;
  return 0;
}

static void run(srv_job *job, long piece, api_scratch *scratch) {
  folding *f = (folding *)job;
  (void)piece;
  (void)scratch;
  f->made = api_record_base(f->scene, &f->record);
}

/* good: the store has the base. Else it is tried again when the changes weigh twice as much. */
static void end(folding *f, bool good) {
  srv_server *server = f->server;
  srv_stored_scene *kept = f->entry->kept;
  if (kept) {
    kept->folding = false;
    kept->fold_bytes = good ? 0 : 2 * kept->change_bytes;
    if (good) {
      kept->base_bytes = f->record.length;
      kept->change_bytes -= kept->folded_bytes;
      kept->changes -= kept->folded_changes;
    }
  }
  if (f->made) api_record_free(&f->record);
  srv_free_scene_later(server, f->scene);
  srv_registry_release(server->registry, f->entry);
  free(f);
  server->errands--;
}

static void stored(srv_store_write *write) {
  folding *f = write->cls;
  srv_metrics_stored(f->server, write);
  /* Nobody waits for it who could be told. */
  if (write->status == SRV_STORE_DAMAGED) srv_log_event(f->server->log, "storageDamaged", write->why);
  end(f, write->status == SRV_STORE_OK);
}

static void done(srv_job *job, long piece) {
  folding *f = (folding *)job;
  (void)piece;
  srv_pool_withdraw(f->server->pool, job);
  if (!f->made || f->server->ending) {
    end(f, false);
    return;
  }
  f->write = (srv_store_write){.space = SRV_STORE_SCENES,
                               .act = SRV_STORE_COMPACT,
                               .before_stamp = f->stamp,
                               .revision = ct_scene_revision(f->scene),
                               .bodies = ct_scene_count(f->scene),
                               .bytes = f->record.bytes,
                               .length = f->record.length,
                               .done = stored,
                               .cls = f};
  /* Which shapes the scene names now is known to the store by what came after this revision. */
  snprintf(f->write.id, sizeof f->write.id, "%s", f->entry->id);
  srv_metrics_submit(f->server, &f->write);
}

static void begin(srv_server *server, srv_entry *entry) {
  srv_stored_scene *kept = entry->kept;
  folding *f = server->ending ? NULL : calloc(1, sizeof *f);
  if (!f) return;
  f->job = (srv_job){.take = take, .run = run, .done = done};
  f->server = server;
  f->entry = entry;
  f->scene = ct_scene_retain(entry->current);
  f->stamp = kept->held_stamp;
  srv_registry_retain(server->registry, entry);
  kept->folding = true;
  kept->folded_bytes = kept->change_bytes;
  kept->folded_changes = kept->changes;
  server->errands++;
  srv_pool_submit(server->pool, &f->job, &entry->lane, false);
  srv_pool_pump(server->pool);
}

static bool is_due(const srv_stored_scene *kept) {
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
  srv_server_weigh_scene(server, entry);
  if (!base && !kept->folding && is_due(kept)) begin(server, entry);
}
