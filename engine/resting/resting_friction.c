/* Forces of resting contacts with friction.
 *
 * Velocity level (Moreau): the forces f act for a time step h. The relative velocity at its end is
 * u = h (W f + free accelerations) + the present slip, with the Delassus matrix W, and friction
 * opposes the slip at the end of the step. A solution exists if the bodies can separate. Present
 * normal velocities count as zero. All equations are divided by h, so that the unknowns are forces.
 *
 * Acceleration level: a sliding contact has friction of known direction, -mu f_n t for slip
 * direction t. It is added to the column of the contact's normal force, which makes the matrix
 * unsymmetric. Sticking contacts may begin to slide. There may be no solution (Painleve's paradox:
 * status INCONSISTENT), or several with different accelerations (INDETERMINATE). */
#include "linear/least_norm.h"
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

#include <assert.h>

/* A slip per time step below this fraction of the accelerations counts as zero: it would not change
 * them within double precision. */
#define STILL_PART 1e-14
/* If Newton's method reaches this residual, no other solver is called. */
#define NEWTON_RESIDUAL 1e-12
/* Small islands at default tolerance. CLOSE_RESIDUAL: tolerance of a second solver call.
 * CLOSE_ENOUGH: residual up to which this second call is skipped. CLOSER_STEPS: iteration limit of
 * the second call, enough for gradient methods to reduce the residual to a millionth. */
#define CLOSE_RESIDUAL 1e-12
#define CLOSE_ENOUGH 1e-11
#define CLOSER_STEPS 4000
/* Islands too large for Newton's method: the default iteration limit is SOLVER_WORK (some seconds)
 * divided by the number of entries of W, but at least SOLVER_LEAST. */
#define SOLVER_WORK 1e9
#define SOLVER_LEAST 300.0
/* Largest accepted friction residual, times 1 + mu, of forces that balance all bodies to
 * CT_RESTING_BALANCE_TOLERANCE; accelerations have a far larger round-off than the balance. */
#define BALANCED_RESIDUAL 1e-10

/* Fills q with the free accelerations plus present slip / h, and mu with the dynamic friction of
 * sliding contacts and the static friction of the others. */
static void fill_friction_problem(const ct_resting *resting, ct_resting_problem *problem) {
  double slip = 0.0, most = 0.0;
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact *contact = &resting->set->contacts[resting->active[i]];
    const ct_contact_velocity *velocity = &resting->result->contacts[resting->active[i]].velocity;
    ct_mat3 axes = ct_resting_axes(contact);
    double rate = resting->options->acceleration_level ? 0.0 : 1.0 / resting->options->time_step;
    ct_vec3 free, present = ct_mat_mul(axes, ct_scale(velocity->tangential, rate));
    double normal = ct_contact_free_acceleration(resting->set, contact, &free);
    free = ct_mat_mul(axes, free);
    double *q = &problem->q[i * CT_RESTING_PARTS];
    q[0] = normal;
    q[1] = free.y + present.y;
    q[2] = free.z + present.z;
    slip = fmax(slip, fmax(fabs(present.y), fabs(present.z)));
    most = fmax(most, fmax(fabs(normal), fmax(fabs(free.y), fabs(free.z))));
    problem->slides = problem->slides || velocity->sliding;
    problem->strongest = fmax(problem->strongest, contact->material.static_friction);
    problem->mu[i] =
        velocity->sliding ? contact->material.dynamic_friction : contact->material.static_friction;
  }
  problem->scale = fmax(most, slip);
  problem->fastest = most > 0.0 ? slip / most : slip > 0.0 ? INFINITY : 0.0;
}

static ct_status open_friction_problem(ct_resting *resting, ct_resting_problem *problem) {
  size_t rows = resting->count * CT_RESTING_PARTS;
  double *memory = ct_arena_alloc_doubles(resting->arena, 2 * rows + resting->count);
  if (!memory) return CT_OUT_OF_MEMORY;
  *problem =
      (ct_resting_problem){.q = memory, .velocities = memory + rows, .mu = memory + 2 * rows};
  problem->friction = (ct_friction_problem){
      .q = problem->q, .mu = problem->mu, .contacts = resting->count, .dimension = 3};
  fill_friction_problem(resting, problem);
  return ct_resting_matrix(resting, CT_RESTING_PARTS, &problem->friction.matrix);
}

/* ---- bodies in equilibrium ------------------------------------------------------------------- */

/* Tries the forces of least norm that balance all bodies; they solve any friction problem without
 * present slip. *balances: they do. Otherwise the nearest forces often show which contacts will
 * slide; *near: Newton's method may start from them. */
static ct_status try_equilibrium(ct_resting *resting, const ct_resting_problem *problem,
                                 bool *balances, bool *near) {
  *balances = *near = false;
  if (resting->options->acceleration_level && problem->slides) return CT_OK;
  if (resting->options->friction_method != CT_FRICTION_AUTO || !(problem->fastest <= STILL_PART))
    return CT_OK;
  if (resting->options->friction != CT_RESTING_FRICTION_CONE) return CT_OK;
  ct_status status = ct_resting_solve_equilibrium(resting);
  const ct_resting_equilibrium *fit = &resting->equilibrium;
  if (status != CT_OK || fit->status == CT_CONE_FIT_UNDECIDED) return status;
  for (size_t i = 0; i < resting->count * CT_RESTING_PARTS; i++)
    resting->forces[i] = fit->forces[i];
  double margin;
  status = ct_resting_balance_margin(resting, fit->forces, &margin);
  if (status != CT_OK) return status;
  /* Balanced forces on a body do not prove the solution: contact points still slip if the other
   * body is accelerated, and separate if the bodies spin. */
  *balances = margin <= CT_RESTING_BALANCE_TOLERANCE &&
              ct_friction_residual(&problem->friction, resting->forces, NULL) <=
                  BALANCED_RESIDUAL * (1.0 + problem->strongest);
  *near = !*balances && problem->friction.matrix.size <= CT_RESTING_DENSE_MAX;
  return CT_OK;
}

/* ---- friction solvers ------------------------------------------------------------------------ */

/* Runs Newton's method from resting->forces, which are near the solution. *done: it converged, and
 * the result is written. */
static ct_status try_newton(ct_resting *resting, const ct_resting_problem *problem, bool *done) {
  double residual = INFINITY;
  ct_status status =
      ct_resting_polish(&problem->friction, resting->arena, resting->forces, &residual);
  *done = residual <= NEWTON_RESIDUAL;
  if (!*done) return status;
  resting->result->residual = residual;
  resting->result->method = ct_resting_friction_word(CT_FRICTION_NEWTON);
  return status;
}

/* Refines a solver's forces by Newton's method. If it does not converge, continues the solver from
 * these forces with a smaller tolerance and refines again; the forces with the smaller residual are
 * kept. */
static ct_status refine_friction_solution(ct_resting *resting, const ct_resting_problem *problem,
                                          const ct_friction_options *options,
                                          ct_friction_result *solved) {
  double *best = resting->forces, *residual = &resting->result->residual;
  ct_status status = ct_resting_polish(&problem->friction, resting->arena, best, residual);
  if (status != CT_OK || *residual <= CLOSE_ENOUGH || options->tolerance > 0.0 ||
      options->iterations_max)
    return status;
  /* Continue the solver with a smaller tolerance, and refine again. */
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  size_t rows = problem->friction.matrix.size;
  double *forces = ct_arena_alloc_doubles(resting->arena, rows);
  ct_friction_options closer = *options;
  closer.tolerance = CLOSE_RESIDUAL;
  closer.iterations_max = CLOSER_STEPS;
  closer.start = best;
  ct_friction_result again = {.r = forces, .u = problem->velocities};
  status = forces ? ct_friction_solve(&problem->friction, &closer, resting->arena, &again)
                  : CT_OUT_OF_MEMORY;
  double reached = again.residual;
  if (status == CT_OK)
    status = ct_resting_polish(&problem->friction, resting->arena, forces, &reached);
  /* Keep the better forces. */
  if (status == CT_OK && reached < *residual) {
    for (size_t i = 0; i < rows; i++) best[i] = forces[i];
    *residual = reached;
    solved->method = again.method;
  }
  solved->iterations += again.iterations;
  ct_arena_leave(resting->arena, mark);
  return status;
}

/* Solves the problem by the method that the options choose, and writes resting->forces and the
 * result. */
static ct_status run_friction_solver(ct_resting *resting, ct_resting_problem *problem) {
  assert(problem->friction.matrix.size == resting->count * CT_RESTING_PARTS);
  const ct_resting_options *from = resting->options;
  ct_resting_result *reported = resting->result;
  /* Options of the solver. */
  bool pyramids = from->friction == CT_RESTING_FRICTION_POLYHEDRAL;
  ct_friction_options options = {.method =
                                     pyramids ? CT_FRICTION_POLYHEDRAL : from->friction_method,
                                 .tolerance = from->tolerance,
                                 .iterations_max = from->iterations_max,
                                 .directions = from->directions,
                                 .circumscribed = from->circumscribed,
                                 .proof = CT_FRICTION_PROOF_ALWAYS,
                                 .cancel = from->cancel};
  const ct_friction_bodies bodies = {
      .levers = resting->equilibrium.cones, .count = resting->equilibrium.count, .scale = 1.0};
  if (!from->acceleration_level) options.bodies = &bodies;
  const ct_matrix *matrix = &problem->friction.matrix;
  if (!matrix->dense && !pyramids && from->iterations_max == 0)
    options.iterations_max =
        (uint64_t)fmax(SOLVER_LEAST, SOLVER_WORK / (double)matrix->starts[matrix->size]);
  /* Solve the problem; refine the solution of a small one by Newton's method. */
  ct_friction_result solved = {.r = resting->forces, .u = problem->velocities};
  ct_status status = ct_friction_solve(&problem->friction, &options, resting->arena, &solved);
  if (status != CT_OK) return status;
  bool none = solved.status == CT_FRICTION_STATUS_INFEASIBLE;
  reported->residual = solved.residual;
  if (!none && !pyramids && problem->friction.matrix.size <= CT_RESTING_DENSE_MAX)
    status = refine_friction_solution(resting, problem, &options, &solved);
  /* Result. */
  double tolerance = from->tolerance > 0.0 ? from->tolerance : CT_FRICTION_TOLERANCE;
  reported->converged =
      pyramids ? solved.status == CT_FRICTION_STATUS_OK : !none && reported->residual <= tolerance;
  reported->status = none                  ? CT_RESTING_STATUS_INFEASIBLE
                     : reported->converged ? CT_RESTING_STATUS_OK
                                           : CT_RESTING_STATUS_NOT_CONVERGED;
  reported->cone_error = solved.cone_error;
  reported->iterations = solved.iterations;
  reported->method = ct_resting_friction_word(solved.method);
  return status;
}

/* ---- acceleration level ---------------------------------------------------------------------- */

/* Two solutions are different if their accelerations differ by more than this fraction of the free
 * accelerations. Errors of forces and accelerations up to this fraction are accepted. */
#define ACCELERATION_DIFFERENT 1e-9
/* Up to this number of contacts every set of closed contacts is tried, to find all solutions. */
#define ENUMERATED_MAX 8

/* The system of the normal forces alone, for contacts whose friction all has a known direction. */
typedef struct sliding {
  const ct_resting *resting;
  const ct_resting_problem *problem;
  size_t count;
  double *matrix, *q;    /* [count count] matrix and [count] free accelerations of the normals */
  double *f;             /* [count] normal forces */
  double *first, *other; /* [3 count] accelerations of the solution, and of another candidate */
  double *block, *right, *out; /* memory for the equations of a subset of the contacts */
} sliding;

/* Returns the coefficient of dynamic friction times the unit slip direction, in the contact's axes;
 * zero for a sticking contact. */
static ct_vec3 sliding_friction(const ct_resting *resting, size_t i) {
  const ct_contact *contact = &resting->set->contacts[resting->active[i]];
  const ct_contact_velocity *velocity = &resting->result->contacts[resting->active[i]].velocity;
  if (!velocity->sliding) return ct_vec(0.0, 0.0, 0.0);
  return ct_mat_mul(
      ct_resting_axes(contact),
      ct_scale(velocity->tangential, contact->material.dynamic_friction / velocity->slip));
}

/* Adds the friction of sliding contacts to the matrix columns of their normal forces, in a copy of
 * the matrix. Sliding contacts then get mu = 0; sticking contacts keep their static friction. */
static ct_status fold_sliding_friction(const ct_resting *resting, ct_resting_problem *problem) {
  assert(problem->friction.matrix.dense);
  size_t rows = problem->friction.matrix.size;
  double *folded = ct_arena_alloc_doubles(resting->arena, rows * rows + 1);
  if (!folded) return CT_OUT_OF_MEMORY;
  for (size_t e = 0; e < rows * rows; e++) folded[e] = problem->friction.matrix.dense[e];
  for (size_t j = 0; j < resting->count; j++) {
    if (!resting->result->contacts[resting->active[j]].velocity.sliding) continue;
    ct_vec3 slip = sliding_friction(resting, j);
    problem->mu[j] = 0.0;
    for (size_t i = 0; i < rows; i++) {
      double *row = &folded[i * rows + CT_RESTING_PARTS * j];
      row[0] -= row[1] * slip.y + row[2] * slip.z;
    }
  }
  problem->friction.matrix.dense = folded;
  return CT_OK;
}

/* Adds to the force of each sliding contact its friction, which is proportional to the normal
 * force. */
static void unfold_sliding_friction(ct_resting *resting) {
  for (size_t i = 0; i < resting->count; i++) {
    ct_vec3 slip = sliding_friction(resting, i);
    double *f = &resting->forces[i * CT_RESTING_PARTS];
    f[1] -= slip.y * f[0];
    f[2] -= slip.z * f[0];
  }
}

static bool open_sliding(ct_resting *resting, const ct_resting_problem *problem, sliding *s) {
  assert(problem->friction.matrix.dense);
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

/* Computes the accelerations of all contact points, [3 count], under the normal forces s->f. */
static void compute_accelerations(const sliding *s, double *out) {
  size_t rows = 3 * s->count;
  for (size_t r = 0; r < rows; r++) {
    out[r] = s->problem->q[r];
    for (size_t j = 0; j < s->count; j++)
      out[r] += s->problem->friction.matrix.dense[r * rows + 3 * j] * s->f[j];
  }
}

/* Computes the normal forces for which the contacts in the bit set `closed` have no normal
 * acceleration; the others have no force. False: such forces do not exist, are not unique, or
 * violate a condition of the LCP, or memory ran out (*has_memory is false). */
static bool try_closed_contacts(const sliding *s, unsigned closed, bool *has_memory) {
  assert(s->count <= ENUMERATED_MAX);
  size_t n = s->count, size = 0, of[ENUMERATED_MAX], rank = 0;
  for (size_t i = 0; i < n; i++) {
    s->f[i] = 0.0;
    if (closed >> i & 1u) of[size++] = i;
  }
  for (size_t r = 0; r < size; r++) s->right[r] = -s->q[of[r]];
  for (size_t c = 0; c < size; c++)
    for (size_t r = 0; r < size; r++) s->block[c * size + r] = s->matrix[of[r] * n + of[c]];
  *has_memory = size == 0 || ct_least_norm(&(ct_equations){size, size, s->block, s->right}, s->out,
                                           &rank, s->resting->arena);
  if (!*has_memory || rank < size) return false;
  double most = 0.0;
  for (size_t k = 0; k < size; k++) most = fmax(most, fabs(s->f[of[k]] = s->out[k]));
  compute_accelerations(s, s->other);
  for (size_t i = 0; i < n; i++)
    if (s->f[i] < -ACCELERATION_DIFFERENT * most ||
        s->other[3 * i] < -ACCELERATION_DIFFERENT * s->problem->scale)
      return false;
  return true;
}

static bool has_other_accelerations(const sliding *s) {
  for (size_t r = 0; r < 3 * s->count; r++)
    if (fabs(s->first[r] - s->other[r]) > ACCELERATION_DIFFERENT * s->problem->scale) return true;
  return false;
}

/* Tries all sets of closed contacts. *found: one of them gives a solution whose accelerations
 * differ from those of resting->forces. With more than ENUMERATED_MAX contacts nothing is tried,
 * and *found is false. */
static ct_status search_other_answers(sliding *s, bool *found) {
  *found = false;
  if (s->count > ENUMERATED_MAX) return CT_OK;
  for (size_t i = 0; i < s->count; i++) s->f[i] = s->resting->forces[CT_RESTING_PARTS * i];
  compute_accelerations(s, s->first);
  for (unsigned closed = 0; closed < 1u << s->count && !*found; closed++) {
    bool has_memory;
    *found = try_closed_contacts(s, closed, &has_memory) && has_other_accelerations(s);
    if (!has_memory) return CT_OUT_OF_MEMORY;
  }
  return CT_OK;
}

static ct_resting_status resting_status_of_lcp(ct_lcp_status status) {
  if (status == CT_LCP_STATUS_INFEASIBLE || status == CT_LCP_STATUS_EXHAUSTED)
    return CT_RESTING_STATUS_INCONSISTENT;
  return status == CT_LCP_STATUS_OK ? CT_RESTING_STATUS_OK : CT_RESTING_STATUS_NOT_CONVERGED;
}

/* Raises the free normal accelerations q by their round-off. Otherwise gaps that close only by
 * round-off, such as under loads along a rotated surface, would make the problem inconsistent. */
static void allow_gap_roundoff(const ct_resting *resting, double *q) {
  for (size_t i = 0; i < resting->count; i++)
    q[i] += ct_contact_rate_roundoff(resting->set, &resting->set->contacts[resting->active[i]],
                                     CT_RATE_ACCELERATION);
}

/* Solves the linear complementarity problem of contacts that all slide, so that friction has a
 * known direction. */
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
  /* If the LCP is inconsistent, solve it again with accelerations raised by their round-off. */
  if (status == CT_OK && resting_status_of_lcp(solved.status) == CT_RESTING_STATUS_INCONSISTENT) {
    allow_gap_roundoff(resting, s.q);
    status = ct_lcp_solve(&lcp, &options, resting->arena, &solved);
  }
  if (status != CT_OK) return status;
  ct_resting_result *reported = resting->result;
  reported->status = resting_status_of_lcp(solved.status);
  reported->converged = solved.converged;
  reported->residual = solved.residual;
  reported->iterations = solved.iterations;
  reported->method = ct_resting_lcp_word(solved.method);
  for (size_t i = 0; i < n; i++)
    resting->forces[CT_RESTING_PARTS * i] = solved.converged ? solved.z[i] : 0.0;
  /* Test whether the accelerations are unique. */
  bool others = false;
  if (solved.converged) status = search_other_answers(&s, &others);
  if (others) reported->status = CT_RESTING_STATUS_INDETERMINATE;
  return status;
}

/* Solves an island at acceleration level with at least one sliding contact. */
static ct_status solve_with_sliding(ct_resting *resting, ct_resting_problem *problem) {
  if (!problem->friction.matrix.dense) return CT_LIMIT;
  const double *unfolded = problem->friction.matrix.dense;
  ct_status status = fold_sliding_friction(resting, problem);
  bool some_stick = false;
  for (size_t i = 0; i < resting->count; i++) some_stick = some_stick || problem->mu[i] > 0.0;
  if (status == CT_OK)
    status = some_stick ? run_friction_solver(resting, problem) : solve_sliding(resting, problem);
  if (status == CT_OK) unfold_sliding_friction(resting);
  problem->friction.matrix.dense = unfolded;
  return status;
}

/* ---- solution and result --------------------------------------------------------------------- */

/* Writes the largest |f u|, with normal force f and augmented normal velocity u + mu |u_t|: no
 * force may act where a gap opens. */
static void write_complementarity(ct_resting *resting, const ct_resting_problem *problem) {
  double worst = 0.0;
  const double *f = resting->forces, *u = problem->velocities;
  for (size_t i = 0; i < resting->count; i++, f += 3, u += 3)
    worst = fmax(worst, fabs(f[0] * u[0]));
  resting->result->complementarity = worst;
}

/* Marks a contact as sliding if its friction is at the limit and its points slip at the end of the
 * step. At acceleration level, a contact that slides at present is also marked if it has a
 * force. */
static void write_sliding(ct_resting *resting, const ct_resting_problem *problem) {
  for (size_t i = 0; i < resting->count; i++) {
    const double *f = &resting->forces[3 * i], *u = &problem->velocities[3 * i];
    double limit = problem->mu[i] * f[0], slip = ct_norm(ct_vec(u[1], u[2], 0.0));
    bool at_limit = ct_norm(ct_vec(f[1], f[2], 0.0)) >= limit * (1.0 - CT_RESTING_LIMIT_PART);
    ct_contact_force *reported = &resting->result->contacts[resting->active[i]];
    bool now = resting->options->acceleration_level && reported->velocity.sliding;
    reported->sliding = now ? f[0] > 0.0 : at_limit && slip > CT_RESTING_SLIP_PART * problem->scale;
  }
}

/* Computes the forces: tries equilibrium, then Newton's method, then a solver. */
static ct_status solve_friction(ct_resting *resting, ct_resting_problem *problem) {
  bool balances = false, near = false, done = false,
       slides = resting->options->acceleration_level && problem->slides;
  ct_status status = try_equilibrium(resting, problem, &balances, &near);
  if (status == CT_OK && balances) resting->result->method = "equilibrium";
  if (status == CT_OK && near) status = try_newton(resting, problem, &done);
  if (status != CT_OK || balances || done) return status;
  return slides ? solve_with_sliding(resting, problem) : run_friction_solver(resting, problem);
}

/* Called after a solver reported an infeasible problem: searches for a proof or, if gaps close only
 * by round-off, solves again with accelerations raised by it. */
static ct_status resolve_infeasible(ct_resting *resting, ct_resting_problem *problem,
                                    bool *infeasible) {
  bool raised;
  ct_resting_result *result = resting->result;
  ct_status status = ct_resting_check_infeasible(resting, problem->q, infeasible, &raised);
  if (status != CT_OK || !raised) return status;
  result->status = CT_RESTING_STATUS_OK;
  result->converged = true;
  status = solve_friction(resting, problem);
  if (result->status == CT_RESTING_STATUS_INFEASIBLE)
    result->status = CT_RESTING_STATUS_NOT_CONVERGED;
  return status;
}

ct_status ct_resting_friction_solve(ct_resting *resting) {
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  ct_resting_problem problem;
  ct_status status = open_friction_problem(resting, &problem);
  bool infeasible = false, raised = false;
  if (status == CT_OK && ct_resting_is_driven(resting))
    status = ct_resting_check_infeasible(resting, problem.q, &infeasible, &raised);
  if (status == CT_OK && !infeasible) status = solve_friction(resting, &problem);
  if (status == CT_OK && !infeasible && resting->result->status == CT_RESTING_STATUS_INFEASIBLE)
    status = resolve_infeasible(resting, &problem, &infeasible);
  if (status == CT_OK) {
    double residual = ct_friction_residual(&problem.friction, resting->forces, problem.velocities);
    if (resting->result->iterations == 0 || infeasible) resting->result->residual = residual;
    write_complementarity(resting, &problem);
    write_sliding(resting, &problem);
    resting->result->rank_known = false;
    resting->result->unique = CT_UNKNOWN;
  }
  ct_arena_leave(resting->arena, mark);
  return status;
}
