/* The store in a file: what every store promises, and what a file brings with it. */
#include "tests/support/store_rig.h"

#define PUT(r, act, id, before, revision, length) rig_put(r, act, id, (uint64_t[]){before, revision}, length)

static void records_come_back_in_order_after_the_store_was_closed(void) {
  rig r;
  rig_begin(&r);
  CHECK(rig_open(&r));
  CHECK_TEXT(r.store->durability, "disk");
  CHECK(!r.store->shared);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "a", 0, 7, 1000), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 7, 8, 10), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_BASE, "b", 0, 2, 0), SRV_STORE_OK);
  CHECK_INT(PUT(&r, SRV_STORE_CHANGE, "a", 8, 11, 5000), SRV_STORE_OK);
  for (int round = 0; round < 2; round++) {
    srv_store_load load;
    CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "a", &load), SRV_STORE_OK);
    CHECK_INT(load.count, 3);
    if (load.count == 3) {
      CHECK(load.records[0].base && record_is(&load.records[0], "a", 7, 1000));
      CHECK(!load.records[1].base && record_is(&load.records[1], "a", 8, 10));
      CHECK(!load.records[2].base && record_is(&load.records[2], "a", 11, 5000));
    }
    srv_store_load_free(&load);
    CHECK_INT(rig_load(&r, SRV_STORE_SCENES, "b", &load), SRV_STORE_OK);
    CHECK(load.count == 1 && load.records[0].base && load.records[0].length == 0);
    srv_store_load_free(&load);
    CHECK_INT(rig_load(&r, SRV_STORE_SHAPES, "a", &load), SRV_STORE_UNKNOWN);
    CHECK_INT(load.count, 0);
    rig_close(&r);
    CHECK(rig_open(&r));
  }
  rig_end(&r);
}

static const check_test tests[] = {
    {"records_come_back_in_order_after_the_store_was_closed", records_come_back_in_order_after_the_store_was_closed}};

CHECK_MAIN(tests)
