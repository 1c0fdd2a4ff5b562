/* Reads the linear complementarity and friction problems of /v1/solve, and puts their results. */
#include "handlers/solve.h"

#include <assert.h>
#include <float.h>

#include "documents/material_json.h"
#include "handlers/matrix_json.h"

/* Upper end of the open interval (0, 2) in which the relaxation factor of projected SOR must be. */
#define RELAXATION_END 2.0
#define ITERATIONS_MAX 1000000000u
/* Scratch memory that direct methods use per entry of a dense matrix, bytes. */
#define DIRECT_BYTES 96.0

static const char *const lcp_methods[] = {
#define X(name, word) [CT_LCP_##name] = word,
    CT_LCP_METHOD_MAP(X)
#undef X
};
static const char *const lcp_statuses[] = {
#define X(name, word) [CT_LCP_STATUS_##name] = word,
    CT_LCP_STATUS_MAP(X)
#undef X
};
static const char *const friction_methods[] = {
#define X(name, word) [CT_FRICTION_##name] = word,
    CT_FRICTION_METHOD_MAP(X)
#undef X
};
static const char *const friction_statuses[] = {
#define X(name, word) [CT_FRICTION_STATUS_##name] = word,
    CT_FRICTION_STATUS_MAP(X)
#undef X
};

static const double any_finite[2] = {-DBL_MAX, DBL_MAX};
static const double positive[2] = {0.0, DBL_MAX};

/* Allocates one block for `vectors` vectors of `count` numbers each. NULL: a fault was added. */
static double *alloc_result_vectors(api_reader *reader, size_t vectors, size_t count) {
  double *room = api_arena_array(reader->arena, vectors * count + 1, sizeof *room);
  if (!room) api_fault_memory(reader->faults);
  return room;
}

/* Checks that the solver's scratch memory fits into requestMemoryBytes. Direct methods store
 * several factors; iterative methods need less than the request itself. */
static bool check_solver_memory(api_reader *reader, const api_field *at, size_t rows) {
  assert(rows <= CT_LCP_ITERATIVE_MAX);
  double bytes = rows <= CT_LCP_DIRECT_MAX ? DIRECT_BYTES * (double)rows * (double)rows : 0.0;
  if (bytes <= (double)reader->limits->request_memory_bytes) return true;
  api_fault_limit(
      api_fault_at(
          reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &at->path,
          "Solving %zu rows needs more memory than requestMemoryBytes: send a smaller problem.",
          rows),
      (double)reader->limits->request_memory_bytes, bytes);
  return false;
}

/* Checks that the method accepts this number of rows. The fault points to the matrix. */
static bool check_row_limit(api_reader *reader, const api_field *at, const char *method,
                            size_t rows, size_t limit) {
  if (rows <= limit) return check_solver_memory(reader, at, rows);
  api_fault_limit(
      api_fault_at(
          reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &at->path,
          "The method %s accepts at most %zu rows; the problem has %zu: use another method.",
          method, limit, rows),
      (double)limit, (double)rows);
  return false;
}

/* Last entries of the member lists of both kinds of problems, in this order. */
#define EFFORT_MEMBERS                                                                             \
  {.name = "tolerance"}, {.name = "maxIterations"}, { .name = "deadlineMs" }

static bool read_effort_members(api_reader *reader, const api_field m[3], api_call *call,
                                double *tolerance, uint64_t *iterations) {
  bool good =
      api_read_unsigned(reader, &m[2], 1, reader->limits->deadline_max_ms, &call->deadline_ms);
  good = api_read_number(reader, &m[0], DBL_MIN, 1.0, tolerance) && good;
  return api_read_unsigned(reader, &m[1], 1, ITERATIONS_MAX, iterations) && good;
}

/* ---- linear complementarity ----------------------------------------------------------------- */

static size_t find_row_limit(ct_lcp_method method) {
  switch (method) {
  case CT_LCP_DANTZIG:
  case CT_LCP_BLOCK_PIVOTING:
  case CT_LCP_LEMKE: return CT_LCP_DIRECT_MAX;
  case CT_LCP_ENUMERATION: return CT_LCP_ENUMERATION_MAX;
  default: return CT_LCP_ITERATIVE_MAX;
  }
}

bool api_read_lcp(api_call *call) {
  static const char *const ties[] = {[CT_LCP_TIE_MIN_NORM] = "minNorm", [CT_LCP_TIE_ANY] = "any"};
  enum { M, Q, METHOD, TIE, RELAXATION, START, EFFORT, COUNT = EFFORT + 3 };
  api_field root, m[COUNT] = {{.name = "M", .required = true},
                              {.name = "q", .required = true},
                              {.name = "method"},
                              {.name = "tie"},
                              {.name = "relaxation"},
                              {.name = "start"},
                              EFFORT_MEMBERS};
  api_reader reader = api_call_reader(call);
  ct_lcp *problem = &call->solve->lcp;
  ct_lcp_options *options = &call->solve->lcp_options;
  size_t method = CT_LCP_AUTO, tie = CT_LCP_TIE_MIN_NORM;
  if (!api_call_parse(call, &root) || !api_read_object(&reader, &root, m, COUNT)) return false;
  bool good =
      read_effort_members(&reader, &m[EFFORT], call, &options->tolerance, &options->iterations_max);
  good = api_read_word(&reader, &m[METHOD], lcp_methods, CT_LCP_METHOD_COUNT, &method) && good;
  good = api_read_word(&reader, &m[TIE], ties, sizeof ties / sizeof *ties, &tie) && good;
  good = api_read_number(&reader, &m[RELAXATION], DBL_EPSILON, RELAXATION_END - DBL_EPSILON,
                         &options->relaxation) &&
         good;
  bool pgs = method == CT_LCP_PGS, sweeps = pgs || method == CT_LCP_QUADRATIC;
  good = api_reject_unused(&reader, &m[RELAXATION], !pgs, "method pgs") && good;
  good = api_reject_unused(&reader, &m[START], !sweeps && method != CT_LCP_AUTO,
                           "methods auto, pgs and quadratic") &&
         good;
  good = api_reject_unused(&reader, &m[TIE], sweeps, "direct methods") && good;
  if (!api_read_matrix(&reader, &m[M], &problem->matrix)) return false;
  size_t n = problem->matrix.size;
  good = check_row_limit(&reader, &m[M], lcp_methods[method], n,
                         find_row_limit((ct_lcp_method)method)) &&
         good;
  good = api_read_vector(&reader, &m[Q], n, any_finite, &problem->q) && good;
  good = api_read_vector(&reader, &m[START], n, positive, &options->start) && good;
  double *room = good ? alloc_result_vectors(&reader, 4, n) : NULL;
  if (!room) return false;
  options->method = (ct_lcp_method)method;
  options->tie = (ct_lcp_tie)tie;
  options->cancel = call->input.cancel;
  call->solve->lcp_result = (ct_lcp_result){
      .z = room, .w = room + n, .certificate = room + 2 * n, .alternative = room + 3 * n};
  return true;
}

void api_put_lcp(api_buffer *out, const ct_lcp_result *result, size_t size) {
  api_put_member_vector(out, "z", result->z, size);
  api_put_member_vector(out, "w", result->w, size);
  api_put_member_bool(out, "converged", result->converged);
  api_put_member_number(out, "tolerance", result->tolerance);
  api_put_member_string(out, "status", api_text(lcp_statuses[result->status]));
  api_put_member_number(out, "residual", result->residual);
  api_put_member_number(out, "complementarity", result->complementarity);
  api_put_member_number(out, "asymmetry", result->asymmetry);
  api_put_member_unsigned(out, "iterations", result->iterations);
  api_put_member_string(out, "method", api_text(lcp_methods[result->method]));
  if (result->rank_known) api_put_member_unsigned(out, "rank", result->rank);
  if (result->converged) {
    api_put_key(out, "unique");
    api_put_raw(out, result->unique == CT_UNKNOWN ? "null"
                     : result->unique == CT_YES   ? "true"
                                                  : "false");
  }
  if (result->unique == CT_NO) api_put_member_vector(out, "alternative", result->alternative, size);
  if (result->status == CT_LCP_STATUS_INFEASIBLE)
    api_put_member_vector(out, "certificate", result->certificate, size);
}

/* ---- friction ------------------------------------------------------------------------------- */

/* Reads W and mu: one coefficient mu per contact, and `dimension` rows of W per contact. */
static bool read_friction_contacts(api_reader *reader, const api_field *w, const api_field *mu,
                                   ct_friction_problem *problem) {
  static const double range[2] = {0.0, API_FRICTION_MAX};
  size_t contacts = 0;
  if (!api_read_matrix(reader, w, &problem->matrix) ||
      !api_read_array(reader, mu, 0, CT_LCP_ITERATIVE_MAX, &contacts))
    return false;
  problem->contacts = contacts;
  size_t rows = contacts * problem->dimension;
  assert(problem->dimension == 2 || problem->dimension == 3);
  if (rows != problem->matrix.size) {
    api_fault_limit(
        api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &w->path,
                     "The matrix needs %zu rows: %u for each of the %zu contacts that mu lists.",
                     rows, problem->dimension, contacts),
        (double)rows, (double)problem->matrix.size);
    return false;
  }
  return api_read_vector(reader, mu, contacts, range, &problem->mu);
}

bool api_read_friction(api_call *call) {
  enum {
    W,
    Q,
    MU,
    DIMENSION,
    METHOD,
    DIRECTIONS,
    CIRCUMSCRIBED,
    START,
    EFFORT,
    COUNT = EFFORT + 3
  };
  api_field root, m[COUNT] = {{.name = "W", .required = true},
                              {.name = "q", .required = true},
                              {.name = "mu", .required = true},
                              {.name = "dimension"},
                              {.name = "method"},
                              {.name = "directions"},
                              {.name = "circumscribed"},
                              {.name = "start"},
                              EFFORT_MEMBERS};
  api_reader reader = api_call_reader(call);
  ct_friction_problem *problem = &call->solve->problem;
  ct_friction_options *options = &call->solve->friction_options;
  size_t method = CT_FRICTION_AUTO;
  uint64_t dimension = 3;
  if (!api_call_parse(call, &root) || !api_read_object(&reader, &root, m, COUNT)) return false;
  bool good =
      read_effort_members(&reader, &m[EFFORT], call, &options->tolerance, &options->iterations_max);
  good = api_read_unsigned(&reader, &m[DIMENSION], 2, 3, &dimension) && good;
  good = api_read_word(&reader, &m[METHOD], friction_methods, CT_FRICTION_METHOD_COUNT, &method) &&
         good;
  options->directions = API_SIDES;
  good = api_read_sides(&reader, &m[DIRECTIONS], &options->directions) && good;
  good = api_read_bool(&reader, &m[CIRCUMSCRIBED], &options->circumscribed) && good;
  bool pyramids = method == CT_FRICTION_POLYHEDRAL;
  good = api_reject_unused(&reader, &m[DIRECTIONS], !pyramids, "method polyhedral") && good;
  good = api_reject_unused(&reader, &m[CIRCUMSCRIBED], !pyramids, "method polyhedral") && good;
  good = api_reject_unused(&reader, &m[START], pyramids, "methods other than polyhedral") && good;
  problem->dimension = (unsigned)dimension;
  if (!read_friction_contacts(&reader, &m[W], &m[MU], problem)) return false;
  size_t n = problem->matrix.size;
  good = check_solver_memory(&reader, &m[W], n) && good;
  good = api_read_vector(&reader, &m[Q], n, any_finite, &problem->q) && good;
  good = api_read_vector(&reader, &m[START], n, any_finite, &options->start) && good;
  double *room = good ? alloc_result_vectors(&reader, 2, n) : NULL;
  if (!room) return false;
  options->method = (ct_friction_method)method;
  options->proof = CT_FRICTION_PROOF_ALWAYS;
  options->cancel = call->input.cancel;
  call->solve->friction_result = (ct_friction_result){.r = room, .u = room + n};
  return true;
}

void api_put_friction(api_buffer *out, const ct_friction_result *result, size_t size) {
  api_put_member_vector(out, "r", result->r, size);
  api_put_member_vector(out, "u", result->u, size);
  api_put_member_bool(out, "converged", result->converged);
  api_put_member_number(out, "tolerance", result->tolerance);
  api_put_member_string(out, "status", api_text(friction_statuses[result->status]));
  api_put_member_number(out, "residual", result->residual);
  api_put_member_number(out, "coneError", result->cone_error);
  api_put_member_unsigned(out, "iterations", result->iterations);
  api_put_member_string(out, "method", api_text(friction_methods[result->method]));
}
