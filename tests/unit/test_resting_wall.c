/* Walls of hundreds of boxes: more contacts than direct methods accept. Forces in equilibrium are
 * exact to the last digits, a falling wall has the true status and residual, and the number of
 * iterations is bounded. */
#include <contact/resting.h>

#include "tests/support/check.h"

#define COLUMNS 30
#define ROWS 10
/* A narrow and high wall: the load of the lowest bricks comes from a hundred layers. */
#define HIGH_COLUMNS 6
#define HIGH_ROWS 100
#define BODIES (1 + HIGH_COLUMNS * HIGH_ROWS)
#define TOUCHES (BODIES * 8)
#define GRAVITY 9.81

typedef struct wall {
  ct_mass_body bodies[BODIES];
  ct_contact contacts[TOUCHES];
  size_t body_count, count;
  ct_contact_force forces[TOUCHES];
  ct_body_acceleration accelerations[BODIES];
  ct_resting_result result;
} wall;

static wall w;
static int columns = COLUMNS, rows = ROWS;

static uint32_t box(int column, int row) { return (uint32_t)(1 + row * columns + column); }
static double center_x(int column, int row) { return column + (row % 2 ? 0.5 : 0.0); }

/* Four points of b's face on a's, between two abscissae. */
static void touch_face(uint32_t a, uint32_t b, double from, double to, double height,
                       double friction) {
  for (int k = 0; k < 4; k++) {
    ct_contact *t = &w.contacts[w.count++];
    *t = (ct_contact){.a = a, .b = b, .collider_a = CT_NO_COLLIDER, .collider_b = CT_NO_COLLIDER};
    t->position = t->point_a = t->point_b = ct_vec(k & 1 ? to : from, k & 2 ? 0.5 : -0.5, height);
    t->normal = ct_vec(0.0, 0.0, 1.0);
    t->surface_a.form = CT_SURFACE_FACE;
    t->surface_b.form = CT_SURFACE_POINT;
    t->material = (ct_pair_material){.static_friction = friction, .dynamic_friction = friction};
  }
}

static void add_box(int column, int row, double sideways) {
  double x = center_x(column, row), inertia = 1.0 / 6.0;
  ct_mass_body *body = &w.bodies[box(column, row)];
  *body = (ct_mass_body){.mobility = CT_DYNAMIC,
                         .mass = 1.0,
                         .inverse_mass = 1.0,
                         .center = ct_vec(x, 0.0, row + 0.5)};
  body->inertia = (ct_mat3){{inertia, 0.0, 0.0}, {0.0, inertia, 0.0}, {0.0, 0.0, inertia}};
  body->inverse_inertia = (ct_mat3){{6.0, 0.0, 0.0}, {0.0, 6.0, 0.0}, {0.0, 0.0, 6.0}};
  body->force = body->linear_acceleration = ct_vec(0.0, sideways, -GRAVITY);
}

/* Bricks, each on two halves of the row below; the ends of odd rows overhang by half. */
static void build(double friction, double sideways) {
  memset(&w, 0, sizeof w);
  w.bodies[0] = (ct_mass_body){.mobility = CT_FIXED};
  w.body_count = (size_t)(1 + columns * rows);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      double x = center_x(column, row);
      add_box(column, row, sideways);
      if (row == 0) touch_face(0, box(column, row), x - 0.5, x + 0.5, 0.0, friction);
      for (int below = 0; row > 0 && below < columns; below++) {
        double other = center_x(below, row - 1), from = fmax(x, other) - 0.5,
               to = fmin(x, other) + 0.5;
        if (from < to) touch_face(box(below, row - 1), box(column, row), from, to, row, friction);
      }
    }
}

static void solve(ct_resting_friction friction) {
  ct_contact_set set = {
      .bodies = w.bodies, .body_count = w.body_count, .contacts = w.contacts, .count = w.count};
  ct_resting_options options = {
      .friction = friction, .time_step = 1e-3, .velocity_tolerance = 1e-9, .stability = true};
  w.result = (ct_resting_result){.contacts = w.forces, .bodies = w.accelerations};
  ct_arena *arena = ct_arena_create();
  CHECK(arena && ct_resting_solve(&set, &options, arena, &w.result) == CT_OK);
  ct_arena_destroy(arena);
}

/* Each brick is in equilibrium: the floor carries all of them, and each row those above it. */
static void check_held(void) {
  CHECK(w.result.converged && w.result.status == CT_RESTING_STATUS_OK &&
        w.result.residual <= 1e-10);
  CHECK_INT(w.result.stability, CT_STABILITY_STAYS);
  double carried[HIGH_ROWS] = {0.0};
  for (size_t k = 0; k < w.count; k++) {
    carried[(size_t)w.contacts[k].position.z] += w.forces[k].normal;
    CHECK(w.forces[k].normal >= 0.0 && fabs(w.forces[k].acceleration) <= 1e-9);
  }
  for (int row = 0; row < rows; row++)
    CHECK_NEAR(carried[row], (rows - row) * columns * GRAVITY, 1e-8);
  for (size_t b = 1; b < w.body_count; b++) {
    CHECK(ct_norm(w.accelerations[b].linear) <= 1e-9 &&
          ct_norm(w.accelerations[b].angular) <= 1e-9);
    CHECK(ct_norm(w.accelerations[b].residual_force) <= 1e-9);
  }
}

static void held_without_friction(void) {
  build(0.0, 0.0);
  solve(CT_RESTING_FRICTION_NONE);
  check_held();
}

static void held_with_friction(void) {
  build(0.6, 0.0);
  solve(CT_RESTING_FRICTION_CONE);
  check_held();
}

/* All layers are coupled: iterations over single contacts would need thousands of sweeps. */
static void high(void) {
  columns = HIGH_COLUMNS;
  rows = HIGH_ROWS;
  build(0.6, 0.0);
  solve(CT_RESTING_FRICTION_CONE);
  check_held();
  build(0.0, 0.0);
  solve(CT_RESTING_FRICTION_NONE);
  check_held();
  columns = COLUMNS;
  rows = ROWS;
}

/* Coulomb's laws at every contact: forces of some hundred N have a relative error of 1e-8,
 * accelerations about ten times that. */
static void check_laws(double friction) {
  for (size_t k = 0; k < w.count; k++) {
    const ct_contact_force *f = &w.forces[k];
    double slip = ct_norm(f->tangential_acceleration), limit = friction * f->normal;
    CHECK(f->normal >= 0.0 && f->acceleration >= -1e-4 &&
          ct_norm(f->tangential) <= limit * (1.0 + 1e-12));
    CHECK(f->normal <= 1e-4 || f->acceleration <= 1e-4);
    if (slip > 1e-3)
      CHECK(ct_norm(ct_add_scaled(f->tangential, f->tangential_acceleration, limit / slip)) <=
            1e-4 * (1.0 + limit));
  }
}

/* A high wall under a force along itself, too large for equilibrium: block sweeps over bricks
 * converge where sweeps over contacts do not. */
static void pushed_along(void) {
  columns = HIGH_COLUMNS;
  rows = 30;
  build(0.6, 0.0);
  for (size_t b = 1; b < w.body_count; b++)
    w.bodies[b].force.x = w.bodies[b].linear_acceleration.x = 0.6;
  solve(CT_RESTING_FRICTION_CONE);
  CHECK(w.result.stability != CT_STABILITY_STAYS);
  CHECK(w.result.converged && w.result.residual <= CT_FRICTION_TOLERANCE);
  check_laws(0.6);
  columns = COLUMNS;
  rows = ROWS;
}

/* A force across the face of half its weight tips a wall one brick thick. */
static void pushed(void) {
  build(0.6, 0.5 * GRAVITY);
  solve(CT_RESTING_FRICTION_CONE);
  CHECK(w.result.stability != CT_STABILITY_STAYS && w.result.iterations <= 30000);
  CHECK(w.result.converged == (w.result.residual <= CT_FRICTION_TOLERANCE));
}

/* Without friction a force across the face accelerates all bricks alike, and gravity is still
 * balanced. */
static void slides_without_friction(void) {
  build(0.0, 0.5);
  solve(CT_RESTING_FRICTION_NONE);
  CHECK(w.result.stability != CT_STABILITY_STAYS);
  CHECK(w.result.iterations <= 20000);
  double worst = 0.0;
  for (size_t k = 0; k < w.count; k++) {
    const ct_contact_force *f = &w.forces[k];
    worst = fmax(worst, fabs(fmin(f->normal, f->acceleration)));
  }
  CHECK(fabs(worst - w.result.residual) <= 1e-9);
  CHECK(w.result.converged == (w.result.residual <= CT_LCP_PGS_TOLERANCE * (1.0 + GRAVITY)));
}

/* Row 46: thousands of points under one brick are all coupled: no matrix of them is stored. */
static void thousands_of_points(ct_resting_friction friction, double strength) {
  build(strength, 0.0);
  w.body_count = 2;
  w.count = 0;
  while (w.count + 4 <= TOUCHES) {
    double at = 0.4 * (double)w.count / TOUCHES;
    touch_face(0, 1, center_x(0, 0) - 0.5 + at, center_x(0, 0) + 0.5 - at, 0.0, strength);
  }
  solve(friction);
  CHECK(w.result.converged && w.result.stability == CT_STABILITY_STAYS);
  double sum = 0.0;
  for (size_t k = 0; k < w.count; k++) {
    sum += w.forces[k].normal;
    CHECK(w.forces[k].normal >= 0.0 && fabs(w.forces[k].acceleration) <= 1e-9);
  }
  CHECK_NEAR(sum, GRAVITY, 1e-10);
}

static void many_points_of_few_bodies(void) {
  thousands_of_points(CT_RESTING_FRICTION_NONE, 0.0);
  thousands_of_points(CT_RESTING_FRICTION_CONE, 0.5);
}

/* A brick that carries a mass of 1e9 times its own: the floor carries both to the last digits. */
static void heavy_upon_light(void) {
  build(0.0, 0.0);
  w.body_count = 3;
  w.count = 0;
  w.bodies[2].mass = 1e9;
  w.bodies[2].inverse_mass = 1e-9;
  w.bodies[2].center = ct_vec(center_x(0, 0), 0.0, 1.5);
  w.bodies[2].force = ct_vec(0.0, 0.0, -GRAVITY * 1e9);
  ct_mass_body *heavy = &w.bodies[2];
  const double inertia = 1e9 / 6.0;
  heavy->inertia = (ct_mat3){{inertia, 0.0, 0.0}, {0.0, inertia, 0.0}, {0.0, 0.0, inertia}};
  heavy->inverse_inertia =
      (ct_mat3){{1.0 / inertia, 0.0, 0.0}, {0.0, 1.0 / inertia, 0.0}, {0.0, 0.0, 1.0 / inertia}};
  touch_face(0, 1, -0.5, 0.5, 0.0, 0.0);
  touch_face(1, 2, -0.5, 0.5, 1.0, 0.0);
  solve(CT_RESTING_FRICTION_NONE);
  CHECK_INT(w.result.stability, CT_STABILITY_STAYS);
  double sum = 0.0;
  for (size_t k = 0; k < 4; k++) sum += w.forces[k].normal;
  CHECK_NEAR(sum / ((1e9 + 1.0) * GRAVITY), 1.0, 1e-14);
}

static const check_test tests[] = {
    {"row 46: a wall of 300 bricks rests without friction, each row carries those above",
     held_without_friction},
    {"row 46: a wall of 300 bricks rests with friction", held_with_friction},
    {"row 46: a wall of a hundred layers rests, with friction and without", high},
    {"a wall that is pushed is answered in bounded work, with its true residual", pushed},
    {"a high wall that is pushed along itself moves by Coulomb's laws", pushed_along},
    {"a wall that slides without friction is answered in bounded work, with its true residual",
     slides_without_friction},
    {"thousands of points under one brick are answered", many_points_of_few_bodies},
    {"a brick carries one of 1e9 times its mass", heavy_upon_light},
};

CHECK_MAIN(tests)
