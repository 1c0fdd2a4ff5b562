/* Queries against loops over all pairs of bodies and of colliders that call only the narrow phase.
 * For every broad phase, partition into ranges, what-if pose and selection, the hits are equal to
 * the bit. */
#include "tests/support/scenes.h"

enum { BODIES = 90, HITS = BODIES * BODIES };

typedef struct hit_log {
  kind_hit hits[HITS];
  size_t count, stop_after;
} hit_log;

static bool note_hit(void *context, const kind_hit *hit) {
  hit_log *log = context;
  if (log->count < HITS) log->hits[log->count] = *hit;
  return ++log->count != log->stop_after;
}

/* ---- scenes --------------------------------------------------------------------------------- */

static ct_shape random_shape(check_random *r) {
  double s = check_uniform(r, 0.2, 0.6);
  switch (check_next(r) % 4) {
  case 0: return sphere_of(s);
  case 1: return capsule_of(s, 0.5 * s);
  default: return box_of(s, check_uniform(r, 0.1, 0.6), check_uniform(r, 0.1, 0.6));
  }
}

/* Simple bodies, compounds, one body without colliders, an axis-aligned and a tilted plane, a
 * deleted row. */
static const ct_scene *random_scene(check_random *r, int bodies, double side) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (int i = 0; i < bodies; i++) {
    char id[16];
    ct_shape shapes[4] = {{.kind = CT_KIND_SPHERE}};
    ct_pose poses[4];
    size_t count = i % 5 == 0 ? 2 + check_next(r) % 3 : 1;
    for (size_t k = 0; k < count; k++) {
      shapes[k] = random_shape(r);
      poses[k] = count > 1 ? random_pose(r, 1.0) : ct_pose_identity();
    }
    if (i == 17) count = 0;
    ct_pose pose = random_pose(r, side);
    if (i == 30 || i == 31) {
      shapes[0] = plane_of();
      if (i == 30) count = 1, pose = (ct_pose){{1, 1, 0.3}, {0, 0, 0, 1}};
    }
    snprintf(id, sizeof id, "b%d", i);
    add_body(draft, body_of(id, shapes, poses, count, i % 3 ? "a" : "b"), pose);
  }
  if (bodies > 44) CHECK_INT(ct_draft_remove(draft, 44), CT_OK);
  return seal(draft, empty);
}

/* ---- reference loops ------------------------------------------------------------------------- */

static ct_pose pose_in(const ct_scene *scene, const ct_query_options *o, uint32_t row) {
  for (size_t k = 0; k < o->override_count; k++)
    if (o->overrides[k].row == row) return o->overrides[k].pose;
  return ct_scene_pose(scene, row);
}

/* Least distance over the colliders. Ties are resolved by the engine, so only the value is
 * compared. False: no colliders. */
static bool naive_distance(const ct_scene *scene, const ct_query_options *o, ct_row_pair rows,
                           ct_workspace *w, double *least) {
  const ct_body *a = ct_scene_body(scene, rows.a), *b = ct_scene_body(scene, rows.b);
  ct_frame frame_a = ct_frame_of(pose_in(scene, o, rows.a)),
           frame_b = ct_frame_of(pose_in(scene, o, rows.b));
  ct_pair_options options = {0.0, INFINITY};
  *least = INFINITY;
  if (!a || !b) return false;
  for (size_t i = 0; i < ct_body_collider_count(a); i++) {
    for (size_t k = 0; k < ct_body_collider_count(b); k++) {
      ct_collider ca = ct_body_collider(a, i), cb = ct_body_collider(b, k);
      ct_frame fa = ct_frame_mul(frame_a, ct_frame_of(ca.pose)),
               fb = ct_frame_mul(frame_b, ct_frame_of(cb.pose));
      ct_pair_result result;
      ct_pair_distance((ct_placed){&ca.shape, &fa}, (ct_placed){&cb.shape, &fb}, &options, w,
                       &result);
      double d = result.status == CT_PAIR_UNSUPPORTED ? -INFINITY : result.distance;
      if (d < *least) *least = d;
    }
  }
  return ct_body_collider_count(a) > 0 && ct_body_collider_count(b) > 0;
}

static bool selected(const ct_query_options *o, uint32_t i, uint32_t j) {
  bool ai = !o->where_a || o->where_a[i], aj = !o->where_a || o->where_a[j];
  bool bi = !o->where_b || o->where_b[i], bj = !o->where_b || o->where_b[j];
  return (ai && bj) || (aj && bi);
}

/* The pairs that must be hits of the kinds overlap and distance, in order, with their distance. */
static size_t naive_hits(const ct_scene *scene, const ct_query_options *o, ct_workspace *w,
                         ct_row_pair *pairs, double *distances) {
  size_t count = 0;
  for (uint32_t i = 0; i < ct_scene_rows(scene); i++) {
    for (uint32_t j = i + 1; j < ct_scene_rows(scene); j++) {
      double d;
      if (!selected(o, i, j) || !naive_distance(scene, o, (ct_row_pair){i, j}, w, &d)) continue;
      if (d > o->clearance || !ct_scene_filter_verdict(scene, i, j).collide) continue;
      pairs[count] = (ct_row_pair){i, j};
      distances[count++] = d;
    }
  }
  return count;
}

/* ---- running -------------------------------------------------------------------------------- */

static void run_all(const ct_scene *scene, ct_query_kind kind, const ct_query_options *options,
                    ct_workspace *w, hit_log *log) {
  ct_query *query = NULL;
  log->count = log->stop_after = 0;
  CHECK_INT(prepare_kind(scene, kind, options, &query), CT_OK);
  if (!query) return;
  CHECK(ct_query_broadphase(query) != CT_BROADPHASE_AUTO);
  CHECK(ct_query_cost(query) >= 0.0);
  CHECK_INT(run_kind(query, kind, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, w,
                     (kind_report){note_hit, log}, NULL),
            CT_OK);
  ct_query_destroy(query);
}

static bool same_hit(const kind_hit *a, const kind_hit *b) {
  const ct_pair_result *p = &a->result, *q = &b->result;
  return a->a == b->a && a->b == b->b && a->collider_a == b->collider_a &&
         a->collider_b == b->collider_b && a->overlap == b->overlap && p->distance == q->distance &&
         p->lower_bound == q->lower_bound && p->upper_bound == q->upper_bound &&
         memcmp(&p->normal, &q->normal, sizeof p->normal) == 0 &&
         memcmp(&p->point_a, &q->point_a, sizeof p->point_a) == 0 &&
         memcmp(&p->point_b, &q->point_b, sizeof p->point_b) == 0 && p->relation == q->relation &&
         p->status == q->status;
}

static void check_same_hits(const hit_log *a, const hit_log *b, const char *what) {
  if (a->count != b->count) CHECK_FAIL("%s: %zu and %zu hits", what, a->count, b->count);
  for (size_t k = 0; k < a->count && k < b->count; k++)
    if (!same_hit(&a->hits[k], &b->hits[k]))
      CHECK_FAIL("%s: hit %zu: pairs %u %u and %u %u", what, k, a->hits[k].a, a->hits[k].b,
                 b->hits[k].a, b->hits[k].b);
}

static void check_against_loops(const ct_scene *scene, ct_query_kind kind,
                                const ct_query_options *options, ct_workspace *w) {
  static ct_row_pair pairs[HITS];
  static double distances[HITS];
  static hit_log tree, other;
  ct_query_options o = *options;
  size_t count = naive_hits(scene, &o, w, pairs, distances);
  o.broadphase = CT_BROADPHASE_TREE;
  run_all(scene, kind, &o, w, &tree);
  CHECK_INT(tree.count, count);
  for (size_t k = 0; k < tree.count && k < count; k++) {
    const kind_hit *hit = &tree.hits[k];
    if (hit->a != pairs[k].a || hit->b != pairs[k].b)
      CHECK_FAIL("hit %zu is %u %u, should be %u %u", k, hit->a, hit->b, pairs[k].a, pairs[k].b);
    CHECK_INT(hit->overlap, distances[k] <= 0.0);
    if (kind == CT_QUERY_DISTANCE && hit->result.status != CT_PAIR_UNSUPPORTED)
      CHECK(hit->result.distance == distances[k]);
  }
  o.broadphase = CT_BROADPHASE_BRUTE_FORCE;
  run_all(scene, kind, &o, w, &other);
  check_same_hits(&tree, &other, "brute force");
}

static void every_broad_phase_gives_the_hits_of_the_loops(void) {
  check_random r = {61};
  ct_workspace *w = ct_workspace_create();
  for (int round = 0; round < 4; round++) {
    const ct_scene *scene = random_scene(&r, BODIES, round % 2 ? 4.0 : 9.0);
    for (int kind = CT_QUERY_OVERLAP; kind <= CT_QUERY_DISTANCE; kind++) {
      for (int c = 0; c < 3; c++) {
        ct_query_options o = {.clearance = c * 0.2};
        check_against_loops(scene, (ct_query_kind)kind, &o, w);
      }
    }
    ct_scene_release(scene);
  }
  ct_workspace_destroy(w);
}

static void poses_selections_and_filters_agree_with_brute_force(void) {
  check_random r = {62};
  ct_workspace *w = ct_workspace_create();
  const ct_scene *scene = random_scene(&r, BODIES, 5.0);
  ct_text against[1] = {text_of("a")};
  ct_group_rule rule = {text_of("b"), against, 1};
  ct_pair_rule pair = {text_of("b3"), text_of("b4"), true, {NULL, 0}};
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){&rule, 1, &pair, 1}), CT_OK);
  const ct_scene *filtered = ct_draft_seal(draft);
  for (int round = 0; round < 24; round++) {
    static uint8_t in_a[BODIES], in_b[BODIES];
    ct_override overrides[BODIES];
    size_t count = 0;
    uint64_t few = round % 4 == 0 ? 2 : 30;
    for (uint32_t i = 0; i < BODIES; i++) {
      in_a[i] = check_next(&r) % few == 0;
      in_b[i] = check_next(&r) % 2;
      if (check_next(&r) % 6 == 0 && ct_scene_body(scene, i))
        overrides[count++] = (ct_override){i, random_pose(&r, 5.0)};
    }
    ct_query_kind kind = round % 2 ? CT_QUERY_DISTANCE : CT_QUERY_OVERLAP;
    ct_query_options o = {.clearance = round % 3 * 0.1};
    if (round % 8 < 6) o.where_a = in_a;
    if (round % 3) o.where_b = in_b;
    if (round % 5) o.overrides = overrides, o.override_count = count;
    check_against_loops(round % 2 ? filtered : scene, kind, &o, w);
  }
  ct_scene_release(filtered);
  ct_scene_release(scene);
  ct_workspace_destroy(w);
}

static void any_cut_into_ranges_gives_the_same_list(void) {
  check_random r = {63};
  ct_workspace *w = ct_workspace_create();
  const ct_scene *scene = random_scene(&r, BODIES, 4.0);
  static hit_log whole, parts;
  static uint8_t few[BODIES];
  few[3] = few[50] = few[70] = 1;
  for (int round = 0; round < 30; round++) {
    ct_query_kind kind = (ct_query_kind)(round % 3);
    ct_query_options o = {.clearance = 0.1,
                          .broadphase = round % 2 ? CT_BROADPHASE_TREE : CT_BROADPHASE_BRUTE_FORCE};
    if (round % 5 == 0) o.where_a = few;
    run_all(scene, kind, &o, w, &whole);
    ct_query *query;
    CHECK_INT(prepare_kind(scene, kind, &o, &query), CT_OK);
    parts.count = parts.stop_after = 0;
    ct_range_statistics all = {0}, sum = {0};
    for (size_t begin = 0, end; begin < ct_query_items(query); begin = end) {
      end = begin + check_next(&r) % 20;
      if (end > ct_query_items(query)) end = ct_query_items(query);
      CHECK_INT(run_kind(query, kind, (ct_query_range){begin, end, CT_NO_ROW, 0}, w,
                         (kind_report){note_hit, &parts}, &sum),
                CT_OK);
    }
    check_same_hits(&whole, &parts, "ranges");
    static hit_log again;
    again.count = again.stop_after = 0;
    CHECK_INT(run_kind(query, kind, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, w,
                       (kind_report){note_hit, &again}, &all),
              CT_OK);
    CHECK(all.candidates == sum.candidates && all.box_tests == sum.box_tests &&
          all.candidates >= whole.count);
    ct_query_destroy(query);
  }
  ct_scene_release(scene);
  ct_workspace_destroy(w);
}

static void pages_resumed_after_any_hit_give_the_same_list(void) {
  check_random r = {64};
  ct_workspace *w = ct_workspace_create();
  const ct_scene *scene = random_scene(&r, BODIES, 4.0);
  static hit_log whole, pages;
  for (int round = 0; round < 12; round++) {
    ct_query_kind kind = CT_QUERY_OVERLAP;
    ct_query_options o = {.broadphase = round % 2 ? CT_BROADPHASE_TREE : CT_BROADPHASE_BRUTE_FORCE};
    run_all(scene, kind, &o, w, &whole);
    ct_query *query;
    CHECK_INT(prepare_kind(scene, kind, &o, &query), CT_OK);
    pages.count = 0;
    size_t item = 0, page = 1 + check_next(&r) % 7;
    uint32_t after = CT_NO_ROW;
    for (size_t turn = 0; turn <= HITS; turn++) {
      size_t before = pages.count;
      pages.stop_after = before + page;
      CHECK_INT(run_kind(query, kind, (ct_query_range){item, ct_query_items(query), after, 0}, w,
                         (kind_report){note_hit, &pages}, NULL),
                CT_OK);
      if (pages.count < before + page) break;
      item = pages.hits[pages.count - 1].a;
      after = pages.hits[pages.count - 1].b;
    }
    check_same_hits(&whole, &pages, "pages");
    ct_query_destroy(query);
  }
  ct_scene_release(scene);
  ct_workspace_destroy(w);
}

/* Explicit pairs: all of them are answered, in the given order, without filters; b before a mirrors
 * the answer. */
static void explicit_pairs_are_all_answered_and_mirrored_when_swapped(void) {
  check_random r = {65};
  ct_workspace *w = ct_workspace_create();
  const ct_scene *scene = random_scene(&r, BODIES, 4.0);
  static ct_row_pair pairs[2 * 300];
  static hit_log log;
  size_t count = 0;
  while (count < 600) {
    uint32_t a = (uint32_t)(check_next(&r) % BODIES), b = (uint32_t)(check_next(&r) % BODIES);
    if (a == b || a == 17 || b == 17 || a == 44 || b == 44) continue;
    pairs[count++] = (ct_row_pair){a, b};
    pairs[count++] = (ct_row_pair){b, a};
  }
  ct_query_kind kind = CT_QUERY_DISTANCE;
  ct_query_options o = {.pairs = pairs, .pair_count = count, .explicit_pairs = true};
  run_all(scene, kind, &o, w, &log);
  CHECK_INT(log.count, count);
  for (size_t k = 0; k < log.count; k += 2) {
    const kind_hit *h = &log.hits[k], *s = &log.hits[k + 1];
    double least;
    CHECK(h->a == pairs[k].a && h->b == pairs[k].b && s->a == h->b && s->b == h->a);
    CHECK(h->collider_a == s->collider_b && h->collider_b == s->collider_a);
    if (h->result.status == CT_PAIR_UNSUPPORTED) continue;
    CHECK(naive_distance(scene, &o, pairs[k], w, &least));
    CHECK(h->result.distance == least && s->result.distance == least);
    CHECK(h->result.point_a.x == s->result.point_b.x && h->result.point_b.z == s->result.point_a.z);
    CHECK(h->result.normal.x == -s->result.normal.x && h->result.normal.y == -s->result.normal.y);
  }
  static hit_log overlaps;
  kind = CT_QUERY_OVERLAP;
  run_all(scene, kind, &o, w, &overlaps);
  CHECK_INT(overlaps.count, count);
  for (size_t k = 0; k < overlaps.count; k++)
    CHECK_INT(overlaps.hits[k].overlap, log.hits[k].overlap);
  o.pair_count = 0;
  run_all(scene, kind, &o, w, &overlaps);
  CHECK_INT(overlaps.count, 0);
  ct_scene_release(scene);
  ct_workspace_destroy(w);
}

/* Two crosses of two spheres each, at equal distances: ties are resolved by content, so that a swap
 * mirrors. */
static void ties_between_colliders_mirror_when_swapped(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  ct_shape shapes[2] = {sphere_of(0.5), sphere_of(0.5)};
  ct_pose up_down[2] = {pose_at(0, 0, 1), pose_at(0, 0, -1)},
          down_up[2] = {pose_at(0, 0, -1), pose_at(0, 0, 1)};
  add_body(draft, body_of("a", shapes, up_down, 2, NULL), pose_at(0, 0, 0));
  add_body(draft, body_of("b", shapes, down_up, 2, NULL), pose_at(3, 0, 0));
  const ct_scene *scene = seal(draft, empty);
  ct_row_pair pairs[2] = {{0, 1}, {1, 0}};
  ct_query_kind kind = CT_QUERY_DISTANCE;
  ct_query_options o = {.pairs = pairs, .pair_count = 2, .explicit_pairs = true};
  static hit_log log;
  ct_workspace *w = ct_workspace_create();
  run_all(scene, kind, &o, w, &log);
  CHECK_INT(log.count, 2);
  CHECK_NEAR(log.hits[0].result.distance, 2.0, 0);
  CHECK(log.hits[0].collider_a == log.hits[1].collider_b &&
        log.hits[0].collider_b == log.hits[1].collider_a);
  CHECK(log.hits[0].result.point_a.z == log.hits[1].result.point_b.z);
  ct_workspace_destroy(w);
  ct_scene_release(scene);
}

/* A scene built by moves and one posted directly have trees of different shape; reported statistics
 * are equal. */
static void statistics_do_not_depend_on_how_the_scene_came_to_be(void) {
  check_random r = {67}, again = {67};
  const ct_scene *moved = random_scene(&r, BODIES, 4.0),
                 *posted = random_scene(&again, BODIES, 4.0);
  ct_workspace *w = ct_workspace_create();
  static uint8_t few[BODIES];
  static hit_log log;
  few[2] = few[20] = few[60] = 1;
  ct_pose poses[BODIES];
  for (uint32_t row = 0; row < BODIES; row++) poses[row] = ct_scene_pose(moved, row);
  for (int turn = 0; turn < 20; turn++) {
    /* Moved away and, in the last round, back; a query in between passes the tree on to the next
     * revision. */
    ct_draft *draft = ct_draft_begin(moved);
    for (uint32_t k = 0; k < 10; k++) {
      uint32_t row = k * 7 + 3;
      ct_pose pose = turn < 19 ? random_pose(&r, 4.0) : poses[row];
      if (ct_draft_body(draft, row)) CHECK_INT(ct_draft_set_pose(draft, row, &pose), CT_OK);
    }
    moved = seal(draft, moved);
    ct_query_kind kind = CT_QUERY_PAIRS;
    ct_query_options o = {.broadphase = CT_BROADPHASE_TREE};
    run_all(moved, kind, &o, w, &log);
  }
  for (int round = 0; round < 2; round++) {
    ct_query_kind kind = CT_QUERY_OVERLAP;
    ct_query_options o = {.broadphase = CT_BROADPHASE_TREE, .where_a = round ? few : NULL};
    ct_range_statistics found[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
      ct_query *query;
      CHECK_INT(prepare_kind(k ? moved : posted, kind, &o, &query), CT_OK);
      ct_query_range all = {0, ct_query_items(query), CT_NO_ROW, 0};
      log.count = log.stop_after = 0;
      CHECK_INT(run_kind(query, kind, all, w, (kind_report){note_hit, &log}, &found[k]), CT_OK);
      ct_query_destroy(query);
    }
    CHECK(found[0].box_tests > 0 && found[0].box_tests == found[1].box_tests);
    CHECK(found[0].candidates > 0 && found[0].candidates == found[1].candidates);
  }
  ct_workspace_destroy(w);
  ct_scene_release(moved);
  ct_scene_release(posted);
}

/* Union of the colliders' boxes; false: no colliders. */
static bool naive_box(const ct_scene *scene, uint32_t row, ct_aabb *box) {
  const ct_body *body = ct_scene_body(scene, row);
  size_t count = body ? ct_body_collider_count(body) : 0;
  for (size_t k = 0; k < count; k++) {
    ct_collider c = ct_body_collider(body, k);
    ct_frame placed = ct_frame_mul(ct_frame_of(ct_scene_pose(scene, row)), ct_frame_of(c.pose));
    ct_aabb one = ct_shape_aabb(&c.shape, &placed);
    *box = k ? ct_aabb_union(*box, one) : one;
  }
  return count > 0;
}

static void check_boxes_against_loops(const ct_scene *scene, const ct_query_options *options,
                                      ct_workspace *w) {
  static hit_log log;
  size_t at = 0;
  run_all(scene, CT_QUERY_PAIRS, options, w, &log);
  for (uint32_t i = 0; i < ct_scene_rows(scene); i++) {
    for (uint32_t j = i + 1; j < ct_scene_rows(scene); j++) {
      ct_aabb a, b;
      if (!naive_box(scene, i, &a) || !naive_box(scene, j, &b) || !selected(options, i, j))
        continue;
      a = ct_aabb_expand(a, options->clearance);
      if (!ct_aabb_overlap(&a, &b)) continue;
      if (at >= log.count || log.hits[at].a != i || log.hits[at].b != j)
        CHECK_FAIL("candidate %zu should be %u %u", at, i, j);
      at++;
    }
  }
  CHECK_INT(log.count, at);
}

/* Balls and lattice positions with one decimal: every gap is a tie up to rounding, and rounding
 * must be the same in every method. */
static void candidates_at_the_edge_of_the_clearance_are_those_of_the_loops(void) {
  check_random r = {68};
  ct_workspace *w = ct_workspace_create();
  static uint8_t few[BODIES];
  for (uint32_t i = 0; i < BODIES; i += 11) few[i] = 1;
  for (int round = 0; round < 10; round++) {
    const ct_scene *empty = ct_scene_create(0);
    ct_draft *draft = ct_draft_begin(empty);
    for (int i = 0; i < BODIES; i++) {
      char id[16];
      snprintf(id, sizeof id, "b%d", i);
      ct_vec3 p = {(double)(check_next(&r) % 21) / 10, (double)(check_next(&r) % 21) / 10,
                   (double)(check_next(&r) % 21) / 10};
      double half = 0.1 * (double)(1 + check_next(&r) % 3);
      add_shape(draft, id, i % 2 ? sphere_of(half) : box_of(half, half, half),
                pose_at(p.x, p.y, p.z));
    }
    const ct_scene *scene = seal(draft, empty);
    for (int k = 0; k < 9; k++) {
      ct_query_options o = {.clearance = k / 3 * 0.1, .where_a = k % 3 == 2 ? few : NULL};
      o.broadphase = k % 3 == 0 ? CT_BROADPHASE_BRUTE_FORCE : CT_BROADPHASE_TREE;
      check_boxes_against_loops(scene, &o, w);
    }
    ct_scene_release(scene);
  }
  const ct_scene *mixed = random_scene(&r, BODIES, 5.0);
  check_boxes_against_loops(mixed, &(ct_query_options){.broadphase = CT_BROADPHASE_TREE}, w);
  ct_scene_release(mixed);
  ct_workspace_destroy(w);
}

/* Balls of radius 1/2 on the integers touch their neighbours exactly. */
static void exact_touches_are_never_lost(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (int i = 0; i < 64; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%d", i);
    add_shape(draft, id, sphere_of(0.5), pose_at(i % 4, i / 4 % 4, i / 16));
  }
  const ct_scene *scene = seal(draft, empty);
  ct_workspace *w = ct_workspace_create();
  static hit_log log;
  for (int k = 0; k < 4; k++) {
    ct_query_kind kind = k % 2 ? CT_QUERY_OVERLAP : CT_QUERY_DISTANCE;
    ct_query_options o = {.broadphase = k / 2 ? CT_BROADPHASE_TREE : CT_BROADPHASE_BRUTE_FORCE};
    run_all(scene, kind, &o, w, &log);
    CHECK_INT(log.count, 3 * 3 * 16);
  }
  ct_workspace_destroy(w);
  ct_scene_release(scene);
}

/* Kind pairs: closed boxes, grown by the clearance. */
static void candidate_pairs_are_those_of_closed_boxes(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "a", sphere_of(1), pose_at(0, 0, 0));
  add_shape(draft, "b", sphere_of(1), pose_at(1.9, 1.9, 1.9)); /* boxes overlap, balls do not */
  add_shape(draft, "c", sphere_of(1), pose_at(0, 0, 2.5));
  const ct_scene *scene = seal(draft, empty);
  static hit_log log;
  ct_workspace *w = ct_workspace_create();
  for (ct_broadphase b = CT_BROADPHASE_TREE; b <= CT_BROADPHASE_BRUTE_FORCE; b++) {
    ct_query_kind kind = CT_QUERY_PAIRS;
    ct_query_options o = {.broadphase = b};
    run_all(scene, kind, &o, w, &log);
    CHECK_INT(log.count, 2);
    CHECK(log.hits[0].a == 0 && log.hits[0].b == 1 && log.hits[1].a == 1 && log.hits[1].b == 2);
    o.clearance = 0.51;
    run_all(scene, kind, &o, w, &log);
    CHECK_INT(log.count, 3);
    kind = CT_QUERY_OVERLAP;
    o.clearance = 0.0;
    run_all(scene, kind, &o, w, &log);
    CHECK_INT(log.count, 0);
  }
  ct_workspace_destroy(w);
  ct_scene_release(scene);
}

static void a_raised_flag_cancels_preparing_and_running(void) {
  check_random r = {66};
  const ct_scene *scene = random_scene(&r, BODIES, 4.0);
  ct_cancel *cancel = ct_cancel_create();
  ct_workspace *w = ct_workspace_create();
  static hit_log log;
  for (ct_broadphase b = CT_BROADPHASE_TREE; b <= CT_BROADPHASE_BRUTE_FORCE; b++) {
    ct_query_kind kind = CT_QUERY_DISTANCE;
    ct_query_options o = {.broadphase = b, .cancel = cancel};
    ct_query *query = NULL;
    CHECK_INT(prepare_kind(scene, kind, &o, &query), CT_OK);
    ct_cancel_raise(cancel);
    log.count = log.stop_after = 0;
    CHECK_INT(run_kind(query, kind, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, w,
                       (kind_report){note_hit, &log}, NULL),
              CT_CANCELLED);
    CHECK_INT(log.count, 0);
    ct_query_destroy(query);
    ct_cancel_destroy(cancel);
    cancel = ct_cancel_create();
  }
  ct_cancel_raise(cancel);
  ct_query_kind kind = CT_QUERY_DISTANCE;
  ct_query_options o = {.broadphase = CT_BROADPHASE_BRUTE_FORCE, .cancel = cancel};
  ct_query *query = NULL;
  CHECK_INT(prepare_kind(scene, kind, &o, &query), CT_CANCELLED);
  CHECK(query == NULL);
  ct_cancel_destroy(cancel);
  ct_workspace_destroy(w);
  ct_scene_release(scene);
}

static bool count_hit(void *context, const kind_hit *hit) {
  (void)hit;
  ++*(size_t *)context;
  return true;
}

static void more_candidates_than_the_limit_are_refused(void) {
  const uint32_t bodies = 4600; /* 4600 * 4599 / 2 > 10^7 */
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (uint32_t i = 0; i < bodies; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%u", i);
    add_shape(draft, id, sphere_of(1), pose_at(0, 0, 0));
  }
  const ct_scene *scene = seal(draft, empty);
  ct_query_kind kind = CT_QUERY_PAIRS;
  ct_query_options o = {.broadphase = CT_BROADPHASE_TREE};
  ct_query *query;
  size_t hits = 0;
  CHECK_INT(prepare_kind(scene, kind, &o, &query), CT_OK);
  CHECK_INT(run_kind(query, kind, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, NULL,
                     (kind_report){count_hit, &hits}, NULL),
            CT_PAIR_LIMIT);
  CHECK_INT(hits, CT_PAIRS_MAX);
  ct_query_destroy(query);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"every_broad_phase_gives_the_hits_of_the_loops",
     every_broad_phase_gives_the_hits_of_the_loops},
    {"poses_selections_and_filters_agree_with_brute_force",
     poses_selections_and_filters_agree_with_brute_force},
    {"any_cut_into_ranges_gives_the_same_list", any_cut_into_ranges_gives_the_same_list},
    {"pages_resumed_after_any_hit_give_the_same_list",
     pages_resumed_after_any_hit_give_the_same_list},
    {"explicit_pairs_are_all_answered_and_mirrored_when_swapped",
     explicit_pairs_are_all_answered_and_mirrored_when_swapped},
    {"ties_between_colliders_mirror_when_swapped", ties_between_colliders_mirror_when_swapped},
    {"statistics_do_not_depend_on_how_the_scene_came_to_be",
     statistics_do_not_depend_on_how_the_scene_came_to_be},
    {"candidates_at_the_edge_of_the_clearance_are_those_of_the_loops",
     candidates_at_the_edge_of_the_clearance_are_those_of_the_loops},
    {"exact_touches_are_never_lost", exact_touches_are_never_lost},
    {"candidate_pairs_are_those_of_closed_boxes", candidate_pairs_are_those_of_closed_boxes},
    {"a_raised_flag_cancels_preparing_and_running", a_raised_flag_cancels_preparing_and_running},
    {"more_candidates_than_the_limit_are_refused", more_candidates_than_the_limit_are_refused},
};

CHECK_MAIN(tests)
