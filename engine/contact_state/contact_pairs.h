/* Pairs of colliders of contact states, common to events and zero-crossing functions: which pairs
 * take part, lower bounds from boxes, and their distance. Every distance is computed with the same
 * calls and arguments, so that results are equal to the bit. */
#ifndef CONTACT_STATE_CONTACT_PAIRS_H
#define CONTACT_STATE_CONTACT_PAIRS_H

#include "contact_state/aabb_nearest.h"

#include <contact/contact_state.h>

/* Two colliders; row a is less than row b. */
typedef struct ct_contact_key {
  uint32_t a, b, collider_a, collider_b;
} ct_contact_key;

/* < 0: x is before y. */
int ct_contact_key_compare(const ct_contact_key *x, const ct_contact_key *y);

/* The pairs of one revision, with overrides of some poses. */
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
  uint64_t narrow;        /* number of distances computed */
} ct_contact_pairs;

typedef struct ct_contact_evaluated {
  double epsilon;
  ct_contact_method method;
  ct_mpr_options mpr;           /* for CT_CONTACT_MPR */
  bool enumerates;              /* the caller will use ct_contact_pairs_enumerate */
  const ct_override *overrides; /* [override_count], sorted by row */
  size_t override_count;
  const ct_cancel *cancel;
  ct_workspace *workspace;
} ct_contact_evaluated;

ct_status ct_contact_pairs_open(ct_contact_pairs *pairs, const ct_scene *scene,
                                const ct_contact_evaluated *how);
void ct_contact_pairs_close(ct_contact_pairs *pairs);

/* Value compared with zero, from the signed distance or a bound of it. */
static inline double ct_contact_distance(const ct_contact_pairs *pairs, double signed_distance) {
  return signed_distance - pairs->epsilon;
}
/* True if the boxes are so near that the distance has to be computed. */
static inline bool ct_contact_is_candidate(const ct_contact_pairs *pairs, double bound) {
  return bound <= pairs->epsilon;
}

ct_status ct_contact_pairs_result(ct_contact_pairs *pairs, const ct_contact_key *key,
                                  ct_pair_result *result);
/* Places the two colliders; valid until the next call. */
ct_status ct_contact_pairs_place(ct_contact_pairs *pairs, const ct_contact_key *key, ct_placed *a,
                                 ct_placed *b);
/* Number of pairs of colliders of two bodies with at least one motion; includes the pairs that
 * filters exclude. O(rows). */
uint64_t ct_contact_pairs_total(const ct_scene *scene);

/* Calls visit for every pair that takes part and whose box distance is at most *limit, in no
 * particular order; visits may lower *limit. A status other than CT_OK ends the loop. O(log n) per
 * body with a motion, plus the visits. */
typedef ct_status (*ct_contact_visit)(void *context, const ct_contact_key *key, double bound);
ct_status ct_contact_pairs_enumerate(ct_contact_pairs *pairs, const double *limit,
                                     ct_contact_visit visit, void *context);

/* A record of a state whose pair still takes part. */
typedef struct ct_contact_member {
  ct_contact_key key;
  size_t record; /* index in the state */
} ct_contact_member;

/* Members in the order of keys: that of the records, unless a replaced body has its colliders in
 * another order. A collider with an id is matched by id at any index, one without by its index. The
 * caller frees *members. CT_CANCELLED. */
ct_status ct_contact_members_of(const ct_contact_pairs *pairs, const ct_contact_state *state,
                                ct_contact_member **members, size_t *count);
/* Index of the member with the key; count if there is none. O(log count) */
size_t ct_contact_member_find(const ct_contact_member *members, size_t count,
                              const ct_contact_key *key);

#endif
