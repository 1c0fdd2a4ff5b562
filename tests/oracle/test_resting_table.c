/* Forces under tables and in stacks, without friction, against closed forms; among many solutions
 * the one of least norm is returned. */
#include "tests/support/island.h"

#define G ISLAND_GRAVITY

static ct_vec3 up(void) { return ct_vec(0.0, 0.0, 1.0); }

/* A table of 10 kg on legs at (+-1, +-1), I = (5, 5, 5), and a load on it. */
static void table(island *i, double load, double x, double y) {
  island_begin(i, CT_RESTING_FRICTION_NONE);
  uint32_t top = island_body(i, 10.0, ct_vec(5.0, 5.0, 5.0), ct_vec(0.0, 0.0, 1.0));
  const double legs[4][2] = {{1.0, 1.0}, {1.0, -1.0}, {-1.0, -1.0}, {-1.0, 1.0}};
  for (int k = 0; k < 4; k++)
    island_touch(i, 0, top, ct_vec(legs[k][0], legs[k][1], 0.0), up(), 0.0);
  island_load(i, top, ct_vec(0.0, 0.0, -10.0 * G - load), ct_vec(-load * y, load * x, 0.0));
}

static void check_normals(const island *i, const double *expected, double tolerance) {
  for (size_t k = 0; k < i->count; k++) CHECK_NEAR(i->forces[k].normal, expected[k], tolerance);
}

/* T11.1; rows 14 and 46: four legs are one too many, so the matrix is singular, and all forces are
 * solved together. */
static void table_on_four_legs(void) {
  static island i;
  table(&i, 0.0, 0.0, 0.0);
  ct_contact_set set = island_set(&i);
  double matrix[16], b[4];
  ct_resting_system(&set, matrix, b);
  const double expected[4] = {0.5, 0.1, -0.3, 0.1};
  for (int r = 0; r < 4; r++) {
    CHECK_NEAR(b[r], -9.81, 1e-14);
    for (int c = 0; c < 4; c++) CHECK_NEAR(matrix[4 * r + c], expected[(c - r + 4) % 4], 1e-15);
  }
  CHECK_INT(island_solve(&i), CT_OK);
  CHECK(i.result.converged && i.result.status == CT_RESTING_STATUS_OK);
  check_normals(&i, (const double[]){24.525, 24.525, 24.525, 24.525}, 1e-12);
  CHECK(i.result.rank_known);
  CHECK_INT(i.result.rank, 3);
  CHECK_INT(i.result.unique, CT_NO);
  CHECK_INT(i.result.stability, CT_STABILITY_STAYS);
  for (int k = 0; k < 4; k++) CHECK_NEAR(i.holding[k].z, 24.525, 1e-12);
}

/* T11.2: a load within the support area. */
static void table_loaded_within(void) {
  static island i;
  table(&i, 20.0, 0.5, 0.25);
  ct_contact_set set = island_set(&i);
  double b[4];
  ct_resting_system(&set, NULL, b);
  const double expected[4] = {-14.81, -12.81, -8.81, -10.81};
  for (int k = 0; k < 4; k++) CHECK_NEAR(b[k], expected[k], 1e-13);
  CHECK_INT(island_solve(&i), CT_OK);
  check_normals(&i, (const double[]){33.275, 30.775, 25.775, 28.275}, 1e-12);
  double sum = 0.0;
  for (int k = 0; k < 4; k++) sum += i.forces[k].normal;
  CHECK_NEAR(sum, 118.1, 1e-12);
}

/* T11.3: a load beside the table lifts two legs. */
static void table_tips(void) {
  static island i;
  table(&i, 200.0, 3.0, 0.0);
  CHECK_INT(island_solve(&i), CT_OK);
  check_normals(&i, (const double[]){2996.2 / 12.0, 2996.2 / 12.0, 0.0, 0.0}, 1e-10);
  const double lift[4] = {0.0, 0.0, 40.253333333333333, 40.253333333333333};
  for (int k = 0; k < 4; k++) CHECK_NEAR(i.forces[k].acceleration, lift[k], 1e-12);
  CHECK_INT(i.result.unique, CT_YES);
  CHECK_INT(i.result.stability, CT_STABILITY_FALLS);
  CHECK_NEAR(i.motion[1].linear.z, i.accelerations[1].linear.z, 1e-12);
  CHECK_NEAR(i.motion[1].angular.y, i.accelerations[1].angular.y, 1e-12);
}

/* T11.4: each contact of a stack carries the weight above it. */
static void stack_of_points(void) {
  static island i;
  island_begin(&i, CT_RESTING_FRICTION_NONE);
  const double masses[3] = {1.0, 2.0, 3.0};
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t body = island_body(&i, masses[k], ct_vec(1.0, 1.0, 1.0), ct_vec(0.0, 0.0, k));
    island_touch(&i, k, body, ct_vec(0.0, 0.0, k), up(), 0.0);
    island_load(&i, body, ct_vec(0.0, 0.0, -masses[k] * G), ct_vec(0.0, 0.0, 0.0));
  }
  CHECK_INT(island_solve(&i), CT_OK);
  check_normals(&i, (const double[]){58.86, 49.05, 29.43}, 1e-12);
  CHECK_INT(i.result.unique, CT_YES);
  CHECK_INT(i.result.stability, CT_STABILITY_STAYS);
}

static const check_test tests[] = {
    {"a table on four legs: singular, the shortest forces, rank 3", table_on_four_legs},
    {"a table loaded between its legs", table_loaded_within},
    {"a table loaded beside its legs tips", table_tips},
    {"a stack of point masses", stack_of_points},
};

CHECK_MAIN(tests)
