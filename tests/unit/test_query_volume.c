/* Volumetric contacts of a scene: equal to loops over pairs of colliders for any division of the
 * query into ranges; sparsified as a whole; and the scene's geometric epsilon. */
#include "tests/support/scenes.h"

enum { BODIES = 6, COLLIDERS = 8, HITS = 4096 };

static ct_workspace *workspace;

/* The compared members of a hit. */
typedef struct reported {
  uint32_t a, b, collider_a, collider_b, part;
  size_t item;
  double volume, area;
  ct_vec3 position;
  ct_sparsified sparsified;
} reported;

typedef struct told_hits {
  reported hits[HITS];
  size_t count, most;
} told_hits;

static bool take(void *context, const ct_volume_hit *hit) {
  told_hits *l = context;
  reported *t = &l->hits[l->count++];
  *t = (reported){.a = hit->a,
                  .b = hit->b,
                  .collider_a = hit->collider_a,
                  .collider_b = hit->collider_b,
                  .part = hit->position.part,
                  .item = hit->position.item,
                  .sparsified = hit->sparsified};
  if (hit->contact) {
    t->volume = hit->contact->volume;
    t->area = hit->contact->area;
    t->position = hit->contact->position;
    CHECK_INT(hit->contact->triangle_count > 0, 1);
    CHECK(hit->triangles[hit->contact->triangle_count - 1].owner <= CT_OWNER_SHARED);
  }
  return l->count < l->most;
}

static bool same(const reported *s, const reported *t) {
  return s->a == t->a && s->b == t->b && s->collider_a == t->collider_a &&
         s->collider_b == t->collider_b && s->part == t->part && s->item == t->item &&
         s->volume == t->volume && s->area == t->area && s->position.x == t->position.x &&
         s->position.z == t->position.z && s->sparsified == t->sparsified;
}

/* Bodies of boxes in a cube; boxes of one body may touch or overlap each other. */
static const ct_scene *random_scene(check_random *r) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (uint32_t i = 0; i < BODIES; i++) {
    ct_shape shapes[COLLIDERS];
    ct_pose poses[COLLIDERS];
    for (int k = 0; k < COLLIDERS; k++) {
      shapes[k] = box_of(0.25, 0.25, 0.125 * (double)(1 + check_next(r) % 4));
      double x = (double)(check_next(r) % 4), y = (double)(check_next(r) % 4),
             z = (double)(check_next(r) % 3);
      poses[k] = pose_at(0.5 * x - 0.75, 0.5 * y - 0.75, 0.5 * z - 0.5);
    }
    char id[4] = {'b', (char)('0' + i), 0};
    add_body(draft, body_of(id, shapes, poses, COLLIDERS, NULL), random_pose(r, 1.0));
  }
  return seal(draft, empty);
}

static ct_query *prepare(const ct_scene *scene, const ct_query_options *options,
                         const ct_query_sparsify *sparsify) {
  const ct_query_volume_options volume = {.volume = {.triangles = true}, .sparsify = sparsify};
  ct_query *query = NULL;
  CHECK_INT(ct_query_prepare_volumes(scene, options, &volume, &query), CT_OK);
  return query;
}

static ct_status run(const ct_query *query, ct_query_range range, told_hits *out) {
  return ct_query_run_volumes(query, &range, workspace, take, out, NULL);
}

static ct_status run_whole(const ct_query *query, told_hits *out) {
  *out = (told_hits){.most = SIZE_MAX};
  return run(query, (ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0}, out);
}

static const ct_query_options all_pairs = {.clearance = 0.0};

static void contacts_are_those_of_the_loops(void) {
  static told_hits found;
  check_random r = {71};
  for (int round = 0; round < 6; round++) {
    const ct_scene *scene = random_scene(&r);
    ct_query *query = prepare(scene, &all_pairs, NULL);
    CHECK_INT(run_whole(query, &found), CT_OK);
    size_t next = 0;
    for (uint32_t a = 0; a < BODIES; a++)
      for (uint32_t b = a + 1; b < BODIES; b++)
        for (uint32_t i = 0; i < COLLIDERS * COLLIDERS; i++) {
          ct_collider p = ct_body_collider(ct_scene_body(scene, a), i / COLLIDERS);
          ct_collider q = ct_body_collider(ct_scene_body(scene, b), i % COLLIDERS);
          ct_frame at_p = ct_frame_mul(ct_frame_of(ct_scene_pose(scene, a)), ct_frame_of(p.pose));
          ct_frame at_q = ct_frame_mul(ct_frame_of(ct_scene_pose(scene, b)), ct_frame_of(q.pose));
          ct_pose pose_a = ct_scene_pose(scene, a), pose_b = ct_scene_pose(scene, b);
          ct_volume_options posed = {.triangles = true};
          posed.poses_a = (ct_volume_poses){&pose_a, &p.pose};
          posed.poses_b = (ct_volume_poses){&pose_b, &q.pose};
          ct_volume v;
          ct_pair_volume((ct_placed){&p.shape, &at_p}, (ct_placed){&q.shape, &at_q}, &posed,
                         workspace, &v);
          if (v.count == 0) continue;
          const reported *t = &found.hits[next++];
          CHECK(t->a == a && t->b == b && t->collider_a == i / COLLIDERS &&
                t->collider_b == i % COLLIDERS);
          CHECK(t->volume == v.contacts[0].volume && t->area == v.contacts[0].area &&
                t->sparsified == CT_KEPT);
        }
    CHECK_INT(found.count, next);
    CHECK(next > 20);
    ct_query_destroy(query);
    ct_scene_release(scene);
  }
}

/* Pages of `page` hits, each continued after the last hit of the page before. */
static void check_pages(const ct_query *query, const told_hits *whole, size_t page,
                        bool is_explicit) {
  static told_hits got;
  ct_query_range range = {0, ct_query_items(query), CT_NO_ROW, 0};
  size_t next = 0;
  for (;;) {
    got = (told_hits){.most = page};
    CHECK_INT(run(query, range, &got), CT_OK);
    for (size_t i = 0; i < got.count && next < whole->count; i++, next++)
      CHECK(same(&got.hits[i], &whole->hits[next]));
    if (got.count < page) break;
    const reported *last = &got.hits[got.count - 1];
    range = (ct_query_range){last->item, range.end, is_explicit ? CT_NO_ROW : last->b, last->part};
  }
  CHECK_INT(next, whole->count);
}

static void check_cuts(const ct_query *query, bool is_explicit) {
  static told_hits whole, joined;
  CHECK_INT(run_whole(query, &whole), CT_OK);
  CHECK(whole.count > 10);
  joined = (told_hits){.most = SIZE_MAX};
  for (size_t i = 0; i < ct_query_items(query); i++)
    CHECK_INT(run(query, (ct_query_range){i, i + 1, CT_NO_ROW, 0}, &joined), CT_OK);
  CHECK_INT(joined.count, whole.count);
  for (size_t i = 0; i < whole.count && i < joined.count; i++)
    CHECK(same(&joined.hits[i], &whole.hits[i]));
  check_pages(query, &whole, 1, is_explicit);
  check_pages(query, &whole, 7, is_explicit);
}

static void any_cut_laid_end_to_end_is_the_whole(void) {
  check_random r = {72};
  const ct_query_sparsify sparsify = {
      .threshold = 0.2, .min_area = 1e-4, .min_distance = 0.05, .bytes_max = SIZE_MAX};
  const ct_row_pair pairs[4] = {{3, 1}, {0, 2}, {4, 5}, {2, 0}};
  for (int round = 0; round < 2; round++) {
    const ct_scene *scene = random_scene(&r);
    for (int form = 0; form < 4; form++) {
      ct_query_options options = {.explicit_pairs = form & 2};
      options.pairs = pairs;
      options.pair_count = form & 2 ? 4 : 0;
      ct_query *query = prepare(scene, &options, form & 1 ? &sparsify : NULL);
      check_cuts(query, form & 2);
      ct_query_destroy(query);
    }
    ct_scene_release(scene);
  }
}

/* ---- sparsification ------------------------------------------------------------------------- */

/* Pieces are body * COLLIDERS + collider; shapes of a body with a common point are adjacent. */
static bool touch_in_body(void *context, uint32_t row, uint32_t piece, uint32_t other) {
  const ct_body *body = ct_scene_body(context, row);
  ct_collider p = ct_body_collider(body, piece % COLLIDERS),
              q = ct_body_collider(body, other % COLLIDERS);
  ct_vec3 gap = ct_sub(p.pose.position, q.pose.position),
          room = ct_add(p.shape.box.half, q.shape.box.half);
  return fabs(gap.x) <= room.x && fabs(gap.y) <= room.y && fabs(gap.z) <= room.z;
}

static void sparsified_are_all_contacts_together(void) {
  static told_hits all, found;
  static ct_sparse_contact contacts[HITS];
  static ct_sparsified expected[HITS];
  check_random r = {73};
  size_t seen[4] = {0};
  for (int round = 0; round < 6; round++) {
    const ct_scene *scene = random_scene(&r);
    const ct_query_sparsify sparsify = {
        .threshold = 0.3, .min_area = 1e-2, .min_distance = 0.02, .bytes_max = SIZE_MAX};
    ct_query *query = prepare(scene, &all_pairs, NULL);
    CHECK_INT(run_whole(query, &all), CT_OK);
    ct_query_destroy(query);
    for (uint32_t i = 0; i < all.count; i++) {
      const reported *t = &all.hits[i];
      contacts[i] = (ct_sparse_contact){.body_a = t->a,
                                        .body_b = t->b,
                                        .piece_a = t->a * COLLIDERS + t->collider_a,
                                        .piece_b = t->b * COLLIDERS + t->collider_b,
                                        .id = i,
                                        .area_defined = true,
                                        .area = t->area,
                                        .position = t->position};
    }
    ct_sparsify_options rules = {0.3, 1e-2, 0.02, touch_in_body, (void *)(uintptr_t)scene, NULL};
    CHECK_INT(ct_sparsify(contacts, all.count, &rules, expected), CT_OK);
    query = prepare(scene, &all_pairs, &sparsify);
    CHECK_INT(run_whole(query, &found), CT_OK);
    CHECK_INT(found.count, all.count);
    for (size_t i = 0; i < found.count; i++) {
      CHECK_INT(found.hits[i].sparsified, expected[i]);
      seen[expected[i]]++;
    }
    ct_query_destroy(query);
    ct_scene_release(scene);
  }
  for (int k = 0; k < 4; k++) CHECK(seen[k] > 0);
}

static void contacts_beyond_the_memory_allowed_are_refused(void) {
  static told_hits found;
  check_random r = {74};
  const ct_scene *scene = random_scene(&r);
  const ct_query_sparsify sparsify = {
      .threshold = 0.01, .min_area = 0, .min_distance = 0, .bytes_max = 4096};
  ct_query *query = prepare(scene, &all_pairs, &sparsify);
  CHECK_INT(run_whole(query, &found), CT_LIMIT);
  CHECK_INT(found.count, 0);
  ct_query_destroy(query);
  ct_scene_release(scene);
}

/* ---- row 16 --------------------------------------------------------------------------------- */

static void the_epsilon_is_a_millionth_of_the_smallest_radius_unless_set(void) {
  const ct_scene *scene = ct_scene_create(0);
  CHECK(ct_scene_default_epsilon(scene) == 1e-6);
  ct_draft *draft = ct_draft_begin(scene);
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  add_shape(draft, "large", sphere_of(40), pose_at(0, 0, 50));
  uint32_t row = add_shape(draft, "small", sphere_of(0.25), pose_at(3, 0, 0));
  ct_draft_set_geometric_epsilon(draft, 1e-3);
  scene = seal(draft, scene);
  CHECK_NEAR(ct_scene_default_epsilon(scene), 0.25e-6, 1e-15);
  CHECK(ct_scene_geometric_epsilon(scene) == 1e-3);
  draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  CHECK_INT(ct_draft_remove(draft, 0), CT_OK); /* most rows are empty, so rows are compacted */
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_rows(scene), 1);
  CHECK_NEAR(ct_scene_default_epsilon(scene), 40e-6, 1e-13);
  CHECK(ct_scene_geometric_epsilon(scene) == 1e-3);
  draft = ct_draft_begin(scene);
  ct_draft_set_geometric_epsilon(draft, 0.0);
  scene = seal(draft, scene);
  CHECK(ct_scene_geometric_epsilon(scene) == 0.0);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"contacts_are_those_of_the_loops", contacts_are_those_of_the_loops},
    {"any_cut_laid_end_to_end_is_the_whole", any_cut_laid_end_to_end_is_the_whole},
    {"row 13: sparsified are all contacts together", sparsified_are_all_contacts_together},
    {"contacts_beyond_the_memory_allowed_are_refused",
     contacts_beyond_the_memory_allowed_are_refused},
    {"row 16: the epsilon is a millionth of the smallest radius unless set",
     the_epsilon_is_a_millionth_of_the_smallest_radius_unless_set},
};

int main(int argc, char **argv) {
  workspace = ct_workspace_create();
  int failed = check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_workspace_destroy(workspace);
  return failed;
}
