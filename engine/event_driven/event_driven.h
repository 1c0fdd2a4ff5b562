/* Event-driven integration, from impact to impact: the integrator's state, and the data that the
 * files of a step share. */
#ifndef EVENT_DRIVEN_EVENT_DRIVEN_H
#define EVENT_DRIVEN_EVENT_DRIVEN_H

#include "integration/integration.h"

typedef struct ct_event_driven {
  ct_integration *common;
  uint64_t impacts_at_once; /* number of successive impacts without an interval between them */
  double overlap;           /* greatest depth at the start of the motion, m */
  uint64_t squeezes;        /* number of successive steps with an impact that no impulses satisfy */
} ct_event_driven;

/* CT_OUT_OF_MEMORY. */
ct_status ct_event_driven_create(ct_integration *common, ct_event_driven **out);
void ct_event_driven_destroy(ct_event_driven *driven); /* NULL: no operation */
/* Advances to the next event, by at most one time step. Status as of ct_advance_step. */
ct_status ct_event_driven_step(ct_event_driven *driven, ct_workspace *workspace, ct_arena *arena,
                               bool *done);

/* ---- within a step -------------------------------------------------------------------------- */

/* Loads of a body over the interval, gravity included. */
typedef struct ct_event_load {
  ct_vec3 force, torque; /* N; N m about the centre of mass, world */
  bool is_refined;       /* the body's forces are of second order (ct_event_refine_forces) */
  bool is_unsolved;      /* its contacts at the end are not solved */
  /* Of the solver, for the forces of the body's island at the start. */
  double residual;
  bool converged;
} ct_event_load;

/* A contact that rests over the interval. */
typedef struct ct_event_support {
  uint32_t row_a, row_b, collider_a, collider_b;
  ct_vec3 arm_a, arm_b; /* point at which the force acts, from the centres of the bodies; world */
  ct_vec3 force;        /* on b, N */
  ct_vec3 normal;
  double distance;
  /* At the start: slip, m/s; zero unless the contact slides. */
  ct_vec3 slip;
  bool matched; /* found again at the end */
  /* At the end: the contact has a force; its arms; gap to which the bodies are moved. */
  bool closes;
  ct_vec3 end_arm_a, end_arm_b;
  double rest_distance;
} ct_event_support;

typedef struct ct_event_step {
  ct_event_driven *driven; /* driven->common->next is the working state of the step */
  ct_workspace *workspace;
  ct_arena *arena;
  ct_step_result result;
  /* s: an impact at most this long after the interval is included; the interval then ends with
   * it */
  double slack;
  ct_row_pair *resting; /* [resting_count] pairs of rows with a resting contact */
  size_t resting_count;
  ct_row_pair *touching; /* [touching_count] pairs of rows with any contact, for their depth */
  size_t touching_count;
  ct_event_support *supports;             /* resting contacts, from ct_event_refine_forces on
                                             those at the end */
  ct_event_support *candidates, *refined; /* within ct_event_refine_forces: at the end */
  size_t support_count, candidate_count, refined_count;
  double *support_work;        /* [support_count] work of kinematic bodies, J */
  ct_event_load *loads;        /* [moved_count] */
  ct_body_state *begin, *then; /* [moved_count] bodies at the start, and at the end under the forces
                                  of the start */
  double reversal;    /* time in the interval at which a slip turns round, s; INFINITY: none */
  bool keeps_depth;   /* resting contacts are not lifted out of the contact tolerance */
  bool is_unbalanced; /* an island gained energy that its velocities do not have */
  double drift;       /* greatest depth that resting contacts gain by the end, m */
  bool plastic;       /* impacts have no restitution */
  /* true: kinematic bodies squeeze others, one of which is the body of squeezed_row */
  bool squeezed;
  uint32_t squeezed_row;
  bool reports;   /* true: impacts are reported as events with the time `instant` */
  double instant; /* time of the impacts, s from the start of the motion */
} ct_event_step;

/* True if the bodies of the rows have a contact that rests at the start of the interval. */
static inline bool ct_event_is_resting_pair(const ct_event_step *step, uint32_t row_a,
                                            uint32_t row_b) {
  for (size_t i = 0; i < step->resting_count; i++)
    if ((step->resting[i].a == row_a && step->resting[i].b == row_b) ||
        (step->resting[i].a == row_b && step->resting[i].b == row_a))
      return true;
  return false;
}

/* Sets *time to the first time in the step at which two bodies of `next` come into contact under
 * the forces of the interval; INFINITY: there is none. */
ct_status ct_event_first_impact(ct_event_step *step, double *time);
/* Moves the body for the first `time` s of an interval of `interval` s, over which its forces are
 * constant. */
void ct_body_state_advance_flight(ct_body_state *state, double interval, double time);

/* ---- contact events -------------------------------------------------------------------------- */

/* Reports the contacts that began or ended since the last evaluation, at the present time.
 * CT_OUT_OF_MEMORY. */
ct_status ct_event_report_contacts(const ct_event_step *step, const ct_mechanics *mechanics);
/* Reports an impact for each pair of colliders of the island that collides, at the time `instant`,
 * with the normal velocity of its fastest point. CT_OUT_OF_MEMORY. */
ct_status ct_event_report_impacts(const ct_event_step *step, const ct_island *island,
                                  const ct_impulse_result *result);

/* ---- forces of the interval ------------------------------------------------------------------ */

/* Finds the contacts up to `margin` beyond the contact tolerance, and the islands, of the bodies
 * [moved_count]; the caller owns *out. */
ct_status ct_event_find_contacts(ct_event_step *step, const ct_body_state *bodies, double margin,
                                 ct_mechanics **out);
/* Replaces the forces of awake bodies of `next`, and the supports, by those of second order.
 * Islands that the solver does not solve keep theirs. Memory is from the arena, which the caller
 * entered. */
ct_status ct_event_refine_forces(ct_event_step *step, const ct_mechanics *mechanics);
/* Returns the change of a refined support's gap over the interval if the bodies [moved_count] are
 * where they are at its end: the gap found under the forces of the start, plus the way of the
 * points from there. */
double ct_event_gap_change(const ct_event_step *step, const ct_event_support *support,
                           const ct_body_state *bodies);
/* Moves the bodies at the end of the interval so that contacts with a force have the gap of its
 * start. */
ct_status ct_event_close_gaps(ct_event_step *step);
/* Adds impulses and work of the supports to the sums of the step. Before the bodies move. */
void ct_event_sum_supports(ct_event_step *step);
/* Removes the energy that islands gained over the interval beyond the work of loads and kinematic
 * bodies; sets is_unbalanced. */
ct_status ct_event_limit_energy(ct_event_step *step, const ct_mechanics *mechanics);

/* ---- sleep ---------------------------------------------------------------------------------- */

/* True if the bodies of the island are at rest under the forces found: net forces and momenta are
 * at most the solver's tolerance times the sum of their terms. */
bool ct_event_island_is_at_rest(const ct_event_step *step, const ct_island *island,
                                const ct_resting_result *found);
/* Puts the island to sleep: its bodies do not move until its contacts or loads change. */
void ct_event_put_to_sleep(ct_event_step *step, const ct_island *island,
                           const ct_resting_result *found);
/* True if the island has been asleep since an earlier step, and its contacts and support are
 * unchanged. */
bool ct_event_island_is_asleep(const ct_event_step *step, const ct_island *island);
/* Sets the forces of a sleeping body of `next` to zero, and adds the cached support force of its
 * island to the step's sums. */
void ct_event_restore_sleeping_body(ct_event_step *step, ct_body_state *state);
/* True if every body is asleep or fixed, so that only the time advances. */
bool ct_event_is_all_asleep(ct_event_step *step);
/* Sets common->moving_rows: 0 for bodies that are asleep or fixed, else 1. */
void ct_event_mark_awake(ct_event_step *step);

#endif
