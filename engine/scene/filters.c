/* Filters: copies a scene's rules into one block with the pairs of groups as a bit matrix, and
 * resolves them to rows with group indices per row and a hash table of pair rules. */
#include "scene/filters.h"

#include <assert.h>
#include <stdlib.h>

/* Copies texts into one buffer, one after the other. */
typedef struct text_copier {
  char *to;
} text_copier;

static ct_text copy_filter_text(text_copier *copier, ct_text text) {
  if (text.length == 0) return (ct_text){copier->to, 0};
  memcpy(copier->to, text.bytes, text.length);
  ct_text copy = {copier->to, text.length};
  copier->to += text.length;
  return copy;
}

typedef struct filter_sizes {
  size_t names;  /* number of group names in all rules: an upper bound of the number of groups */
  size_t listed; /* total length of the lists not_collide_with */
  size_t text;
} filter_sizes;

static filter_sizes measure_filter_sizes(const ct_filters *f) {
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

/* Hash table of the distinct group names found so far. */
typedef struct name_table {
  ct_hash_key key;
  ct_text *names;
  uint32_t count;
  uint32_t *slots;
  uint32_t mask;
} name_table;

/* Returns the slot of the name, or the empty slot at which it would be inserted. */
static uint32_t name_slot(const uint32_t *slots, uint32_t mask, const ct_text *names,
                          ct_hash_key key, ct_text name) {
  uint32_t at = (uint32_t)ct_hash_text(key, name) & mask;
  while (slots[at] && !ct_text_same(names[slots[at] - 1], name)) at = (at + 1) & mask;
  return at;
}

/* Returns the index of the name, which is added if it is new; CT_GROUPS_MAX if there are already as
 * many names. */
static uint32_t intern_name(name_table *table, ct_text name) {
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
    if (intern_name(table, f->groups[i].group) == CT_GROUPS_MAX) return false;
    for (size_t k = 0; k < f->groups[i].count; k++)
      if (intern_name(table, f->groups[i].not_collide_with[k]) == CT_GROUPS_MAX) return false;
  }
  return true;
}

/* Fills the table with the distinct group names of all rules. CT_LIMIT: there are too many. The
 * caller frees table->names and table->slots, also after a failure. */
static ct_status intern_group_names(const ct_filters *filters, size_t mentions, ct_hash_key key,
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
 * hash slots, texts. Then fills group names and matrix. */
static void lay_out_filters(ct_filter_set *set, const ct_filters *f, const name_table *table,
                            size_t listed) {
  uint64_t *matrix = (uint64_t *)(set + 1);
  ct_group_rule *rules = (ct_group_rule *)(matrix + (size_t)set->group_count * set->words);
  ct_pair_rule *pairs = (ct_pair_rule *)(rules + f->group_count);
  ct_text *lists = (ct_text *)(pairs + f->pair_count), *groups = lists + listed;
  uint32_t *slots = (uint32_t *)(groups + set->group_count);
  text_copier copier = {(char *)(slots + set->slot_mask + 1)};
  memcpy(slots, table->slots, (set->slot_mask + 1) * sizeof *slots);
  for (size_t i = 0; i < f->group_count; i++) {
    rules[i] =
        (ct_group_rule){copy_filter_text(&copier, f->groups[i].group), lists, f->groups[i].count};
    for (size_t k = 0; k < f->groups[i].count; k++)
      *lists++ = copy_filter_text(&copier, f->groups[i].not_collide_with[k]);
  }
  for (size_t i = 0; i < f->pair_count; i++) {
    const ct_pair_rule *p = &f->pairs[i];
    ct_text a = copy_filter_text(&copier, p->a), b = copy_filter_text(&copier, p->b),
            reason = copy_filter_text(&copier, p->reason);
    pairs[i] = (ct_pair_rule){a, b, p->collide, reason};
  }
  set->filters = (ct_filters){rules, f->group_count, pairs, f->pair_count};
  set->groups = groups;
  set->slots = slots;
  set->matrix = matrix;
  /* From here on names and matrix refer to the copies in the block. */
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
  filter_sizes sizes = measure_filter_sizes(filters);
  name_table table;
  ct_status status = intern_group_names(filters, sizes.names, key, &table);
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
      lay_out_filters(set, filters, &table, sizes.listed);
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

typedef struct ct_row_rule {
  uint32_t low, high; /* rows of the pair, low < high; both are 0 in an empty slot */
  bool collide;
} ct_row_rule;

static const ct_body *body_of_column_row(const ct_column *bodies, uint32_t row) {
  return *(const ct_body *const *)ct_column_at(bodies, row);
}

/* Rows or rules between two polls of the cancel flag; they take about 10 us. */
#define ROWS_PER_POLL 256

/* Lists the groups of all rows in filter->start and filter->group, and returns their number; if
 * `group` is NULL, only counts. SIZE_MAX: cancelled. */
static size_t list_groups(ct_row_filter *filter, const ct_column *bodies, const ct_cancel *cancel) {
  size_t at = 0;
  for (uint32_t row = 0; row < filter->rows; row++) {
    if (row % ROWS_PER_POLL == 0 && ct_cancel_raised(cancel)) return SIZE_MAX;
    filter->start[row] = (uint32_t)at;
    const ct_body *body = body_of_column_row(bodies, row);
    size_t count = body ? ct_body_group_count(body) : 0;
    for (size_t k = 0; k < count; k++) {
      uint32_t group = ct_filter_set_group(filter->set, ct_body_group(body, k));
      if (group == UINT32_MAX) continue;
      if (filter->group) filter->group[at] = (uint16_t)group;
      at++;
    }
  }
  filter->start[filter->rows] = (uint32_t)at;
  return at;
}

static bool resolve_groups(ct_row_filter *filter, const ct_column *bodies,
                           const ct_cancel *cancel) {
  if (filter->set->group_count == 0) return true;
  filter->start = malloc(((size_t)filter->rows + 1) * sizeof *filter->start);
  if (!filter->start) return false;
  size_t count = list_groups(filter, bodies, cancel);
  if (count >= UINT32_MAX) return false;
  filter->group = malloc((count + 1) * sizeof *filter->group);
  if (!filter->group) return false;
  return list_groups(filter, bodies, cancel) != SIZE_MAX;
}

static size_t rule_slot(const ct_row_filter *filter, uint32_t low, uint32_t high) {
  assert(low < high);
  size_t at = ct_hash_number(filter->set->key.k0, (uint64_t)low << 32 | high) & filter->rule_mask;
  const ct_row_rule *rules = filter->rules;
  while (rules[at].high && (rules[at].low != low || rules[at].high != high))
    at = (at + 1) & filter->rule_mask;
  return at;
}

static bool resolve_pairs(ct_row_filter *filter, ct_find_row find, const void *context,
                          const ct_cancel *cancel) {
  const ct_filters *f = &filter->set->filters;
  if (f->pair_count == 0) return true;
  size_t slots = 4;
  while (slots < 2 * f->pair_count) slots *= 2;
  filter->rules = calloc(slots, sizeof *filter->rules);
  filter->ruled = calloc((size_t)filter->rows / 8 + 1, 1);
  if (!filter->rules || !filter->ruled) return false;
  filter->rule_mask = slots - 1;
  for (size_t i = 0; i < f->pair_count; i++) {
    if (i % ROWS_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    uint32_t a = find(context, f->pairs[i].a), b = find(context, f->pairs[i].b);
    if (a == CT_NO_ROW || b == CT_NO_ROW || a == b) continue;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    ct_row_rule *rule = &filter->rules[rule_slot(filter, low, high)];
    /* The first of several rules for a pair applies, as in ct_scene_filter_verdict. */
    if (rule->high == 0) *rule = (ct_row_rule){low, high, f->pairs[i].collide};
    filter->ruled[a / 8] = (uint8_t)(filter->ruled[a / 8] | 1u << (a % 8));
    filter->ruled[b / 8] = (uint8_t)(filter->ruled[b / 8] | 1u << (b % 8));
  }
  return true;
}

ct_row_filter *ct_row_filter_create(ct_filter_set *set, const ct_column *bodies, uint32_t rows,
                                    ct_find_row find, const void *context,
                                    const ct_cancel *cancel) {
  ct_row_filter *filter = malloc(sizeof *filter);
  if (!filter) return NULL;
  *filter = (ct_row_filter){.rows = rows, .set = ct_filter_set_retain(set)};
  atomic_init(&filter->refs, 1);
  if (resolve_groups(filter, bodies, cancel) && resolve_pairs(filter, find, context, cancel))
    return filter;
  ct_row_filter_release(filter);
  return NULL;
}

ct_row_filter *ct_row_filter_retain(ct_row_filter *filter) {
  if (filter) atomic_fetch_add_explicit(&filter->refs, 1, memory_order_relaxed);
  return filter;
}

void ct_row_filter_release(ct_row_filter *filter) {
  if (!filter || atomic_fetch_sub_explicit(&filter->refs, 1, memory_order_acq_rel) != 1) return;
  free(filter->start);
  free(filter->group);
  free(filter->rules);
  free(filter->ruled);
  ct_filter_set_release(filter->set);
  free(filter);
}

bool ct_row_filter_mask(const ct_row_filter *filter, uint32_t row, uint64_t *mask) {
  assert(row < filter->rows);
  if (!filter->start || filter->start[row] == filter->start[row + 1]) return false;
  uint32_t words = filter->set->words;
  memset(mask, 0, words * sizeof *mask);
  for (uint32_t k = filter->start[row]; k < filter->start[row + 1]; k++) {
    const uint64_t *bits = filter->set->matrix + (size_t)filter->group[k] * words;
    for (uint32_t w = 0; w < words; w++) mask[w] |= bits[w];
  }
  return true;
}

static bool has_pair_rule(const ct_row_filter *filter, uint32_t row) {
  return filter->ruled[row / 8] >> (row % 8) & 1;
}

bool ct_row_filter_passes(const ct_row_filter *filter, uint32_t i, const uint64_t *mask,
                          uint32_t j) {
  if (filter->rules && has_pair_rule(filter, i) && has_pair_rule(filter, j)) {
    const ct_row_rule *rule =
        &filter->rules[i < j ? rule_slot(filter, i, j) : rule_slot(filter, j, i)];
    if (rule->high) return rule->collide;
  }
  if (!mask) return true;
  for (uint32_t k = filter->start[j]; k < filter->start[j + 1]; k++)
    if (mask[filter->group[k] / 64] >> (filter->group[k] % 64) & 1) return false;
  return true;
}
