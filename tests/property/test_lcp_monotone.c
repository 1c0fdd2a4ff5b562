/* Lemke's method, chosen by name, on problems that have a solution by construction and matrices for
 * which the method must find one: monotone (symmetric part positive semidefinite, of any rank), in
 * units that differ by rows and columns, in integers, degenerate, and of friction pyramids; and on
 * infeasible problems with a hidden proof. CONTACTD_FULL=1 for more of each. */
#include "tests/support/check.h"

#include <contact/lcp.h>

enum { ROWS = 60 };

typedef struct problem {
  size_t n;
  double m[ROWS * ROWS], q[ROWS];
} problem;

static uint64_t below(check_random *r, uint64_t n) { return check_next(r) % n; }
static double whole(check_random *r, int most) {
  return (double)below(r, (uint64_t)(2 * most + 1)) - most;
}
static double bell(check_random *r) {
  double sum = -6.0;
  for (int i = 0; i < 12; i++) sum += check_uniform(r, 0.0, 1.0);
  return sum;
}

/* B B' of an n by rank matrix B and, if requested, a skew-symmetric part. */
static void make_monotone(check_random *r, problem *p, bool integers, bool skew) {
  size_t n = p->n, rank = 1 + below(r, n);
  static double b[ROWS * ROWS];
  for (size_t i = 0; i < n * rank; i++) b[i] = integers ? whole(r, 3) : bell(r);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < rank; k++) sum += b[i * rank + k] * b[j * rank + k];
      p->m[i * n + j] = sum;
    }
  for (size_t i = 0; i < n && skew; i++)
    for (size_t j = 0; j < i; j++) {
      double turn = integers ? whole(r, 3) : bell(r);
      p->m[i * n + j] += turn;
      p->m[j * n + i] -= turn;
    }
}

/* A q for which some z and w, many of them zero, solve the problem. */
static void plant(check_random *r, problem *p, bool integers) {
  double z[ROWS];
  for (size_t i = 0; i < p->n; i++) z[i] = fmax(integers ? whole(r, 3) : bell(r), 0.0);
  for (size_t i = 0; i < p->n; i++) {
    double w = z[i] > 0.0 || below(r, 2) ? 0.0 : fmax(integers ? whole(r, 3) : bell(r), 0.0);
    for (size_t j = 0; j < p->n; j++) w -= p->m[i * p->n + j] * z[j];
    p->q[i] = w;
  }
}

static void change_units(check_random *r, problem *p) {
  double rows[ROWS], columns[ROWS];
  for (size_t i = 0; i < p->n; i++) {
    rows[i] = pow(10.0, whole(r, 6));
    columns[i] = pow(10.0, whole(r, 6));
    p->q[i] *= rows[i];
  }
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->n; j++) p->m[i * p->n + j] *= rows[i] * columns[j];
}

/* Contacts of two bodies with four-sided friction pyramids, T12.3's matrix; velocities that some
 * motion makes. */
static void make_pyramids(check_random *r, problem *p) {
  enum { CONTACT = 6, MOTIONS = 12 };
  size_t contacts = 1 + below(r, 8), n = p->n = CONTACT * contacts;
  double along[ROWS][MOTIONS], velocity[MOTIONS];
  for (int k = 0; k < MOTIONS; k++) velocity[k] = bell(r);
  memset(p->m, 0, sizeof p->m);
  for (size_t i = 0; i < n; i++) {
    size_t kind = i % CONTACT; /* normal, two directions, their opposites, speed */
    p->q[i] = 0.0;
    for (int k = 0; k < MOTIONS; k++) {
      along[i][k] = kind == CONTACT - 1 ? 0.0 : kind == 3 || kind == 4 ? -along[i - 2][k] : bell(r);
      p->q[i] += along[i][k] * velocity[k];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double *entry = &p->m[i * n + j];
      size_t side = i % CONTACT, other = j % CONTACT;
      for (int k = 0; k < MOTIONS; k++) *entry += along[i][k] * along[j][k];
      if (i / CONTACT != j / CONTACT) continue;
      if (side == CONTACT - 1 && other != CONTACT - 1) *entry = other == 0 ? 0.5 : -1.0;
      if (other == CONTACT - 1 && side != CONTACT - 1 && side > 0) *entry = 1.0;
    }
}

static int rounds(int by_default, int full) { return getenv("CONTACTD_FULL") ? full : by_default; }

static void solve(const problem *p, ct_arena *arena, ct_lcp_result *result) {
  ct_lcp_options options = {.method = CT_LCP_LEMKE};
  CHECK_INT(ct_lcp_solve(&(ct_lcp){{.size = p->n, .dense = p->m}, p->q}, &options, arena, result),
            CT_OK);
}

static void check_solved(const problem *p, const ct_lcp_result *result) {
  long double worst = 0.0L, size = 0.0L;
  for (size_t i = 0; i < p->n; i++) {
    long double w = p->q[i];
    for (size_t j = 0; j < p->n; j++) w += (long double)p->m[i * p->n + j] * result->z[j];
    worst = fmaxl(worst, fabsl(fminl(w, result->z[i])));
    size = fmaxl(size, fabsl(p->q[i]));
    CHECK(result->z[i] >= 0.0);
  }
  CHECK_INT(result->status, CT_LCP_STATUS_OK);
  CHECK(result->converged);
  CHECK_NEAR((double)worst, 0.0, (double)(1e-10L * (1.0L + size)));
}

static void problems_constructed_with_a_solution_are_solved(void) {
  check_random r = {11};
  ct_arena *arena = ct_arena_create();
  for (int i = 0; i < rounds(1000, 20000); i++) {
    static problem p;
    double z[ROWS], w[ROWS];
    ct_lcp_result result = {.z = z, .w = w};
    int kind = i % 5, before = check_failures;
    p.n = 1 + below(&r, ROWS);
    if (kind == 4) make_pyramids(&r, &p);
    else {
      make_monotone(&r, &p, kind == 2, kind > 0);
      plant(&r, &p, kind == 2);
    }
    if (kind == 3) change_units(&r, &p);
    solve(&p, arena, &result);
    check_solved(&p, &result);
    if (check_failures > before) fprintf(stderr, "  problem %d of seed 11, %zu rows\n", i, p.n);
  }
  ct_arena_destroy(arena);
}

/* Integers: a hidden y >= 0 combines the rows to nothing positive, and q to a negative number. */
static void make_infeasible(check_random *r, problem *p) {
  size_t n = p->n, last = below(r, n);
  double y[ROWS];
  for (size_t i = 0; i < n; i++) y[i] = i == last ? 1.0 : (double)below(r, 4);
  for (size_t j = 0; j <= n; j++) { /* the last "column" is q */
    double sum = j == n ? 1.0 : (double)below(r, 3);
    for (size_t i = 0; i < n; i++) {
      double entry = i == last ? 0.0 : whole(r, 5);
      sum += y[i] * entry;
      *(j == n ? &p->q[i] : &p->m[i * n + j]) = entry;
    }
    *(j == n ? &p->q[last] : &p->m[last * n + j]) = -sum;
  }
}

static void problems_constructed_without_a_solution_are_proved_infeasible(void) {
  check_random r = {12};
  ct_arena *arena = ct_arena_create();
  for (int i = 0; i < rounds(500, 5000); i++) {
    static problem p;
    double z[ROWS], w[ROWS], y[ROWS];
    ct_lcp_result result = {.z = z, .w = w, .certificate = y};
    p.n = 1 + below(&r, 40);
    make_infeasible(&r, &p);
    solve(&p, arena, &result);
    CHECK_INT(result.status, CT_LCP_STATUS_INFEASIBLE);
    if (result.status != CT_LCP_STATUS_INFEASIBLE) continue;
    long double value = 0.0L;
    for (size_t k = 0; k < p.n; k++) {
      CHECK(y[k] >= 0.0);
      value += (long double)p.q[k] * y[k];
    }
    CHECK(value < 0.0L);
    for (size_t j = 0; j < p.n; j++) {
      long double sum = 0.0L, size = 0.0L;
      for (size_t k = 0; k < p.n; k++) {
        sum += (long double)p.m[k * p.n + j] * y[k];
        size += fabsl((long double)p.m[k * p.n + j] * y[k]);
      }
      /* Round-off of sixty terms in long double. */
      CHECK(sum <= 4e-18L * size);
    }
  }
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"problems_constructed_with_a_solution_are_solved",
     problems_constructed_with_a_solution_are_solved},
    {"problems_constructed_without_a_solution_are_proved_infeasible",
     problems_constructed_without_a_solution_are_proved_infeasible},
};

CHECK_MAIN(tests)
