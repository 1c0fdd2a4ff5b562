/* Impulses of the reference corpus (dynamics.jsonl, computed with forty digits): two bodies in
 * general position, frictionless and sticking; balls on the ground; balls that collide head on, off
 * centre, and in a row.
 *
 * The file is $CONTACTD_CORPUS/dynamics.jsonl or ../shared/corpus/dynamics.jsonl; without a file
 * the facts are skipped. */
#include "tests/support/contact_sets.h"

#include <jansson.h>

/* Relative to the greatest number of a result. */
#define CORPUS_ERROR 1e-12

typedef void corpus_check(const json_t *given, const json_t *expect);

/* Returns the number of cases of the kind; -1 without the corpus. */
static int each_case(const char *kind, corpus_check *check) {
  char path[4096], line[65536];
  const char *folder = getenv("CONTACTD_CORPUS");
  snprintf(path, sizeof path, "%s/dynamics.jsonl", folder ? folder : "../shared/corpus");
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  int count = 0;
  while (fgets(line, sizeof line, file)) {
    json_t *c = json_loads(line, 0, NULL);
    if (c && strcmp(json_string_value(json_object_get(c, "kind")), kind) == 0) {
      check(json_object_get(c, "given"), json_object_get(c, "expect"));
      count++;
    }
    json_decref(c);
  }
  fclose(file);
  return count;
}

#define EACH_CASE(kind, check, wanted)                                                             \
  do {                                                                                             \
    int cases = each_case(kind, check);                                                            \
    if (cases < 0) CHECK_SKIP("no reference corpus");                                              \
    else CHECK_INT(cases, wanted);                                                                 \
  } while (0)

static double number(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

static ct_vec3 vec_of(const json_t *array) {
  return ct_vec(json_number_value(json_array_get(array, 0)),
                json_number_value(json_array_get(array, 1)),
                json_number_value(json_array_get(array, 2)));
}
static ct_vec3 member(const json_t *object, const char *name) {
  return vec_of(json_object_get(object, name));
}

static void check_near(ct_vec3 actual, ct_vec3 truth) {
  double size = ct_max2(ct_max_abs(truth), 1.0);
  CHECK_NEAR(actual.x, truth.x, CORPUS_ERROR * size);
  CHECK_NEAR(actual.y, truth.y, CORPUS_ERROR * size);
  CHECK_NEAR(actual.z, truth.z, CORPUS_ERROR * size);
}

/* Principal moments in the body's frame, orientation w, x, y, z. */
static void add_body(contact_set *s, const json_t *given) {
  if (json_is_true(json_object_get(given, "fixed"))) {
    s->bodies[set_fixed(s)].center = member(given, "position");
    return;
  }
  ct_vec3 i = member(given, "inertia");
  uint32_t body = set_dynamic(s, number(given, "mass"), i, member(given, "position"),
                              member(given, "velocity"));
  const json_t *q = json_object_get(given, "orientation");
  ct_mat3 r = ct_quat_matrix(
      (ct_quat){json_number_value(json_array_get(q, 1)), json_number_value(json_array_get(q, 2)),
                json_number_value(json_array_get(q, 3)), json_number_value(json_array_get(q, 0))});
  ct_mass_body *b = &s->bodies[body];
  b->inertia = ct_mat_mat(ct_mat_mat(r, b->inertia), ct_mat_transpose(r));
  b->inverse_inertia = ct_mat_mat(ct_mat_mat(r, b->inverse_inertia), ct_mat_transpose(r));
  b->velocity.angular = member(given, "angular_velocity");
}

static void check_blow(const contact_set *s, const json_t *truth) {
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
  options.energy_guard = false;
  struck k;
  strike(s, &options, &k);
  check_near(k.contacts[0].impulse, member(truth, "impulse_on_b"));
  for (uint32_t i = 0; i < 2; i++) {
    const json_t *body = json_object_get(truth, i ? "b" : "a");
    check_near(k.velocities[i].linear, member(body, "velocity"));
    check_near(k.velocities[i].angular, member(body, "angular_velocity"));
  }
}

static void check_two_bodies(const json_t *given, const json_t *expect) {
  contact_set s = {0};
  add_body(&s, json_object_get(given, "a"));
  add_body(&s, json_object_get(given, "b"));
  ct_contact *t = set_touch(&s, 0, 1, member(given, "point"),
                            ct_unit_or(member(given, "normal"), ct_vec(0, 0, 1)));
  t->material.restitution = number(given, "restitution");
  check_blow(&s, json_object_get(expect, "frictionless"));
  const json_t *stick = json_object_get(expect, "stick");
  double mu = number(stick, "required_mu") * (1 + 1e-9);
  t->material.static_friction = t->material.dynamic_friction = mu;
  check_blow(&s, stick);
}

static void two_bodies_collide_in_general_position(void) {
  EACH_CASE("two_body_impulse", check_two_bodies, 12);
}

static void check_ball_on_ground(const json_t *given, const json_t *expect) {
  contact_set s = {0};
  double radius = number(json_object_get(given, "shape"), "radius"), mu = number(given, "friction");
  set_fixed(&s);
  set_ball(&s, number(given, "mass"), radius, member(given, "position"), member(given, "velocity"));
  s.bodies[1].velocity.angular = member(given, "angular_velocity");
  ct_contact *t = set_touch(&s, 0, 1, ct_vec(0, 0, 0), ct_vec(0, 0, 1));
  t->material = (ct_pair_material){mu, mu, number(given, "restitution"), 0.0};
  for (ct_impulse_law law = CT_IMPULSE_ALGEBRAIC; law <= CT_IMPULSE_ENERGETIC; law++) {
    ct_impulse_options options = impulse_options(law, CT_SIMULTANEITY_NEWTON);
    struck k;
    strike(&s, &options, &k);
    bool slides = json_is_true(json_object_get(expect, "sliding"));
    CHECK_INT(k.contacts[0].outcome, slides ? CT_IMPULSE_OUTCOME_SLIDE : CT_IMPULSE_OUTCOME_STICK);
    check_near(k.contacts[0].impulse, member(expect, "impulse"));
    check_near(k.velocities[1].linear, member(expect, "velocity"));
    check_near(k.velocities[1].angular, member(expect, "angular_velocity"));
  }
}

static void balls_on_the_ground(void) {
  EACH_CASE("sphere_ground_friction_impulse", check_ball_on_ground, 5);
}

static void check_head_on(const json_t *given, const json_t *expect) {
  contact_set s = {0};
  set_ball(&s, number(given, "m1"), 0.5, ct_vec(-0.5, 0, 0), ct_vec(number(given, "v1"), 0, 0));
  set_ball(&s, number(given, "m2"), 0.5, ct_vec(0.5, 0, 0), ct_vec(number(given, "v2"), 0, 0));
  set_touch(&s, 0, 1, ct_vec(0, 0, 0), ct_vec(1, 0, 0))->material.restitution =
      number(given, "restitution");
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
  struck k;
  strike(&s, &options, &k);
  check_near(k.velocities[0].linear, ct_vec(number(expect, "v1"), 0, 0));
  check_near(k.velocities[1].linear, ct_vec(number(expect, "v2"), 0, 0));
  CHECK_NEAR(k.contacts[0].normal, number(expect, "impulse"),
             CORPUS_ERROR * number(expect, "impulse"));
  CHECK_NEAR(k.result.energy_before - k.result.energy_after, number(expect, "energy_loss"),
             CORPUS_ERROR * k.result.energy_before);
}

static void balls_collide_centrally(void) { EACH_CASE("head_on", check_head_on, 1); }

static void check_cradle(const json_t *given, const json_t *expect) {
  contact_set s = {0};
  uint32_t n = (uint32_t)number(given, "n");
  for (uint32_t i = 0; i < n; i++)
    set_ball(&s, 1, 0.5, ct_vec(i, 0, 0), ct_vec(i == 0 ? number(given, "speed") : 0.0, 0, 0));
  for (uint32_t i = 0; i + 1 < n; i++)
    set_touch(&s, i, i + 1, ct_vec(i + 0.5, 0, 0), ct_vec(1, 0, 0))->material.restitution = 1.0;
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_SEQUENTIAL);
  struck k;
  strike(&s, &options, &k);
  const json_t *speeds = json_object_get(expect, "speeds_after");
  for (uint32_t i = 0; i < n; i++)
    check_near(k.velocities[i].linear, ct_vec(json_number_value(json_array_get(speeds, i)), 0, 0));
}

static void a_row_of_balls_hands_the_blow_on(void) { EACH_CASE("newton_cradle", check_cradle, 1); }

static void check_billiard(const json_t *given, const json_t *expect) {
  contact_set s = {0};
  double sine = number(given, "impact_parameter") / (2.0 * number(given, "radius"));
  ct_vec3 normal = ct_vec(sqrt(1.0 - sine * sine), sine, 0),
          from = ct_scale(normal, -number(given, "radius"));
  set_ball(&s, 1, number(given, "radius"), from, ct_vec(number(given, "speed"), 0, 0));
  set_ball(&s, 1, number(given, "radius"), ct_neg(from), ct_vec(0, 0, 0));
  set_touch(&s, 0, 1, ct_vec(0, 0, 0), normal)->material.restitution = 1.0;
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
  struck k;
  strike(&s, &options, &k);
  check_near(k.velocities[0].linear, member(expect, "incoming_velocity"));
  check_near(k.velocities[1].linear, member(expect, "target_velocity"));
}

static void balls_collide_obliquely(void) { EACH_CASE("billiard_oblique", check_billiard, 1); }

static const check_test tests[] = {
    {"two_bodies_collide_in_general_position", two_bodies_collide_in_general_position},
    {"balls_on_the_ground", balls_on_the_ground},
    {"balls_collide_centrally", balls_collide_centrally},
    {"a_row_of_balls_hands_the_blow_on", a_row_of_balls_hands_the_blow_on},
    {"balls_collide_obliquely", balls_collide_obliquely},
};

CHECK_MAIN(tests)
