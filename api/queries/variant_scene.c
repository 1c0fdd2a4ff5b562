/* Builds the hypothetical scenes of variants, once to resolve ids and again for each run. */
#include "queries/variant_scene.h"

#include <assert.h>

#include "common/warning.h"
#include "queries/query_members.h"

/* ---- making --------------------------------------------------------------------------------- */

const ct_scene *api_variant_scene_make(const api_query *query, size_t index) {
  assert(index < query->variant_count);
  const api_variant_scene *own = query->variants[index].own;
  if (!own) return ct_scene_retain(query->scene);
  ct_draft *draft = ct_draft_begin(query->scene);
  bool good = draft != NULL;
  for (size_t i = 0; good && i < own->bodies.count; i++) {
    const api_body *body = &own->bodies.items[i];
    good = ct_draft_insert(draft, body->body, &body->pose, &body->velocity, NULL) == CT_OK;
  }
  if (good && own->has_filters) good = ct_draft_set_filters(draft, &own->filters) == CT_OK;
  const ct_scene *scene = good ? ct_draft_seal(draft) : NULL;
  if (!scene && draft) ct_draft_discard(draft);
  return scene;
}

void api_variant_scene_release(api_variant_scene *own) {
  if (own) api_body_list_free(&own->bodies);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Appends the variant's index to the details of the faults with index >= from: their pointers are
 * members of the whole query and do not name the variant. */
static void append_variant_index(api_reader *reader, size_t from, size_t index) {
  for (size_t i = from; i < reader->faults->count && i < API_FAULTS_MAX; i++) {
    api_fault *fault = &reader->faults->items[i];
    api_text_append(fault->detail, sizeof fault->detail, " The scene is that of variant %zu.",
                    index);
  }
}

/* Resolves the query's where and pairs in the variant's scene. */
static bool resolve_variant_selection(api_reader *reader, const api_variant_fields *fields,
                                      size_t index, const ct_scene *scene, bool has_pairs,
                                      api_query *out) {
  api_variant_scene *own = out->variants[index].own;
  assert(own);
  ct_query_options about = {.pairs = out->options.pairs, .pair_count = out->options.pair_count};
  size_t faults = reader->faults->count;
  bool good = api_read_body_masks(reader, fields->where, scene, &about, out);
  if (!has_pairs) good = api_read_row_pairs(reader, fields->pairs, scene, &about, out) && good;
  append_variant_index(reader, faults, index);
  own->where_a = about.where_a;
  own->where_b = about.where_b;
  own->pairs = about.pairs;
  own->pair_count = about.pair_count;
  return good;
}

/* Adds the variant's rows and resolved pairs, `more`, to the request's total and checks the
 * limit. */
static bool count_variant_rows(api_reader *reader, const api_field *field, uint64_t more,
                               uint64_t *rows) {
  *rows += more;
  if (*rows <= API_HYPOTHETICAL_ROWS_MAX) return true;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                               "The scenes of the variants up to this one have more than %d bodies "
                               "and pairs: put add and filters "
                               "beside variants, for all of them.",
                               API_HYPOTHETICAL_ROWS_MAX),
                  API_HYPOTHETICAL_ROWS_MAX, (double)*rows);
  return false;
}

/* True if all ids of `pairs` are in the query's scene. They are then resolved once for all
 * variants. */
static bool are_ids_in_scene(const api_field *pairs, const ct_scene *scene) {
  for (size_t i = 0; i < json_array_size(pairs->value); i++) {
    const json_t *pair = json_array_get(pairs->value, i);
    for (size_t k = 0; k < json_array_size(pair); k++) {
      const json_t *id = json_array_get(pair, k);
      ct_text text = {json_string_value(id), json_string_length(id)};
      if (!text.bytes || ct_scene_find(scene, text) == CT_NO_ROW) return false;
    }
  }
  return true;
}

/* State of reading the list of variants. */
typedef struct variants_read {
  const api_variant_fields *fields;
  api_query *out;
  bool has_pairs; /* all ids of `pairs` are in the query's scene */
  uint64_t rows;
} variants_read;

/* Builds the variant's scene, which is used only while the variant is read. NULL: a fault was
 * added. */
static const ct_scene *build_variant_scene(api_reader *reader, const api_field *add,
                                           const api_field *filters, const variants_read *v,
                                           size_t index) {
  api_query *out = v->out;
  api_variant_scene *own = api_arena_alloc(reader->arena, sizeof *own);
  if (!own) {
    api_fault_memory(reader->faults);
    return NULL;
  }
  out->variants[index].own = own;
  out->own_scenes++;
  size_t warned = reader->warnings ? reader->warnings->count : 0, from = warned;
  /* If no more warnings can be stored, only count them: the search for a suggestion would compare
   * all groups in vain. */
  if (out->warnings.count == API_WARNINGS_MAX && from < API_WARNINGS_KEPT) from = API_WARNINGS_KEPT;
  if (reader->warnings) reader->warnings->count = from;
  const ct_scene *scene = api_apply_variant_hypotheses(reader, add, filters, out->scene, own);
  api_store_group_warnings(reader, from, &out->warnings);
  if (reader->warnings) reader->warnings->count = warned;
  return scene;
}

static bool read_variant_poses(api_reader *reader, const api_pointer *at, const api_poses *poses,
                               const ct_scene *scene, api_query *out, api_variant *variant) {
  ct_override *items = NULL;
  if (!poses->ids) return true;
  if (!api_override_poses(reader, at, poses, scene, &items, &variant->count)) return false;
  variant->items = items;
  return !out->put_velocity || api_override_velocities(reader, poses, scene, &variant->velocities);
}

static bool read_one_variant(api_reader *reader, const api_field *field, size_t index,
                             variants_read *v) {
  api_query *out = v->out;
  api_variant *variant = &out->variants[index];
  api_poses poses;
  api_field add, filters;
  if (!api_read_variant_members(reader, field, &poses, &add, &filters)) return false;
  bool has_own = api_field_present(&add) || api_field_present(&filters);
  if (!has_own) return read_variant_poses(reader, &field->path, &poses, out->scene, out, variant);
  uint64_t looked_up = v->has_pairs ? 0 : json_array_size(v->fields->pairs->value);
  uint64_t rows = ct_scene_rows(out->scene) + json_array_size(add.value) + looked_up;
  if (!count_variant_rows(reader, field, rows, &v->rows)) return false;
  const ct_scene *scene = build_variant_scene(reader, &add, &filters, v, index);
  bool good = scene && read_variant_poses(reader, &field->path, &poses, scene, out, variant) &&
              resolve_variant_selection(reader, v->fields, index, scene, v->has_pairs, out);
  if (scene) ct_scene_release(scene);
  return good;
}

static bool read_variant_list(api_reader *reader, variants_read *v) {
  api_query *out = v->out;
  const api_field *field = v->fields->variants;
  if (!api_read_array(reader, field, 0, reader->limits->variants, &out->variant_count))
    return false;
  out->variants = api_arena_array(reader->arena, out->variant_count, sizeof *out->variants);
  if (!out->variants) {
    api_fault_memory(reader->faults);
    out->variant_count = 0;
    return false;
  }
  out->mode = API_MODE_VARIANTS;
  for (size_t i = 0; i < out->variant_count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if ((i % 256 == 0 || out->variants[i - 1].own) && api_reader_cancelled(reader)) return false;
    read_one_variant(reader, &element, i, v);
  }
  return !api_faults_any(reader->faults);
}

/* True if a variant, or the query itself, uses the query's scene, so that the ids of where and
 * pairs must exist in it. */
static bool uses_query_scene(const api_query *out) {
  return out->mode != API_MODE_VARIANTS || out->variant_count == 0 ||
         out->own_scenes < out->variant_count;
}

bool api_read_variants(api_reader *reader, const api_variant_fields *fields, api_query *out) {
  variants_read v = {
      .fields = fields, .out = out, .has_pairs = are_ids_in_scene(fields->pairs, out->scene)};
  bool good = true;
  if (api_field_present(fields->pairs)) out->options.explicit_pairs = true;
  if (v.has_pairs) good = api_read_row_pairs(reader, fields->pairs, out->scene, &out->options, out);
  if (api_field_present(fields->variants)) good = read_variant_list(reader, &v) && good;
  if (!uses_query_scene(out)) return good;
  good = api_read_body_masks(reader, fields->where, out->scene, &out->options, out) && good;
  if (!v.has_pairs)
    good = api_read_row_pairs(reader, fields->pairs, out->scene, &out->options, out) && good;
  return good;
}
