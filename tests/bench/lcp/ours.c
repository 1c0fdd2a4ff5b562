/* This engine in the benchmark of linear complementarity: AUTO with any solution, as the peers
 * return, AUTO with the solution of least norm, and methods by name. */
#include "lcp.h"

#include <contact/lcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct state {
  ct_arena *arena;
  double *w;
} state;

static void *prepare(const bench_problem *problems) {
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->arena = ct_arena_create();
  s->w = calloc((size_t)problems[0].size, sizeof *s->w);
  return s->arena && s->w ? s : NULL;
}

static bool solve_by(state *s, const bench_problem *p, const ct_lcp_options *options, double *z) {
  ct_lcp problem = {{.size = (size_t)p->size, .dense = p->m}, p->q};
  ct_lcp_result result = {.z = z, .w = s->w};
  return ct_lcp_solve(&problem, options, s->arena, &result) == CT_OK && result.converged;
}

#define SOLVE(name, ...)                                                                           \
  static bool name(void *opaque, const bench_problem *problems, int k, double *z) {                \
    const ct_lcp_options options = {__VA_ARGS__};                                                  \
    return solve_by(opaque, &problems[k], &options, z);                                            \
  }
SOLVE(solve_any, .tie = CT_LCP_TIE_ANY)
SOLVE(solve_least, .tie = CT_LCP_TIE_MIN_NORM)
SOLVE(solve_dantzig, .method = CT_LCP_DANTZIG, .tie = CT_LCP_TIE_ANY)
SOLVE(solve_quadratic, .method = CT_LCP_QUADRATIC)

const bench_solver bench_solvers_ours[] = {
    {"contactd auto", 1, prepare, solve_any},
    {"contactd auto, least norm and rank", 2, prepare, solve_least},
    {"contactd dantzig", 2, prepare, solve_dantzig},
    {"contactd quadratic, 1e-8", 2, prepare, solve_quadratic},
};
const int bench_solvers_ours_count = sizeof bench_solvers_ours / sizeof bench_solvers_ours[0];

/* ---- growth --------------------------------------------------------------------------------- */

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool grow(const bench_sparse *p, ct_lcp_method method, const char *name, ct_arena *arena) {
  /* A fixed number of sweeps measures the cost of one; conjugate gradients run to convergence. */
  const ct_lcp_options options = {.method = method,
                                  .iterations_max = method == CT_LCP_PGS ? 100 : 0};
  double *z = calloc(2 * p->size, sizeof *z);
  if (!z) return false;
  ct_lcp problem = {
      {.size = p->size, .starts = p->starts, .columns = p->columns, .values = p->values}, p->q};
  ct_lcp_result result = {.z = z, .w = z + p->size};
  double start = processor_seconds();
  ct_status status = ct_lcp_solve(&problem, &options, arena, &result);
  double seconds = processor_seconds() - start;
  printf("growth|%zu|%zu|%s|%.4f|%llu|%.2g|%d\n", p->size, p->starts[p->size], name, 1e3 * seconds,
         (unsigned long long)result.iterations, bench_sparse_residual(p, z), result.converged);
  fflush(stdout);
  free(z);
  return status == CT_OK;
}

bool bench_growth(void) {
  static const int wide[] = {4, 32, 320, 3200};
  ct_arena *arena = ct_arena_create();
  bool made = arena != NULL;
  for (size_t i = 0; i < sizeof wide / sizeof *wide && made; i++) {
    bench_sparse p;
    made = bench_wall_sparse(wide[i], 8, 0, &p) && grow(&p, CT_LCP_PGS, "contactd pgs", arena) &&
           grow(&p, CT_LCP_QUADRATIC, "contactd quadratic", arena);
    bench_sparse_free(&p);
  }
  ct_arena_destroy(arena);
  return made;
}
