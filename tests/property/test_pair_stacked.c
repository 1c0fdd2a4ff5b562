/* Hulls that face each other with equal, nearly parallel faces: pyramids base to base, separated by
 * a known gap and tilted by 1e-12 to 1e-6 rad. The corners of both bases coincide in pairs, so the
 * distance differs from the gap by at most tilt + shift, and its bounds close to round-off.
 *
 * CONTACTD_FULL=1: 2,000,000 cases with a fresh seed, which is printed. CONTACTD_SEED repeats
 * one. */
#include "tests/oracle/flat_cases.h"
#include "tests/support/workspace.h"

#include <time.h>

#define CASES 20000
#define CASES_FULL 2000000
#define CORNERS_MAX 12
/* The greatest rise of a base of circumradius 0.6 m per rad of tilt, m, times two bodies. */
#define REACH 1.2

static uint64_t seed_of(uint64_t otherwise) {
  const char *seed = getenv("CONTACTD_SEED");
  if (seed) return strtoull(seed, NULL, 10);
  return getenv("CONTACTD_FULL") ? (uint64_t)time(NULL) : otherwise;
}

/* A convex polygon on a circle as the base at z = 0; the apex on the given side. */
static ct_shape pyramid(double (*base)[2], int count, double apex) {
  ct_vec3 points[CORNERS_MAX + 1];
  for (int i = 0; i < count; i++) points[i] = ct_vec(base[i][0], base[i][1], 0.0);
  points[count] = ct_vec(0.0, 0.0, apex);
  return hull_shape(points, (size_t)count + 1);
}

static double any(check_random *r) { return check_uniform(r, -1.0, 1.0); }

/* The first body's frame is the world's; every given tilt is applied in turn. */
static void check_pyramids(check_random *r, uint64_t number) {
  double base[CORNERS_MAX][2], radius = check_uniform(r, 0.3, 0.6);
  int count = 3 + (int)(check_next(r) % (CORNERS_MAX - 2));
  for (int i = 0; i < count; i++) {
    double angle = 2.0 * acos(-1.0) * (i + check_uniform(r, -0.3, 0.3)) / count;
    base[i][0] = radius * cos(angle);
    base[i][1] = radius * sin(angle);
  }
  double apex = check_uniform(r, 0.2, 0.8), gap = pow(10.0, check_uniform(r, -4.0, -1.0));
  ct_shape a = pyramid(base, count, -apex), b = pyramid(base, count, apex);
  for (int k = 0; k < 20; k++) {
    double tilt = pow(10.0, check_uniform(r, -12.0, -6.0)), half = 0.5 * tilt;
    ct_pose pose = {{tilt * any(r), tilt * any(r), gap},
                    {half * any(r), half * any(r), half * any(r), 1.0}};
    ct_frame fa = ct_frame_of((ct_pose){{0, 0, 0}, {0, 0, 0, 1}}), fb = ct_frame_of(pose);
    const ct_pair_options options = {.threshold = INFINITY};
    ct_pair_result q;
    ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &q);
    bool right = q.status == CT_PAIR_OK && fabs(q.distance - gap) <= 2.0 * REACH * tilt &&
                 q.lower_bound <= q.distance && q.distance <= q.upper_bound &&
                 q.upper_bound - q.lower_bound <= 1e-12;
    if (!right)
      CHECK_FAIL("case %llu.%d: %d corners, gap %.17g, tilt %g: distance %.17g, bounds %.17g and "
                 "%.17g, status %d",
                 (unsigned long long)number, k, count, gap, tilt, q.distance, q.lower_bound,
                 q.upper_bound, (int)q.status);
  }
  ct_hull_release(a.hull);
  ct_hull_release(b.hull);
}

static void facing_bases_have_the_distance_of_their_gap(void) {
  uint64_t seed = seed_of(1), cases = getenv("CONTACTD_FULL") ? CASES_FULL : CASES;
  if (getenv("CONTACTD_FULL")) printf("seed %llu\n", (unsigned long long)seed);
  check_random r = {seed};
  for (uint64_t i = 0; i < cases / 20; i++) check_pyramids(&r, i);
}

/* Regression: at this pose a descent cycled and ended at 0.084 m, where 0.01 m is right. */
static void the_descent_terminates(void) {
  double base[8][2] = {{0x1.fed6305cdc33fp-2, 0x1.4e8593038a4b2p-5},
                       {0x1.c17c5f4e5f539p-3, 0x1.16d53fb549a6dp-1},
                       {-0x1.926f686af4689p-3, 0x1.1d5ba5f813418p-1},
                       {-0x1.88420131fd7aep-2, 0x1.8ee3386927d7bp-2},
                       {-0x1.a8d1fb767d609p-2, -0x1.5a6e575d7fc66p-2},
                       {-0x1.6f1cb0a2f3f02p-3, -0x1.21b308ae04b96p-1},
                       {0x1.5bec818457187p-3, -0x1.23ddb7c119897p-1},
                       {0x1.b12461b4ac85ap-2, -0x1.4af129213151ap-2}};
  const ct_frame fa = ct_frame_of((ct_pose){{0, 0, 0}, {0, 0, 0, 1}});
  const ct_frame fb = {{{1, -0x1.2eb6e25b626dbp-35, -0x1.bb934f395a0ap-31},
                        {0x1.2eb6e21529ca5p-35, 1, -0x1.4436a2b394c1fp-31},
                        {0x1.bb934f3989f6p-31, 0x1.4436a2b353315p-31, 1}},
                       {0x1.d7b80003bfd45p-31, -0x1.0982cc94bca9ep-33, 0x1.47ae1672f5625p-7}};
  const ct_pair_options options = {.threshold = INFINITY};
  ct_shape a = pyramid(base, 8, -0x1.133774e8ad01cp-1), b = pyramid(base, 8, 0x1.133774e8ad01cp-1);
  ct_pair_result q;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &q);
  CHECK_INT(q.status, CT_PAIR_OK);
  CHECK_NEAR(q.distance, 0.01, 2.0 * REACH * 1e-9);
  CHECK(q.upper_bound - q.lower_bound <= 1e-12);
  ct_hull_release(a.hull);
  ct_hull_release(b.hull);
}

static const check_test tests[] = {
    {"facing_bases_have_the_distance_of_their_gap", facing_bases_have_the_distance_of_their_gap},
    {"the_descent_terminates", the_descent_terminates},
};

WORKSPACE_MAIN(tests)
