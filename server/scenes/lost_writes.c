/* Detects lost writes by monotonicity: the answer to a query that is sent after an earlier answer
 * has arrived reflects at least the state of the earlier one, unless the store has lost data.
 * Queries in progress at the same time prove nothing, because they use two connections. */
#include "scenes/lost_writes.h"

#include "state/request.h"

#include <inttypes.h>
#include <stdio.h>

void srv_lost_writes_note_stored(srv_stored_scene *kept, uint64_t revision) {
  kept->known = revision;
  kept->known_ns = uv_hrtime();
}

void srv_lost_writes_note_loaded(srv_stored_scene *kept, uint64_t revision, uint64_t stamp) {
  kept->memory_revision = revision;
  kept->memory_stamp = stamp;
}

static void report_lost_writes(srv_server *server, uint64_t count, const char *detail) {
  server->metrics.lost_writes += count;
  srv_log_event(server->log, "storeLostWrites", detail);
}

void srv_lost_writes_note_deleted(srv_server *server, uint64_t revision) {
  if (revision < server->last_deleted) return;
  server->last_deleted = revision;
  server->last_deleted_ns = uv_hrtime();
}

/* Checks that the greatest revision of deleted scenes has not decreased; otherwise a deletion was
 * lost, and the scene may exist again. */
static void check_last_deleted(srv_server *server, uint64_t last, uint64_t queried_ns) {
  char text[160];
  if (last < server->last_deleted && server->last_deleted_ns < queried_ns) {
    snprintf(text, sizeof text,
             "a scene that was deleted at revision %" PRIu64
             " may exist again: the last deletion in the store is at %" PRIu64,
             server->last_deleted, last);
    server->last_deleted = 0;
    report_lost_writes(server, 1, text);
  }
  srv_lost_writes_note_deleted(server, last);
}

/* After a loss, revision numbers are assigned a second time; therefore the revisions and queries
 * retained for cursors are released. */
void srv_lost_writes_check_answer(srv_server *server, srv_entry *entry, uint64_t revision,
                                  uint64_t last, uint64_t queried_ns) {
  srv_stored_scene *kept = entry ? entry->kept : NULL;
  char text[CT_ID_LENGTH_MAX + 160];
  if (!server->store->shared) return;
  check_last_deleted(server, last, queried_ns);
  if (!kept || revision >= kept->known || kept->known_ns >= queried_ns) return;
  if (revision == 0 && last >= kept->known) return;
  if (revision > 0)
    snprintf(text, sizeof text,
             "%s: revision %" PRIu64 " was acknowledged, but the store has %" PRIu64, entry->id,
             kept->known, revision);
  else
    snprintf(text, sizeof text,
             "%s: revision %" PRIu64 " was acknowledged, but the store has no such scene",
             entry->id, kept->known);
  report_lost_writes(server, revision > 0 ? kept->known - revision : 1, text);
  srv_registry_unpin(server->registry, entry);
  srv_lost_writes_note_stored(kept, revision);
}

/* True if the records cover the revision in memory but contain another write with its number, or
 * none. Revisions before the first base cannot be checked. */
static bool is_overwritten(const srv_stored_scene *kept, const srv_store_load *load) {
  if (kept->memory_revision < load->records[0].revision ||
      kept->memory_revision > load->records[load->count - 1].revision)
    return false;
  for (size_t i = 0; i < load->count; i++)
    if (load->records[i].revision == kept->memory_revision)
      return load->records[i].stamp != kept->memory_stamp;
  return true;
}

/* The number of lost writes is unknown, since the old records no longer exist; one is counted. If
 * the store has fewer revisions than it had, srv_lost_writes_check_answer has counted them
 * already. */
void srv_lost_writes_check_load(srv_server *server, srv_entry *entry, const srv_store_load *load) {
  srv_stored_scene *kept = entry->kept;
  char text[CT_ID_LENGTH_MAX + 160];
  const srv_store_record *last = &load->records[load->count - 1];
  if (server->store->shared && kept->memory_revision && is_overwritten(kept, load)) {
    snprintf(text, sizeof text,
             "%s: revision %" PRIu64
             " was acknowledged, but the store has another write of that number",
             entry->id, kept->memory_revision);
    report_lost_writes(server, 1, text);
    srv_registry_unpin(server->registry, entry);
  }
  srv_lost_writes_note_loaded(kept, last->revision, last->stamp);
}
