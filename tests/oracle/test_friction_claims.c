/* The solver's claims about a friction problem, `infeasible` and `converged`, against the exact
 * existence of solutions of plane problems in small integers.
 *
 * A contact is open (no force), sticks (no velocity) or slides in one of two directions (the force
 * is on an edge of its cone, the normal velocity is zero). For each combination the remaining
 * conditions are linear, so a solution exists if and only if one of the exact linear programs has
 * one. Matrices are products J M^-1 J' of one or two bodies, arbitrary symmetric ones, and
 * arbitrary ones. Right-hand sides are of every kind, including those of solutions at a corner.
 *
 * CONTACTD_FULL=1: 10,000 problems with a fresh seed; CONTACTD_SEED repeats a run. */
#include "tests/oracle/exact_program.h"
#include "tests/support/full.h"

#include <contact/friction.h>

enum { CONTACTS = 3, ROWS = 2 * CONTACTS };

typedef enum state { OPEN, STICKS, SLIDES_UP, SLIDES_DOWN, STATES } state;

typedef struct plane_problem {
  size_t contacts;
  int w[ROWS][ROWS], q[ROWS], top[CONTACTS], bottom[CONTACTS]; /* mu = top / bottom */
  bool product;
} plane_problem;

static int whole(check_random *r, int low, int high) {
  return low + (int)(check_next(r) % (uint64_t)(high - low + 1));
}

static void make(check_random *r, plane_problem *p) {
  static const int mu[][2] = {{0, 1}, {1, 1}, {1, 2}, {2, 1}, {1, 4}, {3, 4}};
  *p = (plane_problem){.contacts = 1 + check_next(r) % CONTACTS};
  size_t rows = 2 * p->contacts, motions = (size_t)whole(r, 1, 4);
  uint64_t kind = check_next(r) % 4;
  int j[ROWS][4];
  p->product = kind < 2;
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < 4; k++) j[i][k] = whole(r, -2, 2);
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < rows; k++) {
      int sum = 0;
      for (size_t m = 0; m < motions; m++) sum += j[i][m] * j[k][m];
      p->w[i][k] = p->product ? sum : kind == 2 && k < i ? p->w[k][i] : whole(r, -3, 3);
    }
  for (size_t i = 0; i < rows; i++) {
    int moved = 0;
    for (size_t m = 0; m < motions; m++) moved += j[i][m] * (m % 2 ? -1 : 2);
    p->q[i] = check_next(r) % 3 ? whole(r, -4, 4) : p->product ? moved : 0;
  }
  for (size_t i = 0; i < p->contacts; i++) {
    const int *m = mu[check_next(r) % 6];
    p->top[i] = m[0];
    p->bottom[i] = m[1];
  }
}

/* Adds the variable of a force along an edge of a contact's cone: the column is W times that
 * edge. */
static void put_edge(const plane_problem *p, size_t contact, int sign, exact_program *out) {
  for (size_t row = 0; row < 2 * p->contacts; row++)
    out->a[row][out->columns] = (long long)p->bottom[contact] * p->w[row][2 * contact] +
                                (long long)sign * p->top[contact] * p->w[row][2 * contact + 1];
  out->columns++;
}

/* The slack of a row's velocity: >= 0 times `sign`; 0: free. */
static void put_slack(size_t row, int sign, exact_program *out) {
  if (sign >= 0) out->a[row][out->columns++] = -1;
  if (sign <= 0) out->a[row][out->columns++] = 1;
}

static exact_answer has_solution_in(const plane_problem *p, const state *states) {
  exact_program program = {.rows = 2 * p->contacts};
  for (size_t i = 0; i < p->contacts; i++) {
    if (states[i] == STICKS || states[i] == SLIDES_UP) put_edge(p, i, 1, &program);
    if (states[i] == STICKS || states[i] == SLIDES_DOWN) put_edge(p, i, -1, &program);
    if (states[i] == OPEN) put_slack(2 * i, 1, &program);
    if (states[i] == OPEN) put_slack(2 * i + 1, 0, &program);
    if (states[i] == SLIDES_UP) put_slack(2 * i + 1, -1, &program);
    if (states[i] == SLIDES_DOWN) put_slack(2 * i + 1, 1, &program);
  }
  for (size_t row = 0; row < program.rows; row++) program.b[row] = -p->q[row];
  return exact_solve(&program);
}

static exact_answer has_solution(const plane_problem *p) {
  exact_answer answer = EXACT_NO;
  size_t choices = 1;
  for (size_t i = 0; i < p->contacts; i++) choices *= STATES;
  for (size_t choice = 0; choice < choices && answer != EXACT_YES; choice++) {
    state states[CONTACTS];
    size_t left = choice;
    for (size_t i = 0; i < p->contacts; i++, left /= STATES) states[i] = (state)(left % STATES);
    exact_answer one = has_solution_in(p, states);
    if (one != EXACT_NO) answer = one;
  }
  return answer;
}

typedef struct tally {
  int solvable, converged, none, proven;
} tally;

static void judge(const plane_problem *p, ct_friction_method method, exact_answer truth,
                  uint64_t at, ct_arena *arena, tally *t) {
  double w[ROWS * ROWS], q[ROWS], mu[CONTACTS], r[ROWS], u[ROWS];
  size_t rows = 2 * p->contacts;
  for (size_t i = 0; i < rows * rows; i++) w[i] = p->w[i / rows][i % rows];
  for (size_t i = 0; i < rows; i++) q[i] = p->q[i];
  for (size_t i = 0; i < p->contacts; i++) mu[i] = (double)p->top[i] / p->bottom[i];
  const ct_friction_problem requested = {.matrix = {.size = rows, .dense = w},
                                         .q = q,
                                         .mu = mu,
                                         .contacts = p->contacts,
                                         .dimension = 2};
  const ct_friction_options options = {.method = method, .proof = CT_FRICTION_PROOF_ALWAYS};
  ct_friction_result result = {.r = r, .u = u};
  CHECK_INT(ct_friction_solve(&requested, &options, arena, &result), CT_OK);
  bool none = truth == EXACT_NO, claims_none = result.status == CT_FRICTION_STATUS_INFEASIBLE;
  if (claims_none && !none)
    CHECK_FAIL("state %llu, method %d: infeasible, and there is a solution", (unsigned long long)at,
               (int)method);
  if (result.converged && none)
    CHECK_FAIL("state %llu, method %d: a solution of residual %g, and there is none",
               (unsigned long long)at, (int)method, result.residual);
  t->none += none;
  t->solvable += !none;
  t->converged += !none && result.converged;
  t->proven += none && claims_none;
}

static void claims_hold(void) {
  check_random r = full_random("claims of friction", 511);
  ct_arena *arena = ct_arena_create();
  tally of[2][CT_FRICTION_METHOD_COUNT] = {{{0}}};
  int cases = full_cases(1000, 10000);
  for (int n = 0; n < cases;) {
    uint64_t at = r.state;
    plane_problem p;
    make(&r, &p);
    exact_answer truth = has_solution(&p);
    if (truth == EXACT_OVERFLOW) continue;
    n++;
    for (int m = 0; m < CT_FRICTION_METHOD_COUNT; m++)
      judge(&p, (ct_friction_method)m, truth, at, arena, &of[p.product][m]);
  }
  for (int product = 0; product < 2; product++)
    for (int m = 0; m < CT_FRICTION_METHOD_COUNT; m++) {
      const tally *t = &of[product][m];
      printf("product %d, method %d: %d of %d solved, %d of %d proven to have no solution\n",
             product, m, t->converged, t->solvable, t->proven, t->none);
    }
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"infeasible and converged are claimed only where they are true", claims_hold},
};

CHECK_MAIN(tests)
