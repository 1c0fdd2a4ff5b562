/* Torque-free rotation: closed forms of symmetric tops, conservation of momentum and energy, and
 * the Taylor series of Euler's equations in long double. */
#include "base/trigonometry.h"
#include "tests/support/check.h"
#include "tests/support/motion.h"
#include "tests/support/movers.h"

#include <contact/path.h>

typedef long double real;
#define TAYLOR 24
#define PI_L 3.14159265358979323846264338327950288L

static void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

/* Orientation relative to the start and angular velocity in the principal axes, of a body whose
 * axes are the world's at the start. */
typedef struct top_l {
  real moments[3], w[3], q[4]; /* x, y, z, w */
} top_l;

static real convolved(const real *a, const real *b, int k) {
  real sum = 0;
  for (int j = 0; j <= k; j++) sum += a[j] * b[k - j];
  return sum;
}

static real at_step(const real *series, real h) {
  real sum = 0;
  for (int k = TAYLOR; k >= 0; k--) sum = sum * h + series[k];
  return sum;
}

/* One Taylor step of I1 w1' = (I2 - I3) w2 w3 and so on, q' = q w / 2. With h |w| of 1/32 the
 * truncation error is below 1e-20. */
static void oracle_step(top_l *top, real h) {
  real w[3][TAYLOR + 1], q[4][TAYLOR + 1];
  for (int i = 0; i < 3; i++) w[i][0] = top->w[i];
  for (int i = 0; i < 4; i++) q[i][0] = top->q[i];
  for (int k = 0; k < TAYLOR; k++) {
    real half = 0.5L / (real)(k + 1);
    for (int i = 0; i < 3; i++) {
      int a = (i + 1) % 3, b = (i + 2) % 3;
      w[i][k + 1] = (top->moments[a] - top->moments[b]) / top->moments[i] *
                    convolved(w[a], w[b], k) / (real)(k + 1);
      q[i][k + 1] =
          half * (convolved(q[3], w[i], k) + convolved(q[a], w[b], k) - convolved(q[b], w[a], k));
    }
    q[3][k + 1] =
        -half * (convolved(q[0], w[0], k) + convolved(q[1], w[1], k) + convolved(q[2], w[2], k));
  }
  for (int i = 0; i < 3; i++) top->w[i] = at_step(w[i], h);
  for (int i = 0; i < 4; i++) top->q[i] = at_step(q[i], h);
}

static ct_path *made(ct_vec3 moments, ct_quat orientation, ct_pose start, ct_vec3 angular,
                     double duration) {
  ct_path_options o = {.kind = CT_PATH_TORQUE_FREE,
                       .start = start,
                       .duration = duration,
                       .velocity = {{0, 0, 0}, angular},
                       .inertia_diagonal = moments,
                       .inertia_orientation = orientation};
  return mover_path(&o);
}

/* Follows path and reference for `turns` rad. Allowed error of the rotation: `at_once` plus
 * `per_radian` for each radian. */
static void follows_oracle(ct_vec3 moments, ct_vec3 angular, double turns, double at_once) {
  const double per_radian = 1e-14;
  top_l truth = {
      {moments.x, moments.y, moments.z}, {angular.x, angular.y, angular.z}, {0, 0, 0, 1}};
  ct_path *path = made(moments, ct_quat_identity(), ct_pose_identity(), angular,
                       1e6 / (8.0 * ct_norm(angular) + 1.0));
  ct_vec3 axis;
  bool constant = true;
  double spin = ct_path_spin(path, &axis, &constant);
  CHECK(!constant);
  /* A power of two, so that all times are exact. */
  double h = ldexp(1.0, -5 - (int)ceil(log2(spin))), turned = 0.0, greatest = 0.0;
  for (int k = 1; turned < turns && k * h <= ct_path_duration(path); k++) {
    oracle_step(&truth, (real)h);
    double w =
        sqrt((double)(truth.w[0] * truth.w[0] + truth.w[1] * truth.w[1] + truth.w[2] * truth.w[2]));
    turned += h * w;
    greatest = ct_max2(greatest, w);
    if (k % 16 != 0 && turned < turns) continue;
    ct_quat q = {(double)truth.q[0], (double)truth.q[1], (double)truth.q[2], (double)truth.q[3]};
    CHECK_NEAR(rotations_apart(ct_path_pose(path, k * h).rotation, q), 0.0,
               at_once + per_radian * turned);
    ct_vec3 local = {(double)truth.w[0], (double)truth.w[1], (double)truth.w[2]};
    near_vec(ct_path_velocity(path, k * h).angular, ct_mat_mul(ct_quat_matrix(q), local),
             (at_once + per_radian * turned) * 2.0 * spin);
  }
  CHECK(greatest <= spin);
  ct_path_destroy(path);
}

/* Moments of a box of random edges. */
static ct_vec3 random_moments(check_random *r) {
  double a = check_uniform(r, 0.05, 1.0), b = check_uniform(r, 0.05, 1.0),
         c = check_uniform(r, 0.05, 1.0);
  return ct_vec(b * b + c * c, a * a + c * c, a * a + b * b);
}

static int rounds(int by_default, int full) { return getenv("CONTACTD_FULL") ? full : by_default; }

static void any_top_is_eulers_equations(void) {
  check_random r = {1601};
  for (int i = 0; i < rounds(25, 1000); i++)
    follows_oracle(random_moments(&r), random_vector(&r, 2.0), 30.0, 1e-14);
}

/* A rod with nearly equal moments, a flat plate with one moment equal to the sum of the others, a
 * near-sphere. */
static void difficult_proportions_are_eulers_equations(void) {
  check_random r = {1602};
  for (int i = 0; i < rounds(4, 100); i++) {
    follows_oracle(ct_vec(1e-6, 1.0, 1.0 + 5e-7), random_vector(&r, 1.0), 10.0, 2e-14);
    follows_oracle(ct_vec(0.7, 1.0, 0.3), random_vector(&r, 1.0), 10.0, 2e-14);
    follows_oracle(ct_vec(1.0, 1.0 + 1e-9, 1.0 - 3e-9), random_vector(&r, 1.0), 10.0, 2e-14);
    follows_oracle(ct_vec(1.0, 1.0, 1.0 + 0x1p-52), random_vector(&r, 1.0), 10.0, 2e-14);
  }
}

/* Rotation about the middle axis turns over and back with a constant period. Dzhanibekov 1985;
 * Poinsot 1834. */
static void a_top_about_its_middle_axis_turns_over(void) {
  check_random r = {1603};
  for (double off = 1e-3; off > 1e-13; off *= 0.01) {
    follows_oracle(ct_vec(1, 2, 2.5), ct_vec(off, 1, -0.3 * off), 40.0, 3e-14);
    follows_oracle(ct_vec(2, 2.5, 1), ct_vec(-1, 0.5 * off, off), 40.0, 3e-14);
  }
  /* It does turn over. */
  ct_path *path =
      made(ct_vec(1, 2, 2.5), ct_quat_identity(), ct_pose_identity(), ct_vec(1e-6, 1, 0), 200.0);
  double least = 1.0;
  for (int k = 0; k <= 2000; k++) {
    ct_mat3 m = ct_quat_matrix(ct_path_pose(path, 0.1 * k).rotation);
    least = ct_min2(least, m.ry.y);
  }
  CHECK(least < -0.999);
  ct_path_destroy(path);
  /* On the separatrix to the last digit, and next to it. */
  for (int i = 0; i < 5; i++) {
    double w1 = check_uniform(&r, 0.1, 1.0);
    follows_oracle(ct_vec(1, 2, 3), ct_vec(w1, 0.5 * i, w1 * sqrt(1.0 / 3.0)), 12.0, 3e-14);
  }
  follows_oracle(ct_vec(1, 2, 3.0), ct_vec(3.0, 1.0, sqrt(3.0)), 12.0, 3e-14);
}

/* A symmetric top precesses about its angular momentum at L/I1, and spins about its axis at (1 -
 * I3/I1) w3: closed form. */
static void a_symmetric_top_precesses_steadily(void) {
  check_random r = {1604};
  for (int i = 0; i < 400; i++) {
    double i1 = check_uniform(&r, 0.2, 1.0),
           i3 = i1 * (i % 8 == 0 ? 1e-5 : check_uniform(&r, 0.1, 1.99));
    ct_vec3 moments = i % 3 == 0   ? ct_vec(i1, i1, i3)
                      : i % 3 == 1 ? ct_vec(i1, i3, i1)
                                   : ct_vec(i3, i1, i1);
    ct_vec3 k = i % 3 == 0   ? ct_vec(0, 0, 1)
                : i % 3 == 1 ? ct_vec(0, 1, 0)
                             : ct_vec(1, 0, 0),
            w = random_vector(&r, 3.0);
    ct_path *path = made(moments, ct_quat_identity(), ct_pose_identity(), w, 1000.0);
    double time = check_uniform(&r, 0.0, i % 2 ? 1000.0 : 10.0), turned = time * ct_norm(w);
    ct_vec3 momentum = {moments.x * w.x, moments.y * w.y, moments.z * w.z},
            point = random_vector(&r, 1.0);
    vec_l about = scale_l(to_l(momentum), (real)time / (real)i1);
    vec_l spin = scale_l(to_l(k), (real)time * (1.0L - (real)i3 / (real)i1) * (real)ct_dot(w, k));
    ct_vec3 truth = of_l(rodrigues_l(about, rodrigues_l(spin, to_l(point))));
    near_vec(ct_to_parent(ct_frame_of(ct_path_pose(path, time)), point), truth,
             2e-14 + 1e-15 * turned);
    ct_path_destroy(path);
  }
}

static double energy(ct_vec3 moments, ct_vec3 w) {
  return moments.x * w.x * w.x + moments.y * w.y * w.y + moments.z * w.z * w.z;
}

/* Up to the largest angle that the limits allow, for any principal axes and any orientation. */
static void momentum_and_energy_are_kept_for_a_million_radians(void) {
  check_random r = {1605};
  for (int i = 0; i < 200; i++) {
    ct_vec3 moments = ct_scale(random_moments(&r), i % 2 ? 1e-20 : 1e20),
            w = random_vector(&r, 1.0);
    ct_pose start = {random_vector(&r, 10.0), random_rotation(&r)};
    ct_quat orientation = random_rotation(&r);
    if (i % 4 == 0) w = ct_scale(w, 1e-7);
    if (i % 5 == 0)
      w = ct_add_scaled(
          ct_scale(w, 1e-6),
          ct_mat_mul(ct_quat_matrix(ct_quat_mul(start.rotation, orientation)), ct_vec(0, 1, 0)),
          1.0);
    ct_path *path = made(moments, orientation, start, w, ct_min2(1e6, 1e5 / ct_norm(w)));
    ct_vec3 first = ct_mat_tmul(ct_quat_matrix(ct_quat_mul(start.rotation, orientation)), w);
    ct_vec3 momentum =
        ct_mat_mul(ct_quat_matrix(ct_quat_mul(start.rotation, orientation)),
                   ct_vec(moments.x * first.x, moments.y * first.y, moments.z * first.z));
    for (int k = 0; k < 20; k++) {
      double time = check_uniform(&r, 0.0, ct_path_duration(path));
      ct_mat3 m = ct_quat_matrix(ct_quat_mul(ct_path_pose(path, time).rotation, orientation));
      ct_vec3 local = ct_mat_tmul(m, ct_path_velocity(path, time).angular);
      ct_vec3 now =
          ct_mat_mul(m, ct_vec(moments.x * local.x, moments.y * local.y, moments.z * local.z));
      CHECK_NEAR(energy(moments, local) / energy(moments, first), 1.0, 2e-14);
      near_vec(ct_scale(now, 1.0 / ct_norm(momentum)), ct_scale(momentum, 1.0 / ct_norm(momentum)),
               2e-14);
    }
    ct_path_destroy(path);
  }
}

/* T14.3: moments 1, 2, 3, angular velocity (.1, .2, .1), 10 s. An integrator would need an error
 * below 1e-6. */
static void T14_3_momentum_and_energy_of_an_asymmetric_top(void) {
  ct_vec3 moments = {1, 2, 3}, w = {0.1, 0.2, 0.1};
  ct_path *path = made(moments, ct_quat_identity(), ct_pose_identity(), w, 10.0);
  for (int k = 0; k <= 100; k++) {
    ct_mat3 m = ct_quat_matrix(ct_path_pose(path, 0.1 * k).rotation);
    ct_vec3 local = ct_mat_tmul(m, ct_path_velocity(path, 0.1 * k).angular);
    near_vec(ct_mat_mul(m, ct_vec(local.x, 2.0 * local.y, 3.0 * local.z)), ct_vec(0.1, 0.4, 0.3),
             1e-15);
    CHECK_NEAR(energy(moments, local), 0.12, 2e-16);
  }
  ct_path_destroy(path);
  follows_oracle(moments, w, 3.0, 1e-14);
}

/* The derivative of each column of the rotation matrix is its cross product with the angular
 * velocity. */
static void the_velocity_is_the_rate_of_the_rotation(void) {
  check_random r = {1609};
  for (int i = 0; i < 1000; i++) {
    ct_path *path = made(random_moments(&r), random_rotation(&r),
                         (ct_pose){{0, 0, 0}, random_rotation(&r)}, random_vector(&r, 3.0), 10.0);
    double time = check_uniform(&r, 0.01, 9.99), step = 1e-5;
    ct_mat3 before = ct_mat_transpose(ct_quat_matrix(ct_path_pose(path, time - step).rotation));
    ct_mat3 now = ct_mat_transpose(ct_quat_matrix(ct_path_pose(path, time).rotation));
    ct_mat3 after = ct_mat_transpose(ct_quat_matrix(ct_path_pose(path, time + step).rotation));
    ct_vec3 w = ct_path_velocity(path, time).angular, axis;
    bool constant = true;
    double spin = ct_path_spin(path, &axis, &constant),
           off = 2e-10 + spin * spin * spin * step * step;
    near_vec(ct_scale(ct_sub(after.rx, before.rx), 0.5 / step), ct_cross(w, now.rx), off);
    near_vec(ct_scale(ct_sub(after.ry, before.ry), 0.5 / step), ct_cross(w, now.ry), off);
    near_vec(ct_scale(ct_sub(after.rz, before.rz), 0.5 / step), ct_cross(w, now.rz), off);
    ct_path_destroy(path);
  }
}

/* A path from an intermediate pose and velocity reaches the same state as the original path. Half a
 * period changes the signs of cn and sn: the rotation about the momentum repeats. */
static void a_path_goes_on_from_any_of_its_states(void) {
  check_random r = {1606};
  for (int i = 0; i < 500; i++) {
    ct_vec3 moments = random_moments(&r), w = random_vector(&r, 2.0);
    ct_quat orientation = random_rotation(&r);
    ct_pose start = {{0, 0, 0}, random_rotation(&r)};
    ct_path *whole = made(moments, orientation, start, w, 40.0);
    double t = check_uniform(&r, 0.0, 20.0), s = check_uniform(&r, 0.0, 20.0);
    ct_path *rest = made(moments, orientation, ct_path_pose(whole, t),
                         ct_path_velocity(whole, t).angular, 20.0);
    /* An error of u grows at most linearly with the angle, except near the middle axis. */
    CHECK_NEAR(rotations_apart(ct_path_pose(rest, s).rotation, ct_path_pose(whole, t + s).rotation),
               0.0, 1e-11);
    ct_path_destroy(whole);
    ct_path_destroy(rest);
  }
}

static void a_turn_about_a_principal_axis_is_steady(void) {
  ct_vec3 axis;
  bool constant = false;
  for (int k = 0; k < 4; k++) {
    ct_vec3 w = k == 0   ? ct_vec(0, 0, -3)
                : k == 1 ? ct_vec(3, 0, 0)
                : k == 2 ? ct_vec(0, 3, 0)
                         : ct_vec(0, 0, 0);
    ct_path *path = made(ct_vec(1, 2, 2.5), ct_quat_identity(), ct_pose_identity(), w, 10.0);
    CHECK_NEAR(ct_path_spin(path, &axis, &constant), k < 3 ? 3.0 : 0.0, 0.0);
    CHECK(constant);
    if (k < 3) near_vec(ct_scale(axis, 3.0), w, 0.0);
    near_vec(ct_path_velocity(path, 7.0).angular, w, 0.0);
    ct_path_destroy(path);
  }
  /* A ball rotates steadily about any axis. */
  ct_path *path =
      made(ct_vec(2, 2, 2), ct_quat_identity(), ct_pose_identity(), ct_vec(1, 2, 2), 10.0);
  CHECK_NEAR(ct_path_spin(path, &axis, &constant), 3.0, 0.0);
  CHECK(constant);
  ct_path_destroy(path);
}

/* The bound on the angular speed is attained to 2 %: |w| is greatest where w has no component along
 * the middle axis. */
static void the_bound_on_the_spin_is_reached(void) {
  check_random r = {1607};
  for (int i = 0; i < 100; i++) {
    ct_path *path = made(random_moments(&r), random_rotation(&r), ct_pose_identity(),
                         random_vector(&r, 1.0), 300.0);
    ct_vec3 axis;
    bool constant = true;
    double spin = ct_path_spin(path, &axis, &constant), greatest = 0.0;
    for (int k = 0; k <= 3000; k++)
      greatest = ct_max2(greatest, ct_norm(ct_path_velocity(path, 0.1 * k).angular));
    CHECK(greatest <= spin && greatest > 0.98 * spin);
    ct_path_destroy(path);
  }
}

/* A flat body's greatest moment equals the sum of the others, or exceeds it by round-off; a
 * needle's least moment may be rounded below zero. */
static void moments_beyond_the_triangle_rule_count_as_on_it(void) {
  check_random r = {1610};
  for (int i = 0; i < 200; i++) {
    double a = check_uniform(&r, 0.1, 1.0), b = check_uniform(&r, 0.1, 1.0),
           over = i % 2 ? 1.0 + 0x1p-40 : 100.0;
    ct_vec3 w = random_vector(&r, 3.0), needle = ct_vec(-1e-17, 1.0, 1.0);
    ct_path *flat = made(ct_vec(a, b, a + b), ct_quat_identity(), ct_pose_identity(), w, 10.0);
    ct_path *more =
        made(ct_vec(a, b, over * (a + b)), ct_quat_identity(), ct_pose_identity(), w, 10.0);
    double time = check_uniform(&r, 0.0, 10.0);
    CHECK(rotations_apart(ct_path_pose(flat, time).rotation, ct_path_pose(more, time).rotation) ==
          0.0);
    ct_path_destroy(flat);
    ct_path_destroy(more);
    /* A needle of zero thickness keeps its spin, and its axis rotates steadily about the momentum,
     * perpendicular to it. */
    ct_path *thin = made(needle, ct_quat_identity(), ct_pose_identity(), w, 10.0);
    vec_l about = scale_l(to_l(ct_vec(0, w.y, w.z)), (real)time),
          spin = {(real)w.x * (real)time, 0, 0};
    ct_vec3 point = random_vector(&r, 1.0),
            truth = of_l(rodrigues_l(about, rodrigues_l(spin, to_l(point))));
    near_vec(ct_to_parent(ct_frame_of(ct_path_pose(thin, time)), point), truth, 1e-13);
    ct_path_destroy(thin);
  }
}

static bool is_number(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* Moments and velocities of any size, many of them in extreme proportions. */
static void whatever_turns_has_numbers_for_answers(void) {
  check_random r = {1608};
  const double sizes[] = {0.0, 0x1p-1074, 1e-300, 1e-160, 1e-40, 1e-17, 1e-9, 1.0, 1e150, 1e300};
  const double parts[] = {1e-300, 1e-120, 1e-60, 1e-17, 1e-6, 0.5, 1.0};
  int unsteady = 0;
  for (int i = 0; i < 20000; i++) {
    double moment = sizes[1 + check_next(&r) % 9], part = parts[check_next(&r) % 7],
           speed = sizes[check_next(&r) % 10];
    ct_vec3 m = ct_vec(part * moment, moment, i % 2 ? moment : moment * (1.0 - part));
    if (i % 3 == 0) m = ct_vec(m.y, m.z, m.x);
    if (!(m.x > 0.0 && m.y > 0.0 && m.z > 0.0)) continue;
    ct_vec3 w = ct_vec(speed * sizes[check_next(&r) % 8], speed * sizes[check_next(&r) % 8],
                       speed * sizes[check_next(&r) % 8]);
    ct_path_options o = {.kind = CT_PATH_TORQUE_FREE,
                         .start = ct_pose_identity(),
                         .velocity = {{0, 0, 0}, w},
                         .inertia_diagonal = m};
    o.inertia_orientation = i % 5 ? ct_quat_identity() : random_rotation(&r);
    double size = ct_norm(w);
    o.duration = size > 1.0 ? ct_max2(1.0 / size, 0x1p-1074) : 1e3;
    ct_path *path = NULL;
    if (ct_path_create(&o, &path) != CT_OK) continue;
    ct_vec3 axis;
    bool constant = true;
    double spin = ct_path_spin(path, &axis, &constant);
    if (!constant) unsteady++;
    for (int k = 0; k <= 3; k++) {
      double time = k == 3 ? o.duration : o.duration * 0.3 * k;
      ct_quat q = ct_path_pose(path, time).rotation;
      CHECK_NEAR(sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w), 1.0, 3e-3);
      ct_vec3 angular = ct_path_velocity(path, time).angular;
      CHECK(is_number(angular) && ct_norm(angular) <= spin * (1.0 + 1e-12));
    }
    ct_path_destroy(path);
  }
  CHECK(unsteady > 1000);
}

static const check_test tests[] = {
    {"any_top_is_eulers_equations", any_top_is_eulers_equations},
    {"difficult_proportions_are_eulers_equations", difficult_proportions_are_eulers_equations},
    {"a_top_about_its_middle_axis_turns_over", a_top_about_its_middle_axis_turns_over},
    {"a_symmetric_top_precesses_steadily", a_symmetric_top_precesses_steadily},
    {"momentum_and_energy_are_kept_for_a_million_radians",
     momentum_and_energy_are_kept_for_a_million_radians},
    {"T14.3_momentum_and_energy_of_an_asymmetric_top",
     T14_3_momentum_and_energy_of_an_asymmetric_top},
    {"the_velocity_is_the_rate_of_the_rotation", the_velocity_is_the_rate_of_the_rotation},
    {"a_path_goes_on_from_any_of_its_states", a_path_goes_on_from_any_of_its_states},
    {"a_turn_about_a_principal_axis_is_steady", a_turn_about_a_principal_axis_is_steady},
    {"the_bound_on_the_spin_is_reached", the_bound_on_the_spin_is_reached},
    {"moments_beyond_the_triangle_rule_count_as_on_it",
     moments_beyond_the_triangle_rule_count_as_on_it},
    {"whatever_turns_has_numbers_for_answers", whatever_turns_has_numbers_for_answers},
};
CHECK_MAIN(tests)
