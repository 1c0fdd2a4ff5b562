/* Contact forces within friction cones that balance a load, or balance it best in the sense of
 * least squares: minimises |sum over i of G_i f_i - target|, where f_i is in the circular cone
 * |tangential| <= mu normal and G_i maps the force of contact i to generalised forces on its
 * bodies.
 *
 * Method: active sets (Lawson, Hanson 1974, non-negative least squares) over generators, that is,
 * single directions within the cones. A generator is created when it is needed: the direction
 * within a cone that has the greatest cosine with the unbalanced load (residual). The residual is
 * computed in double-double arithmetic, so balanced and infeasible loads are distinguished up to
 * round-off. Either result is a proof: forces without residual; or the residual itself, a direction
 * in which the load does positive work and no force within the cones does. */
#ifndef FRICTION_CONE_ACTIVE_SET_H
#define FRICTION_CONE_ACTIVE_SET_H

#include <contact/arena.h>

/* Number of rows of a block; a contact acts on at most two blocks, one for each body that can
 * move. */
#define CT_CONE_BLOCK 6

typedef struct ct_cone {
  /* indices of the blocks of six rows that the contact acts on, or CT_CONE_NO_BLOCK */
  size_t block[2];
  /* the columns of G_i: generalised force of a unit normal force and of each unit tangential force,
   * in the rows of both blocks */
  double columns[3][2 * CT_CONE_BLOCK];
  double mu; /* >= 0 */
} ct_cone;

#define CT_CONE_NO_BLOCK SIZE_MAX

typedef struct ct_cone_fit_problem {
  const ct_cone *cones; /* [count] */
  size_t count;
  const double *target; /* [6 blocks] */
  size_t blocks;
  uint64_t steps_max; /* largest number of Newton steps; only for ct_cone_min_norm */
  const ct_cancel *cancel;
} ct_cone_fit_problem;

/* BALANCED: the residual `rest` is round-off. INFEASIBLE: it is not, and no generator reduces it.
 * UNDECIDED: the step limit was reached first. */
typedef enum ct_cone_fit_status {
  CT_CONE_FIT_BALANCED,
  CT_CONE_FIT_INFEASIBLE,
  CT_CONE_FIT_UNDECIDED
} ct_cone_fit_status;

typedef struct ct_cone_fit_result {
  double *forces; /* [3 count] the caller's memory */
  double *rest;   /* [6 blocks] the caller's memory: residual, target - sum of G_i f_i */
  ct_cone_fit_status status;
  /* greatest cosine between the residual and a generator that could not be used; 0: there was
   * none */
  double pull;
  uint64_t iterations;
} ct_cone_fit_result;

/* Minimises the residual by active sets. CT_OUT_OF_MEMORY, CT_CANCELLED. Memory: 2 (6 blocks)^2
 * doubles. Cost: some (6 blocks)^2 operations for each generator added; about as many generators
 * are added as there are rows, and some 20 more for each contact that slides in a direction of its
 * own. */
ct_status ct_cone_fit(const ct_cone_fit_problem *problem, ct_arena *arena,
                      ct_cone_fit_result *result);

/* Computes the forces of least norm that balance the load, for any number of contacts, by Newton's
 * method on the dual. Near the limit between balanced and infeasible loads the result is UNDECIDED.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. Memory: O(count) and the sparse factor of a block matrix: for a
 * wall of n x n boxes some 2 n^2 log n blocks of 288 bytes, at most 290 MB. Cost: some ten steps,
 * each with at most one factorisation, some 100 n^3 block products for the wall. If the factor
 * exceeds its limits, conjugate gradients are used instead. */
ct_status ct_cone_min_norm(const ct_cone_fit_problem *problem, ct_arena *arena,
                           ct_cone_fit_result *result);

#endif
