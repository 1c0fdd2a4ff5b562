/* Symmetric positive semidefinite linear complementarity against all bases, in long double. T11.9.
 *
 * The solution set is a polyhedron. Its vertices are the z given by sets of clamped rows with an
 * independent part of M; its extreme rays are null vectors >= 0 of as few rows as possible. Both
 * are found by enumerating all sets of rows. The enumeration also decides whether a solution
 * exists, gives the unique w, decides whether z is unique, and verifies that no solution is nearer
 * to 0 (z.(x - z) >= 0 for every vertex x). Matrices are products of small integers, so that
 * dependent rows are exactly dependent. Where rows are scaled by powers of two the truth is that of
 * the integers: D M D, D q has the solutions D^-1 z. n <= 10; CONTACTD_FULL=1: 1e4 problems for
 * each of several seeds. */
#include "tests/support/lcp_proof.h"

#include <contact/lcp.h>

typedef long double real;

enum { ROWS = 10, SETS = 1 << ROWS, SHORT = 600, FULL = 10000 };

/* Entries are integers below 1e5: elimination leaves far less than this of a dependent row, and far
 * more of any other. */
#define NOTHING 1e-9L

typedef struct problem {
  size_t n;
  double m[ROWS * ROWS], q[ROWS], scale[ROWS]; /* M and q scaled by D = scale */
} problem;

typedef struct truth {
  size_t corners;
  real z[SETS][ROWS], w[ROWS];
  bool ray;
} truth;

typedef struct elimination {
  size_t count, rank;
  size_t order[ROWS];
  real a[ROWS][ROWS + 1];
} elimination;

/* Solves M z = -q on some rows, by elimination with the largest diagonal pivot. */
static void eliminate(const problem *p, const size_t *rows, size_t count, elimination *e) {
  e->count = count;
  e->rank = 0;
  for (size_t i = 0; i < count; i++) {
    e->order[i] = i;
    for (size_t j = 0; j < count; j++) e->a[i][j] = p->m[rows[i] * p->n + rows[j]];
    e->a[i][count] = -p->q[rows[i]];
  }
  for (size_t k = 0; k < count; k++) {
    size_t best = k;
    for (size_t i = k; i < count; i++)
      if (e->a[e->order[i]][e->order[i]] > e->a[e->order[best]][e->order[best]]) best = i;
    size_t swapped = e->order[k], row = e->order[best];
    if (e->a[row][row] <= NOTHING * (1 + (real)p->m[rows[row] * p->n + rows[row]])) return;
    e->order[k] = row;
    e->order[best] = swapped;
    e->rank++;
    for (size_t i = 0; i < count; i++) {
      if (i == row || e->a[i][row] == 0) continue;
      real times = e->a[i][row] / e->a[row][row];
      for (size_t j = 0; j <= count; j++) e->a[i][j] -= times * e->a[row][j];
      e->a[i][row] = 0;
    }
  }
}

static void look_at_corner(const problem *p, const size_t *rows, const elimination *e, truth *t) {
  real z[ROWS] = {0}, w[ROWS], size = 1;
  for (size_t i = 0; i < e->count; i++) {
    real value = e->a[i][e->count] / e->a[i][i];
    if (value < -NOTHING) return;
    z[rows[i]] = value > 0 ? value : 0;
  }
  for (size_t i = 0; i < p->n; i++) {
    w[i] = p->q[i];
    for (size_t j = 0; j < p->n; j++) w[i] += p->m[i * p->n + j] * z[j];
    for (size_t j = 0; j < p->n; j++) size = fmaxl(size, fabsl(p->m[i * p->n + j] * z[j]));
    if (w[i] < -NOTHING * size) return;
  }
  memcpy(t->w, w, sizeof t->w);
  memcpy(t->z[t->corners++], z, sizeof z);
}

/* The null vector of these rows, if all its components have one sign; rows with a nonzero w are
 * excluded. */
static void look_at_ray(const problem *p, const size_t *rows, const elimination *e, truth *t) {
  size_t last = e->order[e->count - 1];
  for (size_t i = 0; i < e->count; i++) {
    if (t->w[rows[i]] > NOTHING * (1 + fabsl((real)p->q[rows[i]]))) return;
    if (i != last && -e->a[i][last] / e->a[i][i] <= NOTHING) return;
  }
  t->ray = true;
}

static void go_through_all(const problem *p, truth *t) {
  t->corners = 0;
  t->ray = false;
  for (int rays = 0; rays < 2; rays++)
    for (unsigned set = 0; set < 1u << p->n; set++) {
      size_t rows[ROWS], count = 0;
      for (size_t i = 0; i < p->n; i++)
        if (set >> i & 1) rows[count++] = i;
      elimination e;
      eliminate(p, rows, count, &e);
      if (!rays && e.rank == count) look_at_corner(p, rows, &e, t);
      if (rays && t->corners && e.rank + 1 == count) look_at_ray(p, rows, &e, t);
    }
}

static double whole(check_random *r, int most) {
  return (double)((int)(check_next(r) % (uint64_t)(2 * most + 1)) - most);
}

/* M = J J' of n rows and `columns`. Kinds: full rank; deficient with a q that has a solution;
 * deficient with any q; duplicate rows and many w of 0; zero rows; another kind, scaled by powers
 * of two from row to row. */
static void make(check_random *r, int kind, problem *p) {
  size_t n = p->n = 1 + check_next(r) % ROWS, columns = kind == 0 ? n + 2 : 1 + check_next(r) % n;
  double j[ROWS][ROWS + 2] = {{0}}, u[ROWS + 2], *scale = p->scale;
  for (size_t k = 0; k < columns; k++) u[k] = whole(r, 4);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < columns; k++) j[i][k] = whole(r, 3);
    if (kind == 3 && i % 2) memcpy(j[i], j[i - 1], sizeof j[i]);
    if (kind == 4 && i % 3 == 1) memset(j[i], 0, sizeof j[i]);
    scale[i] = kind == 5 ? ldexp(1.0, (int)whole(r, 6)) : 1.0;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < n; c++) {
      double sum = 0.0;
      for (size_t k = 0; k < columns; k++) sum += j[i][k] * j[c][k];
      p->m[i * n + c] = sum * scale[i] * scale[c];
    }
    p->q[i] = 0.0;
    for (size_t k = 0; k < columns; k++) p->q[i] += j[i][k] * u[k];
    if (kind == 0 || kind == 2) p->q[i] = whole(r, 5);
    if (kind == 4 && i % 3 == 1) p->q[i] = fabs(whole(r, 1));
    p->q[i] *= scale[i];
  }
  if (kind != 3) return;
  for (size_t i = 0; i < n; i++) {
    p->q[i] = 0.0;
    for (size_t c = 0; c < n; c += 3) p->q[i] -= p->m[i * n + c];
  }
}

/* Answers for which uniqueness, or the least norm, was reported as unknown. */
static int unknown;

static bool are_several(const problem *p, const truth *t) {
  bool several = t->ray;
  for (size_t c = 1; c < t->corners; c++)
    for (size_t i = 0; i < p->n; i++) several |= fabsl(t->z[c][i] - t->z[0][i]) > 1e-6L;
  return several;
}

/* `t` is the truth of the unscaled problem. */
static void check_answer(const problem *p, const truth *t, const ct_lcp_result *a) {
  real size = 0, sum = 0, tolerance = 1e-10L;
  for (size_t i = 0; i < p->n; i++) size = fmaxl(size, fabsl((real)p->q[i]));
  CHECK(a->converged);
  CHECK_INT(a->status, CT_LCP_STATUS_OK);
  CHECK(a->residual <= tolerance * size);
  for (size_t i = 0; i < p->n; i++) {
    real scale = p->scale[i], terms = fabsl(p->q[i] / scale) + t->w[i];
    for (size_t j = 0; j < p->n; j++) terms += fabsl(p->m[i * p->n + j] / scale * a->z[j]);
    CHECK(a->z[i] >= 0.0);
    CHECK(fabsl(a->w[i] / scale - t->w[i]) <= 1e-9L * fmaxl(terms, size / scale));
    sum += (real)a->z[i] * a->z[i];
  }
  /* Answers of unknown uniqueness are counted. */
  if (a->unique == CT_UNKNOWN) {
    unknown++;
    return;
  }
  /* The least norm: no vertex is nearer to 0 in the direction of z. */
  for (size_t c = 0; c < t->corners; c++) {
    real towards = 0, apart = 0;
    for (size_t i = 0; i < p->n; i++) {
      real other = t->z[c][i] / p->scale[i];
      towards += a->z[i] * (other - a->z[i]);
      apart += (other - a->z[i]) * (other - a->z[i]);
    }
    CHECK(towards >= -1e-8L * sqrtl(sum * apart) - 1e-12L * sum);
  }
  CHECK_INT(a->unique, are_several(p, t) ? CT_NO : CT_YES);
}

static void check_problem(const problem *p, const truth *t, ct_lcp_method method, ct_arena *arena) {
  double z[ROWS], w[ROWS], certificate[ROWS];
  ct_lcp input = {{.size = p->n, .dense = p->m}, p->q};
  ct_lcp_options options = {.method = method};
  ct_lcp_result answer = {.z = z, .w = w, .certificate = certificate};
  CHECK_INT(ct_lcp_solve(&input, &options, arena, &answer), CT_OK);
  if (t->corners) {
    check_answer(p, t, &answer);
  } else {
    CHECK_INT(answer.status, CT_LCP_STATUS_INFEASIBLE);
    CHECK(!answer.converged);
    if (answer.status == CT_LCP_STATUS_INFEASIBLE)
      check_farkas(p->m, p->q, p->n, answer.certificate, 1e-14L);
  }
}

static void unscale(const problem *p, problem *plain) {
  *plain = *p;
  for (size_t i = 0; i < p->n; i++) {
    plain->q[i] /= p->scale[i];
    plain->scale[i] = 1.0;
    for (size_t j = 0; j < p->n; j++) plain->m[i * p->n + j] /= p->scale[i] * p->scale[j];
  }
}

static ct_tristate unique_of(const problem *p, ct_lcp_method method, ct_arena *arena) {
  double z[ROWS], w[ROWS];
  ct_lcp input = {{.size = p->n, .dense = p->m}, p->q};
  ct_lcp_options options = {.method = method};
  ct_lcp_result answer = {.z = z, .w = w};
  CHECK_INT(ct_lcp_solve(&input, &options, arena, &answer), CT_OK);
  return answer.unique;
}

/* Uniqueness of z does not depend on the units. */
static void check_units(const problem *p, const problem *plain, ct_lcp_method method,
                        ct_arena *arena) {
  ct_tristate one = unique_of(p, method, arena), other = unique_of(plain, method, arena);
  CHECK(one == other || one == CT_UNKNOWN || other == CT_UNKNOWN);
}

static void direct_methods_agree_with_all_bases(void) {
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_DANTZIG, CT_LCP_BLOCK_PIVOTING};
  static const uint64_t seeds[] = {1100, 1, 3, 4, 8};
  static truth t;
  int count = getenv("CONTACTD_FULL") ? FULL : SHORT, infeasible = 0, several = 0, all = 0;
  ct_arena *arena = ct_arena_create();
  for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
    check_random r = {seeds[s]};
    for (int k = 0; k < count; k++, all++) {
      problem p, plain;
      make(&r, k % 6, &p);
      unscale(&p, &plain);
      go_through_all(&plain, &t);
      infeasible += t.corners == 0;
      several += t.corners > 0 && are_several(&p, &t);
      int before = check_failures;
      for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        check_problem(&p, &t, methods[m], arena);
        if (k % 6 == 5) check_units(&p, &plain, methods[m], arena);
      }
      if (check_failures == before) continue;
      fprintf(stderr, "  seed %d, problem %d: n %zu, kind %d, corners %zu, ray %d\n", (int)seeds[s],
              k, p.n, k % 6, t.corners, t.ray);
      if (check_failures > 10) k = count;
    }
  }
  ct_arena_destroy(arena);
  /* The cases are not trivial: about one in twenty is infeasible, and one in three is not
   * unique. */
  CHECK(infeasible > all / 40);
  CHECK(several > all / 10);
  CHECK(unknown <= 3 * all / 1000);
}

static const check_test tests[] = {
    {"direct_methods_agree_with_all_bases", direct_methods_agree_with_all_bases},
};

CHECK_MAIN(tests)
