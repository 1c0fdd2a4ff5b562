/* Simultaneous resolution of the contacts of a set: the scaled system of all contacts, and proofs
 * that it is infeasible. */
#ifndef IMPULSE_IMPULSE_SIMULTANEOUS_H
#define IMPULSE_IMPULSE_SIMULTANEOUS_H

#include "impulse/impulse.h"
#include "mechanics/mechanics.h"
#include <contact/friction.h>
#include <contact/lcp.h>

/* The system of all contacts. It has dimension * count rows: dimension 1 for normal impulses alone,
 * 3 for impulses in each contact's frame. Matrix and velocities are scaled to the order of 1 by
 * powers of two. An impulse of the system times 2^exponent is the impulse in N s. */
typedef struct ct_impulse_many {
  ct_impulse_work *work;
  unsigned dimension;
  size_t count, rows;
  const ct_matrix *matrix;
  ct_friction_bodies bodies; /* Jacobians of the contacts, for solvers that use the factors of the
                                matrix; `levers` is NULL for dimension 1 */
  /* [count] coefficient of friction: the static one if the contact does not slip before the impact,
   * else the dynamic one */
  const double *mu;
  const double *e;     /* [count] coefficient of restitution used */
  const double *u;     /* [rows] relative velocities before the impact, scaled */
  const double *floor; /* [count] least normal velocity required after the impact: 0, or the present
                          one if it is an approach below the tolerance or both bodies are
                          immovable */
  double unit;         /* power of two: a scaled velocity is `unit` times the velocity in m/s */
  int exponent;
} ct_impulse_many;

/* Result of one phase: of compression, or of restitution. */
typedef struct ct_impulse_phase {
  bool converged;
  bool infeasible; /* no impulses satisfy the requirements, which is proven */
  double residual;
  uint64_t iterations;
} ct_impulse_phase;

/* Searches for a proof that no impulses give the contacts normal velocities >= 0 from q [rows], the
 * velocities before minus those required. On success sets *infeasible and writes the Farkas vector
 * y to `certificate` [count], which may be NULL. The proof is also valid with friction: for y >= 0
 * with G y <= 0 and a positive semidefinite matrix G, G y = 0 including the tangential rows. No
 * search is made for more than CT_LCP_DIRECT_MAX contacts. A violation within round-off is no
 * proof; q is then increased by its round-off. *undecided: neither a proof nor a solution was
 * found. */
ct_status ct_impulse_prove_infeasible(const ct_impulse_many *many, double *q, double *certificate,
                                      bool *infeasible, bool *undecided);

/* Sets *infeasible to whether y [count] is a proof in the sense of ct_impulse_prove_infeasible. If
 * it is not, increases the normal entries of q by their round-off. */
ct_status ct_impulse_certify(const ct_impulse_many *many, const double *y, double *q,
                             bool *infeasible);

/* Searches for a proof that the set has no plastic impulses, because kinematic bodies press others
 * together, and reports it in work->reported. */
ct_status ct_impulse_check_infeasible(const ct_impulse_many *many, bool *infeasible);

#endif
