/* Shared in this folder and by solvers: round-off of rates, proofs of infeasibility, and the
 * Delassus matrix of many contacts. */
#ifndef MECHANICS_MECHANICS_H
#define MECHANICS_MECHANICS_H

#include <contact/lcp.h>
#include <contact/mechanics.h>

/* True if each contact has a normal and two different bodies of the set. */
bool ct_contact_set_stands(const ct_contact_set *set);

/* ---- rates and proofs ------------------------------------------------------------------------ */

/* Round-off of velocities and accelerations along normals, relative to their terms: normals,
 * positions and some ten operations. */
#define CT_RATE_ROUNDOFF (32.0 * CT_UNIT_ROUNDOFF)

/* The rate of the gaps used in a proof. */
typedef enum ct_rate { CT_RATE_VELOCITY, CT_RATE_ACCELERATION } ct_rate;

/* Bound of the round-off in the velocity, or free acceleration, of a contact's gap; m/s or m/s^2.
 */
double ct_contact_rate_roundoff(const ct_contact_set *set, const ct_contact *contact, ct_rate rate);

/* Tests whether y >= 0 [set->count] is a Farkas proof for any masses: no impulses, or forces,
 * separate the contacts. Impulses y along the normals must add up to zero on every dynamic body to
 * round-off, so that no motion of these bodies changes y'(rates of the gaps). y is a proof if
 * y'(rates) < -*margin, the bound of their round-off. *margin is INFINITY if the impulses do not
 * add up to zero. Returns CT_OUT_OF_MEMORY. */
ct_status ct_normals_margin(const ct_contact_set *set, const double *y, ct_rate rate,
                            ct_arena *arena, double *margin);

/* True if the solver ended without a solution in a way that permits infeasibility. The certificate
 * then may be a proof (0 if the caller zeroed it and none was found). Solvers discard it if it is
 * not exact under round-off of M. */
static inline bool ct_lcp_may_be_infeasible(const ct_lcp_result *solved) {
  return solved->status == CT_LCP_STATUS_INFEASIBLE || solved->status == CT_LCP_STATUS_EXHAUSTED ||
         solved->status == CT_LCP_STATUS_RAY;
}

/* ---- many contacts --------------------------------------------------------------------------- */

/* Coupling of a set's contacts: those that share a dynamic body with contact i, including i
 * itself, are others[starts[i]] .. others[starts[i + 1] - 1], ascending. Memory: 4 bytes for each;
 * n^2 only if all share one body. */
typedef struct ct_contact_graph {
  size_t count;
  size_t *starts;   /* [count + 1] */
  uint32_t *others; /* [starts[count]] */
} ct_contact_graph;

/* Returns CT_LIMIT for more than CT_DELASSUS_BLOCKS_MAX couplings, CT_OUT_OF_MEMORY. O(couplings).
 */
ct_status ct_contact_graph_open(ct_contact_graph *graph, const ct_contact_set *set);
void ct_contact_graph_close(ct_contact_graph *graph);

/* The matrix of the contact system in sparse rows, and its memory. */
typedef struct ct_delassus_matrix {
  ct_matrix matrix;
  size_t *starts;
  uint32_t *columns;
  double *values;
} ct_delassus_matrix;

/* Assembles the matrix. dimension 1: A of the normals, A_ij = n_i.K(i, j) n_j; row i is contact i.
 * dimension 3: W in each contact's frame (normal, t1, t2) of ct_contact_tangents; rows 3 i, 3 i +
 * 1, 3 i + 2. dimension 2: normal and t1. Exactly symmetric; entries differ from ct_delassus_along
 * by round-off. Returns CT_OUT_OF_MEMORY. O(couplings). */
ct_status ct_delassus_matrix_open(ct_delassus_matrix *matrix, const ct_contact_set *set,
                                  const ct_contact_graph *graph, unsigned dimension);
void ct_delassus_matrix_close(ct_delassus_matrix *matrix);

#endif
