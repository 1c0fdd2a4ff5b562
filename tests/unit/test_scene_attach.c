/* Data that a scene carries from revision to revision beside its bodies: their serial numbers, and
 * attachments under names. */
#include "tests/support/failing_malloc.h"
#include "tests/support/scenes.h"

/* ---- serials -------------------------------------------------------------------------------- */

static const ct_scene *scene_of(const char *const *ids, size_t count) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  for (size_t i = 0; i < count; i++)
    add_shape(draft, ids[i], sphere_of(1), pose_at((double)i, 0, 0));
  return seal(draft, empty);
}

static uint64_t serial_of(const ct_scene *scene, const char *id) {
  return ct_scene_serial(scene, ct_scene_find(scene, text_of(id)));
}

static const ct_scene *without(const ct_scene *scene, const char *id) {
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_remove(draft, ct_draft_find(draft, text_of(id))), CT_OK);
  return seal(draft, scene);
}

static const ct_scene *with(const ct_scene *scene, const char *id) {
  ct_draft *draft = ct_draft_begin(scene);
  add_shape(draft, id, sphere_of(1), pose_at(0, 0, 0));
  return seal(draft, scene);
}

static void a_body_keeps_its_serial_and_no_other_ever_gets_it(void) {
  const char *ids[] = {"a", "b", "c", "d", "e"};
  const ct_scene *scene = scene_of(ids, 5);
  for (uint64_t i = 0; i < 5; i++) CHECK_INT(serial_of(scene, ids[i]), i);
  scene = without(scene, "b");
  scene = with(scene, "b");
  CHECK_INT(serial_of(scene, "b"), 5);
  ct_draft *draft = ct_draft_begin(scene);
  ct_shape box = box_of(1, 1, 1);
  ct_pose pose = pose_at(9, 9, 9);
  const ct_body *body = body_of("c", &box, NULL, 1, NULL);
  CHECK_INT(ct_draft_replace(draft, ct_draft_find(draft, text_of("c")), body, &pose, NULL), CT_OK);
  ct_body_release(body);
  scene = seal(draft, scene);
  CHECK_INT(serial_of(scene, "c"), 2);
  CHECK_INT(serial_of(scene, "d"), 3);
  ct_scene_release(scene);
}

static void serials_outlive_the_rows_they_began_with(void) {
  const char *ids[] = {"a", "b", "c", "d", "e", "f"};
  const ct_scene *scene = scene_of(ids, 6);
  ct_draft *draft = ct_draft_begin(scene);
  for (uint32_t row = 0; row < 4; row++) CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_rows(scene), 2);
  CHECK_INT(serial_of(scene, "e"), 4);
  CHECK_INT(serial_of(scene, "f"), 5);
  scene = with(scene, "a");
  CHECK_INT(serial_of(scene, "a"), 6);
  ct_scene_release(scene);

  /* The last bodies are deleted: the others have serials equal to their rows, the next body has
   * not. */
  scene = scene_of(ids, 6);
  draft = ct_draft_begin(scene);
  for (uint32_t row = 2; row < 6; row++) CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_rows(scene), 2);
  scene = with(scene, "z");
  CHECK_INT(serial_of(scene, "a"), 0);
  CHECK_INT(serial_of(scene, "b"), 1);
  CHECK_INT(serial_of(scene, "z"), 6);
  ct_scene_release(scene);

  /* All bodies are deleted. */
  scene = without(scene_of(ids, 1), "a");
  CHECK_INT(ct_scene_rows(scene), 0);
  scene = with(scene, "a");
  CHECK_INT(serial_of(scene, "a"), 1);
  ct_scene_release(scene);
}

static void serials_cost_nothing_until_rows_are_compacted_away(void) {
  const ct_scene *scene = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(scene);
  char id[16];
  for (int i = 0; i < 1000; i++) {
    snprintf(id, sizeof id, "b%d", i);
    add_shape(draft, id, sphere_of(1), pose_at(i, 0, 0));
  }
  scene = seal(draft, scene);
  size_t before = ct_scene_bytes(scene);
  const ct_scene *kept = ct_scene_retain(scene);
  scene = without(scene, "b500");
  CHECK(ct_scene_bytes(scene) < 20000);
  ct_scene_release(kept);
  draft = ct_draft_begin(scene);
  for (uint32_t row = 0; row < 500; row++) CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_rows(scene), 499);
  CHECK(ct_scene_bytes(scene) < before * 499 / 1000 + 499 * sizeof(uint64_t) + 10000);
  CHECK_INT(serial_of(scene, "b999"), 999);
  ct_scene_release(scene);
}

/* ---- attachments ---------------------------------------------------------------------------- */

/* A value that counts its references. */
typedef struct holding {
  long held;
  size_t bytes;
} holding;

static void hold(const void *value) { ((holding *)(uintptr_t)value)->held++; }
static void let_go(const void *value) { ((holding *)(uintptr_t)value)->held--; }
static size_t bytes_of(const void *value) { return ((const holding *)value)->bytes; }
static const ct_attachment_type holding_type = {hold, let_go, bytes_of};

static const ct_scene *attach(const ct_scene *scene, const char *name, const holding *value) {
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_attach(draft, text_of(name), value, &holding_type), CT_OK);
  return seal(draft, scene);
}

static void values_go_along_under_their_names_until_taken_away(void) {
  holding one = {0}, two = {0}, three = {0};
  const ct_scene *scene = ct_scene_create(0);
  CHECK_INT(ct_scene_attachment_count(scene), 0);
  CHECK(ct_scene_attached(scene, text_of("x")) == NULL);
  scene = attach(scene, "m", &one);
  scene = attach(scene, "ma", &two);
  scene = attach(scene, "b", &three);
  const ct_scene *older = ct_scene_retain(scene);
  CHECK(ct_scene_attached(scene, text_of("m")) == &one &&
        ct_scene_attached(scene, text_of("ma")) == &two);
  CHECK(text_is(ct_scene_attachment(scene, 0)->name, "b") &&
        ct_scene_attachment(scene, 0)->value == &three);
  CHECK(text_is(ct_scene_attachment(scene, 1)->name, "m") &&
        text_is(ct_scene_attachment(scene, 2)->name, "ma"));
  scene = attach(scene, "m", &two);
  scene = attach(scene, "b", NULL);
  scene = attach(scene, "nothing of that name", NULL);
  CHECK_INT(ct_scene_attachment_count(scene), 2);
  CHECK(ct_scene_attached(scene, text_of("m")) == &two &&
        ct_scene_attached(scene, text_of("b")) == NULL);
  CHECK_INT(ct_scene_attachment_count(older), 3);
  CHECK(ct_scene_attached(older, text_of("m")) == &one &&
        ct_scene_attached(older, text_of("b")) == &three);
  CHECK_INT(one.held, 1);
  CHECK_INT(two.held, 2);
  ct_scene_release(older);
  CHECK_INT(one.held, 0);
  CHECK_INT(three.held, 0);
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_attach(draft, text_of("c"), &one, &holding_type), CT_OK);
  ct_draft_discard(draft);
  CHECK_INT(one.held, 0);
  scene = attach(attach(scene, "m", NULL), "ma", NULL);
  CHECK_INT(ct_scene_attachment_count(scene), 0);
  CHECK_INT(two.held, 0);
  ct_scene_release(scene);
}

static void values_outlive_compaction(void) {
  holding value = {0};
  const char *ids[] = {"a", "b", "c"};
  const ct_scene *scene = attach(scene_of(ids, 3), "v", &value);
  ct_draft *draft = ct_draft_begin(scene);
  for (uint32_t row = 0; row < 2; row++) CHECK_INT(ct_draft_remove(draft, row), CT_OK);
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_rows(scene), 1);
  CHECK(ct_scene_attached(scene, text_of("v")) == &value);
  CHECK_INT(value.held, 1);
  ct_scene_release(scene);
  CHECK_INT(value.held, 0);
}

static void a_value_counts_in_the_revision_that_alone_has_it(void) {
  holding value = {.bytes = 1000000};
  const ct_scene *first = attach(ct_scene_create(0), "v", &value);
  CHECK(ct_scene_bytes(first) > 1000000);
  ct_draft *draft = ct_draft_begin(first);
  CHECK_INT(ct_draft_set_user(draft, text_of("x")), CT_OK);
  const ct_scene *second = ct_draft_seal(draft);
  CHECK(ct_scene_bytes(first) < 10000 && ct_scene_bytes(second) < 10000);
  ct_scene_release(first);
  CHECK(ct_scene_bytes(second) > 1000000);
  ct_scene_release(second);
}

static void more_values_than_the_limit_are_refused(void) {
  holding value = {0};
  const ct_scene *scene = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(scene);
  char name[16];
  for (int i = 0; i < CT_ATTACHMENTS_MAX; i++) {
    snprintf(name, sizeof name, "%d", i * 7919 % 100003);
    CHECK_INT(ct_draft_attach(draft, text_of(name), &value, &holding_type), CT_OK);
  }
  CHECK_INT(ct_draft_attach(draft, text_of("one more"), &value, &holding_type), CT_LIMIT);
  CHECK_INT(ct_draft_attach(draft, text_of("0"), &value, &holding_type), CT_OK);
  scene = seal(draft, scene);
  CHECK_INT(ct_scene_attachment_count(scene), CT_ATTACHMENTS_MAX);
  CHECK_INT(value.held, CT_ATTACHMENTS_MAX);
  for (int i = 0; i < CT_ATTACHMENTS_MAX; i++) {
    snprintf(name, sizeof name, "%d", i * 7919 % 100003);
    CHECK(ct_scene_attached(scene, text_of(name)) == &value);
  }
  ct_scene_release(scene);
  CHECK_INT(value.held, 0);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Attaches, deletes enough bodies that rows are compacted, inserts. *failed: some step failed. */
static const ct_scene *edited(const ct_scene *scene, const ct_body *body, const holding *value,
                              bool *failed) {
  ct_draft *draft = ct_draft_begin(scene);
  *failed = true;
  if (!draft) return NULL;
  ct_pose pose = pose_at(0, 0, 0);
  bool done = ct_draft_attach(draft, text_of("v"), value, &holding_type) == CT_OK;
  for (uint32_t row = 0; row < 3 && done; row++) done = ct_draft_remove(draft, row) == CT_OK;
  const ct_scene *fewer = done ? ct_draft_seal(draft) : NULL;
  if (!fewer) {
    ct_draft_discard(draft);
    return NULL;
  }
  draft = ct_draft_begin(fewer);
  done = draft && ct_draft_insert(draft, body, &pose, NULL, NULL) == CT_OK;
  const ct_scene *next = done ? ct_draft_seal(draft) : NULL;
  if (!next) ct_draft_discard(draft);
  ct_scene_release(fewer);
  *failed = !next;
  return next;
}

static void a_refused_allocation_changes_nothing(void) {
  NEEDS_FAILING_MALLOC;
  const char *ids[] = {"a", "b", "c", "d", "e"};
  ct_shape shape = sphere_of(1);
  holding value = {0};
  const ct_scene *scene = scene_of(ids, 5);
  const ct_body *body = body_of("new", &shape, NULL, 1, NULL);
  bool failed = true;
  for (long n = 1; failed && n < 1000; n++) {
    long before = memory.live;
    memory.taken = 0;
    memory.fail_at = n;
    memory.counting = true;
    const ct_scene *next = edited(scene, body, &value, &failed);
    memory.counting = false;
    memory.fail_at = 0;
    for (uint64_t i = 0; i < 5; i++) CHECK_INT(serial_of(scene, ids[i]), i);
    if (next) {
      CHECK_INT(serial_of(next, "d"), 3);
      CHECK_INT(serial_of(next, "new"), 5);
      CHECK(ct_scene_attached(next, text_of("v")) == &value);
    }
    ct_scene_release(next);
    CHECK_INT(value.held, 0);
    CHECK_INT(memory.live, before);
    if (!failed) CHECK(n > 10);
  }
  CHECK(!failed);
  ct_body_release(body);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"a_body_keeps_its_serial_and_no_other_ever_gets_it",
     a_body_keeps_its_serial_and_no_other_ever_gets_it},
    {"serials_outlive_the_rows_they_began_with", serials_outlive_the_rows_they_began_with},
    {"serials_cost_nothing_until_rows_are_compacted_away",
     serials_cost_nothing_until_rows_are_compacted_away},
    {"values_go_along_under_their_names_until_taken_away",
     values_go_along_under_their_names_until_taken_away},
    {"values_outlive_compaction", values_outlive_compaction},
    {"a_value_counts_in_the_revision_that_alone_has_it",
     a_value_counts_in_the_revision_that_alone_has_it},
    {"more_values_than_the_limit_are_refused", more_values_than_the_limit_are_refused},
    {"a_refused_allocation_changes_nothing", a_refused_allocation_changes_nothing},
};

CHECK_MAIN(tests)
