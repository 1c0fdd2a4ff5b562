/* The search of two large meshes: cancelled, without memory, with thousands of equally near pairs.
 */
#include "tests/support/failing_malloc.h"

#include "tests/support/meshes.h"

#include <contact/contact.h>

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

/* A field of n x n squares of side 1/n, at height `level` + wave. */
static ct_shape field(uint32_t n, double level, double wave, double phase) {
  soup s = {0};
  for (uint32_t i = 0; i <= n; i++)
    for (uint32_t j = 0; j <= n; j++) {
      double x = (double)i / n, y = (double)j / n;
      soup_vertex(&s, ct_vec(x, y, level + wave * sin(40 * x + phase) * cos(30 * y + phase)));
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      uint32_t a = i * (n + 1) + j, b = a + n + 1;
      soup_triangle(&s, a, b, b + 1);
      soup_triangle(&s, a, b + 1, a + 1);
    }
  return soup_shape(&s);
}

static ct_pair_result distance_of(const ct_shape *a, const ct_shape *b, ct_workspace *workspace) {
  ct_frame frame = ct_frame_of(ct_pose_identity());
  ct_pair_result r;
  ct_pair_distance((ct_placed){a, &frame}, (ct_placed){b, &frame}, &full, workspace, &r);
  return r;
}

static void faces_side_by_side_take_no_longer_than_others(void) {
  ct_workspace *workspace = ct_workspace_create();
  ct_shape a = field(60, 0.0, 0.0, 0.0), b = field(50, 0.25, 0.0, 0.0),
           box = {.kind = CT_KIND_BOX, .box = {{0.5, 0.5, 0.25}}};
  ct_pair_result r = distance_of(&a, &b, workspace);
  CHECK(r.distance == 0.25 && r.normal.z == 1.0 && r.lower_bound <= 0.25 && r.upper_bound >= 0.25);
  CHECK(r.iterations < 64);
  r = distance_of(&box, &b, workspace);
  CHECK(r.distance == 0.0);
  CHECK(r.iterations < 64);
  ct_shape_release(&a);
  ct_shape_release(&b);
  ct_workspace_destroy(workspace);
}

/* Waves that differ by a tiny phase are at nearly the same distance everywhere: 0.01. */
static void a_search_that_is_stopped_answers_with_true_bounds(void) {
  ct_workspace *workspace = ct_workspace_create();
  ct_shape a = field(80, 0.0, 0.05, 0.0), b = field(80, 0.01, 0.05, 0.0);
  ct_cancel *cancel = ct_cancel_create();
  ct_pair_result whole = distance_of(&a, &b, workspace), stopped;
  CHECK_INT(whole.status, CT_PAIR_OK);
  CHECK(whole.distance > 0.002 && whole.distance < 0.01);
  ct_workspace_watch(workspace, cancel);
  stopped = distance_of(&a, &b, workspace);
  CHECK_INT(stopped.status, CT_PAIR_OK);
  ct_cancel_raise(cancel);
  stopped = distance_of(&a, &b, workspace);
  CHECK_INT(stopped.status, CT_PAIR_ITERATION_LIMIT);
  CHECK(stopped.lower_bound <= whole.distance && whole.distance <= stopped.upper_bound);
  CHECK(stopped.iterations < whole.iterations);
  ct_workspace_watch(workspace, NULL);
  stopped = distance_of(&a, &b, workspace);
  CHECK(stopped.status == CT_PAIR_OK && stopped.distance == whole.distance);
  ct_cancel_destroy(cancel);
  ct_shape_release(&a);
  ct_shape_release(&b);
  ct_workspace_destroy(workspace);
}

/* Without memory for the queue of nodes the search is depth first and gives the same distance. */
static void without_memory_the_answer_is_the_same(void) {
  NEEDS_FAILING_MALLOC;
  ct_workspace *warm = ct_workspace_create(), *poor = ct_workspace_create();
  ct_shape a = field(30, 0.0, 0.05, 0.0), b = field(30, 0.01, 0.05, 0.1),
           ball = {.kind = CT_KIND_SPHERE, .sphere = {0.1}};
  soup s = {0};
  soup_sphere(&s, ct_vec(0.5, 0.5, 0.3), 0.2, 20, 20);
  ct_shape solid = soup_shape(&s);
  soup_sphere(&s, ct_vec(0.6, 0.5, 0.3), 0.2, 21, 20);
  ct_shape other = soup_shape(&s);
  const ct_shape *pairs[][2] = {
      {&a, &b}, {&a, &solid}, {&ball, &a}, {&solid, &other}, {&ball, &solid}};
  for (int i = 0; i < 5; i++) {
    ct_pair_result whole = distance_of(pairs[i][0], pairs[i][1], warm);
    memory.taken = 0;
    memory.fail_at = 1;
    memory.rest = memory.counting = true;
    ct_pair_result r = distance_of(pairs[i][0], pairs[i][1], poor);
    memory.fail_at = 0;
    memory.rest = memory.counting = false;
    CHECK_INT(r.status, CT_PAIR_OK);
    CHECK_NEAR(r.distance, whole.distance, 1e-15);
  }
  ct_shape_release(&a);
  ct_shape_release(&b);
  ct_shape_release(&solid);
  ct_shape_release(&other);
  ct_workspace_destroy(warm);
  ct_workspace_destroy(poor);
}

/* Once warm, nothing is allocated. */
static void pairs_allocate_nothing_once_warm(void) {
  NEEDS_FAILING_MALLOC;
  ct_workspace *workspace = ct_workspace_create();
  ct_shape a = field(30, 0.0, 0.05, 0.0), b = field(30, 0.01, 0.05, 0.1);
  ct_pair_result first = distance_of(&a, &b, workspace);
  memory.taken = 0;
  memory.counting = true;
  ct_pair_result second = distance_of(&a, &b, workspace);
  memory.counting = false;
  CHECK_INT(memory.taken, 0);
  CHECK(first.distance == second.distance);
  ct_shape_release(&a);
  ct_shape_release(&b);
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"faces_side_by_side_take_no_longer_than_others",
     faces_side_by_side_take_no_longer_than_others},
    {"a_search_that_is_stopped_answers_with_true_bounds",
     a_search_that_is_stopped_answers_with_true_bounds},
    {"without_memory_the_answer_is_the_same", without_memory_the_answer_is_the_same},
    {"pairs_allocate_nothing_once_warm", pairs_allocate_nothing_once_warm},
};

CHECK_MAIN(tests)
