/* Contacts of a set resolved simultaneously: the scaled system, and proofs that it is infeasible.
 */
#ifndef IMPULSE_IMPULSE_SIMULTANEOUS_H
#define IMPULSE_IMPULSE_SIMULTANEOUS_H

#include "impulse/impulse.h"
#include "mechanics/mechanics.h"
#include <contact/friction.h>
#include <contact/lcp.h>

/* The system of all contacts. It has dimension * count rows: dimension 1 for normals alone, 3 for
 * each contact's frame. Matrix and velocities are scaled to the order of 1 by powers of two; world
 * impulses are those here times 2^exponent. */
typedef struct ct_impulse_many {
  ct_impulse_work *work;
  unsigned dimension;
  size_t count, rows;
  const ct_matrix *matrix;
  ct_friction_bodies bodies; /* factors of the matrix; without levers if not needed */
  /* [count] coefficient of friction: static without slip before the impact, else dynamic */
  const double *mu;
  const double *e;     /* [count] restitution in force */
  const double *u;     /* [rows] velocities before */
  const double *floor; /* [count] least normal velocity: 0, or the present one of an approach below
                          the tolerance */
  double unit;         /* power of two that world velocities are multiplied by */
  int exponent;
} ct_impulse_many;

/* Result of one phase. */
typedef struct ct_impulse_phase {
  bool converged;
  bool infeasible; /* proven to have no solution */
  double residual;
  uint64_t iterations;
} ct_impulse_phase;

/* Searches for a proof that no impulses give the normal velocities that q [rows] requires:
 * `certificate` [count], may be NULL. The proof is also valid with friction: for y >= 0 with G y
 * <= 0 and a positive semidefinite G, G y = 0 including the tangential rows. Not searched for more
 * than CT_LCP_DIRECT_MAX contacts. Round-off of q alone is no contradiction; q is raised by it
 * instead. *undecided: neither impulses nor a proof were found. */
ct_status ct_impulse_prove_infeasible(const ct_impulse_many *many, double *q, double *certificate,
                                      bool *infeasible, bool *undecided);

/* Checks that y [count] is such a proof. Otherwise raises q by its round-off. */
ct_status ct_impulse_certify(const ct_impulse_many *many, const double *y, double *q,
                             bool *infeasible);

/* Searches for the proof for plastic impulses, and reports it: kinematic bodies press others
 * together. */
ct_status ct_impulse_check_infeasible(const ct_impulse_many *many, bool *infeasible);

#endif
