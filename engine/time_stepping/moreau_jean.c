/* One step of the method of Moreau and Jean (Moreau 1988; Jean 1999): the bodies drift for half a
 * step without forces, then all impulses of the step are applied at once, then the bodies drift for
 * the second half. The velocities that are solved for include the motion of the contacts over the
 * bodies (step_contacts.c), so that the method is of second order in the time step while the
 * contacts persist, and of first order over impacts and other changes of their set. Contacts linked
 * by dynamic bodies form an island, which is solved as one problem. */
#include "linear/arena.h"
#include "time_stepping/time_stepping.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the passes of a step that add speculative contacts. An impact propagates through at most
 * this many initially separated bodies per step; bodies farther along may interpenetrate by the
 * distance by which they approach in one step. */
#define ROUNDS_MAX 5
/* Sweeps of the solver per step unless the options specify them. A remaining error is reduced in
 * the next step, which is warm-started. Passes that only find which contacts take part have a
 * fraction 1 / ROUGH_SHARE of the sweeps. */
#define SWEEPS_MAX 50u
#define ROUGH_SHARE 8u

/* The last pass is repeated if the curvature at its velocities changes a gap or a slip at the end
 * of the step by more than SHIFT_PART of the tolerated depth, or UNCONVERGED_SHIFT_PART if its
 * velocities have the error of an unconverged solver. Largest number of these passes. */
#define SHIFT_PART 0.02
#define UNCONVERGED_SHIFT_PART 0.5
#define FULL_PASSES_MAX 2

/* Depth up to which contacts are not corrected, as a fraction of the radius of the smallest dynamic
 * body. */
#define DEPTH_PART 1e-6
/* Default limit of the speed at which bodies that overlap are separated, m/s: as in Box2D and
 * Bullet a speed at which the separation can be followed. */
#define SEPARATION_SPEED 1.0

/* A remaining duration below this fraction of a step is round-off and is ignored. */
#define REST_PART 1e-9

/* ---- islands --------------------------------------------------------------------------------- */

/* Returns the root of the body's set in the union-find forest, with path halving. */
static uint32_t find_union_root(uint32_t *parents, uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

static void join_islands(uint32_t *parents, uint32_t i, uint32_t j) {
  i = find_union_root(parents, i);
  j = find_union_root(parents, j);
  if (i < j) parents[j] = i;
  else parents[i] = j;
}

static bool is_dynamic_index(const ct_time_stepping *stepping, uint32_t index) {
  return index != CT_NO_ROW && stepping->common->next[index].is_dynamic;
}

/* Writes the root body of each body's island to `roots`; CT_NO_ROW for bodies without a contact
 * that takes part. touched: [moved_count] scratch. */
static void link_step_bodies(const ct_time_stepping *stepping, uint32_t *roots, uint8_t *touched) {
  for (uint32_t i = 0; i < stepping->common->moved_count; i++) {
    roots[i] = i;
    touched[i] = 0;
  }
  for (size_t k = 0; k < stepping->found.count; k++) {
    const ct_step_contact *t = &stepping->found.items[k];
    bool a = is_dynamic_index(stepping, t->a), b = is_dynamic_index(stepping, t->b);
    if (!t->takes_part) continue;
    if (a) touched[t->a] = 1;
    if (b) touched[t->b] = 1;
    if (a && b) join_islands(roots, t->a, t->b);
  }
  for (uint32_t i = 0; i < stepping->common->moved_count; i++) roots[i] = find_union_root(roots, i);
  for (uint32_t i = 0; i < stepping->common->moved_count; i++)
    if (!touched[i]) roots[i] = CT_NO_ROW;
}

/* Replaces the root of each body by the number of its island, and returns the number of islands.
 * Numbers ascend with the roots. One pass suffices, because an island's root is its body of lowest
 * index. numbers: [moved_count] scratch. */
static size_t number_step_islands(const ct_time_stepping *stepping, uint32_t *roots,
                                  uint32_t *numbers) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < stepping->common->moved_count; i++) {
    if (roots[i] == CT_NO_ROW) continue;
    if (roots[i] == i) numbers[i] = count++;
    roots[i] = numbers[roots[i]];
  }
  return count;
}

static uint32_t island_of_contact(const ct_time_stepping *stepping, const uint32_t *roots,
                                  const ct_step_contact *t) {
  assert(is_dynamic_index(stepping, t->a) || is_dynamic_index(stepping, t->b));
  return roots[is_dynamic_index(stepping, t->a) ? t->a : t->b];
}

static void offsets_of_counts(uint32_t *starts, size_t count) {
  for (size_t i = 0; i < count; i++) starts[i + 1] += starts[i];
  for (size_t i = count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

/* Sorts the contacts by island, by counting sort. While contacts are written, starts[i] moves from
 * the start of island i to its end, which is the start of island i + 1; the array is then shifted
 * back. */
static void sort_contacts_by_island(const ct_time_stepping *stepping, const uint32_t *roots,
                                    ct_step_islands *islands) {
  uint32_t *starts = islands->contact_starts;
  for (size_t i = 0; i <= islands->count; i++) starts[i] = 0;
  for (size_t k = 0; k < stepping->found.count; k++)
    if (stepping->found.items[k].takes_part)
      starts[island_of_contact(stepping, roots, &stepping->found.items[k])]++;
  offsets_of_counts(starts, islands->count);
  for (size_t k = 0; k < stepping->found.count; k++)
    if (stepping->found.items[k].takes_part)
      islands->contacts[starts[island_of_contact(stepping, roots, &stepping->found.items[k])]++] =
          (uint32_t)k;
  for (size_t i = islands->count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

static void sort_bodies_by_island(const ct_time_stepping *stepping, const uint32_t *roots,
                                  ct_step_islands *islands) {
  uint32_t *starts = islands->body_starts;
  for (size_t i = 0; i <= islands->count; i++) starts[i] = 0;
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    if (roots[i] != CT_NO_ROW) starts[roots[i]]++;
  offsets_of_counts(starts, islands->count);
  for (uint32_t i = 0; i < stepping->common->moved_count; i++)
    if (roots[i] != CT_NO_ROW) islands->bodies[starts[roots[i]]++] = i;
  for (size_t i = islands->count; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
}

static ct_status find_step_islands(const ct_step *step, ct_step_islands *islands) {
  const ct_time_stepping *stepping = step->stepping;
  size_t contacts = stepping->found.count + 1, bodies = stepping->common->moved_count + 1;
  islands->contacts = ct_arena_alloc(step->arena, contacts, sizeof(uint32_t));
  islands->contact_starts = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  islands->bodies = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  islands->body_starts = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  uint32_t *roots = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  uint32_t *numbers = ct_arena_alloc(step->arena, bodies, sizeof(uint32_t));
  uint8_t *touched = ct_arena_alloc(step->arena, bodies, 1);
  if (!islands->contacts || !islands->contact_starts || !islands->bodies || !islands->body_starts ||
      !roots || !numbers || !touched)
    return CT_OUT_OF_MEMORY;
  link_step_bodies(stepping, roots, touched);
  islands->count = number_step_islands(stepping, roots, numbers);
  sort_contacts_by_island(stepping, roots, islands);
  sort_bodies_by_island(stepping, roots, islands);
  assert(islands->contact_starts[islands->count] <= stepping->found.count);
  assert(islands->body_starts[islands->count] <= stepping->common->moved_count);
  return CT_OK;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* Sets the load on each body, with the body at its pose in the middle of the step. */
static void set_body_loads(ct_time_stepping *stepping) {
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    stepping->common->next[i].force = stepping->common->next[i].torque = ct_vec(0, 0, 0);
  for (size_t k = 0; k < stepping->common->load_count; k++) {
    const ct_load *load = &stepping->common->loads[k];
    uint32_t index = stepping->common->moved_of[load->row];
    if (index == CT_NO_ROW) continue;
    ct_body_state *m = &stepping->common->next[index];
    m->force = ct_add(m->force, load->force);
    m->torque = ct_add(m->torque, load->torque);
    if (load->has_at)
      m->torque = ct_add(m->torque, ct_cross(ct_sub(load->at, m->position), load->force));
  }
}

/* Applies gravity and loads to a dynamic body, or the prescribed acceleration to a kinematic one,
 * for `time`. Sets the velocity before it and the velocity without contact impulses. */
static void apply_free_forces(const ct_time_stepping *stepping, ct_body_state *m, double time) {
  m->before = m->velocity;
  if (m->is_dynamic) {
    m->inverse_inertia = ct_body_state_inverse_inertia(m);
    ct_body_state_apply_impulse(
        m, ct_scale(ct_add_scaled(m->force, stepping->common->options.gravity, m->mass), time),
        ct_scale(m->torque, time));
  } else {
    m->velocity.linear = ct_add_scaled(m->velocity.linear, m->acceleration.linear, time);
    m->velocity.angular = ct_add_scaled(m->velocity.angular, m->acceleration.angular, time);
  }
  m->free = m->velocity;
  m->free_momentum = m->angular_momentum;
}

/* Returns the work of the load on a body in a step: force times the mean of the velocities before
 * and after the impulses, with which the body drifts. */
static double body_load_work(const ct_body_state *m, double time) {
  return 0.5 * time *
         (ct_dot(m->force, ct_add(m->before.linear, m->velocity.linear)) +
          ct_dot(m->torque, ct_add(m->before.angular, m->velocity.angular)));
}

/* ---- step ------------------------------------------------------------------------------------ */

static void discard_contacts(ct_step *step) {
  const ct_time_stepping *stepping = step->stepping;
  for (size_t i = 0; i < stepping->common->moved_count; i++) {
    ct_body_state *m = &stepping->common->next[i];
    m->velocity = m->free;
    m->angular_momentum = m->free_momentum;
  }
  step->result.contact_impulse = ct_vec(0, 0, 0);
  step->result.kinematic_work = step->result.residual = step->result.dissipation = 0.0;
  step->result.converged = true;
  step->result.guarded = step->result.contradictory = false;
}

typedef ct_status process_island(ct_step *step, const ct_step_island *island);

static ct_status process_step_islands(ct_step *step, process_island *process) {
  ct_step_islands islands;
  ct_arena_mark mark = ct_arena_enter(step->arena);
  ct_status status = find_step_islands(step, &islands);
  for (size_t k = 0; status == CT_OK && k < islands.count; k++) {
    const ct_step_island island = ct_step_island_at(&islands, k);
    status = ct_cancel_raised(step->stepping->common->options.cancel) ? CT_CANCELLED
                                                                      : process(step, &island);
  }
  ct_arena_leave(step->arena, mark);
  return status;
}

/* Solves all islands from the velocities without impulses. */
static ct_status solve_step_islands(ct_step *step, uint64_t sweeps, bool rough) {
  discard_contacts(step);
  step->sweeps = sweeps;
  step->rough = rough;
  return process_step_islands(step, ct_step_solve);
}

/* Sets the shifts of the contacts at the velocities found. True if they have changed so much that
 * the step has to be solved again. */
static bool change_shifts(const ct_step *step) {
  double part = step->result.converged ? SHIFT_PART : UNCONVERGED_SHIFT_PART;
  return ct_step_set_shifts(step, false) > part * step->stepping->depth_tolerance;
}

/* Solves the contacts found. Passes with few sweeps find which contacts take part: each adds the
 * separated contacts that its solution would close. A last pass with all sweeps solves to the
 * tolerance. All assume the curvature of the motion before the impulses; the last pass is repeated
 * if that at its velocities differs. */
static ct_status solve_contacts(ct_step *step) {
  const ct_advance_options *o = &step->stepping->common->options;
  uint64_t sweeps = o->iterations_max ? o->iterations_max : SWEEPS_MAX;
  assert(sweeps > 0);
  ct_status status = CT_OK;
  bool more = true;
  if (!step->at_start) ct_step_set_shifts(step, true);
  for (int round = 1; status == CT_OK && more && round < ROUNDS_MAX; round++) {
    status = solve_step_islands(step, sweeps / ROUGH_SHARE + 1, true);
    more = status == CT_OK && ct_step_add_speculative(step);
  }
  more = true;
  for (int pass = 0; status == CT_OK && more && pass < FULL_PASSES_MAX; pass++) {
    status = solve_step_islands(step, sweeps, false);
    more = status == CT_OK && pass + 1 < FULL_PASSES_MAX && !step->at_start && change_shifts(step);
  }
  return status;
}

/* Moves bodies whose contacts are deeper than the tolerance. */
static ct_status correct_positions(ct_step *step) {
  const ct_step_contacts *found = &step->stepping->found;
  bool is_deep = false;
  for (size_t i = 0; i < found->count; i++) {
    const ct_step_contact *t = &found->items[i];
    is_deep = is_deep || (t->takes_part && ct_step_excess_depth(step, t) > 0.0);
    if (t->overlaps) step->result.overlap_left = ct_max2(step->result.overlap_left, -t->distance);
  }
  return is_deep ? process_step_islands(step, ct_step_correct_positions) : CT_OK;
}

/* ---- contact events -------------------------------------------------------------------------- */

/* Adds the contacts of the step that touch in its middle, or that have an impulse, to those of its
 * events. CT_OUT_OF_MEMORY. */
static ct_status add_event_contacts(const ct_step *step) {
  const ct_time_stepping *stepping = step->stepping;
  ct_integration *common = stepping->common;
  double tolerance = common->options.contact_tolerance;
  ct_status status = CT_OK;
  for (size_t i = 0; common->tracker.enabled && i < stepping->found.count && status == CT_OK; i++) {
    const ct_step_contact *t = &stepping->found.items[i];
    if (t->distance > tolerance && ct_max_abs(t->impulse) == 0.0) continue;
    ct_vec3 after = ct_step_contact_velocity(step, t, false);
    status = ct_contact_events_add(
        &common->tracker, &(ct_advance_contact){.row_a = t->row_a,
                                                .row_b = t->row_b,
                                                .collider_a = t->collider_a,
                                                .collider_b = t->collider_b,
                                                .normal_velocity = ct_dot(t->axes[0], t->before),
                                                .separation = ct_dot(t->axes[0], after),
                                                .impulse = ct_dot(t->axes[0], t->impulse),
                                                .position = t->position,
                                                .normal = t->axes[0],
                                                .distance = t->distance});
  }
  return status;
}

/* Counts the contacts with an impulse and finds the largest depth. Adds to `events` by how much the
 * number of acting contacts differs from that of the previous step. */
static void count_contacts(ct_step *step) {
  const ct_step_contacts *found = &step->stepping->found;
  size_t before = step->stepping->common->state.contacts;
  for (size_t k = 0; k < found->count; k++) {
    step->result.acting += ct_max_abs(found->items[k].impulse) > 0.0;
    step->result.depth = ct_max2(step->result.depth, -found->items[k].distance);
  }
  step->result.events +=
      step->result.acting > before ? step->result.acting - before : before - step->result.acting;
}

/* True if a separated contact would close before the middle of the step. Call with result.time =
 * half the step. */
static bool closes_before_middle(const ct_step *step) {
  const ct_step_contacts *found = &step->stepping->found;
  double tolerance = step->stepping->common->options.contact_tolerance;
  for (size_t i = 0; i < found->count; i++) {
    const ct_step_contact *t = &found->items[i];
    if (t->distance > tolerance &&
        t->distance + step->result.time * ct_dot(t->axes[0], t->before) < 0.0)
      return true;
  }
  return false;
}

/* Resolves contacts that close in the first half of the first step, in a step of duration 0 at the
 * start. Later steps need none: contacts found in the middle of a step cannot interpenetrate before
 * the middle of the next one. */
static ct_status collide_at_start(ct_step *step) {
  const ct_time_stepping *stepping = step->stepping;
  for (size_t i = 0; i < stepping->common->moved_count; i++) {
    ct_body_state *m = &stepping->common->next[i];
    m->before = m->free = m->velocity;
    m->free_momentum = m->angular_momentum;
    if (m->is_dynamic) m->inverse_inertia = ct_body_state_inverse_inertia(m);
  }
  step->result.time *= 0.5;
  step->at_start = step->marks_overlap = true;
  ct_status status = ct_step_find_contacts(step);
  if (status != CT_OK || !closes_before_middle(step)) return status;
  status = solve_contacts(step);
  count_contacts(step);
  return status == CT_OK ? add_event_contacts(step) : status;
}

/* Makes the contacts at the start those of the previous step, without impulses: they mark the pairs
 * that overlap, and the contacts that are closed. */
static void retain_start_contacts(ct_time_stepping *stepping) {
  ct_step_contacts contacts = stepping->contacts;
  stepping->contacts = stepping->found;
  stepping->found = contacts;
  for (size_t i = 0; i < stepping->contacts.count; i++) {
    ct_step_contact *t = &stepping->contacts.items[i];
    t->impulse = ct_vec(0, 0, 0);
    t->closed_at_start = t->distance <= stepping->common->options.contact_tolerance;
  }
}

/* Makes the step of duration 0 at the start of the simulation, if a body moves. */
static ct_status start_simulation(ct_step *step, ct_step *start) {
  ct_time_stepping *stepping = step->stepping;
  bool moves = false;
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    moves = moves || !ct_body_state_is_fixed(&stepping->common->next[i]);
  step->marks_overlap = !moves;
  if (!moves) return CT_OK;
  ct_status status = collide_at_start(start);
  if (status == CT_OK) retain_start_contacts(stepping);
  return status;
}

/* Adds the results of the initial step of duration 0 to those of the step. */
static void add_start_result(ct_step *step, const ct_step *start) {
  step->result.contact_impulse =
      ct_add(step->result.contact_impulse, start->result.contact_impulse);
  step->result.kinematic_work += start->result.kinematic_work;
  step->result.dissipation += start->result.dissipation;
  step->result.residual = ct_max2(step->result.residual, start->result.residual);
  step->result.converged = step->result.converged && start->result.converged;
  step->result.guarded = step->result.guarded || start->result.guarded;
  step->result.contradictory = step->result.contradictory || start->result.contradictory;
  step->result.events += start->result.events;
}

static ct_status perform_step(ct_step *step) {
  assert(step->result.time > 0.0);
  ct_time_stepping *stepping = step->stepping;
  /* Start from the present state. A changed time step wakes all bodies, because the impulses of
   * sleeping islands are for the previous one. */
  memcpy(stepping->common->next, stepping->common->now,
         stepping->common->moved_count * sizeof *stepping->common->now);
  if (step->result.time != stepping->common->last_time)
    for (size_t i = 0; i < stepping->common->moved_count; i++)
      stepping->common->next[i].asleep = false;
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    stepping->common->next[i].is_corrected = false;
  if (!ct_integration_is_within_limits(stepping->common, stepping->common->next, step->result.time,
                                       step->result.time))
    return CT_LIMIT;
  /* First step of the simulation: resolve the contacts that close before its middle. */
  ct_step start = *step;
  ct_status status = stepping->common->state.steps == 0 ? start_simulation(step, &start) : CT_OK;
  if (status != CT_OK) return status;
  if (!ct_integration_is_within_limits(stepping->common, stepping->common->next, step->result.time,
                                       step->result.time))
    return CT_LIMIT;
  /* Drift to the middle of the step, and apply the loads there. */
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    ct_body_state_drift(&stepping->common->next[i], 0.5 * step->result.time);
  set_body_loads(stepping);
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    apply_free_forces(stepping, &stepping->common->next[i], step->result.time);
  /* Find and solve the contacts at the middle. */
  status = ct_step_find_contacts(step);
  if (status == CT_OK) status = solve_contacts(step);
  if (status == CT_OK) status = correct_positions(step);
  if (status != CT_OK) return status;
  add_start_result(step, &start);
  if (!ct_integration_is_within_limits(stepping->common, stepping->common->next, step->result.time,
                                       step->result.time))
    return CT_LIMIT;
  /* Drift through the second half. */
  for (size_t i = 0; i < stepping->common->moved_count; i++) {
    ct_body_state *m = &stepping->common->next[i];
    if (m->is_dynamic) step->result.load_work += body_load_work(m, step->result.time);
    ct_body_state_drift(m, 0.5 * step->result.time);
  }
  return ct_integration_is_within_limits(stepping->common, stepping->common->next, 0.0,
                                         step->result.time)
             ? CT_OK
             : CT_LIMIT;
}

static void retain_contacts(ct_step *step) {
  ct_time_stepping *stepping = step->stepping;
  ct_step_contacts contacts = stepping->contacts;
  stepping->contacts = stepping->found;
  stepping->found = contacts;
  stepping->margin = step->margin;
  stepping->common->last_time = step->result.time;
  stepping->next_rest_attempt = step->next_rest_attempt;
  stepping->rest_attempt_interval = step->rest_attempt_interval;
}

/* ---- integrator ------------------------------------------------------------------------------ */

/* Sets the tolerated depth and the speed of separation from the radii of the dynamic bodies. */
static void set_correction_limits(ct_time_stepping *stepping) {
  const ct_integration *common = stepping->common;
  double least = INFINITY, most = 0.0;
  for (size_t i = 0; i < common->moved_count; i++) {
    const ct_body_state *m = &common->now[i];
    if (!m->is_dynamic || !(m->radius > 0.0 && m->radius < INFINITY)) continue;
    least = ct_min2(least, m->radius);
    most = ct_max2(most, m->radius);
  }
  stepping->depth_tolerance = DEPTH_PART * least;
  stepping->separation_speed = common->options.separation_speed > 0.0
                                   ? common->options.separation_speed
                                   : ct_min2(SEPARATION_SPEED, 2.0 * most);
}

ct_status ct_time_stepping_create(ct_integration *common, ct_time_stepping **out) {
  ct_time_stepping *stepping = *out = calloc(1, sizeof *stepping);
  if (!stepping) return CT_OUT_OF_MEMORY;
  stepping->common = common;
  set_correction_limits(stepping);
  ct_advance_options *o = &common->options;
  o->time_step = ct_min2(o->time_step, o->duration);
  double whole = floor(o->duration / o->time_step), rest = o->duration - whole * o->time_step;
  if (rest > (1.0 - REST_PART) * o->time_step) {
    whole += 1.0;
    rest = 0.0;
  }
  stepping->steps_whole = (uint64_t)whole;
  stepping->step_rest = rest > REST_PART * o->time_step ? rest : 0.0;
  return CT_OK;
}

void ct_time_stepping_destroy(ct_time_stepping *stepping) {
  if (!stepping) return;
  free(stepping->contacts.items);
  free(stepping->queried.items);
  free(stepping->found.items);
  free(stepping);
}

ct_status ct_time_stepping_step(ct_time_stepping *stepping, ct_workspace *workspace,
                                ct_arena *arena, bool *done) {
  ct_integration *common = stepping->common;
  const ct_advance_options *o = &common->options;
  uint64_t past = common->state.steps, steps = stepping->steps_whole + (stepping->step_rest > 0.0);
  bool is_rest = past == stepping->steps_whole;
  *done = past >= steps;
  if (*done) return CT_OK;
  ct_step step = {.stepping = stepping,
                  .workspace = workspace,
                  .arena = arena,
                  .next_rest_attempt = stepping->next_rest_attempt,
                  .rest_attempt_interval = stepping->rest_attempt_interval};
  step.result.converged = true;
  step.result.time = is_rest ? stepping->step_rest : o->time_step;
  ct_status status = perform_step(&step);
  double end = is_rest ? o->duration : (double)(past + 1) * o->time_step;
  if (status == CT_OK) status = add_event_contacts(&step);
  if (status == CT_OK) status = ct_contact_events_compare(&common->tracker, end);
  if (status != CT_OK) return status;
  count_contacts(&step);
  assert(step.result.acting <= stepping->found.count);
  retain_contacts(&step);
  ct_integration_accept(common, &step.result, end);
  *done = past + 1 == steps;
  return CT_OK;
}
