/* Mechanics of a scene and Delassus matrices without memory, and with a raised flag: every
 * allocation fails in turn, the status reports it, and nothing leaks. */
#include "mechanics/mechanics.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/scenes.h"

static uint32_t add_dynamic(ct_draft *draft, const char *id, ct_shape shape, ct_pose pose) {
  static const ct_motion motion = {
      .source = CT_MASS_MASS, .value = 1.0, .inertia_orientation = {0, 0, 0, 1}};
  ct_collider collider = {.shape = shape, .pose = ct_pose_identity()};
  ct_body_options options = {
      .id = text_of(id), .colliders = &collider, .collider_count = 1, .motion = &motion};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return add_body(draft, body, pose);
}

/* Eighty contacts: their list grows once. */
static const ct_scene *stack(void) {
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  for (int i = 0; i < 20; i++) {
    char id[16];
    snprintf(id, sizeof id, "%d", i);
    add_dynamic(draft, id, box_of(.5, .5, .5), pose_at(0, 0, .5 + i));
  }
  return seal(draft, empty);
}

typedef struct requested {
  ct_status prepared, graphed, filled;
  size_t contacts, couplings;
  long allocations;
} requested;

/* Runs all steps until one fails. */
static requested run_query(const ct_scene *scene, const ct_mechanics_options *options,
                           ct_workspace *workspace, long fail_at) {
  requested out = {0};
  ct_mechanics *mechanics = NULL;
  memory.fail_at = fail_at;
  memory.taken = 0;
  memory.counting = true;
  out.prepared = ct_mechanics_prepare(scene, options, workspace, &mechanics);
  if (out.prepared == CT_OK) {
    ct_contact_set set = ct_mechanics_island(mechanics, 0).set;
    ct_contact_graph graph;
    ct_delassus_matrix matrix;
    out.contacts = set.count;
    out.graphed = ct_contact_graph_open(&graph, &set);
    if (out.graphed == CT_OK) {
      out.couplings = graph.starts[graph.count];
      out.filled = ct_delassus_matrix_open(&matrix, &set, &graph, 3);
      if (out.filled == CT_OK) ct_delassus_matrix_close(&matrix);
      ct_contact_graph_close(&graph);
    }
  }
  memory.counting = false;
  out.allocations = memory.taken;
  ct_mechanics_destroy(mechanics);
  return out;
}

static bool reported(ct_status status) {
  CHECK(status == CT_OK || status == CT_OUT_OF_MEMORY);
  return status == CT_OUT_OF_MEMORY;
}

static void each_allocation_that_fails_is_told(void) {
  NEEDS_FAILING_MALLOC;
  const ct_given_contact given = {.a = 0,
                                  .b = 1,
                                  .collider_a = CT_NO_COLLIDER,
                                  .collider_b = CT_NO_COLLIDER,
                                  .normal = {0, 0, 1}};
  const ct_mechanics_options found = {.contact_tolerance = 1e-6, .detail = CT_DETAIL_MANIFOLD};
  const ct_mechanics_options named = {.only_given = true, .given = &given, .given_count = 1};
  for (int k = 0; k < 2; k++) {
    requested full = {.allocations = 1};
    for (long n = 0; n <= full.allocations; n++) {
      const ct_scene *scene = stack();
      ct_workspace *workspace = ct_workspace_create();
      if (n == 0) run_query(scene, k ? &named : &found, workspace, 0); /* fills the caches */
      long live = memory.live;
      requested got = run_query(scene, k ? &named : &found, workspace, n);
      if (n == 0) {
        full = got;
        CHECK(got.prepared == CT_OK && got.graphed == CT_OK && got.filled == CT_OK &&
              got.allocations > 10);
        CHECK_INT(got.contacts, k ? 1 : 80);
        CHECK_INT(memory.live, live);
      } else {
        bool any = reported(got.prepared), graphed = reported(got.graphed),
             filled = reported(got.filled);
        if (!any && !graphed && !filled)
          CHECK(got.contacts == full.contacts && got.couplings == full.couplings);
        if (n <= 3) CHECK(any);
      }
      ct_workspace_destroy(workspace);
      ct_scene_release(scene);
    }
  }
}

/* After a failure at any allocation, scene and workspace can be released, and no memory remains. */
static void nothing_is_lost(void) {
  NEEDS_FAILING_MALLOC;
  const ct_mechanics_options found = {.contact_tolerance = 1e-6, .detail = CT_DETAIL_MANIFOLD};
  long before = memory.live;
  for (long n = 1; n < 60; n++) {
    const ct_scene *scene = stack();
    ct_workspace *workspace = ct_workspace_create();
    run_query(scene, &found, workspace, n);
    ct_workspace_destroy(workspace);
    ct_scene_release(scene);
    CHECK_INT(memory.live, before);
  }
}

static void a_raised_flag_stops_the_computation(void) {
  const ct_scene *scene = stack();
  ct_workspace *workspace = ct_workspace_create();
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  const ct_mechanics_options options = {
      .contact_tolerance = 1e-6, .detail = CT_DETAIL_MANIFOLD, .cancel = cancel};
  ct_mechanics *mechanics = NULL;
  CHECK_INT(ct_mechanics_prepare(scene, &options, workspace, &mechanics), CT_CANCELLED);
  CHECK(mechanics == NULL);
  ct_cancel_destroy(cancel);
  ct_workspace_destroy(workspace);
  ct_scene_release(scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"each allocation that fails is told", each_allocation_that_fails_is_told},
      {"nothing is lost", nothing_is_lost},
      {"a raised flag ends it", a_raised_flag_stops_the_computation},
  };
  return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
