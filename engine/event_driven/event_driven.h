/* From impact to impact: the integrator's state, and what the files of a step share. */
#ifndef EVENT_DRIVEN_EVENT_DRIVEN_H
#define EVENT_DRIVEN_EVENT_DRIVEN_H

#include "integration/integration.h"

typedef struct ct_event_driven {
  ct_integration *common;
  uint64_t at_once;  /* impacts since the last interval that took time */
  uint64_t squeezes; /* successive steps with an impact that no impulses satisfy */
} ct_event_driven;

/* CT_OUT_OF_MEMORY. */
ct_status ct_event_driven_create(ct_integration *common, ct_event_driven **out);
void ct_event_driven_destroy(ct_event_driven *driven); /* NULL: nothing */
/* To the next event, by a time step at most. As ct_advance_step. */
ct_status ct_event_driven_step(ct_event_driven *driven, ct_workspace *workspace, ct_arena *arena,
                               bool *done);

/* ---- within a step -------------------------------------------------------------------------- */

typedef struct ct_event_step {
  ct_event_driven *driven; /* its `common->next` is in the middle of the step */
  ct_workspace *workspace;
  ct_arena *arena;
  ct_step_result result;
  double
      slack; /* s: an impact so soon after the interval belongs to it, which becomes longer then */
  ct_row_pair *resting; /* [resting_count] rows with a resting contact */
  size_t resting_count;
  bool plastic;  /* impacts have no restitution */
  bool squeezed; /* kinematic bodies press others into each other, this row among them */
  uint32_t squeezed_row;
  bool reports;   /* impacts are events, */
  double instant; /* at this time */
} ct_event_step;

/* When two bodies of `next` meet first under their present forces; INFINITY: not within the time of
 * the step. */
ct_status ct_event_first_impact(ct_event_step *step, double *time);
/* Moves the body for a time under constant forces, which are meant for an interval. */
void ct_body_state_advance_flight(ct_body_state *state, double interval, double time);

/* ---- sleep ---------------------------------------------------------------------------------- */

/* True if the bodies of the island are at rest under the forces found: forces and momenta are
 * round-off of their summands. */
bool ct_event_island_is_at_rest(const ct_event_step *step, const ct_island *island,
                                const ct_resting_result *found);
/* From now on they do not move at all. */
void ct_event_put_to_sleep(ct_event_step *step, const ct_island *island,
                           const ct_resting_result *found);
/* True if the island is asleep since an earlier step, and its contacts and support are unchanged.
 */
bool ct_event_island_is_asleep(const ct_event_step *step, const ct_island *island);
/* The step's part of a sleeping body of `next`. */
void ct_event_restore_sleeping_body(ct_event_step *step, ct_body_state *state);
/* True if nothing moves at all. Then the step is done except for its time. */
bool ct_event_is_all_asleep(ct_event_step *step);
/* Sets moving_rows: 0 for bodies that are asleep or fixed. */
void ct_event_mark_awake(ct_event_step *step);

#endif
