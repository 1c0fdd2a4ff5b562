/* The promises of every store for the file store, and the bounded size of its file. */
#include "tests/support/store_promises.h"

static void its_durability_is_disk_and_it_is_not_shared(void) {
  WITH_RIG(r);
  CHECK_TEXT(r.store->durability, "disk");
  CHECK(!r.store->shared);
  rig_end(&r);
}

/* Replaced records are deleted: the file does not grow without limit. */
static void replacing_a_scene_repeatedly_does_not_grow_the_file(void) {
  WITH_RIG(r);
  char path[120];
  struct stat file[2];
  snprintf(path, sizeof path, "%s/contactd.db", r.folder);
  uint64_t revision = 0;
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < 40; i++, revision++)
      CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", revision, revision + 1, 300000), SRV_STORE_OK);
    rig_close(&r);
    CHECK_INT(stat(path, &file[half]), 0);
    CHECK(rig_open(&r));
  }
  CHECK(file[0].st_size < 10 * 300000);
  CHECK(file[1].st_size <= file[0].st_size + 300000);
  rig_end(&r);
}

static const check_test tests[] = {
    STORE_PROMISES,
    {"its_durability_is_disk_and_it_is_not_shared", its_durability_is_disk_and_it_is_not_shared},
    {"replacing_a_scene_repeatedly_does_not_grow_the_file",
     replacing_a_scene_repeatedly_does_not_grow_the_file}};

CHECK_MAIN(tests)
