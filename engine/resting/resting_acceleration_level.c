/* Resting contacts with friction, at acceleration level: those that slide have a friction of known
 * direction, -mu f_n t, which joins their normal's column and makes the matrix unsymmetric; those
 * that stick may begin to slide. There may be no forces (Painleve: inconsistent), or several that
 * give different accelerations (indeterminate).
 */
#include "linear/least_norm.h"
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

/* Accelerations that differ by more than this part of the free ones are two answers; forces and
 * accelerations that are wrong by less than this part are not. */
#define DIFFERENT 1e-9
/* Contacts for which all answers are looked for, one choice of closed contacts after the other. */
#define ENUMERATED_MAX 8

/* The system of normal forces alone, where the direction of all friction is known. */
typedef struct sliding {
  const ct_resting *resting;
  const ct_resting_problem *problem;
  size_t count;
  double *matrix, *q; /* [count count], [count] normal rows */
  double *f, *first,
      *other; /* [count] forces; [3 count] accelerations of the answer and of another one */
  double *block, *right, *out; /* for solving some of the rows */
} sliding;

/* Direction of the slip times its friction, in the contact's axes; zero for one that sticks. */
static ct_vec3 drag(const ct_resting *resting, size_t i) {
  const ct_contact *contact = &resting->set->contacts[resting->active[i]];
  const ct_contact_velocity *velocity = &resting->result->contacts[resting->active[i]].velocity;
  if (!velocity->sliding) return ct_vec(0.0, 0.0, 0.0);
  return ct_mat_mul(
      ct_resting_axes(contact),
      ct_scale(velocity->tangential, contact->material.dynamic_friction / velocity->slip));
}

/* Columns with the friction of what slides folded into its normal's; rows as they were. Contacts
 * that slide have no other friction, contacts that stick their static one. */
static ct_status fold(const ct_resting *resting, ct_resting_problem *problem) {
  size_t rows = problem->friction.matrix.size;
  double *folded = ct_arena_alloc_doubles(resting->arena, rows * rows + 1);
  if (!folded) return CT_OUT_OF_MEMORY;
  for (size_t e = 0; e < rows * rows; e++) folded[e] = problem->friction.matrix.dense[e];
  for (size_t j = 0; j < resting->count; j++) {
    if (!resting->result->contacts[resting->active[j]].velocity.sliding) continue;
    ct_vec3 way = drag(resting, j);
    problem->mu[j] = 0.0;
    for (size_t i = 0; i < rows; i++) {
      double *row = &folded[i * rows + CT_RESTING_PARTS * j];
      row[0] -= row[1] * way.y + row[2] * way.z;
    }
  }
  problem->friction.matrix.dense = folded;
  return CT_OK;
}

/* Normal forces of contacts that slide bring their friction along. */
static void unfold(ct_resting *resting) {
  for (size_t i = 0; i < resting->count; i++) {
    ct_vec3 way = drag(resting, i);
    double *f = &resting->forces[i * CT_RESTING_PARTS];
    f[1] -= way.y * f[0];
    f[2] -= way.z * f[0];
  }
}

static bool open_sliding(ct_resting *resting, const ct_resting_problem *problem, sliding *s) {
  size_t n = resting->count, rows = problem->friction.matrix.size;
  double *memory = ct_arena_alloc_doubles(resting->arena, 2 * n * n + 10 * n + 1);
  if (!memory) return false;
  *s = (sliding){.resting = resting,
                 .problem = problem,
                 .count = n,
                 .matrix = memory,
                 .block = memory + n * n};
  double **places[] = {&s->q, &s->f, &s->right, &s->out};
  for (size_t i = 0; i < 4; i++) *places[i] = memory + 2 * n * n + i * n;
  s->first = memory + 2 * n * n + 4 * n;
  s->other = s->first + 3 * n;
  for (size_t i = 0; i < n; i++) {
    s->q[i] = problem->q[3 * i];
    for (size_t j = 0; j < n; j++)
      s->matrix[i * n + j] = problem->friction.matrix.dense[3 * i * rows + 3 * j];
  }
  return true;
}

/* Accelerations of all contacts' points under the normal forces s->f. */
static void accelerate(const sliding *s, double *out) {
  size_t rows = 3 * s->count;
  for (size_t r = 0; r < rows; r++) {
    out[r] = s->problem->q[r];
    for (size_t j = 0; j < s->count; j++)
      out[r] += s->problem->friction.matrix.dense[r * rows + 3 * j] * s->f[j];
  }
}

/* Normal forces with which the closed contacts neither part nor approach. False: there are none, or
 * many, or they are no answer. */
static bool try_closed(const sliding *s, unsigned closed, bool *memory_had) {
  size_t n = s->count, size = 0, of[ENUMERATED_MAX], rank = 0;
  for (size_t i = 0; i < n; i++) {
    s->f[i] = 0.0;
    if (closed >> i & 1u) of[size++] = i;
  }
  for (size_t r = 0; r < size; r++) s->right[r] = -s->q[of[r]];
  for (size_t c = 0; c < size; c++)
    for (size_t r = 0; r < size; r++) s->block[c * size + r] = s->matrix[of[r] * n + of[c]];
  *memory_had = size == 0 || ct_least_norm(&(ct_equations){size, size, s->block, s->right}, s->out,
                                           &rank, s->resting->arena);
  if (!*memory_had || rank < size) return false;
  double most = 0.0;
  for (size_t k = 0; k < size; k++) most = fmax(most, fabs(s->f[of[k]] = s->out[k]));
  accelerate(s, s->other);
  for (size_t i = 0; i < n; i++)
    if (s->f[i] < -DIFFERENT * most || s->other[3 * i] < -DIFFERENT * s->problem->scale)
      return false;
  return true;
}

static bool differs(const sliding *s) {
  for (size_t r = 0; r < 3 * s->count; r++)
    if (fabs(s->first[r] - s->other[r]) > DIFFERENT * s->problem->scale) return true;
  return false;
}

/* Whether other forces give other accelerations: all choices of closed contacts are looked at. */
static ct_status look_for_others(sliding *s, bool *found) {
  *found = false;
  if (s->count > ENUMERATED_MAX) return CT_OK;
  for (size_t i = 0; i < s->count; i++) s->f[i] = s->resting->forces[CT_RESTING_PARTS * i];
  accelerate(s, s->first);
  for (unsigned closed = 0; closed < 1u << s->count && !*found; closed++) {
    bool memory_had;
    *found = try_closed(s, closed, &memory_had) && differs(s);
    if (!memory_had) return CT_OUT_OF_MEMORY;
  }
  return CT_OK;
}

static ct_resting_status status_of(ct_lcp_status status) {
  if (status == CT_LCP_STATUS_INFEASIBLE || status == CT_LCP_STATUS_EXHAUSTED)
    return CT_RESTING_STATUS_INCONSISTENT;
  return status == CT_LCP_STATUS_OK ? CT_RESTING_STATUS_OK : CT_RESTING_STATUS_NOT_CONVERGED;
}

/* Gaps that close by the round-off of their accelerations alone, of loads along a surface that is
 * turned anyhow, are no reason for forces that cannot be. */
static void allow_gap_roundoff(const ct_resting *resting, double *q) {
  for (size_t i = 0; i < resting->count; i++)
    q[i] += ct_contact_rate_roundoff(resting->set, &resting->set->contacts[resting->active[i]],
                                     CT_RATE_ACCELERATION);
}

/* All friction has a known direction: a linear complementarity problem. */
static ct_status solve_sliding(ct_resting *resting, const ct_resting_problem *problem) {
  sliding s;
  size_t n = resting->count;
  double *vectors = ct_arena_alloc_doubles(resting->arena, 2 * n);
  if (!vectors || !open_sliding(resting, problem, &s)) return CT_OUT_OF_MEMORY;
  ct_lcp lcp = {.matrix = {.size = n, .dense = s.matrix}, .q = s.q};
  ct_lcp_options options = {.tolerance = resting->options->tolerance,
                            .iterations_max = resting->options->iterations_max,
                            .cancel = resting->options->cancel};
  ct_lcp_result solved = {.z = vectors, .w = vectors + n};
  ct_status status = ct_lcp_solve(&lcp, &options, resting->arena, &solved);
  if (status == CT_OK && status_of(solved.status) == CT_RESTING_STATUS_INCONSISTENT) {
    allow_gap_roundoff(resting, s.q);
    status = ct_lcp_solve(&lcp, &options, resting->arena, &solved);
  }
  if (status != CT_OK) return status;
  ct_resting_result *reported = resting->result;
  reported->status = status_of(solved.status);
  reported->converged = solved.converged;
  reported->residual = solved.residual;
  reported->iterations = solved.iterations;
  reported->method = ct_resting_lcp_word(solved.method);
  for (size_t i = 0; i < n; i++)
    resting->forces[CT_RESTING_PARTS * i] = solved.converged ? solved.z[i] : 0.0;
  bool others = false;
  if (solved.converged) status = look_for_others(&s, &others);
  if (others) reported->status = CT_RESTING_STATUS_INDETERMINATE;
  return status;
}

ct_status ct_resting_slide(ct_resting *resting, ct_resting_problem *problem) {
  if (!problem->friction.matrix.dense) return CT_LIMIT;
  const double *unfolded = problem->friction.matrix.dense;
  ct_status status = fold(resting, problem);
  bool some_stick = false;
  for (size_t i = 0; i < resting->count; i++) some_stick = some_stick || problem->mu[i] > 0.0;
  if (status == CT_OK)
    status =
        some_stick ? ct_resting_friction_run(resting, problem) : solve_sliding(resting, problem);
  if (status == CT_OK) unfold(resting);
  problem->friction.matrix.dense = unfolded;
  return status;
}
