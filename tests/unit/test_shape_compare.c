/* The order of shapes by content: equal for copies and for a capsule that is a ball, antisymmetric,
 * a total order over many shapes. */
#include "shape/shape_compare.h"

#include "tests/oracle/pair_cases.h"

#define COUNT 60

static void capsule_that_is_a_ball_is_its_sphere(void) {
  const ct_shape sphere = {.kind = CT_KIND_SPHERE, .sphere = {0.5}};
  const ct_shape none = {.kind = CT_KIND_CAPSULE, .capsule = {0.0, 0.25, 0.5}};
  const ct_shape off = {.kind = CT_KIND_CAPSULE, .capsule = {0.125, 0.5, 0.25}};
  const ct_shape longer = {.kind = CT_KIND_CAPSULE, .capsule = {0.25, 0.5, 0.25}};
  CHECK_INT(ct_shape_compare(&sphere, &none), 0);
  CHECK_INT(ct_shape_content_kind(&off), CT_KIND_SPHERE);
  CHECK(ct_shape_compare(&off, &sphere) != 0);
  CHECK_INT(ct_shape_content_kind(&longer), CT_KIND_CAPSULE);
  CHECK(ct_shape_compare(&sphere, &longer) < 0);
}

/* Different notations of the same body, and the kinds that they count as. */
static void spellings_of_one_body_are_equal(void) {
  const ct_shape pairs[][2] = {
      {{.kind = CT_KIND_SPHERE, .sphere = {0.75}},
       {.kind = CT_KIND_SPHERE, .sphere = {0.5}, .margin = 0.25}},
      {{.kind = CT_KIND_SPHERE, .sphere = {0.75}},
       {.kind = CT_KIND_SPHERE, .sphere = {0.5}, .rounding = 0.25}},
      {{.kind = CT_KIND_SPHERE, .sphere = {0.75}},
       {.kind = CT_KIND_SPHERE, .sphere = {0.75}, .rounding = 0.25, .inset = true}},
      {{.kind = CT_KIND_SPHERE, .sphere = {0.5}},
       {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{0.5, 0.5, 0.5}}}},
      {{.kind = CT_KIND_CAPSULE, .capsule = {1, 0.75, 0.5}},
       {.kind = CT_KIND_CAPSULE, .capsule = {1, 0.5, 0.25}, .margin = 0.25}},
      {{.kind = CT_KIND_CYLINDER, .cylinder = {0.5, 1}},
       {.kind = CT_KIND_CONE, .cone = {1, 0.5, 0.5}}},
      {{.kind = CT_KIND_CYLINDER, .cylinder = {0.5, 1}, .rounding = 0.25, .inset = true},
       {.kind = CT_KIND_CYLINDER, .cylinder = {0.25, 0.75}, .margin = 0.25}},
      {{.kind = CT_KIND_BOX, .box = {{1, 1, 1}}, .rounding = 0.25},
       {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}, .margin = 0.25}},
      {{.kind = CT_KIND_PLANE, .margin = 0.5}, {.kind = CT_KIND_PLANE, .rounding = 0.5}}};
  const ct_kind kinds[] = {CT_KIND_SPHERE,   CT_KIND_SPHERE,  CT_KIND_SPHERE,
                           CT_KIND_SPHERE,   CT_KIND_CAPSULE, CT_KIND_CYLINDER,
                           CT_KIND_CYLINDER, CT_KIND_BOX,     CT_KIND_PLANE};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int k = 0; k < 2; k++) {
      CHECK_INT(ct_shape_content_kind(&pairs[i][k]), kinds[i]);
      CHECK_INT(ct_shape_compare(&pairs[i][k], &pairs[i][1 - k]), 0);
    }
}

/* Each differs from the others in one member. */
static void different_bodies_are_one_chain(void) {
  const ct_shape shapes[] = {
      {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}},
      {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}, .margin = 0.25},
      {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}, .margin = 0.5},
      {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}, .rounding = 0.25, .inset = true},
      {.kind = CT_KIND_CYLINDER, .cylinder = {1, 1}},
      {.kind = CT_KIND_CYLINDER, .cylinder = {1, 2}},
      {.kind = CT_KIND_CYLINDER, .cylinder = {1, 1}, .margin = 0.25},
      {.kind = CT_KIND_CONE, .cone = {1, 1, 0}},
      {.kind = CT_KIND_CONE, .cone = {1, 0, 1}},
      {.kind = CT_KIND_CONE, .cone = {1, 1, 0}, .rounding = 0.25, .inset = true},
      {.kind = CT_KIND_CONE, .cone = {1, 0, 1}, .rounding = 0.25, .inset = true},
      {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1, 1, 2}}},
      {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1, 2, 1}}},
      {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1, 2, 1}}, .rounding = 0.25},
      {.kind = CT_KIND_PLANE},
      {.kind = CT_KIND_PLANE, .margin = 0.25}};
  enum { N = sizeof shapes / sizeof *shapes };
  for (int i = 0; i < N; i++) {
    int before = 0;
    for (int j = 0; j < N; j++) {
      int order = ct_shape_compare(&shapes[j], &shapes[i]);
      CHECK_INT(order, -ct_shape_compare(&shapes[i], &shapes[j]));
      CHECK((order == 0) == (i == j));
      before += order < 0;
    }
    /* A total order: each shape has a different number of predecessors. */
    for (int j = 0; j < i; j++) {
      int others = 0;
      for (int k = 0; k < N; k++) others += ct_shape_compare(&shapes[k], &shapes[j]) < 0;
      CHECK(others != before);
    }
  }
}

static const ct_mesh *mesh_of(const uint32_t (*triangles)[3], ct_mesh_reading reading) {
  const ct_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ct_mesh *mesh = NULL;
  CHECK_INT(
      ct_mesh_create(&(ct_mesh_data){corners, 4, triangles, 4, NULL}, reading, NULL, &mesh, NULL),
      CT_OK);
  return mesh;
}

static void meshes_are_told_apart_by_reading_and_triangles(void) {
  const uint32_t one[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
                 other[][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  const ct_shape shapes[] = {{.kind = CT_KIND_MESH, .mesh = mesh_of(one, CT_MESH_SOLID)},
                             {.kind = CT_KIND_MESH, .mesh = mesh_of(one, CT_MESH_SOLID)},
                             {.kind = CT_KIND_MESH, .mesh = mesh_of(one, CT_MESH_SURFACE)},
                             {.kind = CT_KIND_MESH, .mesh = mesh_of(other, CT_MESH_SOLID)}};
  CHECK_INT(ct_shape_compare(&shapes[0], &shapes[1]), 0);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      CHECK_INT(ct_shape_compare(&shapes[i], &shapes[j]),
                -ct_shape_compare(&shapes[j], &shapes[i]));
      if (i != j && i + j != 1) CHECK(ct_shape_compare(&shapes[i], &shapes[j]) != 0);
    }
  for (int i = 0; i < 4; i++) ct_shape_release(&shapes[i]);
}

static int by_content(const void *a, const void *b) { return ct_shape_compare(a, b); }

static void copies_are_equal_and_the_order_is_one_chain(void) {
  check_random r = {61};
  pair_body bodies[COUNT];
  ct_shape sorted[2 * COUNT];
  for (int i = 0; i < COUNT; i++) {
    make_body(&bodies[i], random_kind(&r), &r, 1.0, ct_vec(1, 1, 1));
    sorted[2 * i] = bodies[i].shape;
    if (bodies[i].count) CHECK(make_hull(&bodies[i]));
    sorted[2 * i + 1] = bodies[i].shape;
    CHECK_INT(ct_shape_compare(&sorted[2 * i], &sorted[2 * i + 1]), 0);
  }
  qsort(sorted, 2 * COUNT, sizeof *sorted, by_content);
  for (int i = 0; i < 2 * COUNT; i++)
    for (int j = 0; j < 2 * COUNT; j++) {
      int order = ct_shape_compare(&sorted[i], &sorted[j]);
      CHECK_INT(order, i / 2 == j / 2 ? 0 : i < j ? -1 : 1);
    }
  for (int i = 0; i < 2 * COUNT; i++) ct_shape_release(&sorted[i]);
}

static const check_test tests[] = {
    {"capsule_that_is_a_ball_is_its_sphere", capsule_that_is_a_ball_is_its_sphere},
    {"spellings_of_one_body_are_equal", spellings_of_one_body_are_equal},
    {"different_bodies_are_one_chain", different_bodies_are_one_chain},
    {"meshes_are_told_apart_by_reading_and_triangles",
     meshes_are_told_apart_by_reading_and_triangles},
    {"copies_are_equal_and_the_order_is_one_chain", copies_are_equal_and_the_order_is_one_chain},
};

CHECK_MAIN(tests)
