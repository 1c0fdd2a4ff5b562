/* The store in Redis: promises of every store, two daemons at one store, and errors of Redis. */
#include "tests/support/redis_server.h"
#include "tests/support/store_promises.h"

static unsigned databases;

static void another_database(rig *r) {
  if (!redis_pid) redis_start(NULL, NULL);
  snprintf(r->url, sizeof r->url, "redis://127.0.0.1:%d/%u?commandMs=20000", redis_port,
           databases++);
}

/* Sends a command to Redis at the rig's database; copies the first line of the reply without its
 * end. */
static void say(const rig *r, const char *words, char *out, size_t size) {
  char command[400];
  snprintf(command, sizeof command, "redis-cli -p %d -n %ld %s 2>&1", redis_port,
           strtol(strrchr(r->url, '/') + 1, NULL, 10), words);
  FILE *in = popen(command, "r");
  out[0] = 0;
  if (!in || !fgets(out, (int)size, in)) CHECK(out[0] == 0);
  if (in) pclose(in);
  out[strcspn(out, "\n")] = 0;
}

static void tell_redis(const rig *r, const char *words) {
  char answer[200];
  say(r, words, answer, sizeof answer);
}

/* A second daemon at the same store. */
static void begin_other(rig *other, const rig *r) {
  rig_begin(other);
  snprintf(other->url, sizeof other->url, "%s", r->url);
  CHECK(rig_open(other));
}

/* ---- promises of Redis ---------------------------------------------------------------------- */

/* Waits until no rewrite of Redis' append-only file is in progress or scheduled. */
static void await_file(const rig *r) {
  char under_way[40] = "1";
  while (strcmp(under_way, "0") != 0)
    say(r, "info persistence | grep -c 'aof_rewrite_\\(in_progress\\|scheduled\\):1'", under_way,
        sizeof under_way);
}

/* Redis may have started a rewrite of its append-only file by itself; a new connection cannot
 * distinguish this rewrite from the first one. */
static void await_redis(rig *r) {
  while (strcmp(r->store->durability, "memory") == 0) {
    await_file(r);
    rig_close(r);
    CHECK(rig_open(r));
  }
}

static void durability_is_what_the_settings_of_redis_promise(void) {
  WITH_RIG(r);
  static const struct {
    const char *words, *durability;
  } cases[] = {{"config set appendfsync everysec", "memory"},
               {"config set appendfsync always", "redis"},
               {"config set appendonly no", "memory"},
               {"config set appendonly yes", "redis"},
               {"config set maxmemory-policy allkeys-lfu", "memory"},
               {"config set maxmemory-policy volatile-ttl", "redis"},
               {"config set no-appendfsync-on-rewrite yes", "memory"},
               {"config set no-appendfsync-on-rewrite no", "redis"}};
  await_redis(&r);
  CHECK_TEXT(r.store->durability, "redis");
  CHECK(r.store->shared);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    tell_redis(&r, cases[i].words);
    await_file(&r);
    rig_close(&r);
    CHECK(rig_open(&r));
    if (strcmp(cases[i].durability, "redis") == 0) await_redis(&r);
    CHECK_TEXT(r.store->durability, cases[i].durability);
  }
  rig_end(&r);
}

/* ---- two daemons ---------------------------------------------------------------------------- */

static void a_write_of_one_daemon_is_visible_to_the_other_at_once(void) {
  WITH_RIG(r);
  rig other;
  begin_other(&other, &r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 9000000), SRV_STORE_OK);
  CHECK_INT(rig_revision(&other, SRV_STORE_SCENES, "a"), 1);
  CHECK_RECORDS(&other, "a", {true, 1, 9000000});
  CHECK_INT(PUT(&other, SRV_STORE_CHANGE, "a", 1, 2, 10), SRV_STORE_OK);
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "a"), 2);
  CHECK_MOVED(&r, SRV_STORE_CHANGE, "a", 1, 2, 2);
  CHECK_INT(PUT(&other, SRV_STORE_REMOVE, "a", 2, 3, 0), SRV_STORE_OK);
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "a"), 0);
  rig_end(&other);
  rig_end(&r);
}

/* Both write as fast as they can, each from the revision that it knows; after a conflict it takes
 * the current revision from the reply. */
static void concurrent_writes_of_two_daemons_have_different_revisions(void) {
  WITH_RIG(r);
  rig other;
  begin_other(&other, &r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 10), SRV_STORE_OK);
  rig *rigs[2] = {&r, &other};
  uint64_t known[2] = {1, 1}, wins[2] = {0, 0};
  for (int round = 0; round < 150; round++) {
    srv_store_write writes[2];
    for (int i = 0; i < 2; i++) {
      /* The length identifies the writer. */
      writes[i] = write_of(SRV_STORE_CHANGE, "a", known[i], known[i] + 1, (size_t)(20 + i));
      rig_submit(rigs[i], &writes[i]);
    }
    for (int i = 0; i < 2; i++) {
      int k = (i + round) % 2;
      rig_wait(rigs[k]);
      bool good = writes[k].status == SRV_STORE_OK;
      CHECK(good || writes[k].status == SRV_STORE_CONFLICT);
      known[k] = good ? known[k] + 1 : writes[k].current;
      wins[k] += good;
      free((char *)(uintptr_t)writes[k].bytes);
    }
  }
  srv_store_load load;
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_OK);
  CHECK_INT(load.count, 1 + wins[0] + wins[1]);
  uint64_t of[2] = {0, 0};
  for (size_t i = 1; i < load.count; i++) {
    CHECK_INT(load.records[i].revision, i + 1);
    CHECK(load.records[i].length == 20 || load.records[i].length == 21);
    of[load.records[i].length == 21]++;
  }
  CHECK(of[0] == wins[0] && of[1] == wins[1]);
  srv_store_load_free(&load);
  rig_end(&other);
  rig_end(&r);
}

/* Fencing: a daemon that was suspended while the scene was deleted and created again with the same
 * id is refused, for any revision numbers. */
static void a_daemon_suspended_while_its_scene_was_recreated_is_refused(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 10), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 1, 2, 10), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "a", 2, 3, 0), SRV_STORE_OK);
  /* A new scene starts above all earlier revisions of any scene. */
  for (uint64_t revision = 1; revision <= 3; revision++) {
    srv_store_write low = tried(&r, SRV_STORE_BASE, "a", 0, revision);
    CHECK_INT(low.status, SRV_STORE_CONFLICT);
    CHECK_INT(low.current, 0);
    CHECK_INT(low.last_revision, 3);
    CHECK_INT(tried(&r, SRV_STORE_BASE, "b", 0, revision).status, SRV_STORE_CONFLICT);
  }
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 4, 10), SRV_STORE_OK);
  CHECK_MOVED(&r, SRV_STORE_CHANGE, "a", 2, 3, 4);
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 2, 4);
  CHECK_MOVED(&r, SRV_STORE_REMOVE, "a", 2, 3, 4);
  /* A revision must increase. */
  CHECK_MOVED(&r, SRV_STORE_CHANGE, "a", 4, 4, 4);
  CHECK_MOVED(&r, SRV_STORE_BASE, "a", 4, 3, 4);
  CHECK_RECORDS(&r, "a", {true, 4, 10});
  rig_end(&r);
}

/* A long record is written in several parts; a later write of its key comes after it. */
static void a_write_behind_a_long_one_takes_effect_after_it(void) {
  WITH_RIG(r);
  srv_store_write writes[] = {
      write_of(SRV_STORE_BASE, "a", 0, 1, 30000000), write_of(SRV_STORE_CHANGE, "a", 1, 2, 10),
      write_of(SRV_STORE_CHANGE, "a", 2, 3, 5000000), write_of(SRV_STORE_CHANGE, "a", 3, 4, 20)};
  for (int i = 0; i < 4; i++) rig_submit(&r, &writes[i]);
  rig_wait(&r);
  for (int i = 0; i < 4; i++) {
    CHECK_INT(writes[i].status, SRV_STORE_OK);
    CHECK_TEXT(writes[i].why, "");
    free((char *)(uintptr_t)writes[i].bytes);
  }
  CHECK_RECORDS(&r, "a", {true, 1, 30000000}, {false, 2, 10}, {false, 3, 5000000}, {false, 4, 20});
  char answer[100];
  say(&r, "keys contactd:stage:*", answer, sizeof answer);
  CHECK_TEXT(answer, "");
  rig_end(&r);
}

/* ---- errors of Redis ------------------------------------------------------------------------- */

#define CHECK_SAYS(write, expected, part)                                                          \
  do {                                                                                             \
    srv_store_write said = write;                                                                  \
    CHECK_INT(said.status, expected);                                                              \
    CHECK(strstr(said.why, part));                                                                 \
  } while (0)

static void each_refusal_of_redis_has_its_own_message_and_is_temporary(void) {
  static const struct {
    const char *on, *off;
    srv_store_status status;
    const char *part;
  } cases[] = {
      {"config set maxmemory 1", "config set maxmemory 0", SRV_STORE_FULL, "maxmemory"},
      {"replicaof 127.0.0.1 1", "replicaof no one", SRV_STORE_UNAVAILABLE, "replica"},
      {"config set min-replicas-to-write 3", "config set min-replicas-to-write 0",
       SRV_STORE_UNAVAILABLE, "replicas"},
      {"set contactd:scenes text", "del contactd:scenes", SRV_STORE_DAMAGED, "contactd's type"},
      {"hset contactd:store format 3", "del contactd:store", SRV_STORE_UNAVAILABLE,
       "another format"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    WITH_RIG(r);
    tell_redis(&r, cases[i].on);
    CHECK_SAYS(tried(&r, SRV_STORE_BASE, "a", 0, 1), cases[i].status, cases[i].part);
    tell_redis(&r, cases[i].off);
    CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "a"), 0);
    CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 20), SRV_STORE_OK);
    CHECK_RECORDS(&r, "a", {true, 1, 20});
    rig_end(&r);
  }
}

/* Without memory Redis refuses new records, but scenes can be deleted. */
static void a_full_redis_deletes_scenes(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 2000000), SRV_STORE_OK);
  tell_redis(&r, "config set maxmemory 1");
  CHECK_SAYS(tried(&r, SRV_STORE_CHANGE, "a", 1, 2), SRV_STORE_FULL, "maxmemory");
  srv_store_write large = write_of(SRV_STORE_BASE, "b", 0, 1, 5000000);
  CHECK_INT(rig_write(&r, &large), SRV_STORE_FULL);
  free((char *)(uintptr_t)large.bytes);
  CHECK_RECORDS(&r, "a", {true, 1, 2000000});
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "a", 1, 2, 0), SRV_STORE_OK);
  CHECK_INT(last_revision(&r), 2);
  tell_redis(&r, "config set maxmemory 0");
  rig_end(&r);
}

static void a_script_that_redis_lost_is_loaded_again(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 20), SRV_STORE_OK);
  tell_redis(&r, "script flush");
  srv_store_write writes[5];
  for (int i = 0; i < 5; i++) {
    writes[i] = write_of(SRV_STORE_CHANGE, "a", (uint64_t)i + 1, (uint64_t)i + 2, 20);
    rig_submit(&r, &writes[i]);
  }
  rig_wait(&r);
  for (int i = 0; i < 5; i++) {
    CHECK_INT(writes[i].status, SRV_STORE_OK);
    free((char *)(uintptr_t)writes[i].bytes);
  }
  rig_end(&r);
}

static void entries_of_other_programs_are_damage(void) {
  WITH_RIG(r);
  static const char *const spoils[] = {"hset contactd:scenes a nonsense",
                                       "hset contactd:scenes a '3 0 1'",
                                       "lset contactd:heads:scenes:a 1 '3 1 1 20 2'",
                                       "lset contactd:heads:scenes:a 1 '2 1 1 21 2'",
                                       "rpush contactd:parts:scenes:a x",
                                       "ltrim contactd:parts:scenes:a 0 0",
                                       "ltrim contactd:heads:scenes:a 1 -1",
                                       "del contactd:heads:scenes:a",
                                       "lset contactd:heads:scenes:a 1 '2 1 1 20 2'"};
  for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
    uint64_t first = 10 * i + 1;
    tell_redis(&r, "flushdb");
    CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, first, 20), SRV_STORE_OK);
    CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", first, first + 1, 20), SRV_STORE_OK);
    tell_redis(&r, spoils[i]);
    srv_store_load load;
    CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_DAMAGED);
    CHECK(load.count == 0 && load.why[0]);
  }
  rig_end(&r);
}

#define MOST UINT64_C(9223372036854775807)

/* Revision numbers that leave no successor count as damage, and none is assigned. */
static void revisions_out_of_range_are_damage(void) {
  WITH_RIG(r);
  srv_store_lookup look;
  char last[40];
  tell_redis(&r, "hset contactd:scenes a '18446744073709551615 0 1' b '9223372036854775808 0 1'");
  CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "a", &look), SRV_STORE_DAMAGED);
  CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "", &look), SRV_STORE_DAMAGED);
  CHECK(strstr(look.why, ": a") || strstr(look.why, ": b"));
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "a", UINT64_MAX, 0, 0), SRV_STORE_DAMAGED);
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "b", MOST + 1, MOST + 2, 0), SRV_STORE_DAMAGED);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "c", 0, MOST + 1, 20), SRV_STORE_DAMAGED);
  say(&r, "hexists contactd:store last", last, sizeof last);
  CHECK_TEXT(last, "0");
  tell_redis(&r, "del contactd:scenes");
  static const char *const lasts[] = {"18446744073709551615", "9223372036854775808",
                                      "99999999999999999999999", "-1", "mine"};
  for (size_t i = 0; i < sizeof lasts / sizeof lasts[0]; i++) {
    char words[80];
    snprintf(words, sizeof words, "hset contactd:store last %s", lasts[i]);
    tell_redis(&r, words);
    CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "", &look), SRV_STORE_DAMAGED);
    CHECK(strstr(look.why, "contactd:store"));
    CHECK_INT(PUT(&r, SRV_STORE_BASE, "c", 0, 1, 20), SRV_STORE_DAMAGED);
  }
  /* The greatest valid number. */
  tell_redis(&r, "hset contactd:store last 9223372036854775806");
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "c", 0, MOST, 20), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "c", MOST, MOST + 1, 20), SRV_STORE_DAMAGED);
  CHECK(rig_revision(&r, SRV_STORE_SCENES, "c") == MOST);
  rig_end(&r);
}

/* ---- one number, two writes ----------------------------------------------------------------- */

/* A write of the scene "a" with the revision and stamp that it follows. */
static srv_store_status follow(rig *r, srv_store_operation act, uint64_t before,
                               uint64_t before_stamp, uint64_t revision, uint64_t *stamp) {
  srv_store_write write = write_of(act, "a", before, revision, 20);
  write.before_stamp = before_stamp;
  rig_submit(r, &write);
  rig_wait(r);
  if (write.status == SRV_STORE_CONFLICT) CHECK_INT(write.current, 2);
  *stamp = write.status == SRV_STORE_CONFLICT ? write.current_stamp : write.stamp;
  free((char *)(uintptr_t)write.bytes);
  return write.status;
}

/* Redis is reset to revision 1, and another write creates a revision 2. */
static void a_write_on_a_reused_revision_number_is_refused(void) {
  WITH_RIG(r);
  uint64_t first, lost, made, reported;
  CHECK_INT(follow(&r, SRV_STORE_BASE, 0, 0, 1, &first), SRV_STORE_OK);
  CHECK_INT(follow(&r, SRV_STORE_CHANGE, 1, first, 2, &lost), SRV_STORE_OK);
  tell_redis(&r, "flushdb");
  CHECK_INT(follow(&r, SRV_STORE_BASE, 0, 0, 1, &first), SRV_STORE_OK);
  CHECK_INT(follow(&r, SRV_STORE_CHANGE, 1, first, 2, &made), SRV_STORE_OK);
  CHECK(first != 0 && made != 0 && made != lost && made != first);
  static const srv_store_operation acts[] = {SRV_STORE_CHANGE, SRV_STORE_BASE, SRV_STORE_REMOVE};
  for (int i = 0; i < 3; i++) {
    CHECK_INT(follow(&r, acts[i], 2, lost, 3, &reported), SRV_STORE_CONFLICT);
    CHECK(reported == made);
  }
  CHECK_INT(follow(&r, SRV_STORE_COMPACT, 0, lost, 2, &reported), SRV_STORE_CONFLICT);
  CHECK_RECORDS(&r, "a", {true, 1, 20}, {false, 2, 20});
  CHECK_INT(follow(&r, SRV_STORE_COMPACT, 0, made, 2, &reported), SRV_STORE_OK);
  CHECK_RECORDS(&r, "a", {true, 2, 20});
  CHECK_INT(follow(&r, SRV_STORE_CHANGE, 2, made, 3, &reported), SRV_STORE_OK);
  CHECK_RECORDS(&r, "a", {true, 2, 20}, {false, 3, 20});
  rig_end(&r);
}

/* ---- expiry of shapes ------------------------------------------------------------------------ */

/* A write of the shape "box" with the entry known to the writer. */
static srv_store_status of_box(rig *r, srv_store_operation act, const srv_store_entry *known) {
  srv_store_write write = {
      .space = SRV_STORE_SHAPES, .id = "box", .act = act, .before = 1, .revision = 1};
  if (known) write.before_stamp = known->stamp;
  if (known) write.bodies = known->bodies;
  return rig_write(r, &write);
}

static srv_store_entry entry_of_box(rig *r) {
  srv_store_lookup look;
  srv_store_entry entry = {0};
  CHECK_INT(rig_look(r, SRV_STORE_SHAPES, "box", &look), SRV_STORE_OK);
  if (look.count == 1) entry = look.entries[0];
  free(look.entries);
  return entry;
}

static void the_removal_of_a_shape_used_since_is_refused(void) {
  WITH_RIG(r);
  rig other;
  begin_other(&other, &r);
  CHECK_INT(of_box(&r, SRV_STORE_SEEN, NULL), SRV_STORE_CONFLICT);
  CHECK_INT(shape(&r, SRV_STORE_BASE, "box"), SRV_STORE_OK);
  srv_store_entry made = entry_of_box(&r);
  CHECK_INT(of_box(&other, SRV_STORE_SEEN, NULL), SRV_STORE_OK);
  srv_store_entry seen = entry_of_box(&r);
  CHECK(seen.stamp == made.stamp && seen.bodies != made.bodies);
  CHECK_INT(of_box(&r, SRV_STORE_REMOVE, &made), SRV_STORE_CONFLICT);
  srv_store_load load;
  CHECK_INT(rig_load(&r, SRV_STORE_SHAPES, "box", &load), SRV_STORE_OK);
  srv_store_load_free(&load);
  /* A scene that names the shape leaves the entry unchanged and prevents its deletion; the last
   * scene that stops naming it updates the entry. */
  CHECK_INT(naming(&other, SRV_STORE_BASE, 0, "box,"), SRV_STORE_OK);
  CHECK_INT(naming(&other, SRV_STORE_BASE, 1, "box,"), SRV_STORE_OK);
  CHECK(entry_of_box(&r).bodies == seen.bodies);
  CHECK_INT(of_box(&r, SRV_STORE_REMOVE, &seen), SRV_STORE_IN_USE);
  CHECK_INT(naming(&other, SRV_STORE_CHANGE, 2, ""), SRV_STORE_OK);
  CHECK_INT(of_box(&r, SRV_STORE_REMOVE, &seen), SRV_STORE_CONFLICT);
  seen = entry_of_box(&r);
  CHECK_INT(naming(&other, SRV_STORE_CHANGE, 3, "box,"), SRV_STORE_OK);
  CHECK_INT(PUT(&other, SRV_STORE_REMOVE, "scene", 4, 5, 0), SRV_STORE_OK);
  CHECK_INT(of_box(&r, SRV_STORE_REMOVE, &seen), SRV_STORE_CONFLICT);
  seen = entry_of_box(&r);
  CHECK_INT(of_box(&r, SRV_STORE_REMOVE, &seen), SRV_STORE_OK);
  CHECK_INT(of_box(&other, SRV_STORE_SEEN, NULL), SRV_STORE_CONFLICT);
  /* A new shape with the same id is a different one, with any number. */
  CHECK_INT(shape(&r, SRV_STORE_BASE, "box"), SRV_STORE_OK);
  CHECK_INT(of_box(&r, SRV_STORE_REMOVE, &made), SRV_STORE_CONFLICT);
  rig_end(&other);
  rig_end(&r);
}

/* ---- lost connections ------------------------------------------------------------------------ */

static double seconds_since(uint64_t from) { return (double)(uv_hrtime() - from) / 1e9; }

/* A request that waits for Redis takes a second. Once Redis is known to hang, twenty requests take
 * less than two such waits. */
static void requests_do_not_wait_for_a_hanging_redis_and_recover(void) {
  rig r;
  rig_begin(&r);
  *strchr(r.url, '?') = 0; /* the default timeouts of the store */
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 20), SRV_STORE_OK);
  kill(redis_pid, SIGSTOP);
  uint64_t from = uv_hrtime();
  CHECK_SAYS(tried(&r, SRV_STORE_CHANGE, "a", 1, 2), SRV_STORE_UNAVAILABLE, "it is unknown");
  double waited = seconds_since(from);
  CHECK(waited > 0.9);
  srv_store_load load;
  srv_store_lookup look;
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_UNAVAILABLE);
  CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "a", &look), SRV_STORE_UNAVAILABLE);
  /* By now the store knows that nobody replies. */
  from = uv_hrtime();
  for (int i = 0; i < 20; i++)
    CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "", &look), SRV_STORE_UNAVAILABLE);
  CHECK(seconds_since(from) < 2 * waited);
  srv_store_status status;
  char why[SRV_STORE_WHY];
  CHECK(!srv_store_healthy(r.store, &status, why));
  CHECK_INT(status, SRV_STORE_UNAVAILABLE);
  kill(redis_pid, SIGCONT);
  from = uv_hrtime();
  while (!srv_store_healthy(r.store, &status, why) && seconds_since(from) < 60)
    uv_run(&r.loop, UV_RUN_ONCE);
  CHECK(srv_store_healthy(r.store, &status, why));
  /* The write may have been carried out in spite of the lost reply. */
  uint64_t revision = rig_revision(&r, SRV_STORE_SCENES, "a");
  CHECK(revision == 1 || revision == 2);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", revision, 3, 20), SRV_STORE_OK);
  rig_end(&r);
}

static void invalid_urls_of_redis_are_refused(void) {
  static const char *const urls[] = {
      "http://127.0.0.1",      "redis://",           "redis://:6379",         "redis://h:0",
      "redis://h:99999",       "redis://h:1/x",      "redis://[::1",          "redis://u:secret@h",
      "redis://u@127.0.0.1:1", "redis://h:1/999999", "redis://h?commandMs=1", "redis://h?x=1"};
  rig r;
  rig_begin(&r);
  srv_store_redis_options from = {.url_given = "--store",
                                  .password_file_given = "--store-password-file"};
  for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
    from.url = urls[i];
    CHECK(!srv_store_redis_open(&r.loop, &from));
  }
  from.url = r.url;
  from.password_file = "/nonexistent/password";
  CHECK(!srv_store_redis_open(&r.loop, &from));
  from.password_file = "/dev/null";
  CHECK(!srv_store_redis_open(&r.loop, &from));
  rig_end(&r);
}

static const check_test tests[] = {
    STORE_PROMISES,
    {"durability_is_what_the_settings_of_redis_promise",
     durability_is_what_the_settings_of_redis_promise},
    {"a_write_of_one_daemon_is_visible_to_the_other_at_once",
     a_write_of_one_daemon_is_visible_to_the_other_at_once},
    {"concurrent_writes_of_two_daemons_have_different_revisions",
     concurrent_writes_of_two_daemons_have_different_revisions},
    {"a_daemon_suspended_while_its_scene_was_recreated_is_refused",
     a_daemon_suspended_while_its_scene_was_recreated_is_refused},
    {"a_write_behind_a_long_one_takes_effect_after_it",
     a_write_behind_a_long_one_takes_effect_after_it},
    {"each_refusal_of_redis_has_its_own_message_and_is_temporary",
     each_refusal_of_redis_has_its_own_message_and_is_temporary},
    {"a_full_redis_deletes_scenes", a_full_redis_deletes_scenes},
    {"a_script_that_redis_lost_is_loaded_again", a_script_that_redis_lost_is_loaded_again},
    {"entries_of_other_programs_are_damage", entries_of_other_programs_are_damage},
    {"revisions_out_of_range_are_damage", revisions_out_of_range_are_damage},
    {"a_write_on_a_reused_revision_number_is_refused",
     a_write_on_a_reused_revision_number_is_refused},
    {"the_removal_of_a_shape_used_since_is_refused", the_removal_of_a_shape_used_since_is_refused},
    {"requests_do_not_wait_for_a_hanging_redis_and_recover",
     requests_do_not_wait_for_a_hanging_redis_and_recover},
    {"invalid_urls_of_redis_are_refused", invalid_urls_of_redis_are_refused}};

int main(int argc, char **argv) {
  rig_place = another_database;
  return check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
