/* Filters: an immutable copy of a scene's rules, and the same rules resolved to rows for the pair
 * loops. */
#ifndef SCENE_FILTERS_H
#define SCENE_FILTERS_H

#include "scene/column.h"
#include "scene/hash.h"

/* One immutable block: the caller's structures, the names of the groups with rules, and the matrix
 * of groups that do not collide. */
typedef struct ct_filter_set {
  _Atomic uint32_t refs;
  uint32_t group_count; /* groups that appear in rules */
  uint32_t words;       /* 64-bit words of a matrix row */
  uint32_t slot_mask;   /* of the hash table of names */
  ct_hash_key key;
  ct_filters filters;
  const ct_text *groups;  /* [group_count] */
  const uint32_t *slots;  /* group + 1 by hash of name; 0: empty */
  const uint64_t *matrix; /* [group_count * words]: bit b of row a: groups a and b do not collide */
  size_t bytes;
} ct_filter_set;

/* CT_LIMIT: more than CT_GROUPS_MAX groups. */
ct_status ct_filter_set_create(const ct_filters *filters, ct_hash_key key, ct_filter_set **out);
ct_filter_set *ct_filter_set_retain(ct_filter_set *set); /* NULL is returned as NULL */
void ct_filter_set_release(ct_filter_set *set);
/* Index of a group that appears in rules; UINT32_MAX: it appears in none. */
uint32_t ct_filter_set_group(const ct_filter_set *set, ct_text name);
static inline bool ct_filter_set_excludes(const ct_filter_set *set, uint32_t a, uint32_t b) {
  return set->matrix[(size_t)a * set->words + b / 64] >> (b % 64) & 1;
}

/* The rules resolved to rows: built once per revision with rules. */
typedef struct ct_row_filter {
  _Atomic uint32_t refs;
  uint32_t rows;
  ct_filter_set *set;        /* retained */
  uint32_t *start;           /* [rows + 1] into group; NULL: no group rules */
  uint16_t *group;           /* per row, the indices of its groups that appear in rules */
  struct ct_row_rule *rules; /* hash table by the pair of rows; NULL: no pair rules */
  size_t rule_mask;
  uint8_t *ruled; /* bit per row: a pair rule names the body */
} ct_row_filter;

/* find(context, id): the row, or CT_NO_ROW. */
typedef uint32_t (*ct_find_row)(const void *context, ct_text id);

/* NULL: out of memory, or cancelled. */
ct_row_filter *ct_row_filter_create(ct_filter_set *set, const ct_column *bodies, uint32_t rows,
                                    ct_find_row find, const void *context, const ct_cancel *cancel);
ct_row_filter *ct_row_filter_retain(ct_row_filter *filter);
void ct_row_filter_release(ct_row_filter *filter);

/* Sets mask[set->words] to the groups that a group of the row does not collide with. False: there
 * are none, and mask is unchanged. */
bool ct_row_filter_mask(const ct_row_filter *filter, uint32_t row, uint64_t *mask);
/* True if the rules admit the pair. mask: that of row i, or NULL if it has none. O(groups of row
 * j). */
bool ct_row_filter_passes(const ct_row_filter *filter, uint32_t i, const uint64_t *mask,
                          uint32_t j);

#endif
