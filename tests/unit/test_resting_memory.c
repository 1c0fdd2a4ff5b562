/* Resting forces without memory, and with a raised flag: every allocation fails in turn and is
 * reported; a reported success is complete. A warm search allocates nothing, and equal input gives
 * equal bits. */
#include "tests/support/failing_malloc.h"
#include "tests/support/island.h"

#include "linear/arena.h"

/* A block on four points on a sloping floor, which sticks or slides; or without friction. */
static void make(island *i, int kind) {
  static const struct {
    ct_resting_friction friction;
    double mu, speed;
    bool acceleration;
  } kinds[] = {{CT_RESTING_FRICTION_NONE, 0.0, 0.0, false},
               {CT_RESTING_FRICTION_CONE, 0.8, 0.0, false},
               {CT_RESTING_FRICTION_CONE, 0.2, 0.0, false},
               {CT_RESTING_FRICTION_CONE, 0.3, 1.0, false},
               {CT_RESTING_FRICTION_CONE, 0.3, 1.0, true},
               {CT_RESTING_FRICTION_POLYHEDRAL, 0.3, 0.0, false}};
  island_begin(i, kinds[kind].friction);
  uint32_t body = island_body(i, 1.0, ct_vec(0.3, 0.4, 0.5), ct_vec(0.0, 0.0, 0.5));
  for (int k = 0; k < 4; k++)
    island_touch(i, 0, body, ct_vec(k & 1 ? 1.0 : -1.0, k & 2 ? 0.6 : -0.6, 0.0),
                 ct_vec(0.0, 0.0, 1.0), kinds[kind].mu);
  i->bodies[body].velocity.linear = ct_vec(kinds[kind].speed, 0.3 * kinds[kind].speed, 0.0);
  island_load(i, body, ct_vec(4.0, 1.0, -9.0), ct_vec(0.0, 0.0, 0.1));
  i->options.acceleration_level = kinds[kind].acceleration;
}

#define KINDS 6

static ct_status solve(island *i, ct_arena *arena) {
  ct_contact_set set = island_set(i);
  i->result = (ct_resting_result){.contacts = i->forces,
                                  .bodies = i->accelerations,
                                  .holding = i->holding,
                                  .motion = i->motion,
                                  .certificate = i->certificate};
  return ct_resting_solve(&set, &i->options, arena, &i->result);
}

static void each_allocation_that_fails_is_told(void) {
  NEEDS_FAILING_MALLOC;
  for (int kind = 0; kind < KINDS; kind++) {
    static island full, got;
    make(&full, kind);
    long live = memory.live, reported = 0, allocations = 1;
    for (long n = 0; n <= allocations; n++) {
      make(&got, kind);
      memory.fail_at = n;
      memory.taken = 0;
      memory.counting = true;
      ct_arena *arena = ct_arena_create();
      ct_status status = arena ? solve(&got, arena) : CT_OUT_OF_MEMORY;
      memory.counting = false;
      if (n == 0) {
        CHECK_INT(status, CT_OK);
        full = got;
        allocations = memory.taken;
        CHECK_INT(solve(&got, arena), CT_OK); /* blocks are coalesced */
        memory.taken = 0;
        memory.counting = true;
        CHECK_INT(solve(&got, arena), CT_OK);
        memory.counting = false;
        CHECK_INT(memory.taken, 0);
      }
      reported += status == CT_OUT_OF_MEMORY;
      CHECK(status == CT_OK || status == CT_OUT_OF_MEMORY);
      if (status == CT_OK)
        CHECK(memcmp(got.forces, full.forces, sizeof got.forces) == 0 &&
              got.result.stability == full.result.stability);
      ct_arena_destroy(arena);
      CHECK_INT(memory.live, live);
    }
    CHECK(reported > 1);
  }
}

static void raised_flag_ends_the_search(void) {
  ct_cancel *cancel = ct_cancel_create();
  ct_arena *arena = ct_arena_create();
  ct_cancel_raise(cancel);
  for (int kind = 0; kind < KINDS; kind++) {
    static island i;
    make(&i, kind);
    i.options.cancel = cancel;
    CHECK_INT(solve(&i, arena), CT_CANCELLED);
  }
  ct_arena_destroy(arena);
  ct_cancel_destroy(cancel);
}

static const check_test tests[] = {
    {"each allocation that fails is told, and once warm there is none",
     each_allocation_that_fails_is_told},
    {"a raised flag ends the search", raised_flag_ends_the_search},
};

CHECK_MAIN(tests)
