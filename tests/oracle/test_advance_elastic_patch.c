/* Motion of flat bodies by the elastic law: a tumbling box, prism or cylinder with restitution 1
 * keeps its energy with the elastic part; at rest, a face has the depth of a flat punch. */
#include "compliant/compliant_patch.h"
#include "tests/support/advance.h"

static ct_patch_scratch scratch;

static const ct_material spring = {.restitution = 1.0, .youngs_modulus = 1e7, .poisson_ratio = 0.3};
static const ct_material dead = {.youngs_modulus = 1e7, .poisson_ratio = 0.3};

static double modulus_of(const ct_material *m) {
  return 0.5 * m->youngs_modulus / (1.0 - m->poisson_ratio * m->poisson_ratio);
}

static ct_advance_options elastic_options(double duration) {
  return (ct_advance_options){.mode = CT_ADVANCE_COMPLIANT,
                              .duration = duration,
                              .time_step = 0.01,
                              .gravity = {0, 0, -GRAVITY},
                              .frictionless = true,
                              .elastic = {.pull = true},
                              .contacts_max = 100};
}

/* Elastic energy of the pair: row 0, which does not move, and row 1. */
static double energy_of_pair(const ct_advance *advance, const ct_shape *low, const ct_pose *below,
                             const ct_shape *high) {
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  const ct_patch_side a = {low, ct_frame_of(*below)}, b = {high, ct_frame_of(pose)};
  ct_patch patch;
  CHECK(ct_patch_find(&a, &b, ct_vec(0, 0, 1), &scratch, &patch));
  return ct_patch_energy(&patch, modulus_of(&spring));
}

static void check_energy(const placed_body *low, const ct_shape *shape, double duration,
                         uint64_t events) {
  const ct_pose pose = {{0, 0, 0.35}, {0.2, 0.3, 0.1, 0.9273618495495704}};
  const placed_body bodies[2] = {*low,
                                 {"body", *shape, pose, {{0.1, 0, 0}, {1, 2, -1}}, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, spring);
  const ct_advance_options o = elastic_options(duration);
  ct_advance *advance = advance_of(scene, &o);
  ct_advance_state now = ct_advance_now(advance);
  double whole = now.kinetic_energy + now.potential_energy;
  bool done = false;
  while (!done) {
    done = steps(advance, 1);
    now = ct_advance_now(advance);
    double energy = now.kinetic_energy + now.potential_energy +
                    energy_of_pair(advance, &low->shape, &low->pose, shape);
    CHECK_NEAR(energy, whole, 1e-8 * whole);
  }
  CHECK(now.events >= events);
  CHECK_INT(now.not_converged, 0);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

static void tumbling_bodies_keep_the_energy(void) {
  const ct_shape box = box_of(0.15, 0.1, 0.08), prism = prism_of(7, 0.1, 0.1);
  const placed_body table = {"table", box_of(2, 2, 0.2), pose_at(0, 0, -0.2), AT_REST, NULL};
  check_energy(&ground, &box, 0.6, 4);
  check_energy(&ground, &prism, 0.6, 4);
  check_energy(&table, &box, 0.6, 4);
  ct_shape_release(&prism);
}

static void a_tumbling_cylinder_keeps_the_energy(void) {
  const ct_shape can = {.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 0.1, .half_length = 0.1}};
  check_energy(&ground, &can, 0.6, 4);
}

/* Level boxes on the ground and on a box: weight / (2 E sqrt(A / pi)). */
static void level_faces_rest_at_the_depth_of_a_flat_punch(void) {
  const placed_body table = {"table", box_of(2, 2, 0.2), pose_at(0, 0, -0.2), AT_REST, NULL};
  const placed_body *const lows[2] = {&ground, &table};
  double k = 2.0 * modulus_of(&dead) * sqrt(0.06 / acos(-1.0));
  for (int i = 0; i < 2; i++) {
    const placed_body bodies[2] = {
        *lows[i], {"box", box_of(0.1, 0.15, 0.2), pose_at(0.3, 0, 0.201), AT_REST, &one_kilogram}};
    const ct_scene *scene = scene_with(bodies, 2, dead);
    ct_advance_options o = elastic_options(0.1);
    o.elastic.damping_max = sqrt(k) / GRAVITY;
    ct_advance *advance = advance_of(scene, &o);
    bool done = false;
    while (!done) done = steps(advance, 1);
    CHECK_NEAR(ct_advance_now(advance).penetration * k / GRAVITY, 1.0, 1e-8);
    CHECK_INT(ct_advance_now(advance).not_converged, 0);
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"tumbling bodies keep the energy", tumbling_bodies_keep_the_energy},
      {"a tumbling cylinder keeps the energy", a_tumbling_cylinder_keeps_the_energy},
      {"level faces rest at the depth of a flat punch",
       level_faces_rest_at_the_depth_of_a_flat_punch},
  };
  int status = advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_patch_scratch_free(&scratch);
  return status;
}
