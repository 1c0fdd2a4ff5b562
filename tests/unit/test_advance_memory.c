/* Time steps without memory: every allocation of a step fails in turn. The failed step changes
 * nothing, and its repetition with memory gives the same bits. */
#include "tests/support/failing_malloc.h"

#include "tests/support/advance.h"

/* Boxes that lean on each other, and a ball that hits them. */
static const ct_scene *crowd(void) {
  const placed_body bodies[5] = {
      ground,
      {"a", box_of(0.5, 0.5, 0.5), pose_at(0, 0, 0.5), AT_REST, &one_kilogram},
      {"b", box_of(0.5, 0.5, 0.5), pose_at(0.3, 0.1, 1.5), AT_REST, &one_kilogram},
      {"c", box_of(0.5, 0.5, 0.5), pose_at(1.01, 0, 0.5), {{-1, 0, 0}, {0, 0, 0}}, &one_kilogram},
      {"d", sphere_of(0.25), pose_at(0.2, 0.1, 2.26), {{0, 0, -2}, {0, 1, 0}}, &one_kilogram}};
  ct_material material = friction_of(0.5);
  material.restitution = 0.5;
  material.youngs_modulus = 1e6;
  material.poisson_ratio = 0.3;
  return scene_with(bodies, 5, material);
}

static void same_place(const ct_advance *advance, const ct_advance *other) {
  for (uint32_t row = 1; row < 5; row++) {
    ct_pose pose, pose_other;
    ct_velocity velocity, velocity_other;
    ct_advance_body(advance, row, &pose, &velocity);
    ct_advance_body(other, row, &pose_other, &velocity_other);
    CHECK(memcmp(&pose, &pose_other, sizeof pose) == 0);
    CHECK(memcmp(&velocity, &velocity_other, sizeof velocity) == 0);
  }
  ct_advance_state state = ct_advance_now(advance), state_other = ct_advance_now(other);
  CHECK(memcmp(&state, &state_other, sizeof state) == 0);
}

static void same_events(const ct_advance *advance, const ct_advance *other) {
  size_t count, count_other;
  const ct_advance_event *events = ct_advance_events(advance, &count),
                         *events_other = ct_advance_events(other, &count_other);
  CHECK_INT(count, count_other);
  for (size_t i = 0; i < count && i < count_other; i++) {
    CHECK(events[i].kind == events_other[i].kind && events[i].time == events_other[i].time);
    CHECK(events[i].row_a == events_other[i].row_a && events[i].row_b == events_other[i].row_b);
    CHECK(events[i].normal_velocity == events_other[i].normal_velocity);
    CHECK(events[i].impulse == events_other[i].impulse);
  }
}

/* Steps with allocation number fail_at failing, in a fresh workspace and a fresh arena. */
static ct_status step_short_of_memory(ct_advance *advance, long fail_at) {
  ct_workspace *cold = ct_workspace_create();
  ct_arena *cold_solver = ct_arena_create();
  bool done = false;
  memory.fail_at = fail_at;
  memory.taken = 0;
  memory.counting = true;
  ct_status status = ct_advance_step(advance, cold, cold_solver, &done);
  memory.counting = false;
  ct_arena_destroy(cold_solver);
  ct_workspace_destroy(cold);
  return status;
}

static void steps_without_memory(ct_advance_mode mode) {
  long live = memory.live;
  const ct_scene *scene = crowd();
  const ct_advance_options o = {.mode = mode,
                                .duration = 1.0,
                                .time_step = 0.01,
                                .gravity = {0, 0, -9.81},
                                .contact_tolerance = 1e-6,
                                .velocity_tolerance = 1e-3,
                                .rest_velocity = 0.01,
                                .contacts_max = 1000,
                                .contact_events = true};
  ct_advance *advance = advance_of(scene, &o), *other = advance_of(scene, &o);
  for (int k = 0; k < 3; k++) {
    long failed = 0;
    for (long n = 1; step_short_of_memory(advance, n) != CT_OK; n++) {
      failed++;
      same_place(advance, other);
    }
    CHECK(failed > 5);
    CHECK_INT(step_short_of_memory(other, 0), CT_OK);
    same_place(advance, other);
    same_events(advance, other);
  }
  ct_advance_destroy(advance);
  ct_advance_destroy(other);
  ct_scene_release(scene); /* queries have built the tree, which the scene caches */
  CHECK_INT(memory.live, live);
}

static void a_step_that_lacks_memory_leaves_no_trace(void) {
  NEEDS_FAILING_MALLOC;
  steps_without_memory(CT_ADVANCE_STEPPING);
}

static void a_flight_that_lacks_memory_leaves_no_trace(void) {
  NEEDS_FAILING_MALLOC;
  steps_without_memory(CT_ADVANCE_IMPULSES);
}

/* Also compares the events that the steps reported. */
static void an_elastic_step_that_lacks_memory_leaves_no_trace(void) {
  NEEDS_FAILING_MALLOC;
  steps_without_memory(CT_ADVANCE_COMPLIANT);
}

static void a_beginning_that_lacks_memory_leaves_nothing(void) {
  NEEDS_FAILING_MALLOC;
  const ct_scene *scene = crowd();
  const ct_advance_options o = {.duration = 1.0, .time_step = 0.01, .contacts_max = 10};
  long live = memory.live, failed = 0;
  ct_advance *advance = NULL;
  for (memory.fail_at = 1;; memory.fail_at++) {
    memory.taken = 0;
    memory.counting = true;
    ct_status status = ct_advance_create(scene, &o, &advance);
    memory.counting = false;
    if (status == CT_OK) break;
    CHECK_INT(status, CT_OUT_OF_MEMORY);
    CHECK(advance == NULL);
    CHECK_INT(memory.live, live);
    failed++;
  }
  CHECK(failed >= 5);
  ct_advance_destroy(advance);
  CHECK_INT(memory.live, live);
  ct_scene_release(scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"a_step_that_lacks_memory_leaves_no_trace", a_step_that_lacks_memory_leaves_no_trace},
      {"a_flight_that_lacks_memory_leaves_no_trace", a_flight_that_lacks_memory_leaves_no_trace},
      {"an_elastic_step_that_lacks_memory_leaves_no_trace",
       an_elastic_step_that_lacks_memory_leaves_no_trace},
      {"a_beginning_that_lacks_memory_leaves_nothing",
       a_beginning_that_lacks_memory_leaves_nothing},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
