/* Shared by the files of resting forces: the island to solve, and the steps of its solution. */
#ifndef RESTING_RESTING_PROBLEM_H
#define RESTING_RESTING_PROBLEM_H

#include <contact/resting.h>

#include <assert.h>

#include "friction/cone_active_set.h"
#include "linear/arena.h"

/* Forces balance a body if the unbalanced load is at most this part of the loads and forces on it:
 * the round-off of contact points and normals, and of sums over some hundred contacts. */
#define CT_RESTING_BALANCE_TOLERANCE 1e-12
/* Round-off of a contact's position, relative to its coordinates. */
#define CT_RESTING_ARM_ROUNDOFF 4e-16

/* Friction within this relative distance of its limit is at the limit. Slip below this part of the
 * accelerations counts as none. */
#define CT_RESTING_LIMIT_PART 1e-9
#define CT_RESTING_SLIP_PART 1e-10

/* Components of a force at a contact: along its normal and its two tangents (ct_contact_tangents).
 */
#define CT_RESTING_PARTS 3

/* Forces within the cones of static friction that balance every body, or come nearest to it. The
 * metric is the kinetic energy: the unbalanced load is the acceleration of Gauss' principle. */
typedef struct ct_resting_equilibrium {
  size_t *blocks; /* [body_count] number of each dynamic body; CT_CONE_NO_BLOCK for the others */
  size_t count;   /* dynamic bodies */
  ct_cone *cones; /* [active contacts] */
  double *target; /* [6 count] required sum of the contact forces: the negative loads */
  double *rest;   /* [6 count] target less the sum of the forces */
  double *forces; /* [3 active contacts] */
  bool known;     /* `rest`, `forces` and `status` are computed */
  bool exact;     /* the rest is accurate to round-off; else to about eight digits */
  ct_cone_fit_status status;
} ct_resting_equilibrium;

typedef struct ct_resting {
  const ct_contact_set *set;
  const ct_resting_options *options;
  ct_arena *arena;
  ct_resting_result *result;
  uint32_t *active; /* [count] contacts that take part: those that do not separate */
  size_t count;
  double *forces;                     /* [3 count] normal and two tangential forces: the solution */
  ct_resting_equilibrium equilibrium; /* used by friction and stability */
} ct_resting;

/* Unit normal and tangents of a contact, as rows. */
ct_mat3 ct_resting_axes(const ct_contact *contact);

/* A force in the contact's axes as a vector, on b. */
ct_vec3 ct_resting_force(const ct_contact *contact, const double *parts);
/* Coefficient of friction of the cones used for equilibrium; for pyramids, of the cones that they
 * approximate. */
double ct_resting_strength(const ct_resting *resting, double mu);

/* The matrix over the contacts that take part: of normals (parts 1) or of normals and tangents
 * (3). Its memory is the arena's; the caller has entered it. */
ct_status ct_resting_matrix(ct_resting *resting, unsigned parts, ct_matrix *out);

/* The friction problem of an island. */
typedef struct ct_resting_problem {
  ct_friction_problem friction;
  double *q, *mu;
  double *velocities; /* [3 active contacts] u: a velocity over the step, or an acceleration */
  double scale;       /* greatest |q| */
  double fastest;     /* greatest slip / h, relative to the greatest free acceleration */
  double strongest;   /* greatest static friction */
  bool slides;        /* at least one contact slides at present */
} ct_resting_problem;

/* The name of a method. */
const char *ct_resting_lcp_word(ct_lcp_method method);
const char *ct_resting_friction_word(ct_friction_method method);

/* Computes the forces without friction; with friction. Return CT_OUT_OF_MEMORY, CT_CANCELLED,
 * CT_LIMIT. */
ct_status ct_resting_normal(ct_resting *resting);
ct_status ct_resting_friction_solve(ct_resting *resting);

/* Searches for the proof that kinematic or moving bodies press others together, with or without
 * friction. If it is found, the result is infeasible, without forces; otherwise an island reported
 * as infeasible has not converged. q [3 count] as in ct_resting_problem. *raised: gaps close only
 * by round-off of q, and q has been raised by it. */
ct_status ct_resting_check_infeasible(ct_resting *resting, double *q, bool *infeasible,
                                      bool *raised);
/* Checks that y [count] is such a proof for any masses, and stores it as the result's certificate.
 * Otherwise raises the normal accelerations q [parts count] by their round-off. */
ct_status ct_resting_certify(ct_resting *resting, const double *y, double *q, unsigned parts,
                             bool *proves);
bool ct_resting_is_driven(const ct_resting *resting);

/* Greatest size (rows, columns) of a system of equations solved densely: for the final refinement
 * and for equilibrium. */
#define CT_RESTING_DENSE_MAX 510
static_assert(CT_RESTING_CONTACTS_EXACT * 3 == CT_RESTING_DENSE_MAX &&
                  CT_RESTING_BODIES_EXACT * 6 == CT_RESTING_DENSE_MAX,
              "what is said of exact answers");

/* Lower triangular L of a body's I^-1 = L L'. */
ct_mat3 ct_resting_inertia_factor(const ct_mat3 *inverse_inertia);
/* Numbers the dynamic bodies in blocks [body_count]; others get CT_CONE_NO_BLOCK. Returns the
 * number of dynamic bodies. */
size_t ct_resting_blocks(const ct_contact_set *set, size_t *blocks);
/* Generalised forces of a contact's three unit forces, in rows scaled by the roots of masses. The
 * columns of all contacts form G, with W = G'G. Sets mu to 0. */
void ct_resting_jacobian(const ct_contact_set *set, const ct_contact *contact, const size_t *blocks,
                         ct_cone *lever);
/* Prepares the cones of the contacts and the loads of the bodies in the arena, which the caller
 * has entered. */
ct_status ct_resting_prepare_equilibrium(ct_resting *resting);
/* Finds forces within the cones that balance all bodies, or come nearest; the shortest ones unless
 * pyramids are used. Solved at most once. */
ct_status ct_resting_solve_equilibrium(ct_resting *resting);
/* Greatest unbalanced part of the load over all bodies. Returns CT_OUT_OF_MEMORY. */
ct_status ct_resting_balance_margin(const ct_resting *resting, const double *forces,
                                    double *margin);

/* Refines forces near a solution of a friction problem by Newton's method, with each contact open,
 * sticking or sliding. Keeps the given forces if the residual does not fall. */
ct_status ct_resting_polish(const ct_friction_problem *problem, ct_arena *arena, double *forces,
                            double *residual);

/* Decides whether the island is stable, with proof. Called after the forces are written. */
ct_status ct_resting_stability(ct_resting *resting);

#endif
