/* Every verdict and flag of impulses and resting forces has a unique word in JSON: the enumerations
 * and flags of the engine's headers run through the encoder one by one. */
#include <stdlib.h>

#include "results/force_json.h"
#include "tests/support/check.h"

#define WORD(name, word) word,

/* The JSON text of an island without bodies and contacts. */
static char *text_of(const ct_impulse_result *impulse, const ct_resting_result *resting,
                     bool idle) {
  const ct_island island = {0};
  const api_force_island about = {.island = &island};
  const ct_resting_options options = {0};
  api_buffer out = {0};
  if (impulse) api_put_impulse(&out, &about, impulse, idle);
  else {
    api_put_resting(&out, &about, &options, resting);
    api_put_resting_flags(&out, resting, idle);
    api_put_byte(&out, '}');
  }
  size_t length;
  return api_buffer_detach(&out, &length);
}

static json_t *reported(const ct_impulse_result *impulse, const ct_resting_result *resting,
                        bool idle) {
  char *text = text_of(impulse, resting, idle);
  json_t *object = text ? json_loads(text, 0, NULL) : NULL;
  CHECK(object != NULL);
  free(text);
  return object;
}

/* Exactly this flag is set, or none. */
static void check_flag(json_t *object, const char *word) {
  const json_t *flags = json_object_get(object, "flags");
  CHECK_INT((long)json_array_size(flags), word ? 1 : 0);
  if (word) CHECK_TEXT(json_string_value(json_array_get(flags, 0)), word);
  json_decref(object);
}

static ct_impulse_result quiet_impulse(void) {
  return (ct_impulse_result){.law = "newton", .converged = true};
}

static void flags_of_impulses(void) {
  ct_impulse_result none = quiet_impulse(), left_out = none, ignored = none;
  left_out.infeasible = true;
  ignored.rotation_ignored = true;
  check_flag(reported(&none, NULL, false), NULL);
  check_flag(reported(&left_out, NULL, false), "restitutionLeftOut");
  check_flag(reported(&ignored, NULL, false), "rotationIgnored");
  check_flag(reported(&none, NULL, true), "lawIgnored");
}

static void flags_of_resting_forces(void) {
  static const struct {
    ct_stability stability;
    bool left_out;
    const char *flag;
    int stable; /* -1: absent */
  } cases[] = {{CT_STABILITY_NOT_REQUESTED, false, NULL, -1},
               {CT_STABILITY_STAYS, false, NULL, 1},
               {CT_STABILITY_FALLS, false, NULL, 0},
               {CT_STABILITY_MOVING, false, "moving", 0},
               {CT_STABILITY_UNDECIDED, false, "undecided", -1},
               {CT_STABILITY_STAYS, true, "matrixLeftOut", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ct_resting_result result = {.method = "none", .stability = cases[i].stability};
    json_t *object = reported(NULL, &result, cases[i].left_out),
           *stable = json_object_get(object, "stable");
    CHECK_INT(stable ? json_is_true(stable) : -1, cases[i].stable);
    check_flag(object, cases[i].flag);
  }
}

static void words_of_the_energy_guard(void) {
  static const char *const words[] = {CT_ENERGY_GUARD_MAP(WORD)};
  static const struct {
    ct_energy_guard guard;
    const char *word;
  } cases[] = {{CT_GUARD_OFF, "off"},
               {CT_GUARD_PASSED, "passed"},
               {CT_GUARD_APPLIED, "applied"},
               {CT_GUARD_SKIPPED_KINEMATIC, "skippedKinematic"}};
  CHECK_INT((long)(sizeof words / sizeof *words), (long)(sizeof cases / sizeof *cases));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ct_impulse_result result = quiet_impulse();
    result.guard = cases[i].guard;
    json_t *object = reported(&result, NULL, false),
           *guard = json_object_get(object, "energyGuard");
    CHECK_TEXT(json_string_value(json_object_get(guard, "status")), cases[i].word);
    CHECK((json_object_get(guard, "theta") != NULL) == (cases[i].guard == CT_GUARD_APPLIED));
    json_decref(object);
  }
}

static void statuses(void) {
  static const struct {
    bool converged, contradictory;
    const char *word;
  } cases[] = {{true, false, "ok"}, {false, false, "notConverged"}, {false, true, "infeasible"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ct_impulse_result result = quiet_impulse();
    result.converged = cases[i].converged;
    result.contradictory = cases[i].contradictory;
    json_t *object = reported(&result, NULL, false);
    CHECK_TEXT(json_string_value(json_object_get(object, "status")), cases[i].word);
    CHECK((json_object_get(object, "infeasibleCertificate") != NULL) == cases[i].contradictory);
    json_decref(object);
  }
  static const struct {
    ct_resting_status status;
    const char *word;
  } resting[] = {{CT_RESTING_STATUS_OK, "ok"},
                 {CT_RESTING_STATUS_INFEASIBLE, "infeasible"},
                 {CT_RESTING_STATUS_INCONSISTENT, "inconsistent"},
                 {CT_RESTING_STATUS_INDETERMINATE, "indeterminate"},
                 {CT_RESTING_STATUS_NOT_CONVERGED, "notConverged"}};
  static const char *const words[] = {CT_RESTING_STATUS_MAP(WORD)};
  CHECK_INT((long)(sizeof words / sizeof *words), (long)(sizeof resting / sizeof *resting));
  for (size_t i = 0; i < sizeof resting / sizeof *resting; i++) {
    ct_resting_result result = {.method = "none", .status = resting[i].status};
    json_t *object = reported(NULL, &result, false);
    CHECK_TEXT(json_string_value(json_object_get(object, "status")), resting[i].word);
    json_decref(object);
  }
}

static void friction_and_classes(void) {
  CHECK_TEXT(api_resting_friction_word(CT_RESTING_FRICTION_NONE), "none");
  CHECK_TEXT(api_resting_friction_word(CT_RESTING_FRICTION_CONE), "cone");
  CHECK_TEXT(api_resting_friction_word(CT_RESTING_FRICTION_POLYHEDRAL), "polyhedral");
  CHECK_TEXT(api_velocity_class_word(CT_CLASS_SEPARATING), "separating");
  CHECK_TEXT(api_velocity_class_word(CT_CLASS_RESTING), "resting");
  CHECK_TEXT(api_velocity_class_word(CT_CLASS_COLLIDING), "colliding");
}

static const check_test tests[] = {
    {"flags_of_impulses", flags_of_impulses},
    {"flags_of_resting_forces", flags_of_resting_forces},
    {"words_of_the_energy_guard", words_of_the_energy_guard},
    {"statuses", statuses},
    {"friction_and_classes", friction_and_classes},
};
CHECK_MAIN(tests)
