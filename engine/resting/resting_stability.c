/* Stability of an island. An equilibrium exists if and only if forces within the friction cones
 * balance the loads of every body. If none do, the acceleration of the unbalanced load that the
 * nearest forces leave is the proof: the loads do work along this motion, and no force in any cone
 * does work against it. */
#include "resting/resting_problem.h"

#include <assert.h>

/* Contact points may approach each other, or slip against the proof, by this fraction of their
 * motion: its round-off. */
#define PROOF_ROUNDOFF 1e-7
/* Contact points at rest in the exact motion may move by this fraction of the largest motion: its
 * round-off. */
#define REST_ROUNDOFF 1e-6
/* The corresponding fraction for large islands, whose motion is computed by iteration. */
#define REST_SOLVED 1.0

/* True if bodies move at present, or if kinematic bodies are accelerated: the island is then not at
 * rest under any contact forces. */
static bool is_moving(const ct_resting *resting) {
  const ct_contact_set *set = resting->set;
  double most = resting->options->velocity_tolerance;
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *body = &set->bodies[i];
    if (ct_norm(body->velocity.linear) > most) return true;
    if (body->mobility == CT_KINEMATIC && (ct_max_abs(body->linear_acceleration) > 0.0 ||
                                           ct_max_abs(body->angular_acceleration) > 0.0))
      return true;
  }
  for (size_t i = 0; i < set->count; i++) {
    const ct_contact *contact = &set->contacts[i];
    const uint32_t sides[2] = {contact->a, contact->b};
    for (size_t k = 0; k < 2; k++) {
      const ct_mass_body *body = &set->bodies[sides[k]];
      ct_vec3 arm = ct_sub(contact->position, body->center);
      if (ct_norm(ct_add(body->velocity.linear, ct_cross(body->velocity.angular, arm))) > most)
        return true;
    }
  }
  return set->count == 0 && ct_max_abs(set->bodies[0].velocity.angular) > 0.0;
}

static void write_stable(ct_resting *resting, const double *forces) {
  if (!resting->result->holding) return;
  for (size_t i = 0; i < resting->set->count; i++)
    resting->result->holding[i] = ct_vec(0.0, 0.0, 0.0);
  for (size_t i = 0; i < resting->count; i++)
    resting->result->holding[resting->active[i]] = ct_resting_force(
        &resting->set->contacts[resting->active[i]], &forces[i * CT_RESTING_PARTS]);
}

static bool are_forces_in_cones(const ct_resting *resting, const double *forces) {
  for (size_t i = 0; i < resting->count; i++) {
    const double *f = &forces[i * CT_RESTING_PARTS];
    double mu = ct_resting_strength(
        resting, resting->set->contacts[resting->active[i]].material.static_friction);
    if (f[0] < 0.0 ||
        ct_norm(ct_vec(f[1], f[2], 0.0)) > mu * f[0] * (1.0 + CT_RESTING_BALANCE_TOLERANCE))
      return false;
  }
  return true;
}

/* ---- the motion ------------------------------------------------------------------------------ */

static ct_vec3 point_motion(const ct_contact_set *set, const ct_velocity *motion, uint32_t body,
                            ct_vec3 at) {
  return ct_add(motion[body].linear,
                ct_cross(motion[body].angular, ct_sub(at, set->bodies[body].center)));
}

/* Returns the sum, over both bodies, of the norms of the linear and of the angular part of the
 * motion at a contact point. */
static double motion_size(const ct_contact_set *set, const ct_velocity *motion,
                          const ct_contact *contact) {
  const uint32_t sides[2] = {contact->a, contact->b};
  double size = 0.0;
  for (size_t k = 0; k < 2; k++) {
    const ct_velocity *of = &motion[sides[k]];
    size += ct_norm(of->linear) +
            ct_norm(of->angular) * ct_norm(ct_sub(contact->position, set->bodies[sides[k]].center));
  }
  return size;
}

/* True if the loads do work along the motion and no force in any cone does work against it, except
 * by round-off: PROOF_ROUNDOFF of the motion itself, and `rest` times the largest motion for points
 * that should be at rest. Points that approach each other by as much would permit an equilibrium
 * under much larger forces; the proof excludes forces up to CT_FRICTION_GROWTH times the loads. */
static bool proves_fall(const ct_resting *resting, const ct_velocity *motion, double rest) {
  const ct_contact_set *set = resting->set;
  double work = 0.0, work_size = 0.0, greatest = 0.0, approach = 0.0;
  for (size_t i = 0; i < set->count; i++)
    greatest = fmax(greatest, motion_size(set, motion, &set->contacts[i]));
  /* Work of the loads along the motion. */
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *body = &set->bodies[i];
    if (body->mobility != CT_DYNAMIC) continue;
    work += ct_dot(body->force, motion[i].linear) + ct_dot(body->torque, motion[i].angular);
    work_size += ct_norm(body->force) * ct_norm(motion[i].linear) +
                 ct_norm(body->torque) * ct_norm(motion[i].angular);
  }
  /* No contact force may do work against the motion. */
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &set->contacts[resting->active[i]];
    ct_vec3 a = point_motion(set, motion, contact->a, contact->position),
            b = point_motion(set, motion, contact->b, contact->position);
    ct_vec3 u = ct_sub(b, a);
    double normal = ct_dot(contact->normal, u),
           slip = ct_norm(ct_add_scaled(u, contact->normal, -normal));
    double mu = ct_resting_strength(resting, contact->material.static_friction);
    double size = motion_size(set, motion, contact);
    if (normal < mu * slip - PROOF_ROUNDOFF * (1.0 + mu) * (size + rest * greatest)) return false;
    approach = fmax(approach, mu * slip - normal);
  }
  return work > 0.0 &&
         (approach == 0.0 || work * greatest > CT_FRICTION_GROWTH * work_size * approach);
}

/* Computes each body's acceleration by the unbalanced load. */
static void make_motion(const ct_resting *resting, const ct_resting_equilibrium *fit,
                        ct_velocity *motion) {
  for (size_t i = 0; i < resting->set->body_count; i++) {
    motion[i] = (ct_velocity){0};
    if (fit->blocks[i] == CT_CONE_NO_BLOCK) continue;
    const ct_mass_body *body = &resting->set->bodies[i];
    const double *rest = &fit->rest[fit->blocks[i] * CT_CONE_BLOCK];
    motion[i].linear = ct_scale(ct_vec(rest[0], rest[1], rest[2]), -sqrt(body->inverse_mass));
    motion[i].angular = ct_neg(ct_mat_mul(ct_resting_inertia_factor(&body->inverse_inertia),
                                          ct_vec(rest[3], rest[4], rest[5])));
  }
}

/* ---- decision -------------------------------------------------------------------------------- */

static ct_status decide_stability(ct_resting *resting) {
  ct_resting_result *result = resting->result;
  const ct_resting_equilibrium *fit = &resting->equilibrium;
  ct_status status = ct_resting_solve_equilibrium(resting);
  ct_velocity *motion =
      ct_arena_alloc(resting->arena, resting->set->body_count + 1, sizeof *motion);
  if (status != CT_OK || !motion) return status != CT_OK ? status : CT_OUT_OF_MEMORY;
  status = ct_resting_balance_margin(resting, fit->forces, &result->stability_margin);
  if (status != CT_OK) return status;
  if (result->stability_margin <= CT_RESTING_BALANCE_TOLERANCE) {
    result->stability = CT_STABILITY_STAYS;
    write_stable(resting, fit->forces);
    return CT_OK;
  }
  make_motion(resting, fit, motion);
  if (fit->status == CT_CONE_FIT_BALANCED ||
      !proves_fall(resting, motion, fit->exact ? REST_ROUNDOFF : REST_SOLVED))
    return CT_OK;
  result->stability = CT_STABILITY_FALLS;
  for (size_t i = 0; result->motion && i < resting->set->body_count; i++)
    result->motion[i] = motion[i];
  return CT_OK;
}

ct_status ct_resting_stability(ct_resting *resting) {
  assert(resting->equilibrium.blocks);
  ct_resting_result *result = resting->result;
  result->stability = CT_STABILITY_MOVING;
  if (is_moving(resting)) return CT_OK;
  ct_status status = ct_resting_balance_margin(resting, resting->forces, &result->stability_margin);
  if (status != CT_OK) return status;
  result->stability = CT_STABILITY_STAYS;
  write_stable(resting, resting->forces);
  if (result->stability_margin <= CT_RESTING_BALANCE_TOLERANCE &&
      are_forces_in_cones(resting, resting->forces))
    return CT_OK;
  result->stability = CT_STABILITY_UNDECIDED;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  status = decide_stability(resting);
  ct_arena_leave(resting->arena, mark);
  return status;
}
