// DART's solver in the benchmark of linear complementarity: Dantzig's method as ODE has it. It
// destroys what it is given.
#include <dart/external/odelcpsolver/lcp.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "lcp.h"

namespace {

struct State {
  std::vector<double> m, x, b, w, low, high;
  std::vector<int> friction;
};

// Its rows are padded to a multiple of four.
size_t padded(size_t n) { return (n + 3) / 4 * 4; }

void *prepare(const bench_problem *problems) {
  auto *s = new State;
  const size_t n = static_cast<size_t>(problems[0].size), stride = padded(n);
  s->m.resize(n * stride);
  for (auto *v : {&s->x, &s->b, &s->w, &s->low, &s->high}) v->resize(stride);
  s->friction.resize(stride);
  return s;
}

bool solve(void *opaque, const bench_problem *problems, int k, double *z) {
  auto *s = static_cast<State *>(opaque);
  const bench_problem &p = problems[k];
  const size_t n = static_cast<size_t>(p.size), stride = padded(n);
  for (size_t i = 0; i < n; i++) {
    std::memcpy(&s->m[i * stride], p.m + i * n, n * sizeof(double));
    s->b[i] = -p.q[i];
    s->x[i] = s->low[i] = 0.0;
    s->high[i] = HUGE_VAL;
    s->friction[i] = -1;
  }
  const bool solved =
      dart::external::ode::dSolveLCP(p.size, s->m.data(), s->x.data(), s->b.data(), s->w.data(), 0,
                                     s->low.data(), s->high.data(), s->friction.data());
  std::memcpy(z, s->x.data(), n * sizeof(double));
  return solved;
}

} // namespace

extern "C" const bench_solver bench_solvers_dart[] = {{"DART dSolveLCP", 0, prepare, solve}};
extern "C" const int bench_solvers_dart_count = 1;
