/* The pairs of colliders that contact states are about, as events and zero-crossing functions both
 * see them: which take part, how far their boxes are apart, and their distance, always asked in the
 * same way, so that it comes out the same to the bit.
 */
#ifndef CONTACT_STATE_CONTACT_PAIRS_H
#define CONTACT_STATE_CONTACT_PAIRS_H

#include "contact_state/aabb_nearest.h"

#include <contact/contact_state.h>

/* Two colliders; row a is below row b. */
typedef struct ct_contact_key {
  uint32_t a, b, collider_a, collider_b;
} ct_contact_key;

/* < 0: x comes first. */
int ct_contact_key_compare(const ct_contact_key *x, const ct_contact_key *y);

/* One revision, with some poses replaced. */
typedef struct ct_contact_pairs {
  const ct_scene *scene;
  double epsilon;
  ct_contact_method method;
  ct_mpr_options mpr;
  ct_workspace *workspace;
  const ct_cancel *cancel;
  ct_query *query;
  const ct_row_filter *filter; /* NULL: none */
  ct_aabb_field field;
  ct_placed_body placed[2];
  uint32_t placed_row[2]; /* CT_NO_ROW: none */
  uint64_t narrow;        /* distances computed */
} ct_contact_pairs;

typedef struct ct_contact_evaluated {
  double epsilon;
  ct_contact_method method;
  ct_mpr_options mpr;           /* with CT_CONTACT_MPR */
  bool walks;                   /* ct_contact_pairs_walk will be called */
  const ct_override *overrides; /* [override_count], sorted by row */
  size_t override_count;
  const ct_cancel *cancel;
  ct_workspace *workspace;
} ct_contact_evaluated;

ct_status ct_contact_pairs_open(ct_contact_pairs *pairs, const ct_scene *scene,
                                const ct_contact_evaluated *how);
void ct_contact_pairs_close(ct_contact_pairs *pairs);

/* Of the signed distance or of a bound of it: what is compared with zero. */
static inline double ct_contact_distance(const ct_contact_pairs *pairs, double signed_distance) {
  return signed_distance - pairs->epsilon;
}
/* Are boxes this far apart so near that the distance has to be computed? */
static inline bool ct_contact_is_candidate(const ct_contact_pairs *pairs, double bound) {
  return bound <= pairs->epsilon;
}

ct_status ct_contact_pairs_result(ct_contact_pairs *pairs, const ct_contact_key *key,
                                  ct_pair_result *result);
/* The two colliders, placed; borrowed until the next pair. */
ct_status ct_contact_pairs_place(ct_contact_pairs *pairs, const ct_contact_key *key, ct_placed *a,
                                 ct_placed *b);
/* Pairs of colliders of bodies of which one has a motion; those that filters exclude are among
 * them. O(rows). */
uint64_t ct_contact_pairs_total(const ct_scene *scene);

/* Calls visit for every pair that takes part and whose boxes are apart by no more than *limit,
 * which visits may lower, in no particular order. Anything but CT_OK ends it. O(log n) for each
 * body with a motion, and the pairs visited. */
typedef ct_status (*ct_contact_visit)(void *context, const ct_contact_key *key, double bound);
ct_status ct_contact_pairs_walk(ct_contact_pairs *pairs, const double *limit,
                                ct_contact_visit visit, void *context);

/* A record of a state whose pair still takes part. */
typedef struct ct_contact_member {
  ct_contact_key key;
  size_t record; /* index in the state */
} ct_contact_member;

/* In the order of keys: that of the records, unless a replaced body has its colliders in another
 * order. A collider with an id is found by it, wherever it is, another by its index. *members is
 * the caller's to free. CT_CANCELLED. */
ct_status ct_contact_members_of(const ct_contact_pairs *pairs, const ct_contact_state *state,
                                ct_contact_member **members, size_t *count);
/* Index of the key; count: it is no member. O(log) */
size_t ct_contact_member_find(const ct_contact_member *members, size_t count,
                              const ct_contact_key *key);

#endif
