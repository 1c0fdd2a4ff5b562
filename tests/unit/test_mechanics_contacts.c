/* Contact velocities and Delassus blocks: closed forms, and invariance under exchanged bodies and
 * contacts. */
#include "tests/support/check.h"
#include "tests/support/motion.h"

#include <contact/mechanics.h>

static ct_mass_body immovable(void) { return (ct_mass_body){.mobility = CT_FIXED}; }

static ct_mat3 diagonal(double x, double y, double z) {
  return (ct_mat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

static ct_mass_body dynamic(double mass, ct_vec3 moments, ct_vec3 center, ct_velocity velocity) {
  return (ct_mass_body){.mobility = CT_DYNAMIC,
                        .mass = mass,
                        .inverse_mass = 1.0 / mass,
                        .inertia = diagonal(moments.x, moments.y, moments.z),
                        .inverse_inertia =
                            diagonal(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z),
                        .center = center,
                        .velocity = velocity};
}

static ct_contact_velocity velocity_of(const ct_mass_body bodies[2], ct_contact contact,
                                       double tolerance) {
  return ct_contact_relative_velocity(&(ct_contact_set){bodies, 2, &contact, 1}, &contact,
                                      tolerance);
}

static void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

static bool same_vec(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Row 42, T9.1 and T9.2: a ball over the floor z <= 0, and one that rolls. */
static void a_ball_on_the_floor(void) {
  const ct_contact contact = {.a = 0, .b = 1, .normal = {0, 0, 1}};
  ct_mass_body bodies[2] = {immovable(), dynamic(1, ct_vec(.4, .4, .4), ct_vec(0, 0, 1),
                                                 (ct_velocity){{3, 0, -2}, {0, 5, 0}})};
  ct_contact_velocity v = velocity_of(bodies, contact, 1e-9);
  CHECK(same_vec(v.relative, ct_vec(-2, 0, -2)) && same_vec(v.tangential, ct_vec(-2, 0, 0)));
  CHECK(v.normal == -2 && v.slip == 2 && v.velocity_class == CT_CLASS_COLLIDING && v.sliding);
  bodies[1].velocity.linear = ct_vec(5, 0, 0);
  v = velocity_of(bodies, contact, 1e-9);
  CHECK(same_vec(v.relative, ct_vec(0, 0, 0)) && v.velocity_class == CT_CLASS_RESTING &&
        !v.sliding);
}

/* Row 42, T9.3: with body a the ball and b the floor, the relative velocity is -2 too. */
static void the_other_order(void) {
  const ct_mass_body bodies[2] = {
      dynamic(1, ct_vec(.4, .4, .4), ct_vec(0, 0, 1), (ct_velocity){{3, 0, -2}, {0, 5, 0}}),
      immovable()};
  ct_contact_velocity v =
      velocity_of(bodies, (ct_contact){.a = 0, .b = 1, .normal = {0, 0, -1}}, 1e-9);
  CHECK(same_vec(v.relative, ct_vec(2, 0, 2)) && v.normal == -2 &&
        v.velocity_class == CT_CLASS_COLLIDING);
}

/* Row 42: three classes; a velocity equal to the tolerance counts as resting. */
static void classes_at_the_tolerance(void) {
  static const struct {
    double normal;
    ct_velocity_class expected;
  } cases[] = {{-0.25, CT_CLASS_RESTING},
               {0.25, CT_CLASS_RESTING},
               {0, CT_CLASS_RESTING},
               {-0.2500001, CT_CLASS_COLLIDING},
               {0.2500001, CT_CLASS_SEPARATING}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ct_mass_body bodies[2] = {immovable(), dynamic(1, ct_vec(1, 1, 1), ct_vec(0, 0, 0),
                                                   (ct_velocity){{0, 0, 0}, {0, 0, 0}})};
    bodies[1].velocity.linear = ct_vec(0.25, 0, cases[i].normal);
    ct_contact_velocity v =
        velocity_of(bodies, (ct_contact){.a = 0, .b = 1, .normal = {0, 0, 1}}, 0.25);
    CHECK_INT(v.velocity_class, cases[i].expected);
    CHECK(!v.sliding);
  }
}

/* ---- random sets: five bodies, the first fixed, the second kinematic ------------------------ */

enum { BODIES = 5 };

/* R diag R', its upper triangle copied down. */
static ct_mat3 turned_diagonal(ct_quat q, ct_vec3 d) {
  ct_mat3 r = ct_quat_matrix(q),
          t = ct_mat_mat(ct_mat_mat(r, diagonal(d.x, d.y, d.z)), ct_mat_transpose(r));
  t.ry.x = t.rx.y;
  t.rz.x = t.rx.z;
  t.rz.y = t.ry.z;
  return t;
}

static ct_velocity random_velocity(check_random *r) {
  return (ct_velocity){random_vector(r, 3), random_vector(r, 4)};
}

static void random_bodies(check_random *r, ct_mass_body bodies[BODIES]) {
  bodies[0] = immovable();
  bodies[1] = (ct_mass_body){
      .mobility = CT_KINEMATIC, .center = random_vector(r, 1), .velocity = random_velocity(r)};
  for (int i = 2; i < BODIES; i++) {
    ct_vec3 moments =
        ct_vec(check_uniform(r, 1, 2), check_uniform(r, 1, 2), check_uniform(r, 1, 2));
    ct_quat q = random_rotation(r);
    bodies[i] =
        dynamic(check_uniform(r, 0.1, 10), moments, random_vector(r, 1), random_velocity(r));
    bodies[i].inertia = turned_diagonal(q, moments);
    bodies[i].inverse_inertia =
        turned_diagonal(q, ct_vec(1 / moments.x, 1 / moments.y, 1 / moments.z));
  }
}

static ct_contact random_touch(check_random *r) {
  ct_contact t = {.position = random_vector(r, 2),
                  .normal = ct_unit_or(random_vector(r, 1), ct_vec(1, 0, 0))};
  t.a = (uint32_t)(check_next(r) % BODIES);
  do t.b = (uint32_t)(check_next(r) % BODIES);
  while (t.a == t.b);
  return t;
}

static ct_contact swapped(ct_contact t) {
  uint32_t a = t.a;
  t.a = t.b;
  t.b = a;
  t.normal = ct_neg(t.normal);
  return t;
}

/* Row 42. */
static void swapping_the_bodies_negates_velocities(void) {
  check_random r = {4201};
  for (int i = 0; i < 2000; i++) {
    ct_mass_body bodies[BODIES];
    random_bodies(&r, bodies);
    ct_contact t = random_touch(&r), s = swapped(t);
    const ct_contact_set set = {bodies, BODIES, &t, 1};
    ct_contact_velocity v = ct_contact_relative_velocity(&set, &t, 0.1),
                        w = ct_contact_relative_velocity(&set, &s, 0.1);
    CHECK(v.normal == w.normal && v.slip == w.slip && v.velocity_class == w.velocity_class &&
          v.sliding == w.sliding);
    CHECK(same_vec(v.relative, ct_neg(w.relative)) && same_vec(v.tangential, ct_neg(w.tangential)));
  }
}

/* Row 42: a moving and rotating observer sees the same relative velocities. */
static void velocities_are_galilean(void) {
  check_random r = {4202};
  for (int i = 0; i < 2000; i++) {
    ct_mass_body bodies[BODIES];
    random_bodies(&r, bodies);
    ct_contact t = random_touch(&r);
    const ct_contact_set set = {bodies, BODIES, &t, 1};
    ct_contact_velocity before = ct_contact_relative_velocity(&set, &t, 0.1);
    ct_vec3 v = random_vector(&r, 10), w = random_vector(&r, 10);
    for (int k = 0; k < BODIES; k++) {
      ct_velocity *own = &bodies[k].velocity;
      own->linear = ct_add(own->linear, ct_add(v, ct_cross(w, bodies[k].center)));
      own->angular = ct_add(own->angular, w);
    }
    ct_contact_velocity after = ct_contact_relative_velocity(&set, &t, 0.1);
    near_vec(after.relative, before.relative, 1e-13);
    CHECK_NEAR(after.normal, before.normal, 1e-13);
  }
}

/* T10.4: the matrix, to the digits published. */
static void the_collision_matrix_of_one_body(void) {
  const ct_mass_body bodies[2] = {immovable(), dynamic(2, ct_vec(.1, .2, .3), ct_vec(0, 0, 0),
                                                       (ct_velocity){{1, -2, .5}, {.5, -1, 2}})};
  const ct_contact contact = {.a = 0, .b = 1, .position = {.3, -.4, .1}, .normal = {0, 1, 0}};
  const ct_contact_set set = {bodies, 2, &contact, 1};
  ct_mat3 k = ct_delassus_block(&set, &contact, &contact);
  near_vec(k.rx, ct_vec(13.0 / 12.0, .4, -.15), 1e-15);
  near_vec(k.ry, ct_vec(.4, .9, .4), 1e-15);
  near_vec(k.rz, ct_vec(-.15, .4, 2.55), 1e-15);
  near_vec(ct_contact_relative_velocity(&set, &contact, 0).relative, ct_vec(1.7, -1.45, .6), 1e-15);
}

/* Row 44: K follows from momentum and angular momentum: an impulse P changes v by P/m and w by I^-1
 * (r x P). */
static void coupling_is_what_momentum_does(void) {
  check_random r = {4401};
  for (int i = 0; i < 2000; i++) {
    ct_mass_body bodies[BODIES];
    random_bodies(&r, bodies);
    ct_contact contact = random_touch(&r), cause = i % 3 ? random_touch(&r) : contact;
    const ct_contact_set set = {bodies, BODIES, &contact, 1};
    ct_vec3 p = random_vector(&r, 2);
    ct_vec3 before = ct_contact_relative_velocity(&set, &contact, 0).relative,
            reported = ct_mat_mul(ct_delassus_block(&set, &contact, &cause), p);
    for (int side = 0; side < 2; side++) {
      ct_mass_body *body = &bodies[side ? cause.b : cause.a];
      ct_vec3 on = side ? p : ct_neg(p);
      ct_velocity *v = &body->velocity;
      v->linear = ct_add_scaled(v->linear, on, body->inverse_mass);
      v->angular =
          ct_add(v->angular, ct_mat_mul(body->inverse_inertia,
                                        ct_cross(ct_sub(cause.position, body->center), on)));
    }
    near_vec(ct_sub(ct_contact_relative_velocity(&set, &contact, 0).relative, before), reported,
             1e-12 * (1 + ct_max_abs(reported)));
  }
}

static bool transposed(ct_mat3 a, ct_mat3 b) {
  ct_mat3 t = ct_mat_transpose(b);
  return same_vec(a.rx, t.rx) && same_vec(a.ry, t.ry) && same_vec(a.rz, t.rz);
}

/* Row 44: symmetric to the bit, for any two contacts, including equal ones, in either order of
 * their bodies. */
static void coupling_is_symmetric(void) {
  check_random r = {4402};
  for (int i = 0; i < 5000; i++) {
    ct_mass_body bodies[BODIES];
    random_bodies(&r, bodies);
    ct_contact x = random_touch(&r), y = i % 3 ? random_touch(&r) : x;
    const ct_contact_set set = {bodies, BODIES, &x, 1};
    ct_contact u = swapped(x), v = swapped(y);
    ct_mat3 k = ct_delassus_block(&set, &x, &y), m = ct_delassus_block(&set, &u, &v);
    CHECK(transposed(k, ct_delassus_block(&set, &y, &x)));
    CHECK(transposed(k, ct_mat_transpose(m)));
  }
}

static void tangents_make_a_right_handed_frame(void) {
  check_random r = {4403};
  for (int i = 0; i < 2000; i++) {
    static const ct_vec3 axes[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                   {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    ct_vec3 n = i < 6 ? axes[i] : ct_unit_or(random_vector(&r, 1), axes[0]), t1, t2;
    ct_contact_tangents(n, &t1, &t2);
    near_vec(ct_cross(t1, t2), n, 1e-15);
    CHECK_NEAR(ct_dot(t1, n), 0, 1e-15);
    CHECK_NEAR(ct_norm(t1), 1, 1e-15);
    CHECK_NEAR(ct_norm(t2), 1, 1e-15);
    CHECK(ct_max_abs(t1) >= 0.8); /* mostly along a world axis */
  }
}

/* T11.1: a table of 10 kg on four legs; and row 44: A_ij = n_i.K n_j. */
static void a_table_on_four_legs(void) {
  static const double expected[4][4] = {
      {.5, .1, -.3, .1}, {.1, .5, .1, -.3}, {-.3, .1, .5, .1}, {.1, -.3, .1, .5}};
  const ct_mass_body bodies[2] = {immovable(), dynamic(10, ct_vec(5, 5, 10), ct_vec(0, 0, 1),
                                                       (ct_velocity){{0, 0, 0}, {0, 0, 0}})};
  ct_contact legs[4];
  static const double at[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
  for (int i = 0; i < 4; i++)
    legs[i] =
        (ct_contact){.a = 0, .b = 1, .position = {at[i][0], at[i][1], 0}, .normal = {0, 0, 1}};
  const ct_contact_set set = {bodies, 2, legs, 4};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      CHECK_NEAR(ct_dot(legs[i].normal,
                        ct_mat_mul(ct_delassus_block(&set, &legs[i], &legs[j]), legs[j].normal)),
                 expected[i][j], 1e-15);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"a ball on the floor", a_ball_on_the_floor},
      {"the other order", the_other_order},
      {"classes at the tolerance", classes_at_the_tolerance},
      {"swapping the bodies negates velocities", swapping_the_bodies_negates_velocities},
      {"velocities are Galilean", velocities_are_galilean},
      {"the collision matrix of one body", the_collision_matrix_of_one_body},
      {"coupling is what momentum does", coupling_is_what_momentum_does},
      {"coupling is symmetric", coupling_is_symmetric},
      {"tangents make a right-handed frame", tangents_make_a_right_handed_frame},
      {"a table on four legs", a_table_on_four_legs},
  };
  return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
