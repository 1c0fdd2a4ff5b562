/* Promises of every store: statuses, order, lists, names of shapes in scenes, compaction. Included
 * by the test of each store. */
#ifndef TESTS_STORE_PROMISES_H
#define TESTS_STORE_PROMISES_H

#include "tests/support/store_rig.h"

#define PUT(r, act, id, before, revision, length)                                                  \
  rig_put(r, act, id, (uint64_t[]){before, revision}, length)

/* One expected record of a key. */
typedef struct expected {
  bool base;
  uint64_t revision;
  size_t length;
} expected;

static void check_records(rig *r, const char *id, const expected *list, size_t count) {
  srv_store_load load;
  CHECK_INT(rig_load(r, SRV_STORE_SCENES, id, &load), SRV_STORE_OK);
  CHECK_INT(load.count, count);
  for (size_t i = 0; i < count && i < load.count; i++) {
    CHECK_INT(load.records[i].base, list[i].base);
    CHECK_INT(load.records[i].revision, list[i].revision);
    CHECK(record_is(&load.records[i], id, list[i].revision, list[i].length));
  }
  srv_store_load_free(&load);
}

#define CHECK_RECORDS(r, id, ...)                                                                  \
  check_records(r, id, (expected[]){__VA_ARGS__},                                                  \
                sizeof((expected[]){__VA_ARGS__}) / sizeof(expected))

/* A libuv loop cannot be moved, so a rig is initialised in place. */
#define WITH_RIG(r)                                                                                \
  rig r;                                                                                           \
  rig_begin(&r);                                                                                   \
  CHECK(rig_open(&r))

static void records_are_read_in_order_after_a_restart(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 7, 1000), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 7, 8, 10), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "b", 0, 2, 0), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 8, 11, 5000), SRV_STORE_OK);
  for (int round = 0; round < 2; round++) {
    CHECK_RECORDS(&r, "a", {true, 7, 1000}, {false, 8, 10}, {false, 11, 5000});
    CHECK_RECORDS(&r, "b", {true, 2, 0});
    srv_store_load load;
    CHECK_INT(rig_load(&r, SRV_STORE_SHAPES, "a", &load), SRV_STORE_UNKNOWN);
    CHECK_INT(load.count, 0);
    rig_close(&r);
    CHECK(rig_open(&r));
  }
  rig_end(&r);
}

/* Sizes around the limit at which records are split, and far beyond the writer's buffer. */
static void records_of_any_size_are_read_completely(void) {
  static const size_t part = 1048576;
  const size_t lengths[] = {1,        4095,     part - 1,     part,
                            part + 1, 2 * part, 3 * part + 7, 20 * part + 5};
  WITH_RIG(r);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    char id[16];
    snprintf(id, sizeof id, "s%zu", i);
    CHECK_INT(PUT(&r, SRV_STORE_BASE, id, 0, 1, lengths[i]), SRV_STORE_OK);
    CHECK_INT(PUT(&r, SRV_STORE_CHANGE, id, 1, 2, lengths[i] / 2), SRV_STORE_OK);
    CHECK_RECORDS(&r, id, {true, 1, lengths[i]}, {false, 2, lengths[i] / 2});
  }
  rig_end(&r);
}

static srv_store_write tried(rig *r, srv_store_operation act, const char *id, uint64_t before,
                             uint64_t revision) {
  srv_store_write write = write_of(act, id, before, revision, 20);
  rig_write(r, &write);
  free((char *)(uintptr_t)write.bytes);
  return write;
}

#define CHECK_MOVED(r, act, id, before, revision, at)                                              \
  do {                                                                                             \
    srv_store_write moved = tried(r, act, id, before, revision);                                   \
    CHECK_INT(moved.status, SRV_STORE_CONFLICT);                                                   \
    CHECK_INT(moved.current, at);                                                                  \
  } while (0)

static void a_write_from_another_revision_changes_nothing(void) {
  WITH_RIG(r);
  CHECK_MOVED(&r, SRV_STORE_CHANGE, "a", 3, 4, 0);
  CHECK_MOVED(&r, SRV_STORE_BASE, "a", 3, 4, 0);
  CHECK_MOVED(&r, SRV_STORE_REMOVE, "a", 3, 4, 0);
  CHECK_MOVED(&r, SRV_STORE_REMOVE, "a", 0, 4, 0);
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 4, 0);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 5, 20), SRV_STORE_OK);
  CHECK_MOVED(&r, SRV_STORE_BASE, "a", 0, 6, 5);
  CHECK_MOVED(&r, SRV_STORE_BASE, "a", 4, 6, 5);
  CHECK_MOVED(&r, SRV_STORE_CHANGE, "a", 4, 6, 5);
  CHECK_MOVED(&r, SRV_STORE_CHANGE, "a", 6, 7, 5);
  CHECK_MOVED(&r, SRV_STORE_REMOVE, "a", 4, 6, 5);
  CHECK_RECORDS(&r, "a", {true, 5, 20});
  rig_end(&r);
}

/* All writes start from revision 1 and are queued together. */
static void of_writes_from_the_same_revision_one_succeeds(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 30), SRV_STORE_OK);
  srv_store_write writes[20];
  for (int i = 0; i < 20; i++) {
    writes[i] = write_of(SRV_STORE_CHANGE, "a", 1, (uint64_t)(2 + i), 30);
    rig_submit(&r, &writes[i]);
  }
  rig_wait(&r);
  for (int i = 0; i < 20; i++) {
    CHECK_INT(writes[i].status, i ? SRV_STORE_CONFLICT : SRV_STORE_OK);
    if (i) CHECK_INT(writes[i].current, 2);
    free((char *)(uintptr_t)writes[i].bytes);
  }
  CHECK_RECORDS(&r, "a", {true, 1, 30}, {false, 2, 30});
  rig_end(&r);
}

static int answered;
static int answered_before[200];

static void note_order(srv_store_write *write) {
  rig *r = write->cls;
  r->waiting--;
  answered_before[write->revision - 1] = answered++;
}

/* Each write of a key follows the one before it, which is not yet acknowledged. */
static void writes_take_effect_and_are_answered_in_order(void) {
  WITH_RIG(r);
  srv_store_write writes[200];
  answered = 0;
  for (int i = 0; i < 200; i++) {
    writes[i] = write_of(i ? SRV_STORE_CHANGE : SRV_STORE_BASE, "a", (uint64_t)i, (uint64_t)i + 1,
                         (size_t)i);
    writes[i].done = note_order;
    writes[i].cls = &r;
    r.waiting++;
    srv_store_submit(r.store, &writes[i]);
    CHECK_INT(answered, 0);
  }
  rig_wait(&r);
  for (int i = 0; i < 200; i++) {
    CHECK_INT(writes[i].status, SRV_STORE_OK);
    CHECK_INT(answered_before[i], i);
    free((char *)(uintptr_t)writes[i].bytes);
  }
  srv_store_load load;
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_OK);
  CHECK_INT(load.count, 200);
  for (size_t i = 0; i < load.count; i++) CHECK(record_is(&load.records[i], "a", i + 1, i));
  srv_store_load_free(&load);
  rig_end(&r);
}

/* ---- shapes that scenes name ----------------------------------------------------------------- */

static srv_store_status shape(rig *r, srv_store_operation act, const char *id) {
  srv_store_write write = write_of(act, id, act == SRV_STORE_REMOVE, 1, 50);
  write.space = SRV_STORE_SHAPES;
  srv_store_status status = rig_write(r, &write);
  free((char *)(uintptr_t)write.bytes);
  return status;
}

/* names: ids, each followed by a comma. */
static srv_store_status naming(rig *r, srv_store_operation act, uint64_t before,
                               const char *names) {
  srv_store_write write = write_of(act, "scene", before, before + 1, 20);
  char shapes[200];
  snprintf(shapes, sizeof shapes, "%s", names);
  write.shapes_length = strlen(shapes);
  for (char *at = shapes; *at; at++)
    if (*at == ',') *at = 0;
  write.has_shapes = true;
  write.shapes = shapes;
  srv_store_status status = rig_write(r, &write);
  free((char *)(uintptr_t)write.bytes);
  return status;
}

static void a_scene_may_name_existing_shapes_only_and_keeps_them(void) {
  WITH_RIG(r);
  CHECK_INT(naming(&r, SRV_STORE_BASE, 0, "one,"), SRV_STORE_UNKNOWN);
  CHECK_INT(shape(&r, SRV_STORE_BASE, "one"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_BASE, "two"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_BASE, "one"), SRV_STORE_CONFLICT);
  CHECK_INT(naming(&r, SRV_STORE_BASE, 0, "one,three,"), SRV_STORE_UNKNOWN);
  CHECK_INT(rig_revision(&r, SRV_STORE_SCENES, "scene"), 0);
  CHECK_INT(naming(&r, SRV_STORE_BASE, 0, "one,two,"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "one"), SRV_STORE_IN_USE);
  /* A change without a list of shapes leaves the list unchanged, and so does a refused change. */
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "scene", 1, 2, 20), SRV_STORE_OK);
  CHECK_INT(naming(&r, SRV_STORE_CHANGE, 2, "three,"), SRV_STORE_UNKNOWN);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "two"), SRV_STORE_IN_USE);
  rig_close(&r);
  CHECK(rig_open(&r));
  CHECK_INT(naming(&r, SRV_STORE_CHANGE, 2, "two,"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "one"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "two"), SRV_STORE_IN_USE);
  CHECK_INT(naming(&r, SRV_STORE_BASE, 3, "one,"), SRV_STORE_UNKNOWN);
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "scene", 3, 4, 0), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "two"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "two"), SRV_STORE_CONFLICT);
  rig_end(&r);
}

/* A refused write does not affect the writes that are queued with it. */
static void a_shape_and_a_scene_that_names_it_may_be_queued_together(void) {
  WITH_RIG(r);
  srv_store_write writes[] = {
      write_of(SRV_STORE_BASE, "scene", 0, 1, 20), write_of(SRV_STORE_BASE, "ball", 0, 1, 20),
      write_of(SRV_STORE_BASE, "scene", 0, 2, 20), write_of(SRV_STORE_REMOVE, "ball", 1, 1, 0)};
  static const srv_store_status answers[] = {SRV_STORE_UNKNOWN, SRV_STORE_OK, SRV_STORE_OK,
                                             SRV_STORE_IN_USE};
  for (int i = 0; i < 4; i++) {
    if (i % 2) writes[i].space = SRV_STORE_SHAPES;
    else {
      writes[i].has_shapes = true;
      writes[i].shapes = "ball";
      writes[i].shapes_length = 5;
    }
    rig_submit(&r, &writes[i]);
  }
  rig_wait(&r);
  for (int i = 0; i < 4; i++) {
    CHECK_INT(writes[i].status, answers[i]);
    free((char *)(uintptr_t)writes[i].bytes);
  }
  CHECK_RECORDS(&r, "scene", {true, 2, 20});
  rig_end(&r);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void a_list_has_every_key_once_in_order(void) {
  WITH_RIG(r);
  srv_store_write writes[300];
  for (int i = 0; i < 300; i++) {
    char id[24];
    snprintf(id, sizeof id, "s%03d", i * 7 % 300);
    writes[i] = write_of(SRV_STORE_BASE, id, 0, (uint64_t)(1000 + i), 5);
    writes[i].bodies = (uint64_t)(i * 7 % 300);
    rig_submit(&r, &writes[i]);
  }
  rig_wait(&r);
  srv_store_lookup look;
  CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "", &look), SRV_STORE_OK);
  CHECK_INT(look.count, 300);
  for (size_t i = 0; i < look.count; i++) {
    char id[24];
    snprintf(id, sizeof id, "s%03zu", i);
    CHECK_TEXT(look.entries[i].id, id);
    CHECK_INT(look.entries[i].bodies, i);
    /* i * 7 % 300 is inverted by 43: 7 * 43 = 301. */
    CHECK_INT(look.entries[i].revision, 1000 + i * 43 % 300);
  }
  free(look.entries);
  CHECK_INT(rig_look(&r, SRV_STORE_SHAPES, "", &look), SRV_STORE_OK);
  CHECK_INT(look.count, 0);
  free(look.entries);
  CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "s007", &look), SRV_STORE_OK);
  CHECK(look.count == 1 && look.entries[0].bodies == 7);
  free(look.entries);
  CHECK_INT(rig_look(&r, SRV_STORE_SHAPES, "s007", &look), SRV_STORE_OK);
  CHECK(look.count == 1 && look.entries[0].revision == 0 &&
        strcmp(look.entries[0].id, "s007") == 0);
  free(look.entries);
  for (int i = 0; i < 300; i++) free((char *)(uintptr_t)writes[i].bytes);
  rig_end(&r);
}

static uint64_t last_revision(rig *r) {
  srv_store_lookup look;
  CHECK_INT(rig_look(r, SRV_STORE_SCENES, "", &look), SRV_STORE_OK);
  free(look.entries);
  return look.last_revision;
}

static void revisions_of_deleted_scenes_are_not_reused(void) {
  WITH_RIG(r);
  CHECK_INT(last_revision(&r), 0);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 100, 5), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "b", 0, 50, 5), SRV_STORE_OK);
  CHECK_INT(last_revision(&r), 0);
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "a", 100, 101, 0), SRV_STORE_OK);
  CHECK_INT(last_revision(&r), 101);
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "b", 50, 51, 0), SRV_STORE_OK);
  CHECK_INT(last_revision(&r), 101);
  CHECK_INT(shape(&r, SRV_STORE_BASE, "ball"), SRV_STORE_OK);
  CHECK_INT(shape(&r, SRV_STORE_REMOVE, "ball"), SRV_STORE_OK);
  rig_close(&r);
  CHECK(rig_open(&r));
  CHECK_INT(last_revision(&r), 101);
  srv_store_load load;
  CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_UNKNOWN);
  rig_end(&r);
}

/* ---- compaction ------------------------------------------------------------------------------ */

static void a_base_replaces_all_earlier_records(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 3000000), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 1, 2, 10), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 2, 3, 70), SRV_STORE_OK);
  CHECK_RECORDS(&r, "a", {true, 3, 70});
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 3, 4, 10), SRV_STORE_OK);
  CHECK_RECORDS(&r, "a", {true, 3, 70}, {false, 4, 10});
  /* A new scene with the id of a removed one has none of its records. */
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "a", 4, 5, 0), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 6, 20), SRV_STORE_OK);
  CHECK_RECORDS(&r, "a", {true, 6, 20});
  rig_end(&r);
}

/* Changes continue while the base of an earlier revision is built and written. */
static void a_compaction_keeps_later_changes(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 500), SRV_STORE_OK);
  for (uint64_t revision = 2; revision <= 10; revision++)
    CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", revision - 1, revision, 40), SRV_STORE_OK);
  srv_store_write writes[] = {write_of(SRV_STORE_CHANGE, "a", 10, 11, 40),
                              write_of(SRV_STORE_COMPACT, "a", 0, 8, 450),
                              write_of(SRV_STORE_CHANGE, "a", 11, 12, 40)};
  for (int i = 0; i < 3; i++) rig_submit(&r, &writes[i]);
  rig_wait(&r);
  for (int i = 0; i < 3; i++) {
    CHECK_INT(writes[i].status, SRV_STORE_OK);
    free((char *)(uintptr_t)writes[i].bytes);
  }
  CHECK_RECORDS(&r, "a", {true, 8, 450}, {false, 9, 40}, {false, 10, 40}, {false, 11, 40},
                {false, 12, 40});
  CHECK_INT(PUT(&r, SRV_STORE_COMPACT, "a", 0, 12, 90), SRV_STORE_OK);
  CHECK_RECORDS(&r, "a", {true, 12, 90});
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 12, 13, 40), SRV_STORE_OK);
  rig_close(&r);
  CHECK(rig_open(&r));
  CHECK_RECORDS(&r, "a", {true, 12, 90}, {false, 13, 40});
  rig_end(&r);
}

static void the_compaction_of_another_incarnation_is_refused(void) {
  WITH_RIG(r);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 1, 50), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 1, 3, 50), SRV_STORE_OK);
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 2, 3); /* no such revision */
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 4, 3); /* a future revision */
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 3, 5, 60), SRV_STORE_OK);
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 3, 5);
  CHECK_INT(PUT(&r, SRV_STORE_REMOVE, "a", 5, 6, 0), SRV_STORE_OK);
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 5, 0);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 7, 60), SRV_STORE_OK);
  CHECK_MOVED(&r, SRV_STORE_COMPACT, "a", 0, 5, 7);
  CHECK_RECORDS(&r, "a", {true, 7, 60});
  rig_end(&r);
}

/* ---- against a model ------------------------------------------------------------------------ */

#define MODEL_KEYS 6
#define MODEL_RECORDS 4000

typedef struct model_key {
  expected records[MODEL_RECORDS];
  size_t count;
} model_key;

static model_key model[MODEL_KEYS];

static void check_model(rig *r) {
  for (int k = 0; k < MODEL_KEYS; k++) {
    char id[16];
    snprintf(id, sizeof id, "k%d", k);
    if (model[k].count) check_records(r, id, model[k].records, model[k].count);
    else CHECK_INT(rig_revision(r, SRV_STORE_SCENES, id), 0);
  }
}

/* Applies the operation to the model. */
static void expect_act(model_key *m, srv_store_operation act, uint64_t revision, size_t length) {
  size_t from = m->count;
  if (act == SRV_STORE_COMPACT)
    for (from = 0; m->records[from].revision <= revision;)
      if (++from == m->count) break;
  if (act == SRV_STORE_REMOVE) m->count = 0;
  if (act == SRV_STORE_CHANGE) m->records[m->count++] = (expected){false, revision, length};
  if (act != SRV_STORE_BASE && act != SRV_STORE_COMPACT) return;
  size_t keep = m->count - from;
  memmove(m->records + 1, m->records + from, keep * sizeof m->records[0]);
  m->records[0] = (expected){true, revision, length};
  m->count = keep + 1;
}

static void random_operations_agree_with_a_simple_model(void) {
  WITH_RIG(r);
  check_random random = {20261122};
  uint64_t revision = 0;
  int acts = getenv("CONTACTD_FULL") ? 20000 : 1500;
  memset(model, 0, sizeof model);
  for (int i = 0; i < acts; i++) {
    int k = (int)(check_next(&random) % MODEL_KEYS);
    model_key *m = &model[k];
    char id[16];
    snprintf(id, sizeof id, "k%d", k);
    uint64_t kind = check_next(&random) % 100,
             before = m->count ? m->records[m->count - 1].revision : 0;
    srv_store_operation act = !m->count || kind < 4 ? SRV_STORE_BASE
                              : kind < 6            ? SRV_STORE_REMOVE
                              : kind < 12           ? SRV_STORE_COMPACT
                                                    : SRV_STORE_CHANGE;
    uint64_t next =
        act == SRV_STORE_COMPACT ? m->records[check_next(&random) % m->count].revision : ++revision;
    /* Some records are large enough to be split, or to have pages of their own. */
    size_t length = (size_t)(check_next(&random) % (kind == 1 ? 3000000 : kind % 5 ? 200 : 9000));
    CHECK_INT(PUT(&r, act, id, before, next, length), SRV_STORE_OK);
    expect_act(m, act, next, length);
    if (i % 200 == 99) check_model(&r);
    if (i % 500 == 250) {
      rig_close(&r);
      CHECK(rig_open(&r));
    }
  }
  check_model(&r);
  rig_end(&r);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void writes_queued_at_the_end_take_effect_and_are_answered(void) {
  WITH_RIG(r);
  srv_store_write writes[500];
  srv_store_load load = {.id = "s0", .done = rig_loaded, .cls = &r};
  for (int i = 0; i < 500; i++) {
    char id[16];
    snprintf(id, sizeof id, "s%d", i);
    writes[i] = write_of(SRV_STORE_BASE, id, 0, 1, 3000);
    rig_submit(&r, &writes[i]);
  }
  r.waiting++;
  srv_store_fetch(r.store, &load);
  rig_close(&r);
  for (int i = 0; i < 500; i++) {
    CHECK_INT(writes[i].status, SRV_STORE_OK);
    free((char *)(uintptr_t)writes[i].bytes);
  }
  CHECK(load.status == SRV_STORE_OK || load.status == SRV_STORE_UNKNOWN);
  srv_store_load_free(&load);
  CHECK(rig_open(&r));
  srv_store_lookup look;
  CHECK_INT(rig_look(&r, SRV_STORE_SCENES, "", &look), SRV_STORE_OK);
  CHECK_INT(look.count, 500);
  free(look.entries);
  rig_end(&r);
}

#define STORE_PROMISES                                                                             \
  {"records_are_read_in_order_after_a_restart", records_are_read_in_order_after_a_restart},        \
      {"records_of_any_size_are_read_completely", records_of_any_size_are_read_completely},        \
      {"a_write_from_another_revision_changes_nothing",                                            \
       a_write_from_another_revision_changes_nothing},                                             \
      {"of_writes_from_the_same_revision_one_succeeds",                                            \
       of_writes_from_the_same_revision_one_succeeds},                                             \
      {"writes_take_effect_and_are_answered_in_order",                                             \
       writes_take_effect_and_are_answered_in_order},                                              \
      {"a_scene_may_name_existing_shapes_only_and_keeps_them",                                     \
       a_scene_may_name_existing_shapes_only_and_keeps_them},                                      \
      {"a_shape_and_a_scene_that_names_it_may_be_queued_together",                                 \
       a_shape_and_a_scene_that_names_it_may_be_queued_together},                                  \
      {"a_list_has_every_key_once_in_order", a_list_has_every_key_once_in_order},                  \
      {"revisions_of_deleted_scenes_are_not_reused", revisions_of_deleted_scenes_are_not_reused},  \
      {"a_base_replaces_all_earlier_records", a_base_replaces_all_earlier_records},                \
      {"a_compaction_keeps_later_changes", a_compaction_keeps_later_changes},                      \
      {"the_compaction_of_another_incarnation_is_refused",                                         \
       the_compaction_of_another_incarnation_is_refused},                                          \
      {"random_operations_agree_with_a_simple_model",                                              \
       random_operations_agree_with_a_simple_model},                                               \
  {                                                                                                \
    "writes_queued_at_the_end_take_effect_and_are_answered",                                       \
        writes_queued_at_the_end_take_effect_and_are_answered                                      \
  }

#endif
