/* Semismooth Newton on all contacts at once: each is taken as open, sticking or sliding, as r - rho
 * u says, and the equations of that are solved together. Alart, Curnier 1991; Acary, Bremond, Huber
 * 2018.
 *
 * Where contacts are redundant W is singular: the equations get a part of r that falls with the
 * residual (Levenberg, Marquardt), so that forces that nothing decides stay where they are. A step
 * that does not help is shortened; a few may do harm; then the sweeps go on.
 */
#include "friction/friction_newton.h"

#include <string.h>

/* Halvings of a step before it is given up. */
#define HALVINGS 5
/* The added part: the residual times this, within these. Less would only add up rounding along
 * forces that nothing decides. */
#define DAMPING_PART 0.1
#define DAMPING_MIN 1e-10
#define DAMPING_MAX 1e-4
/* A step that takes off less than this is not worth its price. */
#define GAIN 0.9
/* A step that stops where a contact begins to slide helps by what it changes: it may make the
 * residual so many times what it was.
 */
#define SLIP_WORSE 16.0
/* Where there is little left, such a step may be so many times the whole one. */
#define SLIP_RESIDUAL 1e-6
#define SLIP_LENGTH_MAX 1e6
/* Steps that may make it worse, on the way from one set of open, sticking and sliding contacts to
 * another. */
#define WORSE_MAX 4

/* Multiplications in all eliminations of one solve: some ten seconds of them, and some milliseconds
 * that may come first. Entries of one matrix: 128 MiB. */
#define ELIMINATED_MAX 1e10
#define ELIMINATED_FREE 4e6
#define MATRIX_MAX 0x1p24

static bool pushes(const ct_friction_work *w, size_t i, ct_triple u) {
  return w->r[i].n - w->rho[i] * u.n > 0.0;
}

/* y = r_t - rho u_t of a contact, its length, and mu (r_n - rho u_n), the most of one that sticks.
 * Of one that is only taken as sliding, r_t, which lies on the border of its cone. */
typedef struct slide {
  double y[2], length, most;
} slide;

static slide slide_of(const ct_newton *n, size_t i, ct_triple u) {
  const ct_friction_work *w = n->w;
  double rho = w->rho[i];
  ct_triple r = w->r[i];
  slide s = {.y = {r.s - rho * u.s, r.t - rho * u.t}, .most = w->mu[i] * (r.n - rho * u.n)};
  s.length = ct_length2(s.y[0], s.y[1]);
  if (!n->slips[i] || s.length > s.most) return s;
  s.y[0] = r.s;
  s.y[1] = r.t;
  s.length = s.most = ct_length2(r.s, r.t);
  return s;
}

/* Sticking: rho (u + du) + damping dr = 0. Sliding: the same of the normal, and r_t + dr_t = mu
 * (r_n + dr_n) e, e the direction of y = r_t - rho u_t, which turns with dy: beta (1 - ee') dy. */
static ct_newton_equations equations_of(const ct_newton *n, size_t i, ct_triple u) {
  const ct_friction_work *w = n->w;
  double rho = w->rho[i], mu = w->mu[i];
  ct_triple r = w->r[i];
  slide s = slide_of(n, i, u);
  ct_newton_equations q = {.v = {rho}, .r = {n->damping}, .rhs = {-rho * u.n}};
  if (mu > 0.0 && s.length <= s.most && !n->slips[i]) {
    q.v[4] = q.v[8] = rho;
    q.r[4] = q.r[8] = n->damping;
    q.rhs[1] = -rho * u.s;
    q.rhs[2] = -rho * u.t;
    q.sticks = true;
    return q;
  }
  double beta = s.length > 0.0 ? s.most / s.length : 0.0;
  double e[2] = {s.length > 0.0 ? s.y[0] / s.length : 0.0,
                 s.length > 0.0 ? s.y[1] / s.length : 0.0};
  double across[4] = {beta * e[1] * e[1], -beta * e[0] * e[1], -beta * e[0] * e[1],
                      beta * e[0] * e[0]};
  for (int k = 0; k < 2; k++) {
    for (int m = 0; m < 2; m++) {
      q.v[3 * k + m + 4] = rho * across[2 * k + m];
      q.r[3 * k + m + 4] = (k == m ? 1.0 : 0.0) - across[2 * k + m];
    }
    q.r[3 * k + 3] = -mu * e[k];
  }
  q.rhs[1] = mu * r.n * e[0] - r.s;
  q.rhs[2] = mu * r.n * e[1] - r.t;
  return q;
}

/* Which contacts are active, and what they ask; open ones go to zero. */
static void ask(ct_newton *n) {
  ct_friction_work *w = n->w;
  n->count = 0;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple u =
        ct_triple_add(ct_friction_sum_others(w, w->r, i), ct_block_times(&w->diagonal[i], w->r[i]));
    n->from[i] = w->r[i];
    n->step[i] = ct_triple_scale(w->r[i], -1.0);
    n->place[i] = CT_NEWTON_OPEN;
    if (!pushes(w, i, u)) continue;
    n->place[i] = CT_NEWTON_WAITS;
    n->active[n->count++] = (uint32_t)i;
    n->asked[i] = equations_of(n, i, u);
  }
}

/* V W of one block into the matrix, or, of an open contact, times its step from the right-hand
 * side. */
static void add_block(ct_newton *n, size_t row, const ct_block *block, size_t contact) {
  const double *v = n->asked[n->active[row]].v, *m = block->m;
  if (n->place[contact] == CT_NEWTON_OPEN) {
    ct_triple du = ct_block_times(block, n->step[contact]);
    for (size_t k = 0; k < 3; k++)
      n->rhs[3 * row + k] -= v[3 * k] * du.n + v[3 * k + 1] * du.s + v[3 * k + 2] * du.t;
    return;
  }
  size_t column = 3 * (size_t)n->place[contact];
  for (size_t k = 0; k < 3; k++) {
    double *out = ct_newton_at(n, 3 * row + k, column);
    for (size_t c = 0; c < 3; c++)
      out[c] = v[3 * k] * m[c] + v[3 * k + 1] * m[3 + c] + v[3 * k + 2] * m[6 + c];
  }
}

static void assemble(ct_newton *n) {
  const ct_friction_work *w = n->w;
  memset(n->matrix, 0, 3 * n->count * n->width * sizeof *n->matrix);
  for (size_t row = 0; row < n->count; row++) {
    size_t i = n->active[row];
    for (size_t k = 0; k < 3; k++) n->rhs[3 * row + k] = n->asked[i].rhs[k];
    for (size_t e = w->starts[i]; e < w->starts[i + 1]; e++)
      add_block(n, row, &w->blocks[e], w->columns[e]);
    add_block(n, row, &w->diagonal[i], i);
    for (size_t k = 0; k < 3; k++)
      for (size_t c = 0; c < 3; c++)
        *ct_newton_at(n, 3 * row + k, 3 * row + c) += n->asked[i].r[3 * k + c];
  }
}

static void go(ct_newton *n, double length) {
  ct_friction_work *w = n->w;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple r = ct_triple_add(n->from[i], ct_triple_scale(n->step[i], length));
    w->r[i] = ct_cone_contains(ct_cone_nearest(r, w->mu[i]), w->mu[i]);
  }
  n->residual = ct_friction_evaluate(w);
}

/* The part of the step after which the sticking contact reaches its cone of friction, INFINITY
 * where it never does: the first root of a x^2 + 2 b x + c, c < 0 inside. */
static double until_slip(const ct_newton *n, size_t i) {
  double mu = n->w->mu[i];
  ct_triple r = n->from[i], d = n->step[i];
  double a = d.s * d.s + d.t * d.t - mu * mu * d.n * d.n,
         b = r.s * d.s + r.t * d.t - mu * mu * r.n * d.n,
         c = r.s * r.s + r.t * r.t - mu * mu * r.n * r.n, root = b * b - a * c;
  if (!(c < 0.0) || !(root >= 0.0)) return INFINITY;
  root = sqrt(root);
  if (b > 0.0) return -c / (b + root);
  return a > 0.0 ? (root - b) / a : INFINITY;
}

/* Where contacts that stick ask for velocities that no bodies could have, by gaps that they are to
 * close, forces between them grow until one slides, by very little: the step goes to where the
 * first one begins to, which is then taken as sliding. */
static bool try_slip(ct_newton *n, double before) {
  const ct_friction_work *w = n->w;
  double length = before < SLIP_RESIDUAL ? SLIP_LENGTH_MAX : 1.0;
  size_t first = w->contacts;
  for (size_t k = 0; k < n->count; k++) {
    size_t i = n->active[k];
    double until = w->mu[i] > 0.0 && n->asked[i].sticks ? until_slip(n, i) : INFINITY;
    if (until > 0.0 && until < length) {
      length = until;
      first = i;
    }
  }
  if (first == w->contacts) return false;
  go(n, length);
  n->slips[first] = n->residual <= SLIP_WORSE * before;
  return n->slips[first];
}

/* The whole step, or to where a contact slips, or the longest of its halves that lessens the
 * residual; the least harmful of them where none does. False: enough. */
static bool try_step(ct_newton *n) {
  double before = n->residual, length = 1.0, best = 1.0, least = INFINITY;
  go(n, length);
  if (n->residual <= GAIN * before) {
    memset(n->slips, 0, n->w->contacts * sizeof *n->slips);
    return true;
  }
  if (try_slip(n, before)) return true;
  for (int k = 0; k <= HALVINGS; k++, length *= 0.5) {
    go(n, length);
    if (n->residual <= GAIN * before) return true;
    if (n->residual < least) {
      least = n->residual;
      best = length;
    }
  }
  go(n, best);
  return ++n->worse < WORSE_MAX;
}

static bool take_memory(ct_newton *n, size_t contacts) {
  ct_arena *s = n->w->arena;
  n->from = ct_arena_alloc(s, contacts, sizeof *n->from);
  n->step = ct_arena_alloc(s, contacts, sizeof *n->step);
  n->place = ct_arena_alloc(s, contacts, sizeof *n->place);
  n->degree = ct_arena_alloc(s, contacts, sizeof *n->degree);
  n->active = ct_arena_alloc(s, contacts, sizeof *n->active);
  n->queue = ct_arena_alloc(s, contacts, sizeof *n->queue);
  n->asked = ct_arena_alloc(s, contacts, sizeof *n->asked);
  n->slips = ct_arena_alloc(s, contacts, sizeof *n->slips);
  n->rhs = ct_arena_alloc_doubles(s, 3 * contacts);
  return n->from && n->step && n->place && n->degree && n->active && n->queue && n->asked &&
         n->slips && n->rhs;
}

/* Whether the band is small enough in memory, and the steps so far with this one cost no more than
 * all else did. */
static bool affords(ct_newton *n) {
  ct_friction_work *w = n->w;
  double rows = 3.0 * (double)n->count, band = (double)n->band,
         all = w->eliminated + 2.0 * rows * band * band;
  if (rows * (double)n->width > MATRIX_MAX ||
      all > fmin(ELIMINATED_MAX, ELIMINATED_FREE + w->multiplied))
    return false;
  w->eliminated = all;
  return true;
}

static ct_status step(ct_newton *n, bool *helped) {
  ct_friction_work *w = n->w;
  *helped = false;
  n->damping = fmax(DAMPING_MIN, fmin(DAMPING_PART * n->residual, DAMPING_MAX));
  ask(n);
  n->band = 3 * ct_newton_order(n) + 2;
  n->width = 3 * n->band + 1;
  if (!affords(n)) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(w->arena);
  n->matrix = ct_arena_alloc_doubles(w->arena, 3 * n->count * n->width);
  if (!n->matrix) return CT_OUT_OF_MEMORY;
  assemble(n);
  bool solved = ct_newton_eliminate(n);
  ct_arena_leave(w->arena, mark);
  if (ct_cancel_raised(w->cancel)) return CT_CANCELLED;
  for (size_t k = 0; solved && k < n->count; k++)
    n->step[n->active[k]] = (ct_triple){n->rhs[3 * k], n->rhs[3 * k + 1], n->rhs[3 * k + 2]};
  *helped = solved && try_step(n);
  w->iterations++;
  return CT_OK;
}

ct_status ct_friction_newton(ct_friction_work *w, uint64_t steps) {
  ct_newton n = {.w = w};
  ct_arena_mark mark = ct_arena_enter(w->arena);
  ct_status status = take_memory(&n, w->contacts) ? CT_OK : CT_OUT_OF_MEMORY;
  bool helped = true;
  if (status == CT_OK) memset(n.slips, 0, w->contacts * sizeof *n.slips);
  n.residual = ct_friction_evaluate(w);
  for (uint64_t k = 0; status == CT_OK && helped && k < steps && w->iterations < w->iterations_max;
       k++) {
    if (w->best_residual <= w->tolerance) break;
    status = step(&n, &helped);
  }
  ct_arena_leave(w->arena, mark);
  return status;
}
