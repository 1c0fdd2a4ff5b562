/* Broad phases against a double loop over all pairs, on families of boxes each of which is hard for
 * some method. */
#include "tests/support/check.h"

#include "broad/broad_methods.h"

#define COUNT 400

enum {
  UNIFORM,
  CLUSTERED,
  GRID,
  POINTS,
  HUGE_ONE,
  UNBOUNDED,
  ONE_AXIS,
  SAME,
  SCALES,
  DIAGONAL,
  FAR_AWAY,
  FAMILY_COUNT
};

static ct_aabb random_box(int family, check_random *r, size_t i) {
  double u = check_uniform(r, 0, 1), v = check_uniform(r, 0, 1), w = check_uniform(r, 0, 1),
         s = check_uniform(r, 0.05, 0.3);
  ct_vec3 p = {4 * u, 4 * v, 4 * w}, h = {s, s * v + 0.01, s * w + 0.01};
  switch (family) {
  case CLUSTERED: p = ct_scale(p, ldexp(1.0, -(int)(i % 12))); break;
  case GRID:
    p = ct_vec(floor(p.x * 2), floor(p.y * 2), floor(p.z * 2)), h = ct_vec(0.5, 0.5, 0.5);
    break;
  case POINTS: p = ct_vec(floor(p.x), floor(p.y), floor(p.z)), h = ct_vec(0, 0, 0); break;
  case HUGE_ONE:
    if (i == COUNT / 2) h = ct_vec(1e8, 1e8, 1e8);
    break;
  case UNBOUNDED:
    if (i % 10 == 0) h.z = INFINITY;
    break;
  case ONE_AXIS: p = ct_vec(400 * u, 0, 0); break;
  case SAME: p = ct_vec(1, 1, 1), h = ct_vec(1, 1, 1); break;
  case SCALES: h = ct_scale(h, pow(10.0, check_uniform(r, -6, 1))); break;
  case DIAGONAL: p = ct_vec(40 * u, 40 * u, 40 * u), h = ct_vec(2, 0.1, 0.1); break;
  case FAR_AWAY: p = ct_add(p, ct_vec(1e9, -1e9, 1e9)); break;
  default: break;
  }
  ct_aabb box = {ct_sub(p, h), ct_add(p, h)};
  if (family == UNBOUNDED && i % 20 == 0) box.min.z = p.z; /* a half-infinite box */
  if (family == UNBOUNDED && i % 50 == 0) box.min = ct_vec(-INFINITY, -INFINITY, -INFINITY);
  return box;
}

static size_t all_pairs(const ct_aabb *boxes, size_t boxes_count, ct_pair_index *pairs) {
  size_t count = 0;
  for (uint32_t i = 0; i < boxes_count; i++)
    for (uint32_t j = i + 1; j < boxes_count; j++)
      if (boxes[i].min.x <= boxes[j].max.x && boxes[j].min.x <= boxes[i].max.x &&
          boxes[i].min.y <= boxes[j].max.y && boxes[j].min.y <= boxes[i].max.y &&
          boxes[i].min.z <= boxes[j].max.z && boxes[j].min.z <= boxes[i].max.z)
        pairs[count++] = (ct_pair_index){i, j};
  return count;
}

static void every_method_gives_the_list_of_the_double_loop(void) {
  static ct_aabb boxes[COUNT];
  static ct_pair_index expected[COUNT * COUNT / 2];
  check_random r = {21};
  for (int family = 0; family < FAMILY_COUNT; family++) {
    for (size_t i = 0; i < COUNT; i++) boxes[i] = random_box(family, &r, i);
    size_t count = all_pairs(boxes, COUNT, expected);
    CHECK(count > 0);
    for (ct_broadphase requested = CT_BROADPHASE_AUTO; requested <= CT_BROADPHASE_BRUTE_FORCE;
         requested++) {
      ct_broad_options options = {requested, SIZE_MAX, NULL};
      ct_pair_list list = {NULL, 0, 0};
      ct_broad_statistics statistics;
      CHECK_INT(ct_broad_pairs(boxes, COUNT, &options, &list, &statistics), CT_OK);
      ct_broadphase method = statistics.method;
      CHECK(method != CT_BROADPHASE_AUTO &&
            (requested == CT_BROADPHASE_AUTO || method == requested));
      CHECK_INT(list.count, count);
      CHECK(list.count != count || memcmp(list.items, expected, count * sizeof *expected) == 0);
      CHECK((statistics.tree_height > 0) == (method == CT_BROADPHASE_TREE));
      CHECK_INT(statistics.full_sorts, method == CT_BROADPHASE_SWEEP);
      CHECK(method == CT_BROADPHASE_BRUTE_FORCE ? statistics.box_tests == COUNT * (COUNT - 1) / 2
                                                : statistics.box_tests > 0);
      ct_pair_list_free(&list);
    }
  }
}

/* Integer coordinates with many ties, and a cutoff so small that every step of the hybrid method
 * runs: no pair is duplicated, none is missing. */
static void the_hybrid_finds_each_pair_once_also_with_equal_bounds(void) {
  enum { MANY = 150 };
  static ct_aabb boxes[MANY];
  static ct_pair_index expected[MANY * MANY / 2];
  check_random r = {23};
  for (int scene = 0; scene < 400; scene++) {
    uint64_t side = 2 + check_next(&r) % 12;
    for (size_t i = 0; i < MANY; i++) {
      double v[6];
      for (int k = 0; k < 6; k++) v[k] = (double)(check_next(&r) % (k < 3 ? side : 3));
      boxes[i] = (ct_aabb){{v[0], v[1], v[2]}, {v[0] + v[3], v[1] + v[4], v[2] + v[5]}};
      if (scene % 4 == 0 && i % 40 == 0) boxes[i].max.y = INFINITY;
      if (scene % 4 == 0 && i % 56 == 0) boxes[i].min.z = -INFINITY;
    }
    size_t count = all_pairs(boxes, MANY, expected);
    for (size_t cutoff = 1; cutoff <= 64; cutoff *= 4) {
      ct_pair_list list = {NULL, 0, 0};
      ct_pair_output out = {.list = &list, .limit = SIZE_MAX};
      CHECK_INT(ct_broad_hybrid_cut(boxes, MANY, cutoff, &out), CT_OK);
      CHECK_INT(ct_pair_index_sort(list.items, list.count, MANY, NULL), CT_OK);
      CHECK_INT(list.count, count);
      CHECK(list.count != count || memcmp(list.items, expected, count * sizeof *expected) == 0);
      ct_pair_list_free(&list);
    }
  }
}

/* Many small boxes side by side and one far away: a grid over all of them has overcrowded cells. */
static void a_crowded_grid_gives_up_in_time(void) {
  enum { MANY = 4000 };
  static ct_aabb boxes[MANY];
  check_random r = {24};
  for (size_t i = 0; i < MANY; i++) {
    ct_vec3 p = {check_uniform(&r, 0, 1), check_uniform(&r, 0, 1), check_uniform(&r, 0, 1)};
    if (i < 40) p = ct_vec(1e9, 0, 100.0 * (double)i);
    boxes[i] = (ct_aabb){p, ct_add(p, ct_vec(0.05, 0.05, 0.05))};
  }
  ct_broad_options grid = {CT_BROADPHASE_GRID, SIZE_MAX, NULL},
                   brute = {CT_BROADPHASE_BRUTE_FORCE, SIZE_MAX, NULL};
  ct_pair_list found = {NULL, 0, 0}, expected = {NULL, 0, 0};
  ct_broad_statistics statistics;
  CHECK_INT(ct_broad_pairs(boxes, MANY, &grid, &found, &statistics), CT_OK);
  CHECK_INT(ct_broad_pairs(boxes, MANY, &brute, &expected, NULL), CT_OK);
  CHECK(statistics.box_tests < MANY * (MANY - 1) / 2);
  CHECK_INT(found.count, expected.count);
  CHECK(found.count == expected.count &&
        memcmp(found.items, expected.items, found.count * sizeof *found.items) == 0);
  ct_pair_list_free(&found);
  ct_pair_list_free(&expected);
}

static void more_pairs_than_the_limit_are_refused_and_exactly_as_many_are_not(void) {
  ct_aabb boxes[300];
  for (size_t i = 0; i < 300; i++) boxes[i] = (ct_aabb){{0, 0, 0}, {1, 1, 1}};
  const size_t pairs = 300 * 299 / 2;
  for (ct_broadphase requested = CT_BROADPHASE_TREE; requested <= CT_BROADPHASE_BRUTE_FORCE;
       requested++) {
    ct_broad_options options = {requested, pairs - 1, NULL};
    ct_pair_list list = {NULL, 0, 0};
    CHECK_INT(ct_broad_pairs(boxes, 300, &options, &list, NULL), CT_PAIR_LIMIT);
    CHECK(!list.items && list.count == 0);
    options.limit = pairs;
    CHECK_INT(ct_broad_pairs(boxes, 300, &options, &list, NULL), CT_OK);
    CHECK_INT(list.count, pairs);
    ct_pair_list_free(&list);
    options.limit = 0;
    CHECK_INT(ct_broad_pairs(boxes, 2, &options, &list, NULL), CT_PAIR_LIMIT);
  }
}

static void a_raised_flag_cancels(void) {
  ct_cancel *cancel = ct_cancel_create();
  ct_aabb boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
  ct_pair_list list = {NULL, 0, 0};
  CHECK(!ct_cancel_raised(NULL));
  CHECK(!ct_cancel_raised(cancel));
  ct_cancel_raise(cancel);
  CHECK(ct_cancel_raised(cancel));
  for (ct_broadphase requested = CT_BROADPHASE_TREE; requested <= CT_BROADPHASE_BRUTE_FORCE;
       requested++) {
    ct_broad_options options = {requested, 10, cancel};
    CHECK_INT(ct_broad_pairs(boxes, 3, &options, &list, NULL), CT_CANCELLED);
    CHECK(!list.items);
  }
  ct_cancel_destroy(cancel);
}

static void no_boxes_and_one_box_have_no_pairs(void) {
  ct_aabb box = {{0, 0, 0}, {1, 1, 1}};
  for (size_t count = 0; count < 2; count++) {
    for (ct_broadphase requested = CT_BROADPHASE_AUTO; requested <= CT_BROADPHASE_BRUTE_FORCE;
         requested++) {
      ct_broad_options options = {requested, 10, NULL};
      ct_pair_list list = {NULL, 0, 0};
      CHECK_INT(ct_broad_pairs(&box, count, &options, &list, NULL), CT_OK);
      CHECK_INT(list.count, 0);
      ct_pair_list_free(&list);
    }
  }
}

typedef struct partner_list {
  uint8_t seen[COUNT];
} partner_list;

static bool note(void *context, uint32_t user) {
  ((partner_list *)context)->seen[user]++;
  return true;
}

/* A tree refitted over 100 frames gives the same pairs as a rebuilt one and as the double loop. */
static void a_tree_updated_over_100_frames_answers_like_a_new_one(void) {
  check_random r = {22};
  static ct_aabb boxes[COUNT];
  static ct_vec3 velocity[COUNT];
  static uint32_t proxies[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    boxes[i] = random_box(UNIFORM, &r, i);
    velocity[i] = ct_scale(
        ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1)),
        i % 10 ? 0.02 : 0.5);
  }
  ct_tree *moved = ct_tree_create(), *fresh = ct_tree_create();
  CHECK_INT(ct_tree_build(moved, boxes, NULL, COUNT, proxies, NULL), CT_OK);
  for (int frame = 0; frame < 100; frame++) {
    for (size_t i = 0; i < COUNT; i++) {
      boxes[i] = (ct_aabb){ct_add(boxes[i].min, velocity[i]), ct_add(boxes[i].max, velocity[i])};
      if (ct_max_abs(boxes[i].min) > 4.0) velocity[i] = ct_neg(velocity[i]);
      ct_tree_move(moved, proxies[i], &boxes[i]);
    }
    CHECK(ct_tree_valid(moved));
    CHECK_INT(ct_tree_build(fresh, boxes, NULL, COUNT, NULL, NULL), CT_OK);
    for (size_t i = 0; i < COUNT; i++) {
      partner_list a = {{0}}, b = {{0}};
      ct_tree_query(moved, &boxes[i], note, &a, NULL);
      ct_tree_query(fresh, &boxes[i], note, &b, NULL);
      CHECK(memcmp(&a, &b, sizeof a) == 0);
      for (size_t j = 0; j < COUNT; j++)
        if (a.seen[j] != ct_aabb_overlap(&boxes[i], &boxes[j]))
          CHECK_FAIL("frame %d, boxes %zu and %zu: %d", frame, i, j, a.seen[j]);
    }
  }
  ct_tree_destroy(moved);
  ct_tree_destroy(fresh);
}

static const check_test tests[] = {
    {"every_method_gives_the_list_of_the_double_loop",
     every_method_gives_the_list_of_the_double_loop},
    {"the_hybrid_finds_each_pair_once_also_with_equal_bounds",
     the_hybrid_finds_each_pair_once_also_with_equal_bounds},
    {"a_crowded_grid_gives_up_in_time", a_crowded_grid_gives_up_in_time},
    {"more_pairs_than_the_limit_are_refused_and_exactly_as_many_are_not",
     more_pairs_than_the_limit_are_refused_and_exactly_as_many_are_not},
    {"a_raised_flag_cancels", a_raised_flag_cancels},
    {"no_boxes_and_one_box_have_no_pairs", no_boxes_and_one_box_have_no_pairs},
    {"a_tree_updated_over_100_frames_answers_like_a_new_one",
     a_tree_updated_over_100_frames_answers_like_a_new_one},
};

CHECK_MAIN(tests)
