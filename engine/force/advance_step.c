/* One step of Moreau and Jean: half a step without forces, all impulses at once, the other half. */
#include "force/advance.h"
#include "solve/solver.h"

#include <string.h>

/* Rounds of one step: as many as it takes for a blow to go through a row of so many bodies that do not touch yet. What would pass
 * then does so by what is closed in a step. */
#define ROUNDS_MAX 5
/* Sweeps of the solver in a step, where nothing else is said: what it lacks then the next step makes good, which goes on from
 * there. One part of so many tells which contacts take part. */
#define SWEEPS_MAX 50u
#define ROUGH_SHARE 8u

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
    m->inverse_inertia = ct_moved_inverse_inertia(m);
    ct_moved_push(m, ct_scale(ct_add_scaled(m->force, advance->options.gravity, m->mass), time), ct_scale(m->torque, time));
  } else {
    m->velocity.linear = ct_add_scaled(m->velocity.linear, m->acceleration.linear, time);
    m->velocity.angular = ct_add_scaled(m->velocity.angular, m->acceleration.angular, time);
  }
  m->free = m->velocity;
  m->free_momentum = m->angular_momentum;
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

static void forget_contacts(ct_step *step) {
  const ct_advance *advance = step->advance;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_moved *m = &advance->next[i];
    m->velocity = m->free;
    m->angular_momentum = m->free_momentum;
  }
  step->contact_impulse = ct_vec(0, 0, 0);
  step->kinematic_work = step->residual = 0.0;
  step->converged = true;
  step->guarded = false;
}

static ct_status solve_islands(ct_step *step) {
  ct_step_islands islands;
  ct_solver_mark mark = ct_solver_enter(step->solver);
  ct_status status = ct_step_link(step, &islands);
  for (size_t k = 0; status == CT_OK && k < islands.count; k++)
    status = ct_cancel_raised(step->advance->options.cancel) ? CT_CANCELLED : ct_step_solve(step, &islands, k);
  ct_solver_leave(step->solver, mark);
  return status;
}

/* First, roughly, which contacts take part: with more from round to round; then in earnest. */
static ct_status push_contacts(ct_step *step) {
  const ct_advance_options *o = &step->advance->options;
  uint64_t sweeps = o->iterations_max ? o->iterations_max : SWEEPS_MAX;
  ct_status status = ct_step_find(step);
  bool more = true;
  for (int round = 1; status == CT_OK && more && round < ROUNDS_MAX; round++) {
    forget_contacts(step);
    step->sweeps = sweeps / ROUGH_SHARE + 1;
    step->rough = true;
    status = solve_islands(step);
    more = status == CT_OK && ct_step_extend(step);
  }
  if (status != CT_OK) return status;
  forget_contacts(step);
  step->sweeps = sweeps;
  step->rough = false;
  return solve_islands(step);
}

static ct_status step_by(ct_step *step) {
  ct_advance *advance = step->advance;
  memcpy(advance->next, advance->now, advance->moved_count * sizeof *advance->now);
  if (step->time != advance->last_time)
    for (size_t i = 0; i < advance->moved_count; i++) advance->next[i].calm = false;
  if (!within_limits(advance, step->time)) return CT_LIMIT;
  for (size_t i = 0; i < advance->moved_count; i++) ct_moved_drift(&advance->next[i], 0.5 * step->time);
  set_loads(advance);
  for (size_t i = 0; i < advance->moved_count; i++) push_freely(advance, &advance->next[i], step->time);
  ct_status status = push_contacts(step);
  if (status != CT_OK) return status;
  if (!within_limits(advance, step->time)) return CT_LIMIT;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_moved *m = &advance->next[i];
    if (m->is_dynamic) step->load_work += load_work(m, step->time);
    ct_moved_drift(m, 0.5 * step->time);
  }
  return CT_OK;
}

/* Contacts that give an impulse, and how many of these did not in the step before, or no longer do. */
static void count_contacts(ct_advance *advance) {
  ct_advance_state *state = &advance->state;
  size_t acting = 0;
  double depth = 0.0;
  for (size_t k = 0; k < advance->found.count; k++) {
    acting += ct_max_abs(advance->found.items[k].impulse) > 0.0;
    depth = ct_max2(depth, -advance->found.items[k].distance);
  }
  state->events += acting > state->contacts ? acting - state->contacts : state->contacts - acting;
  state->contacts = acting;
  state->penetration = depth;
}

/* The step is done: it becomes what is now. */
static void accept(ct_step *step) {
  ct_advance *advance = step->advance;
  ct_advance_state *state = &advance->state;
  count_contacts(advance);
  ct_moved *moved = advance->now;
  advance->now = advance->next;
  advance->next = moved;
  ct_step_touches touches = advance->touches;
  advance->touches = advance->found;
  advance->found = touches;
  state->contact_impulse = step->contact_impulse;
  state->work += step->load_work + step->kinematic_work;
  state->residual = ct_max2(state->residual, step->residual);
  state->not_converged += !step->converged;
  state->guarded += step->guarded;
  advance->margin = step->margin;
  advance->last_time = step->time;
  state->steps++;
  ct_advance_sum(advance);
}

ct_status ct_advance_step(ct_advance *advance, ct_workspace *workspace, ct_solver *solver, bool *done) {
  const ct_advance_options *o = &advance->options;
  ct_advance_state *state = &advance->state;
  if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  uint64_t steps = advance->steps_whole + (advance->step_rest > 0.0);
  bool is_rest = state->steps == advance->steps_whole;
  if (state->steps < steps) {
    ct_step step = {.advance = advance,
                    .time = is_rest ? advance->step_rest : o->time_step,
                    .workspace = workspace,
                    .solver = solver,
                    .converged = true};
    ct_status status = step_by(&step);
    if (status != CT_OK) return status;
    accept(&step);
    state->time = is_rest ? o->duration : (double)state->steps * o->time_step;
  }
  *done = state->steps == steps;
  return CT_OK;
}
