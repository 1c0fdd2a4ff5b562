/* Exact orientation predicates, evaluated in stages until a stage decides: a filter in doubles, an
 * evaluation in which no rounding occurs, a filter in double-double, expansions. Also the exact
 * order of quotients of determinants: a filter in doubles, then long integers.
 *
 * Sources: Shewchuk 1997, Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates (sums, products, filter bounds); Dekker 1971 (splitting, double-double). Requires
 * round-to-nearest and no contraction of a*b+c.
 *
 * The product of two determinants may have bits below the least double, which expansions cannot
 * represent. It is therefore an integer times a power of 2^32, stored as 32-bit limbs, least
 * significant first. */
#include "base/predicates.h"
#include "base/determinant_ratio.h"
#include "base/expansion.h"
#include <contact/limits.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* Filter of the determinant in doubles: |error| <= (7 + 56 u) u permanent (Shewchuk 1997,
 * section 4.3). */
#define FILTER_BOUND ((7.0 + 56.0 * CT_UNIT_ROUNDOFF) * CT_UNIT_ROUNDOFF)
/* Bound of the error of a double-double determinant of exact differences, as a multiple of its
 * permanent: a product errs by at most 8 u^2, a sum by 4 u^2 of its terms, in total 28 u^2; 64
 * covers the round-off of the permanent. */
#define PAIR_BOUND (64.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)
/* Filter of a determinant of two rows of differences: (3 + 16 u) u (Shewchuk 1997, section 4.2). */
#define FLAT_BOUND ((3.0 + 16.0 * CT_UNIT_ROUNDOFF) * CT_UNIT_ROUNDOFF)
/* Bound of the error of a dot product with a difference in doubles, relative to the sum of |terms|:
 * u each for the difference, the product and two sums; 5 u covers second-order terms. */
#define DOT_BOUND (5.0 * CT_UNIT_ROUNDOFF)

static ct_vec3 get_high_parts(const ct_dd3 *a) {
  return (ct_vec3){a->x.high, a->y.high, a->z.high};
}

static bool has_low_parts(const ct_dd3 *a) {
  return a->x.low != 0.0 || a->y.low != 0.0 || a->z.low != 0.0;
}

/* Product (sum) in doubles; *lost is set to true if the result had to be rounded, else
 * unchanged. */
static double multiply_tracked(double a, double b, bool *lost) {
  ct_dd p = ct_two_product(a, b);
  *lost |= p.low != 0.0;
  return p.high;
}

static double add_tracked(double a, double b, bool *lost) {
  ct_dd s = ct_two_sum(a, b);
  *lost |= s.low != 0.0;
  return s.high;
}

/* a . (b x c) in doubles; *lost is set to true if any step was rounded, else unchanged. */
static double compute_triple_tracked(ct_vec3 a, ct_vec3 b, ct_vec3 c, bool *lost) {
  double x = add_tracked(multiply_tracked(b.y, c.z, lost), -multiply_tracked(b.z, c.y, lost), lost);
  double y = add_tracked(multiply_tracked(b.z, c.x, lost), -multiply_tracked(b.x, c.z, lost), lost);
  double z = add_tracked(multiply_tracked(b.x, c.y, lost), -multiply_tracked(b.y, c.x, lost), lost);
  double sum = add_tracked(multiply_tracked(a.x, x, lost), multiply_tracked(a.y, y, lost), lost);
  return add_tracked(sum, multiply_tracked(a.z, z, lost), lost);
}

/* Exact sign of a . (b x c) by expansions. */
static int find_determinant_sign(const ct_dd3 *a, const ct_dd3 *b, const ct_dd3 *c) {
  double all[CT_EXPANSION_TRIPLE];
  return ct_expansion_sign(all, ct_expansion_triple(a, b, c, all));
}

static int get_sign(double x) { return (x > 0.0) - (x < 0.0); }

/* Exact sign of p . (q x r), by the stages after the filter in doubles. permanent: the sum of the
 * products' absolute values. */
static int find_triple_sign(const ct_dd3 *p, const ct_dd3 *q, const ct_dd3 *r, double permanent) {
  bool lost = has_low_parts(p) || has_low_parts(q) || has_low_parts(r);
  if (!lost) {
    double exact =
        compute_triple_tracked(get_high_parts(p), get_high_parts(q), get_high_parts(r), &lost);
    if (!lost) return get_sign(exact);
  }
  ct_dd3 cross = ct_dd3_cross(q, r);
  double det = ct_dd3_dot(p, &cross).high;
  if (fabs(det) > PAIR_BOUND * permanent) return get_sign(det);
  return find_determinant_sign(p, q, r);
}

int ct_orient3d(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d) {
  ct_vec3 p = ct_sub(a, d), q = ct_sub(b, d), r = ct_sub(c, d);
  double qxry = q.x * r.y, qyrx = q.y * r.x, rxpy = r.x * p.y, rypx = r.y * p.x, pxqy = p.x * q.y,
         pyqx = p.y * q.x;
  double det = p.z * (qxry - qyrx) + q.z * (rxpy - rypx) + r.z * (pxqy - pyqx);
  double permanent = (fabs(qxry) + fabs(qyrx)) * fabs(p.z) + (fabs(rxpy) + fabs(rypx)) * fabs(q.z) +
                     (fabs(pxqy) + fabs(pyqx)) * fabs(r.z);
  if (fabs(det) > FILTER_BOUND * permanent) return -get_sign(det);
  /* In the exactness range no product underflows, so a permanent of 0 means that all six terms are
   * exactly 0: the points are in a coordinate plane. */
  if (permanent == 0.0) return 0;
  ct_dd3 exact_p = ct_dd3_sub(a, d), exact_q = ct_dd3_sub(b, d), exact_r = ct_dd3_sub(c, d);
  return -find_triple_sign(&exact_p, &exact_q, &exact_r, permanent);
}

/* Difference a - b of double-doubles; exact if it fits a double-double. */
static ct_dd subtract_pair(ct_dd a, ct_dd b) {
  ct_dd high = ct_two_sum(a.high, -b.high), low = ct_two_sum(a.low, -b.low),
        middle = ct_two_sum(high.low, low.high);
  ct_dd sum = ct_fast_two_sum(high.high, middle.high);
  return ct_fast_two_sum(sum.high, sum.low + (middle.low + low.low));
}

static ct_dd3 subtract_pairs(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){subtract_pair(a->x, b->x), subtract_pair(a->y, b->y), subtract_pair(a->z, b->z)};
}

int ct_orient3d_wide(const ct_dd3 *a, const ct_dd3 *b, const ct_dd3 *c, const ct_dd3 *d) {
  ct_dd3 wide_p = subtract_pairs(a, d), wide_q = subtract_pairs(b, d),
         wide_r = subtract_pairs(c, d);
  ct_vec3 p = get_high_parts(&wide_p), q = get_high_parts(&wide_q), r = get_high_parts(&wide_r);
  double permanent = (fabs(q.x * r.y) + fabs(q.y * r.x)) * fabs(p.z) +
                     (fabs(r.x * p.y) + fabs(r.y * p.x)) * fabs(q.z) +
                     (fabs(p.x * q.y) + fabs(p.y * q.x)) * fabs(r.z);
  return permanent == 0.0 ? 0 : -find_triple_sign(&wide_p, &wide_q, &wide_r, permanent);
}

int ct_line_side(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  ct_vec3 p = direction, q = ct_sub(a, origin), r = ct_sub(b, origin);
  double qyrz = q.y * r.z, qzry = q.z * r.y, qzrx = q.z * r.x, qxrz = q.x * r.z, qxry = q.x * r.y,
         qyrx = q.y * r.x;
  double det = p.x * (qyrz - qzry) + p.y * (qzrx - qxrz) + p.z * (qxry - qyrx);
  double permanent = (fabs(qyrz) + fabs(qzry)) * fabs(p.x) + (fabs(qzrx) + fabs(qxrz)) * fabs(p.y) +
                     (fabs(qxry) + fabs(qyrx)) * fabs(p.z);
  if (fabs(det) > FILTER_BOUND * permanent) return get_sign(det);
  if (permanent == 0.0) return 0;
  ct_dd3 exact_p = ct_dd3_of(direction), exact_q = ct_dd3_sub(a, origin),
         exact_r = ct_dd3_sub(b, origin);
  return find_triple_sign(&exact_p, &exact_q, &exact_r, permanent);
}

double ct_line_volume(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  double all[CT_EXPANSION_TRIPLE];
  ct_dd3 p = ct_dd3_of(direction), q = ct_dd3_sub(a, origin), r = ct_dd3_sub(b, origin);
  return ct_expansion_value(all, ct_expansion_triple(&p, &q, &r, all));
}

/* True if the minor a d - b c is exactly zero. */
static bool is_minor_zero(ct_dd a, ct_dd b, ct_dd c, ct_dd d) {
  double minor[CT_EXPANSION_MINOR];
  double left = a.high * d.high, right = b.high * c.high;
  /* The relative error of either product of rounded differences is below 4 u. */
  if (fabs(left - right) > 8.0 * CT_UNIT_ROUNDOFF * (fabs(left) + fabs(right))) return false;
  return ct_expansion_sign(minor, ct_expansion_minor(a, b, c, d, minor)) == 0;
}

int ct_orient2d(ct_vec2 a, ct_vec2 b, ct_vec2 c) {
  double px = a.x - c.x, py = a.y - c.y, qx = b.x - c.x, qy = b.y - c.y, left = px * qy,
         right = py * qx;
  if (fabs(left - right) > FLAT_BOUND * (fabs(left) + fabs(right))) return get_sign(left - right);
  double minor[CT_EXPANSION_MINOR];
  return ct_expansion_sign(minor,
                           ct_expansion_minor(ct_two_sum(a.x, -c.x), ct_two_sum(a.y, -c.y),
                                              ct_two_sum(b.x, -c.x), ct_two_sum(b.y, -c.y), minor));
}

int ct_turn2d(ct_vec2 p, ct_vec2 q, ct_vec2 r, ct_vec2 s) {
  double ux = q.x - p.x, uy = q.y - p.y, vx = s.x - r.x, vy = s.y - r.y, left = ux * vy,
         right = uy * vx;
  if (fabs(left - right) > FLAT_BOUND * (fabs(left) + fabs(right))) return get_sign(left - right);
  double minor[CT_EXPANSION_MINOR];
  return ct_expansion_sign(minor,
                           ct_expansion_minor(ct_two_sum(q.x, -p.x), ct_two_sum(q.y, -p.y),
                                              ct_two_sum(s.x, -r.x), ct_two_sum(s.y, -r.y), minor));
}

int ct_dot_sign(ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  ct_vec3 d = ct_sub(a, b);
  double x = direction.x * d.x, y = direction.y * d.y, z = direction.z * d.z;
  double sum = x + y + z, size = fabs(x) + fabs(y) + fabs(z);
  if (fabs(sum) > DOT_BOUND * size) return get_sign(sum);
  if (size == 0.0) return 0;
  ct_dd3 exact = ct_dd3_sub(a, b), by = ct_dd3_of(direction);
  double better = ct_dd3_dot(&exact, &by).high;
  if (fabs(better) > PAIR_BOUND * size) return get_sign(better);

  double ex[4], ey[4], ez[4], xy[8], all[12];
  double px[2] = {exact.x.low, exact.x.high}, py[2] = {exact.y.low, exact.y.high},
         pz[2] = {exact.z.low, exact.z.high};
  int nxy = ct_expansion_sum(ex, ct_expansion_scale(px, 2, direction.x, ex), ey,
                             ct_expansion_scale(py, 2, direction.y, ey), xy);
  return ct_expansion_sign(
      all, ct_expansion_sum(xy, nxy, ez, ct_expansion_scale(pz, 2, direction.z, ez), all));
}

bool ct_collinear(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
  ct_dd3 p = ct_dd3_sub(a, c), q = ct_dd3_sub(b, c);
  return is_minor_zero(p.x, p.y, q.x, q.y) && is_minor_zero(p.y, p.z, q.y, q.z) &&
         is_minor_zero(p.z, p.x, q.z, q.x);
}

/* ---- ratios of determinants ----------------------------------------------------------------- */

/* Largest number of limbs: a determinant is below 2^(3 * 302) and its lowest bit is at least
 * 2^-1074, which are 66 limbs, plus one for a carry and one for a component that begins inside a
 * limb. */
#define LIMBS_MAX 70
/* Bound of the relative error of comparing two quotients in doubles, each with an error of a few
 * u. */
#define RATIO_BOUND (32.0 * CT_UNIT_ROUNDOFF)

typedef struct long_integer {
  uint32_t limbs[2 * LIMBS_MAX];
  int count, low; /* count: number of limbs; low: exponent, so that the value is the integer given
                     by the limbs times 2^(32 low) */
} long_integer;

static int find_limb(int exponent) {
  return exponent >= 0 ? exponent / 32 : -((31 - exponent) / 32);
}

/* Writes the absolute value of a nonzero expansion as a long integer. */
static void convert_to_limbs(const double *e, int n, long_integer *out) {
  assert(n > 0 && n <= CT_EXPANSION_TRIPLE);
  int64_t sums[LIMBS_MAX] = {0}, carry = 0;
  int exponent, sense = e[n - 1] > 0.0 ? 1 : -1;
  (void)frexp(e[0], &exponent);
  out->low = find_limb(exponent - 53);
  (void)frexp(e[n - 1], &exponent);
  out->count = find_limb(exponent) - out->low + 2;
  assert(out->count > 0 && out->count <= LIMBS_MAX);
  /* Add each component with its sign, shifted, to two or three limbs. */
  for (int i = 0; i < n; i++) {
    double fraction = frexp(e[i], &exponent);
    uint64_t bits = (uint64_t)ldexp(fabs(fraction), 53);
    int at = exponent - 53 - 32 * out->low, limb = at / 32, shift = at % 32;
    int64_t sign = (fraction > 0.0) == (sense > 0) ? 1 : -1;
    sums[limb] += sign * (int64_t)(uint32_t)(bits << shift);
    sums[limb + 1] += sign * (int64_t)(uint32_t)(bits >> (32 - shift));
    if (shift > 0) sums[limb + 2] += sign * (int64_t)(bits >> (64 - shift));
  }
  /* Propagate the carries, so that every limb is in [0, 2^32). */
  for (int i = 0; i < out->count; i++) {
    int64_t sum = sums[i] + carry;
    out->limbs[i] = (uint32_t)sum;
    carry = (sum - (int64_t)out->limbs[i]) / (INT64_C(1) << 32);
  }
  assert(carry == 0);
}

static void multiply_integers(const long_integer *a, const long_integer *b, long_integer *out) {
  assert(a->count <= LIMBS_MAX && b->count <= LIMBS_MAX);
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

/* Sign of |a| - |b|, by long integers: compares |a.top b.bottom| with |b.top a.bottom|. Requires
 * both quotients to be nonzero. */
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
  assert(a->bottom_count > 0);
  return ct_expansion_value(a->top, a->top_count) / ct_expansion_value(a->bottom, a->bottom_count);
}

int ct_ratio_compare(const ct_ratio *a, const ct_ratio *b) {
  int sign_a = get_ratio_sign(a), sign_b = get_ratio_sign(b);
  if (sign_a != sign_b) return sign_a > sign_b ? 1 : -1;
  if (sign_a == 0) return 0;
  double p = ct_ratio_value(a), q = ct_ratio_value(b), apart = fabs(p - q);
  if (apart > RATIO_BOUND * (fabs(p) + fabs(q)) && apart < INFINITY) return p > q ? 1 : -1;
  return sign_a * compare_exactly(a, b);
}
