/* Filters: an immutable copy of a scene's collision rules, and the same rules resolved to rows for
 * the loops over pairs. */
#ifndef SCENE_FILTERS_H
#define SCENE_FILTERS_H

#include "scene/column.h"
#include "scene/hash.h"

/* One immutable block of memory: the caller's rules, the names of the groups in them, and the
 * matrix of groups that do not collide. */
typedef struct ct_filter_set {
  _Atomic uint32_t refs;
  uint32_t group_count; /* number of groups that appear in rules */
  uint32_t words;       /* number of 64-bit words in a row of `matrix` */
  uint32_t slot_mask;   /* number of slots - 1 of the hash table of group names */
  ct_hash_key key;
  ct_filters filters;
  const ct_text *groups;  /* [group_count] names */
  const uint32_t *slots;  /* hash table by group name: group index + 1; 0: empty */
  const uint64_t *matrix; /* [group_count * words]: bit b of row a: groups a and b do not collide */
  size_t bytes;
} ct_filter_set;

/* Copies the rules. CT_LIMIT: they name more than CT_GROUPS_MAX groups. */
ct_status ct_filter_set_create(const ct_filters *filters, ct_hash_key key, ct_filter_set **out);
ct_filter_set *ct_filter_set_retain(ct_filter_set *set); /* NULL is returned as NULL */
void ct_filter_set_release(ct_filter_set *set);
/* Returns the index of a group; UINT32_MAX: no rule names it. */
uint32_t ct_filter_set_group(const ct_filter_set *set, ct_text name);
static inline bool ct_filter_set_excludes(const ct_filter_set *set, uint32_t a, uint32_t b) {
  return set->matrix[(size_t)a * set->words + b / 64] >> (b % 64) & 1;
}

/* The rules of a revision, resolved to its rows. Built once per revision that has rules. */
typedef struct ct_row_filter {
  _Atomic uint32_t refs;
  uint32_t rows;
  ct_filter_set *set; /* retained */
  uint32_t
      *start; /* [rows + 1] start of each row's groups in `group`; NULL: there are no group rules */
  uint16_t
      *group; /* indices of the groups of each row's body, only of groups that appear in rules */
  struct ct_row_rule
      *rules; /* hash table of the pair rules, by the two rows; NULL: there are no pair rules */
  size_t rule_mask;
  uint8_t *ruled; /* bit set of rows: a pair rule names the body */
} ct_row_filter;

/* Returns the row of a body id, or CT_NO_ROW. context: see ct_row_filter_create. */
typedef uint32_t (*ct_find_row)(const void *context, ct_text id);

/* Resolves the rules to rows. NULL: out of memory, or cancelled. */
ct_row_filter *ct_row_filter_create(ct_filter_set *set, const ct_column *bodies, uint32_t rows,
                                    ct_find_row find, const void *context, const ct_cancel *cancel);
ct_row_filter *ct_row_filter_retain(ct_row_filter *filter);
void ct_row_filter_release(ct_row_filter *filter);

/* Sets mask[set->words] to the bit set of groups that a group of the row does not collide with.
 * False: there are none, and mask is unchanged. */
bool ct_row_filter_mask(const ct_row_filter *filter, uint32_t row, uint64_t *mask);
/* True if the rules allow the pair (i, j) to collide. mask: result of ct_row_filter_mask for row i,
 * NULL if it returned false. O(groups of row j). */
bool ct_row_filter_passes(const ct_row_filter *filter, uint32_t i, const uint64_t *mask,
                          uint32_t j);

#endif
