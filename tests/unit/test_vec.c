/* Vectors and rotations: lengths at extreme scales, the rotation of a quaternion, composition of
 * frames. */
#include "tests/support/check.h"
#include <contact/vec.h>

static ct_quat random_rotation(check_random *r) {
  return (ct_quat){check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
                   check_uniform(r, 0.1, 1)};
}

static void check_near(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

static void lengths_neither_overflow_nor_underflow(void) {
  CHECK(ct_norm(ct_vec(3, 4, 0)) == 5.0);
  CHECK_NEAR(ct_norm(ct_vec(3e300, 4e300, 0)) / 5e300, 1.0, 4e-16);
  CHECK_NEAR(ct_norm(ct_vec(3e-300, 0, 4e-300)) / 5e-300, 1.0, 4e-16);
  CHECK(ct_norm(ct_vec(0, 0, 0)) == 0.0);
  ct_vec3 u = ct_unit_or(ct_vec(-2e-310, 0, 0), ct_vec(0, 0, 1));
  CHECK(u.x == -1.0 && u.y == 0.0 && u.z == 0.0);
  u = ct_unit_or(ct_vec(0, 0, 0), ct_vec(0, 0, 1));
  CHECK(u.z == 1.0);
}

static void a_quaternion_turns_as_its_axis_and_angle_say(void) {
  double half = 0.5 * 0.7;
  ct_mat3 m = ct_quat_matrix((ct_quat){0, 0, 3.0 * sin(half), 3.0 * cos(half)});
  check_near(ct_mat_mul(m, ct_vec(1, 0, 0)), ct_vec(cos(0.7), sin(0.7), 0), 4e-16);
  check_near(ct_mat_mul(m, ct_vec(0, 0, 2)), ct_vec(0, 0, 2), 4e-16);
  m = ct_quat_matrix((ct_quat){1, 1, 1, 1});
  check_near(ct_mat_mul(m, ct_vec(1, 2, 3)), ct_vec(3, 1, 2), 0.0);
}

static void matrices_of_quaternions_are_rotations(void) {
  check_random r = {81};
  for (int i = 0; i < 1000; i++) {
    ct_mat3 m = ct_quat_matrix(random_rotation(&r)), one = ct_mat_mat(m, ct_mat_transpose(m));
    check_near(one.rx, ct_vec(1, 0, 0), 2e-15);
    check_near(one.ry, ct_vec(0, 1, 0), 2e-15);
    check_near(one.rz, ct_vec(0, 0, 1), 2e-15);
    CHECK_NEAR(ct_dot(m.rx, ct_cross(m.ry, m.rz)), 1.0, 2e-15);
  }
}

static void products_of_quaternions_and_frames_compose(void) {
  check_random r = {82};
  for (int i = 0; i < 1000; i++) {
    ct_quat p = random_rotation(&r), q = random_rotation(&r);
    ct_vec3 v =
        ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
    check_near(ct_mat_mul(ct_quat_matrix(ct_quat_mul(p, q)), v),
               ct_mat_mul(ct_quat_matrix(p), ct_mat_mul(ct_quat_matrix(q), v)), 4e-15);
    ct_frame f = ct_frame_of((ct_pose){{1, 2, 3}, p}), g = ct_frame_of((ct_pose){{-4, 0, 5}, q});
    check_near(ct_to_parent(ct_frame_mul(f, g), v), ct_to_parent(f, ct_to_parent(g, v)), 1e-14);
    check_near(ct_to_local(f, ct_to_parent(f, v)), v, 1e-14);
    check_near(ct_mat_tmul(f.rotation, v), ct_mat_mul(ct_mat_transpose(f.rotation), v), 0.0);
  }
}

static void touching_boxes_overlap(void) {
  ct_aabb a = {{0, 0, 0}, {1, 1, 1}}, b = {{1, 0, 0}, {2, 1, 1}},
          c = {{1.0000001, 0, 0}, {2, 1, 1}};
  CHECK(ct_aabb_overlap(&a, &b) && ct_aabb_overlap(&b, &a));
  CHECK(!ct_aabb_overlap(&a, &c) && !ct_aabb_overlap(&c, &a));
  ct_aabb u = ct_aabb_union(a, c);
  CHECK(u.min.x == 0 && u.max.x == 2 && u.max.z == 1);
  u = ct_aabb_expand(a, 0.5);
  CHECK(u.min.x == -0.5 && u.max.z == 1.5);
}

static const check_test tests[] = {
    {"lengths_neither_overflow_nor_underflow", lengths_neither_overflow_nor_underflow},
    {"a_quaternion_turns_as_its_axis_and_angle_say", a_quaternion_turns_as_its_axis_and_angle_say},
    {"matrices_of_quaternions_are_rotations", matrices_of_quaternions_are_rotations},
    {"products_of_quaternions_and_frames_compose", products_of_quaternions_and_frames_compose},
    {"touching_boxes_overlap", touching_boxes_overlap},
};

CHECK_MAIN(tests)
