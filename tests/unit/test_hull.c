/* Hulls of points: invariants over families of hard point sets, ranks under noise, canonical
 * output, cost. Brute-force comparison: tests/oracle/test_hull_brute.c; support:
 * test_hull_support.c; planes: test_hull_planes.c. */
#include "hull/hull_faces.h"
#include "tests/unit/hull_checks.h"
#include <time.h>

#define PI 3.14159265358979323846

static ct_vec3 on_sphere(check_random *r) {
  for (;;) {
    ct_vec3 v = ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
    double n = ct_norm2(v);
    if (n > 0.01 && n <= 1.0) return ct_scale(v, 1.0 / sqrt(n));
  }
}

static ct_hull *make(const ct_vec3 *points, size_t count) {
  ct_hull *hull = NULL;
  ct_hull_report report;
  ct_status status = ct_hull_from_points(points, count, NULL, &hull, &report);
  CHECK_INT(status, CT_OK);
  CHECK_INT(report.rank, 3);
  return hull;
}

static void make_and_check(const ct_vec3 *points, size_t count) {
  ct_hull *hull = make(points, count);
  if (!hull) return;
  hull_check(ct_hull_get(hull), points, count);
  ct_hull_release(hull);
}

static void a_tetrahedron_has_the_exact_measures(void) {
  ct_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ct_hull *hull = make(p, 4);
  const ct_hull_view *h = ct_hull_get(hull);
  hull_check(h, p, 4);
  CHECK_NEAR(h->volume, 1.0 / 6.0, 1e-16);
  CHECK_NEAR(h->centroid.x, 0.25, 1e-16);
  CHECK_NEAR(h->centroid.y, 0.25, 1e-16);
  CHECK_NEAR(h->centroid.z, 0.25, 1e-16);
  CHECK_NEAR(h->inertia.rx.x, 1.0 / 80.0, 1e-17);
  CHECK_NEAR(h->inertia.rx.y, 1.0 / 480.0, 1e-18);
  CHECK_NEAR(h->inertia.ry.z, 1.0 / 480.0, 1e-18);
  CHECK_NEAR(h->inertia.rx.z, 1.0 / 480.0, 1e-18);
  for (uint32_t i = 0; i < 4; i++) CHECK_INT(h->vertex_input[i], i);
  ct_hull_release(hull);
}

static void an_octahedron_has_the_exact_measures(void) {
  ct_vec3 p[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  ct_hull *hull = make(p, 6);
  const ct_hull_view *h = ct_hull_get(hull);
  CHECK_NEAR(h->volume, 4.0 / 3.0, 4e-16);
  CHECK_NEAR(h->inertia.rx.x, 4.0 / 15.0, 1e-16);
  CHECK_NEAR(h->inertia.ry.y, 4.0 / 15.0, 1e-16);
  CHECK_NEAR(h->inertia.rx.y, 0.0, 1e-17);
  CHECK_INT(h->face_count, 8);
  CHECK_INT(h->edge_count, 12);
  ct_hull_release(hull);
}

/* Grid points on faces and edges of the cube are not vertices; of several copies of a corner the
 * first is the vertex. */
static void a_grid_with_copies_is_a_cube_of_six_squares(void) {
  ct_vec3 p[250];
  for (int i = 0; i < 125; i++) p[i] = p[i + 125] = ct_vec(i % 5, i / 5 % 5, i / 25);
  ct_hull *hull = make(p, 250);
  const ct_hull_view *h = ct_hull_get(hull);
  hull_check(h, p, 250);
  CHECK_INT(h->vertex_count, 8);
  CHECK_INT(h->face_count, 6);
  CHECK_INT(h->edge_count, 12);
  for (uint32_t v = 0; v < 8; v++) CHECK(h->vertex_input[v] < 125);
  CHECK(h->volume == 64.0);
  ct_hull_release(hull);
}

static void random_families_satisfy_the_invariants(void) {
  check_random r = {21};
  ct_vec3 p[400];
  for (int i = 0; i < 300; i++) p[i] = on_sphere(&r);
  make_and_check(p, 300);
  for (int i = 0; i < 400; i++)
    p[i] = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
  make_and_check(p, 400);
  for (int i = 0; i < 300; i++) {
    double t = i * 0.3, z = i / 150.0 - 1.0, q = sqrt(1.0 - z * z);
    p[i] = ct_vec(q * cos(t), q * sin(t), z);
  }
  make_and_check(p, 300);
  for (int i = 0; i < 200; i++) p[i] = ct_vec(i / 200.0, i * i / 40000.0, i * (double)i * i / 8e6);
  make_and_check(p, 200);
}

/* Prisms and cones: many exactly or nearly coplanar points, vertices of high degree. */
static void prisms_and_cones_satisfy_the_invariants(void) {
  ct_vec3 p[256];
  for (int n = 3; n <= 128; n = n * 3 / 2 + 1) {
    for (int i = 0; i < n; i++) {
      p[2 * i] = ct_vec(cos(2 * PI * i / n), sin(2 * PI * i / n), 0.0);
      p[2 * i + 1] = ct_vec(p[2 * i].x, p[2 * i].y, 1.0);
    }
    make_and_check(p, (size_t)(2 * n));
    for (int i = 0; i < n; i++) p[i] = p[2 * i];
    p[n] = ct_vec(0.0, 0.0, 1.0);
    make_and_check(p, (size_t)n + 1);
  }
}

/* A rotated grid: rounding perturbs coplanar points, so that the hull has slivers; it must stay
 * exactly convex. */
static void rotated_grids_and_boxes_satisfy_the_invariants(void) {
  check_random r = {22};
  ct_vec3 p[216];
  for (int k = 0; k < 20; k++) {
    ct_mat3 m = ct_quat_matrix((ct_quat){check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                                         check_uniform(&r, -1, 1), 0.5});
    ct_vec3 shift = ct_scale(on_sphere(&r), k % 4 == 3 ? 1e6 : 1.0);
    for (int i = 0; i < 216; i++)
      p[i] = ct_add(ct_mat_mul(m, ct_vec(i % 6, i / 6 % 6, i / 36)), shift);
    make_and_check(p, 216);
  }
}

/* Thickness down to 1e-15, needles of aspect ratio 1e9, points that differ by some ulp. */
static void thin_long_and_crowded_sets_satisfy_the_invariants(void) {
  check_random r = {23};
  ct_vec3 p[200];
  for (double t = 1e-3; t > 1e-16; t *= 1e-3) {
    for (int i = 0; i < 120; i++) {
      double a = check_uniform(&r, 0.0, 2.0 * PI);
      p[i] = ct_vec(cos(a), sin(a), t * check_uniform(&r, -1, 1));
    }
    make_and_check(p, 120);
    ct_mat3 m = ct_quat_matrix((ct_quat){0.1, 0.2, 0.3, 0.4});
    for (int i = 0; i < 120; i++) p[i] = ct_mat_mul(m, p[i]);
    make_and_check(p, 120);
    for (int i = 0; i < 120; i++)
      p[i] = ct_vec(t * check_uniform(&r, -1, 1), t * check_uniform(&r, -1, 1),
                    check_uniform(&r, -1, 1));
    make_and_check(p, 120);
    for (int i = 0; i < 120; i++) p[i] = ct_add_scaled(on_sphere(&r), on_sphere(&r), t);
    for (int i = 120; i < 200; i++) p[i] = ct_add_scaled(p[i - 120], on_sphere(&r), t);
    make_and_check(p, 200);
  }
}

/* Noise orthogonal to a plane, a line or a point: the rank of a degenerate set is exact, and the
 * least noise makes a solid. */
static void ranks_are_exact_under_noise(void) {
  check_random r = {24};
  static const double noises[] = {0.0, 0x1p-52, 1e-16, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
  for (int rank = 0; rank < 3; rank++) {
    for (size_t k = 0; k < sizeof noises / sizeof noises[0]; k++) {
      ct_vec3 p[60];
      bool moved[3] = {false, false, false};
      for (int i = 0; i < 60; i++) {
        double a = rank > 0 ? check_uniform(&r, 1, 2) : 1.5,
               b = rank > 1 ? check_uniform(&r, 1, 2) : 1.25;
        double base[3] = {a, b, 1.0};
        for (int axis = rank; axis < 3; axis++) {
          double with = base[axis] + noises[k] * (double)(check_next(&r) % 3);
          moved[axis] |= with != base[axis];
          base[axis] = with;
        }
        p[i] = ct_vec(base[0], base[1], base[2]);
      }
      int expected = rank;
      for (int axis = rank; axis < 3; axis++) expected += moved[axis];
      ct_hull *hull = NULL;
      ct_hull_report report;
      ct_status status = ct_hull_from_points(p, 60, NULL, &hull, &report);
      CHECK_INT(report.rank, expected);
      CHECK_INT(status, expected == 3 ? CT_OK : CT_DEGENERATE_HULL);
      if (status == CT_OK) hull_check(ct_hull_get(hull), p, 60);
      ct_hull_release(hull);
    }
  }
}

/* Skew planes and lines whose coordinates are not on a common grid. */
static void skew_degenerate_sets_have_their_rank(void) {
  check_random r = {25};
  ct_vec3 p[300];
  ct_hull *hull = NULL;
  ct_hull_report report;
  for (int i = 0; i < 300; i++) {
    double a = check_uniform(&r, -1, 1), b = check_uniform(&r, -1e-3, 1e-3);
    p[i] = ct_vec(a, b, a);
  }
  CHECK_INT(ct_hull_from_points(p, 300, NULL, &hull, &report), CT_DEGENERATE_HULL);
  CHECK_INT(report.rank, 2);
  for (int i = 0; i < 300; i++) p[i] = ct_vec(p[i].x, -p[i].x, 0.5 * p[i].x);
  CHECK_INT(ct_hull_from_points(p, 300, NULL, &hull, &report), CT_DEGENERATE_HULL);
  CHECK_INT(report.rank, 1);
  CHECK_INT(ct_hull_from_points(p, 0, NULL, &hull, NULL), CT_DEGENERATE_HULL);
  CHECK(hull == NULL);
}

static void input_over_the_limits_is_refused(void) {
  ct_hull *hull = NULL;
  ct_hull_report report;
  ct_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, INFINITY}};
  CHECK_INT(ct_hull_from_points(p, 4, NULL, &hull, &report), CT_LIMIT);
  p[3].z = NAN;
  CHECK_INT(ct_hull_from_points(p, 4, NULL, &hull, &report), CT_LIMIT);
  p[3].z = 1e200;
  CHECK_INT(ct_hull_from_points(p, 4, NULL, &hull, &report), CT_LIMIT);
  CHECK_INT(ct_hull_from_points(p, (size_t)CT_HULL_POINTS_MAX + 1, NULL, &hull, &report), CT_LIMIT);
  p[3].z = 1e-300;
  CHECK_INT(ct_hull_from_points(p, 4, NULL, &hull, &report), CT_DEGENERATE_HULL);
  CHECK_INT(report.rank, 2);
  CHECK(hull == NULL);
}

static void same_arrays(const ct_hull_view *a, const ct_hull_view *b) {
  CHECK_INT(a->vertex_count, b->vertex_count);
  CHECK_INT(a->face_count, b->face_count);
  CHECK_INT(a->edge_count, b->edge_count);
  if (a->face_count != b->face_count || a->vertex_count != b->vertex_count ||
      a->edge_count != b->edge_count)
    return;
  CHECK(!memcmp(a->face_start, b->face_start, (a->face_count + 1) * sizeof *a->face_start));
  CHECK(!memcmp(a->face_loop, b->face_loop, a->face_start[a->face_count] * sizeof *a->face_loop));
  CHECK(!memcmp(a->neighbour, b->neighbour, 2 * a->edge_count * sizeof *a->neighbour));
  CHECK(!memcmp(a->edge_faces, b->edge_faces, a->edge_count * sizeof *a->edge_faces));
}

static void the_hull_of_the_hull_is_the_hull(void) {
  check_random r = {26};
  ct_vec3 p[500], q[500];
  for (int k = 0; k < 30; k++) {
    for (int i = 0; i < 500; i++) {
      p[i] = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
      if (k % 2) p[i] = ct_vec(floor(4 * p[i].x), floor(4 * p[i].y), floor(4 * p[i].z));
    }
    ct_hull *first = make(p, 500);
    const ct_hull_view *a = ct_hull_get(first);
    for (uint32_t i = 0; i < a->vertex_count; i++) q[i] = hull_vertex(a, i);
    ct_hull *second = make(q, a->vertex_count);
    same_arrays(a, ct_hull_get(second));
    CHECK(ct_hull_get(second)->volume == a->volume);
    ct_hull_release(first);
    ct_hull_release(second);
  }
}

static void scaling_by_powers_of_two_scales_every_bit(void) {
  check_random r = {27};
  ct_vec3 p[300], q[300];
  for (int i = 0; i < 300; i++) p[i] = ct_add_scaled(ct_vec(0.3, 0.1, 0.7), on_sphere(&r), 0.9);
  ct_hull *first = make(p, 300);
  const ct_hull_view *a = ct_hull_get(first);
  for (int e = -30; e <= 29; e += 59) {
    double s = ldexp(1.0, e);
    for (int i = 0; i < 300; i++) q[i] = ct_scale(p[i], s);
    ct_hull *second = make(q, 300);
    const ct_hull_view *b = ct_hull_get(second);
    same_arrays(a, b);
    CHECK(b->volume == a->volume * s * s * s);
    CHECK(b->centroid.x == a->centroid.x * s && b->centroid.y == a->centroid.y * s &&
          b->centroid.z == a->centroid.z * s);
    CHECK(b->inertia.rx.y == ldexp(a->inertia.rx.y, 5 * e) &&
          b->inertia.rz.z == ldexp(a->inertia.rz.z, 5 * e));
    CHECK(b->radius == a->radius * s);
    for (uint32_t f = 0; f < a->face_count && f < b->face_count; f++) {
      CHECK(a->nx[f] == b->nx[f] && a->ny[f] == b->ny[f] && a->nz[f] == b->nz[f] &&
            a->offset[f] * s == b->offset[f]);
    }
    ct_hull_release(second);
  }
  ct_hull_release(first);
}

/* The order of the points and a cyclic permutation of the axes change neither the solid nor its
 * exact topology. */
static void order_of_points_and_axes_does_not_matter(void) {
  check_random r = {28};
  ct_vec3 p[200], q[200];
  uint32_t where[200];
  for (int k = 0; k < 10; k++) {
    for (uint32_t i = 0; i < 200; i++) {
      p[i] = k % 2 ? on_sphere(&r)
                   : ct_vec((double)(check_next(&r) % 8), (double)(check_next(&r) % 8),
                            (double)(check_next(&r) % 8));
      where[i] = i;
    }
    for (uint32_t i = 199; i > 0; i--) {
      uint32_t j = (uint32_t)(check_next(&r) % (i + 1)), t = where[i];
      where[i] = where[j];
      where[j] = t;
    }
    for (int i = 0; i < 200; i++) q[i] = ct_vec(p[where[i]].y, p[where[i]].z, p[where[i]].x);
    ct_hull *first = make(p, 200), *second = make(q, 200);
    const ct_hull_view *a = ct_hull_get(first), *b = ct_hull_get(second);
    CHECK_INT(a->vertex_count, b->vertex_count);
    CHECK_INT(a->face_count, b->face_count);
    CHECK_INT(a->edge_count, b->edge_count);
    CHECK_NEAR(a->volume, b->volume, 4e-16 * a->volume);
    for (uint32_t v = 0; v < b->vertex_count; v++) {
      uint32_t input = where[b->vertex_input[v]], found = 0;
      for (uint32_t w = 0; w < a->vertex_count; w++) {
        ct_vec3 d = ct_sub(hull_vertex(a, w), p[input]);
        found += ct_max_abs(d) == 0.0;
      }
      CHECK_INT(found, 1);
    }
    ct_hull_release(first);
    ct_hull_release(second);
  }
}

static void sizes_from_1e_9_to_1e9_keep_their_accuracy(void) {
  check_random r = {29};
  ct_vec3 p[300], q[300];
  for (int i = 0; i < 300; i++) p[i] = on_sphere(&r);
  ct_hull *unit = make(p, 300);
  for (double s = 1e-9; s < 2e9; s *= 1e3) {
    for (int i = 0; i < 300; i++) q[i] = ct_scale(p[i], s);
    ct_hull *hull = make(q, 300);
    hull_check(ct_hull_get(hull), q, 300);
    CHECK_NEAR(ct_hull_get(hull)->volume / (s * s * s), ct_hull_get(unit)->volume, 1e-14);
    ct_hull_release(hull);
  }
  ct_hull_release(unit);
}

/* Many copies of each point, in sets small and large enough for every sorting method: the first
 * copy is the vertex. */
static void the_first_of_many_copies_is_the_vertex(void) {
  enum { MOST = 12000 };
  static ct_vec3 p[MOST];
  static uint32_t first[MOST];
  check_random r = {32};
  for (uint32_t count = 100; count <= MOST; count = count * 5 / 2) {
    uint32_t distinct = count / 4, next = 0;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t of =
          next > 0 && check_next(&r) % 4 ? (uint32_t)(check_next(&r) % i) : CT_HULL_BUILDER_NONE;
      bool fresh = of == CT_HULL_BUILDER_NONE && next < distinct;
      if (!fresh && of == CT_HULL_BUILDER_NONE) of = (uint32_t)(check_next(&r) % i);
      next += fresh;
      first[i] = fresh ? i : first[of];
      p[i] = fresh ? ct_scale(on_sphere(&r), next % 3 ? 1.0 : check_uniform(&r, 0.9, 1.0)) : p[of];
    }
    ct_hull *hull = make(p, count);
    const ct_hull_view *h = ct_hull_get(hull);
    CHECK(h->vertex_count > distinct / 2 && h->vertex_count <= next);
    for (uint32_t v = 0; v < h->vertex_count; v++)
      CHECK_INT(h->vertex_input[v], first[h->vertex_input[v]]);
    ct_hull_release(hull);
  }
}

/* The plane of a triangle has the same bits as the first of two triangles, as the second, and
 * alone. */
static void planes_do_not_depend_on_what_stands_beside_a_face(void) {
  check_random r = {31};
  ct_vec3 p[60], vertex[60];
  for (int round = 0; round < 40; round++) {
    double flat = pow(10.0, -(double)(round % 12));
    for (int i = 0; i < 60; i++)
      p[i] = ct_add(ct_scale(on_sphere(&r), flat),
                    ct_scale(ct_vec(1, 2, 3), check_uniform(&r, -1, 1)));
    ct_hull *hull = make(p, 60);
    ct_hull_view view = *ct_hull_get(hull);
    for (uint32_t v = 0; v < view.vertex_count; v++) vertex[v] = hull_vertex(&view, v);
    uint32_t faces = view.face_count, both = 0;
    for (uint32_t f = 0; f < faces; f++) {
      double alone[2][4], beside[2][4],
          reported[4] = {view.nx[f], view.ny[f], view.nz[f], view.offset[f]};
      view.face_count = f + 1;
      CHECK_INT(ct_hull_face_planes(&view, vertex, f, alone), 1);
      view.face_count = faces;
      uint32_t from = f > 0 ? f - 1 : f, count = ct_hull_face_planes(&view, vertex, from, beside);
      both += count == 2;
      CHECK(memcmp(alone[0], reported, sizeof reported) == 0);
      if (from + count > f) CHECK(memcmp(beside[f - from], reported, sizeof reported) == 0);
    }
    CHECK(both > faces / 2);
    ct_hull_release(hull);
  }
}

static void references_count(void) {
  ct_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ct_hull *hull = make(p, 4);
  CHECK(ct_hull_retain(hull) == hull);
  ct_hull_release(hull);
  CHECK_INT(ct_hull_get(hull)->vertex_count, 4);
  CHECK(ct_hull_bytes(hull) >= sizeof(ct_hull_view));
  ct_hull_release(hull);
  ct_hull_release(NULL);
}

/* Processor time, s. */
static double seconds(const ct_vec3 *p, size_t count) {
  clock_t begin = clock();
  ct_hull_release(make(p, count));
  return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Linear cost: the fastest run of each size counts. The sets fit the private cache of a core and a
 * run ends within one time slice of the scheduler, so that other load slows both sizes alike. Runs
 * alternate between the sizes and end early on success. */
static void check_doubling(const ct_vec3 *half, const ct_vec3 *whole, size_t count) {
  double small = INFINITY, large = INFINITY;
  for (int round = 0; round < 40 && !(round >= 3 && large <= 2.5 * small); round++) {
    small = ct_min2(small, seconds(half, count / 2));
    large = ct_min2(large, seconds(whole, count));
  }
  if (!(large <= 2.5 * small))
    CHECK_FAIL("%zu points take %g s, half as many %g s", count, large, small);
}

static void twice_the_points_take_at_most_two_and_a_half_times_as_long(void) {
  enum { COUNT = 8000 };
  check_random r = {30};
  static ct_vec3 sets[2][COUNT];
  for (int family = 0; family < 3; family++) {
    for (int k = 0; k < 2; k++) {
      int n = k ? COUNT : COUNT / 2;
      for (int i = 0; i < n; i++) {
        double t = 2 * PI * i / n, z = 2.0 * i / n - 1.0, q = sqrt(1.0 - z * z);
        if (family == 0) sets[k][i] = on_sphere(&r);
        if (family == 1) sets[k][i] = ct_vec(q * cos(50 * t), q * sin(50 * t), z);
        if (family == 2) sets[k][i] = i ? ct_vec(cos(t), sin(t), 0.0) : ct_vec(0.0, 0.0, 1.0);
      }
    }
    check_doubling(sets[0], sets[1], COUNT);
  }
}

static const check_test tests[] = {
    {"a_tetrahedron_has_the_exact_measures", a_tetrahedron_has_the_exact_measures},
    {"an_octahedron_has_the_exact_measures", an_octahedron_has_the_exact_measures},
    {"a_grid_with_copies_is_a_cube_of_six_squares", a_grid_with_copies_is_a_cube_of_six_squares},
    {"random_families_satisfy_the_invariants", random_families_satisfy_the_invariants},
    {"prisms_and_cones_satisfy_the_invariants", prisms_and_cones_satisfy_the_invariants},
    {"rotated_grids_and_boxes_satisfy_the_invariants",
     rotated_grids_and_boxes_satisfy_the_invariants},
    {"thin_long_and_crowded_sets_satisfy_the_invariants",
     thin_long_and_crowded_sets_satisfy_the_invariants},
    {"ranks_are_exact_under_noise", ranks_are_exact_under_noise},
    {"skew_degenerate_sets_have_their_rank", skew_degenerate_sets_have_their_rank},
    {"input_over_the_limits_is_refused", input_over_the_limits_is_refused},
    {"the_hull_of_the_hull_is_the_hull", the_hull_of_the_hull_is_the_hull},
    {"scaling_by_powers_of_two_scales_every_bit", scaling_by_powers_of_two_scales_every_bit},
    {"order_of_points_and_axes_does_not_matter", order_of_points_and_axes_does_not_matter},
    {"sizes_from_1e_9_to_1e9_keep_their_accuracy", sizes_from_1e_9_to_1e9_keep_their_accuracy},
    {"the_first_of_many_copies_is_the_vertex", the_first_of_many_copies_is_the_vertex},
    {"planes_do_not_depend_on_what_stands_beside_a_face",
     planes_do_not_depend_on_what_stands_beside_a_face},
    {"references_count", references_count},
    {"twice_the_points_take_at_most_two_and_a_half_times_as_long",
     twice_the_points_take_at_most_two_and_a_half_times_as_long},
};

CHECK_MAIN(tests)
