/* Motion by the elastic law: what is integrated, and which pairs are in contact. For advance. */
#ifndef COMPLIANT_COMPLIANT_MOTION_H
#define COMPLIANT_COMPLIANT_MOTION_H

#include "advance/advance.h"

/* Stages of the rule of Dormand and Prince; the last is the first of the step after. */
#define CT_FLOW_STAGES 7

/* A moved body, or how fast that changes. */
typedef struct ct_flow {
  ct_vec3 position; /* of the centre */
  ct_quat rotation;
  ct_vec3 velocity;
  ct_vec3 spin; /* angular momentum of a dynamic body, angular velocity of a kinematic one */
} ct_flow;

/* What is summed up along the way: impulse of immovable bodies on dynamic ones, N s, and work by
 * loads and kinematic bodies, J. */
typedef struct ct_flow_sums {
  ct_vec3 impulse;
  double work;
} ct_flow_sums;

/* Two colliders near each other. */
typedef struct ct_elastic_candidate {
  uint32_t a, b, collider_a, collider_b; /* rows */
  double distance;
  ct_vec3 position, normal; /* of the deepest point */
} ct_elastic_candidate;

/* A pair in contact, with what its law keeps until it ends. */
typedef struct ct_elastic_contact {
  uint32_t a, b, collider_a, collider_b;
  double approach; /* m/s, when it began */
  ct_elastic_pair pair;
} ct_elastic_contact;

typedef struct ct_elastic_candidates {
  ct_elastic_candidate *items;
  size_t count, room;
} ct_elastic_candidates;

struct ct_elastic {
  ct_body_state *bodies; /* [moved] as the flow looked at last has them */
  ct_flow *flow;         /* [moved] now */
  ct_flow *trial;        /* [moved] after the step that is tried */
  ct_flow *stage;        /* [moved] scratch */
  ct_flow *rates[CT_FLOW_STAGES];
  ct_flow_sums sums, trial_sums, rate_sums[CT_FLOW_STAGES];
  bool first_known; /* rates[0] are those of flow, under the membership of now */
  ct_elastic_candidates nears;
  ct_elastic_contact *members; /* [member_count] ascending in (a, b, collider_a, collider_b) */
  size_t member_count, member_room;
  double step;    /* s, to be tried next */
  uint32_t worst; /* the row whose error is the greatest of the step tried last; CT_NO_ROW: there is
                     none */
  double horizon; /* s: what may meet within it is among the nears */
  bool torn;      /* a step has failed: what was looked at last is not of now */
};

/* Sets `bodies` by a flow, and finds what is near within the clearance. CT_LIMIT: more than
 * contacts_max. */
ct_status ct_elastic_find_candidates(ct_advance *advance, const ct_flow *flow, double clearance,
                                     ct_workspace *workspace);
/* `flow` goes on by a time into `trial`; *error: of the step, in units of what is tolerated.
 * Membership stays as it is. */
ct_status ct_elastic_try_step(ct_advance *advance, double time, ct_workspace *workspace,
                              double *error);
/* The place of the pair among the members; the count: it is none. */
size_t ct_elastic_find_contact(const ct_elastic *elastic, const ct_elastic_candidate *near);
/* Makes rates[0] those of `flow`; `nears` are of no distance then. */
ct_status ct_elastic_first_rates(ct_advance *advance, ct_workspace *workspace);
/* The longest time that a step may take from now: `nears` hold what may be met within the horizon.
 */
double ct_elastic_step_ahead(const ct_advance *advance);
/* Pairs of which one is dynamic that are farther apart do not meet within the horizon. */
double ct_elastic_find_candidates_ahead(const ct_advance *advance);
/* Order of two pairs: < 0, 0, > 0. */
int ct_elastic_pair_compare(const ct_elastic_contact *member, const ct_elastic_candidate *near);
/* x^(1/5) of x >= 0, to a few u. */
double ct_fifth_root(double x);

/* Relative velocity at the pair's point, and the force there by the member's law: `bodies` as
 * looked at. */
ct_compliant_force ct_elastic_force(const ct_advance *advance, const ct_elastic_candidate *near,
                                    const ct_elastic_pair *pair);

#endif
