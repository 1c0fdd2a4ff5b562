/* Reads and writes the options of the elastic contact law. */
#include "documents/elastic_json.h"

#include "documents/material_json.h"

/* Greatest value of every option, in the option's unit. */
#define ELASTIC_MAX 1e12

enum { VELOCITY, ANGULAR, STIFFNESS, DAMPING, PULL, MODULUS, RATIO, MEMBERS };

/* Reads Young's modulus and Poisson's ratio of all colliders. MISSING_MEMBER: only one is given. */
static bool read_common_moduli(api_reader *reader, const api_field m[MEMBERS],
                               ct_compliant_options *out) {
  bool modulus = api_field_present(&m[MODULUS]), ratio = api_field_present(&m[RATIO]);
  bool good =
      api_read_moduli(reader, &m[MODULUS], &m[RATIO], &out->youngs_modulus, &out->poisson_ratio);
  if (modulus == ratio) return good;
  const api_field *absent = &m[modulus ? RATIO : MODULUS];
  api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &absent->path,
               "youngsModulus and poissonRatio must be given together: add \"%s\".", absent->name);
  return false;
}

bool api_read_elastic(api_reader *reader, const api_field *field, ct_elastic_options *out,
                      ct_compliant_options *all) {
  api_field m[MEMBERS] = {{.name = "smallVelocity"},
                          {.name = "smallAngularVelocity"},
                          {.name = "stiffnessFactor"},
                          {.name = "dampingMax"},
                          {.name = "pull"},
                          {.name = "youngsModulus"},
                          {.name = "poissonRatio"}};
  if (!api_field_present(field)) return true;
  bool good = api_read_object(reader, field, m, all ? MEMBERS : MODULUS);
  good =
      api_read_number(reader, &m[VELOCITY], CT_SIZE_MIN, ELASTIC_MAX, &out->small_velocity) && good;
  good = api_read_number(reader, &m[ANGULAR], CT_SIZE_MIN, ELASTIC_MAX,
                         &out->small_angular_velocity) &&
         good;
  good = api_read_number(reader, &m[STIFFNESS], CT_SIZE_MIN, ELASTIC_MAX, &out->stiffness_factor) &&
         good;
  good = api_read_number(reader, &m[DAMPING], CT_SIZE_MIN, ELASTIC_MAX, &out->damping_max) && good;
  good = api_read_bool(reader, &m[PULL], &out->pull) && good;
  return (!all || read_common_moduli(reader, m, all)) && good;
}

bool api_find_soft(const ct_scene *scene, uint32_t row, uint32_t *collider) {
  const ct_body *body = ct_scene_body(scene, row);
  for (uint32_t i = 0; body && i < ct_body_collider_count(body); i++) {
    if (ct_scene_elastic_solid(scene, row, i, NULL)) continue;
    *collider = i;
    return true;
  }
  return false;
}

void api_put_elastic_options(api_buffer *out, const ct_elastic_options *options) {
  api_put_key(out, "elastic");
  api_put_byte(out, '{');
  api_put_member_number(out, "smallVelocity", options->small_velocity);
  api_put_member_number(out, "smallAngularVelocity", options->small_angular_velocity);
  api_put_member_number(out, "stiffnessFactor", options->stiffness_factor);
  api_put_member_number(out, "dampingMax", options->damping_max);
  api_put_member_bool(out, "pull", options->pull);
  api_put_byte(out, '}');
}

void api_put_default_elastic(api_buffer *out) {
  const ct_elastic_options usual = ct_elastic_options_effective(&(ct_elastic_options){0});
  api_put_elastic_options(out, &usual);
}
