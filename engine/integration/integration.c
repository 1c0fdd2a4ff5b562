/* Common part of the three integrators: bodies, loads, limits, events, energies. Computes no
 * motion. */
#include "integration/integration.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- bodies and loads ----------------------------------------------------------------------- */

static const ct_motion *row_motion(const ct_scene *scene, uint32_t row) {
  const ct_body *body = ct_scene_body(scene, row);
  return body ? ct_body_motion(body) : NULL;
}

static ct_status find_moving_bodies(ct_integration *common) {
  const ct_scene *scene = common->scene;
  uint32_t rows = ct_scene_rows(scene);
  size_t count = 0;
  for (uint32_t row = 0; row < rows; row++) count += row_motion(scene, row) != NULL;
  common->now = malloc((count + 1) * sizeof *common->now);
  common->next = malloc((count + 1) * sizeof *common->next);
  common->moved_of = malloc(((size_t)rows + 1) * sizeof *common->moved_of);
  common->overrides = malloc((count + 1) * sizeof *common->overrides);
  common->moving_rows = calloc((size_t)rows + 1, 1);
  if (!common->now || !common->next || !common->moved_of || !common->overrides ||
      !common->moving_rows)
    return CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < rows; row++) {
    const ct_motion *motion = row_motion(scene, row);
    assert(common->moved_count <= count);
    common->moved_of[row] = motion ? (uint32_t)common->moved_count : CT_NO_ROW;
    if (!motion) continue;
    if (!ct_body_state_set(&common->now[common->moved_count++], scene, row, motion))
      return CT_LIMIT;
  }
  return CT_OK;
}

ct_status ct_integration_set_loads(ct_integration *common, const ct_load *loads, size_t count) {
  assert(count == 0 || loads);
  for (size_t i = 0; i < count; i++)
    if (loads[i].row >= ct_scene_rows(common->scene)) return CT_LIMIT;
  if (count > common->load_room) {
    ct_load *room = realloc(common->loads, count * sizeof *room);
    if (!room) return CT_OUT_OF_MEMORY;
    common->loads = room;
    common->load_room = count;
  }
  if (count) memcpy(common->loads, loads, count * sizeof *loads);
  common->load_count = count;
  common->last_time = 0.0;
  return CT_OK;
}

ct_status ct_integration_open(ct_integration *common, const ct_scene *scene,
                              const ct_advance_options *options) {
  *common = (ct_integration){.scene = scene, .options = *options, .pace_row = CT_NO_ROW};
  if (options->contacts_max == 0) common->options.contacts_max = CT_CONTACTS_MAX;
  common->tracker.enabled = options->contact_events || options->mode == CT_ADVANCE_COMPLIANT;
  ct_status status = ct_integration_set_loads(common, options->loads, options->load_count);
  return status == CT_OK ? find_moving_bodies(common) : status;
}

void ct_integration_close(ct_integration *common) {
  free(common->loads);
  free(common->now);
  free(common->next);
  free(common->moved_of);
  free(common->overrides);
  free(common->moving_rows);
  ct_contact_tracker_free(&common->tracker);
}

/* ---- energies ------------------------------------------------------------------------------- */

void ct_integration_sum_energy(ct_integration *common) {
  ct_advance_state *s = &common->state;
  s->kinetic_energy = s->potential_energy = 0.0;
  s->momentum = s->angular_momentum = ct_vec(0, 0, 0);
  for (size_t i = 0; i < common->moved_count; i++) {
    const ct_body_state *m = &common->now[i];
    if (!m->is_dynamic) continue;
    ct_vec3 momentum = ct_scale(m->velocity.linear, m->mass);
    s->kinetic_energy += 0.5 * (ct_dot(momentum, m->velocity.linear) +
                                ct_dot(m->angular_momentum, m->velocity.angular));
    s->potential_energy -= m->mass * ct_dot(common->options.gravity, m->position);
    s->momentum = ct_add(s->momentum, momentum);
    s->angular_momentum =
        ct_add(s->angular_momentum, ct_add(m->angular_momentum, ct_cross(m->position, momentum)));
  }
}

/* ---- limits --------------------------------------------------------------------------------- */

/* Returns the greatest absolute component; INFINITY if a component is NaN or infinite, since
 * comparisons ignore NaN. */
static double finite_size(ct_vec3 v) {
  return isfinite(v.x + v.y + v.z) ? ct_max_abs(v) : INFINITY;
}

bool ct_integration_is_within_limits(ct_integration *common, const ct_body_state *moved,
                                     double ahead, double longest) {
  assert(!(ahead < 0.0) && !(longest < 0.0));
  for (size_t i = 0; i < common->moved_count; i++) {
    const ct_body_state *m = &moved[i];
    double speed = finite_size(m->velocity.linear), turning = finite_size(m->velocity.angular);
    common->limit_row = m->row;
    common->limit = CT_ADVANCE_LIMIT_REACH;
    if (!(finite_size(m->position) + (ahead > 0.0 ? ahead * speed : 0.0) < CT_COORDINATE_MAX))
      return false;
    if (!(finite_size(m->pose.position) <= CT_COORDINATE_MAX))
      return false; /* may exceed the limit although the centre of mass, far from the frame's
                       origin, does not */
    common->limit = CT_ADVANCE_LIMIT_SPEED;
    if (!(speed <= CT_SPEED_MAX && turning <= CT_SPEED_MAX)) return false;
    common->limit = CT_ADVANCE_LIMIT_TURN;
    if (!(longest * turning < CT_TURN_MAX)) return false;
  }
  common->limit = CT_ADVANCE_LIMIT_CONTACTS; /* the only limit that is tested later */
  return true;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Sets the poses of the moving bodies, and the cancel flag. */
static void set_query_poses(const ct_integration *common, ct_query_options *options) {
  assert(!options->overrides && !options->cancel);
  options->overrides = common->overrides;
  options->override_count = common->moved_count;
  options->cancel = common->options.cancel;
}

ct_status ct_integration_run_contacts(const ct_integration *common, ct_query_options *options,
                                      const ct_query_contacts_options *contacts,
                                      ct_workspace *workspace, ct_contacts_sink sink,
                                      void *context) {
  ct_query *query = NULL;
  set_query_poses(common, options);
  ct_status status = ct_query_prepare_contacts(common->scene, options, contacts, &query);
  if (status != CT_OK) return status;
  const ct_query_range all = {0, ct_query_items(query), CT_NO_ROW, 0};
  status = ct_query_run_contacts(query, &all, workspace, sink, context, NULL);
  ct_query_destroy(query);
  return status;
}

ct_status ct_integration_run_distances(const ct_integration *common, ct_query_options *options,
                                       ct_workspace *workspace, ct_distance_sink sink,
                                       void *context) {
  ct_query *query = NULL;
  set_query_poses(common, options);
  ct_status status = ct_query_prepare_distances(common->scene, options, NULL, &query);
  if (status != CT_OK) return status;
  const ct_query_range all = {0, ct_query_items(query), CT_NO_ROW, 0};
  status = ct_query_run_distances(query, &all, workspace, sink, context, NULL);
  ct_query_destroy(query);
  return status;
}

/* ---- end of a step --------------------------------------------------------------------------- */

void ct_integration_accept(ct_integration *common, const ct_step_result *result, double time) {
  ct_advance_state *state = &common->state;
  assert(time >= state->time);
  assert(result->time >= 0.0 && result->depth >= 0.0 && result->residual >= 0.0);
  /* Exchange the states before and after the step. */
  ct_body_state *moved = common->now;
  common->now = common->next;
  common->next = moved;
  /* Update the reported state. */
  state->time = time;
  state->steps++;
  common->pace = result->time;
  state->events += result->events;
  state->iterations += result->iterations;
  state->contacts = result->acting;
  state->penetration = result->depth;
  state->contact_impulse = result->contact_impulse;
  state->work += result->load_work + result->kinematic_work;
  state->dissipation += result->dissipation;
  state->correction_work += result->correction_work;
  state->separation_work += result->separation_work;
  state->overlap_left = result->overlap_left;
  state->residual = ct_max2(state->residual, result->residual);
  state->not_converged += !result->converged;
  state->guarded += result->guarded;
  state->contradictory += result->contradictory;
  state->velocity_tolerance =
      ct_max2(result->velocity_tolerance, common->options.velocity_tolerance);
  ct_integration_sum_energy(common);
}
