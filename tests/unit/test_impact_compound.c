/* Times of impact of bodies with many colliders, against all pairs of colliders one by one, and the
 * number of distance evaluations. Counts stand for time: they are the same on any machine. */
#include "tests/support/failing_malloc.h"
#include "tests/support/movers.h"
#include "toi/toi_collider_tree.h"

#define MANY 400
#define DURATION 1.0

typedef struct compound {
  ct_shape shapes[MANY];
  ct_pose poses[MANY];
  uint32_t count;
} compound;

static ct_vec3 vec_within(check_random *r, double size) {
  double x = check_uniform(r, -size, size), y = check_uniform(r, -size, size),
         z = check_uniform(r, -size, size);
  return ct_vec(x, y, z);
}

/* Boxes, balls and capsules in a cube. */
static void scatter(compound *c, check_random *r, uint32_t count, double size) {
  c->count = count;
  for (uint32_t i = 0; i < count; i++) {
    ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {0.05}},
             box = {.kind = CT_KIND_BOX, .box = {{0.04, 0.05, 0.06}}};
    ct_shape capsule = {.kind = CT_KIND_CAPSULE, .capsule = {0.05, 0.03, 0.02}};
    ct_vec3 turn = vec_within(r, 1.0);
    c->shapes[i] = i % 3 == 0 ? box : i % 3 == 1 ? ball : capsule;
    c->poses[i] = (ct_pose){vec_within(r, size), {turn.x, turn.y, turn.z, 1.0}};
  }
}

static const ct_body *body_of(const ct_shape *shapes, const ct_pose *poses, uint32_t count) {
  ct_collider *colliders = calloc(count, sizeof *colliders);
  const ct_body *body = NULL;
  if (!colliders) abort();
  for (uint32_t i = 0; i < count; i++)
    colliders[i] = (ct_collider){.shape = shapes[i], .pose = poses[i]};
  ct_body_options options = {.id = {"body", 4}, .colliders = colliders, .collider_count = count};
  if (ct_body_create(&options, &body) != CT_OK) abort();
  free(colliders);
  return body;
}

static ct_moving_body all_of(const compound *c, const ct_path_options *path) {
  return mover_of(body_of(c->shapes, c->poses, c->count), path);
}

/* One collider, on the same path. */
static ct_moving_body one_of(const compound *c, uint32_t i, const ct_path_options *path) {
  return mover_of(body_of(&c->shapes[i], &c->poses[i], 1), path);
}

static ct_pose at(ct_vec3 position) { return (ct_pose){position, ct_quat_identity()}; }

/* The earliest event over all pairs of colliders, each pair searched as two bodies. */
static ct_toi least_of_all(const compound *a, const compound *b, const ct_path_options paths[2],
                           ct_workspace *workspace) {
  ct_toi_options options = whole_motion(DURATION);
  ct_toi least = {.event = CT_TOI_NONE, .time = DURATION, .free_until = DURATION};
  for (uint32_t i = 0; i < a->count; i++) {
    ct_moving_body first = one_of(a, i, &paths[0]);
    for (uint32_t j = 0; j < b->count; j++) {
      ct_moving_body second = one_of(b, j, &paths[1]);
      ct_toi impact;
      CHECK_INT(ct_body_toi(first, second, &options, workspace, &impact), CT_OK);
      CHECK(impact.event == CT_TOI_NONE || impact.event == CT_TOI_CONTACT);
      if (impact.event == CT_TOI_CONTACT && impact.time < least.time) {
        least = impact;
        least.collider_a = i;
        least.collider_b = j;
      }
      mover_free(second);
    }
    mover_free(first);
  }
  return least;
}

/* True if the bodies come into contact. */
static bool check_against_all(const compound *a, const compound *b,
                              const ct_path_options paths[2]) {
  ct_workspace *workspace = ct_workspace_create();
  ct_toi_options options = whole_motion(DURATION);
  ct_moving_body first = all_of(a, &paths[0]), second = all_of(b, &paths[1]);
  ct_toi least = least_of_all(a, b, paths, workspace), reported, mirror;
  CHECK_INT(ct_body_toi(first, second, &options, workspace, &reported), CT_OK);
  CHECK_INT(ct_body_toi(second, first, &options, workspace, &mirror), CT_OK);
  CHECK_INT(reported.event, least.event);
  CHECK_NEAR(reported.time, least.time, 1e-13);
  CHECK(reported.event == CT_TOI_NONE ||
        (reported.collider_a == least.collider_a && reported.collider_b == least.collider_b));
  CHECK(reported.lower <= least.upper && least.lower <= reported.upper);
  CHECK(reported.time == mirror.time && reported.lower == mirror.lower &&
        reported.upper == mirror.upper);
  CHECK(reported.collider_a == mirror.collider_b && reported.collider_b == mirror.collider_a);
  mover_free(first);
  mover_free(second);
  ct_workspace_destroy(workspace);
  return reported.event == CT_TOI_CONTACT;
}

static void compounds_meet_where_the_first_of_their_pairs_does(void) {
  static compound a, b;
  check_random r = {81};
  int met = 0;
  for (int i = 0; i < 60; i++) {
    scatter(&a, &r, 1 + (uint32_t)(i % 12), 0.5);
    scatter(&b, &r, 1 + (uint32_t)(i / 5), 0.5);
    if (i % 7 == 0) a.shapes[a.count - 1] = (ct_shape){.kind = CT_KIND_PLANE};
    if (i % 7 == 0) a.poses[a.count - 1] = at(ct_vec(0, 0, -1.5));
    ct_vec3 start = ct_vec(0, 0, check_uniform(&r, 1.2, 1.6)), v = vec_within(&r, 0.5);
    ct_path_options paths[2] = {
        twists(DURATION, at(ct_vec(0, 0, 0)), v, vec_within(&r, i % 3 == 0 ? 0.0 : 2.0)),
        twists(DURATION, at(start), ct_vec(v.y, v.z, -1.5), vec_within(&r, 2.0))};
    if (i % 5 == 2) {
      paths[1].kind = CT_PATH_TORQUE_FREE;
      paths[1].center = vec_within(&r, 0.3);
      paths[1].acceleration = vec_within(&r, 1.0);
      paths[1].inertia_diagonal = ct_vec(1.0, 2.0, 2.5);
      paths[1].inertia_orientation = ct_quat_identity();
    }
    if (i % 7 == 0)
      paths[0] =
          twists(DURATION, at(ct_vec(0, 0, 0)), i % 2 == 0 ? v : ct_vec(0, 0, 0), ct_vec(0, 0, 0));
    met += check_against_all(&a, &b, paths);
  }
  CHECK(met > 12 && met < 58);
}

/* A set of two bodies, as searches use it. */
typedef struct rig {
  ct_workspace *workspace;
  ct_toi_options options;
  ct_moving_body a, b;
  ct_toi_bodies bodies;
} rig;

static void rig_open(rig *g, const compound *a, const compound *b, double far, ct_vec3 velocity) {
  g->workspace = ct_workspace_create();
  g->options = whole_motion(DURATION);
  ct_path_options still = stays(DURATION, at(ct_vec(0, 0, 0)));
  ct_path_options moving = twists(DURATION, at(ct_vec(far, 0, 0)), velocity, ct_vec(0, 0, 0.1));
  g->a = all_of(a, &still);
  g->b = all_of(b, &moving);
  CHECK_INT(ct_toi_bodies_set(&g->bodies, g->a, g->b, &g->options, g->workspace), CT_OK);
}

static void rig_close(rig *g) {
  mover_free(g->a);
  mover_free(g->b);
  ct_workspace_destroy(g->workspace);
}

static uint32_t sides_made(const rig *g) {
  return g->bodies.in[0]->sides_prepared + g->bodies.in[1]->sides_prepared;
}

static void bodies_that_stay_far_from_each_other_are_told_apart_as_wholes(void) {
  static compound a, b;
  check_random r = {82};
  scatter(&a, &r, MANY, 1.0);
  scatter(&b, &r, MANY, 1.0);
  rig g;
  ct_toi impact;
  rig_open(&g, &a, &b, 9.0, ct_vec(-0.1, 0, 0));
  CHECK_INT(ct_toi_first(&g.bodies, &impact), CT_OK);
  CHECK(impact.event == CT_TOI_NONE && impact.iterations == 0);
  CHECK_INT(g.bodies.in[0]->groups_tested, 1);
  CHECK_INT(sides_made(&g), 0);
  rig_close(&g);
}

static void of_bodies_that_come_near_few_pairs_are_looked_at(void) {
  static compound a, b;
  check_random r = {83};
  scatter(&a, &r, MANY, 1.0);
  scatter(&b, &r, MANY, 1.0);
  rig g;
  ct_toi impact;
  rig_open(&g, &a, &b, 2.2, ct_vec(-0.5, 0, 0));
  CHECK_INT(ct_toi_first(&g.bodies, &impact), CT_OK);
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  /* 160,000 pairs; one evaluation covers a pair of groups. */
  CHECK(g.bodies.in[0]->groups_tested < 16000 && impact.iterations < 1600);
  /* Passing by at a distance. */
  rig_close(&g);
  rig_open(&g, &a, &b, 2.3, ct_vec(0, 0.5, 0));
  CHECK_INT(ct_toi_first(&g.bodies, &impact), CT_OK);
  CHECK_INT(impact.event, CT_TOI_NONE);
  CHECK(g.bodies.in[0]->groups_tested < 8000 && impact.iterations < 400);
  rig_close(&g);
}

static void of_a_body_above_a_floor_few_colliders_are_looked_at(void) {
  static compound a, b;
  check_random r = {86};
  scatter(&a, &r, MANY, 1.0);
  b = (compound){.shapes = {{.kind = CT_KIND_PLANE}}, .poses = {at(ct_vec(0, 0, 0))}, .count = 1};
  for (int high = 0; high < 2; high++) {
    rig g = {.workspace = ct_workspace_create(), .options = whole_motion(DURATION)};
    ct_path_options down =
        twists(DURATION, at(ct_vec(0, 0, high ? 4.0 : 1.25)), ct_vec(0, 0, -1), ct_vec(0, 0.5, 0));
    ct_path_options still = stays(DURATION, at(ct_vec(0, 0, 0)));
    g.a = all_of(&a, &down);
    g.b = all_of(&b, &still);
    CHECK_INT(ct_toi_bodies_set(&g.bodies, g.a, g.b, &g.options, g.workspace), CT_OK);
    ct_toi impact;
    CHECK_INT(ct_toi_first(&g.bodies, &impact), CT_OK);
    CHECK_INT(impact.event, high ? CT_TOI_NONE : CT_TOI_CONTACT);
    CHECK(high ? impact.iterations == 0 && sides_made(&g) == 0 : sides_made(&g) < MANY / 4);
    rig_close(&g);
  }
}

static void the_nearest_pair_is_that_of_all_and_few_distances_are_taken(void) {
  static compound a, b;
  check_random r = {84};
  ct_pair_options options = {0.0, INFINITY};
  for (int i = 0; i < 4; i++) {
    scatter(&a, &r, 150, 1.0);
    scatter(&b, &r, 150, 1.0);
    rig g;
    ct_toi_pair pair;
    ct_toi_sample sample;
    uint32_t spent = 0;
    double least = INFINITY, time = 0.25 * i;
    rig_open(&g, &a, &b, 2.4, ct_vec(-0.5, 0, 0));
    CHECK_INT(ct_toi_nearest(&g.bodies, time, &pair, &sample, &spent), CT_OK);
    ct_frame frames[2] = {ct_frame_of(ct_path_pose(g.a.path, time)),
                          ct_frame_of(ct_path_pose(g.b.path, time))};
    for (uint32_t m = 0; m < a.count; m++) {
      for (uint32_t n = 0; n < b.count; n++) {
        ct_frame fa = ct_frame_mul(frames[0], ct_frame_of(a.poses[m])),
                 fb = ct_frame_mul(frames[1], ct_frame_of(b.poses[n]));
        ct_pair_result result;
        ct_pair_distance((ct_placed){&a.shapes[m], &fa}, (ct_placed){&b.shapes[n], &fb}, &options,
                         g.workspace, &result);
        least = ct_min2(least, result.distance);
      }
    }
    CHECK_NEAR(sample.result.distance, least, 1e-14);
    CHECK(sample.lower <= least && least <= sample.upper);
    CHECK(i > 0 || spent < 100);
    rig_close(&g);
  }
}

static void a_body_that_is_asked_about_again_is_kept_while_that_is_allowed(void) {
  static compound a, b;
  check_random r = {87};
  scatter(&a, &r, 50, 1.0);
  scatter(&b, &r, 50, 1.0);
  rig g;
  rig_open(&g, &a, &b, 1.0, ct_vec(-0.5, 0, 0));
  for (int keeps = 1; keeps >= 0; keeps--) {
    uint32_t spent[2] = {0, 0};
    ct_toi_pair pair;
    ct_toi_sample samples[2];
    ct_toi_retain_colliders(g.workspace, keeps == 1);
    for (int i = 0; i < 2; i++) {
      CHECK_INT(ct_toi_bodies_set(&g.bodies, g.a, g.b, &g.options, g.workspace), CT_OK);
      CHECK((sides_made(&g) > 0) == (i == 1 && keeps));
      CHECK_INT(ct_toi_nearest(&g.bodies, 0.5, &pair, &samples[i], &spent[i]), CT_OK);
    }
    CHECK(spent[0] == spent[1] && samples[0].result.distance == samples[1].result.distance);
    /* The cached set is not reused for another body. */
    CHECK_INT(ct_toi_bodies_set(&g.bodies, g.b, g.a, &g.options, g.workspace), CT_OK);
    CHECK_INT(sides_made(&g), 0);
  }
  rig_close(&g);
}

static void out_of_memory_is_reported(void) {
  NEEDS_FAILING_MALLOC;
  static compound a, b;
  check_random r = {85};
  scatter(&a, &r, 20, 1.0);
  scatter(&b, &r, 30, 1.0);
  ct_path_options still = stays(DURATION, at(ct_vec(0, 0, 0)));
  ct_moving_body first = all_of(&a, &still), second = all_of(&b, &still);
  ct_toi_options options = whole_motion(DURATION);
  for (long n = 0; n <= 2; n++) {
    ct_workspace *workspace = ct_workspace_create();
    ct_toi impact;
    memory.fail_at = n;
    memory.taken = 0;
    memory.counting = true;
    ct_status status = ct_body_toi(first, second, &options, workspace, &impact);
    memory.counting = false;
    CHECK_INT(status, n == 0 ? CT_OK : CT_OUT_OF_MEMORY);
    memory.fail_at = 0;
    CHECK_INT(ct_body_toi(first, second, &options, workspace, &impact), CT_OK);
    ct_workspace_destroy(workspace);
  }
  mover_free(first);
  mover_free(second);
}

static const check_test tests[] = {
    {"compounds meet where the first of their pairs does",
     compounds_meet_where_the_first_of_their_pairs_does},
    {"bodies that stay far from each other are told apart as wholes",
     bodies_that_stay_far_from_each_other_are_told_apart_as_wholes},
    {"of a body above a floor few colliders are looked at",
     of_a_body_above_a_floor_few_colliders_are_looked_at},
    {"of bodies that come near few pairs are looked at",
     of_bodies_that_come_near_few_pairs_are_looked_at},
    {"the nearest pair is that of all and few distances are taken",
     the_nearest_pair_is_that_of_all_and_few_distances_are_taken},
    {"a body that is asked about again is kept while that is allowed",
     a_body_that_is_asked_about_again_is_kept_while_that_is_allowed},
    {"out of memory is reported", out_of_memory_is_reported},
};
CHECK_MAIN(tests)
