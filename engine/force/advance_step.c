/* One step of Moreau and Jean: half a step without forces, all impulses at once, the other half. */
#include "force/advance.h"

#include <string.h>

/* ---- loads ------------------------------------------------------------------------------------------------------------- */

/* Those of each body where it is in the middle of the step. */
static void set_loads(ct_advance *advance) {
  for (size_t i = 0; i < advance->moved_count; i++) advance->next[i].force = advance->next[i].torque = ct_vec(0, 0, 0);
  for (size_t k = 0; k < advance->load_count; k++) {
    const ct_load *load = &advance->loads[k];
    uint32_t index = advance->moved_of[load->row];
    if (index == CT_NO_ROW) continue;
    ct_moved *m = &advance->next[index];
    m->force = ct_add(m->force, load->force);
    m->torque = ct_add(m->torque, load->torque);
    if (load->has_at) m->torque = ct_add(m->torque, ct_cross(ct_sub(load->at, m->position), load->force));
  }
}

/* Gravity and loads for a time. */
static void push_freely(const ct_advance *advance, ct_moved *m, double time) {
  m->before = m->velocity;
  if (m->is_dynamic) {
    ct_moved_push(m, ct_scale(ct_add_scaled(m->force, advance->options.gravity, m->mass), time), ct_scale(m->torque, time));
  } else {
    m->velocity.linear = ct_add_scaled(m->velocity.linear, m->acceleration.linear, time);
    m->velocity.angular = ct_add_scaled(m->velocity.angular, m->acceleration.angular, time);
  }
}

/* Of the loads: what they push times the mean of the velocities before and after, which is how far the body goes. */
static double load_work(const ct_moved *m, double time) {
  return 0.5 * time *
         (ct_dot(m->force, ct_add(m->before.linear, m->velocity.linear)) +
          ct_dot(m->torque, ct_add(m->before.angular, m->velocity.angular)));
}

/* ---- the step ---------------------------------------------------------------------------------------------------------- */

static bool within_limits(const ct_advance *advance, double time) {
  for (size_t i = 0; i < advance->moved_count; i++) {
    const ct_moved *m = &advance->next[i];
    double turn = time * ct_max_abs(m->velocity.angular), reach = ct_max_abs(m->position);
    if (!(turn < CT_TURN_MAX && reach + time * ct_max_abs(m->velocity.linear) < CT_COORDINATE_MAX)) return false;
  }
  return true;
}

static ct_status step_by(ct_advance *advance, double time) {
  memcpy(advance->next, advance->now, advance->moved_count * sizeof *advance->now);
  if (!within_limits(advance, time)) return CT_LIMIT;
  double work = 0.0;
  for (size_t i = 0; i < advance->moved_count; i++) ct_moved_drift(&advance->next[i], 0.5 * time);
  set_loads(advance);
  for (size_t i = 0; i < advance->moved_count; i++) push_freely(advance, &advance->next[i], time);
  if (!within_limits(advance, time)) return CT_LIMIT;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_moved *m = &advance->next[i];
    if (m->is_dynamic) work += load_work(m, time);
    ct_moved_drift(m, 0.5 * time);
  }
  advance->state.work += work;
  return CT_OK;
}

ct_status ct_advance_step(ct_advance *advance, ct_workspace *workspace, ct_solver *solver, bool *done) {
  (void)workspace;
  (void)solver;
  const ct_advance_options *o = &advance->options;
  ct_advance_state *state = &advance->state;
  if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  uint64_t steps = advance->steps_whole + (advance->step_rest > 0.0);
  bool is_rest = state->steps == advance->steps_whole;
  if (state->steps < steps) {
    ct_status status = step_by(advance, is_rest ? advance->step_rest : o->time_step);
    if (status != CT_OK) return status;
    ct_moved *then = advance->now;
    advance->now = advance->next;
    advance->next = then;
    state->steps++;
    state->time = is_rest ? o->duration : (double)state->steps * o->time_step;
    ct_advance_sum(advance);
  }
  *done = state->steps == steps;
  return CT_OK;
}
