/* Mass of cylinders, cones, ellipsoids and rounded shapes: published values, quadrature in long
 * double, counts of grid points. */
#include "tests/support/check.h"
#include "tests/support/shapes.h"
#include <contact/shape.h>

#define PI_L 3.14159265358979323846264338327950288L

static ct_mass_properties mass_of(ct_shape shape, double density) {
  ct_mass_properties m = {0};
  CHECK(ct_shape_mass(&shape, density, &m));
  return m;
}

/* Volume, height of the centre, moments of inertia divided by the mass. */
static void check_values(ct_shape shape, double volume, double z, ct_vec3 moments,
                         double tolerance) {
  ct_mass_properties m = mass_of(shape, 2.0);
  CHECK_NEAR(m.volume, volume, tolerance);
  CHECK_NEAR(m.mass, 2.0 * volume, 2.0 * tolerance);
  CHECK_NEAR(m.center.z, z, tolerance);
  CHECK(m.center.x == 0.0 && m.center.y == 0.0);
  CHECK_NEAR(m.inertia.rx.x / m.mass, moments.x, tolerance);
  CHECK_NEAR(m.inertia.ry.y / m.mass, moments.y, tolerance);
  CHECK_NEAR(m.inertia.rz.z / m.mass, moments.z, tolerance);
  CHECK(m.inertia.rx.y == 0.0 && m.inertia.ry.z == 0.0 && m.inertia.rz.x == 0.0);
}

/* T1.2, T1.3, T1.4, T1.6: cylinder, cone, frustum, ellipsoid. */
static void curved_kinds_have_the_published_values(void) {
  check_values(cylinder(0.5, 0.6), 0.9424777961, 0.0, ct_vec(0.1825, 0.1825, 0.125), 1e-10);
  check_values(cone(0.6, 0.5, 0.0), 0.3141592654, -0.3, ct_vec(0.0915, 0.0915, 0.075), 1e-10);
  check_values(cone(0.6, 0.5, 0.2), 0.4900884540, -0.1615384615,
               ct_vec(0.1390976331, 0.1390976331, 0.0793076923), 1e-10);
  check_values(ellipsoid(0.5, 0.3, 0.8), 0.5026548246, 0.0, ct_vec(0.146, 0.178, 0.068), 1e-10);
}

/* T1.7, T1.8: the hulls of the unit tetrahedron and octahedron. */
static void a_tetrahedron_and_an_octahedron_have_the_published_values(void) {
  const ct_vec3 tetrahedron[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const ct_vec3 octahedron[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(tetrahedron, 4, NULL, &hull, NULL), CT_OK);
  ct_mass_properties m = mass_of((ct_shape){.kind = CT_KIND_CONVEX, .hull = hull}, 1.0);
  CHECK_NEAR(m.volume, 1.0 / 6.0, 1e-16);
  CHECK_NEAR(ct_max_abs(ct_sub(m.center, ct_vec(0.25, 0.25, 0.25))), 0.0, 1e-16);
  const double diagonal = 1.0 / 80.0, off = 1.0 / 480.0;
  CHECK_NEAR(ct_max_abs(ct_sub(m.inertia.rx, ct_vec(diagonal, off, off))), 0.0, 1e-17);
  CHECK_NEAR(ct_max_abs(ct_sub(m.inertia.ry, ct_vec(off, diagonal, off))), 0.0, 1e-17);
  CHECK_NEAR(ct_max_abs(ct_sub(m.inertia.rz, ct_vec(off, off, diagonal))), 0.0, 1e-17);
  ct_hull_release(hull);
  CHECK_INT(ct_hull_from_points(octahedron, 6, NULL, &hull, NULL), CT_OK);
  check_values((ct_shape){.kind = CT_KIND_CONVEX, .hull = hull}, 4.0 / 3.0, 0.0,
               ct_vec(0.2, 0.2, 0.2), 1e-15);
  ct_hull_release(hull);
}

/* Frusta over many orders of slope: areas, first and second moments are polynomials in z of degree
 * 4 at most, for which Boole's rule on 64 panels is exact up to rounding. */
static void frusta_agree_with_quadrature(void) {
  check_random r = {62};
  static const long double weight[] = {7, 32, 12, 32, 14};
  for (int k = 0; k < 200; k++) {
    long double height = check_uniform(&r, 0.01, 3.0), b = check_uniform(&r, 0.0, 1.0),
                t = check_uniform(&r, 0.0, 1.0);
    if (k % 4 == 0) t = b * (1.0 + 1e-9 * k); /* nearly a cylinder */
    if (k % 7 == 0) t = 0.0L;
    ct_shape s = cone((double)height / 2.0, (double)b, (double)t);
    height = 2.0L * s.cone.half_length, b = s.cone.radius_bottom, t = s.cone.radius_top;
    long double sum[4] = {0, 0, 0, 0}, step = height / 256.0L;
    for (int i = 0; i <= 256; i++) {
      long double z = -height / 2.0L + step * i, q = b + (t - b) * i / 256.0L, w = weight[i % 4];
      if (i % 4 == 0) w = i == 0 || i == 256 ? 7 : 14;
      w *= 2.0L / 45.0L * step * PI_L * q * q;
      sum[0] += w;
      sum[1] += w * z;
      sum[2] += w * z * z;
      sum[3] += w * q * q / 4.0L;
    }
    long double center = sum[1] / sum[0], across = (sum[2] + sum[3]) / sum[0] - center * center,
                along = 2.0L * sum[3] / sum[0];
    ct_mass_properties m = mass_of(s, 1.0);
    CHECK_NEAR(m.volume, (double)sum[0], 8 * 0x1p-53 * m.volume);
    CHECK_NEAR(m.center.z, (double)center, 8 * 0x1p-53 * s.cone.half_length);
    CHECK_NEAR(m.inertia.rx.x, (double)(across * sum[0]), 64 * 0x1p-53 * m.inertia.rx.x);
    CHECK_NEAR(m.inertia.rz.z, (double)(along * sum[0]), 16 * 0x1p-53 * m.inertia.rz.z);
  }
}

static void exchanged_radii_mirror_the_cone_and_equal_ones_make_a_cylinder(void) {
  ct_mass_properties a = mass_of(cone(0.75, 0.5, 0.25), 1.0),
                     b = mass_of(cone(0.75, 0.25, 0.5), 1.0);
  CHECK_NEAR(a.volume, b.volume, 1e-16);
  CHECK_NEAR(a.center.z, -b.center.z, 1e-16);
  CHECK_NEAR(a.inertia.rx.x, b.inertia.rx.x, 1e-16);
  a = mass_of(cone(0.75, 0.5, 0.5), 1.0);
  b = mass_of(cylinder(0.5, 0.75), 1.0);
  CHECK(!memcmp(&a, &b, sizeof a));
  a = mass_of(ellipsoid(1.5, 1.5, 1.5), 1.0);
  b = mass_of((ct_shape){.kind = CT_KIND_SPHERE, .sphere = {1.5}}, 1.0);
  CHECK_NEAR(a.inertia.rz.z, b.inertia.rz.z, 1e-15 * b.inertia.rz.z);
}

/* Volume and integral of x^2 of a box with a ball about each point, from the areas of its sections
 * across x: a rectangle with rounded corners of radius p up to x = a, and of radius sqrt(p^2 - (x -
 * a)^2) beyond, where x = a + p sin t. */
static void rounded_sections(long double a, long double b, long double c, long double p,
                             long double out[2]) {
  enum { PANELS = 4000 };
  long double flat = 4.0L * b * c + 4.0L * p * (b + c) + PI_L * p * p;
  out[0] = 2.0L * a * flat;
  out[1] = 2.0L * a * a * a / 3.0L * flat;
  for (int i = 0; i <= PANELS; i++) {
    long double t = PI_L / 2.0L * i / PANELS, s = p * cosl(t), x = a + p * sinl(t);
    long double w = 2.0L * PI_L / 2.0L / PANELS / 3.0L *
                    (i == 0 || i == PANELS ? 1
                     : i % 2               ? 4
                                           : 2) *
                    s;
    long double area = 4.0L * b * c + 4.0L * s * (b + c) + PI_L * s * s;
    out[0] += w * area;
    out[1] += w * area * x * x;
  }
}

static void boxes_with_added_rounding_agree_with_their_sections(void) {
  check_random r = {63};
  for (int k = 0; k < 40; k++) {
    double h[3], p = pow(10.0, check_uniform(&r, -4, 1));
    for (int i = 0; i < 3; i++) h[i] = check_uniform(&r, 0.05, 2.0);
    long double v[3][2];
    for (int i = 0; i < 3; i++) rounded_sections(h[i], h[(i + 1) % 3], h[(i + 2) % 3], p, v[i]);
    ct_mass_properties m = mass_of(rounded(box(h[0], h[1], h[2]), false, p, 0.0), 3.0);
    CHECK_NEAR(m.volume, (double)v[0][0], 1e-13 * m.volume);
    CHECK_NEAR(m.mass, 3.0 * (double)v[0][0], 1e-13 * m.mass);
    CHECK_NEAR(m.inertia.rx.x, 3.0 * (double)(v[1][1] + v[2][1]), 1e-13 * m.inertia.rx.x);
    CHECK_NEAR(m.inertia.ry.y, 3.0 * (double)(v[2][1] + v[0][1]), 1e-13 * m.inertia.ry.y);
    CHECK_NEAR(m.inertia.rz.z, 3.0 * (double)(v[0][1] + v[1][1]), 1e-13 * m.inertia.rz.z);
  }
}

static void added_rounding_makes_balls_and_capsules_thicker(void) {
  ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {0.5}},
           thick = {.kind = CT_KIND_SPHERE, .sphere = {0.75}};
  ct_mass_properties a = mass_of(rounded(ball, false, 0.25, 0.0), 2.0), b = mass_of(thick, 2.0);
  CHECK(!memcmp(&a, &b, sizeof a));
  ct_shape capsule = {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.5}};
  ct_shape larger = {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.5, 0.75}};
  a = mass_of(rounded(capsule, false, 0.25, 0.0), 2.0);
  b = mass_of(larger, 2.0);
  CHECK(!memcmp(&a, &b, sizeof a));
}

static void margin_and_inset_rounding_change_no_mass(void) {
  const ct_shape shapes[] = {{.kind = CT_KIND_SPHERE, .sphere = {0.5}},
                             {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.5}},
                             box(0.5, 0.75, 1.0),
                             cylinder(0.5, 1.0),
                             cone(1.0, 0.5, 0.25)};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    ct_mass_properties a = mass_of(shapes[i], 2.0),
                       b = mass_of(rounded(shapes[i], true, 0.125, 0.5), 2.0);
    CHECK(!memcmp(&a, &b, sizeof a));
  }
}

static void other_kinds_with_added_rounding_have_no_mass(void) {
  const ct_shape shapes[] = {cylinder(0.5, 1.0), cone(1.0, 0.5, 0.25), ellipsoid(1, 2, 3)};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    ct_shape s = rounded(shapes[i], false, 0.125, 0.0);
    ct_mass_properties m = {.volume = 7.0};
    CHECK(!ct_shape_mass(&s, 1.0, &m));
    CHECK(m.volume == 7.0);
  }
}

/* Is the point in the shape, by the definition of its kind? For boxes, only added rounding is
 * supported. */
static bool holds(const ct_shape *s, ct_vec3 p) {
  double across = sqrt(p.x * p.x + p.y * p.y);
  switch (s->kind) {
  case CT_KIND_CYLINDER:
    return across <= s->cylinder.radius && fabs(p.z) <= s->cylinder.half_length;
  case CT_KIND_CONE: {
    double t = 0.5 + 0.5 * p.z / s->cone.half_length;
    return t >= 0.0 && t <= 1.0 &&
           across <= (1.0 - t) * s->cone.radius_bottom + t * s->cone.radius_top;
  }
  case CT_KIND_ELLIPSOID: {
    ct_vec3 r = s->ellipsoid.radii;
    return ct_norm(ct_vec(p.x / r.x, p.y / r.y, p.z / r.z)) <= 1.0;
  }
  default: {
    ct_vec3 h = s->box.half;
    ct_vec3 out = {ct_max2(fabs(p.x) - h.x, 0), ct_max2(fabs(p.y) - h.y, 0),
                   ct_max2(fabs(p.z) - h.z, 0)};
    return ct_norm(out) <= s->rounding;
  }
  }
}

/* Counts the points of a fine grid inside the shape: volume, centre and inertia within 0.2 %. */
static void masses_agree_with_counts_of_grid_points(void) {
  enum { N = 100 };
  const ct_shape shapes[] = {cylinder(0.5, 0.6), cone(0.6, 0.5, 0.0), cone(0.6, 0.2, 0.5),
                             ellipsoid(0.5, 0.3, 0.8),
                             rounded(box(0.5, 0.25, 0.125), false, 0.25, 0.0)};
  const ct_frame frame = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    ct_aabb b = ct_shape_aabb(&shapes[k], &frame);
    ct_vec3 step = ct_scale(ct_sub(b.max, b.min), 1.0 / N);
    double count = 0, z = 0, xx = 0, yy = 0, zz = 0;
    for (int i = 0; i < N * N * N; i++) {
      double u = i % N + 0.5, v = i / N % N + 0.5, w = i / N / N + 0.5;
      ct_vec3 p = {b.min.x + u * step.x, b.min.y + v * step.y, b.min.z + w * step.z};
      if (!holds(&shapes[k], p)) continue;
      count++;
      z += p.z;
      xx += p.x * p.x;
      yy += p.y * p.y;
      zz += p.z * p.z;
    }
    double cell = step.x * step.y * step.z, center = z / count;
    ct_mass_properties m = mass_of(shapes[k], 1.0);
    CHECK_NEAR(m.volume, count * cell, 0.002 * m.volume);
    CHECK_NEAR(m.center.z, center, 0.001);
    CHECK_NEAR(m.inertia.rx.x, (yy + zz - count * center * center) * cell, 0.002 * m.inertia.rx.x);
    CHECK_NEAR(m.inertia.ry.y, (xx + zz - count * center * center) * cell, 0.002 * m.inertia.ry.y);
    CHECK_NEAR(m.inertia.rz.z, (xx + yy) * cell, 0.002 * m.inertia.rz.z);
  }
}

static const check_test tests[] = {
    {"curved_kinds_have_the_published_values", curved_kinds_have_the_published_values},
    {"a_tetrahedron_and_an_octahedron_have_the_published_values",
     a_tetrahedron_and_an_octahedron_have_the_published_values},
    {"frusta_agree_with_quadrature", frusta_agree_with_quadrature},
    {"exchanged_radii_mirror_the_cone_and_equal_ones_make_a_cylinder",
     exchanged_radii_mirror_the_cone_and_equal_ones_make_a_cylinder},
    {"boxes_with_added_rounding_agree_with_their_sections",
     boxes_with_added_rounding_agree_with_their_sections},
    {"added_rounding_makes_balls_and_capsules_thicker",
     added_rounding_makes_balls_and_capsules_thicker},
    {"margin_and_inset_rounding_change_no_mass", margin_and_inset_rounding_change_no_mass},
    {"other_kinds_with_added_rounding_have_no_mass", other_kinds_with_added_rounding_have_no_mass},
    {"masses_agree_with_counts_of_grid_points", masses_agree_with_counts_of_grid_points},
};

CHECK_MAIN(tests)
