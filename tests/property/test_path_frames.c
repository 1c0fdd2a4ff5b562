/* Paths in other units, other axes, other frames of reference, and in reversed time: the motion is
 * the same. */
#include "tests/support/failing_malloc.h"

#include "tests/support/check.h"
#include "tests/support/motion.h"
#include "tests/support/movers.h"

#include <contact/path.h>

#define KINDS 5

static ct_path_options random_options(check_random *r, int kind) {
  double a = check_uniform(r, 0.1, 1.0), b = check_uniform(r, 0.1, 1.0),
         c = check_uniform(r, 0.1, 1.0);
  return (ct_path_options){.kind = (ct_path_kind)kind,
                           .start = {random_vector(r, 10.0), random_rotation(r)},
                           .duration = check_uniform(r, 0.1, 10.0),
                           .center = random_vector(r, 1.0),
                           .velocity = {random_vector(r, 5.0), random_vector(r, 6.0)},
                           .acceleration = random_vector(r, 9.81),
                           .inertia_diagonal = {b * b + c * c, a * a + c * c, a * a + b * b},
                           .inertia_orientation = random_rotation(r),
                           .end = {random_vector(r, 10.0), random_rotation(r)}};
}

static double poses_apart(ct_pose p, ct_pose q) {
  return ct_max2(ct_max_abs(ct_sub(p.position, q.position)),
                 rotations_apart(p.rotation, q.rotation));
}

/* Seconds in units of 1/4, metres in units of 1/8, mass in units of powers of two: not a bit
 * changes. */
static void units_by_powers_of_two_change_no_bit(void) {
  check_random r = {1801};
  for (int i = 0; i < 1000; i++) {
    ct_path_options o = random_options(&r, i % KINDS), p = o;
    p.duration *= 4.0;
    p.start.position = ct_scale(o.start.position, 8.0);
    p.end.position = ct_scale(o.end.position, 8.0);
    p.center = ct_scale(o.center, 8.0);
    p.velocity =
        (ct_velocity){ct_scale(o.velocity.linear, 2.0), ct_scale(o.velocity.angular, 0.25)};
    p.acceleration = ct_scale(o.acceleration, 0.5);
    p.inertia_diagonal = ct_scale(o.inertia_diagonal, 0x1p-90);
    ct_path *one = mover_path(&o), *other = mover_path(&p);
    double time = check_uniform(&r, 0.0, o.duration);
    ct_pose a = ct_path_pose(one, time), b = ct_path_pose(other, 4.0 * time);
    CHECK(ct_max_abs(ct_sub(ct_scale(a.position, 8.0), b.position)) == 0.0);
    CHECK(a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
          a.rotation.z == b.rotation.z && a.rotation.w == b.rotation.w);
    ct_velocity v = ct_path_velocity(one, time), w = ct_path_velocity(other, 4.0 * time);
    CHECK(ct_max_abs(ct_sub(v.angular, ct_scale(w.angular, 4.0))) == 0.0);
    CHECK(ct_max_abs(ct_sub(ct_scale(v.linear, 2.0), w.linear)) == 0.0);
    ct_path_destroy(one);
    ct_path_destroy(other);
  }
}

/* Transforming the whole world by a pose transforms the path. */
static void a_path_moves_with_its_frame_of_reference(void) {
  check_random r = {1802};
  for (int i = 0; i < 1000; i++) {
    ct_path_options o = random_options(&r, i % KINDS), p = o;
    ct_frame move = ct_frame_of((ct_pose){random_vector(&r, 10.0), ct_quat_identity()});
    ct_quat turn = random_rotation(&r);
    move.rotation = ct_quat_matrix(turn);
    p.start = (ct_pose){ct_to_parent(move, o.start.position), ct_quat_mul(turn, o.start.rotation)};
    p.end = (ct_pose){ct_to_parent(move, o.end.position), ct_quat_mul(turn, o.end.rotation)};
    p.velocity = (ct_velocity){ct_mat_mul(move.rotation, o.velocity.linear),
                               ct_mat_mul(move.rotation, o.velocity.angular)};
    p.acceleration = ct_mat_mul(move.rotation, o.acceleration);
    ct_path *one = mover_path(&o), *other = mover_path(&p);
    double time = check_uniform(&r, 0.0, o.duration);
    ct_pose a = ct_path_pose(one, time), b = ct_path_pose(other, time);
    ct_pose moved = {ct_to_parent(move, a.position), ct_quat_mul(turn, a.rotation)};
    /* The velocities are rounded by 1e-15 of 10 rad/s for 10 s; a top near its intermediate axis
     * amplifies that. */
    CHECK_NEAR(poses_apart(moved, b), 0.0, i % KINDS == CT_PATH_TORQUE_FREE ? 1e-9 : 5e-12);
    ct_path_destroy(one);
    ct_path_destroy(other);
  }
}

/* The three principal moments in another order, with their axes. */
static void principal_axes_have_no_order(void) {
  check_random r = {1803};
  const ct_quat cycle = {0.5, 0.5, 0.5, 0.5}, swap = {1.0, 1.0, 0.0, 0.0};
  for (int i = 0; i < 500; i++) {
    ct_path_options o = random_options(&r, CT_PATH_TORQUE_FREE), p = o, q = o;
    o.inertia_orientation = ct_quat_identity();
    /* x to y to z to x; x and y exchanged, z reversed. */
    p.inertia_orientation = cycle;
    p.inertia_diagonal = ct_vec(o.inertia_diagonal.y, o.inertia_diagonal.z, o.inertia_diagonal.x);
    q.inertia_orientation = swap;
    q.inertia_diagonal = ct_vec(o.inertia_diagonal.y, o.inertia_diagonal.x, o.inertia_diagonal.z);
    ct_path *one = mover_path(&o), *second = mover_path(&p), *third = mover_path(&q);
    double time = check_uniform(&r, 0.0, o.duration);
    CHECK_NEAR(poses_apart(ct_path_pose(one, time), ct_path_pose(second, time)), 0.0, 2e-12);
    CHECK_NEAR(poses_apart(ct_path_pose(one, time), ct_path_pose(third, time)), 0.0, 2e-12);
    ct_path_destroy(one);
    ct_path_destroy(second);
    ct_path_destroy(third);
  }
}

/* From the final state with reversed velocities back to the initial one. */
static void a_reversed_path_returns_to_its_start(void) {
  check_random r = {1804};
  for (int i = 0; i < 1000; i++) {
    ct_path_options o = random_options(&r, i % KINDS), p = o;
    ct_path *there = mover_path(&o);
    ct_velocity last = ct_path_velocity(there, o.duration);
    p.start = ct_path_pose(there, o.duration);
    p.end = o.start;
    p.velocity = (ct_velocity){ct_neg(last.linear), ct_neg(last.angular)};
    ct_path *back = mover_path(&p);
    CHECK_NEAR(poses_apart(ct_path_pose(back, o.duration), o.start), 0.0,
               i % KINDS == CT_PATH_TORQUE_FREE ? 1e-9 : 5e-12);
    double time = check_uniform(&r, 0.0, o.duration);
    if (i % KINDS == CT_PATH_INTERPOLATED)
      CHECK_NEAR(poses_apart(ct_path_pose(back, o.duration - time), ct_path_pose(there, time)), 0.0,
                 2e-14);
    ct_path_destroy(there);
    ct_path_destroy(back);
  }
}

static void out_of_memory_is_reported_and_nothing_leaks(void) {
  NEEDS_FAILING_MALLOC;
  check_random r = {1805};
  for (int kind = 0; kind < KINDS; kind++) {
    ct_path_options o = random_options(&r, kind);
    long held = memory.live;
    for (memory.fail_at = 1;; memory.fail_at++) {
      ct_path *path = NULL;
      memory.taken = 0, memory.counting = true;
      ct_status status = ct_path_create(&o, &path);
      memory.counting = false;
      if (status == CT_OK) {
        ct_path_destroy(path);
        break;
      }
      CHECK_INT(status, CT_OUT_OF_MEMORY);
      CHECK(path == NULL && memory.live == held);
    }
    CHECK_INT(memory.fail_at, kind == CT_PATH_TORQUE_FREE ? 3 : 2);
    CHECK_INT(memory.live, held);
    memory.fail_at = 0;
  }
}

static const check_test tests[] = {
    {"units_by_powers_of_two_change_no_bit", units_by_powers_of_two_change_no_bit},
    {"a_path_moves_with_its_frame_of_reference", a_path_moves_with_its_frame_of_reference},
    {"principal_axes_have_no_order", principal_axes_have_no_order},
    {"a_reversed_path_returns_to_its_start", a_reversed_path_returns_to_its_start},
    {"out_of_memory_is_reported_and_nothing_leaks", out_of_memory_is_reported_and_nothing_leaks},
};
CHECK_MAIN(tests)
