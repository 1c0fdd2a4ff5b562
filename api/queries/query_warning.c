#include "queries/query_warning.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/spelling.h"
#include "common/warning.h"

/* Buffer size for a warning: a pointer, two ids and a sentence. */
#define DETAIL_BYTES 640

void api_warn_query(api_reader *reader, api_query_warnings *out, const char *detail, ...) {
  char text[DETAIL_BYTES];
  va_list arguments;
  va_start(arguments, detail);
  vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  for (size_t i = 0; i < out->count; i++)
    if (strcmp(out->items[i], text) == 0) return;
  assert(out->count <= API_WARNINGS_MAX);
  if (out->count == API_WARNINGS_MAX) {
    out->omitted++;
    return;
  }
  const char *copy = api_arena_copy(reader->arena, text, strlen(text));
  if (copy) out->items[out->count++] = copy;
  else api_fault_memory(reader->faults);
}

static bool scene_has_group(const ct_scene *scene, ct_text group) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    for (size_t g = 0; body && g < ct_body_group_count(body); g++)
      if (api_text_equal(ct_body_group(body, g), group)) return true;
  }
  return false;
}

bool api_warn_empty_groups(api_reader *reader, const api_field *field, const ct_text *groups,
                           size_t count, const ct_scene *scene, api_query_warnings *out) {
  char at[API_WARNED_POINTER_BYTES], echo[API_ECHO_MAX + 4], end[API_SPELLING_END];
  for (size_t i = 0; i < count; i++) {
    if (api_reader_cancelled(reader)) return false;
    if (scene_has_group(scene, groups[i])) continue;
    /* A warning that is only counted needs no suggestion. */
    api_spelling like = {.best = {0}};
    if (out->count < API_WARNINGS_MAX) like = api_spelling_of_scene_groups(scene, groups[i]);
    api_field element = api_field_element(field, i);
    api_pointer_write(&element.path, at, sizeof at);
    api_warn_query(reader, out, "%s: no body is in the group \"%s\"%s", at,
                   api_echo(groups[i], echo), api_spelling_end(&like, end));
  }
  return true;
}

void api_warn_empty_prefix(api_reader *reader, const api_field *field, ct_text prefix,
                           const ct_scene *scene, api_query_warnings *out) {
  char at[API_WARNED_POINTER_BYTES], echo[API_ECHO_MAX + 4], end[API_SPELLING_END];
  api_spelling like = api_spelling_of_prefixes(scene, prefix);
  api_pointer_write(&field->path, at, sizeof at);
  api_warn_query(reader, out, "%s: no body's id begins with \"%s\"%s", at, api_echo(prefix, echo),
                 api_spelling_end(&like, end));
}

void api_copy_group_warnings(api_reader *reader, size_t from, api_query_warnings *out) {
  if (!reader->warnings) return;
  for (size_t i = from; i < reader->warnings->count && i < API_WARNINGS_KEPT; i++) {
    const api_warning *w = &reader->warnings->items[i];
    if (strcmp(w->type, "unknownGroup") == 0)
      api_warn_query(reader, out, "%s: %s", w->pointer, w->detail);
  }
  size_t kept = from > API_WARNINGS_KEPT ? from : API_WARNINGS_KEPT;
  if (reader->warnings->count > kept) out->omitted += reader->warnings->count - kept;
}

void api_store_group_warnings(api_reader *reader, size_t from, api_query_warnings *out) {
  api_copy_group_warnings(reader, from, out);
  if (reader->warnings) reader->warnings->count = from;
}
