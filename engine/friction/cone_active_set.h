/* Forces within cones that balance a load, or the nearest that they come: least |sum over i of G_i
 * f_i - target|, f_i in the circular cone |tangential| <= mu normal.
 *
 * By active sets (Lawson, Hanson 1974, non-negative least squares) over generators of the cones,
 * which are made as they are wanted: of all directions on a cone the one that the rest of the load
 * pulls most. What is left over is kept to twice the digits, so the limit between holding and not
 * holding is found to round-off. Each time it is looked at, one answer is proved: forces that leave
 * nothing over; or the rest itself, along which the load does work and no force of any cone can.
 */
#ifndef FRICTION_CONE_ACTIVE_SET_H
#define FRICTION_CONE_ACTIVE_SET_H

#include <contact/arena.h>

/* A contact reaches at most two blocks of six rows: one for each body that can move. */
#define CT_CONE_BLOCK 6

typedef struct ct_cone {
  size_t block[2];                      /* of rows; CT_CONE_NO_BLOCK: none */
  double columns[3][2 * CT_CONE_BLOCK]; /* what a unit of normal and of each tangential force does,
                                           in the rows of the blocks */
  double mu;                            /* >= 0 */
} ct_cone;

#define CT_CONE_NO_BLOCK SIZE_MAX

typedef struct ct_cone_fit_problem {
  const ct_cone *cones; /* [count] */
  size_t count;
  const double *target; /* [6 blocks] */
  size_t blocks;
  uint64_t steps_max; /* ct_cone_min_norm: Newton steps */
  const ct_cancel *cancel;
} ct_cone_fit_problem;

/* HELD: `rest` is round-off. APART: it is not, and no generator would make it less. UNDECIDED: the
 * steps ended before either. */
typedef enum ct_cone_fit_status {
  CT_CONE_FIT_BALANCED,
  CT_CONE_FIT_INFEASIBLE,
  CT_CONE_FIT_UNDECIDED
} ct_cone_fit_status;

typedef struct ct_cone_fit_result {
  double *forces; /* [3 count] the caller's */
  double *rest;   /* [6 blocks] the caller's: target - sum of G f */
  ct_cone_fit_status status;
  double pull; /* the greatest cosine of the rest to a generator that could not be used; 0: there is
                  none */
  uint64_t iterations;
} ct_cone_fit_result;

/* CT_OUT_OF_MEMORY, CT_CANCELLED. Memory: 2 (6 blocks)^2 doubles. Cost: some (6 blocks)^2 for each
 * of the generators that it takes, about as many as there are rows, and some 20 more for each
 * contact that slides in a direction of its own. */
ct_status ct_cone_fit(const ct_cone_fit_problem *problem, ct_arena *arena,
                      ct_cone_fit_result *result);

/* The same for circular cones and any number of contacts, and of forces that hold the shortest, but
 * only so far as iterations go; near the limit between holding and not it ends undecided. Memory
 * O(count) and the sparse factor of a matrix of blocks: of a wall of n x n boxes some 2 n^2 log n
 * blocks of 288 bytes, at most 290 MB. Steps: some ten, each a factor at most, some 100 n^3 block
 * products; what has none that small takes conjugate gradients. */
ct_status ct_cone_min_norm(const ct_cone_fit_problem *problem, ct_arena *arena,
                           ct_cone_fit_result *result);

#endif
