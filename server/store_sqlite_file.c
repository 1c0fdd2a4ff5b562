/* The file and its lock: opening, with a sentence for each thing that can be wrong, and closing. */
#include "store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* How long another program that looks into the file may hold us up. */
#define BUSY_MS 10000

/* synchronous=FULL: the log is synced before a commit returns. The log is copied into the file when the writer says so, not within
 * a commit. */
static const char writer_settings[] = "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                                      "PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY;"
                                      "PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF;";
static const char reader_settings[] =
    "PRAGMA query_only=ON; PRAGMA cache_size=-4096; PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF;";

static bool told(char *why, const char *what, const char *reason) {
  snprintf(why, SRV_STORE_WHY, "%.60s: %.80s", what, reason);
  return false;
}

/* The lock goes with the process, however that ends. */
static bool take_lock(srv_sqlite_file *file, const char *folder, char *why) {
  char path[PATH_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s/" SRV_SQLITE_LOCK, folder) >= sizeof path)
    return told(why, "--data", "the path is too long");
  file->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file->lock < 0) return told(why, SRV_SQLITE_LOCK, strerror(errno));
  if (flock(file->lock, LOCK_EX | LOCK_NB) == 0) return true;
  return told(why, SRV_SQLITE_LOCK, errno == EWOULDBLOCK ? "another contactd has it" : strerror(errno));
}

/* The names of new files are on the disk, too. */
static bool sync_folder(const char *folder, char *why) {
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = descriptor >= 0 && fsync(descriptor) == 0;
  if (!good) told(why, folder, strerror(errno));
  if (descriptor >= 0) close(descriptor);
  return good;
}

static sqlite3 *connect_to(const char *path, int flags, const char *settings, char *why) {
  sqlite3 *db = NULL;
  int code = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(db, BUSY_MS);
  if (code == SQLITE_OK) code = sqlite3_extended_result_codes(db, 1);
  if (code == SQLITE_OK) code = sqlite3_exec(db, settings, NULL, NULL, NULL);
  if (code == SQLITE_OK) return db;
  told(why, SRV_SQLITE_FILE, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
  sqlite3_close(db);
  return NULL;
}

static bool open_writer(srv_sqlite_file *file, const char *path, char *why) {
  sqlite3 *db = connect_to(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, writer_settings, why);
  if (!db) return false;
  if (srv_sqlite_bring_up(db, path, &srv_sqlite_format, why)) file->writer = srv_sqlite_writer_create(db, why);
  if (!file->writer) sqlite3_close(db);
  return file->writer != NULL;
}

static bool open_reader(srv_sqlite_file *file, const char *path, char *why) {
  sqlite3 *db = connect_to(path, SQLITE_OPEN_READWRITE, reader_settings, why);
  if (!db) return false;
  file->reader = srv_sqlite_reader_create(db, why);
  if (!file->reader) sqlite3_close(db);
  return file->reader != NULL;
}

bool srv_sqlite_open(srv_sqlite_file *file, const char *folder, char why[SRV_STORE_WHY]) {
  char path[PATH_MAX];
  *file = (srv_sqlite_file){.lock = -1};
  if ((size_t)snprintf(path, sizeof path, "%s/" SRV_SQLITE_FILE, folder) >= sizeof path)
    return told(why, "--data", "the path is too long");
  if (take_lock(file, folder, why) && open_writer(file, path, why) && open_reader(file, path, why) && sync_folder(folder, why))
    return true;
  srv_sqlite_close(file);
  return false;
}

void srv_sqlite_close(srv_sqlite_file *file) {
  srv_sqlite_reader_destroy(file->reader);
  /* The last connection copies the log into the file and removes it. */
  srv_sqlite_writer_destroy(file->writer);
  if (file->lock >= 0) close(file->lock);
  *file = (srv_sqlite_file){.lock = -1};
}
