/* The durable form of a scene: times to write and to read a base record of 100,000 boxes, and a
 * change record of 100 poses and velocities; for comparison a plain copy of as many bytes. Prints
 * one row per measurement: name, bytes, microseconds. */
#include <api/record.h>

#include <stdio.h>
#include <time.h>

#include "tests/support/check.h"

enum { BODIES = 100000, MOVED = 100, ROUNDS = 7 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const ct_scene *must(const ct_scene *scene) {
  if (!scene) abort();
  return scene;
}

static const ct_scene *scene_of_boxes(check_random *random) {
  const ct_scene *empty = must(ct_scene_create(0));
  ct_draft *draft = ct_draft_begin(empty);
  for (int i = 0; draft && i < BODIES; i++) {
    char id[16];
    int length = snprintf(id, sizeof id, "box-%d", i);
    const ct_collider collider = {.shape = {.kind = CT_KIND_BOX, .box = {{0.1, 0.2, 0.3}}},
                                  .pose = ct_pose_identity()};
    const ct_motion motion = {
        .source = CT_MASS_MASS, .value = 1.0, .inertia_orientation = {0, 0, 0, 1}};
    const ct_body_options options = {
        .id = {id, (size_t)length}, .colliders = &collider, .collider_count = 1, .motion = &motion};
    const ct_pose pose = {{check_uniform(random, 0, 100), check_uniform(random, 0, 100), 0.0},
                          {0, 0, 0, 1}};
    const ct_velocity velocity = {{1, 2, 3}, {0, 0, 0}};
    const ct_body *body = NULL;
    if (ct_body_create(&options, &body) != CT_OK ||
        ct_draft_insert(draft, body, &pose, &velocity, NULL) != CT_OK)
      abort();
    ct_body_release(body);
  }
  const ct_scene *scene = must(draft ? ct_draft_seal(draft) : NULL);
  ct_scene_release(empty);
  return scene;
}

static const ct_scene *moved(const ct_scene *scene, check_random *random) {
  ct_draft *draft = ct_draft_begin(scene);
  for (int i = 0; draft && i < MOVED; i++) {
    uint32_t row = (uint32_t)check_uniform(random, 0, BODIES);
    const ct_pose pose = {{check_uniform(random, 0, 100), 0.0, 1.0}, {0, 0, 0, 1}};
    const ct_velocity velocity = {{check_uniform(random, 1, 2), 0.0, 0.0}, {0, 0, 0}};
    if (ct_draft_set_pose(draft, row, &pose) != CT_OK ||
        ct_draft_set_velocity(draft, row, &velocity) != CT_OK)
      abort();
  }
  return must(draft ? ct_draft_seal(draft) : NULL);
}

static void report(const char *name, size_t bytes, double seconds) {
  printf("%s|%zu|%.1f\n", name, bytes, 1e6 * seconds);
}

/* The least time of several rounds: of writing the record of `after`, of reading it upon `before`,
 * of copying its bytes. */
static void measure(const char *name, const ct_scene *before, const ct_scene *after) {
  double made = INFINITY, read = INFINITY, copied = INFINITY;
  size_t bytes = 0;
  for (int i = 0; i < ROUNDS; i++) {
    api_record record;
    const ct_scene *again = NULL;
    char why[API_RESTORE_WHY], text[64];
    double start = now();
    if (!api_record_change(before, after, &record)) abort();
    made = fmin(made, now() - start);
    char *copy = malloc(record.length);
    start = now();
    if (copy) memcpy(copy, record.bytes, record.length);
    copied = fmin(copied, now() - start);
    snprintf(text, sizeof text, "%d", copy ? copy[record.length / 2] : 0); /* the copy is used */
    start = now();
    if (api_record_apply(NULL, before, record.bytes, record.length, &again, why) != API_RESTORED)
      abort();
    read = fmin(read, now() - start);
    ct_scene_release(again);
    bytes = record.length;
    free(copy);
    api_record_free(&record);
  }
  char row[64];
  snprintf(row, sizeof row, "%s, made", name);
  report(row, bytes, made);
  snprintf(row, sizeof row, "%s, read", name);
  report(row, bytes, read);
  snprintf(row, sizeof row, "%s, copied", name);
  report(row, bytes, copied);
}

int main(void) {
  check_random random = {20260};
  const ct_scene *scene = scene_of_boxes(&random), *next = moved(scene, &random);
  measure("base", NULL, scene);
  measure("change", scene, next);
  ct_scene_release(next);
  ct_scene_release(scene);
  return 0;
}
