/* Reads and writes materials. The contact parameters of materials, pairs and contacts are read by
 * one function. */
#include "documents/material_json.h"

#include <contact/limits.h>

#include "common/spelling.h"
#include "json/named_objects_json.h"

/* Least and greatest number of sides of a friction pyramid. */
#define SIDES_MIN 4
#define SIDES_MAX 64

/* ---- values --------------------------------------------------------------------------------- */

/* Entries of a member list: the contact parameters of materials and of pairs, in this order. */
#define VALUE_MEMBERS                                                                              \
  {.name = "staticFriction"}, {.name = "dynamicFriction"}, {.name = "restitution"}, {              \
    .name = "rollingFriction"                                                                      \
  }
enum { STATIC, DYNAMIC, RESTITUTION, ROLLING, VALUE_COUNT };

/* Reads contact parameters; those of absent members are unchanged. */
static bool read_contact_parameters(api_reader *reader, const api_field m[VALUE_COUNT],
                                    ct_pair_material *values) {
  bool good = api_read_number(reader, &m[STATIC], 0.0, API_FRICTION_MAX, &values->static_friction);
  good = api_read_number(reader, &m[DYNAMIC], 0.0, API_FRICTION_MAX, &values->dynamic_friction) &&
         good;
  good = api_read_number(reader, &m[RESTITUTION], 0.0, 1.0, &values->restitution) && good;
  good = api_read_number(reader, &m[ROLLING], 0.0, API_FRICTION_MAX, &values->rolling_friction) &&
         good;
  bool has_static = api_field_present(&m[STATIC]), has_dynamic = api_field_present(&m[DYNAMIC]);
  if (!good) return false;
  if (has_static && !has_dynamic) values->dynamic_friction = values->static_friction;
  if (has_dynamic && !has_static) values->static_friction = values->dynamic_friction;
  if (!(values->dynamic_friction > values->static_friction)) return true;
  api_fault_limit(
      api_fault_at(
          reader->faults, API_PROBLEM_OUT_OF_RANGE, &m[DYNAMIC].path,
          "dynamicFriction must not exceed staticFriction: lower it, or raise staticFriction."),
      values->static_friction, values->dynamic_friction);
  return false;
}

bool api_read_pair_material(api_reader *reader, const api_field *field, ct_pair_material *out) {
  api_field m[VALUE_COUNT] = {VALUE_MEMBERS};
  if (!field->value) return true;
  return api_read_object(reader, field, m, VALUE_COUNT) && read_contact_parameters(reader, m, out);
}

bool api_read_sides(api_reader *reader, const api_field *field, unsigned *out) {
  uint64_t sides = *out;
  if (!api_read_unsigned(reader, field, SIDES_MIN, SIDES_MAX, &sides)) return false;
  *out = (unsigned)sides;
  if (sides % 2 == 0) return true;
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
               "Expected an even number, so that each direction of friction has its opposite.");
  return false;
}

/* Reads a number that must be above 0, since the value 0 stands for unknown. */
static bool read_positive_number(api_reader *reader, const api_field *field, double greatest,
                                 double *out) {
  if (!api_read_number(reader, field, 0.0, greatest, out)) return false;
  if (!field->value || *out > 0.0) return true;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                               "Expected a value above 0."),
                  0.0, *out);
  return false;
}

bool api_read_moduli(api_reader *reader, const api_field *youngs, const api_field *poisson,
                     double *modulus, double *ratio) {
  bool good = read_positive_number(reader, youngs, API_MODULUS_MAX, modulus);
  good = read_positive_number(reader, poisson, 1.0, ratio) && good;
  if (!(*ratio >= 1.0)) return good;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &poisson->path,
                               "Expected a value below 1."),
                  1.0, *ratio);
  return false;
}

static bool read_material_members(api_reader *reader, const api_field *field, ct_material *out) {
  enum { YOUNG = VALUE_COUNT, POISSON, COUNT };
  api_field m[COUNT] = {VALUE_MEMBERS, {.name = "youngsModulus"}, {.name = "poissonRatio"}};
  ct_pair_material values = {0};
  ct_material material = {0};
  bool good = api_read_object(reader, field, m, COUNT);
  if (!json_is_object(field->value)) return false;
  good = read_contact_parameters(reader, m, &values) && good;
  good = api_read_moduli(reader, &m[YOUNG], &m[POISSON], &material.youngs_modulus,
                         &material.poisson_ratio) &&
         good;
  material.static_friction = values.static_friction;
  material.dynamic_friction = values.dynamic_friction;
  material.restitution = values.restitution;
  material.rolling_friction = values.rolling_friction;
  *out = material;
  return good;
}

/* ---- materials of a scene ------------------------------------------------------------------- */

static bool read_named_material(api_reader *reader, const api_field *field, ct_text name,
                                void *out) {
  ct_named_material *named = out;
  named->name = name;
  return read_material_members(reader, field, &named->material);
}

static bool read_material_objects(api_reader *reader, const api_field *field, ct_materials *out) {
  static const api_named materials = {"material", "materials of a scene", CT_MATERIALS_MAX,
                                      sizeof(ct_named_material), read_named_material};
  void *items = NULL;
  bool good = api_read_named(reader, field, &materials, &items, &out->count);
  out->items = items;
  return good;
}

static bool read_material_pair(api_reader *reader, const api_field *field, ct_material_pair *out) {
  enum { A = VALUE_COUNT, B, COUNT };
  api_field m[COUNT] = {
      VALUE_MEMBERS, {.name = "a", .required = true}, {.name = "b", .required = true}};
  ct_pair_material values = {NAN, NAN, NAN, NAN};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  bool good = api_read_id(reader, &m[A], &out->a);
  good = api_read_id(reader, &m[B], &out->b) && good;
  good = read_contact_parameters(reader, m, &values) && good;
  out->static_friction = values.static_friction;
  out->dynamic_friction = values.dynamic_friction;
  out->restitution = values.restitution;
  out->rolling_friction = values.rolling_friction;
  return good;
}

static bool refuse_repeated_pairs(api_reader *reader, const api_field *field,
                                  const ct_materials *materials) {
  api_arena_mark mark = api_arena_position(reader->arena);
  size_t count = materials->pair_count;
  api_name_pair *names = api_reader_alloc(reader, count, sizeof *names);
  for (size_t i = 0; names && i < count; i++)
    names[i] = (api_name_pair){materials->pairs[i].a, materials->pairs[i].b};
  bool good =
      names && api_reject_repeated(
                   reader, field, names, count,
                   "An earlier entry has the same pair of materials: remove one of the two.");
  api_arena_rewind(reader->arena, mark);
  return good;
}

static bool read_material_pairs(api_reader *reader, const api_field *field, ct_materials *out) {
  size_t count = 0;
  if (!field->value) return true;
  if (!api_read_array(reader, field, 0, CT_MATERIAL_PAIRS_MAX, &count)) return false;
  ct_material_pair *pairs = api_reader_alloc(reader, count, sizeof *pairs);
  if (!pairs) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    good = read_material_pair(reader, &element, &pairs[i]) && good;
  }
  out->pairs = pairs;
  out->pair_count = count;
  return good && (count < 2 || refuse_repeated_pairs(reader, field, out));
}

bool api_read_materials(api_reader *reader, const api_field members[API_MATERIALS_MEMBER_COUNT],
                        api_materials *out) {
  enum { GRAVITY, MATERIALS, PAIRS };
  bool good = api_read_vec3(reader, &members[GRAVITY], API_GRAVITY_MAX, &out->gravity);
  out->has_gravity = api_field_present(&members[GRAVITY]);
  good = read_material_objects(reader, &members[MATERIALS], &out->materials) && good;
  return read_material_pairs(reader, &members[PAIRS], &out->materials) && good;
}

/* ---- names ---------------------------------------------------------------------------------- */

static void report_unknown_material(api_reader *reader, const api_pointer *at, ct_text name,
                                    const ct_materials *known) {
  char echo[API_ECHO_MAX + 4];
  api_fault_did_you_mean(api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, at,
                                      "The scene has no material \"%s\".", api_echo(name, echo)),
                         api_spelling_of_materials(known, name));
}

bool api_check_materials(api_reader *reader, const api_pointer *body_at, const ct_body *body,
                         const ct_draft *draft) {
  bool good = true;
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_text name = ct_body_material(body, i);
    if (!name.length || ct_draft_has_material(draft, name)) continue;
    api_pointer colliders = api_pointer_member(body_at, "colliders"),
                collider = api_pointer_index(&colliders, i);
    api_pointer material = api_pointer_member(&collider, "material");
    report_unknown_material(reader, &material, name, ct_draft_materials(draft));
    good = false;
  }
  return good;
}

static bool check_material_name(api_reader *reader, const api_pointer *at, ct_text name,
                                const ct_draft *draft) {
  if (ct_draft_has_material(draft, name)) return true;
  report_unknown_material(reader, at, name, ct_draft_materials(draft));
  return false;
}

/* Checks that all pairs of materials name materials of the draft. */
static bool check_pair_names(api_reader *reader, const api_pointer *at,
                             const ct_materials *materials, const ct_draft *draft) {
  api_pointer pairs = api_pointer_member(at, "materialPairs");
  bool good = true;
  for (size_t i = 0; i < materials->pair_count && !api_faults_full(reader->faults); i++) {
    api_pointer pair = api_pointer_index(&pairs, i), a = api_pointer_member(&pair, "a"),
                b = api_pointer_member(&pair, "b");
    good = check_material_name(reader, &a, materials->pairs[i].a, draft) && good;
    good = check_material_name(reader, &b, materials->pairs[i].b, draft) && good;
  }
  return good;
}

/* Checks that the draft has every material that its bodies use. */
static bool check_materials_in_use(api_reader *reader, const api_pointer *at,
                                   const ct_draft *draft) {
  char material[API_ECHO_MAX + 4], id[API_ECHO_MAX + 4];
  for (uint32_t row = 0; row < ct_draft_rows(draft); row++) {
    const ct_body *body = ct_draft_body(draft, row);
    for (size_t i = 0; body && i < ct_body_collider_count(body); i++) {
      ct_text name = ct_body_material(body, i);
      if (!name.length || ct_draft_has_material(draft, name)) continue;
      api_pointer materials = api_pointer_member(at, "materials");
      api_fault_at(reader->faults, API_PROBLEM_MATERIAL_IN_USE, &materials,
                   "Collider %zu of body \"%s\" still has the material \"%s\": keep the material, "
                   "or change the collider first.",
                   i, api_echo(ct_body_id(body), id), api_echo(name, material));
      return false;
    }
  }
  return true;
}

bool api_apply_materials(api_reader *reader, const api_pointer *at, const api_materials *matter,
                         ct_draft *draft) {
  bool had = ct_draft_materials(draft)->count > 0;
  ct_draft_set_gravity(draft, matter->has_gravity ? &matter->gravity : NULL);
  if (ct_draft_set_materials(draft, &matter->materials) != CT_OK) {
    api_fault_memory(reader->faults);
    return false;
  }
  return check_pair_names(reader, at, &matter->materials, draft) &&
         (!had || check_materials_in_use(reader, at, draft));
}

/* ---- encode --------------------------------------------------------------------------------- */

static void put_positive_member(api_buffer *buffer, const char *name, double value) {
  if (value > 0.0) api_put_member_number(buffer, name, value);
}

/* Puts a material. Dynamic friction is left out if it equals static friction. */
static void put_material(api_buffer *buffer, const ct_named_material *named) {
  const ct_material *m = &named->material;
  api_put_key_text(buffer, named->name);
  api_put_byte(buffer, '{');
  put_positive_member(buffer, "staticFriction", m->static_friction);
  if (m->dynamic_friction != m->static_friction)
    api_put_member_number(buffer, "dynamicFriction", m->dynamic_friction);
  put_positive_member(buffer, "restitution", m->restitution);
  put_positive_member(buffer, "rollingFriction", m->rolling_friction);
  put_positive_member(buffer, "youngsModulus", m->youngs_modulus);
  put_positive_member(buffer, "poissonRatio", m->poisson_ratio);
  api_put_byte(buffer, '}');
}

static void put_given_member(api_buffer *buffer, const char *name, double value) {
  if (!isnan(value)) api_put_member_number(buffer, name, value);
}

static void put_material_pair(api_buffer *buffer, const ct_material_pair *pair) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "a", pair->a);
  api_put_member_string(buffer, "b", pair->b);
  put_given_member(buffer, "staticFriction", pair->static_friction);
  if (pair->dynamic_friction != pair->static_friction)
    put_given_member(buffer, "dynamicFriction", pair->dynamic_friction);
  put_given_member(buffer, "restitution", pair->restitution);
  put_given_member(buffer, "rollingFriction", pair->rolling_friction);
  api_put_byte(buffer, '}');
}

void api_put_materials(api_buffer *buffer, const ct_scene *scene) {
  const ct_materials *materials = ct_scene_materials(scene);
  if (ct_scene_has_gravity(scene)) api_put_member_vec3(buffer, "gravity", ct_scene_gravity(scene));
  if (materials->count) {
    api_put_key(buffer, "materials");
    api_put_byte(buffer, '{');
    for (size_t i = 0; i < materials->count; i++) put_material(buffer, &materials->items[i]);
    api_put_byte(buffer, '}');
  }
  if (!materials->pair_count) return;
  api_put_key(buffer, "materialPairs");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < materials->pair_count; i++)
    put_material_pair(buffer, &materials->pairs[i]);
  api_put_byte(buffer, ']');
}
