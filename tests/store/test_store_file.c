/* The file of the store: whose it is, its format, kill -9, and what a changed byte anywhere in it does. */
#include "server/store_sqlite.h"
#include "tests/support/store_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#define PUT(r, act, id, before, revision, length) rig_put(r, act, id, (uint64_t[]){before, revision}, length)

/* Tries to open the store. The sentence that it says when it is refused; "": it was opened. */
static const char *refusal(rig *r) {
  static char said[400];
  char path[] = "/tmp/store-said-XXXXXX";
  fflush(stderr);
  int kept = dup(2), file = mkstemp(path);
  dup2(file, 2);
  bool good = rig_open(r);
  dup2(kept, 2);
  close(kept);
  ssize_t length = pread(file, said, sizeof said - 1, 0);
  said[length > 0 ? length : 0] = 0;
  close(file);
  unlink(path);
  CHECK_INT(good, said[0] == 0);
  return said;
}

#define CHECK_REFUSED(r, words)                                                                                                    \
  do {                                                                                                                             \
    const char *sentence = refusal(r);                                                                                             \
    if (!strstr(sentence, words)) CHECK_FAIL("no \"%s\" in \"%s\"", words, sentence);                                              \
    CHECK(strncmp(sentence, "contactd: ", 10) == 0 && strchr(sentence, '\n') == strrchr(sentence, '\n'));                          \
  } while (0)

static void path_of(const rig *r, const char *name, char path[200]) { snprintf(path, 200, "%s/%s", r->folder, name); }

static void put_file(const rig *r, const char *name, const void *bytes, size_t size) {
  char path[200];
  path_of(r, name, path);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
  close(file);
}

/* NULL: there is none. */
static unsigned char *get_file(const rig *r, const char *name, size_t *size) {
  char path[200];
  struct stat s;
  path_of(r, name, path);
  int file = open(path, O_RDONLY);
  if (file < 0) return NULL;
  fstat(file, &s);
  *size = (size_t)s.st_size;
  unsigned char *bytes = malloc(*size + 1);
  CHECK(read(file, bytes, *size) == s.st_size);
  close(file);
  return bytes;
}

/* ---- whose ----------------------------------------------------------------------------------------------------------- */

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
  CHECK_REFUSED(&r, "No such file or directory");
  snprintf(r.folder, sizeof r.folder, "/dev/null");
  CHECK_REFUSED(&r, "Not a directory");
  /* Nobody writes there, root neither. */
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

static void files_of_others_are_refused_and_left_alone(void) {
  rig r;
  rig_begin(&r);
  char path[200],
      *lines =
          "These are notes. They are no database, and longer than the header of one would have to be, which is a hundred bytes.\n";
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
  CHECK_INT(sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(7)", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  CHECK_REFUSED(&r, "not a store of contactd");
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  CHECK_INT(sqlite3_exec(db, "INSERT INTO t VALUES(8); PRAGMA application_id=77", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  CHECK_REFUSED(&r, "not a store of contactd");
  rig_end(&r);
}

/* ---- format ---------------------------------------------------------------------------------------------------------- */

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

static void a_newer_format_is_refused_and_left_alone(void) {
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

/* A program of the next format, whose step is sound or breaks off. */
static void an_older_format_is_brought_up_whole_or_not_at_all(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 10000), SRV_STORE_OK);
  rig_close(&r);
  const char *sql[] = {srv_sqlite_format.sql[0],
                       "CREATE TABLE further(a); UPDATE store SET commits = 1000; CREATE TABLE further(a);"};
  const srv_sqlite_steps next = {.sql = sql, .count = 2};
  char path[200], why[SRV_STORE_WHY];
  path_of(&r, "contactd.db", path);
  CHECK_INT(srv_sqlite_format.count, 1);
  for (int sound = 0; sound < 2; sound++) {
    if (sound) sql[1] = "CREATE TABLE further(a); UPDATE store SET commits = 1000;";
    sqlite3 *db = open_file(&r, "contactd.db");
    CHECK_INT(srv_sqlite_bring_up(db, path, &next, false, why), sound);
    CHECK_INT(number_of(db, "PRAGMA user_version"), 1 + sound);
    CHECK_INT(number_of(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'further'"), sound);
    CHECK_INT(number_of(db, "SELECT commits FROM store"), sound ? 1000 : 1);
    CHECK_INT(number_of(db, "SELECT count(*) FROM keys"), 1);
    sqlite3_close(db);
    /* The copy is what the file was. */
    db = open_file(&r, "contactd.db.format-1");
    CHECK_INT(number_of(db, "PRAGMA user_version"), 1);
    CHECK_INT(number_of(db, "SELECT commits FROM store"), 1);
    CHECK_INT(number_of(db, "SELECT length(bytes) FROM records"), 10000);
    sqlite3_close(db);
  }
  CHECK_REFUSED(&r, "format 2");
  /* The copy in its place is a store again. */
  char copy[200];
  path_of(&r, "contactd.db.format-1", copy);
  CHECK_INT(rename(copy, path), 0);
  CHECK_TEXT(refusal(&r), "");
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "a"), 1);
  rig_end(&r);
}

/* ---- kill -9 --------------------------------------------------------------------------------------------------------- */

#define KEYS 3

static size_t length_of(uint64_t revision) { return (size_t)(revision * 131 % 900); }

static const char *key_id(int key) {
  static const char *const ids[KEYS] = {"a", "b", "c"};
  return ids[key];
}

static struct {
  int tell_to; /* the parent */
  rig *r;
} child;

static void write_next(srv_store_write *write, int key, uint64_t before);

static void tell_and_go_on(srv_store_write *done) {
  int key = done->id[0] - 'a';
  uint64_t message[2] = {(uint64_t)key, done->revision};
  if (done->status != SRV_STORE_OK || write(child.tell_to, message, sizeof message) != sizeof message) _exit(1);
  free((char *)(uintptr_t)done->bytes);
  write_next(done, key, done->revision);
}

static void write_next(srv_store_write *write, int key, uint64_t before) {
  *write = write_of(before ? SRV_STORE_CHANGE : SRV_STORE_BASE, key_id(key), before, before + 1, length_of(before + 1));
  write->done = tell_and_go_on;
  srv_store_submit(child.r->store, write);
}

/* Writes to all keys, and tells each answer, until it is killed. */
static void write_for_ever(rig *r, const uint64_t from[KEYS], int tell_to) {
  static srv_store_write writes[KEYS];
  child.r = r;
  child.tell_to = tell_to;
  if (uv_loop_init(&r->loop) != 0 || !rig_open(r)) _exit(1);
  for (int key = 0; key < KEYS; key++) write_next(&writes[key], key, from[key]);
  for (;;) uv_run(&r->loop, UV_RUN_ONCE);
}

/* Lets one write for some milliseconds, kills it, and takes down what it was told. */
static void write_and_kill(rig *r, uint64_t acknowledged[KEYS], unsigned ms) {
  int ends[2];
  CHECK_INT(pipe(ends), 0);
  fflush(NULL);
  pid_t writer = fork();
  if (writer == 0) write_for_ever(r, acknowledged, ends[1]);
  close(ends[1]);
  uint64_t message[2];
  /* From its first answer on. */
  bool any = read(ends[0], message, sizeof message) == sizeof message;
  CHECK(any);
  if (any) acknowledged[message[0]] = message[1];
  usleep(ms * 1000);
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  while (read(ends[0], message, sizeof message) == sizeof message) acknowledged[message[0]] = message[1];
  close(ends[0]);
}

static void nothing_acknowledged_is_lost_to_kill_9_and_the_lock_is_free(void) {
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
      /* One more may have been written and not told. */
      CHECK(load.count == acknowledged[key] || load.count == acknowledged[key] + 1);
      for (size_t i = 0; i < load.count; i++) CHECK(record_is(&load.records[i], key_id(key), i + 1, length_of(i + 1)));
      acknowledged[key] = load.count;
      srv_store_load_free(&load);
    }
    rig_close(&r);
  }
  rig_end(&r);
}

/* ---- changed bytes --------------------------------------------------------------------------------------------------- */

#define FILES 3
static const char *const file_names[FILES] = {"contactd.db", "contactd.db-wal", "contactd.lock"};

typedef struct files {
  unsigned char *bytes[FILES]; /* NULL: not there */
  size_t size[FILES];
} files;

/* Scenes of small records that share pages, one with pages of its own, one of many parts of pages, a shape that is named. */
static void fill(rig *r) {
  static char shapes[] = "ball";
  CHECK_INT(PUT(r, SRV_STORE_BASE, "gone", 0, 90, 10), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_REMOVE, "gone", 90, 91, 0), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_BASE, "small", 0, 1, 100), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_CHANGE, "small", 1, 2, 50), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_CHANGE, "small", 2, 3, 60), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_BASE, "large", 0, 1, 9000), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_CHANGE, "large", 1, 2, 80), SRV_STORE_OK);
  srv_store_write write = write_of(SRV_STORE_BASE, "ball", 0, 1, 30);
  write.space = SRV_STORE_SHAPES;
  CHECK_INT(rig_write(r, &write), SRV_STORE_OK);
  free((char *)(uintptr_t)write.bytes);
  write = write_of(SRV_STORE_BASE, "names", 0, 1, 40);
  write.has_shapes = true;
  write.shapes = shapes;
  write.shapes_length = sizeof shapes;
  CHECK_INT(rig_write(r, &write), SRV_STORE_OK);
  free((char *)(uintptr_t)write.bytes);
}

typedef struct fact {
  const char *id;
  srv_store_space space;
  uint64_t revision; /* records are 1 to revision */
  size_t lengths[3];
} fact;

static const fact facts[] = {{"large", SRV_STORE_SCENES, 2, {9000, 80}},
                             {"names", SRV_STORE_SCENES, 1, {40}},
                             {"small", SRV_STORE_SCENES, 3, {100, 50, 60}},
                             {"ball", SRV_STORE_SHAPES, 1, {30}}};
#define FACTS (sizeof facts / sizeof facts[0])
#define SCENE_FACTS 3

static files take_files(const rig *r) {
  files f = {{0}, {0}};
  for (int i = 0; i < FILES; i++) f.bytes[i] = get_file(r, file_names[i], &f.size[i]);
  return f;
}

static void put_files(const rig *r, const files *f) {
  char path[200];
  path_of(r, "contactd.db-shm", path);
  unlink(path);
  for (int i = 0; i < FILES; i++) {
    path_of(r, file_names[i], path);
    unlink(path);
    if (f->bytes[i]) put_file(r, file_names[i], f->bytes[i], f->size[i]);
  }
}

static void free_files(files *f) {
  for (int i = 0; i < FILES; i++) free(f->bytes[i]);
}

typedef struct tally {
  int refused, exact, damaged;
} tally;

/* Exactly what was written, or said to be damaged. */
static bool check_fact(rig *r, const fact *f, tally *seen) {
  srv_store_load load;
  srv_store_status status = rig_load(r, f->space, f->id, &load);
  bool exact = status == SRV_STORE_OK && load.count == f->revision;
  for (size_t i = 0; exact && i < load.count; i++) exact = record_is(&load.records[i], f->id, i + 1, f->lengths[i]);
  CHECK(exact || status == SRV_STORE_DAMAGED);
  if (!exact) CHECK(load.count == 0 && load.why[0] != 0);
  seen->exact += exact;
  seen->damaged += !exact;
  srv_store_load_free(&load);
  return exact;
}

static void check_list(rig *r) {
  srv_store_look look;
  srv_store_status status = rig_look(r, SRV_STORE_SCENES, "", &look);
  CHECK_INT(status, SRV_STORE_OK);
  CHECK_INT(look.count, SCENE_FACTS);
  CHECK_INT(look.last_revision, 91);
  for (size_t i = 0; i < look.count && i < SCENE_FACTS; i++)
    CHECK(strcmp(look.entries[i].id, facts[i].id) == 0 && look.entries[i].revision == facts[i].revision);
  free(look.entries);
}

/* A damaged scene may be put anew, or that is refused; afterwards it is what was put, and the others are what they were. */
static void put_anew(rig *r, const fact *f) {
  srv_store_load load;
  srv_store_status put = PUT(r, SRV_STORE_BASE, f->id, f->revision, 200, 70);
  CHECK(put == SRV_STORE_OK || put == SRV_STORE_DAMAGED);
  srv_store_status status = rig_load(r, f->space, f->id, &load);
  CHECK_INT(status, put);
  if (put == SRV_STORE_OK) CHECK(load.count == 1 && record_is(&load.records[0], f->id, 200, 70));
  srv_store_load_free(&load);
}

static void check_damaged_store(rig *r, tally *seen) {
  bool exact[FACTS];
  check_list(r);
  for (size_t i = 0; i < FACTS; i++) exact[i] = check_fact(r, &facts[i], seen);
  srv_store_write write = write_of(SRV_STORE_REMOVE, "ball", 1, 1, 0);
  write.space = SRV_STORE_SHAPES;
  CHECK_INT(rig_write(r, &write), SRV_STORE_NAMED);
  for (size_t i = 0; i < SCENE_FACTS; i++)
    if (!exact[i]) put_anew(r, &facts[i]);
  tally again = {0};
  for (size_t i = 0; i < FACTS; i++)
    if (exact[i]) CHECK(check_fact(r, &facts[i], &again));
}

/* Changes `tries` bytes of a file, one at a time, or each of them. */
static tally damage(rig *r, const files *sound, int which, size_t tries) {
  check_random random = {77};
  tally seen = {0};
  size_t size = sound->size[which], steps = getenv("CONTACTD_FULL") ? (which == 0 ? size : 20000) : tries;
  for (size_t i = 0; i < steps && !check_failures; i++) {
    size_t at = steps == size ? i : (size_t)(check_next(&random) % size);
    unsigned char change = (unsigned char)(1 + check_next(&random) % 255);
    put_files(r, sound);
    char path[200];
    path_of(r, file_names[which], path);
    unsigned char byte = sound->bytes[which][at] ^ change;
    int file = open(path, O_WRONLY);
    CHECK(pwrite(file, &byte, 1, (off_t)at) == 1);
    close(file);
    if (refusal(r)[0]) seen.refused++;
    else check_damaged_store(r, &seen);
    rig_close(r);
    if (check_failures) fprintf(stderr, "  with byte %zu of %s changed by %d\n", at, file_names[which], change);
  }
  return seen;
}

static void a_changed_byte_is_never_another_answer(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  fill(&r);
  rig_close(&r);
  files sound = take_files(&r);
  CHECK(sound.bytes[0] && !sound.bytes[1]);
  tally seen = damage(&r, &sound, 0, 1200);
  /* Each of the three happens, and a scene's damage is mostly its own. */
  CHECK(seen.refused > 100 && seen.damaged > 50 && seen.exact > 3 * seen.damaged);
  free_files(&sound);
  rig_end(&r);
}

/* The log as kill -9 leaves it: not a byte of it may be lost unnoticed, nor all of it. */
static void a_changed_byte_of_the_log_is_noticed(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  fill(&r);
  files sound = take_files(&r);
  CHECK(sound.bytes[0] && sound.bytes[1]);
  rig_close(&r);
  tally seen = damage(&r, &sound, 1, 500);
  CHECK(seen.refused > 100);
  CHECK_INT(seen.damaged, 0);
  /* What follows the last commit of a log means nothing, and neither does a damaged mark. */
  seen = damage(&r, &sound, 2, sound.size[2]);
  CHECK_INT(seen.refused, 0);
  CHECK_INT(seen.damaged, 0);
  free(sound.bytes[1]);
  sound.bytes[1] = NULL;
  put_files(&r, &sound);
  CHECK_REFUSED(&r, "lacks acknowledged");
  /* Its owner may insist. */
  free(sound.bytes[2]);
  sound.bytes[2] = NULL;
  put_files(&r, &sound);
  CHECK_TEXT(refusal(&r), "");
  free_files(&sound);
  rig_end(&r);
}

/* What was written before is not what was written last. */
static void an_earlier_copy_of_the_file_is_refused(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  fill(&r);
  rig_close(&r);
  files earlier = take_files(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "small", 3, 4, 10), SRV_STORE_OK);
  rig_close(&r);
  put_file(&r, "contactd.db", earlier.bytes[0], earlier.size[0]);
  CHECK_REFUSED(&r, "lacks acknowledged");
  /* With its own mark it is as it was. */
  put_files(&r, &earlier);
  CHECK_TEXT(refusal(&r), "");
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "small"), 3);
  free_files(&earlier);
  rig_end(&r);
}

/* ---- a damaged record ------------------------------------------------------------------------------------------------- */

/* Changes one bit of the file where these bytes are. */
static void damage_bytes(const rig *r, const char *bytes, size_t size) {
  size_t length = 0;
  unsigned char *all = get_file(r, "contactd.db", &length), *at = memmem(all, length, bytes, size);
  CHECK(at != NULL);
  if (at) *at ^= 1;
  put_file(r, "contactd.db", all, length);
  free(all);
}

/* Twelve scenes of five pages each; the record of one is damaged at this byte. */
static void fill_and_damage(rig *r, const char *damaged, size_t at) {
  rig_begin(r);
  CHECK(rig_open(r));
  for (char id[2] = "a"; id[0] <= 'l'; id[0]++) CHECK_INT(PUT(r, SRV_STORE_BASE, id, 0, 1, 20000), SRV_STORE_OK);
  rig_close(r);
  char *bytes = record_bytes(damaged, 1, 20000);
  damage_bytes(r, bytes + at, 64);
  free(bytes);
  CHECK(rig_open(r));
  srv_store_load load;
  CHECK_INT(rig_load(r, SRV_STORE_SCENES, damaged, &load), SRV_STORE_DAMAGED);
  srv_store_load_free(&load);
}

static void a_damaged_scene_is_put_anew_and_deleted(void) {
  rig r;
  srv_store_status health;
  char why[SRV_STORE_WHY];
  /* The record's end is on pages of its own. */
  for (size_t at = 6000; at < 19000; at += 4000) {
    for (int removes = 0; removes < 2; removes++) {
      fill_and_damage(&r, "c", at);
      CHECK_INT(removes ? PUT(&r, SRV_STORE_REMOVE, "c", 1, 2, 0) : PUT(&r, SRV_STORE_BASE, "c", 1, 2, 70), SRV_STORE_OK);
      CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "c"), removes ? 0 : 2);
      CHECK_INT(PUT(&r, SRV_STORE_BASE, "d", 1, 3, 90), SRV_STORE_OK);
      CHECK(srv_store_healthy(r.store, &health, why));
      rig_close(&r);
      CHECK(rig_open(&r));
      CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "c"), removes ? 0 : 2);
      CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "d"), 3);
      CHECK_INT(PUT(&r, SRV_STORE_BASE, "z", 0, 4, 20000), SRV_STORE_OK);
      rig_end(&r);
    }
  }
}

/* What is still whole in memory is written whole in place of what is damaged. */
static void a_fold_mends_a_damaged_base(void) {
  rig r;
  srv_store_load load;
  fill_and_damage(&r, "c", 10000);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "c", 1, 2, 50), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_FOLD, "c", 0, 2, 300), SRV_STORE_OK);
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "c", &load), SRV_STORE_OK);
  CHECK(load.count == 1 && record_is(&load.records[0], "c", 2, 300));
  srv_store_load_free(&load);
  rig_end(&r);
}

/* Where new records go no scene can be written: that is told of the store, not of a scene. */
static void a_damaged_place_of_new_records_is_told(void) {
  rig r;
  srv_store_status health = SRV_STORE_OK;
  char why[SRV_STORE_WHY] = "";
  fill_and_damage(&r, "l", 8);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "z", 0, 1, 100), SRV_STORE_DAMAGED);
  CHECK(!srv_store_healthy(r.store, &health, why));
  CHECK_INT(health, SRV_STORE_FAILED);
  CHECK(strstr(why, "place of new records") != NULL);
  rig_end(&r);
}

/* ---- who may read ----------------------------------------------------------------------------------------------------- */

static void files_are_their_owners_alone(void) {
  static const char *const names[] = {"contactd.db", "contactd.db-wal", "contactd.db-shm", "contactd.lock"};
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

/* Nobody would find what is written to a file without a name, and a lock without one keeps nobody out. */
static void nothing_is_acknowledged_into_a_file_that_has_gone(void) {
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
    for (int again = 0; again < 2; again++) CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 1, 2, 100), SRV_STORE_FAILED);
    CHECK(!srv_store_healthy(r.store, &health, why));
    CHECK_INT(health, SRV_STORE_FAILED);
    CHECK(strncmp(why, name, strlen(name)) == 0 && strstr(why, " was removed or replaced") != NULL);
    rig_end(&r);
  }
}

static void a_lost_file_is_told_in_a_whole_sentence(void) {
  rig r;
  char path[200];
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 100), SRV_STORE_OK);
  rig_close(&r);
  path_of(&r, "contactd.db", path);
  CHECK_INT(unlink(path), 0);
  CHECK_REFUSED(&r, "it is empty and lacks acknowledged writes; without contactd.lock it is taken as new.\n");
  rig_end(&r);
}

static const check_test tests[] = {
    {"a_damaged_scene_is_put_anew_and_deleted", a_damaged_scene_is_put_anew_and_deleted},
    {"a_fold_mends_a_damaged_base", a_fold_mends_a_damaged_base},
    {"a_damaged_place_of_new_records_is_told", a_damaged_place_of_new_records_is_told},
    {"files_are_their_owners_alone", files_are_their_owners_alone},
    {"nothing_is_acknowledged_into_a_file_that_has_gone", nothing_is_acknowledged_into_a_file_that_has_gone},
    {"a_lost_file_is_told_in_a_whole_sentence", a_lost_file_is_told_in_a_whole_sentence},
    {"a_second_store_of_the_folder_is_refused", a_second_store_of_the_folder_is_refused},
    {"folders_that_cannot_hold_a_store_are_refused", folders_that_cannot_hold_a_store_are_refused},
    {"files_of_others_are_refused_and_left_alone", files_of_others_are_refused_and_left_alone},
    {"a_newer_format_is_refused_and_left_alone", a_newer_format_is_refused_and_left_alone},
    {"an_older_format_is_brought_up_whole_or_not_at_all", an_older_format_is_brought_up_whole_or_not_at_all},
    {"nothing_acknowledged_is_lost_to_kill_9_and_the_lock_is_free", nothing_acknowledged_is_lost_to_kill_9_and_the_lock_is_free},
    {"a_changed_byte_is_never_another_answer", a_changed_byte_is_never_another_answer},
    {"a_changed_byte_of_the_log_is_noticed", a_changed_byte_of_the_log_is_noticed},
    {"an_earlier_copy_of_the_file_is_refused", an_earlier_copy_of_the_file_is_refused}};

CHECK_MAIN(tests)
