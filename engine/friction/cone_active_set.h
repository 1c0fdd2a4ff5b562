/* Contact forces within friction cones that balance a load, or come nearest to it in the sense of
 * least squares: minimises |sum over i of G_i f_i - target|, f_i in the circular cone |tangential|
 * <= mu normal.
 *
 * Method: active sets (Lawson, Hanson 1974, non-negative least squares) over generators of the
 * cones. A generator is created when it is needed: the direction within a cone that the residual
 * load pulls most. The residual is computed in double-double arithmetic, so balanced and
 * infeasible loads are separated to round-off. Either result is a proof: forces without residual;
 * or the residual itself, a direction in which the load does positive work and no force of any
 * cone does.
 */
#ifndef FRICTION_CONE_ACTIVE_SET_H
#define FRICTION_CONE_ACTIVE_SET_H

#include <contact/arena.h>

/* A contact reaches at most two blocks of six rows: one for each body that can move. */
#define CT_CONE_BLOCK 6

typedef struct ct_cone {
  size_t block[2]; /* blocks of six rows that the contact acts on, or CT_CONE_NO_BLOCK */
  double columns[3][2 * CT_CONE_BLOCK]; /* generalised force of a unit normal and of each unit
                                           tangential force, in the rows of both blocks */
  double mu;                            /* >= 0 */
} ct_cone;

#define CT_CONE_NO_BLOCK SIZE_MAX

typedef struct ct_cone_fit_problem {
  const ct_cone *cones; /* [count] */
  size_t count;
  const double *target; /* [6 blocks] */
  size_t blocks;
  uint64_t steps_max; /* limit of Newton steps; used by ct_cone_min_norm only */
  const ct_cancel *cancel;
} ct_cone_fit_problem;

/* BALANCED: `rest` is round-off. INFEASIBLE: `rest` is not, and no generator reduces it.
 * UNDECIDED: the step limit was reached first. */
typedef enum ct_cone_fit_status {
  CT_CONE_FIT_BALANCED,
  CT_CONE_FIT_INFEASIBLE,
  CT_CONE_FIT_UNDECIDED
} ct_cone_fit_status;

typedef struct ct_cone_fit_result {
  double *forces; /* [3 count] the caller's memory */
  double *rest;   /* [6 blocks] the caller's memory: residual target - sum of G_i f_i */
  ct_cone_fit_status status;
  double pull; /* greatest cosine between the residual and a generator that could not be used; 0:
                  there is none */
  uint64_t iterations;
} ct_cone_fit_result;

/* Solves the problem by active sets. Returns CT_OUT_OF_MEMORY, CT_CANCELLED. Memory: 2 (6
 * blocks)^2 doubles. Cost: some (6 blocks)^2 operations for each generator added. About as many
 * generators are added as there are rows, and some 20 more for each contact that slides in its own
 * direction. */
ct_status ct_cone_fit(const ct_cone_fit_problem *problem, ct_arena *arena,
                      ct_cone_fit_result *result);

/* The shortest forces that balance the load, for any number of contacts, by Newton's method on the
 * dual. Near the limit between balanced and infeasible loads the result is UNDECIDED. Memory:
 * O(count) and the sparse factor of a block matrix: for a wall of n x n boxes some 2 n^2 log n
 * blocks of 288 bytes, at most 290 MB. Cost: some ten steps, each with at most one factorisation,
 * some 100 n^3 block products for the wall. If the factor exceeds its limits, conjugate gradients
 * are used instead. */
ct_status ct_cone_min_norm(const ct_cone_fit_problem *problem, ct_arena *arena,
                           ct_cone_fit_result *result);

#endif
