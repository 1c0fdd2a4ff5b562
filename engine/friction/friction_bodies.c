/* Friction in the velocities of the bodies. If de Saxce's term mu |u_t| in the normal velocities is
 * fixed, the problem is convex. Its forces are r = P(center - rho / epsilon (q + term + G'v)),
 * where center is a previous iterate of r, epsilon the proximal weight, W = scale G'G, and v the
 * change of the bodies' velocities: six unknowns for each body, for any number of contacts.
 * Newton's method with a sparse factor finds v; then center and term are updated. The first step
 * treats all contacts as sticking. Rockafellar 1976; Zhao, Sun, Toh 2010 (proximal iterations with
 * Newton's method); Acary, Cadoux, Lemarechal, Malick 2011 (the term). */
#include "friction/cone_projection.h"
#include "friction/friction.h"
#include "linear/block_cholesky.h"

#include <assert.h>
#include <string.h>

/* Proximal weight epsilon relative to W, whose greatest block has a norm of about 1: first, least
 * and greatest value. It decreases if Newton's method takes at most FEW_STEPS steps, and increases
 * if it takes more than MANY_STEPS. */
#define EPSILON_FIRST 1e-2
#define EPSILON_LEAST 1e-5
#define EPSILON_MOST 1.0
#define EPSILON_SHRINK 0.3
#define EPSILON_GROW 4.0
#define FEW_STEPS 6u
#define MANY_STEPS 15u
#define STEPS_MAX 30u
/* Newton's method has converged if the norm of the gradient is at most the fraction CONVERGED_PART
 * of the greatest impulse. Below the fraction ROUNDING, a gradient that a step does not halve is
 * round-off. */
#define CONVERGED_PART 1e-11
#define ROUNDING 1e-7
/* The outer iteration ends after STALL_TURNS updates that do not reduce the residual to the
 * fraction STALL_PART. */
#define STALL_TURNS 12u
#define STALL_PART 0.9
/* Limits of one factor: number of blocks (290 MB) and of multiplications. WORK_MAX: multiplications
 * of all steps, some five seconds. CONTACT_WORK: multiplications for one contact in one step. */
#define FACTOR_BLOCKS 1000000u
#define FACTOR_WORK 4e9
#define WORK_MAX 1e10
#define CONTACT_WORK 800.0

enum { ROWS = CT_CONE_BLOCK, BLOCK = CT_CONE_BLOCK * CT_CONE_BLOCK };

typedef struct proximal_state {
  ct_friction_work *w;
  const ct_friction_bodies *bodies;
  size_t rows;
  double scale, epsilon;               /* W = scale G'G */
  double *v, *step, *gradient, *trial; /* [rows] */
  /* [contacts] de Saxce's terms; [9 contacts] derivatives of the projections */
  double *term, *slopes;
  ct_triple *center, *r, *u; /* [contacts] */
  double greatest;           /* greatest |r| */
  ct_block_cholesky factor;
  double work;
} proximal_state;

static double dot_doubles(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* Factor of the velocity in the projection of contact i (head of this file): rho / epsilon. */
static double proximal_force_scale(const proximal_state *d, size_t i) {
  return d->w->rho[i] / d->epsilon;
}

/* Computes forces and relative velocities at v. Returns the value of the dual function and computes
 * its gradient; if `slopes` is not NULL, also the derivatives of the projections. */
static double evaluate_dual(proximal_state *d, const double *v, double *slopes) {
  const ct_friction_work *w = d->w;
  double value = 0.5 / d->scale * dot_doubles(v, v, d->rows), most = 0.0;
  for (size_t i = 0; i < d->rows; i++) d->gradient[i] = v[i] / d->scale;
  for (size_t i = 0; i < w->contacts; i++) {
    double u[3], f[3], by = proximal_force_scale(d, i);
    ct_cone_pull(&d->bodies->levers[i], v, u);
    d->u[i] = ct_triple_add(w->q[i], (ct_triple){u[0], u[1], u[2]});
    const double x[3] = {d->center[i].n - by * (d->u[i].n + d->term[i]),
                         d->center[i].s - by * d->u[i].s, d->center[i].t - by * d->u[i].t};
    ct_cone_project(w->mu[i], x, f, slopes ? &slopes[9 * i] : NULL);
    d->r[i] = (ct_triple){f[0], f[1], f[2]};
    double size = ct_triple_norm2(d->r[i]);
    most = fmax(most, size);
    value += 0.5 / by * size;
    ct_cone_push(&d->bodies->levers[i], f, -1.0, d->gradient);
  }
  d->greatest = sqrt(most);
  return value;
}

static bool is_zero_body_slope(const double *slope) {
  for (size_t k = 0; k < 9; k++)
    if (slope[k] != 0.0) return false;
  return true;
}

/* Adds the blocks of the contacts first .. end - 1, which act on the same bodies, to the matrix of
 * the factor. */
static void add_contact_blocks(proximal_state *d, size_t first, size_t end) {
  assert(first < end && end <= d->w->contacts);
  double own[2][BLOCK] = {{0.0}}, beside[BLOCK] = {0.0};
  const size_t *block = d->bodies->levers[first].block;
  bool joins = block[0] != CT_CONE_NO_BLOCK && block[1] != CT_CONE_NO_BLOCK;
  for (size_t i = first; i < end; i++) {
    double slope[9];
    if (is_zero_body_slope(&d->slopes[9 * i])) continue;
    for (size_t k = 0; k < 9; k++) slope[k] = d->slopes[9 * i + k] * proximal_force_scale(d, i);
    for (size_t side = 0; side < 2; side++)
      if (block[side] != CT_CONE_NO_BLOCK)
        ct_cone_add_product(&d->bodies->levers[i], slope, side, side, own[side]);
    if (joins) ct_cone_add_product(&d->bodies->levers[i], slope, 0, 1, beside);
  }
  for (size_t side = 0; side < 2; side++)
    if (block[side] != CT_CONE_NO_BLOCK)
      ct_block_cholesky_add(&d->factor, (uint32_t)block[side], (uint32_t)block[side], own[side]);
  if (joins) ct_block_cholesky_add(&d->factor, (uint32_t)block[0], (uint32_t)block[1], beside);
}

/* Computes the Newton step: solves (1 / scale + G S rho / epsilon G') step = -gradient. False:
 * cancelled. */
static bool solve_newton_step(proximal_state *d) {
  assert(d->factor.count == d->bodies->count);
  const ct_cone *levers = d->bodies->levers;
  double one[BLOCK] = {0.0};
  for (size_t k = 0; k < ROWS; k++) one[k * (ROWS + 1)] = 1.0 / d->scale;
  ct_block_cholesky_clear(&d->factor);
  for (uint32_t b = 0; b < d->bodies->count; b++) ct_block_cholesky_add(&d->factor, b, b, one);
  for (size_t i = 0, end; i < d->w->contacts; i = end) {
    for (end = i + 1; end < d->w->contacts; end++)
      if (levers[end].block[0] != levers[i].block[0] || levers[end].block[1] != levers[i].block[1])
        break;
    add_contact_blocks(d, i, end);
  }
  if (ct_block_cholesky_factor(&d->factor, d->w->cancel) != CT_OK) return false;
  ct_block_cholesky_solve(&d->factor, d->gradient, d->step);
  for (size_t i = 0; i < d->rows; i++) d->step[i] = -d->step[i];
  d->work += d->factor.work + CONTACT_WORK * (double)d->w->contacts;
  d->w->iterations++;
  return true;
}

/* Halves the step until the value of the dual function decreases sufficiently or its gradient is
 * reduced. The second test decides near the minimum, where changes of the value are round-off.
 * False: neither test succeeds. */
static bool line_search(proximal_state *d, double value, double size) {
  double slope = dot_doubles(d->gradient, d->step, d->rows);
  for (double t = 1.0; t > 1e-6; t *= 0.5) {
    for (size_t i = 0; i < d->rows; i++) d->trial[i] = d->v[i] + t * d->step[i];
    double then = evaluate_dual(d, d->trial, NULL);
    if (!(then <= value + 1e-4 * t * slope) &&
        !(sqrt(dot_doubles(d->gradient, d->gradient, d->rows)) <= 0.9 * size))
      continue;
    memcpy(d->v, d->trial, d->rows * sizeof *d->v);
    return true;
  }
  return false;
}

static bool can_afford_factor(const proximal_state *d) {
  return d->work < WORK_MAX && d->w->iterations < d->w->iterations_max;
}

/* Minimises the dual function over v for the current center and term. *steps: set to the number of
 * Newton steps. CT_CANCELLED. */
static ct_status minimise_dual(proximal_state *d, unsigned *steps) {
  double before = INFINITY;
  for (*steps = 0; *steps < STEPS_MAX && can_afford_factor(d); ++*steps) {
    double value = evaluate_dual(d, d->v, d->slopes),
           size = sqrt(dot_doubles(d->gradient, d->gradient, d->rows));
    if (size <= CONVERGED_PART * d->greatest ||
        (size <= ROUNDING * d->greatest && size > 0.5 * before))
      return CT_OK;
    before = size;
    if (!solve_newton_step(d)) return CT_CANCELLED;
    if (!line_search(d, value, size)) return CT_OK;
  }
  return CT_OK;
}

/* ---- proximal iteration ---------------------------------------------------------------------- */

/* Sets v to the start for which all contacts stick. False: cancelled. */
static bool start_proximal(proximal_state *d) {
  const ct_friction_work *w = d->w;
  for (size_t i = 0; i < d->rows; i++) d->gradient[i] = 0.0;
  for (size_t i = 0; i < w->contacts; i++) {
    double across = w->mu[i] > 0.0 ? 1.0 : 0.0;
    d->center[i] = w->r[i];
    d->term[i] = 0.0;
    for (size_t k = 0; k < 9; k++) d->slopes[9 * i + k] = k == 0 ? 1.0 : k % 4 == 0 ? across : 0.0;
    ct_triple x = ct_triple_sub(d->center[i], ct_triple_scale(w->q[i], proximal_force_scale(d, i)));
    const double f[3] = {x.n, across * x.s, across * x.t};
    ct_cone_push(&d->bodies->levers[i], f, -1.0, d->gradient);
  }
  if (!solve_newton_step(d)) return false;
  memcpy(d->v, d->step, d->rows * sizeof *d->v);
  return true;
}

/* Updates center and iterate to the current forces, and the term to their slip velocities, and
 * evaluates the residual. */
static void update_proximal_center(proximal_state *d) {
  ct_friction_work *w = d->w;
  (void)evaluate_dual(d, d->v, NULL);
  for (size_t i = 0; i < w->contacts; i++) {
    d->center[i] = d->r[i];
    d->term[i] = w->mu[i] * ct_length2(d->u[i].s, d->u[i].t);
    w->r[i] = ct_cone_contains(d->r[i], w->mu[i]);
  }
  (void)ct_friction_evaluate(w);
}

static ct_status run_proximal(proximal_state *d) {
  ct_friction_work *w = d->w;
  double mark = INFINITY;
  unsigned stalled = 0;
  if (!start_proximal(d)) return CT_CANCELLED;
  while (can_afford_factor(d) && stalled < STALL_TURNS) {
    assert(d->epsilon >= EPSILON_LEAST && d->epsilon <= EPSILON_MOST);
    unsigned steps;
    ct_status status = minimise_dual(d, &steps);
    if (status != CT_OK) return status;
    update_proximal_center(d);
    if (w->best_residual <= w->tolerance) return CT_OK;
    stalled = w->best_residual <= STALL_PART * mark ? 0 : stalled + 1;
    if (stalled == 0) mark = w->best_residual;
    w->iterations++;
    if (steps <= FEW_STEPS) d->epsilon = fmax(EPSILON_SHRINK * d->epsilon, EPSILON_LEAST);
    if (steps > MANY_STEPS) d->epsilon = fmin(EPSILON_GROW * d->epsilon, EPSILON_MOST);
  }
  return CT_OK;
}

static bool allocate_bodies(proximal_state *d) {
  ct_arena *arena = d->w->arena;
  size_t n = d->w->contacts;
  d->v = ct_arena_alloc_doubles(arena, 4 * d->rows + 1);
  d->term = ct_arena_alloc_doubles(arena, 10 * n);
  d->center = ct_arena_alloc(arena, 3 * n, sizeof *d->center);
  if (!d->v || !d->term || !d->center) return false;
  d->step = d->v + d->rows;
  d->gradient = d->step + d->rows;
  d->trial = d->gradient + d->rows;
  d->slopes = d->term + n;
  d->r = d->center + n;
  d->u = d->r + n;
  return true;
}

static ct_status open_block_factor(proximal_state *d, bool *fits) {
  size_t n = d->w->contacts, count = 0;
  ct_block_pair *pairs = ct_arena_alloc(d->w->arena, n + 1, sizeof *pairs);
  if (!pairs) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < n; i++) {
    const size_t *block = d->bodies->levers[i].block;
    if (block[0] == CT_CONE_NO_BLOCK || block[1] == CT_CONE_NO_BLOCK) continue;
    ct_block_pair pair = {(uint32_t)block[0], (uint32_t)block[1]};
    if (count == 0 || pairs[count - 1].a != pair.a || pairs[count - 1].b != pair.b)
      pairs[count++] = pair;
  }
  const ct_block_shape shape = {.count = d->bodies->count,
                                .pairs = pairs,
                                .pair_count = count,
                                .blocks_max = FACTOR_BLOCKS,
                                .work_max = FACTOR_WORK};
  return ct_block_cholesky_open(&d->factor, &shape, d->w->arena, fits);
}

ct_status ct_friction_by_bodies(ct_friction_work *w, const ct_friction_bodies *bodies) {
  assert(w->dimension == 3);
  proximal_state d = {
      .w = w, .bodies = bodies, .rows = ROWS * bodies->count, .epsilon = EPSILON_FIRST};
  ct_arena_mark mark = ct_arena_enter(w->arena);
  bool fits = false;
  d.scale = ldexp(bodies->scale, -w->matrix_exponent);
  ct_status status = allocate_bodies(&d) ? open_block_factor(&d, &fits) : CT_OUT_OF_MEMORY;
  if (status == CT_OK && fits) status = run_proximal(&d);
  ct_arena_leave(w->arena, mark);
  return status;
}
