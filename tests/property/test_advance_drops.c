/* Event-driven motion from impact to impact: dropped bodies never gain energy and come to rest, and
 * crowds of overlapping, driven and fixed bodies gain only the work of the drives. CONTACTD_FULL=1:
 * 240 drops and 300 crowds, else 18 and 15. */
#include "tests/support/advance.h"

/* s: a ball from 2 m with a restitution of 0.9 rests after 12.1, sqrt(2 h / g) (1 + e) / (1 -
 * e). */
#define DURATION 20.0
/* Steps that are checked once a body is at rest. */
#define REST_STEPS 40
#define CROWD_MAX 12

typedef struct drop {
  double restitution, friction, time_step;
  bool rest_given; /* approaches up to the velocity tolerance have no restitution; else all have */
  placed_body body;
} drop;

static drop random_drop(check_random *r, int number) {
  drop d = {.restitution = number % 9 ? check_uniform(r, 0.0, 0.9) : 0.0,
            .friction = number / 2 % 2 ? 0.0 : 0.5,
            .time_step = number % 3 ? 1e-2 : 2e-3,
            .rest_given = number % 5 < 3};
  d.body = (placed_body){"thing", sphere_of(check_uniform(r, 0.1, 0.5)),
                         pose_at(0, 0, check_uniform(r, 1, 2)), AT_REST, &one_kilogram};
  if (number % 2 == 0) return d;
  d.body.shape =
      box_of(check_uniform(r, 0.1, 0.4), check_uniform(r, 0.1, 0.4), check_uniform(r, 0.1, 0.4));
  d.body.pose.rotation = random_rotation(r);
  return d;
}

static double energy_of(const ct_advance_state *now) {
  return now->kinetic_energy + now->potential_energy;
}

/* Is the body at rest, carried by its weight? */
static bool lies(const ct_advance_state *now, double time, double energy) {
  return now->kinetic_energy <= 1e-20 * energy &&
         fabs(now->contact_impulse.z - GRAVITY * time) <= 1e-9 * GRAVITY * time;
}

static void drop_it(const drop *d) {
  const placed_body bodies[2] = {ground, d->body};
  ct_material material = friction_of(d->friction);
  material.restitution = d->restitution;
  const ct_scene *scene = scene_with(bodies, 2, material);
  const double epsilon = ct_scene_default_epsilon(scene),
               slow = ct_scene_velocity_tolerance(epsilon, ct_vec(0, 0, -GRAVITY));
  const ct_advance_options o = {.mode = CT_ADVANCE_IMPULSES,
                                .duration = DURATION,
                                .time_step = d->time_step,
                                .gravity = {0, 0, -GRAVITY},
                                .contact_tolerance = epsilon,
                                .velocity_tolerance = slow,
                                .rest_velocity = d->rest_given ? slow : 0.0,
                                .contacts_max = 1000};
  ct_advance *advance = advance_of(scene, &o);
  ct_advance_state past = ct_advance_now(advance);
  const double first = energy_of(&past);
  int rest = 0;
  for (bool done = false; !done && rest < REST_STEPS;) {
    done = steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    CHECK(energy_of(&now) <= energy_of(&past) + 1e-12 * first);
    bool is_still = lies(&now, now.time - past.time, first);
    CHECK(is_still || rest == 0); /* a body at rest stays at rest */
    rest += is_still;
    past = now;
  }
  CHECK_INT(rest, REST_STEPS);
  CHECK(past.events < 1000);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

static void dropped_bodies_never_gain_energy_and_come_to_rest(void) {
  check_random r = {14};
  const int count = getenv("CONTACTD_FULL") ? 240 : 18;
  for (int i = 0; i < count; i++) {
    const drop d = random_drop(&r, i);
    drop_it(&d);
  }
}

static ct_vec3 any_vector(check_random *r) {
  return ct_vec(check_uniform(r, -5, 5), check_uniform(r, -5, 5), check_uniform(r, -5, 5));
}

/* Bodies of any size on the ground that may overlap deeply, some driven, some fixed. */
static size_t random_crowd(check_random *r, placed_body *bodies, ct_motion *motions,
                           char (*ids)[24]) {
  static const ct_motion driven = {.is_kinematic = true};
  size_t count = 2 + check_next(r) % (CROWD_MAX - 1);
  bodies[0] = ground;
  for (size_t i = 1; i < count; i++) {
    double size = pow(10.0, check_uniform(r, -1.5, 0.5)), kind = check_uniform(r, 0, 10);
    ct_shape shapes[3] = {sphere_of(size), box_of(size, 0.5 * size, 0.2 * size),
                          box_of(0.01 * size, size, size)};
    snprintf(ids[i], sizeof ids[i], "b%zu", i);
    motions[i] = (ct_motion){.source = CT_MASS_MASS, .value = pow(10.0, check_uniform(r, -3, 3))};
    bodies[i] = (placed_body){
        ids[i], shapes[check_next(r) % 3],
        pose_at(check_uniform(r, -2, 2), check_uniform(r, -2, 2), check_uniform(r, -1, 3)), AT_REST,
        kind < 1.5   ? &driven
        : kind < 2.5 ? NULL
                     : &motions[i]};
    bodies[i].velocity = (ct_velocity){any_vector(r), any_vector(r)};
    if (!bodies[i].motion) bodies[i].velocity = (ct_velocity){{0, 0, 0}, {0, 0, 0}};
  }
  return count;
}

/* An infeasible squeeze ends the run. */
static void crowds_never_gain_more_than_driven_bodies_give(void) {
  check_random r = {58};
  const int count = getenv("CONTACTD_FULL") ? 300 : 15;
  for (int i = 0; i < count; i++) {
    placed_body bodies[CROWD_MAX];
    ct_motion motions[CROWD_MAX];
    char ids[CROWD_MAX][24];
    size_t n = random_crowd(&r, bodies, motions, ids);
    const ct_scene *scene = scene_with(bodies, n,
                                       (ct_material){.static_friction = check_uniform(&r, 0, 1),
                                                     .restitution = check_uniform(&r, 0, 1)});
    const ct_advance_options o = {.mode = CT_ADVANCE_IMPULSES,
                                  .duration = 0.6,
                                  .time_step = 0.02,
                                  .gravity = {0, 0, -GRAVITY},
                                  .contact_tolerance = 1e-5,
                                  .velocity_tolerance = 0.02,
                                  .rest_velocity = 0.05,
                                  .contacts_max = 10000};
    ct_advance *advance = advance_of(scene, &o);
    ct_advance_state past = ct_advance_now(advance);
    bool done = false;
    for (int k = 0; !done && k < 150 && ct_advance_step(advance, workspace, arena, &done) == CT_OK;
         k++) {
      ct_advance_state now = ct_advance_now(advance);
      double size = fabs(energy_of(&past)) + now.kinetic_energy + fabs(past.work) + fabs(now.work);
      CHECK(energy_of(&now) - now.work <= energy_of(&past) - past.work + 1e-9 * size);
      past = now;
    }
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
}

int main(int argc, char **argv) {
  static const check_test tests[] = {{"dropped_bodies_never_gain_energy_and_come_to_rest",
                                      dropped_bodies_never_gain_energy_and_come_to_rest},
                                     {"crowds_never_gain_more_than_driven_bodies_give",
                                      crowds_never_gain_more_than_driven_bodies_give}};
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
