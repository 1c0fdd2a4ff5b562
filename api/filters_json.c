/* Filters. What a verdict is, the engine says; here are its words. */
#include "filters_json.h"

#include <stdlib.h>

#include <contact/limits.h>

/* ---- decode -------------------------------------------------------------------------------------------------------------- */

static void *take(api_reader *reader, size_t count, size_t size) {
  void *memory = api_arena_array(reader->arena, count, size);
  if (!memory) api_fault_memory(reader->faults);
  return memory;
}

/* An array of group names. */
static bool read_names(api_reader *reader, const api_field *field, const ct_text **out, size_t *count) {
  if (!api_read_array(reader, field, 0, CT_GROUPS_MAX, count)) return false;
  ct_text *names = take(reader, *count, sizeof *names);
  if (!names) return false;
  bool good = true;
  for (size_t i = 0; i < *count; i++) {
    api_field element = api_field_element(field, i);
    good = api_read_id(reader, &element, &names[i]) && good;
  }
  *out = names;
  return good;
}

static bool read_group(api_reader *reader, const api_field *field, ct_text name, ct_group_rule *out) {
  if (!api_id_valid(name)) {
    char echo[API_ECHO_MAX + 4];
    api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path, "\"%s\" is no name of a group; names are formed as ids.",
                 api_echo(name, echo));
    return false;
  }
  api_field with = {.name = "notCollideWith", .required = true};
  if (!api_read_object(reader, field, &with, 1)) return false;
  out->group = name;
  return read_names(reader, &with, &out->not_collide_with, &out->count);
}

static bool read_groups(api_reader *reader, const api_field *field, ct_filters *out) {
  if (!field->value) return true;
  if (!json_is_object(field->value)) return api_read_object(reader, field, NULL, 0);
  size_t count = json_object_size(field->value), i = 0;
  if (count > CT_GROUPS_MAX) {
    api_fault_limit(
        api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path, "At most %d groups may have rules.", CT_GROUPS_MAX),
        CT_GROUPS_MAX, (double)count);
    return false;
  }
  ct_group_rule *rules = take(reader, count, sizeof *rules);
  if (!rules) return false;
  bool good = true;
  for (void *m = json_object_iter(field->value); m; m = json_object_iter_next(field->value, m)) {
    ct_text name = api_text(json_object_iter_key(m));
    api_field member = api_field_at(json_object_iter_value(m), api_path_text(&field->path, name));
    good = read_group(reader, &member, name, &rules[i++]) && good;
  }
  out->groups = rules;
  out->group_count = count;
  return good;
}

static bool read_pair(api_reader *reader, const api_field *field, ct_pair_rule *out) {
  enum { A, B, COLLIDE, REASON, COUNT };
  api_field m[COUNT] = {{.name = "a", .required = true}, {.name = "b", .required = true}, {.name = "collide"}, {.name = "reason"}};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  bool good = api_read_id(reader, &m[A], &out->a);
  good = api_read_id(reader, &m[B], &out->b) && good;
  good = api_read_bool(reader, &m[COLLIDE], &out->collide) && good;
  good = api_read_text(reader, &m[REASON], API_REASON_BYTES_MAX, &out->reason) && good;
  if (!good || !api_text_equal(out->a, out->b)) return good;
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &m[B].path, "A rule needs two different bodies.");
  return false;
}

/* A rule's pair without regard to order. */
typedef struct ranked_pair {
  ct_text low, high;
  size_t index;
} ranked_pair;

static int compare_pairs(const void *a, const void *b) {
  const ranked_pair *x = a, *y = b;
  int order = api_text_compare(x->low, y->low);
  if (!order) order = api_text_compare(x->high, y->high);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static bool refuse_repeated(api_reader *reader, const api_field *field, const ct_pair_rule *rules, size_t count) {
  api_arena_mark mark = api_arena_here(reader->arena);
  ranked_pair *sorted = take(reader, count, sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < count; i++) {
    bool swap = api_text_compare(rules[i].a, rules[i].b) > 0;
    sorted[i] = (ranked_pair){swap ? rules[i].b : rules[i].a, swap ? rules[i].a : rules[i].b, i};
  }
  qsort(sorted, count, sizeof *sorted, compare_pairs);
  size_t least = count;
  for (size_t i = 1; i < count; i++) {
    bool same = api_text_equal(sorted[i - 1].low, sorted[i].low) && api_text_equal(sorted[i - 1].high, sorted[i].high);
    if (same && sorted[i].index < least) least = sorted[i].index;
  }
  api_arena_rewind(reader->arena, mark);
  if (least == count) return true;
  api_path element = api_path_index(&field->path, least);
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &element, "There is a rule for this pair already.");
  return false;
}

static bool read_pairs(api_reader *reader, const api_field *field, ct_filters *out) {
  size_t count = 0;
  if (!field->value) return true;
  if (!api_read_array(reader, field, 0, reader->limits->pairs, &count)) return false;
  ct_pair_rule *rules = take(reader, count, sizeof *rules);
  if (!rules) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    good = read_pair(reader, &element, &rules[i]) && good;
  }
  out->pairs = rules;
  out->pair_count = count;
  return good && (count < 2 || refuse_repeated(reader, field, rules, count));
}

bool api_read_filters(api_reader *reader, const api_field *field, ct_filters *out) {
  if (!field->value) return true;
  api_field m[2] = {{.name = "groups"}, {.name = "pairs"}};
  ct_filters filters = {0};
  bool good = api_read_object(reader, field, m, 2);
  good = read_groups(reader, &m[0], &filters) && good;
  good = read_pairs(reader, &m[1], &filters) && good;
  if (good) *out = filters;
  return good;
}

static bool check_known(api_reader *reader, const api_path *pair, const char *member, ct_text id, const ct_draft *draft) {
  if (ct_draft_find(draft, id) != CT_NO_ROW) return true;
  char echo[API_ECHO_MAX + 4];
  api_path path = api_path_member(pair, member);
  api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &path, "The scene has no body \"%s\".", api_echo(id, echo));
  return false;
}

bool api_apply_filters(api_reader *reader, const api_path *at, const ct_filters *filters, ct_draft *draft) {
  api_path pairs = api_path_member(at, "pairs");
  bool good = true;
  for (size_t i = 0; i < filters->pair_count && !api_faults_full(reader->faults); i++) {
    api_path pair = api_path_index(&pairs, i);
    good = check_known(reader, &pair, "a", filters->pairs[i].a, draft) && good;
    good = check_known(reader, &pair, "b", filters->pairs[i].b, draft) && good;
  }
  if (!good) return false;
  ct_status status = ct_draft_set_filters(draft, filters);
  if (status == CT_OK) return true;
  if (status == CT_LIMIT) {
    api_path groups = api_path_member(at, "groups");
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &groups,
                                    "At most %d groups may take part in rules.", CT_GROUPS_MAX);
    api_fault_limit(fault, CT_GROUPS_MAX, HUGE_VAL);
  } else {
    api_fault_memory(reader->faults);
  }
  return false;
}

/* ---- encode -------------------------------------------------------------------------------------------------------------- */

static void put_group(api_buffer *buffer, const ct_group_rule *rule) {
  api_put_key_text(buffer, rule->group);
  api_put_raw(buffer, "{\"notCollideWith\":[");
  for (size_t i = 0; i < rule->count; i++) {
    api_put_item(buffer);
    api_put_string(buffer, rule->not_collide_with[i]);
  }
  api_put_raw(buffer, "]}");
}

static void put_pair(api_buffer *buffer, const ct_pair_rule *rule) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "a", rule->a);
  api_put_member_string(buffer, "b", rule->b);
  api_put_member_bool(buffer, "collide", rule->collide);
  if (rule->reason.length) api_put_member_string(buffer, "reason", rule->reason);
  api_put_byte(buffer, '}');
}

void api_put_filters(api_buffer *buffer, const ct_filters *filters) {
  api_put_raw(buffer, "{\"groups\":{");
  for (size_t i = 0; i < filters->group_count; i++) put_group(buffer, &filters->groups[i]);
  api_put_raw(buffer, "},\"pairs\":[");
  for (size_t i = 0; i < filters->pair_count; i++) put_pair(buffer, &filters->pairs[i]);
  api_put_raw(buffer, "]}");
}

void api_put_effective(api_buffer *buffer, const ct_scene *scene, uint32_t row_a, uint32_t row_b) {
  ct_filter_verdict verdict = ct_scene_verdict(scene, row_a, row_b);
  bool groups = verdict.group_a.length > 0;
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "a", ct_body_id(ct_scene_body(scene, row_a)));
  api_put_member_string(buffer, "b", ct_body_id(ct_scene_body(scene, row_b)));
  api_put_member_bool(buffer, "collide", verdict.collide);
  api_put_member_string(buffer, "decidedBy", api_text(verdict.pair_rule ? "pair" : groups ? "groups" : "default"));
  if (verdict.pair_rule && verdict.pair_rule->reason.length) api_put_member_string(buffer, "reason", verdict.pair_rule->reason);
  if (!verdict.pair_rule && groups) {
    api_put_key(buffer, "groups");
    api_put_byte(buffer, '[');
    api_put_string(buffer, verdict.group_a);
    api_put_byte(buffer, ',');
    api_put_string(buffer, verdict.group_b);
    api_put_byte(buffer, ']');
  }
  api_put_byte(buffer, '}');
}
