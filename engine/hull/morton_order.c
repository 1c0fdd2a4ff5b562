/* Sort along a Morton curve (Morton 1966): codes of 10 bits per axis, least significant digit
 * radix sort. O(count). */
#include "hull/morton_order.h"

#include <string.h>

#define CELLS_PER_AXIS 1024.0
#define DIGIT_BITS 10
#define DIGITS 3
#define BUCKETS (1u << DIGIT_BITS)

/* Inserts two zero bits between the bits of a 10-bit number. */
static uint32_t spread_bits(uint32_t v) {
  v = (v | v << 16) & 0x030000ffu;
  v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u;
  return (v | v << 2) & 0x09249249u;
}

static uint32_t quantise(double x, double low, double high) {
  double t = high > low ? (x - low) / (high - low) * CELLS_PER_AXIS : 0.0;
  return t < CELLS_PER_AXIS - 1.0 ? (uint32_t)t : (uint32_t)(CELLS_PER_AXIS - 1.0);
}

static void write_morton_codes(const ct_vec3 *points, uint32_t count, uint32_t *codes) {
  ct_aabb box = {points[0], points[0]};
  for (uint32_t i = 1; i < count; i++) box = ct_aabb_union(box, (ct_aabb){points[i], points[i]});
  for (uint32_t i = 0; i < count; i++) {
    codes[i] = spread_bits(quantise(points[i].x, box.min.x, box.max.x)) |
               spread_bits(quantise(points[i].y, box.min.y, box.max.y)) << 1 |
               spread_bits(quantise(points[i].z, box.min.z, box.max.z)) << 2;
  }
}

void ct_spatial_order(const ct_vec3 *points, uint32_t count, uint32_t *order, uint32_t *spare) {
  uint32_t *codes = spare, *next_codes = spare + count, *next_order = spare + 2 * (size_t)count;
  if (count == 0) return;
  write_morton_codes(points, count, codes);
  for (uint32_t i = 0; i < count; i++) order[i] = i;
  for (int digit = 0; digit < DIGITS; digit++) {
    uint32_t start[BUCKETS + 1] = {0};
    int shift = digit * DIGIT_BITS;
    for (uint32_t i = 0; i < count; i++) start[(codes[i] >> shift) % BUCKETS + 1]++;
    for (uint32_t b = 0; b < BUCKETS; b++) start[b + 1] += start[b];
    for (uint32_t i = 0; i < count; i++) {
      uint32_t at = start[(codes[i] >> shift) % BUCKETS]++;
      next_codes[at] = codes[i];
      next_order[at] = order[i];
    }
    memcpy(codes, next_codes, count * sizeof *codes);
    memcpy(order, next_order, count * sizeof *order);
  }
}
