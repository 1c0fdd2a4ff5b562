/* Common part of the three integrators: moving bodies, limits, events of a step, energies and
 * momenta, and queries of the scene at the bodies' poses. Each integrator has its own state in its
 * folder and refers to this one. */
#ifndef INTEGRATION_INTEGRATION_H
#define INTEGRATION_INTEGRATION_H

#include "integration/body_state.h"

typedef struct ct_advance_event_list {
  ct_advance_event *items;
  size_t count, room;
} ct_advance_event_list;

typedef struct ct_integration {
  const ct_scene *scene;
  ct_advance_options options; /* with its own copy of the loads */
  ct_load *loads;
  size_t load_count, load_room;
  ct_body_state *now, *next; /* [moved_count] by ascending rows; a step works on `next` and leaves
                                `now` unchanged if it fails */
  size_t moved_count;
  uint32_t *moved_of;     /* [rows] index into both arrays; CT_NO_ROW: the row does not move */
  ct_override *overrides; /* [moved_count] */
  uint8_t *moving_rows;   /* [rows] */
  double last_time;       /* length of the previous step, s; 0: the loads have changed since */
  double pace;            /* length of the last step, s */
  uint32_t pace_row;      /* row with the error that limited it, or CT_NO_ROW */
  ct_advance_limit limit; /* the limit that the last step with CT_LIMIT exceeded */
  uint32_t limit_row;
  ct_advance_state state;
  ct_advance_event_list reported; /* events of the last step */
} ct_integration;

/* Sets bodies, loads and limits. The caller closes it also after a failure. CT_LIMIT: a dynamic
 * body without a mass. CT_OUT_OF_MEMORY. */
ct_status ct_integration_open(ct_integration *common, const ct_scene *scene,
                              const ct_advance_options *options);
void ct_integration_close(ct_integration *common);
/* Replaces the loads. CT_OUT_OF_MEMORY. */
ct_status ct_integration_set_loads(ct_integration *common, const ct_load *loads, size_t count);

/* Appends an event of the step. CT_OUT_OF_MEMORY. */
ct_status ct_integration_add_event(ct_integration *common, const ct_advance_event *event);

/* All hits of a contacts query of the scene at the poses of `overrides`; overrides and cancel of
 * the options are set here. CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_integration_run_contacts(const ct_integration *common, ct_query_options *options,
                                      const ct_query_contacts_options *contacts,
                                      ct_workspace *workspace, ct_contacts_sink sink,
                                      void *context);
ct_status ct_integration_run_distances(const ct_integration *common, ct_query_options *options,
                                       ct_workspace *workspace, ct_distance_sink sink,
                                       void *context);

/* True if poses and velocities of the bodies are within the limits of a scene, also after moving
 * for the time `ahead` and rotating for `longest`. False: `limit` and `limit_row` name the first
 * violation. NaN violates every limit. */
bool ct_integration_is_within_limits(ct_integration *common, const ct_body_state *moved,
                                     double ahead, double longest);
/* Writes energies and momenta of `now` to the state. */
void ct_integration_sum_energy(ct_integration *common);

/* Result of a step at velocity level. */
typedef struct ct_step_result {
  double time;             /* s */
  ct_vec3 contact_impulse; /* as in ct_advance_state */
  double load_work, kinematic_work, residual;
  double depth;
  bool converged, guarded, contradictory;
  size_t acting; /* number of contacts with an impulse */
  uint64_t events, iterations;
  double velocity_tolerance; /* the tolerance in force */
} ct_step_result;

/* Accepts the step: `next` becomes `now`, at the time. */
void ct_integration_accept(ct_integration *common, const ct_step_result *result, double time);

/* The row's body in `next`; NULL: the row does not move. */
static inline ct_body_state *ct_integration_next_of(const ct_integration *common, uint32_t row) {
  uint32_t index = common->moved_of[row];
  return index == CT_NO_ROW ? NULL : &common->next[index];
}
/* True if the row's body is dynamic. */
static inline bool ct_integration_is_dynamic(const ct_integration *common, uint32_t row) {
  uint32_t index = common->moved_of[row];
  return index != CT_NO_ROW && common->now[index].is_dynamic;
}

#endif
