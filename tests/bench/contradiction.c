/* Cost of the search for infeasible contacts, on one core: the first half second of heaps of boxes
 * that fall on a floor, with the default policy, with the proof forced after each unconverged
 * solve, and without the proof. All three start from the same state, alternate, and end in the same
 * state. Prints one row per heap: name, contacts, share of unconverged steps, ms a step by default,
 * forced and without, ratios of the first to the others. */
#include "tests/bench/timing.h"
#include "tests/support/check.h"

#include <contact/advance.h>

enum { STEPS = 15, ROUNDS = 4 };

static ct_arena *arena;
static ct_workspace *workspace;

static void require(ct_status status) {
  if (status != CT_OK) abort();
}

static void add(ct_draft *draft, const char *id, ct_vec3 half, const ct_motion *motion,
                const ct_pose *pose, double rise) {
  const ct_collider collider = {.shape = {.kind = CT_KIND_BOX, .box.half = half},
                                .pose = ct_pose_identity()};
  const ct_body_options options = {
      .id = {id, strlen(id)}, .colliders = &collider, .collider_count = 1, .motion = motion};
  const ct_velocity velocity = {{0, 0, rise}, {0, 0, 0}};
  const ct_body *body = NULL;
  uint32_t row;
  require(ct_body_create(&options, &body));
  require(ct_draft_insert(draft, body, pose, &velocity, &row));
  ct_body_release(body);
}

/* Layers of wide x wide unit boxes, every other layer shifted by 0.6, that fall on a floor from
 * small heights above each other, each rotated and displaced by up to 0.05. The floor is at rest,
 * or rises at the given speed. */
static const ct_scene *heap(int wide, int high, double rise, double restitution) {
  static const ct_motion box = {.source = CT_MASS_DENSITY, .value = 1000.0};
  static const ct_motion lift = {.is_kinematic = true};
  const ct_material rough = {
      .static_friction = 0.5, .dynamic_friction = 0.5, .restitution = restitution};
  const ct_named_material item = {{CT_MATERIAL_DEFAULT, strlen(CT_MATERIAL_DEFAULT)}, rough};
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  check_random r = {9};
  require(ct_draft_set_materials(draft, &(ct_materials){.items = &item, .count = 1}));
  for (int i = 0; i < wide * wide * high; i++) {
    int layer = i / (wide * wide), y = i / wide % wide, x = i % wide;
    double aside = layer % 2 ? 0.6 : 0.0, turn = check_uniform(&r, -0.05, 0.05);
    double east = check_uniform(&r, -0.05, 0.05), north = check_uniform(&r, -0.05, 0.05);
    char id[32];
    snprintf(id, sizeof id, "box-%d", i);
    const ct_pose pose = {{(x - wide / 2.0) * 1.25 + aside + east,
                           (y - wide / 2.0) * 1.25 + aside + north, 0.51 + 1.02 * layer},
                          {0.0, 0.0, sin(turn / 2), cos(turn / 2)}};
    add(draft, id, (ct_vec3){0.5, 0.5, 0.5}, &box, &pose, 0.0);
  }
  const ct_pose below = {{0, 0, -1}, ct_pose_identity().rotation};
  add(draft, "floor", (ct_vec3){100, 100, 1}, rise != 0.0 ? &lift : NULL, &below, rise);
  const ct_scene *scene = ct_draft_seal(draft);
  if (!scene) abort();
  ct_scene_release(base);
  return scene;
}

static ct_advance *advance_of(const ct_scene *scene, ct_friction_proof proof) {
  const ct_advance_options options = {.mode = CT_ADVANCE_STEPPING,
                                      .duration = 100.0,
                                      .time_step = 1.0 / 120.0,
                                      .gravity = {0, 0, -9.81},
                                      .contact_tolerance = ct_scene_default_epsilon(scene),
                                      .velocity_tolerance = 1e-3,
                                      .rest_velocity = 0.1,
                                      .proof = proof,
                                      .contacts_max = 100000};
  ct_advance *advance = NULL;
  require(ct_advance_create(scene, &options, &advance));
  return advance;
}

static double steps(ct_advance *advance, int count) {
  bool done = false;
  double start = 1e-9 * timing_ns();
  for (int k = 0; k < count; k++) require(ct_advance_step(advance, workspace, arena, &done));
  return 1e-9 * timing_ns() - start;
}

static void measure(const char *name, const ct_scene *scene) {
  static const ct_friction_proof proofs[3] = {CT_FRICTION_PROOF_WHEN_INDICATED,
                                              CT_FRICTION_PROOF_ALWAYS, CT_FRICTION_PROOF_NEVER};
  ct_advance *advance[3];
  double time[3] = {0.0, 0.0, 0.0}, all = STEPS * ROUNDS;
  for (int i = 0; i < 3; i++) advance[i] = advance_of(scene, proofs[i]);
  for (int k = 0; k < ROUNDS; k++)
    for (int i = 0; i < 3; i++) time[i] += steps(advance[i], STEPS);
  ct_advance_state state = ct_advance_now(advance[0]);
  for (int i = 1; i < 3; i++)
    if (ct_advance_now(advance[i]).kinetic_energy != state.kinetic_energy) abort();
  printf("%s|%zu|%.2f|%.2f|%.2f|%.2f|%.3f|%.2f\n", name, state.contacts,
         (double)state.not_converged / all, 1e3 * time[0] / all, 1e3 * time[1] / all,
         1e3 * time[2] / all, time[0] / time[1], time[0] / time[2]);
  for (int i = 0; i < 3; i++) ct_advance_destroy(advance[i]);
  ct_scene_release(scene);
}

int main(void) {
  arena = ct_arena_create();
  workspace = ct_workspace_create();
  if (!arena || !workspace) return 1;
  measure("27 boxes", heap(3, 3, 0.0, 0.0));
  measure("36 boxes", heap(3, 4, 0.0, 0.0));
  measure("36 boxes that bounce", heap(3, 4, 0.0, 0.3));
  measure("36 boxes on a lift", heap(3, 4, 0.2, 0.0));
  ct_workspace_destroy(workspace);
  ct_arena_destroy(arena);
  return 0;
}
