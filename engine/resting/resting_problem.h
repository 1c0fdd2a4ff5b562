/* The island to solve and the functions that solve it, shared by the files of this folder. */
#ifndef RESTING_RESTING_PROBLEM_H
#define RESTING_RESTING_PROBLEM_H

#include <contact/resting.h>

#include <assert.h>

#include "friction/cone_active_set.h"
#include "linear/arena.h"

/* A body counts as balanced if its unbalanced load is at most this fraction of the norms of the
 * loads and contact forces on it: the round-off of contact points and normals, and of sums over
 * some hundred contacts. */
#define CT_RESTING_BALANCE_TOLERANCE 1e-12
/* Round-off of a contact's position, relative to its coordinates. */
#define CT_RESTING_ARM_ROUNDOFF 4e-16

/* Friction within this relative distance of its limit counts as being at the limit; slip below this
 * fraction of the largest acceleration counts as zero. */
#define CT_RESTING_LIMIT_PART 1e-9
#define CT_RESTING_SLIP_PART 1e-10

/* Components of a contact force: along the normal and along the two tangents
 * (ct_contact_tangents). */
#define CT_RESTING_PARTS 3

/* Forces within the cones of static friction that balance every body or, if none do, leave the
 * least unbalanced load. Its norm is measured in the metric of the kinetic energy: the acceleration
 * of Gauss' principle. */
typedef struct ct_resting_equilibrium {
  size_t *blocks; /* [body_count] index of each dynamic body's block; CT_CONE_NO_BLOCK for the other
                     bodies */
  size_t count;   /* number of dynamic bodies, each of which has a block of six rows */
  ct_cone *cones; /* [active contacts] friction cone and Jacobian of each contact */
  double *target; /* [6 count] required sum of the contact forces on each body: its load, negated */
  double *rest;   /* [6 count] target minus the sum of the contact forces */
  double *forces; /* [3 active contacts] contact forces in the contacts' axes */
  bool known;     /* `rest`, `forces` and `status` have been computed */
  bool exact;     /* `rest` is accurate to round-off, otherwise to about eight digits */
  ct_cone_fit_status status;
} ct_resting_equilibrium;

typedef struct ct_resting {
  const ct_contact_set *set;
  const ct_resting_options *options;
  ct_arena *arena;
  ct_resting_result *result;
  uint32_t *active; /* [count] indices of the contacts whose bodies do not separate; only these may
                       have a force */
  size_t count;
  double
      *forces; /* [3 count] solution: normal and two tangential forces of each active contact, N */
  ct_resting_equilibrium equilibrium; /* used by the friction solver and by the stability test */
} ct_resting;

/* Returns the unit normal and the two tangents of a contact, as the rows of a matrix. */
ct_mat3 ct_resting_axes(const ct_contact *contact);

/* Returns the force on body b, in the world, of components `parts` in the contact's axes. */
ct_vec3 ct_resting_force(const ct_contact *contact, const double *parts);
/* Returns the coefficient of friction of the cone used for equilibrium; if pyramids are used, that
 * of the cone which they approximate. */
double ct_resting_strength(const ct_resting *resting, double mu);

/* Assembles the Delassus matrix of the active contacts: of normals (parts 1) or of normals and
 * tangents (parts 3). It is allocated in the arena; the caller must have entered it. */
ct_status ct_resting_matrix(ct_resting *resting, unsigned parts, ct_matrix *out);

/* The friction problem of an island. q: [3 active contacts] free accelerations plus present slip /
 * h; mu: [active contacts] coefficients of friction. */
typedef struct ct_resting_problem {
  ct_friction_problem friction;
  double *q, *mu;
  double *velocities; /* [3 active contacts] relative velocities u at the end of the step, divided
                         by h; at acceleration level, accelerations */
  double scale;       /* largest |q|, m/s^2 */
  double fastest;     /* largest present slip / h divided by the largest free acceleration */
  double strongest;   /* largest coefficient of static friction */
  bool slides;        /* at least one contact slides at present */
} ct_resting_problem;

/* Returns the name of a method in results. */
const char *ct_resting_lcp_word(ct_lcp_method method);
const char *ct_resting_friction_word(ct_friction_method method);

/* Compute the forces without friction, and with friction. Return CT_OK, CT_OUT_OF_MEMORY,
 * CT_CANCELLED or CT_LIMIT. */
ct_status ct_resting_normal(ct_resting *resting);
ct_status ct_resting_friction_solve(ct_resting *resting);

/* Searches for a proof that kinematic or moving bodies press others together, so that no forces can
 * exist, with or without friction. *infeasible: it was found, and the result is infeasible, without
 * forces. Otherwise a result reported as infeasible must be regarded as not converged. q [3 count]
 * as in ct_resting_problem. *raised: the gaps close only by the round-off of q, and q has been
 * raised by it. */
ct_status ct_resting_check_infeasible(ct_resting *resting, double *q, bool *infeasible,
                                      bool *raised);
/* Checks whether the weights y [count] prove infeasibility for any masses (see
 * resting_frictionless.c). *proves: they do, and are stored as the result's certificate. Otherwise
 * the normal accelerations q [parts count] are raised by their round-off. */
ct_status ct_resting_certify(ct_resting *resting, const double *y, double *q, unsigned parts,
                             bool *proves);
bool ct_resting_is_driven(const ct_resting *resting);

/* Largest number of rows of a system of equations that is solved densely: in the refinement by
 * Newton's method, and for equilibrium. */
#define CT_RESTING_DENSE_MAX 510
static_assert(CT_RESTING_CONTACTS_EXACT * 3 == CT_RESTING_DENSE_MAX &&
                  CT_RESTING_BODIES_EXACT * 6 == CT_RESTING_DENSE_MAX,
              "what is said of exact answers");

/* Returns the lower triangular matrix L with L L^T = I^-1 (Cholesky), for a body's inertia I. */
ct_mat3 ct_resting_inertia_factor(const ct_mat3 *inverse_inertia);
/* Assigns block indices 0, 1, ... to the dynamic bodies, and CT_CONE_NO_BLOCK to the others.
 * blocks: [body_count]. Returns the number of dynamic bodies. */
size_t ct_resting_blocks(const ct_contact_set *set, size_t *blocks);
/* Computes the generalised forces on both bodies of a contact's three unit forces, in rows scaled
 * by the roots of masses and inertias. The columns of all contacts form the matrix G with Delassus
 * matrix W = G^T G. Sets the cone's mu to 0. */
void ct_resting_jacobian(const ct_contact_set *set, const ct_contact *contact, const size_t *blocks,
                         ct_cone *lever);
/* Allocates the cones of the contacts and the loads of the bodies in the arena, which the caller
 * must have entered, and fills them. */
ct_status ct_resting_prepare_equilibrium(ct_resting *resting);
/* Finds forces within the cones that balance all bodies, or the nearest ones; those of least norm
 * unless pyramids are used. A second call returns without work. */
ct_status ct_resting_solve_equilibrium(ct_resting *resting);
/* Computes the largest ratio, over all dynamic bodies, of unbalanced load to the norms of loads and
 * contact forces. Returns CT_OK or CT_OUT_OF_MEMORY. */
ct_status ct_resting_balance_margin(const ct_resting *resting, const double *forces,
                                    double *margin);

/* Refines forces near the solution of a friction problem by Newton's method, with each contact
 * open, sticking or sliding. The forces are unchanged if the residual does not decrease. */
ct_status ct_resting_polish(const ct_friction_problem *problem, ct_arena *arena, double *forces,
                            double *residual);

/* Decides whether the island is stable, and writes the proof. Must be called after the forces were
 * written. */
ct_status ct_resting_stability(ct_resting *resting);

#endif
