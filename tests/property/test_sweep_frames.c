/* Over 100 random frames the incremental sweep finds the pairs of a sort and scan implemented here,
 * and so do the other methods. 1e5 boxes with CONTACTD_FULL=1. */
#include "tests/support/check.h"

#include <contact/broad.h>

#define FRAMES 100

typedef struct crowd {
  ct_aabb *boxes, *sorted_boxes;
  uint32_t *order;
  size_t count;
  check_random random;
} crowd;

static const ct_aabb *compared; /* qsort has no context argument */

static int by_x(const void *a, const void *b) {
  double x = compared[*(const uint32_t *)a].min.x, y = compared[*(const uint32_t *)b].min.x;
  return (x > y) - (x < y);
}

static int by_pair(const void *a, const void *b) {
  const ct_pair_index *p = a, *q = b;
  return p->i != q->i ? (p->i > q->i) - (p->i < q->i) : (p->j > q->j) - (p->j < q->j);
}

static void add_pair(ct_pair_list *list, uint32_t i, uint32_t j) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 1024;
    list->items = realloc(list->items, list->capacity * sizeof *list->items);
    if (!list->items) abort();
  }
  list->items[list->count++] = i < j ? (ct_pair_index){i, j} : (ct_pair_index){j, i};
}

static void reference(crowd *c, ct_pair_list *list) {
  list->count = 0;
  compared = c->boxes;
  qsort(c->order, c->count, sizeof *c->order, by_x);
  for (size_t k = 0; k < c->count; k++) c->sorted_boxes[k] = c->boxes[c->order[k]];
  for (size_t a = 0; a < c->count; a++) {
    const ct_aabb *p = &c->sorted_boxes[a];
    for (size_t b = a + 1; b < c->count && c->sorted_boxes[b].min.x <= p->max.x; b++) {
      const ct_aabb *q = &c->sorted_boxes[b];
      if (p->min.y <= q->max.y && q->min.y <= p->max.y && p->min.z <= q->max.z &&
          q->min.z <= p->max.z)
        add_pair(list, c->order[a], c->order[b]);
    }
  }
  if (list->count > 0) qsort(list->items, list->count, sizeof *list->items, by_pair);
}

static bool has(const ct_pair_list *list, ct_pair_index pair) {
  return list->count > 0 && bsearch(&pair, list->items, list->count, sizeof pair, by_pair);
}

/* begun = after without before, ended = before without after. */
static void check_changes(const ct_pair_list *before, const ct_pair_list *after,
                          const ct_sweep_frame *frame) {
  size_t begun = 0, ended = 0;
  for (size_t k = 0; k < after->count; k++) {
    if (has(before, after->items[k])) continue;
    CHECK(begun < frame->begun_count && by_pair(&frame->begun[begun], &after->items[k]) == 0);
    begun++;
  }
  for (size_t k = 0; k < before->count; k++) {
    if (has(after, before->items[k])) continue;
    CHECK(ended < frame->ended_count && by_pair(&frame->ended[ended], &before->items[k]) == 0);
    ended++;
  }
  CHECK_INT(frame->begun_count, begun);
  CHECK_INT(frame->ended_count, ended);
}

/* Integer coordinates in odd crowds: every frame has many equal ends. Some boxes are points, some
 * have infinite sides. */
static ct_aabb random_box(crowd *c, bool whole) {
  double room = cbrt(2.0 * (double)c->count) + 1.0;
  ct_vec3 p = {check_uniform(&c->random, 0, room), check_uniform(&c->random, 0, room),
               check_uniform(&c->random, 0, room)},
          e = {check_uniform(&c->random, 0.5, 1.5), check_uniform(&c->random, 0.5, 1.5),
               check_uniform(&c->random, 0.5, 1.5)};
  if (whole)
    p = ct_vec(floor(p.x), floor(p.y), floor(p.z)), e = ct_vec(floor(e.x), floor(e.y), floor(e.z));
  uint64_t kind = check_next(&c->random) % 200;
  if (kind < 10) e = ct_vec(0, 0, 0);
  ct_aabb box = {p, ct_add(p, e)};
  if (kind == 10 && c->count <= 1000) box.max.z = INFINITY;
  return box;
}

static void move_all(crowd *c, ct_sweep *sweep, bool whole) {
  for (uint32_t i = 0; i < c->count; i++) {
    uint64_t dice = check_next(&c->random) % 64;
    if (whole && dice > 8) continue;
    ct_vec3 by = {check_uniform(&c->random, -0.02, 0.02), check_uniform(&c->random, -0.02, 0.02),
                  check_uniform(&c->random, -0.02, 0.02)};
    if (whole) by = ct_vec((double)(dice % 3) - 1, (double)(dice / 3 % 3) - 1, 0);
    ct_aabb *box = &c->boxes[i];
    *box = dice == 63 && c->count <= 1000 ? random_box(c, whole)
                                          : (ct_aabb){ct_add(box->min, by), ct_add(box->max, by)};
    ct_sweep_move(sweep, i, box);
  }
}

/* From scratch, by a method without frame-to-frame state. */
static void afresh(const crowd *c, ct_broadphase method, ct_pair_list *list) {
  ct_broad_options options = {method, SIZE_MAX, NULL};
  ct_pair_list_free(list);
  CHECK_INT(ct_broad_pairs(c->boxes, c->count, &options, list, NULL), CT_OK);
}

static bool same(const ct_pair_list *list, const ct_pair_index *pairs, size_t count) {
  return list->count == count &&
         (count == 0 || memcmp(pairs, list->items, count * sizeof *pairs) == 0);
}

/* Compares every frame of the incremental sweep with the grid from scratch, and two in
 * `check_every` frames also with the sort and scan and with one more method. */
static void walk(size_t count, bool whole, int check_every) {
  crowd c = {malloc(count * sizeof(ct_aabb)),
             malloc(count * sizeof(ct_aabb)),
             malloc(count * sizeof(uint32_t)),
             count,
             {1000 + count}};
  ct_sweep *sweep = ct_sweep_create();
  if (!c.boxes || !c.sorted_boxes || !c.order || !sweep) abort();
  for (uint32_t i = 0; i < count; i++) {
    c.boxes[i] = random_box(&c, whole);
    c.order[i] = i;
    CHECK_INT(ct_sweep_add(sweep, &c.boxes[i], NULL), CT_OK);
  }
  ct_pair_list before = {NULL, 0, 0}, after = {NULL, 0, 0}, scanned = {NULL, 0, 0};
  int anew = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    if (frame > 0) move_all(&c, sweep, whole);
    ct_sweep_options options = {SIZE_MAX, false, NULL};
    ct_sweep_frame found;
    CHECK_INT(ct_sweep_update(sweep, &options, &found), CT_OK);
    anew += (int)found.full_sorts;
    afresh(&c, CT_BROADPHASE_GRID, &after);
    CHECK(same(&after, found.pairs, found.pair_count));
    check_changes(&before, &after, &found);
    if (frame % check_every < 2) {
      reference(&c, &scanned);
      CHECK(same(&scanned, after.items, after.count));
      ct_broadphase method = (ct_broadphase)(frame % (CT_BROADPHASE_BRUTE_FORCE + 1));
      if (count > 10000 && method == CT_BROADPHASE_BRUTE_FORCE) method = CT_BROADPHASE_TREE;
      afresh(&c, method, &before);
      CHECK(same(&scanned, before.items, before.count));
    }
    ct_pair_list swapped = before;
    before = after;
    after = swapped;
  }
  CHECK(before.count > 0);
  CHECK(anew < FRAMES / 2);
  ct_pair_list_free(&before);
  ct_pair_list_free(&after);
  ct_pair_list_free(&scanned);
  ct_sweep_destroy(sweep);
  free(c.boxes);
  free(c.sorted_boxes);
  free(c.order);
}

static void a_hundred_frames_of_a_hundred_and_a_thousand_boxes(void) {
  walk(100, false, 1);
  walk(1000, false, 1);
}

static void a_hundred_frames_on_whole_numbers(void) {
  walk(100, true, 1);
  walk(1000, true, 1);
}

static void a_hundred_frames_of_many_boxes(void) {
  walk(10000, false, 10);
  if (getenv("CONTACTD_FULL")) walk(100000, false, 20);
}

static const check_test tests[] = {
    {"row 15: a_hundred_frames_of_a_hundred_and_a_thousand_boxes",
     a_hundred_frames_of_a_hundred_and_a_thousand_boxes},
    {"row 15: a_hundred_frames_on_whole_numbers", a_hundred_frames_on_whole_numbers},
    {"row 15: a_hundred_frames_of_many_boxes", a_hundred_frames_of_many_boxes},
};

CHECK_MAIN(tests)
