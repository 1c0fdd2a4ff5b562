/* Piles of boxes and hulls fall on the ground and come to rest: momentum balance at every step,
 * bodies at rest stay at rest, and results are reproducible to the byte. CONTACTD_FULL=1: 324
 * bodies, and 10,000 steps at rest; else 36 bodies. */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include <contact/advance.h>

#define GRAVITY 9.81

static ct_arena *arena;

static bool full(void) { return getenv("CONTACTD_FULL") != NULL; }

static ct_hull *pebble(check_random *r, double size) {
  ct_vec3 points[10];
  for (int i = 0; i < 10; i++) {
    ct_vec3 p = ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
    points[i] = ct_scale(ct_unit_or(p, ct_vec(0, 0, 1)), size);
  }
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, 10, NULL, &hull, NULL), CT_OK);
  return hull;
}

static void add_stone(ct_draft *draft, check_random *r, int number, ct_vec3 place) {
  static const ct_motion stone = {.source = CT_MASS_DENSITY, .value = 1000.0};
  char id[32];
  snprintf(id, sizeof id, "stone-%d", number);
  ct_hull *hull = number % 2 ? pebble(r, 0.06) : NULL;
  ct_collider collider = {.pose = ct_pose_identity(),
                          .shape = {.kind = CT_KIND_CONVEX, .hull = hull}};
  if (!hull)
    collider.shape = box_of(check_uniform(r, 0.03, 0.06), check_uniform(r, 0.03, 0.06),
                            check_uniform(r, 0.03, 0.06));
  const ct_body_options options = {
      .id = text_of(id), .colliders = &collider, .collider_count = 1, .motion = &stone};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  ct_pose pose = {
      ct_add(place, ct_vec(check_uniform(r, -0.01, 0.01), check_uniform(r, -0.01, 0.01), 0)),
      random_rotation(r)};
  add_body(draft, body, pose);
  if (hull) ct_hull_release(hull);
}

/* Layers of 36 stones above a plane. */
static const ct_scene *heap(uint64_t seed, int layers) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  check_random r = {seed};
  const ct_named_material item = {text_of(CT_MATERIAL_DEFAULT),
                                  {.static_friction = 0.6, .dynamic_friction = 0.5}};
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){.items = &item, .count = 1}), CT_OK);
  add_shape(draft, "ground", plane_of(), pose_at(0, 0, 0));
  for (int i = 0; i < 36 * layers; i++)
    add_stone(draft, &r, i,
              ct_vec(i % 6 * 0.16 - 0.4, i / 6 % 6 * 0.16 - 0.4, 0.12 + i / 36 * 0.15));
  return seal(draft, base);
}

static ct_advance_options settling(double duration) {
  return (ct_advance_options){.mode = CT_ADVANCE_STEPPING,
                              .duration = duration,
                              .time_step = 2e-3,
                              .gravity = {0, 0, -GRAVITY},
                              .contact_tolerance = 1e-7,
                              .velocity_tolerance = 1e-3,
                              .rest_velocity = 0.05,
                              .iterations_max = 32,
                              .contacts_max = 100000};
}

static double weight_of(const ct_scene *scene) {
  double weight = 0.0;
  for (uint32_t row = 1; row < ct_scene_rows(scene); row++) {
    ct_mass_properties mass;
    bool overlap_ignored;
    CHECK(ct_body_mass(ct_scene_body(scene, row), &mass, &overlap_ignored));
    weight += GRAVITY * mass.mass;
  }
  return weight;
}

/* Without the energy that corrections of positions have added. */
static double energy_of(const ct_advance_state *s) {
  return s->kinetic_energy + s->potential_energy - s->correction_work;
}

/* One step: the ground's force is the weight plus the rate of momentum, in all three directions. */
static bool balanced_step(ct_advance *advance, double weight) {
  ct_advance_state before = ct_advance_now(advance);
  bool done = false;
  CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
  ct_advance_state after = ct_advance_now(advance);
  ct_vec3 rate = ct_scale(ct_sub(after.momentum, before.momentum), 1.0 / 2e-3);
  ct_vec3 force = ct_scale(after.contact_impulse, 1.0 / 2e-3);
  CHECK_NEAR(ct_max_abs(ct_sub(force, ct_add(rate, ct_vec(0, 0, weight)))), 0.0, 1e-9 * weight);
  return done;
}

static void every_pose(const ct_advance *advance, uint32_t rows, ct_pose *poses) {
  ct_velocity velocity;
  for (uint32_t row = 0; row < rows; row++) ct_advance_body(advance, row, &poses[row], &velocity);
}

/* The smallest stone is 0.06 m in size. */
static void a_pile_comes_to_rest_and_stays_at_rest(void) {
  const ct_scene *scene = heap(12345, full() ? 9 : 1);
  const uint32_t rows = ct_scene_rows(scene);
  const uint64_t after = full() ? 10000 : 1000;
  const double weight = weight_of(scene);
  const ct_advance_options o = settling(100.0);
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &o, &advance), CT_OK);
  ct_advance_state now = ct_advance_now(advance);
  const double start = energy_of(&now);
  double most = 0.0;
  while (now.steps < 5000 && !(now.contacts > rows && now.kinetic_energy == 0.0)) {
    balanced_step(advance, weight);
    ct_advance_state next = ct_advance_now(advance);
    most = fmax(most, energy_of(&next) - energy_of(&now));
    now = next;
  }
  CHECK(now.steps < 5000);
  CHECK(most < 1e-6 * start); /* of the discrete motion, while it moves */
  /* Corrections add 0.1 % of the energy of the large heap. */
  CHECK_NEAR(now.correction_work, 0.0, (full() ? 2e-3 : 1e-6) * start);
  fprintf(
      stderr,
      "  %u bodies settled after %llu steps; of %.3g J, energy grew by %.2g at most, corrections "
      "added %.2g; deepest %.2g m\n",
      rows - 1, (unsigned long long)now.steps, start, most, now.correction_work, now.penetration);
  ct_pose *settled = calloc(rows, sizeof *settled), *later = calloc(rows, sizeof *later);
  every_pose(advance, rows, settled);
  const double energy = energy_of(&now), correction_work = now.correction_work;
  for (uint64_t k = 0; k < after; k++) {
    balanced_step(advance, weight);
    now = ct_advance_now(advance);
    CHECK(energy_of(&now) <= energy);
    CHECK(now.correction_work == correction_work);
    CHECK_NEAR(now.contact_impulse.z / 2e-3, weight, 1e-6 * weight);
  }
  every_pose(advance, rows, later);
  for (uint32_t row = 0; row < rows; row++)
    CHECK_NEAR(ct_max_abs(ct_sub(later[row].position, settled[row].position)), 0.0, 1e-6 * 0.06);
  free(settled);
  free(later);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Poses after some steps, by a new workspace and solver. */
static ct_pose *fallen(const ct_scene *scene, int steps) {
  const ct_advance_options o = settling(100.0);
  ct_workspace *own = ct_workspace_create();
  ct_arena *own_solver = ct_arena_create();
  ct_advance *advance = NULL;
  bool done = false;
  CHECK_INT(ct_advance_create(scene, &o, &advance), CT_OK);
  for (int k = 0; k < steps; k++)
    CHECK_INT(ct_advance_step(advance, own, own_solver, &done), CT_OK);
  ct_pose *poses = calloc(ct_scene_rows(scene), sizeof *poses);
  every_pose(advance, ct_scene_rows(scene), poses);
  ct_advance_destroy(advance);
  ct_arena_destroy(own_solver);
  ct_workspace_destroy(own);
  return poses;
}

static void a_pile_falls_to_the_same_bytes(void) {
  const ct_scene *scene = heap(77, full() ? 4 : 1), *again = heap(77, full() ? 4 : 1);
  ct_pose *first = fallen(scene, 300), *second = fallen(again, 300);
  CHECK(memcmp(first, second, ct_scene_rows(scene) * sizeof *first) == 0);
  free(first);
  free(second);
  ct_scene_release(scene);
  ct_scene_release(again);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"a_pile_comes_to_rest_and_stays_at_rest", a_pile_comes_to_rest_and_stays_at_rest},
      {"a_pile_falls_to_the_same_bytes", a_pile_falls_to_the_same_bytes},
  };
  arena = ct_arena_create();
  int status = workspace_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_arena_destroy(arena);
  return status;
}
