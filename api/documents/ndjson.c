/* Splits NDJSON into lines and passes each value to a sink: bodies are read at once, merge patches
 * are stored as text until the scene is known. */
#include "documents/ndjson.h"

#include "documents/body_patch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void api_ndjson_init(api_ndjson *ndjson, const api_reader *reader, api_ndjson_sink sink,
                     void *context) {
  assert(reader->faults && reader->arena && sink);
  *ndjson = (api_ndjson){.reader = *reader, .sink = sink, .context = context};
}

void api_ndjson_free(api_ndjson *ndjson) { api_buffer_free(&ndjson->line); }

static bool is_blank_line(ct_text line) {
  for (size_t i = 0; i < line.length; i++)
    if (line.bytes[i] != ' ' && line.bytes[i] != '\t' && line.bytes[i] != '\r') return false;
  return true;
}

/* Appends the line's number to the details of all faults with index >= first. */
static void append_line_number(api_faults *faults, size_t first, size_t number) {
  for (size_t i = first; i < faults->count && i < API_FAULTS_MAX; i++) {
    api_fault *fault = &faults->items[i];
    size_t length = strlen(fault->detail);
    char text[32];
    int n = snprintf(text, sizeof text, " (line %zu)", number);
    assert(n > 0 && (size_t)n < sizeof text);
    if (fault->has_pointer && length + (size_t)n < sizeof fault->detail)
      memcpy(fault->detail + length, text, (size_t)n + 1);
  }
}

static bool exceeds_line_limit(api_ndjson *ndjson, size_t length) {
  uint64_t limit = ndjson->reader.limits->line_bytes;
  if (length <= limit) return false;
  api_pointer at = api_pointer_index(NULL, ndjson->records);
  api_fault *fault =
      api_fault_at(ndjson->reader.faults, API_PROBLEM_BODY_TOO_LARGE, &at,
                   "Line %zu has more than %llu bytes, the limit (lineBytes): shorten the line.",
                   ndjson->lines + 1, (unsigned long long)limit);
  api_fault_limit(fault, (double)limit, (double)length);
  return true;
}

/* Parses a line and passes its value to the sink. */
static bool process_record(const api_reader *reader, api_ndjson_sink sink, void *context,
                           const api_ndjson_record *line) {
  api_ndjson_record record = *line;
  api_json_options options = {.depth = reader->limits->json_depth,
                              .memory = reader->limits->request_memory_bytes,
                              .cancel = reader->cancel,
                              .at = &record.field.path,
                              .line = record.number};
  record.field.value =
      api_json_parse(record.text.bytes, record.text.length, &options, reader->faults);
  if (!record.field.value) return false;
  api_arena_mark mark = api_arena_position(reader->arena);
  api_reader own = *reader;
  size_t first = reader->faults->count;
  bool good = sink(context, &own, &record);
  if (!good) append_line_number(reader->faults, first, record.number);
  api_arena_rewind(reader->arena, mark);
  json_decref(record.field.value);
  return good;
}

static bool process_line(api_ndjson *ndjson, ct_text text) {
  if (exceeds_line_limit(ndjson, text.length)) return false;
  size_t number = ++ndjson->lines;
  if (is_blank_line(text)) return true;
  api_ndjson_record record = {.field = api_field_at(NULL, api_pointer_index(NULL, ndjson->records)),
                              .text = text,
                              .number = number};
  if (!process_record(&ndjson->reader, ndjson->sink, ndjson->context, &record)) return false;
  ndjson->records++;
  return true;
}

/* Appends bytes to the stored beginning of an incomplete line. False: the line is longer than
 * lineBytes, or out of memory. */
static bool store_incomplete_line(api_ndjson *ndjson, const char *bytes, size_t length) {
  if (exceeds_line_limit(ndjson, ndjson->line.length + length)) return false;
  api_put_bytes(&ndjson->line, bytes, length);
  if (!ndjson->line.failed) return true;
  api_fault_memory(ndjson->reader.faults);
  return false;
}

static bool process_piece(api_ndjson *ndjson, const char *bytes, size_t length) {
  while (length) {
    const char *end = memchr(bytes, '\n', length);
    size_t piece = end ? (size_t)(end - bytes) : length;
    if (api_reader_cancelled(&ndjson->reader)) return false;
    /* A line that is complete within this piece is read in place, without a copy. */
    bool whole = end && ndjson->line.length == 0;
    if (!whole && !store_incomplete_line(ndjson, bytes, piece)) return false;
    if (!end) return true;
    ct_text line =
        whole ? (ct_text){bytes, piece} : (ct_text){ndjson->line.bytes, ndjson->line.length};
    if (!process_line(ndjson, line)) return false;
    ndjson->line.length = 0;
    bytes += piece + 1;
    length -= piece + 1;
  }
  return true;
}

bool api_ndjson_feed(api_ndjson *ndjson, const char *bytes, size_t length) {
  assert(bytes || length == 0);
  if (!ndjson->stopped) ndjson->stopped = !process_piece(ndjson, bytes, length);
  return !ndjson->stopped;
}

/* Refuses a body without values: the client probably failed to send the file. */
static bool refuse_empty_body(api_ndjson *ndjson) {
  api_fault_plain(ndjson->reader.faults, API_PROBLEM_MALFORMED_JSON,
                  "The body of the request is empty: send one JSON value per line.");
  return false;
}

bool api_ndjson_end(api_ndjson *ndjson) {
  if (!ndjson->stopped && ndjson->line.length > 0) {
    ndjson->stopped = !process_line(ndjson, (ct_text){ndjson->line.bytes, ndjson->line.length});
    api_buffer_free(&ndjson->line);
  }
  if (!ndjson->stopped && ndjson->records == 0) ndjson->stopped = !refuse_empty_body(ndjson);
  return !ndjson->stopped;
}

/* ---- sinks ---------------------------------------------------------------------------------- */

/* Checks that one more record exceeds neither the number of bodies nor the memory of a request. */
static bool check_record_limits(api_reader *reader, const api_pointer *at, size_t count,
                                size_t bytes) {
  const api_limits *limits = reader->limits;
  if (count >= limits->bodies) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, at,
                                 "At most %llu bodies are allowed, the limit (bodies): send fewer.",
                                 (unsigned long long)limits->bodies),
                    (double)limits->bodies, (double)count + 1.0);
    return false;
  }
  if (bytes <= limits->request_memory_bytes) return true;
  api_fault_limit(
      api_fault_at(
          reader->faults, API_PROBLEM_BODY_TOO_LARGE, at,
          "The request needs more memory than requestMemoryBytes: split it into several requests."),
      (double)limits->request_memory_bytes, (double)bytes);
  return false;
}

bool api_ndjson_body(void *context, api_reader *reader, const api_ndjson_record *record) {
  api_body_list *list = context;
  api_body body = {0};
  if (!check_record_limits(reader, &record->field.path, list->count, list->bytes)) return false;
  if (!api_read_body(reader, &record->field, NULL, &body)) return false;
  if (api_body_list_add(list, &body)) return true;
  api_body_release(&body);
  api_fault_memory(reader->faults);
  return false;
}

bool api_ndjson_patch(void *context, api_reader *reader, const api_ndjson_record *record) {
  api_patch_lines *patches = context;
  if (!check_record_limits(reader, &record->field.path, patches->count,
                           patches->text.length + record->text.length))
    return false;
  /* Check the form and the id of the patch now; its effect on the body is checked when the scene is
   * known. */
  api_pointer path = api_pointer_member(&record->field.path, "id");
  api_field id_field = api_field_at(json_object_get(record->field.value, "id"), path);
  ct_text id;
  if (!id_field.value) {
    if (json_is_object(record->field.value)) api_fault_missing(reader, &record->field, "id");
    else
      api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &record->field.path,
                   "A patch must be an object with the id of its body.");
    return false;
  }
  if (!api_read_id(reader, &id_field, &id)) return false;
  api_put_unsigned(&patches->text, record->number);
  api_put_byte(&patches->text, ' ');
  api_put_bytes(&patches->text, record->text.bytes, record->text.length);
  api_put_byte(&patches->text, '\n');
  if (patches->text.failed) {
    api_fault_memory(reader->faults);
    return false;
  }
  patches->count++;
  return true;
}

static bool apply_patch_record(void *context, api_reader *reader, const api_ndjson_record *record) {
  return api_patch_body(reader, &record->field, context);
}

bool api_apply_patch_lines(api_reader *reader, const api_patch_lines *patches, ct_draft *draft) {
  const char *at = patches->text.bytes;
  for (size_t i = 0; i < patches->count; i++) {
    const char *end = memchr(at, '\n', (size_t)(patches->text.bytes + patches->text.length - at));
    assert(end);
    size_t number = 0;
    while (*at != ' ') number = 10 * number + (size_t)(*at++ - '0');
    at++;
    api_ndjson_record record = {.field = api_field_at(NULL, api_pointer_index(NULL, i)),
                                .text = {at, (size_t)(end - at)},
                                .number = number};
    if (api_reader_cancelled(reader)) return false;
    if (!process_record(reader, apply_patch_record, draft, &record)) return false;
    at = end + 1;
  }
  return true;
}

void api_patch_lines_free(api_patch_lines *patches) {
  api_buffer_free(&patches->text);
  *patches = (api_patch_lines){0};
}
