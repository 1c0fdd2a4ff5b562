/* Forces of an island of resting contacts: selects the contacts whose bodies do not separate,
 * computes their forces (resting_frictionless.c, resting_friction.c), then the accelerations of
 * bodies and gaps under these forces, and whether the island is stable (resting_stability.c). The
 * reported accelerations are computed from the forces, not copied from a solver.
 *
 * The contact system is not assembled if it would be too large (many contacts at each of few
 * bodies, or very many contacts). The forces are then those that balance all bodies, or the nearest
 * ones if none do (resting_equilibrium.c), and the residual is computed from the resulting
 * accelerations. */
#include "friction/friction.h"
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

#include <assert.h>

/* Lists the contacts that may have a force: those whose bodies do not separate. */
static void select_contacts(ct_resting *resting) {
  const ct_contact_set *set = resting->set;
  resting->count = 0;
  for (size_t i = 0; i < set->count; i++) {
    ct_contact_velocity velocity =
        ct_contact_relative_velocity(set, &set->contacts[i], resting->options->velocity_tolerance);
    bool takes_part = velocity.velocity_class != CT_CLASS_SEPARATING;
    resting->result->contacts[i] =
        (ct_contact_force){.velocity = velocity, .takes_part = takes_part};
    if (resting->result->certificate) resting->result->certificate[i] = 0.0;
    if (takes_part) resting->active[resting->count++] = (uint32_t)i;
  }
}

/* Initialises the result to that of an island without forces. */
static void reset_result(ct_resting *resting) {
  ct_resting_result *result = resting->result;
  result->status = CT_RESTING_STATUS_OK;
  result->stability = CT_STABILITY_NOT_REQUESTED;
  result->converged = true;
  result->residual = result->complementarity = result->cone_error = result->stability_margin = 0.0;
  result->rank = 0;
  result->rank_known = true;
  result->unique = CT_YES;
  result->method = "none";
  result->iterations = 0;
  for (size_t i = 0; i < resting->count * CT_RESTING_PARTS; i++) resting->forces[i] = 0.0;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Force and torque of the contacts on a body, and the accelerations that result. */
typedef struct contact_load {
  ct_vec3 force, torque, linear, angular;
} contact_load;

static void add_contact_load(contact_load *load, const ct_mass_body *body, ct_vec3 at,
                             ct_vec3 force) {
  load->force = ct_add(load->force, force);
  load->torque = ct_add(load->torque, ct_cross(ct_sub(at, body->center), force));
}

static void write_contact_force(const ct_resting *resting, size_t number, contact_load *loads) {
  assert(number < resting->count);
  const ct_contact_set *set = resting->set;
  const ct_contact *contact = &set->contacts[resting->active[number]];
  ct_contact_force *reported = &resting->result->contacts[resting->active[number]];
  const double *f = &resting->forces[number * CT_RESTING_PARTS];
  ct_mat3 axes = ct_resting_axes(contact);
  reported->normal = f[0];
  reported->tangential = ct_add(ct_scale(axes.ry, f[1]), ct_scale(axes.rz, f[2]));
  reported->force = ct_resting_force(contact, f);
  add_contact_load(&loads[contact->a], &set->bodies[contact->a], contact->position,
                   ct_neg(reported->force));
  add_contact_load(&loads[contact->b], &set->bodies[contact->b], contact->position,
                   reported->force);
}

static void write_body_acceleration(const ct_mass_body *body, contact_load *load,
                                    ct_body_acceleration *reported) {
  *reported = (ct_body_acceleration){.linear = body->linear_acceleration,
                                     .angular = body->angular_acceleration,
                                     .residual_force = ct_add(body->force, load->force),
                                     .residual_torque = ct_add(body->torque, load->torque)};
  if (body->mobility != CT_DYNAMIC) return;
  load->linear = ct_scale(load->force, body->inverse_mass);
  load->angular = ct_mat_mul(body->inverse_inertia, load->torque);
  reported->linear = ct_add(reported->linear, load->linear);
  reported->angular = ct_add(reported->angular, load->angular);
}

static ct_vec3 compute_load_acceleration(const contact_load *load, const ct_mass_body *body,
                                         ct_vec3 at) {
  return ct_add(load->linear, ct_cross(load->angular, ct_sub(at, body->center)));
}

static void write_gap_acceleration(const ct_contact_set *set, const ct_contact *contact,
                                   const contact_load *loads, ct_contact_force *reported) {
  ct_vec3 tangential;
  double normal = ct_contact_free_acceleration(set, contact, &tangential);
  ct_vec3 by_contacts = ct_sub(
      compute_load_acceleration(&loads[contact->b], &set->bodies[contact->b], contact->position),
      compute_load_acceleration(&loads[contact->a], &set->bodies[contact->a], contact->position));
  double along = ct_dot(contact->normal, by_contacts);
  reported->acceleration = normal + along;
  reported->tangential_acceleration =
      ct_add(tangential, ct_add_scaled(by_contacts, contact->normal, -along));
}

/* Writes the result's primal violation, the largest closing acceleration of a gap, and its dual
 * violation, the largest tensile force. */
static void write_violations(ct_resting *resting) {
  ct_resting_result *result = resting->result;
  result->primal = result->dual = 0.0;
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact_force *reported = &result->contacts[resting->active[i]];
    result->primal = ct_max2(result->primal, -reported->acceleration);
    result->dual = ct_max2(result->dual, -reported->normal);
  }
}

/* Writes the contact forces in world axes, the force on each body, and the accelerations of bodies
 * and gaps. Returns CT_OK or CT_OUT_OF_MEMORY. */
static ct_status write_result_of_forces(ct_resting *resting) {
  const ct_contact_set *set = resting->set;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  contact_load *loads = ct_arena_alloc(resting->arena, set->body_count, sizeof *loads);
  if (!loads) {
    ct_arena_leave(resting->arena, mark);
    return CT_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < set->body_count; i++) loads[i] = (contact_load){0};
  for (size_t i = 0; i < resting->count; i++) write_contact_force(resting, i, loads);
  for (size_t i = 0; i < set->body_count; i++)
    write_body_acceleration(&set->bodies[i], &loads[i], &resting->result->bodies[i]);
  for (size_t i = 0; i < set->count; i++)
    write_gap_acceleration(set, &set->contacts[i], loads, &resting->result->contacts[i]);
  write_violations(resting);
  ct_arena_leave(resting->arena, mark);
  return CT_OK;
}

/* ---- islands beyond the system's size -------------------------------------------------------- */

/* True if forces that balance all bodies are accepted as the solution: method AUTO, more contacts
 * than the direct methods allow and, with friction, cones at velocity level. */
static bool allows_balance(const ct_resting *resting) {
  const ct_resting_options *o = resting->options;
  if (resting->count <= CT_LCP_DIRECT_MAX) return false;
  if (o->friction == CT_RESTING_FRICTION_NONE) return o->lcp_method == CT_LCP_AUTO;
  return o->friction == CT_RESTING_FRICTION_CONE && o->friction_method == CT_FRICTION_AUTO &&
         !o->acceleration_level;
}

/* Returns max |min(f, a)| over the contacts, with f the normal force and a the acceleration of the
 * gap. *most: largest |a| without contact forces. */
static double normal_residual(const ct_resting *resting, double *most) {
  double worst = 0.0;
  *most = 0.0;
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &resting->set->contacts[resting->active[i]];
    const ct_contact_force *reported = &resting->result->contacts[resting->active[i]];
    worst = fmax(worst, fabs(fmin(reported->normal, reported->acceleration)));
    *most = fmax(*most, fabs(ct_contact_free_acceleration(resting->set, contact, NULL)));
  }
  return worst;
}

static double self_block_norm(const ct_contact_set *set, const ct_contact *contact) {
  ct_mat3 m = ct_delassus_block(set, contact, contact);
  return sqrt(ct_dot(m.rx, m.rx) + ct_dot(m.ry, m.ry) + ct_dot(m.rz, m.rz));
}

/* Returns the residual that ct_friction_residual defines, but without contacts at which neither
 * body can move. */
static double cone_residual(const ct_resting *resting) {
  double sum = 0.0, size = 0.0, normal_max = 0.0;
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &resting->set->contacts[resting->active[i]];
    const ct_contact_force *reported = &resting->result->contacts[resting->active[i]];
    double norm = self_block_norm(resting->set, contact);
    if (!(norm > 0.0)) continue;
    ct_vec3 slip = ct_add_scaled(reported->tangential_acceleration, reported->velocity.tangential,
                                 1.0 / resting->options->time_step);
    ct_vec3 along = ct_mat_mul(ct_resting_axes(contact), slip);
    const double *f = &resting->forces[i * CT_RESTING_PARTS];
    double mu = reported->velocity.sliding ? contact->material.dynamic_friction
                                           : contact->material.static_friction;
    ct_triple defect = ct_friction_defect((ct_triple){f[0], f[1], f[2]},
                                          (ct_triple){reported->acceleration, along.y, along.z}, mu,
                                          1.0 / norm, &size);
    sum += ct_triple_norm2(defect);
    double free = fabs(ct_contact_free_acceleration(resting->set, contact, NULL));
    normal_max = fmax(normal_max, CT_FRICTION_GROWTH * (free / norm));
  }
  double residual =
      sum > 0.0 ? sqrt(sum) / (normal_max > 0.0 ? fmin(size, normal_max) : size) : 0.0;
  return fmax(residual, ct_friction_roundoff(size, normal_max));
}

/* Solves an island that is too large for the contact system. Returns CT_OK, CT_LIMIT if the options
 * exclude this, CT_OUT_OF_MEMORY, or CT_CANCELLED. */
static ct_status solve_large_island(ct_resting *resting) {
  if (!allows_balance(resting)) return CT_LIMIT;
  ct_status status = ct_resting_solve_equilibrium(resting);
  for (size_t i = 0; status == CT_OK && i < resting->count * CT_RESTING_PARTS; i++)
    resting->forces[i] = resting->equilibrium.forces[i];
  if (status == CT_OK) status = write_result_of_forces(resting);
  if (status != CT_OK) return status;
  ct_resting_result *reported = resting->result;
  /* Residual of the contact law. */
  double most = 0.0, wanted = resting->options->tolerance;
  if (resting->options->friction == CT_RESTING_FRICTION_NONE) {
    reported->residual = normal_residual(resting, &most);
    reported->converged =
        reported->residual <= (wanted > 0.0 ? wanted : CT_LCP_PGS_TOLERANCE) * (1.0 + most);
  } else {
    reported->residual = cone_residual(resting);
    reported->converged = reported->residual <= (wanted > 0.0 ? wanted : CT_FRICTION_TOLERANCE);
  }
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact_force *contact = &reported->contacts[resting->active[i]];
    reported->complementarity =
        fmax(reported->complementarity, fabs(contact->normal * contact->acceleration));
  }
  reported->status = reported->converged ? CT_RESTING_STATUS_OK : CT_RESTING_STATUS_NOT_CONVERGED;
  reported->rank_known = false;
  reported->unique = CT_UNKNOWN;
  reported->method = "equilibrium";
  return CT_OK;
}

/* ---- solution -------------------------------------------------------------------------------- */

static ct_status solve_resting_island(ct_resting *resting) {
  select_contacts(resting);
  reset_result(resting);
  bool frictionless = resting->options->friction == CT_RESTING_FRICTION_NONE;
  bool fits = resting->options->stability || !frictionless || resting->count > CT_LCP_DIRECT_MAX;
  ct_status status = fits ? ct_resting_prepare_equilibrium(resting) : CT_OK;
  if (status == CT_OK && resting->count > 0)
    status = resting->options->friction == CT_RESTING_FRICTION_NONE
                 ? ct_resting_normal(resting)
                 : ct_resting_friction_solve(resting);
  if (status == CT_LIMIT) status = solve_large_island(resting);
  if (status == CT_OK) status = write_result_of_forces(resting);
  if (status == CT_OK && resting->options->stability) status = ct_resting_stability(resting);
  return status;
}

ct_status ct_resting_solve(const ct_contact_set *set, const ct_resting_options *options,
                           ct_arena *arena, ct_resting_result *result) {
  bool steps = options->friction != CT_RESTING_FRICTION_NONE && !options->acceleration_level;
  if (!ct_contact_set_stands(set) || (steps && !(options->time_step > 0.0))) return CT_LIMIT;
  ct_resting resting = {.set = set, .options = options, .arena = arena, .result = result};
  ct_arena_mark mark = ct_arena_enter(arena);
  resting.active = ct_arena_alloc(arena, set->count + 1, sizeof *resting.active);
  resting.forces = ct_arena_alloc_doubles(arena, (set->count + 1) * CT_RESTING_PARTS);
  ct_status status =
      resting.active && resting.forces ? solve_resting_island(&resting) : CT_OUT_OF_MEMORY;
  ct_arena_leave(arena, mark);
  return status;
}
