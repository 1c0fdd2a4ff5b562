/* The elastic contact law against closed forms: stiffness, damping, effective restitution, friction
 * at small slips. */
#include "tests/support/check.h"
#include "tests/support/shapes.h"

#include <contact/compliant.h>

typedef long double real;

static const ct_elastic_options STANDARD = {0};
static const ct_elastic_solid STEEL_BALL = {
    .youngs_modulus = 2e11, .poisson_ratio = 0.3, .radius = 0.1};
static const ct_elastic_solid STEEL_FLAT = {
    .youngs_modulus = 2e11, .poisson_ratio = 0.3, .radius = 0.05, .flat = true};

static ct_elastic_pair steel(double restitution, double approach) {
  ct_pair_material material = {.static_friction = 0.5,
                               .dynamic_friction = 0.5,
                               .restitution = restitution,
                               .rolling_friction = 0.001};
  return ct_elastic_pair_of(&STEEL_BALL, &STEEL_FLAT, &material, approach, &STANDARD);
}

/* A floor and a ball of mass 1 above it; the ball's lowest point is at the origin. */
typedef struct drop {
  ct_mass_body bodies[2];
  ct_contact contact;
} drop;

static drop drop_of(double depth, ct_vec3 linear, ct_vec3 angular) {
  return (drop){.bodies = {{.mobility = CT_FIXED},
                           {.mobility = CT_DYNAMIC,
                            .mass = 1,
                            .inverse_mass = 1,
                            .center = {0, 0, 0.1},
                            .velocity = {linear, angular}}},
                .contact = {.a = 0, .b = 1, .normal = {0, 0, 1}, .distance = -depth}};
}

static ct_compliant_force force_of(const ct_elastic_pair *pair, const drop *d,
                                   const ct_elastic_options *options) {
  ct_contact_set set = {.bodies = d->bodies, .body_count = 2, .contacts = &d->contact, .count = 1};
  return ct_compliant_law(pair, &set, &d->contact, options);
}

static double pressed(const ct_elastic_pair *pair, double depth, double rate) {
  drop d = drop_of(depth, ct_vec(0, 0, -rate), ct_vec(0, 0, 0));
  return force_of(pair, &d, &STANDARD).normal;
}

/* T13.1 and row 29: c_res, d_res and the force law, for steel on steel, a ball of 0.1 m on a flat
 * body. */
static void stiffness_of_steel(void) {
  ct_elastic_pair pair = steel(0.7, 4.42944692);
  CHECK_NEAR(pair.c_res, 1.0989011e11, 1e4);
  CHECK_NEAR(pair.c_geo, 0.4216370, 1e-7);
  CHECK_NEAR(pair.c_res * pair.c_geo, 4.6333739e10, 1e3);
  CHECK_NEAR(pair.mu_geo, 0.1, 0.0);
  CHECK_NEAR(pair.damping, 0.1548, 5e-5);
}

/* T13.2: published forces of steel, with and without damping. */
static void forces_of_steel(void) {
  ct_elastic_pair pair = steel(0.7, 1.0);
  pair.damping = 0.0;
  CHECK_NEAR(pressed(&pair, 1e-5, 0.0), 1465.2015, 1e-4);
  pair.damping = 0.1548081;
  CHECK_NEAR(pressed(&pair, 1e-5, 1.0), 1692.0280, 2e-3); /* published with damping 0.154809 */
  CHECK_NEAR(pressed(&pair, 1e-5, -0.5), 1351.7882, 1e-3);
  real hertz = (real)2e11 / (2 * (1 - 0.09L)) * 4 / 3 * sqrtl(0.1L) * 1e-5L * sqrtl(1e-5L);
  CHECK_NEAR(pressed(&pair, 1e-5, 1.0), (double)(hertz * (1 + 0.1548081L)), 1e-11);
  CHECK_NEAR(pressed(&pair, 1e-5, -0.5), (double)(hertz * (1 - 0.07740405L)), 1e-11);
  CHECK_NEAR(pressed(&pair, 3.5523e-7, 0.0), 9.81, 2e-4); /* 1 kg at rest */
}

/* T13.3: the regularising function at published values, and its smoothness. */
static void regularisation(void) {
  CHECK_NEAR(ct_regularised(0.005, 0.01), 0.00541667, 1e-8);
  CHECK_NEAR(0.001 / ct_regularised(0.001, 0.01), 0.291545, 1e-6);
  CHECK_NEAR(0.005 / ct_regularised(0.005, 0.01), 0.923077, 1e-6);
  CHECK_NEAR(ct_regularised(0.01, 0.01), 0.01, 0.0);
  CHECK_NEAR(ct_regularised(0.0, 0.01), 0.01 / 3, 1e-18);
  /* Value, slope and curvature are continuous where the two forms meet. */
  double s = 0.01, h = 1e-5;
  double slope = (ct_regularised(s, s) - ct_regularised(s - h, s)) / h;
  double bend =
      (ct_regularised(s, s) - 2.0 * ct_regularised(s - h, s) + ct_regularised(s - 2.0 * h, s)) /
      (h * h);
  CHECK_NEAR(slope, 1.0, 1e-5);
  CHECK_NEAR(bend, 0.0, 0.5); /* the third derivative is about 2 / s^2; times h */
}

/* T13.4, and the value used where restitution 0 would divide by zero. */
static void damping_of_slow_contacts(void) {
  CHECK_NEAR(steel(0.7, 0.014436).damping, 47.5, 0.01);
  CHECK_NEAR(steel(0.7, 0.01).damping, 2000.0, 0.0);
  CHECK_NEAR(steel(0.7, 0.01).restitution, 0.0, 0.0);
  CHECK_NEAR(steel(1.0, 1.0).damping, 0.0, 0.0);
  CHECK_NEAR(steel(0.0, 1.0).damping, 2000.0, 0.0);
  CHECK_NEAR(steel(0.7, 0.0).damping, 2000.0, 0.0);
}

/* No force when apart, no adhesion unless it is enabled; the force tends to 0 with the depth. */
static void ends_of_the_law(void) {
  ct_elastic_pair pair = steel(0.7, 1.0);
  CHECK_NEAR(pressed(&pair, -1e-9, 1.0), 0.0, 0.0);
  CHECK_NEAR(pressed(&pair, 1e-5, -10.0), 0.0, 0.0);
  CHECK_NEAR(pressed(&pair, 1e-18, 1.0), 0.0, 1e-15);
  drop d = drop_of(1e-5, ct_vec(1, 0, 10), ct_vec(0, 0, 3));
  ct_elastic_options pull = {.pull = true};
  ct_compliant_force force = force_of(&pair, &d, &pull);
  CHECK(force.normal < 0.0);
  CHECK_NEAR(force.tangential, 0.0, 0.0);
  CHECK_NEAR(force.rolling, 0.0, 0.0);
}

/* Friction opposes the slip, mu f_n at high slip speed; rolling resistance opposes the spin. Row
 * 49: kinetic friction. */
static void friction_and_rolling(void) {
  ct_elastic_pair pair = steel(1.0, 1.0);
  drop d = drop_of(1e-5, ct_vec(3, 4, 0), ct_vec(0, 0, 2));
  ct_compliant_force force = force_of(&pair, &d, &STANDARD);
  CHECK_NEAR(force.slip, 5.0, 1e-15);
  CHECK_NEAR(force.tangential, 0.5 * force.normal, 1e-12 * force.normal);
  CHECK_NEAR(force.force.x, -0.3 * force.normal, 1e-12 * force.normal);
  CHECK_NEAR(force.force.y, -0.4 * force.normal, 1e-12 * force.normal);
  CHECK_NEAR(force.torque.z, -0.001 * 0.1 * force.normal, 1e-12 * force.normal);
  d = drop_of(1e-5, ct_vec(0.005, 0, 0), ct_vec(0, 0, 0));
  force = force_of(&pair, &d, &STANDARD);
  CHECK_NEAR(force.force.x, -0.5 * 0.923077 * force.normal, 1e-6 * force.normal);
}

/* The separation speed U1 = d v+ of a contact with approach speed U0 = d v-: U0 - ln(1 + U0) = -U1
 * - ln(1 - U1), by bisection. */
static real speed_after(real before) {
  real target = before - logl(1 + before), low = 0, high = 1;
  for (int i = 0; i < 200; i++) {
    real middle = (low + high) / 2;
    if (-middle - logl(1 - middle) < target) low = middle;
    else high = middle;
  }
  return low;
}

/* A ball of 1 kg approaches at v and leaves: its final speed by the fourth-order Runge-Kutta method
 * over the engine's forces. */
static real leaves_at(const ct_elastic_pair *pair, real v, real step) {
  real x = 0, y = v;
  for (int i = 0; i < 1000000; i++) {
    real kx[4], ky[4], at[4] = {0, step / 2, step / 2, step};
    for (int k = 0; k < 4; k++) {
      real px = k ? x + at[k] * kx[k - 1] : x, py = k ? y + at[k] * ky[k - 1] : y;
      kx[k] = py;
      ky[k] = -(real)pressed(pair, (double)px, (double)py);
    }
    real next = x + step / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
    y += step / 6 * (ky[0] + 2 * ky[1] + 2 * ky[2] + ky[3]);
    if (next <= 0) return -y;
    x = next;
  }
  return -1;
}

/* The effective restitution differs from the parameter; the reference is its closed form. Row 43:
 * in the limit of stiff contacts the impulse does not depend on the stiffness. */
static void effective_restitution(void) {
  const double parameters[] = {0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98};
  const double reported[] = {0.069444, 0.256208, 0.470445, 0.577276,
                             0.683184, 0.788539, 0.893921, 0.978694};
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
    real u0 = 8 * (1 - (real)parameters[i]) / (5 * (real)parameters[i]);
    CHECK_NEAR((double)(speed_after(u0) / u0), reported[i], 1e-6);
    for (int hard = 0; hard < 3; hard++) {
      ct_elastic_pair pair = steel(parameters[i], 1.0);
      real factor = hard == 0 ? 1 : hard == 1 ? 100 : 10000;
      pair.c_res *= (double)factor;
      real duration = 3 * powl(1 / (real)(pair.c_res * pair.c_geo), 0.4L);
      CHECK_NEAR((double)leaves_at(&pair, 1, duration / 3000), reported[i], 2e-6);
    }
  }
}

/* A closed loop of depth dissipates energy or conserves it: the work on the bodies, minus the sum
 * of force times depth gained, is never positive. */
static void contact_takes_energy(void) {
  enum { PARTS = 2000 };
  check_random random = {1};
  for (int trial = 0; trial < 200; trial++) {
    ct_elastic_pair pair =
        steel(check_uniform(&random, 0.05, 1.0), check_uniform(&random, 0.02, 5.0));
    double depth = check_uniform(&random, 1e-7, 1e-4), rate = check_uniform(&random, 0.01, 5.0),
           taken = 0.0;
    double time = depth / rate; /* depth 1 - cos, by steps of the mid-step speed */
    for (int i = 0; i < PARTS; i++) {
      double from = 6.283185307179586 * i / PARTS, to = 6.283185307179586 * (i + 1) / PARTS,
             middle = 0.5 * (from + to);
      taken += pressed(&pair, depth * (1.0 - cos(middle)), depth / time * sin(middle)) * depth *
               (cos(from) - cos(to));
    }
    CHECK(taken >= -1e-9 * depth * pressed(&pair, depth, 0.0));
    CHECK(pair.damping == 0.0 || taken > 0.0);
  }
}

/* Exchanging the two solids gives the same pair; and the effective radius of a contact. */
static void radii_and_order(void) {
  ct_pair_material material = {.restitution = 0.5, .dynamic_friction = 0.1};
  ct_elastic_solid wood = {.youngs_modulus = 1.1e10, .poisson_ratio = 0.4, .radius = 0.03};
  ct_elastic_pair ab = ct_elastic_pair_of(&STEEL_BALL, &wood, &material, 1.0, &STANDARD);
  ct_elastic_pair ba = ct_elastic_pair_of(&wood, &STEEL_BALL, &material, 1.0, &STANDARD);
  CHECK(ab.c_res == ba.c_res && ab.mu_geo == ba.mu_geo && ab.c_geo == ba.c_geo &&
        ab.damping == ba.damping);
  CHECK_NEAR(ab.mu_geo, 0.1 * 0.03 / 0.13, 1e-17);
  bool flat;
  ct_shape shape = sphere(0.25);
  CHECK_NEAR(ct_elastic_radius(&shape, &flat), 0.25, 0.0);
  CHECK(!flat);
  shape = box(1, 2, 3);
  CHECK_NEAR(ct_elastic_radius(&shape, &flat), 1, 0.0);
  CHECK(flat);
  shape = (ct_shape){.kind = CT_KIND_CONE,
                     .cone = {.half_length = 2, .radius_bottom = 0.6, .radius_top = 0.2}};
  CHECK_NEAR(ct_elastic_radius(&shape, &flat), 0.4, 1e-16);
  CHECK(!flat);
  shape = (ct_shape){.kind = CT_KIND_PLANE};
  CHECK(isinf(ct_elastic_radius(&shape, &flat)));
  CHECK(flat);
}

static const check_test tests[] = {
    {"T13.1, row 29 stiffness of steel", stiffness_of_steel},
    {"T13.2, row 29 forces of steel", forces_of_steel},
    {"T13.3 regularised speeds", regularisation},
    {"T13.4 damping of slow contacts", damping_of_slow_contacts},
    {"the law ends at zero depth and does not pull", ends_of_the_law},
    {"row 49 friction against the slip, rolling resistance against the spin", friction_and_rolling},
    {"row 43 the restitution of the law, however hard", effective_restitution},
    {"a contact takes energy", contact_takes_energy},
    {"radii of contact, and solids exchanged", radii_and_order},
};
CHECK_MAIN(tests)
