/* Moreau-Jean time stepping: the integrator's state, and the data that the files of a step share.
 */
#ifndef TIME_STEPPING_TIME_STEPPING_H
#define TIME_STEPPING_TIME_STEPPING_H

#include "integration/integration.h"

/* A contact point within a step. */
typedef struct ct_step_contact {
  uint32_t row_a, row_b, collider_a, collider_b;
  ct_feature feature_a, feature_b;
  uint32_t number;
  uint32_t a, b; /* indices of body states; CT_NO_ROW: the row does not move */
  ct_vec3 position;
  ct_vec3 axes[3]; /* normal from a to b, two tangents */
  double distance;
  ct_pair_material material;
  ct_vec3 before;  /* relative velocity before the step's impulses */
  double target;   /* least normal velocity after the impulses, m/s */
  bool bounces;    /* the target contains restitution */
  double friction; /* coefficient in force */
  bool kept;       /* unchanged from the previous step: neither body has moved since */
  bool takes_part; /* the contact may act: separated contacts are added while the solution leaves
                      them closing */
  ct_vec3 impulse; /* on b, world; initially that of the previous step */
} ct_step_contact;

typedef struct ct_step_contacts {
  ct_step_contact *items; /* [count] in the order of the query */
  size_t count, room;
} ct_step_contacts;

/* Contacts linked by dynamic bodies, and these bodies, island by island; scratch of a step. */
typedef struct ct_step_islands {
  size_t count;
  uint32_t *contacts;       /* indices in `found`, ascending in each island */
  uint32_t *contact_starts; /* [count + 1] */
  uint32_t *bodies;         /* dynamic bodies with a contact, ascending in each island */
  uint32_t *body_starts;    /* [count + 1] */
} ct_step_islands;

typedef struct ct_time_stepping {
  ct_integration *common;
  ct_step_contacts contacts; /* of the previous step */
  ct_step_contacts queried;  /* of this step: of the pairs that have moved, */
  ct_step_contacts found;    /* and of all pairs */
  double margin;             /* of the previous query of contacts, m; 0: none yet */
  uint64_t next_rest_attempt, rest_attempt_interval; /* the next step that spends many sweeps on
                                   coming to rest; steps between attempts */
  uint64_t steps_whole;
  double step_rest; /* duration of the last, shorter step, s; 0: all steps are whole */
} ct_time_stepping;

/* CT_OUT_OF_MEMORY. */
ct_status ct_time_stepping_create(ct_integration *common, ct_time_stepping **out);
void ct_time_stepping_destroy(ct_time_stepping *stepping); /* NULL: no operation */
/* Advances by the time step, or in the last step by the remaining duration. Status as of
 * ct_advance_step. */
ct_status ct_time_stepping_step(ct_time_stepping *stepping, ct_workspace *workspace,
                                ct_arena *arena, bool *done);

/* ---- within a step -------------------------------------------------------------------------- */

typedef struct ct_step {
  ct_time_stepping *stepping; /* its `common->next` is at the middle of the step */
  ct_workspace *workspace;
  ct_arena *arena;
  uint64_t sweeps; /* limit of the solver's sweeps per island */
  bool rough;      /* solves only to find which contacts take part */
  uint64_t next_rest_attempt, rest_attempt_interval; /* new values of those in ct_time_stepping */
  double margin;                                     /* of the query of contacts, m */
  ct_step_result result;
} ct_step;

/* Fills `found` with the contacts of `next`, with the impulses of the previous step. CT_LIMIT,
 * CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_step_find_contacts(ct_step *step);
/* Adds contacts that would interpenetrate with the velocities found; false: there are none. */
bool ct_step_add_speculative(ct_step *step);
/* Solves an island and adds the impulses to the velocities of its bodies. CT_OUT_OF_MEMORY,
 * CT_CANCELLED, CT_LIMIT. */
ct_status ct_step_solve(ct_step *step, const ct_step_islands *islands, size_t island);

/* ---- feasibility ---------------------------------------------------------------------------- */

/* Impulses r, [3 set->count] normal and two tangents, of the `active` contacts. If possible, they
 * cancel the momenta of the set's bodies, which their `force` and `torque` contain; else they
 * minimise the remainder approximately. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_step_stop(const ct_step *step, const ct_contact_set *set, uint32_t *active,
                       size_t count, double *r);
/* Impulses for an infeasible problem: contacts are regularised, and work is bounded. u and residual
 * of the result are those of the original problem, its status is INFEASIBLE. CT_OUT_OF_MEMORY,
 * CT_CANCELLED, CT_LIMIT. */
ct_status ct_step_solve_regularised(const ct_friction_problem *problem,
                                    const ct_friction_options *options, ct_arena *arena,
                                    ct_friction_result *result);
/* For contacts linked by dynamic bodies: true if some motion of these bodies certainly separates
 * all contacts. The contacts are then feasible for any motion of kinematic bodies. O(count) */
bool ct_step_can_part(const ct_step *step, const uint32_t *contacts, size_t count);
/* True if one kinematic body is the only body of the contacts that is not dynamic. With its motion
 * given to all bodies no contact approaches. */
bool ct_step_has_one_driver(const ct_step *step, const uint32_t *contacts, size_t count);

#endif
