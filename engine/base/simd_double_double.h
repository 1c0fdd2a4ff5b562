/* Double-double arithmetic in two SIMD lanes: base/double_double.h on base/simd_lanes.h, with
 * the same bits. Bounds, requirements and sources: base/double_double.h. */
#ifndef BASE_SIMD_DOUBLE_DOUBLE_H
#define BASE_SIMD_DOUBLE_DOUBLE_H

#include "base/simd_lanes.h"

/* A double-double in each of two lanes: high + low per lane. */
typedef struct ct_dd_lanes {
  ct_lanes high, low;
} ct_dd_lanes;

typedef struct ct_dd3_lanes {
  ct_dd_lanes x, y, z;
} ct_dd3_lanes;

/* A vector in each of two lanes. */
typedef struct ct_vec3_lanes {
  ct_lanes x, y, z;
} ct_vec3_lanes;

static inline ct_dd_lanes ct_two_sum_lanes(ct_lanes a, ct_lanes b) {
  ct_lanes s = a + b, b_part = s - a, a_part = s - b_part;
  return (ct_dd_lanes){s, (a - a_part) + (b - b_part)};
}

static inline ct_dd_lanes ct_fast_two_sum_lanes(ct_lanes a, ct_lanes b) {
  ct_lanes s = a + b;
  return (ct_dd_lanes){s, b - (s - a)};
}

static inline ct_dd_lanes ct_two_product_lanes(ct_lanes a, ct_lanes b) {
  ct_lanes p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
  ct_lanes a_high = ca - (ca - a), b_high = cb - (cb - b), a_low = a - a_high, b_low = b - b_high;
  return (ct_dd_lanes){p,
                       a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)};
}

static inline ct_dd_lanes ct_dd_add_lanes(ct_dd_lanes a, ct_dd_lanes b) {
  ct_dd_lanes s = ct_two_sum_lanes(a.high, b.high);
  return ct_fast_two_sum_lanes(s.high, s.low + (a.low + b.low));
}

static inline ct_dd_lanes ct_dd_sub_lanes(ct_dd_lanes a, ct_dd_lanes b) {
  return ct_dd_add_lanes(a, (ct_dd_lanes){-b.high, -b.low});
}

static inline ct_dd_lanes ct_dd_mul_lanes(ct_dd_lanes a, ct_dd_lanes b) {
  ct_dd_lanes p = ct_two_product_lanes(a.high, b.high);
  return ct_fast_two_sum_lanes(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline ct_dd3_lanes ct_dd3_sub_lanes(ct_vec3_lanes a, ct_vec3_lanes b) {
  return (ct_dd3_lanes){ct_two_sum_lanes(a.x, -b.x), ct_two_sum_lanes(a.y, -b.y),
                        ct_two_sum_lanes(a.z, -b.z)};
}

static inline ct_dd3_lanes ct_dd3_cross_lanes(const ct_dd3_lanes *a, const ct_dd3_lanes *b) {
  return (ct_dd3_lanes){ct_dd_sub_lanes(ct_dd_mul_lanes(a->y, b->z), ct_dd_mul_lanes(a->z, b->y)),
                        ct_dd_sub_lanes(ct_dd_mul_lanes(a->z, b->x), ct_dd_mul_lanes(a->x, b->z)),
                        ct_dd_sub_lanes(ct_dd_mul_lanes(a->x, b->y), ct_dd_mul_lanes(a->y, b->x))};
}

static inline ct_dd_lanes ct_dd3_dot_lanes(const ct_dd3_lanes *a, const ct_dd3_lanes *b) {
  return ct_dd_add_lanes(ct_dd_add_lanes(ct_dd_mul_lanes(a->x, b->x), ct_dd_mul_lanes(a->y, b->y)),
                         ct_dd_mul_lanes(a->z, b->z));
}

#endif
