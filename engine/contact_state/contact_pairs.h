/* Pairs of colliders of contact states, common to events and zero-crossing functions: which pairs
 * take part, lower bounds of their distance from AABBs, and the distance itself. Events and
 * zero-crossing functions compute a pair's distance with the same calls and arguments, so the
 * values are equal to the bit. */
#ifndef CONTACT_STATE_CONTACT_PAIRS_H
#define CONTACT_STATE_CONTACT_PAIRS_H

#include "contact_state/aabb_nearest.h"

#include <contact/contact_state.h>

/* Two colliders; row a is less than row b. */
typedef struct ct_contact_key {
  uint32_t a, b, collider_a, collider_b;
} ct_contact_key;

/* Order by a, b, collider_a, collider_b: < 0 if x comes before y, > 0 if after, 0 if equal. */
int ct_contact_key_compare(const ct_contact_key *x, const ct_contact_key *y);

/* The pairs of colliders of one revision, with overrides of some poses, and the data to compute
 * their distances. */
typedef struct ct_contact_pairs {
  const ct_scene *scene;
  double epsilon;
  ct_contact_method method;
  ct_mpr_options mpr;
  ct_workspace *workspace;
  const ct_cancel *cancel;
  ct_query *query;
  const ct_row_filter *filter; /* NULL: no filters exclude pairs */
  ct_aabb_field field;
  ct_placed_body placed[2];
  uint32_t placed_row[2]; /* rows of the bodies in placed[0] and placed[1]; CT_NO_ROW: no body
                             yet */
  uint64_t narrow;        /* number of distances computed */
} ct_contact_pairs;

/* What ct_contact_pairs_open prepares to evaluate, and how. */
typedef struct ct_contact_evaluated {
  double epsilon;
  ct_contact_method method;
  ct_mpr_options mpr; /* for CT_CONTACT_MPR */
  /* true: ct_contact_pairs_enumerate will be called, so boxes and a tree are prepared */
  bool enumerates;
  const ct_override *overrides; /* [override_count], sorted by row */
  size_t override_count;
  const ct_cancel *cancel;
  ct_workspace *workspace;
} ct_contact_evaluated;

ct_status ct_contact_pairs_open(ct_contact_pairs *pairs, const ct_scene *scene,
                                const ct_contact_evaluated *how);
void ct_contact_pairs_close(ct_contact_pairs *pairs);

/* Returns the signed distance, or a bound of it, minus the hysteresis epsilon: a pair is in contact
 * at values <= 0. */
static inline double ct_contact_distance(const ct_contact_pairs *pairs, double signed_distance) {
  return signed_distance - pairs->epsilon;
}
/* True if the lower bound of the distance from the boxes does not exclude contact, so that the
 * distance has to be computed. */
static inline bool ct_contact_is_candidate(const ct_contact_pairs *pairs, double bound) {
  return bound <= pairs->epsilon;
}

ct_status ct_contact_pairs_result(ct_contact_pairs *pairs, const ct_contact_key *key,
                                  ct_pair_result *result);
/* Places the two colliders of the key in the world; *a and *b are valid until the next call.
 * CT_OUT_OF_MEMORY. */
ct_status ct_contact_pairs_place(ct_contact_pairs *pairs, const ct_contact_key *key, ct_placed *a,
                                 ct_placed *b);
/* Number of pairs of colliders of two bodies with at least one motion; includes the pairs that
 * filters exclude. O(rows). */
uint64_t ct_contact_pairs_total(const ct_scene *scene);

/* Calls visit for every pair that takes part and whose lower bound of the distance is at most
 * *limit, in no particular order; visits may lower *limit. A status other than CT_OK from visit
 * ends the loop and is returned. O(log n) per body with a motion, plus the visits. */
typedef ct_status (*ct_contact_visit)(void *context, const ct_contact_key *key, double bound);
ct_status ct_contact_pairs_enumerate(ct_contact_pairs *pairs, const double *limit,
                                     ct_contact_visit visit, void *context);

/* A record of a contact state whose pair takes part in the current revision. */
typedef struct ct_contact_member {
  ct_contact_key key;
  size_t record; /* index of the record in the state */
} ct_contact_member;

/* Lists the records of the state whose pairs take part, in the order of keys. This is the order of
 * records, unless a replaced body has its colliders in another order. A collider with an id is
 * matched by id at any index, one without an id by its index. The caller frees *members.
 * CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_contact_members_of(const ct_contact_pairs *pairs, const ct_contact_state *state,
                                ct_contact_member **members, size_t *count);
/* Returns the index of the member with the key; `count` if there is none. O(log count) */
size_t ct_contact_member_find(const ct_contact_member *members, size_t count,
                              const ct_contact_key *key);

#endif
