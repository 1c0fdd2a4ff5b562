/* The immutable copy of a scene's filters, and the verdict on a pair. */
#include "scene/filters.h"
#include "scene/scene.h"

#include <stdlib.h>

/* Copies texts into one buffer. */
typedef struct text_copier {
  char *to;
} text_copier;

static ct_text copy_text(text_copier *copier, ct_text text) {
  if (text.length == 0) return (ct_text){copier->to, 0};
  memcpy(copier->to, text.bytes, text.length);
  ct_text copy = {copier->to, text.length};
  copier->to += text.length;
  return copy;
}

typedef struct filter_sizes {
  size_t names;  /* mentions of a group, which bounds the number of groups */
  size_t listed; /* entries of not_collide_with in all rules */
  size_t text;
} filter_sizes;

static filter_sizes measure(const ct_filters *f) {
  filter_sizes s = {0, 0, 0};
  for (size_t i = 0; i < f->group_count; i++) {
    s.text += f->groups[i].group.length;
    s.listed += f->groups[i].count;
    for (size_t k = 0; k < f->groups[i].count; k++)
      s.text += f->groups[i].not_collide_with[k].length;
  }
  for (size_t i = 0; i < f->pair_count; i++)
    s.text += f->pairs[i].a.length + f->pairs[i].b.length + f->pairs[i].reason.length;
  s.names = f->group_count + s.listed;
  return s;
}

/* Names seen so far, with their table. */
typedef struct name_table {
  ct_hash_key key;
  ct_text *names;
  uint32_t count;
  uint32_t *slots;
  uint32_t mask;
} name_table;

/* The slot of the name, or the empty one where it would go. */
static uint32_t name_slot(const uint32_t *slots, uint32_t mask, const ct_text *names,
                          ct_hash_key key, ct_text name) {
  uint32_t at = (uint32_t)ct_hash_text(key, name) & mask;
  while (slots[at] && !ct_text_same(names[slots[at] - 1], name)) at = (at + 1) & mask;
  return at;
}

/* Index of the name; CT_GROUPS_MAX when there is no room for one more. */
static uint32_t intern(name_table *table, ct_text name) {
  uint32_t at = name_slot(table->slots, table->mask, table->names, table->key, name);
  if (table->slots[at]) return table->slots[at] - 1;
  if (table->count == CT_GROUPS_MAX) return CT_GROUPS_MAX;
  table->names[table->count++] = name;
  table->slots[at] = table->count;
  return table->count - 1;
}

static bool intern_all(name_table *table, const ct_filters *f) {
  for (size_t i = 0; i < f->group_count; i++) {
    if (f->groups[i].count == 0) continue;
    if (intern(table, f->groups[i].group) == CT_GROUPS_MAX) return false;
    for (size_t k = 0; k < f->groups[i].count; k++)
      if (intern(table, f->groups[i].not_collide_with[k]) == CT_GROUPS_MAX) return false;
  }
  return true;
}

/* Interns the group names. names and slots are left with the caller to free, whatever the status.
 */
static ct_status make_names(const ct_filters *filters, size_t mentions, ct_hash_key key,
                            name_table *table) {
  size_t most = mentions < CT_GROUPS_MAX ? mentions : CT_GROUPS_MAX;
  uint32_t slots = 2;
  while (slots < 2 * most + 2) slots *= 2;
  *table = (name_table){.key = key, .mask = slots - 1};
  table->names = malloc((most + 1) * sizeof *table->names);
  table->slots = calloc(slots, sizeof *table->slots);
  if (!table->names || !table->slots) return CT_OUT_OF_MEMORY;
  return intern_all(table, filters) ? CT_OK : CT_LIMIT;
}

/* Copies rules and names behind the head of the block, in order of alignment: matrix, structures,
 * slots, texts. */
static void lay_out(ct_filter_set *set, const ct_filters *f, const name_table *table,
                    size_t listed) {
  uint64_t *matrix = (uint64_t *)(set + 1);
  ct_group_rule *rules = (ct_group_rule *)(matrix + (size_t)set->group_count * set->words);
  ct_pair_rule *pairs = (ct_pair_rule *)(rules + f->group_count);
  ct_text *lists = (ct_text *)(pairs + f->pair_count), *groups = lists + listed;
  uint32_t *slots = (uint32_t *)(groups + set->group_count);
  text_copier copier = {(char *)(slots + set->slot_mask + 1)};
  memcpy(slots, table->slots, (set->slot_mask + 1) * sizeof *slots);
  for (size_t i = 0; i < f->group_count; i++) {
    rules[i] = (ct_group_rule){copy_text(&copier, f->groups[i].group), lists, f->groups[i].count};
    for (size_t k = 0; k < f->groups[i].count; k++)
      *lists++ = copy_text(&copier, f->groups[i].not_collide_with[k]);
  }
  for (size_t i = 0; i < f->pair_count; i++) {
    const ct_pair_rule *p = &f->pairs[i];
    ct_text a = copy_text(&copier, p->a), b = copy_text(&copier, p->b),
            reason = copy_text(&copier, p->reason);
    pairs[i] = (ct_pair_rule){a, b, p->collide, reason};
  }
  set->filters = (ct_filters){rules, f->group_count, pairs, f->pair_count};
  set->groups = groups;
  set->slots = slots;
  set->matrix = matrix;
  /* Names and matrix refer to the copies from here on. */
  for (size_t i = 0; i < f->group_count; i++) {
    if (rules[i].count == 0) continue;
    uint32_t a =
        slots[name_slot(slots, set->slot_mask, table->names, set->key, rules[i].group)] - 1;
    groups[a] = rules[i].group;
    for (size_t k = 0; k < rules[i].count; k++) {
      uint32_t b = slots[name_slot(slots, set->slot_mask, table->names, set->key,
                                   rules[i].not_collide_with[k])] -
                   1;
      groups[b] = rules[i].not_collide_with[k];
      matrix[(size_t)a * set->words + b / 64] |= UINT64_C(1) << (b % 64);
      matrix[(size_t)b * set->words + a / 64] |= UINT64_C(1) << (a % 64);
    }
  }
}

ct_status ct_filter_set_create(const ct_filters *filters, ct_hash_key key, ct_filter_set **out) {
  filter_sizes sizes = measure(filters);
  name_table table;
  ct_status status = make_names(filters, sizes.names, key, &table);
  if (status == CT_OK) {
    uint32_t words = (table.count + 63) / 64;
    size_t bytes = sizeof(ct_filter_set) + (size_t)table.count * words * sizeof(uint64_t) +
                   filters->group_count * sizeof(ct_group_rule) +
                   filters->pair_count * sizeof(ct_pair_rule) +
                   (sizes.listed + table.count) * sizeof(ct_text) +
                   (table.mask + 1) * sizeof(uint32_t) + sizes.text;
    ct_filter_set *set = calloc(1, bytes);
    if (set) {
      atomic_init(&set->refs, 1);
      set->group_count = table.count;
      set->words = words;
      set->slot_mask = table.mask;
      set->key = key;
      set->bytes = bytes;
      lay_out(set, filters, &table, sizes.listed);
      *out = set;
    } else {
      status = CT_OUT_OF_MEMORY;
    }
  }
  free(table.names);
  free(table.slots);
  return status;
}

ct_filter_set *ct_filter_set_retain(ct_filter_set *set) {
  if (set) atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
  return set;
}

void ct_filter_set_release(ct_filter_set *set) {
  if (set && atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) == 1) free(set);
}

uint32_t ct_filter_set_group(const ct_filter_set *set, ct_text name) {
  return set->slots[name_slot(set->slots, set->slot_mask, set->groups, set->key, name)] - 1;
}

/* The rule that names both bodies, in either order. */
static const ct_pair_rule *find_pair_rule(const ct_filters *f, ct_text a, ct_text b) {
  for (size_t i = 0; i < f->pair_count; i++) {
    const ct_pair_rule *p = &f->pairs[i];
    if ((ct_text_same(p->a, a) && ct_text_same(p->b, b)) ||
        (ct_text_same(p->a, b) && ct_text_same(p->b, a)))
      return p;
  }
  return NULL;
}

ct_filter_verdict ct_scene_filter_verdict(const ct_scene *scene, uint32_t row_a, uint32_t row_b) {
  ct_filter_verdict verdict = {true, NULL, {NULL, 0}, {NULL, 0}};
  const ct_filter_set *set = scene->filters;
  if (!set) return verdict;
  const ct_body *a = ct_scene_body(scene, row_a), *b = ct_scene_body(scene, row_b);
  verdict.pair_rule = find_pair_rule(&set->filters, ct_body_id(a), ct_body_id(b));
  if (verdict.pair_rule) {
    verdict.collide = verdict.pair_rule->collide;
    return verdict;
  }
  for (size_t i = 0; i < ct_body_group_count(a); i++) {
    uint32_t ga = ct_filter_set_group(set, ct_body_group(a, i));
    if (ga == UINT32_MAX) continue;
    for (size_t k = 0; k < ct_body_group_count(b); k++) {
      uint32_t gb = ct_filter_set_group(set, ct_body_group(b, k));
      if (gb == UINT32_MAX || !ct_filter_set_excludes(set, ga, gb)) continue;
      return (ct_filter_verdict){false, NULL, ct_body_group(a, i), ct_body_group(b, k)};
    }
  }
  return verdict;
}
