/* Reads the contacts and loads that the request of a force query contains. */
#include "queries/given_contacts.h"

#include <assert.h>

#include "documents/body_json.h"
#include "documents/material_json.h"
#include "queries/body_selection.h"

static void *alloc_given_items(api_reader *reader, size_t count, size_t size) {
  void *memory = api_arena_array(reader->arena, count, size);
  if (!memory) api_fault_memory(reader->faults);
  return memory;
}

/* True if the row's body is dynamic: it has a motion and is not kinematic. */
static bool is_dynamic_row(const ct_scene *scene, uint32_t row) {
  assert(row < ct_scene_rows(scene) && ct_scene_body(scene, row));
  const ct_motion *motion = ct_body_motion(ct_scene_body(scene, row));
  return motion && !motion->is_kinematic;
}

/* ---- contacts ------------------------------------------------------------------------------- */

enum { A, B, COLLIDER_A, COLLIDER_B, POSITION, NORMAL, FIXED_TO, MATERIAL, CONTACT_COUNT };

static bool read_unit_normal(api_reader *reader, const api_field *field, ct_vec3 *out) {
  if (!api_read_vec3(reader, field, CT_COORDINATE_MAX, out)) return false;
  double length = ct_norm(*out);
  if (fabs(length - 1.0) <= API_NORMAL_SLACK) {
    *out = ct_scale(*out, 1.0 / length);
    return true;
  }
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
                               "The normal's length must be 1 to within 1e-6: normalise it."),
                  1.0, length);
  return false;
}

/* Reads the two bodies and their colliders, and checks that at least one body is dynamic. */
static bool read_contact_bodies(api_reader *reader, const api_field *field,
                                const api_field m[CONTACT_COUNT], const ct_scene *scene,
                                ct_given_contact *out) {
  out->a = api_read_body_row(reader, &m[A], scene);
  out->b = api_read_body_row(reader, &m[B], scene);
  if (out->a == CT_NO_ROW || out->b == CT_NO_ROW) return false;
  if (out->a == out->b) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &m[B].path,
                 "a and b of a contact must be two different bodies.");
    return false;
  }
  if (is_dynamic_row(scene, out->a) || is_dynamic_row(scene, out->b)) {
    bool good = api_read_collider_place(reader, &m[COLLIDER_A], ct_scene_body(scene, out->a),
                                        &out->collider_a);
    return api_read_collider_place(reader, &m[COLLIDER_B], ct_scene_body(scene, out->b),
                                   &out->collider_b) &&
           good;
  }
  api_fault_at(
      reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
      "Both bodies are static or kinematic: at least one body of a contact must be dynamic.");
  return false;
}

static bool read_given_contact(api_reader *reader, const api_field *field, const ct_scene *scene,
                               ct_given_contact *out) {
  static const char *const words[] = {"a", "b"};
  api_field m[CONTACT_COUNT] = {{.name = "a", .required = true},
                                {.name = "b", .required = true},
                                {.name = "colliderA"},
                                {.name = "colliderB"},
                                {.name = "position", .required = true},
                                {.name = "normal", .required = true},
                                {.name = "fixedTo"},
                                {.name = "material"}};
  size_t fixed_to = 0;
  if (!api_read_object(reader, field, m, CONTACT_COUNT)) return false;
  bool good = read_contact_bodies(reader, field, m, scene, out);
  good = api_read_position(reader, &m[POSITION], &out->position) && good;
  good = read_unit_normal(reader, &m[NORMAL], &out->normal) && good;
  good = api_read_word(reader, &m[FIXED_TO], words, 2, &fixed_to) && good;
  out->fixed_to_b = fixed_to == 1;
  out->has_material = api_field_present(&m[MATERIAL]);
  return api_read_pair_material(reader, &m[MATERIAL], &out->material) && good;
}

bool api_read_given_contacts(api_reader *reader, const api_field *field, const ct_scene *scene,
                             ct_mechanics_options *out) {
  size_t count = 0;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, CT_CONTACTS_MAX, &count)) return false;
  ct_given_contact *given = alloc_given_items(reader, count, sizeof *given);
  if (!given) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % 1024 == 0 && api_reader_cancelled(reader)) return false;
    given[i] = (ct_given_contact){.collider_a = CT_NO_COLLIDER, .collider_b = CT_NO_COLLIDER};
    good = read_given_contact(reader, &element, scene, &given[i]) && good;
  }
  out->given = given;
  out->given_count = count;
  return good;
}

/* ---- loads ---------------------------------------------------------------------------------- */

static bool read_load(api_reader *reader, const api_field *field, const ct_scene *scene,
                      ct_load *out) {
  enum { BODY, FORCE, TORQUE, AT, COUNT };
  api_field m[COUNT] = {
      {.name = "body", .required = true}, {.name = "force"}, {.name = "torque"}, {.name = "at"}};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  out->row = api_read_body_row(reader, &m[BODY], scene);
  bool good = out->row != CT_NO_ROW;
  if (good && !is_dynamic_row(scene, out->row)) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &m[BODY].path,
                 "The body is static or kinematic, so that forces do not move it: a load needs a "
                 "dynamic body.");
    good = false;
  }
  good = api_read_vec3(reader, &m[FORCE], API_FORCE_MAX, &out->force) && good;
  good = api_read_vec3(reader, &m[TORQUE], API_FORCE_MAX, &out->torque) && good;
  good = api_read_position(reader, &m[AT], &out->at) && good;
  out->has_at = api_field_present(&m[AT]);
  if (!api_field_present(&m[FORCE]) && !api_field_present(&m[TORQUE])) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
                 "A load needs a force, a torque, or both.");
    return false;
  }
  return api_reject_unused(reader, &m[AT], !api_field_present(&m[FORCE]), "force") && good;
}

bool api_read_loads(api_reader *reader, const api_field *field, const ct_scene *scene,
                    ct_mechanics_options *out) {
  size_t count = 0;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, CT_CONTACTS_MAX, &count)) return false;
  ct_load *loads = alloc_given_items(reader, count, sizeof *loads);
  if (!loads) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % 1024 == 0 && api_reader_cancelled(reader)) return false;
    loads[i] = (ct_load){0};
    good = read_load(reader, &element, scene, &loads[i]) && good;
  }
  out->loads = loads;
  out->load_count = count;
  return good;
}
