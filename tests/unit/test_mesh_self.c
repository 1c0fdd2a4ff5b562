/* Self-intersection of meshes: solids apart, touching and crossing by one unit in the last place;
 * folds; the bound on the number of steps. */
#include "tests/support/meshes.h"

static ct_mesh_self_intersection self_of(soup *s, uint32_t triangles[2]) {
  ct_mesh_data data = {s->v, s->vn, (const uint32_t(*)[3])s->t, s->tn, NULL};
  ct_mesh *mesh = NULL;
  ct_mesh_self_intersection self = CT_MESH_SELF_UNKNOWN;
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, NULL, &mesh, NULL), CT_OK);
  CHECK_INT(ct_mesh_self_test(mesh, NULL, &self, triangles), CT_OK);
  ct_mesh_release(mesh);
  soup_free(s);
  return self;
}

static ct_mesh_self_intersection two_boxes(ct_vec3 low, ct_vec3 high, uint32_t triangles[2]) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_box(&s, low, high);
  return self_of(&s, triangles);
}

static void boxes_meet_when_they_touch(void) {
  double above = nextafter(1.0, 2.0), below = nextafter(1.0, 0.0);
  uint32_t t[2];
  for (int axis = 0; axis < 3; axis++) {
    double at[3][3] = {{0.25, 0.25, 0.25}, {0.25, 0.25, 0.25}, {0.25, 0.25, 0.25}};
    double starts[3] = {above, 1.0, below};
    for (int k = 0; k < 3; k++) {
      at[k][axis] = starts[k];
      ct_vec3 low = {at[k][0], at[k][1], at[k][2]};
      ct_mesh_self_intersection self = two_boxes(low, ct_add(low, ct_vec(2, 2, 2)), t);
      CHECK_INT(self, k == 0 ? CT_MESH_SELF_FREE : CT_MESH_SELF_INTERSECTING);
      if (k > 0) CHECK(t[0] < 12 && t[1] >= 12 && t[1] < 24);
    }
  }
  CHECK_INT(two_boxes(ct_vec(0.25, 0.25, 0.25), ct_vec(0.5, 0.5, 0.5), t), CT_MESH_SELF_FREE);
  /* Corners and edges at the same points in both: no other contact. */
  CHECK_INT(two_boxes(ct_vec(1, 1, 1), ct_vec(2, 2, 2), t), CT_MESH_SELF_FREE);
  CHECK_INT(two_boxes(ct_vec(1, 1, 0), ct_vec(2, 2, 1), t), CT_MESH_SELF_FREE);
  /* An edge on an edge of another length: a corner of one is no corner of the other. */
  CHECK_INT(two_boxes(ct_vec(1, 1, 0), ct_vec(2, 2, 2), t), CT_MESH_SELF_INTERSECTING);
}

static ct_mesh_self_intersection couple(const ct_vec3 v[5], const uint32_t second[3]) {
  soup s = {0};
  uint32_t t[2];
  for (int i = 0; i < 5; i++) soup_vertex(&s, v[i]);
  soup_triangle(&s, 0, 1, 2);
  soup_triangle(&s, second[0], second[1], second[2]);
  return self_of(&s, t);
}

/* A hinge about the x axis from flat open to closed: it intersects itself only when it is exactly
 * closed. */
static void a_hinge_meets_itself_when_it_is_shut(void) {
  static const double across[][2] = {{-1, 0},      {-1, 1}, {0, 1},        {1, 1}, {1, 1e-9},
                                     {1, 0x1p-52}, {1, 0},  {1, -0x1p-52}, {1, -1}};
  for (int turn = 0; turn < 2; turn++) {
    for (size_t k = 0; k < sizeof across / sizeof across[0]; k++) {
      double y = across[k][0], z = across[k][1];
      ct_vec3 v[5] = {
          {0, 0, 0}, {1, 0, 0}, {0.25, turn, !turn}, {0.5, turn ? y : z, turn ? z : y}, {9, 9, 9}};
      CHECK_INT(couple(v, (uint32_t[3]){1, 0, 3}),
                y == 1 && z == 0 ? CT_MESH_SELF_INTERSECTING : CT_MESH_SELF_FREE);
    }
  }
}

/* One corner is shared; the other triangle's far side is below, in or above the plane of the first.
 */
static void beyond_a_common_corner_triangles_meet_or_not(void) {
  ct_vec3 v[5] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}};
  const uint32_t fan[3] = {0, 3, 4};
  CHECK_INT(couple(v, fan), CT_MESH_SELF_INTERSECTING);
  v[4] = ct_vec(1, 1, -0x1p-60);
  CHECK_INT(couple(v, fan), CT_MESH_SELF_FREE);
  v[4] = ct_vec(1, 1, 0);
  CHECK_INT(couple(v, fan), CT_MESH_SELF_INTERSECTING);
  v[3] = ct_vec(-1, 0, 0), v[4] = ct_vec(-1, -1, 0);
  CHECK_INT(couple(v, fan), CT_MESH_SELF_FREE);
  v[3] = ct_vec(8, 0, 0), v[4] = ct_vec(8, -1, 0); /* overlapping collinear sides */
  CHECK_INT(couple(v, fan), CT_MESH_SELF_INTERSECTING);
}

/* A sheet and 500 closed boxes: no self-intersection. */
static void sound_meshes_of_many_triangles_do_not_meet_themselves(void) {
  soup s = {0};
  uint32_t t[2];
  soup_sheet(&s, 100);
  CHECK_INT(self_of(&s, t), CT_MESH_SELF_FREE);
  s = (soup){0};
  for (int i = 0; i < 500; i++) {
    ct_vec3 low = {i % 10, i / 10 % 10, i / 100};
    soup_box(&s, low, ct_add(low, ct_vec(0.75, 0.75, 0.75)));
  }
  CHECK_INT(self_of(&s, t), CT_MESH_SELF_FREE);
}

/* A closed cylinder with a fan from the middle of either cap. */
static soup cylinder(uint32_t sides) {
  soup s = {0};
  uint32_t low = soup_vertex(&s, ct_vec(0, 0, -1)), high = soup_vertex(&s, ct_vec(0, 0, 1)),
           base = s.vn;
  for (uint32_t i = 0; i < sides; i++) {
    double phi = 2.0 * SOUP_PI * i / sides;
    soup_vertex(&s, ct_vec(cos(phi), sin(phi), -1));
    soup_vertex(&s, ct_vec(cos(phi), sin(phi), 1));
  }
  for (uint32_t i = 0; i < sides; i++) {
    uint32_t a = base + 2 * i, b = base + 2 * ((i + 1) % sides);
    soup_triangle(&s, low, b, a);
    soup_triangle(&s, high, a + 1, b + 1);
    soup_triangle(&s, a, b, b + 1);
    soup_triangle(&s, a, b + 1, a + 1);
  }
  return s;
}

/* Triangles of a fan share a corner and a plane, and the boxes of stretched triangles overlap:
 * planes through their sides separate them. */
static void fans_and_stretched_triangles_do_not_meet(void) {
  uint32_t t[2], counts[] = {3, 17, 800, 2000};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    soup s = cylinder(counts[k]);
    CHECK_INT(self_of(&s, t), CT_MESH_SELF_FREE);
  }
  static const double slopes[][2] = {{1, 3}, {-7, 0.3}, {1e-3, 40}};
  for (size_t k = 0; k < sizeof slopes / sizeof slopes[0]; k++) {
    soup s = {0};
    soup_sheet(&s, 120);
    for (uint32_t i = 0; i < s.vn; i++)
      s.v[i].z = slopes[k][0] * s.v[i].x + slopes[k][1] * s.v[i].y;
    CHECK_INT(self_of(&s, t), CT_MESH_SELF_FREE);
  }
}

/* The fan of a cap: one corner of its rim moves along the edge until it overlaps the next triangle.
 */
static void a_fan_that_laps_over_meets_itself(void) {
  uint32_t t[2];
  soup s = {0};
  uint32_t middle = soup_vertex(&s, ct_vec(0, 0, 0));
  for (uint32_t i = 0; i < 200; i++) soup_vertex(&s, ct_vec(1, i, i));
  /* Every second sector is left out, so that the others share the centre alone; the last one begins
   * inside the one before. */
  for (uint32_t i = 1; i + 1 < 200; i += 2) soup_triangle(&s, middle, i, i + 1);
  soup good = {0};
  for (uint32_t i = 0; i < s.vn; i++) soup_vertex(&good, s.v[i]);
  for (uint32_t i = 0; i < s.tn; i++) soup_triangle(&good, s.t[i][0], s.t[i][1], s.t[i][2]);
  CHECK_INT(self_of(&good, t), CT_MESH_SELF_FREE);
  s.v[197] = ct_vec(2, 2 * 194.5, 2 * 194.5);
  CHECK_INT(self_of(&s, t), CT_MESH_SELF_INTERSECTING);
}

/* Slivers side by side along the space diagonal: every box overlaps every other. */
static soup slivers(uint32_t count) {
  soup s = {0};
  for (uint32_t i = 0; i < count; i++) {
    ct_vec3 a = {0.001 * i, -0.001 * i, 0.0};
    uint32_t first = soup_vertex(&s, a);
    soup_vertex(&s, ct_add(a, ct_vec(100, 100, 100)));
    soup_vertex(&s, ct_add(a, ct_vec(0, 0, 0.0001)));
    soup_triangle(&s, first, first + 1, first + 2);
  }
  return s;
}

static void a_search_that_would_take_too_long_ends_unknown(void) {
  uint32_t t[2];
  soup few = slivers(100), many = slivers(5000);
  CHECK_INT(self_of(&few, t), CT_MESH_SELF_FREE);
  CHECK_INT(self_of(&many, t), CT_MESH_SELF_UNKNOWN);
}

static void meshes_beyond_a_number_of_triangles_are_not_looked_at(void) {
  uint32_t t[2];
  soup s = {0};
  soup_sheet(&s, 353); /* 249,218 triangles */
  CHECK_INT(self_of(&s, t), CT_MESH_SELF_FREE);
  s = (soup){0};
  soup_sheet(&s, 354); /* 250,632 */
  CHECK_INT(self_of(&s, t), CT_MESH_SELF_UNKNOWN);
}

static void a_raised_flag_stops_the_computation(void) {
  soup s = {0};
  soup_sheet(&s, 100);
  ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn, NULL};
  ct_mesh *mesh = NULL;
  ct_cancel *cancel = ct_cancel_create();
  ct_mesh_self_intersection self = CT_MESH_SELF_INTERSECTING;
  uint32_t t[2];
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, NULL, &mesh, NULL), CT_OK);
  ct_cancel_raise(cancel);
  CHECK_INT(ct_mesh_self_test(mesh, cancel, &self, t), CT_CANCELLED);
  CHECK_INT(self, CT_MESH_SELF_INTERSECTING);
  ct_cancel_destroy(cancel);
  ct_mesh_release(mesh);
  soup_free(&s);
}

static const check_test tests[] = {
    {"boxes_meet_when_they_touch", boxes_meet_when_they_touch},
    {"a_hinge_meets_itself_when_it_is_shut", a_hinge_meets_itself_when_it_is_shut},
    {"beyond_a_common_corner_triangles_meet_or_not", beyond_a_common_corner_triangles_meet_or_not},
    {"sound_meshes_of_many_triangles_do_not_meet_themselves",
     sound_meshes_of_many_triangles_do_not_meet_themselves},
    {"fans_and_stretched_triangles_do_not_meet", fans_and_stretched_triangles_do_not_meet},
    {"a_fan_that_laps_over_meets_itself", a_fan_that_laps_over_meets_itself},
    {"meshes_beyond_a_number_of_triangles_are_not_looked_at",
     meshes_beyond_a_number_of_triangles_are_not_looked_at},
    {"a_search_that_would_take_too_long_ends_unknown",
     a_search_that_would_take_too_long_ends_unknown},
    {"a_raised_flag_stops_the_computation", a_raised_flag_stops_the_computation},
};
CHECK_MAIN(tests)
