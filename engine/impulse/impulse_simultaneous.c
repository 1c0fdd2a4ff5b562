/* Impulses of a set of contacts, resolved simultaneously (Baraff 1994; Anitescu, Potra 1997).
 *
 * NEWTON: each approaching contact separates at e times its approach velocity. If that is
 * infeasible, as for bodies between walls, restitution is dropped. POISSON: compression without
 * restitution, then restitution with normal impulses of at least e times those of compression, or
 * more where the bodies would still approach. Without friction both are linear complementarity
 * problems, with friction problems with friction cones. If the impulses increase the energy, the
 * energy guard moves them towards the plastic impulses (those without restitution), which never
 * increase it.
 *
 * Poisson's restitution with friction: a contact has the normal impulse c + s, where c = e times
 * that of compression and s >= 0 is unknown. Its tangential impulse is bounded by |r_t| <= mu (c +
 * s), which is the sum of the cone of s and a disc of radius mu c. A disc is a cone whose normal
 * impulse is fixed at c by an equation that is coupled to nothing else. Each contact with c > 0 is
 * therefore listed twice, as a cone and as a disc, and the friction solver needs no change.
 *
 * Infeasible sets: a Farkas vector, one weight per contact, proves that no impulses separate the
 * contacts, with friction or without, because kinematic bodies press others together. */
#include "impulse/impulse_simultaneous.h"
#include "linear/arena.h"
#include "linear/matrix.h"
#include "resting/resting_problem.h"

#include <assert.h>
#include <string.h>

/* A contact whose slip after the impact is at most this fraction of the greatest velocity before
 * counts as sticking: the rest is the solver's residual. */
#define STICK_PART 1e-7
/* Residual up to which a solution with friction is not refined, and greatest number of rows that is
 * refined, as the refinement uses a dense matrix. */
#define POLISHED 1e-13
#define POLISH_ROWS_MAX 240
/* Greatest number of contacts for which feasibility is tested before a problem with friction is
 * solved. */
#define FEASIBILITY_TEST_MAX 256
/* Normal impulses up to this fraction of the greatest are round-off. */
#define ROUNDOFF_PART 0x1p-46

/* ---- one phase: compression or restitution --------------------------------------------------- */

static ct_status solve_normal_phase(const ct_impulse_many *many, double *q, double *p,
                                    ct_impulse_phase *phase) {
  const ct_impulse_options *o = many->work->options;
  double *w = ct_arena_alloc_doubles(many->work->arena, 2 * many->rows);
  if (!w) return CT_OUT_OF_MEMORY;
  ct_lcp problem = {*many->matrix, q};
  ct_lcp_options options = {
      .tolerance = o->tolerance, .iterations_max = o->iterations_max, .cancel = o->cancel};
  ct_lcp_result solved = {.z = p, .w = w, .certificate = w + many->rows};
  ct_status status = CT_OK;
  bool infeasible = false, open = true;
  for (int pass = 0; pass < 3 && open; pass++) {
    memset(solved.certificate, 0, many->rows * sizeof *solved.certificate);
    status = ct_lcp_solve(&problem, &options, many->work->arena, &solved);
    open = status == CT_OK && pass < 2 && ct_lcp_may_be_infeasible(&solved);
    if (open) status = ct_impulse_certify(many, solved.certificate, q, &infeasible);
    open = open && status == CT_OK && !infeasible;
  }
  if (status == CT_OK)
    *phase = (ct_impulse_phase){solved.converged, infeasible, solved.residual, solved.iterations};
  return status;
}

/* Sets impulses that the refinement leaves at open contacts, which are round-off, to zero. */
static void clear_roundoff(size_t rows, double *r) {
  double most = 0.0;
  for (size_t row = 0; row < rows; row += 3) most = ct_max2(most, r[row]);
  for (size_t row = 0; row < rows; row += 3)
    if (r[row] <= ROUNDOFF_PART * most) r[row] = r[row + 1] = r[row + 2] = 0.0;
}

/* Solves a problem with friction cones: impulses r [rows of the problem], in the units of the
 * system. Small problems are refined to the last digits. */
static ct_status solve_cones(const ct_impulse_many *many, const ct_friction_problem *problem,
                             double *r, ct_impulse_phase *phase) {
  assert(problem->dimension == 3);
  const ct_impulse_options *o = many->work->options;
  double *u = ct_arena_alloc_doubles(many->work->arena, problem->matrix.size);
  if (!u) return CT_OUT_OF_MEMORY;
  bool whole = many->bodies.levers && problem->matrix.values == many->matrix->values;
  ct_friction_options options = {.tolerance = o->tolerance,
                                 .iterations_max = o->iterations_max,
                                 .bodies = whole ? &many->bodies : NULL,
                                 .proof = CT_FRICTION_PROOF_ALWAYS,
                                 .cancel = o->cancel};
  ct_friction_result solved = {.r = r, .u = u};
  ct_status status = ct_friction_solve(problem, &options, many->work->arena, &solved);
  if (status != CT_OK) return status;
  bool rough =
      solved.converged && solved.residual > POLISHED && problem->matrix.size <= POLISH_ROWS_MAX;
  if (rough) status = ct_resting_polish(problem, many->work->arena, r, &solved.residual);
  if (status == CT_OK && rough) {
    clear_roundoff(problem->matrix.size, r);
    solved.residual = ct_friction_residual(problem, r, u);
  }
  *phase = (ct_impulse_phase){solved.converged, solved.status == CT_FRICTION_STATUS_INFEASIBLE,
                              solved.residual, solved.iterations};
  return status;
}

static ct_status solve_cone_phase(const ct_impulse_many *many, double *q, bool bounces, double *p,
                                  ct_impulse_phase *phase) {
  ct_friction_problem cones = {*many->matrix, q, many->mu, many->count, 3};
  bool infeasible = false, undecided = false;
  /* For an infeasible problem the friction solver would make many sweeps before it stops. */
  if ((bounces || ct_impulse_any_driven(many->work->set)) && many->count <= FEASIBILITY_TEST_MAX) {
    ct_status status = ct_impulse_prove_infeasible(many, q, NULL, &infeasible, &undecided);
    if (status != CT_OK) return status;
  }
  if (!infeasible) {
    /* The problem is solved unless it is proven that normal impulses cannot separate the contacts;
     * then impulses with friction cannot either. */
    ct_status status = solve_cones(many, &cones, p, phase);
    phase->converged = phase->converged && !undecided;
    return status;
  }
  memset(p, 0, many->rows * sizeof *p);
  *phase =
      (ct_impulse_phase){.infeasible = true, .residual = ct_friction_residual(&cones, p, NULL)};
  return CT_OK;
}

/* Computes impulses p [rows] within the friction cones, opposed to the slip, such that u + G p has
 * normal velocities of at least floor + target. `target` [count] may be NULL, which means 0. */
static ct_status solve_phase(const ct_impulse_many *many, const double *u, const double *target,
                             double *p, ct_impulse_phase *phase) {
  assert(many->rows == many->dimension * many->count);
  ct_arena *arena = many->work->arena;
  ct_arena_mark mark = ct_arena_enter(arena);
  double *q = ct_arena_alloc_doubles(arena, many->rows);
  ct_status status = CT_OUT_OF_MEMORY;
  if (q) {
    memcpy(q, u, many->rows * sizeof *q);
    for (size_t i = 0; i < many->count; i++)
      q[i * many->dimension] -= many->floor[i] + (target ? target[i] : 0.0);
    status = many->dimension == 1 ? solve_normal_phase(many, q, p, phase)
                                  : solve_cone_phase(many, q, target != NULL, p, phase);
  }
  ct_arena_leave(arena, mark);
  return status;
}

/* ---- Poisson's restitution ------------------------------------------------------------------- */

typedef struct doubled {
  const ct_impulse_many *many;
  const double *least; /* [count] lower bound c of each contact's normal impulse */
  uint32_t *source;    /* [extra] index of the contact to which each additional friction disc
                          belongs */
  uint32_t *place;     /* [count] index of each contact's additional friction disc, or UINT32_MAX */
  size_t extra, rows;  /* number of additional friction discs; number of matrix rows, 3 (count +
                          extra) */
  size_t *starts;      /* [rows + 1] starts, columns and values are those of the sparse matrix, as
                          in ct_matrix */
  uint32_t *columns;
  double *values;
} doubled;

static bool has_disc(const doubled *d, uint32_t contact) {
  assert(contact < d->many->count);
  return d->place[contact] != UINT32_MAX;
}

/* Writes row `from` of the system's matrix as row `to` of the doubled system: its columns of
 * contacts, and the same for the tangential columns of discs. Normal columns of discs stay zero.
 * Returns the end of the row. */
static size_t write_doubled_row(const doubled *d, size_t from, size_t to) {
  assert(from < d->many->rows && to < d->rows);
  const ct_matrix *m = d->many->matrix;
  size_t at = d->starts[to];
  for (size_t e = m->starts[from]; e < m->starts[from + 1]; e++, at++)
    d->columns[at] = m->columns[e], d->values[at] = m->values[e];
  for (size_t e = m->starts[from]; e < m->starts[from + 1]; e++) {
    uint32_t contact = m->columns[e] / 3, axis = m->columns[e] % 3;
    if (axis == 0 || !has_disc(d, contact)) continue;
    d->columns[at] = (uint32_t)(3 * (d->many->count + d->place[contact]) + axis);
    d->values[at++] = m->values[e];
  }
  return at;
}

static double diagonal_entry(const ct_matrix *m, size_t row) {
  for (size_t e = m->starts[row]; e < m->starts[row + 1]; e++)
    if (m->columns[e] == row) return m->values[e];
  return 0.0;
}

static void write_doubled_system(const doubled *d) {
  size_t count = d->many->count;
  d->starts[0] = 0;
  for (size_t row = 0; row < 3 * count; row++) d->starts[row + 1] = write_doubled_row(d, row, row);
  for (size_t k = 0; k < d->extra; k++) {
    size_t row = 3 * (count + k), at = d->starts[row];
    d->columns[at] = (uint32_t)row;
    d->values[at] = diagonal_entry(d->many->matrix, 3 * (size_t)d->source[k]);
    d->starts[row + 1] = at + 1;
    for (size_t axis = 1; axis < 3; axis++)
      d->starts[row + axis + 1] = write_doubled_row(d, 3 * (size_t)d->source[k] + axis, row + axis);
  }
  assert(d->starts[d->rows] <= 4 * d->many->matrix->starts[d->many->rows]);
}

/* Assigns a disc to each contact with c > 0 and friction, and allocates the doubled system. The
 * tangential rows of a disc include the normal impulse of its contact; the normal impulse of a disc
 * occurs only in its own row. */
static bool allocate_doubled(doubled *d, ct_arena *arena) {
  size_t count = d->many->count, entries = d->many->matrix->starts[d->many->rows];
  d->place = ct_arena_alloc(arena, count, sizeof *d->place);
  d->source = ct_arena_alloc(arena, count, sizeof *d->source);
  if (!d->place || !d->source) return false;
  for (uint32_t i = 0; i < count; i++) {
    bool disc = d->least[i] > 0.0 && d->many->mu[i] > 0.0;
    d->place[i] = disc ? (uint32_t)d->extra : UINT32_MAX;
    if (disc) d->source[d->extra++] = i;
  }
  d->rows = 3 * (count + d->extra);
  d->starts = ct_arena_alloc(arena, d->rows + 1, sizeof *d->starts);
  /* Every row and every column of the system's matrix occurs at most twice. */
  d->columns = ct_arena_alloc(arena, 4 * entries, sizeof *d->columns);
  d->values = ct_arena_alloc_doubles(arena, 4 * entries);
  return d->starts && d->columns && d->values;
}

static ct_status restitute_with_friction(const ct_impulse_many *many, const double *least,
                                         const double *u, double *p, ct_impulse_phase *phase) {
  assert(many->dimension == 3);
  ct_arena *arena = many->work->arena;
  doubled d = {.many = many, .least = least};
  /* Fill matrix, velocities and coefficients of the doubled system. */
  if (!allocate_doubled(&d, arena)) return CT_OUT_OF_MEMORY;
  write_doubled_system(&d);
  size_t contacts = many->count + d.extra;
  double *q = ct_arena_alloc_doubles(arena, d.rows), *mu = ct_arena_alloc_doubles(arena, contacts);
  double *r = ct_arena_alloc_doubles(arena, d.rows);
  if (!q || !mu || !r) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < many->count; i++) {
    mu[i] = many->mu[i];
    for (size_t k = 0; k < 3; k++) q[3 * i + k] = u[3 * i + k] - (k == 0 ? many->floor[i] : 0.0);
  }
  for (size_t k = 0; k < d.extra; k++) {
    size_t row = 3 * (many->count + k), i = d.source[k];
    mu[many->count + k] = many->mu[i];
    q[row] = -least[i] * diagonal_entry(many->matrix, 3 * i);
    q[row + 1] = u[3 * i + 1];
    q[row + 2] = u[3 * i + 2];
  }
  ct_friction_problem problem = {
      {.size = d.rows, .starts = d.starts, .columns = d.columns, .values = d.values},
      q,
      mu,
      contacts,
      3};
  /* Solve the doubled system, and add the impulses of the discs to those of their contacts. */
  ct_status status = solve_cones(many, &problem, r, phase);
  if (status != CT_OK) return status;
  for (size_t row = 0; row < many->rows; row++) p[row] = r[row];
  for (size_t k = 0; k < d.extra; k++)
    for (size_t axis = 1; axis < 3; axis++)
      p[3 * (size_t)d.source[k] + axis] += r[3 * (many->count + k) + axis];
  for (size_t i = 0; i < many->count; i++) p[3 * i] += least[i];
  return CT_OK;
}

/* Restitution by Poisson's law: computes impulses p with normal components of at least e times
 * those of `compression`. */
static ct_status restitute(const ct_impulse_many *many, const double *compression, double *p,
                           ct_impulse_phase *phase) {
  ct_arena *arena = many->work->arena;
  ct_arena_mark mark = ct_arena_enter(arena);
  size_t rows = many->rows, d = many->dimension;
  double *memory = ct_arena_alloc_doubles(arena, 3 * rows),
         *least = ct_arena_alloc_doubles(arena, many->count);
  ct_status status = memory && least ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    /* Velocities after compression and after the least normal impulses of restitution. */
    double *sum = memory, *u = memory + rows, *moved = memory + 2 * rows;
    memcpy(sum, compression, rows * sizeof *sum);
    for (size_t i = 0; i < many->count; i++)
      least[i] = many->e[i] * compression[d * i], sum[d * i] += least[i];
    ct_matrix_product(many->matrix, sum, moved);
    for (size_t row = 0; row < rows; row++) u[row] = many->u[row] + moved[row];
    if (d == 3) status = restitute_with_friction(many, least, u, p, phase);
    else status = solve_phase(many, u, NULL, p, phase);
    for (size_t i = 0; status == CT_OK && d == 1 && i < many->count; i++) p[i] += least[i];
  }
  ct_arena_leave(arena, mark);
  return status;
}

/* ---- laws of NEWTON and POISSON -------------------------------------------------------------- */

/* Impulses by a law, and the plastic impulses (without restitution) that the laws and the energy
 * guard use. */
typedef struct set_solution {
  double *p, *plastic; /* [rows] */
  bool plastic_known;
  ct_impulse_phase phase, plastic_phase;
} set_solution;

static ct_status solve_plastic(const ct_impulse_many *many, set_solution *f) {
  if (f->plastic_known) return CT_OK;
  f->plastic_known = true;
  return solve_phase(many, many->u, NULL, f->plastic, &f->plastic_phase);
}

/* Replaces the solution by the plastic impulses and reports that restitution was infeasible. */
static void drop_restitution(ct_impulse_many *many, set_solution *f) {
  many->work->reported.infeasible = true;
  f->phase = f->plastic_phase;
  memcpy(f->p, f->plastic, many->rows * sizeof *f->p);
  for (size_t i = 0; i < many->count; i++) many->work->contacts[i].restitution = 0.0;
}

/* Sets all impulses to zero, and reports that kinematic bodies press others together if that is
 * proven. */
static ct_status report_infeasible(ct_impulse_many *many, set_solution *f) {
  bool infeasible;
  memset(f->plastic, 0, many->rows * sizeof *f->plastic);
  drop_restitution(many, f);
  many->work->reported.infeasible = false;
  return ct_impulse_check_infeasible(many, &infeasible);
}

static ct_status apply_newton_law(ct_impulse_many *many, set_solution *f) {
  double *target = ct_arena_alloc_doubles(many->work->arena, many->count);
  if (!target) return CT_OUT_OF_MEMORY;
  bool bounces = false;
  for (size_t i = 0; i < many->count; i++) {
    bool approaches = many->work->contacts[i].before.velocity_class == CT_CLASS_COLLIDING;
    target[i] = approaches ? -many->e[i] * many->u[i * many->dimension] : 0.0;
    bounces = bounces || target[i] > 0.0;
  }
  if (bounces) {
    ct_status status = solve_phase(many, many->u, target, f->p, &f->phase);
    if (status != CT_OK || f->phase.converged) return status;
  }
  ct_status status = solve_plastic(many, f);
  if (status != CT_OK) return status;
  if (f->plastic_phase.infeasible) status = report_infeasible(many, f);
  else if (bounces && f->plastic_phase.converged) drop_restitution(many, f);
  if (status != CT_OK || bounces) return status;
  f->phase = f->plastic_phase;
  memcpy(f->p, f->plastic, many->rows * sizeof *f->p);
  return CT_OK;
}

static ct_status apply_poisson_law(ct_impulse_many *many, set_solution *f) {
  ct_status status = solve_plastic(many, f);
  if (status != CT_OK) return status;
  memset(f->p, 0, many->rows * sizeof *f->p);
  f->phase = f->plastic_phase;
  if (f->plastic_phase.infeasible) return report_infeasible(many, f);
  bool bounces = false;
  for (size_t i = 0; i < many->count; i++)
    bounces = bounces || many->e[i] * f->plastic[i * many->dimension] > 0.0;
  if (bounces) {
    ct_impulse_phase phase;
    status = restitute(many, f->plastic, f->p, &phase);
    if (status != CT_OK) return status;
    f->phase.converged = f->phase.converged && phase.converged;
    f->phase.residual = ct_max2(f->phase.residual, phase.residual);
    f->phase.iterations += phase.iterations;
  }
  for (size_t row = 0; row < many->rows; row++) f->p[row] += f->plastic[row];
  return CT_OK;
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* Returns the change of energy by impulses p from the velocities v: p.(v + G p / 2). Writes G p to
 * `moved` [rows], and the sum of |p v| to *size. */
static double energy_change(const ct_impulse_many *many, const double *p, const double *v,
                            double *moved, double *size) {
  ct_matrix_product(many->matrix, p, moved);
  double sum = 0.0;
  *size = 0.0;
  for (size_t row = 0; row < many->rows; row++) {
    sum += p[row] * (v[row] + 0.5 * moved[row]);
    *size += fabs(p[row] * v[row]);
  }
  return sum;
}

static ct_status guard_set_energy(ct_impulse_many *many, set_solution *f) {
  double *memory = ct_arena_alloc_doubles(many->work->arena, 3 * many->rows), size;
  if (!memory) return CT_OUT_OF_MEMORY;
  double *moved = memory, *d = memory + many->rows, *v = memory + 2 * many->rows;
  ct_impulse_result *reported = &many->work->reported;
  if (!(energy_change(many, f->p, many->u, moved, &size) > CT_ENERGY_ROUNDOFF * size)) return CT_OK;
  ct_status status = solve_plastic(many, f);
  if (status != CT_OK) return status;
  double c = energy_change(many, f->plastic, many->u, moved, &size);
  /* Plastic impulses that have not converged may increase the energy too. The guard then moves the
   * impulses towards zero instead. */
  if (c > 0.0) {
    c = 0.0;
    memset(f->plastic, 0, many->rows * sizeof *f->plastic);
    memset(moved, 0, many->rows * sizeof *moved);
  }
  for (size_t row = 0; row < many->rows; row++) {
    v[row] = many->u[row] + moved[row];
    d[row] = f->p[row] - f->plastic[row];
  }
  double straight = 0.0, whole = energy_change(many, d, v, moved, &size);
  for (size_t row = 0; row < many->rows; row++) straight += d[row] * v[row];
  reported->guard = CT_GUARD_APPLIED;
  reported->guard_theta = ct_impulse_theta(ct_max2(whole - straight, 0.0), straight, c);
  for (size_t row = 0; row < many->rows; row++)
    f->p[row] = f->plastic[row] + reported->guard_theta * d[row];
  return CT_OK;
}

/* ---- system of all contacts ------------------------------------------------------------------ */

/* Copies the contacts; where a contact's frame has the reversed normal, reverses the normal and
 * exchanges a and b. NULL: out of memory. */
static ct_contact *orient_contacts(const ct_impulse_work *work) {
  ct_contact *contacts = ct_arena_alloc(work->arena, work->set->count, sizeof *contacts);
  for (size_t i = 0; contacts && i < work->set->count; i++) {
    contacts[i] = work->set->contacts[i];
    if (work->contacts[i].frame.sign > 0.0) continue;
    contacts[i].a = work->set->contacts[i].b;
    contacts[i].b = work->set->contacts[i].a;
    contacts[i].normal = work->contacts[i].frame.normal;
  }
  return contacts;
}

/* Computes the Jacobians of all contacts for the friction solver. False: out of memory. */
static bool describe_impulse_bodies(ct_impulse_many *many, const ct_contact_set *set) {
  ct_arena *arena = many->work->arena;
  size_t *blocks = ct_arena_alloc(arena, set->body_count, sizeof *blocks);
  ct_cone *levers = ct_arena_alloc(arena, set->count, sizeof *levers);
  if (!blocks || !levers) return false;
  many->bodies =
      (ct_friction_bodies){.levers = levers, .count = ct_resting_blocks(set, blocks), .scale = 1.0};
  for (size_t i = 0; i < set->count; i++)
    ct_resting_jacobian(set, &set->contacts[i], blocks, &levers[i]);
  return true;
}

static int greatest_vector_exponent(const double *v, size_t count) {
  double most = 0.0;
  int exponent = 0;
  for (size_t i = 0; i < count; i++) most = ct_max2(most, fabs(v[i]));
  (void)frexp(most, &exponent);
  return exponent;
}

/* Computes velocities, coefficients and scales of the system; `values` are the entries of the
 * matrix, which are scaled in place. False: out of memory. */
static bool describe_system(ct_impulse_many *many, double *values) {
  const ct_impulse_work *work = many->work;
  double *u = ct_arena_alloc_doubles(work->arena, many->rows),
         *of = ct_arena_alloc_doubles(work->arena, 3 * many->count);
  if (!u || !of) return false;
  double *mu = of, *e = of + many->count, *least = of + 2 * many->count;
  for (size_t i = 0; i < many->count; i++) {
    const ct_impulse_contact *t = &work->contacts[i];
    double in_frame[3];
    ct_impulse_to_frame(&t->frame, t->before.relative, in_frame);
    for (size_t k = 0; k < many->dimension; k++) u[i * many->dimension + k] = in_frame[k];
    bool slow = t->before.velocity_class == CT_CLASS_RESTING && in_frame[0] < 0.0;
    /* Two immovable bodies continue to approach. */
    least[i] = slow || !t->movable ? ct_min2(in_frame[0], 0.0) : 0.0;
    mu[i] = t->before.sliding ? t->dynamic_friction : t->static_friction;
    e[i] = t->movable ? t->restitution : 0.0;
  }
  size_t entries = many->matrix->starts[many->rows];
  int exponent_k = greatest_vector_exponent(values, entries),
      exponent_u = greatest_vector_exponent(u, many->rows);
  for (size_t k = 0; k < entries; k++) values[k] = ldexp(values[k], -exponent_k);
  for (size_t row = 0; row < many->rows; row++) u[row] = ldexp(u[row], -exponent_u);
  for (size_t i = 0; i < many->count; i++) least[i] = ldexp(least[i], -exponent_u);
  many->bodies.scale = ldexp(many->bodies.scale, -exponent_k);
  many->exponent = exponent_u - exponent_k;
  many->unit = ldexp(1.0, -exponent_u);
  many->u = u;
  many->mu = mu;
  many->e = e;
  many->floor = least;
  return true;
}

static void write_set_result(const ct_impulse_many *many, const set_solution *f,
                             const double *moved) {
  ct_impulse_work *work = many->work;
  double most = 0.0;
  for (size_t row = 0; row < many->rows; row++) most = ct_max2(most, fabs(many->u[row]));
  for (size_t i = 0; i < many->count; i++) {
    ct_impulse_contact *t = &work->contacts[i];
    const double *p = &f->p[i * many->dimension];
    for (size_t k = 0; k < many->dimension; k++) t->p[k] = ldexp(p[k], many->exponent);
    if (!t->movable || p[0] == 0.0) continue;
    t->outcome = CT_IMPULSE_OUTCOME_FRICTIONLESS;
    if (many->mu[i] == 0.0) continue;
    const double *u = &many->u[3 * i], *du = &moved[3 * i];
    double slip = sqrt((u[1] + du[1]) * (u[1] + du[1]) + (u[2] + du[2]) * (u[2] + du[2]));
    t->outcome = slip <= STICK_PART * most ? CT_IMPULSE_OUTCOME_STICK : CT_IMPULSE_OUTCOME_SLIDE;
  }
  work->reported.converged = f->phase.converged;
  work->reported.residual = f->phase.residual;
  work->reported.iterations = f->phase.iterations;
}

static ct_status solve_set(ct_impulse_many *many) {
  ct_impulse_work *work = many->work;
  double *memory = ct_arena_alloc_doubles(work->arena, 3 * many->rows);
  if (!memory) return CT_OUT_OF_MEMORY;
  set_solution f = {.p = memory, .plastic = memory + many->rows};
  ct_status status = work->options->simultaneity == CT_SIMULTANEITY_POISSON
                         ? apply_poisson_law(many, &f)
                         : apply_newton_law(many, &f);
  if (status == CT_OK && work->options->energy_guard) status = guard_set_energy(many, &f);
  if (status != CT_OK) return status;
  double *moved = memory + 2 * many->rows;
  ct_matrix_product(many->matrix, f.p, moved);
  write_set_result(many, &f, moved);
  return CT_OK;
}

static bool is_none_colliding(const ct_impulse_work *work) {
  for (size_t i = 0; i < work->set->count; i++)
    if (work->contacts[i].movable && work->contacts[i].before.velocity_class == CT_CLASS_COLLIDING)
      return false;
  return true;
}

/* Assembles the system of all contacts with 1 or 3 rows per contact, and calls `act` with it. */
static ct_status run_with_system(ct_impulse_work *work, unsigned dimension,
                                 ct_status (*act)(ct_impulse_many *many)) {
  ct_contact_set turned = *work->set;
  ct_contact_graph graph = {0};
  ct_delassus_matrix matrix = {0};
  turned.contacts = orient_contacts(work);
  ct_status status = turned.contacts ? ct_contact_graph_open(&graph, &turned) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) status = ct_delassus_matrix_open(&matrix, &turned, &graph, dimension);
  if (status == CT_OK) {
    ct_impulse_many many = {
        .work = work, .dimension = dimension, .count = turned.count, .matrix = &matrix.matrix};
    many.rows = dimension * turned.count;
    bool described = (dimension == 1 || describe_impulse_bodies(&many, &turned)) &&
                     describe_system(&many, matrix.values);
    status = described ? act(&many) : CT_OUT_OF_MEMORY;
  }
  ct_delassus_matrix_close(&matrix);
  ct_contact_graph_close(&graph);
  return status;
}

ct_status ct_impulse_at_once(ct_impulse_work *work, bool friction) {
  assert(work->set->count > 1);
  return is_none_colliding(work) ? CT_OK : run_with_system(work, friction ? 3 : 1, solve_set);
}

static ct_status check_set_infeasible(ct_impulse_many *many) {
  bool infeasible;
  return ct_impulse_check_infeasible(many, &infeasible);
}

ct_status ct_impulse_find_infeasible(ct_impulse_work *work) {
  return run_with_system(work, 1, check_set_infeasible);
}

/* ---- proof of infeasibility ------------------------------------------------------------------ */

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
