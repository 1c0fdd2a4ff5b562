/* Reads the selection, the pairs, the hypothetical scene and the hypothetical poses of a query. */
#include "queries/query_members.h"

#include <assert.h>

#include "common/warning.h"
#include "queries/body_selection.h"

/* ---- selections ----------------------------------------------------------------------------- */

bool api_read_body_masks(api_reader *reader, const api_field *field, const ct_scene *scene,
                         ct_query_options *options, api_query *query) {
  if (!api_field_present(field)) return true;
  api_field sides[] = {{.name = "a"}, {.name = "b"}};
  if (!api_read_object(reader, field, sides, 2)) return false;
  bool good = api_read_selection(reader, &sides[0], scene, &query->warnings, &options->where_a);
  return api_read_selection(reader, &sides[1], scene, &query->warnings, &options->where_b) && good;
}

/* Adds the faults of the pair's two bodies, as the query's kind checks them. */
static void check_pair_bodies(api_reader *reader, const api_field *field, const ct_scene *scene,
                              ct_row_pair pair, const api_pair_operations *kind) {
  assert(kind->check_body);
  const uint32_t row[2] = {pair.a, pair.b};
  for (size_t i = 0; i < 2; i++) {
    api_field side = api_field_element(field, i);
    if (row[i] != CT_NO_ROW) kind->check_body(reader, &side.path, ct_scene_body(scene, row[i]));
  }
}

bool api_read_row_pairs(api_reader *reader, const api_field *field, const ct_scene *scene,
                        ct_query_options *options, const api_query *query) {
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
    pairs[i] = (ct_row_pair){api_read_row(reader, &element, 0, scene),
                             api_read_row(reader, &element, 1, scene)};
    if (pairs[i].a != CT_NO_ROW && pairs[i].a == pairs[i].b)
      api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &element.path,
                   "A pair must name two different bodies.");
    if (query->kind->pair && query->kind->pair->check_body)
      check_pair_bodies(reader, &element, scene, pairs[i], query->kind->pair);
  }
  options->pairs = pairs;
  options->pair_count = count;
  options->explicit_pairs = true;
  return !api_faults_any(reader->faults);
}

/* ---- hypothetical scenes -------------------------------------------------------------------- */

/* Adds the scene's rows to *rows, the total of the batch, and checks the limit. */
static bool count_hypothetical_rows(api_reader *reader, const api_pointer *question,
                                    const ct_scene *scene, uint64_t *rows) {
  *rows += ct_scene_rows(scene);
  if (*rows <= API_HYPOTHETICAL_ROWS_MAX) return true;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, question,
                               "The hypothetical scenes of the queries of a batch have more than "
                               "%d bodies: put add and filters beside queries, for all of them.",
                               API_HYPOTHETICAL_ROWS_MAX),
                  API_HYPOTHETICAL_ROWS_MAX, (double)*rows);
  return false;
}

bool api_apply_query_hypotheses(api_reader *reader, const api_hypothesis_fields *fields,
                                const api_query_context *context, api_query *out) {
  api_hypotheses s = context->supposed ? *context->supposed : (api_hypotheses){{NULL}, {NULL}};
  bool of_batch = api_has_hypotheses(&s),
       own = api_field_present(fields->add) || api_field_present(fields->filters);
  size_t warned = reader->warnings ? reader->warnings->count : 0;
  s.add[1] = fields->add;
  s.filters[1] = fields->filters;
  if (!own && !of_batch) return true;
  /* The batch's hypothetical scene is made from the current revision, but the query's cursor may
   * require an older one. */
  bool shared = !own && out->revision == context->scene;
  assert(!shared || context->supposed_scene);
  out->scene = shared ? ct_scene_retain(context->supposed_scene)
                      : api_make_hypothetical_scene(reader, &s, out->revision);
  out->owns_scene = out->scene != NULL;
  if (shared && out->kind->uses_filters) api_copy_group_warnings(reader, 0, &out->warnings);
  if (!shared && out->kind->uses_filters) api_store_group_warnings(reader, warned, &out->warnings);
  if (!out->scene || !context->supposed_rows || !own) return out->scene != NULL;
  return count_hypothetical_rows(reader, fields->question, out->scene, context->supposed_rows);
}

/* ---- hypothetical poses --------------------------------------------------------------------- */

/* Merges the query's poses with those of the batch, both sorted by row. Those of the query take
 * precedence. */
static bool merge_overrides(api_reader *reader, api_variant base, api_variant own, api_query *out) {
  ct_override *merged = api_arena_array(reader->arena, base.count + own.count, sizeof *merged);
  if (!merged) {
    api_fault_memory(reader->faults);
    return false;
  }
  size_t b = 0, o = 0, count = 0;
  while (b < base.count || o < own.count) {
    assert(count < base.count + own.count);
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

/* Reads the query's own poses. velocities NULL: the kind does not use velocities. */
static bool read_own_poses(api_reader *reader, const api_field *field, const ct_scene *scene,
                           api_variant *out, api_velocities *velocities) {
  api_poses poses;
  ct_override *items = NULL;
  if (!api_read_poses(reader, field, &poses)) return false;
  if (!api_override_poses(reader, &field->path, &poses, scene, &items, &out->count)) return false;
  out->items = items;
  return !velocities || api_override_velocities(reader, &poses, scene, velocities);
}

bool api_read_what_if(api_reader *reader, const api_field *field, const api_query_context *context,
                      api_query *out) {
  api_variant base = {0}, own = {0};
  ct_override *items = NULL;
  if (context && context->base &&
      !api_override_poses(reader, context->base_at, context->base, out->scene, &items, &base.count))
    return false;
  base.items = items;
  bool moves = out->kind->uses_velocities || out->put_velocity;
  if (base.count > 0 && moves &&
      !api_override_velocities(reader, context->base, out->scene, &out->velocities[1]))
    return false;
  if (api_field_present(field) &&
      !read_own_poses(reader, field, out->scene, &own, moves ? &out->velocities[0] : NULL))
    return false;
  if (base.count > 0 && own.count > 0) return merge_overrides(reader, base, own, out);
  out->options.overrides = own.count > 0 ? own.items : base.items;
  out->options.override_count = own.count > 0 ? own.count : base.count;
  return true;
}

bool api_merge_velocities(api_reader *reader, const api_query *question, ct_row_velocity **out,
                          size_t *count) {
  const api_velocities *own = &question->velocities[0], *base = &question->velocities[1];
  ct_row_velocity *merged =
      api_arena_array(reader->arena, own->count + base->count, sizeof *merged);
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
  assert(*count <= own->count + base->count);
  *out = merged;
  return true;
}
