/* Common parts of decoding: opening a record, errors, texts and ids. */
#include "records/record_decoder.h"

#include <assert.h>
#include <stdlib.h>

#include "json/json_parser.h"

/* Greatest nesting of JSON in records, which the daemon itself has written. */
#define OWN_DEPTH 512

static void open_decoder_reader(api_record_decoder *r, const api_shape_table *shapes) {
#define WIDEST(member, name, standard, least, greatest, unit, text) r->limits.member = greatest;
  API_LIMIT_MAP(WIDEST)
#undef WIDEST
  api_arena_init(&r->arena, 0);
  api_shape_scope_set(&r->scope, shapes);
  r->reader = (api_reader){
      .faults = &r->faults, .limits = &r->limits, .arena = &r->arena, .shapes = &r->scope};
}

static api_restored report_restore_fault(api_restored what, const char *words,
                                         char why[API_RESTORE_WHY]) {
  snprintf(why, API_RESTORE_WHY, "%s", words);
  return what;
}

api_restored api_decoder_begin(const char *bytes, size_t length, const api_shape_table *shapes,
                               api_record_decoder **out, char why[API_RESTORE_WHY]) {
  api_record_kind kind;
  api_record_cursor in;
  switch (api_record_read(bytes, length, &kind, &in)) {
  case API_RECORD_GOOD: break;
  case API_RECORD_NEWER:
    return report_restore_fault(API_RESTORE_NEWER, "The record has a newer format.", why);
  default:
    return report_restore_fault(API_RESTORE_DAMAGED,
                                "The record is damaged: its digest does not match.", why);
  }
  api_record_decoder *r = calloc(1, sizeof *r);
  if (!r) return report_restore_fault(API_RESTORE_MEMORY, "Out of memory.", why);
  open_decoder_reader(r, shapes);
  r->kind = kind;
  r->in = in;
  *out = r;
  why[0] = 0;
  return API_RESTORED;
}

bool api_decoder_reject(api_record_decoder *r, const char *why) {
  assert(why);
  if (!r->why) r->why = why;
  return false;
}

bool api_decoder_out_of_memory(api_record_decoder *r) {
  r->memory = true;
  return false;
}

bool api_decoder_check_status(api_record_decoder *r, ct_status status, const char *why) {
  if (status == CT_OK) return true;
  return status == CT_OUT_OF_MEMORY ? api_decoder_out_of_memory(r) : api_decoder_reject(r, why);
}

bool api_decoder_is_valid(api_record_decoder *r) {
  return !r->in.failed || api_decoder_reject(r, "The record is truncated or has an invalid number");
}

json_t *api_decoder_read_json(api_record_decoder *r, const char *bytes, size_t length) {
  const api_json_options options = {.depth = OWN_DEPTH, .memory = UINT64_MAX};
  json_t *value = api_json_parse(bytes, length, &options, &r->faults);
  if (!value) api_decoder_reject(r, "A text of the record is not JSON");
  return value;
}

bool api_decoder_read_user(api_record_decoder *r, ct_text text) {
  json_t *value = api_decoder_read_json(r, text.bytes, text.length);
  if (!value) return false;
  api_buffer again = {0};
  api_put_json(&again, value);
  bool same = !json_is_null(value) && api_text_equal((ct_text){again.bytes, again.length}, text);
  if (again.failed) api_decoder_out_of_memory(r);
  else if (!same) api_decoder_reject(r, "User data is not in canonical form");
  bool good = same && !again.failed;
  api_buffer_free(&again);
  json_decref(value);
  return good;
}

bool api_decoder_read_id(api_record_decoder *r, ct_text *out) {
  *out = api_record_get_text(&r->in, CT_ID_LENGTH_MAX);
  return api_decoder_is_valid(r) &&
         (api_id_valid(*out) || api_decoder_reject(r, "The record has an invalid id"));
}

/* Writes into `why` the sentence of the rejection, followed by the detail of the first fault.
 * Returns the outcome. */
static api_restored compose_outcome(const api_record_decoder *r, char why[API_RESTORE_WHY]) {
  bool faults = api_faults_any(&r->faults);
  if (r->memory || (faults && r->faults.id == API_PROBLEM_OUT_OF_MEMORY))
    return report_restore_fault(API_RESTORE_MEMORY, "Out of memory.", why);
  const char *what = r->why ? r->why : "The content of the record is invalid";
  snprintf(why, API_RESTORE_WHY, "%.60s%s%.90s", what, faults ? ": " : ".",
           faults ? r->faults.items[0].detail : "");
  return API_RESTORE_DAMAGED;
}

api_restored api_decoder_end(api_record_decoder *r, bool good, char why[API_RESTORE_WHY]) {
  api_restored end = good ? API_RESTORED : compose_outcome(r, why);
  api_shape_scope_free(&r->scope);
  api_arena_free(&r->arena);
  free(r);
  return end;
}
