/* The file store on a disk that loses power, also after a failed sync: acknowledged or read writes
 * are there afterwards, and no write is partly there. */
#include "tests/support/store_disk.h"
#include "tests/support/store_files.h"
#include "tests/support/store_history.h"

#define POWER_ROUNDS 30
/* Limit for a hanging test; an idle store cleans up within a second. */
#define IDLE_LIMIT_MS 60000

static size_t read_file(const char *folder, const char *name, void *bytes, size_t room) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int file = open(path, O_RDONLY);
  ssize_t size = file >= 0 ? read(file, bytes, room) : 0;
  if (file >= 0) close(file);
  return size > 0 ? (size_t)size : 0;
}

#define MARK_BYTES 64

/* Acknowledged writes and the content of the mark file after each round. */
static history histories[POWER_ROUNDS + 1];
static unsigned char marks[POWER_ROUNDS + 1][MARK_BYTES];
static size_t mark_sizes[POWER_ROUNDS + 1];

static void note_round(const rig *r, const history *h, int round) {
  histories[round] = *h;
  mark_sizes[round] = read_file(r->folder, "contactd.lock", marks[round], MARK_BYTES);
  disk_note(round);
}

/* Records the disk operations of a store's lifetime with checkpoints of the log. */
static void record_life(void) {
  rig r;
  history h = {{0}, {0}};
  rig_begin(&r);
  disk_reset();
  disk.records = true;
  CHECK(rig_open(&r));
  note_round(&r, &h, 0);
  for (int round = 1; round <= POWER_ROUNDS; round++) {
    CHECK_INT(write_round(&r, &h, SRV_STORE_OK), SCENES);
    note_round(&r, &h, round);
    if (round % 10 == 0) {
      rig_close(&r);
      CHECK(rig_open(&r));
    }
  }
  rig_end(&r);
  disk.records = false;
}

#define POWER_LIVES 3
#define POWER_LIFE_ROUNDS                                                                          \
  5 /* few enough that an idle store starts no checkpoint before it is killed */
#define POWER_LIFE_SYNCS                                                                           \
  8 /* one of these fails: a sync of the opening, of a round, or of the end */

/* Leaves the files as SIGKILL does. */
static void kill_life(rig *r) {
  files left = take_files(r);
  disk.records = false;
  rig_close(r);
  put_files(r, &left);
  free_files(&left);
  disk.records = true;
}

/* Records several lifetimes: in each but the last one sync fails, and the store is closed or
 * killed. What a lifetime reads counts as acknowledged. */
static void record_failing_lives(check_random *random) {
  rig r;
  history h = {{0}, {0}};
  int round = 0;
  rig_begin(&r);
  disk_reset();
  disk.records = true;
  for (int life = 1; life <= POWER_LIVES; life++) {
    disk.failed = false;
    disk.fail_sync =
        life < POWER_LIVES ? disk.syncs + 1 + (long)(check_next(random) % POWER_LIFE_SYNCS) : 0;
    bool opened = quietly_open(&r);
    CHECK(opened || disk.failed);
    if (opened) {
      check_history(&r, &h);
      note_round(&r, &h, round++);
    }
    for (int i = 0; i < POWER_LIFE_ROUNDS && opened && !disk.failed; i++) {
      write_round(&r, &h, SRV_STORE_FAILED);
      note_round(&r, &h, round++);
    }
    if (check_next(random) % 4) kill_life(&r);
    else rig_close(&r);
  }
  rig_end(&r);
  disk.records = false;
}

/* The last round that was complete when power was lost; the next one may have been in progress. */
static int round_before(size_t count) {
  int round = -1;
  for (size_t i = 0; i < count; i++)
    if (disk.events[i].act == DISK_NOTE) round = (int)disk.events[i].at;
  return round;
}

static void lose_power(check_random *random, disk_image images[DISK_FILES]) {
  rig r;
  size_t count = 1 + (size_t)(check_next(random) % disk.count);
  unsigned in = 2 + (unsigned)(check_next(random) % 4);
  int round = round_before(count);
  disk_state(count, random, in, images);
  rig_begin(&r);
  put_file(&r, "contactd.db", images[DISK_STORE].bytes, images[DISK_STORE].size);
  if (images[DISK_LOG].size)
    put_file(&r, "contactd.db-wal", images[DISK_LOG].bytes, images[DISK_LOG].size);
  if (round >= 0) put_file(&r, "contactd.lock", marks[round], mark_sizes[round]);
  /* Before the first opening has ended nothing was acknowledged. */
  bool good = round >= 0 ? rig_open(&r) : quietly_open(&r);
  CHECK(good || round < 0);
  if (good) {
    history h = round >= 0 ? histories[round] : (history){{0}, {0}};
    for (int s = 0; s < SCENES; s++) h.submitted[s] = h.acknowledged[s] + 1;
    check_history(&r, &h);
    CHECK_INT(write_round(&r, &h, SRV_STORE_OK), SCENES);
  }
  if (check_failures)
    fprintf(stderr, "  after %zu events of %zu, 1 in %u sectors lost\n", count, disk.count, in);
  rig_end(&r);
}

static void a_loss_of_power_at_any_moment_loses_no_acknowledged_write(void) {
  check_random random = {2026};
  disk_image images[DISK_FILES] = {{0}};
  disk_install();
  record_life();
  int states = getenv("CONTACTD_FULL") ? 20000 : 400;
  for (int i = 0; i < states && !check_failures; i++) lose_power(&random, images);
  for (int file = 0; file < DISK_FILES; file++) free(images[file].bytes);
  disk_reset();
}

static void a_loss_of_power_after_a_failed_sync_loses_no_acknowledged_write(void) {
  check_random random = {2027};
  disk_image images[DISK_FILES] = {{0}};
  disk_install();
  int records = getenv("CONTACTD_FULL") ? 1000 : 40;
  for (int i = 0; i < records && !check_failures; i++) {
    record_failing_lives(&random);
    for (int state = 0; state < 10 && !check_failures; state++) lose_power(&random, images);
  }
  for (int file = 0; file < DISK_FILES; file++) free(images[file].bytes);
  disk_reset();
}

/* After the whole recording there are two scenes, the first with this number of records. */
static void check_what_is_left(check_random *random, disk_image images[DISK_FILES],
                               size_t records) {
  rig r;
  rig_begin(&r);
  disk_state(disk.count, random, 2, images);
  put_file(&r, "contactd.db", images[DISK_STORE].bytes, images[DISK_STORE].size);
  if (images[DISK_LOG].size)
    put_file(&r, "contactd.db-wal", images[DISK_LOG].bytes, images[DISK_LOG].size);
  CHECK(rig_open(&r));
  for (int s = 0; s < 2 && r.store; s++) {
    srv_store_load load;
    CHECK_INT(rig_load(&r, SRV_STORE_SCENES, scene_id(s), &load), SRV_STORE_OK);
    CHECK_INT(load.count, s ? 1 : records);
    srv_store_load_free(&load);
  }
  rig_end(&r);
}

/* On a copy-on-write file system a rewrite of the log needs free space. Without it the store opens
 * for reading, and all writes fail until there is space. */
static void a_log_without_room_for_its_rewrite_is_read(void) {
  check_random random = {2029};
  disk_image images[DISK_FILES] = {{0}};
  rig r;
  disk_install();
  rig_begin(&r);
  disk_reset();
  disk.records = true;
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(0), 0, 1, 20000), SRV_STORE_OK);
  disk.fail_sync = disk.syncs + 1;
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, scene_id(0), 1, 2, 20000), SRV_STORE_FAILED);
  kill_life(&r);
  disk.code = SQLITE_FULL;
  disk.fail_write = disk.writes + 1;
  disk.fail_count = 1000000;
  long syncs = disk.syncs;
  CHECK(rig_open(&r));
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, scene_id(0)), 2);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(1), 0, 1, 100), SRV_STORE_FULL);
  CHECK_INT(disk.syncs, syncs);
  disk.fail_write = 0;
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(1), 0, 1, 100), SRV_STORE_OK);
  kill_life(&r);
  rig_end(&r);
  disk.records = false;
  for (int state = 0; state < 20 && !check_failures; state++)
    check_what_is_left(&random, images, 2);
  for (int file = 0; file < DISK_FILES; file++) free(images[file].bytes);
  disk_reset();
}

/* There is space for a commit but not for a rewrite of the log before it: a refused write must not
 * reappear at a later opening that has space. */
static void a_write_that_is_refused_for_an_old_log_stays_refused(void) {
  rig r;
  disk_install();
  rig_begin(&r);
  disk_reset();
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(0), 0, 1, 20000), SRV_STORE_OK);
  kill_life(&r);
  disk.code = SQLITE_FULL;
  disk.fail_write = disk.writes + 1;
  disk.fail_count = 1000000;
  disk.fail_below = 1;
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(1), 0, 1, 100), SRV_STORE_FULL);
  kill_life(&r);
  disk.fail_write = 0;
  CHECK(rig_open(&r));
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, scene_id(0)), 1);
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, scene_id(1)), 0);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(1), 0, 1, 100), SRV_STORE_OK);
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, scene_id(1)), 1);
  kill_life(&r);
  rig_end(&r);
  disk_reset();
}

/* Pages that are checkpointed during a read transaction are synced together with the later ones. If
 * that sync fails, these pages are in the log alone, and the log must stay. */
static void a_partly_checkpointed_log_survives_a_failed_sync(void) {
  check_random random = {2028};
  disk_image images[DISK_FILES] = {{0}};
  char path[200];
  srv_store_status health = SRV_STORE_OK;
  char why[SRV_STORE_WHY];
  sqlite3 *other = NULL;
  rig r;
  disk_install();
  rig_begin(&r);
  disk_reset();
  disk.records = true;
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(0), 0, 1, 40000), SRV_STORE_OK);
  path_of(&r, "contactd.db", path);
  CHECK_INT(sqlite3_open(path, &other), SQLITE_OK);
  CHECK_INT(sqlite3_exec(other, "BEGIN; SELECT count(*) FROM keys", NULL, NULL, NULL), SQLITE_OK);
  long syncs = disk_log_syncs();
  CHECK_INT(PUT(&r, SRV_STORE_BASE, scene_id(1), 0, 1, 3 << 20), SRV_STORE_OK);
  for (int tries = 0; disk_log_syncs() < syncs + 2 && tries < IDLE_LIMIT_MS; tries++) uv_sleep(1);
  CHECK_INT(disk_log_syncs(), syncs + 2);
  /* The log's sync comes first. */
  disk_fail_sync(2);
  CHECK_INT(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
  for (int tries = 0; srv_store_healthy(r.store, &health, why) && tries < IDLE_LIMIT_MS; tries++)
    uv_sleep(1);
  CHECK_INT(health, SRV_STORE_FAILED);
  sqlite3_close(other);
  rig_end(&r);
  disk.records = false;
  for (int state = 0; state < 20 && !check_failures; state++)
    check_what_is_left(&random, images, 1);
  for (int file = 0; file < DISK_FILES; file++) free(images[file].bytes);
  disk_reset();
}

static const check_test tests[] = {
    {"a_loss_of_power_at_any_moment_loses_no_acknowledged_write",
     a_loss_of_power_at_any_moment_loses_no_acknowledged_write},
    {"a_loss_of_power_after_a_failed_sync_loses_no_acknowledged_write",
     a_loss_of_power_after_a_failed_sync_loses_no_acknowledged_write},
    {"a_write_that_is_refused_for_an_old_log_stays_refused",
     a_write_that_is_refused_for_an_old_log_stays_refused},
    {"a_log_without_room_for_its_rewrite_is_read", a_log_without_room_for_its_rewrite_is_read},
    {"a_partly_checkpointed_log_survives_a_failed_sync",
     a_partly_checkpointed_log_survives_a_failed_sync}};

CHECK_MAIN(tests)
