/* Motions of a scene: equal to brute force over all pairs of bodies; ranges, filters, `where`,
 * explicit pairs, and the earliest pairs. */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include "toi/toi_query.h"

enum { BODIES = 26, HITS = BODIES * BODIES };

/* The number of random scenes. */
static uint64_t scenes(void) { return getenv("CONTACTD_FULL") ? 1000 : 12; }

#define DURATION 2.0

/* The compared members of a hit. */
typedef struct reported {
  uint32_t a, b;
  size_t item;
  ct_toi impact;
  size_t changes;
  double first, last; /* times of the first and the last change */
  bool in_contact;
} reported;

typedef struct told_hits {
  reported hits[HITS];
  size_t count, most;
} told_hits;

static void tell_timeline(const ct_timeline *timeline, reported *t) {
  t->changes = timeline->count;
  t->in_contact = timeline->in_contact;
  t->first = t->changes ? timeline->changes[0].time : -1.0;
  t->last = t->changes ? timeline->changes[t->changes - 1].time : -1.0;
}

static bool take(void *context, const ct_motion_hit *hit) {
  told_hits *l = context;
  reported *t = &l->hits[l->count++];
  *t = (reported){.a = hit->a, .b = hit->b, .item = hit->item};
  if (hit->impact) t->impact = *hit->impact;
  if (hit->timeline) tell_timeline(hit->timeline, t);
  return l->count < l->most;
}

static bool same_impact(const ct_toi *s, const ct_toi *t) {
  return s->event == t->event && s->time == t->time && s->lower == t->lower &&
         s->upper == t->upper && s->free_until == t->free_until && s->flags == t->flags &&
         s->iterations == t->iterations && s->collider_a == t->collider_a &&
         s->collider_b == t->collider_b && s->contact.distance == t->contact.distance &&
         s->contact.normal.x == t->contact.normal.x &&
         s->contact.point_a.z == t->contact.point_a.z && s->normal_velocity == t->normal_velocity;
}

static bool same(const reported *s, const reported *t) {
  return s->a == t->a && s->b == t->b && same_impact(&s->impact, &t->impact) &&
         s->changes == t->changes && s->first == t->first && s->last == t->last &&
         s->in_contact == t->in_contact;
}

/* A scene, how its bodies move, and a path for each row, moving or not. */
typedef struct moving_scene {
  const ct_scene *scene;
  ct_path *paths[BODIES]; /* NULL: the row has no colliders */
  ct_row_motion moving[BODIES];
  size_t moving_count;
  ct_override overrides[BODIES];
  size_t override_count;
  uint8_t group[BODIES]; /* one of 3 groups that exclude themselves; 0: none */
} moving_scene;

static ct_shape random_shape(check_random *r) {
  switch (check_next(r) % 3) {
  case 0: return sphere_of(check_uniform(r, 0.1, 0.5));
  case 1:
    return box_of(check_uniform(r, 0.1, 0.5), check_uniform(r, 0.1, 0.5),
                  check_uniform(r, 0.05, 0.5));
  default: return capsule_of(check_uniform(r, 0.1, 0.6), check_uniform(r, 0.05, 0.2));
  }
}

static const ct_body *random_body(check_random *r, uint32_t row, uint8_t group) {
  static const char *const groups[] = {NULL, "g1", "g2", "g3"};
  ct_shape shapes[2] = {random_shape(r), random_shape(r)};
  ct_pose poses[2] = {ct_pose_identity(), pose_at(0.4, 0.1, -0.2)};
  size_t count = row == 7 ? 0 : row % 5 == 0 ? 2 : 1;
  if (row == 0 || row == 11) shapes[0] = plane_of();
  if (row == 0 || row == 11) count = 1;
  char id[8];
  snprintf(id, sizeof id, "b%u", row);
  return body_of(id, shapes, poses, count, groups[group]);
}

static ct_vec3 random_vector(check_random *r, double most) {
  return ct_vec(check_uniform(r, -most, most), check_uniform(r, -most, most),
                check_uniform(r, -most, most));
}

static ct_path_options random_motion(check_random *r, ct_pose start) {
  static const ct_path_kind kinds[] = {CT_PATH_TWIST, CT_PATH_BALLISTIC, CT_PATH_INTERPOLATED,
                                       CT_PATH_REST};
  ct_path_options o = {
      .kind = kinds[check_next(r) % 4], .start = start, .end = start, .duration = DURATION};
  o.velocity.linear = random_vector(r, 2.0);
  if (check_next(r) % 2) o.velocity.angular = random_vector(r, 3.0);
  o.center = random_vector(r, 0.2);
  o.acceleration = random_vector(r, 1.0);
  o.end.position = ct_add(start.position, random_vector(r, 3.0));
  if (check_next(r) % 2) o.end.rotation = random_rotation(r);
  o.inertia_orientation = ct_quat_identity();
  return o;
}

static ct_filters filters_of_groups(void) {
  static const ct_text g1[] = {{"g1", 2}}, g2[] = {{"g2", 2}}, g3[] = {{"g3", 2}};
  static const ct_group_rule rules[] = {{{"g1", 2}, g1, 1}, {{"g2", 2}, g2, 1}, {{"g3", 2}, g3, 1}};
  return (ct_filters){.groups = rules, .group_count = 3};
}

/* One row in `share` moves. */
static void make_paths(check_random *r, uint64_t share, moving_scene *m) {
  for (uint32_t row = 0; row < BODIES; row++) {
    ct_pose start = ct_scene_pose(m->scene, row);
    bool elsewhere = row % 6 == 1, moves = row == 11 || (row != 0 && check_next(r) % share == 0);
    if (elsewhere) start = random_pose(r, 4.0);
    if (elsewhere) m->overrides[m->override_count++] = (ct_override){row, start};
    ct_path_options o =
        moves ? random_motion(r, start)
              : (ct_path_options){.kind = CT_PATH_REST, .start = start, .duration = DURATION};
    CHECK_INT(ct_path_create(&o, &m->paths[row]), CT_OK);
    if (moves) m->moving[m->moving_count++] = (ct_row_motion){row, m->paths[row]};
  }
}

static void make(moving_scene *m, uint64_t seed) {
  check_random r = {seed};
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  *m = (moving_scene){.moving_count = 0};
  for (uint32_t row = 0; row < BODIES; row++) {
    m->group[row] = (uint8_t)(check_next(&r) % 4);
    add_body(draft, random_body(&r, row, m->group[row]),
             row == 0 ? pose_at(0, 0, -1) : random_pose(&r, 4.0));
  }
  ct_filters filters = filters_of_groups();
  CHECK_INT(ct_draft_set_filters(draft, &filters), CT_OK);
  m->scene = seal(draft, empty);
  make_paths(&r, seed % 3 == 1 ? 12 : 2, m);
}

static void give_back(moving_scene *m) {
  for (uint32_t row = 0; row < BODIES; row++) ct_path_destroy(m->paths[row]);
  ct_scene_release(m->scene);
}

static ct_motion_options options_of(const moving_scene *m) {
  return (ct_motion_options){.changes_max = 100,
                             .impact = {.end = DURATION, .iterations_max = CT_TOI_ITERATIONS},
                             .moving = m->moving,
                             .moving_count = m->moving_count,
                             .overrides = m->overrides,
                             .override_count = m->override_count};
}

static void run_query(const moving_scene *m, const ct_motion_options *o, size_t step,
                      told_hits *out) {
  ct_motion_query *query = NULL;
  CHECK_INT(ct_motion_prepare(m->scene, o, &query), CT_OK);
  if (!query) return;
  size_t items = ct_motion_items(query);
  *out = (told_hits){.most = SIZE_MAX};
  for (size_t begin = 0; begin < items; begin += step)
    CHECK_INT(ct_motion_run(query, begin, begin + step < items ? begin + step : items, workspace,
                            take, out),
              CT_OK);
  ct_motion_destroy(query);
}

/* ---- brute force ----------------------------------------------------------------------------- */

static void tell_pair(const moving_scene *m, const ct_motion_options *o, uint32_t a, uint32_t b,
                      reported *t) {
  ct_moving_body first = {ct_scene_body(m->scene, a), m->paths[a]},
                 second = {ct_scene_body(m->scene, b), m->paths[b]};
  *t = (reported){.a = a, .b = b};
  if (!o->timeline) {
    CHECK_INT(ct_body_toi(first, second, &o->impact, workspace, &t->impact), CT_OK);
    return;
  }
  ct_timeline timeline = {.changes = NULL};
  CHECK_INT(ct_body_timeline(first, second, &o->impact, o->changes_max, workspace, &timeline),
            CT_OK);
  tell_timeline(&timeline, t);
  ct_timeline_free(&timeline);
}

static bool moves(const moving_scene *m, uint32_t row) {
  return ct_path_kind_of(m->paths[row]) != CT_PATH_REST;
}

static bool is_hit(const reported *t, bool timeline) {
  if (timeline) return t->changes > 0 || t->in_contact;
  return t->impact.event != CT_TOI_NONE;
}

static bool selected(const ct_motion_options *o, uint32_t a, uint32_t b) {
  const uint8_t *p = o->where_a, *q = o->where_b;
  return ((!p || p[a]) && (!q || q[b])) || ((!p || p[b]) && (!q || q[a]));
}

static void ask_brutally(const moving_scene *m, const ct_motion_options *o, told_hits *out) {
  *out = (told_hits){.most = SIZE_MAX};
  for (uint32_t a = 0; a < BODIES; a++)
    for (uint32_t b = a + 1; b < BODIES; b++) {
      if (!(moves(m, a) || moves(m, b)) || (m->group[a] && m->group[a] == m->group[b]) ||
          !selected(o, a, b))
        continue;
      tell_pair(m, o, a, b, &out->hits[out->count]);
      if (is_hit(&out->hits[out->count], o->timeline)) out->count++;
    }
}

static void compare(const told_hits *found, const told_hits *expected) {
  CHECK_INT(found->count, expected->count);
  for (size_t k = 0; k < found->count && k < expected->count; k++)
    if (!same(&found->hits[k], &expected->hits[k]))
      CHECK_FAIL("hit %zu: (%u, %u) at %.17g, should be (%u, %u) at %.17g", k, found->hits[k].a,
                 found->hits[k].b, found->hits[k].impact.time, expected->hits[k].a,
                 expected->hits[k].b, expected->hits[k].impact.time);
}

static told_hits found, expected, part;

/* ---- facts ---------------------------------------------------------------------------------- */

static void every_pair_that_meets_is_found_and_no_other(void) {
  size_t contacts = 0;
  for (uint64_t seed = 1; seed <= scenes(); seed++) {
    moving_scene m;
    make(&m, seed);
    ct_motion_options o = options_of(&m);
    if (seed % 3 == 0) o.impact.method = CT_TOI_BISECTION;
    if (seed % 4 == 0) o.impact.begin = 0.5;
    ask_brutally(&m, &o, &expected);
    run_query(&m, &o, SIZE_MAX / 2, &found);
    compare(&found, &expected);
    contacts += found.count;
    give_back(&m);
  }
  CHECK(contacts > 10 * scenes());
}

static void timelines_are_those_of_all_pairs(void) {
  size_t changes = 0;
  for (uint64_t seed = 1; seed <= scenes() / 3; seed++) {
    moving_scene m;
    make(&m, seed);
    ct_motion_options o = options_of(&m);
    o.timeline = true;
    ask_brutally(&m, &o, &expected);
    run_query(&m, &o, 3, &found);
    compare(&found, &expected);
    for (size_t k = 0; k < found.count; k++) changes += found.hits[k].changes;
    give_back(&m);
  }
  CHECK(changes > 20);
}

static void ranges_laid_end_to_end_are_the_whole(void) {
  moving_scene m;
  make(&m, 1);
  ct_motion_options o = options_of(&m);
  run_query(&m, &o, SIZE_MAX / 2, &found);
  const size_t steps[] = {1, 7, 50};
  for (size_t k = 0; k < 3; k++) {
    run_query(&m, &o, steps[k], &part);
    compare(&part, &found);
    for (size_t i = 1; i < part.count; i++) CHECK(part.hits[i].item > part.hits[i - 1].item);
  }
  /* A sink that refuses further hits ends its range. */
  ct_motion_query *query = NULL;
  CHECK_INT(ct_motion_prepare(m.scene, &o, &query), CT_OK);
  part = (told_hits){.most = 3};
  CHECK_INT(ct_motion_run(query, 0, ct_motion_items(query), workspace, take, &part), CT_OK);
  CHECK_INT(part.count, 3);
  CHECK(ct_motion_cost(query) > 0.0);
  CHECK(ct_motion_candidates(query) >= found.count &&
        ct_motion_candidates(query) == ct_motion_items(query));
  ct_motion_destroy(query);
  give_back(&m);
}

/* The server chooses a thread by the estimated cost, so the estimate assumes that every allowed
 * distance evaluation is used. */
static void distances_asked_for_cost(void) {
  moving_scene m;
  make(&m, 1);
  ct_motion_options o = options_of(&m);
  double cost[2];
  for (int k = 0; k < 2; k++) {
    o.impact.iterations_max = k ? CT_TOI_ITERATIONS + 100000 : CT_TOI_ITERATIONS;
    ct_motion_query *query = NULL;
    CHECK_INT(ct_motion_prepare(m.scene, &o, &query), CT_OK);
    cost[k] = ct_motion_cost(query);
    CHECK(k == 0 || cost[k] > cost[0] + 100000.0 * (double)ct_motion_candidates(query));
    ct_motion_destroy(query);
  }
  give_back(&m);
}

static void where_selects_pairs(void) {
  moving_scene m;
  make(&m, 5);
  uint8_t a[BODIES] = {0}, b[BODIES] = {0};
  for (int i = 0; i < BODIES; i++) {
    a[i] = i % 2 == 0;
    b[i] = i % 3 == 0;
  }
  ct_motion_options o = options_of(&m);
  for (int which = 1; which < 4; which++) {
    o.where_a = which & 1 ? a : NULL;
    o.where_b = which & 2 ? b : NULL;
    ask_brutally(&m, &o, &expected);
    run_query(&m, &o, SIZE_MAX / 2, &found);
    compare(&found, &expected);
    CHECK(found.count > 0);
  }
  give_back(&m);
}

static void pairs_by_name_are_answered_all_in_their_order(void) {
  moving_scene m;
  make(&m, 3);
  ct_motion_options o = options_of(&m);
  ct_row_pair pairs[HITS];
  size_t count = 0;
  for (uint32_t a = BODIES; a-- > 0;)
    for (uint32_t b = 0; b < BODIES; b += 3)
      if (a != b && count < 100) pairs[count++] = (ct_row_pair){a, b};
  o.pairs = pairs;
  o.pair_count = count;
  o.explicit_pairs = true;
  run_query(&m, &o, 9, &found);
  CHECK_INT(found.count, count);
  bool still = false;
  for (size_t k = 0; k < found.count; k++) {
    tell_pair(&m, &o, pairs[k].a, pairs[k].b, &expected.hits[0]);
    CHECK(same(&found.hits[k], &expected.hits[0]));
    still = still || (!moves(&m, pairs[k].a) && !moves(&m, pairs[k].b));
  }
  CHECK(still);
  o.pair_count = 0;
  run_query(&m, &o, 9, &found);
  CHECK_INT(found.count, 0);
  give_back(&m);
}

/* True if the only contact is at the start and the bodies separate. */
static bool parts(const ct_toi *i) {
  return i->event == CT_TOI_INITIAL && i->flags & CT_TOI_FLAG_SEPARATING_AT_START;
}

/* A shorter search may prove that bodies which separate at the start do not meet again before other
 * pairs meet, while a longer search ends undecided: such hits are not compared. */
static void leave_out_undecided_parting(told_hits *l) {
  size_t kept = 0;
  for (size_t k = 0; k < l->count; k++) {
    const ct_toi *i = &l->hits[k].impact;
    if (i->event == CT_TOI_UNDECIDED && i->flags & CT_TOI_FLAG_SEPARATING_AT_START) continue;
    l->hits[kept++] = l->hits[k];
  }
  l->count = kept;
}

/* Keeps the hits that are not certainly later than another one. */
static void keep_first(told_hits *l, double tolerance) {
  double upper = INFINITY, time = INFINITY;
  size_t kept = 0;
  for (size_t k = 0; k < l->count; k++) {
    const ct_toi *i = &l->hits[k].impact;
    if (i->event == CT_TOI_UNDECIDED || parts(i)) continue;
    upper = fmin(upper, fmax(i->upper, i->time));
    time = fmin(time, i->time);
  }
  for (size_t k = 0; k < l->count; k++) {
    const ct_toi *i = &l->hits[k].impact;
    bool first = i->event == CT_TOI_UNDECIDED ? i->free_until <= upper + tolerance
                                              : i->lower <= upper || i->time - time <= tolerance;
    if (first && !parts(i)) l->hits[kept++] = l->hits[k];
  }
  l->count = kept;
}

static void the_earliest_are_the_least_of_all(void) {
  size_t single = 0, several = 0;
  for (uint64_t seed = 1; seed <= scenes(); seed++) {
    moving_scene m;
    make(&m, seed);
    ct_motion_options o = options_of(&m);
    ask_brutally(&m, &o, &expected);
    /* Pairs in contact at the start would be the earliest: the second round omits them. */
    for (int without = 0; without < 2; without++) {
      if (without) o.impact.begin = 0.25;
      ask_brutally(&m, &o, &expected);
      ct_row_pair pairs[HITS];
      size_t count = 0;
      for (size_t k = 0; k < expected.count; k++)
        if (expected.hits[k].impact.event == CT_TOI_CONTACT)
          pairs[count++] = (ct_row_pair){expected.hits[k].a, expected.hits[k].b};
      o.explicit_pairs = without;
      o.pairs = pairs;
      o.pair_count = count;
      if (without) run_query(&m, &o, SIZE_MAX / 2, &expected);
      o.impact.time_tolerance = seed % 2 ? 0.0 : 1e-3;
      if (without) run_query(&m, &o, SIZE_MAX / 2, &expected);
      else ask_brutally(&m, &o, &expected);
      keep_first(&expected, o.impact.time_tolerance);
      o.earliest = true;
      run_query(&m, &o, 1, &found);
      leave_out_undecided_parting(&expected);
      leave_out_undecided_parting(&found);
      compare(&found, &expected);
      single += found.count == 1;
      several += found.count > 1;
      o = options_of(&m);
    }
    give_back(&m);
  }
  CHECK(single > 3 && several > 0);
}

/* Balls at all heights fall on a floor: the earliest of 64 candidates needs 2 to 4 full searches.
 */
static void the_earliest_are_found_with_few_searches(void) {
  enum { BALLS = 64 };
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "floor", box_of(100, 100, 0.5), pose_at(0, 0, -0.5));
  for (int i = 0; i < BALLS; i++) {
    char id[16];
    snprintf(id, sizeof id, "s%d", i);
    add_shape(draft, id, sphere_of(0.25), pose_at(i, 0, 1.25 + 0.125 * ((29 * i + 13) % BALLS)));
  }
  const ct_scene *scene = seal(draft, empty);
  ct_row_motion moving[BALLS];
  for (uint32_t i = 0; i < BALLS; i++) {
    ct_path_options options = {
        .kind = CT_PATH_TWIST, .start = ct_scene_pose(scene, i + 1), .duration = 10.0};
    options.velocity.linear = ct_vec(0, 0, -1);
    ct_path *path = NULL;
    CHECK_INT(ct_path_create(&options, &path), CT_OK);
    moving[i] = (ct_row_motion){i + 1, path};
  }
  ct_motion_options o = {.impact = {.end = 10.0, .iterations_max = 100},
                         .moving = moving,
                         .moving_count = BALLS,
                         .earliest = true};
  ct_motion_query *query = NULL;
  size_t searched = 0;
  CHECK_INT(ct_motion_prepare(scene, &o, &query), CT_OK);
  CHECK_INT(ct_motion_candidates(query), BALLS);
  found = (told_hits){.most = SIZE_MAX};
  CHECK_INT(ct_motion_earliest(query, workspace, take, &found, &searched), CT_OK);
  /* The lowest, 1 m above the floor; those that reach it in the first eighth of the time, and the
   * lowest a second time. */
  CHECK(found.count == 1 && fabs(found.hits[0].impact.time - 1.0) < 1e-12);
  CHECK(searched >= 2 && searched <= 4);
  ct_motion_destroy(query);
  for (uint32_t i = 0; i < BALLS; i++) ct_path_destroy((ct_path *)(uintptr_t)moving[i].path);
  ct_scene_release(scene);
}

static void a_raised_flag_stops_the_computation(void) {
  moving_scene m;
  make(&m, 4);
  ct_motion_options o = options_of(&m);
  ct_cancel *cancel = ct_cancel_create();
  o.cancel = cancel;
  ct_motion_query *query = NULL, *none = NULL;
  CHECK_INT(ct_motion_prepare(m.scene, &o, &query), CT_OK);
  ct_cancel_raise(cancel);
  found = (told_hits){.most = SIZE_MAX};
  CHECK_INT(ct_motion_run(query, 0, ct_motion_items(query), workspace, take, &found), CT_CANCELLED);
  CHECK_INT(found.count, 0);
  CHECK_INT(ct_motion_prepare(m.scene, &o, &none), CT_CANCELLED);
  CHECK(none == NULL);
  ct_motion_destroy(query);
  ct_motion_destroy(NULL);
  ct_cancel_destroy(cancel);
  give_back(&m);
}

static void nothing_that_moves_is_no_candidate(void) {
  moving_scene m;
  make(&m, 5);
  ct_motion_options o = options_of(&m);
  o.moving_count = 0;
  run_query(&m, &o, SIZE_MAX / 2, &found);
  CHECK_INT(found.count, 0);
  o.earliest = true;
  run_query(&m, &o, SIZE_MAX / 2, &found);
  CHECK_INT(found.count, 0);
  give_back(&m);
}

/* A thousand balls side by side above a floor, of which one falls: its neighbours are not
 * evaluated. */
static void swept_boxes_leave_out_what_is_far(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  for (int i = 0; i < 1000; i++) {
    char id[16];
    snprintf(id, sizeof id, "s%d", i);
    add_shape(draft, id, sphere_of(0.4), pose_at(i % 32, i / 32, 1.0));
  }
  const ct_scene *scene = seal(draft, empty);
  ct_path_options options = {
      .kind = CT_PATH_TWIST, .start = ct_scene_pose(scene, 500), .duration = 1.0};
  options.velocity.linear = ct_vec(0, 0, -1);
  ct_path *path = NULL;
  CHECK_INT(ct_path_create(&options, &path), CT_OK);
  ct_row_motion moving = {500, path};
  ct_motion_options o = {
      .impact = {.end = 1.0, .iterations_max = 100}, .moving = &moving, .moving_count = 1};
  ct_motion_query *query = NULL;
  CHECK_INT(ct_motion_prepare(scene, &o, &query), CT_OK);
  CHECK_INT(ct_motion_candidates(query), 1);
  found = (told_hits){.most = SIZE_MAX};
  CHECK_INT(ct_motion_run(query, 0, ct_motion_items(query), workspace, take, &found), CT_OK);
  CHECK_INT(found.count, 1);
  CHECK_INT(found.hits[0].a, 0);
  CHECK_INT(found.hits[0].b, 500);
  CHECK_NEAR(found.hits[0].impact.time, 0.6, 1e-15);
  ct_motion_destroy(query);
  ct_path_destroy(path);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"every_pair_that_meets_is_found_and_no_other", every_pair_that_meets_is_found_and_no_other},
    {"timelines_are_those_of_all_pairs", timelines_are_those_of_all_pairs},
    {"ranges_laid_end_to_end_are_the_whole", ranges_laid_end_to_end_are_the_whole},
    {"distances_asked_for_cost", distances_asked_for_cost},
    {"where_selects_pairs", where_selects_pairs},
    {"pairs_by_name_are_answered_all_in_their_order",
     pairs_by_name_are_answered_all_in_their_order},
    {"the_earliest_are_the_least_of_all", the_earliest_are_the_least_of_all},
    {"the_earliest_are_found_with_few_searches", the_earliest_are_found_with_few_searches},
    {"a_raised_flag_stops_the_computation", a_raised_flag_stops_the_computation},
    {"nothing_that_moves_is_no_candidate", nothing_that_moves_is_no_candidate},
    {"swept_boxes_leave_out_what_is_far", swept_boxes_leave_out_what_is_far},
};
WORKSPACE_MAIN(tests)
