/* Points inside meshes and on their surfaces: against exact integers on the surface, and against
 * the winding number in long double off it. */
#include "tests/oracle/mesh_cases.h"

/* Is p in the closed triangle? Exact for integers. */
static bool on_surface(ipoint p, ipoint a, ipoint b, ipoint c) {
  ipoint n = ipoint_cross(ipoint_sub(b, a), ipoint_sub(c, a));
  if (ipoint_dot(n, ipoint_sub(p, a)) != 0) return false;
  return ipoint_dot(n, ipoint_cross(ipoint_sub(b, a), ipoint_sub(p, a))) >= 0 &&
         ipoint_dot(n, ipoint_cross(ipoint_sub(c, b), ipoint_sub(p, b))) >= 0 &&
         ipoint_dot(n, ipoint_cross(ipoint_sub(a, c), ipoint_sub(p, c))) >= 0;
}

/* Solid angle of a triangle seen from p (van Oosterom, Strackee 1983). */
static long double solid_angle(const ct_vec3 t[3], ct_vec3 p) {
  long double v[3][3], l[3];
  for (int k = 0; k < 3; k++) {
    v[k][0] = (long double)t[k].x - p.x, v[k][1] = (long double)t[k].y - p.y,
    v[k][2] = (long double)t[k].z - p.z;
    l[k] = sqrtl(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
  }
#define DOT(i, j) (v[i][0] * v[j][0] + v[i][1] * v[j][1] + v[i][2] * v[j][2])
  long double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                    v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                    v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
  return 2 *
         atan2l(det, l[0] * l[1] * l[2] + DOT(0, 1) * l[2] + DOT(1, 2) * l[0] + DOT(2, 0) * l[1]);
#undef DOT
}

static long double winding(const ct_mesh_view *v, ct_vec3 p) {
  long double sum = 0;
  for (uint32_t i = 0; i < v->triangle_count; i++) {
    ct_vec3 t[3] = {v->vertices[v->triangles[i][0]], v->vertices[v->triangles[i][1]],
                    v->vertices[v->triangles[i][2]]};
    sum += solid_angle(t, p);
  }
  return (v->flipped ? -sum : sum) / (4 * acosl(-1.0L));
}

/* T7.2: the winding numbers of a cube, and the solid angle of a triangle that covers an eighth of a
 * sphere. */
static void the_oracle_is_right_for_the_cube(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  CHECK_NEAR((double)winding(v, ct_vec(0.5, 0.5, 0.5)), 1, 1e-15);
  CHECK_NEAR((double)winding(v, ct_vec(0.5, 0.5, 1.1)), 0, 1e-15);
  CHECK_NEAR((double)winding(v, ct_vec(0.999999, 0.999999, 0.999999)), 1, 1e-12);
  ct_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  CHECK_NEAR((double)solid_angle(axes, ct_vec(0, 0, 0)), SOUP_PI / 2, 1e-15);
  CHECK(ct_mesh_contains(mesh, ct_vec(0.5, 0.5, 0.5)));
  CHECK(ct_mesh_contains(mesh, ct_vec(0.999999, 0.999999, 0.999999)));
  CHECK(!ct_mesh_contains(mesh, ct_vec(0.5, 0.5, 1.1)));
  CHECK(!ct_mesh_contains(mesh, ct_vec(0.5, 0.5, 1 + 0x1p-52)) &&
        ct_mesh_contains(mesh, ct_vec(0.5, 0.5, 1)));
  CHECK(!ct_mesh_contains(mesh, ct_vec(NAN, 0.5, 0.5)) &&
        !ct_mesh_contains(mesh, ct_vec(0.5, 0.5, INFINITY)));
  ct_mesh_release(mesh);
}

static void integer_points_are_inside_when_the_surface_winds_around_them(void) {
  check_random r = {301};
  int on = 0, in = 0, out = 0, solids = 0;
  for (int k = 0; k < 200; k++) {
    soup s = {0};
    mesh_case(&s, k, &r);
    ct_mesh *mesh = soup_mesh(&s);
    const ct_mesh_view *v = ct_mesh_get(mesh);
    solids += v->solid;
    for (int i = 0; i < 150 && v->solid; i++) {
      ipoint p = case_point(v, &r);
      bool touched = false;
      for (uint32_t t = 0; t < v->live_count && !touched; t++)
        touched = on_surface(p, ipoint_of(v->vertices[v->corners[t][0]]),
                             ipoint_of(v->vertices[v->corners[t][1]]),
                             ipoint_of(v->vertices[v->corners[t][2]]));
      long double w = touched ? 1 : winding(v, vec_of(p));
      if (fabsl(w - rintl(w)) > 1e-9L) CHECK_FAIL("mesh %d: winding number %Lg", k, w);
      bool expected = w > 0.5L;
      if (ct_mesh_contains(mesh, vec_of(p)) != expected)
        CHECK_FAIL("mesh %d: (%g %g %g) on %d winding %Lg", k, vec_of(p).x, vec_of(p).y,
                   vec_of(p).z, touched, w);
      on += touched, in += !touched && expected, out += !expected;
    }
    ct_mesh_release(mesh);
  }
  CHECK(solids > 170 && on > 4000 && in > 3000 && out > 5000);
}

/* A solid rotated by a generic angle: points slightly inside and outside its faces, and distant
 * points. */
static void points_a_hair_from_a_turned_sphere_are_on_the_right_side(void) {
  check_random r = {302};
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 24, 32);
  ct_mat3 turn = ct_quat_matrix((ct_quat){0.3, -0.2, 0.5, 0.7});
  for (uint32_t i = 0; i < s.vn; i++) s.v[i] = ct_mat_mul(turn, s.v[i]);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  for (int i = 0; i < 20000; i++) {
    uint32_t t = (uint32_t)(check_next(&r) % v->live_count);
    double a = check_uniform(&r, 0.1, 0.4), b = check_uniform(&r, 0.1, 0.4);
    ct_vec3 p = v->vertices[v->corners[t][0]], q = v->vertices[v->corners[t][1]],
            o = v->vertices[v->corners[t][2]];
    ct_vec3 at = ct_add_scaled(ct_add_scaled(p, ct_sub(q, p), a), ct_sub(o, p), b),
            n = ct_mesh_normal(mesh, v->order[t]);
    double hair = i % 3 == 0 ? 1e-14 : check_uniform(&r, 0, 0.01);
    CHECK(ct_mesh_contains(mesh, ct_add_scaled(at, n, -hair)));
    CHECK(!ct_mesh_contains(mesh, ct_add_scaled(at, n, hair)));
    /* The vertices are on the surface. */
    if (i < (int)v->vertex_count) CHECK(ct_mesh_contains(mesh, v->vertices[i]));
  }
  ct_mesh_release(mesh);
}

/* Straight above and below a pole hundreds of edges meet on the ray. */
static void a_ray_through_hundreds_of_edges_counts_once(void) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 9, 500);
  ct_mesh *mesh = soup_mesh(&s);
  for (int i = -150; i <= 150; i++)
    CHECK_INT(ct_mesh_contains(mesh, ct_vec(0, 0, i / 100.0)), abs(i) <= 100);
  ct_mesh_release(mesh);
}

static void a_surface_contains_no_point(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  ct_mesh *mesh = NULL;
  CHECK_INT(soup_build(&s, CT_MESH_SURFACE, &mesh, NULL), CT_OK);
  CHECK(!ct_mesh_contains(mesh, ct_vec(0.5, 0.5, 0.5)));
  ct_mesh_release(mesh);
  soup_free(&s);
}

static const check_test tests[] = {
    {"the_oracle_is_right_for_the_cube", the_oracle_is_right_for_the_cube},
    {"integer_points_are_inside_when_the_surface_winds_around_them",
     integer_points_are_inside_when_the_surface_winds_around_them},
    {"points_a_hair_from_a_turned_sphere_are_on_the_right_side",
     points_a_hair_from_a_turned_sphere_are_on_the_right_side},
    {"a_ray_through_hundreds_of_edges_counts_once", a_ray_through_hundreds_of_edges_counts_once},
    {"a_surface_contains_no_point", a_surface_contains_no_point},
};

CHECK_MAIN(tests)
