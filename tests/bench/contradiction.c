/* What it costs to look for contradictions of contacts, on one core: steps of walls of loose bricks
 * that come to rest, as they are and with the proof forced after each solve that has not converged.
 * Both advance from the same state, in turns, and end in the same one. Prints one row per wall: name,
 * contacts, share of steps that have not converged, ms a step as it is and forced, their ratio.
 */
#include "tests/bench/timing.h"
#include "tests/support/check.h"

#include <contact/advance.h>

enum { WARM_UP = 30, TIMED = 15, ROUNDS = 2, SWEEPS = 32 };

static ct_solver *solver;
static ct_workspace *workspace;

static void require(ct_status status) {
  if (status != CT_OK) abort();
}

static void add(ct_draft *draft, const char *id, ct_vec3 half, const ct_motion *motion, ct_vec3 place) {
  const ct_collider collider = {.shape = {.kind = CT_KIND_BOX, .box.half = half},
                                .pose = ct_pose_identity()};
  const ct_body_options options = {
      .id = {id, strlen(id)}, .colliders = &collider, .collider_count = 1, .motion = motion};
  const ct_pose pose = {place, ct_pose_identity().rotation};
  const ct_velocity rest = {{0, 0, 0}, {0, 0, 0}};
  const ct_body *body = NULL;
  uint32_t row;
  require(ct_body_create(&options, &body));
  require(ct_draft_insert(draft, body, &pose, &rest, &row));
  ct_body_release(body);
}

/* Bricks of 0.1 x 0.08 x 0.05 m, every second row half a brick aside, with a little air between. */
static const ct_scene *wall(int wide, int high) {
  static const ct_motion brick = {.source = CT_MASS_DENSITY, .value = 1000.0};
  static const ct_material rough = {.static_friction = 0.6, .dynamic_friction = 0.5};
  const ct_named_material item = {{CT_MATERIAL_DEFAULT, strlen(CT_MATERIAL_DEFAULT)}, rough};
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  check_random r = {7};
  require(ct_draft_set_materials(draft, &(ct_materials){.items = &item, .count = 1}));
  add(draft, "ground", (ct_vec3){50, 50, 0.5}, NULL, (ct_vec3){0, 0, -0.5});
  for (int i = 0; i < wide * high; i++) {
    int row = i / wide;
    char id[32];
    snprintf(id, sizeof id, "brick-%d", i);
    add(draft, id, (ct_vec3){0.049, 0.04, 0.025}, &brick,
        (ct_vec3){0.1 * (i % wide + 0.5 * (row % 2)), check_uniform(&r, -0.005, 0.005),
                  0.026 + 0.0505 * row});
  }
  const ct_scene *scene = ct_draft_seal(draft);
  if (!scene) abort();
  ct_scene_release(base);
  return scene;
}

static ct_advance *advance_of(const ct_scene *scene, ct_friction_proof proof) {
  const ct_advance_options options = {.mode = CT_ADVANCE_STEPPING,
                                      .duration = 100.0,
                                      .time_step = 2e-3,
                                      .gravity = {0, 0, -9.81},
                                      .contact_tolerance = 1e-7,
                                      .velocity_tolerance = 1e-3,
                                      .rest_velocity = 0.05,
                                      .iterations_max = SWEEPS,
                                      .proof = proof,
                                      .contacts_max = 100000};
  ct_advance *advance = NULL;
  require(ct_advance_create(scene, &options, &advance));
  return advance;
}

static double steps(ct_advance *advance, int count) {
  bool done = false;
  double start = 1e-9 * timing_ns();
  for (int k = 0; k < count; k++) require(ct_advance_step(advance, workspace, solver, &done));
  return 1e-9 * timing_ns() - start;
}

static void measure(int wide, int high) {
  const ct_scene *scene = wall(wide, high);
  ct_advance *own = advance_of(scene, CT_FRICTION_PROOF_WHEN_INDICATED);
  ct_advance *forced = advance_of(scene, CT_FRICTION_PROOF_ALWAYS);
  (void)steps(own, WARM_UP);
  (void)steps(forced, WARM_UP);
  uint64_t before = ct_advance_now(own).not_converged;
  double own_time = 0.0, forced_time = 0.0, all = TIMED * ROUNDS;
  for (int k = 0; k < ROUNDS; k++) {
    own_time += steps(own, TIMED);
    forced_time += steps(forced, TIMED);
  }
  ct_advance_state state = ct_advance_now(own), other = ct_advance_now(forced);
  if (state.kinetic_energy != other.kinetic_energy || state.residual != other.residual) abort();
  printf("%d bricks|%zu|%.2f|%.2f|%.2f|%.3f\n", wide * high, state.contacts,
         (double)(state.not_converged - before) / all, 1e3 * own_time / all, 1e3 * forced_time / all,
         own_time / forced_time);
  ct_advance_destroy(own);
  ct_advance_destroy(forced);
  ct_scene_release(scene);
}

int main(void) {
  solver = ct_solver_create();
  workspace = ct_workspace_create();
  if (!solver || !workspace) return 1;
  measure(4, 6);
  measure(6, 5);
  ct_workspace_destroy(workspace);
  ct_solver_destroy(solver);
  return 0;
}
