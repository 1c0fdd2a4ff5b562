/* Bodies of hundreds of colliders against loops over all their pairs: the extreme pair, ties and
 * the first overlap are equal to the bit. A query over thousands of colliders stops soon after its
 * cancel flag is raised. */
#include "tests/support/polls.h"
#include "tests/support/scenes.h"

enum { COLLIDERS = 400, THOUSANDS = 4000 };

typedef const ct_body *(*maker)(check_random *r, const char *id, size_t count);

static const ct_body *make(const char *id, const ct_collider *colliders, size_t count) {
  ct_body_options options = {.id = text_of(id), .colliders = colliders, .collider_count = count};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

/* Small shapes of three kinds in a cube of side 4. */
static const ct_body *mixed(check_random *r, const char *id, size_t count) {
  static ct_collider colliders[COLLIDERS];
  for (size_t i = 0; i < count; i++) {
    double s = check_uniform(r, 0.02, 0.1);
    const ct_shape shapes[3] = {sphere_of(s), capsule_of(s, 0.5 * s), box_of(s, 0.5 * s, 0.7 * s)};
    colliders[i] = (ct_collider){.shape = shapes[check_next(r) % 3], .pose = random_pose(r, 4.0)};
  }
  return make(id, colliders, count);
}

/* The same plus two half-spaces, one of them upright, whose bounding boxes are unbounded. */
static const ct_body *with_planes(check_random *r, const char *id, size_t count) {
  static ct_collider colliders[COLLIDERS];
  for (size_t i = 0; i < count; i++) {
    double s = check_uniform(r, 0.02, 0.1);
    colliders[i] = (ct_collider){.shape = sphere_of(s), .pose = random_pose(r, 4.0)};
  }
  colliders[count / 3] = (ct_collider){.shape = plane_of(), .pose = pose_at(0, 0, -0.3)};
  colliders[count / 2] = (ct_collider){.shape = plane_of(), .pose = {{1, 1, -2}, {0.6, 0, 0, 0.8}}};
  return make(id, colliders, count);
}

/* Equal balls on a lattice, in random order: nearly every distance occurs many times. */
static const ct_body *lattice(check_random *r, const char *id, size_t count) {
  static ct_collider colliders[COLLIDERS];
  for (size_t i = 0; i < count; i++) {
    double x = (double)(check_next(r) % 4), y = (double)(check_next(r) % 8),
           z = (double)(check_next(r) % 8);
    colliders[i] = (ct_collider){.shape = sphere_of(0.25), .pose = pose_at(x, y, z)};
  }
  return make(id, colliders, count);
}

/* ---- reference loops ------------------------------------------------------------------------- */

static ct_placed place(const ct_body *body, size_t i, const ct_frame *at, ct_collider *collider,
                       ct_frame *frame) {
  *collider = ct_body_collider(body, i);
  *frame = ct_frame_mul(*at, ct_frame_of(collider->pose));
  return (ct_placed){&collider->shape, frame};
}

/* The least distance, or the first overlap, in the order of (a's collider, b's collider). False:
 * none. */
static bool loop_hit(const ct_scene *scene, ct_query_kind kind, ct_workspace *w, kind_hit *hit) {
  const ct_body *a = ct_scene_body(scene, 0), *b = ct_scene_body(scene, 1);
  ct_frame at_a = ct_frame_of(ct_scene_pose(scene, 0)), at_b = ct_frame_of(ct_scene_pose(scene, 1));
  ct_pair_options options = {0.0, INFINITY};
  double least = INFINITY;
  for (uint32_t i = 0; i < ct_body_collider_count(a); i++) {
    for (uint32_t k = 0; k < ct_body_collider_count(b); k++) {
      ct_collider ca, cb;
      ct_frame fa, fb;
      ct_placed pa = place(a, i, &at_a, &ca, &fa), pb = place(b, k, &at_b, &cb, &fb);
      kind_hit one = {.a = 0, .b = 1, .collider_a = i, .collider_b = k};
      if (kind == CT_QUERY_OVERLAP) {
        one.overlap = ct_pair_overlap(pa, pb, w, &one.result.point_a);
        one.result.point_b = one.result.point_a;
        *hit = one;
        if (one.overlap) return true;
        continue;
      }
      ct_pair_distance(pa, pb, &options, w, &one.result);
      double key = one.result.status == CT_PAIR_UNSUPPORTED ? -INFINITY : one.result.distance;
      one.overlap = one.result.distance <= 0.0;
      if (!(key < least)) continue;
      least = key;
      *hit = one;
    }
  }
  return kind == CT_QUERY_DISTANCE;
}

typedef struct last_hit {
  kind_hit hit;
  size_t count;
} last_hit;

static bool keep(void *context, const kind_hit *hit) {
  last_hit *last = context;
  last->hit = *hit;
  last->count++;
  return true;
}

static ct_status run_query(const ct_scene *scene, ct_query_kind kind,
                           const ct_query_options *options, ct_workspace *w, last_hit *last) {
  ct_query *query = NULL;
  *last = (last_hit){.count = 0};
  ct_status status = prepare_kind(scene, kind, options, &query);
  if (status != CT_OK) return status;
  status = run_kind(query, kind, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, w,
                    (kind_report){keep, last}, NULL);
  ct_query_destroy(query);
  return status;
}

static void check_same(const kind_hit *hit, const kind_hit *loop, bool mirrored) {
  const ct_pair_result *p = &hit->result, *q = &loop->result;
  CHECK_INT(mirrored ? hit->collider_b : hit->collider_a, loop->collider_a);
  CHECK_INT(mirrored ? hit->collider_a : hit->collider_b, loop->collider_b);
  CHECK_INT(hit->overlap, loop->overlap);
  CHECK(memcmp(mirrored ? &p->point_b : &p->point_a, &q->point_a, sizeof q->point_a) == 0);
  CHECK(memcmp(mirrored ? &p->point_a : &p->point_b, &q->point_b, sizeof q->point_b) == 0);
  CHECK(p->distance == q->distance && p->lower_bound == q->lower_bound &&
        p->upper_bound == q->upper_bound);
  CHECK_INT(p->status, q->status);
}

/* Compares queries of a, b and of b, a, and pair queries of the scene with a limit just above and
 * just below the least distance. */
static void check_kind(const ct_scene *scene, ct_query_kind kind, ct_workspace *w) {
  ct_row_pair pairs[2] = {{0, 1}, {1, 0}};
  kind_hit loop = {.a = 0};
  last_hit last;
  bool any = loop_hit(scene, kind, w, &loop);
  for (int swapped = 0; swapped < 2; swapped++) {
    ct_query_options o = {.pairs = &pairs[swapped], .pair_count = 1, .explicit_pairs = true};
    CHECK_INT(run_query(scene, kind, &o, w, &last), CT_OK);
    CHECK_INT(last.count, 1);
    if (any) check_same(&last.hit, &loop, swapped);
    else CHECK(!last.hit.overlap);
  }
  ct_query_options o = {.clearance = 0.0};
  if (kind == CT_QUERY_DISTANCE) o.clearance = ct_max2(0.0, loop.result.distance);
  CHECK_INT(run_query(scene, kind, &o, w, &last), CT_OK);
  CHECK_INT(last.count, any);
  if (any && last.count) check_same(&last.hit, &loop, false);
  if (o.clearance == 0.0) return;
  o.clearance *= 1.0 - 0x1p-50;
  CHECK_INT(run_query(scene, kind, &o, w, &last), CT_OK);
  CHECK_INT(last.count, 0);
}

/* b at several distances from a, with either body first in the order of contents. */
static void check_maker(uint64_t seed, maker make_a, maker make_b) {
  check_random r = {seed};
  ct_workspace *w = ct_workspace_create();
  const double apart[] = {0.5, 3.5, 4.25, 5.0, 40.0};
  for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++) {
    const ct_scene *empty = ct_scene_create(0);
    ct_draft *draft = ct_draft_begin(empty);
    size_t few = k % 2 ? 20 : 170;
    add_body(draft, make_a(&r, "a", k % 3 ? COLLIDERS : few), pose_at(0, 0, 0));
    add_body(draft, make_b(&r, "b", k % 3 ? few : COLLIDERS), pose_at(apart[k], 0, 0));
    const ct_scene *scene = seal(draft, empty);
    check_kind(scene, CT_QUERY_DISTANCE, w);
    check_kind(scene, CT_QUERY_OVERLAP, w);
    ct_scene_release(scene);
  }
  ct_workspace_destroy(w);
}

static void large_compounds_are_answered_like_the_loops(void) { check_maker(91, mixed, mixed); }
static void ties_among_hundreds_go_to_the_first_pair(void) { check_maker(92, lattice, lattice); }

static void unbounded_colliders_are_not_lost_in_a_large_compound(void) {
  check_maker(93, with_planes, mixed);
  check_maker(94, mixed, with_planes);
  check_maker(95, with_planes, with_planes);
}

/* ---- cancellation ---------------------------------------------------------------------------- */

typedef struct query_work {
  const ct_scene *scene;
  ct_workspace *workspace;
} query_work;

static ct_status run_deepest(void *context, ct_cancel *cancel) {
  const query_work *work = context;
  ct_query_options o = {.cancel = cancel};
  last_hit last;
  ct_status status = run_query(work->scene, CT_QUERY_DISTANCE, &o, work->workspace, &last);
  CHECK_INT(last.count, 0);
  return status;
}

/* Boxes that all overlap, and a query for the deepest pair: pruning does not help, and 16 million
 * pairs take seconds. */
static void a_query_on_thousands_of_colliders_stops_soon(void) {
  static ct_collider colliders[THOUSANDS];
  check_random r = {96};
  for (int i = 0; i < THOUSANDS; i++) {
    double x = check_uniform(&r, 0, 1e-3), y = check_uniform(&r, 0, 1e-3),
           z = check_uniform(&r, 0, 1e-3);
    colliders[i] = (ct_collider){.shape = box_of(1, 1, 1), .pose = pose_at(x, y, z)};
  }
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_body(draft, make("a", colliders, THOUSANDS), pose_at(0, 0, 0));
  add_body(draft, make("b", colliders, THOUSANDS), pose_at(0.1, 0, 0));
  query_work work = {seal(draft, empty), ct_workspace_create()};
  polls_check_long_stop(run_deepest, &work, 4000);
  ct_workspace_destroy(work.workspace);
  ct_scene_release(work.scene);
}

/* The cost estimate that decides whether a query runs inline or in ranges: above its simplest pair,
 * below all pairs. */
static void the_cost_of_a_pair_counts_its_colliders(void) {
  static ct_collider colliders[THOUSANDS];
  for (int i = 0; i < THOUSANDS; i++)
    colliders[i] = (ct_collider){.shape = sphere_of(1), .pose = pose_at(i, 0, 0)};
  const ct_body *one = make("one", colliders, 1), *many = make("many", colliders, THOUSANDS);
  for (int kind = CT_QUERY_OVERLAP; kind <= CT_QUERY_DISTANCE; kind++) {
    double simple = ct_query_pair_cost((ct_query_kind)kind, one, one);
    CHECK(simple > 0.0);
    CHECK(ct_query_pair_cost((ct_query_kind)kind, one, many) > 0.5 * THOUSANDS * simple);
    CHECK(ct_query_pair_cost((ct_query_kind)kind, many, many) > 0.5 * THOUSANDS * simple);
    CHECK(ct_query_pair_cost((ct_query_kind)kind, many, many) < 4.0 * THOUSANDS * simple);
  }
  ct_body_release(one);
  ct_body_release(many);
}

static const check_test tests[] = {
    {"the_cost_of_a_pair_counts_its_colliders", the_cost_of_a_pair_counts_its_colliders},
    {"large_compounds_are_answered_like_the_loops", large_compounds_are_answered_like_the_loops},
    {"ties_among_hundreds_go_to_the_first_pair", ties_among_hundreds_go_to_the_first_pair},
    {"unbounded_colliders_are_not_lost_in_a_large_compound",
     unbounded_colliders_are_not_lost_in_a_large_compound},
    {"a_query_on_thousands_of_colliders_stops_soon", a_query_on_thousands_of_colliders_stops_soon},
};

CHECK_MAIN(tests)
