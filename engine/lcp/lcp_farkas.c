/* Farkas vectors by a linear program. A vector is made exact by rounding a multiple to whole
 * numbers. Where this fails, M's entries are raised slightly, so that the inequalities hold
 * strictly and survive rounding. */
#include "lcp/lcp_farkas.h"
#include "base/predicates.h"
#include "lcp/lcp_tableau.h"
#include "linear/matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Value added to M's scaled entries, which are of the order of 1, for a strict proof: far above the
 * round-off of the linear program, far below the significance of the entries. */
#define LIFT 0x1p-24
/* Greatest number of components of an exact sum. The sum is compressed before it is full; a
 * compressed sum of numbers in the exactness range has fewer than half as many. */
#define COMPONENTS_MAX 96
/* DENOMINATOR_MAX: greatest common denominator that is tried. WHOLE: relative distance from whole
 * numbers within which all entries of a multiple must be. */
#define DENOMINATOR_MAX 4096
#define WHOLE 1e-9
/* Number of whole vectors that are tested. Either the first is the proof, or the round-off of M has
 * invalidated it, and its multiples are no better. */
#define TRIES_MAX 3
/* Least minimum of z0, relative to the largest |q|, that is not round-off: in doubles, and in
 * double-doubles. */
#define APART 1e-12
#define APART_WIDE 1e-20

/* An exact sum of doubles: nonoverlapping components (Shewchuk 1997) by ascending magnitude. */
typedef struct exact_sum {
  size_t count;
  double part[COMPONENTS_MAX];
  bool lost; /* the sum is invalid: too many components, or a factor outside the exactness range */
} exact_sum;

/* Adds a value exactly (Shewchuk 1997, grow-expansion with zeros removed). */
static void add_to_exact_sum(exact_sum *s, double value) {
  assert(s->count < COMPONENTS_MAX);
  size_t kept = 0;
  double q = value;
  for (size_t i = 0; i < s->count; i++) {
    ct_dd sum = ct_two_sum(q, s->part[i]);
    q = sum.high;
    if (sum.low != 0.0) s->part[kept++] = sum.low;
  }
  if (q != 0.0) s->part[kept++] = q;
  s->count = kept;
}

/* Reduces the number of components without changing the sum (Shewchuk 1997, compress). */
static void compress_exact_sum(exact_sum *s) {
  if (s->count == 0) return;
  size_t bottom = s->count - 1, top = 0;
  double q = s->part[bottom];
  for (size_t i = s->count - 1; i-- > 0;) {
    ct_dd sum = ct_fast_two_sum(q, s->part[i]);
    q = sum.high;
    if (sum.low == 0.0) continue;
    s->part[bottom--] = q;
    q = sum.low;
  }
  for (size_t i = bottom + 1; i < s->count; i++) {
    ct_dd sum = ct_fast_two_sum(s->part[i], q);
    q = sum.high;
    if (sum.low != 0.0) s->part[top++] = sum.low;
  }
  s->part[top++] = q;
  s->count = top;
}

static bool is_in_exact_range(double x) {
  return x == 0.0 || (fabs(x) >= CT_EXACT_MIN && fabs(x) <= CT_EXACT_MAX);
}

static void add_exact_product(exact_sum *s, double a, double b) {
  assert(s->count <= COMPONENTS_MAX - 4);
  if (a == 0.0 || b == 0.0) return;
  s->lost |= !is_in_exact_range(a) || !is_in_exact_range(b);
  ct_dd p = ct_two_product(a, b);
  add_to_exact_sum(s, p.low);
  add_to_exact_sum(s, p.high);
  if (s->count > COMPONENTS_MAX - 4) compress_exact_sum(s);
  if (s->count > COMPONENTS_MAX - 4) {
    s->lost = true;
    s->count = 0;
  }
}

/* Returns the largest component, whose sign is that of the sum; 0 for an empty sum. */
static double exact_sum_sign(const exact_sum *s) {
  return s->count == 0 ? 0.0 : s->part[s->count - 1];
}

bool ct_lcp_farkas_exact(const ct_lcp_job *job, const double *y) {
  size_t n = job->size;
  exact_sum sum = {0};
  for (size_t i = 0; i < n; i++) {
    if (!(y[i] >= 0.0)) return false;
    add_exact_product(&sum, job->q[i], y[i]);
  }
  if (sum.lost || !(exact_sum_sign(&sum) < 0.0)) return false;
  for (size_t j = 0; j < n; j++) {
    sum = (exact_sum){0};
    for (size_t i = 0; i < n; i++) add_exact_product(&sum, job->dense[i * n + j], y[i]);
    if (sum.lost || exact_sum_sign(&sum) > 0.0) return false;
  }
  return true;
}

bool ct_lcp_farkas_is_valid(const ct_lcp_job *job, const double *y, double *scratch) {
  const ct_matrix *m = job->matrix;
  size_t n = job->size;
  double *product = scratch, *sizes = scratch + n;
  ct_matrix_transposed_product(m, y, product);
  memset(sizes, 0, n * sizeof *sizes);
  double value = 0.0, terms = 0.0;
  for (size_t i = 0; i < n; i++) {
    if (!(y[i] >= 0.0)) return false;
    value += job->q[i] * y[i];
    terms += fabs(job->q[i] * y[i]);
    if (m->dense) {
      for (size_t j = 0; j < n; j++) sizes[j] += fabs(m->dense[i * n + j]) * y[i];
    } else {
      for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++)
        sizes[m->columns[e]] += fabs(m->values[e]) * y[i];
    }
  }
  double roundoff = ct_lcp_proof_roundoff(n);
  for (size_t j = 0; j < n; j++)
    if (!(product[j] <= roundoff * sizes[j])) return false;
  return value < -roundoff * terms;
}

/* Rounds each y times `factor` to a whole number. False: a product is not near one. */
static bool round_to_integers(const double *y, double factor, size_t n, double *whole) {
  for (size_t i = 0; i < n; i++) {
    whole[i] = floor(y[i] * factor + 0.5);
    if (!(fabs(y[i] * factor - whole[i]) <= WHOLE * fmax(1.0, whole[i]))) return false;
  }
  return true;
}

bool ct_lcp_farkas_round(const ct_lcp_job *job, double *y, double *scratch) {
  if (ct_lcp_farkas_exact(job, y)) return true;
  size_t n = job->size;
  double least = HUGE_VAL, greatest = 0.0;
  for (size_t i = 0; i < n; i++) greatest = fmax(greatest, y[i]);
  /* Entries up to this fraction of the greatest are round-off of zero. */
  for (size_t i = 0; i < n; i++)
    if (y[i] > WHOLE * greatest) least = fmin(least, y[i]);
  if (!(greatest > 0.0)) return false;
  for (int by_least = 1; by_least >= 0; by_least--)
    for (int denominator = 1, tries = 0; denominator <= DENOMINATOR_MAX && tries < TRIES_MAX;
         denominator++) {
      if (denominator % 64 == 0 && ct_cancel_raised(job->options->cancel)) return false;
      if (!round_to_integers(y, denominator / (by_least ? least : greatest), n, scratch)) continue;
      tries++;
      if (!ct_lcp_farkas_exact(job, scratch)) continue;
      memcpy(y, scratch, n * sizeof *y);
      return true;
    }
  return false;
}

/* Minimises z0 subject to M z + q + d z0 >= 0, with `lift` added to the entries of M. If the
 * minimum is certainly positive, writes the reduced costs, which are a proof, to y and returns
 * true. */
static bool minimise_cover(ct_tableau *t, const ct_lcp_job *job, double lift, double *y) {
  assert(t->rows == t->size + 1);
  size_t n = t->size, stride = t->stride;
  ct_tableau_fill(t, job, NULL, lift);
  t->high[n * stride + n] = 1.0;
  ct_lcp_simplex_begin(t);
  if (!ct_lcp_simplex(t, NULL, job->options->cancel)) return false;
  const double *costs = t->high + n * stride;
  if (!(costs[n + 1] > (t->low ? APART_WIDE : APART) * t->q_size)) return false;
  double greatest = 0.0;
  for (size_t i = 0; i < n; i++) {
    double cost =
        ct_tableau_is_basic(t, (uint32_t)i) ? 0.0 : costs[ct_tableau_column(t, (uint32_t)i)];
    y[i] = fmax(cost, 0.0) * t->row_scale[i];
    greatest = fmax(greatest, y[i]);
  }
  if (!(greatest > 0.0)) return false;
  int exponent;
  frexp(greatest, &exponent);
  for (size_t i = 0; i < n; i++) y[i] = ldexp(y[i], 1 - exponent);
  return true;
}

static bool search_farkas_vector(ct_tableau *t, const ct_lcp_job *job, double *y, double *scratch) {
  double *lifted = scratch + job->size;
  bool found = minimise_cover(t, job, 0.0, y);
  if (!found || ct_lcp_farkas_round(job, y, scratch)) return found;
  if (minimise_cover(t, job, LIFT, lifted) && ct_lcp_farkas_exact(job, lifted)) {
    memcpy(y, lifted, job->size * sizeof *y);
    return true;
  }
  /* In doubles, the errors of y may be greater than round-off. */
  return t->low != NULL;
}

ct_status ct_lcp_farkas(const ct_lcp_job *job, double *y, unsigned flags, bool *found) {
  assert((flags & ~(unsigned)CT_TABLEAU_WIDE) == 0);
  ct_arena_mark mark = ct_arena_enter(job->arena);
  ct_tableau t;
  double *scratch = ct_arena_alloc_doubles(job->arena, 2 * job->size);
  ct_status status = scratch && ct_tableau_create(&t, job, CT_TABLEAU_OBJECTIVE | flags)
                         ? CT_OK
                         : CT_OUT_OF_MEMORY;
  *found = status == CT_OK && search_farkas_vector(&t, job, y, scratch);
  ct_arena_leave(job->arena, mark);
  return status == CT_OK && ct_cancel_raised(job->options->cancel) ? CT_CANCELLED : status;
}
