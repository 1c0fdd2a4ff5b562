/* The residual of z, and a search for nearby doubles with a smaller one.
 *
 * If z is large compared with q, the double nearest to the solution has an error of w = M z + q of
 * u |M| |z| (u: unit round-off), which may exceed the tolerance, a multiple of |q|. The doubles
 * near z form a lattice, and M maps it to a lattice of w. Its basis is reduced until the lattice is
 * as fine in every direction as on the average: an M that makes z large has short columns in such
 * directions. Lenstra, Lenstra, Lovasz 1982; nearest plane: Babai 1986. Lengths are in units of the
 * target, rounded to a power of two, so that scaling M and q by a power of two changes no bit. */
#include "lcp/lcp_job.h"
#include "linear/dense.h"
#include "linear/matrix.h"

#include <assert.h>
#include <string.h>

/* Error of w caused by rounding z to doubles, relative to the largest sum of the absolute terms of
 * a row, with a safety factor. */
#define HELD_BY_DOUBLES (4.0 * CT_UNIT_ROUNDOFF)

double ct_lcp_residual(const ct_lcp *problem, const double *z, double *w) {
  double most = 0.0;
  for (size_t i = 0; i < problem->matrix.size; i++) {
    double value = ct_matrix_row_beside(&problem->matrix, i, z, problem->q[i]),
           off = fabs(value < z[i] ? value : z[i]);
    if (w) w[i] = value;
    if (!(off <= most)) most = off; /* written so that NaN is retained */
  }
  return most;
}

bool ct_lcp_is_near(const ct_lcp_job *job, const double *z, double residual) {
  if (residual <= job->target) return true;
  if (!job->dense || !(residual <= job->bound)) return false;
  double most = 0.0;
  for (size_t i = 0; i < job->size; i++) {
    double terms = fabs(job->q[i]);
    for (size_t j = 0; j < job->size; j++) terms += fabs(job->dense[i * job->size + j] * z[j]);
    most = fmax(most, terms);
  }
  return residual <= HELD_BY_DOUBLES * most;
}

/* ---- reduction of round-off ------------------------------------------------------------------ */

/* Greatest number of rows with z > 0: the reduction takes of the order of count^4 operations. */
enum { COUNT_MAX = 64 };
/* The number of orthogonalisations is limited to this times the square of the number of rows; a
 * dozen times the square is usual at most. */
enum { SPLITS = 40 };
/* Changes of z also change w of other rows. Rows with w up to this many residuals are included, so
 * that their w stays near 0. */
#define NEAR 4.0
/* Lovasz' condition: least ratio of the squares of consecutive orthogonal vectors. */
#define LOVASZ 0.75
/* Vectors shorter than this fraction of the target need no reduction. */
#define FINE 1e-3
/* ROUNDS: limit of passes that reduce one vector by the earlier ones. PLANES: limit of
 * nearest-plane steps. */
enum { ROUNDS = 8, PLANES = 3 };

typedef struct lattice {
  const ct_lcp_job *job;
  size_t count, length; /* number of vectors of the basis; number of entries of each */
  int exponent;         /* lengths are in units of 2^exponent */
  uint32_t *columns;    /* [count] rows with z > 0 */
  uint32_t *rows;       /* [length] rows with z > 0, or with w near 0 */
  double *unit;         /* [count] unit in the last place of each z */
  double *vectors;      /* [count length] basis: M times `steps`, in units of 2^exponent */
  double *across;       /* [count length] component of each vector orthogonal to the vectors before
                           it */
  double *square;       /* [count] square of the length of that component */
  double *steps;        /* [count count] change of z of each basis vector, in whole units of z */
  double *parts;        /* [count] coefficients of one vector with respect to the orthogonal
                           components before it */
  double *rest, *step;  /* [length] remaining -w; [count] change of z in whole units */
  size_t splits;        /* number of orthogonalisations so far */
} lattice;

static bool allocate_lattice(lattice *l, const ct_lcp_job *job, const ct_lcp_result *result) {
  *l = (lattice){.job = job};
  l->columns = ct_arena_alloc(job->arena, 2 * job->size, sizeof *l->columns);
  if (!l->columns) return false;
  l->rows = l->columns + job->size;
  for (size_t i = 0; i < job->size; i++) {
    if (result->z[i] > 0.0) l->columns[l->count++] = (uint32_t)i;
    if (result->z[i] > 0.0 || result->w[i] <= NEAR * result->residual)
      l->rows[l->length++] = (uint32_t)i;
  }
  if (l->count == 0 || l->count > COUNT_MAX) return true;
  size_t n = l->count;
  l->vectors = ct_arena_alloc_doubles(job->arena, 2 * n * l->length + n * n + 4 * n + l->length);
  if (!l->vectors) return false;
  l->across = l->vectors + n * l->length;
  l->steps = l->across + n * l->length;
  l->square = l->steps + n * n;
  l->unit = l->square + n;
  l->parts = l->unit + n;
  l->step = l->parts + n;
  l->rest = l->step + n;
  return true;
}

static void fill_lattice(lattice *l, const double *z) {
  (void)frexp(l->job->target, &l->exponent);
  memset(l->steps, 0, l->count * l->count * sizeof *l->steps);
  for (size_t k = 0; k < l->count; k++) {
    int exponent;
    (void)frexp(z[l->columns[k]], &exponent);
    l->unit[k] = ldexp(1.0, exponent - 53);
    l->steps[k * l->count + k] = 1.0;
    for (size_t e = 0; e < l->length; e++)
      l->vectors[k * l->length + e] = ldexp(
          l->job->dense[l->rows[e] * l->job->size + l->columns[k]], exponent - 53 - l->exponent);
  }
}

/* Decomposes vector k into coefficients of the earlier orthogonal components (`parts`) and a
 * component of its own. Two passes make the latter orthogonal to round-off. */
static void orthogonalise_vector(lattice *l, size_t k) {
  assert(k < l->count);
  double *left = l->across + k * l->length;
  l->splits++;
  memcpy(left, l->vectors + k * l->length, l->length * sizeof *left);
  memset(l->parts, 0, l->count * sizeof *l->parts);
  for (int again = 0; again < 2; again++)
    for (size_t j = 0; j < k; j++) {
      if (!(l->square[j] > FINE * FINE)) continue;
      const double *other = l->across + j * l->length;
      double part = ct_dense_dot(left, other, l->length) / l->square[j];
      ct_dense_add(left, other, -part, l->length);
      l->parts[j] += part;
    }
  l->square[k] = ct_dense_dot(left, left, l->length);
}

/* Subtracts whole multiples of earlier vectors from vector k until its coefficients are at most one
 * half (with a tolerance, 0.51). */
static void reduce_vector(lattice *l, size_t k) {
  orthogonalise_vector(l, k);
  for (int round = 0; round < ROUNDS; round++) {
    bool changed = false;
    for (size_t j = k; j-- > 0;) {
      if (!(fabs(l->parts[j]) > 0.51)) continue;
      double times = rint(l->parts[j]);
      /* Coefficients of vector j are not stored, so those of vector k are recomputed. */
      ct_dense_add(l->vectors + k * l->length, l->vectors + j * l->length, -times, l->length);
      ct_dense_add(l->steps + k * l->count, l->steps + j * l->count, -times, l->count);
      orthogonalise_vector(l, k);
      changed = true;
    }
    if (!changed) return;
  }
}

static void swap_vectors(double *a, double *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

static void reduce_lattice(lattice *l) {
  size_t k = 0, most = SPLITS * l->count * l->count;
  while (k < l->count && l->splits < most && !ct_cancel_raised(l->job->options->cancel)) {
    reduce_vector(l, k);
    double part = k > 0 ? l->parts[k - 1] : 0.0, before = k > 0 ? l->square[k - 1] : 0.0;
    if (before <= FINE * FINE || l->square[k] >= (LOVASZ - part * part) * before) {
      k++;
      continue;
    }
    swap_vectors(l->vectors + k * l->length, l->vectors + (k - 1) * l->length, l->length);
    swap_vectors(l->steps + k * l->count, l->steps + (k - 1) * l->count, l->count);
    k--;
  }
  /* The limit was reached: orthogonalise the remaining vectors without reducing them. */
  for (; k < l->count; k++) orthogonalise_vector(l, k);
}

/* Moves z by whole units towards the least |w|, by the nearest-plane algorithm. */
static void move_to_nearest(lattice *l, const double *w, double *z) {
  for (size_t e = 0; e < l->length; e++) l->rest[e] = -ldexp(w[l->rows[e]], -l->exponent);
  memset(l->step, 0, l->count * sizeof *l->step);
  for (size_t k = l->count; k-- > 0;) {
    if (!(l->square[k] > FINE * FINE)) continue;
    double times = rint(ct_dense_dot(l->rest, l->across + k * l->length, l->length) / l->square[k]);
    ct_dense_add(l->rest, l->vectors + k * l->length, -times, l->length);
    ct_dense_add(l->step, l->steps + k * l->count, times, l->count);
  }
  for (size_t k = 0; k < l->count; k++)
    z[l->columns[k]] = fmax(z[l->columns[k]] + l->step[k] * l->unit[k], 0.0);
}

ct_status ct_lcp_reduce_roundoff(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->dense);
  lattice l;
  if (!allocate_lattice(&l, job, result)) return CT_OUT_OF_MEMORY;
  if (!l.vectors) return CT_OK;
  double *z = ct_arena_alloc_doubles(job->arena, 2 * job->size), *w = z + job->size;
  if (!z) return CT_OUT_OF_MEMORY;
  fill_lattice(&l, result->z);
  reduce_lattice(&l);
  const ct_lcp problem = {*job->matrix, job->q};
  memcpy(z, result->z, job->size * sizeof *z);
  memcpy(w, result->w, job->size * sizeof *w);
  for (int k = 0; k < PLANES && result->residual > job->target; k++) {
    move_to_nearest(&l, w, z);
    double residual = ct_lcp_residual(&problem, z, w);
    if (!(residual < result->residual)) break;
    result->residual = residual;
    memcpy(result->z, z, job->size * sizeof *z);
    memcpy(result->w, w, job->size * sizeof *w);
  }
  return ct_cancel_raised(job->options->cancel) ? CT_CANCELLED : CT_OK;
}
