/* The weight of a revision in bytes: it includes the hulls and meshes of its bodies, shared or not,
 * except lent ones, and is updated as bodies are inserted and deleted. */
#include "tests/support/scenes.h"
#include "tests/support/shapes.h"

/* Upper bound of a body and its row without hulls and meshes. */
#define BODY_MOST 600u
#define POINTS 500

static ct_shape ball_hull(void) {
  ct_vec3 points[POINTS];
  for (int i = 0; i < POINTS; i++) {
    double z = 1.0 - (2.0 * i + 1.0) / POINTS, r = sqrt(1.0 - z * z);
    points[i] = ct_vec(r * cos(2.4 * i), r * sin(2.4 * i), z);
  }
  return hull_shape(points, POINTS);
}

/* A further revision in which the body replaces the row or is inserted in a new one. Releases the
 * body. */
static const ct_scene *with(const ct_scene *base, uint32_t row, const ct_body *body) {
  ct_draft *draft = ct_draft_begin(base);
  ct_pose pose = pose_at(row, 0, 0);
  if (row < ct_scene_rows(base)) CHECK_INT(ct_draft_replace(draft, row, body, &pose, NULL), CT_OK);
  else CHECK_INT(ct_draft_insert(draft, body, &pose, NULL, NULL), CT_OK);
  ct_body_release(body);
  return seal(draft, base);
}

static const ct_scene *without(const ct_scene *base, uint32_t row) {
  ct_draft *draft = ct_draft_begin(base);
  CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  return seal(draft, base);
}

static void a_scene_weighs_the_hulls_of_its_bodies(void) {
  ct_shape hull = ball_hull(), both[2] = {hull, sphere_of(1)};
  size_t bytes = ct_hull_bytes(hull.hull);
  CHECK(bytes > 50000);
  CHECK_INT(ct_shape_bytes(&hull), bytes);
  const ct_scene *scene = ct_scene_create(1);
  uint64_t empty = ct_scene_weight(scene);
  scene = with(scene, 0, body_of("a", both, NULL, 2, NULL));
  uint64_t one = ct_scene_weight(scene);
  CHECK(one >= empty + bytes && one < empty + bytes + BODY_MOST);
  /* Shared with the revision before, which does not matter. */
  ct_draft *draft = ct_draft_begin(scene);
  ct_pose moved = pose_at(5, 5, 5);
  CHECK_INT(ct_draft_set_pose(draft, 0, &moved), CT_OK);
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_weight(scene), one);
  scene = with(scene, 1, body_of("b", both, NULL, 2, NULL));
  CHECK_INT(ct_scene_weight(scene) - one, one - empty);
  scene = with(scene, 1, body_of("b", &both[1], NULL, 1, NULL));
  CHECK(ct_scene_weight(scene) < one + BODY_MOST);
  scene = without(scene, 0);
  CHECK(ct_scene_weight(scene) < empty + 2 * BODY_MOST);
  scene = without(scene, 1);
  CHECK(ct_scene_weight(scene) < empty + BODY_MOST);
  ct_scene_release(scene);
  ct_shape_release(&hull);
}

static void what_is_lent_weighs_nothing(void) {
  ct_shape hull = ball_hull(), lent = hull;
  lent.lent = true;
  const ct_scene *scene = ct_scene_create(1);
  uint64_t empty = ct_scene_weight(scene);
  scene = with(scene, 0, body_of("a", &lent, NULL, 1, NULL));
  CHECK(ct_scene_weight(scene) < empty + BODY_MOST);
  /* The lent flag is part of the body's shape. */
  CHECK(ct_body_collider(ct_scene_body(scene, 0), 0).shape.lent);
  scene = with(scene, 0, body_of("a", &hull, NULL, 1, NULL));
  CHECK(ct_scene_weight(scene) > empty + ct_hull_bytes(hull.hull));
  scene = with(scene, 0, body_of("a", &lent, NULL, 1, NULL));
  CHECK(ct_scene_weight(scene) < empty + BODY_MOST);
  ct_scene_release(scene);
  ct_shape_release(&hull);
}

static void a_scene_weighs_the_same_however_it_was_made(void) {
  enum { COUNT = 100, LEFT = 40 };
  ct_shape hull = ball_hull();
  const ct_scene *scene = ct_scene_create(1), *plain = ct_scene_create(1);
  char id[16];
  for (uint32_t i = 0; i < COUNT; i++) {
    snprintf(id, sizeof id, "b%u", i);
    scene = with(scene, i, body_of(id, &hull, NULL, 1, NULL));
    if (i >= COUNT - LEFT) plain = with(plain, i, body_of(id, &hull, NULL, 1, NULL));
  }
  for (uint32_t i = 0; i < COUNT - LEFT; i++) {
    snprintf(id, sizeof id, "b%u", i);
    scene = without(scene, ct_scene_find(scene, text_of(id)));
  }
  CHECK(ct_scene_rows(scene) < COUNT); /* rows have been renumbered */
  uint64_t more = ct_scene_weight(scene) - ct_scene_weight(plain);
  CHECK_INT(ct_scene_count(scene), LEFT);
  CHECK(more < COUNT * BODY_MOST);
  CHECK(ct_scene_weight(plain) > LEFT * ct_hull_bytes(hull.hull));
  ct_scene_release(scene);
  ct_scene_release(plain);
  ct_shape_release(&hull);
}

static const check_test tests[] = {
    {"a_scene_weighs_the_hulls_of_its_bodies", a_scene_weighs_the_hulls_of_its_bodies},
    {"what_is_lent_weighs_nothing", what_is_lent_weighs_nothing},
    {"a_scene_weighs_the_same_however_it_was_made", a_scene_weighs_the_same_however_it_was_made},
};

CHECK_MAIN(tests)
