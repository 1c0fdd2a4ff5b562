// Bullet in double precision in the benchmark of linear complementarity: its Dantzig and its
// projected Gauss-Seidel. Its matrices are made before the clock runs.
#define BT_USE_DOUBLE_PRECISION
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h>
#include <btBulletDynamicsCommon.h>

#include <vector>

#include "lcp.h"

namespace {

struct State {
  std::vector<btMatrixXd> m;
  btVectorXd b, x, low, high;
  btAlignedObjectArray<int> friction;
  btDantzigSolver dantzig;
  btSolveProjectedGaussSeidel sweeps;
};

void *prepare(const bench_problem *problems) {
  auto *s = new State;
  const int n = problems[0].size;
  s->m.resize(BENCH_PROBLEMS);
  for (int k = 0; k < BENCH_PROBLEMS; k++) {
    s->m[k].resize(n, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) s->m[k].setElem(i, j, problems[k].m[i * n + j]);
  }
  for (auto *v : {&s->b, &s->x, &s->low, &s->high}) v->resize(n);
  s->friction.resize(n);
  for (int i = 0; i < n; i++) s->friction[i] = -1;
  s->sweeps.m_leastSquaresResidualThreshold = 0;
  return s;
}

bool solve_by(btMLCPSolverInterface &solver, int sweeps, State *s, const bench_problem &p, int k,
              double *z) {
  for (int i = 0; i < p.size; i++) {
    s->b[i] = -p.q[i];
    s->x[i] = s->low[i] = 0;
    s->high[i] = 1e30;
  }
  const bool solved =
      solver.solveMLCP(s->m[k], s->b, s->x, s->low, s->high, s->friction, sweeps, false);
  for (int i = 0; i < p.size; i++) z[i] = s->x[i];
  return solved;
}

bool dantzig(void *opaque, const bench_problem *problems, int k, double *z) {
  auto *s = static_cast<State *>(opaque);
  return solve_by(s->dantzig, 0, s, problems[k], k, z);
}

bool sweeps(void *opaque, const bench_problem *problems, int k, double *z) {
  auto *s = static_cast<State *>(opaque);
  return solve_by(s->sweeps, 50, s, problems[k], k, z);
}

} // namespace

extern "C" const bench_solver bench_solvers_bullet[] = {
    {"Bullet btDantzigSolver", 0, prepare, dantzig}, {"Bullet 50 sweeps", 0, prepare, sweeps}};
extern "C" const int bench_solvers_bullet_count = 2;
