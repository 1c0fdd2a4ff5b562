/* The dynamic tree: invariants under every operation, closed boxes, height bounded for any order of
 * insertion. */
#include "tests/support/check.h"

#include <contact/broad.h>

#define COUNT 600

typedef struct hit_list {
  uint8_t seen[COUNT];
  size_t calls, stop_after;
} hit_list;

static bool note(void *context, uint32_t user) {
  hit_list *hits = context;
  hits->seen[user]++;
  return ++hits->calls != hits->stop_after;
}

static ct_aabb random_box(check_random *r, double side, double most) {
  ct_vec3 low =
      ct_vec(check_uniform(r, 0.0, side), check_uniform(r, 0.0, side), check_uniform(r, 0.0, side));
  return (ct_aabb){low, ct_add(low, ct_vec(check_uniform(r, 0.0, most), check_uniform(r, 0.0, most),
                                           check_uniform(r, 0.0, most)))};
}

static void check_query(const ct_tree *tree, const ct_aabb *boxes, const bool *there,
                        const ct_aabb *requested) {
  hit_list hits = {{0}, 0, 0};
  ct_tree_query(tree, requested, note, &hits, NULL);
  for (size_t i = 0; i < COUNT; i++)
    CHECK_INT(hits.seen[i], there[i] && ct_aabb_overlap(&boxes[i], requested));
}

static void an_empty_tree_answers_nothing(void) {
  ct_tree *tree = ct_tree_create();
  ct_aabb all = {{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}}, bounds;
  hit_list hits = {{0}, 0, 0};
  uint64_t tests = 0;
  ct_tree_query(tree, &all, note, &hits, &tests);
  CHECK_INT(hits.calls, 0);
  CHECK_INT(ct_tree_count(tree), 0);
  CHECK_INT(ct_tree_height(tree), 0);
  CHECK(!ct_tree_bounds(tree, &bounds));
  CHECK(ct_tree_valid(tree));
  CHECK_INT(ct_tree_build(tree, NULL, NULL, 0, NULL, NULL), CT_OK);
  CHECK(ct_tree_valid(tree));
  ct_tree_destroy(tree);
}

static void random_edits_keep_the_tree_right(void) {
  check_random r = {11};
  ct_tree *tree = ct_tree_create();
  static ct_aabb boxes[COUNT];
  static uint32_t proxies[COUNT];
  static bool there[COUNT];
  memset(there, 0, sizeof there);
  size_t count = 0;
  for (int step = 0; step < 8000; step++) {
    size_t i = check_next(&r) % COUNT;
    if (!there[i]) {
      boxes[i] = random_box(&r, 20.0, 2.0);
      CHECK_INT(ct_tree_insert(tree, &boxes[i], (uint32_t)i, &proxies[i]), CT_OK);
      there[i] = true;
      count++;
    } else if (check_next(&r) % 3 == 0) {
      ct_tree_remove(tree, proxies[i]);
      there[i] = false;
      count--;
    } else {
      /* Small and large steps alike. */
      ct_vec3 d = ct_scale(
          ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1)),
          step % 2 ? 0.05 : 10.0);
      boxes[i] = (ct_aabb){ct_add(boxes[i].min, d), ct_add(boxes[i].max, d)};
      ct_tree_move(tree, proxies[i], &boxes[i]);
      CHECK(memcmp(ct_tree_aabb(tree, proxies[i]), &boxes[i], sizeof boxes[i]) == 0);
    }
    if (step % 50 == 0) {
      CHECK(ct_tree_valid(tree));
      CHECK_INT(ct_tree_count(tree), count);
      ct_aabb requested = random_box(&r, 20.0, 6.0);
      check_query(tree, boxes, there, &requested);
    }
  }
  for (size_t i = 0; i < COUNT; i++)
    if (there[i]) ct_tree_remove(tree, proxies[i]);
  CHECK_INT(ct_tree_count(tree), 0);
  CHECK(ct_tree_valid(tree));
  ct_tree_destroy(tree);
}

static void a_clone_is_independent(void) {
  check_random r = {12};
  static ct_aabb boxes[COUNT];
  static uint32_t proxies[COUNT];
  static bool there[COUNT];
  for (size_t i = 0; i < COUNT; i++) boxes[i] = random_box(&r, 10.0, 1.0), there[i] = true;
  ct_tree *tree = ct_tree_create();
  CHECK_INT(ct_tree_build(tree, boxes, NULL, COUNT, proxies, NULL), CT_OK);
  ct_tree *copy = ct_tree_clone(tree);
  for (size_t i = 0; i < COUNT; i += 2) ct_tree_remove(tree, proxies[i]);
  ct_aabb far = {{100, 100, 100}, {101, 101, 101}};
  ct_tree_move(tree, proxies[1], &far);
  CHECK(ct_tree_valid(tree));
  CHECK(ct_tree_valid(copy));
  ct_aabb requested = {{2, 2, 2}, {8, 8, 8}};
  check_query(copy, boxes, there, &requested);
  uint32_t proxy;
  CHECK_INT(ct_tree_insert(copy, &far, 0, &proxy), CT_OK);
  CHECK(ct_tree_valid(copy));
  CHECK_INT(ct_tree_count(copy), COUNT + 1);
  ct_tree_destroy(tree);
  ct_tree_destroy(copy);
}

static void touching_boxes_overlap_and_a_hair_apart_they_do_not(void) {
  ct_tree *tree = ct_tree_create();
  ct_aabb box = {{0, 0, 0}, {1, 1, 1}};
  uint32_t proxy;
  CHECK_INT(ct_tree_insert(tree, &box, 3, &proxy), CT_OK);
  ct_aabb corner = {{1, 1, 1}, {1, 1, 1}}, off = {{1, 1, nextafter(1.0, 2.0)}, {2, 2, 2}};
  hit_list hits = {{0}, 0, 0};
  ct_tree_query(tree, &corner, note, &hits, NULL);
  CHECK_INT(hits.seen[3], 1);
  ct_tree_query(tree, &off, note, &hits, NULL);
  CHECK_INT(hits.calls, 1);
  ct_tree_destroy(tree);
}

static void a_visitor_can_stop_the_query(void) {
  check_random r = {13};
  static ct_aabb boxes[COUNT];
  for (size_t i = 0; i < COUNT; i++) boxes[i] = random_box(&r, 1.0, 1.0);
  ct_tree *tree = ct_tree_create();
  CHECK_INT(ct_tree_build(tree, boxes, NULL, COUNT, NULL, NULL), CT_OK);
  ct_aabb all = {{0, 0, 0}, {9, 9, 9}};
  hit_list hits = {{0}, 0, 7};
  ct_tree_query(tree, &all, note, &hits, NULL);
  CHECK_INT(hits.calls, 7);
  ct_tree_destroy(tree);
}

/* Inputs for which a tree grown by least surface area has a depth equal to its size. */
enum { LINE, SAME, NESTED, GEOMETRIC, SHRINKING, HALF_SPACES, FAMILY_COUNT };

static ct_aabb hard_box(int family, int i) {
  double s = ldexp(1.0, i / 2 - 400), t = (double)i;
  switch (family) {
  case LINE: return (ct_aabb){{t, 0, 0}, {t + 1.5, 1, 1}};
  case SAME: return (ct_aabb){{0, 0, 0}, {1, 1, 1}};
  case NESTED: return (ct_aabb){{-s, -s, -s}, {s, s, s}};
  case GEOMETRIC: return (ct_aabb){{s, 0, 0}, {s, 1, 1}};
  case SHRINKING: return (ct_aabb){{-1 / s, -1, -1}, {1 / s, 1, 1}};
  default: return (ct_aabb){{-INFINITY, -INFINITY, t}, {INFINITY, INFINITY, INFINITY}};
  }
}

static void no_order_makes_the_tree_deep(void) {
  const int count = 1600; /* log2: 10; the bound is 2 * 10 + 8 */
  ct_aabb *boxes = malloc((size_t)count * sizeof *boxes);
  for (int family = 0; family < FAMILY_COUNT; family++) {
    ct_tree *grown = ct_tree_create(), *built = ct_tree_create();
    for (int i = 0; i < count; i++) {
      uint32_t proxy;
      boxes[i] = hard_box(family, i);
      CHECK_INT(ct_tree_insert(grown, &boxes[i], (uint32_t)i, &proxy), CT_OK);
    }
    CHECK_INT(ct_tree_build(built, boxes, NULL, (size_t)count, NULL, NULL), CT_OK);
    CHECK(ct_tree_valid(grown));
    CHECK(ct_tree_valid(built));
    if (ct_tree_height(grown) > 28 || ct_tree_height(built) > 28)
      CHECK_FAIL("family %d: heights %u and %u, at most 28", family, ct_tree_height(grown),
                 ct_tree_height(built));
    ct_tree_destroy(grown);
    ct_tree_destroy(built);
  }
  free(boxes);
}

static void a_raised_flag_stops_building_and_leaves_the_tree_empty(void) {
  ct_aabb boxes[8];
  for (int i = 0; i < 8; i++) boxes[i] = (ct_aabb){{i, 0, 0}, {i + 0.5, 1, 1}};
  ct_tree *tree = ct_tree_create();
  ct_cancel *cancel = ct_cancel_create();
  CHECK_INT(ct_tree_build(tree, boxes, NULL, 8, NULL, cancel), CT_OK);
  ct_cancel_raise(cancel);
  CHECK_INT(ct_tree_build(tree, boxes, NULL, 8, NULL, cancel), CT_CANCELLED);
  CHECK_INT(ct_tree_count(tree), 0);
  CHECK(ct_tree_valid(tree));
  CHECK_INT(ct_tree_build(tree, boxes, NULL, 8, NULL, NULL), CT_OK);
  CHECK_INT(ct_tree_count(tree), 8);
  CHECK(ct_tree_valid(tree));
  ct_cancel_destroy(cancel);
  ct_tree_destroy(tree);
}

static const check_test tests[] = {
    {"a_raised_flag_stops_building_and_leaves_the_tree_empty",
     a_raised_flag_stops_building_and_leaves_the_tree_empty},
    {"an_empty_tree_answers_nothing", an_empty_tree_answers_nothing},
    {"random_edits_keep_the_tree_right", random_edits_keep_the_tree_right},
    {"a_clone_is_independent", a_clone_is_independent},
    {"touching_boxes_overlap_and_a_hair_apart_they_do_not",
     touching_boxes_overlap_and_a_hair_apart_they_do_not},
    {"a_visitor_can_stop_the_query", a_visitor_can_stop_the_query},
    {"no_order_makes_the_tree_deep", no_order_makes_the_tree_deep},
};

CHECK_MAIN(tests)
