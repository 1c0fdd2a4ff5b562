/* The order of shapes by content: the same for copies and for a capsule that is a ball, reversed by a swap, a chain over many. */
#include "shape/compare.h"

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
    {"copies_are_equal_and_the_order_is_one_chain", copies_are_equal_and_the_order_is_one_chain},
};

CHECK_MAIN(tests)
