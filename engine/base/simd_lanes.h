/* Vectors of two doubles (SIMD lanes), as available on every x86-64 and arm64. Each lane has the
 * result of scalar arithmetic bit for bit. */
#ifndef BASE_SIMD_LANES_H
#define BASE_SIMD_LANES_H

#include <contact/hull.h>

typedef double ct_lanes __attribute__((vector_size(16)));
typedef double ct_stored_lanes __attribute__((vector_size(16), may_alias));
typedef int64_t ct_lane_mask __attribute__((vector_size(16)));

/* Load and store two doubles; addresses are aligned to 16 bytes. */
static inline ct_lanes ct_lanes_load(const double *from) {
  return *(const ct_stored_lanes *)(const void *)from;
}
static inline void ct_lanes_store(double *to, ct_lanes value) {
  *(ct_stored_lanes *)(void *)to = value;
}

/* Selects per lane: b where the mask `second` is set, else a. */
static inline ct_lanes ct_lanes_choose(ct_lane_mask second, ct_lanes a, ct_lanes b) {
  return (ct_lanes)((second & (ct_lane_mask)b) | (~second & (ct_lane_mask)a));
}

/* Maximum (minimum) per lane; of values that compare equal, such as 0 and -0, either one. */
static inline ct_lanes ct_lanes_higher(ct_lanes a, ct_lanes b) {
#ifdef __SSE2__
  return __builtin_ia32_maxpd(a, b);
#else
  return ct_lanes_choose(b > a, a, b);
#endif
}

static inline ct_lanes ct_lanes_lower(ct_lanes a, ct_lanes b) {
#ifdef __SSE2__
  return __builtin_ia32_minpd(a, b);
#else
  return ct_lanes_choose(b < a, a, b);
#endif
}

/* Returns the result of a comparison as two bits, bit 0 for lane 0. */
static inline unsigned ct_lanes_bits(ct_lane_mask m) {
#ifdef __SSE2__
  return (unsigned)__builtin_ia32_movmskpd((ct_lanes)m);
#else
  return (unsigned)(m[0] & 1) | (unsigned)(m[1] & 2);
#endif
}

/* Dot products of CT_HULL_LANES points with a direction, and the greatest of them. */
typedef struct ct_heights {
  ct_lanes of[CT_HULL_LANES / 2];
  double most;
} ct_heights;

static inline ct_lanes ct_lanes_products(const double *x, const double *y, const double *z,
                                         ct_vec3 d, int i) {
  return d.x * ct_lanes_load(x + i) + d.y * ct_lanes_load(y + i) + d.z * ct_lanes_load(z + i);
}

static inline ct_heights ct_lanes_heights(const double *x, const double *y, const double *z,
                                          ct_vec3 d) {
  ct_heights h = {.of = {ct_lanes_products(x, y, z, d, 0), ct_lanes_products(x, y, z, d, 2),
                         ct_lanes_products(x, y, z, d, 4), ct_lanes_products(x, y, z, d, 6)}};
  ct_lanes top =
      ct_lanes_higher(ct_lanes_higher(h.of[0], h.of[1]), ct_lanes_higher(h.of[2], h.of[3]));
  h.most = top[0] > top[1] ? top[0] : top[1];
  return h;
}

/* Returns a bit mask of the points whose dot product is at least `least`. */
static inline uint32_t ct_lanes_from(const ct_heights *h, double least) {
  const ct_lanes all = {least, least};
  ct_lane_mask found =
      ((h->of[0] >= all) & (ct_lane_mask){1, 2}) | ((h->of[1] >= all) & (ct_lane_mask){4, 8}) |
      ((h->of[2] >= all) & (ct_lane_mask){16, 32}) | ((h->of[3] >= all) & (ct_lane_mask){64, 128});
  return (uint32_t)(found[0] | found[1]);
}

/* Returns the index of the point farthest in the direction d; the first one among equal rounded
 * products. */
static inline uint32_t ct_lanes_farthest(const double *x, const double *y, const double *z,
                                         ct_vec3 d) {
  ct_heights h = ct_lanes_heights(x, y, z, d);
  uint32_t bits = ct_lanes_from(&h, h.most);
  return bits ? (uint32_t)__builtin_ctz(bits) : 0;
}

/* Sets *top to the index of the farthest point in the direction d. Returns a bit mask of the other
 * points whose products are at most `within` less. */
static inline uint32_t ct_lanes_near_top(const double *x, const double *y, const double *z,
                                         ct_vec3 d, double within, uint32_t *top) {
  ct_heights h = ct_lanes_heights(x, y, z, d);
  uint32_t bits = ct_lanes_from(&h, h.most);
  *top = bits ? (uint32_t)__builtin_ctz(bits) : 0;
  return ct_lanes_from(&h, h.most - within) & ~(1u << *top);
}

#endif
