/* Loops over arrays of doubles in two SIMD lanes, which every x86-64 and arm64 has. Results equal
 * those of the same operations in scalar code, bit for bit. */
#ifndef LINEAR_DENSE_H
#define LINEAR_DENSE_H

#include <stddef.h>

typedef double ct_two __attribute__((vector_size(16), aligned(8), may_alias));

static inline ct_two ct_two_load(const double *from) { return *(const ct_two *)(const void *)from; }
static inline void ct_two_store(double *to, ct_two value) { *(ct_two *)(void *)to = value; }

/* Returns the dot product of a and b. Every fourth product is added to the same partial sum; then
 * the four sums and the remaining products are added. */
static inline double ct_dense_dot(const double *a, const double *b, size_t n) {
  ct_two s = {0.0, 0.0}, t = {0.0, 0.0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s += ct_two_load(a + i) * ct_two_load(b + i);
    t += ct_two_load(a + i + 2) * ct_two_load(b + i + 2);
  }
  s += t;
  double sum = s[0] + s[1];
  for (; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Computes y += times * x. */
static inline void ct_dense_add(double *y, const double *x, double times, size_t n) {
  const ct_two t = {times, times};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    ct_two_store(y + i, ct_two_load(y + i) + t * ct_two_load(x + i));
    ct_two_store(y + i + 2, ct_two_load(y + i + 2) + t * ct_two_load(x + i + 2));
  }
  for (; i < n; i++) y[i] += times * x[i];
}

#endif
