/* Handles posted shapes: /v1/shapes and /v1/shapes/{id}; commits changes of the table of shapes. */
#include "handlers/shapes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call.h"
#include "handlers/scenes.h"
#include "handlers/shape_upload.h"
#include "import/text_scanner.h"
#include "results/hull_json.h"

/* ---- replies -------------------------------------------------------------------------------- */

/* False: cancelled, with a fault. */
static bool count_shape_references(api_call *call, const char *id, uint64_t *out) {
  const api_input *input = &call->input;
  if (api_count_references((api_shape_users){input->scenes, input->scene_count}, id, input->cancel,
                           out) == CT_OK)
    return true;
  api_fault_cancelled(&call->faults);
  return false;
}

/* False: cancelled, with a fault. */
static bool put_shape_members(api_call *call, const api_shape *shape, bool is_new) {
  const api_shape_form *form = api_shape_get(shape);
  uint64_t references = 0;
  if (!is_new && !count_shape_references(call, form->id, &references)) return false;
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_string(out, "id", api_text(form->id));
  api_put_byte(out, ',');
  api_put_bytes(out, form->report.bytes, form->report.length);
  api_put_member_unsigned(out, "references", references);
  return true;
}

static void put_shape_durability(api_call *call) {
  api_put_member_string(&call->out, "durability", api_text(call->service->durability));
}

/* The shape with the id of the path; NULL with a fault. */
static const api_shape *find_path_shape(api_call *call) {
  const api_shape *shape = api_shapes_find(call->shapes.table, api_text(call->match.item_id));
  if (!shape)
    api_fault_plain(&call->faults, API_PROBLEM_SHAPE_NOT_FOUND, "No shape has the id \"%s\".",
                    call->match.item_id);
  return shape;
}

/* ---- list and read -------------------------------------------------------------------------- */

/* Index of the first shape after the id in ascending order; 0 for "". */
static size_t find_first_shape_after(const api_shape_table *table, const char *id) {
  size_t low = 0, high = api_shapes_count(table);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(api_shape_get(api_shapes_at(table, middle))->id, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

api_step api_shapes_list(api_call *call) {
  uint64_t limit;
  char after[CT_ID_LENGTH_MAX + 1];
  if (!api_read_list_position(call, &limit, after)) return api_call_fail(call);
  const api_shape_table *table = call->shapes.table;
  size_t total = api_shapes_count(table), first = find_first_shape_after(table, after),
         left = total - first;
  size_t count = left < limit ? left : (size_t)limit;
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_unsigned(out, "count", count);
  api_put_member_unsigned(out, "total", total);
  if (count < left)
    api_scene_put_next(call, api_shape_get(api_shapes_at(table, first + count - 1))->id);
  api_put_key(out, "shapes");
  api_put_byte(out, '[');
  for (size_t i = first; i < first + count; i++) {
    const api_shape_form *form = api_shape_get(api_shapes_at(table, i));
    api_put_item(out);
    api_put_byte(out, '{');
    api_put_member_string(out, "id", api_text(form->id));
    api_put_member_string(out, "kind", api_text(ct_kind_word(form->shape.kind)));
    if (form->unit) api_put_member_string(out, "unit", api_text(form->unit));
    api_put_member_unsigned(out, "bytes", form->bytes);
    api_put_byte(out, '}');
  }
  api_put_byte(out, ']');
  return api_call_send(call, 200);
}

/* Reads ?include=hull. False: another value, with a fault. */
static bool read_shape_include(api_call *call, bool *hull) {
  const char *text = call->query;
  api_url_parameter parameter;
  while (api_url_next(&text, &parameter)) {
    *hull = api_text_equal((ct_text){parameter.value, parameter.value_length}, api_text("hull"));
    if (*hull) continue;
    api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER, "include is hull.");
    return false;
  }
  return true;
}

/* Writes the hull. False with a fault: the shape has none, or it is too large. */
static bool put_shape_hull(api_call *call, const ct_shape *shape) {
  uint32_t faces = api_hull_faces(shape);
  if (faces == 0)
    api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                    "include=hull requires a shape of kind convex or box; this one is of kind %s.",
                    ct_kind_word(shape->kind));
  if (faces > API_HULL_FACES_MAX)
    api_fault_limit(api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                                    "The hull has more than %u faces; use POST "
                                    "/v1/query/massProperties with include hulls.",
                                    API_HULL_FACES_MAX),
                    API_HULL_FACES_MAX, faces);
  if (api_faults_any(&call->faults)) return false;
  api_put_key(&call->out, "hull");
  api_put_byte(&call->out, '{');
  bool good = api_put_hull_members(&call->out, shape);
  api_put_byte(&call->out, '}');
  if (!good) api_fault_memory(&call->faults);
  return good;
}

api_step api_shape_read(api_call *call) {
  bool hull = false;
  if (!read_shape_include(call, &hull)) return api_call_fail(call);
  const api_shape *shape = find_path_shape(call);
  if (!shape) return api_call_fail(call);
  if (!put_shape_members(call, shape, false)) return api_call_fail(call);
  if (hull && !put_shape_hull(call, &api_shape_get(shape)->shape)) return api_call_fail(call);
  return api_call_send(call, 200);
}

/* ---- post ----------------------------------------------------------------------------------- */

static bool refuse_shape_parameter(api_call *call, const char *detail) {
  api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER, "%s", detail);
  return false;
}

/* URL parameters of a POST, as indices. */
typedef enum parameter_id {
  PARAMETER_UNIT,
  PARAMETER_SOLID,
  PARAMETER_DEADLINE,
  PARAMETER_CONVEX_HULL,
  PARAMETER_WELD,
  PARAMETER_CAP_HOLES,
  PARAMETER_PLANARITY,
  PARAMETER_KEEP_DUPLICATES,
  PARAMETER_COUNT
} parameter_id;

static const char *const parameter_words[PARAMETER_COUNT] = {
    "unit", "solid", "deadlineMs", "convexHull", "weld", "capHoles", "planarity", "keepDuplicates"};

static parameter_id identify_parameter(const api_url_parameter *parameter) {
  parameter_id id = 0;
  while (id + 1 < PARAMETER_COUNT && !api_url_named(parameter, parameter_words[id])) id++;
  return id;
}

static bool read_boolean_parameter(api_call *call, const char *name, ct_text value, bool *out) {
  *out = api_text_equal(value, api_text("true"));
  if (*out || api_text_equal(value, api_text("false"))) return true;
  api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER, "%s must be true or false.", name);
  return false;
}

/* Reads a number in a range, in the notation of JSON and OBJ. */
static bool read_number_parameter(api_call *call, const char *name, ct_text value,
                                  const double range[2], double *out) {
  double number;
  if (api_word_read(value, &number) == API_WORD_NUMBER && number >= range[0] &&
      number <= range[1]) {
    *out = number;
    return true;
  }
  api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER, "%s must be a number from %g to %g.",
                  name, range[0], range[1]);
  return false;
}

static bool read_solid_parameter(api_call *call, ct_text value, api_upload *upload) {
  bool solid;
  if (!read_boolean_parameter(call, "solid", value, &solid)) return false;
  upload->reading = solid ? CT_MESH_SOLID : CT_MESH_SURFACE;
  return true;
}

static bool check_deadline_parameter(api_call *call, const api_url_parameter *parameter) {
  uint64_t unused;
  if (api_url_milliseconds(parameter, call->service->limits.deadline_max_ms, &unused)) return true;
  api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                  "deadlineMs must be a whole number from 1 to %llu.",
                  (unsigned long long)call->service->limits.deadline_max_ms);
  return false;
}

static bool read_shape_parameter(api_call *call, const api_url_parameter *parameter,
                                 parameter_id id, api_upload *upload) {
  static const double weld[2] = {API_WELD_MIN, API_WELD_MAX},
                      planarity[2] = {CT_UNIT_ROUNDOFF, API_PLANARITY_MAX};
  ct_text value = {parameter->value, parameter->value_length};
  ct_mesh_repair_options *repair = &upload->repair.options;
  if (upload->form == API_FORM_JSON && id != PARAMETER_DEADLINE && id != PARAMETER_CONVEX_HULL)
    return refuse_shape_parameter(
        call,
        "unit, solid, weld, capHoles, planarity and keepDuplicates are for STL and OBJ "
        "(Content-Type: "
        "model/stl or model/obj); JSON is in metres and its meshes have members solid and repair.");
  upload->repair.requested = upload->repair.requested || id >= PARAMETER_WELD;
  switch (id) {
  case PARAMETER_UNIT:
    upload->unit = api_unit_of(value);
    return upload->unit || refuse_shape_parameter(call, "unit must be one of " API_UNIT_WORDS ".");
  case PARAMETER_SOLID: return read_solid_parameter(call, value, upload);
  case PARAMETER_CONVEX_HULL:
    return read_boolean_parameter(call, "convexHull", value, &upload->convex_hull);
  case PARAMETER_WELD: return read_number_parameter(call, "weld", value, weld, &repair->weld);
  case PARAMETER_CAP_HOLES:
    return read_boolean_parameter(call, "capHoles", value, &repair->cap_holes);
  case PARAMETER_PLANARITY:
    return read_number_parameter(call, "planarity", value, planarity, &repair->planarity);
  case PARAMETER_KEEP_DUPLICATES:
    return read_boolean_parameter(call, "keepDuplicates", value, &repair->keep_duplicates);
  default: return check_deadline_parameter(call, parameter);
  }
}

/* Refuses combinations of valid parameters. */
static bool check_parameter_combination(api_call *call, const bool seen[PARAMETER_COUNT],
                                        const api_upload *upload) {
  if (upload->convex_hull && seen[PARAMETER_SOLID])
    return refuse_shape_parameter(
        call, "solid cannot be combined with convexHull=true: a hull is always solid.");
  if (upload->convex_hull && upload->repair.requested)
    return refuse_shape_parameter(
        call,
        "weld, capHoles, planarity and keepDuplicates cannot be combined with convexHull=true.");
  if (seen[PARAMETER_PLANARITY] && !upload->repair.options.cap_holes)
    return refuse_shape_parameter(call, "planarity requires capHoles=true.");
  return upload->unit || upload->form == API_FORM_JSON ||
         refuse_shape_parameter(
             call,
             "The file carries no unit of length: ?unit= is required, one of " API_UNIT_WORDS ".");
}

static bool read_shape_parameters(api_call *call, api_upload *upload) {
  const char *text = call->query;
  api_url_parameter parameter;
  bool seen[PARAMETER_COUNT] = {false};
  while (api_url_next(&text, &parameter)) {
    parameter_id id = identify_parameter(&parameter);
    if (seen[id]) return refuse_shape_parameter(call, "A parameter of the URL is given twice.");
    seen[id] = true;
    if (!read_shape_parameter(call, &parameter, id, upload)) return false;
  }
  return check_parameter_combination(call, seen, upload);
}

/* Writes a canonical text of how the body is interpreted, equal for parameters of equal meaning. */
static bool describe_interpretation(const api_upload *upload, api_buffer *out) {
  static const char *const forms[] = {
      [API_FORM_JSON] = "json", [API_FORM_STL] = "stl", [API_FORM_OBJ] = "obj"};
  static const char *const readings[] = {
      [CT_MESH_AUTO] = "", [CT_MESH_SURFACE] = " surface", [CT_MESH_SOLID] = " solid"};
  assert((size_t)upload->form < sizeof forms / sizeof forms[0] && forms[upload->form]);
  const ct_mesh_repair_options *repair = &upload->repair.options;
  api_put_raw(out, forms[upload->form]);
  api_put_byte(out, ' ');
  api_put_raw(out, upload->unit ? upload->unit->word : "m");
  api_put_raw(out, readings[upload->reading]);
  if (upload->convex_hull) api_put_raw(out, " hull");
  if (repair->weld > 0.0) api_put_raw(out, " weld ");
  if (repair->weld > 0.0) api_put_number(out, repair->weld);
  if (repair->cap_holes) api_put_raw(out, " cap ");
  if (repair->cap_holes)
    api_put_number(out, repair->planarity > 0.0 ? repair->planarity : CT_MESH_PLANARITY);
  if (repair->keep_duplicates) api_put_raw(out, " duplicates");
  api_put_byte(out, 0);
  return !out->failed;
}

/* Computes the shape's id from the body and its interpretation. */
static bool compute_shape_id(api_call *call, const api_upload *upload, api_digest *out) {
  api_buffer form = {0};
  const char *bytes = call->input.body ? call->input.body : "";
  bool described = describe_interpretation(upload, &form);
  bool named = described &&
               api_digest_make(form.bytes, bytes, call->input.body_length, call->input.cancel, out);
  api_buffer_free(&form);
  if (!described) api_fault_memory(&call->faults);
  else if (!named) api_fault_cancelled(&call->faults);
  return named;
}

static api_step fail_post(api_call *call) {
  /* api_call_parse has added the hint for a body that is not JSON. */
  if (call->faults.id != API_PROBLEM_MALFORMED_JSON) api_suggest_content_type(call);
  return api_call_fail(call);
}

/* Checks the limits for one more shape of `bytes` bytes. */
static bool check_shape_limits(api_call *call, const api_shape_table *table, uint64_t bytes) {
  const api_limits *limits = &call->service->limits;
  if (api_shapes_count(table) >= limits->shapes) {
    api_fault *fault =
        api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                        "The daemon already has %llu shapes, the limit (shapes): delete one first.",
                        (unsigned long long)limits->shapes);
    api_fault_limit(fault, (double)limits->shapes, (double)api_shapes_count(table) + 1.0);
    return false;
  }
  if (api_shapes_memory(table) + bytes <= limits->shapes_bytes) return true;
  api_fault *fault = api_fault_plain(
      &call->faults, API_PROBLEM_LIMIT_EXCEEDED,
      "All shapes together would need more than %llu bytes, the limit (shapesBytes): "
      "delete a shape first.",
      (unsigned long long)limits->shapes_bytes);
  api_fault_limit(fault, (double)limits->shapes_bytes,
                  (double)api_shapes_memory(table) + (double)bytes);
  return false;
}

api_step api_shapes_post(api_call *call) {
  api_upload upload = {.form = call->match.form, .reading = CT_MESH_AUTO};
  api_digest digest;
  if (!read_shape_parameters(call, &upload) || !compute_shape_id(call, &upload, &digest))
    return fail_post(call);
  const api_shape *known = api_shapes_find(call->shapes.table, api_text(digest.id));
  assert(strlen(digest.id) < sizeof call->match.item_id);
  upload.id = digest.id;
  upload.key = digest.key;
  memcpy(call->match.item_id, digest.id, strlen(digest.id) + 1);
  if (!known) {
    if (check_shape_limits(call, call->shapes.table, 0))
      call->shape = api_shape_upload(call, &upload);
    if (!call->shape ||
        !check_shape_limits(call, call->shapes.table, api_shape_memory(call->shape)))
      return fail_post(call);
    snprintf(call->reply.location, sizeof call->reply.location, "/v1/shapes/%s", digest.id);
  }
  if (!put_shape_members(call, known ? known : call->shape, !known)) return api_call_fail(call);
  put_shape_durability(call);
  return api_call_send(call, known ? 200 : 201);
}

/* ---- delete and commit ---------------------------------------------------------------------- */

/* Deletes a shape. A shape that could not be loaded is not in the table; then the store decides
 * whether it exists. */
api_step api_shape_delete(api_call *call) {
  if (!call->input.store_decides && !find_path_shape(call)) return api_call_fail(call);
  const char *id = call->match.item_id;
  uint64_t references;
  if (!count_shape_references(call, id, &references)) return api_call_fail(call);
  if (references > 0) {
    api_fault *fault = api_fault_plain(&call->faults, API_PROBLEM_SHAPE_IN_USE,
                                       "%llu collider%s of scenes refer%s to the shape \"%s\".",
                                       (unsigned long long)references, references == 1 ? "" : "s",
                                       references == 1 ? "s" : "", id);
    api_fault_limit(fault, 0, (double)references);
    return api_call_fail(call);
  }
  call->drops_shape = true;
  api_call_open(call);
  api_put_member_string(&call->out, "id", api_text(id));
  put_shape_durability(call);
  return api_call_send(call, 200);
}

api_shape_change api_call_shape(const api_call *call, const char **id) {
  *id = call->shape ? api_shape_get(call->shape)->id : call->match.item_id;
  return call->shape ? API_SHAPE_POSTED : call->drops_shape ? API_SHAPE_DELETED : API_SHAPE_KNOWN;
}

const api_shape_table *api_call_commit_shapes(api_call *call, const api_shape_table *current,
                                              bool written) {
  const api_shape_table *next = NULL;
  bool is_good = call->reply.status >= 200 && call->reply.status < 300;
  if (!is_good || (!call->shape && !call->drops_shape)) return api_shapes_retain(current);
  ct_text id = api_text(call->shape ? api_shape_get(call->shape)->id : call->match.item_id);
  bool there = api_shapes_find(current, id) != NULL;
  /* Another call has added or deleted the shape in the meantime. */
  if (there == (call->shape != NULL)) {
    if (there) return api_shapes_retain(current);
    api_fault_plain(&call->faults, API_PROBLEM_SHAPE_NOT_FOUND, "No shape has the id \"%s\".",
                    call->match.item_id);
  } else if (call->drops_shape && written) {
    api_fault_plain(&call->faults, API_PROBLEM_SHAPE_IN_USE,
                    "Bodies that may refer to the shape \"%s\" were written while its references "
                    "were counted. Nothing has changed; send the request again.",
                    call->match.item_id);
  } else if (call->drops_shape) {
    next = api_shapes_without(current, id);
  } else if (check_shape_limits(call, current, api_shape_memory(call->shape))) {
    next = api_shapes_with(current, call->shape);
  }
  if (next) return next;
  if (!api_faults_any(&call->faults)) api_fault_memory(&call->faults);
  call->reply.header_count = 0;
  api_call_fail(call);
  return api_shapes_retain(current);
}
