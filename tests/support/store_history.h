/* Scenes that grow by changes whose records follow from their revisions. The submitted and
 * acknowledged revisions decide which records the store must have. */
#ifndef TESTS_STORE_HISTORY_H
#define TESTS_STORE_HISTORY_H

#include "tests/support/store_rig.h"

#include <fcntl.h>

/* Opens the store without the message of a refusal, which is expected here. */
static inline bool quietly_open(rig *r) {
  fflush(stderr);
  int kept = dup(2), nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, 2);
  bool good = rig_open(r);
  dup2(kept, 2);
  close(kept);
  close(nothing);
  return good;
}

#define SCENES 4

/* Scene s has a base of revision 1 and changes 2, 3, ... Lengths follow from the revision; some
 * records have pages of their own. */
static inline size_t length_of(uint64_t revision) {
  return (size_t)(revision * 977 % 61) * (revision % 7 == 3 ? 400 : 5);
}

static inline const char *scene_id(int s) {
  static const char *const ids[SCENES] = {"left", "right", "up", "down"};
  return ids[s];
}

typedef struct history {
  uint64_t submitted[SCENES], acknowledged[SCENES]; /* revisions */
} history;

/* One write to each scene, submitted together. Returns the number of acknowledged writes; the
 * others have the status `other`. */
static inline int write_round(rig *r, history *h, srv_store_status other) {
  srv_store_write writes[SCENES];
  int good = 0;
  for (int s = 0; s < SCENES; s++) {
    uint64_t before = h->acknowledged[s];
    writes[s] = write_of(before ? SRV_STORE_CHANGE : SRV_STORE_BASE, scene_id(s), before,
                         before + 1, length_of(before + 1));
    h->submitted[s] = before + 1;
    rig_submit(r, &writes[s]);
  }
  rig_wait(r);
  for (int s = 0; s < SCENES; s++) {
    bool acknowledged = writes[s].status == SRV_STORE_OK;
    if (acknowledged) h->acknowledged[s]++, good++;
    else CHECK_INT(writes[s].status, other);
    CHECK(acknowledged == (writes[s].why[0] == 0));
    free((char *)(uintptr_t)writes[s].bytes);
  }
  return good;
}

/* Every scene has its records from the base to its newest, which is at least the last acknowledged
 * and at most the last submitted one. Sets the history to the stored revisions. */
static inline void check_history(rig *r, history *h) {
  for (int s = 0; s < SCENES; s++) {
    srv_store_load load;
    srv_store_status status = rig_load(r, SRV_STORE_SCENES, scene_id(s), &load);
    CHECK_INT(status, load.count ? SRV_STORE_OK : SRV_STORE_UNKNOWN);
    CHECK(load.count >= h->acknowledged[s] && load.count <= h->submitted[s]);
    for (size_t i = 0; i < load.count; i++)
      CHECK(record_is(&load.records[i], scene_id(s), i + 1, length_of(i + 1)));
    h->acknowledged[s] = load.count;
    srv_store_load_free(&load);
  }
}

#endif
