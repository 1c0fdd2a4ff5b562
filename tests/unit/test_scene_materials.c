/* Materials, gravity and prescribed accelerations of a scene: stored, found by name, combined for a
 * pair. */
#include "tests/support/scenes.h"

static const ct_named_material items[] = {
    {{"steel", 5},
     {.static_friction = 0.9,
      .dynamic_friction = 0.4,
      .restitution = 0.5,
      .rolling_friction = 0.01}},
    {{"default", 7}, {.static_friction = 0.3, .dynamic_friction = 0.3, .restitution = 0.8}},
    {{"ice", 3},
     {.static_friction = 0.04,
      .dynamic_friction = 0.01,
      .youngs_modulus = 9e9,
      .poisson_ratio = 0.33}}};
static const ct_material_pair pairs[] = {{{"steel", 5},
                                          {"ice", 3},
                                          .static_friction = NAN,
                                          .dynamic_friction = 0.5,
                                          .restitution = 0.25,
                                          .rolling_friction = NAN},
                                         {{"default", 7},
                                          {"default", 7},
                                          .static_friction = 0.1,
                                          .dynamic_friction = NAN,
                                          .restitution = NAN,
                                          .rolling_friction = 0.2}};
static const ct_materials materials = {items, 3, pairs, 2};

static const ct_scene *scene_with(const ct_materials *given) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  CHECK_INT(ct_draft_set_materials(draft, given), CT_OK);
  return seal(draft, empty);
}

static bool same_pair(ct_pair_material a, ct_pair_material b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static void materials_are_found_by_name_and_told_in_their_order(void) {
  const ct_scene *scene = scene_with(&materials);
  const ct_materials *kept = ct_scene_materials(scene);
  CHECK_INT(kept->count, 3);
  CHECK_INT(kept->pair_count, 2);
  for (size_t i = 0; i < kept->count; i++) {
    CHECK(kept->items != items && kept->items[i].name.bytes != items[i].name.bytes);
    CHECK(text_is(kept->items[i].name, items[i].name.bytes));
    ct_material found = ct_scene_material(scene, items[i].name);
    CHECK(memcmp(&found, &items[i].material, sizeof found) == 0);
  }
  CHECK(text_is(kept->pairs[0].b, "ice") && isnan(kept->pairs[0].static_friction) &&
        kept->pairs[0].dynamic_friction == 0.5);
  CHECK(ct_scene_material(scene, text_of("")).restitution == 0.8);
  CHECK(ct_scene_material(scene, text_of("stee")).restitution == 0.8);
  ct_scene_release(scene);
}

static void what_is_not_given_is_no_friction_and_no_restitution(void) {
  const ct_scene *none = scene_with(&(ct_materials){0}),
                 *few = scene_with(&(ct_materials){items, 1, NULL, 0});
  CHECK_INT(ct_scene_materials(none)->count, 0);
  ct_pair_material zero = {0};
  CHECK(same_pair(ct_scene_pair_material(none, text_of("steel"), text_of("steel")), zero));
  CHECK(same_pair(ct_scene_pair_material(few, text_of("steel"), text_of("")), zero));
  CHECK(ct_scene_material(few, text_of("")).static_friction == 0.0);
  ct_scene_release(none);
  ct_scene_release(few);
}

/* Geometric means of friction, the lesser restitution; a material combined with itself is
 * unchanged. */
static void two_materials_combine(void) {
  const ct_scene *scene = scene_with(&materials);
  ct_pair_material mixed = ct_scene_pair_material(scene, text_of("steel"), text_of(""));
  CHECK_NEAR(mixed.static_friction * mixed.static_friction, 0.9 * 0.3, 1e-16);
  CHECK_NEAR(mixed.dynamic_friction * mixed.dynamic_friction, 0.4 * 0.3, 1e-16);
  CHECK(mixed.restitution == 0.5 && mixed.rolling_friction == 0.0);
  CHECK(same_pair(mixed, ct_scene_pair_material(scene, text_of("default"), text_of("steel"))));
  ct_pair_material own = ct_scene_pair_material(scene, text_of("steel"), text_of("steel"));
  CHECK(own.static_friction == 0.9 && own.dynamic_friction == 0.4 && own.restitution == 0.5 &&
        own.rolling_friction == 0.01);
  ct_scene_release(scene);
}

static void what_a_pair_gives_is_in_force(void) {
  const ct_scene *scene = scene_with(&materials);
  ct_pair_material own = ct_scene_pair_material(scene, text_of("ice"), text_of("steel"));
  /* sqrt(.9 * .04) = .19 would be less than the given dynamic friction. */
  CHECK(own.dynamic_friction == 0.5 && own.static_friction == 0.5 && own.restitution == 0.25 &&
        own.rolling_friction == 0.0);
  CHECK(same_pair(own, ct_scene_pair_material(scene, text_of("steel"), text_of("ice"))));
  ct_pair_material unnamed = ct_scene_pair_material(scene, text_of(""), text_of(""));
  CHECK(unnamed.static_friction == 0.1 && unnamed.dynamic_friction == 0.1 &&
        unnamed.restitution == 0.8);
  CHECK(unnamed.rolling_friction == 0.2);
  ct_scene_release(scene);
}

/* Against a linear search of the list, for many pairs in a scattered order. */
static void every_pair_of_many_is_found(void) {
  enum { COUNT = 60, LISTED = 600 };
  static char names[COUNT][8];
  static ct_named_material many[COUNT];
  static ct_material_pair listed[LISTED];
  bool used[COUNT][COUNT] = {{false}};
  size_t count = 0;
  for (uint32_t i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[i], "m%u", i * 37 % 101);
    many[i] = (ct_named_material){text_of(names[i]), {.restitution = 1.0}};
  }
  for (uint32_t i = 0; count < LISTED; i++) {
    uint32_t a = i * 7919u % COUNT, b = (i / 3) * 104729u % COUNT;
    if (used[a][b]) continue;
    used[a][b] = used[b][a] = true;
    listed[count] =
        (ct_material_pair){many[a].name, many[b].name, NAN, NAN, (double)(count + 1) / 1000, NAN};
    count++;
  }
  const ct_scene *scene = scene_with(&(ct_materials){many, COUNT, listed, LISTED});
  for (size_t i = 0; i < LISTED; i++)
    CHECK(ct_scene_pair_material(scene, listed[i].b, listed[i].a).restitution ==
          listed[i].restitution);
  for (uint32_t a = 0; a < COUNT; a++)
    for (uint32_t b = 0; b < COUNT; b++)
      if (!used[a][b])
        CHECK(ct_scene_pair_material(scene, many[a].name, many[b].name).restitution == 1.0);
  ct_scene_release(scene);
}

static void too_many_are_refused_and_nothing_has_changed(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  CHECK_INT(ct_draft_set_materials(draft, &materials), CT_OK);
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){items, CT_MATERIALS_MAX + 1, NULL, 0}),
            CT_LIMIT);
  CHECK_INT(
      ct_draft_set_materials(draft, &(ct_materials){items, 3, pairs, CT_MATERIAL_PAIRS_MAX + 1}),
      CT_LIMIT);
  CHECK_INT(ct_draft_materials(draft)->count, 3);
  CHECK(ct_draft_has_material(draft, text_of("ice")) && !ct_draft_has_material(draft, text_of("")));
  ct_draft_discard(draft);
  ct_scene_release(empty);
}

static void settings_go_from_revision_to_revision(void) {
  const ct_scene *empty = ct_scene_create(0);
  const ct_vec3 given = {0, -1.62, 0};
  CHECK(ct_scene_gravity(empty).z == -9.81 && !ct_scene_has_gravity(empty));
  ct_draft *draft = ct_draft_begin(empty);
  for (uint32_t i = 0; i < 10; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%u", i);
    add_shape(draft, id, sphere_of(0.5), pose_at(2.0 * i, 0, 0));
  }
  ct_draft_set_gravity(draft, &given);
  CHECK_INT(ct_draft_set_materials(draft, &materials), CT_OK);
  const ct_scene *scene = seal(draft, empty);
  /* Removing most rows makes the sealed scene compact them, which rebuilds the scene. */
  draft = ct_draft_begin(scene);
  for (uint32_t row = 0; row < 9; row++) CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  const ct_scene *less = ct_draft_seal(draft);
  CHECK_INT(ct_scene_rows(less), 1);
  CHECK(ct_scene_has_gravity(less) && ct_scene_gravity(less).y == -1.62);
  CHECK(ct_scene_materials(less) == ct_scene_materials(scene));
  draft = ct_draft_begin(less);
  ct_draft_set_gravity(draft, NULL);
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){0}), CT_OK);
  const ct_scene *bare = ct_draft_seal(draft);
  CHECK(!ct_scene_has_gravity(bare) && ct_scene_gravity(bare).z == -9.81 &&
        ct_scene_materials(bare)->count == 0);
  CHECK(ct_scene_has_gravity(less) && ct_scene_materials(less)->count == 3);
  ct_scene_release(scene);
  ct_scene_release(less);
  ct_scene_release(bare);
}

static void a_body_keeps_its_materials_and_its_acceleration(void) {
  ct_collider colliders[2] = {{.id = text_of("tread"),
                               .shape = sphere_of(1),
                               .pose = pose_at(1, 0, 0),
                               .material = text_of("rubber"),
                               .note = text_of("{}")},
                              {.shape = sphere_of(2), .pose = ct_pose_identity()}};
  const ct_acceleration acceleration = {{1, 2, 3}, {4, 5, 6}};
  ct_motion motion = {
      .is_kinematic = true, .inertia_orientation = {0, 0, 0, 1}, .acceleration = &acceleration};
  ct_body_options options = {
      .id = text_of("b"), .colliders = colliders, .collider_count = 2, .motion = &motion};
  const ct_body *body;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  ct_collider first = ct_body_collider(body, 0);
  CHECK(text_is(first.id, "tread") && text_is(first.material, "rubber") &&
        text_is(first.note, "{}"));
  CHECK(text_is(ct_body_material(body, 0), "rubber") && ct_body_material(body, 1).length == 0);
  CHECK(first.pose.position.x == 1.0 && ct_body_collider(body, 1).shape.sphere.radius == 2.0);
  const ct_acceleration *kept = ct_body_motion(body)->acceleration;
  CHECK(kept != &acceleration && kept->linear.z == 3.0 && kept->angular.x == 4.0);
  ct_body_release(body);
  motion.acceleration = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_motion(body)->acceleration == NULL && text_is(ct_body_material(body, 0), "rubber"));
  ct_body_release(body);
}

static const check_test tests[] = {
    {"materials_are_found_by_name_and_told_in_their_order",
     materials_are_found_by_name_and_told_in_their_order},
    {"what_is_not_given_is_no_friction_and_no_restitution",
     what_is_not_given_is_no_friction_and_no_restitution},
    {"two_materials_combine", two_materials_combine},
    {"what_a_pair_gives_is_in_force", what_a_pair_gives_is_in_force},
    {"every_pair_of_many_is_found", every_pair_of_many_is_found},
    {"too_many_are_refused_and_nothing_has_changed", too_many_are_refused_and_nothing_has_changed},
    {"settings_go_from_revision_to_revision", settings_go_from_revision_to_revision},
    {"a_body_keeps_its_materials_and_its_acceleration",
     a_body_keeps_its_materials_and_its_acceleration},
};

CHECK_MAIN(tests)
