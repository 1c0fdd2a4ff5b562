/* Filters: the rules that exclude and include a pair; the pair loops and the verdict agree with a
 * direct implementation of the rules. */
#include "tests/support/scenes.h"

enum { BODIES = 24, GROUPS = 6 };

/* A scene of bodies that all overlap; body i is in the groups whose bits are set in groups[i]. */
static const ct_scene *crowd(const unsigned *groups) {
  static const char *const names[GROUPS] = {"g0", "g1", "g2", "g3", "g4", "g5"};
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (int i = 0; i < BODIES; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%d", i);
    ct_text in[GROUPS];
    size_t count = 0;
    for (int g = 0; g < GROUPS; g++)
      if (groups[i] >> g & 1) in[count++] = text_of(names[g]);
    ct_collider collider = {.shape = sphere_of(1), .pose = ct_pose_identity()};
    ct_body_options options = {.id = text_of(id),
                               .colliders = &collider,
                               .collider_count = 1,
                               .groups = in,
                               .group_count = count};
    const ct_body *body;
    CHECK_INT(ct_body_create(&options, &body), CT_OK);
    add_body(draft, body, pose_at(0.01 * i, 0, 0));
  }
  return seal(draft, empty);
}

static const ct_scene *with_filters(const ct_scene *base, const ct_filters *filters) {
  ct_draft *draft = ct_draft_begin(base);
  CHECK_INT(ct_draft_set_filters(draft, filters), CT_OK);
  return seal(draft, base);
}

static bool note_pair(void *context, const ct_pair_hit *hit) {
  bool *seen = context;
  seen[hit->a * BODIES + hit->b] = true;
  return true;
}

static void pairs_of(const ct_scene *scene, ct_broadphase broadphase, bool *seen) {
  ct_query_options options = {.broadphase = broadphase};
  ct_query *query;
  memset(seen, 0, BODIES * BODIES);
  CHECK_INT(ct_query_prepare_pairs(scene, &options, NULL, &query), CT_OK);
  CHECK_INT(ct_query_run_pairs(query, &(ct_query_range){0, ct_query_items(query), CT_NO_ROW, 0},
                               note_pair, seen, NULL),
            CT_OK);
  ct_query_destroy(query);
}

static void groups_exclude_both_ways_and_pair_rules_win(void) {
  unsigned groups[BODIES] = {1, 2, 4, 3};
  ct_text against[1] = {text_of("g1")};
  ct_group_rule rule = {text_of("g0"), against, 1};
  ct_pair_rule pairs[2] = {{text_of("b1"), text_of("b0"), true, text_of("wired")},
                           {text_of("b2"), text_of("b5"), false, text_of("bolted")}};
  const ct_scene *scene = with_filters(crowd(groups), &(ct_filters){&rule, 1, pairs, 2});
  bool seen[BODIES * BODIES];
  pairs_of(scene, CT_BROADPHASE_TREE, seen);
  CHECK(seen[0 * BODIES + 1]); /* excluded by groups, included by a pair rule */
  CHECK(seen[0 * BODIES + 2]);
  CHECK(!seen[0 * BODIES + 3]); /* b3 is in g0 and g1 */
  CHECK(!seen[1 * BODIES + 3]);
  CHECK(!seen[2 * BODIES + 5]);
  CHECK(seen[2 * BODIES + 6]);

  ct_filter_verdict verdict = ct_scene_filter_verdict(scene, 0, 1);
  CHECK(verdict.collide && text_is(verdict.pair_rule->reason, "wired") &&
        verdict.group_a.length == 0);
  verdict = ct_scene_filter_verdict(scene, 5, 2);
  CHECK(!verdict.collide && text_is(verdict.pair_rule->reason, "bolted"));
  verdict = ct_scene_filter_verdict(scene, 3, 0);
  CHECK(!verdict.collide && !verdict.pair_rule && text_is(verdict.group_a, "g1") &&
        text_is(verdict.group_b, "g0"));
  verdict = ct_scene_filter_verdict(scene, 2, 3);
  CHECK(verdict.collide && !verdict.pair_rule && verdict.group_a.length == 0 &&
        verdict.group_b.length == 0);
  ct_scene_release(scene);
}

static void a_group_can_exclude_itself(void) {
  unsigned groups[BODIES] = {1, 1, 2};
  ct_text against[1] = {text_of("g0")};
  ct_group_rule rule = {text_of("g0"), against, 1};
  const ct_scene *scene = with_filters(crowd(groups), &(ct_filters){&rule, 1, NULL, 0});
  bool seen[BODIES * BODIES];
  pairs_of(scene, CT_BROADPHASE_BRUTE_FORCE, seen);
  CHECK(!seen[0 * BODIES + 1] && seen[0 * BODIES + 2] && seen[1 * BODIES + 2]);
  ct_scene_release(scene);
}

static void filters_are_given_back_as_set_and_empty_ones_clear(void) {
  unsigned groups[BODIES] = {0};
  ct_text against[2] = {text_of("x"), text_of("y")};
  ct_group_rule rules[2] = {{text_of("w"), against, 2}, {text_of("z"), NULL, 0}};
  ct_pair_rule pair = {text_of("b0"), text_of("b1"), false, {NULL, 0}};
  const ct_scene *scene = with_filters(crowd(groups), &(ct_filters){rules, 2, &pair, 1});
  const ct_filters *f = ct_scene_filters(scene);
  CHECK_INT(f->group_count, 2);
  CHECK(text_is(f->groups[0].group, "w") && f->groups[0].count == 2 &&
        text_is(f->groups[0].not_collide_with[1], "y"));
  CHECK(text_is(f->groups[1].group, "z") && f->groups[1].count == 0);
  CHECK(f->pair_count == 1 && text_is(f->pairs[0].b, "b1") && !f->pairs[0].collide &&
        f->pairs[0].reason.length == 0);
  scene = with_filters(scene, &(ct_filters){NULL, 0, NULL, 0});
  CHECK(ct_scene_filters(scene)->group_count == 0 && ct_scene_filters(scene)->pair_count == 0);
  ct_scene_release(scene);
}

static void removing_a_body_drops_its_pair_rules_even_if_the_id_comes_back(void) {
  unsigned groups[BODIES] = {0};
  ct_pair_rule pairs[3] = {{text_of("b0"), text_of("b1"), false, {NULL, 0}},
                           {text_of("b2"), text_of("b0"), false, {NULL, 0}},
                           {text_of("b2"), text_of("b3"), false, {NULL, 0}}};
  const ct_scene *scene = with_filters(crowd(groups), &(ct_filters){NULL, 0, pairs, 3});
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_remove(draft, 0), CT_OK);
  uint32_t row = add_shape(draft, "b0", sphere_of(1), pose_at(0, 0, 0));
  const ct_scene *next = ct_draft_seal(draft);
  CHECK_INT(ct_scene_filters(next)->pair_count, 1);
  CHECK(text_is(ct_scene_filters(next)->pairs[0].b, "b3"));
  CHECK(ct_scene_filter_verdict(next, row, 1).collide &&
        !ct_scene_filter_verdict(next, 2, 3).collide);
  CHECK_INT(ct_scene_filters(scene)->pair_count, 3);
  ct_scene_release(next);
  /* Rules set after the removal apply to the new bodies. */
  draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_remove(draft, 0), CT_OK);
  row = add_shape(draft, "b0", sphere_of(1), pose_at(0, 0, 0));
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){NULL, 0, pairs, 1}), CT_OK);
  CHECK_INT(ct_draft_remove(draft, 5), CT_OK);
  next = ct_draft_seal(draft);
  CHECK_INT(ct_scene_filters(next)->pair_count, 1);
  CHECK(!ct_scene_filter_verdict(next, row, 1).collide);
  ct_scene_release(next);
  /* Removal without any rules. */
  draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_remove(draft, 0), CT_OK);
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){NULL, 0, NULL, 0}), CT_OK);
  CHECK_INT(ct_draft_remove(draft, 1), CT_OK);
  next = seal(draft, scene);
  CHECK_INT(ct_scene_filters(next)->pair_count, 0);
  ct_scene_release(next);
}

static void more_groups_with_rules_than_the_limit_are_refused(void) {
  static char names[CT_GROUPS_MAX + 1][16];
  static ct_text texts[CT_GROUPS_MAX + 1];
  for (int i = 0; i <= CT_GROUPS_MAX; i++) {
    snprintf(names[i], sizeof names[i], "n%d", i);
    texts[i] = text_of(names[i]);
  }
  unsigned groups[BODIES] = {0};
  const ct_scene *scene = crowd(groups);
  ct_draft *draft = ct_draft_begin(scene);
  ct_group_rule rule = {texts[0], texts, CT_GROUPS_MAX + 1};
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){&rule, 1, NULL, 0}), CT_LIMIT);
  rule.count = CT_GROUPS_MAX;
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){&rule, 1, NULL, 0}), CT_OK);
  /* Groups without rules do not count. */
  ct_group_rule rules[2] = {rule, {texts[CT_GROUPS_MAX], NULL, 0}};
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){rules, 2, NULL, 0}), CT_OK);
  ct_draft_discard(draft);
  ct_scene_release(scene);
}

/* The rules, implemented directly. */
static bool collides(const unsigned *groups, bool excludes[GROUPS][GROUPS],
                     int pair_rule[BODIES][BODIES], int i, int j) {
  if (pair_rule[i][j] >= 0) return pair_rule[i][j];
  for (int a = 0; a < GROUPS; a++)
    for (int b = 0; b < GROUPS; b++)
      if ((groups[i] >> a & 1) && (groups[j] >> b & 1) && (excludes[a][b] || excludes[b][a]))
        return false;
  return true;
}

static void random_rules_mean_what_they_say(void) {
  static char group_names[GROUPS][16], ids[BODIES][16];
  check_random r = {41};
  for (int g = 0; g < GROUPS; g++) snprintf(group_names[g], sizeof group_names[g], "g%d", g);
  for (int i = 0; i < BODIES; i++) snprintf(ids[i], sizeof ids[i], "b%d", i);
  for (int round = 0; round < 60; round++) {
    unsigned groups[BODIES];
    bool excludes[GROUPS][GROUPS] = {{false}};
    int pair_rule[BODIES][BODIES];
    memset(pair_rule, -1, sizeof pair_rule);
    for (int i = 0; i < BODIES; i++)
      groups[i] = (unsigned)(check_next(&r) & check_next(&r)) & ((1u << GROUPS) - 1);
    ct_text lists[GROUPS][GROUPS];
    ct_group_rule rules[GROUPS];
    for (int a = 0; a < GROUPS; a++) {
      rules[a] = (ct_group_rule){text_of(group_names[a]), lists[a], 0};
      for (int b = 0; b < GROUPS; b++) {
        if (check_next(&r) % 5) continue;
        excludes[a][b] = true;
        lists[a][rules[a].count++] = text_of(group_names[b]);
      }
    }
    ct_pair_rule pairs[BODIES];
    size_t pair_count = 0;
    for (int k = 0; k < BODIES / 2; k++) {
      int i = (int)(check_next(&r) % BODIES), j = (int)(check_next(&r) % BODIES);
      if (i == j || pair_rule[i][j] >= 0) continue;
      bool collide = check_next(&r) % 2;
      pair_rule[i][j] = pair_rule[j][i] = collide;
      pairs[pair_count++] = (ct_pair_rule){text_of(ids[i]), text_of(ids[j]), collide, {NULL, 0}};
    }
    const ct_scene *scene =
        with_filters(crowd(groups), &(ct_filters){rules, GROUPS, pairs, pair_count});
    bool tree[BODIES * BODIES], brute[BODIES * BODIES];
    pairs_of(scene, CT_BROADPHASE_TREE, tree);
    pairs_of(scene, CT_BROADPHASE_BRUTE_FORCE, brute);
    for (int i = 0; i < BODIES; i++) {
      for (int j = i + 1; j < BODIES; j++) {
        bool expected = collides(groups, excludes, pair_rule, i, j);
        CHECK_INT(tree[i * BODIES + j], expected);
        CHECK_INT(brute[i * BODIES + j], expected);
        CHECK_INT(ct_scene_filter_verdict(scene, (uint32_t)i, (uint32_t)j).collide, expected);
        CHECK_INT(ct_scene_filter_verdict(scene, (uint32_t)j, (uint32_t)i).collide, expected);
      }
    }
    ct_scene_release(scene);
  }
}

static const check_test tests[] = {
    {"groups_exclude_both_ways_and_pair_rules_win", groups_exclude_both_ways_and_pair_rules_win},
    {"a_group_can_exclude_itself", a_group_can_exclude_itself},
    {"filters_are_given_back_as_set_and_empty_ones_clear",
     filters_are_given_back_as_set_and_empty_ones_clear},
    {"removing_a_body_drops_its_pair_rules_even_if_the_id_comes_back",
     removing_a_body_drops_its_pair_rules_even_if_the_id_comes_back},
    {"more_groups_with_rules_than_the_limit_are_refused",
     more_groups_with_rules_than_the_limit_are_refused},
    {"random_rules_mean_what_they_say", random_rules_mean_what_they_say},
};

CHECK_MAIN(tests)
