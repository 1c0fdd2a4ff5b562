/* Semismooth Newton method on all contacts at once. The signs of r - rho u classify each contact as
 * open, sticking or sliding, and the linear equations of this classification are solved together.
 * Alart, Curnier 1991; Acary, Bremond, Huber 2018.
 *
 * W is singular if contacts are redundant. The equations are damped by a multiple of r that
 * decreases with the residual (Levenberg, Marquardt), so that undetermined forces do not change. A
 * step that does not reduce the residual is shortened; a few steps may increase it; then the method
 * ends.
 *
 * The active contacts (those that are not open) are ordered so that contacts of one body are close:
 * breadth first from an end of each connected group, contacts with few neighbours first, then
 * reversed (Cuthill, McKee 1969; George, Liu 1981). Their equations form a band matrix, which is
 * solved by elimination with row exchanges (Golub, Van Loan, Matrix Computations, 4.3). If every
 * contact is coupled with every other, the band is the whole matrix. */
#include "friction/friction.h"

#include <assert.h>
#include <string.h>

/* Values of `place` for contacts without an index among the active ones: open; not visited yet;
 * queued. */
#define PLACE_OPEN UINT32_MAX
#define PLACE_WAITING (UINT32_MAX - 1)
#define PLACE_QUEUED (UINT32_MAX - 2)

/* Linear equations of one active contact for the changes dr of its force and du of its velocity: V
 * du + R dr = rhs. */
typedef struct newton_equations {
  double v[9], r[9], rhs[3];
  bool sticks;
} newton_equations;

typedef struct newton_system {
  ct_friction_work *w;
  ct_triple *from, *step; /* [contacts] */
  /* place: [contacts] index among the active contacts, or a mark; degree: [contacts] number of
   * active neighbours */
  uint32_t *place, *degree;
  /* [contacts] the active contacts, and a queue of them; the first `count` entries are valid */
  uint32_t *active, *queue;
  newton_equations *equations; /* [contacts] equations of the active contacts */
  /* [contacts] true: treated as sliding, although r - rho u indicates sticking, until a step
   * reduces the residual */
  bool *slips;
  /* [3 count * width] band matrix; [3 count] right-hand side, which the solution replaces */
  double *matrix, *rhs;
  /* band: largest distance of an entry from the diagonal; width: number of entries stored per
   * row */
  size_t count, band, width;
  double damping, residual; /* factor of r in the damped equations; residual of w->r */
  int worse;                /* number of steps that increased the residual */
} newton_system;

/* Address of the matrix entry i, j. A row is stored from `band` entries to the left of its diagonal
 * to 2 band to the right, which includes fill-in by row exchanges. */
static double *newton_entry(const newton_system *n, size_t i, size_t j) {
  assert(j + n->band >= i && j + n->band - i < n->width);
  return n->matrix + i * n->width + (j + n->band - i);
}

/* ---- order of contacts ----------------------------------------------------------------------- */

/* Appends the contacts coupled with `contact` that have not been visited to the queue, by degree,
 * then by index. Returns the new end of the queue. */
static size_t append_neighbours(const newton_system *n, uint32_t contact, uint32_t *queue,
                                size_t end) {
  const ct_friction_work *w = n->w;
  size_t first = end;
  for (size_t k = w->starts[contact]; k < w->starts[contact + 1]; k++) {
    uint32_t j = w->columns[k];
    if (n->place[j] != PLACE_WAITING) continue;
    n->place[j] = PLACE_QUEUED;
    size_t at = end++;
    for (; at > first && n->degree[queue[at - 1]] > n->degree[j]; at--) queue[at] = queue[at - 1];
    queue[at] = j;
  }
  return end;
}

/* Traverses all contacts connected with `root`, breadth first, into queue[begin] and following;
 * returns the end of the queue. */
static size_t traverse_contacts(const newton_system *n, uint32_t root, uint32_t *queue,
                                size_t begin) {
  assert(n->place[root] == PLACE_WAITING);
  size_t end = begin;
  queue[end++] = root;
  n->place[root] = PLACE_QUEUED;
  for (size_t at = begin; at < end; at++) end = append_neighbours(n, queue[at], queue, end);
  return end;
}

/* Orders the active contacts. Returns the greatest distance in this order between two coupled
 * contacts. */
static size_t order_contacts(newton_system *n) {
  const ct_friction_work *w = n->w;
  size_t count = 0;
  for (size_t k = 0; k < n->count; k++) {
    uint32_t i = n->active[k];
    n->degree[i] = 0;
    for (size_t e = w->starts[i]; e < w->starts[i + 1]; e++)
      n->degree[i] += n->place[w->columns[e]] != PLACE_OPEN;
  }
  for (size_t k = 0; k < n->count; k++) {
    if (n->place[n->active[k]] != PLACE_WAITING) continue;
    /* The last contact of a breadth-first traversal from any contact is at an end of its connected
     * group. */
    size_t end = traverse_contacts(n, n->active[k], n->queue, count);
    uint32_t last = n->queue[end - 1];
    for (size_t at = count; at < end; at++) n->place[n->queue[at]] = PLACE_WAITING;
    count = traverse_contacts(n, last, n->queue, count);
  }
  for (size_t k = 0; k < count; k++) {
    n->active[k] = n->queue[count - 1 - k];
    n->place[n->active[k]] = (uint32_t)k;
  }
  assert(count == n->count);
  size_t band = 0;
  for (size_t k = 0; k < count; k++)
    for (size_t e = w->starts[n->active[k]]; e < w->starts[n->active[k] + 1]; e++) {
      uint32_t j = n->place[w->columns[e]];
      if (j == PLACE_OPEN) continue;
      size_t apart = j > k ? j - k : k - j;
      if (apart > band) band = apart;
    }
  return band;
}

/* ---- band elimination ------------------------------------------------------------------------ */

/* Number of columns between two polls of the cancel flag. */
#define POLL_COLUMNS 16u

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Exchanges row k with the row below that has the greatest entry in column k. reach: last column of
 * the rows so far; returns the last column to which the rows extend afterwards. */
static size_t exchange_pivot_row(newton_system *n, size_t k, size_t size, size_t reach) {
  assert(k < size);
  size_t best = k, last = smaller(size - 1, k + n->band);
  for (size_t i = k + 1; i <= last; i++)
    if (fabs(*newton_entry(n, i, k)) > fabs(*newton_entry(n, best, k))) best = i;
  size_t wide = smaller(size - 1, best + n->band);
  if (wide > reach) reach = wide;
  if (best == k) return reach;
  for (size_t j = k; j <= reach; j++) {
    double *a = newton_entry(n, k, j), *b = newton_entry(n, best, j), t = *a;
    *a = *b;
    *b = t;
  }
  double t = n->rhs[k];
  n->rhs[k] = n->rhs[best];
  n->rhs[best] = t;
  return reach;
}

static bool substitute_back(newton_system *n, size_t size) {
  for (size_t k = size; k-- > 0;) {
    const double *row = newton_entry(n, k, k);
    double sum = n->rhs[k];
    for (size_t j = 1, end = smaller(size - 1 - k, 2 * n->band); j <= end; j++)
      sum -= row[j] * n->rhs[k + j];
    n->rhs[k] = sum / row[0];
    if (!(fabs(n->rhs[k]) < INFINITY)) return false;
  }
  return true;
}

/* Solves the band system; the solution replaces rhs. False: cancelled, or the matrix is
 * singular. */
static bool eliminate_band(newton_system *n) {
  size_t size = 3 * n->count, reach = 0;
  for (size_t k = 0; k < size; k++) {
    if (k % POLL_COLUMNS == 0 && ct_cancel_raised(n->w->cancel)) return false;
    reach = exchange_pivot_row(n, k, size, reach);
    const double *pivot = newton_entry(n, k, k);
    if (!(fabs(pivot[0]) > 0.0)) return false;
    for (size_t i = k + 1, last = smaller(size - 1, k + n->band); i <= last; i++) {
      double *row = newton_entry(n, i, k), part = row[0] / pivot[0];
      if (part == 0.0) continue;
      for (size_t j = 1; j <= reach - k; j++) row[j] -= part * pivot[j];
      n->rhs[i] -= part * n->rhs[k];
    }
  }
  return substitute_back(n, size);
}

/* ---- Newton's method ------------------------------------------------------------------------- */

/* Largest number of halvings of a step before it is rejected. */
#define HALVINGS 5
/* Damping: the fraction DAMPING_PART of the residual, within these limits. Less damping would only
 * accumulate round-off along undetermined forces. */
#define DAMPING_PART 0.1
#define DAMPING_MIN 1e-10
#define DAMPING_MAX 1e-4
/* A step is accepted if it reduces the residual to at most this fraction. */
#define GAIN 0.9
/* A step to the force at which a contact begins to slide may increase the residual by this factor,
 * because it changes the set of sliding contacts. */
#define SLIP_WORSE 16.0
/* If the residual is below this, a step to the onset of sliding may be SLIP_LENGTH_MAX times the
 * whole step. */
#define SLIP_RESIDUAL 1e-6
#define SLIP_LENGTH_MAX 1e6
/* Largest number of steps that may increase the residual while the sets of open, sticking and
 * sliding contacts change. */
#define WORSE_MAX 4

/* Limits: multiplications in all eliminations of one solve, some ten seconds; multiplications that
 * are permitted before sweeps have needed as many, some milliseconds; entries of one matrix, 128
 * MiB. */
#define ELIMINATED_MAX 1e10
#define ELIMINATED_FREE 4e6
#define MATRIX_MAX 0x1p24

static bool is_pushing(const ct_friction_work *w, size_t i, ct_triple u) {
  return w->r[i].n - w->rho[i] * u.n > 0.0;
}

/* Direction in which a contact slides: y = r_t - rho u_t, its length, and the greatest length with
 * which the contact sticks, most = mu (r_n - rho u_n). For a contact that is only treated as
 * sliding, y = r_t on the boundary of its cone. */
typedef struct slip_direction {
  double y[2], length, most;
} slip_direction;

static slip_direction sliding_direction(const newton_system *n, size_t i, ct_triple u) {
  const ct_friction_work *w = n->w;
  double rho = w->rho[i];
  ct_triple r = w->r[i];
  slip_direction s = {.y = {r.s - rho * u.s, r.t - rho * u.t},
                      .most = w->mu[i] * (r.n - rho * u.n)};
  s.length = ct_length2(s.y[0], s.y[1]);
  if (!n->slips[i] || s.length > s.most) return s;
  s.y[0] = r.s;
  s.y[1] = r.t;
  s.length = s.most = ct_length2(r.s, r.t);
  return s;
}

/* Equations of one contact. Sticking: rho (u + du) + damping dr = 0. Sliding: the same for the
 * normal component, and r_t + dr_t = mu (r_n + dr_n) e, where e is the direction of y = r_t - rho
 * u_t, which changes with dy by beta (1 - ee') dy. */
static newton_equations contact_equations(const newton_system *n, size_t i, ct_triple u) {
  const ct_friction_work *w = n->w;
  double rho = w->rho[i], mu = w->mu[i];
  ct_triple r = w->r[i];
  slip_direction s = sliding_direction(n, i, u);
  newton_equations q = {.v = {rho}, .r = {n->damping}, .rhs = {-rho * u.n}};
  /* Sticking. */
  if (mu > 0.0 && s.length <= s.most && !n->slips[i]) {
    q.v[4] = q.v[8] = rho;
    q.r[4] = q.r[8] = n->damping;
    q.rhs[1] = -rho * u.s;
    q.rhs[2] = -rho * u.t;
    q.sticks = true;
    return q;
  }
  /* Sliding. */
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

/* Selects the active contacts and computes their equations. The step of open contacts changes their
 * forces to zero. */
static void select_active_contacts(newton_system *n) {
  ct_friction_work *w = n->w;
  n->count = 0;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple u =
        ct_triple_add(ct_friction_sum_others(w, w->r, i), ct_block_times(&w->diagonal[i], w->r[i]));
    n->from[i] = w->r[i];
    n->step[i] = ct_triple_scale(w->r[i], -1.0);
    n->place[i] = PLACE_OPEN;
    if (!is_pushing(w, i, u)) continue;
    n->place[i] = PLACE_WAITING;
    n->active[n->count++] = (uint32_t)i;
    n->equations[i] = contact_equations(n, i, u);
  }
}

/* Adds V W of one block to the matrix, in the rows of the active contact `row`. For an open
 * contact, whose step is known, subtracts the product with this step from the right-hand side
 * instead. */
static void add_newton_block(newton_system *n, size_t row, const ct_block *block, size_t contact) {
  assert(row < n->count);
  const double *v = n->equations[n->active[row]].v, *m = block->m;
  if (n->place[contact] == PLACE_OPEN) {
    ct_triple du = ct_block_times(block, n->step[contact]);
    for (size_t k = 0; k < 3; k++)
      n->rhs[3 * row + k] -= v[3 * k] * du.n + v[3 * k + 1] * du.s + v[3 * k + 2] * du.t;
    return;
  }
  size_t column = 3 * (size_t)n->place[contact];
  for (size_t k = 0; k < 3; k++) {
    double *out = newton_entry(n, 3 * row + k, column);
    for (size_t c = 0; c < 3; c++)
      out[c] = v[3 * k] * m[c] + v[3 * k + 1] * m[3 + c] + v[3 * k + 2] * m[6 + c];
  }
}

static void assemble_newton_system(newton_system *n) {
  const ct_friction_work *w = n->w;
  memset(n->matrix, 0, 3 * n->count * n->width * sizeof *n->matrix);
  for (size_t row = 0; row < n->count; row++) {
    size_t i = n->active[row];
    for (size_t k = 0; k < 3; k++) n->rhs[3 * row + k] = n->equations[i].rhs[k];
    for (size_t e = w->starts[i]; e < w->starts[i + 1]; e++)
      add_newton_block(n, row, &w->blocks[e], w->columns[e]);
    add_newton_block(n, row, &w->diagonal[i], i);
    for (size_t k = 0; k < 3; k++)
      for (size_t c = 0; c < 3; c++)
        *newton_entry(n, 3 * row + k, 3 * row + c) += n->equations[i].r[3 * k + c];
  }
}

static void move_by_step(newton_system *n, double length) {
  ct_friction_work *w = n->w;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple r = ct_triple_add(n->from[i], ct_triple_scale(n->step[i], length));
    w->r[i] = ct_cone_contains(ct_cone_nearest(r, w->mu[i]), w->mu[i]);
  }
  n->residual = ct_friction_evaluate(w);
}

/* Returns the fraction of the step after which a sticking contact reaches the boundary of its cone,
 * INFINITY if it never does: the first root of a x^2 + 2 b x + c, where c < 0 inside the cone. */
static double length_until_slip(const newton_system *n, size_t i) {
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

/* Tries a step to the onset of sliding, if the equations of sticking contacts have no common
 * solution because their gaps are to close at incompatible velocities. Forces between such contacts
 * grow until one of them slides by very little. The step ends when the first contact begins to
 * slide, which is then treated as sliding. False: no contact begins to slide, or the residual
 * increases too much. */
static bool try_slip_step(newton_system *n, double before) {
  const ct_friction_work *w = n->w;
  double length = before < SLIP_RESIDUAL ? SLIP_LENGTH_MAX : 1.0;
  size_t first = w->contacts;
  for (size_t k = 0; k < n->count; k++) {
    size_t i = n->active[k];
    double until = w->mu[i] > 0.0 && n->equations[i].sticks ? length_until_slip(n, i) : INFINITY;
    if (until > 0.0 && until < length) {
      length = until;
      first = i;
    }
  }
  if (first == w->contacts) return false;
  move_by_step(n, length);
  n->slips[first] = n->residual <= SLIP_WORSE * before;
  return n->slips[first];
}

/* Tries the whole step, then the step to the onset of sliding, then halved steps until one reduces
 * the residual. If none does, makes the one with the least residual. False: too many steps have
 * increased the residual. */
static bool try_newton_step(newton_system *n) {
  double before = n->residual, length = 1.0, best = 1.0, least = INFINITY;
  move_by_step(n, length);
  if (n->residual <= GAIN * before) {
    memset(n->slips, 0, n->w->contacts * sizeof *n->slips);
    return true;
  }
  if (try_slip_step(n, before)) return true;
  for (int k = 0; k <= HALVINGS; k++, length *= 0.5) {
    move_by_step(n, length);
    if (n->residual <= GAIN * before) return true;
    if (n->residual < least) {
      least = n->residual;
      best = length;
    }
  }
  move_by_step(n, best);
  return ++n->worse < WORSE_MAX;
}

static bool allocate_newton(newton_system *n, size_t contacts) {
  ct_arena *s = n->w->arena;
  n->from = ct_arena_alloc(s, contacts, sizeof *n->from);
  n->step = ct_arena_alloc(s, contacts, sizeof *n->step);
  n->place = ct_arena_alloc(s, contacts, sizeof *n->place);
  n->degree = ct_arena_alloc(s, contacts, sizeof *n->degree);
  n->active = ct_arena_alloc(s, contacts, sizeof *n->active);
  n->queue = ct_arena_alloc(s, contacts, sizeof *n->queue);
  n->equations = ct_arena_alloc(s, contacts, sizeof *n->equations);
  n->slips = ct_arena_alloc(s, contacts, sizeof *n->slips);
  n->rhs = ct_arena_alloc_doubles(s, 3 * contacts);
  return n->from && n->step && n->place && n->degree && n->active && n->queue && n->equations &&
         n->slips && n->rhs;
}

/* True if the band matrix is within its memory limit, and the Newton steps including this one need
 * no more multiplications than the sweeps so far. */
static bool is_work_affordable(newton_system *n) {
  ct_friction_work *w = n->w;
  double rows = 3.0 * (double)n->count, band = (double)n->band,
         all = w->eliminated + 2.0 * rows * band * band;
  if (rows * (double)n->width > MATRIX_MAX ||
      all > fmin(ELIMINATED_MAX, ELIMINATED_FREE + w->multiplied))
    return false;
  w->eliminated = all;
  return true;
}

static ct_status make_newton_step(newton_system *n, bool *helped) {
  ct_friction_work *w = n->w;
  *helped = false;
  n->damping = fmax(DAMPING_MIN, fmin(DAMPING_PART * n->residual, DAMPING_MAX));
  select_active_contacts(n);
  n->band = 3 * order_contacts(n) + 2;
  n->width = 3 * n->band + 1;
  if (!is_work_affordable(n)) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(w->arena);
  n->matrix = ct_arena_alloc_doubles(w->arena, 3 * n->count * n->width);
  if (!n->matrix) return CT_OUT_OF_MEMORY;
  assemble_newton_system(n);
  bool solved = eliminate_band(n);
  ct_arena_leave(w->arena, mark);
  if (ct_cancel_raised(w->cancel)) return CT_CANCELLED;
  for (size_t k = 0; solved && k < n->count; k++)
    n->step[n->active[k]] = (ct_triple){n->rhs[3 * k], n->rhs[3 * k + 1], n->rhs[3 * k + 2]};
  *helped = solved && try_newton_step(n);
  w->iterations++;
  return CT_OK;
}

ct_status ct_friction_newton(ct_friction_work *w, uint64_t steps) {
  newton_system n = {.w = w};
  ct_arena_mark mark = ct_arena_enter(w->arena);
  ct_status status = allocate_newton(&n, w->contacts) ? CT_OK : CT_OUT_OF_MEMORY;
  bool helped = true;
  if (status == CT_OK) memset(n.slips, 0, w->contacts * sizeof *n.slips);
  n.residual = ct_friction_evaluate(w);
  for (uint64_t k = 0; status == CT_OK && helped && k < steps && w->iterations < w->iterations_max;
       k++) {
    if (w->best_residual <= w->tolerance) break;
    status = make_newton_step(&n, &helped);
  }
  ct_arena_leave(w->arena, mark);
  return status;
}
