/* Shared by the grid files: levels, boxes in quanta, and their comparison.
 *
 * A level quantises coordinates, CT_GRID_CELL quanta per cell edge: (v - origin) / quantum, rounded
 * to an integer. Quantisation is monotonic for any rounding. Different quanta thus decide the order
 * of two coordinates; equal quanta need the coordinates themselves. Compared boxes are in
 * neighbouring cells, so differences of quanta fit 16 bits, and each box stores six numbers modulo
 * 2^16.
 */
#ifndef BROAD_GRID_H
#define BROAD_GRID_H

#include "broad/pair_list.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CT_GRID_LEVELS_MAX 10
/* Quanta per cell edge, and their bits: 16-bit quanta wrap around after eight cells. */
#define CT_GRID_CELL_BITS 13
#define CT_GRID_CELL (1 << CT_GRID_CELL_BITS)
/* Candidates buffered for the exact test. */
#define CT_GRID_HITS 1024

/* Box in quanta. Upper ends are negated, so one SIMD subtraction compares all six numbers. */
typedef struct __attribute__((aligned(16))) ct_grid_box {
  int16_t lower[3], minus_upper[3];
  uint32_t id;
} ct_grid_box;

typedef struct ct_grid_level {
  ct_aabb bounds;    /* bounds of its boxes, m */
  ct_vec3 largest;   /* largest extent along each axis, m */
  size_t count;      /* number of boxes */
  double inverse[3]; /* quanta per m; the origin is bounds.min */
  int64_t reach[3];  /* largest extent in quanta; at most CT_GRID_CELL */
  int64_t cells[3];  /* number of cells per axis; cells along x have 2^x_bits quanta */
  int x_bits;
  size_t first; /* index of its first cell */
} ct_grid_level;

typedef struct ct_grid_run {
  const ct_aabb *boxes;
  size_t count;
  ct_pair_output *out;
  int8_t of_exponent[2048]; /* level of each size exponent; -1: none */
  ct_grid_level levels[CT_GRID_LEVELS_MAX];
  int level_count;
  bool uniform;   /* all boxes are in one level */
  uint32_t *wide; /* boxes without a level, ascending */
  size_t wide_count;
  ct_grid_box *members; /* by level and cell */
  uint32_t *starts;     /* [cells of all levels + 1] the first member of a cell */
  uint64_t hits[CT_GRID_HITS];
  size_t hit_count;
  uint64_t next_poll;
  bool crowded;
} ct_grid_run;

static inline bool ct_grid_time_to_poll(const ct_grid_run *g) {
  return g->out->box_tests >= g->next_poll;
}

/* Biased exponent of a box's largest extent: 0 for zero, 2047 for infinity and NaN. */
static inline int ct_grid_exponent(ct_vec3 extent) {
  double size = ct_max2(ct_max2(extent.x, extent.y), extent.z);
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  return (int)(bits >> 52 & 2047);
}

/* Quanta of a coordinate >= origin. Adding 2^52 rounds to an integer in the low bits. */
static inline int64_t ct_grid_quanta(double v, double origin, double inverse) {
  double shifted = (v - origin) * inverse + 0x1p52;
  int64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits & 0xfffffffffffff;
}

/* 0 if a and b overlap in quanta, or may overlap because some are equal. */
static inline int ct_grid_apart_plain(const ct_grid_box *a, const ct_grid_box *b) {
  int apart = 0;
  for (int axis = 0; axis < 3; axis++) {
    uint16_t above = (uint16_t)(-a->minus_upper[axis] - b->lower[axis]),
             below = (uint16_t)(-b->minus_upper[axis] - a->lower[axis]);
    apart |= above | below;
  }
  return apart & 0x8000;
}

#ifdef __SSE2__
/* Query box for SIMD comparison: upper ends and negated lower ends. */
typedef __m128i ct_grid_query;
static inline ct_grid_query ct_grid_query_box(const ct_grid_box *a) {
  return _mm_set_epi16(0, 0, (short)-a->lower[2], (short)-a->lower[1], (short)-a->lower[0],
                       (short)-a->minus_upper[2], (short)-a->minus_upper[1],
                       (short)-a->minus_upper[0]);
}
static inline int ct_grid_apart(ct_grid_query a, const ct_grid_box *b) {
  const int signs = 0xaaa; /* sign bits of six numbers; the last two lanes are the id */
  return _mm_movemask_epi8(_mm_sub_epi16(a, _mm_load_si128((const __m128i *)(const void *)b))) &
         signs;
}
#else
typedef ct_grid_box ct_grid_query;
static inline ct_grid_query ct_grid_query_box(const ct_grid_box *a) { return *a; }
static inline int ct_grid_apart(ct_grid_query a, const ct_grid_box *b) {
  return ct_grid_apart_plain(&a, b);
}
#endif

/* Writes to `hits` the indices k of members[from..to) that a may overlap, with `tag` in the
 * upper half. Returns their number. Branch-free, because the outcome is unpredictable. */
static inline size_t ct_grid_test(ct_grid_query a, const ct_grid_box *members, uint32_t from,
                                  uint32_t to, uint64_t tag, uint64_t *hits) {
  size_t count = 0;
  for (uint32_t k = from; k < to; k++) {
    hits[count] = tag | k;
    count += !ct_grid_apart(a, &members[k]);
  }
  return count;
}

#endif
