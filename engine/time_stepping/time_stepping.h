/* Moreau-Jean time stepping: the integrator's state, and what the files of a step share. */
#ifndef TIME_STEPPING_TIME_STEPPING_H
#define TIME_STEPPING_TIME_STEPPING_H

#include "integration/integration.h"

/* A contact point within a step. */
typedef struct ct_step_contact {
  uint32_t row_a, row_b, collider_a, collider_b;
  ct_feature feature_a, feature_b;
  uint32_t number;
  uint32_t a, b; /* body states; CT_NO_ROW: the row does not move */
  ct_vec3 position;
  ct_vec3 axes[3]; /* normal from a to b, two tangents */
  double distance;
  ct_pair_material material;
  ct_vec3 before;  /* relative velocity */
  double target;   /* least normal velocity after the impulses, m/s */
  bool bounces;    /* the target is that of restitution */
  double friction; /* in force */
  bool kept;       /* unchanged from the previous step: neither body has moved since */
  bool
      takes_part; /* it may act: separated contacts are added while the others leave them closing */
  ct_vec3 impulse; /* on b, world; of a contact just found that of the previous step */
} ct_step_contact;

typedef struct ct_step_contacts {
  ct_step_contact *items; /* [count] in the order of the query */
  size_t count, room;
} ct_step_contacts;

/* Contacts that dynamic bodies link, and these bodies, one island after the other; scratch of a
 * step. */
typedef struct ct_step_islands {
  size_t count;
  uint32_t *contacts;       /* numbers in `found`, ascending in each island */
  uint32_t *contact_starts; /* [count + 1] */
  uint32_t *bodies;         /* dynamic ones with a contact, ascending in each island */
  uint32_t *body_starts;    /* [count + 1] */
} ct_step_islands;

typedef struct ct_time_stepping {
  ct_integration *common;
  ct_step_contacts contacts;    /* of the previous step */
  ct_step_contacts queried;     /* of this step: of pairs that have moved, */
  ct_step_contacts found;       /* and all */
  double margin;                /* of the previous query for contacts, m; 0: none yet */
  uint64_t rest_try, rest_wait; /* the step from which many sweeps are spent again on coming to
                                   rest; steps between */
  uint64_t steps_whole;
  double step_rest; /* the last step, s; 0: there are only whole ones */
} ct_time_stepping;

/* CT_OUT_OF_MEMORY. */
ct_status ct_time_stepping_create(ct_integration *common, ct_time_stepping **out);
void ct_time_stepping_destroy(ct_time_stepping *stepping); /* NULL: nothing */
/* By the time step, the last time by the rest. As ct_advance_step. */
ct_status ct_time_stepping_step(ct_time_stepping *stepping, ct_workspace *workspace,
                                ct_arena *arena, bool *done);

/* ---- within a step -------------------------------------------------------------------------- */

typedef struct ct_step {
  ct_time_stepping *stepping; /* its `common->next` is in the middle of the step */
  ct_workspace *workspace;
  ct_arena *arena;
  uint64_t sweeps;              /* of the solver for each island, at most */
  bool rough;                   /* only to see which contacts take part */
  uint64_t rest_try, rest_wait; /* as in ct_time_stepping, which they become */
  double margin;                /* of the query for contacts, m */
  ct_step_result result;
} ct_step;

/* The contacts of `next` into `found`, those of the previous step with its impulses. CT_LIMIT,
 * CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_step_find_contacts(ct_step *step);
/* Adds contacts that the velocities now found would let pass through each other; false: there are
 * none. */
bool ct_step_add_speculative(ct_step *step);
/* Impulses of an island: onto the velocities of its bodies. CT_OUT_OF_MEMORY, CT_CANCELLED,
 * CT_LIMIT. */
ct_status ct_step_solve(ct_step *step, const ct_step_islands *islands, size_t island);

/* ---- feasibility ---------------------------------------------------------------------------- */

/* Impulses r, [3 set->count] normal and two tangents, of the `active` contacts: if they can, they
 * cancel the momenta that the bodies of the set have, their `force` and `torque`; else they come
 * near that. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_step_stop(const ct_step *step, const ct_contact_set *set, uint32_t *active,
                       size_t count, double *r);
/* Impulses for an infeasible problem: contacts are regularised, and work is bounded. The result is
 * as of ct_friction_solve for the problem itself: its u and residual, status INFEASIBLE.
 * CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT. */
ct_status ct_step_solve_regularised(const ct_friction_problem *problem,
                                    const ct_friction_options *options, ct_arena *arena,
                                    ct_friction_result *result);
/* Of contacts that dynamic bodies link: true if there is surely a motion of these bodies that
 * separates all of them. Then none contradict each other, whatever drives them. O(count) */
bool ct_step_can_part(const ct_step *step, const uint32_t *contacts, size_t count);
/* True if all bodies of the contacts that are not dynamic are the same kinematic one. Its motion,
 * given to all, is one in which no contact approaches. */
bool ct_step_has_one_driver(const ct_step *step, const uint32_t *contacts, size_t count);

#endif
