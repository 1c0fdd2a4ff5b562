/* Grids: comparison of quantised boxes with and without SIMD lanes; ends that touch or miss by one
 * bit; rows and levels with large gaps. */
#include "tests/support/check.h"

#include "broad/grid.h"

static int16_t random_number(check_random *r) {
  static const int16_t edges[] = {
      0, 1, -1, INT16_MIN, INT16_MIN + 1, INT16_MAX, INT16_MAX - 1, 0x1fff, 0x2000, -0x2000};
  uint64_t dice = check_next(r);
  return dice % 4 ? (int16_t)(uint16_t)(dice >> 16)
                  : edges[dice / 4 % (sizeof edges / sizeof edges[0])];
}

static ct_grid_box random_grid_box(check_random *r) {
  ct_grid_box box = {.id = (uint32_t)check_next(r)};
  for (int axis = 0; axis < 3; axis++) {
    box.lower[axis] = random_number(r);
    box.minus_upper[axis] = random_number(r);
  }
  return box;
}

/* Compares ends as integers modulo 2^16: differences below half the range keep their sign. */
static bool overlap_by_definition(const ct_grid_box *a, const ct_grid_box *b) {
  for (int axis = 0; axis < 3; axis++) {
    int above = (-a->minus_upper[axis] - b->lower[axis]) % 65536,
        below = (-b->minus_upper[axis] - a->lower[axis]) % 65536;
    if ((above + 65536) % 65536 >= 32768 || (below + 65536) % 65536 >= 32768) return false;
  }
  return true;
}

static void lanes_and_plain_code_agree_with_the_definition(void) {
  check_random r = {31};
  int overlaps = 0;
  for (int i = 0; i < 200000; i++) {
    ct_grid_box a = random_grid_box(&r), b = random_grid_box(&r);
    bool overlap = overlap_by_definition(&a, &b);
    overlaps += overlap;
    if ((ct_grid_apart(ct_grid_query_box(&a), &b) == 0) != overlap ||
        (ct_grid_apart_plain(&a, &b) == 0) != overlap)
      CHECK_FAIL("pair %d: %d expected", i, overlap);
  }
  CHECK(overlaps > 100);
}

static void a_run_gives_the_places_that_overlap(void) {
  enum { MANY = 500 };
  static ct_grid_box boxes[MANY];
  uint64_t hits[MANY];
  check_random r = {32};
  for (int i = 0; i < MANY; i++) boxes[i] = random_grid_box(&r);
  for (int i = 0; i < MANY; i++) {
    uint32_t from = (uint32_t)(check_next(&r) % MANY),
             to = from + (uint32_t)(check_next(&r) % (MANY - from + 1));
    size_t count = ct_grid_test(ct_grid_query_box(&boxes[i]), boxes, from, to, 7ull << 32, hits),
           expected = 0;
    for (uint32_t k = from; k < to; k++)
      if (overlap_by_definition(&boxes[i], &boxes[k]))
        CHECK(expected < count && hits[expected++] == (7ull << 32 | k));
    CHECK_INT(count, expected);
  }
}

static void quanta_reverse_no_order(void) {
  check_random r = {33};
  for (int scene = 0; scene < 1000; scene++) {
    double origin = check_uniform(&r, -1, 1) * ldexp(1.0, (int)(check_next(&r) % 60) - 30),
           inverse = ldexp(check_uniform(&r, 1, 2), (int)(check_next(&r) % 40) - 10), v = origin;
    int64_t before = 0;
    for (int step = 0; step < 100; step++) {
      v = step % 3 ? nextafter(v, INFINITY) : v + check_uniform(&r, 0, 3) / inverse;
      int64_t quanta = ct_grid_quanta(v, origin, inverse);
      if (quanta < before) CHECK_FAIL("scene %d, step %d", scene, step);
      before = quanta;
    }
    CHECK(before > 0);
  }
}

static void check_against_all_pairs(const ct_aabb *boxes, size_t count) {
  ct_broad_options grid = {CT_BROADPHASE_GRID, SIZE_MAX, NULL};
  ct_pair_list found = {NULL, 0, 0};
  CHECK_INT(ct_broad_pairs(boxes, count, &grid, &found, NULL), CT_OK);
  size_t k = 0, wrong = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = i + 1; j < count; j++) {
      const ct_aabb *a = &boxes[i], *b = &boxes[j];
      if (a->min.x > b->max.x || b->min.x > a->max.x || a->min.y > b->max.y ||
          b->min.y > a->max.y || a->min.z > b->max.z || b->min.z > a->max.z)
        continue;
      if (k < found.count && found.items[k].i == i && found.items[k].j == j) k++;
      else wrong++;
    }
  CHECK_INT(wrong, 0);
  CHECK_INT(found.count, k);
  CHECK(k > 0);
  ct_pair_list_free(&found);
}

enum { BOXES = 1500 };
static ct_aabb boxes_of_scene[BOXES];

/* Boxes side by side whose ends are equal or one bit apart, at coordinates where doubles are
 * coarse. */
static void ends_that_touch_or_miss_by_one_bit(void) {
  check_random r = {34};
  for (int scene = 0; scene < 12; scene++) {
    double offset = scene % 3 == 0   ? 0.0
                    : scene % 3 == 1 ? 1e6
                                     : -3e14,
           edge = scene % 2 ? 0.1 : 1.0;
    for (int i = 0; i < BOXES; i++) {
      double end[6];
      for (int axis = 0; axis < 3; axis++) {
        uint64_t dice = check_next(&r);
        double low = offset + (double)(dice % 11) * edge,
               high = offset + (double)(dice % 11 + 1) * edge;
        end[axis] = dice / 11 % 3 == 0 ? nextafter(low, INFINITY) : low;
        end[axis + 3] = dice / 33 % 3 == 0 ? nextafter(high, -INFINITY) : high;
        if (!(end[axis] <= end[axis + 3])) end[axis + 3] = end[axis];
      }
      boxes_of_scene[i] = (ct_aabb){{end[0], end[1], end[2]}, {end[3], end[4], end[5]}};
    }
    check_against_all_pairs(boxes_of_scene, BOXES);
  }
}

/* Along each axis in turn a few distant clusters with empty cells between them. */
static void rows_with_large_gaps(void) {
  check_random r = {35};
  for (int axis = 0; axis < 3; axis++)
    for (int i = 0; i < BOXES; i++) {
      double p[3] = {check_uniform(&r, 0, 4), check_uniform(&r, 0, 4), check_uniform(&r, 0, 4)};
      p[axis] += (double)(check_next(&r) % 30) * 57.0;
      boxes_of_scene[i] = (ct_aabb){{p[0], p[1], p[2]}, {p[0] + 0.7, p[1] + 0.9, p[2] + 0.8}};
      if (i == BOXES - 1) check_against_all_pairs(boxes_of_scene, BOXES);
    }
}

/* Sizes over six decades, dense enough for several levels; some boxes are flat, some are points,
 * some are infinite or too large for a grid. */
static void levels_and_boxes_without_one(void) {
  check_random r = {36};
  for (int scene = 0; scene < 20; scene++) {
    for (int i = 0; i < BOXES; i++) {
      double s = pow(10.0, check_uniform(&r, -5, scene % 4 ? 0 : 1)), room = scene % 5 ? 1.0 : 0.02;
      ct_vec3 p = {room * check_uniform(&r, 0, 1), room * check_uniform(&r, 0, 1),
                   room * check_uniform(&r, 0, 1)},
              e = {s, s * check_uniform(&r, 0, 1), s * check_uniform(&r, 0, 1)};
      uint64_t dice = check_next(&r) % 100;
      if (dice < 10) e.z = 0.0;
      if (dice < 3) e = ct_vec(0, 0, 0);
      boxes_of_scene[i] = (ct_aabb){p, ct_add(p, e)};
      if (dice == 50 && scene % 2) boxes_of_scene[i].max.y = INFINITY;
      if (dice == 51 && scene % 2) boxes_of_scene[i].min.x = -INFINITY;
      if (dice == 52 && scene % 3 == 0) boxes_of_scene[i].max.z = 1e308;
      if (dice == 53 && scene % 3 == 0)
        boxes_of_scene[i].min = boxes_of_scene[i].max = ct_vec(-1.7e308, 1.7e308, p.z);
    }
    check_against_all_pairs(boxes_of_scene, BOXES);
  }
}

/* Denormal sizes, and all boxes at one place. */
static void next_to_no_extent(void) {
  check_random r = {37};
  for (int scene = 0; scene < 3; scene++) {
    double unit = scene == 0 ? 0x1p-1074 : scene == 1 ? 0x1p-1022 : 0.0;
    for (int i = 0; i < 300; i++) {
      ct_vec3 p = {unit * (double)(check_next(&r) % 40), unit * (double)(check_next(&r) % 40),
                   unit * (double)(check_next(&r) % 40)};
      boxes_of_scene[i] = (ct_aabb){p, ct_add(p, ct_vec(3 * unit, 2 * unit, unit))};
    }
    check_against_all_pairs(boxes_of_scene, 300);
  }
}

static const check_test tests[] = {
    {"lanes_and_plain_code_agree_with_the_definition",
     lanes_and_plain_code_agree_with_the_definition},
    {"a_run_gives_the_places_that_overlap", a_run_gives_the_places_that_overlap},
    {"quanta_reverse_no_order", quanta_reverse_no_order},
    {"ends_that_touch_or_miss_by_one_bit", ends_that_touch_or_miss_by_one_bit},
    {"rows_with_large_gaps", rows_with_large_gaps},
    {"levels_and_boxes_without_one", levels_and_boxes_without_one},
    {"next_to_no_extent", next_to_no_extent},
};

CHECK_MAIN(tests)
