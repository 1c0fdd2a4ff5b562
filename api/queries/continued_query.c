#include "queries/continued_query.h"

#include <string.h>

#include "common/cursor.h"
#include "json/json_parser.h"

/* Members of a page; cursors do not depend on them. */
static const char *const page_members[] = {"cursor", "limit", "deadlineMs"};
#define PAGE_MEMBERS (sizeof page_members / sizeof page_members[0])

bool api_is_cursor_alone(const json_t *object) {
  if (!json_is_string(json_object_get(object, page_members[0]))) return false;
  size_t known = 0;
  for (size_t i = 0; i < PAGE_MEMBERS; i++)
    known += json_object_get(object, page_members[i]) != NULL;
  return known == json_object_size(object);
}

static const api_kept_query *find_stored_query(const api_input *input, const char *text,
                                               size_t length, api_cursor *cursor) {
  for (size_t i = 0; i < input->kept_query_count; i++)
    if (api_cursor_read(text, length, input->kept_queries[i].hash, cursor))
      return &input->kept_queries[i];
  return NULL;
}

bool api_continue_query(api_call *call, api_field *root) {
  const json_t *text = json_object_get(root->value, page_members[0]);
  if (!text || !api_is_cursor_alone(root->value)) return true;
  api_cursor cursor;
  const api_kept_query *query =
      find_stored_query(&call->input, json_string_value(text), json_string_length(text), &cursor);
  if (!query) return true;
  const api_limits *limits = &call->service->limits;
  const api_json_options options = {.depth = limits->json_depth,
                                    .memory = limits->request_memory_bytes,
                                    .cancel = call->input.cancel};
  json_t *kept = api_json_parse(query->bytes, query->length, &options, &call->faults);
  if (!kept) return false;
  /* Without a limit in the request, the page has the limit of the page before. */
  bool good = json_object_set_new(kept, "limit", json_integer((json_int_t)cursor.limit)) == 0;
  for (size_t i = 0; i < PAGE_MEMBERS; i++) {
    json_t *value = json_object_get(call->json, page_members[i]);
    if (value) good = json_object_set(kept, page_members[i], value) == 0 && good;
  }
  json_decref(call->json);
  call->json = kept;
  call->continued = query;
  *root = api_field_root(kept);
  if (!good) api_fault_memory(&call->faults);
  return good;
}
