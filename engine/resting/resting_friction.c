/* Resting contacts with friction, at velocity level: with forces that act for a step h, u = h (W f
 * + free accelerations) and the slip that there is, friction opposes the slip at the end of the
 * step. It always has an answer where bodies can part (theory: Moreau).
 *
 * Normal velocities that there are belong to what is called resting and are left out. All is
 * divided by h: the unknowns are forces.
 */
#include "resting/resting_problem.h"

/* Slip that would change no digit of an acceleration, part of it. */
#define STILL_PART 1e-14
/* Residual at which Newton's method has found an answer and no solver need be asked. */
#define NEWTON_RESIDUAL 1e-12
/* What a small island's forces are asked to come to where nothing is said, and what they may be
 * short of it before a solver is asked again; of its steps then, in which gradients that come to a
 * millionth soon come to that. */
#define CLOSE_RESIDUAL 1e-12
#define CLOSE_ENOUGH 1e-11
#define CLOSER_STEPS 4000
/* Work that a solver is given for islands too large for Newton's method where nothing is said:
 * entries of W, some seconds; and the steps that it is given at least. */
#define SOLVER_WORK 1e9
#define SOLVER_LEAST 300.0
/* Residual of forces that hold all bodies but for CT_RESTING_BALANCE_TOLERANCE, for each 1 + mu:
 * far below what accelerations make of it. */
#define HELD_RESIDUAL 1e-10

/* Free accelerations and strengths: of contacts that stick the static ones. */
static void fill(const ct_resting *resting, ct_resting_problem *problem) {
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

static ct_status open_problem(ct_resting *resting, ct_resting_problem *problem) {
  size_t rows = resting->count * CT_RESTING_PARTS;
  double *memory = ct_arena_alloc_doubles(resting->arena, 2 * rows + resting->count);
  if (!memory) return CT_OUT_OF_MEMORY;
  *problem =
      (ct_resting_problem){.q = memory, .velocities = memory + rows, .mu = memory + 2 * rows};
  problem->friction = (ct_friction_problem){
      .q = problem->q, .mu = problem->mu, .contacts = resting->count, .dimension = 3};
  fill(resting, problem);
  return ct_resting_matrix(resting, CT_RESTING_PARTS, &problem->friction.matrix);
}

/* ---- bodies that stay ----------------------------------------------------------------------- */

/* Forces that hold all bodies, which solve any friction problem without slip: the shortest ones.
 * Where none hold, those that come nearest often show which contacts slide: Newton's method goes on
 * from them. */
static ct_status hold(ct_resting *resting, const ct_resting_problem *problem, bool *holds,
                      bool *near) {
  *holds = *near = false;
  if (resting->options->acceleration_level && problem->slides) return CT_OK;
  if (resting->options->friction_method != CT_FRICTION_AUTO || !(problem->fastest <= STILL_PART))
    return CT_OK;
  if (resting->options->friction != CT_RESTING_FRICTION_CONE) return CT_OK;
  ct_status status = ct_resting_fit_solve(resting);
  const ct_resting_equilibrium *fit = &resting->fit;
  if (status != CT_OK || fit->status == CT_CONE_FIT_UNDECIDED) return status;
  for (size_t i = 0; i < resting->count * CT_RESTING_PARTS; i++)
    resting->forces[i] = fit->forces[i];
  double margin;
  status = ct_resting_fit_margin(resting, fit->forces, &margin);
  if (status != CT_OK) return status;
  /* Bodies without acceleration slip all the same where what they touch is accelerated, and part
   * where they spin. */
  *holds = margin <= CT_RESTING_BALANCE_TOLERANCE &&
           ct_friction_residual(&problem->friction, resting->forces, NULL) <=
               HELD_RESIDUAL * (1.0 + problem->strongest);
  *near = !*holds && problem->friction.matrix.size <= CT_RESTING_DENSE_MAX;
  return CT_OK;
}

/* ---- all others ----------------------------------------------------------------------------- */

/* Newton's method from forces that are near. */
static ct_status go_on(ct_resting *resting, const ct_resting_problem *problem, bool *done) {
  double residual = INFINITY;
  ct_status status =
      ct_resting_polish(&problem->friction, resting->arena, resting->forces, &residual);
  *done = residual <= NEWTON_RESIDUAL;
  if (!*done) return status;
  resting->result->residual = residual;
  resting->result->method = ct_resting_friction_word(CT_FRICTION_NEWTON);
  return status;
}

/* Forces that a solver found, to the last digits: by Newton's method, and where that does not get
 * there by more of the solver's steps from where it is. */
static ct_status come_close(ct_resting *resting, const ct_resting_problem *problem,
                            const ct_friction_options *options, ct_friction_result *solved) {
  double *best = resting->forces, *residual = &resting->result->residual;
  ct_status status = ct_resting_polish(&problem->friction, resting->arena, best, residual);
  if (status != CT_OK || *residual <= CLOSE_ENOUGH || options->tolerance > 0.0 ||
      options->iterations_max)
    return status;
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
  if (status == CT_OK && reached < *residual) {
    for (size_t i = 0; i < rows; i++) best[i] = forces[i];
    *residual = reached;
    solved->method = again.method;
  }
  solved->iterations += again.iterations;
  ct_arena_leave(resting->arena, mark);
  return status;
}

ct_status ct_resting_friction_run(ct_resting *resting, ct_resting_problem *problem) {
  const ct_resting_options *from = resting->options;
  ct_resting_result *reported = resting->result;
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
      .levers = resting->fit.cones, .count = resting->fit.count, .scale = 1.0};
  if (!from->acceleration_level) options.bodies = &bodies;
  const ct_matrix *matrix = &problem->friction.matrix;
  if (!matrix->dense && !pyramids && from->iterations_max == 0)
    options.iterations_max =
        (uint64_t)fmax(SOLVER_LEAST, SOLVER_WORK / (double)matrix->starts[matrix->size]);
  ct_friction_result solved = {.r = resting->forces, .u = problem->velocities};
  ct_status status = ct_friction_solve(&problem->friction, &options, resting->arena, &solved);
  if (status != CT_OK) return status;
  bool none = solved.status == CT_FRICTION_STATUS_INFEASIBLE;
  reported->residual = solved.residual;
  if (!none && !pyramids && problem->friction.matrix.size <= CT_RESTING_DENSE_MAX)
    status = come_close(resting, problem, &options, &solved);
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

const char *ct_resting_friction_word(ct_friction_method method) {
  static const char *const words[] = {
#define WORD(name, word) word,
      CT_FRICTION_METHOD_MAP(WORD)
#undef WORD
  };
  return words[method];
}

/* max |f (u + mu |u_t|)|: no normal force where a gap opens. */
static void tell_complementarity(ct_resting *resting, const ct_resting_problem *problem) {
  double worst = 0.0;
  const double *f = resting->forces, *u = problem->velocities;
  for (size_t i = 0; i < resting->count; i++, f += 3, u += 3)
    worst = fmax(worst, fabs(f[0] * u[0]));
  resting->result->complementarity = worst;
}

/* Friction slides where it is at its limit and the points slip at the end of the step; at
 * acceleration level also where they do now. */
static void tell_slip(ct_resting *resting, const ct_resting_problem *problem) {
  for (size_t i = 0; i < resting->count; i++) {
    const double *f = &resting->forces[3 * i], *u = &problem->velocities[3 * i];
    double limit = problem->mu[i] * f[0], slip = ct_norm(ct_vec(u[1], u[2], 0.0));
    bool at_limit = ct_norm(ct_vec(f[1], f[2], 0.0)) >= limit * (1.0 - CT_RESTING_LIMIT_PART);
    ct_contact_force *reported = &resting->result->contacts[resting->active[i]];
    bool now = resting->options->acceleration_level && reported->velocity.sliding;
    reported->sliding = now ? f[0] > 0.0 : at_limit && slip > CT_RESTING_SLIP_PART * problem->scale;
  }
}

/* The forces: by the first of the ways that answers. */
static ct_status solve(ct_resting *resting, ct_resting_problem *problem) {
  bool holds = false, near = false, done = false,
       slides = resting->options->acceleration_level && problem->slides;
  ct_status status = hold(resting, problem, &holds, &near);
  if (status == CT_OK && holds) resting->result->method = "equilibrium";
  if (status == CT_OK && near) status = go_on(resting, problem, &done);
  if (status != CT_OK || holds || done) return status;
  return slides ? ct_resting_slide(resting, problem) : ct_resting_friction_run(resting, problem);
}

/* After a solver that has found no solution: a squeeze, or without the round-off that it may have
 * come from. */
static ct_status solve_again(ct_resting *resting, ct_resting_problem *problem, bool *squeezed) {
  bool raised;
  ct_resting_result *result = resting->result;
  ct_status status = ct_resting_check_infeasible(resting, problem->q, squeezed, &raised);
  if (status != CT_OK || !raised) return status;
  result->status = CT_RESTING_STATUS_OK;
  result->converged = true;
  status = solve(resting, problem);
  if (result->status == CT_RESTING_STATUS_INFEASIBLE)
    result->status = CT_RESTING_STATUS_NOT_CONVERGED;
  return status;
}

ct_status ct_resting_friction_solve(ct_resting *resting) {
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  ct_resting_problem problem;
  ct_status status = open_problem(resting, &problem);
  bool squeezed = false, raised = false;
  if (status == CT_OK && ct_resting_is_driven(resting))
    status = ct_resting_check_infeasible(resting, problem.q, &squeezed, &raised);
  if (status == CT_OK && !squeezed) status = solve(resting, &problem);
  if (status == CT_OK && !squeezed && resting->result->status == CT_RESTING_STATUS_INFEASIBLE)
    status = solve_again(resting, &problem, &squeezed);
  if (status == CT_OK) {
    double residual = ct_friction_residual(&problem.friction, resting->forces, problem.velocities);
    if (resting->result->iterations == 0 || squeezed) resting->result->residual = residual;
    tell_complementarity(resting, &problem);
    tell_slip(resting, &problem);
    resting->result->rank_known = false;
    resting->result->unique = CT_UNKNOWN;
  }
  ct_arena_leave(resting->arena, mark);
  return status;
}
