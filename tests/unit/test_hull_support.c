/* Support vertices against brute force in exact signs, for hulls with linear search and with hill
 * climbing, from any start. */
#include "tests/unit/hull_checks.h"

#define PI 3.14159265358979323846

static ct_vec3 random_direction(check_random *r) {
  return ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
}

static ct_hull *make(const ct_vec3 *points, size_t count) {
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, count, NULL, &hull, NULL), CT_OK);
  return hull;
}

/* The lowest index among the vertices of exactly greatest dot product. */
static uint32_t exact_support(const ct_hull_view *h, ct_vec3 d) {
  uint32_t best = 0;
  for (uint32_t v = 1; v < h->vertex_count; v++) {
    if (ct_dot_sign(d, hull_vertex(h, v), hull_vertex(h, best)) > 0) best = v;
  }
  return best;
}

static uint32_t rounded_support(const ct_hull_view *h, ct_vec3 d) {
  uint32_t best = 0;
  for (uint32_t v = 1; v < h->vertex_count; v++) {
    double now = d.x * h->x[v] + d.y * h->y[v] + d.z * h->z[v],
           old = d.x * h->x[best] + d.y * h->y[best] + d.z * h->z[best];
    if (now > old) best = v;
  }
  return best;
}

static void a_scan_finds_the_lowest_of_equal_products(void) {
  check_random r = {41};
  ct_vec3 p[300];
  for (int k = 0; k < 60; k++) {
    int count = 4 + (int)(check_next(&r) % 125);
    for (int i = 0; i < count; i++) p[i] = random_direction(&r);
    if (k % 3 == 1) count = 4 + k % 5; /* at most the number of SIMD lanes, most of them padding */
    if (k % 3 == 0) {
      count = 64;
      for (int i = 0; i < 64; i++) p[i] = ct_vec(i & 3, i >> 2 & 3, i >> 4);
    }
    ct_hull *hull = make(p, (size_t)count);
    const ct_hull_view *h = ct_hull_get(hull);
    for (int i = 0; i < 200; i++) {
      ct_vec3 d = random_direction(&r);
      if (i % 4 == 0)
        d = ct_vec((double)(i % 3) - 1.0, (double)(i / 3 % 3) - 1.0, (double)(i / 9 % 3) - 1.0);
      CHECK_INT(ct_hull_support(hull, d, (uint32_t)i % h->vertex_count), rounded_support(h, d));
    }
    ct_hull_release(hull);
  }
}

/* Directions at random, along normals (all vertices of a face tie) and along bisectors of edges;
 * random starts. */
static void check_climb(ct_hull *hull, check_random *r) {
  const ct_hull_view *h = ct_hull_get(hull);
  for (int i = 0; i < 300; i++) {
    ct_vec3 d = random_direction(r);
    uint32_t f = (uint32_t)(check_next(r) % h->face_count),
             v = (uint32_t)(check_next(r) % h->vertex_count);
    if (i % 3 == 0) d = ct_vec(h->nx[f], h->ny[f], h->nz[f]);
    if (i % 7 == 0) d = ct_vec(i % 2 ? 1.0 : -1.0, i % 5 ? 0.0 : 1.0, 0.0);
    if (i % 11 == 0) d = ct_vec(0.0, 0.0, i % 2 ? 1.0 : -1.0);
    CHECK_INT(ct_hull_support(hull, d, v), exact_support(h, d));
    CHECK_INT(ct_hull_support(hull, ct_scale(d, 0x1p-20), UINT32_MAX), exact_support(h, d));
  }
}

static void a_climb_ends_at_the_lowest_exact_maximum(void) {
  check_random r = {42};
  enum { COUNT = 3000 };
  static ct_vec3 p[COUNT];
  for (int run = 0; run < 10; run++) {
    int family = run % 5, count = run < 5 ? COUNT : 400;
    ct_mat3 m = ct_quat_matrix((ct_quat){0.1, -0.3, 0.2, 0.7});
    for (int i = 0; i < count; i++) {
      double t = 2.0 * PI * (i / 2) / (count / 2);
      ct_vec3 on = ct_unit_or(random_direction(&r), ct_vec(1, 0, 0));
      if (family == 0) p[i] = on;
      if (family == 1) p[i] = ct_vec(cos(t), sin(t), i & 1);
      if (family == 2) p[i] = ct_mat_mul(m, ct_vec(cos(t), sin(t), i & 1));
      if (family == 3) p[i] = ct_vec(on.x, on.y, 1e-12 * on.z);
      if (family == 4)
        p[i] = ct_mat_mul(m, ct_vec(cos(t), sin(t), i ? 1e-15 * check_uniform(&r, -1, 1) : -1.0));
    }
    ct_hull *hull = make(p, (size_t)count);
    CHECK(ct_hull_get(hull)->vertex_count > 128);
    check_climb(hull, &r);
    ct_hull_release(hull);
  }
}

/* Hulls of planes have rounded vertices: for any size the support vertex has the greatest dot
 * product. */
static void large_hulls_of_planes_give_the_greatest_product(void) {
  check_random r = {43};
  enum { COUNT = 300 };
  double planes[COUNT][4];
  for (int i = 0; i < COUNT; i++) {
    ct_vec3 n = ct_unit_or(random_direction(&r), ct_vec(1, 0, 0));
    memcpy(planes[i], (double[4]){n.x, n.y, n.z, -1.0}, sizeof planes[i]);
  }
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_planes((const double(*)[4])planes, COUNT, NULL, &hull, NULL), CT_OK);
  CHECK(ct_hull_get(hull)->vertex_count > 256);
  for (int i = 0; i < 300; i++) {
    ct_vec3 d = random_direction(&r);
    CHECK_INT(ct_hull_support(hull, d, 7), rounded_support(ct_hull_get(hull), d));
  }
  ct_hull_release(hull);
}

static const check_test tests[] = {
    {"a_scan_finds_the_lowest_of_equal_products", a_scan_finds_the_lowest_of_equal_products},
    {"a_climb_ends_at_the_lowest_exact_maximum", a_climb_ends_at_the_lowest_exact_maximum},
    {"large_hulls_of_planes_give_the_greatest_product",
     large_hulls_of_planes_give_the_greatest_product},
};

CHECK_MAIN(tests)
