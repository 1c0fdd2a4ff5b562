/* Shared by the files of resting forces: the island that is being solved, and the steps of its
 * solution. */
#ifndef RESTING_RESTING_PROBLEM_H
#define RESTING_RESTING_PROBLEM_H

#include <contact/resting.h>

#include <assert.h>

#include "friction/cone_active_set.h"
#include "linear/arena.h"

/* What forces may leave over on a body, part of what acts on it, and are still said to hold it: the
 * rounding of contact points and normals, and of sums over some hundred contacts. */
#define CT_RESTING_BALANCE_TOLERANCE 1e-12
/* Rounding of a contact's position, part of its coordinates. */
#define CT_RESTING_ARM_ROUNDOFF 4e-16

/* Friction this near to its limit is at it, relative; slip below this part of the accelerations is
 * none. */
#define CT_RESTING_LIMIT_PART 1e-9
#define CT_RESTING_SLIP_PART 1e-10

/* Components of a force at a contact: along its normal and its two tangents (ct_contact_tangents).
 */
#define CT_RESTING_PARTS 3

/* Which forces within the cones of static friction would hold every body where it is, or how near
 * they come. In the metric of the kinetic energy: what is left over is the acceleration of Gauss'
 * principle. */
typedef struct ct_resting_equilibrium {
  size_t *blocks; /* [body_count] number of each dynamic body; CT_CONE_NO_BLOCK: another */
  size_t count;   /* dynamic bodies */
  ct_cone *cones; /* [active contacts] */
  double *target; /* [6 count] what the forces must add up to: the loads, negative */
  double *rest;   /* [6 count] what is left of it */
  double *forces; /* [3 active contacts] */
  bool known;     /* the two above, and status */
  bool exact;     /* the rest is right to round-off; else to some eight digits */
  ct_cone_fit_status status;
} ct_resting_equilibrium;

typedef struct ct_resting {
  const ct_contact_set *set;
  const ct_resting_options *options;
  ct_arena *arena;
  ct_resting_result *result;
  uint32_t *active; /* [count] contacts that take part: those that do not separate */
  size_t count;
  double *forces;             /* [3 count] normal, two tangents; what a solve leaves */
  ct_resting_equilibrium fit; /* where friction or stability ask for it */
} ct_resting;

/* Unit normal and tangents of a contact, as rows. */
ct_mat3 ct_resting_axes(const ct_contact *contact);

/* A force in the contact's axes as a vector, on b. */
ct_vec3 ct_resting_force(const ct_contact *contact, const double *parts);
/* The coefficient of friction of the cones that bodies are asked to stay by: of pyramids those of
 * the cones that they stand for. */
double ct_resting_strength(const ct_resting *resting, double mu);

/* The system's matrix over the contacts that take part: of normals (parts 1) or of normals and
 * tangents (3). Memory is the arena, at which the caller has entered. */
ct_status ct_resting_matrix(ct_resting *resting, unsigned parts, ct_matrix *out);

/* The friction problem of an island. */
typedef struct ct_resting_problem {
  ct_friction_problem friction;
  double *q, *mu;
  double *velocities; /* [3 active contacts] u, a velocity over the step, or an acceleration */
  double scale;       /* greatest of q */
  double fastest;     /* greatest slip over h, part of the greatest free acceleration */
  double strongest;   /* greatest static friction */
  bool slides;        /* a contact slides now */
} ct_resting_problem;

/* The name of a method. */
const char *ct_resting_lcp_word(ct_lcp_method method);
const char *ct_resting_friction_word(ct_friction_method method);

/* Forces without friction, and with it. CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT. */
ct_status ct_resting_normal(ct_resting *resting);
ct_status ct_resting_friction_solve(ct_resting *resting);

/* Looks for the proof that bodies which move, or are moved, squeeze others, with friction or
 * without: reported then, without forces. Else an island that was reported infeasible has not
 * converged. q [3 count] as of ct_resting_problem. *raised: contacts cannot be kept apart by
 * round-off of q alone, which was raised by it. */
ct_status ct_resting_check_infeasible(ct_resting *resting, double *q, bool *squeezed, bool *raised);
/* Whether y [count] is such a proof, whatever the masses: then it is the result's certificate. Else
 * the normal accelerations q [parts count] are raised by their round-off. */
ct_status ct_resting_certify(ct_resting *resting, const double *y, double *q, unsigned parts,
                             bool *proves);
bool ct_resting_is_driven(const ct_resting *resting);

/* Largest system of equations (rows, columns) that is solved for a last correction, or to see
 * whether forces hold. */
#define CT_RESTING_DENSE_MAX 510
static_assert(CT_RESTING_CONTACTS_EXACT * 3 == CT_RESTING_DENSE_MAX &&
                  CT_RESTING_BODIES_EXACT * 6 == CT_RESTING_DENSE_MAX,
              "what is said of exact answers");

/* L of a body's I^-1 = L L', lower triangular. */
ct_mat3 ct_resting_inertia_factor(const ct_mat3 *inverse_inertia);
/* Numbers of the dynamic bodies, CT_CONE_NO_BLOCK of others: blocks [body_count]; how many. */
size_t ct_resting_blocks(const ct_contact_set *set, size_t *blocks);
/* What a contact's three forces do to its bodies, in rows that are divided by the roots of masses:
 * of all contacts G, with W = G'G. mu is 0. */
void ct_resting_jacobian(const ct_contact_set *set, const ct_contact *contact, const size_t *blocks,
                         ct_cone *lever);
/* Cones and loads of the bodies; taken from the arena, at which the caller has entered. */
ct_status ct_resting_fit_open(ct_resting *resting);
/* Forces within the cones that hold, the shortest ones where contacts are no pyramids; or the best
 * there are. Looked for once. */
ct_status ct_resting_fit_solve(ct_resting *resting);
/* What the forces leave over at the worst body, part of what acts on it. CT_OUT_OF_MEMORY. */
ct_status ct_resting_fit_margin(const ct_resting *resting, const double *forces, double *margin);

/* Takes forces near the answer of a friction problem to it, by Newton's method on the contacts as
 * they stick and slide. Keeps them where that does not come nearer. */
ct_status ct_resting_polish(const ct_friction_problem *problem, ct_arena *arena, double *forces,
                            double *residual);

/* Whether it stays, and the proof. After the result of the forces is written. */
ct_status ct_resting_stability(ct_resting *resting);

#endif
