/* The benchmark of linear complementarity, W7: normal impulses of walls of boxes, to this engine
 * and to the solvers of games and robots that Debian packages, in one run. An engine is measured
 * from where it is told M and q until it has handed over z; objects that it keeps are not counted,
 * copies of what it destroys are.
 */
#ifndef BENCH_LCP_H
#define BENCH_LCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_PROBLEMS = 8 };

/* w = M z + q. */
typedef struct bench_problem {
  int size;
  double *m, *q; /* [size size] by rows; [size] */
} bench_problem;

/* The same by rows of entries, for walls of which no dense matrix can be had. */
typedef struct bench_sparse {
  size_t size, *starts;
  uint32_t *columns;
  double *values, *q;
} bench_sparse;

/* A wall of boxes, each on two below it, four contacts to a box: size = 4 wide high. False: no
 * memory. */
bool bench_wall_dense(int wide, int high, int number, bench_problem *problem);
bool bench_wall_sparse(int wide, int high, int number, bench_sparse *problem);
/* The same with a contact at each corner of what two boxes have in common, and boxes moving: more
 * than twice the contacts that hold the wall, rows that depend on each other but for round-off. */
bool bench_pile_dense(int wide, int high, int number, bench_problem *problem);
void bench_problem_free(bench_problem *problem);
void bench_sparse_free(bench_sparse *problem);

/* max |min(z, M z + q)|, in long double. */
double bench_residual(const bench_problem *problem, const double *z);
double bench_sparse_residual(const bench_sparse *problem, const double *z);

typedef struct bench_solver {
  const char *name;
  int ours; /* 1: what a caller gets; 2: another method of ours, shown beside it */
  void *(*prepare)(const bench_problem *problems);
  bool (*solve)(void *state, const bench_problem *problems, int k, double *z);
} bench_solver;

extern const bench_solver bench_solvers_ours[], bench_solvers_dart[], bench_solvers_bullet[];
extern const int bench_solvers_ours_count, bench_solvers_dart_count, bench_solvers_bullet_count;

/* The iterative methods on larger and larger walls: prints
 * "growth|size|entries|method|ms|rounds|residual|converged". */
bool bench_growth(void);

#ifdef __cplusplus
}
#endif

#endif
