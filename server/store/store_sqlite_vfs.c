/* SQLite VFS shim (sqlite.org/vfs.html) with page checksums.
 *
 * Every page of the file ends with a digest of its content and position, computed on write and
 * verified on read. A page changed on the disk is an error; otherwise a changed byte in a B-tree
 * could hide a key. The WAL has checksums of SQLite.
 *
 * The shim also buffers the writes to the WAL, a small and a large one per page, and writes them at
 * once before a sync or any other access to the WAL. Unsynced bytes are read by no other
 * connection.
 *
 * An existing WAL is rewritten when it is opened: after a failed sync of an earlier process, parts
 * of it may only be in the page cache (see renewing below).
 *
 * The shim distinguishes lack of space from other failures of a write: quotas and file size
 * limits count as lack of space. */
#include "store/store_sqlite.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size of the buffer of the WAL, about 64 small writes. Below 128 KiB, which is the most that
 * SQLite's own VFS writes in one call. */
#define WAL_BUFFER_BYTES 122880

typedef struct layered_file {
  sqlite3_file file; /* must be first: SQLite uses this address */
  bool pages;        /* this is the database file, not its WAL or journal */
  char *gathered;    /* [WAL_BUFFER_BYTES] buffered bytes of the WAL; NULL: not buffered */
  size_t gathered_size;
  sqlite3_int64 gathered_at;
  bool old; /* a WAL of an earlier process that could not be rewritten yet for lack of space: each
             * sync tries again first, and fails if it cannot */
} layered_file;

/* Returns the file of the default VFS, which follows this struct in memory. */
static sqlite3_file *below(sqlite3_file *file) {
  return (sqlite3_file *)((layered_file *)file + 1);
}

#define BELOW(file, method, ...) below(file)->pMethods->method(below(file), __VA_ARGS__)

/* ---- pages ---------------------------------------------------------------------------------- */

/* Size of the file's header ("Database File Format", 1.3). */
#define HEADER_BYTES 100
/* Offset in the header of the first page of the list of free pages; the number of free pages
 * follows. */
#define FREE_AT 32
#define FREE_BYTES 8

#define DIGESTED_BYTES (SRV_SQLITE_PAGE_BYTES - SRV_SQLITE_DIGEST_BYTES)

static uint64_t page_digest(const unsigned char *page, sqlite3_int64 at) {
  return srv_sqlite_digest((uint64_t)(at / SRV_SQLITE_PAGE_BYTES) + 1, page, DIGESTED_BYTES);
}

static bool is_page(int size, sqlite3_int64 at) {
  return size == SRV_SQLITE_PAGE_BYTES && at % SRV_SQLITE_PAGE_BYTES == 0;
}

static int verify_page(const unsigned char *page, sqlite3_int64 at) {
  static const unsigned char nothing[SRV_SQLITE_PAGE_BYTES];
  uint64_t digest = 0;
  memcpy(&digest, page + DIGESTED_BYTES, sizeof digest);
  if (digest == page_digest(page, at)) return SQLITE_OK;
  /* A page that has been free since the file was extended was never written. SQLite accepts a page
   * of zeros neither as a B-tree page nor as a list. */
  return at > 0 && memcmp(page, nothing, sizeof nothing) == 0 ? SQLITE_OK : SQLITE_CORRUPT;
}

bool srv_sqlite_forget_free(const char *path) {
  unsigned char page[SRV_SQLITE_PAGE_BYTES];
  int file = open(path, O_RDWR | O_CLOEXEC);
  bool good = file >= 0 && pread(file, page, sizeof page, 0) == sizeof page &&
              verify_page(page, 0) == SQLITE_OK;
  if (good) {
    memset(page + FREE_AT, 0, FREE_BYTES);
    uint64_t digest = page_digest(page, 0);
    memcpy(page + DIGESTED_BYTES, &digest, sizeof digest);
    good = pwrite(file, page, sizeof page, 0) == sizeof page && fsync(file) == 0;
  }
  if (file >= 0) close(file);
  return good;
}

/* ---- space ---------------------------------------------------------------------------------- */

static int judged(sqlite3_file *file, int code) {
  int number = 0;
  if (code != SQLITE_IOERR_WRITE ||
      BELOW(file, xFileControl, SQLITE_FCNTL_LAST_ERRNO, &number) != SQLITE_OK)
    return code;
  return number == ENOSPC || number == EDQUOT || number == EFBIG ? SQLITE_FULL : code;
}

/* ---- write buffer --------------------------------------------------------------------------- */

static int flush(sqlite3_file *file) {
  layered_file *f = (layered_file *)file;
  int size = (int)f->gathered_size;
  if (!size) return SQLITE_OK;
  /* If this fails, the bytes belong to a transaction that fails now. */
  f->gathered_size = 0;
  return judged(file, BELOW(file, xWrite, f->gathered, size, f->gathered_at));
}

static int buffer_wal_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at) {
  layered_file *f = (layered_file *)file;
  assert(size <= WAL_BUFFER_BYTES);
  bool follows = at == f->gathered_at + (sqlite3_int64)f->gathered_size &&
                 f->gathered_size + (size_t)size <= WAL_BUFFER_BYTES;
  if (!follows) {
    int code = flush(file);
    if (code != SQLITE_OK) return code;
    f->gathered_at = at;
  }
  memcpy(f->gathered + f->gathered_size, bytes, (size_t)size);
  f->gathered_size += (size_t)size;
  return SQLITE_OK;
}

/* ---- rewriting an existing WAL -------------------------------------------------------------- */

/* Rewrites an existing WAL in place and syncs it. After a failed sync the kernel treats the
 * affected pages as clean: reads succeed from the page cache, later syncs skip them, and after a
 * loss of power they are missing, with all that follows them. The rewritten bytes reach the disk,
 * or this sync fails too. Rewriting needs space only on file systems that do not write in place; on
 * a full disk commits fail until there is space again, and reads succeed. The database file needs
 * no rewriting: its pages remain in the WAL until a sync of the file succeeds, and a new process
 * checkpoints the whole WAL. */
static int rewrite_wal(sqlite3_file *file) {
  layered_file *f = (layered_file *)file;
  char piece[16384];
  sqlite3_int64 size = 0;
  int code = BELOW(file, xFileSize, &size);
  for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size; at += (sqlite3_int64)sizeof piece) {
    int length = size - at < (sqlite3_int64)sizeof piece ? (int)(size - at) : (int)sizeof piece;
    code = BELOW(file, xRead, piece, length, at);
    if (code == SQLITE_OK) code = judged(file, BELOW(file, xWrite, piece, length, at));
  }
  if (code == SQLITE_OK && size > 0) code = BELOW(file, xSync, SQLITE_SYNC_NORMAL);
  f->old = code == SQLITE_FULL;
  return code;
}

/* ---- reading and writing -------------------------------------------------------------------- */

static int file_read(sqlite3_file *file, void *out, int size, sqlite3_int64 at) {
  layered_file *f = (layered_file *)file;
  /* SQLite first reads the header to find the page size. After a loss of power during a checkpoint,
   * this page may be incomplete here and complete in the WAL, so it is not verified. With another
   * page size, the following reads are not whole pages. */
  bool header = at + size <= HEADER_BYTES;
  if (f->pages && !header && !is_page(size, at)) return SQLITE_CORRUPT;
  int code = flush(file);
  if (code == SQLITE_OK) code = BELOW(file, xRead, out, size, at);
  return f->pages && !header && code == SQLITE_OK ? verify_page(out, at) : code;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at) {
  layered_file *f = (layered_file *)file;
  if (f->gathered) return buffer_wal_write(file, bytes, size, at);
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
  /* the WAL index could not be extended */
  return code == SQLITE_IOERR_SHMSIZE ? SQLITE_FULL : code;
}

/* ---- delegated ------------------------------------------------------------------------------ */

/* Discards the buffered bytes, which were not synced and therefore never acknowledged. */
static int file_close(sqlite3_file *file) {
  free(((layered_file *)file)->gathered);
  return below(file)->pMethods->xClose(below(file));
}
/* Does not truncate the database file, which keeps its reserved space: pages beyond its end are
 * never read. */
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (((layered_file *)file)->pages) return SQLITE_OK;
  int code = flush(file);
  return code == SQLITE_OK ? BELOW(file, xTruncate, size) : code;
}
/* If the old WAL still cannot be rewritten, the buffered commit is discarded: a later process would
 * otherwise find it complete, although it was refused. */
static int file_sync(sqlite3_file *file, int flags) {
  layered_file *f = (layered_file *)file;
  int code = f->old ? rewrite_wal(file) : SQLITE_OK;
  if (code != SQLITE_OK) f->gathered_size = 0;
  if (code == SQLITE_OK) code = flush(file);
  return code == SQLITE_OK ? BELOW(file, xSync, flags) : code;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  int code = flush(file);
  return code == SQLITE_OK ? BELOW(file, xFileSize, size) : code;
}
static int file_lock(sqlite3_file *file, int level) { return BELOW(file, xLock, level); }
static int file_unlock(sqlite3_file *file, int level) { return BELOW(file, xUnlock, level); }
static int file_reserved(sqlite3_file *file, int *out) {
  return BELOW(file, xCheckReservedLock, out);
}
static int file_control(sqlite3_file *file, int what, void *argument) {
  return BELOW(file, xFileControl, what, argument);
}
static int file_sector(sqlite3_file *file) {
  return below(file)->pMethods->xSectorSize(below(file));
}
static int file_device(sqlite3_file *file) {
  return below(file)->pMethods->xDeviceCharacteristics(below(file));
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return BELOW(file, xShmLock, offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) {
  below(file)->pMethods->xShmBarrier(below(file));
}
static int file_shm_unmap(sqlite3_file *file, int remove) { return BELOW(file, xShmUnmap, remove); }

/* Version 2 has no memory mapping, which would bypass the page checksums. */
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

/* ---- file system ---------------------------------------------------------------------------- */

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags) {
  sqlite3_vfs *system = vfs->pAppData;
  layered_file *f = (layered_file *)file;
  *f = (layered_file){.pages = (flags & SQLITE_OPEN_MAIN_DB) != 0};
  below(file)->pMethods = NULL;
  int code = system->xOpen(system, name, below(file), flags, out_flags);
  bool only_read = out_flags && *out_flags & SQLITE_OPEN_READONLY;
  if (code == SQLITE_OK && flags & SQLITE_OPEN_WAL && !only_read) code = rewrite_wal(file);
  if (f->old) code = SQLITE_OK;
  /* If file.pMethods is NULL, SQLite does not close the file, so the file of the default VFS is
   * closed here if it has methods. */
  if (code == SQLITE_OK) f->file.pMethods = &methods;
  if (code == SQLITE_OK && flags & SQLITE_OPEN_WAL) f->gathered = malloc(WAL_BUFFER_BYTES);
  if (code != SQLITE_OK && below(file)->pMethods) below(file)->pMethods->xClose(below(file));
  return code;
}

const char *srv_sqlite_vfs(void) {
  static const char name[] = "contactd";
  static sqlite3_vfs vfs;
  /* Disable the memory statistics, which need a lock. */
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_vfs *system = sqlite3_vfs_find(NULL);
  if (!system || vfs.pAppData == system) return system ? name : NULL;
  /* All functions except xOpen are those of the default VFS. */
  vfs = *system;
  vfs.pNext = NULL;
  vfs.zName = name;
  vfs.pAppData = system;
  vfs.szOsFile = (int)sizeof(layered_file) + system->szOsFile;
  vfs.xOpen = open_file;
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? name : NULL;
}
