/* Friction at many contacts, on one core: heaps of balls (one contact each) and of bricks (four,
 * redundant) of growing size. Prints one row per heap: name, contacts, entries of W, ms per sweep
 * and per gradient step, ns per entry for both, and the residual of the default method with its
 * iterations and seconds. */
#include "tests/support/check.h"
#include "tests/support/friction_problems.h"

#include <time.h>

/* TIMED: iterations between two timed runs. Heaps of more than LARGE contacts stop after MOST
 * iterations. */
enum { TIMED = 20, MOST = 600, LARGE = 5000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ct_arena *arena;

/* Seconds of a solve with warm caches. */
static double seconds(friction_case *c, ct_friction_method method, uint64_t iterations,
                      double tolerance, ct_friction_result *result) {
  ct_friction_options options = {
      .method = method, .iterations_max = iterations, .tolerance = tolerance};
  *result = (ct_friction_result){.r = c->r, .u = c->u};
  double start = now();
  if (ct_friction_solve(&c->problem, &options, arena, result) != CT_OK) abort();
  return now() - start;
}

/* Seconds per iteration, from the difference of two runs. */
static double each(friction_case *c, ct_friction_method method) {
  ct_friction_result result;
  double few = seconds(c, method, 2, 1e-300, &result),
         many = seconds(c, method, 2 + TIMED, 1e-300, &result);
  return (many - few) / TIMED;
}

static void heap(size_t layers, size_t wide, size_t feet) {
  check_random random = {99};
  friction_case c = case_heap(&random, layers, wide, feet);
  size_t n = c.problem.contacts, entries = c.starts[c.problem.matrix.size];
  ct_friction_result result;
  double sweep = each(&c, CT_FRICTION_NSGS), step = each(&c, CT_FRICTION_GRADIENT);
  double all = seconds(&c, CT_FRICTION_AUTO, n > LARGE ? MOST : 0, 1e-8, &result);
  printf("%s|%zu|%zu|%.3f|%.1f|%.3f|%.1f|%llu|%.2f|%.1e\n", feet == 1 ? "balls" : "bricks", n,
         entries, 1e3 * sweep, 1e9 * sweep / (double)entries, 1e3 * step,
         1e9 * step / (double)entries, (unsigned long long)result.iterations, all, result.residual);
  case_free(&c);
}

int main(void) {
  arena = ct_arena_create();
  if (!arena) return 1;
  heap(10, 10, 1);
  heap(20, 50, 1);
  heap(50, 200, 1);
  heap(100, 500, 1);
  heap(5, 5, 4);
  heap(10, 25, 4);
  heap(25, 100, 4);
  ct_arena_destroy(arena);
  return 0;
}
