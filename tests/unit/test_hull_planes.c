/* Hulls of half-spaces: known solids, redundant planes, statuses, duality with hulls of points. */
#include "tests/unit/hull_checks.h"

#include <contact/volume.h>

#include "tests/support/shapes.h"

#define PI 3.14159265358979323846
#define PLANES_MAX 600

typedef struct plane_list {
  double at[PLANES_MAX][4];
  size_t count;
} plane_list;

static void add(plane_list *l, ct_vec3 n, double d) {
  memcpy(l->at[l->count++], (double[4]){n.x, n.y, n.z, d}, sizeof l->at[0]);
}

static void add_box(plane_list *l, ct_vec3 half) {
  add(l, ct_vec(1, 0, 0), -half.x);
  add(l, ct_vec(-2, 0, 0), -2 * half.x);
  add(l, ct_vec(0, 1, 0), -half.y);
  add(l, ct_vec(0, -0.25, 0), -0.25 * half.y);
  add(l, ct_vec(0, 0, 8), -8 * half.z);
  add(l, ct_vec(0, 0, -1), -half.z);
}

static void place(plane_list *l, ct_mat3 m, ct_vec3 t) {
  for (size_t i = 0; i < l->count; i++) {
    ct_vec3 n = ct_mat_mul(m, ct_vec(l->at[i][0], l->at[i][1], l->at[i][2]));
    memcpy(l->at[i], (double[4]){n.x, n.y, n.z, l->at[i][3] - ct_dot(n, t)}, sizeof l->at[i]);
  }
}

static ct_mat3 random_rotation(check_random *r) {
  return ct_quat_matrix(
      (ct_quat){check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1), 0.4});
}

static ct_hull *make(const plane_list *l) {
  ct_hull *hull = NULL;
  ct_hull_report report;
  CHECK_INT(ct_hull_from_planes((const double(*)[4])l->at, l->count, NULL, &hull, &report), CT_OK);
  CHECK_INT(report.rank, 3);
  return hull;
}

static ct_status status_of(const plane_list *l, ct_hull_report *report) {
  ct_hull *hull = NULL;
  ct_status status = ct_hull_from_planes((const double(*)[4])l->at, l->count, NULL, &hull, report);
  if (status != CT_OK) CHECK(hull == NULL);
  ct_hull_release(hull);
  return status;
}

/* No vertex is beyond a given plane by more than rounding, and every face is one of the planes. */
static void check_against(const ct_hull_view *h, const plane_list *l, double tolerance) {
  hull_check_topology(h);
  hull_check_arrays(h, 16.0);
  for (size_t i = 0; i < l->count; i++) {
    ct_vec3 n = ct_vec(l->at[i][0], l->at[i][1], l->at[i][2]);
    double length = ct_norm(n);
    for (uint32_t v = 0; v < h->vertex_count; v++)
      CHECK((ct_dot(n, hull_vertex(h, v)) + l->at[i][3]) / length <= tolerance);
  }
  for (uint32_t f = 0; f < h->face_count; f++) {
    int matches = 0;
    for (size_t i = 0; i < l->count; i++) {
      ct_vec3 n = ct_vec(l->at[i][0], l->at[i][1], l->at[i][2]);
      double length = ct_norm(n);
      ct_vec3 apart = ct_sub(ct_scale(n, 1.0 / length), ct_vec(h->nx[f], h->ny[f], h->nz[f]));
      matches +=
          ct_max_abs(apart) < 1e-15 && fabs(-l->at[i][3] / length - h->offset[f]) <= tolerance;
    }
    CHECK(matches >= 1);
    for (uint32_t i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
      ct_vec3 v = hull_vertex(h, h->face_loop[i]);
      CHECK_NEAR(h->nx[f] * v.x + h->ny[f] * v.y + h->nz[f] * v.z, h->offset[f], tolerance);
    }
  }
  for (uint32_t v = 0; v < h->vertex_count; v++) CHECK_INT(h->vertex_input[v], UINT32_MAX);
}

static void six_planes_are_a_box_to_the_bit(void) {
  plane_list l = {.count = 0};
  add_box(&l, ct_vec(1, 2, 3));
  ct_hull *hull = make(&l);
  const ct_hull_view *h = ct_hull_get(hull);
  check_against(h, &l, 0.0);
  CHECK_INT(h->vertex_count, 8);
  CHECK_INT(h->face_count, 6);
  CHECK(h->volume == 48.0);
  CHECK(h->box.min.x == -1 && h->box.max.y == 2 && h->box.max.z == 3);
  for (uint32_t v = 0; v < 8; v++)
    CHECK(fabs(h->x[v]) == 1.0 && fabs(h->y[v]) == 2.0 && fabs(h->z[v]) == 3.0);
  ct_hull_release(hull);
}

static void placed_boxes_keep_their_corners(void) {
  check_random r = {31};
  for (int k = 0; k < 100; k++) {
    plane_list l = {.count = 0};
    double thin = pow(10.0, -(k % 10));
    ct_mat3 m = random_rotation(&r);
    ct_vec3 t =
        ct_vec(check_uniform(&r, -5, 5), check_uniform(&r, -5, 5), check_uniform(&r, -5, 5));
    add_box(&l, ct_vec(1, 2, thin));
    place(&l, m, t);
    ct_hull *hull = make(&l);
    const ct_hull_view *h = ct_hull_get(hull);
    check_against(h, &l, 1e-14);
    CHECK_INT(h->vertex_count, 8);
    CHECK_INT(h->face_count, 6);
    CHECK_NEAR(h->volume, 16.0 * thin, 1e-13);
    for (uint32_t v = 0; v < h->vertex_count; v++) {
      ct_vec3 local = ct_mat_tmul(m, ct_sub(hull_vertex(h, v), t));
      CHECK_NEAR(fabs(local.x), 1.0, 2e-14);
      CHECK_NEAR(fabs(local.y), 2.0, 2e-14);
      CHECK_NEAR(fabs(local.z), thin, 2e-14);
    }
    ct_hull_release(hull);
  }
}

/* An octahedron of eight planes: four planes meet in each vertex, exactly or up to rounding. */
static void vertices_of_many_planes_are_one_vertex(void) {
  check_random r = {32};
  for (int k = 0; k < 50; k++) {
    plane_list l = {.count = 0};
    for (int i = 0; i < 8; i++) add(&l, ct_vec(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), -1);
    if (k) place(&l, random_rotation(&r), ct_vec(check_uniform(&r, -1, 1), 0.25, 0.5));
    ct_hull *hull = make(&l);
    const ct_hull_view *h = ct_hull_get(hull);
    check_against(h, &l, 4e-15);
    CHECK_INT(h->vertex_count, 6);
    CHECK_INT(h->face_count, 8);
    CHECK_NEAR(h->volume, 4.0 / 3.0, 1e-14);
    ct_hull_release(hull);
  }
}

static void prisms_have_their_volume(void) {
  check_random r = {33};
  for (int n = 3; n <= 256; n = 2 * n - 1) {
    plane_list l = {.count = 0};
    for (int i = 0; i < n; i++) add(&l, ct_vec(cos(2 * PI * i / n), sin(2 * PI * i / n), 0), -1);
    add(&l, ct_vec(0, 0, 1), -1);
    add(&l, ct_vec(0, 0, -1), -1);
    place(&l, random_rotation(&r), ct_vec(1, 2, 3));
    ct_hull *hull = make(&l);
    check_against(ct_hull_get(hull), &l, 1e-14);
    CHECK_INT(ct_hull_get(hull)->vertex_count, 2 * n);
    CHECK_NEAR(ct_hull_get(hull)->volume, 2.0 * n * tan(PI / n), 1e-12);
    ct_hull_release(hull);
  }
}

static void redundant_planes_leave_no_trace(void) {
  check_random r = {34};
  plane_list l = {.count = 0};
  add_box(&l, ct_vec(1, 1, 1));
  ct_hull *plain = make(&l);
  add(&l, ct_vec(1, 1, 1), -3.0);  /* through a corner */
  add(&l, ct_vec(1, 1, 0), -2.0);  /* along an edge */
  add(&l, ct_vec(2, 0, 0), -2.0);  /* a copy of a face */
  add(&l, ct_vec(-1, 0, 0), -5.0); /* outside the solid */
  for (int i = 0; i < 100; i++) {
    ct_vec3 n =
        ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
    add(&l, n, -(fabs(n.x) + fabs(n.y) + fabs(n.z)) * check_uniform(&r, 1.0001, 3.0));
  }
  ct_hull *hull = make(&l);
  const ct_hull_view *a = ct_hull_get(plain), *b = ct_hull_get(hull);
  CHECK_INT(b->vertex_count, 8);
  CHECK_INT(b->face_count, 6);
  CHECK(a->volume == b->volume);
  for (uint32_t v = 0; v < 8; v++)
    CHECK(fabs(b->x[v]) == 1.0 && fabs(b->y[v]) == 1.0 && fabs(b->z[v]) == 1.0);
  ct_hull_release(plain);
  ct_hull_release(hull);
}

static void open_empty_and_flat_intersections_have_their_status(void) {
  ct_hull_report report;
  plane_list l = {.count = 0};
  CHECK_INT(status_of(&l, &report), CT_UNBOUNDED);
  add_box(&l, ct_vec(1, 1, 1));
  for (size_t n = 1; n < 6; n++) {
    plane_list part = l;
    part.count = n;
    CHECK_INT(status_of(&part, &report), CT_UNBOUNDED);
  }
  plane_list wedge = {.count = 0};
  add(&wedge, ct_vec(1, 1, 1), -1);
  add(&wedge, ct_vec(-1, 0, 0), 0);
  add(&wedge, ct_vec(0, -1, 0), 0);
  CHECK_INT(status_of(&wedge, &report), CT_UNBOUNDED);
  add(&wedge, ct_vec(0, 0, -1), 0);
  CHECK_INT(status_of(&wedge, &report), CT_OK);

  plane_list cut = l;
  add(&cut, ct_vec(1, 1, 1), 3.5);
  CHECK_INT(status_of(&cut, &report), CT_EMPTY);
  CHECK(report.culprit < cut.count);
  plane_list corner = l;
  add(&corner, ct_vec(1, 1, 1), 3.0);
  CHECK_INT(status_of(&corner, &report), CT_DEGENERATE_HULL);
  plane_list flat = {.count = 0};
  add_box(&flat, ct_vec(1, 1, 0));
  CHECK_INT(status_of(&flat, &report), CT_DEGENERATE_HULL);
  plane_list apart = {.count = 0};
  add(&apart, ct_vec(1, 0, 0), 1);
  add(&apart, ct_vec(-1, 0, 0), 1);
  CHECK_INT(status_of(&apart, &report), CT_EMPTY);
  plane_list zero = l;
  add(&zero, ct_vec(0, 0, 0), -1);
  CHECK_INT(status_of(&zero, &report), CT_DEGENERATE_HULL);
  CHECK_INT(report.culprit, 6);
  plane_list infinite = l;
  add(&infinite, ct_vec(INFINITY, 0, 0), -1);
  CHECK_INT(status_of(&infinite, &report), CT_LIMIT);
}

static void random_tangents(plane_list *l, check_random *r, int count) {
  l->count = 0;
  for (int i = 0; i < count; i++) {
    ct_vec3 n = ct_unit_or(
        ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)),
        ct_vec(1, 0, 0));
    add(l, n, -1.0 - 0.2 * check_uniform(r, 0, 1));
  }
}

static double nearest_vertex(const ct_hull_view *h, ct_vec3 p) {
  double nearest = INFINITY;
  for (uint32_t v = 0; v < h->vertex_count; v++)
    nearest = ct_min2(nearest, ct_norm(ct_sub(hull_vertex(h, v), p)));
  return nearest;
}

static double height_over_surface(const ct_hull_view *h, ct_vec3 p) {
  double height = -INFINITY;
  for (uint32_t f = 0; f < h->face_count; f++) {
    height = ct_max2(height, h->nx[f] * p.x + h->ny[f] * p.y + h->nz[f] * p.z - h->offset[f]);
  }
  return height;
}

/* Each vertex of the first is a vertex of the second. The second may have more where planes meet up
 * to rounding, but only on the surface of the first. */
static void check_same_solid(const ct_hull_view *a, const ct_hull_view *b) {
  for (uint32_t v = 0; v < a->vertex_count; v++)
    CHECK_NEAR(nearest_vertex(b, hull_vertex(a, v)), 0.0, 1e-12);
  for (uint32_t v = 0; v < b->vertex_count; v++)
    CHECK_NEAR(height_over_surface(a, hull_vertex(b, v)), 0.0, 1e-12);
}

/* The planes of a hull of points reproduce that hull: same counts, vertices, volume. */
static void planes_of_a_hull_give_the_hull_back(void) {
  check_random r = {35};
  for (int k = 0; k < 60; k++) {
    ct_vec3 p[40];
    for (int i = 0; i < 40; i++) {
      p[i] = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
      if (k % 2) p[i] = ct_vec(floor(3 * p[i].x), floor(3 * p[i].y), floor(3 * p[i].z));
    }
    ct_hull *hull = NULL;
    CHECK_INT(ct_hull_from_points(p, 40, NULL, &hull, NULL), CT_OK);
    if (!hull) continue;
    const ct_hull_view *a = ct_hull_get(hull);
    plane_list l = {.count = 0};
    for (uint32_t f = 0; f < a->face_count; f++)
      add(&l, ct_vec(a->nx[f], a->ny[f], a->nz[f]), -a->offset[f]);
    ct_hull *back = make(&l);
    const ct_hull_view *b = ct_hull_get(back);
    check_against(b, &l, 1e-13);
    CHECK_INT(b->face_count, a->face_count);
    CHECK_NEAR(b->volume, a->volume, 1e-13 * a->volume);
    CHECK_NEAR(b->centroid.x, a->centroid.x, 1e-13);
    check_same_solid(a, b);
    ct_hull_release(hull);
    ct_hull_release(back);
  }
}

/* The intersection of a body with the cube [0, 1]^3. */
static ct_volume_contact common_with_cube(const ct_hull *hull, ct_workspace *workspace) {
  const ct_shape cube = box(0.5, 0.5, 0.5), body = {.kind = CT_KIND_CONVEX, .hull = hull};
  const ct_frame fa = ct_frame_of(at(0.5, 0.5, 0.5)), fb = ct_frame_of(at(0, 0, 0));
  const ct_volume_options linear = {.weighting = CT_WEIGHTING_LINEAR};
  ct_volume v;
  ct_pair_volume((ct_placed){&cube, &fa}, (ct_placed){&body, &fb}, &linear, workspace, &v);
  CHECK_INT(v.count, 1);
  return v.count == 1 ? v.contacts[0] : (ct_volume_contact){.volume = 0.0};
}

/* Row 2: a polyhedron given by its vertices, by planes n.x + d <= 0, and by planes through a point
 * each (d = -n.point): the same volume, distance and volumetric contact with a cube that overlaps
 * it. */
static void every_form_of_a_polyhedron_answers_alike(void) {
  check_random r = {36};
  ct_workspace *workspace = ct_workspace_create();
  for (int k = 0; k < 60; k++) {
    ct_vec3 p[12];
    for (int i = 0; i < 12; i++)
      p[i] = ct_vec(check_uniform(&r, -1, 0.8), check_uniform(&r, -1, 0.8),
                    check_uniform(&r, -1, 0.8));
    p[0] = ct_vec(0.5, 0.5, 0.5);
    p[1] = ct_vec(-0.5, -0.5, -0.5);
    ct_hull *form[3] = {NULL, NULL, NULL};
    CHECK_INT(ct_hull_from_points(p, 12, NULL, &form[0], NULL), CT_OK);
    if (!form[0]) continue;
    const ct_hull_view *h = ct_hull_get(form[0]);
    plane_list planes = {.count = 0}, points = {.count = 0};
    for (uint32_t f = 0; f < h->face_count; f++) {
      ct_vec3 n = ct_vec(h->nx[f], h->ny[f], h->nz[f]),
              on = hull_vertex(h, h->face_loop[h->face_start[f]]);
      add(&planes, n, -h->offset[f]);
      add(&points, n, -ct_dot(n, on));
    }
    form[1] = make(&planes);
    form[2] = make(&points);
    ct_volume_contact first = common_with_cube(form[0], workspace);
    CHECK(first.volume > 0.0);
    for (int i = 1; i < 3; i++) {
      ct_volume_contact c = common_with_cube(form[i], workspace);
      CHECK_NEAR(ct_hull_get(form[i])->volume, h->volume, 1e-12 * h->volume);
      CHECK_NEAR(c.volume, first.volume, 1e-12);
      CHECK_NEAR(c.area, first.area, 1e-12);
      CHECK_NEAR(ct_norm(ct_sub(c.position, first.position)), 0.0, 1e-11);
      CHECK_NEAR(c.gap, first.gap, 1e-10);
    }
    for (int i = 0; i < 3; i++) ct_hull_release(form[i]);
  }
  ct_workspace_destroy(workspace);
}

/* Row 7: polar of the polar, both by planes: the second dual of a polytope around the origin is the
 * polytope. */
static void the_polar_of_the_polar_is_the_polytope(void) {
  check_random r = {36};
  plane_list first, second, third;
  for (int k = 0; k < 30; k++) {
    random_tangents(&first, &r, 40);
    ct_hull *a = make(&first);
    second.count = third.count = 0;
    for (uint32_t v = 0; v < ct_hull_get(a)->vertex_count; v++)
      add(&second, hull_vertex(ct_hull_get(a), v), -1.0);
    ct_hull *b = make(&second);
    CHECK_INT(ct_hull_get(b)->face_count, ct_hull_get(a)->vertex_count);
    for (uint32_t v = 0; v < ct_hull_get(b)->vertex_count; v++)
      add(&third, hull_vertex(ct_hull_get(b), v), -1.0);
    ct_hull *c = make(&third);
    check_same_solid(ct_hull_get(a), ct_hull_get(c));
    CHECK_NEAR(ct_hull_get(c)->volume, ct_hull_get(a)->volume, 1e-12);
    ct_hull_release(a);
    ct_hull_release(b);
    ct_hull_release(c);
  }
}

/* Nearly equal planes, normals that barely enclose the origin, dense and thin sets: the result is a
 * closed solid that each plane cuts by at most the merge tolerance of vertices (2^-40), or one of
 * the three statuses. */
static void hostile_planes_give_a_sound_hull_or_a_status(void) {
  check_random r = {37};
  for (int k = 0; k < 4000; k++) {
    plane_list l = {.count = 0};
    size_t count = check_next(&r) % 40;
    double size = ldexp(1.0, (int)(check_next(&r) % 40) - 20),
           thin = ldexp(1.0, -(int)(check_next(&r) % 30));
    for (size_t i = 0; i < count; i++) {
      ct_vec3 n =
          ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
      if (k % 5 == 0) n = ct_vec(floor(2 * n.x) + (double)(i & 1), floor(2 * n.y), floor(2 * n.z));
      if (k % 5 == 1) n.z = (double)(i & 1);
      if (k % 5 == 2 && i > 6)
        n = ct_add_scaled(ct_vec(l.at[i % 6][0], l.at[i % 6][1], l.at[i % 6][2]), n, 1e-14);
      if (k % 5 == 3) n.y *= thin;
      add(&l, n, -size * (k % 5 == 4 ? check_uniform(&r, -0.1, 1) : 1.0));
    }
    if (k % 3 == 0) place(&l, random_rotation(&r), ct_vec(size, -2 * size, 0));
    ct_hull *hull = NULL;
    ct_status status = ct_hull_from_planes((const double(*)[4])l.at, l.count, NULL, &hull, NULL);
    if (status != CT_OK) {
      CHECK(status == CT_UNBOUNDED || status == CT_EMPTY || status == CT_DEGENERATE_HULL);
      continue;
    }
    const ct_hull_view *h = ct_hull_get(hull);
    double far = ct_max2(ct_max_abs(h->box.min), ct_max_abs(h->box.max));
    hull_check_topology(h);
    CHECK(h->volume > 0.0);
    for (size_t i = 0; i < l.count; i++) {
      ct_vec3 n = ct_vec(l.at[i][0], l.at[i][1], l.at[i][2]);
      double length = ct_norm(n);
      for (uint32_t v = 0; v < h->vertex_count; v++)
        CHECK((ct_dot(n, hull_vertex(h, v)) + l.at[i][3]) / length <= 1e-12 * far);
    }
    ct_hull_release(hull);
  }
}

static void sizes_from_1e_9_to_1e9_work(void) {
  for (double s = 1e-9; s < 2e9; s *= 1e3) {
    plane_list l = {.count = 0};
    add_box(&l, ct_vec(s, 2 * s, 0.5 * s));
    ct_hull *hull = make(&l);
    CHECK_INT(ct_hull_get(hull)->vertex_count, 8);
    CHECK_NEAR(ct_hull_get(hull)->volume / (s * s * s), 8.0, 1e-14);
    ct_hull_release(hull);
  }
}

static const check_test tests[] = {
    {"six_planes_are_a_box_to_the_bit", six_planes_are_a_box_to_the_bit},
    {"placed_boxes_keep_their_corners", placed_boxes_keep_their_corners},
    {"vertices_of_many_planes_are_one_vertex", vertices_of_many_planes_are_one_vertex},
    {"prisms_have_their_volume", prisms_have_their_volume},
    {"redundant_planes_leave_no_trace", redundant_planes_leave_no_trace},
    {"open_empty_and_flat_intersections_have_their_status",
     open_empty_and_flat_intersections_have_their_status},
    {"planes_of_a_hull_give_the_hull_back", planes_of_a_hull_give_the_hull_back},
    {"every_form_of_a_polyhedron_answers_alike", every_form_of_a_polyhedron_answers_alike},
    {"the_polar_of_the_polar_is_the_polytope", the_polar_of_the_polar_is_the_polytope},
    {"hostile_planes_give_a_sound_hull_or_a_status", hostile_planes_give_a_sound_hull_or_a_status},
    {"sizes_from_1e_9_to_1e9_work", sizes_from_1e_9_to_1e9_work},
};

CHECK_MAIN(tests)
