/* A store in its own folder, with a loop, and calls that wait for their results. The bytes of a
 * record follow from its id, revision and length, so that a test can verify them. */
#ifndef TESTS_STORE_RIG_H
#define TESTS_STORE_RIG_H

#include "server/store/store.h"

#include "tests/support/check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct rig {
  uv_loop_t loop;
  srv_store *store; /* NULL: closed */
  char folder[80];
  char url[80]; /* of a store in Redis; "": the store is in the folder */
  int waiting;  /* unfinished calls */
} rig;

/* Sets the rig's url to an empty database. NULL: stores are in folders. */
static void (*rig_place)(rig *r);

static inline void rig_forget_folder(const char *folder) {
  DIR *all = opendir(folder);
  for (struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all)) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (all) closedir(all);
  rmdir(folder);
}

/* False: the store was refused and has printed the reason. */
static inline bool rig_open(rig *r) {
  const srv_store_redis_options from = {
      .url = r->url, .url_given = "--store", .password_file_given = "--store-password-file"};
  r->store = r->url[0] ? srv_store_redis_open(&r->loop, &from)
                       : srv_store_sqlite_open(&r->loop, r->folder);
  return r->store != NULL;
}

static inline void rig_closed(void *cls) { ((rig *)cls)->waiting--; }

static inline void rig_wait(rig *r) {
  while (r->waiting) uv_run(&r->loop, UV_RUN_ONCE);
}

static inline void rig_close(rig *r) {
  if (!r->store) return;
  r->waiting++;
  srv_store_close(r->store, rig_closed, r);
  r->store = NULL;
  rig_wait(r);
}

static inline void rig_begin(rig *r) {
  *r = (rig){0};
  /* In a memory file system where there is one: the test is not about the disk. */
  snprintf(r->folder, sizeof r->folder, "%s/store-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(r->folder)) abort();
  if (uv_loop_init(&r->loop) != 0) abort();
  if (rig_place) rig_place(r);
}

static inline void rig_end(rig *r) {
  rig_close(r);
  uv_run(&r->loop, UV_RUN_DEFAULT);
  CHECK_INT(uv_loop_close(&r->loop), 0);
  rig_forget_folder(r->folder);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static inline void rig_written(srv_store_write *write) { ((rig *)write->cls)->waiting--; }

static inline void rig_submit(rig *r, srv_store_write *write) {
  write->done = rig_written;
  write->cls = r;
  r->waiting++;
  srv_store_submit(r->store, write);
}

static inline srv_store_status rig_write(rig *r, srv_store_write *write) {
  rig_submit(r, write);
  rig_wait(r);
  return write->status;
}

static inline void rig_loaded(srv_store_load *load) { ((rig *)load->cls)->waiting--; }

static inline srv_store_status rig_load(rig *r, srv_store_space space, const char *id,
                                        srv_store_load *load) {
  *load = (srv_store_load){.space = space, .done = rig_loaded, .cls = r};
  snprintf(load->id, sizeof load->id, "%s", id);
  r->waiting++;
  srv_store_fetch(r->store, load);
  rig_wait(r);
  return load->status;
}

static inline void rig_looked(srv_store_lookup *look) { ((rig *)look->cls)->waiting--; }

static inline srv_store_status rig_look(rig *r, srv_store_space space, const char *id,
                                        srv_store_lookup *look) {
  *look = (srv_store_lookup){.space = space, .done = rig_looked, .cls = r};
  snprintf(look->id, sizeof look->id, "%s", id);
  r->waiting++;
  srv_store_find(r->store, look);
  rig_wait(r);
  return look->status;
}

/* The key's revision by a lookup; 0: unknown. */
static inline uint64_t rig_revision(rig *r, srv_store_space space, const char *id) {
  srv_store_lookup look;
  if (rig_look(r, space, id, &look) != SRV_STORE_OK) return UINT64_MAX;
  uint64_t revision = look.count == 1 ? look.entries[0].revision : UINT64_MAX;
  free(look.entries);
  return revision;
}

/* ---- records -------------------------------------------------------------------------------- */

/* The bytes of a record: `length` letters that follow from id and revision. The caller frees them.
 */
static inline char *record_bytes(const char *id, uint64_t revision, size_t length) {
  check_random random = {revision * 1000003u + length};
  for (const char *at = id; *at; at++) random.state = random.state * 31u + (unsigned char)*at;
  char *bytes = malloc(length + 8);
  for (size_t i = 0; bytes && i < length; i += 8) {
    uint64_t word = check_next(&random);
    memcpy(bytes + i, &word, 8);
  }
  return bytes;
}

/* A write of such a record; the caller frees its bytes. */
static inline srv_store_write write_of(srv_store_operation act, const char *id, uint64_t before,
                                       uint64_t revision, size_t length) {
  srv_store_write write = {.act = act, .before = before, .revision = revision, .length = length};
  snprintf(write.id, sizeof write.id, "%s", id);
  write.bytes = act == SRV_STORE_REMOVE ? NULL : record_bytes(id, revision, length);
  if (act == SRV_STORE_REMOVE) write.length = 0;
  return write;
}

static inline srv_store_status rig_put(rig *r, srv_store_operation act, const char *id,
                                       const uint64_t revisions[2], size_t length) {
  srv_store_write write = write_of(act, id, revisions[0], revisions[1], length);
  srv_store_status status = rig_write(r, &write);
  free((char *)(uintptr_t)write.bytes);
  return status;
}

/* True if the record has the bytes of its id and revision. */
static inline bool record_is(const srv_store_record *record, const char *id, uint64_t revision,
                             size_t length) {
  char *bytes = record_bytes(id, revision, length);
  bool same = record->revision == revision && record->length == length &&
              memcmp(record->bytes, bytes, length) == 0;
  free(bytes);
  return same;
}

#endif
