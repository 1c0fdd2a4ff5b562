/* From impact to impact: what touches is held by resting forces, all flies on, the first impact
 * ends the flight. */
#include "advance/advance.h"
#include "linear/arena.h"

#include <string.h>

/* Distance below which a contact is closed, relative to the coordinates: that of a body which an
 * impact has stopped. */
#define CLOSED_PART (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* Impacts one after the other without a stretch between them, after which they are plastic: a body
 * that bounces ever faster. */
#define IMPACTS_AT_ONCE 200
/* Looks at forces and velocities of what comes to rest, and sweeps over its contacts in each. */
#define CALM_ROUNDS 8
#define CALM_SWEEPS 100
/* Halvings that find how much of the forces of a stretch make no energy. */
#define GUARD_HALVINGS 40
/* Impacts for which a stretch is cut, one earlier than the other. */
#define CUTS_MAX 4

/* ---- contacts now --------------------------------------------------------------------------- */

static double depth_of(const ct_mechanics *mechanics) {
  double depth = 0.0;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics); i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    for (size_t k = 0; k < island.set.count; k++)
      depth = ct_max2(depth, -island.set.contacts[k].distance);
  }
  return depth;
}

/* The scene's mechanics where `next` is. */
static ct_status look(ct_step *step, ct_mechanics **out) {
  *out = NULL;
  ct_advance *advance = step->advance;
  const ct_advance_options *o = &advance->options;
  ct_arena_mark mark = ct_arena_enter(step->arena);
  ct_row_velocity *velocities =
      ct_arena_alloc(step->arena, advance->moved_count + 1, sizeof *velocities);
  ct_status status = velocities ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < advance->moved_count && velocities; i++) {
    const ct_body_state *m = &advance->next[i];
    advance->overrides[i] = (ct_override){m->row, m->pose};
    velocities[i] = (ct_row_velocity){m->row, m->velocity};
  }
  const ct_mechanics_options options = {.contact_tolerance = o->contact_tolerance,
                                        .detail = CT_DETAIL_MANIFOLD,
                                        .loads = advance->loads,
                                        .load_count = advance->load_count,
                                        .gravity = &o->gravity,
                                        .overrides = advance->overrides,
                                        .override_count = advance->moved_count,
                                        .velocities = velocities,
                                        .velocity_count = advance->moved_count,
                                        .cancel = o->cancel};
  if (status == CT_OK)
    status = ct_mechanics_prepare(advance->scene, &options, step->workspace, out);
  ct_arena_leave(step->arena, mark);
  if (status != CT_OK) return status;
  if (ct_mechanics_count(*out) > o->contacts_max) {
    ct_mechanics_destroy(*out);
    *out = NULL;
    return CT_LIMIT;
  }
  step->depth = depth_of(*out);
  return CT_OK;
}

static ct_body_state *moved_of(const ct_step *step, uint32_t row) {
  uint32_t index = step->advance->moved_of[row];
  return index == CT_NO_ROW ? NULL : &step->advance->next[index];
}

static void account(ct_step *step, const ct_island *island, uint32_t body, ct_vec3 impulse) {
  if (island->set.bodies[body].mobility != CT_DYNAMIC)
    step->contact_impulse = ct_add(step->contact_impulse, impulse);
}

/* ---- impacts -------------------------------------------------------------------------------- */

/* Does something in the island hit? early: what is within the contact tolerance of it too. */
static bool is_struck(const ct_step *step, const ct_island *island, bool early) {
  for (size_t i = 0; i < island->set.count; i++) {
    const ct_contact *t = &island->set.contacts[i];
    double closed =
        CLOSED_PART * (ct_max_abs(t->position) + ct_max_abs(island->set.bodies[t->a].center) +
                       ct_max_abs(island->set.bodies[t->b].center));
    ct_contact_velocity v = ct_contact_relative_velocity(&island->set, t, step->velocity_tolerance);
    if (v.velocity_class == CT_CLASS_COLLIDING && (early || t->distance <= closed)) return true;
  }
  return false;
}

static bool same_colliders(const ct_contact *x, const ct_contact *y) {
  return x->a == y->a && x->b == y->b && x->collider_a == y->collider_a &&
         x->collider_b == y->collider_b;
}

/* Each pair of colliders that hits, by its fastest point: points of a pair stand together. */
static ct_status tell(const ct_step *step, const ct_island *island,
                      const ct_impulse_result *result) {
  const ct_contact *t = island->set.contacts;
  ct_status status = CT_OK;
  for (size_t i = 0, next; i < island->set.count && status == CT_OK; i = next) {
    double fastest = 0.0;
    for (next = i; next < island->set.count && same_colliders(&t[i], &t[next]); next++)
      if (result->contacts[next].before.velocity_class == CT_CLASS_COLLIDING)
        fastest = ct_min2(fastest, result->contacts[next].before.normal);
    if (!(fastest < 0.0)) continue;
    status =
        ct_advance_add_event(step->advance, &(ct_advance_event){.kind = CT_ADVANCE_EVENT_IMPACT,
                                                                .time = step->instant,
                                                                .row_a = island->rows[t[i].a],
                                                                .row_b = island->rows[t[i].b],
                                                                .collider_a = t[i].collider_a,
                                                                .collider_b = t[i].collider_b,
                                                                .normal_velocity = fastest});
  }
  return status;
}

/* The body that the proof presses hardest. */
static void note_squeeze(ct_step *step, const ct_island *island, const double *certificate) {
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

static ct_status strike_island(ct_step *step, const ct_island *island) {
  const ct_advance *advance = step->advance;
  const ct_advance_options *o = &advance->options;
  ct_impulse_result result = {
      .contacts = ct_arena_alloc(step->arena, island->set.count, sizeof *result.contacts),
      .velocities = ct_arena_alloc(step->arena, island->set.body_count, sizeof *result.velocities),
      .certificate = ct_arena_alloc_doubles(step->arena, island->set.count)};
  if (!result.contacts || !result.velocities || !result.certificate) return CT_OUT_OF_MEMORY;
  const ct_impulse_options options = {.frictionless = o->frictionless,
                                      .energy_guard = true,
                                      .velocity_tolerance = step->velocity_tolerance,
                                      .rest_velocity = step->plastic ? INFINITY : o->rest_velocity,
                                      .tolerance = o->tolerance,
                                      .iterations_max = o->iterations_max,
                                      .cancel = o->cancel};
  ct_status status = ct_impulse_solve(&island->set, &options, step->arena, &result);
  if (status != CT_OK) return status;
  if (result.contradictory) note_squeeze(step, island, result.certificate);
  for (size_t i = 0; i < island->set.body_count; i++) {
    ct_body_state *m = moved_of(step, island->rows[i]);
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    m->velocity = result.velocities[i];
    m->angular_momentum = ct_body_state_inertia(m, m->velocity.angular);
    m->asleep = false;
  }
  for (size_t i = 0; i < island->set.count; i++) {
    account(step, island, island->set.contacts[i].a, result.contacts[i].impulse);
    account(step, island, island->set.contacts[i].b, ct_neg(result.contacts[i].impulse));
  }
  step->kinematic_work += result.work;
  step->iterations += result.iterations;
  step->residual = ct_max2(step->residual, result.residual);
  step->converged = step->converged && result.converged;
  step->guarded = step->guarded || result.guard == CT_GUARD_APPLIED;
  return step->tells ? tell(step, island, &result) : CT_OK;
}

/* *struck: something was. */
static ct_status strike(ct_step *step, const ct_mechanics *mechanics, bool early, bool *struck) {
  ct_status status = CT_OK;
  *struck = false;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (!is_struck(step, &island, early)) continue;
    *struck = true;
    ct_arena_mark mark = ct_arena_enter(step->arena);
    status = strike_island(step, &island);
    ct_arena_leave(step->arena, mark);
  }
  return status;
}

/* ---- what is held --------------------------------------------------------------------------- */

bool ct_step_has_resting_contact(const ct_step *step, uint32_t row_a, uint32_t row_b) {
  for (size_t i = 0; i < step->held_count; i++)
    if ((step->held[i].a == row_a && step->held[i].b == row_b) ||
        (step->held[i].a == row_b && step->held[i].b == row_a))
      return true;
  return false;
}

static bool has_friction(const ct_island *island) {
  for (size_t i = 0; i < island->set.count; i++)
    if (island->set.contacts[i].material.static_friction > 0.0) return true;
  return false;
}

/* What the contact gives in the stretch; the pair is held from now on. */
static void hold_touch(ct_step *step, const ct_island *island, const ct_contact *t,
                       const ct_contact_force *f) {
  ct_vec3 impulse = ct_scale(f->force, step->time);
  account(step, island, t->a, impulse);
  account(step, island, t->b, ct_neg(impulse));
  if (f->takes_part)
    step->held[step->held_count++] = (ct_row_pair){island->rows[t->a], island->rows[t->b]};
  if (ct_max_abs(f->force) > 0.0) step->acting++;
  const ct_mass_body *a = &island->set.bodies[t->a], *b = &island->set.bodies[t->b];
  ct_vec3 at_a =
      ct_add(a->velocity.linear, ct_cross(a->velocity.angular, ct_sub(t->position, a->center)));
  ct_vec3 at_b =
      ct_add(b->velocity.linear, ct_cross(b->velocity.angular, ct_sub(t->position, b->center)));
  if (a->mobility == CT_KINEMATIC) step->kinematic_work += ct_dot(impulse, at_a);
  if (b->mobility == CT_KINEMATIC) step->kinematic_work -= ct_dot(impulse, at_b);
}

/* An impulse along the normal that takes away how fast the points part or meet; their speed. */
static double calm_touch(ct_step *step, ct_contact_set *set, ct_mass_body *bodies,
                         const ct_contact *t) {
  double speed = ct_contact_relative_velocity(set, t, 0.0).normal,
         ease = ct_delassus_along(set, t, t->normal, t, t->normal);
  if (speed == 0.0 || !(ease > 0.0)) return 0.0;
  const ct_vec3 impulse = ct_scale(t->normal, -speed / ease);
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
      step->contact_impulse = ct_sub(step->contact_impulse, own);
      step->kinematic_work -= ct_dot(own, at);
    }
  }
  return fabs(speed);
}

/* What pushes must neither part nor meet, or it does work. The tolerance calls that rest; so rest
 * it is: each impulse of a sweep takes energy, as the projection on what keeps the contact. False:
 * all is still, but for round-off. */
static bool asleep(ct_step *step, ct_contact_set *set, ct_mass_body *bodies,
                   const ct_contact_force *forces) {
  double speed = 0.0;
  for (size_t i = 0; i < set->count; i++) {
    const ct_contact *t = &set->contacts[i];
    for (int side = 0; side < 2; side++) {
      const ct_mass_body *body = &bodies[side ? t->b : t->a];
      double arm = ct_norm(ct_sub(t->position, body->center)),
             gain = step->time * ct_norm(body->force) * body->inverse_mass;
      speed = ct_max2(speed, gain + ct_norm(body->velocity.linear) +
                                 arm * ct_norm(body->velocity.angular));
    }
  }
  double worst = INFINITY;
  int sweep = 0;
  for (; sweep < CALM_SWEEPS && worst > CLOSED_PART * speed; sweep++) {
    worst = 0.0;
    for (size_t i = 0; i < set->count; i++)
      if (forces[i].velocity.velocity_class == CT_CLASS_RESTING && forces[i].normal > 0.0)
        worst = ct_max2(worst, calm_touch(step, set, bodies, &set->contacts[i]));
  }
  for (size_t i = 0; i < set->body_count && sweep > 1; i++) {
    ct_mass_body *b = &bodies[i];
    if (b->mobility != CT_DYNAMIC) continue;
    ct_vec3 gyroscopic = ct_cross(b->velocity.angular, ct_mat_mul(b->inertia, b->velocity.angular));
    b->angular_acceleration = ct_mat_mul(b->inverse_inertia, ct_sub(b->torque, gyroscopic));
  }
  return sweep > 1;
}

/* Of the forces that are found, together with the loads; the rest is as it is now. */
static void set_forces(ct_body_state *m, const ct_mass_body *body,
                       const ct_body_acceleration *found, double part) {
  m->force = ct_add_scaled(body->force, ct_sub(found->residual_force, body->force), part);
  m->torque = ct_add_scaled(body->torque, ct_sub(found->residual_torque, body->torque), part);
}

static double energy_of(const ct_body_state *m) {
  return 0.5 * (m->mass * ct_dot(m->velocity.linear, m->velocity.linear) +
                ct_dot(m->angular_momentum, m->velocity.angular));
}

/* Work of kinematic bodies on the others by the contacts' forces, W. */
static double driving_power(const ct_contact_set *set, const ct_contact_force *forces) {
  double power = 0.0;
  for (size_t i = 0; i < set->count; i++) {
    const ct_contact *t = &set->contacts[i];
    for (int side = 0; side < 2; side++) {
      const ct_mass_body *body = &set->bodies[side ? t->b : t->a];
      if (body->mobility != CT_KINEMATIC) continue;
      ct_vec3 at = ct_add(body->velocity.linear,
                          ct_cross(body->velocity.angular, ct_sub(t->position, body->center)));
      power += (side ? -1.0 : 1.0) * ct_dot(forces[i].force, at);
    }
  }
  return power;
}

/* Would part of the contacts' forces make energy over the stretch, beyond what loads and kinematic
 * bodies give? */
static bool makes_energy(const ct_step *step, const ct_island *island,
                         const ct_resting_result *found, double part) {
  const ct_contact_set *set = &island->set;
  double gain = -part * step->time * driving_power(set, found->contacts), size = fabs(gain);
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *body = &set->bodies[i];
    if (body->mobility != CT_DYNAMIC) continue;
    ct_body_state then = *moved_of(step, island->rows[i]);
    const ct_velocity first = then.velocity;
    const ct_vec3 place = then.position;
    double before = energy_of(&then);
    set_forces(&then, body, &found->bodies[i], part);
    ct_body_state_advance_flight(&then, step->time, step->time);
    double work =
        ct_dot(body->force, ct_sub(then.position, place)) +
        0.5 * step->time * ct_dot(body->torque, ct_add(first.angular, then.velocity.angular));
    gain += energy_of(&then) - before - work;
    double force = ct_norm(body->force);
    size +=
        before + force * (ct_max_abs(place) + step->time * step->time * force * body->inverse_mass);
  }
  return gain > CLOSED_PART * size;
}

/* Forces that are constant over a stretch in which bodies turn do some work where they are to do
 * none. What makes energy is drawn back, until it makes none: without forces of contacts there is
 * none. */
static void guard(ct_step *step, const ct_island *island, ct_resting_result *found) {
  double low = 0.0, high = 1.0;
  if (makes_energy(step, island, found, 1.0)) {
    for (int k = 0; k < GUARD_HALVINGS; k++) {
      double middle = 0.5 * (low + high);
      if (makes_energy(step, island, found, middle)) high = middle;
      else low = middle;
    }
    step->guarded = true;
  } else {
    low = 1.0;
  }
  for (size_t i = 0; i < island->set.body_count; i++)
    if (island->set.bodies[i].mobility == CT_DYNAMIC)
      set_forces(moved_of(step, island->rows[i]), &island->set.bodies[i], &found->bodies[i], low);
  for (size_t i = 0; i < island->set.count; i++)
    found->contacts[i].force = ct_scale(found->contacts[i].force, low);
}

static ct_status solve_resting(ct_step *step, const ct_contact_set *set,
                               const ct_resting_options *options, ct_resting_result *result) {
  ct_status status = ct_resting_solve(set, options, step->arena, result);
  step->iterations += result->iterations;
  return status;
}

static ct_status hold_island(ct_step *step, const ct_island *island) {
  const ct_advance_options *o = &step->advance->options;
  ct_contact_set set = island->set;
  ct_resting_result result = {
      .contacts = ct_arena_alloc(step->arena, set.count, sizeof *result.contacts),
      .bodies = ct_arena_alloc(step->arena, set.body_count, sizeof *result.bodies)};
  ct_mass_body *bodies = ct_arena_alloc(step->arena, set.body_count, sizeof *bodies);
  if (!result.contacts || !result.bodies || !bodies) return CT_OUT_OF_MEMORY;
  memcpy(bodies, set.bodies, set.body_count * sizeof *bodies);
  set.bodies = bodies;
  bool rough = !o->frictionless && has_friction(island);
  const ct_resting_options options = {.friction = rough ? CT_RESTING_FRICTION_CONE
                                                        : CT_RESTING_FRICTION_NONE,
                                      .time_step = step->time,
                                      .velocity_tolerance = step->velocity_tolerance,
                                      .friction_method = o->method,
                                      .tolerance = o->tolerance,
                                      .iterations_max = o->iterations_max,
                                      .cancel = o->cancel};
  ct_status status = solve_resting(step, &set, &options, &result);
  for (int round = 0;
       status == CT_OK && round < CALM_ROUNDS && asleep(step, &set, bodies, result.contacts);
       round++)
    status = solve_resting(step, &set, &options, &result);
  if (status != CT_OK) return status;
  for (size_t i = 0; i < set.body_count; i++) {
    ct_body_state *m = moved_of(step, island->rows[i]);
    if (set.bodies[i].mobility != CT_DYNAMIC) continue;
    m->asleep = false;
    if (memcmp(&m->velocity, &bodies[i].velocity, sizeof m->velocity) == 0) continue;
    m->velocity = bodies[i].velocity;
    m->angular_momentum = ct_body_state_inertia(m, m->velocity.angular);
  }
  const ct_island calmed = {.set = set, .rows = island->rows};
  guard(step, &calmed, &result);
  if (ct_step_island_is_at_rest(step, &calmed, &result))
    ct_step_put_to_sleep(step, &calmed, &result);
  for (size_t i = 0; i < set.count; i++)
    hold_touch(step, &calmed, &set.contacts[i], &result.contacts[i]);
  step->residual = ct_max2(step->residual, result.residual);
  step->converged = step->converged && result.converged;
  return CT_OK;
}

/* A body that touches nothing. */
static void let_fly(ct_body_state *m, const ct_mass_body *body) {
  m->force = body->force;
  m->torque = body->torque;
  m->asleep =
      ct_body_state_is_fixed(m) && ct_max_abs(m->force) == 0.0 && ct_max_abs(m->torque) == 0.0;
  m->sleeping_support = (ct_sleeping_support){0};
}

/* Forces and torques of all bodies for the stretch, with those of resting contacts. `held` is
 * scratch of the caller's. */
static ct_status hold(ct_step *step, const ct_mechanics *mechanics) {
  ct_status status = CT_OK;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    bool lies = island.set.count > 0 && ct_step_island_is_asleep(step, &island);
    for (size_t k = 0; k < island.set.body_count; k++) {
      ct_body_state *m = moved_of(step, island.rows[k]);
      if (!m || !m->is_dynamic) continue;
      if (lies) ct_step_restore_sleeping_body(step, m);
      else if (island.set.count == 0) let_fly(m, &island.set.bodies[k]);
    }
    if (lies || island.set.count == 0) continue;
    ct_arena_mark mark = ct_arena_enter(step->arena);
    status = hold_island(step, &island);
    ct_arena_leave(step->arena, mark);
  }
  return status;
}

/* ---- the step ------------------------------------------------------------------------------- */

/* What approaches where bodies touch already: at the start it is an impact; later it is what the
 * forces of the stretch before, which were constant, have left over, and is taken away without
 * restitution. */
static ct_status settle(ct_step *step, ct_mechanics **mechanics) {
  bool struck = false, first = step->advance->state.steps == 0;
  step->plastic = !first;
  step->tells = first;
  step->instant = step->advance->state.time;
  ct_status status = strike(step, *mechanics, false, &struck);
  if (status != CT_OK || !struck) return status;
  step->events += first;
  ct_mechanics_destroy(*mechanics);
  *mechanics = NULL;
  return look(step, mechanics);
}

static double load_work(const ct_step *step, const ct_load *load, double time) {
  uint32_t index = step->advance->moved_of[load->row];
  if (index == CT_NO_ROW || !step->advance->next[index].is_dynamic) return 0.0;
  const ct_body_state *m = &step->advance->next[index];
  ct_vec3 torque = load->has_at
                       ? ct_add(load->torque, ct_cross(ct_sub(load->at, m->position), load->force))
                       : load->torque;
  ct_vec3 way = ct_scale(ct_add(m->before.linear, m->velocity.linear), 0.5 * time);
  ct_vec3 turn = ct_scale(ct_add(m->before.angular, m->velocity.angular), 0.5 * time);
  return ct_dot(load->force, way) + ct_dot(torque, turn);
}

/* To the end of the stretch. What is too fast at its start or end is refused before an impact there
 * can slow it down: its turn may have been left out. */
static ct_status fly(ct_step *step) {
  ct_advance *advance = step->advance;
  if (!ct_advance_is_within_limits(advance, advance->next, 0.0, step->time)) return CT_LIMIT;
  for (size_t i = 0; i < advance->moved_count; i++) {
    advance->next[i].before = advance->next[i].velocity;
    ct_body_state_advance_flight(&advance->next[i], step->time, step->time);
  }
  for (size_t k = 0; k < advance->load_count; k++)
    step->load_work += load_work(step, &advance->loads[k], step->time);
  return ct_advance_is_within_limits(advance, advance->next, 0.0, step->time) ? CT_OK : CT_LIMIT;
}

/* Forces for a stretch that ends with the first impact, if there is one: they are found again for
 * what it is cut to. One that round-off would have at the beginning of the next, where it would be
 * taken for what forces have left over, is of this. */
static ct_status hold_and_fly(ct_step *step, ct_mechanics *mechanics, bool *hits) {
  ct_arena_mark mark = ct_arena_enter(step->arena);
  step->held = ct_arena_alloc(step->arena, ct_mechanics_count(mechanics) + 1, sizeof *step->held);
  const ct_vec3 struck_impulse = step->contact_impulse;
  const double struck_work = step->kinematic_work;
  ct_status status = step->held ? CT_OK : CT_OUT_OF_MEMORY;
  bool cut = true;
  for (int k = 0; status == CT_OK && cut; k++) {
    double first = INFINITY;
    step->contact_impulse = struck_impulse;
    step->kinematic_work = struck_work;
    step->held_count = step->acting = 0;
    status = hold(step, mechanics);
    if (status == CT_OK && k < CUTS_MAX) status = ct_step_first_impact(step, &first);
    cut = first != step->time && first <= step->time + step->slack;
    *hits = *hits || cut || first == step->time;
    if (!cut) continue;
    step->time = first;
    step->slack = 0.0;
  }
  if (status == CT_OK) status = fly(step);
  ct_arena_leave(step->arena, mark);
  step->held = NULL;
  return status;
}

/* What parts more slowly than this comes back before it is out of the contact tolerance: no impact
 * of it would be seen. So that is the least that differs from rest, whatever the options say. */
static double least_velocity(const ct_advance *advance) {
  double pull = 0.0;
  for (size_t i = 0; i < advance->moved_count; i++) {
    const ct_body_state *m = &advance->now[i];
    ct_vec3 force = ct_vec(0, 0, 0), torque = force;
    for (size_t k = 0; k < advance->load_count; k++) {
      const ct_load *load = &advance->loads[k];
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
    double own = ct_norm(ct_add_scaled(advance->options.gravity, force, 1.0 / m->mass));
    if (isfinite(m->radius))
      own += ct_norm(ct_mat_mul(ct_body_state_inverse_inertia(m), torque)) * m->radius;
    pull = ct_max2(pull, own);
  }
  /* Twice the pull: one body may fall onto another that is driven against it. */
  return sqrt(4.0 * pull * advance->options.contact_tolerance);
}

ct_status ct_step_to_event(ct_step *step) {
  ct_advance *advance = step->advance;
  step->velocity_tolerance = ct_max2(advance->options.velocity_tolerance, least_velocity(advance));
  ct_mechanics *mechanics = NULL;
  bool hits = false, struck = false;
  memcpy(advance->next, advance->now, advance->moved_count * sizeof *advance->now);
  for (size_t i = 0; i < advance->moved_count && advance->last_time == 0.0; i++)
    advance->next[i].asleep = false;
  if (ct_step_is_all_asleep(step)) return CT_OK;
  ct_status status = look(step, &mechanics);
  if (status == CT_OK) status = settle(step, &mechanics);
  if (status == CT_OK) status = hold_and_fly(step, mechanics, &hits);
  ct_mechanics_destroy(mechanics);
  if (status != CT_OK || !hits) return status;
  status = look(step, &mechanics);
  if (status != CT_OK) return status;
  step->plastic = advance->at_once >= IMPACTS_AT_ONCE;
  step->tells = true;
  step->instant = ct_min2(advance->state.time + step->time, advance->options.duration);
  status = strike(step, mechanics, true, &struck);
  step->events += struck;
  ct_mechanics_destroy(mechanics);
  return status;
}
