/* Islands whose contact system would be larger than is kept: many contacts at each of few bodies,
 * or very many. The forces that hold all bodies, or come nearest, want no such system, and what
 * they are worth is seen from the accelerations that follow.
 */
#include "friction/friction.h"
#include "resting/resting_problem.h"

/* Only where AUTO is asked for, and the forces would act at velocities or on nothing that slides.
 */
static bool applies(const ct_resting *resting) {
  const ct_resting_options *o = resting->options;
  if (resting->count <= CT_LCP_DIRECT_MAX) return false;
  if (o->friction == CT_RESTING_FRICTION_NONE) return o->lcp_method == CT_LCP_AUTO;
  return o->friction == CT_RESTING_FRICTION_CONE && o->friction_method == CT_FRICTION_AUTO &&
         !o->acceleration_level;
}

/* max |min(f, gap'')|, and how large the accelerations without forces are. */
static double residual_of_normals(const ct_resting *resting, double *most) {
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

static double block_norm(const ct_contact_set *set, const ct_contact *contact) {
  ct_mat3 m = ct_delassus_block(set, contact, contact);
  return sqrt(ct_dot(m.rx, m.rx) + ct_dot(m.ry, m.ry) + ct_dot(m.rz, m.rz));
}

/* As ct_friction_residual says it; contacts of bodies that cannot move have no part in it. */
static double residual_of_cones(const ct_resting *resting) {
  double sum = 0.0, size = 0.0, normal_max = 0.0;
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &resting->set->contacts[resting->active[i]];
    const ct_contact_force *reported = &resting->result->contacts[resting->active[i]];
    double norm = block_norm(resting->set, contact);
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

ct_status ct_resting_balance(ct_resting *resting) {
  if (!applies(resting)) return CT_LIMIT;
  ct_status status = ct_resting_fit_solve(resting);
  for (size_t i = 0; status == CT_OK && i < resting->count * CT_RESTING_PARTS; i++)
    resting->forces[i] = resting->fit.forces[i];
  if (status == CT_OK) status = ct_resting_write_result(resting);
  if (status != CT_OK) return status;
  ct_resting_result *reported = resting->result;
  double most = 0.0, wanted = resting->options->tolerance;
  if (resting->options->friction == CT_RESTING_FRICTION_NONE) {
    reported->residual = residual_of_normals(resting, &most);
    reported->converged =
        reported->residual <= (wanted > 0.0 ? wanted : CT_LCP_PGS_TOLERANCE) * (1.0 + most);
  } else {
    reported->residual = residual_of_cones(resting);
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
