/* Changed bytes in the store's files: any byte, any page, the pages of one scene. Each read returns
 * exactly the written record or SRV_STORE_DAMAGED, and everything undamaged can still be written.
 */
#include "server/store/store_sqlite.h"

#include "tests/support/store_disk.h"
#include "tests/support/store_files.h"

#include <stdio.h>

/* ---- changed bytes -------------------------------------------------------------------------- */

/* A scene of small records that share pages, one with a record on pages of its own, a shape, and a
 * scene that names it. */
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
  uint64_t revision; /* the records have revisions 1 to `revision` */
  size_t lengths[3];
} fact;

static const fact facts[] = {{"large", SRV_STORE_SCENES, 2, {9000, 80}},
                             {"names", SRV_STORE_SCENES, 1, {40}},
                             {"small", SRV_STORE_SCENES, 3, {100, 50, 60}},
                             {"ball", SRV_STORE_SHAPES, 1, {30}}};
#define FACTS (sizeof facts / sizeof facts[0])
#define SCENE_FACTS 3

typedef struct tally {
  int refused, exact, damaged;
} tally;

/* The records are exactly as written, or the scene is reported as damaged. */
static bool check_fact(rig *r, const fact *f, tally *seen) {
  srv_store_load load;
  srv_store_status status = rig_load(r, f->space, f->id, &load);
  bool exact = status == SRV_STORE_OK && load.count == f->revision;
  for (size_t i = 0; exact && i < load.count; i++)
    exact = record_is(&load.records[i], f->id, i + 1, f->lengths[i]);
  CHECK(exact || status == SRV_STORE_DAMAGED);
  if (!exact) CHECK(load.count == 0 && load.why[0] != 0);
  seen->exact += exact;
  seen->damaged += !exact;
  srv_store_load_free(&load);
  return exact;
}

static void check_list(rig *r) {
  srv_store_lookup look;
  srv_store_status status = rig_look(r, SRV_STORE_SCENES, "", &look);
  CHECK_INT(status, SRV_STORE_OK);
  CHECK_INT(look.count, SCENE_FACTS);
  CHECK_INT(look.last_revision, 91);
  for (size_t i = 0; i < look.count && i < SCENE_FACTS; i++)
    CHECK(strcmp(look.entries[i].id, facts[i].id) == 0 &&
          look.entries[i].revision == facts[i].revision);
  free(look.entries);
}

/* A damaged scene can be replaced by a new base; afterwards it has only this base. */
static void put_anew(rig *r, const char *id, uint64_t before) {
  srv_store_load load;
  CHECK_INT(PUT(r, SRV_STORE_BASE, id, before, 200, 70), SRV_STORE_OK);
  CHECK_INT(rig_load(r, SRV_STORE_SCENES, id, &load), SRV_STORE_OK);
  CHECK(load.count == 1 && record_is(&load.records[0], id, 200, 70));
  srv_store_load_free(&load);
}

/* An undamaged scene accepts a change; afterwards it has its old records and the change. */
static void write_on(rig *r, const char *id, uint64_t before) {
  srv_store_load load;
  CHECK_INT(PUT(r, SRV_STORE_CHANGE, id, before, before + 1, 90), SRV_STORE_OK);
  CHECK_INT(rig_load(r, SRV_STORE_SCENES, id, &load), SRV_STORE_OK);
  CHECK(load.count == before + 1 && record_is(&load.records[before], id, before + 1, 90));
  srv_store_load_free(&load);
}

static bool is_healthy(const rig *r) {
  srv_store_status status;
  char why[SRV_STORE_WHY];
  return srv_store_healthy(r->store, &status, why);
}

static void check_damaged_store(rig *r, tally *seen) {
  bool exact[FACTS];
  check_list(r);
  for (size_t i = 0; i < FACTS; i++) exact[i] = check_fact(r, &facts[i], seen);
  srv_store_write write = write_of(SRV_STORE_REMOVE, "ball", 1, 1, 0);
  write.space = SRV_STORE_SHAPES;
  CHECK_INT(rig_write(r, &write), SRV_STORE_IN_USE);
  for (size_t i = 0; i < SCENE_FACTS; i++)
    if (!exact[i]) put_anew(r, facts[i].id, facts[i].revision);
  tally again = {0};
  for (size_t i = 0; i < FACTS; i++)
    if (exact[i]) CHECK(check_fact(r, &facts[i], &again));
  for (size_t i = 0; i < SCENE_FACTS; i++)
    if (exact[i]) write_on(r, facts[i].id, facts[i].revision);
  CHECK_INT(PUT(r, SRV_STORE_BASE, "new", 0, 300, 2000), SRV_STORE_OK);
  CHECK(is_healthy(r));
}

/* Changes `tries` bytes of a file, one at a time, or each byte. */
static tally damage(rig *r, const files *sound, int which, size_t tries) {
  check_random random = {77};
  tally seen = {0};
  size_t size = sound->size[which],
         steps = getenv("CONTACTD_FULL") ? (which == 0 ? size : 20000) : tries;
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
    if (check_failures)
      fprintf(stderr, "  with byte %zu of %s changed by %d\n", at, file_names[which], change);
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
  /* All three outcomes occur, and a scene's damage rarely affects other scenes. */
  CHECK(seen.refused > 100 && seen.damaged > 50 && seen.exact > 3 * seen.damaged);
  free_files(&sound);
  rig_end(&r);
}

/* The end of a log's last frame; zeros follow. A frame is a header of 24 bytes and a page. */
static size_t end_of_log(const files *f) {
  const size_t head = 32, frame = 24 + 4096;
  size_t end = f->size[1];
  while (end > 0 && f->bytes[1][end - 1] == 0) end--;
  return end < head ? end : head + (end - head + frame - 1) / frame * frame;
}

/* The log as after kill -9: any changed byte is detected, and the rest of the log is still used. */
static void a_changed_byte_of_the_log_is_noticed(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  fill(&r);
  files sound = take_files(&r);
  CHECK(sound.bytes[0] && sound.bytes[1]);
  rig_close(&r);
  size_t end = end_of_log(&sound);
  CHECK(end + 4096 < sound.size[1]);
  sound.bytes[1][end + 7] = 1;
  put_files(&r, &sound);
  tally seen = {0};
  CHECK_TEXT(refusal(&r), "");
  check_damaged_store(&r, &seen);
  CHECK_INT(seen.damaged, 0);
  rig_close(&r);
  sound.size[1] = end;
  seen = damage(&r, &sound, 1, 500);
  CHECK(seen.refused > 100);
  CHECK_INT(seen.damaged, 0);
  /* A damaged mark is ignored, like bytes after the last commit of a log. */
  seen = damage(&r, &sound, 2, sound.size[2]);
  CHECK_INT(seen.refused, 0);
  CHECK_INT(seen.damaged, 0);
  free(sound.bytes[1]);
  sound.bytes[1] = NULL;
  put_files(&r, &sound);
  CHECK_REFUSED(&r, "lacks acknowledged");
  /* Deleting the mark forces the store to open. */
  free(sound.bytes[2]);
  sound.bytes[2] = NULL;
  put_files(&r, &sound);
  CHECK_TEXT(refusal(&r), "");
  free_files(&sound);
  rig_end(&r);
}

/* An older copy of the file lacks acknowledged writes, which the mark reveals. */
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
  /* With the mark of the same time the older copy is accepted. */
  put_files(&r, &earlier);
  CHECK_TEXT(refusal(&r), "");
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "small"), 3);
  free_files(&earlier);
  rig_end(&r);
}

/* ---- a damaged record ----------------------------------------------------------------------- */

/* Changes one bit of the file at the position of these bytes. */
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
  for (char id[2] = "a"; id[0] <= 'l'; id[0]++)
    CHECK_INT(PUT(r, SRV_STORE_BASE, id, 0, 1, 20000), SRV_STORE_OK);
  rig_close(r);
  char *bytes = record_bytes(damaged, 1, 20000);
  damage_bytes(r, bytes + at, 64);
  free(bytes);
  CHECK(rig_open(r));
  srv_store_load load;
  CHECK_INT(rig_load(r, SRV_STORE_SCENES, damaged, &load), SRV_STORE_DAMAGED);
  srv_store_load_free(&load);
}

static void a_damaged_scene_can_be_replaced_and_deleted(void) {
  rig r;
  srv_store_status health;
  char why[SRV_STORE_WHY];
  /* The end of the record is on pages of its own. */
  for (size_t at = 6000; at < 19000; at += 4000) {
    for (int removes = 0; removes < 2; removes++) {
      fill_and_damage(&r, "c", at);
      CHECK_INT(removes ? PUT(&r, SRV_STORE_REMOVE, "c", 1, 2, 0)
                        : PUT(&r, SRV_STORE_BASE, "c", 1, 2, 70),
                SRV_STORE_OK);
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

/* A compaction writes the whole scene from memory and replaces the damaged base. */
static void a_compaction_repairs_a_damaged_base(void) {
  rig r;
  srv_store_load load;
  fill_and_damage(&r, "c", 10000);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "c", 1, 2, 50), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_COMPACT, "c", 0, 2, 300), SRV_STORE_OK);
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "c", &load), SRV_STORE_OK);
  CHECK(load.count == 1 && record_is(&load.records[0], "c", 2, 300));
  srv_store_load_free(&load);
  rig_end(&r);
}

/* The page for new records is damaged: records go to another table, earlier ones stay readable, and
 * this works repeatedly. */
static void records_go_elsewhere_if_their_page_is_damaged(void) {
  static char ids[][2] = {"l", "z", "y", "x"};
  rig r;
  fill_and_damage(&r, "l", 8);
  for (int i = 1; i < 4; i++) {
    CHECK_INT(PUT(&r, SRV_STORE_BASE, ids[i], 0, 1, 20000), SRV_STORE_OK);
    write_on(&r, "a", (uint64_t)i);
    CHECK_INT(PUT(&r, SRV_STORE_CHANGE, ids[i], 1, 2, 300), SRV_STORE_OK);
    CHECK(is_healthy(&r));
    rig_close(&r);
    char *bytes = record_bytes(ids[i], 2, 300);
    damage_bytes(&r, bytes + 100, 64);
    free(bytes);
    CHECK(rig_open(&r));
  }
  srv_store_load load;
  for (char id[2] = "a"; id[0] <= 'k'; id[0]++) {
    bool written = id[0] == 'a';
    /* Its last change shares a page with the last damaged record, and is undamaged. */
    CHECK_INT(rig_load(&r, SRV_STORE_SCENES, id, &load), SRV_STORE_OK);
    CHECK_INT(load.count, written ? 4 : 1);
    srv_store_load_free(&load);
  }
  for (int i = 0; i < 4; i++) {
    CHECK_INT(rig_load(&r, SRV_STORE_SCENES, ids[i], &load), SRV_STORE_DAMAGED);
    CHECK_INT(PUT(&r, SRV_STORE_REMOVE, ids[i], i ? 2 : 1, 3, 0), SRV_STORE_OK);
  }
  CHECK(is_healthy(&r));
  rig_end(&r);
}

/* Runs a query for a number on the file. */
static int ask_file(const rig *r, const char *text) {
  char path[200];
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  path_of(r, "contactd.db", path);
  CHECK_INT(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, srv_sqlite_vfs()), SQLITE_OK);
  CHECK_INT(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK);
  CHECK_INT(sqlite3_step(statement), SQLITE_ROW);
  int number = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return number;
}

static int record_tables(const rig *r) {
  return ask_file(
      r, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name GLOB 'records*'");
}

/* While the disk is full no second table can be created: the write fails as SRV_STORE_FULL, the
 * store stays healthy, and the next write tries again. */
static void a_new_place_for_records_is_found_once_there_is_room(void) {
  rig r;
  srv_store_load load;
  disk_install();
  disk_reset();
  fill_and_damage(&r, "l", 8);
  disk.code = SQLITE_FULL;
  disk.fail_count = 1 << 20;
  disk.fail_write = disk.writes + 1;
  for (int tries = 0; tries < 3; tries++) {
    srv_store_write write = write_of(SRV_STORE_BASE, "z", 0, 1, 20000);
    CHECK_INT(rig_write(&r, &write), SRV_STORE_FULL);
    CHECK(strstr(write.why, "full") != NULL);
    free((char *)(uintptr_t)write.bytes);
    CHECK(is_healthy(&r));
  }
  CHECK(disk.failed);
  CHECK_INT(record_tables(&r), 1);
  disk.fail_write = 0;
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "z", 0, 1, 20000), SRV_STORE_OK);
  CHECK_INT(record_tables(&r), 2);
  write_on(&r, "a", 1);
  CHECK(is_healthy(&r));
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "z", &load), SRV_STORE_OK);
  CHECK(load.count == 1 && record_is(&load.records[0], "z", 1, 20000));
  srv_store_load_free(&load);
  rig_end(&r);
}

/* ---- a damaged page ------------------------------------------------------------------------- */

#define CROWD 100

static const char *crowd_id(int i) {
  static char id[8];
  snprintf(id, sizeof id, "s%02d", i);
  return id;
}

/* Many scenes on many pages below interior pages of the B-tree; some pages are free. */
static files fill_pages(rig *r) {
  rig_begin(r);
  CHECK(rig_open(r));
  for (int i = 0; i < CROWD; i++)
    CHECK_INT(PUT(r, SRV_STORE_BASE, crowd_id(i), 0, 1, i % 10 ? 900 : 9000), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_BASE, "gone", 0, 1, 30000), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_REMOVE, "gone", 1, 2, 0), SRV_STORE_OK);
  for (int i = 0; i < CROWD; i += 3)
    CHECK_INT(PUT(r, SRV_STORE_CHANGE, crowd_id(i), 1, 2, 200), SRV_STORE_OK);
  rig_close(r);
  files sound = take_files(r);
  CHECK(sound.bytes[0] && !sound.bytes[1] && sound.size[0] / 4096 > 50);
  return sound;
}

static void write_all(rig *r, tally *seen) {
  bool damaged[CROWD];
  srv_store_load load;
  for (int i = 0; i < CROWD; i++) {
    srv_store_status status = rig_load(r, SRV_STORE_SCENES, crowd_id(i), &load);
    damaged[i] = status == SRV_STORE_DAMAGED;
    bool exact = status == SRV_STORE_OK && load.count == (i % 3 ? 1 : 2) &&
                 record_is(&load.records[0], crowd_id(i), 1, i % 10 ? 900 : 9000);
    CHECK(exact || damaged[i]);
    srv_store_load_free(&load);
    seen->damaged += damaged[i];
    seen->exact += exact;
  }
  CHECK_INT(PUT(r, SRV_STORE_BASE, "new", 0, 100, 12000), SRV_STORE_OK);
  for (int i = 0; i < CROWD; i++) {
    if (!damaged[i]) write_on(r, crowd_id(i), i % 3 ? 1 : 2);
    else if (i % 2) put_anew(r, crowd_id(i), i % 3 ? 1 : 2);
    else CHECK_INT(PUT(r, SRV_STORE_REMOVE, crowd_id(i), i % 3 ? 1 : 2, 400, 0), SRV_STORE_OK);
  }
  CHECK(is_healthy(r));
}

/* One bit in any page: the store refuses to open, or only the scenes on the page are damaged and
 * all others can be written. Damage of the list of free pages damages no scene. */
static void a_damaged_page_damages_only_its_own_scenes(void) {
  rig r;
  files sound = fill_pages(&r);
  check_random random = {31};
  tally seen = {0};
  int tries = getenv("CONTACTD_FULL") ? 10 : 1;
  for (size_t page = 0; page < sound.size[0] / 4096 && !check_failures; page++) {
    for (int i = 0; i < tries; i++) {
      put_files(&r, &sound);
      char path[200];
      size_t at = page * 4096 + check_next(&random) % 4096;
      unsigned char byte = sound.bytes[0][at] ^ (unsigned char)(1u << check_next(&random) % 8);
      path_of(&r, "contactd.db", path);
      int file = open(path, O_WRONLY);
      CHECK(pwrite(file, &byte, 1, (off_t)at) == 1);
      close(file);
      if (refusal(&r)[0]) seen.refused++;
      else write_all(&r, &seen);
      rig_close(&r);
      if (check_failures) fprintf(stderr, "  with byte %zu changed\n", at);
    }
  }
  CHECK(seen.refused > 0 && seen.damaged > 20 && seen.exact > 10 * seen.damaged);
  free_files(&sound);
  rig_end(&r);
}

/* ---- a damaged list of free pages ----------------------------------------------------------- */

#define MANY ((size_t)12 << 20) /* bytes; their free pages need three trunk pages */
#define LIST_PAGES 3

/* How often the store reported damage. */
static int told_of_damage;
static char told_last[SRV_STORE_WHY];

static void hear(void *cls, const char *event, const char *detail) {
  (void)cls;
  told_of_damage += strcmp(event, "storageDamaged") == 0;
  snprintf(told_last, sizeof told_last, "%s", detail);
}

static void open_and_hear(rig *r) {
  CHECK_TEXT(refusal(r), "");
  told_of_damage = 0;
  if (r->store) r->store->report = hear;
}

static unsigned number_at(const unsigned char *bytes) {
  return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

/* The trunk pages of the free list ("Database File Format", 1.5). */
static int list_pages(const files *f, unsigned pages[], int most) {
  int count = 0;
  unsigned page = number_at(f->bytes[0] + 32);
  for (; page && count < most; page = number_at(f->bytes[0] + (size_t)(page - 1) * 4096))
    pages[count++] = page;
  return count;
}

/* A scene, and a file whose pages are mostly free. */
static files fill_and_free(rig *r, unsigned pages[LIST_PAGES]) {
  rig_begin(r);
  CHECK(rig_open(r));
  CHECK_INT(PUT(r, SRV_STORE_BASE, "gone", 0, 1, MANY), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_BASE, "kept", 0, 1, 9000), SRV_STORE_OK);
  CHECK_INT(PUT(r, SRV_STORE_REMOVE, "gone", 1, 2, 0), SRV_STORE_OK);
  for (uint64_t i = 1; i < 3; i++)
    CHECK_INT(PUT(r, SRV_STORE_CHANGE, "kept", i, i + 1, 90), SRV_STORE_OK);
  rig_close(r);
  files f = take_files(r);
  CHECK_INT(list_pages(&f, pages, LIST_PAGES), LIST_PAGES);
  return f;
}

static void damage_page(const rig *r, const files *sound, unsigned page) {
  char path[200];
  size_t at = (size_t)(page - 1) * 4096 + 40;
  unsigned char byte = sound->bytes[0][at] ^ 4;
  path_of(r, "contactd.db", path);
  int file = open(path, O_WRONLY);
  CHECK(pwrite(file, &byte, 1, (off_t)at) == 1);
  close(file);
}

static void check_kept(rig *r) {
  srv_store_load load;
  CHECK_INT(rig_load(r, SRV_STORE_SCENES, "kept", &load), SRV_STORE_OK);
  CHECK(load.count == 3 && record_is(&load.records[0], "kept", 1, 9000) &&
        record_is(&load.records[2], "kept", 3, 90));
  srv_store_load_free(&load);
}

/* For any damaged page of the list, the store opens without the list, and reports it. */
static void a_damaged_list_of_free_pages_is_rebuilt(void) {
  rig r;
  unsigned pages[LIST_PAGES];
  files sound = fill_and_free(&r, pages);
  for (int i = 0; i < LIST_PAGES; i++) {
    put_files(&r, &sound);
    damage_page(&r, &sound, pages[i]);
    open_and_hear(&r);
    CHECK_INT(PUT(&r, SRV_STORE_BASE, "large", 0, 10, MANY), SRV_STORE_OK);
    CHECK_INT(told_of_damage, 1);
    CHECK(strstr(told_last, "free pages") != NULL);
    CHECK(is_healthy(&r));
    check_kept(&r);
    CHECK_INT(record_tables(&r), 1);
    rig_close(&r);
    open_and_hear(&r);
    check_kept(&r);
    CHECK_INT(told_of_damage, 0);
    rig_close(&r);
  }
  free_files(&sound);
  rig_end(&r);
}

/* If the damage happens while the file is in use, writes that need pages fail and the damage is
 * reported, other writes succeed, no table is created, and the next start repairs the list. */
static void a_list_of_free_pages_damaged_in_use_is_reported_and_repaired_by_the_next_start(void) {
  rig r;
  srv_store_status status;
  char why[SRV_STORE_WHY];
  unsigned pages[LIST_PAGES];
  files sound = fill_and_free(&r, pages);
  for (int i = 0; i < LIST_PAGES; i++) {
    put_files(&r, &sound);
    open_and_hear(&r);
    damage_page(&r, &sound, pages[i]);
    for (int tries = 0; tries < 3; tries++) {
      srv_store_write write = write_of(SRV_STORE_BASE, "large", 0, 10, MANY);
      CHECK_INT(rig_write(&r, &write), SRV_STORE_DAMAGED);
      CHECK(strstr(write.why, "list of free pages") != NULL);
      free((char *)(uintptr_t)write.bytes);
    }
    CHECK_INT(told_of_damage, 1);
    CHECK(!srv_store_healthy(r.store, &status, why) && strstr(why, "list of free pages"));
    if (i > 0) CHECK_INT(PUT(&r, SRV_STORE_BASE, "small", 0, 10, 30), SRV_STORE_OK);
    check_kept(&r);
    CHECK_INT(record_tables(&r), 1);
    rig_close(&r);
    open_and_hear(&r);
    CHECK_INT(PUT(&r, SRV_STORE_BASE, "large", 0, 20, MANY), SRV_STORE_OK);
    CHECK_INT(told_of_damage, 1);
    CHECK(is_healthy(&r));
    check_kept(&r);
    rig_close(&r);
  }
  free_files(&sound);
  rig_end(&r);
}

static const check_test tests[] = {
    {"a_changed_byte_is_never_another_answer", a_changed_byte_is_never_another_answer},
    {"a_changed_byte_of_the_log_is_noticed", a_changed_byte_of_the_log_is_noticed},
    {"an_earlier_copy_of_the_file_is_refused", an_earlier_copy_of_the_file_is_refused},
    {"a_damaged_scene_can_be_replaced_and_deleted", a_damaged_scene_can_be_replaced_and_deleted},
    {"a_compaction_repairs_a_damaged_base", a_compaction_repairs_a_damaged_base},
    {"records_go_elsewhere_if_their_page_is_damaged",
     records_go_elsewhere_if_their_page_is_damaged},
    {"a_new_place_for_records_is_found_once_there_is_room",
     a_new_place_for_records_is_found_once_there_is_room},
    {"a_damaged_page_damages_only_its_own_scenes", a_damaged_page_damages_only_its_own_scenes},
    {"a_damaged_list_of_free_pages_is_rebuilt", a_damaged_list_of_free_pages_is_rebuilt},
    {"a_list_of_free_pages_damaged_in_use_is_reported_and_repaired_by_the_next_start",
     a_list_of_free_pages_damaged_in_use_is_reported_and_repaired_by_the_next_start}};

CHECK_MAIN(tests)
