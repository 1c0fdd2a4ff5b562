/* Reads and writes scenes. Bodies, filters and materials have files of their own. */
#include "documents/scene_json.h"

#include <string.h>

#include "common/spelling.h"
#include "common/warning.h"
#include "results/volume_json.h"
#include "json/json_parser.h"

/* Greatest nesting depth when the daemon parses JSON that it has written itself. */
#define OWN_DEPTH 512

enum {
  ID,
  FILTERS,
  USER,
  EPSILON,
  TIME,
  MATTER,
  SETTINGS_COUNT = MATTER + API_MATERIALS_MEMBER_COUNT,
  BODIES = SETTINGS_COUNT,
  SCENE_COUNT
};
#define SETTINGS                                                                                   \
  {.name = "id"}, {.name = "filters"}, {.name = "user"}, {.name = "geometricEpsilon"},             \
      {.name = "time"}, API_MATERIALS_MEMBERS

static bool read_scene_settings(api_reader *reader, const api_field m[SETTINGS_COUNT],
                                api_scene_document *out) {
  bool good = api_read_id(reader, &m[ID], &out->id);
  good = api_read_filters(reader, &m[FILTERS], &out->filters) && good;
  good = api_read_epsilon(reader, &m[EPSILON], &out->geometric_epsilon) && good;
  good = api_read_number(reader, &m[TIME], -API_SCENE_TIME_MAX, API_SCENE_TIME_MAX, &out->time) &&
         good;
  good = api_read_materials(reader, m + MATTER, &out->matter) && good;
  return api_read_user_data(reader, &m[USER], &out->user) && good;
}

bool api_read_settings(api_reader *reader, const api_field *field, api_scene_document *out) {
  api_field m[SETTINGS_COUNT] = {SETTINGS};
  return api_read_object(reader, field, m, SETTINGS_COUNT) && read_scene_settings(reader, m, out);
}

bool api_read_scene(api_reader *reader, const api_field *field, api_scene_document *out) {
  api_field m[SCENE_COUNT] = {SETTINGS, {.name = "bodies"}};
  bool good = api_read_object(reader, field, m, SCENE_COUNT);
  good = read_scene_settings(reader, m, out) && good;
  if (m[BODIES].value) good = api_read_bodies(reader, &m[BODIES], &out->bodies) && good;
  return good;
}

void api_scene_document_release(api_scene_document *document) {
  api_body_list_free(&document->bodies);
  *document = (api_scene_document){0};
}

/* Writes all settings except materials and gravity to the draft. */
static bool apply_scene_settings(api_reader *reader, const api_pointer *at,
                                 const api_scene_document *document, ct_draft *draft) {
  api_pointer filters = api_pointer_member(at, "filters");
  if (!api_apply_filters(reader, &filters, &document->filters, draft)) return false;
  ct_draft_set_geometric_epsilon(draft, document->geometric_epsilon);
  ct_draft_set_time(draft, document->time);
  if (ct_draft_set_user(draft, document->user) == CT_OK) return true;
  api_fault_memory(reader->faults);
  return false;
}

bool api_add_scene_members(api_reader *reader, const api_pointer *at,
                           const api_scene_document *document, ct_draft *draft) {
  api_pointer bodies = api_pointer_member(at, "bodies");
  /* The order follows from the references: bodies refer to materials, filters to bodies. */
  if (!api_apply_materials(reader, at, &document->matter, draft)) return false;
  if (!api_add_bodies(reader, &bodies, &document->bodies, draft)) return false;
  if (!apply_scene_settings(reader, at, document, draft)) return false;
  api_pointer filters = api_pointer_member(at, "filters");
  api_warn_groups(reader, &filters, &document->filters, draft);
  return true;
}

const ct_scene *api_make_scene(api_reader *reader, const api_pointer *at,
                               const api_scene_document *document, uint64_t revision) {
  const ct_scene *empty = ct_scene_create(revision - 1), *scene = NULL;
  ct_draft *draft = empty ? ct_draft_begin(empty) : NULL;
  if (!draft) {
    api_fault_memory(reader->faults);
  } else if (ct_draft_set_origin(draft, document->origin) != CT_OK) {
    api_fault_memory(reader->faults);
  } else if (api_add_scene_members(reader, at, document, draft)) {
    ct_draft_count_contacts(draft, document->contacts_begun);
    scene = ct_draft_seal(draft);
    if (!scene) api_fault_memory(reader->faults);
  }
  if (draft && !scene) ct_draft_discard(draft);
  if (empty) ct_scene_release(empty);
  return scene;
}

/* ---- encode --------------------------------------------------------------------------------- */

static void put_settings_members(api_buffer *buffer, ct_text id, const ct_scene *scene) {
  if (id.length) api_put_member_string(buffer, "id", id);
  api_put_key(buffer, "filters");
  api_put_filters(buffer, ct_scene_filters(scene));
  double epsilon = ct_scene_geometric_epsilon(scene);
  if (epsilon > 0.0) api_put_member_number(buffer, "geometricEpsilon", epsilon);
  if (ct_scene_time(scene) != 0.0) api_put_member_number(buffer, "time", ct_scene_time(scene));
  api_put_materials(buffer, scene);
  ct_text user = ct_scene_user(scene);
  if (!user.length) return;
  api_put_key(buffer, "user");
  api_put_bytes(buffer, user.bytes, user.length);
}

void api_put_settings(api_buffer *buffer, ct_text id, const ct_scene *scene) {
  api_put_byte(buffer, '{');
  put_settings_members(buffer, id, scene);
  api_put_byte(buffer, '}');
}

void api_put_scene(api_buffer *buffer, ct_text id, const ct_scene *scene) {
  api_put_byte(buffer, '{');
  put_settings_members(buffer, id, scene);
  api_put_key(buffer, "bodies");
  api_put_byte(buffer, '[');
  for (uint32_t row = 0; row < ct_scene_rows(scene) && !buffer->failed; row++)
    if (ct_scene_body(scene, row)) api_put_row(buffer, scene, row);
  api_put_raw(buffer, "]}");
}

/* ---- merge patch ---------------------------------------------------------------------------- */

static json_t *convert_settings_to_json(api_reader *reader, ct_text id, const ct_scene *scene) {
  api_buffer text = {0};
  json_t *value = NULL;
  api_put_settings(&text, id, scene);
  if (text.failed) api_fault_memory(reader->faults);
  else
    value = api_json_parse(text.bytes, text.length,
                           &(api_json_options){.depth = OWN_DEPTH, .memory = UINT64_MAX},
                           reader->faults);
  api_buffer_free(&text);
  return value;
}

static bool check_unchanged_id(api_reader *reader, const api_field *field, ct_text given,
                               ct_text id) {
  if (!given.length || !id.length || api_text_equal(given, id)) return true;
  char echo[API_ECHO_MAX + 4];
  api_fault *fault =
      api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
                   "The id is \"%s\" and cannot change: omit the member.", api_echo(id, echo));
  api_fault_suggest(fault, id);
  return false;
}

/* Warns of each null in a patch that would remove a member which the object `own` of the settings
 * does not have. */
static void warn_absent_members(api_reader *reader, const api_field *patch, const json_t *own,
                                const char *type, const char *what) {
  const char *name, *other;
  json_t *value, *unused;
  if (!json_is_object(patch->value)) return;
  json_object_foreach(patch->value, name, value) {
    if (!json_is_null(value) || json_object_get(own, name)) continue;
    api_spelling like = api_spelling_start(name, strlen(name));
    json_object_foreach((json_t *)own, other, unused) {
      if (!api_spelling_consider(&like, other, strlen(other))) break;
    }
    char echo[API_ECHO_MAX + 4], end[API_SPELLING_END];
    const api_pointer at = api_pointer_member_text(&patch->path, api_text(name));
    api_warn(reader->warnings, type, &at, 0, "There is no %s \"%s\" to remove%s", what,
             api_echo(api_text(name), echo), api_spelling_end(&like, end));
  }
}

static void warn_absent_settings(api_reader *reader, const api_field *patch, const json_t *own) {
  const api_pointer filters = api_pointer_member(&patch->path, "filters");
  const api_field groups =
      api_field_at(json_object_get(json_object_get(patch->value, "filters"), "groups"),
                   api_pointer_member(&filters, "groups"));
  const api_field materials = api_field_at(json_object_get(patch->value, "materials"),
                                           api_pointer_member(&patch->path, "materials"));
  warn_absent_members(reader, &groups, json_object_get(json_object_get(own, "filters"), "groups"),
                      "unknownGroup", "group");
  warn_absent_members(reader, &materials, json_object_get(own, "materials"), "unknownMaterial",
                      "material");
}

bool api_patch_settings(api_reader *reader, const api_field *patch, ct_text id,
                        const ct_scene *scene, ct_draft *draft) {
  /* Check the names of members in the patch itself: a member that is null in the patch is absent
   * from the merged document, so that its name could not be checked there. */
  api_field named[SETTINGS_COUNT] = {SETTINGS};
  if (!api_read_object(reader, patch, named, SETTINGS_COUNT)) return false;
  json_t *merged = convert_settings_to_json(reader, id, scene);
  if (!merged) return false;
  warn_absent_settings(reader, patch, merged);
  bool good = api_json_merge(&merged, patch->value);
  if (!good) api_fault_memory(reader->faults);
  api_field m[SETTINGS_COUNT] = {SETTINGS};
  api_field field = api_field_at(merged, patch->path);
  api_scene_document document = {0};
  good = good && api_read_object(reader, &field, m, SETTINGS_COUNT);
  good = good && read_scene_settings(reader, m, &document) &&
         check_unchanged_id(reader, &m[ID], document.id, id);
  good = good && api_apply_materials(reader, &patch->path, &document.matter, draft);
  good = good && apply_scene_settings(reader, &patch->path, &document, draft);
  api_pointer filters = api_pointer_member(&patch->path, "filters");
  if (good && named[FILTERS].value) api_warn_groups(reader, &filters, &document.filters, draft);
  json_decref(merged);
  return good;
}
