/* A layer between SQLite and the operating system's files: every page of the file ends with a digest of itself and of its place,
 * which is made when the page is written and proven when it is read. A page that has changed on the disk is an error where it is
 * met; without that a changed byte in a tree of keys would be a key that is not there. The log has checksums of SQLite's own.
 *
 * It also tells "no room" from other failures of a write: quotas and limits of a file's size are no room, too. */
#include "store_sqlite.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

typedef struct layered_file {
  sqlite3_file file; /* first: SQLite's view */
  bool pages;        /* the file itself, not its log or journal */
} layered_file;

/* The file below lies behind ours. */
static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((layered_file *)file + 1); }

#define BELOW(file, method, ...) below(file)->pMethods->method(below(file), __VA_ARGS__)

/* ---- pages ----------------------------------------------------------------------------------------------------------- */

/* Of the file, at its beginning ("Database File Format", 1.3). */
#define HEADER_BYTES 100

#define DIGESTED_BYTES (SRV_SQLITE_PAGE_BYTES - SRV_SQLITE_DIGEST_BYTES)

static uint64_t page_digest(const unsigned char *page, sqlite3_int64 at) {
  return srv_sqlite_digest((uint64_t)(at / SRV_SQLITE_PAGE_BYTES) + 1, page, DIGESTED_BYTES);
}

static bool is_page(int size, sqlite3_int64 at) { return size == SRV_SQLITE_PAGE_BYTES && at % SRV_SQLITE_PAGE_BYTES == 0; }

static int prove(const unsigned char *page, sqlite3_int64 at) {
  static const unsigned char nothing[SRV_SQLITE_PAGE_BYTES];
  uint64_t digest = 0;
  memcpy(&digest, page + DIGESTED_BYTES, sizeof digest);
  if (digest == page_digest(page, at)) return SQLITE_OK;
  /* A page that was free when the file grew has never been written. SQLite takes nothing in it for a tree or a list. */
  return at > 0 && memcmp(page, nothing, sizeof nothing) == 0 ? SQLITE_OK : SQLITE_CORRUPT;
}

static int file_read(sqlite3_file *file, void *out, int size, sqlite3_int64 at) {
  layered_file *f = (layered_file *)file;
  /* The header is read by itself before anything else, for the size of the pages. When power was lost while the log was copied, its
   * page may be torn here and whole in the log. Where it tells another size, what is read then is no page of ours. */
  bool header = at + size <= HEADER_BYTES;
  if (f->pages && !header && !is_page(size, at)) return SQLITE_CORRUPT;
  int code = BELOW(file, xRead, out, size, at);
  return f->pages && !header && code == SQLITE_OK ? prove(out, at) : code;
}

/* ---- room ------------------------------------------------------------------------------------------------------------ */

static int judged(sqlite3_file *file, int code) {
  int number = 0;
  if (code != SQLITE_IOERR_WRITE || BELOW(file, xFileControl, SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK) return code;
  return number == ENOSPC || number == EDQUOT || number == EFBIG ? SQLITE_FULL : code;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at) {
  layered_file *f = (layered_file *)file;
  if (!f->pages) return judged(file, BELOW(file, xWrite, bytes, size, at));
  assert(is_page(size, at));
  unsigned char page[SRV_SQLITE_PAGE_BYTES];
  memcpy(page, bytes, DIGESTED_BYTES);
  uint64_t digest = page_digest(page, at);
  memcpy(page + DIGESTED_BYTES, &digest, sizeof digest);
  return judged(file, BELOW(file, xWrite, page, size, at));
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **out) {
  int code = BELOW(file, xShmMap, region, size, extend, out);
  /* The file of the log's index could not be made longer. */
  return code == SQLITE_IOERR_SHMSIZE ? SQLITE_FULL : code;
}

/* ---- passed on ------------------------------------------------------------------------------------------------------- */

static int file_close(sqlite3_file *file) { return below(file)->pMethods->xClose(below(file)); }
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) { return BELOW(file, xTruncate, size); }
static int file_sync(sqlite3_file *file, int flags) { return BELOW(file, xSync, flags); }
static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return BELOW(file, xFileSize, size); }
static int file_lock(sqlite3_file *file, int level) { return BELOW(file, xLock, level); }
static int file_unlock(sqlite3_file *file, int level) { return BELOW(file, xUnlock, level); }
static int file_reserved(sqlite3_file *file, int *out) { return BELOW(file, xCheckReservedLock, out); }
static int file_control(sqlite3_file *file, int what, void *argument) { return BELOW(file, xFileControl, what, argument); }
static int file_sector(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int file_device(sqlite3_file *file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return BELOW(file, xShmLock, offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }
static int file_shm_unmap(sqlite3_file *file, int remove) { return BELOW(file, xShmUnmap, remove); }

/* Version 2: no mapping of the file into memory, which would read past the digests. */
static const sqlite3_io_methods methods = {.iVersion = 2,
                                           .xClose = file_close,
                                           .xRead = file_read,
                                           .xWrite = file_write,
                                           .xTruncate = file_truncate,
                                           .xSync = file_sync,
                                           .xFileSize = file_size,
                                           .xLock = file_lock,
                                           .xUnlock = file_unlock,
                                           .xCheckReservedLock = file_reserved,
                                           .xFileControl = file_control,
                                           .xSectorSize = file_sector,
                                           .xDeviceCharacteristics = file_device,
                                           .xShmMap = file_shm_map,
                                           .xShmLock = file_shm_lock,
                                           .xShmBarrier = file_shm_barrier,
                                           .xShmUnmap = file_shm_unmap};

/* ---- file system ----------------------------------------------------------------------------------------------------- */

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  sqlite3_vfs *system = vfs->pAppData;
  layered_file *f = (layered_file *)file;
  *f = (layered_file){.pages = (flags & SQLITE_OPEN_MAIN_DB) != 0};
  below(file)->pMethods = NULL;
  int code = system->xOpen(system, name, below(file), flags, out_flags);
  /* Without methods SQLite does not close the file; the one below is to be closed if it has any. */
  if (code == SQLITE_OK) f->file.pMethods = &methods;
  else if (below(file)->pMethods) below(file)->pMethods->xClose(below(file));
  return code;
}

const char *srv_sqlite_vfs(void) {
  static const char name[] = "contactd";
  static sqlite3_vfs vfs;
  sqlite3_vfs *system = sqlite3_vfs_find(NULL);
  if (!system || vfs.pAppData == system) return system ? name : NULL;
  /* All but the files is the system's. */
  vfs = *system;
  vfs.pNext = NULL;
  vfs.zName = name;
  vfs.pAppData = system;
  vfs.szOsFile = (int)sizeof(layered_file) + system->szOsFile;
  vfs.xOpen = open_file;
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? name : NULL;
}
