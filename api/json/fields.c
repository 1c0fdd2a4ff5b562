/* Typed readers of JSON values. Each message states the rule and the actual value; numbers are
 * written with their shortest text. */
#include "json/fields.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <contact/limits.h>

/* Greatest n for which every whole number up to n is exactly a double: 2^53. */
#define WHOLE_MAX 9007199254740992.0

static api_pointer root_path(void) { return (api_pointer){.kind = API_POINTER_ROOT}; }

api_field api_field_root(json_t *value) { return (api_field){.value = value, .path = root_path()}; }

api_field api_field_at(json_t *value, api_pointer path) {
  return (api_field){.value = value, .path = path};
}

api_field api_field_element(const api_field *array, size_t i) {
  assert(i < json_array_size(array->value));
  return (api_field){.value = json_array_get(array->value, i),
                     .path = api_pointer_index(&array->path, i)};
}

const char *api_type_words(const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT: return "an object";
  case JSON_ARRAY: return "an array";
  case JSON_STRING: return "a string";
  case JSON_INTEGER:
  case JSON_REAL: return "a number";
  case JSON_TRUE: return "true";
  case JSON_FALSE: return "false";
  default: return "null";
  }
}

static bool report_wrong_type(api_reader *reader, const api_field *field, const char *wanted) {
  api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path, "Expected %s, got %s.", wanted,
               api_type_words(field->value));
  return false;
}

/* Writes the shortest text of a number, NUL-terminated; powers of ten from 1e9 on as 1e9. Returns
 * out. */
static const char *write_number_text(double value, char out[API_NUMBER_BYTES]) {
  api_decimal decimal = value == 0.0 ? (api_decimal){0} : api_number_shortest(value);
  if (decimal.digits == 1 && decimal.exponent >= 9)
    snprintf(out, API_NUMBER_BYTES, "%s1e%d", value < 0.0 ? "-" : "", decimal.exponent);
  else out[api_number_format(value, out)] = 0;
  return out;
}

/* ---- lists of names ------------------------------------------------------------------------- */

/* Appends ", name" (or "name" if it is the first) to the list in out. */
static void append_name(char out[API_NAMES_MAX], const char *name) {
  assert(strlen(out) + 2 + strlen(name) < API_NAMES_MAX);
  api_text_append(out, API_NAMES_MAX, "%s%s", out[0] ? ", " : "", name);
}

static const char *format_member_names(char out[API_NAMES_MAX], const api_field *members,
                                       size_t count) {
  out[0] = 0;
  for (size_t i = 0; i < count; i++) append_name(out, members[i].name);
  return out;
}

/* ---- objects -------------------------------------------------------------------------------- */

static void report_unknown_member(api_reader *reader, const api_field *field, ct_text name,
                                  const api_field *members, size_t count) {
  api_spelling likeness = api_spelling_start(name.bytes, name.length);
  for (size_t i = 0; i < count; i++)
    if (!members[i].value)
      api_spelling_consider(&likeness, members[i].name, strlen(members[i].name));
  char echo[API_ECHO_MAX + 4];
  api_echo(name, echo);
  api_pointer path = api_pointer_member_text(&field->path, name);
  if (likeness.best.length) {
    api_fault_did_you_mean(api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_MEMBER, &path,
                                        "\"%s\" is not a member here.", echo),
                           likeness);
    return;
  }
  char known[API_NAMES_MAX];
  api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_MEMBER, &path,
               "\"%s\" is not a member here%s%s.", echo, count ? "; members: " : "",
               format_member_names(known, members, count));
}

void api_fault_missing(api_reader *reader, const api_field *object, const char *name) {
  api_spelling likeness = api_spelling_start(name, strlen(name));
  for (void *m = json_object_iter(object->value); m; m = json_object_iter_next(object->value, m))
    if (!api_spelling_consider(&likeness, json_object_iter_key(m), strlen(json_object_iter_key(m))))
      break;
  if (likeness.best.length) {
    const api_field meant = {.name = name};
    report_unknown_member(reader, object, likeness.best, &meant, 1);
    return;
  }
  const api_pointer path = api_pointer_member(&object->path, name);
  api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &path, "The member \"%s\" is required.",
               name);
}

static bool is_listed_member(const char *name, const api_field *members, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(members[i].name, name) == 0) return true;
  return false;
}

static bool refuse_unknown_members(api_reader *reader, const api_field *field,
                                   const api_field *members, size_t count) {
  /* If the object has only known members, their number equals its size, and no names need be
   * compared. */
  size_t present = 0;
  for (size_t i = 0; i < count; i++) present += members[i].value != NULL;
  if (present == json_object_size(field->value)) return true;
  for (void *m = json_object_iter(field->value); m && !api_faults_full(reader->faults);
       m = json_object_iter_next(field->value, m)) {
    const char *name = json_object_iter_key(m);
    if (!is_listed_member(name, members, count))
      report_unknown_member(reader, field, api_text(name), members, count);
  }
  return false;
}

bool api_read_object(api_reader *reader, const api_field *field, api_field *members, size_t count) {
  bool is_object = json_is_object(field->value), good = true;
  for (size_t i = 0; i < count; i++) {
    members[i].value = is_object ? json_object_get(field->value, members[i].name) : NULL;
    members[i].path = api_pointer_member(&field->path, members[i].name);
  }
  if (!field->value) return true;
  if (!is_object) return report_wrong_type(reader, field, "an object");
  good = refuse_unknown_members(reader, field, members, count);
  for (size_t i = 0; i < count; i++) {
    if (!members[i].required || members[i].value) continue;
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &members[i].path,
                 "The member \"%s\" is required.", members[i].name);
    good = false;
  }
  return good;
}

size_t api_read_one_of(api_reader *reader, const api_field *object, const api_field *members,
                       size_t count, bool required, api_problem_id problem) {
  assert(count > 0);
  size_t found = count, present = 0;
  for (size_t i = 0; i < count; i++) {
    if (!members[i].value) continue;
    present++;
    found = i;
  }
  if (present == 1 || (present == 0 && !required)) return found;
  char names[API_NAMES_MAX];
  format_member_names(names, members, count);
  if (present > 1) {
    api_fault *fault =
        api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &object->path,
                     "These members exclude each other, send only one of them: %s.", names);
    api_fault_limit(fault, 1, (double)present);
  } else {
    api_fault *fault = api_fault_at(reader->faults, problem, &object->path,
                                    "Exactly one of these members is required: %s.", names);
    api_fault_limit(fault, 1, 0);
  }
  return count;
}

bool api_read_array(api_reader *reader, const api_field *field, size_t least, size_t greatest,
                    size_t *count) {
  assert(least <= greatest);
  if (!field->value) return true;
  if (!json_is_array(field->value)) return report_wrong_type(reader, field, "an array");
  size_t length = json_array_size(field->value);
  if (least == greatest && length != least) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                                 "Expected an array of %zu elements, got %zu.", least, length),
                    (double)least, (double)length);
    return false;
  }
  if (length > greatest) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                                 "At most %zu elements are allowed: shorten the array.", greatest),
                    (double)greatest, (double)length);
    return false;
  }
  if (length < least) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
                                 "At least %zu element%s needed.", least,
                                 least == 1 ? " is" : "s are"),
                    (double)least, (double)length);
    return false;
  }
  *count = length;
  return !api_faults_full(reader->faults);
}

/* ---- numbers -------------------------------------------------------------------------------- */

bool api_check_range(api_reader *reader, api_problem_id problem, const api_pointer *path,
                     double value, double least, double greatest) {
  if (value >= least && value <= greatest) return true;
  char low[API_NUMBER_BYTES], high[API_NUMBER_BYTES];
  api_fault *fault = api_fault_at(reader->faults, problem, path, "Expected a value from %s to %s.",
                                  write_number_text(least, low), write_number_text(greatest, high));
  api_fault_limit(fault, value < least ? least : greatest, value);
  return false;
}

bool api_read_number(api_reader *reader, const api_field *field, double least, double greatest,
                     double *out) {
  assert(least <= greatest);
  if (!field->value) return true;
  if (!json_is_number(field->value)) return report_wrong_type(reader, field, "a number");
  double value = json_number_value(field->value) + 0.0;
  if (!api_check_range(reader, API_PROBLEM_OUT_OF_RANGE, &field->path, value, least, greatest))
    return false;
  *out = value;
  return true;
}

bool api_read_size(api_reader *reader, const api_field *field, double *out) {
  return api_read_number(reader, field, CT_SIZE_MIN, CT_SIZE_MAX, out);
}

bool api_read_unsigned(api_reader *reader, const api_field *field, uint64_t least,
                       uint64_t greatest, uint64_t *out) {
  assert(least <= greatest);
  if (!field->value) return true;
  if (!json_is_number(field->value)) return report_wrong_type(reader, field, "a whole number");
  double value = json_number_value(field->value) + 0.0;
  if (value != floor(value)) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                                 "Expected a whole number."),
                    NAN, value);
    return false;
  }
  double top = (double)greatest < WHOLE_MAX ? (double)greatest : WHOLE_MAX;
  if (!api_check_range(reader, API_PROBLEM_OUT_OF_RANGE, &field->path, value, (double)least, top))
    return false;
  *out = (uint64_t)value;
  return true;
}

bool api_read_numbers(api_reader *reader, const api_field *field, double greatest, size_t count,
                      double *out) {
  if (!field->value) return true;
  if (!json_is_array(field->value)) {
    char wanted[48];
    snprintf(wanted, sizeof wanted, "an array of %zu numbers", count);
    return report_wrong_type(reader, field, wanted);
  }
  size_t length = json_array_size(field->value);
  if (length != count) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                                 "Expected an array of %zu numbers, got %zu.", count, length),
                    (double)count, (double)length);
    return false;
  }
  bool good = true;
  double values[16]; /* the longest array is a matrix */
  assert(count <= sizeof values / sizeof values[0]);
  for (size_t i = 0; i < count && i < 16; i++) {
    json_t *value = json_array_get(field->value, i);
    values[i] = json_number_value(value) + 0.0;
    if (json_is_number(value) && fabs(values[i]) <= greatest) continue;
    api_field element = api_field_element(field, i);
    if (!json_is_number(value)) report_wrong_type(reader, &element, "a number");
    else
      api_check_range(reader, API_PROBLEM_OUT_OF_RANGE, &element.path, values[i], -greatest,
                      greatest);
    good = false;
  }
  if (good) memcpy(out, values, count * sizeof *out);
  return good;
}

bool api_read_vec3(api_reader *reader, const api_field *field, double greatest, ct_vec3 *out) {
  double v[3] = {out->x, out->y, out->z};
  if (!api_read_numbers(reader, field, greatest, 3, v)) return false;
  *out = ct_vec(v[0], v[1], v[2]);
  return true;
}

bool api_read_position(api_reader *reader, const api_field *field, ct_vec3 *out) {
  return api_read_vec3(reader, field, CT_COORDINATE_MAX, out);
}

bool api_read_bool(api_reader *reader, const api_field *field, bool *out) {
  if (!field->value) return true;
  if (!json_is_boolean(field->value)) return report_wrong_type(reader, field, "true or false");
  *out = json_is_true(field->value);
  return true;
}

/* ---- texts ---------------------------------------------------------------------------------- */

bool api_read_text(api_reader *reader, const api_field *field, size_t bytes_max, ct_text *out) {
  if (!field->value) return true;
  if (!json_is_string(field->value)) return report_wrong_type(reader, field, "a string");
  ct_text text = {json_string_value(field->value), json_string_length(field->value)};
  if (text.length > bytes_max) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                                 "At most %zu bytes are allowed: shorten the text.", bytes_max),
                    (double)bytes_max, (double)text.length);
    return false;
  }
  *out = text;
  return true;
}

bool api_read_id(api_reader *reader, const api_field *field, ct_text *out) {
  if (!field->value) return true;
  if (!json_is_string(field->value)) return report_wrong_type(reader, field, "a string");
  ct_text text = {json_string_value(field->value), json_string_length(field->value)};
  if (api_id_valid(text)) {
    *out = text;
    return true;
  }
  char echo[API_ECHO_MAX + 4], why[64];
  api_fault *fault =
      api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
                   "\"%s\" %s; " API_ID_RULE ".", api_echo(text, echo), api_id_fault(text, why));
  if (text.length > CT_ID_LENGTH_MAX) api_fault_limit(fault, CT_ID_LENGTH_MAX, (double)text.length);
  return false;
}

bool api_read_word(api_reader *reader, const api_field *field, const char *const *words,
                   size_t count, size_t *out) {
  assert(count > 0);
  if (!field->value) return true;
  if (!json_is_string(field->value)) return report_wrong_type(reader, field, "a string");
  ct_text text = {json_string_value(field->value), json_string_length(field->value)};
  api_spelling likeness = api_spelling_start(text.bytes, text.length);
  char known[API_NAMES_MAX] = "";
  for (size_t i = 0; i < count; i++) {
    if (api_text_equal(text, api_text(words[i]))) {
      *out = i;
      return true;
    }
    append_name(known, words[i]);
    api_spelling_consider(&likeness, words[i], strlen(words[i]));
  }
  char echo[API_ECHO_MAX + 4];
  api_fault *fault =
      api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
                   "\"%s\" is none of the allowed words: %s.", api_echo(text, echo), known);
  if (likeness.best.length) api_fault_suggest(fault, likeness.best);
  return false;
}

typedef struct ranked_text {
  ct_text text;
  size_t index;
} ranked_text;

static int compare_ranked_texts(const void *a, const void *b) {
  const ranked_text *x = a, *y = b;
  int order = api_text_compare(x->text, y->text);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

size_t api_first_duplicate(api_reader *reader, const ct_text *texts, size_t count) {
  assert(texts || count == 0);
  if (count < 2) return count;
  api_arena_mark mark = api_arena_position(reader->arena);
  ranked_text *sorted = api_arena_array(reader->arena, count, sizeof *sorted);
  if (!sorted) {
    api_fault_memory(reader->faults);
    return SIZE_MAX;
  }
  for (size_t i = 0; i < count; i++) sorted[i] = (ranked_text){texts[i], i};
  qsort(sorted, count, sizeof *sorted, compare_ranked_texts);
  size_t least = count;
  for (size_t i = 1; i < count; i++) {
    if (sorted[i].text.length == 0 || sorted[i].index >= least) continue;
    if (api_text_equal(sorted[i - 1].text, sorted[i].text)) least = sorted[i].index;
  }
  api_arena_rewind(reader->arena, mark);
  return least;
}

ct_text api_reader_copy(api_reader *reader, ct_text text) {
  char *copy = api_arena_copy(reader->arena, text.bytes, text.length);
  if (!copy) {
    api_fault_memory(reader->faults);
    return (ct_text){0};
  }
  return (ct_text){copy, text.length};
}

bool api_reject_unused(api_reader *reader, const api_field *field, bool idle, const char *needed) {
  if (!idle || !api_field_present(field)) return true;
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path, "\"%s\" requires %s.",
               field->name, needed);
  return false;
}

bool api_reject_combination(api_reader *reader, const api_field *field, bool beside,
                            const char *other) {
  if (!beside || !api_field_present(field)) return true;
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path,
               "\"%s\" cannot be combined with %s.", field->name, other);
  return false;
}

bool api_reader_cancelled(api_reader *reader) {
  if (!ct_cancel_raised(reader->cancel)) return false;
  api_fault_cancelled(reader->faults);
  return true;
}
