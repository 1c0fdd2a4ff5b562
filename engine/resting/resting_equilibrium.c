/* Equilibrium: finds contact forces that balance the loads of every dynamic body. Each body has six
 * rows, for force and torque. Forces are divided by the root of the mass, and torques multiplied by
 * L^T with I^-1 = L L^T, so that the squared norm of the unbalanced load is the function that
 * Gauss' principle minimises. */
#include "resting/resting_problem.h"

#include <assert.h>

ct_mat3 ct_resting_inertia_factor(const ct_mat3 *m) {
  const ct_vec3 zero = {0.0, 0.0, 0.0};
  ct_mat3 l = {zero, zero, zero};
  l.rx.x = sqrt(m->rx.x);
  l.ry.x = m->rx.y / l.rx.x;
  l.rz.x = m->rx.z / l.rx.x;
  l.ry.y = sqrt(m->ry.y - l.ry.x * l.ry.x);
  l.rz.y = (m->ry.z - l.rz.x * l.ry.x) / l.ry.y;
  l.rz.z = sqrt(m->rz.z - l.rz.x * l.rz.x - l.rz.y * l.rz.y);
  return l;
}

/* Limits of Newton steps. SHORTEN_STEPS: search for the forces of least norm after balancing forces
 * were found. BALANCE_STEPS: search for any balancing forces, in islands too large for the
 * active-set method. */
#define SHORTEN_STEPS 60
#define BALANCE_STEPS 200

/* Writes sign times a force at the centre of mass and a torque as the six scaled rows of a body. */
static void write_load(const ct_mass_body *body, ct_vec3 force, ct_vec3 torque, double sign,
                       double *rows) {
  ct_mat3 root = ct_resting_inertia_factor(&body->inverse_inertia);
  ct_vec3 linear = ct_scale(force, sign * sqrt(body->inverse_mass));
  ct_vec3 angular = ct_scale(ct_mat_tmul(root, torque), sign);
  const double all[CT_CONE_BLOCK] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (size_t i = 0; i < CT_CONE_BLOCK; i++) rows[i] = all[i];
}

void ct_resting_jacobian(const ct_contact_set *set, const ct_contact *contact, const size_t *blocks,
                         ct_cone *lever) {
  assert(contact->a < set->body_count && contact->b < set->body_count);
  const uint32_t bodies[2] = {contact->a, contact->b};
  ct_mat3 axes = ct_resting_axes(contact);
  const ct_vec3 directions[3] = {axes.rx, axes.ry, axes.rz};
  *lever = (ct_cone){0};
  for (size_t side = 0; side < 2; side++) {
    const ct_mass_body *body = &set->bodies[bodies[side]];
    lever->block[side] = blocks[bodies[side]];
    if (lever->block[side] == CT_CONE_NO_BLOCK) continue;
    ct_vec3 arm = ct_sub(contact->position, body->center);
    for (size_t p = 0; p < 3; p++)
      write_load(body, directions[p], ct_cross(arm, directions[p]), side ? 1.0 : -1.0,
                 &lever->columns[p][side * CT_CONE_BLOCK]);
  }
}

size_t ct_resting_blocks(const ct_contact_set *set, size_t *blocks) {
  size_t count = 0;
  for (size_t i = 0; i < set->body_count; i++)
    blocks[i] = set->bodies[i].mobility == CT_DYNAMIC ? count++ : CT_CONE_NO_BLOCK;
  return count;
}

ct_status ct_resting_prepare_equilibrium(ct_resting *resting) {
  const ct_contact_set *set = resting->set;
  ct_resting_equilibrium *fit = &resting->equilibrium;
  *fit = (ct_resting_equilibrium){
      .blocks = ct_arena_alloc(resting->arena, set->body_count + 1, sizeof *fit->blocks)};
  if (!fit->blocks) return CT_OUT_OF_MEMORY;
  fit->count = ct_resting_blocks(set, fit->blocks);
  fit->cones = ct_arena_alloc(resting->arena, resting->count + 1, sizeof *fit->cones);
  fit->target = ct_arena_alloc_doubles(resting->arena, 2 * CT_CONE_BLOCK * (fit->count + 1));
  fit->forces = ct_arena_alloc_doubles(resting->arena, CT_RESTING_PARTS * (resting->count + 1));
  if (!fit->cones || !fit->target || !fit->forces) return CT_OUT_OF_MEMORY;
  fit->rest = fit->target + CT_CONE_BLOCK * (fit->count + 1);
  for (size_t i = 0; i < set->body_count; i++)
    if (fit->blocks[i] != CT_CONE_NO_BLOCK)
      write_load(&set->bodies[i], set->bodies[i].force, set->bodies[i].torque, -1.0,
                 &fit->target[fit->blocks[i] * CT_CONE_BLOCK]);
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &set->contacts[resting->active[i]];
    ct_resting_jacobian(set, contact, fit->blocks, &fit->cones[i]);
    fit->cones[i].mu = ct_resting_strength(resting, contact->material.static_friction);
  }
  return CT_OK;
}

/* Replaces the balancing forces by those of least norm if they are found within SHORTEN_STEPS and
 * balance the bodies as well. */
static ct_status find_shortest_forces(const ct_resting *resting, ct_resting_equilibrium *fit,
                                      ct_cone_fit_problem *problem) {
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  size_t numbers = CT_RESTING_PARTS * resting->count;
  double *forces = ct_arena_alloc_doubles(resting->arena, numbers + 1);
  double *rest = ct_arena_alloc_doubles(resting->arena, CT_CONE_BLOCK * fit->count + 1);
  ct_cone_fit_result result = {.forces = forces, .rest = rest};
  problem->steps_max = SHORTEN_STEPS;
  ct_status status =
      forces && rest ? ct_cone_min_norm(problem, resting->arena, &result) : CT_OUT_OF_MEMORY;
  double margin = INFINITY;
  if (status == CT_OK && result.status == CT_CONE_FIT_BALANCED)
    status = ct_resting_balance_margin(resting, forces, &margin);
  bool balances = status == CT_OK && margin <= CT_RESTING_BALANCE_TOLERANCE;
  for (size_t i = 0; balances && i < numbers; i++) fit->forces[i] = forces[i];
  ct_arena_leave(resting->arena, mark);
  return status;
}

ct_status ct_resting_solve_equilibrium(ct_resting *resting) {
  assert(resting->equilibrium.blocks);
  ct_resting_equilibrium *fit = &resting->equilibrium;
  if (fit->known) return CT_OK;
  ct_cone_fit_problem problem = {.cones = fit->cones,
                                 .count = resting->count,
                                 .target = fit->target,
                                 .blocks = fit->count,
                                 .steps_max = BALANCE_STEPS,
                                 .cancel = resting->options->cancel};
  ct_cone_fit_result result = {
      .forces = fit->forces, .rest = fit->rest, .status = CT_CONE_FIT_UNDECIDED};
  fit->exact = fit->count * CT_CONE_BLOCK <= CT_RESTING_DENSE_MAX;
  ct_status status = CT_OK;
  for (size_t i = 0; i < CT_CONE_BLOCK * fit->count; i++) fit->rest[i] = fit->target[i];
  for (size_t i = 0; i < CT_RESTING_PARTS * resting->count; i++) fit->forces[i] = 0.0;
  if (fit->exact) status = ct_cone_fit(&problem, resting->arena, &result);
  else status = ct_cone_min_norm(&problem, resting->arena, &result);
  fit->known = status == CT_OK;
  fit->status = result.status;
  bool more = fit->exact && fit->status == CT_CONE_FIT_BALANCED &&
              resting->options->tie == CT_LCP_TIE_MIN_NORM;
  return status == CT_OK && more ? find_shortest_forces(resting, fit, &problem) : status;
}

/* ---- balance of forces ----------------------------------------------------------------------- */

/* Sum of the forces and of the torques on a body, and the sums of their norms. */
typedef struct body_balance {
  ct_vec3 force, torque;
  double forces, torques;
} body_balance;

/* Adds a contact force to the body's sums. The sum of norms counts the normal force fully but a
 * tangential force only by its round-off: with high friction, tangential forces of any magnitude
 * may cancel each other. */
static void add_force_to_balance(body_balance *on, const ct_mass_body *body, ct_vec3 at,
                                 ct_vec3 force, double normal) {
  ct_vec3 arm = ct_sub(at, body->center);
  double size = normal + CT_RESTING_ARM_ROUNDOFF / CT_RESTING_BALANCE_TOLERANCE * ct_norm(force);
  on->force = ct_add(on->force, force);
  on->torque = ct_add(on->torque, ct_cross(arm, force));
  on->forces += size;
  /* The lever arm has the round-off of the coordinates from which it is computed. */
  on->torques += size * (ct_norm(arm) +
                         CT_RESTING_ARM_ROUNDOFF / CT_RESTING_BALANCE_TOLERANCE * ct_max_abs(at));
}

ct_status ct_resting_balance_margin(const ct_resting *resting, const double *forces,
                                    double *margin) {
  const ct_contact_set *set = resting->set;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  body_balance *all = ct_arena_alloc(resting->arena, set->body_count + 1, sizeof *all);
  if (!all) {
    ct_arena_leave(resting->arena, mark);
    return CT_OUT_OF_MEMORY;
  }
  /* Sum the loads and contact forces of each body. */
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *body = &set->bodies[i];
    all[i] = (body_balance){body->force, body->torque, ct_norm(body->force), ct_norm(body->torque)};
  }
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &set->contacts[resting->active[i]];
    ct_vec3 force = ct_resting_force(contact, &forces[i * CT_RESTING_PARTS]);
    add_force_to_balance(&all[contact->a], &set->bodies[contact->a], contact->position,
                         ct_neg(force), forces[i * CT_RESTING_PARTS]);
    add_force_to_balance(&all[contact->b], &set->bodies[contact->b], contact->position, force,
                         forces[i * CT_RESTING_PARTS]);
  }
  /* Largest ratio of unbalanced load to the sum of norms. */
  double worst = 0.0;
  for (size_t i = 0; i < set->body_count; i++) {
    if (set->bodies[i].mobility != CT_DYNAMIC) continue;
    if (all[i].forces > 0.0) worst = fmax(worst, ct_norm(all[i].force) / all[i].forces);
    if (all[i].torques > 0.0) worst = fmax(worst, ct_norm(all[i].torque) / all[i].torques);
  }
  ct_arena_leave(resting->arena, mark);
  *margin = worst;
  return CT_OK;
}
