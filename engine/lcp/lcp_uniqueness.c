/* Decides whether a solution is the only one.
 *
 * M positive definite (its symmetric part): there is one solution for every q (Cottle, Pang, Stone
 * 2009, 3.1). Proof: a factorisation of M with a shifted diagonal succeeds (ldl.h; Rump 2006).
 *
 * M positive semidefinite: the solutions form a polyhedron. Proof: r rows of M are independent by
 * the same test, and the rank is at most r, so the Schur complement of those rows is 0. The rank is
 * bounded by elimination modulo primes. The matrix is scaled to integers by powers of two, which
 * does not change the rank. If its rank is at most r modulo each of some primes, every minor of r +
 * 1 rows is a multiple of their product. Hadamard's inequality bounds such minors, so once the
 * product exceeds the bound, all of them are 0. Von zur Gathen, Gerhard 2013, chapter 5.
 *
 * Small problems with any M: each complementary basis is solved, and the error of its solution
 * bounded. Let R be an approximate inverse of the basis' matrix A, and c = |I - R A| <= 1/2 in the
 * maximum norm. Then A is regular, and the error e of an approximate solution x of A x = b
 * satisfies e_i <= t_i + 2 c max t with t = |R| |b - A x|. All round-off in these bounds is added
 * to them. Rump 2010, Verification methods, chapter 10. */
#include "lcp/lcp_uniqueness.h"
#include "linear/ldl.h"
#include "linear/matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- proofs of definiteness ------------------------------------------------------------------ */

/* ---- exact upper bound of the rank ----------------------------------------------------------- */

/* Bits of the product that one prime contributes: all primes exceed 2^30. */
#define PRIME_BITS 30.0
/* Limit of the multiplications of one proof: a few milliseconds. */
#define WORK_MAX 2e6
/* Greatest number of bits of an integer entry; larger ones need more primes than are listed. */
#define BITS_MAX 400
/* The largest primes below 2^31 are 2^31 minus these numbers. */
static const uint16_t prime_offsets[] = {
    1,    19,   61,   69,   85,   99,   105,  151,  159,  171,  225,  249,  295,  325,  379,  399,
    411,  469,  477,  511,  525,  571,  579,  589,  595,  615,  619,  697,  699,  705,  711,  727,
    771,  775,  781,  789,  829,  831,  837,  847,  885,  909,  951,  955,  967,  985,  987,  1027,
    1057, 1065, 1071, 1141, 1147, 1167, 1231, 1239, 1281, 1287, 1299, 1305, 1321, 1357, 1375, 1411,
    1417, 1425, 1527, 1555, 1557, 1567, 1585, 1627, 1651, 1681, 1699, 1711, 1741, 1747, 1749, 1755,
    1765, 1785, 1821, 1837, 1851, 1855, 1975, 2019, 2077, 2085, 2119, 2139, 2149, 2157, 2161, 2275};
enum { PRIMES = sizeof prime_offsets / sizeof *prime_offsets };

/* A matrix scaled to integers: entry (i, j) is divided by 2^(base + power[i] + power[j]). */
typedef struct integers {
  const double *dense;
  size_t size;
  int *power;        /* [size] half the binary exponent of each diagonal entry */
  int base;          /* exponent of the lowest bit of any entry divided by 2^(power[i] +
                        power[j]) */
  int bits;          /* number of bits of the largest integer */
  uint64_t *residue; /* [size size] the integers modulo one prime */
} integers;

/* Returns the exponent with x = *mantissa 2^exponent for an odd mantissa; x must not be 0. */
static int split_double(double x, int64_t *mantissa) {
  int exponent;
  int64_t m = (int64_t)ldexp(frexp(x, &exponent), 53);
  exponent -= 53;
  while (m % 2 == 0) {
    m /= 2;
    exponent++;
  }
  *mantissa = m;
  return exponent;
}

/* Sets the powers of the rows, and base and number of bits of the scaled entries. */
static void scale_to_integers(integers *a) {
  int lowest = INT32_MAX, highest = INT32_MIN, exponent;
  for (size_t i = 0; i < a->size; i++) {
    double diagonal = a->dense[i * a->size + i];
    (void)frexp(diagonal, &exponent);
    a->power[i] = diagonal > 0.0 ? (exponent + (exponent & 1)) / 2 : 0;
  }
  for (size_t i = 0; i < a->size; i++)
    for (size_t j = 0; j < a->size; j++) {
      double x = a->dense[i * a->size + j];
      int64_t mantissa;
      if (x == 0.0) continue;
      int low = split_double(x, &mantissa) - a->power[i] - a->power[j];
      (void)frexp(x, &exponent);
      int high = exponent - a->power[i] - a->power[j];
      lowest = low < lowest ? low : lowest;
      highest = high > highest ? high : highest;
    }
  a->base = lowest;
  a->bits = highest >= lowest ? highest - lowest : 0;
}

static uint64_t power_of_two(int exponent, uint64_t prime) {
  uint64_t result = 1, square = 2;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2) result = result * square % prime;
    square = square * square % prime;
  }
  return result;
}

static void reduce_entries(integers *a, uint64_t prime) {
  for (size_t i = 0; i < a->size; i++)
    for (size_t j = 0; j < a->size; j++) {
      double x = a->dense[i * a->size + j];
      uint64_t *out = &a->residue[i * a->size + j];
      int64_t mantissa;
      *out = 0;
      if (x == 0.0) continue;
      int exponent = split_double(x, &mantissa) - a->power[i] - a->power[j] - a->base;
      uint64_t part = (uint64_t)(mantissa < 0 ? -mantissa : mantissa) % prime *
                      power_of_two(exponent, prime) % prime;
      *out = mantissa < 0 && part > 0 ? prime - part : part;
    }
}

static uint64_t invert_modulo(uint64_t x, uint64_t prime) {
  assert(x > 0 && x < prime);
  uint64_t result = 1;
  for (uint64_t exponent = prime - 2; exponent > 0; exponent /= 2) {
    if (exponent % 2) result = result * x % prime;
    x = x * x % prime;
  }
  return result;
}

/* Gaussian elimination modulo the prime. False: the rank is more than `rank`. */
static bool has_rank_at_most(integers *a, size_t rank, uint64_t prime) {
  assert(prime < UINT64_C(1) << 31);
  size_t n = a->size, pivots = 0;
  for (size_t column = 0; column < n && pivots < n; column++) {
    size_t row = pivots;
    while (row < n && a->residue[row * n + column] == 0) row++;
    if (row == n) continue;
    if (pivots == rank) return false;
    uint64_t *top = a->residue + pivots * n, *found = a->residue + row * n;
    for (size_t j = column; j < n && row != pivots; j++) {
      uint64_t exchanged = top[j];
      top[j] = found[j];
      found[j] = exchanged;
    }
    uint64_t inverse = invert_modulo(top[column], prime);
    for (size_t i = pivots + 1; i < n; i++) {
      uint64_t *other = a->residue + i * n;
      if (other[column] == 0) continue;
      uint64_t times = (prime - other[column]) * inverse % prime;
      for (size_t j = column; j < n; j++) other[j] = (other[j] + times * top[j]) % prime;
    }
    pivots++;
  }
  return true;
}

/* Sets *proven to whether the rank of the dense symmetric matrix [size size], its doubles regarded
 * as exact numbers, is proven to be at most `rank`. Not proven: the rank is greater, or the proof
 * would take more than a few milliseconds (entries of many different magnitudes, or a large
 * matrix). CT_OUT_OF_MEMORY. Cost: size^2 rank for every 30 bits of the largest minor of rank + 1
 * rows. */
static ct_status prove_rank_at_most(const double *dense, size_t size, size_t rank, ct_arena *arena,
                                    bool *proven) {
  *proven = rank >= size;
  if (*proven) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(arena);
  integers a = {.dense = dense, .size = size};
  a.power = ct_arena_alloc(arena, size, sizeof *a.power);
  a.residue = ct_arena_alloc(arena, size * size, sizeof *a.residue);
  ct_status status = a.power && a.residue ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    scale_to_integers(&a);
    int row_bits;
    double rows = (double)rank + 1.0;
    (void)frexp(rows, &row_bits); /* number of rows of a minor is below 2^row_bits */
    double minor_bits = rows * ((double)a.bits + 0.5 * (double)row_bits);
    double primes = floor(minor_bits / PRIME_BITS) + 1.0;
    *proven = a.bits <= BITS_MAX && primes <= PRIMES &&
              primes * rows * (double)size * (double)size <= WORK_MAX;
    for (size_t k = 0; *proven && (double)k < primes; k++) {
      uint64_t prime = (UINT64_C(1) << 31) - prime_offsets[k];
      reduce_entries(&a, prime);
      *proven = has_rank_at_most(&a, rank, prime);
    }
  }
  ct_arena_leave(arena, mark);
  return status;
}

/* ---- definiteness ---------------------------------------------------------------------------- */

/* Principal submatrix of a symmetric matrix; members as in ct_ldl_part. */
typedef struct part {
  const double *m;
  size_t size;
  const uint32_t *low, *rows;
  size_t count;
} part;

static ct_status prove_definite(const part *p, ct_arena *arena, bool *definite) {
  assert(p->count <= p->size);
  size_t n = p->size, count = p->count;
  *definite = false;
  for (size_t i = 0; i < count; i++) {
    double diagonal = p->m[p->rows[i] * n + p->rows[i]];
    if (!(diagonal >= CT_LDL_PROOF_MIN && diagonal <= CT_LDL_PROOF_MAX)) return CT_OK;
  }
  ct_ldl f;
  uint32_t *place = ct_arena_alloc(arena, n, sizeof *place);
  if (!place || !ct_ldl_make(&f, count + 1, arena)) return CT_OUT_OF_MEMORY;
  for (size_t i = 0, before = 0; i < n; i++) {
    place[i] = (uint32_t)before;
    if (before < count && p->rows[before] == i) before++;
  }
  const ct_ldl_part factored = {p->m,  n,     p->low, p->rows,
                                count, place, 0.0,    ct_ldl_proof_shift(count)};
  ct_ldl_factor(&f, &factored);
  *definite = f.dependent == 0;
  return CT_OK;
}

/* Writes (M + M') / 2 to `half`, and the ranges of its rows to `low` [2 n]. */
static void make_symmetric_part(const double *m, size_t n, double *half, uint32_t *low) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) half[i * n + j] = 0.5 * m[i * n + j] + 0.5 * m[j * n + i];
  ct_matrix_ranges(half, n, low, low + n);
}

ct_status ct_lcp_is_definite(const ct_lcp_job *job, bool *definite) {
  size_t n = job->size;
  *definite = false;
  for (size_t i = 0; i < n; i++)
    if (!(job->dense[i * n + i] > 0.0)) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  uint32_t *rows = ct_arena_alloc(job->arena, 3 * n, sizeof *rows), *ends = rows + n;
  double *half = rows && !job->exactly_symmetric ? ct_arena_alloc_doubles(job->arena, n * n) : NULL;
  ct_status status = rows && (half || job->exactly_symmetric) ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (size_t i = 0; i < n; i++) rows[i] = (uint32_t)i;
    if (half) make_symmetric_part(job->dense, n, half, ends);
    const part all = {half ? half : job->dense, n, half ? ends : job->low, rows, n};
    status = prove_definite(&all, job->arena, definite);
  }
  ct_arena_leave(job->arena, mark);
  return status;
}

ct_status ct_lcp_is_semidefinite(const ct_lcp_job *job, const uint32_t *pivots, size_t count,
                                 bool *semidefinite) {
  assert(count <= job->size);
  size_t n = job->size;
  *semidefinite = job->semidefinite;
  if (*semidefinite || !job->exactly_symmetric) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  bool *is_pivot = ct_arena_alloc(job->arena, n, sizeof *is_pivot);
  uint32_t *rows = ct_arena_alloc(job->arena, count + 1, sizeof *rows);
  ct_status status = is_pivot && rows ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) is_pivot[i] = false;
    for (size_t k = 0; k < count; k++) is_pivot[pivots[k]] = true;
    for (size_t i = 0; i < n; i++)
      if (is_pivot[i]) rows[at++] = (uint32_t)i;
    const part independent = {job->dense, n, job->low, rows, count};
    status = prove_definite(&independent, job->arena, semidefinite);
  }
  if (status == CT_OK && *semidefinite)
    status = prove_rank_at_most(job->dense, n, count, job->arena, semidefinite);
  ct_arena_leave(job->arena, mark);
  return status;
}

/* ---- bases ----------------------------------------------------------------------------------- */

/* Another solution is reported only if it differs from the result by more than this fraction of the
 * greatest entry. */
#define DIFFERENT 1e-7
/* Bound of the round-off of w = M z + q with rounded z, in units of u times the sum of the absolute
 * values of the terms. */
#define ROUNDOFF 16.0
/* The matrix A of a basis is regular if |I - R A| is at most this (head of this file). */
#define REGULAR 0.5
/* Number of refinements of a basis' solution; the last one only bounds the error. */
enum { STEPS = 3 };
/* Range of nonzero entries of M and q whose products neither underflow nor overflow. */
#define SIZE_MIN_PROVEN 0x1p-200
#define SIZE_MAX_PROVEN 0x1p+200

enum { ROWS_MAX = CT_LCP_ENUMERATION_MAX };

typedef struct bases {
  const ct_lcp_job *job;
  size_t n, count;            /* number of rows of the problem, and of the basis */
  uint32_t members[ROWS_MAX]; /* rows of the basis */
  double inverse[ROWS_MAX * ROWS_MAX];
  double defect;                       /* upper bound of c = |I - R A| (head of this file) */
  double x[ROWS_MAX], error[ROWS_MAX]; /* for each of `members`: z, and the bound of its error */
  bool has_first; /* a basis was not excluded; the solution of the first such basis is stored, with
                     its error bounds, by row of the problem */
  double first[ROWS_MAX], first_error[ROWS_MAX];
} bases;

bool ct_lcp_consider_alternative(const ct_lcp_job *job, const double *other, double *w,
                                 ct_lcp_result *result) {
  assert(job->dense && result->alternative);
  size_t n = job->size;
  const ct_lcp problem = {.matrix = {.size = n, .dense = job->dense}, .q = job->q};
  double residual = ct_lcp_residual(&problem, other, w), greatest = 0.0, apart = 0.0,
         roundoff = 0.0;
  for (size_t i = 0; i < n; i++) {
    double terms = fabs(job->q[i]), unit = job->roots[i] > 0.0 ? job->roots[i] : 1.0;
    for (size_t j = 0; j < n; j++) terms += fabs(job->dense[i * n + j] * other[j]);
    roundoff = fmax(roundoff, ROUNDOFF * CT_UNIT_ROUNDOFF * terms);
    greatest = fmax(greatest, unit * fmax(other[i], result->z[i]));
    apart = fmax(apart, unit * fabs(other[i] - result->z[i]));
  }
  /* For q = 0 the residual has no scale: multiples of a direction solve the problem to the accuracy
   * of their doubles. */
  bool within = residual <= job->target || job->q_max == 0.0;
  if (!within || !(residual <= fmax(roundoff, result->residual)) || !(apart > DIFFERENT * greatest))
    return false;
  memcpy(result->alternative, other, n * sizeof *other);
  result->unique = CT_NO;
  return true;
}

static double basis_entry(const bases *b, size_t i, size_t j) {
  return b->job->dense[i * b->n + b->members[j]];
}

/* True if no z >= 0 of the basis gives row i the required w: w = 0 if the row is its `own`, else w
 * >= 0. Decided exactly by the signs of the entries. */
static bool signs_exclude(const bases *b, size_t i, bool own) {
  bool raises = false, lowers = false;
  for (size_t j = 0; j < b->count; j++) {
    raises |= basis_entry(b, i, j) > 0.0;
    lowers |= basis_entry(b, i, j) < 0.0;
  }
  return (b->job->q[i] < 0.0 && !raises) || (own && b->job->q[i] > 0.0 && !lowers);
}

/* Inverts the basis' matrix by Gauss-Jordan elimination with row exchanges. False: a pivot is
 * zero. */
static bool invert_basis(bases *b) {
  assert(b->count > 0 && b->count <= b->n);
  double a[ROWS_MAX][2 * ROWS_MAX];
  size_t k = b->count;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++) {
      a[i][j] = basis_entry(b, b->members[i], j);
      a[i][k + j] = i == j ? 1.0 : 0.0;
    }
  for (size_t c = 0; c < k; c++) {
    size_t best = c;
    for (size_t i = c + 1; i < k; i++)
      if (fabs(a[i][c]) > fabs(a[best][c])) best = i;
    if (a[best][c] == 0.0) return false;
    for (size_t j = 0; j < 2 * k && best != c; j++) {
      double exchanged = a[c][j];
      a[c][j] = a[best][j];
      a[best][j] = exchanged;
    }
    double pivot = 1.0 / a[c][c];
    for (size_t j = c; j < 2 * k; j++) a[c][j] *= pivot;
    for (size_t i = 0; i < k; i++) {
      double times = a[i][c];
      if (i == c || times == 0.0) continue;
      for (size_t j = c; j < 2 * k; j++) a[i][j] -= times * a[c][j];
    }
  }
  for (size_t i = 0; i < k; i++) memcpy(b->inverse + i * k, a[i] + k, k * sizeof(double));
  return true;
}

/* Returns an upper bound of |I - R A|, including the round-off of its computation. */
static double bound_inverse_defect(const bases *b) {
  size_t k = b->count;
  double most = 0.0, gamma = ROUNDOFF * CT_UNIT_ROUNDOFF * (double)(k + 1);
  for (size_t i = 0; i < k; i++) {
    double row = 0.0;
    for (size_t j = 0; j < k; j++) {
      double sum = i == j ? -1.0 : 0.0, terms = 1.0;
      for (size_t l = 0; l < k; l++) {
        double product = b->inverse[i * k + l] * basis_entry(b, b->members[l], j);
        sum += product;
        terms += fabs(product);
      }
      row += fabs(sum) + gamma * terms;
    }
    if (!(row <= most)) most = row; /* written so that NaN is retained */
  }
  return most;
}

/* Makes one refinement step x += R (-q - A x). Afterwards `error` bounds the error of x before the
 * step. */
static void refine_solution(bases *b) {
  size_t k = b->count;
  double rest[ROWS_MAX], wide[ROWS_MAX], gamma = ROUNDOFF * CT_UNIT_ROUNDOFF * (double)(k + 1),
                                         most = 0.0;
  for (size_t i = 0; i < k; i++) {
    double sum = -b->job->q[b->members[i]], terms = fabs(sum);
    for (size_t j = 0; j < k; j++) {
      double product = basis_entry(b, b->members[i], j) * b->x[j];
      sum -= product;
      terms += fabs(product);
    }
    rest[i] = sum;
    wide[i] = (1.0 + gamma) * fabs(sum) + gamma * terms;
  }
  for (size_t i = 0; i < k; i++) {
    double step = 0.0, bound = 0.0;
    for (size_t j = 0; j < k; j++) {
      step += b->inverse[i * k + j] * rest[j];
      bound += fabs(b->inverse[i * k + j]) * wide[j];
    }
    b->error[i] = (1.0 + gamma) * bound;
    most = fmax(most, b->error[i]);
    b->x[i] += step;
  }
  for (size_t i = 0; i < k; i++) b->error[i] += 2.0 * (1.0 + gamma) * b->defect * most;
}

/* Computes b->x and its error bounds. False: the basis' matrix is not proven regular, or values
 * overflow. */
static bool solve_bounded_basis(bases *b) {
  if (b->count == 0) return true;
  if (!invert_basis(b)) return false;
  b->defect = bound_inverse_defect(b);
  if (!(b->defect <= REGULAR)) return false;
  memset(b->x, 0, b->count * sizeof *b->x);
  double before[ROWS_MAX];
  for (int step = 0; step < STEPS; step++) {
    memcpy(before, b->x, b->count * sizeof *before);
    refine_solution(b);
  }
  /* The error bounds are those of the previous iterate. */
  memcpy(b->x, before, b->count * sizeof *before);
  bool finite = true;
  for (size_t i = 0; i < b->count; i++) finite &= isfinite(b->x[i]) && isfinite(b->error[i]);
  return finite;
}

/* True if an entry of z or w is negative beyond its error bound, so that the basis has no
 * solution. */
static bool is_basis_excluded(const bases *b) {
  for (size_t i = 0; i < b->count; i++)
    if (b->x[i] + b->error[i] < 0.0) return true;
  double gamma = ROUNDOFF * CT_UNIT_ROUNDOFF * (double)(b->count + 1);
  for (size_t i = 0, at = 0; i < b->n; i++) {
    if (at < b->count && b->members[at] == i) {
      at++;
      continue;
    }
    double w = b->job->q[i], terms = fabs(w), error = 0.0;
    for (size_t j = 0; j < b->count; j++) {
      double product = basis_entry(b, i, j) * b->x[j];
      w += product;
      terms += fabs(product);
      error += fabs(basis_entry(b, i, j)) * b->error[j];
    }
    if (w + (1.0 + gamma) * error + gamma * terms < 0.0) return true;
  }
  return false;
}

/* True if the solution of the basis agrees with that of the first basis that was not excluded,
 * within both error bounds, or if this is the first; then stores it. */
static bool matches_first_basis(bases *b) {
  double x[ROWS_MAX] = {0.0}, error[ROWS_MAX] = {0.0};
  for (size_t i = 0; i < b->count; i++) {
    x[b->members[i]] = b->x[i];
    error[b->members[i]] = b->error[i];
  }
  bool same = true;
  for (size_t i = 0; b->has_first && i < b->n; i++)
    same &= fabs(x[i] - b->first[i]) <= error[i] + b->first_error[i];
  if (b->has_first) return same;
  b->has_first = true;
  memcpy(b->first, x, sizeof x);
  memcpy(b->first_error, error, sizeof error);
  return true;
}

/* Compares the solution of one basis with those of earlier bases. True: the basis has no solution,
 * or the same one. False: another solution (reported in the result if it is accurate enough), or
 * undecided. `z` [2 n] is scratch. */
static bool compare_basis(bases *b, double *z, ct_lcp_result *result) {
  for (size_t i = 0, at = 0; i < b->n; i++) {
    bool own = at < b->count && b->members[at] == i;
    if (signs_exclude(b, i, own)) return true;
    at += own;
  }
  if (!solve_bounded_basis(b)) return false;
  if (is_basis_excluded(b)) return true;
  if (matches_first_basis(b)) return true;
  /* The two solutions differ by more than their error bounds: at least one of them is not the
   * result. */
  memset(z, 0, b->n * sizeof *z);
  for (size_t i = 0; i < b->count; i++) z[b->members[i]] = fmax(b->x[i], 0.0);
  if (ct_lcp_consider_alternative(b->job, z, z + b->n, result)) return false;
  for (size_t i = 0; i < b->n; i++) z[i] = fmax(b->first[i], 0.0);
  (void)ct_lcp_consider_alternative(b->job, z, z + b->n, result);
  return false;
}

/* True if the result agrees with the only solution found. A result whose residual is within the
 * tolerance, but above round-off, may differ from it. */
static bool matches_result(const bases *b, const ct_lcp_result *result) {
  double greatest = 0.0, apart = 0.0;
  for (size_t i = 0; i < b->n; i++) {
    greatest = fmax(greatest, fmax(b->first[i], result->z[i]));
    apart = fmax(apart, fabs(b->first[i] - result->z[i]));
  }
  return b->has_first && apart <= DIFFERENT * greatest;
}

static bool is_problem_in_range(const ct_lcp_job *job) {
  size_t n = job->size;
  for (size_t k = 0; k < n * n + n; k++) {
    double x = fabs(k < n * n ? job->dense[k] : job->q[k - n * n]);
    if (x != 0.0 && !(x >= SIZE_MIN_PROVEN && x <= SIZE_MAX_PROVEN)) return false;
  }
  return true;
}

ct_status ct_lcp_compare_bases(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->size <= ROWS_MAX);
  size_t n = job->size;
  if (!is_problem_in_range(job)) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  bases *b = ct_arena_alloc(job->arena, 1, sizeof *b);
  double *z = ct_arena_alloc_doubles(job->arena, 2 * n);
  ct_status status = b && z ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    *b = (bases){.job = job, .n = n};
    bool alone = true;
    for (uint32_t set = 0; set < (uint32_t)1 << n && status == CT_OK && result->unique != CT_NO;
         set++) {
      b->count = 0;
      for (uint32_t i = 0; i < n; i++)
        if (set >> i & 1) b->members[b->count++] = i;
      alone &= compare_basis(b, z, result);
      if (ct_cancel_raised(job->options->cancel)) status = CT_CANCELLED;
    }
    if (status == CT_OK && result->unique != CT_NO && alone && matches_result(b, result))
      result->unique = CT_YES;
  }
  ct_arena_leave(job->arena, mark);
  return status;
}
