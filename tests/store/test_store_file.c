/* The file of the store: ownership, format, kill -9, and files that are deleted while in use. */
#include "server/store/store_sqlite.h"
#include "tests/support/store_files.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- ownership ------------------------------------------------------------------------------- */

static void a_second_store_of_the_folder_is_refused(void) {
  rig r, other;
  rig_begin(&r);
  CHECK(rig_open(&r));
  rig_begin(&other);
  char own[sizeof other.folder];
  memcpy(own, other.folder, sizeof own);
  memcpy(other.folder, r.folder, sizeof own);
  CHECK_REFUSED(&other, "another contactd");
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 10), SRV_STORE_OK);
  rig_close(&r);
  CHECK_TEXT(refusal(&other), "");
  CHECK_REFUSED(&r, "another contactd");
  CHECK_INT(rig_revision(&other, SRV_STORE_SCENES, "a"), 1);
  rig_close(&other);
  memcpy(other.folder, own, sizeof own);
  rig_end(&other);
  rig_end(&r);
}

static void folders_that_cannot_hold_a_store_are_refused(void) {
  rig r;
  rig_begin(&r);
  char own[sizeof r.folder];
  memcpy(own, r.folder, sizeof own);
  snprintf(r.folder, sizeof r.folder, "%.60s/none", own);
  CHECK_REFUSED(&r, "/none: the folder cannot be opened: No such file or directory");
  snprintf(r.folder, sizeof r.folder, "/dev/null");
  CHECK_REFUSED(&r, "Not a directory");
  /* Nobody can write there, not even root. */
  snprintf(r.folder, sizeof r.folder, "/proc/self");
  CHECK(refusal(&r)[0] != 0);
  memcpy(r.folder, own, sizeof own);
  char path[200];
  path_of(&r, "contactd.db", path);
  CHECK_INT(mkdir(path, 0700), 0);
  CHECK(refusal(&r)[0] != 0);
  CHECK_INT(rmdir(path), 0);
  rig_end(&r);
}

static void foreign_files_are_refused_and_not_changed(void) {
  rig r;
  rig_begin(&r);
  char path[200], *lines = "These are notes. They are no database, and longer than the header of "
                           "one would have to be, which is a hundred bytes.\n";
  path_of(&r, "contactd.db", path);
  put_file(&r, "contactd.db", lines, strlen(lines));
  CHECK_REFUSED(&r, "not a store of contactd");
  size_t size = 0;
  unsigned char *bytes = get_file(&r, "contactd.db", &size);
  CHECK(size == strlen(lines) && memcmp(bytes, lines, size) == 0);
  free(bytes);
  unlink(path);
  sqlite3 *db = NULL;
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  CHECK_INT(sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(7)", NULL, NULL, NULL),
            SQLITE_OK);
  sqlite3_close(db);
  CHECK_REFUSED(&r, "not a store of contactd");
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  CHECK_INT(sqlite3_exec(db, "INSERT INTO t VALUES(8); PRAGMA application_id=77", NULL, NULL, NULL),
            SQLITE_OK);
  sqlite3_close(db);
  CHECK_REFUSED(&r, "not a store of contactd");
  rig_end(&r);
}

/* Links lead to files of other owners, and opening a pipe blocks: the store opens, creates and
 * writes nothing. */
static void links_and_pipes_are_refused_and_nothing_is_created(void) {
  static const char *const names[] = {"contactd.lock", "contactd.db", "contactd.db-wal",
                                      "contactd.db-shm", "contactd.db-journal"};
  rig r;
  rig_begin(&r);
  char path[200], other[200];
  path_of(&r, "other", other);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct stat s;
    path_of(&r, names[i], path);
    CHECK_INT(symlink(other, path), 0);
    CHECK_REFUSED(&r, "a symbolic link");
    CHECK_REFUSED(&r, names[i]);
    CHECK(stat(other, &s) != 0);
    put_file(&r, "other", "a text", 6);
    CHECK_REFUSED(&r, "a symbolic link");
    CHECK(stat(other, &s) == 0 && s.st_size == 6);
    unlink(other);
    unlink(path);
    CHECK_INT(mkfifo(path, 0600), 0);
    CHECK_REFUSED(&r, "not a regular file");
    unlink(path);
    /* No lock file is created beside it either. */
    path_of(&r, "contactd.lock", path);
    CHECK(stat(path, &s) != 0);
  }
  rig_end(&r);
}

static void a_foreign_lock_file_is_not_changed(void) {
  static const char text[] = "4711\n";
  rig r;
  rig_begin(&r);
  put_file(&r, "contactd.lock", text, sizeof text - 1);
  CHECK_REFUSED(&r, "contactd.lock: a file that contactd has not created");
  size_t size = 0;
  unsigned char *bytes = get_file(&r, "contactd.lock", &size);
  CHECK(size == sizeof text - 1 && memcmp(bytes, text, size) == 0);
  free(bytes);
  rig_end(&r);
}

/* ---- format --------------------------------------------------------------------------------- */

static sqlite3 *open_file(const rig *r, const char *name) {
  char path[200];
  sqlite3 *db = NULL;
  path_of(r, name, path);
  CHECK_INT(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, srv_sqlite_vfs()), SQLITE_OK);
  return db;
}

static int64_t number_of(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
  int64_t number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
  sqlite3_finalize(statement);
  return number;
}

static void a_newer_format_is_refused_and_not_changed(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 10), SRV_STORE_OK);
  rig_close(&r);
  sqlite3 *db = open_file(&r, "contactd.db");
  CHECK_INT(sqlite3_exec(db, "PRAGMA user_version=7", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  CHECK_REFUSED(&r, "format 7");
  db = open_file(&r, "contactd.db");
  CHECK_INT(number_of(db, "PRAGMA user_version"), 7);
  CHECK_INT(number_of(db, "SELECT count(*) FROM keys"), 1);
  sqlite3_close(db);
  rig_end(&r);
}

/* Replaces fsync of the C library for the whole program: records whether a folder with the copy is
 * synced while the file's log is empty. */
static struct {
  char copy[200], log[200];
  bool synced;
} watched;

int fsync(int file) {
  struct stat s, log;
  bool folder = fstat(file, &s) == 0 && S_ISDIR(s.st_mode);
  if (folder && watched.copy[0] && stat(watched.copy, &s) == 0 && s.st_size > 0)
    watched.synced |= stat(watched.log, &log) != 0 || log.st_size == 0;
  return (int)syscall(SYS_fsync, file);
}

/* A migration to the next format that succeeds or fails halfway. */
static void an_older_format_is_migrated_completely_or_not_at_all(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 10000), SRV_STORE_OK);
  rig_close(&r);
  const char *sql[] = {
      srv_sqlite_format.sql[0],
      "CREATE TABLE further(a); UPDATE store SET commits = 1000; CREATE TABLE further(a);"};
  const srv_sqlite_migrations next = {.sql = sql, .count = 2};
  char path[200], why[SRV_STORE_WHY];
  path_of(&r, "contactd.db", path);
  path_of(&r, "contactd.db.format-1", watched.copy);
  path_of(&r, "contactd.db-wal", watched.log);
  CHECK_INT(srv_sqlite_format.count, 1);
  for (int sound = 0; sound < 2; sound++) {
    if (sound) sql[1] = "CREATE TABLE further(a); UPDATE store SET commits = 1000;";
    sqlite3 *db = open_file(&r, "contactd.db");
    watched.synced = false;
    CHECK_INT(srv_sqlite_migrate(db, path, &next, false, why), sound);
    CHECK(watched.synced);
    CHECK_INT(number_of(db, "PRAGMA user_version"), 1 + sound);
    CHECK_INT(number_of(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'further'"), sound);
    CHECK_INT(number_of(db, "SELECT commits FROM store"), sound ? 1000 : 1);
    CHECK_INT(number_of(db, "SELECT count(*) FROM keys"), 1);
    sqlite3_close(db);
    /* The copy equals the file before the migration. */
    db = open_file(&r, "contactd.db.format-1");
    CHECK_INT(number_of(db, "PRAGMA user_version"), 1);
    CHECK_INT(number_of(db, "SELECT commits FROM store"), 1);
    CHECK_INT(number_of(db, "SELECT length(bytes) FROM records"), 10000);
    sqlite3_close(db);
  }
  CHECK_REFUSED(&r, "format 2");
  /* The copy, renamed to the file's name, is a valid store. */
  char copy[200];
  path_of(&r, "contactd.db.format-1", copy);
  CHECK_INT(rename(copy, path), 0);
  CHECK_TEXT(refusal(&r), "");
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "a"), 1);
  rig_end(&r);
}

/* Files as after kill -9: acknowledged writes are in the log. Then one record is damaged: the copy
 * has the damaged record and all others. */
static void an_older_format_with_a_damaged_record_is_migrated(void) {
  rig r;
  srv_store_load load;
  size_t size = 0, log_size = 0, copy_size = 0;
  const char *const sql[] = {srv_sqlite_format.sql[0], "CREATE TABLE further(a);"};
  const srv_sqlite_migrations next = {.sql = sql, .count = 2};
  char path[200], copy[200], why[SRV_STORE_WHY];
  rig_begin(&r);
  path_of(&r, "contactd.db", path);
  path_of(&r, "contactd.db.format-1", copy);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 20000), SRV_STORE_OK);
  rig_close(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "b", 0, 2, 20000), SRV_STORE_OK);
  unsigned char *bytes = get_file(&r, "contactd.db", &size),
                *log = get_file(&r, "contactd.db-wal", &log_size);
  rig_close(&r);
  char *record = record_bytes("a", 1, 20000);
  unsigned char *at = memmem(bytes, size, record + 10000, 64);
  CHECK(at != NULL && log != NULL && log_size > 20000);
  if (at) *at ^= 1;
  put_file(&r, "contactd.db", bytes, size);
  put_file(&r, "contactd.db-wal", log, log_size);
  sqlite3 *db = open_file(&r, "contactd.db");
  CHECK(srv_sqlite_migrate(db, path, &next, false, why));
  CHECK_INT(number_of(db, "PRAGMA user_version"), 2);
  CHECK_INT(number_of(db, "SELECT count(*) FROM keys"), 2);
  sqlite3_close(db);
  unsigned char *copied = get_file(&r, "contactd.db.format-1", &copy_size);
  CHECK(copied && memmem(copied, copy_size, at ? at : bytes, 64));
  CHECK_INT(rename(copy, path), 0);
  CHECK(rig_open(&r));
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_DAMAGED);
  srv_store_load_free(&load);
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "b", &load), SRV_STORE_OK);
  CHECK_INT(load.count, 1);
  srv_store_load_free(&load);
  rig_end(&r);
  free(bytes);
  free(log);
  free(record);
  free(copied);
}

/* ---- kill -9 -------------------------------------------------------------------------------- */

#define KEYS 3

static size_t length_of(uint64_t revision) { return (size_t)(revision * 131 % 900); }

static const char *key_id(int key) {
  static const char *const ids[KEYS] = {"a", "b", "c"};
  return ids[key];
}

static struct {
  int tell_to; /* pipe to the parent */
  rig *r;
} child;

static void write_next(srv_store_write *write, int key, uint64_t before);

static void tell_and_go_on(srv_store_write *done) {
  int key = done->id[0] - 'a';
  uint64_t message[2] = {(uint64_t)key, done->revision};
  if (done->status != SRV_STORE_OK ||
      write(child.tell_to, message, sizeof message) != sizeof message)
    _exit(1);
  free((char *)(uintptr_t)done->bytes);
  write_next(done, key, done->revision);
}

static void write_next(srv_store_write *write, int key, uint64_t before) {
  *write = write_of(before ? SRV_STORE_CHANGE : SRV_STORE_BASE, key_id(key), before, before + 1,
                    length_of(before + 1));
  write->done = tell_and_go_on;
  srv_store_submit(child.r->store, write);
}

/* Writes to all keys and reports each acknowledgement, until the process is killed. */
static void write_for_ever(rig *r, const uint64_t from[KEYS], int tell_to) {
  static srv_store_write writes[KEYS];
  child.r = r;
  child.tell_to = tell_to;
  if (uv_loop_init(&r->loop) != 0 || !rig_open(r)) _exit(1);
  for (int key = 0; key < KEYS; key++) write_next(&writes[key], key, from[key]);
  for (;;) uv_run(&r->loop, UV_RUN_ONCE);
}

/* Lets a child process write for some milliseconds, kills it, and collects its acknowledgements. */
static void write_and_kill(rig *r, uint64_t acknowledged[KEYS], unsigned ms) {
  int ends[2];
  CHECK_INT(pipe(ends), 0);
  fflush(NULL);
  pid_t writer = fork();
  if (writer == 0) write_for_ever(r, acknowledged, ends[1]);
  close(ends[1]);
  uint64_t message[2];
  /* The time counts from the first acknowledgement. */
  bool any = read(ends[0], message, sizeof message) == sizeof message;
  CHECK(any);
  if (any) acknowledged[message[0]] = message[1];
  usleep(ms * 1000);
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  while (read(ends[0], message, sizeof message) == sizeof message)
    acknowledged[message[0]] = message[1];
  close(ends[0]);
}

static void after_kill_9_acknowledged_writes_are_there_and_the_lock_is_free(void) {
  rig r;
  check_random random = {9};
  uint64_t acknowledged[KEYS] = {0};
  rig_begin(&r);
  int rounds = getenv("CONTACTD_FULL") ? 300 : 12;
  for (int round = 0; round < rounds && !check_failures; round++) {
    write_and_kill(&r, acknowledged, (unsigned)(check_next(&random) % 40));
    CHECK_TEXT(refusal(&r), "");
    for (int key = 0; r.store && key < KEYS; key++) {
      srv_store_load load;
      srv_store_status status = rig_load(&r, SRV_STORE_SCENES, key_id(key), &load);
      CHECK_INT(status, load.count ? SRV_STORE_OK : SRV_STORE_UNKNOWN);
      /* One more may have been written but not acknowledged. */
      CHECK(load.count == acknowledged[key] || load.count == acknowledged[key] + 1);
      for (size_t i = 0; i < load.count; i++)
        CHECK(record_is(&load.records[i], key_id(key), i + 1, length_of(i + 1)));
      acknowledged[key] = load.count;
      srv_store_load_free(&load);
    }
    rig_close(&r);
  }
  rig_end(&r);
}

/* ---- permissions ----------------------------------------------------------------------------- */

static void files_are_accessible_to_their_owner_only(void) {
  static const char *const names[] = {"contactd.db", "contactd.db-wal", "contactd.db-shm",
                                      "contactd.lock"};
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 100), SRV_STORE_OK);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct stat s = {0};
    char path[200];
    path_of(&r, names[i], path);
    CHECK_INT(stat(path, &s), 0);
    CHECK_INT(s.st_mode & 0777, 0600);
  }
  rig_end(&r);
}

/* Data in a deleted file is lost, and a deleted lock file excludes nobody: such writes must not be
 * acknowledged. */
static void no_write_to_a_deleted_file_is_acknowledged(void) {
  static const char *const names[] = {"contactd.db", "contactd.db-wal", "contactd.lock"};
  for (size_t i = 0; i < 2 * sizeof names / sizeof names[0]; i++) {
    const char *name = names[i / 2];
    srv_store_status health = SRV_STORE_OK;
    char why[SRV_STORE_WHY] = "", path[200];
    rig r;
    rig_begin(&r);
    CHECK(rig_open(&r));
    CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 100), SRV_STORE_OK);
    path_of(&r, name, path);
    CHECK_INT(unlink(path), 0);
    if (i % 2) put_file(&r, name, "another", 7);
    for (int again = 0; again < 2; again++)
      CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 1, 2, 100), SRV_STORE_FAILED);
    CHECK(!srv_store_healthy(r.store, &health, why));
    CHECK_INT(health, SRV_STORE_FAILED);
    CHECK(strncmp(why, name, strlen(name)) == 0 && strstr(why, " was removed or replaced") != NULL);
    rig_end(&r);
  }
}

static void a_lost_file_is_reported_in_a_complete_sentence(void) {
  rig r;
  char path[200];
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 100), SRV_STORE_OK);
  rig_close(&r);
  path_of(&r, "contactd.db", path);
  CHECK_INT(unlink(path), 0);
  CHECK_REFUSED(
      &r, "it is empty and lacks acknowledged writes; without contactd.lock it is taken as new.\n");
  rig_end(&r);
}

/* ---- the log's length ----------------------------------------------------------------------- */

#define LOG_MOST_BYTES (17 << 20)

static off_t log_bytes(const rig *r) {
  struct stat s = {0};
  char path[200];
  path_of(r, "contactd.db-wal", path);
  CHECK_INT(stat(path, &s), 0);
  return s.st_size;
}

#define MIXED 16
#define MIXED_ROUNDS 500
#define SWEPT_MS 60000 /* limit for a hanging test; it takes some seconds */

/* The records of many scenes are interleaved, so that each deletion changes a page. */
static void write_mixed(rig *r) {
  srv_store_write writes[MIXED];
  char id[16];
  for (uint64_t round = 0; round < MIXED_ROUNDS; round++) {
    for (int i = 0; i < MIXED; i++) {
      snprintf(id, sizeof id, "m%d", i);
      writes[i] = write_of(round ? SRV_STORE_CHANGE : SRV_STORE_BASE, id, round, round + 1, 300);
      rig_submit(r, &writes[i]);
    }
    rig_wait(r);
    for (int i = 0; i < MIXED; i++) {
      CHECK_INT(writes[i].status, SRV_STORE_OK);
      free((char *)(uintptr_t)writes[i].bytes);
    }
  }
}

static void a_log_of_deletions_is_checkpointed_too(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  write_mixed(&r);
  for (int i = 0; i < MIXED; i++) {
    char id[16];
    snprintf(id, sizeof id, "m%d", i);
    CHECK_INT(PUT(&r, SRV_STORE_REMOVE, id, MIXED_ROUNDS, MIXED_ROUNDS + 1, 0), SRV_STORE_OK);
  }
  sqlite3 *db = NULL;
  char path[200];
  path_of(&r, "contactd.db", path);
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  CHECK(number_of(db, "SELECT count(*) FROM garbage") > 0);
  int64_t left = 1;
  for (int ms = 0; left > 0 && ms < SWEPT_MS && !check_failures; ms += 20) {
    usleep(20000);
    CHECK(log_bytes(&r) <= LOG_MOST_BYTES);
    left = number_of(db, "SELECT count(*) FROM garbage");
  }
  CHECK_INT(left, 0);
  CHECK_INT(number_of(db, "SELECT count(*) FROM records"), 0);
  sqlite3_close(db);
  rig_end(&r);
}

static void a_large_write_does_not_leave_the_log_large(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "large", 0, 1, 40 << 20), SRV_STORE_OK);
  CHECK(log_bytes(&r) > 40 << 20);
  /* A record that is longer than the log, with which the log restarts. */
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "larger", 0, 1, 41 << 20), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "small", 0, 1, 100), SRV_STORE_OK);
  CHECK_INT(log_bytes(&r), LOG_MOST_BYTES);
  rig_end(&r);
}

static const check_test tests[] = {
    {"a_log_of_deletions_is_checkpointed_too", a_log_of_deletions_is_checkpointed_too},
    {"a_large_write_does_not_leave_the_log_large", a_large_write_does_not_leave_the_log_large},
    {"files_are_accessible_to_their_owner_only", files_are_accessible_to_their_owner_only},
    {"no_write_to_a_deleted_file_is_acknowledged", no_write_to_a_deleted_file_is_acknowledged},
    {"a_lost_file_is_reported_in_a_complete_sentence",
     a_lost_file_is_reported_in_a_complete_sentence},
    {"a_second_store_of_the_folder_is_refused", a_second_store_of_the_folder_is_refused},
    {"folders_that_cannot_hold_a_store_are_refused", folders_that_cannot_hold_a_store_are_refused},
    {"foreign_files_are_refused_and_not_changed", foreign_files_are_refused_and_not_changed},
    {"links_and_pipes_are_refused_and_nothing_is_created",
     links_and_pipes_are_refused_and_nothing_is_created},
    {"a_foreign_lock_file_is_not_changed", a_foreign_lock_file_is_not_changed},
    {"a_newer_format_is_refused_and_not_changed", a_newer_format_is_refused_and_not_changed},
    {"an_older_format_is_migrated_completely_or_not_at_all",
     an_older_format_is_migrated_completely_or_not_at_all},
    {"an_older_format_with_a_damaged_record_is_migrated",
     an_older_format_with_a_damaged_record_is_migrated},
    {"after_kill_9_acknowledged_writes_are_there_and_the_lock_is_free",
     after_kill_9_acknowledged_writes_are_there_and_the_lock_is_free}};

CHECK_MAIN(tests)
