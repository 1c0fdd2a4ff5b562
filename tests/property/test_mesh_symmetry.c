/* Invariances of a mesh: the order of its triangles, scaling by a power of two, rotation,
 * translation. */
#include "tests/oracle/mesh_cases.h"

static void copy(const soup *s, soup *to) {
  *to = (soup){0};
  for (uint32_t i = 0; i < s->vn; i++) soup_vertex(to, s->v[i]);
  for (uint32_t i = 0; i < s->tn; i++) soup_triangle(to, s->t[i][0], s->t[i][1], s->t[i][2]);
}

/* Deletes, rotates, duplicates and collapses some triangles. */
static void spoil(soup *s, check_random *r) {
  for (int k = (int)(check_next(r) % 4); k > 0; k--) {
    uint32_t t = (uint32_t)(check_next(r) % s->tn), a = s->t[t][0], b = s->t[t][1], c = s->t[t][2];
    switch (check_next(r) % 5) {
    case 0: memcpy(s->t[t], s->t[--s->tn], sizeof *s->t); break;
    case 1: s->t[t][0] = b, s->t[t][1] = a; break;
    case 2: soup_triangle(s, b, c, a); break;
    case 3: soup_triangle(s, b, a, c); break;
    default: soup_triangle(s, a, b, b);
    }
  }
}

static void check_same_counts(const ct_mesh_report *a, const ct_mesh_report *b) {
  CHECK_INT(b->triangles, a->triangles);
  CHECK_INT(b->vertices, a->vertices);
  CHECK_INT(b->merged_vertices, a->merged_vertices);
  CHECK_INT(b->unused_vertices, a->unused_vertices);
  CHECK_INT(b->degenerate_triangles, a->degenerate_triangles);
  CHECK_INT(b->duplicate_triangles, a->duplicate_triangles);
  CHECK_INT(b->opposed_triangles, a->opposed_triangles);
  CHECK_INT(b->components, a->components);
  CHECK_INT(b->open_edges, a->open_edges);
  CHECK_INT(b->crowded_edges, a->crowded_edges);
  CHECK_INT(b->inconsistent_edges, a->inconsistent_edges);
  CHECK_INT(b->pinched_vertices, a->pinched_vertices);
  CHECK(b->closed == a->closed && b->oriented == a->oriented && b->manifold == a->manifold &&
        b->watertight == a->watertight && b->flipped == a->flipped && b->solid == a->solid);
  CHECK_INT(b->bad_triangle == CT_NO_TRIANGLE, a->bad_triangle == CT_NO_TRIANGLE);
}

static void the_order_of_triangles_changes_no_report(void) {
  check_random r = {601};
  int solids = 0, open = 0, crowded = 0, inconsistent = 0;
  for (int k = 0; k < 240; k++) {
    soup s = {0};
    mesh_case(&s, k, &r);
    spoil(&s, &r);
    ct_mesh *a = NULL, *b = NULL;
    ct_mesh_report first, second;
    CHECK_INT(soup_build(&s, CT_MESH_AUTO, &a, &first), CT_OK);
    soup_shuffle(&s, &r);
    CHECK_INT(soup_build(&s, CT_MESH_AUTO, &b, &second), CT_OK);
    check_same_counts(&first, &second);
    CHECK_NEAR(second.volume, first.volume, 2e-16 * first.volume);
    CHECK_NEAR(second.area, first.area, 2e-16 * first.area);
    CHECK(memcmp(&first.box, &second.box, sizeof first.box) == 0);
    CHECK_INT(ct_mesh_get(b)->component_vertex[0], ct_mesh_get(a)->component_vertex[0]);
    for (int i = 0; i < 20; i++) {
      ct_vec3 p = vec_of(case_point(ct_mesh_get(a), &r));
      CHECK_INT(ct_mesh_contains(b, p), ct_mesh_contains(a, p));
      ct_mesh_foot f, g;
      CHECK(ct_mesh_nearest(a, p, INFINITY, &f) && ct_mesh_nearest(b, p, INFINITY, &g));
      CHECK_NEAR(g.distance, f.distance, 1e-15 * (f.distance + 100));
    }
    solids += first.solid, open += first.open_edges > 0, crowded += first.crowded_edges > 0;
    inconsistent += first.inconsistent_edges > 0;
    ct_mesh_release(a);
    ct_mesh_release(b);
    soup_free(&s);
  }
  CHECK(solids > 60 && open > 30 && crowded > 30 && inconsistent > 30);
}

static bool scaled_bits(ct_vec3 big, ct_vec3 small, double f) {
  return big.x == small.x * f && big.y == small.y * f && big.z == small.z * f;
}

static void a_scale_by_a_power_of_two_scales_every_bit(void) {
  check_random r = {602};
  for (int k = 0; k < 120; k++) {
    soup s = {0}, t;
    mesh_case(&s, k, &r);
    for (uint32_t i = 0; i < s.vn && k % 2; i++) s.v[i] = ct_scale(s.v[i], 0.37);
    copy(&s, &t);
    double f = ldexp(1, (int)(check_next(&r) % 50) - 25);
    for (uint32_t i = 0; i < t.vn; i++) t.v[i] = ct_scale(t.v[i], f);
    ct_mesh *a = soup_mesh(&s), *b = soup_mesh(&t);
    const ct_mesh_view *v = ct_mesh_get(a), *w = ct_mesh_get(b);
    CHECK(w->volume == v->volume * f * f * f && w->radius == v->radius * f);
    CHECK(scaled_bits(w->centroid, v->centroid, f));
    CHECK(scaled_bits(w->inertia.rx, v->inertia.rx, f * f * f * f * f));
    CHECK(w->node_count == v->node_count &&
          memcmp(w->order, v->order, v->live_count * sizeof *v->order) == 0);
    CHECK(memcmp(w->across, v->across, v->live_count * sizeof *v->across) == 0);
    CHECK(w->nodes[0].radius == v->nodes[0].radius * f);
    for (int i = 0; i < 20; i++) {
      ct_vec3 by = case_vec(&r, -1, 1), p = ct_add(vec_of(case_point(v, &r)), by);
      ct_vec3 d = case_vec(&r, -1, 1);
      ct_mesh_foot x, y;
      CHECK(ct_mesh_nearest(a, p, INFINITY, &x) &&
            ct_mesh_nearest(b, ct_scale(p, f), INFINITY, &y));
      CHECK(y.distance == x.distance * f && scaled_bits(y.point, x.point, f) &&
            y.triangle == x.triangle);
      CHECK(ct_mesh_contains(a, p) == ct_mesh_contains(b, ct_scale(p, f)));
      ct_mesh_hit g, h;
      bool hit = ct_mesh_ray_first(a, p, d, INFINITY, &g);
      CHECK_INT(ct_mesh_ray_first(b, ct_scale(p, f), ct_scale(d, f), INFINITY, &h), hit);
      if (hit)
        CHECK(h.t == g.t && scaled_bits(h.point, g.point, f) && h.triangle == g.triangle &&
              h.side == g.side);
    }
    ct_mesh_release(a);
    ct_mesh_release(b);
  }
}

static void a_turned_and_moved_mesh_measures_the_same(void) {
  check_random r = {603};
  for (int k = 0; k < 64; k++) {
    soup s = {0}, t;
    mesh_case(&s, k, &r);
    copy(&s, &t);
    ct_mat3 turn = case_turn(&r);
    ct_frame frame = {turn, case_vec(&r, -99, 99)};
    for (uint32_t i = 0; i < t.vn; i++) t.v[i] = ct_to_parent(frame, t.v[i]);
    ct_mesh_report first, second;
    ct_mesh *a = NULL, *b = NULL;
    CHECK_INT(soup_build(&s, CT_MESH_AUTO, &a, &first), CT_OK);
    CHECK_INT(soup_build(&t, CT_MESH_AUTO, &b, &second), CT_OK);
    /* If a collinear triangle closes a joint, a rotation turns it into a needle or opens the
     * joint. */
    if (first.degenerate_triangles == 0)
      CHECK(second.closed == first.closed && second.oriented == first.oriented);
    CHECK_NEAR(second.area, first.area, 1e-13 * first.area);
    if (first.solid && second.solid) {
      const ct_mesh_view *v = ct_mesh_get(a), *w = ct_mesh_get(b);
      ct_mat3 turned = ct_mat_mat(ct_mat_mat(turn, v->inertia), ct_mat_transpose(turn));
      double size = ct_max_abs(ct_vec(v->inertia.rx.x, v->inertia.ry.y, v->inertia.rz.z));
      CHECK_NEAR(w->volume, v->volume, 1e-13 * first.area * v->radius);
      CHECK_NEAR(ct_max_abs(ct_sub(w->centroid, ct_to_parent(frame, v->centroid))), 0,
                 1e-12 * v->radius);
      CHECK_NEAR(w->inertia.rx.x, turned.rx.x, 1e-12 * size);
      CHECK_NEAR(w->inertia.ry.z, turned.ry.z, 1e-12 * size);
      CHECK_NEAR(w->radius, v->radius, 1e-12 * v->radius);
      for (int i = 0; i < 20; i++) {
        ct_vec3 by = case_vec(&r, -1, 1), p = ct_add(vec_of(case_point(v, &r)), by);
        ct_vec3 q = ct_to_parent(frame, p);
        ct_mesh_foot x, y;
        CHECK(ct_mesh_nearest(a, p, INFINITY, &x) && ct_mesh_nearest(b, q, INFINITY, &y));
        CHECK_NEAR(y.distance, x.distance, 1e-13 * (v->radius + 99));
        /* A point farther from the surface than the rounding of the rotation stays on its side. */
        if (x.distance > 1e-9) CHECK_INT(ct_mesh_contains(b, q), ct_mesh_contains(a, p));
      }
    }
    ct_mesh_release(a);
    ct_mesh_release(b);
    soup_free(&s);
    soup_free(&t);
  }
}

/* The mass is the sum over signed tetrahedra, here in long double about the origin. */
static void the_mass_is_the_sum_of_tetrahedra(void) {
  check_random r = {604};
  int solids = 0;
  for (int k = 0; k < 80; k++) {
    soup s = {0};
    mesh_case(&s, k, &r);
    ct_mesh *mesh = soup_mesh(&s);
    const ct_mesh_view *v = ct_mesh_get(mesh);
    long double volume = 0, first[3] = {0}, second[3][3] = {{0}};
    for (uint32_t i = 0; i < v->live_count; i++) {
      long double p[3][3];
      for (int c = 0; c < 3; c++) {
        ct_vec3 q = v->vertices[v->corners[i][c]];
        p[c][0] = q.x, p[c][1] = q.y, p[c][2] = q.z;
      }
      long double d = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                      p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                      p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
      volume += d / 6;
      for (int a = 0; a < 3; a++) {
        long double sa = p[0][a] + p[1][a] + p[2][a];
        first[a] += d * sa / 24;
        for (int b = 0; b < 3; b++)
          second[a][b] += d *
                          (sa * (p[0][b] + p[1][b] + p[2][b]) + p[0][a] * p[0][b] +
                           p[1][a] * p[1][b] + p[2][a] * p[2][b]) /
                          120;
      }
    }
    solids += v->solid;
    if (v->solid) {
      CHECK_NEAR(v->volume, (double)volume, 1e-15 * (double)volume);
      CHECK_NEAR(v->centroid.x, (double)(first[0] / volume), 1e-15 * v->radius);
      CHECK_NEAR(v->centroid.z, (double)(first[2] / volume), 1e-15 * v->radius);
      long double xx = second[0][0] - first[0] * first[0] / volume,
                  yy = second[1][1] - first[1] * first[1] / volume;
      long double zz = second[2][2] - first[2] * first[2] / volume,
                  xy = second[0][1] - first[0] * first[1] / volume;
      double size = (double)(xx + yy + zz);
      CHECK_NEAR(v->inertia.rx.x, (double)(yy + zz), 1e-15 * size);
      CHECK_NEAR(v->inertia.ry.y, (double)(zz + xx), 1e-15 * size);
      CHECK_NEAR(v->inertia.rx.y, (double)-xy, 1e-15 * size);
    }
    ct_mesh_release(mesh);
  }
  CHECK(solids > 60);
}

static const check_test tests[] = {
    {"the_order_of_triangles_changes_no_report", the_order_of_triangles_changes_no_report},
    {"a_scale_by_a_power_of_two_scales_every_bit", a_scale_by_a_power_of_two_scales_every_bit},
    {"a_turned_and_moved_mesh_measures_the_same", a_turned_and_moved_mesh_measures_the_same},
    {"the_mass_is_the_sum_of_tetrahedra", the_mass_is_the_sum_of_tetrahedra},
};

CHECK_MAIN(tests)
