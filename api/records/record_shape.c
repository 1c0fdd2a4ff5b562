/* Records of posted shapes: the posted bytes and the reading options. Decoding repeats the POST and
 * yields the same shape and id. The report is stored too, since its statement on self-intersections
 * may depend on the time that was available. */
#include <api/record.h>

#include <stdlib.h>

#include "calls/call.h"
#include "records/record_decoder.h"

/* Content types, indexed by api_form. */
static const char *const types[] = {[API_FORM_JSON] = "application/json",
                                    [API_FORM_NDJSON] = NULL,
                                    [API_FORM_STL] = "model/stl",
                                    [API_FORM_OBJ] = "model/obj"};
#define FORMS (sizeof types / sizeof types[0])
/* Greatest length of a URL's query, bytes. */
#define QUERY_MAX 65536

bool api_record_shape(const api_call *call, api_record *out) {
  *out = (api_record){.base = true};
  if (!call->shape) return true;
  const api_shape_form *form = api_shape_get(call->shape);
  ct_text body = {call->input.body, call->input.body_length};
  api_buffer bytes = {0};
  api_record_open(&bytes, API_RECORD_SHAPE);
  api_record_put_u8(&bytes, (unsigned)call->match.form);
  api_record_put_text(&bytes, api_text(form->id));
  api_record_put_text(&bytes, api_text(call->query ? call->query : ""));
  api_record_put_text(&bytes, form->report);
  api_record_put_u64(&bytes, body.length);
  if (body.length) api_put_bytes(&bytes, body.bytes, body.length);
  api_record_close(&bytes);
  out->bytes = api_buffer_detach(&bytes, &out->length);
  return out->bytes != NULL;
}

/* ---- decode --------------------------------------------------------------------------------- */

typedef struct posted {
  unsigned form;
  ct_text id, query, report, body;
} posted;

static bool get_posted(api_record_decoder *r, posted *p) {
  p->form = api_record_get_u8(&r->in);
  if (!api_decoder_read_id(r, &p->id)) return false;
  p->query = api_record_get_text(&r->in, QUERY_MAX);
  p->report = api_record_get_text(&r->in, UINT32_MAX);
  uint64_t length = api_record_get_u64(&r->in);
  if (!api_decoder_is_valid(r)) return false;
  p->body = (ct_text){(const char *)r->in.at, api_record_bytes_left(&r->in)};
  if (length != p->body.length || p->form >= FORMS || !types[p->form])
    return api_decoder_reject(r, "The posted shape has an unknown content type");
  return true;
}

/* Checks that the text consists of the members of a JSON object. */
static bool check_report(api_record_decoder *r, ct_text report) {
  api_buffer text = {0};
  api_put_byte(&text, '{');
  api_put_bytes(&text, report.bytes, report.length);
  api_put_byte(&text, '}');
  json_t *value = text.failed ? NULL : api_decoder_read_json(r, text.bytes, text.length);
  if (text.failed) api_decoder_out_of_memory(r);
  api_buffer_free(&text);
  json_decref(value);
  return value != NULL;
}

/* Copies the shape that the repeated call created, with the stored report. NULL: the record is
 * rejected. */
static const api_shape *copy_posted_shape(api_record_decoder *r, const api_call *call,
                                          const posted *p) {
  if (!call->shape) {
    if (api_faults_any(&call->faults) && call->faults.id == API_PROBLEM_OUT_OF_MEMORY)
      api_decoder_out_of_memory(r);
    else api_decoder_reject(r, "The posted shape cannot be rebuilt");
    return NULL;
  }
  api_shape_form form = *api_shape_get(call->shape);
  if (!api_text_equal(api_text(form.id), p->id)) {
    api_decoder_reject(r, "The rebuilt shape has another id");
    return NULL;
  }
  form.report = p->report;
  const api_shape *shape = api_shape_create(&form);
  if (!shape) api_decoder_out_of_memory(r);
  return shape;
}

/* Repeats the POST without the daemon's limits and returns the shape. NULL: the record is
 * rejected. */
static const api_shape *post(api_record_decoder *r, const api_service *service, const posted *p) {
  api_service widest = *service;
  widest.limits = r->limits;
  const char *query =
      p->query.length ? api_arena_copy(&r->arena, p->query.bytes, p->query.length) : NULL;
  const api_head head = {
      .method = "POST", .path = "/v1/shapes", .query = query, .content_type = types[p->form]};
  api_match match;
  api_reply refusal = {0};
  if (p->query.length && !query) {
    api_decoder_out_of_memory(r);
    return NULL;
  }
  if (!api_match_head(&widest, &head, &match, &refusal)) {
    free((void *)(uintptr_t)refusal.body);
    api_decoder_reject(r, "The posted shape has an unknown content type");
    return NULL;
  }
  api_call *call = api_call_create(&widest, &head, &match);
  if (!call) {
    api_decoder_out_of_memory(r);
    return NULL;
  }
  /* Accept zero bytes after numbers in JSON, as older versions did: the shape's id is a digest of
   * these bytes and must not change. */
  call->again = true;
  const api_input input = {.body = p->body.bytes, .body_length = p->body.length};
  const api_shape *shape = NULL;
  if (api_call_begin(call, &input) == API_STEP_DONE) shape = copy_posted_shape(r, call, p);
  api_call_destroy(call);
  return shape;
}

static const api_shape_table *with_shape(api_record_decoder *r, const api_service *service,
                                         const api_shape_table *shapes) {
  posted p;
  if (r->kind != API_RECORD_SHAPE) {
    api_decoder_reject(r, "The record does not contain a shape");
    return NULL;
  }
  if (!get_posted(r, &p) || !check_report(r, p.report)) return NULL;
  if (api_shapes_find(shapes, p.id)) return api_shapes_retain(shapes);
  const api_shape *shape = post(r, service, &p);
  if (!shape) return NULL;
  const api_shape_table *table = api_shapes_with(shapes, shape);
  if (!table) api_decoder_out_of_memory(r);
  api_shape_release(shape);
  return table;
}

api_restored api_record_apply_shape(const api_service *service, const api_shape_table *shapes,
                                    const char *bytes, size_t length, const api_shape_table **after,
                                    char why[API_RESTORE_WHY]) {
  api_record_decoder *r = NULL;
  api_restored end = api_decoder_begin(bytes, length, shapes, &r, why);
  if (end != API_RESTORED) return end;
  const api_shape_table *made = with_shape(r, service, shapes);
  if (made) *after = made;
  return api_decoder_end(r, made != NULL, why);
}
