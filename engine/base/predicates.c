/* Exact orientation by stages: floating-point filter, exactly representable chain, double-double filter, expansions.
 *
 * Source: Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates" (sums, products,
 * filter bound); Dekker 1971 (splitting, double-double). Needs round-to-nearest and no contraction of a*b+c.
 */
#include "base/predicates.h"

/* Filter of the determinant in doubles: |error| <= (7 + 56 u) u permanent (Shewchuk 1997, section 4.3). */
#define FILTER_BOUND ((7.0 + 56.0 * CT_UNIT_ROUNDOFF) * CT_UNIT_ROUNDOFF)
/* Double-double determinant: exact differences; a product errs by at most 8 u^2, a sum by 4 u^2 of its terms' sizes, which adds up
 * to 28 u^2 permanent; 64 leaves room for the rounding of the permanent. */
#define PAIR_BOUND (64.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)
/* 2^27 + 1 splits a double into two halves of 26 bits. */
#define SPLITTER 134217729.0
/* Components of the largest expansions: a product of two pairs, a minor, a minor times a pair, the determinant. */
#define PRODUCT_MAX 8
#define MINOR_MAX 16
#define TERM_MAX 64
#define DETERMINANT_MAX 192

/* An unevaluated sum high + low with |low| <= u |high|. */
typedef struct pair {
  double high, low;
} pair;

typedef struct pair3 {
  pair x, y, z;
} pair3;

static pair two_sum(double a, double b) {
  double s = a + b;
  double b_part = s - a;
  double a_part = s - b_part;
  return (pair){s, (a - a_part) + (b - b_part)};
}

/* Needs |a| >= |b| or a == 0. */
static pair fast_two_sum(double a, double b) {
  double s = a + b;
  return (pair){s, b - (s - a)};
}

static pair split(double a) {
  double c = SPLITTER * a;
  double high = c - (c - a);
  return (pair){high, a - high};
}

static pair two_product(double a, double b) {
  double p = a * b;
  pair s = split(a), t = split(b);
  return (pair){p, s.low * t.low - (((p - s.high * t.high) - s.low * t.high) - s.high * t.low)};
}

static pair3 difference(ct_vec3 a, ct_vec3 b) { return (pair3){two_sum(a.x, -b.x), two_sum(a.y, -b.y), two_sum(a.z, -b.z)}; }

static ct_vec3 highs(const pair3 *a) { return (ct_vec3){a->x.high, a->y.high, a->z.high}; }

static bool has_lows(const pair3 *a) { return a->x.low != 0.0 || a->y.low != 0.0 || a->z.low != 0.0; }

/* Products and sums that note whether anything was lost. */
static double exact_product(double a, double b, bool *lost) {
  pair p = two_product(a, b);
  *lost |= p.low != 0.0;
  return p.high;
}

static double exact_sum(double a, double b, bool *lost) {
  pair s = two_sum(a, b);
  *lost |= s.low != 0.0;
  return s.high;
}

/* a . (b x c) in doubles; *lost is set when any step was rounded. */
static double chain(ct_vec3 a, ct_vec3 b, ct_vec3 c, bool *lost) {
  double x = exact_sum(exact_product(b.y, c.z, lost), -exact_product(b.z, c.y, lost), lost);
  double y = exact_sum(exact_product(b.z, c.x, lost), -exact_product(b.x, c.z, lost), lost);
  double z = exact_sum(exact_product(b.x, c.y, lost), -exact_product(b.y, c.x, lost), lost);
  double sum = exact_sum(exact_product(a.x, x, lost), exact_product(a.y, y, lost), lost);
  return exact_sum(sum, exact_product(a.z, z, lost), lost);
}

static pair pair_product(pair a, pair b) {
  pair p = two_product(a.high, b.high);
  return fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static pair pair_sum(pair a, pair b) {
  pair s = two_sum(a.high, b.high);
  return fast_two_sum(s.high, s.low + (a.low + b.low));
}

static pair pair_minor(pair a, pair b, pair c, pair d) {
  pair p = pair_product(a, d), q = pair_product(b, c);
  return pair_sum(p, (pair){-q.high, -q.low});
}

/* a . (b x c) in double-double. */
static double pair_determinant(const pair3 *a, const pair3 *b, const pair3 *c) {
  pair x = pair_product(a->x, pair_minor(b->y, b->z, c->y, c->z));
  pair y = pair_product(a->y, pair_minor(b->z, b->x, c->z, c->x));
  pair z = pair_product(a->z, pair_minor(b->x, b->y, c->x, c->y));
  return pair_sum(pair_sum(x, y), z).high;
}

/* Sum of two expansions (components ascending in magnitude, zeros dropped); out holds m + n. Returns the length. */
static int expansion_sum(const double *e, int m, const double *f, int n, double *out) {
  int i = 0, j = 0, length = 0;
  double q = 0.0;
  while (i < m || j < n) {
    bool take_e = j == n || (i < m && fabs(e[i]) < fabs(f[j]));
    pair s = two_sum(q, take_e ? e[i++] : f[j++]);
    if (s.low != 0.0) out[length++] = s.low;
    q = s.high;
  }
  if (q != 0.0) out[length++] = q;
  return length;
}

/* Expansion times a double; out holds 2 n. */
static int expansion_scale(const double *e, int n, double factor, double *out) {
  int length = 0;
  double q = 0.0;
  for (int i = 0; i < n; i++) {
    pair p = two_product(e[i], factor);
    pair s = two_sum(q, p.low);
    if (s.low != 0.0) out[length++] = s.low;
    s = fast_two_sum(p.high, s.high);
    if (s.low != 0.0) out[length++] = s.low;
    q = s.high;
  }
  if (q != 0.0) out[length++] = q;
  return length;
}

/* Expansion of at most MINOR_MAX components times a pair; out holds 4 n. */
static int expansion_times_pair(const double *e, int n, pair p, double *out) {
  double low[2 * MINOR_MAX], high[2 * MINOR_MAX];
  int low_count = p.low == 0.0 ? 0 : expansion_scale(e, n, p.low, low);
  int high_count = expansion_scale(e, n, p.high, high);
  return expansion_sum(low, low_count, high, high_count, out);
}

/* a d - b c as an expansion of at most MINOR_MAX components. */
static int expansion_minor(pair a, pair b, pair c, pair d, double *out) {
  double first[PRODUCT_MAX], second[PRODUCT_MAX];
  double ea[2] = {a.low, a.high}, eb[2] = {-b.low, -b.high};
  int m = expansion_times_pair(ea, 2, d, first);
  int n = expansion_times_pair(eb, 2, c, second);
  return expansion_sum(first, m, second, n, out);
}

static int expansion_sign(const double *e, int n) {
  if (n == 0) return 0;
  return e[n - 1] > 0.0 ? 1 : -1;
}

/* Sign of a . (b x c), exact. */
static int determinant_sign(const pair3 *a, const pair3 *b, const pair3 *c) {
  double minor[MINOR_MAX], x[TERM_MAX], y[TERM_MAX], z[TERM_MAX], xy[2 * TERM_MAX], all[DETERMINANT_MAX];
  int n = expansion_minor(b->y, b->z, c->y, c->z, minor);
  int nx = expansion_times_pair(minor, n, a->x, x);
  n = expansion_minor(b->z, b->x, c->z, c->x, minor);
  int ny = expansion_times_pair(minor, n, a->y, y);
  n = expansion_minor(b->x, b->y, c->x, c->y, minor);
  int nz = expansion_times_pair(minor, n, a->z, z);
  int nxy = expansion_sum(x, nx, y, ny, xy);
  return expansion_sign(all, expansion_sum(xy, nxy, z, nz, all));
}

static int sign_of(double x) { return (x > 0.0) - (x < 0.0); }

/* The stages after the filter; differences are taken from d. */
static int orient3d_hard(const ct_vec3 *a, const ct_vec3 *b, const ct_vec3 *c, const ct_vec3 *d, double permanent) {
  pair3 p = difference(*a, *d), q = difference(*b, *d), r = difference(*c, *d);
  bool lost = has_lows(&p) || has_lows(&q) || has_lows(&r);
  if (!lost) {
    double exact = chain(highs(&p), highs(&q), highs(&r), &lost);
    if (!lost) return -sign_of(exact);
  }
  double det = pair_determinant(&p, &q, &r);
  if (fabs(det) > PAIR_BOUND * permanent) return -sign_of(det);
  return -determinant_sign(&p, &q, &r);
}

int ct_orient3d(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d) {
  ct_vec3 p = ct_sub(a, d), q = ct_sub(b, d), r = ct_sub(c, d);
  double qxry = q.x * r.y, qyrx = q.y * r.x, rxpy = r.x * p.y, rypx = r.y * p.x, pxqy = p.x * q.y, pyqx = p.y * q.x;
  double det = p.z * (qxry - qyrx) + q.z * (rxpy - rypx) + r.z * (pxqy - pyqx);
  double permanent = (fabs(qxry) + fabs(qyrx)) * fabs(p.z) + (fabs(rxpy) + fabs(rypx)) * fabs(q.z) +
                     (fabs(pxqy) + fabs(pyqx)) * fabs(r.z);
  if (fabs(det) > FILTER_BOUND * permanent) return -sign_of(det);
  /* Nothing underflows in the exactness range, so each of the six terms is exactly zero: points on a coordinate plane. */
  if (permanent == 0.0) return 0;
  return orient3d_hard(&a, &b, &c, &d, permanent);
}

/* Is (a - c) x (b - c) exactly zero in the plane of two axes? */
static bool minor_is_zero(pair a, pair b, pair c, pair d) {
  double minor[MINOR_MAX];
  double left = a.high * d.high, right = b.high * c.high;
  /* Relative error of either product with rounded differences is below 4 u. */
  if (fabs(left - right) > 8.0 * CT_UNIT_ROUNDOFF * (fabs(left) + fabs(right))) return false;
  return expansion_sign(minor, expansion_minor(a, b, c, d, minor)) == 0;
}

bool ct_collinear(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
  pair3 p = difference(a, c), q = difference(b, c);
  return minor_is_zero(p.x, p.y, q.x, q.y) && minor_is_zero(p.y, p.z, q.y, q.z) && minor_is_zero(p.z, p.x, q.z, q.x);
}
