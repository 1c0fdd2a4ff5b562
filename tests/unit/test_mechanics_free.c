/* Free acceleration of contact gaps: closed forms, with surfaces as a caller describes them. */
#include "tests/support/check.h"
#include "tests/support/motion.h"

#include <contact/mechanics.h>

static const double G = 9.81;

static ct_mass_body fixed(void) { return (ct_mass_body){.mobility = CT_FIXED}; }

static ct_mass_body kinematic(ct_velocity velocity) {
  return (ct_mass_body){.mobility = CT_KINEMATIC, .velocity = velocity};
}

/* A body of one kilogram with an isotropic inertia, under an acceleration. */
static ct_mass_body moving(ct_vec3 center, ct_velocity velocity, double inertia,
                           ct_vec3 acceleration) {
  double i = 1.0 / inertia;
  return (ct_mass_body){.mobility = CT_DYNAMIC,
                        .mass = 1,
                        .inverse_mass = 1,
                        .inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}},
                        .inverse_inertia = {{i, 0, 0}, {0, i, 0}, {0, 0, i}},
                        .center = center,
                        .velocity = velocity,
                        .force = acceleration,
                        .linear_acceleration = acceleration};
}

static ct_surface point(void) { return (ct_surface){.form = CT_SURFACE_POINT}; }
static ct_surface face(void) { return (ct_surface){.form = CT_SURFACE_FACE}; }
static ct_surface edge(ct_vec3 along) {
  return (ct_surface){.form = CT_SURFACE_LINE, .line = along};
}
static ct_surface tube(ct_vec3 along, double radius) {
  return (ct_surface){.form = CT_SURFACE_LINE, .line = along, .radius = radius};
}
/* At a normal along z. */
static ct_surface bowl(double x, double y) {
  return (ct_surface){.form = CT_SURFACE_CURVED, .radii = {{x, 0, 0}, {0, y, 0}, {0, 0, 0}}};
}

static ct_contact touch_of(ct_vec3 normal, ct_vec3 position, ct_surface a, ct_surface b) {
  return (ct_contact){
      .a = 0, .b = 1, .normal = normal, .position = position, .surface_a = a, .surface_b = b};
}

static double free_of(ct_mass_body a, ct_mass_body b, const ct_contact *contact,
                      ct_vec3 *tangential) {
  const ct_mass_body bodies[2] = {a, b};
  return ct_contact_free_acceleration(&(ct_contact_set){bodies, 2, contact, 1}, contact,
                                      tangential);
}

static const ct_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, O = {0, 0, 0};

/* Row 47, T11.5: a rod of length 2 with its tip on the floor: A = 1 + 3 cos^2, b = -g + w^2 sin. */
static void a_rod_on_its_tip(void) {
  static const struct {
    double sine, cosine, w, a, b;
  } cases[] = {{.8660254037844386, .5, 2, 1.75, -6.3458983848622454},
               {.8660254037844386, .5, 4, 1.75, 4.0464064605510175},
               {.5, .8660254037844386, 0, 3.25, -9.81}};
  for (size_t i = 0; i < 3; i++) {
    ct_vec3 center = ct_vec(cases[i].cosine, 0, cases[i].sine);
    const ct_mass_body bodies[2] = {
        fixed(), moving(center, (ct_velocity){O, {0, cases[i].w, 0}}, 1.0 / 3.0, ct_vec(0, 0, -G))};
    ct_contact t = touch_of(Z, O, face(), point());
    const ct_contact_set set = {bodies, 2, &t, 1};
    CHECK_NEAR(ct_delassus_along(&set, &t, Z, &t, Z), cases[i].a, 1e-14);
    CHECK_NEAR(ct_contact_free_acceleration(&set, &t, NULL), cases[i].b, 1e-14);
  }
}

/* Row 47, T11.6: a bead pushed along by a rotating plane: A = 2 and b = -12, so f = 6 N. */
static void a_bead_on_a_turning_plane(void) {
  ct_mass_body bead = moving(ct_vec(.7, 0, 0), (ct_velocity){{2, 2.1, 0}, O}, 1, O);
  bead.mass = .5;
  bead.inverse_mass = 2;
  const ct_mass_body bodies[2] = {kinematic((ct_velocity){O, {0, 0, 3}}), bead};
  ct_contact t = touch_of(Y, ct_vec(.7, 0, 0), face(), point());
  const ct_contact_set set = {bodies, 2, &t, 1};
  CHECK_NEAR(ct_contact_free_acceleration(&set, &t, NULL), -12, 1e-14);
  CHECK(ct_delassus_along(&set, &t, Y, &t, Y) == 2);
}

/* Row 47, T11.6: edges along x and y; the second body turns about x and moves along y: the gap is
 * -2 t sin t. */
static void two_edges_that_cross(void) {
  ct_contact t = touch_of(Z, O, edge(X), edge(Y));
  CHECK_NEAR(free_of(fixed(), moving(O, (ct_velocity){{0, 2, 0}, {1, 0, 0}}, 1, O), &t, NULL), -4,
             1e-15);
}

/* Row 47, T11.10: a ball that rolls on a plane is not lifted by the acceleration of its material
 * points; a ball on a ball is. */
static void balls(void) {
  ct_vec3 tangential;
  ct_contact t = touch_of(Z, O, face(), bowl(1, 1));
  CHECK(free_of(fixed(), moving(Z, (ct_velocity){{5, 0, 0}, {0, 5, 0}}, .4, ct_vec(0, 0, -G)), &t,
                &tangential) == -G);
  CHECK_NEAR(ct_max_abs(tangential), 0, 0);
  t = touch_of(Z, O, bowl(1, 1), bowl(2, 2));
  CHECK_NEAR(free_of(moving(ct_vec(0, 0, -1), (ct_velocity){O, O}, .4, O),
                     moving(ct_vec(0, 0, 2), (ct_velocity){{3, 0, 0}, O}, .4, O), &t, NULL),
             3, 1e-15);
  /* Spin about the normal changes nothing. */
  CHECK_NEAR(free_of(moving(ct_vec(0, 0, -1), (ct_velocity){O, {0, 0, 7}}, .4, O),
                     moving(ct_vec(0, 0, 2), (ct_velocity){{3, 0, 0}, {0, 0, -9}}, .4, O), &t,
                     NULL),
             3, 1e-14);
}

/* Row 47, T11.10: an ellipsoid of semi-axes 2 and 1 that stands and begins to roll: z - sqrt(4
 * sin^2 + cos^2). */
static void an_ellipsoid_on_its_pole(void) {
  ct_contact t = touch_of(Z, O, face(), bowl(4, 4));
  CHECK_NEAR(
      free_of(fixed(), moving(Z, (ct_velocity){O, {0, 3, 0}}, 1, ct_vec(0, 0, -G)), &t, NULL),
      -G - 27, 1e-14);
}

/* Row 47: a tube that rolls and spins on a floor; a tube that slides along another across it; two
 * parallel tubes, which part like circles. */
static void tubes(void) {
  ct_contact t = touch_of(Z, O, face(), tube(X, .5));
  CHECK_NEAR(
      free_of(fixed(),
              moving(ct_vec(0, 0, .5), (ct_velocity){{1, 2, 0}, {6, 0, 4}}, 1, ct_vec(0, 0, -G)),
              &t, NULL),
      -G, 1e-14);
  t = touch_of(Z, O, tube(X, .25), tube(Y, .5));
  ct_mass_body under = moving(ct_vec(0, 0, -.25), (ct_velocity){O, O}, 1, O);
  CHECK_NEAR(free_of(under, moving(ct_vec(0, 0, .5), (ct_velocity){{3, 4, 0}, O}, 1, O), &t, NULL),
             0, 1e-14);
  /* Parallel tubes: two circles in the plane across them. */
  t = touch_of(Z, O, tube(X, .25), tube(X, .5));
  CHECK_NEAR(free_of(under, moving(ct_vec(0, 0, .5), (ct_velocity){{3, 4, 0}, O}, 1, O), &t, NULL),
             16 / .75, 1e-13);
}

/* Nearly parallel lines: the acceleration is continuous from parallel to crossing. */
static void lines_from_parallel_to_crossing(void) {
  ct_mass_body under = moving(ct_vec(0, 0, -.25), (ct_velocity){O, {.3, -.2, .1}}, 1, O);
  ct_mass_body over =
      moving(ct_vec(0, 0, .5), (ct_velocity){{.01, .02, 0}, {.3, -.2 + 1e-5, .1}}, 1, O);
  double before = 0, most = 0, first = 0, last = 0;
  for (int i = 0; i <= 1200; i++) {
    double sine = i * 1e-8;
    ct_contact t = touch_of(Z, O, tube(X, .25), tube(ct_vec(sqrt(1 - sine * sine), sine, 0), .5));
    double now = free_of(under, over, &t, NULL);
    if (i == 0) first = now;
    else most = ct_max2(most, fabs(now - before));
    before = last = now;
  }
  CHECK(fabs(last - first) > 1e-2);
  CHECK(most < 0.02 * fabs(last - first));
}

/* An edge in a face, and two faces: only what both bodies have in common constrains the gap. A
 * common rotation counts in full. */
static void flat_on_flat(void) {
  const ct_velocity shared = {{1, 2, 0}, {.5, -.25, 2}};
  static const ct_surface_form forms[] = {CT_SURFACE_FACE, CT_SURFACE_LINE, CT_SURFACE_POINT};
  for (size_t i = 0; i < 3; i++) {
    ct_contact t = touch_of(Z, O, face(), (ct_surface){.form = forms[i], .line = X});
    /* v = w x n of the common rotation: 2 v.u, and centripetal accelerations of both */
    ct_mass_body a = moving(O, (ct_velocity){O, shared.angular}, 1, O), b = moving(O, shared, 1, O);
    CHECK_NEAR(free_of(a, b, &t, NULL), 2 * ct_dot(ct_cross(shared.angular, Z), shared.linear),
               1e-14);
  }
}

/* Exchanged bodies give the same bits. */
static void swapping_mirrors(void) {
  check_random r = {4701};
  for (int i = 0; i < 4000; i++) {
    ct_vec3 n = i % 4 ? ct_unit_or(random_vector(&r, 1), X) : i % 8 ? Z : ct_neg(Y), t1, t2;
    ct_contact_tangents(n, &t1, &t2);
    ct_surface s[2];
    for (int k = 0; k < 2; k++) {
      double turn = check_uniform(&r, 0, 6.3),
             radius = check_uniform(&r, 0, 1) * (double)(check_next(&r) % 2);
      ct_vec3 e = ct_add(ct_scale(t1, cos(turn)), ct_scale(t2, sin(turn)));
      s[k] =
          (ct_surface){.form = (ct_surface_form)(check_next(&r) % 4), .line = e, .radius = radius};
      if (i % 5 == 0 && k) s[k].line = s[0].line;
      s[k].radii.rx = ct_scale(e, radius * e.x);
      s[k].radii.ry = ct_scale(e, radius * e.y);
      s[k].radii.rz = ct_scale(e, radius * e.z);
    }
    ct_mass_body a =
        moving(random_vector(&r, 1), (ct_velocity){random_vector(&r, 3), random_vector(&r, 3)}, .5,
               random_vector(&r, 9));
    ct_mass_body b =
        moving(random_vector(&r, 1), (ct_velocity){random_vector(&r, 3), random_vector(&r, 3)}, .7,
               random_vector(&r, 9));
    ct_contact t = touch_of(n, random_vector(&r, 1), s[0], s[1]);
    ct_contact mirror = touch_of(ct_neg(n), t.position, s[1], s[0]);
    ct_vec3 p, q;
    double x = free_of(a, b, &t, &p), y = free_of(b, a, &mirror, &q);
    CHECK(isfinite(x) && x == y);
    CHECK(p.x == -q.x && p.y == -q.y && p.z == -q.z);
  }
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"a rod on its tip", a_rod_on_its_tip},
      {"a bead on a turning plane", a_bead_on_a_turning_plane},
      {"two edges that cross", two_edges_that_cross},
      {"balls", balls},
      {"an ellipsoid on its pole", an_ellipsoid_on_its_pole},
      {"tubes", tubes},
      {"lines from parallel to crossing", lines_from_parallel_to_crossing},
      {"flat on flat", flat_on_flat},
      {"swapping mirrors", swapping_mirrors},
  };
  return check_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
