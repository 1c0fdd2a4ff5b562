/* Event-driven integration, from impact to impact: the integrator's state, and the data that the
 * files of a step share. */
#ifndef EVENT_DRIVEN_EVENT_DRIVEN_H
#define EVENT_DRIVEN_EVENT_DRIVEN_H

#include "integration/integration.h"

typedef struct ct_event_driven {
  ct_integration *common;
  uint64_t impacts_at_once; /* number of successive impacts without an interval between them */
  uint64_t squeezes;        /* number of successive steps with an impact that no impulses satisfy */
} ct_event_driven;

/* CT_OUT_OF_MEMORY. */
ct_status ct_event_driven_create(ct_integration *common, ct_event_driven **out);
void ct_event_driven_destroy(ct_event_driven *driven); /* NULL: no operation */
/* Advances to the next event, by at most one time step. Status as of ct_advance_step. */
ct_status ct_event_driven_step(ct_event_driven *driven, ct_workspace *workspace, ct_arena *arena,
                               bool *done);

/* ---- within a step -------------------------------------------------------------------------- */

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
  bool plastic; /* impacts have no restitution */
  /* true: kinematic bodies squeeze others, one of which is the body of squeezed_row */
  bool squeezed;
  uint32_t squeezed_row;
  bool reports;   /* true: impacts are reported as events with the time `instant` */
  double instant; /* time of the impacts, s from the start of the motion */
} ct_event_step;

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
/* Returns the impact of the points from..to-1 of the island, which belong to one pair of
 * colliders. normal_velocity: 0 if none of them collides. */
ct_advance_contact ct_event_join_impact(const ct_island *island, const ct_impulse_result *result,
                                        size_t from, size_t to);

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
