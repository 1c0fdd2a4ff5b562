/* Reads and writes filters. The engine evaluates them for a pair. */
#include "documents/filters_json.h"

#include <contact/limits.h>

#include "common/spelling.h"
#include "common/warning.h"
#include "json/named_objects_json.h"

#include <assert.h>
#include <stdlib.h>

/* ---- decode --------------------------------------------------------------------------------- */

/* Reads an array of group names. */
static bool read_group_names(api_reader *reader, const api_field *field, const ct_text **out,
                             size_t *count) {
  if (!api_read_array(reader, field, 0, CT_GROUPS_MAX, count)) return false;
  ct_text *names = api_reader_alloc(reader, *count, sizeof *names);
  if (!names) return false;
  bool good = true;
  for (size_t i = 0; i < *count; i++) {
    api_field element = api_field_element(field, i);
    good = api_read_id(reader, &element, &names[i]) && good;
  }
  *out = names;
  return good;
}

static bool read_group_rule(api_reader *reader, const api_field *field, ct_text name, void *out) {
  ct_group_rule *rule = out;
  api_field with = {.name = "notCollideWith", .required = true};
  if (!api_read_object(reader, field, &with, 1)) return false;
  rule->group = name;
  return read_group_names(reader, &with, &rule->not_collide_with, &rule->count);
}

static bool read_group_rules(api_reader *reader, const api_field *field, ct_filters *out) {
  static const api_named groups = {"group", "groups with rules", CT_GROUPS_MAX,
                                   sizeof(ct_group_rule), read_group_rule};
  void *rules = NULL;
  bool good = api_read_named(reader, field, &groups, &rules, &out->group_count);
  out->groups = rules;
  return good;
}

static bool read_pair_rule(api_reader *reader, const api_field *field, ct_pair_rule *out) {
  enum { A, B, COLLIDE, REASON, COUNT };
  api_field m[COUNT] = {{.name = "a", .required = true},
                        {.name = "b", .required = true},
                        {.name = "collide"},
                        {.name = "reason"}};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  bool good = api_read_id(reader, &m[A], &out->a);
  good = api_read_id(reader, &m[B], &out->b) && good;
  good = api_read_bool(reader, &m[COLLIDE], &out->collide) && good;
  good = api_read_text(reader, &m[REASON], API_REASON_BYTES_MAX, &out->reason) && good;
  if (!good || !api_text_equal(out->a, out->b)) return good;
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &m[B].path,
               "a and b of a rule must be two different bodies.");
  return false;
}

static bool refuse_repeated_rules(api_reader *reader, const api_field *field,
                                  const ct_pair_rule *rules, size_t count) {
  api_arena_mark mark = api_arena_position(reader->arena);
  api_name_pair *names = api_reader_alloc(reader, count, sizeof *names);
  for (size_t i = 0; names && i < count; i++) names[i] = (api_name_pair){rules[i].a, rules[i].b};
  bool good = names && api_reject_repeated(
                           reader, field, names, count,
                           "An earlier rule has the same pair of bodies: remove one of the two.");
  api_arena_rewind(reader->arena, mark);
  return good;
}

static bool read_pair_rules(api_reader *reader, const api_field *field, ct_filters *out) {
  size_t count = 0;
  if (!field->value) return true;
  if (!api_read_array(reader, field, 0, reader->limits->pairs, &count)) return false;
  ct_pair_rule *rules = api_reader_alloc(reader, count, sizeof *rules);
  if (!rules) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    good = read_pair_rule(reader, &element, &rules[i]) && good;
  }
  out->pairs = rules;
  out->pair_count = count;
  return good && (count < 2 || refuse_repeated_rules(reader, field, rules, count));
}

bool api_read_filters(api_reader *reader, const api_field *field, ct_filters *out) {
  if (!field->value) return true;
  api_field m[2] = {{.name = "groups"}, {.name = "pairs"}};
  ct_filters filters = {0};
  bool good = api_read_object(reader, field, m, 2);
  good = read_group_rules(reader, &m[0], &filters) && good;
  good = read_pair_rules(reader, &m[1], &filters) && good;
  if (good) *out = filters;
  return good;
}

static bool check_body_exists(api_reader *reader, const api_pointer *pair, const char *member,
                              ct_text id, const ct_draft *draft) {
  if (ct_draft_find(draft, id) != CT_NO_ROW) return true;
  char echo[API_ECHO_MAX + 4];
  api_pointer path = api_pointer_member(pair, member);
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &path,
                                  "The scene has no body \"%s\".", api_echo(id, echo));
  api_fault_did_you_mean(fault, api_spelling_of_draft(draft, id));
  return false;
}

/* ---- groups of no body ---------------------------------------------------------------------- */

typedef struct named_group {
  ct_text name;
  api_pointer at;
  bool has_body;
} named_group;

static int compare_group_names(const void *a, const void *b) {
  return api_text_compare(((const named_group *)a)->name, ((const named_group *)b)->name);
}

static void mark_groups_of_body(const ct_body *body, named_group *groups, size_t count) {
  for (size_t g = 0; g < ct_body_group_count(body); g++) {
    const named_group key = {.name = ct_body_group(body, g)};
    named_group *found = bsearch(&key, groups, count, sizeof *groups, compare_group_names);
    if (found) found->has_body = true;
  }
}

static void warn_unknown_group(api_reader *reader, const named_group *group,
                               const ct_draft *draft) {
  char echo[API_ECHO_MAX + 4], echo_best[API_ECHO_MAX + 4];
  /* Search a suggestion only for a warning that is stored: the search compares all groups of all
   * bodies. */
  bool is_kept = reader->warnings->count < API_WARNINGS_KEPT;
  ct_text best = is_kept ? api_spelling_of_groups(draft, group->name).best : (ct_text){0};
  api_warn(reader->warnings, "unknownGroup", &group->at, 0, "No body is in the group \"%s\"%s%s%s",
           api_echo(group->name, echo), best.length ? "; did you mean \"" : ".",
           best.length ? api_echo(best, echo_best) : "", best.length ? "\"?" : "");
}

void api_warn_groups(api_reader *reader, const api_pointer *at, const ct_filters *filters,
                     const ct_draft *draft) {
  api_pointer all = api_pointer_member(at, "groups"), rules[CT_GROUPS_MAX], lists[CT_GROUPS_MAX];
  size_t count = filters->group_count, used = 0;
  if (!reader->warnings || count == 0 || count > CT_GROUPS_MAX) return;
  for (size_t i = 0; i < filters->group_count; i++) count += filters->groups[i].count;
  api_arena_mark mark = api_arena_position(reader->arena);
  /* List all group names in the filters with their locations. */
  named_group *groups = api_reader_alloc(reader, count, sizeof *groups);
  for (size_t i = 0; groups && i < filters->group_count; i++) {
    const ct_group_rule *rule = &filters->groups[i];
    rules[i] = api_pointer_member_text(&all, rule->group);
    lists[i] = api_pointer_member(&rules[i], "notCollideWith");
    groups[used++] = (named_group){rule->group, rules[i], false};
    for (size_t k = 0; k < rule->count; k++)
      groups[used++] =
          (named_group){rule->not_collide_with[k], api_pointer_index(&lists[i], k), false};
  }
  if (!groups) return;
  assert(used == count);
  /* Keep the first location of each name, to which the warning points. */
  qsort(groups, used, sizeof *groups, compare_group_names);
  size_t kept = 0;
  for (size_t i = 0; i < used; i++)
    if (kept == 0 || !api_text_equal(groups[kept - 1].name, groups[i].name))
      groups[kept++] = groups[i];
  /* Mark the names of groups that have a body; warn of the others. */
  for (uint32_t row = 0; row < ct_draft_rows(draft); row++)
    if (ct_draft_body(draft, row)) mark_groups_of_body(ct_draft_body(draft, row), groups, kept);
  for (size_t i = 0; i < kept; i++)
    if (!groups[i].has_body) warn_unknown_group(reader, &groups[i], draft);
  api_arena_rewind(reader->arena, mark);
}

/* ---- use ------------------------------------------------------------------------------------ */

bool api_apply_filters(api_reader *reader, const api_pointer *at, const ct_filters *filters,
                       ct_draft *draft) {
  api_pointer pairs = api_pointer_member(at, "pairs");
  bool good = true;
  for (size_t i = 0; i < filters->pair_count && !api_faults_full(reader->faults); i++) {
    api_pointer pair = api_pointer_index(&pairs, i);
    good = check_body_exists(reader, &pair, "a", filters->pairs[i].a, draft) && good;
    good = check_body_exists(reader, &pair, "b", filters->pairs[i].b, draft) && good;
  }
  if (!good) return false;
  ct_status status = ct_draft_set_filters(draft, filters);
  if (status == CT_OK) return true;
  if (status == CT_LIMIT) {
    api_pointer groups = api_pointer_member(at, "groups");
    api_fault *fault = api_fault_at(
        reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &groups,
        "The rules mention more than %d groups, the limit: use fewer groups.", CT_GROUPS_MAX);
    api_fault_limit(fault, CT_GROUPS_MAX, HUGE_VAL);
  } else {
    api_fault_memory(reader->faults);
  }
  return false;
}

/* ---- encode --------------------------------------------------------------------------------- */

static void put_group_rule(api_buffer *buffer, const ct_group_rule *rule) {
  api_put_key_text(buffer, rule->group);
  api_put_raw(buffer, "{\"notCollideWith\":[");
  for (size_t i = 0; i < rule->count; i++) {
    api_put_item(buffer);
    api_put_string(buffer, rule->not_collide_with[i]);
  }
  api_put_raw(buffer, "]}");
}

static void put_pair_rule(api_buffer *buffer, const ct_pair_rule *rule) {
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
  for (size_t i = 0; i < filters->group_count; i++) put_group_rule(buffer, &filters->groups[i]);
  api_put_raw(buffer, "},\"pairs\":[");
  for (size_t i = 0; i < filters->pair_count; i++) put_pair_rule(buffer, &filters->pairs[i]);
  api_put_raw(buffer, "]}");
}

void api_put_effective(api_buffer *buffer, const ct_scene *scene, uint32_t row_a, uint32_t row_b) {
  ct_filter_verdict verdict = ct_scene_filter_verdict(scene, row_a, row_b);
  bool groups = verdict.group_a.length > 0;
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "a", ct_body_id(ct_scene_body(scene, row_a)));
  api_put_member_string(buffer, "b", ct_body_id(ct_scene_body(scene, row_b)));
  api_put_member_bool(buffer, "collide", verdict.collide);
  api_put_member_string(buffer, "decidedBy",
                        api_text(verdict.pair_rule ? "pair"
                                 : groups          ? "groups"
                                                   : "default"));
  if (verdict.pair_rule && verdict.pair_rule->reason.length)
    api_put_member_string(buffer, "reason", verdict.pair_rule->reason);
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
