/* Reads `present` of sparsification: the contacts of the previous step, identified as in
 * results. */
#include "common/problem.h"
#include "queries/body_selection.h"
#include "queries/given_contacts.h"

#include "documents/body_json.h"
#include "results/volume_json.h"

enum { A, B, COLLIDER_A, COLLIDER_B, ELEMENT_A, ELEMENT_B, NAME_COUNT };

/* Reads a collider's id or index, which is required if the body has several colliders. */
static bool read_required_collider(api_reader *reader, const api_field *field, const ct_body *body,
                                   uint32_t *out) {
  if (!api_read_collider_place(reader, field, body, out)) return false;
  if (*out != CT_NO_COLLIDER) return true;
  *out = 0;
  size_t count = ct_body_collider_count(body);
  if (count <= 1) return true;
  api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
               "The member \"%s\" is required, because the body has %zu colliders.", field->name,
               count);
  return false;
}

static bool read_contact_side(api_reader *reader, const api_field m[3], const ct_scene *scene,
                              ct_contact_side *out) {
  uint64_t element = CT_NO_ELEMENT;
  out->row = api_read_body_row(reader, &m[0], scene);
  if (out->row == CT_NO_ROW) return false;
  bool good = read_required_collider(reader, &m[1], ct_scene_body(scene, out->row), &out->collider);
  good = api_read_unsigned(reader, &m[2], 0, CT_NO_ELEMENT - 1, &element) && good;
  out->element = (uint32_t)element;
  return good;
}

static bool read_contact_name(api_reader *reader, const api_field *field, const ct_scene *scene,
                              ct_contact_name *out) {
  api_field m[NAME_COUNT] = {{.name = "a", .required = true},
                             {.name = "b", .required = true},
                             {.name = "colliderA"},
                             {.name = "colliderB"},
                             {.name = "elementA"},
                             {.name = "elementB"}};
  if (!api_read_object(reader, field, m, NAME_COUNT)) return false;
  const api_field a[3] = {m[A], m[COLLIDER_A], m[ELEMENT_A]},
                  b[3] = {m[B], m[COLLIDER_B], m[ELEMENT_B]};
  bool good = read_contact_side(reader, a, scene, &out->a);
  return read_contact_side(reader, b, scene, &out->b) && good;
}

bool api_read_present(api_reader *reader, const ct_scene *scene, api_volume *volume) {
  const api_field *field = &volume->present;
  size_t count = 0;
  if (!volume->sparsifies || !api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, CT_CONTACTS_MAX, &count)) return false;
  ct_contact_name *names = api_arena_array(reader->arena, count, sizeof *names);
  if (!names) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % 1024 == 0 && api_reader_cancelled(reader)) return false;
    good = read_contact_name(reader, &element, scene, &names[i]) && good;
  }
  volume->sparsify.present = names;
  volume->sparsify.present_count = count;
  return good;
}
