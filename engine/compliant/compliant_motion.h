/* Motion by the elastic law: the integrator's state, the integrated quantities, and the pairs in
 * contact. */
#ifndef COMPLIANT_COMPLIANT_MOTION_H
#define COMPLIANT_COMPLIANT_MOTION_H

#include "integration/integration.h"

/* Stages of the method of Dormand and Prince; the last is the first of the next step. */
#define CT_FLOW_STAGES 7

/* State of a moving body, or its rate of change. */
typedef struct ct_flow {
  ct_vec3 position; /* of the centre of mass */
  ct_quat rotation;
  ct_vec3 velocity;
  ct_vec3 spin; /* angular momentum of a dynamic body, angular velocity of a kinematic one */
} ct_flow;

/* Integrals over a step: impulse of immovable bodies on dynamic ones, N s, and work of loads and
 * kinematic bodies, J. */
typedef struct ct_flow_sums {
  ct_vec3 impulse;
  double work;
} ct_flow_sums;

/* Two colliders that are near or in contact. */
typedef struct ct_elastic_candidate {
  uint32_t a, b, collider_a, collider_b; /* rows */
  double distance;
  ct_vec3 position, normal; /* of the deepest point */
} ct_elastic_candidate;

/* A pair in contact, with its law until the contact ends. */
typedef struct ct_elastic_contact {
  uint32_t a, b, collider_a, collider_b;
  double approach; /* m/s, at the start of the contact */
  ct_elastic_pair pair;
} ct_elastic_contact;

typedef struct ct_elastic_candidates {
  ct_elastic_candidate *items;
  size_t count, room;
} ct_elastic_candidates;

typedef struct ct_compliant_motion {
  ct_integration *common;
  ct_body_state *bodies; /* [moved] at the last evaluation */
  ct_flow *flow;         /* [moved] present state */
  ct_flow *trial;        /* [moved] state after the trial step */
  ct_flow *stage;        /* [moved] scratch */
  ct_flow *rates[CT_FLOW_STAGES];
  ct_flow_sums trial_sums, rate_sums[CT_FLOW_STAGES];
  bool first_known; /* rates[0] are those of `flow` with the present members */
  ct_elastic_candidates candidates;
  ct_elastic_contact *members; /* [member_count] ascending in (a, b, collider_a, collider_b) */
  size_t member_count;
  double step;    /* s, length of the next trial */
  uint32_t worst; /* the row with the greatest error of the last trial; CT_NO_ROW: none */
  double horizon; /* s: pairs that may meet within this time are candidates */
  bool is_stale;  /* a step has failed: the candidates are out of date */
} ct_compliant_motion;

/* CT_NOT_FOUND: a collider's material has no modulus or ratio. CT_OUT_OF_MEMORY. */
ct_status ct_compliant_motion_create(ct_integration *common, ct_compliant_motion **out);
void ct_compliant_motion_destroy(ct_compliant_motion *motion); /* NULL: no operation */
/* Advances by one step of the integration, or to the next event. */
ct_status ct_compliant_motion_step(ct_compliant_motion *motion, ct_workspace *workspace,
                                   bool *done);

/* Sets `bodies` from a flow and finds the candidates within the clearance. CT_LIMIT: more than
 * contacts_max. */
ct_status ct_elastic_find_candidates(ct_compliant_motion *motion, const ct_flow *flow,
                                     double clearance, ct_workspace *workspace);
/* Integrates `flow` over a time into `trial`, with constant members; *error: in units of the
 * tolerance. */
ct_status ct_elastic_try_step(ct_compliant_motion *motion, double time, ct_workspace *workspace,
                              double *error);
/* Index of the pair among the members; the member count if it is none. */
size_t ct_elastic_find_contact(const ct_compliant_motion *motion,
                               const ct_elastic_candidate *candidate);
/* Sets rates[0] to the rates of `flow`; the candidates are then those within distance 0. */
ct_status ct_elastic_first_rates(ct_compliant_motion *motion, ct_workspace *workspace);
/* Order of two pairs: < 0, 0 or > 0. */
int ct_elastic_pair_compare(const ct_elastic_contact *member,
                            const ct_elastic_candidate *candidate);
/* Relative velocity and force at the pair's point by the member's law, for `bodies` at the last
 * evaluation. */
ct_compliant_force ct_elastic_force(const ct_compliant_motion *motion,
                                    const ct_elastic_candidate *candidate,
                                    const ct_elastic_pair *pair);

#endif
