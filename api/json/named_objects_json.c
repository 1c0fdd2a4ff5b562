/* Reads objects whose keys are names; detects repeated pairs of names by sorting. */
#include "json/named_objects_json.h"

#include <assert.h>
#include <stdlib.h>

void *api_reader_alloc(api_reader *reader, size_t count, size_t size) {
  void *memory = api_arena_array(reader->arena, count, size);
  if (!memory) api_fault_memory(reader->faults);
  return memory;
}

static bool read_named_value(api_reader *reader, const api_field *field, const api_named *named,
                             ct_text name, void *out) {
  if (api_id_valid(name)) return named->read(reader, field, name, out);
  char echo[API_ECHO_MAX + 4], why[64];
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
               "The name \"%s\" of a %s %s; " API_ID_RULE ".", api_echo(name, echo), named->one,
               api_id_fault(name, why));
  return false;
}

bool api_read_named(api_reader *reader, const api_field *field, const api_named *named, void **out,
                    size_t *count) {
  assert(named->read && named->size > 0);
  if (!field->value) return true;
  if (!json_is_object(field->value)) return api_read_object(reader, field, NULL, 0);
  size_t members = json_object_size(field->value);
  if (members > named->most) {
    api_fault *fault =
        api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                     "At most %zu %s are allowed: remove the others.", named->most, named->many);
    api_fault_limit(fault, (double)named->most, (double)members);
    return false;
  }
  char *items = api_reader_alloc(reader, members, named->size);
  if (!items) return false;
  bool good = true;
  *out = items;
  *count = members;
  for (void *m = json_object_iter(field->value); m;
       m = json_object_iter_next(field->value, m), items += named->size) {
    ct_text name = api_text(json_object_iter_key(m));
    api_field member =
        api_field_at(json_object_iter_value(m), api_pointer_member_text(&field->path, name));
    good = read_named_value(reader, &member, named, name, items) && good;
  }
  return good;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

typedef struct ranked_pair {
  ct_text low, high;
  size_t index;
} ranked_pair;

static int compare_ranked_pairs(const void *a, const void *b) {
  const ranked_pair *x = a, *y = b;
  int order = api_text_compare(x->low, y->low);
  if (!order) order = api_text_compare(x->high, y->high);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

bool api_reject_repeated(api_reader *reader, const api_field *field, const api_name_pair *pairs,
                         size_t count, const char *text) {
  api_arena_mark mark = api_arena_position(reader->arena);
  ranked_pair *sorted = api_reader_alloc(reader, count, sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < count; i++) {
    bool swap = api_text_compare(pairs[i].a, pairs[i].b) > 0;
    sorted[i] = (ranked_pair){swap ? pairs[i].b : pairs[i].a, swap ? pairs[i].a : pairs[i].b, i};
  }
  qsort(sorted, count, sizeof *sorted, compare_ranked_pairs);
  size_t least = count;
  for (size_t i = 1; i < count; i++) {
    bool same = api_text_equal(sorted[i - 1].low, sorted[i].low) &&
                api_text_equal(sorted[i - 1].high, sorted[i].high);
    if (same && sorted[i].index < least) least = sorted[i].index;
  }
  api_arena_rewind(reader->arena, mark);
  if (least == count) return true;
  api_pointer element = api_pointer_index(&field->path, least);
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &element, "%s", text);
  return false;
}
