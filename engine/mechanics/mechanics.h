/* Shared by the files of this folder and solvers: round-off of rates of gaps, proofs of
 * infeasibility, and the Delassus matrix of many contacts. */
#ifndef MECHANICS_MECHANICS_H
#define MECHANICS_MECHANICS_H

#include <contact/lcp.h>
#include <contact/mechanics.h>

/* True if each contact has a nonzero normal and refers to two different bodies of the set. */
bool ct_contact_set_stands(const ct_contact_set *set);

/* ---- motion of a contact --------------------------------------------------------------------- */

/* Sets *velocity to the velocity at which the point of contact moves in space, in the tangent plane
 * and with the body there along the normal, m/s: a material point of the body plus the motion of
 * the closest point over its surface. False, and *velocity is unset: two faces, or two lines, on
 * which the point is not determined by the surfaces at it. A line on a face moves with its body.
 * O(1) */
bool ct_contact_travel(const ct_contact_set *set, const ct_contact *contact, ct_vec3 *velocity);

/* ---- rates and proofs ------------------------------------------------------------------------ */

/* Bound of the round-off of a velocity or acceleration along a normal, relative to the sum of its
 * terms' magnitudes: covers normals, positions and some ten operations. */
#define CT_RATE_ROUNDOFF (32.0 * CT_UNIT_ROUNDOFF)

/* Rate of the gaps that a proof of infeasibility uses. */
typedef enum ct_rate { CT_RATE_VELOCITY, CT_RATE_ACCELERATION } ct_rate;

/* Returns an upper bound of the round-off in the velocity, or acceleration without contact forces,
 * of a contact's gap; m/s or m/s^2. */
double ct_contact_rate_roundoff(const ct_contact_set *set, const ct_contact *contact, ct_rate rate);

/* Tests whether y >= 0 [set->count] may be a Farkas proof, for any masses, that no impulses or
 * forces separate the contacts. Impulses y along the normals must add up to zero on every dynamic
 * body to round-off, so that no motion of these bodies changes y'(rates of the gaps). Then *margin
 * is the bound of the round-off of y'(rates), and y is a proof if y'(rates) < -*margin. If they do
 * not add up to zero, *margin is INFINITY. Returns CT_OUT_OF_MEMORY. */
ct_status ct_normals_margin(const ct_contact_set *set, const double *y, ct_rate rate,
                            ct_arena *arena, double *margin);

/* True if the solver ended without a solution, in a way that permits infeasibility. Its certificate
 * may then be a proof; it is unchanged (0 if the caller zeroed it) if none was found. The solver
 * itself rejects a certificate that is not a proof in exact arithmetic for the rounded M. */
static inline bool ct_lcp_may_be_infeasible(const ct_lcp_result *solved) {
  return solved->status == CT_LCP_STATUS_INFEASIBLE || solved->status == CT_LCP_STATUS_EXHAUSTED ||
         solved->status == CT_LCP_STATUS_RAY;
}

/* ---- many contacts --------------------------------------------------------------------------- */

/* Coupling of a set's contacts: the contacts that share a dynamic body with contact i, including i
 * itself, are others[starts[i]] to others[starts[i + 1] - 1], ascending. Memory: 4 bytes for each
 * coupling; n^2 only if all contacts share one body. */
typedef struct ct_contact_graph {
  size_t count;
  size_t *starts;   /* [count + 1] */
  uint32_t *others; /* [starts[count]] */
} ct_contact_graph;

/* Computes the couplings in time proportional to their number. CT_LIMIT: more than
 * CT_DELASSUS_BLOCKS_MAX. CT_OUT_OF_MEMORY. */
ct_status ct_contact_graph_open(ct_contact_graph *graph, const ct_contact_set *set);
void ct_contact_graph_close(ct_contact_graph *graph);

/* The Delassus matrix in sparse rows, and the arrays that it refers to. */
typedef struct ct_delassus_matrix {
  ct_matrix matrix;
  size_t *starts;
  uint32_t *columns;
  double *values;
} ct_delassus_matrix;

/* Assembles the Delassus matrix. dimension 1: for the normals alone, A_ij = n_i.K(i, j) n_j with
 * the block K of ct_delassus_block; row i is contact i. dimension 3: in each contact's frame
 * (normal, t1, t2) of ct_contact_tangents; contact i has the rows 3 i to 3 i + 2. dimension 2:
 * normal and t1. The matrix is exactly symmetric; entries equal ct_delassus_along to round-off.
 * Time proportional to the number of couplings. Returns CT_OUT_OF_MEMORY. */
ct_status ct_delassus_matrix_open(ct_delassus_matrix *matrix, const ct_contact_set *set,
                                  const ct_contact_graph *graph, unsigned dimension);
void ct_delassus_matrix_close(ct_delassus_matrix *matrix);

#endif
