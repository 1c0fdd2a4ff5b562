/* Motion by the elastic law: the state of the integrator, the integrated quantities, and the pairs
 * of colliders in contact. */
#ifndef COMPLIANT_COMPLIANT_MOTION_H
#define COMPLIANT_COMPLIANT_MOTION_H

#include "compliant/compliant_patch.h"
#include "integration/integration.h"

/* Number of stages of the method of Dormand and Prince; the last stage is the first of the next
 * step. */
#define CT_FLOW_STAGES 7

/* State of a moving body, or the rate of change of each member. */
typedef struct ct_flow {
  ct_vec3 position; /* of the centre of mass, world, m */
  ct_quat rotation;
  ct_vec3 velocity;
  ct_vec3 spin; /* dynamic body: angular momentum; kinematic body: angular velocity */
} ct_flow;

/* Integrals over a step: impulse of immovable bodies on dynamic ones, N s, and work of loads and
 * kinematic bodies, J. */
typedef struct ct_flow_sums {
  ct_vec3 impulse;
  double work;
} ct_flow_sums;

/* Two colliders that are near each other or in contact, with their deepest point. */
typedef struct ct_elastic_candidate {
  uint32_t a, b, collider_a, collider_b; /* rows */
  double distance;
  /* position: midpoint of the witness points; normal: from a to b; world */
  ct_vec3 position, normal;
} ct_elastic_candidate;

/* A pair of colliders in contact; the constants of its elastic law stay until the contact ends. */
typedef struct ct_elastic_contact {
  uint32_t a, b, collider_a, collider_b;
  double approach; /* |normal velocity| at the start of the contact, m/s */
  /* distance up to which the contact persists, m: the round-off of a distance, so that a pair at
   * distance 0 does not begin and end over and over */
  double hysteresis;
  bool is_patch; /* the force is that of compliant_patch.h, not that of the deepest point */
  ct_elastic_pair pair;
} ct_elastic_contact;

typedef struct ct_elastic_candidates {
  ct_elastic_candidate *items;
  size_t count, room;
} ct_elastic_candidates;

/* Absolute floors of one body's error, m and m/s; 0: the body has no contact. */
typedef struct ct_error_floor {
  double position, velocity;
} ct_error_floor;

typedef struct ct_compliant_motion {
  ct_integration *common;
  ct_body_state *bodies; /* [moved] bodies as set by the last ct_elastic_find_candidates */
  ct_flow *flow;         /* [moved] current state */
  ct_flow *trial;        /* [moved] state after the trial step */
  ct_flow *stage;        /* [moved] scratch */
  /* [moved] each: rates of change at the stages of the trial step */
  ct_flow *rates[CT_FLOW_STAGES];
  ct_error_floor *floors; /* [moved] of the current step */
  ct_flow *saved_rates;   /* [moved] the last of `rates` before the trial, which bounds the step */
  ct_flow_sums trial_sums, rate_sums[CT_FLOW_STAGES];
  bool first_known; /* rates[0] are the rates of `flow` with the current members */
  ct_elastic_candidates candidates;
  ct_elastic_contact *members; /* [member_count] ascending in (a, b, collider_a, collider_b) */
  size_t member_count;
  ct_patch_scratch scratch;
  double step;    /* duration of the next trial step, s; 0: the motion has not begun */
  uint32_t worst; /* the row with the greatest error of the last trial; CT_NO_ROW: none */
  double horizon; /* pairs that may meet within this time are candidates, s */
  bool is_stale;  /* the last step failed, so the candidates are out of date */
} ct_compliant_motion;

/* Creates the integrator with the state of common->now. *out is owned by the caller, also on
 * CT_OUT_OF_MEMORY. CT_NOT_FOUND: a collider's material has no Young's modulus or Poisson ratio.
 * CT_OPEN_MESH: a collider is a surface mesh. After these two *out is not set. */
ct_status ct_compliant_motion_create(ct_integration *common, ct_compliant_motion **out);
void ct_compliant_motion_destroy(ct_compliant_motion *motion); /* NULL: no operation */
/* Advances to the end of one integration step, or to the event that ends it earlier. *done: the
 * duration is over. On any error the state is unchanged. */
ct_status ct_compliant_motion_step(ct_compliant_motion *motion, ct_workspace *workspace,
                                   bool *done);

/* Sets `bodies` from a flow, and `candidates` to the pairs within the clearance that involve a
 * dynamic body. CT_LIMIT: more than contacts_max candidates. */
ct_status ct_elastic_find_candidates(ct_compliant_motion *motion, const ct_flow *flow,
                                     double clearance, ct_workspace *workspace);
/* Integrates `flow` over `time` into `trial`, with unchanged members. *error: estimate of the error
 * in units of the tolerance, so that <= 1 is acceptable. */
ct_status ct_elastic_try_step(ct_compliant_motion *motion, double time, ct_workspace *workspace,
                              double *error);
/* Sets `floors` and the hysteresis of the members from `candidates`, which contain the members at
 * the current state. */
void ct_elastic_set_floors(ct_compliant_motion *motion);
/* Sets the error scale of the reported state; its floors are lowered to `floors`. */
void ct_elastic_report_floors(ct_compliant_motion *motion);
/* Greatest approach speed of the members, m/s. */
double ct_elastic_fastest_approach(const ct_compliant_motion *motion);
/* Mass m with 1 / m = 1 / m_a + 1 / m_b over those of the two bodies that are dynamic, at least one
 * of them; kg. */
double ct_elastic_reduced_mass(const ct_compliant_motion *motion, uint32_t row_a, uint32_t row_b);
/* Fifth root of x; 0 if x is not positive. */
double ct_fifth_root(double x);
/* True if the force of the candidate's pair is that of a patch (compliant_patch.h). */
bool ct_elastic_is_patch(const ct_compliant_motion *motion, const ct_elastic_candidate *candidate);
/* Index of the candidate's pair in `members`; member_count if it is not in contact. */
size_t ct_elastic_find_contact(const ct_compliant_motion *motion,
                               const ct_elastic_candidate *candidate);
/* Sets rates[0] to the rates of `flow`. The candidates are afterwards only the pairs with distance
 * <= 0. */
ct_status ct_elastic_first_rates(ct_compliant_motion *motion, ct_workspace *workspace);
/* Order by rows, then colliders: < 0 if the member comes before the candidate, > 0 if after, 0 if
 * they are the same pair. */
int ct_elastic_pair_compare(const ct_elastic_contact *member,
                            const ct_elastic_candidate *candidate);
/* Relative velocity and force at the candidate's deepest point by the law `pair`, for the poses and
 * velocities in `bodies`. */
ct_compliant_force ct_elastic_force(const ct_compliant_motion *motion,
                                    const ct_elastic_candidate *candidate,
                                    const ct_elastic_pair *pair);

#endif
