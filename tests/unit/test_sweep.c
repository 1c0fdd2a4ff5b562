/* Sort-and-sweep with coherence: worked examples, its counters, inserted and removed boxes, failing
 * frames. */
#include "tests/support/check.h"

#include <contact/broad.h>

static ct_aabb interval(double low, double high) { return (ct_aabb){{low, 0, 0}, {high, 1, 1}}; }

static ct_sweep *sweep_of(const ct_aabb *boxes, size_t count) {
  ct_sweep *sweep = ct_sweep_create();
  uint32_t number = 0;
  for (size_t i = 0; i < count; i++) {
    CHECK_INT(ct_sweep_add(sweep, &boxes[i], &number), CT_OK);
    CHECK_INT(number, i);
  }
  return sweep;
}

static ct_sweep_frame next_frame(ct_sweep *sweep, bool keep_order) {
  ct_sweep_options options = {SIZE_MAX, keep_order, NULL};
  ct_sweep_frame frame = {0};
  CHECK_INT(ct_sweep_update(sweep, &options, &frame), CT_OK);
  return frame;
}

static void check_pairs(const ct_pair_index *pairs, size_t count, const ct_pair_index *expected,
                        size_t expected_count) {
  CHECK_INT(count, expected_count);
  for (size_t k = 0; k < count && k < expected_count; k++) {
    CHECK_INT(pairs[k].i, expected[k].i);
    CHECK_INT(pairs[k].j, expected[k].j);
  }
}

/* T2.1: b3 b5 b1 e5 e1 b6 b2 e3 b4 e6 e4 e2, numbers from 1. */
static void t2_1_the_active_list_of_six_intervals(void) {
  const ct_aabb boxes[6] = {interval(2, 4),  interval(6, 11), interval(0, 7),
                            interval(8, 10), interval(1, 3),  interval(5, 9)};
  const ct_pair_index expected[8] = {{0, 2}, {0, 4}, {1, 2}, {1, 3},
                                     {1, 5}, {2, 4}, {2, 5}, {3, 5}};
  ct_sweep *sweep = sweep_of(boxes, 6);
  ct_sweep_frame frame = next_frame(sweep, false);
  check_pairs(frame.pairs, frame.pair_count, expected, 8);
  check_pairs(frame.begun, frame.begun_count, expected, 8);
  CHECK_INT(frame.ended_count, 0);
  CHECK_INT(frame.longest_active, 3);
  CHECK_INT(frame.full_sorts, 1);
  ct_sweep_destroy(sweep);
}

/* T2.2: on single axes 1 and 3, and 2 and 3 overlap too. */
static const ct_aabb quiz[4] = {{{0, 0, 0}, {1, 1, 1}},
                                {{1, 0, 0}, {2, 1, 1}},
                                {{0.5, 0.5, 2}, {1.5, 1.5, 3}},
                                {{0, 0.9, 0.5}, {3, 2, 2.5}}};
static const ct_pair_index quiz_pairs[4] = {{0, 1}, {0, 3}, {1, 3}, {2, 3}};

static void t2_2_overlap_is_the_intersection_over_the_axes(void) {
  for (ct_broadphase method = CT_BROADPHASE_AUTO; method <= CT_BROADPHASE_BRUTE_FORCE; method++) {
    ct_broad_options options = {method, SIZE_MAX, NULL};
    ct_pair_list list = {NULL, 0, 0};
    CHECK_INT(ct_broad_pairs(quiz, 4, &options, &list, NULL), CT_OK);
    check_pairs(list.items, list.count, quiz_pairs, 4);
    ct_pair_list_free(&list);
  }
  /* The same by incremental frames: all apart first, so that every pair comes from swapped ends. */
  ct_aabb apart[4];
  for (int k = 0; k < 4; k++)
    apart[k] =
        (ct_aabb){ct_vec(10 * k, 10 * k, 10 * k), ct_vec(10 * k + 1, 10 * k + 1, 10 * k + 1)};
  ct_sweep *sweep = sweep_of(apart, 4);
  CHECK_INT(next_frame(sweep, true).pair_count, 0);
  for (uint32_t k = 0; k < 4; k++) ct_sweep_move(sweep, k, &quiz[k]);
  ct_sweep_frame frame = next_frame(sweep, true);
  CHECK_INT(frame.full_sorts, 0);
  check_pairs(frame.pairs, frame.pair_count, quiz_pairs, 4);
  check_pairs(frame.begun, frame.begun_count, quiz_pairs, 4);
  ct_sweep_destroy(sweep);
}

/* T2.3: boxes at rest; and intervals in reverse order, where each exchange of two intervals swaps
 * four pairs of ends. */
static void t2_3_swaps_are_those_of_the_intervals(void) {
  enum { N = 50 };
  ct_aabb boxes[N];
  for (int k = 0; k < N; k++) boxes[k] = interval(2 * k, 2 * k + 1);
  ct_sweep *sweep = sweep_of(boxes, N);
  CHECK_INT(next_frame(sweep, true).swaps, 0);
  ct_sweep_frame rest = next_frame(sweep, true);
  CHECK_INT(rest.swaps, 0);
  CHECK_INT(rest.box_tests, 0);
  CHECK_INT(rest.full_sorts, 0);
  for (uint32_t k = 0; k < N; k++) ct_sweep_move(sweep, k, &boxes[N - 1 - k]);
  ct_sweep_frame reversed = next_frame(sweep, true);
  CHECK_INT(reversed.swaps, 4 * N * (N - 1) / 2);
  CHECK_INT(reversed.pair_count + reversed.begun_count + reversed.ended_count, 0);
  for (uint32_t k = 0; k < N; k++) ct_sweep_move(sweep, k, &boxes[k]);
  CHECK_INT(next_frame(sweep, false).full_sorts, 1); /* more than n^2 / 8 */
  ct_sweep_destroy(sweep);
}

static void pairs_that_begin_and_end_are_told(void) {
  ct_sweep *sweep = sweep_of(quiz, 4);
  next_frame(sweep, true);
  ct_sweep_move(sweep, 0, &(ct_aabb){{1.2, 1.2, 2.6}, {1.4, 1.4, 2.8}}); /* from 1 and 3 to 2 */
  ct_sweep_frame frame = next_frame(sweep, true);
  const ct_pair_index begun[1] = {{0, 2}}, ended[2] = {{0, 1}, {0, 3}},
                      pairs[3] = {{0, 2}, {1, 3}, {2, 3}};
  check_pairs(frame.begun, frame.begun_count, begun, 1);
  check_pairs(frame.ended, frame.ended_count, ended, 2);
  check_pairs(frame.pairs, frame.pair_count, pairs, 3);
  ct_sweep_destroy(sweep);
}

static void boxes_come_and_go_and_numbers_are_used_again(void) {
  ct_sweep *sweep = sweep_of(quiz, 4);
  next_frame(sweep, true);
  ct_sweep_remove(sweep, 3);
  uint32_t number = 0;
  CHECK_INT(ct_sweep_add(sweep, &quiz[3], &number), CT_OK);
  CHECK_INT(number, 4); /* 3 still belongs to the frame before */
  CHECK_INT(ct_sweep_count(sweep), 4);
  ct_sweep_frame frame = next_frame(sweep, true);
  const ct_pair_index begun[3] = {{0, 4}, {1, 4}, {2, 4}}, ended[3] = {{0, 3}, {1, 3}, {2, 3}};
  CHECK_INT(frame.full_sorts, 0);
  check_pairs(frame.begun, frame.begun_count, begun, 3);
  check_pairs(frame.ended, frame.ended_count, ended, 3);
  CHECK_INT(ct_sweep_add(sweep, &quiz[3], &number), CT_OK);
  CHECK_INT(number, 3);
  ct_sweep_remove(sweep, 3); /* part of no frame */
  CHECK_INT(next_frame(sweep, false).pair_count, 4);
  for (uint32_t k = 0; k < 5; k++)
    if (k != 3) ct_sweep_remove(sweep, k);
  frame = next_frame(sweep, false);
  CHECK_INT(frame.pair_count, 0);
  CHECK_INT(frame.ended_count, 4);
  ct_sweep_destroy(sweep);
}

static void a_frame_that_fails_changes_no_pairs(void) {
  ct_sweep *sweep = sweep_of(quiz, 4);
  next_frame(sweep, true);
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  ct_sweep_options cancelled = {SIZE_MAX, false, cancel}, limited = {1, false, NULL};
  ct_sweep_frame frame = {.pair_count = 77};
  ct_sweep_move(sweep, 0, &(ct_aabb){{9, 9, 9}, {9, 9, 9}});
  CHECK_INT(ct_sweep_update(sweep, &cancelled, &frame), CT_CANCELLED);
  CHECK_INT(ct_sweep_update(sweep, &limited, &frame), CT_PAIR_LIMIT);
  CHECK_INT(frame.pair_count, 77);
  frame = next_frame(sweep, false);
  const ct_pair_index ended[2] = {{0, 1}, {0, 3}};
  check_pairs(frame.ended, frame.ended_count, ended, 2);
  check_pairs(frame.pairs, frame.pair_count, quiz_pairs + 2, 2);
  ct_cancel_destroy(cancel);
  ct_sweep_destroy(sweep);
}

static const check_test tests[] = {
    {"T2.1 row 39: the active list of six intervals", t2_1_the_active_list_of_six_intervals},
    {"T2.2 row 39: overlap is the intersection over the axes",
     t2_2_overlap_is_the_intersection_over_the_axes},
    {"T2.3 row 39: swaps are those of the intervals", t2_3_swaps_are_those_of_the_intervals},
    {"pairs_that_begin_and_end_are_told", pairs_that_begin_and_end_are_told},
    {"boxes_come_and_go_and_numbers_are_used_again", boxes_come_and_go_and_numbers_are_used_again},
    {"a_frame_that_fails_changes_no_pairs", a_frame_that_fails_changes_no_pairs},
};

CHECK_MAIN(tests)
