/* Random edits of scenes against a plain list of bodies: every sealed revision stays unchanged, an
 * inherited tree answers as a rebuilt one, and the index finds every body. */
#include "tests/support/scenes.h"

enum { IDS = 400, KEPT = 6 };

/* The expected revision: bodies in document order. */
typedef struct model_body {
  int id;
  double radius;
  ct_pose pose;
  ct_velocity velocity;
  uint64_t serial; /* one more for each body ever added */
} model_body;

typedef struct model {
  model_body bodies[IDS];
  int count;
  uint64_t inserted;
} model;

static int model_find(const model *m, int id) {
  for (int k = 0; k < m->count; k++)
    if (m->bodies[k].id == id) return k;
  return -1;
}

static const char *id_text(int id) {
  static char text[16];
  snprintf(text, sizeof text, "body-%d", id);
  return text;
}

static void check_same(const ct_scene *scene, const model *m) {
  int k = 0;
  CHECK_INT(ct_scene_count(scene), m->count);
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    if (!body) continue;
    if (k == m->count) break;
    const model_body *expected = &m->bodies[k++];
    ct_pose pose = ct_scene_pose(scene, row);
    ct_velocity velocity = ct_scene_velocity(scene, row);
    CHECK(text_is(ct_body_id(body), id_text(expected->id)));
    CHECK(ct_body_collider(body, 0).shape.sphere.radius == expected->radius);
    CHECK(memcmp(&pose, &expected->pose, sizeof pose) == 0);
    CHECK(memcmp(&velocity, &expected->velocity, sizeof velocity) == 0);
    CHECK_INT(ct_scene_find(scene, text_of(id_text(expected->id))), row);
    CHECK_INT(ct_scene_serial(scene, row), expected->serial);
  }
  CHECK_INT(k, m->count);
  for (int id = 0; id < IDS; id += 7)
    CHECK((ct_scene_find(scene, text_of(id_text(id))) != CT_NO_ROW) == (model_find(m, id) >= 0));
}

static void edit(ct_draft *draft, model *m, check_random *r) {
  int id = (int)(check_next(r) % IDS), at = model_find(m, id);
  uint32_t row = ct_draft_find(draft, text_of(id_text(id)));
  CHECK((row != CT_NO_ROW) == (at >= 0));
  uint64_t action = check_next(r) % 8;
  model_body fresh = {.id = id, .radius = check_uniform(r, 0.1, 0.5), .pose = random_pose(r, 8.0)};
  ct_shape shape = sphere_of(fresh.radius);
  if (at < 0) {
    if (check_next(r) % 20 == 0) fresh.velocity.linear.x = 1.0;
    const ct_body *body = body_of(id_text(id), &shape, NULL, 1, NULL);
    CHECK_INT(ct_draft_insert(draft, body, &fresh.pose, &fresh.velocity, NULL), CT_OK);
    ct_body_release(body);
    fresh.serial = m->inserted++;
    m->bodies[m->count++] = fresh;
  } else if (action == 0) {
    CHECK_INT(ct_draft_remove(draft, row), CT_OK);
    m->count--;
    memmove(&m->bodies[at], &m->bodies[at + 1], (size_t)(m->count - at) * sizeof m->bodies[0]);
  } else if (action == 1) {
    const ct_body *body = body_of(id_text(id), &shape, NULL, 1, NULL);
    CHECK_INT(ct_draft_replace(draft, row, body, &fresh.pose, NULL), CT_OK);
    ct_body_release(body);
    fresh.serial = m->bodies[at].serial;
    m->bodies[at] = fresh;
  } else if (action == 2) {
    m->bodies[at].velocity.angular.y += 1.0;
    CHECK_INT(ct_draft_set_velocity(draft, row, &m->bodies[at].velocity), CT_OK);
  } else {
    m->bodies[at].pose = fresh.pose;
    CHECK_INT(ct_draft_set_pose(draft, row, &fresh.pose), CT_OK);
  }
}

static void empty_out(ct_draft *draft, model *m) {
  while (m->count > 3) {
    CHECK_INT(
        ct_draft_remove(draft, ct_draft_find(draft, text_of(id_text(m->bodies[m->count / 2].id)))),
        CT_OK);
    int at = m->count / 2;
    m->count--;
    memmove(&m->bodies[at], &m->bodies[at + 1], (size_t)(m->count - at) * sizeof m->bodies[0]);
  }
}

static void check_tree(const ct_scene *scene) {
  pair_log tree = log_pairs(scene, CT_QUERY_PAIRS, CT_BROADPHASE_TREE),
           brute = log_pairs(scene, CT_QUERY_PAIRS, CT_BROADPHASE_BRUTE_FORCE);
  CHECK_INT(tree.count, brute.count);
  CHECK(tree.sum == brute.sum);
}

static void a_sealed_revision_never_changes(void) {
  static model models[KEPT];
  const ct_scene *kept[KEPT] = {NULL};
  check_random r = {51};
  memset(models, 0, sizeof models);
  kept[0] = ct_scene_create(1);
  int newest = 0;
  for (int step = 0; step < 400; step++) {
    int next = (newest + 1) % KEPT;
    if (kept[next]) {
      check_same(kept[next], &models[next]);
      check_tree(kept[next]); /* a later revision may have taken over its tree */
      ct_scene_release(kept[next]);
    }
    models[next] = models[newest];
    ct_draft *draft = ct_draft_begin(kept[newest]);
    uint64_t edits = check_next(&r) % (step % 10 == 0 ? 200 : 12);
    for (uint64_t k = 0; k < edits; k++) edit(draft, &models[next], &r);
    if (step % 97 == 96) empty_out(draft, &models[next]);
    kept[next] = ct_draft_seal(draft);
    CHECK_INT(ct_scene_revision(kept[next]), step + 2);
    check_same(kept[next], &models[next]);
    /* In some rounds several revisions pass without a query; the tree then starts from an older
     * one. */
    const ct_scene *requested = kept[check_next(&r) % 3 ? next : newest];
    if (check_next(&r) % 2) check_tree(requested);
    newest = next;
  }
  for (int k = 0; k < KEPT; k++) {
    check_same(kept[k], &models[k]);
    ct_scene_release(kept[k]);
  }
}

/* The older revision has no other reference: its tree is passed on for 100 refitted frames, and
 * answers as a rebuilt one. */
static void a_tree_updated_over_100_revisions_answers_like_a_new_one(void) {
  check_random r = {52};
  const ct_scene *scene = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(scene);
  for (int i = 0; i < 300; i++)
    add_shape(draft, id_text(i), sphere_of(check_uniform(&r, 0.1, 0.4)), random_pose(&r, 5.0));
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  scene = seal(draft, scene);
  for (int frame = 0; frame < 100; frame++) {
    pair_log tree = log_pairs(scene, CT_QUERY_PAIRS, CT_BROADPHASE_TREE),
             brute = log_pairs(scene, CT_QUERY_PAIRS, CT_BROADPHASE_BRUTE_FORCE);
    CHECK(tree.count > 100);
    CHECK_INT(tree.count, brute.count);
    CHECK(tree.sum == brute.sum);
    draft = ct_draft_begin(scene);
    for (uint32_t k = 0; k < 40; k++) {
      uint32_t row = (uint32_t)(check_next(&r) % 300);
      ct_pose pose = ct_scene_pose(scene, row);
      pose.position = ct_add(pose.position,
                             ct_vec(check_uniform(&r, -0.2, 0.2), 0, check_uniform(&r, -0.2, 0.2)));
      if (k == 0) pose = random_pose(&r, 5.0);
      CHECK_INT(ct_draft_set_pose(draft, row, &pose), CT_OK);
    }
    if (frame % 10 == 0) {
      /* The floor rotates: its box is bounded on one side, or not at all. */
      ct_pose tilted = {{0, 0, 0}, frame % 20 ? (ct_quat){0, 0, 0, 1} : random_rotation(&r)};
      CHECK_INT(ct_draft_set_pose(draft, 300, &tilted), CT_OK);
    }
    scene = seal(draft, scene);
  }
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"a_sealed_revision_never_changes", a_sealed_revision_never_changes},
    {"a_tree_updated_over_100_revisions_answers_like_a_new_one",
     a_tree_updated_over_100_revisions_answers_like_a_new_one},
};

CHECK_MAIN(tests)
