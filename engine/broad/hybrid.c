/* Hybrid of a streamed segment tree and scans (Zomorodian, Edelsbrunner 2002, Fast software for box
 * intersections).
 *
 * On an axis a box is a point, its key (lower end, number), and an interval from this key to its
 * upper end. If two boxes overlap on the axis, exactly one of the two intervals contains the key of
 * the other box, so each pair is found once even if ends are equal. find_stream_pairs finds the
 * pairs of a box in `intervals` and a box in `points` whose interval contains the key on axis d,
 * and which also overlap on the axes below d. The segments of the tree are the key ranges of the
 * current points: intervals that contain all these keys recurse on the next axis, and intervals
 * that contain none are dropped. */
#include "broad/broad_methods.h"

#include "base/poll.h"
#include "broad/endpoint.h"

#include <stdlib.h>
#include <string.h>

/* Number of intervals or points below which a scan is cheaper than a split. Measured times for
 * 20000 boxes of equal size, boxes of all sizes, rods, and slabs across the whole space: cutoff 64:
 * 68, 76, 63, 86 ms; 256: 41, 62, 63, 71 ms; 1024: 31, 52, 142, 88 ms. */
#define CUTOFF 256
/* Largest depth of the recursion; beyond it a scan is used, so that the stack is bounded for any
 * input. */
#define DEPTH_MAX 200
/* Levels of the tree of medians of three: 3^7 samples suffice for any number of points. */
#define MEDIAN_LEVELS_MAX 7
/* Tests between two polls of the cancel flag: a few microseconds. */
#define TESTS_PER_POLL 4096

typedef struct item {
  ct_aabb box;
  uint32_t id;
} item;

/* Key of a box on an axis: lower end, then number; ordered lexicographically. */
typedef struct box_key {
  double value;
  uint32_t id;
} box_key;

typedef struct streaming {
  ct_pair_output *out;
  size_t cutoff;
  ct_poll poll;      /* counts out->box_tests */
  ct_endpoint *ends; /* [2 count] scratch for sorting */
  item *spare;       /* [count] */
} streaming;

typedef struct item_range {
  item *items;
  size_t count;
} item_range;

/* State of the recursion: the current axis, and the depth of calls. */
typedef struct segment {
  int axis, depth;
} segment;

/* Smallest and largest key of a range of items. */
typedef struct key_range {
  box_key first, last;
} key_range;

static double get_low(const item *a, int axis) { return ct_axis_of(a->box.min, axis); }
static double get_high(const item *a, int axis) { return ct_axis_of(a->box.max, axis); }
static box_key get_key(const item *a, int axis) { return (box_key){get_low(a, axis), a->id}; }
static bool key_less(box_key a, box_key b) {
  return a.value < b.value || (a.value == b.value && a.id < b.id);
}

static void swap_stream_items(item *list, size_t i, size_t j) {
  item moved = list[i];
  list[i] = list[j];
  list[j] = moved;
}

static ct_status sort_by_x(const streaming *s, item_range r) {
  bool sorted = true;
  for (size_t k = 1; k < r.count && sorted; k++)
    sorted = !key_less(get_key(&r.items[k], 0), get_key(&r.items[k - 1], 0));
  if (sorted) return CT_OK;
  for (size_t k = 0; k < r.count; k++)
    s->ends[k] = (ct_endpoint){get_low(&r.items[k], 0), r.items[k].id, (uint32_t)k};
  if (!ct_endpoint_sort(s->ends, s->ends + r.count, r.count, s->out->cancel)) return CT_CANCELLED;
  for (size_t k = 0; k < r.count; k++) s->spare[k] = r.items[s->ends[k].place];
  memcpy(r.items, s->spare, r.count * sizeof *r.items);
  return CT_OK;
}

static bool do_overlap_on(const item *a, const item *b, int axis) {
  return get_low(a, axis) <= get_high(b, axis) && get_low(b, axis) <= get_high(a, axis);
}

/* Finds the pairs on axis 0 where the interval contains the point's key, by a scan in the order of
 * keys; the overlap on all other axes is known. */
static ct_status scan_one_way(streaming *s, item_range intervals, item_range points) {
  ct_status status = sort_by_x(s, intervals);
  if (status == CT_OK) status = sort_by_x(s, points);
  size_t first = 0;
  for (size_t i = 0; i < intervals.count && status == CT_OK; i++) {
    const item *a = &intervals.items[i];
    if (ct_poll_cancelled_at(&s->poll, s->out->box_tests)) return CT_CANCELLED;
    while (first < points.count && key_less(get_key(&points.items[first], 0), get_key(a, 0)))
      first++;
    for (size_t p = first;
         p < points.count && get_low(&points.items[p], 0) <= get_high(a, 0) && status == CT_OK;
         p++) {
      s->out->box_tests++;
      if (points.items[p].id != a->id)
        status = ct_pair_output_add(s->out, a->id, points.items[p].id);
    }
  }
  return status;
}

/* Adds the pair of an interval and a point that overlap on axis 0, if they overlap on the axes in
 * between and the interval contains the point's key on `axis`. */
static ct_status test_scan_pair(streaming *s, const item *interval, const item *point, int axis) {
  s->out->box_tests++;
  if (interval->id == point->id) return CT_OK;
  for (int between = 1; between < axis; between++)
    if (!do_overlap_on(interval, point, between)) return CT_OK;
  if (key_less(get_key(point, axis), get_key(interval, axis)) ||
      get_low(point, axis) > get_high(interval, axis))
    return CT_OK;
  return ct_pair_output_add(s->out, interval->id, point->id);
}

/* Finds the pairs by a scan on axis 0, in which the box that starts first is the interval. `axis`
 * is the current axis of the recursion, on which the interval must contain the point's key. */
static ct_status scan_two_ways(streaming *s, item_range intervals, item_range points, int axis) {
  ct_status status = sort_by_x(s, intervals);
  if (status == CT_OK) status = sort_by_x(s, points);
  size_t i = 0, p = 0;
  while (i < intervals.count && p < points.count && status == CT_OK) {
    const item *a = &intervals.items[i], *b = &points.items[p];
    if (ct_poll_cancelled_at(&s->poll, s->out->box_tests)) return CT_CANCELLED;
    if (key_less(get_key(a, 0), get_key(b, 0))) {
      for (size_t k = p;
           k < points.count && get_low(&points.items[k], 0) <= get_high(a, 0) && status == CT_OK;
           k++)
        status = test_scan_pair(s, a, &points.items[k], axis);
      i++;
    } else {
      for (size_t k = i; k < intervals.count && get_low(&intervals.items[k], 0) <= get_high(b, 0) &&
                         status == CT_OK;
           k++)
        status = test_scan_pair(s, &intervals.items[k], b, axis);
      p++;
    }
  }
  return status;
}

/* Moves the items that satisfy `keep` to the front. Returns their number. */
typedef bool item_test(const item *a, int axis, key_range keys);
static size_t partition_items(item_range r, item_test *keep, int axis, key_range keys) {
  size_t kept = 0;
  for (size_t k = 0; k < r.count; k++)
    if (keep(&r.items[k], axis, keys)) swap_stream_items(r.items, kept++, k);
  return kept;
}

/* spans_keys: the box's interval contains every key of the range; reaches_keys: it may contain some
 * key. */
static bool spans_keys(const item *a, int axis, key_range keys) {
  return !key_less(keys.first, get_key(a, axis)) && get_high(a, axis) >= keys.last.value;
}
static bool reaches_keys(const item *a, int axis, key_range keys) {
  return !key_less(keys.last, get_key(a, axis)) && get_high(a, axis) >= keys.first.value;
}
static bool is_left_of(const item *a, int axis, key_range keys) {
  return key_less(get_key(a, axis), keys.first);
}

static key_range find_key_range(item_range points, int axis) {
  key_range keys = {get_key(&points.items[0], axis), get_key(&points.items[0], axis)};
  for (size_t k = 1; k < points.count; k++) {
    box_key key = get_key(&points.items[k], axis);
    if (key_less(key, keys.first)) keys.first = key;
    if (key_less(keys.last, key)) keys.last = key;
  }
  return keys;
}

static uint64_t next_random(uint64_t *state) {
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

/* Approximate median of the keys: a tree of medians of three over random points, from a generator
 * that is seeded by the number of points. */
static box_key approximate_median(item_range points, int axis) {
  box_key level[MEDIAN_LEVELS_MAX + 1][3];
  int filled[MEDIAN_LEVELS_MAX + 1] = {0}, height = 0;
  for (size_t n = points.count; n >= 9 && height < MEDIAN_LEVELS_MAX; n /= 9) height++;
  uint64_t state = points.count;
  for (;;) {
    box_key got = get_key(&points.items[next_random(&state) % points.count], axis);
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

static ct_status find_stream_pairs(streaming *s, item_range intervals, item_range points,
                                   segment at) {
  if (intervals.count == 0 || points.count == 0) return CT_OK;
  if (ct_cancel_raised(s->out->cancel)) return CT_CANCELLED;
  if (at.axis == 0) return scan_one_way(s, intervals, points);
  key_range keys = find_key_range(points, at.axis);
  intervals.count = partition_items(intervals, reaches_keys, at.axis, keys);
  if (intervals.count < s->cutoff || points.count < s->cutoff || at.depth >= DEPTH_MAX)
    return scan_two_ways(s, intervals, points, at.axis);
  /* Intervals that contain the keys of all points overlap them on this axis: recurse on the next
   * axis, where either box of a pair may be the interval. */
  size_t spanning = partition_items(intervals, spans_keys, at.axis, keys);
  if (spanning > 0) {
    segment below = {at.axis - 1, at.depth + 1};
    item_range over = {intervals.items, spanning};
    ct_status status = find_stream_pairs(s, over, points, below);
    if (status == CT_OK) status = find_stream_pairs(s, points, over, below);
    if (status != CT_OK) return status;
  }
  item_range rest = {intervals.items + spanning, intervals.count - spanning};
  if (rest.count == 0) return CT_OK;
  /* Split the points at the median, and recurse with the other intervals. */
  box_key middle = approximate_median(points, at.axis);
  size_t left = partition_items(points, is_left_of, at.axis, (key_range){middle, middle});
  if (left == 0 || left == points.count) return scan_two_ways(s, rest, points, at.axis);
  segment half = {at.axis, at.depth + 1};
  ct_status status = find_stream_pairs(s, rest, (item_range){points.items, left}, half);
  if (status != CT_OK) return status;
  return find_stream_pairs(s, rest, (item_range){points.items + left, points.count - left}, half);
}

ct_status ct_broad_hybrid_cut(const ct_aabb *boxes, size_t count, size_t cutoff,
                              ct_pair_output *out) {
  if (count == 0) return ct_cancel_raised(out->cancel) ? CT_CANCELLED : CT_OK;
  item *items = malloc(3 * count * sizeof *items);
  ct_endpoint *ends = malloc(2 * count * sizeof *ends);
  ct_status status = items && ends ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (size_t i = 0; i < count; i++) items[i] = (item){boxes[i], (uint32_t)i};
    memcpy(items + count, items, count * sizeof *items);
    streaming s = {out, cutoff, ct_poll_start(out->cancel, TESTS_PER_POLL), ends,
                   items + 2 * count};
    status = find_stream_pairs(&s, (item_range){items, count}, (item_range){items + count, count},
                               (segment){2, 0});
  }
  free(items);
  free(ends);
  return status;
}

ct_status ct_broad_hybrid(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  return ct_broad_hybrid_cut(boxes, count, CUTOFF, out);
}
