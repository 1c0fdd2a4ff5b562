/* Common part of the three integrators: moving bodies, limits, events of a step, energies and
 * momenta, and queries of the scene at the bodies' poses. Each integrator has its own state, in its
 * folder, that refers to a ct_integration. */
#ifndef INTEGRATION_INTEGRATION_H
#define INTEGRATION_INTEGRATION_H

#include "integration/body_state.h"
#include "integration/contact_events.h"

typedef struct ct_integration {
  const ct_scene *scene;
  ct_advance_options options; /* copy of the caller's options; the loads are copied to `loads` */
  ct_load *loads;
  size_t load_count, load_room;
  ct_body_state *now, *next; /* [moved_count] bodies before and after a step, by ascending rows; a
                                step works on `next`, so `now` is unchanged if it fails */
  size_t moved_count;
  uint32_t *moved_of;     /* [rows] index in `now` and `next` of each row's body; CT_NO_ROW: the row
                             does not move */
  ct_override *overrides; /* [moved_count] poses of the bodies for queries of the scene */
  uint8_t *moving_rows;   /* [rows] nonzero: the row moves */
  double last_time;       /* duration of the previous step, s; 0 if the loads have changed since */
  double pace;            /* duration of the last accepted step, s */
  uint32_t pace_row;      /* row whose error limited that duration, or CT_NO_ROW */
  ct_advance_limit limit; /* if the last step returned CT_LIMIT: the limit that it exceeded, and the
                             row */
  uint32_t limit_row;
  ct_advance_state state;
  ct_contact_tracker tracker; /* events of the last step, and contacts that have begun and not
                                 ended */
} ct_integration;

/* Sets up bodies, loads and limits from the scene and the options. ct_integration_close must be
 * called also after a failure. CT_LIMIT: a dynamic body without a mass, or a load of a missing row.
 * CT_OUT_OF_MEMORY. */
ct_status ct_integration_open(ct_integration *common, const ct_scene *scene,
                              const ct_advance_options *options);
void ct_integration_close(ct_integration *common);
/* Replaces the loads by copies. CT_LIMIT: a load of a missing row. CT_OUT_OF_MEMORY. */
ct_status ct_integration_set_loads(ct_integration *common, const ct_load *loads, size_t count);

/* Runs a contacts (distances) query of the whole scene with the moving bodies at the poses in
 * `overrides`, and passes each hit to `sink`. Sets the members overrides and cancel of the options,
 * which must be unset. CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_integration_run_contacts(const ct_integration *common, ct_query_options *options,
                                      const ct_query_contacts_options *contacts,
                                      ct_workspace *workspace, ct_contacts_sink sink,
                                      void *context);
ct_status ct_integration_run_distances(const ct_integration *common, ct_query_options *options,
                                       ct_workspace *workspace, ct_distance_sink sink,
                                       void *context);

/* True if poses and velocities of the bodies are within the limits of a scene, also after
 * translation at the present velocity for the time `ahead` and rotation for the time `longest`.
 * False: `limit` and `limit_row` name the first violation. NaN violates every limit. */
bool ct_integration_is_within_limits(ct_integration *common, const ct_body_state *moved,
                                     double ahead, double longest);
/* Computes energies and momenta of the bodies `now`, and writes them to common->state. */
void ct_integration_sum_energy(ct_integration *common);

/* Result of a step at velocity level; the members are added to ct_advance_state. */
typedef struct ct_step_result {
  double time;             /* duration of the step, s */
  ct_vec3 contact_impulse; /* sum of contact impulses, as in ct_advance_state */
  double load_work, kinematic_work, residual;
  double depth;
  double dissipation, correction_work, separation_work; /* as in ct_advance_state, of this step */
  double overlap_left;                                  /* as in ct_advance_state */
  bool converged, guarded, contradictory;
  size_t acting; /* number of contacts with an impulse */
  uint64_t events, iterations;
  double velocity_tolerance; /* velocity tolerance that the step used, m/s */
} ct_step_result;

/* Accepts a step: exchanges `now` and `next`, and adds the result to the reported state, whose time
 * becomes `time`. */
void ct_integration_accept(ct_integration *common, const ct_step_result *result, double time);

/* Returns the state of the row's body in `next`; NULL: the row does not move. */
static inline ct_body_state *ct_integration_next_of(const ct_integration *common, uint32_t row) {
  uint32_t index = common->moved_of[row];
  return index == CT_NO_ROW ? NULL : &common->next[index];
}
/* True if the row moves and its body is dynamic. */
static inline bool ct_integration_is_dynamic(const ct_integration *common, uint32_t row) {
  uint32_t index = common->moved_of[row];
  return index != CT_NO_ROW && common->now[index].is_dynamic;
}

#endif
