/* Error-free sums and products of doubles, and double-double arithmetic: about 106 bits. Relative
 * error of a product below 8 u^2; a sum errs by at most 4 u^2 (|a| + |b|).
 *
 * Requires round-to-nearest, no contraction of a*b+c, and the exactness range of base/predicates.h
 * (no under- or overflow). Sources: Dekker 1971; Knuth, The Art of Computer Programming 2, 4.2.2;
 * Shewchuk 1997.
 */
#ifndef BASE_DOUBLE_DOUBLE_H
#define BASE_DOUBLE_DOUBLE_H

#include <contact/vec.h>

/* Double-double number: the unevaluated sum high + low with |low| <= u |high|. */
typedef struct ct_dd {
  double high, low;
} ct_dd;

typedef struct ct_dd3 {
  ct_dd x, y, z;
} ct_dd3;

/* Returns a + b as high (the rounded sum) and low (its rounding error), without error (Knuth). */
static inline ct_dd ct_two_sum(double a, double b) {
  double s = a + b;
  double b_part = s - a;
  double a_part = s - b_part;
  return (ct_dd){s, (a - a_part) + (b - b_part)};
}

/* As ct_two_sum, with fewer operations (Dekker). Requires |a| >= |b| or a == 0. */
static inline ct_dd ct_fast_two_sum(double a, double b) {
  double s = a + b;
  return (ct_dd){s, b - (s - a)};
}

/* Splits a into two halves of 26 bits; the factor is 2^27 + 1. */
static inline ct_dd ct_dekker_split(double a) {
  double c = 134217729.0 * a;
  double high = c - (c - a);
  return (ct_dd){high, a - high};
}

/* Returns a b as high (the rounded product) and low (its rounding error), without error
 * (Dekker). */
static inline ct_dd ct_two_product(double a, double b) {
  double p = a * b;
  ct_dd s = ct_dekker_split(a), t = ct_dekker_split(b);
  return (ct_dd){p, s.low * t.low - (((p - s.high * t.high) - s.low * t.high) - s.high * t.low)};
}

static inline ct_dd ct_dd_of(double a) { return (ct_dd){a, 0.0}; }
static inline ct_dd ct_dd_neg(ct_dd a) { return (ct_dd){-a.high, -a.low}; }
static inline double ct_dd_value(ct_dd a) { return a.high + a.low; }

static inline ct_dd ct_dd_add(ct_dd a, ct_dd b) {
  ct_dd s = ct_two_sum(a.high, b.high);
  return ct_fast_two_sum(s.high, s.low + (a.low + b.low));
}

static inline ct_dd ct_dd_mul(ct_dd a, ct_dd b) {
  ct_dd p = ct_two_product(a.high, b.high);
  return ct_fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/* Quotient a / b with relative error below 16 u^2: the rounded quotient of doubles and one
 * correction. */
static inline ct_dd ct_dd_div(ct_dd a, ct_dd b) {
  double q = a.high / b.high;
  ct_dd rest = ct_dd_add(a, ct_dd_neg(ct_dd_mul(b, ct_dd_of(q))));
  return ct_fast_two_sum(q, rest.high / b.high);
}

/* The 2x2 minor a d - b c. */
static inline ct_dd ct_dd_minor(ct_dd a, ct_dd b, ct_dd c, ct_dd d) {
  return ct_dd_add(ct_dd_mul(a, d), ct_dd_neg(ct_dd_mul(b, c)));
}

/* Returns a - b; each component is exact. */
static inline ct_dd3 ct_dd3_sub(ct_vec3 a, ct_vec3 b) {
  return (ct_dd3){ct_two_sum(a.x, -b.x), ct_two_sum(a.y, -b.y), ct_two_sum(a.z, -b.z)};
}

static inline ct_dd3 ct_dd3_of(ct_vec3 a) {
  return (ct_dd3){ct_dd_of(a.x), ct_dd_of(a.y), ct_dd_of(a.z)};
}
static inline ct_vec3 ct_dd3_value(const ct_dd3 *a) {
  return (ct_vec3){ct_dd_value(a->x), ct_dd_value(a->y), ct_dd_value(a->z)};
}

static inline ct_dd3 ct_dd3_cross(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_minor(a->y, a->z, b->y, b->z), ct_dd_minor(a->z, a->x, b->z, b->x),
                  ct_dd_minor(a->x, a->y, b->x, b->y)};
}

static inline ct_dd ct_dd3_dot(const ct_dd3 *a, const ct_dd3 *b) {
  return ct_dd_add(ct_dd_add(ct_dd_mul(a->x, b->x), ct_dd_mul(a->y, b->y)), ct_dd_mul(a->z, b->z));
}

#endif
