/* The hybrid of a streamed segment tree and scans (Zomorodian and Edelsbrunner 2002, Fast software for box intersections).
 *
 * On an axis a box is a point, its key (lower end, number), and an interval, from its key to its upper end. Of two different boxes
 * that overlap on the axis exactly one contains the other's key: so each pair is found once, whatever is equal. `stream` finds the
 * pairs of an interval of I with a point of P on axis d that also overlap on the axes below d. Segments are those of the points
 * that are there, so that what spans all of them is told at once, and what reaches none is left out.
 */
#include "broad/broad_methods.h"

#include "broad/endpoint.h"

#include <stdlib.h>
#include <string.h>

/* Below this many intervals or points a scan costs less than another split. Of 20000 even boxes, boxes of all sizes, rods, and
 * slabs across everything, 64 took 68, 76, 63, 86 ms, 256 took 41, 62, 63, 71 ms, and 1024 took 31, 52, 142, 88 ms. */
#define CUTOFF 256
/* Splits in a row by medians that turned out bad; beyond, a scan answers, so that the stack is bounded whatever the input. */
#define DEPTH_MAX 200
/* Levels of the tree of medians of three: 3^7 samples are enough for any number of points. */
#define MEDIAN_LEVELS_MAX 7
/* Tests between two looks at the cancel flag: a few microseconds. */
#define TESTS_PER_POLL 4096

typedef struct item {
  ct_aabb box;
  uint32_t id;
} item;

/* Lexicographic. */
typedef struct box_key {
  double value;
  uint32_t id;
} box_key;

typedef struct streaming {
  ct_pair_output *out;
  size_t cutoff;
  uint64_t next_poll;
  ct_endpoint *ends; /* [2 count] to sort by */
  item *spare;       /* [count] */
} streaming;

typedef struct item_range {
  item *items;
  size_t count;
} item_range;

/* Where the recursion is: which axis decides, and how deep. */
typedef struct segment {
  int axis, depth;
} segment;

/* What a range of items has: the keys between `first` and `last`. */
typedef struct key_range {
  box_key first, last;
} key_range;

static double low(const item *a, int axis) { return ct_axis_of(a->box.min, axis); }
static double high(const item *a, int axis) { return ct_axis_of(a->box.max, axis); }
static box_key key_of(const item *a, int axis) { return (box_key){low(a, axis), a->id}; }
static bool key_less(box_key a, box_key b) { return a.value < b.value || (a.value == b.value && a.id < b.id); }

static void item_swap(item *list, size_t i, size_t j) {
  item moved = list[i];
  list[i] = list[j];
  list[j] = moved;
}

static ct_status sort_by_x(const streaming *s, item_range r) {
  bool sorted = true;
  for (size_t k = 1; k < r.count && sorted; k++) sorted = !key_less(key_of(&r.items[k], 0), key_of(&r.items[k - 1], 0));
  if (sorted) return CT_OK;
  for (size_t k = 0; k < r.count; k++) s->ends[k] = (ct_endpoint){low(&r.items[k], 0), r.items[k].id, (uint32_t)k};
  if (!ct_endpoint_sort(s->ends, s->ends + r.count, r.count, s->out->cancel)) return CT_CANCELLED;
  for (size_t k = 0; k < r.count; k++) s->spare[k] = r.items[s->ends[k].place];
  memcpy(r.items, s->spare, r.count * sizeof *r.items);
  return CT_OK;
}

static bool cancelled(streaming *s) {
  if (s->out->box_tests < s->next_poll) return false;
  s->next_poll = s->out->box_tests + TESTS_PER_POLL;
  return ct_cancel_raised(s->out->cancel);
}

static bool overlap_on(const item *a, const item *b, int axis) {
  return low(a, axis) <= high(b, axis) && low(b, axis) <= high(a, axis);
}

/* Axis 0 is that of the intervals: all other axes are known to overlap. */
static ct_status scan_one_way(streaming *s, item_range intervals, item_range points) {
  ct_status status = sort_by_x(s, intervals);
  if (status == CT_OK) status = sort_by_x(s, points);
  size_t first = 0;
  for (size_t i = 0; i < intervals.count && status == CT_OK; i++) {
    const item *a = &intervals.items[i];
    if (cancelled(s)) return CT_CANCELLED;
    while (first < points.count && key_less(key_of(&points.items[first], 0), key_of(a, 0))) first++;
    for (size_t p = first; p < points.count && low(&points.items[p], 0) <= high(a, 0) && status == CT_OK; p++) {
      s->out->box_tests++;
      if (points.items[p].id != a->id) status = ct_pair_output_add(s->out, a->id, points.items[p].id);
    }
  }
  return status;
}

/* An interval and a point that overlap on axis 0: the axes between tell, and on the segment's own axis who contains whose key. */
static ct_status scan_pair(streaming *s, const item *interval, const item *point, int axis) {
  s->out->box_tests++;
  if (interval->id == point->id) return CT_OK;
  for (int between = 1; between < axis; between++)
    if (!overlap_on(interval, point, between)) return CT_OK;
  if (key_less(key_of(point, axis), key_of(interval, axis)) || low(point, axis) > high(interval, axis)) return CT_OK;
  return ct_pair_output_add(s->out, interval->id, point->id);
}

/* On axis 0 whichever begins first is the interval. */
static ct_status scan_two_ways(streaming *s, item_range intervals, item_range points, int axis) {
  ct_status status = sort_by_x(s, intervals);
  if (status == CT_OK) status = sort_by_x(s, points);
  size_t i = 0, p = 0;
  while (i < intervals.count && p < points.count && status == CT_OK) {
    const item *a = &intervals.items[i], *b = &points.items[p];
    if (cancelled(s)) return CT_CANCELLED;
    if (key_less(key_of(a, 0), key_of(b, 0))) {
      for (size_t k = p; k < points.count && low(&points.items[k], 0) <= high(a, 0) && status == CT_OK; k++)
        status = scan_pair(s, a, &points.items[k], axis);
      i++;
    } else {
      for (size_t k = i; k < intervals.count && low(&intervals.items[k], 0) <= high(b, 0) && status == CT_OK; k++)
        status = scan_pair(s, &intervals.items[k], b, axis);
      p++;
    }
  }
  return status;
}

/* Those that `keep` to the front; how many. */
typedef bool item_test(const item *a, int axis, key_range keys);
static size_t partition(item_range r, item_test *keep, int axis, key_range keys) {
  size_t kept = 0;
  for (size_t k = 0; k < r.count; k++)
    if (keep(&r.items[k], axis, keys)) item_swap(r.items, kept++, k);
  return kept;
}

/* Does the interval contain every key, or may it contain one? */
static bool spans(const item *a, int axis, key_range keys) {
  return !key_less(keys.first, key_of(a, axis)) && high(a, axis) >= keys.last.value;
}
static bool reaches(const item *a, int axis, key_range keys) {
  return !key_less(keys.last, key_of(a, axis)) && high(a, axis) >= keys.first.value;
}
static bool is_left(const item *a, int axis, key_range keys) { return key_less(key_of(a, axis), keys.first); }

static key_range keys_of(item_range points, int axis) {
  key_range keys = {key_of(&points.items[0], axis), key_of(&points.items[0], axis)};
  for (size_t k = 1; k < points.count; k++) {
    box_key key = key_of(&points.items[k], axis);
    if (key_less(key, keys.first)) keys.first = key;
    if (key_less(keys.last, key)) keys.last = key;
  }
  return keys;
}

static uint64_t random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static box_key median_of_three(box_key a, box_key b, box_key c) {
  if (key_less(b, a)) {
    box_key moved = a;
    a = b;
    b = moved;
  }
  return key_less(c, a) ? a : key_less(c, b) ? c : b;
}

/* Key of a point about the middle: a tree of medians of three over points picked by a generator that the count seeds. */
static box_key about_middle(item_range points, int axis) {
  box_key level[MEDIAN_LEVELS_MAX + 1][3];
  int filled[MEDIAN_LEVELS_MAX + 1] = {0}, height = 0;
  for (size_t n = points.count; n >= 9 && height < MEDIAN_LEVELS_MAX; n /= 9) height++;
  uint64_t state = points.count;
  for (;;) {
    box_key got = key_of(&points.items[random_next(&state) % points.count], axis);
    int at = 0;
    for (; at < height; at++) {
      level[at][filled[at]++] = got;
      if (filled[at] < 3) break;
      filled[at] = 0;
      got = median_of_three(level[at][0], level[at][1], level[at][2]);
    }
    if (at == height) return got;
  }
}

static ct_status stream(streaming *s, item_range intervals, item_range points, segment at) {
  if (intervals.count == 0 || points.count == 0) return CT_OK;
  if (ct_cancel_raised(s->out->cancel)) return CT_CANCELLED;
  if (at.axis == 0) return scan_one_way(s, intervals, points);
  key_range keys = keys_of(points, at.axis);
  intervals.count = partition(intervals, reaches, at.axis, keys);
  if (intervals.count < s->cutoff || points.count < s->cutoff || at.depth >= DEPTH_MAX)
    return scan_two_ways(s, intervals, points, at.axis);
  size_t spanning = partition(intervals, spans, at.axis, keys);
  if (spanning > 0) {
    segment below = {at.axis - 1, at.depth + 1};
    item_range over = {intervals.items, spanning};
    ct_status status = stream(s, over, points, below);
    if (status == CT_OK) status = stream(s, points, over, below);
    if (status != CT_OK) return status;
  }
  item_range rest = {intervals.items + spanning, intervals.count - spanning};
  if (rest.count == 0) return CT_OK;
  box_key middle = about_middle(points, at.axis);
  size_t left = partition(points, is_left, at.axis, (key_range){middle, middle});
  if (left == 0 || left == points.count) return scan_two_ways(s, rest, points, at.axis);
  segment half = {at.axis, at.depth + 1};
  ct_status status = stream(s, rest, (item_range){points.items, left}, half);
  if (status != CT_OK) return status;
  return stream(s, rest, (item_range){points.items + left, points.count - left}, half);
}

ct_status ct_broad_hybrid_cut(const ct_aabb *boxes, size_t count, size_t cutoff, ct_pair_output *out) {
  if (count == 0) return ct_cancel_raised(out->cancel) ? CT_CANCELLED : CT_OK;
  item *items = malloc(3 * count * sizeof *items);
  ct_endpoint *ends = malloc(2 * count * sizeof *ends);
  ct_status status = items && ends ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (size_t i = 0; i < count; i++) items[i] = (item){boxes[i], (uint32_t)i};
    memcpy(items + count, items, count * sizeof *items);
    streaming s = {out, cutoff, 0, ends, items + 2 * count};
    status = stream(&s, (item_range){items, count}, (item_range){items + count, count}, (segment){2, 0});
  }
  free(items);
  free(ends);
  return status;
}

ct_status ct_broad_hybrid(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  return ct_broad_hybrid_cut(boxes, count, CUTOFF, out);
}
