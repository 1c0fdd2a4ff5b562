/* Accelerated projected gradient descent. If de Saxce's term s = mu |u_t| in the normal velocities
 * is fixed, the forces minimise r'Wr / 2 + (q + s)'r within the cones. Nesterov's method finds the
 * minimum, and restarts if the value would increase; then s is updated. Needs only a few vectors of
 * memory besides W; an iteration costs one product with W. Nesterov 1983; O'Donoghue, Candes 2015
 * (restarts); Heyn, Mazhar and others 2017; Acary, Cadoux, Lemarechal, Malick 2011 (the fixed
 * point).
 *
 * The forces of each contact are scaled by the root of its rho. This maps cones to the same cones,
 * and makes one step length suit light and heavy bodies. */
#include "friction/friction.h"

#include <assert.h>

/* Number of iterations between two evaluations of the residual, at which de Saxce's term is updated
 * too. */
#define EVALUATION_STEPS 16u
/* The bound of W's Rayleigh quotient is multiplied by this factor after each step, and at least
 * doubled if it is violated. */
#define RELAX 0.98
/* Least bound of the Rayleigh quotient: after scaling, the greatest block of W has a norm of about
 * 1 unless W is zero. */
#define BOUND_MIN 0.01
#define DOUBLINGS_MAX 60
/* The method ends if this number of evaluations do not reduce the residual to the fraction
 * STALL_PART. */
#define STALL_EVALUATIONS 100u
#define STALL_PART 0.95

typedef struct apgd_state {
  ct_friction_work *w;
  double *root; /* [contacts] roots of rho */
  /* [contacts] each: iterate and previous iterate, scaled, and W times each */
  ct_triple *x, *wx, *before, *w_before;
  ct_triple *y, *wy, *next, *w_next;
  double *term;           /* [contacts] de Saxce's term of each contact */
  double bound, momentum; /* upper bound of x'Wx / |x|^2; momentum of Nesterov's method */
} apgd_state;

static double triple_dot(ct_triple a, ct_triple b) { return a.n * b.n + a.s * b.s + a.t * b.t; }

static bool multiply_delassus(const apgd_state *d, const ct_triple *x, ct_triple *wx) {
  const ct_friction_work *w = d->w;
  if (ct_cancel_raised(w->cancel)) return false;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple sum = ct_triple_scale(ct_block_times(&w->diagonal[i], x[i]), d->root[i]);
    for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++) {
      size_t j = w->columns[k];
      sum = ct_triple_add(sum, ct_triple_scale(ct_block_times(&w->blocks[k], x[j]), d->root[j]));
    }
    wx[i] = ct_triple_scale(sum, d->root[i]);
  }
  return true;
}

static ct_triple gradient_at(const apgd_state *d, const ct_triple *wx, size_t i) {
  ct_triple q = d->w->q[i];
  q.n += d->term[i];
  return ct_triple_add(wx[i], ct_triple_scale(q, d->root[i]));
}

/* Computes next = P(y - gradient / bound). The bound is raised until it is valid between y and
 * next. False: cancelled. */
static bool make_gradient_step(apgd_state *d) {
  assert(d->bound > 0.0);
  const ct_friction_work *w = d->w;
  for (int k = 0; k < DOUBLINGS_MAX; k++) {
    double curvature = 0.0, distance2 = 0.0;
    for (size_t i = 0; i < w->contacts; i++)
      d->next[i] = ct_cone_nearest(
          ct_triple_sub(d->y[i], ct_triple_scale(gradient_at(d, d->wy, i), 1.0 / d->bound)),
          w->mu[i]);
    if (!multiply_delassus(d, d->next, d->w_next)) return false;
    for (size_t i = 0; i < w->contacts; i++) {
      ct_triple moved = ct_triple_sub(d->next[i], d->y[i]);
      curvature += triple_dot(moved, ct_triple_sub(d->w_next[i], d->wy[i]));
      distance2 += ct_triple_norm2(moved);
    }
    if (curvature <= d->bound * distance2 * (1.0 + 1e-9)) break;
    d->bound = fmax(2.0 * d->bound, curvature / distance2);
  }
  d->bound = fmax(RELAX * d->bound, BOUND_MIN);
  return true;
}

static void swap_triples(ct_triple **a, ct_triple **b) {
  ct_triple *c = *a;
  *a = *b;
  *b = c;
}

/* Extrapolates y beyond the new x, in the direction of the last change. Restarts at x if the value
 * increases in this direction. */
static void accelerate_iterate(apgd_state *d) {
  assert(d->momentum >= 1.0);
  const ct_friction_work *w = d->w;
  double climbs = 0.0;
  for (size_t i = 0; i < w->contacts; i++)
    climbs += triple_dot(gradient_at(d, d->wy, i), ct_triple_sub(d->next[i], d->x[i]));
  swap_triples(&d->before, &d->x);
  swap_triples(&d->w_before, &d->wx);
  swap_triples(&d->x, &d->next);
  swap_triples(&d->wx, &d->w_next);
  double t = d->momentum, next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t)),
         on = climbs > 0.0 ? 0.0 : (t - 1.0) / next;
  d->momentum = climbs > 0.0 ? 1.0 : next;
  for (size_t i = 0; i < w->contacts; i++) {
    d->y[i] = ct_triple_add(d->x[i], ct_triple_scale(ct_triple_sub(d->x[i], d->before[i]), on));
    d->wy[i] =
        ct_triple_add(d->wx[i], ct_triple_scale(ct_triple_sub(d->wx[i], d->w_before[i]), on));
  }
}

/* Evaluates the residual at x, and updates de Saxce's term. */
static void evaluate_iterate(apgd_state *d) {
  ct_friction_work *w = d->w;
  for (size_t i = 0; i < w->contacts; i++) {
    w->r[i] = ct_cone_contains(ct_triple_scale(d->x[i], d->root[i]), w->mu[i]);
    ct_triple u = ct_triple_add(ct_triple_scale(d->wx[i], 1.0 / d->root[i]), w->q[i]);
    d->term[i] = w->mu[i] * ct_length2(u.s, u.t);
  }
  (void)ct_friction_evaluate(w);
}

static bool prepare_apgd(apgd_state *d) {
  ct_friction_work *w = d->w;
  size_t n = w->contacts;
  ct_triple **vectors[] = {&d->x, &d->wx, &d->before, &d->w_before,
                           &d->y, &d->wy, &d->next,   &d->w_next};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    *vectors[k] = ct_arena_alloc(w->arena, n, sizeof(ct_triple));
    if (!*vectors[k]) return false;
  }
  d->root = ct_arena_alloc_doubles(w->arena, n);
  d->term = ct_arena_alloc_doubles(w->arena, n);
  return d->root && d->term;
}

static ct_status run_apgd(apgd_state *d, uint64_t steps) {
  ct_friction_work *w = d->w;
  double mark = INFINITY;
  uint64_t evaluations = 0, mark_at = 0;
  /* Scale the start and evaluate it. */
  for (size_t i = 0; i < w->contacts; i++) {
    d->root[i] = sqrt(w->rho[i]);
    d->x[i] = d->y[i] = ct_triple_scale(w->r[i], 1.0 / d->root[i]);
  }
  if (!multiply_delassus(d, d->x, d->wx)) return CT_CANCELLED;
  for (size_t i = 0; i < w->contacts; i++) d->wy[i] = d->wx[i];
  evaluate_iterate(d);
  for (uint64_t k = 0;
       k < steps && w->iterations < w->iterations_max && w->best_residual > w->tolerance; k++) {
    /* Step; every EVALUATION_STEPS, evaluate the residual and test for progress. */
    if (!make_gradient_step(d)) return CT_CANCELLED;
    accelerate_iterate(d);
    w->iterations++;
    w->multiplied += ct_friction_entries(w);
    if ((k + 1) % EVALUATION_STEPS != 0 && k + 1 < steps && w->iterations < w->iterations_max)
      continue;
    evaluate_iterate(d);
    evaluations++;
    if (w->best_residual <= STALL_PART * mark) {
      mark = w->best_residual;
      mark_at = evaluations;
    }
    if (evaluations - mark_at > STALL_EVALUATIONS) break;
  }
  return CT_OK;
}

ct_status ct_friction_apgd(ct_friction_work *w, uint64_t steps) {
  ct_arena_mark mark = ct_arena_enter(w->arena);
  apgd_state d = {.w = w, .bound = 1.0, .momentum = 1.0};
  ct_status status = prepare_apgd(&d) ? run_apgd(&d, steps) : CT_OUT_OF_MEMORY;
  ct_arena_leave(w->arena, mark);
  return status;
}
