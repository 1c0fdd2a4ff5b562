/* Friction without memory: every allocation fails in turn, alone and with all later ones, and the
 * outputs are unchanged; a warm arena allocates nothing. */
#include "tests/support/failing_malloc.h"

#include "tests/support/check.h"
#include "tests/support/friction_problems.h"

static ct_status run_query(friction_case *c, ct_friction_method method, ct_arena *arena,
                           long fail_at) {
  ct_friction_result result = {.r = c->r, .u = c->u};
  memory.fail_at = fail_at;
  memory.taken = 0;
  memory.counting = true;
  ct_status status = ct_friction_solve(
      &c->problem,
      &(ct_friction_options){.method = method, .iterations_max = 150, .tolerance = 1e-11}, arena,
      &result);
  memory.counting = false;
  return status;
}

/* The feet of twelve bricks for the cone; fewer for the pyramids, whose matrix has ten rows per
 * foot. */
static friction_case case_of(ct_friction_method method) {
  check_random random = {12201};
  return method == CT_FRICTION_POLYHEDRAL ? case_random(&random, 3, 4, 3)
                                          : case_heap(&random, 2, 3, 4);
}

static void what_memory_cannot_be_had_for_has_changed_nothing(void) {
  NEEDS_FAILING_MALLOC;
  for (int m = 0; m < CT_FRICTION_METHOD_COUNT; m++) {
    friction_case c = case_of((ct_friction_method)m);
    size_t n = c.problem.matrix.size;
    for (int rest = 0; rest < 2; rest++) {
      long refused = 0;
      for (long at = 1;; at++) {
        ct_arena *arena = ct_arena_create();
        for (size_t k = 0; k < n; k++) c.r[k] = c.u[k] = 77.0;
        memory.rest = rest == 1;
        long live = memory.live;
        ct_status status = run_query(&c, (ct_friction_method)m, arena, at);
        bool reached = memory.taken >= at, untouched = true;
        for (size_t k = 0; k < n; k++) untouched = untouched && c.r[k] == 77.0 && c.u[k] == 77.0;
        CHECK(status == CT_OK ? !untouched : status == CT_OUT_OF_MEMORY && untouched);
        refused += status == CT_OUT_OF_MEMORY;
        CHECK_INT(run_query(&c, (ct_friction_method)m, arena, 0), CT_OK);
        ct_arena_destroy(arena);
        CHECK_INT(memory.live, live - 1);
        if (!reached) break;
      }
      CHECK(refused > 0);
    }
    case_free(&c);
  }
}

static void a_warm_solver_allocates_nothing(void) {
  NEEDS_FAILING_MALLOC;
  ct_arena *arena = ct_arena_create();
  for (int round = 0; round < 2; round++)
    for (int m = 0; m < CT_FRICTION_METHOD_COUNT; m++) {
      friction_case c = case_of((ct_friction_method)m);
      CHECK_INT(run_query(&c, (ct_friction_method)m, arena, 0), CT_OK);
      if (round == 1) CHECK_INT(memory.taken, 0);
      case_free(&c);
    }
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"what_memory_cannot_be_had_for_has_changed_nothing",
     what_memory_cannot_be_had_for_has_changed_nothing},
    {"a_warm_solver_allocates_nothing", a_warm_solver_allocates_nothing},
};
CHECK_MAIN(tests)
