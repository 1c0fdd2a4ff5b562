/* Mass properties against closed forms, against quadrature over z in long double, and against
 * tetrahedra in long double. */
#include "tests/support/check.h"
#include "tests/support/shapes.h"
#include <contact/shape.h>

#define PI_L 3.14159265358979323846264338327950288L

static ct_mass_properties mass_of(ct_shape shape, double density) {
  ct_mass_properties m = {0};
  CHECK(ct_shape_mass(&shape, density, &m));
  return m;
}

static void check_matrix(ct_mat3 a, ct_mat3 b, double tolerance) {
  double p[9] = {a.rx.x, a.rx.y, a.rx.z, a.ry.x, a.ry.y, a.ry.z, a.rz.x, a.rz.y, a.rz.z};
  double q[9] = {b.rx.x, b.rx.y, b.rx.z, b.ry.x, b.ry.y, b.ry.z, b.rz.x, b.rz.y, b.rz.z};
  for (int i = 0; i < 9; i++) CHECK_NEAR(p[i], q[i], tolerance);
}

/* T1.1: volume and moments of a box. */
static void a_box_has_the_textbook_values(void) {
  ct_mass_properties m = mass_of((ct_shape){.kind = CT_KIND_BOX, .box = {{1.0, 1.5, 2.0}}}, 1.0);
  CHECK(m.mass == 24.0 && m.volume == 24.0);
  check_matrix(m.inertia, (ct_mat3){{50, 0, 0}, {0, 40, 0}, {0, 0, 26}}, 1e-14);
}

static void a_sphere_has_the_textbook_values(void) {
  ct_mass_properties m = mass_of((ct_shape){.kind = CT_KIND_SPHERE, .sphere = {2.0}}, 3.0);
  CHECK_NEAR(m.volume, (double)(32.0L * PI_L / 3.0L), 1e-14);
  CHECK_NEAR(m.mass, (double)(32.0L * PI_L), 2e-14);
  CHECK_NEAR(m.inertia.ry.y, (double)(32.0L * PI_L * 1.6L), 6e-14);
}

/* T1.5: volume and moments of a capsule. */
static void a_plain_capsule_has_the_textbook_values(void) {
  ct_mass_properties m = mass_of(capsule(0.6, 0.5, 0.5), 1.0);
  CHECK_NEAR(m.volume, 1.4660765716752369, 1e-15);
  CHECK_NEAR(m.inertia.rx.x / m.volume, 0.3619642857142857, 1e-15);
  CHECK_NEAR(m.inertia.ry.y / m.volume, 0.3619642857142857, 1e-15);
  CHECK_NEAR(m.inertia.rz.z / m.volume, 0.1160714285714286, 1e-15);
  CHECK_NEAR(m.center.z, 0.0, 1e-16);
}

/* Square of the radius at height z of the union of the balls along the segment, with linear radii:
 * a parabola in the position along it. */
static long double profile2(ct_shape s, long double z) {
  long double a = s.capsule.half_length, b = s.capsule.radius_bottom,
              d = (long double)s.capsule.radius_top - b, best = 0.0L;
  long double curve = d * d - 4.0L * a * a, place[3] = {0.0L, 1.0L, 0.0L};
  int places = 2;
  if (curve < 0.0L) {
    long double t = -(b * d + 2.0L * a * (z + a)) / curve;
    if (t > 0.0L && t < 1.0L) place[places++] = t;
  }
  for (int i = 0; i < places; i++) {
    long double r = b + d * place[i], h = z + a - 2.0L * a * place[i];
    long double square = r * r - h * h;
    if (square > best) best = square;
  }
  return best;
}

static void simpson(ct_shape s, long double low, long double high, long double sum[4]) {
  enum { PANELS = 2000 };
  long double step = (high - low) / PANELS;
  for (int i = 0; i <= PANELS; i++) {
    long double z = low + step * i, q = profile2(s, z),
                w = PI_L * step / 3.0L *
                    (i == 0 || i == PANELS ? 1
                     : i % 2               ? 4
                                           : 2);
    sum[0] += w * q;
    sum[1] += w * q * z;
    sum[2] += w * q * z * z;
    sum[3] += w * q * q / 4.0L;
  }
}

/* Volume, first moment and both inertias about the centre by Simpson's rule, split at the two
 * heights where the position along the segment reaches an end. Between them the integrands are
 * polynomials of degree 4 at most, and the error of 2000 panels is 1e-13. */
static ct_mass_properties quadrature(ct_shape s) {
  long double a = s.capsule.half_length, b = s.capsule.radius_bottom, top = s.capsule.radius_top,
              d = top - b;
  long double low = fminl(-a - b, a - top), high = fmaxl(a + top, -a + b),
              cut[4] = {low, low, high, high};
  if (d * d < 4.0L * a * a) {
    cut[1] = fminl(fmaxl(-a - b * d / (2.0L * a), low), high);
    cut[2] = fminl(fmaxl((4.0L * a * a - d * d - b * d) / (2.0L * a) - a, low), high);
  }
  long double sum[4] = {0.0L, 0.0L, 0.0L, 0.0L};
  for (int i = 0; i < 3; i++) simpson(s, cut[i], cut[i + 1], sum);
  long double center = sum[1] / sum[0], across = sum[2] - sum[0] * center * center + sum[3];
  return (ct_mass_properties){
      .volume = (double)sum[0],
      .center = {0.0, 0.0, (double)center},
      .inertia = {{(double)across, 0, 0}, {0, (double)across, 0}, {0, 0, (double)(2.0L * sum[3])}}};
}

static void capsules_of_two_radii_agree_with_quadrature(void) {
  check_random r = {61};
  for (int k = 0; k < 60; k++) {
    double a = check_uniform(&r, 0.0, 2.0), bottom = check_uniform(&r, 0.05, 1.5),
           top = check_uniform(&r, 0.05, 1.5);
    if (k % 5 == 0) a = 0.5 * fabs(bottom - top) * (1.0 + 1e-6 * k); /* barely more than one ball */
    if (k % 7 == 0) a = 0.4 * fabs(bottom - top); /* one ball contains the other */
    ct_shape s = capsule(a, bottom, top);
    ct_mass_properties m = mass_of(s, 1.0), q = quadrature(s);
    CHECK_NEAR(m.volume, q.volume, 1e-12 * q.volume);
    CHECK_NEAR(m.center.z, q.center.z, 1e-12);
    check_matrix(m.inertia, q.inertia, 1e-12 * (q.inertia.rx.x + q.inertia.rz.z));
  }
}

static void a_capsule_within_one_ball_is_that_ball(void) {
  ct_mass_properties ball = mass_of((ct_shape){.kind = CT_KIND_SPHERE, .sphere = {2.0}}, 5.0);
  ct_mass_properties m = mass_of(capsule(0.5, 2.0, 1.0), 5.0);
  CHECK(m.mass == ball.mass && m.center.z == -0.5);
  check_matrix(m.inertia, ball.inertia, 0.0);
  m = mass_of(capsule(0.0, 2.0, 2.0), 5.0);
  CHECK(m.mass == ball.mass && m.center.z == 0.0);
  check_matrix(m.inertia, ball.inertia, 0.0);
}

static void exchanged_radii_mirror_the_capsule(void) {
  ct_mass_properties a = mass_of(capsule(1.25, 0.5, 0.75), 1.0),
                     b = mass_of(capsule(1.25, 0.75, 0.5), 1.0);
  CHECK_NEAR(a.volume, b.volume, 1e-15 * a.volume);
  CHECK_NEAR(a.center.z, -b.center.z, 1e-15);
  check_matrix(a.inertia, b.inertia, 1e-14);
}

static void a_plane_has_no_mass(void) {
  ct_mass_properties m = {.volume = 7.0};
  ct_shape plane = {.kind = CT_KIND_PLANE};
  CHECK(!ct_shape_mass(&plane, 1.0, &m));
  CHECK(m.volume == 7.0);
}

/* A hull's integrals by tetrahedron fans over its faces, in long double about a vertex. */
static void hull_truth(const ct_hull_view *h, ct_mass_properties *out) {
  long double d_sum = 0.0L, first[3] = {0}, second[3][3] = {{0}},
              origin[3] = {h->x[0], h->y[0], h->z[0]};
  for (uint32_t f = 0; f < h->face_count; f++) {
    for (uint32_t i = h->face_start[f] + 1; i + 1 < h->face_start[f + 1]; i++) {
      uint32_t corner[3] = {h->face_loop[h->face_start[f]], h->face_loop[i], h->face_loop[i + 1]};
      long double t[3][3];
      for (int k = 0; k < 3; k++) {
        t[k][0] = h->x[corner[k]] - origin[0];
        t[k][1] = h->y[corner[k]] - origin[1];
        t[k][2] = h->z[corner[k]] - origin[2];
      }
      long double d = t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) +
                      t[0][1] * (t[1][2] * t[2][0] - t[1][0] * t[2][2]) +
                      t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
      d_sum += d;
      for (int p = 0; p < 3; p++) {
        long double sp = t[0][p] + t[1][p] + t[2][p];
        first[p] += d * sp / 24.0L;
        for (int q = 0; q < 3; q++) {
          long double sq = t[0][q] + t[1][q] + t[2][q];
          second[p][q] +=
              d * (sp * sq + t[0][p] * t[0][q] + t[1][p] * t[1][q] + t[2][p] * t[2][q]) / 120.0L;
        }
      }
    }
  }
  long double volume = d_sum / 6.0L, c[3];
  for (int p = 0; p < 3; p++) c[p] = first[p] / volume;
  for (int p = 0; p < 3; p++) {
    for (int q = 0; q < 3; q++) second[p][q] -= volume * c[p] * c[q];
  }
  long double trace = second[0][0] + second[1][1] + second[2][2];
  out->volume = (double)volume;
  out->center =
      ct_vec((double)(c[0] + origin[0]), (double)(c[1] + origin[1]), (double)(c[2] + origin[2]));
  out->inertia =
      (ct_mat3){{(double)(trace - second[0][0]), -(double)second[0][1], -(double)second[0][2]},
                {-(double)second[1][0], (double)(trace - second[1][1]), -(double)second[1][2]},
                {-(double)second[2][0], -(double)second[2][1], (double)(trace - second[2][2])}};
}

static void hulls_agree_with_tetrahedra_in_long_double(void) {
  check_random r = {62};
  ct_vec3 p[100];
  for (int k = 0; k < 60; k++) {
    double far = k % 3 == 2 ? 1e6 : 0.0, flat = k % 4 == 3 ? 1e-6 : 1.0;
    for (int i = 0; i < 100; i++) {
      p[i] = ct_vec(check_uniform(&r, -1, 1) + far, check_uniform(&r, -1, 1) - far,
                    flat * check_uniform(&r, -1, 1));
    }
    ct_hull *hull = NULL;
    CHECK_INT(ct_hull_from_points(p, 100, NULL, &hull, NULL), CT_OK);
    if (!hull) continue;
    ct_mass_properties truth, m = mass_of((ct_shape){.kind = CT_KIND_CONVEX, .hull = hull}, 1.0);
    hull_truth(ct_hull_get(hull), &truth);
    double size = truth.inertia.rx.x + truth.inertia.ry.y + truth.inertia.rz.z;
    /* Cancellation in long double costs 2^-64 / flat of the volume. */
    CHECK_NEAR(m.volume, truth.volume, 1e-15 * truth.volume + 1e-17);
    CHECK_NEAR(ct_max_abs(ct_sub(m.center, truth.center)), 0.0,
               1e-15 + 2.0 * 0x1p-53 * far + 1e-12 * (flat < 1.0));
    check_matrix(m.inertia, truth.inertia, 4e-15 * size + 1e-12 * size * (flat < 1.0));
    ct_hull_release(hull);
  }
}

/* Refined spheres: volume and inertia converge with the square of the mesh size. */
static void fine_spheres_converge_to_the_ball(void) {
  double error[2];
  ct_vec3 p[4096];
  for (int k = 0; k < 2; k++) {
    int n = k ? 64 : 32, count = 0;
    for (int i = 0; i < n / 2; i++) {
      for (int j = 0; j < n; j++) {
        double t = 3.14159265358979323846 * (i + 0.5) / (n / 2),
               f = 2 * 3.14159265358979323846 * j / n;
        p[count++] = ct_vec(sin(t) * cos(f), sin(t) * sin(f), cos(t));
      }
    }
    ct_hull *hull = NULL;
    CHECK_INT(ct_hull_from_points(p, (size_t)count, NULL, &hull, NULL), CT_OK);
    error[k] = (double)(4.0L * PI_L / 3.0L) - ct_hull_get(hull)->volume;
    CHECK_NEAR(ct_max_abs(ct_hull_get(hull)->centroid), 0.0, 1e-15);
    ct_hull_release(hull);
  }
  CHECK(error[0] > 0.0 && error[1] > 0.0);
  CHECK_NEAR(error[0] / error[1], 4.0, 0.2);
}

static void parts_of_a_box_add_up_to_the_box(void) {
  ct_shape whole = {.kind = CT_KIND_BOX, .box = {{3.0, 1.0, 2.0}}},
           left = {.kind = CT_KIND_BOX, .box = {{1.0, 1.0, 2.0}}};
  ct_shape right = {.kind = CT_KIND_BOX, .box = {{2.0, 1.0, 2.0}}};
  ct_mass_properties a = mass_of(left, 2.0), b = mass_of(right, 2.0), all = mass_of(whole, 2.0);
  ct_quat q = {0.3, -0.1, 0.5, 0.8};
  ct_vec3 shift = {4.0, -7.0, 1.0};
  ct_frame world = ct_frame_of((ct_pose){shift, q});
  ct_frame at_left =
      ct_frame_mul(world, ct_frame_of((ct_pose){{-2.0, 0.0, 0.0}, ct_quat_identity()}));
  ct_frame at_right =
      ct_frame_mul(world, ct_frame_of((ct_pose){{1.0, 0.0, 0.0}, ct_quat_identity()}));
  a = ct_mass_place(&a, &at_left);
  b = ct_mass_place(&b, &at_right);
  all = ct_mass_place(&all, &world);
  ct_mass_properties sum = ct_mass_add(&a, &b);
  CHECK(sum.mass == all.mass && sum.volume == all.volume);
  CHECK_NEAR(ct_max_abs(ct_sub(sum.center, all.center)), 0.0, 2e-15);
  check_matrix(sum.inertia, all.inertia, 1e-12);
  CHECK(sum.inertia.rx.y == sum.inertia.ry.x && sum.inertia.ry.z == sum.inertia.rz.y &&
        sum.inertia.rz.x == sum.inertia.rx.z);
}

static void principal_axes_diagonalise(void) {
  check_random r = {63};
  for (int k = 0; k < 2000; k++) {
    ct_vec3 truth =
        ct_vec(check_uniform(&r, 1, 3), check_uniform(&r, 1, 3), check_uniform(&r, 1, 3));
    if (k % 5 == 1) truth.y = truth.x;
    if (k % 5 == 2) truth.x = truth.y = truth.z;
    if (k % 5 == 3) truth.x *= 1e-9;
    ct_mat3 m = ct_quat_matrix((ct_quat){check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                                         check_uniform(&r, -1, 1), 0.5});
    if (k % 7 == 0) m = ct_quat_matrix(ct_quat_identity());
    ct_mass_properties part = {.inertia = {{truth.x, 0, 0}, {0, truth.y, 0}, {0, 0, truth.z}}};
    ct_frame frame = {m, {0, 0, 0}};
    ct_mat3 inertia = ct_mass_place(&part, &frame).inertia;
    ct_vec3 moments;
    ct_quat axes;
    ct_inertia_principal(&inertia, &moments, &axes);
    CHECK(moments.x >= moments.y && moments.y >= moments.z);
    double largest = ct_max2(truth.x, ct_max2(truth.y, truth.z)),
           smallest = ct_min2(truth.x, ct_min2(truth.y, truth.z));
    CHECK_NEAR(moments.x, largest, 4e-15);
    CHECK_NEAR(moments.z, smallest, 4e-15);
    CHECK_NEAR(moments.x + moments.y + moments.z, truth.x + truth.y + truth.z, 8e-15);
    CHECK(axes.w >= 0.0);
    ct_mass_properties back = {
        .inertia = {{moments.x, 0, 0}, {0, moments.y, 0}, {0, 0, moments.z}}};
    ct_frame turned = {ct_quat_matrix(axes), {0, 0, 0}};
    check_matrix(ct_mass_place(&back, &turned).inertia, inertia, 1e-14);
  }
}

static const check_test tests[] = {
    {"a_box_has_the_textbook_values", a_box_has_the_textbook_values},
    {"a_sphere_has_the_textbook_values", a_sphere_has_the_textbook_values},
    {"a_plain_capsule_has_the_textbook_values", a_plain_capsule_has_the_textbook_values},
    {"capsules_of_two_radii_agree_with_quadrature", capsules_of_two_radii_agree_with_quadrature},
    {"a_capsule_within_one_ball_is_that_ball", a_capsule_within_one_ball_is_that_ball},
    {"exchanged_radii_mirror_the_capsule", exchanged_radii_mirror_the_capsule},
    {"a_plane_has_no_mass", a_plane_has_no_mass},
    {"hulls_agree_with_tetrahedra_in_long_double", hulls_agree_with_tetrahedra_in_long_double},
    {"fine_spheres_converge_to_the_ball", fine_spheres_converge_to_the_ball},
    {"parts_of_a_box_add_up_to_the_box", parts_of_a_box_add_up_to_the_box},
    {"principal_axes_diagonalise", principal_axes_diagonalise},
};

CHECK_MAIN(tests)
