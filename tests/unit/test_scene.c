/* Scenes: unchanged bodies, drafts against sealed revisions, memory and references of a revision,
 * mass of a body. */
#include "tests/support/scenes.h"

static void a_body_gives_back_what_it_was_made_of(void) {
  ct_collider colliders[2] = {{.id = text_of("hand"),
                               .shape = sphere_of(0.25),
                               .pose = pose_at(1, 2, 3),
                               .note = text_of("{\"sphere\":1}")},
                              {.shape = box_of(1, 2, 3), .pose = ct_pose_identity()}};
  ct_text groups[2] = {text_of("robot"), text_of("left")};
  ct_motion motion = {
      .source = CT_MASS_DENSITY, .value = 7.0, .has_center = true, .center = {0.1, 0.2, 0.3}};
  ct_body_options options = {
      text_of("arm~1"), colliders, 2, &motion, groups, 2, text_of("{\"colour\":\"red\"}")};
  const ct_body *body;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(text_is(ct_body_id(body), "arm~1"));
  CHECK(text_is(ct_body_user(body), "{\"colour\":\"red\"}"));
  CHECK_INT(ct_body_collider_count(body), 2);
  ct_collider first = ct_body_collider(body, 0), second = ct_body_collider(body, 1);
  CHECK(text_is(first.id, "hand") && text_is(first.note, "{\"sphere\":1}") &&
        first.shape.sphere.radius == 0.25);
  CHECK(first.pose.position.y == 2.0 && first.pose.rotation.w == 1.0);
  CHECK(second.id.length == 0 && second.note.length == 0 && second.shape.box.half.z == 3.0 &&
        second.pose.rotation.w == 1.0);
  CHECK(ct_body_motion(body)->value == 7.0 && ct_body_motion(body)->center.z == 0.3);
  CHECK_INT(ct_body_group_count(body), 2);
  CHECK(text_is(ct_body_group(body, 0), "robot") && text_is(ct_body_group(body, 1), "left"));
  ct_body_release(body);
}

static void bodies_without_an_id_or_with_too_long_a_one_are_refused(void) {
  char id[CT_ID_LENGTH_MAX + 1];
  memset(id, 'x', sizeof id);
  const ct_body *body = NULL;
  ct_body_options options = {.id = {id, 0}};
  CHECK_INT(ct_body_create(&options, &body), CT_LIMIT);
  options.id.length = CT_ID_LENGTH_MAX + 1;
  CHECK_INT(ct_body_create(&options, &body), CT_LIMIT);
  CHECK(body == NULL);
  options.id.length = CT_ID_LENGTH_MAX;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_motion(body) == NULL && ct_body_group_count(body) == 0 &&
        ct_body_collider_count(body) == 0);
  ct_body_release(body);
}

static void a_draft_changes_nothing_until_sealed_and_nothing_of_its_base_ever(void) {
  const ct_scene *empty = ct_scene_create(7);
  ct_draft *draft = ct_draft_begin(empty);
  uint32_t a = add_shape(draft, "a", sphere_of(1), pose_at(1, 0, 0)),
           b = add_shape(draft, "b", sphere_of(2), pose_at(2, 0, 0));
  CHECK_INT(a, 0);
  CHECK_INT(b, 1);
  CHECK_INT(ct_scene_count(empty), 0);
  const ct_scene *one = seal(draft, ct_scene_retain(empty));
  CHECK_INT(ct_scene_revision(one), 8);
  CHECK_INT(ct_scene_count(one), 2);
  CHECK_INT(ct_scene_find(one, text_of("b")), 1);
  CHECK_INT(ct_scene_find(one, text_of("c")), CT_NO_ROW);
  CHECK_INT(ct_scene_find(empty, text_of("a")), CT_NO_ROW);
  draft = ct_draft_begin(one);
  ct_pose moved = pose_at(5, 5, 5);
  CHECK_INT(ct_draft_set_pose(draft, a, &moved), CT_OK);
  CHECK_INT(ct_draft_remove(draft, b), CT_OK);
  CHECK_INT(ct_draft_set_user(draft, text_of("x")), CT_OK);
  CHECK_INT(ct_draft_find(draft, text_of("b")), CT_NO_ROW);
  CHECK(ct_draft_body(draft, b) == NULL);
  CHECK(ct_draft_pose(draft, a).position.x == 5.0);
  CHECK(ct_scene_pose(one, a).position.x == 1.0);
  CHECK_INT(ct_scene_find(one, text_of("b")), 1);
  CHECK_INT(ct_scene_user(one).length, 0);
  ct_draft_discard(draft);
  CHECK(ct_scene_pose(one, a).position.x == 1.0 && ct_scene_body(one, b) != NULL);
  ct_scene_release(one);
  ct_scene_release(empty);
}

static void an_amended_revision_keeps_its_number_and_leaves_the_one_asked_alone(void) {
  const ct_scene *empty = ct_scene_create(7);
  ct_draft *draft = ct_draft_begin(empty);
  uint32_t a = add_shape(draft, "a", sphere_of(1), pose_at(1, 0, 0));
  const ct_scene *requested = seal(draft, empty);
  draft = ct_draft_amend(requested);
  CHECK_INT(ct_draft_set_user(draft, text_of("found")), CT_OK);
  const ct_scene *amended = ct_draft_seal(draft);
  CHECK_INT(ct_scene_revision(amended), 8);
  CHECK(text_is(ct_scene_user(amended), "found") && ct_scene_pose(amended, a).position.x == 1.0);
  CHECK_INT(ct_scene_revision(requested), 8);
  CHECK_INT(ct_scene_user(requested).length, 0);
  ct_scene_release(requested);
  ct_scene_release(amended);
}

static void an_id_can_be_used_once_and_again_after_removal(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  ct_scene_release(empty);
  uint32_t row = add_shape(draft, "a", sphere_of(1), pose_at(0, 0, 0)), other = 99;
  ct_shape shape = sphere_of(2);
  const ct_body *again = body_of("a", &shape, NULL, 1, NULL);
  ct_pose pose = ct_pose_identity();
  CHECK_INT(ct_draft_insert(draft, again, &pose, NULL, &other), CT_EXISTS);
  CHECK_INT(other, 99);
  CHECK_INT(ct_draft_count(draft), 1);
  CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  CHECK_INT(ct_draft_insert(draft, again, &pose, NULL, &other), CT_OK);
  CHECK_INT(other, 1);
  CHECK_INT(ct_draft_find(draft, text_of("a")), 1);
  ct_body_release(again);
  ct_draft_discard(draft);
}

static void replacing_keeps_the_row_and_sets_pose_and_velocity(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "a", sphere_of(1), pose_at(0, 0, 0));
  uint32_t row = add_shape(draft, "b", sphere_of(1), pose_at(0, 0, 0));
  add_shape(draft, "c", sphere_of(1), pose_at(0, 0, 0));
  ct_shape shape = box_of(1, 1, 1);
  const ct_body *body = body_of("b", &shape, NULL, 1, NULL);
  ct_pose pose = pose_at(0, 9, 0);
  ct_velocity velocity = {{1, 2, 3}, {4, 5, 6}};
  CHECK_INT(ct_draft_replace(draft, row, body, &pose, &velocity), CT_OK);
  ct_body_release(body);
  const ct_scene *scene = seal(draft, empty);
  CHECK_INT(ct_scene_find(scene, text_of("b")), row);
  CHECK_INT(ct_body_collider(ct_scene_body(scene, row), 0).shape.kind, CT_KIND_BOX);
  CHECK(ct_scene_pose(scene, row).position.y == 9.0);
  CHECK(ct_scene_velocity(scene, row).angular.z == 6.0);
  CHECK(ct_scene_velocity(scene, 0).linear.x == 0.0 &&
        ct_scene_velocity(scene, 2).angular.x == 0.0);
  ct_scene_release(scene);
}

static const ct_scene *line_of_spheres(uint32_t count) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (uint32_t i = 0; i < count; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%u", i);
    add_shape(draft, id, sphere_of(0.5), pose_at(2.0 * i, 0, 0));
  }
  return seal(draft, empty);
}

static void rows_of_removed_bodies_go_when_they_are_more_than_half(void) {
  const ct_scene *scene = line_of_spheres(100);
  ct_draft *draft = ct_draft_begin(scene);
  for (uint32_t row = 0; row < 50; row++) CHECK_INT(ct_draft_remove(draft, 2 * row), CT_OK);
  const ct_scene *half = ct_draft_seal(draft);
  CHECK_INT(ct_scene_rows(half), 100);
  CHECK_INT(ct_scene_count(half), 50);
  CHECK(ct_scene_body(half, 98) == NULL && ct_scene_body(half, 99) != NULL);
  draft = ct_draft_begin(half);
  CHECK_INT(ct_draft_remove(draft, 99), CT_OK);
  const ct_scene *less = seal(draft, half);
  CHECK_INT(ct_scene_rows(less), 49);
  CHECK_INT(ct_scene_count(less), 49);
  for (uint32_t row = 0; row < 49; row++) {
    char id[16];
    snprintf(id, sizeof id, "b%u", 2 * row + 1);
    CHECK(text_is(ct_body_id(ct_scene_body(less, row)), id));
    CHECK_INT(ct_scene_find(less, text_of(id)), row);
    CHECK(ct_scene_pose(less, row).position.x == 2.0 * (2 * row + 1));
  }
  CHECK_INT(ct_scene_count(scene), 100);
  ct_scene_release(less);
  ct_scene_release(scene);
}

static void scattered_poses_of_a_large_scene_copy_little(void) {
  const uint32_t count = 100000;
  const ct_scene *scene = line_of_spheres(count);
  size_t bytes = ct_scene_bytes(scene);
  /* A body may take 600 bytes in the daemon, of these 270 in the engine. */
  CHECK(bytes < 270u * count);
  ct_draft *draft = ct_draft_begin(scene);
  ct_pose pose = pose_at(0, 1, 0);
  for (uint32_t i = 0; i < 100; i++)
    CHECK_INT(ct_draft_set_pose(draft, i * 997 % count, &pose), CT_OK);
  CHECK(ct_draft_copied_bytes(draft) > 100 * sizeof(ct_pose));
  CHECK(ct_draft_copied_bytes(draft) < 2000000);
  const ct_scene *next = ct_draft_seal(draft);
  CHECK(ct_scene_bytes(next) < 2000000);
  CHECK(ct_scene_pose(scene, 997).position.y == 0.0 && ct_scene_pose(next, 997).position.y == 1.0);
  ct_scene_release(next);
  draft = ct_draft_begin(scene);
  for (uint32_t i = 0; i < 10000; i++)
    CHECK_INT(ct_draft_set_pose(draft, i * 9973 % count, &pose), CT_OK);
  CHECK(ct_draft_copied_bytes(draft) < 20000000);
  ct_draft_discard(draft);
  draft = ct_draft_begin(scene);
  add_shape(draft, "one more", sphere_of(1), pose_at(0, 0, 0));
  CHECK(ct_draft_copied_bytes(draft) < 50000);
  ct_draft_discard(draft);
  ct_scene_release(scene);
}

static void mass_comes_from_the_motion_and_what_it_leaves_out_from_the_colliders(void) {
  ct_collider colliders[2] = {{.shape = box_of(1, 1.5, 2), .pose = pose_at(3, 0, 0)},
                              {.shape = sphere_of(1), .pose = pose_at(-3, 0, 0)}};
  ct_motion motion = {.source = CT_MASS_MASS, .value = 48.0, .inertia_orientation = {0, 0, 0, 1}};
  ct_body_options options = {
      .id = text_of("m"), .colliders = colliders, .collider_count = 1, .motion = &motion};
  const ct_body *body;
  ct_mass_properties mass;
  bool overlap;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_mass(body, &mass, &overlap));
  /* A box of edges 2, 3, 4: I = m (b^2 + c^2) / 12. */
  CHECK_NEAR(mass.mass, 48.0, 0);
  CHECK_NEAR(mass.volume, 24.0, 1e-13);
  CHECK_NEAR(mass.center.x, 3.0, 1e-15);
  CHECK_NEAR(mass.inertia.rx.x, 48.0 * 25 / 12, 1e-12);
  CHECK_NEAR(mass.inertia.ry.y, 48.0 * 20 / 12, 1e-12);
  CHECK_NEAR(mass.inertia.rz.z, 48.0 * 13 / 12, 1e-12);
  CHECK(!overlap);
  ct_body_release(body);

  /* Another centre: the same inertia about another point. */
  motion.has_center = true;
  motion.center = ct_vec(3, 2, 0);
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_mass(body, &mass, &overlap));
  CHECK_NEAR(mass.inertia.rx.x, 48.0 * (25.0 / 12 + 4), 1e-12);
  CHECK_NEAR(mass.inertia.ry.y, 48.0 * 20 / 12, 1e-12);
  CHECK_NEAR(mass.center.y, 2.0, 0);
  ct_body_release(body);

  /* Principal moments, with axes rotated by a quarter about z. */
  motion.has_inertia = true;
  motion.inertia_diagonal = ct_vec(1, 2, 3);
  motion.inertia_orientation = (ct_quat){0, 0, 1, 1};
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_mass(body, &mass, &overlap));
  CHECK_NEAR(mass.inertia.rx.x, 2.0, 1e-15);
  CHECK_NEAR(mass.inertia.ry.y, 1.0, 1e-15);
  CHECK_NEAR(mass.inertia.rz.z, 3.0, 1e-15);
  ct_body_release(body);

  /* With mass, centre and inertia given, a body needs no volume. */
  colliders[0].shape = plane_of();
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_mass(body, &mass, &overlap));
  CHECK_NEAR(mass.mass, 48.0, 0);
  ct_body_release(body);
  motion.has_inertia = false;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(!ct_body_mass(body, &mass, &overlap));
  ct_body_release(body);

  /* Two parts of a static body at 1000 kg/m^3; overlaps would count twice, which a flag reports. */
  colliders[0].shape = box_of(1, 1.5, 2);
  options.motion = NULL;
  options.collider_count = 2;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK(ct_body_mass(body, &mass, &overlap));
  double ball = 4.0 / 3.0 * 3.14159265358979323846;
  CHECK_NEAR(mass.mass, 1000 * (24 + ball), 1e-9);
  CHECK_NEAR(mass.center.x, 3 * (24 - ball) / (24 + ball), 1e-14);
  CHECK(overlap);
  ct_body_release(body);
}

static const check_test tests[] = {
    {"a_body_gives_back_what_it_was_made_of", a_body_gives_back_what_it_was_made_of},
    {"bodies_without_an_id_or_with_too_long_a_one_are_refused",
     bodies_without_an_id_or_with_too_long_a_one_are_refused},
    {"a_draft_changes_nothing_until_sealed_and_nothing_of_its_base_ever",
     a_draft_changes_nothing_until_sealed_and_nothing_of_its_base_ever},
    {"an_amended_revision_keeps_its_number_and_leaves_the_one_asked_alone",
     an_amended_revision_keeps_its_number_and_leaves_the_one_asked_alone},
    {"an_id_can_be_used_once_and_again_after_removal",
     an_id_can_be_used_once_and_again_after_removal},
    {"replacing_keeps_the_row_and_sets_pose_and_velocity",
     replacing_keeps_the_row_and_sets_pose_and_velocity},
    {"rows_of_removed_bodies_go_when_they_are_more_than_half",
     rows_of_removed_bodies_go_when_they_are_more_than_half},
    {"scattered_poses_of_a_large_scene_copy_little", scattered_poses_of_a_large_scene_copy_little},
    {"mass_comes_from_the_motion_and_what_it_leaves_out_from_the_colliders",
     mass_comes_from_the_motion_and_what_it_leaves_out_from_the_colliders},
};

CHECK_MAIN(tests)
