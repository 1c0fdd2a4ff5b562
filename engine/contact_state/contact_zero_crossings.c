/* The zero-crossing functions of a contact state: z1 is the greatest distance of the pairs in
 * contact (minus the hysteresis), z2 the least distance of all other pairs. The state becomes
 * invalid when one of them changes its sign. */
#include "contact_state/contact_pairs.h"
#include "contact_state/contact_state.h"

#include <assert.h>
#include <stdlib.h>

typedef struct monitor_run {
  ct_contact_pairs pairs;
  ct_contact_member *members;
  size_t member_count;
  /* values of z1 and z2; z1 and z2 below name the pairs that determine them */
  ct_contact_reduction reduction;
  ct_zero_crossing z1, z2;
  double limit; /* pairs with a greater lower bound of the distance cannot determine z2, m */
} monitor_run;

/* Factor by which the rounded sum of two doubles has to be multiplied to be at least the exact
 * sum. */
#define ROUNDED_UP (1.0 + 4.0 * CT_UNIT_ROUNDOFF)

static ct_contact_key crossing_key(const ct_zero_crossing *z) {
  return (ct_contact_key){z->a, z->b, z->collider_a, z->collider_b};
}

static ct_zero_crossing make_crossing(double value, bool narrow, const ct_contact_key *key) {
  return (ct_zero_crossing){value, true, narrow, key->a, key->b, key->collider_a, key->collider_b};
}

/* Adds a pair to z1 (in contact) or z2. True if it determines the function's value so far. Of pairs
 * with equal values the first by rows and colliders does, so that the order of visits does not
 * matter. */
static bool reduce_pair(monitor_run *run, const ct_contact_key *key, double signed_distance,
                        bool in_contact, bool narrow) {
  ct_zero_crossing *z = in_contact ? &run->z1 : &run->z2;
  int nearer = ct_contact_reduction_add(&run->reduction, signed_distance, in_contact);
  const ct_contact_key best = crossing_key(z);
  if (nearer < 0 || (nearer == 0 && ct_contact_key_compare(key, &best) > 0)) return false;
  *z = make_crossing(run->reduction.z[in_contact ? 0 : 1], narrow, key);
  return true;
}

/* ---- z1 ------------------------------------------------------------------------------------- */

/* Result of a contact that no longer takes part, for which no distance is computed. */
static const ct_pair_result absent = {.status = CT_PAIR_UNSUPPORTED,
                                      .relation = CT_SEPARATED,
                                      .normal = {1.0, 0.0, 0.0},
                                      .triangle_a = CT_NO_TRIANGLE,
                                      .triangle_b = CT_NO_TRIANGLE,
                                      .element_a = CT_NO_ELEMENT,
                                      .element_b = CT_NO_ELEMENT};

/* Sets z1 from the distances of the contacts that take part, and *contacts (if not NULL) to the
 * results of all records. */
static ct_status find_z1(monitor_run *run, size_t records, ct_pair_result *contacts) {
  ct_status status = CT_OK;
  for (size_t i = 0; contacts && i < records; i++) contacts[i] = absent;
  for (size_t k = 0; k < run->member_count && status == CT_OK; k++) {
    ct_pair_result result;
    status = ct_contact_pairs_result(&run->pairs, &run->members[k].key, &result);
    if (status != CT_OK) break;
    if (contacts) contacts[run->members[k].record] = result;
    reduce_pair(run, &run->members[k].key, result.distance, true, true);
  }
  return status;
}

/* ---- z2 ------------------------------------------------------------------------------------- */

/* Adds a pair that is not in contact to z2, with its distance, or with `bound` if the boxes exclude
 * contact, and lowers the search limit to the value of z2. */
static ct_status visit_zero_crossing(void *context, const ct_contact_key *key, double bound) {
  assert(bound <= ((const monitor_run *)context)->limit);
  monitor_run *run = context;
  if (ct_contact_member_find(run->members, run->member_count, key) < run->member_count)
    return CT_OK;
  bool narrow = ct_contact_is_candidate(&run->pairs, bound);
  double distance = bound;
  if (narrow) {
    ct_pair_result result;
    ct_status status = ct_contact_pairs_result(&run->pairs, key, &result);
    if (status != CT_OK) return status;
    distance = result.distance;
  }
  if (!reduce_pair(run, key, distance, false, narrow)) return CT_OK;
  /* The limit is at least epsilon: pairs whose boxes are that near must always be computed. */
  run->limit = ct_max2(run->pairs.epsilon, (run->z2.value + run->pairs.epsilon) * ROUNDED_UP);
  return CT_OK;
}

ct_status ct_contact_monitor_run(const ct_scene *scene, const ct_contact_state *state,
                                 const ct_contact_monitor_options *options, ct_workspace *workspace,
                                 ct_contact_monitor *out) {
  bool all = options->evaluation == CT_EVALUATE_MONITOR;
  const ct_contact_evaluated how = {.epsilon = ct_contact_state_epsilon(state),
                                    .method = ct_contact_state_method(state),
                                    .mpr = ct_contact_state_mpr(state),
                                    .enumerates = all,
                                    .overrides = options->overrides,
                                    .override_count = options->override_count,
                                    .cancel = options->cancel,
                                    .workspace = workspace};
  monitor_run run = {.reduction = ct_contact_reduction_start(ct_contact_state_epsilon(state)),
                     .z1 = {.value = CT_Z1_NONE},
                     .z2 = {.value = CT_Z2_NONE},
                     .limit = INFINITY};
  ct_status status = ct_contact_pairs_open(&run.pairs, scene, &how);
  if (status != CT_OK) return status;
  status = ct_contact_members_of(&run.pairs, state, &run.members, &run.member_count);
  if (status == CT_OK) status = find_z1(&run, ct_contact_state_count(state), out->contacts);
  if (status == CT_OK && all)
    status = ct_contact_pairs_enumerate(&run.pairs, &run.limit, visit_zero_crossing, &run);
  if (status == CT_OK) {
    out->z1 = run.z1;
    out->z2 = run.z2;
    out->narrow = run.pairs.narrow;
    out->boxes = all ? ct_contact_pairs_total(scene) - run.pairs.narrow : 0;
  }
  ct_contact_pairs_close(&run.pairs);
  free(run.members);
  return status;
}
