/* Contacts of a set resolved at once: the scaled system and proofs that it is infeasible. */
#ifndef IMPULSE_IMPULSE_SIMULTANEOUS_H
#define IMPULSE_IMPULSE_SIMULTANEOUS_H

#include "impulse/impulse.h"
#include "mechanics/mechanics.h"
#include <contact/friction.h>
#include <contact/lcp.h>

/* Rows are dimension count: 1, normals alone, or 3, each contact's frame. The matrix and velocities
 * are brought to the order of 1 by powers of two; impulses here times 2^exponent are those of the
 * world. */
typedef struct ct_impulse_many {
  ct_impulse_work *work;
  unsigned dimension;
  size_t count, rows;
  const ct_matrix *matrix;
  ct_friction_bodies bodies; /* what the matrix is made of; no levers: not wanted */
  const double *mu;    /* [count] the one coefficient of a contact: static where it does not slip
                          before, else dynamic */
  const double *e;     /* [count] restitution in force */
  const double *u;     /* [rows] velocities before */
  const double *floor; /* [count] what a normal velocity may be: 0, or, of an approach too slow to
                          count, that approach */
  double unit;         /* velocities here are those of the world times this power of two */
  int exponent;
} ct_impulse_many;

/* What a solver said. */
typedef struct ct_impulse_phase {
  bool converged;
  bool none; /* there is no solution, and that is proven */
  double residual;
  uint64_t iterations;
} ct_impulse_phase;

/* Whether normal velocities alone, q of the rows, ask for what no impulses give: proven by
 * `certificate` [count], which may be NULL. It holds with friction too: the proof y >= 0, G y <= 0,
 * is of a positive semidefinite G, so G y = 0, tangential rows and all. Of more contacts than
 * CT_LCP_DIRECT_MAX it is not looked for. What round-off of q alone asks for is no contradiction: q
 * is raised by it then. *doubt: even so no impulses were found, and no proof. */
ct_status ct_impulse_prove_infeasible(const ct_impulse_many *many, double *q, double *certificate,
                                      bool *none, bool *doubt);

/* Whether y [count] is such a proof; else q is raised by its round-off. */
ct_status ct_impulse_certify(const ct_impulse_many *many, const double *y, double *q, bool *none);

/* The same of plastic impulses, reported: by bodies whose motion is prescribed. */
ct_status ct_impulse_check_infeasible(const ct_impulse_many *many, bool *none);

#endif
