/* Runs the benchmark of linear complementarity: inputs, alternating rounds, medians, residuals in
 * long double.
 *
 * Every measurement runs in a child process of its own, in processor time. A solver is correct if
 * it reports all problems as solved and no residual is above 1e-10 (1 + |q|max). Prints lines
 * "row|solver|ours|us|residual|failed|correct" and those of bench_growth for the script that makes
 * the tables.
 *
 *     lcp [rounds [seconds]] */
#include "lcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Limit of a child's processor time, which does not depend on the load of the machine. */
#define CHILD_SECONDS 60
#define CORRECT 1e-10
enum { ROUNDS_MAX = 15, SOLVERS_MAX = 16 };

typedef struct cell {
  bool answered;
  double us, residual, off; /* off: the largest residual / (1 + |q|max) */
  int failed;
} cell;

typedef struct tally {
  double us[ROUNDS_MAX];
  int rounds, failed;
  double residual, off;
} tally;

static const struct {
  int wide, high;
  bool redundant;
} walls[] = {{1, 2, false}, {2, 2, false}, {2, 4, false},  {4, 4, false},
             {4, 8, false}, {8, 8, false}, {8, 16, false}, {1, 3, true},
             {3, 2, true},  {4, 3, true},  {6, 4, true}};

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look_at_answers(const bench_solver *arena, void *state, const bench_problem *problems,
                            double *z, cell *out) {
  out->residual = out->off = 0.0;
  out->failed = 0;
  for (int k = 0; k < BENCH_PROBLEMS; k++) {
    double largest = 0.0;
    for (int i = 0; i < problems[k].size; i++) largest = fmax(largest, fabs(problems[k].q[i]));
    if (!arena->solve(state, problems, k, z)) out->failed++;
    double residual = bench_residual(&problems[k], z);
    out->residual = residual <= out->residual ? out->residual : residual;
    out->off = residual / (1.0 + largest) <= out->off ? out->off : residual / (1.0 + largest);
  }
}

static void measure(const bench_solver *arena, const bench_problem *problems, double seconds,
                    cell *out) {
  void *state = arena->prepare(problems);
  double *z = calloc((size_t)problems[0].size, sizeof *z);
  if (!state || !z) return;
  look_at_answers(arena, state, problems, z, out);
  long passes = 0;
  double start = processor_seconds(), now = start;
  while (now - start < seconds) {
    for (int k = 0; k < BENCH_PROBLEMS; k++) (void)arena->solve(state, problems, k, z);
    passes++;
    now = processor_seconds();
  }
  out->us = 1e6 * (now - start) / ((double)passes * BENCH_PROBLEMS);
  out->answered = true;
}

static bool measure_apart(const bench_solver *arena, const bench_problem *problems, double seconds,
                          cell *out) {
  out->answered = false;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const struct rlimit most = {CHILD_SECONDS, CHILD_SECONDS};
    if (setrlimit(RLIMIT_CPU, &most) != 0 || !freopen("/dev/null", "w", stdout)) _exit(1);
    measure(arena, problems, seconds, out);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
         out->answered;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int all_solvers(const bench_solver *found[SOLVERS_MAX]) {
  const struct {
    const bench_solver *list;
    int count;
  } all[] = {{bench_solvers_ours, bench_solvers_ours_count},
             {bench_solvers_dart, bench_solvers_dart_count},
             {bench_solvers_bullet, bench_solvers_bullet_count}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int k = 0; k < all[i].count && count < SOLVERS_MAX; k++) found[count++] = &all[i].list[k];
  return count;
}

static void run_row(const bench_problem *problems, const char *kind, int rounds, double seconds,
                    cell *shared) {
  const bench_solver *solvers[SOLVERS_MAX];
  tally tallies[SOLVERS_MAX] = {{{0}, 0, 0, 0, 0}};
  int count = all_solvers(solvers);
  for (int round = 0; round < rounds; round++)
    for (int e = 0; e < count; e++) {
      tally *t = &tallies[e];
      if (!measure_apart(solvers[e], problems, seconds, shared)) continue;
      t->failed = shared->failed;
      t->residual = shared->residual;
      t->off = shared->off;
      t->us[t->rounds++] = shared->us;
    }
  for (int e = 0; e < count; e++) {
    tally *t = &tallies[e];
    qsort(t->us, (size_t)t->rounds, sizeof t->us[0], ascending);
    printf("%d%s|%s|%d|%.4f|%.2g|%d|%d\n", problems[0].size, kind, solvers[e]->name,
           solvers[e]->ours, t->rounds ? t->us[t->rounds / 2] : NAN, t->residual, t->failed,
           t->rounds && !t->failed && t->off <= CORRECT);
  }
  fflush(stdout);
}

int main(int count, char **words) {
  int rounds = count > 1 ? (int)strtol(words[1], NULL, 10) : 5;
  double seconds = count > 2 ? strtod(words[2], NULL) : 0.05;
  if (rounds < 1 || rounds > ROUNDS_MAX || !(seconds > 0.0)) return 2;
  cell *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  for (size_t i = 0; i < sizeof walls / sizeof walls[0]; i++) {
    bench_problem problems[BENCH_PROBLEMS];
    for (int k = 0; k < BENCH_PROBLEMS; k++)
      if (!(walls[i].redundant ? bench_pile_dense : bench_wall_dense)(walls[i].wide, walls[i].high,
                                                                      k, &problems[k]))
        return 1;
    run_row(problems, walls[i].redundant ? " redundant" : "", rounds, seconds, shared);
    for (int k = 0; k < BENCH_PROBLEMS; k++) bench_problem_free(&problems[k]);
  }
  return bench_growth() ? 0 : 1;
}
