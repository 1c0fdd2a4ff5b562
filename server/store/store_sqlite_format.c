/* Format of the file: tables, migrations, and the mark of acknowledged commits. PRAGMA user_version
 * is the number of the format; application_id identifies a file of contactd. */
#include "store/store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "ctcd" */
#define APPLICATION_ID 0x63746364

/* Rows of keys and records have their own digests: readers do not verify page checksums, and a
 * damaged page affects only the rows that are damaged.
 *
 * keys: one row per key. `life` is the number of the first row of the last base that a write stored
 * (compaction keeps it); it distinguishes the key's records from those that this base replaced, and
 * from those of an earlier scene with the same id.
 * base_number is the first row of the current base, which may have been written later than records
 * that follow it.
 *
 * records: rows are numbered in the order of writing, so rows of all keys are appended, and no
 * index is updated. A record is one or more consecutive rows. `follows` is the revision before the
 * record's (0: a base), `previous` the first row of the record of that revision, and `length` the
 * length of the whole record. A key's records are found from last_number backward to the one that
 * follows base_revision. If pages are damaged, there are further tables records_N with the rows
 * from number N on (store_sqlite_volume.c).
 *
 * names: pairs of a scene and a shape to which it refers, by their numbers in keys.
 *
 * garbage: unused records, from row `start` backward to base_number, that are to be deleted.
 * Because they are deleted later, the time of a write is independent of the size of the data that
 * it replaces.
 *
 * store: one row. next_number numbers keys and records and is never reused; commits counts
 * transactions; identity identifies the store. */
static const char first_format[] = "CREATE TABLE store(id INTEGER PRIMARY KEY CHECK(id = 1), "
                                   "next_number INTEGER NOT NULL, commits INTEGER NOT NULL,"
                                   " last_revision INTEGER NOT NULL, identity INTEGER NOT NULL);"
                                   "INSERT INTO store VALUES(1, 1, 0, 0, random());"
                                   "CREATE TABLE keys(number INTEGER PRIMARY KEY, space INTEGER "
                                   "NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL,"
                                   " bodies INTEGER NOT NULL, life INTEGER NOT NULL, base_revision "
                                   "INTEGER NOT NULL, base_number INTEGER NOT NULL, last_number "
                                   "INTEGER NOT NULL,"
                                   " digest INTEGER NOT NULL);"
                                   "CREATE UNIQUE INDEX keys_by_id ON keys(space, id);"
                                   "CREATE TABLE records(" SRV_SQLITE_RECORD_COLUMNS ");"
                                   "CREATE TABLE names(shape INTEGER NOT NULL, scene INTEGER NOT "
                                   "NULL, PRIMARY KEY(shape, scene)) WITHOUT ROWID;"
                                   "CREATE INDEX names_by_scene ON names(scene);"
                                   "CREATE TABLE garbage(start INTEGER PRIMARY KEY, base_number "
                                   "INTEGER NOT NULL, base_revision INTEGER NOT NULL);";

static const char *const steps[] = {first_format};

const srv_sqlite_migrations srv_sqlite_format = {.sql = steps,
                                                 .count = sizeof steps / sizeof steps[0]};

static bool number_of(sqlite3 *db, const char *sql, int64_t *number) {
  sqlite3_stmt *statement = NULL;
  bool good = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
  if (good) *number = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return good;
}

static bool reported(char *why, const char *what, const char *reason) {
  snprintf(why, SRV_STORE_WHY, "%.55s: %.100s", what, reason);
  return false;
}

/* ---- mark ----------------------------------------------------------------------------------- */

typedef struct mark_bytes {
  srv_sqlite_mark mark;
  uint64_t digest;
} mark_bytes;

bool srv_sqlite_mark_may_stand(int file) {
  struct stat s;
  return fstat(file, &s) == 0 && (s.st_size == 0 || s.st_size == sizeof(mark_bytes));
}

bool srv_sqlite_mark_read(int file, srv_sqlite_mark *out) {
  mark_bytes bytes;
  if (pread(file, &bytes, sizeof bytes, 0) != sizeof bytes) return false;
  *out = bytes.mark;
  return bytes.digest == srv_sqlite_digest(0, &bytes.mark, sizeof bytes.mark);
}

void srv_sqlite_mark_write(int file, const srv_sqlite_mark *mark) {
  mark_bytes bytes = {.mark = *mark, .digest = srv_sqlite_digest(0, mark, sizeof *mark)};
  /* a failure is ignored: an old mark only detects less */
  ssize_t written = pwrite(file, &bytes, sizeof bytes, 0);
  (void)written;
}

/* ---- format --------------------------------------------------------------------------------- */

static bool write_all(int to, const unsigned char *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t written = write(to, bytes + at, length - at);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) at += (size_t)written;
  }
  return true;
}

/* Copies the file as it is, with damaged pages; their checksums report the damage when the copy is
 * read. Uses SQLite's own descriptor, since closing another descriptor would release SQLite's locks
 * (POSIX). False: the reason is in why. */
static bool copy_pages(sqlite3 *db, int to, char *why) {
  sqlite3_file *file = NULL;
  sqlite3_int64 size = 0;
  unsigned char page[SRV_SQLITE_PAGE_BYTES];
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK) code = file->pMethods->xFileSize(file, &size);
  for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size; at += SRV_SQLITE_PAGE_BYTES) {
    code = file->pMethods->xRead(file, page, SRV_SQLITE_PAGE_BYTES, at);
    if (code == SQLITE_CORRUPT || code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
    size_t length = size - at < SRV_SQLITE_PAGE_BYTES ? (size_t)(size - at) : SRV_SQLITE_PAGE_BYTES;
    if (code == SQLITE_OK && !write_all(to, page, length))
      return reported(why, "copy of the older format", strerror(errno));
  }
  return code == SQLITE_OK || reported(why, "copy of the older format", sqlite3_errstr(code));
}

/* Makes a durable copy of the file (file and folder entry synced) before the file is changed. The
 * folder's lock excludes other daemons; the WAL is checkpointed first. False: the reason is in
 * why. */
static bool keep_copy(sqlite3 *db, const char *path, int64_t format, char *why) {
  char copy[4096];
  int length = snprintf(copy, sizeof copy, "%s.format-%lld", path, (long long)format);
  if (length < 0 || (size_t)length >= sizeof copy)
    return reported(why, "copy of the older format", "the path is too long");
  if (sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) != SQLITE_OK)
    return reported(why, "copy of the older format", sqlite3_errmsg(db));
  /* An existing copy is from an interrupted migration, which left the file unchanged; it is
   * replaced. */
  if (unlink(copy) != 0 && errno != ENOENT)
    return reported(why, "copy of the older format", strerror(errno));
  /* access for the owner only, as for the file */
  int to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (to < 0) return reported(why, "copy of the older format", strerror(errno));
  bool good = copy_pages(db, to, why);
  if (good && fsync(to) != 0) good = reported(why, "copy of the older format", strerror(errno));
  close(to);
  if (!good) return false;
  char *end = strrchr(copy, '/');
  if (end) *end = 0;
  return srv_sqlite_sync_folder(end ? copy : ".", why);
}

static bool run_migration_steps(sqlite3 *db, const srv_sqlite_migrations *table, int format) {
  char pragmas[96];
  snprintf(pragmas, sizeof pragmas, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
           APPLICATION_ID, table->count);
  bool good = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
  for (int i = format; good && i < table->count; i++)
    good = sqlite3_exec(db, table->sql[i], NULL, NULL, NULL) == SQLITE_OK;
  return good && sqlite3_exec(db, pragmas, NULL, NULL, NULL) == SQLITE_OK &&
         sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

bool srv_sqlite_migrate(sqlite3 *db, const char *path, const srv_sqlite_migrations *table,
                        bool may_be_new, char why[SRV_STORE_WHY]) {
  int64_t application = 0, format = 0, tables = 0;
  if (!number_of(db, "PRAGMA application_id", &application) ||
      !number_of(db, "PRAGMA user_version", &format) ||
      !number_of(db, "SELECT count(*) FROM sqlite_schema", &tables))
    return reported(why, SRV_SQLITE_FILE, sqlite3_errmsg(db));
  bool empty = application == 0 && format == 0 && tables == 0;
  if (!empty && (application != APPLICATION_ID || format < 1))
    return reported(why, SRV_SQLITE_FILE, "it was not created by contactd");
  if (format > table->count) {
    snprintf(why, SRV_STORE_WHY,
             SRV_SQLITE_FILE ": its format, %lld, is newer than %d, the newest supported format",
             (long long)format, table->count);
    return false;
  }
  if (format == table->count) return true;
  if (empty && !may_be_new)
    return reported(why, SRV_SQLITE_FILE,
                    "it is empty and lacks acknowledged writes; without " SRV_SQLITE_LOCK
                    " it is taken as new");
  if (!empty && !keep_copy(db, path, format, why)) return false;
  if (run_migration_steps(db, table, (int)format)) return true;
  reported(why, SRV_SQLITE_FILE, sqlite3_errmsg(db));
  sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
  return false;
}
