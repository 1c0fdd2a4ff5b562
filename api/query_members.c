/* Which bodies a question is about, and where they stand in it. */
#include "query_members.h"

#include <string.h>

#include "features_json.h"
#include "selection.h"

/* ---- selections ------------------------------------------------------------------------------------------------------ */

bool api_read_where(api_reader *reader, const api_field *field, api_question *out) {
  static const char *const empty[2] = {"where.a selects no body.", "where.b selects no body."};
  if (!api_field_present(field)) return true;
  api_field sides[] = {{.name = "a"}, {.name = "b"}};
  if (!api_read_object(reader, field, sides, 2)) return false;
  bool good = api_read_side(reader, &sides[0], out->scene, &out->options.where_a);
  good = api_read_side(reader, &sides[1], out->scene, &out->options.where_b) && good;
  for (int s = 0; good && s < 2; s++) {
    const uint8_t *mask = s ? out->options.where_b : out->options.where_a;
    if (api_field_present(&sides[s]) && !memchr(mask, 1, ct_scene_rows(out->scene))) out->warnings[out->warning_count++] = empty[s];
  }
  return good;
}

/* Features are asked of bodies that have triangles. */
static void look_for_triangles(api_reader *reader, const api_field *field, const ct_scene *scene, ct_row_pair pair) {
  const uint32_t row[2] = {pair.a, pair.b};
  for (size_t i = 0; i < 2; i++) {
    api_field side = api_field_element(field, i);
    if (row[i] != CT_NO_ROW) api_features_given(reader, &side.path, ct_scene_body(scene, row[i]));
  }
}

bool api_read_row_pairs(api_reader *reader, const api_field *field, api_question *out) {
  size_t count;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, reader->limits->pairs, &count)) return false;
  ct_row_pair *pairs = api_arena_array(reader->arena, count, sizeof *pairs);
  if (!pairs) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    size_t two;
    if (i % 1024 == 0 && api_reader_cancelled(reader)) return false;
    if (!api_read_array(reader, &element, 2, 2, &two)) continue;
    pairs[i] = (ct_row_pair){api_read_row(reader, &element, 0, out->scene), api_read_row(reader, &element, 1, out->scene)};
    if (pairs[i].a != CT_NO_ROW && pairs[i].a == pairs[i].b)
      api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &element.path, "A pair has two different bodies.");
    if (out->kind == API_KIND_FEATURES) look_for_triangles(reader, &element, out->scene, pairs[i]);
  }
  out->options.pairs = pairs;
  out->options.pair_count = count;
  out->options.explicit_pairs = true;
  return !api_faults_any(reader->faults);
}

/* ---- what-if --------------------------------------------------------------------------------------------------------- */

/* Own poses over the batch's: both are sorted by row. */
static bool merge_overrides(api_reader *reader, api_variant base, api_variant own, api_question *out) {
  ct_override *merged = api_arena_array(reader->arena, base.count + own.count, sizeof *merged);
  if (!merged) {
    api_fault_memory(reader->faults);
    return false;
  }
  size_t b = 0, o = 0, count = 0;
  while (b < base.count || o < own.count) {
    if (o == own.count || (b < base.count && base.items[b].row < own.items[o].row)) {
      merged[count++] = base.items[b++];
    } else {
      b += b < base.count && base.items[b].row == own.items[o].row;
      merged[count++] = own.items[o++];
    }
  }
  out->options.overrides = merged;
  out->options.override_count = count;
  return true;
}

/* velocities NULL: they mean nothing. */
static bool read_variant(api_reader *reader, const api_field *field, const ct_scene *scene, api_variant *out,
                         api_velocities *velocities) {
  api_poses poses;
  ct_override *items = NULL;
  if (!api_read_poses(reader, field, &poses)) return false;
  if (!api_override_poses(reader, &field->path, &poses, scene, &items, &out->count)) return false;
  out->items = items;
  return !velocities || api_override_velocities(reader, &poses, scene, velocities);
}

bool api_read_what_if(api_reader *reader, const api_field *field, const api_asking *asking, api_question *out) {
  api_variant base = {0}, own = {0};
  ct_override *items = NULL;
  if (asking && asking->base && !api_override_poses(reader, asking->base_at, asking->base, out->scene, &items, &base.count))
    return false;
  base.items = items;
  bool moves = api_kind_is_motion(out->kind) || api_kind_is_force(out->kind) || out->put_velocity;
  if (base.count > 0 && moves && !api_override_velocities(reader, asking->base, out->scene, &out->velocities[1])) return false;
  if (api_field_present(field) && !read_variant(reader, field, out->scene, &own, moves ? &out->velocities[0] : NULL)) return false;
  if (base.count > 0 && own.count > 0) return merge_overrides(reader, base, own, out);
  out->options.overrides = own.count > 0 ? own.items : base.items;
  out->options.override_count = own.count > 0 ? own.count : base.count;
  return true;
}

bool api_merge_velocities(api_reader *reader, const api_question *question, ct_row_velocity **out, size_t *count) {
  const api_velocities *own = &question->velocities[0], *base = &question->velocities[1];
  ct_row_velocity *merged = api_arena_array(reader->arena, own->count + base->count, sizeof *merged);
  if (!merged) {
    api_fault_memory(reader->faults);
    return false;
  }
  size_t o = 0, b = 0;
  *count = 0;
  while (o < own->count || b < base->count) {
    bool from_base = o == own->count || (b < base->count && base->items[b].row < own->items[o].row);
    if (!from_base && b < base->count && base->items[b].row == own->items[o].row) b++;
    const api_velocity_at *item = from_base ? &base->items[b++] : &own->items[o++];
    merged[(*count)++] = (ct_row_velocity){item->row, item->velocity};
  }
  *out = merged;
  return true;
}

bool api_read_variants(api_reader *reader, const api_field *field, api_question *out) {
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, reader->limits->variants, &out->variant_count)) return false;
  out->mode = API_MODE_VARIANTS;
  out->variants = api_arena_array(reader->arena, out->variant_count, sizeof *out->variants);
  if (!out->variants) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (size_t i = 0; i < out->variant_count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % 256 == 0 && api_reader_cancelled(reader)) return false;
    read_variant(reader, &element, out->scene, &out->variants[i], out->put_velocity ? &out->variants[i].velocities : NULL);
  }
  return !api_faults_any(reader->faults);
}
