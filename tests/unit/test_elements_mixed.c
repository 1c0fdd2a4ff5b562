/* Elements of all types: mass in closed form; the forms of the arrays; refused corners, solids and
 * faces, and the element and face that each fault names. */
#include "shape/shape_compare.h"
#include "tests/support/blocks.h"

/* ---- types of elements ---------------------------------------------------------------------- */

/* One element of each type in closed form: volume, centre, and inertia about it for unit density.
 */
static void each_type_has_the_mass_of_its_solid(void) {
  static const struct {
    uint32_t corners;
    ct_vec3 p[8];
    double volume;
    ct_vec3 center, moments, products; /* products: integrals of xy, yz, zx about the centre */
  } cases[] = {
      /* x, y, z >= 0, x + y + z <= 1: integral of x^2 1/60, of xy 1/120; about the centre 1/160 and
         -1/480. */
      {4,
       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
       1.0 / 6,
       {0.25, 0.25, 0.25},
       {1.0 / 80, 1.0 / 80, 1.0 / 80},
       {-1.0 / 480, -1.0 / 480, -1.0 / 480}},
      /* Base [-1, 1]^2, apex at height 3: V = 4, integral of x^2 4 / 5, of (z - 3/4)^2 27 / 20. */
      {5,
       {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 3}},
       4.0,
       {0, 0, 0.75},
       {0.8 + 1.35, 0.8 + 1.35, 1.6},
       {0, 0, 0}},
      /* The right triangle with legs 1 times a length of 2: V = 1, integrals of x^2 about the
         centre 1/18, of xy -1/36, of z^2 1/3. */
      {6,
       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}, {1, 0, 2}, {0, 1, 2}},
       1.0,
       {1.0 / 3, 1.0 / 3, 1},
       {1.0 / 18 + 1.0 / 3, 1.0 / 18 + 1.0 / 3, 1.0 / 9},
       {-1.0 / 36, 0, 0}},
      {8,
       {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}, {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}},
       6.0,
       {0.5, 1, 1.5},
       {6.5, 5, 2.5},
       {0, 0, 0}}};
  static const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint8_t count = (uint8_t)cases[i].corners;
    const ct_elements_data data = {.type = CT_MIXED_ELEMENTS,
                                   .vertices = cases[i].p,
                                   .vertex_count = count,
                                   .corners = corners,
                                   .element_count = 1,
                                   .corner_counts = &count};
    ct_elements *elements = NULL;
    ct_mass_properties mass;
    CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_OK);
    ct_shape shape = ct_shape_of_elements(elements);
    CHECK_INT(shape.kind, CT_KIND_ELEMENTMESH);
    CHECK(ct_shape_mass(&shape, 1.0, &mass));
    CHECK_NEAR(mass.volume, cases[i].volume, 1e-15 * cases[i].volume);
    CHECK_NEAR(ct_norm(ct_sub(mass.center, cases[i].center)), 0, 1e-15);
    CHECK_NEAR(mass.inertia.rx.x, cases[i].moments.x, 1e-14 * cases[i].volume);
    CHECK_NEAR(mass.inertia.ry.y, cases[i].moments.y, 1e-14 * cases[i].volume);
    CHECK_NEAR(mass.inertia.rz.z, cases[i].moments.z, 1e-14 * cases[i].volume);
    CHECK_NEAR(mass.inertia.rx.y, -cases[i].products.x, 1e-14 * cases[i].volume);
    CHECK_NEAR(mass.inertia.ry.z, -cases[i].products.y, 1e-14 * cases[i].volume);
    CHECK_NEAR(mass.inertia.rz.x, -cases[i].products.z, 1e-14 * cases[i].volume);
    CHECK_INT(ct_mesh_get(shape.mesh)->triangle_count, count == 4   ? 4
                                                       : count == 5 ? 6
                                                       : count == 6 ? 8
                                                                    : 12);
    ct_elements_release(elements);
  }
}

static void a_mixed_block_has_the_volume_of_its_cells_and_roofs(void) {
  static const uint32_t sizes[][3] = {{1, 1, 1}, {2, 1, 3}, {4, 3, 2}, {5, 5, 1}};
  for (size_t i = 0; i < 4; i++) {
    const uint32_t *n = sizes[i];
    block b = block_make(CT_MIXED_ELEMENTS, n[0], n[1], n[2]);
    ct_elements *elements = block_elements(&b);
    double pairs = (n[0] - 1.0) * n[1] + n[0] * (n[1] - 1.0), columns = n[0] * n[1];
    double volume = columns * (n[2] + 1.0 / 6) + pairs / 12;
    CHECK_NEAR(ct_elements_get(elements)->volume, volume, 1e-14 * volume);
    ct_elements_release(elements);
    block_free(&b);
  }
}

/* Corners packed, or at a stride of the largest type, or a mesh of one type given as mixed: the
 * same elements. */
static void the_forms_of_the_arrays_make_the_same_elements(void) {
  block b = block_make(CT_MIXED_ELEMENTS, 2, 2, 1);
  uint32_t *packed = malloc(8 * b.en * sizeof *packed), count = 0;
  if (!packed) abort();
  for (uint32_t e = 0; e < b.en; e++)
    for (uint32_t k = 0; k < b.n[e]; k++) packed[count++] = b.c[8 * e + k];
  ct_elements_data data = block_data(&b);
  ct_elements *strided = block_elements(&b), *side_by_side = NULL, *moved = NULL;
  data.corners = packed;
  data.corner_stride = 0;
  CHECK_INT(ct_elements_create(&data, NULL, &side_by_side, NULL), CT_OK);
  const ct_elements_view *view = ct_elements_get(strided);
  CHECK_INT(ct_elements_move(strided, view->vertices, NULL, NULL, &moved, NULL), CT_OK);
  const ct_shape shapes[3] = {ct_shape_of_elements(strided), ct_shape_of_elements(side_by_side),
                              ct_shape_of_elements(moved)};
  CHECK_INT(ct_shape_compare(&shapes[0], &shapes[1]), 0);
  CHECK_INT(ct_shape_compare(&shapes[0], &shapes[2]), 0);
  for (int i = 0; i < 3; i++) ct_shape_release(&shapes[i]);
  free(packed);
  block_free(&b);
  b = block_make(CT_HEXAHEDRA, 2, 1, 1);
  uint8_t eights[2] = {8, 8};
  data = block_data(&b);
  ct_elements *hexahedra = block_elements(&b), *mixed = NULL;
  data.type = CT_MIXED_ELEMENTS;
  data.corner_counts = eights;
  CHECK_INT(ct_elements_create(&data, NULL, &mixed, NULL), CT_OK);
  const ct_elements_view *p = ct_elements_get(hexahedra), *q = ct_elements_get(mixed);
  CHECK(p->outer_count == q->outer_count &&
        memcmp(p->outer, q->outer, p->outer_count * sizeof *p->outer) == 0);
  CHECK(memcmp(p->corners, q->corners, 16 * sizeof *p->corners) == 0 && p->volume == q->volume);
  ct_elements_release(hexahedra);
  ct_elements_release(mixed);
  block_free(&b);
}

/* ---- refused elements ------------------------------------------------------------------------ */

/* A mixed mesh of the listed elements; returns the report of its refusal. */
static ct_elements_report refusal_of_mixed(const ct_vec3 *v, uint32_t vertices,
                                           const uint8_t *counts, uint32_t elements,
                                           const uint32_t *corners) {
  const ct_elements_data data = {.type = CT_MIXED_ELEMENTS,
                                 .vertices = v,
                                 .vertex_count = vertices,
                                 .corners = corners,
                                 .element_count = elements,
                                 .corner_counts = counts};
  ct_elements *none = NULL;
  ct_elements_report report = {0};
  CHECK_INT(ct_elements_create(&data, NULL, &none, &report), CT_BAD_ELEMENT);
  CHECK(none == NULL);
  return report;
}

/* The unit cube, its centre, and the cell's corners one unit above. */
static const ct_vec3 cube[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},    {0, 0, 1},
                               {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 2}};

static void wedges_and_pyramids_that_are_no_solids_are_named(void) {
  ct_elements_report r = refusal_of_mixed(cube, 9, (const uint8_t[]){6, 6}, 2,
                                          (const uint32_t[]){0, 1, 2, 4, 5, 6, 6, 7, 4, 2, 3, 0});
  CHECK_INT(r.fault, CT_ELEMENT_INVERTED);
  CHECK_INT(r.element, 1);
  CHECK_NEAR(r.tetrahedron_volume, -1.0 / 6.0, 1e-16);
  r = refusal_of_mixed(cube, 9, (const uint8_t[]){8, 5}, 2,
                       (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 8});
  CHECK_INT(r.fault, CT_ELEMENT_INVERTED);
  CHECK_INT(r.element, 1);
  /* Crossed sides, an apex in the plane of the base, a corner twice. */
  r = refusal_of_mixed(cube, 9, (const uint8_t[]){6}, 1, (const uint32_t[]){0, 1, 2, 5, 4, 6});
  CHECK_INT(r.fault, CT_ELEMENT_TWISTED);
  r = refusal_of_mixed(cube, 9, (const uint8_t[]){5}, 1, (const uint32_t[]){0, 1, 5, 4, 5});
  CHECK_INT(r.fault, CT_ELEMENT_REPEATED);
  CHECK_INT(r.corner, 4);
  const ct_vec3 low[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.25, 0.5, 0}};
  r = refusal_of_mixed(low, 5, (const uint8_t[]){5}, 1, (const uint32_t[]){0, 1, 2, 3, 4});
  CHECK_INT(r.fault, CT_ELEMENT_FLAT);
}

static void numbers_of_corners_that_no_element_has_are_refused(void) {
  static const uint32_t corners[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  static const uint8_t wrong[] = {0, 1, 2, 3, 7, 9, 255};
  for (size_t i = 0; i < sizeof wrong; i++) {
    ct_elements_report r = refusal_of_mixed(cube, 9, (const uint8_t[]){8, wrong[i]}, 2, corners);
    CHECK_INT(r.fault, CT_ELEMENT_CORNERS);
    CHECK_INT(r.element, 1);
  }
  CHECK_INT(refusal_of_mixed(cube, 9, NULL, 1, corners).fault, CT_ELEMENT_CORNERS);
}

/* A hexahedron under two tetrahedra that share its top, in either order; under a wedge that covers
 * half of it; and a third element on a quadrilateral. */
static void neighbours_share_whole_faces(void) {
  static const uint32_t roof[] = {4, 5, 6, 8, 6, 7, 4, 8}, cell[] = {0, 1, 2, 3, 4, 5, 6, 7};
  uint32_t corners[16];
  memcpy(corners, cell, sizeof cell);
  memcpy(corners + 8, roof, sizeof roof);
  ct_elements_report r = refusal_of_mixed(cube, 9, (const uint8_t[]){8, 4, 4}, 3, corners);
  CHECK_INT(r.fault, CT_ELEMENT_SPLIT);
  CHECK_INT(r.element, 1);
  CHECK_INT(r.face, 3);
  CHECK_INT(r.other, 0);
  memcpy(corners, roof, sizeof roof);
  memcpy(corners + 8, cell, sizeof cell);
  r = refusal_of_mixed(cube, 9, (const uint8_t[]){4, 4, 8}, 3, corners);
  CHECK_INT(r.fault, CT_ELEMENT_SPLIT);
  CHECK_INT(r.element, 2);
  CHECK_INT(r.face, 5);
  CHECK(r.other < 2);
  const ct_vec3 v[] = {cube[0], cube[1], cube[2],   cube[3],   cube[4],  cube[5],
                       cube[6], cube[7], {0, 0, 2}, {1, 0, 2}, {1, 1, 2}};
  r = refusal_of_mixed(v, 11, (const uint8_t[]){8, 6}, 2,
                       (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 8, 9, 10});
  CHECK_INT(r.fault, CT_ELEMENT_SPLIT);
  CHECK_INT(r.element, 1);
  CHECK_INT(r.face, 0);
  r = refusal_of_mixed(cube, 9, (const uint8_t[]){8, 5, 5}, 3,
                       (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 4, 5, 6, 7, 8});
  CHECK_INT(r.fault, CT_ELEMENT_CROWDED);
  CHECK_INT(r.element, 2);
  CHECK_INT(r.face, 0);
  CHECK_INT(r.other, 0);
}

static const check_test tests[] = {
    {"each_type_has_the_mass_of_its_solid", each_type_has_the_mass_of_its_solid},
    {"a_mixed_block_has_the_volume_of_its_cells_and_roofs",
     a_mixed_block_has_the_volume_of_its_cells_and_roofs},
    {"the_forms_of_the_arrays_make_the_same_elements",
     the_forms_of_the_arrays_make_the_same_elements},
    {"wedges_and_pyramids_that_are_no_solids_are_named",
     wedges_and_pyramids_that_are_no_solids_are_named},
    {"numbers_of_corners_that_no_element_has_are_refused",
     numbers_of_corners_that_no_element_has_are_refused},
    {"neighbours_share_whole_faces", neighbours_share_whole_faces},
};
CHECK_MAIN(tests)
