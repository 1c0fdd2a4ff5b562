/* Opens and closes the file of the store and its lock. Each fault of opening has its own sentence.
 * The log is SQLite's write-ahead log (WAL). */
#include "store/store_sqlite.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Space that the WAL reserves on the disk, so that scenes can be deleted when the disk is full. A
 * deletion writes about 10 pages; an idle writer checkpoints the WAL after 256 pages, which
 * restarts it (store_sqlite.c). */
#define LOG_RESERVE_BYTES (320 * LOG_PAGE_BYTES)

/* Size of a page in the WAL with its frame header. */
#define LOG_PAGE_BYTES (SRV_SQLITE_PAGE_BYTES + 24)

/* Size to which a longer WAL is truncated when it restarts (17 MiB): the pages that trigger a
 * checkpoint, plus those of a typical transaction that reaches this number, so that the WAL need
 * not be extended again in each cycle. */
#define LOG_KEPT_BYTES 17825792
static_assert(LOG_KEPT_BYTES > (SRV_SQLITE_LOG_PAGES + 128) * LOG_PAGE_BYTES,
              "the WAL is truncated and extended in each cycle");

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* Longest wait for another program that has locked the file, ms. A write that arrives during such a
 * wait is still answered within the default time limit of a request, 5 s. */
#define BUSY_MS 2000

/* Settings of the writing connection. synchronous=FULL: the WAL is synced before a commit returns.
 * Checkpoints are run by the writer, not within a commit. Deleted content is not overwritten. */
static const char writer_settings[] =
    "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "PRAGMA wal_autocheckpoint=0; PRAGMA secure_delete=OFF; PRAGMA cache_size=-16384;"
    "PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF;"
    "PRAGMA journal_size_limit=" TEXT(LOG_KEPT_BYTES) ";";
static const char reader_settings[] =
    "PRAGMA query_only=ON; PRAGMA cache_size=-4096; PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF;";

/* Checks all tables except those of records, page by page, when the store is opened. A store with
 * damaged records is opened; the damage of a key is reported when the key is loaded. */
static const char proof[] = "SELECT * FROM pragma_integrity_check('store') UNION ALL SELECT * FROM "
                            "pragma_integrity_check('keys')"
                            " UNION ALL SELECT * FROM pragma_integrity_check('names')"
                            " UNION ALL SELECT * FROM pragma_integrity_check('garbage')";

static bool write_reason(char *why, const char *what, const char *reason) {
  snprintf(why, SRV_STORE_WHY, "%.55s: %.100s", what, reason);
  return false;
}

/* True if the store's files, as far as they exist, are regular files: a pipe would block the
 * opening, and a link may lead to another user's file. Called before any file is opened or created.
 * False: the reason is in why. */
static bool are_files(const char *folder, char *why) {
  static const char *const names[] = {SRV_SQLITE_LOCK, SRV_SQLITE_FILE, SRV_SQLITE_FILE "-wal",
                                      SRV_SQLITE_FILE "-shm", SRV_SQLITE_FILE "-journal"};
  int descriptor = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return write_reason(why, "the folder cannot be opened", strerror(errno));
  bool good = true;
  for (size_t i = 0; good && i < sizeof names / sizeof names[0]; i++) {
    struct stat s;
    if (fstatat(descriptor, names[i], &s, AT_SYMLINK_NOFOLLOW) != 0)
      good = errno == ENOENT || write_reason(why, names[i], strerror(errno));
    else if (S_ISLNK(s.st_mode))
      good = write_reason(why, names[i], "a symbolic link, which is not followed");
    else if (!S_ISREG(s.st_mode)) good = write_reason(why, names[i], "not a regular file");
  }
  close(descriptor);
  return good;
}

/* Acquires the lock, which the kernel releases whenever the process ends. False: the reason is in
 * why. */
static bool acquire_lock(srv_sqlite_file *file, const char *folder, char *why) {
  char path[PATH_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s/" SRV_SQLITE_LOCK, folder) >= sizeof path)
    return write_reason(why, "--data", "the path is too long");
  file->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file->lock < 0) return write_reason(why, SRV_SQLITE_LOCK, strerror(errno));
  if (!srv_sqlite_mark_may_stand(file->lock))
    return write_reason(why, SRV_SQLITE_LOCK, "a file that contactd has not created");
  if (flock(file->lock, LOCK_EX | LOCK_NB) == 0) return true;
  return write_reason(why, SRV_SQLITE_LOCK,
                      errno == EWOULDBLOCK ? "another contactd has it" : strerror(errno));
}

bool srv_sqlite_sync_folder(const char *folder, char why[SRV_STORE_WHY]) {
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = descriptor >= 0 && fsync(descriptor) == 0;
  if (!good) write_reason(why, folder, strerror(errno));
  if (descriptor >= 0) close(descriptor);
  return good;
}

/* Creates the file with access for its owner only; SQLite gives the WAL and its index the same
 * mode. Errors are ignored here, since SQLite reports them when it opens the file. */
static void make_private(const char *path) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
}

static sqlite3 *open_database(const char *path, const char *vfs, const char *settings, char *why) {
  sqlite3 *db = NULL;
  int reserved = SRV_SQLITE_DIGEST_BYTES;
  int code = sqlite3_open_v2(path, &db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, vfs);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, BUSY_MS);
  if (code == SQLITE_OK) code = sqlite3_extended_result_codes(db, 1);
  /* This applies to a new file; an existing one has its reserved bytes in its header. */
  if (code == SQLITE_OK)
    code = sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  if (code == SQLITE_OK) code = sqlite3_exec(db, settings, NULL, NULL, NULL);
  if (code == SQLITE_OK) return db;
  write_reason(why, SRV_SQLITE_FILE, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
  sqlite3_close(db);
  return NULL;
}

/* Writes the first finding of SQLite to why, without the line that names the database. Returns
 * false. */
static bool write_check_finding(char *why, const char *text) {
  const char *first = strncmp(text, "***", 3) == 0 ? strchr(text, '\n') : NULL;
  char finding[SRV_STORE_WHY];
  snprintf(finding, sizeof finding, "%s", first ? first + 1 : text);
  finding[strcspn(finding, "\n")] = 0;
  return write_reason(why, SRV_SQLITE_FILE " is damaged", finding);
}

static bool is_integrity_proven(sqlite3 *db, char *why) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db, proof, -1, &statement, NULL);
  bool good = code == SQLITE_OK;
  while (good && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    good = text && strcmp(text, "ok") == 0;
    if (!good) write_check_finding(why, text ? text : "out of memory");
  }
  if (good && code != SQLITE_DONE)
    good = write_reason(why, SRV_SQLITE_FILE " is damaged", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return good;
}

bool srv_sqlite_free_is_damaged(sqlite3 *db) {
  sqlite3_stmt *statement = NULL;
  bool damaged = false;
  /* The check of the table with root page 1 includes the list of free pages; SQLite's text names
   * the faulty structure. */
  int code = sqlite3_prepare_v2(db, "SELECT * FROM pragma_integrity_check('sqlite_schema')", -1,
                                &statement, NULL);
  while (code == SQLITE_OK && !damaged && sqlite3_step(statement) == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    damaged = text && sqlite3_strlike("%freelist: %", text, 0) == 0;
  }
  sqlite3_finalize(statement);
  /* Free the page cache: these pages are not needed soon. */
  sqlite3_db_release_memory(db);
  return damaged;
}

/* Opens the file again without its damaged list of free pages, since writes that take a page from
 * the list would fail. Precondition: the WAL is copied and removed. NULL: the reason is in why. */
static sqlite3 *reopen_without_free_pages(sqlite3 *db, const char *path, const char *vfs,
                                          char *why) {
  char log[PATH_MAX + 8];
  struct stat s;
  snprintf(log, sizeof log, "%s-wal", path);
  sqlite3_close(db);
  if (stat(log, &s) != 0 && srv_sqlite_forget_free(path))
    return open_database(path, vfs, writer_settings, why);
  write_reason(why, SRV_SQLITE_FILE " is damaged", "its list of free pages");
  return NULL;
}

/* Copies the WAL into the file before any write is acknowledged. SQLite writes the first page of a
 * new file before it has a WAL. If the sync of that page failed in an earlier process, the page may
 * only be in the page cache; if it is lost, SQLite treats the file as empty and deletes the WAL,
 * although the WAL contains the page too. A checkpoint that lacks space, or that a reader blocks,
 * is harmless, because such a file is not new. False: the reason is in why. */
static bool copy_log(srv_sqlite_file *file, char *why) {
  srv_sqlite_checkpoint(file->writer, 0);
  if (!srv_sqlite_failed(file->writer)) return true;
  memcpy(why, srv_sqlite_why(file->writer), SRV_STORE_WHY);
  return false;
}

static bool open_writer(srv_sqlite_file *file, const char *path, char *why) {
  const char *vfs = srv_sqlite_vfs();
  make_private(path);
  sqlite3 *db = vfs ? open_database(path, vfs, writer_settings, why) : NULL;
  if (!db) return false;
  srv_sqlite_mark mark;
  bool may_be_new = !srv_sqlite_mark_read(file->lock, &mark) || mark.commits == 0;
  if (srv_sqlite_migrate(db, path, &srv_sqlite_format, may_be_new, why) &&
      is_integrity_proven(db, why)) {
    file->forgot_free = srv_sqlite_free_is_damaged(db);
    if (file->forgot_free) db = reopen_without_free_pages(db, path, vfs, why);
    if (db) file->writer = srv_sqlite_writer_create(db, file->lock, why);
  }
  if (!file->writer) sqlite3_close(db);
  return file->writer && copy_log(file, why);
}

/* Opens the reading connection, which does not verify page checksums: its rows have digests of
 * their own. False: the reason is in why. */
static bool open_reading_database(srv_sqlite_file *file, const char *path, char *why) {
  sqlite3 *db = open_database(path, NULL, reader_settings, why);
  if (!db) return false;
  file->reader = srv_sqlite_reader_create(db, why);
  if (!file->reader) sqlite3_close(db);
  return file->reader != NULL;
}

/* Extends the WAL by zeros, which SQLite ignores. A write into this space changes neither length
 * nor extents of the file, so that its sync is one write of the device instead of two. If the disk
 * is full, the reserve is missing, which is not an error. */
static void reserve_log(const char *path) {
  static const char zeros[65536];
  char log[PATH_MAX + 8];
  struct stat s;
  snprintf(log, sizeof log, "%s-wal", path);
  int descriptor = open(log, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  off_t at = fstat(descriptor, &s) == 0 ? s.st_size : LOG_RESERVE_BYTES;
  while (at < LOG_RESERVE_BYTES) {
    off_t left = LOG_RESERVE_BYTES - at;
    ssize_t written =
        pwrite(descriptor, zeros, left < (off_t)sizeof zeros ? (size_t)left : sizeof zeros, at);
    if (written <= 0) break;
    at += written;
  }
  (void)fdatasync(descriptor);
  close(descriptor);
}

/* Watches the file, its WAL and the lock file. False: the reason is in why. */
static bool watch_files(const srv_sqlite_file *file, const char *folder, const char *path,
                        char *why) {
  char log[PATH_MAX + 8], lock[PATH_MAX + 16];
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(lock, sizeof lock, "%s/" SRV_SQLITE_LOCK, folder);
  bool good = srv_sqlite_watch(file->writer, path) && srv_sqlite_watch(file->writer, log) &&
              srv_sqlite_watch(file->writer, lock);
  return good || write_reason(why, SRV_SQLITE_FILE, "a file of the store is missing");
}

/* Replaces the reason in why if the file is not a store of contactd or has a newer format, since
 * all other findings follow from this. Offsets as in "Database File Format", 1.3. */
static void explain_foreign_file(const char *path, char *why) {
  unsigned char header[72] = {0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = descriptor >= 0 ? read(descriptor, header, sizeof header) : -1;
  if (descriptor >= 0) close(descriptor);
  if (length <= 0) return;
  int format = header[60] << 24 | header[61] << 16 | header[62] << 8 | header[63];
  /* Before its first checkpoint, the file of a new store has no application_id, but it has the
   * reserved bytes for checksums. */
  bool nameless = memcmp(header + 68, "\0\0\0", 4) == 0 && header[20] == SRV_SQLITE_DIGEST_BYTES;
  if (memcmp(header, "SQLite format 3", 16) != 0 ||
      (memcmp(header + 68, "ctcd", 4) != 0 && !nameless))
    snprintf(why, SRV_STORE_WHY, SRV_SQLITE_FILE " is not a store of contactd");
  else if (format > srv_sqlite_format.count)
    snprintf(why, SRV_STORE_WHY,
             SRV_SQLITE_FILE " has format %d; the newest supported format is %d", format,
             srv_sqlite_format.count);
}

bool srv_sqlite_open(srv_sqlite_file *file, const char *folder, char why[SRV_STORE_WHY]) {
  char path[PATH_MAX];
  *file = (srv_sqlite_file){.lock = -1};
  if ((size_t)snprintf(path, sizeof path, "%s/" SRV_SQLITE_FILE, folder) >= sizeof path)
    return write_reason(why, SRV_SQLITE_FILE, "the path is too long");
  if (are_files(folder, why) && acquire_lock(file, folder, why)) {
    if (open_writer(file, path, why) && open_reading_database(file, path, why) &&
        srv_sqlite_sync_folder(folder, why) && watch_files(file, folder, path, why)) {
      reserve_log(path);
      return true;
    }
    explain_foreign_file(path, why);
  }
  srv_sqlite_close(file);
  return false;
}

void srv_sqlite_close(srv_sqlite_file *file) {
  srv_sqlite_reader_destroy(file->reader);
  /* Closing the last connection checkpoints and removes the WAL. */
  srv_sqlite_writer_destroy(file->writer);
  if (file->lock >= 0) close(file->lock);
  *file = (srv_sqlite_file){.lock = -1};
}
