/* The velocity problem of one island: finds impulses after which no contact approaches faster than
 * its target, friction opposes the remaining slip, and restitution creates no energy. */
#include "linear/arena.h"
#include "mechanics/mechanics.h"
#include "time_stepping/time_stepping.h"

#include <assert.h>
#include <string.h>

/* The bodies of an island are at rest if their momenta are below this multiple of the solver's
 * tolerance times the largest impulse, which is the round-off of several impulses per body that
 * cancel. */
#define REST_PART 16.0
/* Energy that impulses may create by round-off, relative to the sum of the magnitudes of their
 * works. */
#define WORK_ROUNDING 1e-12

/* Unless the options specify sweeps, a small island has so many that SMALL_CONTACTS_SWEPT contacts
 * are evaluated in total, at most SMALL_SWEEPS_MAX: most islands then converge to the tolerance,
 * and the next step is warm-started. */
#define SMALL_SWEEPS_MAX 1000u
#define SMALL_CONTACTS_SWEPT 50000u

/* If the bodies have more energy after the impulses than before, the solver is continued, at most
 * ENERGY_RETRIES_MAX times, with ENERGY_SWEEPS_FACTOR times the sweeps. */
#define ENERGY_RETRIES_MAX 1
#define ENERGY_SWEEPS_FACTOR 4u

/* An island in which no body is faster than gravity accelerates it in REST_STEPS steps is stopped
 * if possible. If the residual is then above the tolerance but below REST_RESIDUAL, the solver gets
 * REST_FACTOR times the sweeps. After a failure the next attempt is at most REST_WAIT_MAX steps
 * later. */
#define REST_STEPS 1.0
#define REST_RESIDUAL 1e-6
#define REST_FACTOR 64u
#define REST_WAIT_MAX 63u
/* An island with moving kinematic bodies counts as a kinematic squeeze if its residual exceeds
 * SQUEEZE_RESIDUAL without convergence, or if a resulting velocity exceeds SQUEEZE_SPEED_FACTOR
 * times the largest one before. A body that is squeezed out between surfaces at an angle below 1 /
 * SQUEEZE_SPEED_FACTOR is jammed: the round-off of this angle would determine its speed. */
#define SQUEEZE_RESIDUAL 1e-4
#define SQUEEZE_SPEED_FACTOR 100.0

/* The velocity problem of an island. In `set`, bodies are numbered from 1; body 0 is the immovable
 * world. */
typedef struct island_problem {
  ct_step *step;
  const ct_step_island *island;
  size_t count; /* number of contacts */
  bool still;   /* the targets are those of bodies at rest: without the shifts of moving contacts */
  ct_contact_set set;
  ct_matrix matrix;
  double *free;   /* [3 count] relative velocities without the step's impulses, but with gravity and
                     loads, m/s */
  double *before; /* [3 count] relative velocities before gravity, loads and impulses of the step,
                     m/s */
  double *q, *mu;
} island_problem;

/* Solution: impulses r, and relative velocities u after them. In u, the targets that the solver's
 * problem contains are removed. */
typedef struct island_answer {
  double *r, *u; /* [3 count] */
  ct_friction_result result;
} island_answer;

static ct_step_contact *island_contact(const island_problem *p, size_t i) {
  assert(i < p->count);
  return ct_step_contact_at(p->step, p->island, i);
}
static ct_body_state *island_body(const island_problem *p, size_t i) {
  assert(i < p->island->body_count);
  return ct_step_body_at(p->step, p->island, i);
}
static bool is_zero_velocity(ct_velocity v) {
  return ct_max_abs(v.linear) == 0.0 && ct_max_abs(v.angular) == 0.0;
}
static uint32_t body_number(const ct_body_state *m) {
  return ct_body_state_is_dynamic(m) ? m->place : 0;
}

/* ---- matrix ---------------------------------------------------------------------------------- */

/* Returns the body's mass properties. Force and torque are set to its momenta without contact
 * impulses, which the impulses have to cancel. */
static ct_mass_body mass_body(const ct_body_state *m) {
  return (ct_mass_body){.mobility = CT_DYNAMIC,
                        .mass = m->mass,
                        .inverse_mass = 1.0 / m->mass,
                        .inverse_inertia = m->inverse_inertia,
                        .center = m->position,
                        .force = ct_scale(m->free.linear, m->mass),
                        .torque = m->free_momentum};
}

ct_status ct_step_make_set(const ct_step *step, const ct_step_island *island, ct_contact_set *set) {
  ct_mass_body *bodies = ct_arena_alloc(step->arena, island->body_count + 1, sizeof *bodies);
  ct_contact *contacts = ct_arena_alloc(step->arena, island->count, sizeof *contacts);
  if (!bodies || !contacts) return CT_OUT_OF_MEMORY;
  bodies[0] = (ct_mass_body){.mobility = CT_FIXED};
  for (size_t i = 0; i < island->body_count; i++) {
    ct_body_state *m = ct_step_body_at(step, island, i);
    m->place = (uint32_t)i + 1;
    bodies[i + 1] = mass_body(m);
  }
  for (size_t i = 0; i < island->count; i++) {
    const ct_step_contact *t = ct_step_contact_at(step, island, i);
    contacts[i] = (ct_contact){.a = body_number(ct_step_state(step, t->a)),
                               .b = body_number(ct_step_state(step, t->b)),
                               .position = t->position,
                               .normal = t->axes[0],
                               .material.static_friction = t->friction};
  }
  *set = (ct_contact_set){bodies, island->body_count + 1, contacts, island->count};
  return CT_OK;
}

/* Computes the Delassus matrix of the island's contacts. The caller frees it. */
static ct_status make_matrix(island_problem *p, ct_delassus_matrix *matrix) {
  ct_contact_graph graph;
  ct_status status = ct_step_make_set(p->step, p->island, &p->set);
  if (status == CT_OK) status = ct_contact_graph_open(&graph, &p->set);
  if (status != CT_OK) return status;
  status = ct_delassus_matrix_open(matrix, &p->set, &graph, 3);
  ct_contact_graph_close(&graph);
  return status;
}

/* ---- velocities ----------------------------------------------------------------------------- */

static void set_axes(const ct_step_contact *t, ct_vec3 v, double *out) {
  for (int k = 0; k < 3; k++) out[k] = ct_dot(t->axes[k], v);
}

static ct_status make_velocities(island_problem *p) {
  ct_arena *arena = p->step->arena;
  p->free = ct_arena_alloc_doubles(arena, 3 * p->count);
  p->before = ct_arena_alloc_doubles(arena, 3 * p->count);
  p->q = ct_arena_alloc_doubles(arena, 3 * p->count);
  p->mu = ct_arena_alloc_doubles(arena, p->count);
  if (!p->free || !p->before || !p->q || !p->mu) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < p->count; i++) {
    const ct_step_contact *t = island_contact(p, i);
    set_axes(t, ct_step_contact_velocity(p->step, t, false), &p->free[3 * i]);
    set_axes(t, t->before, &p->before[3 * i]);
    p->mu[i] = t->friction;
  }
  return CT_OK;
}

/* ---- solutions ------------------------------------------------------------------------------- */

static ct_status make_answer(const island_problem *p, island_answer *answer) {
  answer->r = ct_arena_alloc_doubles(p->step->arena, 3 * p->count);
  answer->u = ct_arena_alloc_doubles(p->step->arena, 3 * p->count);
  return answer->r && answer->u ? CT_OK : CT_OUT_OF_MEMORY;
}

static double tolerance_of(const island_problem *p) {
  double tolerance = p->step->stepping->common->options.tolerance;
  return tolerance > 0.0 ? tolerance : CT_ADVANCE_TOLERANCE;
}

/* Returns the shift of a contact's target along one of its axes, m/s. */
static double shift_of(const island_problem *p, const ct_step_contact *t, size_t axis) {
  return p->still ? 0.0 : t->shift[axis];
}

/* Returns the friction problem of the island. bounces: with the targets of restitution; otherwise
 * contacts with restitution have target 0. */
static ct_friction_problem friction_problem_of(island_problem *p, bool bounces) {
  for (size_t i = 0; i < p->count; i++) {
    const ct_step_contact *t = island_contact(p, i);
    for (size_t k = 0; k < 3; k++) p->q[3 * i + k] = p->free[3 * i + k] - shift_of(p, t, k);
    if (bounces || !t->bounces) p->q[3 * i] -= t->target;
  }
  return (ct_friction_problem){
      .matrix = p->matrix, .q = p->q, .mu = p->mu, .contacts = p->count, .dimension = 3};
}

/* Removes the targets, which q contains, from the relative velocities u. */
static void remove_targets(const island_problem *p, double *u) {
  for (size_t k = 0; k < 3 * p->count; k++) u[k] += p->free[k] - p->q[k];
}

static uint64_t sweeps_of(const island_problem *p) {
  uint64_t sweeps = p->step->sweeps, small = SMALL_CONTACTS_SWEPT / p->count;
  if (p->step->rough || p->step->stepping->common->options.iterations_max) return sweeps;
  if (small > SMALL_SWEEPS_MAX) small = SMALL_SWEEPS_MAX;
  return sweeps > small ? sweeps : small;
}

/* True if no impulses satisfy the contacts. The solution's impulses are then regularised, and
 * continuing the solver would not improve them. */
static bool is_infeasible_answer(const island_answer *answer) {
  return answer->result.status == CT_FRICTION_STATUS_INFEASIBLE;
}

/* True if a kinematic body that moves touches the island. */
static bool is_driven(const island_problem *p) {
  for (size_t i = 0; i < p->count; i++) {
    const ct_body_state *sides[2] = {ct_step_state(p->step, island_contact(p, i)->a),
                                     ct_step_state(p->step, island_contact(p, i)->b)};
    for (int k = 0; k < 2; k++)
      if (sides[k] && !sides[k]->is_dynamic &&
          !(ct_body_state_is_fixed(sides[k]) && is_zero_velocity(sides[k]->before)))
        return true;
  }
  return false;
}

/* True if the motion of the contact requires that its bodies separate at the middle of the step. */
static bool has_raised_target(const island_problem *p, const ct_step_contact *t) {
  return !t->bounces && t->target + shift_of(p, t, 0) > 0.0;
}

static bool has_raised_targets(const island_problem *p) {
  for (size_t i = 0; i < p->count; i++)
    if (has_raised_target(p, island_contact(p, i))) return true;
  return false;
}

/* True if no contact has a positive target velocity. bounces: with the targets of restitution. */
static bool has_no_positive_target(const island_problem *p, bool bounces) {
  for (size_t i = 0; i < p->count && bounces; i++)
    if (island_contact(p, i)->bounces && island_contact(p, i)->target > 0.0) return false;
  return !has_raised_targets(p);
}

/* Decides whether the solver has to prove infeasibility. A Farkas vector y >= 0 of contradicting
 * contacts moves no dynamic body, J^T y = 0 (step_feasibility.c), so that y^T q = y^T (contact
 * velocities by driven bodies) - y^T target. Infeasibility requires this to be negative. It is not
 * negative if no target is positive and nothing is driven, or if one kinematic body drives all
 * contacts: its motion given to every body is then feasible. If a motion separates all contacts, no
 * such y exists. The other cases may be infeasible: a body clamped by bodies with different
 * motions, or by contacts with restitution. */
static ct_friction_proof choose_proof(const island_problem *p, bool bounces) {
  ct_friction_proof proof = p->step->stepping->common->options.proof;
  if (proof != CT_FRICTION_PROOF_WHEN_INDICATED) return proof;
  bool is_carried = !is_driven(p) || ct_step_has_one_driver(p->step, p->island->contacts, p->count);
  if (is_carried && has_no_positive_target(p, bounces)) return CT_FRICTION_PROOF_NEVER;
  return ct_step_can_part(p->step, p->island->contacts, p->count) ? CT_FRICTION_PROOF_NEVER : proof;
}

static ct_friction_options options_of(const island_problem *p, bool bounces, const double *start) {
  const ct_advance_options *o = &p->step->stepping->common->options;
  return (ct_friction_options){.method = o->method,
                               .tolerance = tolerance_of(p),
                               .iterations_max = sweeps_of(p),
                               .start = start,
                               .proof = choose_proof(p, bounces),
                               .cancel = o->cancel};
}

/* Returns the sum of the magnitudes of the terms of a point's velocity, to which its round-off is
 * relative. */
static double velocity_size(const ct_body_state *m, ct_vec3 point) {
  if (!m) return 0.0;
  double arm = ct_norm(ct_sub(point, m->position)) + ct_max_abs(point);
  return ct_norm(m->velocity.linear) + ct_norm(m->velocity.angular) * arm;
}

/* Raises q by the round-off of the contact velocities: the gap between the jaws of a rotating
 * gripper changes by round-off only, which must not make the contacts infeasible. */
static void allow_roundoff(const island_problem *p) {
  for (size_t i = 0; i < p->count; i++) {
    const ct_step_contact *t = island_contact(p, i);
    double size = velocity_size(ct_step_state(p->step, t->a), t->position) +
                  velocity_size(ct_step_state(p->step, t->b), t->position);
    p->q[3 * i] += CT_RATE_ROUNDOFF * size;
  }
}

/* Solves the friction problem of the island; infeasible contacts are regularised. bounces: with
 * restitution. start: impulses for the warm start, or NULL. */
static ct_status solve_island_friction(island_problem *p, bool bounces, const double *start,
                                       island_answer *answer) {
  const ct_friction_problem problem = friction_problem_of(p, bounces);
  const ct_friction_options options = options_of(p, bounces, start);
  answer->result = (ct_friction_result){.r = answer->r, .u = answer->u};
  ct_status status = ct_friction_solve(&problem, &options, p->step->arena, &answer->result);
  bool stuck = is_infeasible_answer(answer) ||
               (!answer->result.converged && answer->result.residual > SQUEEZE_RESIDUAL);
  if (status == CT_OK && stuck && is_driven(p)) {
    allow_roundoff(p);
    status = ct_friction_solve(&problem, &options, p->step->arena, &answer->result);
  }
  if (status == CT_OK && is_infeasible_answer(answer))
    status = ct_step_solve_regularised(&problem, &options, p->step->arena, &answer->result);
  if (status != CT_OK) return status;
  remove_targets(p, answer->u);
  p->step->result.iterations += answer->result.iterations;
  return CT_OK;
}

/* Returns the work of the impulses: each times the mean of the relative velocities before and
 * after. */
static double impulse_work(const island_problem *p, const island_answer *answer) {
  double sum = 0.0;
  for (size_t k = 0; k < 3 * p->count; k++)
    sum += 0.5 * answer->r[k] * (p->before[k] + answer->u[k]);
  return sum;
}

static void scale_impulses(const island_problem *p, island_answer *answer,
                           const island_answer *towards, double part) {
  assert(part >= 0.0 && part <= 1.0);
  for (size_t k = 0; k < 3 * p->count; k++) {
    double r = towards ? towards->r[k] : 0.0, u = towards ? towards->u[k] : p->free[k];
    answer->r[k] = r + part * (answer->r[k] - r);
    answer->u[k] = u + part * (answer->u[k] - u);
  }
  p->step->result.guarded = true;
}

/* Returns the relative velocity of row k that the motion of its contact requires, m/s: a positive
 * target without restitution, and the shifts of the tangential axes. */
static double required_velocity(const island_problem *p, size_t k) {
  const ct_step_contact *t = island_contact(p, k / 3);
  if (k % 3 > 0) return shift_of(p, t, k % 3);
  return has_raised_target(p, t) ? t->target + shift_of(p, t, 0) : 0.0;
}

/* True if the impulses do positive work on the resulting velocities, less those that the contacts
 * require. Exact impulses of contacts without restitution do not, so that the solver has not
 * converged. *part: scale of the impulses at which the remaining energy is least. */
static bool does_positive_work(const island_problem *p, const island_answer *answer, double *part) {
  double along = 0.0, against = 0.0, size = 0.0;
  for (size_t k = 0; k < 3 * p->count; k++) {
    double required = required_velocity(p, k);
    along += answer->r[k] * (answer->u[k] - required);
    against += answer->r[k] * (p->free[k] - required);
    size += fabs(answer->r[k] * p->free[k]);
  }
  *part = along > against ? fmax(0.0, -against / (along - against)) : 0.0;
  return along > WORK_ROUNDING * size;
}

/* Continues the solver from its solution with `factor` times the sweeps. */
static ct_status continue_sweeps(island_problem *p, uint64_t factor, double *start,
                                 island_answer *answer) {
  uint64_t sweeps = p->step->sweeps;
  memcpy(start, answer->r, 3 * p->count * sizeof *start);
  p->step->sweeps = factor * sweeps;
  ct_status status = solve_island_friction(p, false, start, answer);
  p->step->sweeps = sweeps;
  return status;
}

/* True if no body is faster than gravity accelerates it in REST_STEPS steps. */
static bool is_slow(const island_problem *p) {
  const ct_advance_options *o = &p->step->stepping->common->options;
  double most = REST_STEPS * p->step->result.time * ct_norm(o->gravity);
  for (size_t i = 0; i < p->island->body_count; i++) {
    const ct_body_state *m = island_body(p, i);
    if (ct_norm(m->before.linear) + m->radius * ct_norm(m->before.angular) > most) return false;
  }
  return true;
}

static bool was_at_rest(const island_problem *p) {
  for (size_t i = 0; i < p->island->body_count; i++)
    if (!is_zero_velocity(island_body(p, i)->before)) return false;
  return true;
}

/* Computes impulses that stop all bodies at touching contacts. They replace the solution if their
 * residual is smaller. */
static ct_status try_to_stop(island_problem *p, island_answer *answer) {
  ct_arena *arena = p->step->arena;
  ct_arena_mark mark = ct_arena_enter(arena);
  uint32_t *active = ct_arena_alloc(arena, p->count, sizeof *active);
  double *r = ct_arena_alloc_doubles(arena, 3 * p->count),
         *u = ct_arena_alloc_doubles(arena, 3 * p->count);
  /* Contacts that touch. */
  size_t count = 0;
  for (uint32_t i = 0; active && i < p->count; i++)
    if (island_contact(p, i)->target == 0.0 || island_contact(p, i)->bounces) active[count++] = i;
  /* Contacts of bodies that are stopped do not move. */
  bool still = p->still;
  p->still = true;
  /* Compute impulses that cancel all momenta, if possible. */
  ct_status status =
      active && r && u ? ct_step_stop(p->step, &p->set, active, count, r) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    /* Use them if their residual in the velocity problem is smaller. */
    const ct_friction_problem problem = friction_problem_of(p, false);
    double residual = ct_friction_residual(&problem, r, u);
    still = still || residual <= tolerance_of(p);
    if (residual < answer->result.residual) {
      answer->result.residual = residual;
      answer->result.converged = residual <= tolerance_of(p);
      remove_targets(p, u);
      memcpy(answer->r, r, 3 * p->count * sizeof *r);
      memcpy(answer->u, u, 3 * p->count * sizeof *u);
    }
  }
  p->still = still;
  ct_arena_leave(arena, mark);
  return status;
}

/* Spends many sweeps to bring an island to rest that is nearly at rest, because sleeping islands
 * cost nothing in later steps. After a failure, attempts become less frequent. */
static ct_status try_to_rest(island_problem *p, double *start, island_answer *answer) {
  ct_step *step = p->step;
  uint64_t now = step->stepping->common->state.steps, wait = step->stepping->rest_attempt_interval;
  if (now < step->stepping->next_rest_attempt && !was_at_rest(p)) return CT_OK;
  ct_status status =
      is_slow(p) && !was_at_rest(p) && !is_driven(p) ? try_to_stop(p, answer) : CT_OK;
  if (status == CT_OK && !answer->result.converged && answer->result.residual < REST_RESIDUAL)
    status = continue_sweeps(p, REST_FACTOR, start, answer);
  if (status != CT_OK) return status;
  if (!answer->result.converged) {
    step->rest_attempt_interval = wait < REST_WAIT_MAX ? 2 * wait + 1 : wait;
    step->next_rest_attempt = now + step->rest_attempt_interval;
  } else if (step->next_rest_attempt <= now) {
    step->rest_attempt_interval = 1;
  }
  return CT_OK;
}

/* True if kinematic bodies squeeze others so that the contacts found leave these no escape. */
static bool is_kinematic_squeeze(const island_problem *p, const island_answer *answer) {
  if (!is_driven(p)) return false;
  if (!answer->result.converged && answer->result.residual > SQUEEZE_RESIDUAL) return true;
  double was = 0.0, is = 0.0;
  for (size_t k = 0; k < 3 * p->count; k++) {
    was = fmax(was, fmax(fabs(p->before[k]), fabs(p->free[k])));
    is = fmax(is, fabs(answer->u[k]));
  }
  return is > SQUEEZE_SPEED_FACTOR * was;
}

/* Solves the island without restitution. If the bodies were at rest, stopping them is tried first;
 * otherwise the solver is continued while its impulses create energy. A remaining gain of energy is
 * removed by scaling all impulses. */
static ct_status solve_without_restitution(island_problem *p, double *start,
                                           island_answer *answer) {
  double part;
  answer->result = (ct_friction_result){.residual = INFINITY};
  ct_status status = was_at_rest(p) && !is_driven(p) ? try_to_stop(p, answer) : CT_OK;
  if (status == CT_OK && !answer->result.converged)
    status = solve_island_friction(p, false, start, answer);
  if (status != CT_OK || is_infeasible_answer(answer) || is_kinematic_squeeze(p, answer))
    return status;
  for (int k = 0; k < ENERGY_RETRIES_MAX && status == CT_OK && !answer->result.converged &&
                  does_positive_work(p, answer, &part);
       k++)
    status = continue_sweeps(p, ENERGY_SWEEPS_FACTOR, start, answer);
  if (status == CT_OK && !answer->result.converged &&
      (answer->result.residual < REST_RESIDUAL || is_slow(p)))
    status = try_to_rest(p, start, answer);
  if (status == CT_OK && does_positive_work(p, answer, &part))
    scale_impulses(p, answer, NULL, part);
  return status;
}

/* Adds restitution to the solution if the solver converges or has a smaller residual. Along the
 * segment from the impulses without restitution (s = 0) to those with it (s = 1) the work is a
 * parabola c + b s + a s^2. If it exceeds max(c, 0) at s = 1, energy would be gained, and the
 * impulses are scaled back to the s at which the work equals max(c, 0). */
static ct_status add_restitution(island_problem *p, const double *start, island_answer *answer) {
  island_answer with;
  ct_status status = make_answer(p, &with);
  if (status == CT_OK) status = solve_island_friction(p, true, start, &with);
  if (status != CT_OK) return status;
  if (!with.result.converged && with.result.residual > answer->result.residual) return CT_OK;
  double all = impulse_work(p, &with), c = impulse_work(p, answer), a = 0.0;
  for (size_t k = 0; k < 3 * p->count; k++)
    a += 0.5 * (with.r[k] - answer->r[k]) * (with.u[k] - answer->u[k]);
  double b = all - c - a, over = fmin(c, 0.0), root = sqrt(fmax(b * b - 4.0 * a * over, 0.0));
  if (all > fmax(c, 0.0) + WORK_ROUNDING * fabs(c))
    scale_impulses(
        p, &with, answer,
        a > 0.0 ? fmax(0.0, fmin(1.0, b <= 0.0 ? (root - b) / (2.0 * a) : -2.0 * over / (b + root)))
                : 0.0);
  *answer = with;
  return CT_OK;
}

static ct_status solve_squeezed_island(island_problem *p, const double *start,
                                       island_answer *answer) {
  const ct_friction_problem problem = friction_problem_of(p, false);
  const ct_friction_options options = options_of(p, false, start);
  ct_status status = ct_step_solve_regularised(&problem, &options, p->step->arena, &answer->result);
  if (status == CT_OK) remove_targets(p, answer->u);
  return status;
}

/* True if no impulses satisfy the raised targets of moving contacts, such as those of a body that
 * rolls between two plates. */
static bool are_raised_targets_infeasible(const island_problem *p, const island_answer *answer) {
  if (!has_raised_targets(p)) return false;
  if (is_infeasible_answer(answer)) return true;
  return !answer->result.converged && answer->result.residual > SQUEEZE_RESIDUAL;
}

static void lower_raised_targets(const island_problem *p) {
  for (size_t i = 0; i < p->count; i++) {
    ct_step_contact *t = island_contact(p, i);
    if (has_raised_target(p, t)) t->shift[0] = -t->target;
  }
}

static ct_status solve_velocity_problem(island_problem *p, island_answer *answer) {
  double *start = ct_arena_alloc_doubles(p->step->arena, 3 * p->count);
  if (!start) return CT_OUT_OF_MEMORY;
  bool bounces = false;
  for (size_t i = 0; i < p->count; i++) {
    set_axes(island_contact(p, i), island_contact(p, i)->impulse, &start[3 * i]);
    bounces = bounces || island_contact(p, i)->bounces;
  }
  if (p->step->rough) return solve_island_friction(p, true, start, answer);
  ct_status status = solve_without_restitution(p, start, answer);
  if (status == CT_OK && are_raised_targets_infeasible(p, answer)) {
    lower_raised_targets(p);
    status = solve_without_restitution(p, start, answer);
  }
  if (status == CT_OK && bounces && !is_infeasible_answer(answer) &&
      !is_kinematic_squeeze(p, answer))
    status = add_restitution(p, start, answer);
  return status == CT_OK && !is_infeasible_answer(answer) && is_kinematic_squeeze(p, answer)
             ? solve_squeezed_island(p, start, answer)
             : status;
}

/* ---- application of impulses ----------------------------------------------------------------- */

/* Adds the impulse of a contact with a kinematic or static body to the step's sum of outer
 * impulses, and its work to that of kinematic bodies. m: that body, NULL for the static world;
 * impulse: on the other body. */
static void add_immovable_impulse(ct_step *step, const ct_body_state *m, ct_vec3 position,
                                  ct_vec3 impulse) {
  if (ct_body_state_is_dynamic(m)) return;
  step->result.contact_impulse = ct_add(step->result.contact_impulse, impulse);
  if (!m) return;
  ct_velocity mean = {ct_lerp(m->before.linear, m->velocity.linear, 0.5),
                      ct_lerp(m->before.angular, m->velocity.angular, 0.5)};
  step->result.kinematic_work += ct_dot(impulse, ct_body_state_point_velocity(m, mean, position));
}

/* Applies the impulses to the bodies and stores them with the contacts. Returns the largest
 * impulse, N s. */
static double apply_impulses(const island_problem *p, const double *r) {
  double most = 0.0;
  for (size_t i = 0; i < p->island->body_count; i++)
    island_body(p, i)->impulse = island_body(p, i)->angular_impulse = ct_vec(0, 0, 0);
  for (size_t i = 0; i < p->count; i++) {
    ct_step_contact *t = island_contact(p, i);
    ct_vec3 impulse = ct_scale(t->axes[0], r[3 * i]);
    for (size_t k = 1; k < 3; k++) impulse = ct_add_scaled(impulse, t->axes[k], r[3 * i + k]);
    t->impulse = impulse;
    ct_body_state_sum_impulse(ct_step_state(p->step, t->a), t->position, ct_neg(impulse));
    ct_body_state_sum_impulse(ct_step_state(p->step, t->b), t->position, impulse);
    add_immovable_impulse(p->step, ct_step_state(p->step, t->a), t->position, impulse);
    add_immovable_impulse(p->step, ct_step_state(p->step, t->b), t->position, ct_neg(impulse));
    most = ct_max2(most, ct_norm(impulse));
  }
  for (size_t i = 0; i < p->island->body_count; i++)
    ct_body_state_apply_impulse(island_body(p, i), island_body(p, i)->impulse,
                                island_body(p, i)->angular_impulse);
  return most;
}

/* True if the linear momentum of each body is at most `momentum`, its angular momentum at most that
 * times its radius, and no moving kinematic body touches the island. */
static bool is_at_rest(const island_problem *p, double momentum) {
  for (size_t i = 0; i < p->island->body_count; i++) {
    const ct_body_state *m = island_body(p, i);
    if (m->mass * ct_norm(m->velocity.linear) > momentum ||
        ct_norm(m->angular_momentum) > momentum * m->radius)
      return false;
  }
  return !is_driven(p);
}

static void put_island_to_sleep(const island_problem *p) {
  for (size_t i = 0; i < p->island->body_count; i++) {
    ct_body_state *m = island_body(p, i);
    m->asleep = is_zero_velocity(m->before);
    m->velocity = (ct_velocity){{0, 0, 0}, {0, 0, 0}};
    m->angular_momentum = ct_vec(0, 0, 0);
  }
}

/* True if the island is at rest since the previous step, with the same contacts and loads: its
 * impulses are then those of the previous step. */
static bool is_island_asleep(const island_problem *p) {
  for (size_t i = 0; i < p->island->body_count; i++)
    if (!island_body(p, i)->asleep) return false;
  for (size_t i = 0; i < p->count; i++)
    if (!island_contact(p, i)->kept) return false;
  return !is_driven(p);
}

/* Adds the impulses of the previous step to the step's totals again, without solving, and keeps
 * the island asleep. */
static void reapply_impulses(const island_problem *p) {
  for (size_t i = 0; i < p->count; i++) {
    const ct_step_contact *t = island_contact(p, i);
    add_immovable_impulse(p->step, ct_step_state(p->step, t->a), t->position, t->impulse);
    add_immovable_impulse(p->step, ct_step_state(p->step, t->b), t->position, ct_neg(t->impulse));
  }
  put_island_to_sleep(p);
}

/* Adds the energy that the contacts dissipate. A positive work of the impulses, of contacts that
 * separate before the middle of the step and close after it, is removed from the kinetic energy. */
static void add_contact_work(const island_problem *p, const island_answer *answer) {
  ct_step *step = p->step;
  double work = impulse_work(p, answer), size = 0.0;
  for (size_t k = 0; k < 3 * p->count; k++)
    size += fabs(answer->r[k]) * (fabs(p->before[k]) + fabs(answer->u[k]));
  step->result.dissipation -= work;
  if (is_driven(p) || !(work > WORK_ROUNDING * size)) return;
  step->result.dissipation += ct_step_remove_energy(step, p->island, work);
  step->result.guarded = true;
}

static void finish_island(const island_problem *p, const island_answer *answer) {
  ct_step *step = p->step;
  double most = apply_impulses(p, answer->r);
  step->result.residual = ct_max2(step->result.residual, answer->result.residual);
  step->result.converged = step->result.converged && answer->result.converged;
  step->result.contradictory = step->result.contradictory || is_infeasible_answer(answer);
  if (step->rough) return;
  add_contact_work(p, answer);
  for (size_t i = 0; i < p->island->body_count; i++) island_body(p, i)->asleep = false;
  if (answer->result.converged && is_at_rest(p, REST_PART * tolerance_of(p) * most))
    put_island_to_sleep(p);
}

/* True if kinematic bodies that move apart from each other may clamp the island. The targets of
 * moving contacts would then contradict each other by round-off. */
static bool may_be_clamped(const island_problem *p) {
  const uint32_t *contacts = p->island->contacts;
  return is_driven(p) && !ct_step_has_one_driver(p->step, contacts, p->count) &&
         !ct_step_can_part(p->step, contacts, p->count);
}

static ct_status solve_step_island(island_problem *p) {
  ct_delassus_matrix matrix;
  island_answer answer;
  ct_status status = make_matrix(p, &matrix);
  if (status != CT_OK) return status;
  p->matrix = matrix.matrix;
  p->still = may_be_clamped(p);
  status = make_velocities(p);
  if (status == CT_OK) status = make_answer(p, &answer);
  if (status == CT_OK) status = solve_velocity_problem(p, &answer);
  if (status == CT_OK) finish_island(p, &answer);
  ct_delassus_matrix_close(&matrix);
  return status;
}

ct_status ct_step_solve(ct_step *step, const ct_step_island *island) {
  island_problem p = {.step = step, .island = island, .count = island->count};
  assert(p.count > 0);
  if (is_island_asleep(&p)) {
    reapply_impulses(&p);
    return CT_OK;
  }
  ct_arena_mark mark = ct_arena_enter(step->arena);
  ct_status status = solve_step_island(&p);
  ct_arena_leave(step->arena, mark);
  return status;
}
