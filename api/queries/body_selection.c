/* Reads selections of bodies by ids, groups or prefix into a mask of rows. */
#include "queries/body_selection.h"

#include "common/spelling.h"

#include <assert.h>
#include <string.h>

/* Number of bodies tested between two polls of the cancel flag; each body is compared with up to
 * CT_GROUPS_MAX groups. */
#define ROWS_PER_POLL 1024u

uint32_t api_read_body_row(api_reader *reader, const api_field *field, const ct_scene *scene) {
  ct_text id;
  char echo[API_ECHO_MAX + 4];
  if (!api_read_id(reader, field, &id)) return CT_NO_ROW;
  uint32_t row = ct_scene_find(scene, id);
  if (row == CT_NO_ROW)
    api_fault_did_you_mean(api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &field->path,
                                        "The scene has no body \"%s\".", api_echo(id, echo)),
                           api_spelling_of_bodies(scene, id));
  return row;
}

uint32_t api_read_row(api_reader *reader, const api_field *array, size_t i, const ct_scene *scene) {
  api_field element = api_field_element(array, i);
  return api_read_body_row(reader, &element, scene);
}

uint32_t *api_read_rows(api_reader *reader, const api_field *field, const ct_scene *scene,
                        size_t *count) {
  if (!api_read_array(reader, field, 0, CT_BODIES_MAX, count)) return NULL;
  uint32_t *rows = api_arena_array(reader->arena, *count, sizeof *rows);
  if (!rows) api_fault_memory(reader->faults);
  bool good = rows != NULL;
  for (size_t i = 0; rows && i < *count && !api_faults_full(reader->faults); i++) {
    rows[i] = api_read_row(reader, field, i, scene);
    good = good && rows[i] != CT_NO_ROW;
  }
  return good ? rows : NULL;
}

static bool has_any_group(const ct_body *body, const ct_text *groups, size_t count) {
  for (size_t g = 0; g < ct_body_group_count(body); g++)
    for (size_t i = 0; i < count; i++)
      if (api_text_equal(ct_body_group(body, g), groups[i])) return true;
  return false;
}

static bool select_groups(api_reader *reader, const api_field *field, const ct_scene *scene,
                          uint8_t *mask, api_query_warnings *warnings) {
  size_t count;
  if (!api_read_array(reader, field, 0, CT_GROUPS_MAX, &count)) return false;
  ct_text *groups = api_arena_array(reader->arena, count, sizeof *groups);
  if (!groups) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    api_field element = api_field_element(field, i);
    good = api_read_id(reader, &element, &groups[i]) && good;
  }
  for (uint32_t row = 0; good && row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    if (row % ROWS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    mask[row] = body && has_any_group(body, groups, count);
  }
  return good && api_warn_empty_groups(reader, field, groups, count, scene, warnings);
}

static bool select_prefix(api_reader *reader, const api_field *field, const ct_scene *scene,
                          uint8_t *mask, api_query_warnings *warnings) {
  ct_text prefix;
  bool any = false;
  if (!api_read_text(reader, field, CT_ID_LENGTH_MAX, &prefix)) return false;
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    ct_text id = body ? ct_body_id(body) : (ct_text){0};
    mask[row] =
        body && id.length >= prefix.length && memcmp(id.bytes, prefix.bytes, prefix.length) == 0;
    any = any || mask[row];
  }
  if (!any && prefix.length > 0) api_warn_empty_prefix(reader, field, prefix, scene, warnings);
  return true;
}

static bool select_by_member(api_reader *reader, const api_field *field, const ct_scene *scene,
                             uint8_t *mask, api_query_warnings *warnings) {
  api_field by[] = {{.name = "ids"}, {.name = "groups"}, {.name = "prefix"}};
  if (!api_read_object(reader, field, by, 3)) return false;
  size_t which = api_read_one_of(reader, field, by, 3, true, API_PROBLEM_MISSING_MEMBER);
  if (which == 3) return false;
  if (which == 1) return select_groups(reader, &by[1], scene, mask, warnings);
  if (which == 2) return select_prefix(reader, &by[2], scene, mask, warnings);
  size_t count;
  uint32_t *named = api_read_rows(reader, &by[0], scene, &count);
  for (size_t i = 0; named && i < count; i++) mask[named[i]] = 1;
  return named != NULL;
}

bool api_read_selection(api_reader *reader, const api_field *field, const ct_scene *scene,
                        api_query_warnings *warnings, const uint8_t **out) {
  uint32_t rows = ct_scene_rows(scene);
  uint8_t *mask = api_arena_array(reader->arena, rows + 1u, 1);
  if (!mask) {
    api_fault_memory(reader->faults);
    return false;
  }
  *out = mask;
  if (!api_field_present(field)) {
    memset(mask, 1, rows);
    return true;
  }
  size_t warned = warnings->count + warnings->omitted;
  if (!select_by_member(reader, field, scene, mask, warnings)) return false;
  bool has_reason = warnings->count + warnings->omitted > warned;
  if (!has_reason && !memchr(mask, 1, rows)) {
    char at[API_WARNED_POINTER_BYTES];
    api_pointer_write(&field->path, at, sizeof at);
    api_warn_query(reader, warnings, "%s selects no body.", at);
  }
  return true;
}
