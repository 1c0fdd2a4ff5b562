/* One step of Moreau and Jean: half a step without forces, all impulses at once, the other half. */
#include "advance/advance.h"
#include "linear/arena.h"

#include <string.h>

/* Rounds of one step: as many as it takes for a blow to go through a row of so many bodies that do
 * not touch yet. What would pass then does so by what is closed in a step. */
#define ROUNDS_MAX 5
/* Sweeps of the solver in a step, where nothing else is said: what it lacks then the next step
 * makes good, which goes on from there. One part of so many tells which contacts take part. */
#define SWEEPS_MAX 50u
#define ROUGH_SHARE 8u

/* Part of a stretch so soon after which an impact is taken for its end: much more than round-off of
 * places. */
#define SLACK_PART 1e-6

/* ---- loads ---------------------------------------------------------------------------------- */

/* Those of each body where it is in the middle of the step. */
static void set_loads(ct_advance *advance) {
  for (size_t i = 0; i < advance->moved_count; i++)
    advance->next[i].force = advance->next[i].torque = ct_vec(0, 0, 0);
  for (size_t k = 0; k < advance->load_count; k++) {
    const ct_load *load = &advance->loads[k];
    uint32_t index = advance->moved_of[load->row];
    if (index == CT_NO_ROW) continue;
    ct_body_state *m = &advance->next[index];
    m->force = ct_add(m->force, load->force);
    m->torque = ct_add(m->torque, load->torque);
    if (load->has_at)
      m->torque = ct_add(m->torque, ct_cross(ct_sub(load->at, m->position), load->force));
  }
}

/* Gravity and loads for a time. */
static void push_freely(const ct_advance *advance, ct_body_state *m, double time) {
  m->before = m->velocity;
  if (m->is_dynamic) {
    m->inverse_inertia = ct_body_state_inverse_inertia(m);
    ct_body_state_apply_impulse(
        m, ct_scale(ct_add_scaled(m->force, advance->options.gravity, m->mass), time),
        ct_scale(m->torque, time));
  } else {
    m->velocity.linear = ct_add_scaled(m->velocity.linear, m->acceleration.linear, time);
    m->velocity.angular = ct_add_scaled(m->velocity.angular, m->acceleration.angular, time);
  }
  m->free = m->velocity;
  m->free_momentum = m->angular_momentum;
}

/* Of the loads: what they push times the mean of the velocities before and after, which is how far
 * the body goes. */
static double load_work(const ct_body_state *m, double time) {
  return 0.5 * time *
         (ct_dot(m->force, ct_add(m->before.linear, m->velocity.linear)) +
          ct_dot(m->torque, ct_add(m->before.angular, m->velocity.angular)));
}

/* ---- the step ------------------------------------------------------------------------------- */

static void forget_contacts(ct_step *step) {
  const ct_advance *advance = step->advance;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_body_state *m = &advance->next[i];
    m->velocity = m->free;
    m->angular_momentum = m->free_momentum;
  }
  step->contact_impulse = ct_vec(0, 0, 0);
  step->kinematic_work = step->residual = 0.0;
  step->converged = true;
  step->guarded = step->contradictory = false;
}

static ct_status solve_islands(ct_step *step) {
  ct_step_islands islands;
  ct_arena_mark mark = ct_arena_enter(step->arena);
  ct_status status = ct_step_find_islands(step, &islands);
  for (size_t k = 0; status == CT_OK && k < islands.count; k++)
    status = ct_cancel_raised(step->advance->options.cancel) ? CT_CANCELLED
                                                             : ct_step_solve(step, &islands, k);
  ct_arena_leave(step->arena, mark);
  return status;
}

/* Of the contacts found: first, roughly, which take part, with more from round to round; then in
 * earnest. */
static ct_status push_contacts(ct_step *step) {
  const ct_advance_options *o = &step->advance->options;
  uint64_t sweeps = o->iterations_max ? o->iterations_max : SWEEPS_MAX;
  ct_status status = CT_OK;
  bool more = true;
  for (int round = 1; status == CT_OK && more && round < ROUNDS_MAX; round++) {
    forget_contacts(step);
    step->sweeps = sweeps / ROUGH_SHARE + 1;
    step->rough = true;
    status = solve_islands(step);
    more = status == CT_OK && ct_step_add_speculative(step);
  }
  if (status != CT_OK) return status;
  forget_contacts(step);
  step->sweeps = sweeps;
  step->rough = false;
  return solve_islands(step);
}

/* Contacts that give an impulse, and how many of these did not in the step before, or no longer do.
 */
static void count_contacts(ct_step *step) {
  const ct_step_contacts *found = &step->advance->found;
  size_t before = step->advance->state.contacts;
  for (size_t k = 0; k < found->count; k++) {
    step->acting += ct_max_abs(found->items[k].impulse) > 0.0;
    step->depth = ct_max2(step->depth, -found->items[k].distance);
  }
  step->events += step->acting > before ? step->acting - before : before - step->acting;
}

/* Does a contact that was found apart close before the middle of the step? */
static bool passes(const ct_step *step) {
  const ct_step_contacts *found = &step->advance->found;
  double tolerance = step->advance->options.contact_tolerance;
  for (size_t i = 0; i < found->count; i++) {
    const ct_step_contact *t = &found->items[i];
    if (t->distance > tolerance && t->distance + step->time * ct_dot(t->axes[0], t->before) < 0.0)
      return true;
  }
  return false;
}

/* What is found in the middle of a step is kept from passing until the middle of the next. So the
 * first step begins with what comes to touch before its middle, and may lie beyond it then: it is
 * hit at once, in a step of its own that takes no time. */
static ct_status hit_at_start(ct_step *step) {
  const ct_advance *advance = step->advance;
  bool moves = false;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_body_state *m = &advance->next[i];
    m->before = m->free = m->velocity;
    m->free_momentum = m->angular_momentum;
    if (m->is_dynamic) m->inverse_inertia = ct_body_state_inverse_inertia(m);
    moves = moves || !ct_body_state_is_fixed(m);
  }
  step->time *= 0.5;
  ct_status status = moves ? ct_step_find_contacts(step) : CT_OK;
  if (status != CT_OK || !moves || !passes(step)) return status;
  status = push_contacts(step);
  count_contacts(step);
  return status;
}

/* What came of it goes along with the step. */
static void add_start(ct_step *step, const ct_step *start) {
  step->contact_impulse = ct_add(step->contact_impulse, start->contact_impulse);
  step->kinematic_work += start->kinematic_work;
  step->residual = ct_max2(step->residual, start->residual);
  step->converged = step->converged && start->converged;
  step->guarded = step->guarded || start->guarded;
  step->contradictory = step->contradictory || start->contradictory;
  step->events += start->events;
}

static ct_status step_by(ct_step *step) {
  ct_advance *advance = step->advance;
  memcpy(advance->next, advance->now, advance->moved_count * sizeof *advance->now);
  if (step->time != advance->last_time)
    for (size_t i = 0; i < advance->moved_count; i++) advance->next[i].asleep = false;
  if (!ct_advance_is_within_limits(advance, advance->next, step->time, step->time)) return CT_LIMIT;
  ct_step start = *step;
  ct_status status = advance->state.steps == 0 ? hit_at_start(&start) : CT_OK;
  if (status != CT_OK) return status;
  if (!ct_advance_is_within_limits(advance, advance->next, step->time, step->time)) return CT_LIMIT;
  for (size_t i = 0; i < advance->moved_count; i++)
    ct_body_state_drift(&advance->next[i], 0.5 * step->time);
  set_loads(advance);
  for (size_t i = 0; i < advance->moved_count; i++)
    push_freely(advance, &advance->next[i], step->time);
  status = ct_step_find_contacts(step);
  if (status == CT_OK) status = push_contacts(step);
  if (status != CT_OK) return status;
  add_start(step, &start);
  if (!ct_advance_is_within_limits(advance, advance->next, step->time, step->time)) return CT_LIMIT;
  for (size_t i = 0; i < advance->moved_count; i++) {
    ct_body_state *m = &advance->next[i];
    if (m->is_dynamic) step->load_work += load_work(m, step->time);
    ct_body_state_drift(m, 0.5 * step->time);
  }
  return ct_advance_is_within_limits(advance, advance->next, 0.0, step->time) ? CT_OK : CT_LIMIT;
}

static void keep_contacts(ct_step *step) {
  ct_advance *advance = step->advance;
  ct_step_contacts contacts = advance->contacts;
  advance->contacts = advance->found;
  advance->found = contacts;
  advance->margin = step->margin;
  advance->last_time = step->time;
  advance->rest_try = step->rest_try;
  advance->rest_wait = step->rest_wait;
}

/* The step is done: it becomes what is now. */
static void accept(const ct_step *step, double time) {
  ct_advance *advance = step->advance;
  ct_advance_state *state = &advance->state;
  ct_body_state *moved = advance->now;
  advance->now = advance->next;
  advance->next = moved;
  state->time = time;
  state->steps++;
  advance->pace = step->time;
  state->events += step->events;
  state->iterations += step->iterations;
  state->contacts = step->acting;
  state->penetration = step->depth;
  state->contact_impulse = step->contact_impulse;
  state->work += step->load_work + step->kinematic_work;
  state->residual = ct_max2(state->residual, step->residual);
  state->not_converged += !step->converged;
  state->guarded += step->guarded;
  state->contradictory += step->contradictory;
  state->velocity_tolerance =
      ct_max2(step->velocity_tolerance, advance->options.velocity_tolerance);
  ct_advance_sum_energy(advance);
}

/* By the time step, the last time by what is left. */
static ct_status go_by_step(ct_step *step, bool *done) {
  ct_advance *advance = step->advance;
  const ct_advance_options *o = &advance->options;
  uint64_t past = advance->state.steps, steps = advance->steps_whole + (advance->step_rest > 0.0);
  bool is_rest = past == advance->steps_whole;
  *done = past >= steps;
  if (*done) return CT_OK;
  step->time = is_rest ? advance->step_rest : o->time_step;
  step->rest_try = advance->rest_try;
  step->rest_wait = advance->rest_wait;
  ct_status status = step_by(step);
  if (status != CT_OK) return status;
  count_contacts(step);
  keep_contacts(step);
  accept(step, is_rest ? o->duration : (double)(past + 1) * o->time_step);
  *done = past + 1 == steps;
  return CT_OK;
}

/* To the next event, by a time step at most. */
static ct_status go_to_event(ct_step *step, bool *done) {
  ct_advance *advance = step->advance;
  const ct_advance_options *o = &advance->options;
  double past = advance->state.time, left = o->duration - past;
  *done = !(left > 0.0);
  if (*done) return CT_OK;
  double whole = step->time = ct_min2(o->time_step, left);
  step->slack = ct_min2(SLACK_PART * whole, left - whole);
  /* Before impacts are looked for: the search has limits of its own, and cannot tell whose motion
   * it is. */
  if (!ct_advance_is_within_limits(advance, advance->now, whole, whole)) return CT_LIMIT;
  ct_status status = ct_step_to_event(step);
  if (status != CT_OK) return status;
  double time = step->time == left ? o->duration : past + step->time;
  if (!ct_advance_is_within_limits(advance, advance->next, whole, whole)) return CT_LIMIT;
  if (step->squeezed && advance->squeezes + 1 >= CT_ADVANCE_SQUEEZES_MAX) {
    advance->limit = CT_ADVANCE_LIMIT_SQUEEZE;
    advance->limit_row = step->squeezed_row;
    return CT_LIMIT;
  }
  advance->squeezes = step->squeezed ? advance->squeezes + 1 : 0;
  advance->at_once = time > past ? 0 : advance->at_once + step->events;
  advance->last_time = o->time_step;
  accept(step, time);
  *done = !(time < o->duration);
  return CT_OK;
}

ct_status ct_advance_step(ct_advance *advance, ct_workspace *workspace, ct_arena *arena,
                          bool *done) {
  advance->reported.count = 0;
  advance->limit = CT_ADVANCE_LIMIT_CONTACTS;
  if (ct_cancel_raised(advance->options.cancel)) return CT_CANCELLED;
  if (advance->elastic) return ct_elastic_step(advance, workspace, done);
  ct_step step = {.advance = advance, .workspace = workspace, .arena = arena, .converged = true};
  return advance->options.mode == CT_ADVANCE_STEPPING ? go_by_step(&step, done)
                                                      : go_to_event(&step, done);
}
