/* The file store on a disk that fails or fills up: acknowledged writes are there afterwards, and no
 * write is partly there. */
#include "tests/support/store_disk.h"
#include "tests/support/store_history.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The first write after opening restarts the log, which needs one more sync. */
static void begin_log(rig *r) {
  CHECK_INT(rig_put(r, SRV_STORE_BASE, "first", (uint64_t[]){0, 1}, 100), SRV_STORE_OK);
}

/* ---- group commit --------------------------------------------------------------------------- */

/* The first write's sync waits until all others are submitted. */
static void writes_that_wait_together_share_a_sync(void) {
  rig r;
  disk_install();
  disk_reset();
  rig_begin(&r);
  CHECK(rig_open(&r));
  begin_log(&r);
  srv_store_write writes[64];
  for (int round = 0; round < 3; round++) {
    long syncs = disk.log_syncs;
    disk_hold_syncs(true);
    for (int i = 0; i < 64; i++) {
      char id[16];
      snprintf(id, sizeof id, "s%d", i);
      writes[i] = write_of(round ? SRV_STORE_CHANGE : SRV_STORE_BASE, id, (uint64_t)round,
                           (uint64_t)round + 1, 500);
      rig_submit(&r, &writes[i]);
      while (i == 0 && !disk_holds_sync()) uv_run(&r.loop, UV_RUN_NOWAIT);
    }
    uv_run(&r.loop, UV_RUN_NOWAIT);
    disk_hold_syncs(false);
    rig_wait(&r);
    CHECK_INT(disk.log_syncs - syncs, 2);
    for (int i = 0; i < 64; i++) {
      CHECK_INT(writes[i].status, SRV_STORE_OK);
      free((char *)(uintptr_t)writes[i].bytes);
    }
  }
  rig_end(&r);
}

#define SHARING 8
#define SHARED_WRITES 16

/* A write that is submitted again as soon as it is acknowledged. */
typedef struct repeater {
  srv_store_write write; /* must be first: the store sees the address of this member */
  rig *r;
} repeater;

static void write_again(srv_store_write *write) {
  repeater *one = (repeater *)write;
  CHECK_INT(write->status, SRV_STORE_OK);
  one->r->waiting--;
  if (write->status != SRV_STORE_OK || write->revision == SHARED_WRITES) return;
  write->act = SRV_STORE_CHANGE;
  write->before = write->revision++;
  one->r->waiting++;
  srv_store_submit(one->r->store, write);
}

/* The two halves start in a way that each would wait for the other's sync and for its own: two
 * syncs per round. The writer discovers that one sync suffices, at its fourth try at the latest,
 * unless the loop sleeps through half a sync each time. */
static void alternating_writers_converge_to_shared_syncs(void) {
  static const char bytes[100];
  repeater all[SHARING];
  rig r;
  disk_install();
  disk_reset();
  rig_begin(&r);
  CHECK(rig_open(&r));
  begin_log(&r);
  disk.log_syncs = 0;
  disk.sync_ms = 40;
  for (int i = 0; i < SHARING; i++) {
    all[i] = (repeater){
        .write = {.act = SRV_STORE_BASE, .revision = 1, .bytes = bytes, .length = sizeof bytes},
        .r = &r};
    snprintf(all[i].write.id, sizeof all[i].write.id, "s%d", i);
    all[i].write.done = write_again;
    r.waiting++;
    srv_store_submit(r.store, &all[i].write);
    if (i != SHARING / 2 - 1) continue;
    uv_run(&r.loop, UV_RUN_NOWAIT);
    uv_sleep(10);
  }
  rig_wait(&r);
  CHECK(disk.log_syncs >= SHARED_WRITES && disk.log_syncs <= SHARED_WRITES + 7);
  disk.sync_ms = 0;
  rig_end(&r);
}

#define STALL_MS 1000
#define STALL_TRIES 5

/* Duration of a single write after a long sync that several writes shared, relative to that sync. 1
 * if they did not share a sync. */
static double wait_after_a_stall(void) {
  srv_store_write writes[SHARING];
  rig r;
  disk_reset();
  rig_begin(&r);
  CHECK(rig_open(&r));
  /* From now on the writer is woken when all writes are there. */
  disk.sync_ms = 100;
  begin_log(&r);
  disk.sync_ms = STALL_MS;
  long syncs = disk.log_syncs;
  uint64_t begin_ns = uv_hrtime();
  for (int i = 0; i < SHARING; i++) {
    writes[i] = write_of(SRV_STORE_BASE, scene_id(i % SCENES), (uint64_t)(i / SCENES),
                         (uint64_t)(i / SCENES) + 1, 100);
    rig_submit(&r, &writes[i]);
  }
  rig_wait(&r);
  bool shared = disk.log_syncs == syncs + 1;
  uint64_t stall_ns = uv_hrtime() - begin_ns;
  disk.sync_ms = 0;
  begin_ns = uv_hrtime();
  CHECK_INT(rig_put(&r, SRV_STORE_BASE, "alone", (uint64_t[]){0, 1}, 100), SRV_STORE_OK);
  double wait = (double)(uv_hrtime() - begin_ns) / (double)stall_ns;
  for (int i = 0; i < SHARING; i++) free((char *)(uintptr_t)writes[i].bytes);
  rig_end(&r);
  return shared ? wait : 1;
}

/* A writer that still waited would take half the mean of the long sync and the first one, a quarter
 * of the long sync. A busy machine may be as slow, but not in each try. */
static void no_write_waits_for_writers_of_an_earlier_long_sync(void) {
  double least = 1;
  disk_install();
  for (int i = 0; i < STALL_TRIES && least > 0.125; i++) least = fmin(least, wait_after_a_stall());
  CHECK(least <= 0.125);
}

/* Each single write is synced before it is acknowledged. */
static void no_write_is_acknowledged_before_a_sync(void) {
  rig r;
  disk_install();
  disk_reset();
  rig_begin(&r);
  CHECK(rig_open(&r));
  for (uint64_t revision = 1; revision <= 20; revision++) {
    long syncs = disk.log_syncs;
    CHECK_INT(rig_put(&r, revision > 1 ? SRV_STORE_CHANGE : SRV_STORE_BASE, "a",
                      (uint64_t[]){revision - 1, revision}, 100),
              SRV_STORE_OK);
    CHECK(disk.log_syncs > syncs);
  }
  rig_end(&r);
}

/* ---- errors of the device ------------------------------------------------------------------- */

typedef struct fault {
  long write, sync, count;
  int code;
  srv_store_status status; /* expected status of writes that are not acknowledged */
} fault;

#define FAULT_ROUNDS 6

/* A store's lifetime with one fault. False: it ended before the fault. */
static bool live_with(const fault *f) {
  rig r;
  history h = {{0}, {0}};
  srv_store_status status;
  char why[SRV_STORE_WHY];
  rig_begin(&r);
  disk_reset();
  disk.fail_write = f->write;
  disk.fail_sync = f->sync;
  disk.fail_count = f->count;
  disk.code = f->code;
  bool opened = quietly_open(&r);
  CHECK(opened || disk.failed);
  for (int round = 0; opened && round < FAULT_ROUNDS; round++) {
    bool failed = disk.failed;
    int good = write_round(&r, &h, f->status);
    /* After a device error all writes fail; after a full disk all writes succeed again once there
     * is space. */
    if (failed) CHECK_INT(good, f->status == SRV_STORE_FAILED ? 0 : SCENES);
    CHECK_INT(srv_store_healthy(r.store, &status, why),
              !disk.failed || f->status != SRV_STORE_FAILED);
    if (disk.failed && f->status == SRV_STORE_FAILED)
      CHECK(status == SRV_STORE_FAILED && why[0] != 0);
    /* Acknowledged writes can be read after any failure. */
    history seen = h;
    if (disk.failed) check_history(&r, &seen);
  }
  rig_close(&r);
  bool failed = disk.failed;
  disk_reset();
  CHECK(rig_open(&r));
  if (r.store) check_history(&r, &h);
  if (r.store) CHECK_INT(write_round(&r, &h, SRV_STORE_OK), SCENES);
  rig_end(&r);
  return failed;
}

static void a_failed_sync_ends_all_writing(void) {
  disk_install();
  long k = 1;
  bool reached = true;
  for (; reached && k < 2000; k++)
    reached = live_with(&(fault){.sync = k, .status = SRV_STORE_FAILED});
  CHECK(k > 8 && k < 2000);
}

static int told_of_failures;

static void hear(void *cls, const char *event, const char *detail) {
  (void)cls, (void)detail;
  told_of_failures += strcmp(event, "storageFailed") == 0;
}

#define IDLE_LIMIT_MS 60000 /* limit for a hanging test */

static void on_limit(uv_timer_t *limit) { *(bool *)limit->data = true; }

/* Waits until the store reports a failure by itself. */
static void hear_failure(rig *r) {
  bool late = false;
  uv_timer_t limit = {.data = &late};
  uv_timer_init(&r->loop, &limit);
  uv_timer_start(&limit, on_limit, IDLE_LIMIT_MS, 0);
  while (!told_of_failures && !late) uv_run(&r->loop, UV_RUN_ONCE);
  CHECK(!late);
  uv_close((uv_handle_t *)&limit, NULL);
  uv_run(&r->loop, UV_RUN_NOWAIT);
}

/* A base of `length` bytes replaces `records` small records and is acknowledged; then the store is
 * idle. The given sync after the base's own sync fails. */
static void fail_when_idle(uint64_t records, size_t length, long sync) {
  srv_store_status status;
  char why[SRV_STORE_WHY];
  rig r;
  disk_reset();
  rig_begin(&r);
  CHECK(rig_open(&r));
  r.store->report = hear;
  told_of_failures = 0;
  begin_log(&r);
  for (uint64_t i = 0; i < records; i++)
    CHECK_INT(rig_put(&r, i ? SRV_STORE_CHANGE : SRV_STORE_BASE, "a", (uint64_t[]){i, i + 1}, 100),
              SRV_STORE_OK);
  disk.fail_sync = disk.syncs + 1 + sync;
  CHECK_INT(rig_put(&r, SRV_STORE_BASE, "a", (uint64_t[]){records, records + 1}, length),
            SRV_STORE_OK);
  hear_failure(&r);
  CHECK(disk.failed);
  CHECK(!srv_store_healthy(r.store, &status, why) && status == SRV_STORE_FAILED && why[0] != 0);
  CHECK_INT(rig_put(&r, SRV_STORE_BASE, "b", (uint64_t[]){0, 1}, 100), SRV_STORE_FAILED);
  CHECK_INT(told_of_failures, 1);
  rig_close(&r);
  CHECK(rig_open(&r));
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "a"), records + 1);
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "b"), 0);
  rig_end(&r);
}

static void a_sync_that_fails_while_no_write_runs_is_reported_at_once(void) {
  enum {
    RECORDS = 40,
    LENGTH = 3 << 20
  }; /* RECORDS: more than one write sweeps, and too few for a checkpoint; LENGTH: more than stays
        in the log */
  disk_install();
  fail_when_idle(RECORDS, 100, 1);
  fail_when_idle(0, LENGTH, 1); /* the log's sync before the checkpoint */
  fail_when_idle(0, LENGTH, 2); /* the file's sync */
}

static void a_failed_write_ends_all_writing(void) {
  disk_install();
  long k = 1;
  bool reached = true;
  for (; reached && k < 2000; k++)
    reached =
        live_with(&(fault){.write = k, .code = SQLITE_IOERR_WRITE, .status = SRV_STORE_FAILED});
  CHECK(k > 20 && k < 2000);
}

/* SQLite fails the whole transaction; then each write is retried alone and succeeds. */
static void a_write_without_room_is_refused_and_the_next_succeeds(void) {
  disk_install();
  long k = 1;
  bool reached = true;
  for (; reached && k < 2000; k++)
    reached =
        live_with(&(fault){.write = k, .code = SQLITE_FULL, .count = 1, .status = SRV_STORE_FULL});
  CHECK(k > 20 && k < 2000);
}

/* ---- full disk ------------------------------------------------------------------------------- */

/* Fills the free space of the disk with another file. */
static void take_the_rest(const rig *r) {
  char path[200], zeros[4096] = {0};
  snprintf(path, sizeof path, "%s/rest", r->folder);
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  CHECK(file >= 0);
  for (size_t size = sizeof zeros; size; size /= 2)
    while (write(file, zeros, size) == (ssize_t)size) continue;
  close(file);
}

/* Removals succeed on a full disk, and a later write reuses their pages. */
static void leave_by_removing(rig *r, uint64_t written, size_t length) {
  char id[16];
  for (uint64_t i = 1; i < written; i++) {
    take_the_rest(r);
    snprintf(id, sizeof id, "s%d", (int)i);
    CHECK_INT(rig_put(r, SRV_STORE_REMOVE, id, (uint64_t[]){1, 2}, 0), SRV_STORE_OK);
  }
  srv_store_status status = SRV_STORE_FULL;
  for (int tries = 0; status == SRV_STORE_FULL && tries < 100; tries++) {
    usleep(50000);
    status = rig_put(r, SRV_STORE_BASE, "anew", (uint64_t[]){0, 3}, length);
  }
  CHECK_INT(status, SRV_STORE_OK);
}

/* Writes until the disk is full, and continues: acknowledged writes stay, and removals or more
 * space allow writing again. `more` makes space. */
static void fill_up(rig *r, void (*more)(rig *r)) {
  enum { LENGTH = 60000 };
  uint64_t written = 0;
  srv_store_status status = SRV_STORE_OK, health;
  char id[16], why[SRV_STORE_WHY];
  CHECK_INT(rig_put(r, SRV_STORE_BASE, "small", (uint64_t[]){0, 1}, 100), SRV_STORE_OK);
  while (status == SRV_STORE_OK && written < 1000) {
    snprintf(id, sizeof id, "s%d", (int)written);
    status = rig_put(r, SRV_STORE_BASE, id, (uint64_t[]){0, 1}, LENGTH);
    written += status == SRV_STORE_OK;
  }
  CHECK_INT(status, SRV_STORE_FULL);
  CHECK(written > 5 && written < 1000);
  for (int i = 0; i < 3; i++)
    CHECK_INT(rig_put(r, SRV_STORE_BASE, "more", (uint64_t[]){0, 1}, 20 * LENGTH), SRV_STORE_FULL);
  CHECK(srv_store_healthy(r->store, &health, why));
  for (uint64_t i = 0; i < written; i++) {
    srv_store_load load;
    snprintf(id, sizeof id, "s%d", (int)i);
    CHECK_INT(rig_load(r, SRV_STORE_SCENES, id, &load), SRV_STORE_OK);
    CHECK(load.count == 1 && record_is(&load.records[0], id, 1, LENGTH));
    srv_store_load_free(&load);
  }
  CHECK_INT(rig_revision(r, SRV_STORE_SCENES, "more"), 0);
  leave_by_removing(r, written, LENGTH);
  more(r);
  CHECK_INT(rig_put(r, SRV_STORE_BASE, "more", (uint64_t[]){0, 1}, 20 * LENGTH), SRV_STORE_OK);
  rig_close(r);
  CHECK(rig_open(r));
  CHECK_INT(rig_revision(r, SRV_STORE_SCENES, "more"), 1);
  CHECK_INT(rig_revision(r, SRV_STORE_SCENES, "s0"), 1);
}

/* Runs the body in a child process, so that limits and mounts end with it. */
static void in_child(void (*body)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    body();
    fflush(NULL);
    _exit(check_failures > 100 ? 100 : check_failures);
  }
  int status = 0;
  CHECK_INT(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void lift_limit(rig *r) {
  struct rlimit limit;
  (void)r;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void fill_to_a_limit(void) {
  rig r;
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  rig_begin(&r);
  CHECK(rig_open(&r));
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 2 << 20;
  setrlimit(RLIMIT_FSIZE, &limit);
  fill_up(&r, lift_limit);
  rig_end(&r);
}

static void a_file_at_its_limit_is_a_full_disk(void) { in_child(fill_to_a_limit); }

static void enlarge(rig *r) {
  CHECK_INT(mount("none", r->folder, "tmpfs", MS_REMOUNT, "size=16m"), 0);
}

static bool write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  bool reported = fputs(text, file) >= 0;
  return fclose(file) == 0 && reported;
}

/* A user other than root becomes root in a user namespace, if the kernel allows it. Files there
 * belong to the user only with an id map. */
static bool may_mount(void) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
  snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
  if (geteuid() == 0)
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_text("/proc/self/setgroups", "deny") &&
         write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}

static void fill_a_file_system(void) {
  rig r;
  rig_begin(&r);
  bool mounted = may_mount() && mount("none", r.folder, "tmpfs", 0, "size=4m") == 0;
  if (mounted) {
    CHECK(rig_open(&r));
    fill_up(&r, enlarge);
    rig_close(&r);
    CHECK_INT(umount2(r.folder, MNT_DETACH), 0);
  }
  rig_end(&r);
  /* Where nothing can be mounted, a limit on the size of files replaces the full disk. */
  if (!mounted) fill_to_a_limit();
}

static void a_full_file_system_refuses_writes_until_there_is_room(void) {
  in_child(fill_a_file_system);
}

static const check_test tests[] = {
    {"writes_that_wait_together_share_a_sync", writes_that_wait_together_share_a_sync},
    {"alternating_writers_converge_to_shared_syncs", alternating_writers_converge_to_shared_syncs},
    {"no_write_waits_for_writers_of_an_earlier_long_sync",
     no_write_waits_for_writers_of_an_earlier_long_sync},
    {"no_write_is_acknowledged_before_a_sync", no_write_is_acknowledged_before_a_sync},
    {"a_failed_sync_ends_all_writing", a_failed_sync_ends_all_writing},
    {"a_sync_that_fails_while_no_write_runs_is_reported_at_once",
     a_sync_that_fails_while_no_write_runs_is_reported_at_once},
    {"a_failed_write_ends_all_writing", a_failed_write_ends_all_writing},
    {"a_write_without_room_is_refused_and_the_next_succeeds",
     a_write_without_room_is_refused_and_the_next_succeeds},
    {"a_file_at_its_limit_is_a_full_disk", a_file_at_its_limit_is_a_full_disk},
    {"a_full_file_system_refuses_writes_until_there_is_room",
     a_full_file_system_refuses_writes_until_there_is_room}};

CHECK_MAIN(tests)
