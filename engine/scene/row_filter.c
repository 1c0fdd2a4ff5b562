/* Filters resolved to rows: groups as small numbers per row, pair rules in a table by the two rows.
 */
#include "scene/filters.h"

#include <stdlib.h>

typedef struct ct_row_rule {
  uint32_t low, high; /* rows, low < high; both 0: empty slot */
  bool collide;
} ct_row_rule;

static const ct_body *body_at(const ct_column *bodies, uint32_t row) {
  return *(const ct_body *const *)ct_column_at(bodies, row);
}

/* Rows or rules between two looks at the cancel flag: some 10 us. */
#define ROWS_PER_POLL 256

/* Fills start and group; with group NULL only counts. SIZE_MAX: cancelled. */
static size_t list_groups(ct_row_filter *filter, const ct_column *bodies, const ct_cancel *cancel) {
  size_t at = 0;
  for (uint32_t row = 0; row < filter->rows; row++) {
    if (row % ROWS_PER_POLL == 0 && ct_cancel_raised(cancel)) return SIZE_MAX;
    filter->start[row] = (uint32_t)at;
    const ct_body *body = body_at(bodies, row);
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
    /* Of several rules for a pair the first holds, as in ct_scene_filter_verdict. */
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
  if (!filter->start || filter->start[row] == filter->start[row + 1]) return false;
  uint32_t words = filter->set->words;
  memset(mask, 0, words * sizeof *mask);
  for (uint32_t k = filter->start[row]; k < filter->start[row + 1]; k++) {
    const uint64_t *bits = filter->set->matrix + (size_t)filter->group[k] * words;
    for (uint32_t w = 0; w < words; w++) mask[w] |= bits[w];
  }
  return true;
}

static bool ruled(const ct_row_filter *filter, uint32_t row) {
  return filter->ruled[row / 8] >> (row % 8) & 1;
}

bool ct_row_filter_passes(const ct_row_filter *filter, uint32_t i, const uint64_t *mask,
                          uint32_t j) {
  if (filter->rules && ruled(filter, i) && ruled(filter, j)) {
    const ct_row_rule *rule =
        &filter->rules[i < j ? rule_slot(filter, i, j) : rule_slot(filter, j, i)];
    if (rule->high) return rule->collide;
  }
  if (!mask) return true;
  for (uint32_t k = filter->start[j]; k < filter->start[j + 1]; k++)
    if (mask[filter->group[k] / 64] >> (filter->group[k] % 64) & 1) return false;
  return true;
}
