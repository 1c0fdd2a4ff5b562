/* One step of event-driven integration: bodies in contact are constrained by resting forces, all
 * bodies fly under constant forces, and the first impact ends the flight. */
#include "event_driven/event_driven.h"
#include "linear/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Distance up to which a contact counts as closed, relative to the coordinates: the error of the
 * position of a body that an impact stopped. */
#define CLOSED_PART (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* Number of successive impacts without an interval between them after which impacts are plastic.
 * This ends accumulating bounces (Zeno behaviour). */
#define IMPACTS_AT_ONCE 200
/* Largest number of alternations between forces and velocities of contacts that come to rest, and
 * of sweeps in each. */
#define REST_ITERATIONS_MAX 8
#define REST_SWEEPS_MAX 100
/* Largest number of times that an interval is shortened to an earlier impact. */
#define CUTS_MAX 4
/* Largest number of times that it is shortened to the time at which a slip turns round. */
#define REVERSALS_MAX 2
/* Slip, as a fraction of the velocity tolerance, from which on friction follows its direction. */
#define SLIP_PART 0.1
/* Largest number of times that an interval is halved because energy was gained in it. */
#define BALANCE_HALVINGS_MAX 8

/* An impact at most this fraction of an interval after its end counts as an impact at its end; the
 * fraction is much more than the round-off of positions. */
#define SLACK_PART 1e-6

/* ---- contacts at the present time ------------------------------------------------------------ */

static double find_greatest_depth(const ct_mechanics *mechanics) {
  double depth = 0.0;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics); i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    for (size_t k = 0; k < island.set.count; k++)
      depth = ct_max2(depth, -island.set.contacts[k].distance);
  }
  return depth;
}

ct_status ct_event_find_contacts(ct_event_step *step, const ct_body_state *bodies, double margin,
                                 ct_mechanics **out) {
  *out = NULL;
  ct_event_driven *driven = step->driven;
  const ct_advance_options *o = &driven->common->options;
  ct_arena_mark mark = ct_arena_enter(step->arena);
  ct_row_velocity *velocities =
      ct_arena_alloc(step->arena, driven->common->moved_count + 1, sizeof *velocities);
  ct_status status = velocities ? CT_OK : CT_OUT_OF_MEMORY;
  /* Poses and velocities of the moving bodies, as overrides of the scene's. */
  for (size_t i = 0; i < driven->common->moved_count && velocities; i++) {
    const ct_body_state *m = &bodies[i];
    driven->common->overrides[i] = (ct_override){m->row, m->pose};
    velocities[i] = (ct_row_velocity){m->row, m->velocity};
  }
  const ct_mechanics_options options = {.contact_tolerance = o->contact_tolerance + margin,
                                        .detail = CT_DETAIL_MANIFOLD,
                                        .loads = driven->common->loads,
                                        .load_count = driven->common->load_count,
                                        .gravity = &o->gravity,
                                        .overrides = driven->common->overrides,
                                        .override_count = driven->common->moved_count,
                                        .velocities = velocities,
                                        .velocity_count = driven->common->moved_count,
                                        .cancel = o->cancel};
  /* Find contacts and islands, within the limit of contacts. */
  if (status == CT_OK)
    status = ct_mechanics_prepare(driven->common->scene, &options, step->workspace, out);
  ct_arena_leave(step->arena, mark);
  if (status != CT_OK) return status;
  if (ct_mechanics_count(*out) > o->contacts_max) {
    ct_mechanics_destroy(*out);
    *out = NULL;
    return CT_LIMIT;
  }
  return CT_OK;
}

/* Finds the contacts and islands of `next`, and the greatest depth; the caller owns *out. */
static ct_status evaluate_mechanics(ct_event_step *step, ct_mechanics **out) {
  ct_status status = ct_event_find_contacts(step, step->driven->common->next, 0.0, out);
  if (status == CT_OK) step->result.depth = find_greatest_depth(*out);
  return status;
}

static void add_immovable_body_impulse(ct_event_step *step, const ct_island *island, uint32_t body,
                                       ct_vec3 impulse) {
  assert(body < island->set.body_count);
  if (island->set.bodies[body].mobility != CT_DYNAMIC)
    step->result.contact_impulse = ct_add(step->result.contact_impulse, impulse);
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* True if a contact of the island approaches so fast that it is an impact. early: contacts that are
 * still apart, within the contact tolerance, count too. */
static bool has_collision(const ct_event_step *step, const ct_island *island, bool early) {
  for (size_t i = 0; i < island->set.count; i++) {
    const ct_contact *t = &island->set.contacts[i];
    double closed =
        CLOSED_PART * (ct_max_abs(t->position) + ct_max_abs(island->set.bodies[t->a].center) +
                       ct_max_abs(island->set.bodies[t->b].center));
    ct_contact_velocity v =
        ct_contact_relative_velocity(&island->set, t, step->result.velocity_tolerance);
    if (v.velocity_class == CT_CLASS_COLLIDING && (early || t->distance <= closed)) return true;
  }
  return false;
}

/* Records the body at the contact with the greatest value in the proof of infeasibility (kinematic
 * squeeze). */
static void record_squeeze(ct_event_step *step, const ct_island *island,
                           const double *certificate) {
  double most = 0.0;
  for (size_t i = 0; i < island->set.count; i++) {
    const ct_contact *t = &island->set.contacts[i];
    if (!(certificate[i] > most)) continue;
    most = certificate[i];
    step->squeezed_row =
        island->rows[island->set.bodies[t->a].mobility == CT_DYNAMIC ? t->a : t->b];
  }
  step->squeezed = most > 0.0;
}

static ct_status collide_island(ct_event_step *step, const ct_island *island) {
  assert(island->set.count > 0);
  const ct_event_driven *driven = step->driven;
  const ct_advance_options *o = &driven->common->options;
  ct_impulse_result result = {
      .contacts = ct_arena_alloc(step->arena, island->set.count, sizeof *result.contacts),
      .velocities = ct_arena_alloc(step->arena, island->set.body_count, sizeof *result.velocities),
      .certificate = ct_arena_alloc_doubles(step->arena, island->set.count)};
  if (!result.contacts || !result.velocities || !result.certificate) return CT_OUT_OF_MEMORY;
  /* Solve the impulses of the island. */
  const ct_impulse_options options = {.frictionless = o->frictionless,
                                      .energy_guard = true,
                                      .velocity_tolerance = step->result.velocity_tolerance,
                                      .rest_velocity = step->plastic ? INFINITY : o->rest_velocity,
                                      .tolerance = o->tolerance,
                                      .iterations_max = o->iterations_max,
                                      .cancel = o->cancel};
  ct_status status = ct_impulse_solve(&island->set, &options, step->arena, &result);
  if (status != CT_OK) return status;
  if (result.contradictory) record_squeeze(step, island, result.certificate);
  /* Apply the velocities after the impact. */
  for (size_t i = 0; i < island->set.body_count; i++) {
    ct_body_state *m = ct_integration_next_of(step->driven->common, island->rows[i]);
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    m->velocity = result.velocities[i];
    m->angular_momentum = ct_body_state_inertia(m, m->velocity.angular);
    m->asleep = false;
  }
  /* Add up the impulses of immovable bodies and the solver's statistics. */
  for (size_t i = 0; i < island->set.count; i++) {
    add_immovable_body_impulse(step, island, island->set.contacts[i].a, result.contacts[i].impulse);
    add_immovable_body_impulse(step, island, island->set.contacts[i].b,
                               ct_neg(result.contacts[i].impulse));
  }
  step->result.kinematic_work += result.work;
  step->result.iterations += result.iterations;
  step->result.residual = ct_max2(step->result.residual, result.residual);
  step->result.converged = step->result.converged && result.converged;
  step->result.guarded = step->result.guarded || result.guard == CT_GUARD_APPLIED;
  return step->reports ? ct_event_report_impacts(step, island, &result) : CT_OK;
}

/* Resolves the impacts of all islands. *has_impact: set to true if an island had one. */
static ct_status collide_islands(ct_event_step *step, const ct_mechanics *mechanics, bool early,
                                 bool *has_impact) {
  ct_status status = CT_OK;
  *has_impact = false;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (!has_collision(step, &island, early)) continue;
    *has_impact = true;
    ct_arena_mark mark = ct_arena_enter(step->arena);
    status = collide_island(step, &island);
    ct_arena_leave(step->arena, mark);
  }
  return status;
}

/* ---- resting contacts ------------------------------------------------------------------------ */

static bool island_has_friction(const ct_island *island) {
  for (size_t i = 0; i < island->set.count; i++)
    if (island->set.contacts[i].material.static_friction > 0.0) return true;
  return false;
}

/* True if a dynamic body of the island is faster than the velocity tolerance. */
static bool island_moves(const ct_event_step *step, const ct_island *island) {
  for (size_t i = 0; i < island->set.body_count; i++) {
    const ct_body_state *m = ct_integration_next_of(step->driven->common, island->rows[i]);
    if (!ct_body_state_is_dynamic(m)) continue;
    double radius = isfinite(m->radius) ? m->radius : 0.0;
    if (ct_norm(m->velocity.linear) + radius * ct_norm(m->velocity.angular) >
        step->result.velocity_tolerance)
      return true;
  }
  return false;
}

/* Lists the contact's pair of bodies; if it rests, also as a support. */
static void add_touching_contact(ct_event_step *step, const ct_island *island, const ct_contact *t,
                                 const ct_contact_force *f) {
  const ct_mass_body *bodies = island->set.bodies;
  step->touching[step->touching_count++] = (ct_row_pair){island->rows[t->a], island->rows[t->b]};
  if (!f->takes_part) return;
  step->resting[step->resting_count++] = (ct_row_pair){island->rows[t->a], island->rows[t->b]};
  step->supports[step->support_count++] =
      (ct_event_support){.row_a = island->rows[t->a],
                         .row_b = island->rows[t->b],
                         .collider_a = t->collider_a,
                         .collider_b = t->collider_b,
                         .arm_a = ct_sub(t->position, bodies[t->a].center),
                         .arm_b = ct_sub(t->position, bodies[t->b].center),
                         .force = f->force,
                         .normal = t->normal,
                         .distance = t->distance,
                         .slip = f->velocity.slip > SLIP_PART * step->result.velocity_tolerance
                                     ? f->velocity.tangential
                                     : ct_vec(0.0, 0.0, 0.0)};
}

/* Applies to both bodies the impulse along the normal that stops the separation or approach of the
 * contact's points; returns their speed before, m/s. */
static double stop_normal_motion(ct_event_step *step, ct_contact_set *set, ct_mass_body *bodies,
                                 const ct_contact *t) {
  double speed = ct_contact_relative_velocity(set, t, 0.0).normal,
         response = ct_delassus_along(set, t, t->normal, t, t->normal);
  if (speed == 0.0 || !(response > 0.0)) return 0.0;
  const ct_vec3 impulse = ct_scale(t->normal, -speed / response);
  for (int side = 0; side < 2; side++) {
    ct_mass_body *body = &bodies[side ? t->b : t->a];
    ct_vec3 own = side ? impulse : ct_neg(impulse), arm = ct_sub(t->position, body->center),
            turn = ct_cross(arm, own);
    if (body->mobility == CT_DYNAMIC) {
      body->velocity.linear = ct_add_scaled(body->velocity.linear, own, body->inverse_mass);
      body->velocity.angular =
          ct_add(body->velocity.angular, ct_mat_mul(body->inverse_inertia, turn));
    } else {
      ct_vec3 at = ct_add(body->velocity.linear, ct_cross(body->velocity.angular, arm));
      step->result.contact_impulse = ct_sub(step->result.contact_impulse, own);
      step->result.kinematic_work -= ct_dot(own, at);
    }
  }
  return fabs(speed);
}

/* Sets the normal velocities of contacts with a force to zero. If such contacts separated or
 * approached, their forces would do work, although the velocity tolerance treats them as resting.
 * Each impulse of a sweep removes energy, because it projects onto the velocities that maintain the
 * contact. False: all these velocities are zero within round-off. */
static bool stop_resting_motion(ct_event_step *step, ct_contact_set *set, ct_mass_body *bodies,
                                const ct_contact_force *forces) {
  double speed = 0.0;
  for (size_t i = 0; i < set->count; i++) {
    const ct_contact *t = &set->contacts[i];
    for (int side = 0; side < 2; side++) {
      const ct_mass_body *body = &bodies[side ? t->b : t->a];
      double arm = ct_norm(ct_sub(t->position, body->center)),
             gain = step->result.time * ct_norm(body->force) * body->inverse_mass;
      speed = ct_max2(speed, gain + ct_norm(body->velocity.linear) +
                                 arm * ct_norm(body->velocity.angular));
    }
  }
  double worst = INFINITY;
  int sweep = 0;
  for (; sweep < REST_SWEEPS_MAX && worst > CLOSED_PART * speed; sweep++) {
    worst = 0.0;
    for (size_t i = 0; i < set->count; i++)
      if (forces[i].velocity.velocity_class == CT_CLASS_RESTING && forces[i].normal > 0.0)
        worst = ct_max2(worst, stop_normal_motion(step, set, bodies, &set->contacts[i]));
  }
  for (size_t i = 0; i < set->body_count && sweep > 1; i++) {
    ct_mass_body *b = &bodies[i];
    if (b->mobility != CT_DYNAMIC) continue;
    ct_vec3 gyroscopic = ct_cross(b->velocity.angular, ct_mat_mul(b->inertia, b->velocity.angular));
    b->angular_acceleration = ct_mat_mul(b->inverse_inertia, ct_sub(b->torque, gyroscopic));
  }
  return sweep > 1;
}

/* Sets the forces of the island's bodies for the flight: loads and contact forces. */
static void set_flight_forces(ct_event_step *step, const ct_island *island,
                              const ct_resting_result *found) {
  for (size_t i = 0; i < island->set.body_count; i++) {
    const ct_mass_body *body = &island->set.bodies[i];
    if (body->mobility != CT_DYNAMIC) continue;
    uint32_t index = step->driven->common->moved_of[island->rows[i]];
    ct_body_state *m = &step->driven->common->next[index];
    m->force = found->bodies[i].residual_force;
    m->torque = found->bodies[i].residual_torque;
    step->loads[index] = (ct_event_load){.force = body->force,
                                         .torque = body->torque,
                                         .residual = found->residual,
                                         .converged = found->converged};
  }
}

static ct_status solve_resting_forces(ct_event_step *step, const ct_contact_set *set,
                                      const ct_resting_options *options,
                                      ct_resting_result *result) {
  ct_status status = ct_resting_solve(set, options, step->arena, result);
  step->result.iterations += result->iterations;
  return status;
}

static ct_status constrain_resting_island(ct_event_step *step, const ct_island *island) {
  const ct_advance_options *o = &step->driven->common->options;
  ct_contact_set set = island->set;
  ct_resting_result result = {
      .contacts = ct_arena_alloc(step->arena, set.count, sizeof *result.contacts),
      .bodies = ct_arena_alloc(step->arena, set.body_count, sizeof *result.bodies)};
  ct_mass_body *bodies = ct_arena_alloc(step->arena, set.body_count, sizeof *bodies);
  if (!result.contacts || !result.bodies || !bodies) return CT_OUT_OF_MEMORY;
  /* Work on a copy of the bodies, because stop_resting_motion changes their velocities. */
  memcpy(bodies, set.bodies, set.body_count * sizeof *bodies);
  set.bodies = bodies;
  bool rough = !o->frictionless && island_has_friction(island);
  /* Forces of moving bodies are refined to the tolerance afterwards. */
  double tolerance =
      o->tolerance == 0.0 && island_moves(step, island) ? CT_FRICTION_TOLERANCE : o->tolerance;
  const ct_resting_options options = {.friction = rough ? CT_RESTING_FRICTION_CONE
                                                        : CT_RESTING_FRICTION_NONE,
                                      .time_step = step->result.time,
                                      .velocity_tolerance = step->result.velocity_tolerance,
                                      .friction_method = o->method,
                                      .tolerance = tolerance,
                                      .iterations_max = o->iterations_max,
                                      .cancel = o->cancel};
  /* Alternate between forces and velocities until the contacts with forces have no normal
   * velocity. */
  ct_status status = solve_resting_forces(step, &set, &options, &result);
  for (int round = 0; status == CT_OK && round < REST_ITERATIONS_MAX &&
                      stop_resting_motion(step, &set, bodies, result.contacts);
       round++)
    status = solve_resting_forces(step, &set, &options, &result);
  if (status != CT_OK) return status;
  /* Apply the changed velocities, and awaken the bodies. */
  for (size_t i = 0; i < set.body_count; i++) {
    ct_body_state *m = ct_integration_next_of(step->driven->common, island->rows[i]);
    if (set.bodies[i].mobility != CT_DYNAMIC) continue;
    m->asleep = false;
    if (memcmp(&m->velocity, &bodies[i].velocity, sizeof m->velocity) == 0) continue;
    m->velocity = bodies[i].velocity;
    m->angular_momentum = ct_body_state_inertia(m, m->velocity.angular);
  }
  /* Set the forces, detect sleep, and record the resting contacts. */
  const ct_island resting_island = {.set = set, .rows = island->rows};
  set_flight_forces(step, &resting_island, &result);
  if (ct_event_island_is_at_rest(step, &resting_island, &result))
    ct_event_put_to_sleep(step, &resting_island, &result);
  for (size_t i = 0; i < set.count; i++)
    add_touching_contact(step, &resting_island, &set.contacts[i], &result.contacts[i]);
  return CT_OK;
}

/* Sets the forces of a body without contacts for the interval. */
static void set_free_forces(ct_body_state *m, const ct_mass_body *body) {
  m->force = body->force;
  m->torque = body->torque;
  m->asleep =
      ct_body_state_is_fixed(m) && ct_max_abs(m->force) == 0.0 && ct_max_abs(m->torque) == 0.0;
  m->sleeping_support = (ct_sleeping_support){0};
}

/* Sets forces and torques of all bodies for the interval: cached ones of sleeping islands, and
 * those of resting contacts. */
static ct_status solve_resting_islands(ct_event_step *step, const ct_mechanics *mechanics) {
  ct_status status = CT_OK;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    bool is_asleep = island.set.count > 0 && ct_event_island_is_asleep(step, &island);
    for (size_t k = 0; k < island.set.body_count; k++) {
      ct_body_state *m = ct_integration_next_of(step->driven->common, island.rows[k]);
      if (!m || !m->is_dynamic) continue;
      if (is_asleep) ct_event_restore_sleeping_body(step, m);
      else if (island.set.count == 0) set_free_forces(m, &island.set.bodies[k]);
    }
    if (is_asleep || island.set.count == 0) continue;
    ct_arena_mark mark = ct_arena_enter(step->arena);
    status = constrain_resting_island(step, &island);
    ct_arena_leave(step->arena, mark);
  }
  return status;
}

/* ---- step ------------------------------------------------------------------------------------ */

/* Resolves the approaching contacts of touching bodies. At the start of the motion they are
 * impacts. Later they are errors of the previous interval, or further points of resting bodies, and
 * are stopped without restitution. */
static ct_status collide_initially(ct_event_step *step, ct_mechanics **mechanics) {
  bool has_impact = false, first = step->driven->common->state.steps == 0;
  step->plastic = !first;
  step->reports = first;
  step->instant = step->driven->common->state.time;
  ct_status status = collide_islands(step, *mechanics, !first, &has_impact);
  if (status != CT_OK || !has_impact) return status;
  step->result.events += first;
  ct_mechanics_destroy(*mechanics);
  *mechanics = NULL;
  return evaluate_mechanics(step, mechanics);
}

static double interval_load_work(const ct_event_step *step, const ct_load *load, double time) {
  uint32_t index = step->driven->common->moved_of[load->row];
  if (index == CT_NO_ROW || !step->driven->common->next[index].is_dynamic) return 0.0;
  const ct_body_state *m = &step->driven->common->next[index];
  ct_vec3 torque = ct_body_state_load_torque(m, load);
  ct_vec3 path = ct_scale(ct_add(m->before.linear, m->velocity.linear), 0.5 * time);
  ct_vec3 turn = ct_scale(ct_add(m->before.angular, m->velocity.angular), 0.5 * time);
  return ct_dot(load->force, path) + ct_dot(torque, turn);
}

/* Moves all bodies to the end of the interval, where resting contacts have their gaps of the start
 * and energy has not grown. CT_LIMIT: velocities at its start or end exceed the limits. This is
 * checked before an impact can reduce them, because the integration may have skipped whole
 * turns. */
static ct_status finish_flight(ct_event_step *step, const ct_mechanics *mechanics) {
  ct_event_driven *driven = step->driven;
  step->support_work = ct_arena_alloc_doubles(step->arena, step->support_count + 1);
  if (!step->support_work) return CT_OUT_OF_MEMORY;
  ct_event_sum_supports(step);
  if (!ct_integration_is_within_limits(driven->common, driven->common->next, 0.0,
                                       step->result.time))
    return CT_LIMIT;
  for (size_t i = 0; i < driven->common->moved_count; i++) {
    step->begin[i] = driven->common->next[i];
    driven->common->next[i].before = driven->common->next[i].velocity;
    ct_body_state_advance_flight(&driven->common->next[i], step->result.time, step->result.time);
  }
  ct_status status = ct_event_close_gaps(step);
  if (status == CT_OK) status = ct_event_limit_energy(step, mechanics);
  if (status != CT_OK) return status;
  for (size_t k = 0; k < driven->common->load_count; k++)
    step->result.load_work +=
        interval_load_work(step, &driven->common->loads[k], step->result.time);
  return ct_integration_is_within_limits(driven->common, driven->common->next, 0.0,
                                         step->result.time)
             ? CT_OK
             : CT_LIMIT;
}

/* Allocates the data of an interval with the supports of the contacts. False: out of memory. */
static bool allocate_interval(ct_event_step *step, size_t contacts) {
  size_t bodies = step->driven->common->moved_count;
  step->resting = ct_arena_alloc(step->arena, contacts + 1, sizeof *step->resting);
  step->touching = ct_arena_alloc(step->arena, contacts + 1, sizeof *step->touching);
  step->loads = ct_arena_alloc(step->arena, bodies + 1, sizeof *step->loads);
  step->begin = ct_arena_alloc(step->arena, bodies + 1, sizeof *step->begin);
  if (!step->resting || !step->touching || !step->loads || !step->begin) return false;
  for (size_t i = 0; i < bodies; i++) step->loads[i] = (ct_event_load){.converged = true};
  return true;
}

/* Shortens the interval to the time at which a slip turns round. False: none does. */
static bool end_at_reversal(ct_event_step *step) {
  if (!(step->reversal < step->result.time)) return false;
  step->result.time = step->reversal;
  step->slack = 0.0;
  return true;
}

/* Resets the sums of the interval; iterations are of all attempts. */
static void restart_sums(ct_event_step *step, const ct_step_result *start) {
  double time = step->result.time;
  uint64_t iterations = step->result.iterations;
  step->result = *start;
  step->result.time = time;
  step->result.iterations = iterations;
  step->resting_count = step->touching_count = step->support_count = step->result.acting = 0;
}

/* Computes the forces for an interval that ends with the first impact, if there is one; they are
 * recomputed for each shorter interval, until its length does not change. *hits: set to true if an
 * impact ends the interval. */
static ct_status solve_interval(ct_event_step *step, const ct_mechanics *mechanics,
                                const ct_step_result *start, bool *hits) {
  size_t contacts = ct_mechanics_count(mechanics);
  int reversals = 0, cuts = 0;
  ct_status status = CT_OK;
  *hits = false;
  for (bool cut = true; status == CT_OK && cut;) {
    double first = INFINITY;
    restart_sums(step, start);
    step->supports = ct_arena_alloc(step->arena, contacts + 1, sizeof *step->supports);
    status = step->supports ? solve_resting_islands(step, mechanics) : CT_OUT_OF_MEMORY;
    if (status == CT_OK) status = ct_event_refine_forces(step, mechanics);
    if (status == CT_OK && reversals++ < REVERSALS_MAX && end_at_reversal(step)) {
      *hits = false;
      continue;
    }
    if (status == CT_OK && cuts++ < CUTS_MAX) status = ct_event_first_impact(step, &first);
    cut = first != step->result.time && first <= step->result.time + step->slack;
    *hits = *hits || cut || first == step->result.time;
    if (!cut) continue;
    assert(first >= 0.0);
    step->result.time = first;
    step->slack = 0.0;
  }
  return status;
}

/* Flies to the first impact, or to the end of the interval. An impact that round-off would place at
 * the beginning of the next interval, where it would count as an error of this one, is included. If
 * an island gained energy that its velocities do not have, its contacts keep the depth that they
 * have, within the contact tolerance, and then the interval is halved, because the error of the
 * forces is of third order. *hits: set to true if an impact ends the interval. */
static ct_status fly_to_impact(ct_event_step *step, const ct_mechanics *mechanics, bool *hits) {
  ct_arena_mark mark = ct_arena_enter(step->arena);
  const ct_step_result start = step->result;
  ct_integration *common = step->driven->common;
  ct_status status =
      allocate_interval(step, ct_mechanics_count(mechanics)) ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) status = solve_interval(step, mechanics, &start, hits);
  if (status == CT_OK) status = finish_flight(step, mechanics);
  for (int k = 0; k < BALANCE_HALVINGS_MAX && status == CT_OK && step->is_unbalanced; k++) {
    memcpy(common->next, step->begin, common->moved_count * sizeof *common->next);
    if (k > 0) step->result.time *= 0.5;
    step->keeps_depth = true;
    step->slack = 0.0;
    status = solve_interval(step, mechanics, &start, hits);
    if (status == CT_OK) status = finish_flight(step, mechanics);
  }
  ct_arena_leave(step->arena, mark);
  step->resting = NULL;
  return status;
}

/* Least velocity tolerance, even if the options specify less: a contact that separates more slowly
 * closes again within the contact tolerance, so that no impact would be detected. */
static double least_velocity_tolerance(const ct_event_driven *driven) {
  double pull = 0.0;
  for (size_t i = 0; i < driven->common->moved_count; i++) {
    const ct_body_state *m = &driven->common->now[i];
    ct_vec3 force = ct_vec(0, 0, 0), torque = force;
    for (size_t k = 0; k < driven->common->load_count; k++) {
      const ct_load *load = &driven->common->loads[k];
      if (load->row != m->row) continue;
      force = ct_add(force, load->force);
      torque = ct_add(torque, load->torque);
      if (load->has_at)
        torque = ct_add(torque, ct_cross(ct_sub(load->at, m->position), load->force));
    }
    if (!m->is_dynamic) {
      pull = ct_max2(pull, ct_norm(m->acceleration.linear));
      continue;
    }
    double own = ct_norm(ct_add_scaled(driven->common->options.gravity, force, 1.0 / m->mass));
    if (isfinite(m->radius))
      own += ct_norm(ct_mat_mul(ct_body_state_inverse_inertia(m), torque)) * m->radius;
    pull = ct_max2(pull, own);
  }
  /* Twice the acceleration: two driven bodies may accelerate towards each other. */
  return sqrt(4.0 * pull * driven->common->options.contact_tolerance);
}

static ct_status advance_to_event(ct_event_step *step) {
  ct_event_driven *driven = step->driven;
  step->result.velocity_tolerance =
      ct_max2(driven->common->options.velocity_tolerance, least_velocity_tolerance(driven));
  ct_mechanics *mechanics = NULL;
  bool hits = false, has_impact = false;
  /* Start from the present state. Changed loads awaken all bodies. */
  memcpy(driven->common->next, driven->common->now,
         driven->common->moved_count * sizeof *driven->common->now);
  for (size_t i = 0; i < driven->common->moved_count && driven->common->last_time == 0.0; i++)
    driven->common->next[i].asleep = false;
  if (ct_event_is_all_asleep(step)) return CT_OK;
  /* Resolve initial approaches, then fly to the first impact. */
  ct_status status = evaluate_mechanics(step, &mechanics);
  if (driven->common->state.steps == 0) driven->overlap = step->result.depth;
  if (status == CT_OK) status = ct_event_report_contacts(step, mechanics);
  if (status == CT_OK) status = collide_initially(step, &mechanics);
  if (status == CT_OK) status = fly_to_impact(step, mechanics, &hits);
  ct_mechanics_destroy(mechanics);
  if (status != CT_OK || !hits) return status;
  /* Resolve the impacts at the end of the flight. */
  status = evaluate_mechanics(step, &mechanics);
  if (status != CT_OK) return status;
  step->plastic = driven->impacts_at_once >= IMPACTS_AT_ONCE;
  step->reports = true;
  step->instant =
      ct_min2(driven->common->state.time + step->result.time, driven->common->options.duration);
  status = collide_islands(step, mechanics, true, &has_impact);
  step->result.events += has_impact;
  ct_mechanics_destroy(mechanics);
  return status;
}

/* ---- the integrator ------------------------------------------------------------------------- */

ct_status ct_event_driven_create(ct_integration *common, ct_event_driven **out) {
  *out = calloc(1, sizeof **out);
  if (!*out) return CT_OUT_OF_MEMORY;
  (*out)->common = common;
  return CT_OK;
}

void ct_event_driven_destroy(ct_event_driven *driven) { free(driven); }

ct_status ct_event_driven_step(ct_event_driven *driven, ct_workspace *workspace, ct_arena *arena,
                               bool *done) {
  ct_integration *common = driven->common;
  const ct_advance_options *o = &common->options;
  double past = common->state.time, left = o->duration - past;
  *done = !(left > 0.0);
  if (*done) return CT_OK;
  ct_event_step step = {.driven = driven, .workspace = workspace, .arena = arena};
  double whole = step.result.time = ct_min2(o->time_step, left);
  step.result.converged = true;
  step.slack = ct_min2(SLACK_PART * whole, left - whole);
  /* Checked before the search for impacts: the search has its own limits and does not name the body
   * that exceeds them. */
  if (!ct_integration_is_within_limits(common, common->now, whole, whole)) return CT_LIMIT;
  ct_status status = advance_to_event(&step);
  if (status != CT_OK) return status;
  assert(step.result.time >= 0.0 && step.result.time <= whole * (1.0 + 2.0 * SLACK_PART));
  double time = step.result.time == left ? o->duration : past + step.result.time;
  if (!ct_integration_is_within_limits(common, common->next, whole, whole)) return CT_LIMIT;
  if (step.squeezed && driven->squeezes + 1 >= CT_ADVANCE_SQUEEZES_MAX) {
    common->limit = CT_ADVANCE_LIMIT_SQUEEZE;
    common->limit_row = step.squeezed_row;
    return CT_LIMIT;
  }
  driven->squeezes = step.squeezed ? driven->squeezes + 1 : 0;
  driven->impacts_at_once = time > past ? 0 : driven->impacts_at_once + step.result.events;
  common->last_time = o->time_step;
  ct_integration_accept(common, &step.result, time);
  *done = !(time < o->duration);
  return CT_OK;
}
