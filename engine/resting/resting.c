/* Forces of an island of resting contacts, in three steps: which contacts take part, their forces
 * (resting_normal, or resting_friction), what follows from these (resting_answer); and where it is
 * asked, whether the island stays (resting_stability).
 */
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

ct_mat3 ct_resting_axes(const ct_contact *contact) {
  ct_mat3 axes = {.rx = contact->normal};
  ct_contact_tangents(contact->normal, &axes.ry, &axes.rz);
  return axes;
}

ct_vec3 ct_resting_force(const ct_contact *contact, const double *parts) {
  ct_mat3 axes = ct_resting_axes(contact);
  return ct_add_scaled(ct_add(ct_scale(axes.ry, parts[1]), ct_scale(axes.rz, parts[2])), axes.rx,
                       parts[0]);
}

double ct_resting_strength(const ct_resting *resting, double mu) {
  return resting->options->friction == CT_RESTING_FRICTION_NONE ? 0.0 : mu;
}

/* Contacts whose bodies part get no force; all others may. */
static void classify(ct_resting *resting) {
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

/* An island without forces: nothing to solve. */
static void begin(ct_resting *resting) {
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

static ct_status solve(ct_resting *resting) {
  classify(resting);
  begin(resting);
  bool frictionless = resting->options->friction == CT_RESTING_FRICTION_NONE;
  bool fits = resting->options->stability || !frictionless || resting->count > CT_LCP_DIRECT_MAX;
  ct_status status = fits ? ct_resting_fit_open(resting) : CT_OK;
  if (status == CT_OK && resting->count > 0)
    status = resting->options->friction == CT_RESTING_FRICTION_NONE
                 ? ct_resting_normal(resting)
                 : ct_resting_friction_solve(resting);
  if (status == CT_LIMIT) status = ct_resting_balance(resting);
  if (status == CT_OK) status = ct_resting_write_result(resting);
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
  ct_status status = resting.active && resting.forces ? solve(&resting) : CT_OUT_OF_MEMORY;
  ct_arena_leave(arena, mark);
  return status;
}
