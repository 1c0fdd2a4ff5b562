/* Friction cones replaced by pyramids with k sides, which yields a linear complementarity problem
 * (LCP). The unknowns of each contact are z = (p, b_1 .. b_k, l): the normal force p, tangential
 * forces b_j >= 0 along k directions d_j, and the slip l. Their conditions are w_n = u_n, w_j = d_j
 * . u + l, w_l = mu p - sum b. Lemke's method solves the LCP if no restitution is involved.
 * Stewart, Trinkle 1996; Anitescu, Potra 1997.
 *
 * An inscribed pyramid permits less friction than the cone, by the factor cos(pi / k), halfway
 * between two directions; a circumscribed one permits more along the directions. Contacts without
 * friction have p alone. Planar contacts have two directions and no error. */
#include "friction/friction.h"

#include "base/trigonometry.h"
#include <contact/lcp.h>

#include <assert.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DIRECTIONS_MIN 4u

/* One unknown of the LCP, that is, one row and column: its contact and the direction of its force.
 * Slips have no force. */
typedef struct basis_vector {
  size_t contact;
  ct_triple push;
  bool slip;
} basis_vector;

typedef struct pyramid {
  const ct_friction_work *w;
  size_t directions, size;
  ct_triple *direction; /* [directions] */
  basis_vector *basis;  /* [size] */
  double *matrix, *q, *z, *slack, *certificate;
  /* ratio of the pyramid's greatest friction along a direction to mu times the normal force */
  double strength;
} pyramid;

static size_t pyramid_rows(const pyramid *p, size_t i) {
  assert(i < p->w->contacts);
  return p->w->mu[i] > 0.0 ? p->directions + 2 : 1;
}

/* Fills the tangential directions. Opposite directions are exact negatives of each other. */
static void fill_pyramid_directions(pyramid *p) {
  assert(p->directions >= 2 && p->directions % 2 == 0);
  size_t k = p->directions, half = k / 2;
  for (size_t j = 0; j < half; j++) {
    ct_sin_cos t = ct_sin_cos_of(2.0 * PI * (double)j / (double)k);
    p->direction[j] = (ct_triple){0.0, t.cosine, t.sine};
    p->direction[j + half] = (ct_triple){0.0, -t.cosine, -t.sine};
  }
}

static void fill_basis_directions(pyramid *p) {
  basis_vector *at = p->basis;
  for (size_t i = 0; i < p->w->contacts; i++) {
    *at++ = (basis_vector){i, {1.0, 0.0, 0.0}, false};
    if (pyramid_rows(p, i) == 1) continue;
    for (size_t j = 0; j < p->directions; j++) *at++ = (basis_vector){i, p->direction[j], false};
    *at++ = (basis_vector){.contact = i, .slip = true};
  }
  assert(at == p->basis + p->size);
}

static double triple_product(ct_triple a, ct_triple b) { return a.n * b.n + a.s * b.s + a.t * b.t; }

/* Fills the matrix entries between the forces of the contact whose rows begin at `first` and the
 * forces of `contact`, whose columns begin at `column`, from the block of W of both contacts. */
static void add_pyramid_block(pyramid *p, size_t first, const ct_block *block, size_t contact,
                              size_t column) {
  for (size_t c = column; c < column + pyramid_rows(p, contact); c++) {
    if (p->basis[c].slip) continue;
    ct_triple moved = ct_block_times(block, p->basis[c].push);
    for (size_t r = first; r < first + pyramid_rows(p, p->basis[first].contact); r++)
      if (!p->basis[r].slip) p->matrix[r * p->size + c] = triple_product(p->basis[r].push, moved);
  }
}

/* Fills the row and the column of a contact's slip. */
static void add_slip_rows(pyramid *p, size_t first, size_t rows, double mu) {
  size_t slip = first + rows - 1;
  p->matrix[slip * p->size + first] = p->strength * mu;
  for (size_t k = first + 1; k < slip; k++) {
    p->matrix[slip * p->size + k] = -1.0;
    p->matrix[k * p->size + slip] = 1.0;
  }
}

static void assemble_pyramid_problem(pyramid *p, const size_t *firsts) {
  const ct_friction_work *w = p->w;
  memset(p->matrix, 0, p->size * p->size * sizeof *p->matrix);
  for (size_t i = 0; i < w->contacts; i++) {
    size_t first = firsts[i], rows = pyramid_rows(p, i);
    add_pyramid_block(p, first, &w->diagonal[i], i, first);
    for (size_t e = w->starts[i]; e < w->starts[i + 1]; e++)
      add_pyramid_block(p, first, &w->blocks[e], w->columns[e], firsts[w->columns[e]]);
    if (rows > 1) add_slip_rows(p, first, rows, w->mu[i]);
    for (size_t k = first; k < first + rows; k++)
      p->q[k] = p->basis[k].slip ? 0.0 : triple_product(p->basis[k].push, w->q[i]);
  }
}

/* Writes the force of each contact, the sum over its unknowns, to w->best, and returns the greatest
 * force size. If the method failed, tangential forces are shortened to be in the pyramid. */
static double gather_pyramid_forces(const pyramid *p, const size_t *firsts) {
  double most = 0.0;
  for (size_t i = 0; i < p->w->contacts; i++) {
    const double *z = p->z + firsts[i];
    ct_triple t = {0.0, 0.0, 0.0};
    double sum = 0.0;
    for (size_t j = 0; pyramid_rows(p, i) > 1 && j < p->directions; j++) {
      t = ct_triple_add(t, ct_triple_scale(p->direction[j], z[j + 1]));
      sum += z[j + 1];
    }
    double limit = p->strength * p->w->mu[i] * z[0], part = sum > limit ? limit / sum : 1.0;
    p->w->best[i] = (ct_triple){z[0], part * t.s, part * t.t};
    most = fmax(most, ct_length2(z[0], ct_length2(t.s, t.t)));
  }
  return most;
}

static bool allocate_pyramids(pyramid *p, ct_arena *arena) {
  size_t n = p->size;
  p->direction = ct_arena_alloc(arena, p->directions, sizeof *p->direction);
  p->basis = ct_arena_alloc(arena, n, sizeof *p->basis);
  p->matrix = ct_arena_alloc_doubles(arena, n * n);
  p->q = ct_arena_alloc_doubles(arena, 4 * n);
  if (!p->direction || !p->basis || !p->matrix || !p->q) return false;
  p->z = p->q + n;
  p->slack = p->z + n;
  p->certificate = p->slack + n;
  return true;
}

static ct_friction_status friction_status_of_lcp(ct_lcp_status status) {
  switch (status) {
  case CT_LCP_STATUS_OK: return CT_FRICTION_STATUS_OK;
  case CT_LCP_STATUS_INFEASIBLE: return CT_FRICTION_STATUS_INFEASIBLE;
  case CT_LCP_STATUS_RAY: return CT_FRICTION_STATUS_RAY;
  case CT_LCP_STATUS_EXHAUSTED:
  case CT_LCP_STATUS_ITERATION_LIMIT: break;
  }
  return CT_FRICTION_STATUS_ITERATION_LIMIT;
}

ct_status ct_friction_polyhedral(ct_friction_work *w, const ct_friction_options *options,
                                 ct_friction_result *result) {
  /* Number of directions and strength of the pyramids, and first row of each contact. */
  size_t wanted = options->directions >= DIRECTIONS_MIN ? options->directions & ~(size_t)1
                                                        : CT_FRICTION_DIRECTIONS;
  pyramid p = {.w = w, .directions = w->dimension == 2 ? 2 : wanted, .strength = 1.0};
  double weakest = ct_sin_cos_of(PI / (double)p.directions).cosine;
  if (w->dimension == 3 && options->circumscribed) p.strength = 1.0 / weakest;
  size_t *firsts = ct_arena_alloc(w->arena, w->contacts, sizeof *firsts);
  if (!firsts) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < w->contacts; i++) {
    firsts[i] = p.size;
    p.size += pyramid_rows(&p, i);
    if (p.size > CT_LCP_DIRECT_MAX) return CT_LIMIT;
  }
  /* Fill the linear complementarity problem. */
  if (!allocate_pyramids(&p, w->arena)) return CT_OUT_OF_MEMORY;
  fill_pyramid_directions(&p);
  fill_basis_directions(&p);
  assemble_pyramid_problem(&p, firsts);
  ct_lcp lcp = {.matrix = {.size = p.size, .dense = p.matrix}, .q = p.q};
  /* Solve it; without friction by method AUTO, which yields the solution of least norm. */
  bool plain = p.size == w->contacts;
  ct_lcp_options lcp_options = {.method = plain ? CT_LCP_AUTO : CT_LCP_LEMKE,
                                .tie = plain ? CT_LCP_TIE_MIN_NORM : CT_LCP_TIE_ANY,
                                .iterations_max = plain ? 0 : options->iterations_max,
                                .cancel = options->cancel};
  ct_lcp_result answer = {.z = p.z, .w = p.slack, .certificate = p.certificate};
  ct_status status = ct_lcp_solve(&lcp, &lcp_options, w->arena, &answer);
  if (status != CT_OK) return status;
  /* Write the forces and the result. */
  double size = fmin(gather_pyramid_forces(&p, firsts), w->size_max);
  result->method = CT_FRICTION_POLYHEDRAL;
  result->status = friction_status_of_lcp(answer.status);
  result->residual = answer.residual > 0.0 ? (size > 0.0 ? answer.residual / size : 1.0) : 0.0;
  result->converged = result->status == CT_FRICTION_STATUS_OK && result->residual <= w->tolerance;
  result->cone_error = w->dimension == 3 && !plain ? 1.0 - weakest : 0.0;
  result->iterations = answer.iterations;
  w->certificate = plain && answer.status == CT_LCP_STATUS_INFEASIBLE ? p.certificate : NULL;
  return CT_OK;
}
