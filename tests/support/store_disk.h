/* A simulated disk: a VFS layer under SQLite that fails chosen writes and syncs, counts them, and
 * records all writes. From the record it builds the files that a loss of power may leave: synced
 * data, and any of the 512-byte sectors written since. Data written before a failed sync is read as
 * before, but no later sync makes it durable. The layer handles two files, the store's and its log.
 */
#ifndef TESTS_STORE_DISK_H
#define TESTS_STORE_DISK_H

#include "tests/support/check.h"

#include <pthread.h>
#include <sqlite3.h>
#include <uv.h>

#define DISK_SECTOR 512

enum { DISK_STORE, DISK_LOG, DISK_FILES, DISK_OTHER = DISK_FILES };

typedef enum disk_act { DISK_WRITE, DISK_TRUNCATE, DISK_SYNC, DISK_REMOVE, DISK_NOTE } disk_act;

typedef struct disk_event {
  disk_act act;
  int file;
  sqlite3_int64 at; /* TRUNCATE: size; NOTE: number of the test */
  size_t size;
  unsigned char *bytes;
  bool dropped; /* its sync failed */
} disk_event;

static struct {
  sqlite3_vfs vfs, *system;
  pthread_mutex_t mutex;
  pthread_cond_t changed;        /* `holds` or `held` */
  bool holds, held;              /* syncs of the log wait until they are let go; one waits */
  long writes, syncs, log_syncs; /* since disk_reset */
  long fail_write, fail_sync;    /* number of the write or sync that fails; 0: none */
  long fail_count;               /* number of failing writes from fail_write on */
  sqlite3_int64 fail_below;      /* only writes below this offset fail; 0: all */
  int code;                      /* error code of failing writes */
  long sync_ms;                  /* extra duration of a sync of the log */
  bool failed;                   /* a write or sync has failed */
  bool records;
  disk_event *events;
  size_t count;
} disk = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

typedef struct disk_file {
  sqlite3_file file; /* must be first */
  int which;
} disk_file;

static sqlite3_file *disk_below(sqlite3_file *file) {
  return (sqlite3_file *)((disk_file *)file + 1);
}
#define DISK_BELOW(file, method, ...)                                                              \
  disk_below(file)->pMethods->method(disk_below(file), __VA_ARGS__)

static void disk_add(disk_event event, const void *bytes) {
  if (!disk.records || event.file == DISK_OTHER) return;
  if (!(disk.count & (disk.count - 1)))
    disk.events = realloc(disk.events, (disk.count ? 2 * disk.count : 1) * sizeof event);
  event.bytes = bytes ? malloc(event.size) : NULL;
  if (bytes) memcpy(event.bytes, bytes, event.size);
  disk.events[disk.count++] = event;
}

/* Adds a number of the test to the record. */
static inline void disk_note(sqlite3_int64 number) {
  pthread_mutex_lock(&disk.mutex);
  disk_add((disk_event){.act = DISK_NOTE, .at = number}, NULL);
  pthread_mutex_unlock(&disk.mutex);
}

static inline void disk_reset(void) {
  for (size_t i = 0; i < disk.count; i++) free(disk.events[i].bytes);
  free(disk.events);
  disk.events = NULL;
  disk.count = 0;
  disk.writes = disk.syncs = disk.log_syncs = disk.fail_write = disk.fail_sync = disk.fail_count =
      disk.sync_ms = 0;
  disk.fail_below = 0;
  disk.failed = disk.records = disk.holds = false;
}

/* Number of syncs of the log so far; callable while the store runs. */
static inline long disk_log_syncs(void) {
  pthread_mutex_lock(&disk.mutex);
  long syncs = disk.log_syncs;
  pthread_mutex_unlock(&disk.mutex);
  return syncs;
}

/* Fails the sync with this number from now on; callable while the store runs. */
static inline void disk_fail_sync(long number) {
  pthread_mutex_lock(&disk.mutex);
  disk.fail_sync = disk.syncs + number;
  pthread_mutex_unlock(&disk.mutex);
}

/* Lets syncs of the log wait from now on, or lets them go; callable while the store runs. */
static inline void disk_hold_syncs(bool holds) {
  pthread_mutex_lock(&disk.mutex);
  disk.holds = holds;
  pthread_cond_broadcast(&disk.changed);
  pthread_mutex_unlock(&disk.mutex);
}

/* True if a sync of the log waits. */
static inline bool disk_holds_sync(void) {
  pthread_mutex_lock(&disk.mutex);
  bool held = disk.held;
  pthread_mutex_unlock(&disk.mutex);
  return held;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* A failed sync, as Linux handles it: the pages that it should have written count as clean. */
static void disk_drop(int file) {
  for (size_t i = disk.count; i > 0; i--) {
    disk_event *event = &disk.events[i - 1];
    if (event->file != file) continue;
    if (event->act == DISK_SYNC) return;
    event->dropped = event->act == DISK_WRITE;
  }
}

static int disk_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at) {
  disk_file *f = (disk_file *)file;
  pthread_mutex_lock(&disk.mutex);
  long number = ++disk.writes;
  bool fails = disk.fail_write && number >= disk.fail_write &&
               number < disk.fail_write + (disk.fail_count ? disk.fail_count : 1);
  if (disk.fail_below && at >= disk.fail_below) fails = false;
  if (fails) disk.failed = true;
  else
    disk_add((disk_event){.act = DISK_WRITE, .file = f->which, .at = at, .size = (size_t)size},
             bytes);
  pthread_mutex_unlock(&disk.mutex);
  return fails ? disk.code : DISK_BELOW(file, xWrite, bytes, size, at);
}

static int disk_sync(sqlite3_file *file, int flags) {
  disk_file *f = (disk_file *)file;
  int code = DISK_BELOW(file, xSync, flags);
  if (disk.sync_ms && f->which == DISK_LOG) uv_sleep((unsigned)disk.sync_ms);
  pthread_mutex_lock(&disk.mutex);
  while (disk.holds && f->which == DISK_LOG) {
    disk.held = true;
    pthread_cond_wait(&disk.changed, &disk.mutex);
  }
  disk.held = false;
  bool fails = ++disk.syncs == disk.fail_sync;
  disk.log_syncs += f->which == DISK_LOG;
  if (fails) disk.failed = true;
  if (fails) disk_drop(f->which);
  else disk_add((disk_event){.act = DISK_SYNC, .file = f->which}, NULL);
  pthread_mutex_unlock(&disk.mutex);
  return fails ? SQLITE_IOERR_FSYNC : code;
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 size) {
  pthread_mutex_lock(&disk.mutex);
  disk_add((disk_event){.act = DISK_TRUNCATE, .file = ((disk_file *)file)->which, .at = size},
           NULL);
  pthread_mutex_unlock(&disk.mutex);
  return DISK_BELOW(file, xTruncate, size);
}

static int disk_read(sqlite3_file *file, void *out, int size, sqlite3_int64 at) {
  return DISK_BELOW(file, xRead, out, size, at);
}
static int disk_close(sqlite3_file *file) {
  return disk_below(file)->pMethods->xClose(disk_below(file));
}
static int disk_size(sqlite3_file *file, sqlite3_int64 *size) {
  return DISK_BELOW(file, xFileSize, size);
}
static int disk_lock(sqlite3_file *file, int level) { return DISK_BELOW(file, xLock, level); }
static int disk_unlock(sqlite3_file *file, int level) { return DISK_BELOW(file, xUnlock, level); }
static int disk_reserved(sqlite3_file *file, int *out) {
  return DISK_BELOW(file, xCheckReservedLock, out);
}
static int disk_control(sqlite3_file *file, int what, void *argument) {
  return DISK_BELOW(file, xFileControl, what, argument);
}
static int disk_sector(sqlite3_file *file) {
  return disk_below(file)->pMethods->xSectorSize(disk_below(file));
}
static int disk_device(sqlite3_file *file) {
  return disk_below(file)->pMethods->xDeviceCharacteristics(disk_below(file));
}
static int disk_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **out) {
  return DISK_BELOW(file, xShmMap, region, size, extend, out);
}
static int disk_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return DISK_BELOW(file, xShmLock, offset, count, flags);
}
static void disk_shm_barrier(sqlite3_file *file) {
  disk_below(file)->pMethods->xShmBarrier(disk_below(file));
}
static int disk_shm_unmap(sqlite3_file *file, int remove) {
  return DISK_BELOW(file, xShmUnmap, remove);
}

static const sqlite3_io_methods disk_methods = {.iVersion = 2,
                                                .xClose = disk_close,
                                                .xRead = disk_read,
                                                .xWrite = disk_write,
                                                .xTruncate = disk_truncate,
                                                .xSync = disk_sync,
                                                .xFileSize = disk_size,
                                                .xLock = disk_lock,
                                                .xUnlock = disk_unlock,
                                                .xCheckReservedLock = disk_reserved,
                                                .xFileControl = disk_control,
                                                .xSectorSize = disk_sector,
                                                .xDeviceCharacteristics = disk_device,
                                                .xShmMap = disk_shm_map,
                                                .xShmLock = disk_shm_lock,
                                                .xShmBarrier = disk_shm_barrier,
                                                .xShmUnmap = disk_shm_unmap};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags) {
  disk_file *f = (disk_file *)file;
  (void)vfs;
  *f = (disk_file){.which = flags & SQLITE_OPEN_MAIN_DB ? DISK_STORE
                            : flags & SQLITE_OPEN_WAL   ? DISK_LOG
                                                        : DISK_OTHER};
  int code = disk.system->xOpen(disk.system, name, disk_below(file), flags, out_flags);
  if (code == SQLITE_OK) f->file.pMethods = &disk_methods;
  return code;
}

static int disk_remove(sqlite3_vfs *vfs, const char *name, int sync_folder) {
  size_t length = strlen(name);
  (void)vfs;
  pthread_mutex_lock(&disk.mutex);
  disk_add((disk_event){.act = DISK_REMOVE,
                        .file = length > 4 && strcmp(name + length - 4, "-wal") == 0 ? DISK_LOG
                                                                                     : DISK_OTHER},
           NULL);
  pthread_mutex_unlock(&disk.mutex);
  return disk.system->xDelete(disk.system, name, sync_folder);
}

/* Must be called before the first store is opened. */
static inline void disk_install(void) {
  if (disk.system) return;
  disk.system = sqlite3_vfs_find(NULL);
  disk.vfs = *disk.system;
  disk.vfs.pNext = NULL;
  disk.vfs.zName = "disk";
  disk.vfs.szOsFile = (int)sizeof(disk_file) + disk.system->szOsFile;
  disk.vfs.xOpen = disk_open;
  disk.vfs.xDelete = disk_remove;
  sqlite3_vfs_register(&disk.vfs, 1);
}

/* ---- files after a loss of power ------------------------------------------------------------- */

typedef struct disk_image {
  unsigned char *bytes;
  size_t size, room;
} disk_image;

static void image_reach(disk_image *image, size_t size) {
  if (size > image->room) {
    image->bytes = realloc(image->bytes, 2 * size);
    memset(image->bytes + image->room, 0, 2 * size - image->room);
    image->room = 2 * size;
  }
  if (size > image->size) image->size = size;
}

/* Applies the event; of a write, random sectors: on average one in `in` is left out; 0: none. Half
 * of the dropped writes are left out as a whole. */
static void image_apply(disk_image *image, const disk_event *event, check_random *random,
                        unsigned in) {
  bool done = !in || check_next(random) % in;
  if (event->act == DISK_REMOVE && done) image->size = 0;
  if (event->act == DISK_TRUNCATE && done) {
    size_t size = (size_t)event->at;
    if (size < image->size) memset(image->bytes + size, 0, image->size - size);
    image->size = 0;
    image_reach(image, size);
  }
  if (event->act != DISK_WRITE || (event->dropped && check_next(random) % 2)) return;
  size_t at = (size_t)event->at, end = at + event->size;
  while (at < end) {
    size_t next =
        (at / DISK_SECTOR + 1) * DISK_SECTOR < end ? (at / DISK_SECTOR + 1) * DISK_SECTOR : end;
    if (!in || check_next(random) % in) {
      image_reach(image, next);
      memcpy(image->bytes + at, event->bytes + (at - (size_t)event->at), next - at);
    }
    at = next;
  }
}

/* The files after events [0, count): all events before the last sync of each file, and some of
 * those since or dropped. */
static inline void disk_state(size_t count, check_random *random, unsigned in,
                              disk_image images[DISK_FILES]) {
  size_t synced[DISK_FILES] = {0};
  for (size_t i = 0; i < count; i++)
    if (disk.events[i].act == DISK_SYNC) synced[disk.events[i].file] = i;
  for (int file = 0; file < DISK_FILES; file++) images[file].size = 0;
  for (int file = 0; file < DISK_FILES; file++)
    if (images[file].room) memset(images[file].bytes, 0, images[file].room);
  for (size_t i = 0; i < count; i++) {
    const disk_event *event = &disk.events[i];
    if (event->act != DISK_SYNC && event->act != DISK_NOTE)
      image_apply(&images[event->file], event, random,
                  i < synced[event->file] && !event->dropped ? 0 : in);
  }
}

#endif
