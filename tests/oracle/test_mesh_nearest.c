/* The nearest point of a mesh, against brute force over all triangles in 113 bits. */
#include "tests/oracle/mesh_cases.h"
#include "tests/oracle/triangle_oracle.h"

static long double to_triangle(const ct_mesh_view *v, uint32_t position, ct_vec3 p) {
  const uint32_t *c = v->corners[position];
  ct_vec3 t[3] = {v->vertices[c[0]], v->vertices[c[1]], v->vertices[c[2]]}, point[3] = {p, p, p};
  return oracle_triangles(point, t);
}

/* `scale`: of the mesh and the distance, m. */
static void check_point(const ct_mesh *mesh, ct_vec3 p, double scale) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  long double least = INFINITY;
  uint32_t first = 0, position = UINT32_MAX;
  ct_mesh_foot foot = {.triangle = 77};
  CHECK(ct_mesh_nearest(mesh, p, INFINITY, &foot));
  for (uint32_t i = 0; i < v->live_count; i++) {
    long double d = to_triangle(v, i, p);
    if (v->order[i] == foot.triangle) position = i;
    if (d > least || (d == least && v->order[i] > first)) continue;
    least = d;
    first = v->order[i];
  }
  double tolerance = 8e-16 * (scale + (double)least);
  CHECK_NEAR(foot.distance, (double)least, tolerance);
  CHECK(position != UINT32_MAX);
  if (position == UINT32_MAX) return;
  /* The named triangle has the reported distance, and the point is on it. */
  CHECK_NEAR((double)to_triangle(v, position, p), (double)least, tolerance);
  CHECK_NEAR((double)to_triangle(v, position, foot.point), 0, tolerance);
  CHECK_NEAR(ct_norm(ct_sub(foot.point, p)), (double)least, 2 * tolerance);
  ct_mesh_foot limited = {.triangle = 77};
  CHECK(ct_mesh_nearest(mesh, p, foot.distance, &limited) && limited.triangle == foot.triangle);
  if (foot.distance > 0) CHECK(!ct_mesh_nearest(mesh, p, nextafter(foot.distance, 0), &limited));
}

static void points_about_integer_meshes(void) {
  check_random r = {501};
  for (int k = 0; k < 24; k++) {
    soup s = {0};
    mesh_case(&s, k, &r);
    ct_mesh *mesh = soup_mesh(&s);
    double scale = 2 * ct_mesh_get(mesh)->radius;
    for (int i = 0; i < 25; i++) {
      ct_vec3 p = vec_of(case_point(ct_mesh_get(mesh), &r));
      if (i % 2) p = ct_add(p, case_vec(&r, -1, 1));
      if (i % 10 == 0) p = ct_scale(p, 1e4);
      check_point(mesh, p, scale);
    }
    ct_mesh_release(mesh);
  }
}

static void equally_near_triangles_give_the_lowest(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  ct_mesh *mesh = soup_mesh(&s);
  ct_mesh_foot foot;
  CHECK(ct_mesh_nearest(mesh, ct_vec(0, 0, 0), INFINITY, &foot) && foot.triangle == 0 &&
        foot.distance == 1.0);
  CHECK(ct_mesh_nearest(mesh, ct_vec(3, 3, 3), INFINITY, &foot) && foot.triangle == 2 &&
        foot.point.x == 1.0);
  CHECK(ct_mesh_nearest(mesh, ct_vec(1, 1, 1), 0, &foot) && foot.triangle == 2 &&
        foot.distance == 0.0);
  CHECK(!ct_mesh_nearest(mesh, ct_vec(0, 0, 0), -1, &foot) &&
        !ct_mesh_nearest(mesh, ct_vec(0, 0, 0), NAN, &foot));
  ct_mesh_release(mesh);
}

/* Fans of triangles up to 1e12 times as long as wide, and equally flat obtuse ones. */
static void needles_and_flat_triangles_are_accurate(void) {
  check_random r = {502};
  for (int k = 0; k < 80; k++) {
    double thin = pow(10, -check_uniform(&r, 1, 12));
    ct_mat3 turn = case_turn(&r);
    soup s = {0};
    uint32_t a = soup_vertex(&s, ct_vec(0, 0, 0)), b = soup_vertex(&s, ct_vec(1, 0, 0));
    uint32_t c = soup_vertex(&s, k % 2 ? ct_vec(0.4, thin, 0) : ct_vec(thin * 0.3, thin, 0));
    uint32_t d =
        soup_vertex(&s, k % 2 ? ct_vec(0.6, -0.5 * thin, 0.5 * thin) : ct_vec(0, -thin, thin));
    soup_triangle(&s, a, b, c);
    soup_triangle(&s, b, a, d);
    for (uint32_t i = 0; i < s.vn; i++) s.v[i] = ct_mat_mul(turn, s.v[i]);
    ct_vec3 p = s.v[a], q = s.v[b], o = s.v[c];
    ct_mesh *mesh = soup_mesh(&s);
    for (int i = 0; i < 60; i++) {
      double u = check_uniform(&r, -0.2, 1.2), w = check_uniform(&r, -0.5, 1),
             size = i % 3 == 0   ? 1
                    : i % 3 == 1 ? thin
                                 : 1e-3;
      ct_vec3 at = ct_add_scaled(ct_add_scaled(p, ct_sub(q, p), u), ct_sub(o, p), w);
      check_point(mesh, ct_add(at, case_vec(&r, -size, size)), 1);
    }
    ct_mesh_release(mesh);
  }
}

/* A common offset costs only the rounding of the input. */
static void far_from_the_origin_distances_are_as_good(void) {
  check_random r = {503};
  soup s = {0};
  soup_sphere(&s, ct_vec(1e6, -2e6, 3e6), 1, 8, 9);
  ct_mesh *mesh = soup_mesh(&s);
  for (int i = 0; i < 200; i++) {
    ct_vec3 p = ct_add(ct_vec(1e6, -2e6, 3e6), case_vec(&r, -2, 2));
    const ct_mesh_view *v = ct_mesh_get(mesh);
    long double least = INFINITY;
    for (uint32_t t = 0; t < v->live_count; t++) least = fminl(least, to_triangle(v, t, p));
    ct_mesh_foot foot;
    CHECK(ct_mesh_nearest(mesh, p, INFINITY, &foot));
    CHECK_NEAR(foot.distance, (double)least, 4e-15);
  }
  ct_mesh_release(mesh);
}

static const check_test tests[] = {
    {"points_about_integer_meshes", points_about_integer_meshes},
    {"equally_near_triangles_give_the_lowest", equally_near_triangles_give_the_lowest},
    {"needles_and_flat_triangles_are_accurate", needles_and_flat_triangles_are_accurate},
    {"far_from_the_origin_distances_are_as_good", far_from_the_origin_distances_are_as_good},
};

CHECK_MAIN(tests)
