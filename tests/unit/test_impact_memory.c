/* Searches for impacts and timelines without memory, and with a raised flag: every allocation fails
 * in turn; a result is complete or its status says why not. A warm search allocates nothing. */
#include "tests/support/failing_malloc.h"
#include "tests/support/meshes.h"
#include "tests/support/movers.h"

/* A cube as a solid mesh that rotates on its way through a hull of the same cube, and back out. */
static ct_moving_body cube(double x, ct_vec3 velocity) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  ct_shape shape = soup_shape(&s);
  ct_path_options path = twists(4.0, (ct_pose){ct_vec(x, 0.25, -0.5), {0.1, 0.2, 0.3, 0.9}},
                                velocity, ct_vec(0.3, 0.5, -0.2));
  ct_moving_body m = mover(shape, &path);
  ct_shape_release(&shape);
  return m;
}

typedef struct requested {
  ct_status impact_status, timeline_status;
  ct_toi impact;
  size_t changes;
  long allocations;
} requested;

static requested run_query(ct_moving_body a, ct_moving_body b, ct_workspace *workspace,
                           ct_timeline *timeline, long fail_at) {
  ct_toi_options options = whole_motion(4.0);
  requested out;
  memory.fail_at = fail_at;
  memory.taken = 0;
  memory.counting = true;
  out.impact_status = ct_body_toi(a, b, &options, workspace, &out.impact);
  out.timeline_status = ct_body_timeline(a, b, &options, 10, workspace, timeline);
  memory.counting = false;
  out.changes = timeline->count;
  out.allocations = memory.taken;
  return out;
}

static void each_allocation_that_fails_is_told(void) {
  NEEDS_FAILING_MALLOC;
  ct_moving_body a = cube(-4.0, ct_vec(2, 0, 0)), b = cube(4.0, ct_vec(-1, 0, 0));
  long live = memory.live, reported = 0;
  requested full = {.allocations = 1};
  for (long n = 0; n <= full.allocations; n++) {
    ct_workspace *workspace = ct_workspace_create();
    ct_timeline timeline = {.count = 0};
    requested got = run_query(a, b, workspace, &timeline, n);
    if (n == 0) full = got;
    CHECK(got.impact_status == CT_OK || got.impact_status == CT_OUT_OF_MEMORY);
    CHECK(got.timeline_status == CT_OK || got.timeline_status == CT_OUT_OF_MEMORY);
    reported += got.impact_status == CT_OUT_OF_MEMORY || got.timeline_status == CT_OUT_OF_MEMORY;
    if (got.impact_status == CT_OK)
      CHECK(got.impact.event == full.impact.event && got.impact.time == full.impact.time);
    if (got.timeline_status == CT_OK) CHECK(got.changes == full.changes);
    if (n == 0) {
      CHECK(got.impact_status == CT_OK && got.timeline_status == CT_OK && got.allocations > 0);
      CHECK(got.impact.event == CT_TOI_CONTACT && got.changes == 2);
      requested warm = run_query(a, b, workspace, &timeline, 0);
      CHECK_INT(warm.allocations, 0);
      CHECK(warm.impact.time == got.impact.time && warm.changes == got.changes);
    }
    ct_timeline_free(&timeline);
    ct_workspace_destroy(workspace);
    CHECK_INT(memory.live, live);
  }
  CHECK_INT(reported, full.allocations);
  mover_free(a);
  mover_free(b);
}

static void a_raised_flag_ends_a_search_at_once(void) {
  ct_moving_body a = cube(-4.0, ct_vec(2, 0, 0)), b = cube(4.0, ct_vec(-1, 0, 0));
  ct_workspace *workspace = ct_workspace_create();
  ct_toi_options options = whole_motion(4.0);
  ct_cancel *cancel = ct_cancel_create();
  ct_toi impact;
  ct_timeline timeline = {.count = 0};
  options.cancel = cancel;
  CHECK_INT(ct_body_toi(a, b, &options, workspace, &impact), CT_OK);
  ct_cancel_raise(cancel);
  CHECK_INT(ct_body_toi(a, b, &options, workspace, &impact), CT_CANCELLED);
  CHECK_INT(ct_body_timeline(a, b, &options, 10, workspace, &timeline), CT_CANCELLED);
  options.method = CT_TOI_BISECTION;
  CHECK_INT(ct_body_toi(a, b, &options, workspace, &impact), CT_CANCELLED);
  ct_timeline_free(&timeline);
  ct_cancel_destroy(cancel);
  ct_workspace_destroy(workspace);
  mover_free(a);
  mover_free(b);
}

/* Bodies without colliders are never in contact. */
static void bodies_of_nothing_never_meet(void) {
  ct_path_options path = twists(1.0, ct_pose_identity(), ct_vec(1, 0, 0), ct_vec(0, 0, 0));
  ct_moving_body a = mover_of(mover_body(NULL, NULL, 0), &path), b = cube(0.0, ct_vec(0, 0, 0));
  ct_workspace *workspace = ct_workspace_create();
  ct_toi_options options = whole_motion(1.0);
  ct_toi impact;
  ct_timeline timeline = {.count = 0};
  CHECK_INT(ct_body_toi(a, b, &options, workspace, &impact), CT_OK);
  CHECK(impact.event == CT_TOI_NONE && impact.free_until == 1.0);
  CHECK_INT(ct_body_timeline(b, a, &options, 10, workspace, &timeline), CT_OK);
  CHECK(timeline.count == 0 && timeline.status == CT_TIMELINE_COMPLETE &&
        timeline.known_until == 1.0);
  ct_timeline_free(&timeline);
  ct_workspace_destroy(workspace);
  mover_free(a);
  mover_free(b);
}

static const check_test tests[] = {
    {"each allocation that fails is told", each_allocation_that_fails_is_told},
    {"a raised flag ends a search at once", a_raised_flag_ends_a_search_at_once},
    {"bodies of nothing never meet", bodies_of_nothing_never_meet},
};
CHECK_MAIN(tests)
