/* Exact comparison of ratios: a filter in doubles, then long integers.
 *
 * The product of two determinants has bits below the least double, which expansions cannot
 * represent. An integer times a power of 2^32 can: 32-bit limbs, least significant first.
 */
#include "base/determinant_ratio.h"

#include <contact/limits.h>

#include <stdint.h>
#include <string.h>

/* A determinant is below 2^(3 * 302) and its lowest bit is at least 2^-1074: 66 limbs, plus a
 * carry and a component that begins inside a limb. */
#define LIMBS_MAX 70
/* Error of two values, each accurate to a few u, and of their product. */
#define FILTER_BOUND (32.0 * CT_UNIT_ROUNDOFF)

typedef struct long_integer {
  uint32_t limbs[2 * LIMBS_MAX];
  int count, low; /* times 2^(32 low) */
} long_integer;

static int find_limb(int exponent) {
  return exponent >= 0 ? exponent / 32 : -((31 - exponent) / 32);
}

/* Magnitude of a nonzero expansion as a long integer. */
static void convert_to_limbs(const double *e, int n, long_integer *out) {
  int64_t sums[LIMBS_MAX] = {0}, carry = 0;
  int exponent, sense = e[n - 1] > 0.0 ? 1 : -1;
  (void)frexp(e[0], &exponent);
  out->low = find_limb(exponent - 53);
  (void)frexp(e[n - 1], &exponent);
  out->count = find_limb(exponent) - out->low + 2;
  /* Add each component, shifted into two or three limbs, with its sign. */
  for (int i = 0; i < n; i++) {
    double fraction = frexp(e[i], &exponent);
    uint64_t bits = (uint64_t)ldexp(fabs(fraction), 53);
    int at = exponent - 53 - 32 * out->low, limb = at / 32, shift = at % 32;
    int64_t sign = (fraction > 0.0) == (sense > 0) ? 1 : -1;
    sums[limb] += sign * (int64_t)(uint32_t)(bits << shift);
    sums[limb + 1] += sign * (int64_t)(uint32_t)(bits >> (32 - shift));
    if (shift > 0) sums[limb + 2] += sign * (int64_t)(bits >> (64 - shift));
  }
  /* Propagate carries, so that every limb is in [0, 2^32). */
  for (int i = 0; i < out->count; i++) {
    int64_t sum = sums[i] + carry;
    out->limbs[i] = (uint32_t)sum;
    carry = (sum - (int64_t)out->limbs[i]) / (INT64_C(1) << 32);
  }
}

static void multiply_integers(const long_integer *a, const long_integer *b, long_integer *out) {
  out->low = a->low + b->low;
  out->count = a->count + b->count;
  memset(out->limbs, 0, sizeof out->limbs);
  for (int i = 0; i < a->count; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < b->count; j++) {
      uint64_t sum = (uint64_t)a->limbs[i] * b->limbs[j] + out->limbs[i + j] + carry;
      out->limbs[i + j] = (uint32_t)sum;
      carry = sum >> 32;
    }
    out->limbs[i + b->count] = (uint32_t)carry;
  }
}

static uint32_t get_limb(const long_integer *a, int place) {
  int i = place - a->low;
  return i >= 0 && i < a->count ? a->limbs[i] : 0;
}

static int compare_sizes(const long_integer *a, const long_integer *b) {
  int top = a->low + a->count > b->low + b->count ? a->low + a->count : b->low + b->count;
  int low = a->low < b->low ? a->low : b->low;
  for (int i = top - 1; i >= low; i--) {
    uint32_t p = get_limb(a, i), q = get_limb(b, i);
    if (p != q) return p > q ? 1 : -1;
  }
  return 0;
}

/* Sign of |a| - |b|. Requires both to be nonzero. */
static int compare_exactly(const ct_ratio *a, const ct_ratio *b) {
  long_integer top, bottom, left, right;
  convert_to_limbs(a->top, a->top_count, &top);
  convert_to_limbs(b->bottom, b->bottom_count, &bottom);
  multiply_integers(&top, &bottom, &left);
  convert_to_limbs(b->top, b->top_count, &top);
  convert_to_limbs(a->bottom, a->bottom_count, &bottom);
  multiply_integers(&top, &bottom, &right);
  return compare_sizes(&left, &right);
}

static int get_ratio_sign(const ct_ratio *a) {
  return ct_expansion_sign(a->top, a->top_count) * ct_expansion_sign(a->bottom, a->bottom_count);
}

double ct_ratio_value(const ct_ratio *a) {
  return ct_expansion_value(a->top, a->top_count) / ct_expansion_value(a->bottom, a->bottom_count);
}

int ct_ratio_compare(const ct_ratio *a, const ct_ratio *b) {
  int sign_a = get_ratio_sign(a), sign_b = get_ratio_sign(b);
  if (sign_a != sign_b) return sign_a > sign_b ? 1 : -1;
  if (sign_a == 0) return 0;
  double p = ct_ratio_value(a), q = ct_ratio_value(b), apart = fabs(p - q);
  if (apart > FILTER_BOUND * (fabs(p) + fabs(q)) && apart < INFINITY) return p > q ? 1 : -1;
  return sign_a * compare_exactly(a, b);
}
