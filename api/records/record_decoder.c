/* The ground of decoding. */
#include "records/record_decoder.h"

#include <stdlib.h>

#include "json/json_parser.h"

/* Levels of JSON that the daemon itself has written. */
#define OWN_DEPTH 512

static void open_reader(api_restoring *r, const api_shape_table *shapes) {
#define WIDEST(member, name, standard, least, greatest, unit, text) r->limits.member = greatest;
  API_LIMIT_MAP(WIDEST)
#undef WIDEST
  api_arena_init(&r->arena, 0);
  api_shape_scope_set(&r->scope, shapes);
  r->reader = (api_reader){.faults = &r->faults, .limits = &r->limits, .arena = &r->arena, .shapes = &r->scope};
}

static api_restored tell(api_restored what, const char *words, char why[API_RESTORE_WHY]) {
  snprintf(why, API_RESTORE_WHY, "%s", words);
  return what;
}

api_restored api_restore_begin(const char *bytes, size_t length, const api_shape_table *shapes, api_restoring **out,
                               char why[API_RESTORE_WHY]) {
  api_record_kind kind;
  api_record_cursor in;
  switch (api_record_read(bytes, length, &kind, &in)) {
  case API_RECORD_GOOD: break;
  case API_RECORD_NEWER: return tell(API_RESTORE_NEWER, "The record is of a newer format.", why);
  default: return tell(API_RESTORE_DAMAGED, "The record is damaged: its digest is not that of its bytes.", why);
  }
  api_restoring *r = calloc(1, sizeof *r);
  if (!r) return tell(API_RESTORE_MEMORY, "There is not enough memory.", why);
  open_reader(r, shapes);
  r->kind = kind;
  r->in = in;
  *out = r;
  why[0] = 0;
  return API_RESTORED;
}

bool api_restore_refuse(api_restoring *r, const char *why) {
  if (!r->why) r->why = why;
  return false;
}

bool api_restore_memory(api_restoring *r) {
  r->memory = true;
  return false;
}

bool api_restore_status(api_restoring *r, ct_status status, const char *why) {
  if (status == CT_OK) return true;
  return status == CT_OUT_OF_MEMORY ? api_restore_memory(r) : api_restore_refuse(r, why);
}

bool api_restore_whole(api_restoring *r) {
  return !r->in.failed || api_restore_refuse(r, "It ends too early, or holds numbers that it cannot");
}

json_t *api_restore_json(api_restoring *r, const char *bytes, size_t length) {
  const api_json_options options = {.depth = OWN_DEPTH, .memory = UINT64_MAX};
  json_t *value = api_json_parse(bytes, length, &options, &r->faults);
  if (!value) api_restore_refuse(r, "A text in it is no JSON");
  return value;
}

bool api_restore_user(api_restoring *r, ct_text text) {
  json_t *value = api_restore_json(r, text.bytes, text.length);
  if (!value) return false;
  api_buffer again = {0};
  api_put_json(&again, value);
  bool same = !json_is_null(value) && api_text_equal((ct_text){again.bytes, again.length}, text);
  if (again.failed) api_restore_memory(r);
  else if (!same) api_restore_refuse(r, "User data is not as it is written");
  bool good = same && !again.failed;
  api_buffer_free(&again);
  json_decref(value);
  return good;
}

bool api_restore_id(api_restoring *r, ct_text *out) {
  *out = api_record_get_text(&r->in, CT_ID_LENGTH_MAX);
  return api_restore_whole(r) && (api_id_valid(*out) || api_restore_refuse(r, "It names something by what is no id"));
}

/* Two sentences in one: what is wrong, and the detail of it. */
static api_restored judge(const api_restoring *r, char why[API_RESTORE_WHY]) {
  bool faults = api_faults_any(&r->faults);
  if (r->memory || (faults && r->faults.id == API_PROBLEM_OUT_OF_MEMORY))
    return tell(API_RESTORE_MEMORY, "There is not enough memory.", why);
  const char *what = r->why ? r->why : "What it tells cannot be made";
  snprintf(why, API_RESTORE_WHY, "%.60s%s%.90s", what, faults ? ": " : ".", faults ? r->faults.items[0].detail : "");
  return API_RESTORE_DAMAGED;
}

api_restored api_restore_end(api_restoring *r, bool good, char why[API_RESTORE_WHY]) {
  api_restored end = good ? API_RESTORED : judge(r, why);
  api_shape_scope_free(&r->scope);
  api_arena_free(&r->arena);
  free(r);
  return end;
}
