/* The benchmark of linear complementarity, W7: normal impulses of walls of boxes, by this engine
 * and by the solvers of physics engines packaged in Debian, in one run. The measured time begins
 * when a solver receives M and q and ends when it has returned z. Objects that persist between
 * solves are not measured; copies of inputs that it overwrites are. */
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
  double *m, *q; /* [size size] row-major; [size] */
} bench_problem;

/* The same as sparse rows, for walls too large for a dense matrix. */
typedef struct bench_sparse {
  size_t size, *starts;
  uint32_t *columns;
  double *values, *q;
} bench_sparse;

/* A wall of boxes, each on two below it, four contacts to a box: size = 4 wide high. False: out of
 * memory. */
bool bench_wall_dense(int wide, int high, int number, bench_problem *problem);
bool bench_wall_sparse(int wide, int high, int number, bench_sparse *problem);
/* The same with a contact at each corner of the common area of two boxes, and moving boxes: more
 * than twice the contacts needed to support the wall, with rows that are linearly dependent up to
 * round-off. */
bool bench_pile_dense(int wide, int high, int number, bench_problem *problem);
void bench_problem_free(bench_problem *problem);
void bench_sparse_free(bench_sparse *problem);

/* max |min(z, M z + q)|, in long double. */
double bench_residual(const bench_problem *problem, const double *z);
double bench_sparse_residual(const bench_sparse *problem, const double *z);

typedef struct bench_solver {
  const char *name;
  int ours; /* 1: the default method; 2: another method of this engine, for comparison */
  void *(*prepare)(const bench_problem *problems);
  bool (*solve)(void *state, const bench_problem *problems, int k, double *z);
} bench_solver;

extern const bench_solver bench_solvers_ours[], bench_solvers_dart[], bench_solvers_bullet[];
extern const int bench_solvers_ours_count, bench_solvers_dart_count, bench_solvers_bullet_count;

/* The iterative methods on walls of growing size: prints
 * "growth|size|entries|method|ms|rounds|residual|converged". */
bool bench_growth(void);

#ifdef __cplusplus
}
#endif

#endif
