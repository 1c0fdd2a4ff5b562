/* Searches for a proof that no impulses separate the contacts, with friction or without, because
 * kinematic bodies press others together. The proof is a Farkas vector: one weight per contact. */
#include "impulse/impulse_simultaneous.h"
#include "linear/arena.h"
#include "linear/matrix.h"

#include <assert.h>
#include <string.h>

bool ct_impulse_any_driven(const ct_contact_set *set) {
  for (size_t i = 0; i < set->body_count; i++)
    if (set->bodies[i].mobility == CT_KINEMATIC) return true;
  return false;
}

/* Copies the normal rows and columns of the system's matrix to a dense matrix, and the normal
 * entries of q to `normals`. */
static void gather_normals(const ct_impulse_many *many, const double *q, double *dense,
                           double *normals) {
  const ct_matrix *m = many->matrix;
  size_t n = many->count, d = many->dimension;
  memset(dense, 0, n * n * sizeof *dense);
  for (size_t i = 0; i < n; i++) {
    normals[i] = q[d * i];
    for (size_t e = m->starts[d * i]; e < m->starts[d * i + 1]; e++)
      if (m->columns[e] % d == 0) dense[i * n + m->columns[e] / d] = m->values[e];
  }
}

ct_status ct_impulse_certify(const ct_impulse_many *many, const double *y, double *q,
                             bool *infeasible) {
  double closing = 0.0, margin;
  ct_status status =
      ct_normals_margin(many->work->set, y, CT_RATE_VELOCITY, many->work->arena, &margin);
  for (size_t i = 0; i < many->count; i++) closing -= y[i] * q[i * many->dimension];
  *infeasible = status == CT_OK && closing > margin * many->unit;
  for (size_t i = 0; status == CT_OK && !*infeasible && i < many->count; i++)
    q[i * many->dimension] +=
        many->unit *
        ct_contact_rate_roundoff(many->work->set, &many->work->set->contacts[i], CT_RATE_VELOCITY);
  return status;
}

ct_status ct_impulse_prove_infeasible(const ct_impulse_many *many, double *q, double *certificate,
                                      bool *infeasible, bool *undecided) {
  assert(many->dimension == 1 || many->dimension == 3);
  assert(many->rows == many->dimension * many->count);
  size_t n = many->count;
  ct_arena *arena = many->work->arena;
  *infeasible = *undecided = false;
  if (n > CT_LCP_DIRECT_MAX) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(arena);
  double *dense = ct_arena_alloc_doubles(arena, n * n),
         *vectors = ct_arena_alloc_doubles(arena, 4 * n);
  ct_status status = dense && vectors ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    ct_lcp problem = {{.size = n, .dense = dense}, vectors};
    ct_lcp_options options = {.tie = CT_LCP_TIE_ANY, .cancel = many->work->options->cancel};
    ct_lcp_result solved = {.z = vectors + n, .w = vectors + 2 * n, .certificate = vectors + 3 * n};
    bool open = true;
    /* If the vector proves only round-off, ct_impulse_certify has removed the round-off from q: try
     * once more, as the set may still be infeasible. */
    for (int pass = 0; pass < 2 && open; pass++) {
      gather_normals(many, q, dense, vectors);
      memset(solved.certificate, 0, n * sizeof *solved.certificate);
      status = ct_lcp_solve(&problem, &options, arena, &solved);
      bool claimed = status == CT_OK && ct_lcp_may_be_infeasible(&solved);
      if (claimed) status = ct_impulse_certify(many, solved.certificate, q, infeasible);
      open = status == CT_OK && claimed && !*infeasible;
    }
    *undecided = open;
    if (*infeasible && certificate)
      memcpy(certificate, solved.certificate, n * sizeof *certificate);
  }
  ct_arena_leave(arena, mark);
  return status;
}

ct_status ct_impulse_check_infeasible(const ct_impulse_many *many, bool *infeasible) {
  ct_impulse_work *work = many->work;
  ct_arena_mark mark = ct_arena_enter(work->arena);
  double *q = ct_arena_alloc_doubles(work->arena, many->rows);
  ct_status status = q ? CT_OK : CT_OUT_OF_MEMORY;
  if (q) {
    memcpy(q, many->u, many->rows * sizeof *q);
    for (size_t i = 0; i < many->count; i++) q[i * many->dimension] -= many->floor[i];
    bool undecided;
    status =
        ct_impulse_prove_infeasible(many, q, work->reported.certificate, infeasible, &undecided);
  }
  ct_arena_leave(work->arena, mark);
  if (status != CT_OK || !*infeasible) return status;
  work->reported.contradictory = true;
  if (work->options->energy_guard) work->reported.guard = CT_GUARD_SKIPPED_KINEMATIC;
  work->reported.guard_theta = 1.0;
  return CT_OK;
}
