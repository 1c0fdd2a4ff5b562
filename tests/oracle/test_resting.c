/* Forces of resting contacts against closed forms: tables, stacks, rods, slopes, ladders (Baraff
 * 1994; textbook statics). */
#include "tests/support/island.h"

#include "base/trigonometry.h"

#define G ISLAND_GRAVITY

static ct_vec3 up(void) { return ct_vec(0.0, 0.0, 1.0); }

static void check_normals(const island *i, const double *expected, double tolerance) {
  for (size_t k = 0; k < i->count; k++) CHECK_NEAR(i->forces[k].normal, expected[k], tolerance);
}

/* A rod of length 2 and mass 1 with its lower end on the floor, rotating about y. */
static void rod(island *i, ct_sin_cos slope, double spin, double friction) {
  island_begin(i, friction > 0.0 ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_NONE);
  uint32_t body =
      island_body(i, 1.0, ct_vec(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0), ct_vec(0.0, 0.0, slope.sine));
  i->bodies[body].velocity.angular = ct_vec(0.0, spin, 0.0);
  i->bodies[body].velocity.linear = ct_vec(spin * slope.sine, 0.0, spin * slope.cosine * -1.0);
  island_load(i, body, ct_vec(0.0, 0.0, -G), ct_vec(0.0, 0.0, 0.0));
  island_touch(i, 0, body, ct_vec(-slope.cosine, 0.0, 0.0), up(), friction);
}

/* T11.5; row 47: the second derivative of the gap with its velocity terms. */
static void rod_on_its_end(void) {
  static const struct {
    double degrees, spin, matrix, b, force;
  } cases[] = {{60.0, 2.0, 1.75, -6.3458983848622456, 3.6262276484927117},
               {60.0, 4.0, 1.75, 4.0464064605510181, 0.0},
               {30.0, 0.0, 3.25, -9.81, 3.0184615384615385}};
  for (int k = 0; k < 3; k++) {
    static island i;
    rod(&i, ct_sin_cos_of(cases[k].degrees * 0.017453292519943295), cases[k].spin, 0.0);
    ct_contact_set set = island_set(&i);
    double matrix, b;
    ct_resting_system(&set, &matrix, &b);
    CHECK_NEAR(matrix, cases[k].matrix, 1e-14);
    CHECK_NEAR(b, cases[k].b, 1e-13);
    CHECK_INT(island_solve(&i), CT_OK);
    check_normals(&i, &cases[k].force, 1e-13);
    CHECK_INT(i.result.stability, cases[k].spin > 0.0 ? CT_STABILITY_MOVING : CT_STABILITY_FALLS);
  }
}

static void squeeze(island *i, ct_resting_friction friction, double mu) {
  island_begin(i, friction);
  uint32_t body = island_body(i, 1.0, ct_vec(1.0, 1.0, 1.0), ct_vec(0.0, 0.0, 0.0));
  i->bodies[2] = i->bodies[3] = (ct_mass_body){.mobility = CT_KINEMATIC};
  i->body_count = 4;
  i->bodies[2].linear_acceleration = ct_vec(1.0, 0.0, 0.0);
  i->bodies[3].linear_acceleration = ct_vec(-1.0, 0.0, 0.0);
  island_touch(i, 2, body, ct_vec(-1.0, 0.0, 0.0), ct_vec(1.0, 0.0, 0.0), mu);
  island_touch(i, body, 3, ct_vec(1.0, 0.0, 0.0), ct_vec(1.0, 0.0, 0.0), mu);
}

/* The same with friction: friction does not move a body that equal forces squeeze. */
static void squeezed_with_friction(void) {
  for (int k = 0; k < 4; k++) {
    static island i;
    squeeze(&i, k & 1 ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_POLYHEDRAL, 0.5);
    i.options.acceleration_level = (k & 2) != 0;
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_INT(i.result.status, CT_RESTING_STATUS_INFEASIBLE);
    CHECK(!i.result.converged && i.result.residual > 0.5);
    CHECK(i.certificate[0] > 0.0 && i.certificate[0] == i.certificate[1]);
    for (int c = 0; c < 2; c++) CHECK(ct_norm(i.forces[c].force) == 0.0);
    i.bodies[3].linear_acceleration.x = 1.0;
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK(i.result.converged && i.certificate[0] == 0.0 && i.certificate[1] == 0.0);
    CHECK_NEAR(i.forces[0].normal - i.forces[1].normal, 1.0, 1e-9);
  }
}

/* A box under a heavier one, each on the corners of the other: floor and box carry the weight above
 * them. If the masses differ so much that the lighter box's accelerations are below rounding, the
 * solver must not report infeasibility. */
static void a_light_box_under_a_heavy_one_is_not_infeasible(void) {
  static const struct {
    double light, heavy;
    bool converges;
  } cases[] = {{1.0, 1e6, true},
               {1.0, 1e9, true},
               {1e-9, 1.0, true},
               {1.0, 1e12, false},
               {1e-9, 1e9, false}};
  for (int k = 0; k < 5; k++) {
    static island i;
    double m[2] = {cases[k].light, cases[k].heavy}, sums[2] = {0.0, 0.0};
    island_begin(&i, CT_RESTING_FRICTION_NONE);
    for (int b = 0; b < 2; b++) {
      uint32_t body = island_body(&i, m[b], ct_vec(m[b] / 6.0, m[b] / 6.0, m[b] / 6.0),
                                  ct_vec(0.0, 0.0, 0.5 + b));
      island_load(&i, body, ct_vec(0.0, 0.0, -G * m[b]), ct_vec(0.0, 0.0, 0.0));
      for (int c = 0; c < 4; c++)
        island_touch(&i, body - 1, body, ct_vec(c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, b), up(),
                     0.0);
    }
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK(i.result.status != CT_RESTING_STATUS_INFEASIBLE &&
          (i.result.converged || !cases[k].converges));
    CHECK_INT(i.result.stability, CT_STABILITY_STAYS);
    for (int c = 0; c < 8; c++) sums[c / 4] += i.forces[c].normal;
    /* Permitted acceleration of the heavier box by a converged residual. */
    CHECK_NEAR(sums[0], G * (m[0] + m[1]), 1e-10 * (1.0 + G) * m[1]);
    CHECK_NEAR(sums[1], G * m[1], 1e-10 * (1.0 + G) * m[1]);
  }
}

/* T11.8: a mass between two walls that accelerate towards it has no feasible forces; the
 * certificate proves it. */
static void squeezed(void) {
  static island i;
  squeeze(&i, CT_RESTING_FRICTION_NONE, 0.0);
  ct_contact_set set = island_set(&i);
  double matrix[4], b[2];
  ct_resting_system(&set, matrix, b);
  CHECK(matrix[0] == 1.0 && matrix[1] == -1.0 && matrix[2] == -1.0 && matrix[3] == 1.0 &&
        b[0] == -1.0 && b[1] == -1.0);
  CHECK_INT(island_solve(&i), CT_OK);
  CHECK_INT(i.result.status, CT_RESTING_STATUS_INFEASIBLE);
  CHECK(!i.result.converged);
  CHECK(i.certificate[0] > 0.0 && i.certificate[0] == i.certificate[1]);
  CHECK(i.forces[0].normal == 0.0 && i.forces[1].normal == 0.0);
  CHECK_INT(i.result.stability, CT_STABILITY_MOVING);
}

/* ---- friction ------------------------------------------------------------------------------- */

/* A block of 1 kg, 2 x 1.2 x 1 m, on a slope along a direction of the floor's axes; gravity is
 * rotated instead. */
static void block(island *i, double angle, double heading, double friction) {
  island_begin(i, CT_RESTING_FRICTION_CONE);
  uint32_t body =
      island_body(i, 1.0, ct_vec(2.44 / 12.0, 5.0 / 12.0, 5.44 / 12.0), ct_vec(0.0, 0.0, 0.5));
  for (int k = 0; k < 4; k++)
    island_touch(i, 0, body, ct_vec(k & 1 ? 1.0 : -1.0, k & 2 ? 0.6 : -0.6, 0.0), up(), friction);
  ct_sin_cos slope = ct_sin_cos_of(angle), fall = ct_sin_cos_of(heading);
  island_load(i, body,
              ct_vec(G * slope.sine * fall.cosine, G * slope.sine * fall.sine, -G * slope.cosine),
              ct_vec(0.0, 0.0, 0.0));
}

static ct_vec3 sum_of_forces(const island *i) {
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (size_t k = 0; k < i->count; k++) sum = ct_add(sum, i->forces[k].force);
  return sum;
}

/* T12.1; row 49: on a slope of 30 degrees a block slides with a friction coefficient of 0.5 and
 * sticks with 0.6. */
static void block_on_slope(void) {
  const double angle = 0.52359877559829887, normal = 8.4957092111253459;
  for (int k = 0; k < 12; k++) {
    static island i;
    double heading = 0.5 * k;
    ct_sin_cos fall = ct_sin_cos_of(heading);
    block(&i, angle, heading, 0.5);
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK(i.result.converged && i.result.residual < 1e-13);
    CHECK_NEAR(sum_of_forces(&i).z, normal, 1e-12);
    CHECK_NEAR(i.accelerations[1].linear.x, 0.65714539443732706 * fall.cosine, 1e-11);
    CHECK_NEAR(i.accelerations[1].linear.y, 0.65714539443732706 * fall.sine, 1e-11);
    CHECK(ct_norm(i.accelerations[1].angular) < 1e-11);
    for (int c = 0; c < 4; c++) CHECK(i.forces[c].sliding);
    CHECK_INT(i.result.stability, CT_STABILITY_FALLS);
    block(&i, angle, heading, 0.6);
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_NEAR(sum_of_forces(&i).z, normal, 1e-12);
    CHECK_NEAR(ct_norm(ct_vec(sum_of_forces(&i).x, sum_of_forces(&i).y, 0.0)), 4.905, 1e-12);
    CHECK(ct_norm(i.accelerations[1].linear) < 1e-13 &&
          ct_norm(i.accelerations[1].angular) < 1e-13);
    for (int c = 0; c < 4; c++) CHECK(!i.forces[c].sliding);
    CHECK_INT(i.result.stability, CT_STABILITY_STAYS);
  }
}

/* T12.1's threshold tan 30 degrees, by bisection: equal in all directions. */
static void threshold_of_slope(void) {
  for (int k = 0; k < 12; k++) {
    double low = 0.5, high = 0.6;
    while (high - low > 1e-13) {
      static island i;
      double friction = 0.5 * (low + high);
      block(&i, 0.52359877559829887, 0.5 * k, friction);
      CHECK_INT(island_solve(&i), CT_OK);
      *(i.result.stability == CT_STABILITY_STAYS ? &high : &low) = friction;
    }
    CHECK_NEAR(high, 0.57735026918962576, 1e-11);
  }
}

/* The block's proof for the exact cone: forces within it that balance the load, or a motion along
 * which the load does work while friction at the slipping points does none against it. */
static void check_proof(const island *i) {
  const ct_mass_body *body = &i->bodies[1];
  ct_vec3 sum = body->force, motion = i->motion[1].linear, turn = i->motion[1].angular;
  bool stays = i->result.stability == CT_STABILITY_STAYS;
  for (size_t k = 0; k < i->count; k++) {
    const ct_contact *t = &i->contacts[k];
    ct_vec3 v =
        stays ? i->holding[k] : ct_add(motion, ct_cross(turn, ct_sub(t->position, body->center)));
    double normal = ct_dot(t->normal, v), along = ct_norm(ct_add_scaled(v, t->normal, -normal)),
           mu = t->material.static_friction;
    CHECK(stays ? along <= mu * normal * (1.0 + 1e-11) : normal >= mu * along - 1e-11);
    sum = ct_add(sum, v);
  }
  CHECK(stays ? ct_norm(sum) <= 1e-10
              : ct_dot(body->force, motion) + ct_dot(body->torque, turn) > 0.0);
}

/* T12.2: an inscribed pyramid is weaker between its edges: a block that the cone holds slides at
 * the predicted speed, and the error is reported. A circumscribed pyramid holds more than the cone.
 * Stability is decided by the cone: stable at 0.6, falling below tan 30 degrees. */
static void pyramids(void) {
  const double angle = 0.52359877559829887;
  static const struct {
    unsigned sides;
    double heading, acceleration;
  } cases[] = {{4, 0.78539816339744831, 9.81 * (0.5 - 0.36742346141747673)},
               {8, 0.39269908169872414, 9.81 * (0.5 - 0.48006188711475933)},
               {8, 0.0, 0.0}};
  for (int k = 0; k < 3; k++) {
    static island i;
    block(&i, angle, cases[k].heading, 0.6);
    i.options.friction = CT_RESTING_FRICTION_POLYHEDRAL;
    i.options.directions = cases[k].sides;
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK(i.result.converged);
    CHECK_NEAR(ct_norm(i.accelerations[1].linear), cases[k].acceleration, 1e-11);
    CHECK_NEAR(i.result.cone_error,
               1.0 - ct_sin_cos_of(3.14159265358979323846 / cases[k].sides).cosine, 1e-15);
    CHECK_TEXT(i.result.method, "polyhedral");
    CHECK_INT(i.result.stability, CT_STABILITY_STAYS);
    check_proof(&i);
    block(&i, angle, cases[k].heading,
          0.5774 * ct_sin_cos_of(3.14159265358979323846 / cases[k].sides).cosine);
    i.options.friction = CT_RESTING_FRICTION_POLYHEDRAL;
    i.options.directions = cases[k].sides;
    i.options.circumscribed = true;
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK(i.result.converged);
    CHECK(cases[k].acceleration > 0.0 || ct_norm(i.accelerations[1].linear) <= 1e-11);
    CHECK_INT(i.result.stability, CT_STABILITY_FALLS);
    check_proof(&i);
  }
}

/* Row 50: the friction of a sliding block does not depend on its speed; a greater coefficient holds
 * on a steeper slope. T12.5's block: 8 N against 0.8 m g slides at 8 - 0.8 g; 7.8 N does not move
 * it. */
static void speed_does_not_matter(void) {
  for (int k = 0; k < 6; k++) {
    static island i;
    block(&i, 0.0, 0.0, 0.8);
    double speed = ldexp(1.0, 4 * k - 6);
    i.bodies[1].velocity.linear = ct_vec(0.6 * speed, 0.8 * speed, 0.0);
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_NEAR(i.accelerations[1].linear.x, -0.6 * 0.8 * G, 1e-11);
    CHECK_NEAR(i.accelerations[1].linear.y, -0.8 * 0.8 * G, 1e-11);
    CHECK_INT(i.result.stability, CT_STABILITY_MOVING);
  }
  for (int pushed = 0; pushed < 2; pushed++) {
    static island i;
    block(&i, 0.0, 0.0, 0.8);
    double push = pushed ? 8.0 : 7.8;
    island_load(&i, 1, ct_vec(push, 0.0, 0.0), ct_vec(0.0, 0.5 * -push, 0.0));
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_NEAR(i.accelerations[1].linear.x, pushed ? 8.0 - 0.8 * G : 0.0, 1e-11);
    CHECK_INT(i.result.stability, pushed ? CT_STABILITY_FALLS : CT_STABILITY_STAYS);
  }
}

/* On a floor with an acceleration of 3 m/s^2 a block moves with the floor; at 6 m/s^2 it slides at
 * mu g and is not stable. */
static void floor_that_is_moved(void) {
  for (int k = 0; k < 2; k++) {
    static island i;
    block(&i, 0.0, 0.0, 0.5);
    i.bodies[0].mobility = CT_KINEMATIC;
    i.bodies[0].linear_acceleration = ct_vec(k ? 6.0 : 3.0, 0.0, 0.0);
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK(i.result.converged);
    CHECK_NEAR(i.accelerations[1].linear.x, k ? 0.5 * G : 3.0, 1e-11);
    for (int c = 0; c < 4; c++) CHECK(i.forces[c].sliding == (k == 1));
    CHECK_INT(i.result.stability, CT_STABILITY_MOVING);
  }
}

/* A rod of length 2 that rotates about its sticking end: the floor's force is that of circular
 * motion. */
static void rod_that_turns_about_its_end(void) {
  static island i;
  ct_sin_cos slope = {.sine = 0.8, .cosine = 0.6};
  double spin = 1.5;
  rod(&i, slope, spin, 2.0);
  i.bodies[1].velocity.linear =
      ct_vec(spin * slope.sine, 0.0, -spin * slope.cosine); /* the end is at rest */
  CHECK_INT(island_solve(&i), CT_OK);
  double turning = 3.0 * G * slope.cosine / 4.0; /* about the end: I = 4/3 */
  CHECK_NEAR(i.accelerations[1].angular.y, turning, 1e-11);
  CHECK_NEAR(i.accelerations[1].linear.x, turning * slope.sine - spin * spin * slope.cosine, 1e-11);
  CHECK_NEAR(i.accelerations[1].linear.z, -turning * slope.cosine - spin * spin * slope.sine,
             1e-11);
  CHECK_INT(i.result.stability, CT_STABILITY_MOVING);
}

/* A ball of 1 kg and radius 0.5 on a slope, without slip: it rolls if tan(angle) <= 3.5 mu, else it
 * slides and rotates. */
static void ball_on_slope(void) {
  for (int k = 0; k < 2; k++) {
    static island i;
    double friction = k ? 0.05 : 0.5;
    island_begin(&i, CT_RESTING_FRICTION_CONE);
    uint32_t ball = island_body(&i, 1.0, ct_vec(0.1, 0.1, 0.1), ct_vec(0.0, 0.0, 0.5));
    ct_contact *contact = island_touch(&i, 0, ball, ct_vec(0.0, 0.0, 0.0), up(), friction);
    contact->surface_b.form = CT_SURFACE_CURVED;
    contact->surface_b.radii = (ct_mat3){{0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.0}};
    ct_sin_cos slope = ct_sin_cos_of(0.3);
    island_load(&i, ball, ct_vec(G * slope.sine, 0.0, -G * slope.cosine), ct_vec(0.0, 0.0, 0.0));
    CHECK_INT(island_solve(&i), CT_OK);
    double rolls = 5.0 / 7.0 * G * slope.sine, slides = G * (slope.sine - friction * slope.cosine);
    CHECK_NEAR(i.accelerations[1].linear.x, k ? slides : rolls, 1e-12);
    CHECK_NEAR(i.accelerations[1].angular.y,
               k ? friction * G * slope.cosine * 0.5 / 0.1 : rolls / 0.5, 1e-11);
    CHECK(i.forces[0].sliding == (k == 1));
    CHECK_INT(i.result.stability, CT_STABILITY_FALLS);
  }
}

/* A ladder of length 1 against a wall is stable from tan = (1 - mu1 mu2) / (2 mu1) on. */
static bool ladder_holds(double tangent, double floor, double wall) {
  static island i;
  island_begin(&i, CT_RESTING_FRICTION_CONE);
  double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = tangent * cosine;
  uint32_t ladder = island_body(&i, 7.0, ct_vec(7.0 / 12.0, 7.0 / 12.0, 0.01),
                                ct_vec(0.5 * cosine, 0.0, 0.5 * sine));
  island_touch(&i, 0, ladder, ct_vec(0.0, 0.0, 0.0), up(), floor);
  island_touch(&i, 0, ladder, ct_vec(cosine, 0.0, sine), ct_vec(-1.0, 0.0, 0.0), wall);
  island_load(&i, ladder, ct_vec(0.0, 0.0, -7.0 * G), ct_vec(0.0, 0.0, 0.0));
  CHECK_INT(island_solve(&i), CT_OK);
  return i.result.stability == CT_STABILITY_STAYS;
}

static void ladder_against_wall(void) {
  const double frictions[3][2] = {{0.4, 0.0}, {0.345, 0.703}, {0.732, 0.342}};
  for (int k = 0; k < 3; k++) {
    double low = 0.1, high = 5.0, floor = frictions[k][0], wall = frictions[k][1];
    for (int step = 0; step < 44; step++) {
      double tangent = 0.5 * (low + high);
      *(ladder_holds(tangent, floor, wall) ? &high : &low) = tangent;
    }
    CHECK_NEAR(high, (1.0 - floor * wall) / (2.0 * floor), 1e-11);
  }
}

/* ---- acceleration level --------------------------------------------------------------------- */

/* Painleve's rod, sliding: A = 1 + 3 cos (cos - mu sin). With A < 0 no force is feasible if the end
 * would penetrate, and two answers are valid if it would lift. */
static void rod_that_jams(void) {
  const double spins[4] = {0.0, 0.0, 8.0, 8.0};
  const double frictions[4] = {0.5, 2.0, 2.0, 0.5};
  const ct_resting_status expected[4] = {CT_RESTING_STATUS_OK, CT_RESTING_STATUS_INCONSISTENT,
                                         CT_RESTING_STATUS_INDETERMINATE, CT_RESTING_STATUS_OK};
  ct_sin_cos slope = {.sine = 0.89442719099991588, .cosine = 0.44721359549995794}; /* tan = 2 */
  for (int k = 0; k < 4; k++) {
    static island i;
    rod(&i, slope, spins[k], frictions[k]);
    i.options.acceleration_level = true;
    i.bodies[1].velocity.linear.x -= 3.0; /* towards its lower end: friction presses the end down */
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_INT(i.result.status, expected[k]);
    if (k > 0) continue;
    double a = 1.0 + 3.0 * slope.cosine * (slope.cosine - 0.5 * slope.sine);
    CHECK_NEAR(i.forces[0].normal, G / a, 1e-12);
    CHECK_NEAR(i.forces[0].tangential.x, 0.5 * G / a, 1e-12);
    CHECK_NEAR(i.forces[0].acceleration, 0.0, 1e-13);
  }
}

/* The same rod pulled along an arbitrarily oriented floor: no load presses it down, so zero force
 * is an answer, although round-off of the pull's normal part alone would make the problem
 * infeasible. */
static void a_rod_without_load_does_not_jam(void) {
  check_random r = {48};
  ct_sin_cos slope = {.sine = 0.89442719099991588, .cosine = 0.44721359549995794};
  for (int k = 0; k < 200; k++) {
    static island i;
    ct_quat q = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), 0.5};
    double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + 0.25);
    ct_mat3 turn = ct_quat_matrix((ct_quat){q.x / norm, q.y / norm, q.z / norm, 0.5 / norm});
    rod(&i, slope, 0.0, 2.0);
    i.options.acceleration_level = true;
    i.bodies[1].velocity.linear = ct_mat_mul(turn, ct_vec(-3.0, 0.0, 0.0));
    i.bodies[1].center = ct_mat_mul(turn, i.bodies[1].center);
    i.bodies[1].force = i.bodies[1].linear_acceleration = ct_vec(0.0, 0.0, 0.0);
    island_load(&i, 1, ct_mat_mul(turn, ct_vec(G, 0.0, 0.0)), ct_vec(0.0, 0.0, 0.0));
    ct_contact *t = &i.contacts[0];
    t->position = t->point_a = t->point_b = ct_mat_mul(turn, t->position);
    t->normal = ct_mat_mul(turn, t->normal);
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_INT(i.result.status, CT_RESTING_STATUS_OK);
    CHECK_NEAR(i.forces[0].normal, 0.0, 1e-12);
  }
}

/* Velocity and acceleration level agree for a sliding block and for a sticking one. */
static void levels_agree(void) {
  for (int k = 0; k < 12; k++) {
    static island v, a;
    block(&v, 0.2, 0.5 * k, 0.4);
    if (k & 1)
      v.bodies[1].velocity.linear =
          ct_vec(2.0 * ct_sin_cos_of(0.5 * k).cosine, 2.0 * ct_sin_cos_of(0.5 * k).sine, 0.0);
    a = v;
    a.options.acceleration_level = true;
    CHECK_INT(island_solve(&v), CT_OK);
    CHECK_INT(island_solve(&a), CT_OK);
    CHECK(a.result.converged && a.result.status == CT_RESTING_STATUS_OK);
    CHECK(ct_norm(ct_sub(v.accelerations[1].linear, a.accelerations[1].linear)) < 1e-11);
    CHECK(ct_norm(ct_sub(v.accelerations[1].angular, a.accelerations[1].angular)) < 1e-11);
  }
}

static const check_test tests[] = {
    {"a rod on its end, at rest and turning", rod_on_its_end},
    {"a body squeezed by what is moved has no forces, and a proof of it", squeezed},
    {"a body squeezed with friction has none either", squeezed_with_friction},
    {"however heavy what a light box carries is, it is carried",
     a_light_box_under_a_heavy_one_is_not_infeasible},
    {"a block on a slope sticks or slides", block_on_slope},
    {"the friction that holds a block on a slope, to eleven digits", threshold_of_slope},
    {"pyramids slide where cones would hold, as far as their error tells", pyramids},
    {"kinetic friction does not depend on speed, and a push below the static one moves nothing",
     speed_does_not_matter},
    {"a ball on a slope rolls or slides", ball_on_slope},
    {"a block on a floor that is accelerated goes along or slides", floor_that_is_moved},
    {"a rod turns about its end, which sticks", rod_that_turns_about_its_end},
    {"ladders hold from the angle on that statics gives", ladder_against_wall},
    {"a rod that jams: no forces, or two answers", rod_that_jams},
    {"a rod that nothing presses does not jam by round-off", a_rod_without_load_does_not_jam},
    {"accelerations are the same at both levels", levels_agree},
};

CHECK_MAIN(tests)
