/* Whether contacts can stop an island in one step: impulses within the cones of friction that take
 * all of its momenta away. Where there are any, they are an answer of the velocity problem, whose
 * contacts then neither part nor slide. Sweeps come to it ever more slowly, the more stones lie on
 * each other; Newton's method on the dual does not.
 */
#include "advance/advance.h"
#include "resting/resting_problem.h"

/* Newton steps: where there are such impulses, some sixty to a hundred take them to round-off. */
#define STOP_STEPS 200

ct_status ct_step_stop(const ct_step *step, const ct_contact_set *set, uint32_t *active,
                       size_t count, double *r) {
  const ct_resting_options law = {.friction = CT_RESTING_FRICTION_CONE};
  ct_resting resting = {
      .set = set, .options = &law, .arena = step->arena, .active = active, .count = count};
  ct_status status = ct_resting_fit_open(&resting);
  if (status != CT_OK) return status;
  const ct_resting_equilibrium fit = resting.fit;
  const ct_cone_fit_problem problem = {.cones = fit.cones,
                                       .count = count,
                                       .target = fit.target,
                                       .blocks = fit.count,
                                       .steps_max = STOP_STEPS,
                                       .cancel = step->advance->options.cancel};
  ct_cone_fit_result result = {.forces = fit.forces, .rest = fit.rest};
  status = ct_cone_min_norm(&problem, step->arena, &result);
  if (status != CT_OK) return status;
  for (size_t k = 0; k < CT_RESTING_PARTS * set->count; k++) r[k] = 0.0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < CT_RESTING_PARTS; k++)
      r[CT_RESTING_PARTS * active[i] + k] = fit.forces[CT_RESTING_PARTS * i + k];
  return CT_OK;
}
