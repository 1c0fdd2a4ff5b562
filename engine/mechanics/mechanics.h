/* Shared in this folder and by solvers: round-off of rates, proofs of infeasibility, and the
 * Delassus matrix of many contacts. */
#ifndef MECHANICS_MECHANICS_H
#define MECHANICS_MECHANICS_H

#include <contact/lcp.h>
#include <contact/mechanics.h>

/* True if each contact has a normal and two different bodies of the set. */
bool ct_contact_set_stands(const ct_contact_set *set);

/* ---- rates and proofs ----------------------------------------------------------------------- */

/* Round-off of velocities and accelerations along normals, relative to the numbers that make them:
 * normals, places and some ten operations. */
#define CT_RATE_ROUNDOFF (32.0 * CT_UNIT_ROUNDOFF)

/* Which rate of the gaps a proof is about. */
typedef enum ct_rate { CT_RATE_VELOCITY, CT_RATE_ACCELERATION } ct_rate;

/* Bound of the round-off in the velocity, or free acceleration, of a contact's gap; m/s or m/s^2.
 */
double ct_contact_rate_roundoff(const ct_contact_set *set, const ct_contact *contact, ct_rate rate);

/* y >= 0 [set->count] proves what a Farkas vector of the contact system does, whatever the masses:
 * no impulses, or forces, keep the contacts apart. For that y along the normals adds up to nothing
 * on every dynamic body but for rounding, so no motion of these bodies answers to it, and y'(rates
 * of the gaps) < -*margin: more than round-off of the rates makes of it. INFINITY: it does not add
 * up to nothing. CT_OUT_OF_MEMORY. */
ct_status ct_normals_margin(const ct_contact_set *set, const double *y, ct_rate rate,
                            ct_arena *arena, double *margin);

/* Did the solver end without a solution, as where there is none? The certificate then is a vector
 * that may prove it (0 where it was before and none was found): round-off of M makes solvers
 * discard it. */
static inline bool ct_lcp_may_have_none(const ct_lcp_result *solved) {
  return solved->status == CT_LCP_STATUS_INFEASIBLE || solved->status == CT_LCP_STATUS_EXHAUSTED ||
         solved->status == CT_LCP_STATUS_RAY;
}

/* ---- many contacts -------------------------------------------------------------------------- */

/* Which contacts of a set answer to which: those that share a dynamic body with contact i, itself
 * always among them, are others[starts[i]] .. others[starts[i + 1] - 1], ascending. Memory: 4 bytes
 * for each, never n^2 but where all share one body. */
typedef struct ct_contact_graph {
  size_t count;
  size_t *starts;   /* [count + 1] */
  uint32_t *others; /* [starts[count]] */
} ct_contact_graph;

/* CT_LIMIT: more than CT_DELASSUS_BLOCKS_MAX in all. CT_OUT_OF_MEMORY. O(couplings). */
ct_status ct_contact_graph_open(ct_contact_graph *graph, const ct_contact_set *set);
void ct_contact_graph_close(ct_contact_graph *graph);

/* The matrix of the contact system as solvers take it, by rows of what is not zero, and the memory
 * that it stands on. */
typedef struct ct_delassus_matrix {
  ct_matrix matrix;
  size_t *starts;
  uint32_t *columns;
  double *values;
} ct_delassus_matrix;

/* dimension 1: A of the normals alone, A_ij = n_i.K(i, j) n_j: row i is contact i. dimension 3: W
 * in each contact's own frame (normal, t1, t2) of ct_contact_tangents: rows 3 i, 3 i + 1, 3 i + 2.
 * dimension 2: the tangents are left out but for t1. Symmetric, bit for bit; the entries are those
 * of ct_delassus_along but for round-off. CT_OUT_OF_MEMORY. O(couplings). */
ct_status ct_delassus_matrix_open(ct_delassus_matrix *matrix, const ct_contact_set *set,
                                  const ct_contact_graph *graph, unsigned dimension);
void ct_delassus_matrix_close(ct_delassus_matrix *matrix);

#endif
