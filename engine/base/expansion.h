/* Expansions (Shewchuk 1997): exact sums of doubles, stored as nonoverlapping nonzero components of
 * increasing magnitude.
 *
 * Exact in the exactness range of base/predicates.h. The caller's arrays need the stated lengths.
 * Inline, because each exact stage of a predicate has lengths of its own.
 */
#ifndef BASE_EXPANSION_H
#define BASE_EXPANSION_H

#include "base/double_double.h"

#include <assert.h>

/* Largest number of components: of the product of two double-doubles, of a 2x2 minor of
 * double-doubles, of such a minor times a double-double, and of a 3x3 determinant. */
#define CT_EXPANSION_PRODUCT 8
#define CT_EXPANSION_MINOR 16
#define CT_EXPANSION_TERM 64
#define CT_EXPANSION_TRIPLE 192

/* Writes the sum of two expansions of m and n components to `out`, which has space for m + n.
 * Returns its number of components. */
static inline int ct_expansion_sum(const double *e, int m, const double *f, int n, double *out) {
  int i = 0, j = 0, length = 0;
  double q = 0.0;
  while (i < m || j < n) {
    bool take_e = j == n || (i < m && fabs(e[i]) < fabs(f[j]));
    ct_dd s = ct_two_sum(q, take_e ? e[i++] : f[j++]);
    if (s.low != 0.0) out[length++] = s.low;
    q = s.high;
  }
  if (q != 0.0) out[length++] = q;
  assert(length <= m + n);
  return length;
}

/* Writes an expansion times a double to `out`, which has space for 2 n components. Returns its
 * number of components. */
static inline int ct_expansion_scale(const double *e, int n, double factor, double *out) {
  int length = 0;
  double q = 0.0;
  for (int i = 0; i < n; i++) {
    ct_dd p = ct_two_product(e[i], factor);
    ct_dd s = ct_two_sum(q, p.low);
    if (s.low != 0.0) out[length++] = s.low;
    s = ct_fast_two_sum(p.high, s.high);
    if (s.low != 0.0) out[length++] = s.low;
    q = s.high;
  }
  if (q != 0.0) out[length++] = q;
  return length;
}

/* Writes an expansion of n <= CT_EXPANSION_MINOR components times a double-double to `out`, which
 * has space for 4 n. Returns its number of components. */
static inline int ct_expansion_times_pair(const double *e, int n, ct_dd p, double *out) {
  assert(n <= CT_EXPANSION_MINOR);
  double low[2 * CT_EXPANSION_MINOR], high[2 * CT_EXPANSION_MINOR];
  int low_count = p.low == 0.0 ? 0 : ct_expansion_scale(e, n, p.low, low);
  int high_count = ct_expansion_scale(e, n, p.high, high);
  return ct_expansion_sum(low, low_count, high, high_count, out);
}

/* Writes the minor a d - b c to `out`, which has space for CT_EXPANSION_MINOR components. Returns
 * its number of components. */
static inline int ct_expansion_minor(ct_dd a, ct_dd b, ct_dd c, ct_dd d, double *out) {
  double first[CT_EXPANSION_PRODUCT], second[CT_EXPANSION_PRODUCT];
  double ea[2] = {a.low, a.high}, eb[2] = {-b.low, -b.high};
  int m = ct_expansion_times_pair(ea, 2, d, first);
  int n = ct_expansion_times_pair(eb, 2, c, second);
  return ct_expansion_sum(first, m, second, n, out);
}

/* Writes the determinant a . (b x c) to `out`, which has space for CT_EXPANSION_TRIPLE components.
 * Returns its number of components. */
static inline int ct_expansion_triple(const ct_dd3 *a, const ct_dd3 *b, const ct_dd3 *c,
                                      double *out) {
  double minor[CT_EXPANSION_MINOR], x[CT_EXPANSION_TERM], y[CT_EXPANSION_TERM],
      z[CT_EXPANSION_TERM], xy[2 * CT_EXPANSION_TERM];
  int n = ct_expansion_minor(b->y, b->z, c->y, c->z, minor);
  int nx = ct_expansion_times_pair(minor, n, a->x, x);
  n = ct_expansion_minor(b->z, b->x, c->z, c->x, minor);
  int ny = ct_expansion_times_pair(minor, n, a->y, y);
  n = ct_expansion_minor(b->x, b->y, c->x, c->y, minor);
  int nz = ct_expansion_times_pair(minor, n, a->z, z);
  int nxy = ct_expansion_sum(x, nx, y, ny, xy);
  return ct_expansion_sum(xy, nxy, z, nz, out);
}

static inline int ct_expansion_sign(const double *e, int n) {
  if (n == 0) return 0;
  return e[n - 1] > 0.0 ? 1 : -1;
}

/* Returns the rounded value of an expansion; relative error of a few u. */
static inline double ct_expansion_value(const double *e, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += e[i];
  return sum;
}

#endif
