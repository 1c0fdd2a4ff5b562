/* Data of the grid method: levels, boxes in integer coordinates, and the comparison of such boxes.
 *
 * A level quantises coordinates: (v - origin) / quantum, rounded to an integer, with CT_GRID_CELL
 * quanta per edge of a cell. Quantisation is monotonic for any rounding. So different quanta decide
 * the order of two coordinates, and only equal quanta need the coordinates themselves. Compared
 * boxes are in neighbouring cells, so differences of quanta fit 16 bits, and each box stores its
 * six coordinates modulo 2^16. */
#ifndef BROAD_GRID_H
#define BROAD_GRID_H

#include "base/poll.h"
#include "broad/pair_list.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CT_GRID_LEVELS_MAX 10
/* Quanta per edge of a cell, and the binary logarithm of this number: 16-bit quanta wrap around
 * after eight cells. */
#define CT_GRID_CELL_BITS 13
#define CT_GRID_CELL (1 << CT_GRID_CELL_BITS)
/* Number of candidate pairs that are collected before their exact test. */
#define CT_GRID_HITS 1024

/* A box in quanta. Its upper ends are negated, so that one SIMD subtraction compares all six
 * coordinates. */
typedef struct __attribute__((aligned(16))) ct_grid_box {
  int16_t lower[3], minus_upper[3];
  uint32_t id;
} ct_grid_box;

typedef struct ct_grid_level {
  ct_aabb bounds;    /* AABB of the level's boxes, m */
  ct_vec3 largest;   /* largest extent of a box along each axis, m */
  size_t count;      /* number of boxes */
  double inverse[3]; /* quanta per m along each axis; the origin is bounds.min */
  int64_t reach[3];  /* largest extent of a box in quanta along each axis; at most CT_GRID_CELL */
  int64_t cells[3];  /* number of cells along each axis; along x a cell has 2^x_bits quanta */
  int x_bits;
  size_t first; /* index of the level's first cell in `starts` */
} ct_grid_level;

typedef struct ct_grid_run {
  const ct_aabb *boxes;
  size_t count;
  ct_pair_output *out;
  /* level of the boxes whose largest extent has this binary exponent; -1: none */
  int8_t of_exponent[2048];
  ct_grid_level levels[CT_GRID_LEVELS_MAX];
  int level_count;
  bool uniform;   /* true: all boxes are in level 0 */
  uint32_t *wide; /* indices of the boxes without a level, ascending; they are tested against all
                     boxes */
  size_t wide_count;
  ct_grid_box *members; /* boxes with a level, ordered by level and cell */
  uint32_t *starts;     /* [cells of all levels + 1] index in `members` of each cell's first box */
  uint64_t hits[CT_GRID_HITS];
  size_t hit_count;
  ct_poll poll; /* counts out->box_tests */
  bool crowded;
} ct_grid_run;

/* Biased binary exponent of a box's largest extent: 0 for zero, 2047 for infinity and NaN. */
static inline int ct_grid_exponent(ct_vec3 extent) {
  double size = ct_max2(ct_max2(extent.x, extent.y), extent.z);
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  return (int)(bits >> 52 & 2047);
}

/* Quanta of a coordinate v >= origin: adding 2^52 rounds the scaled difference to an integer, which
 * is then in the low bits. */
static inline int64_t ct_grid_quanta(double v, double origin, double inverse) {
  double shifted = (v - origin) * inverse + 0x1p52;
  int64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits & 0xfffffffffffff;
}

/* Returns 0 if a and b overlap in quanta, or may overlap because some quanta are equal; nonzero if
 * they are certainly apart. */
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
/* Box to be compared with others by SIMD: its upper ends and its negated lower ends. */
typedef __m128i ct_grid_query;
static inline ct_grid_query ct_grid_query_box(const ct_grid_box *a) {
  return _mm_set_epi16(0, 0, (short)-a->lower[2], (short)-a->lower[1], (short)-a->lower[0],
                       (short)-a->minus_upper[2], (short)-a->minus_upper[1],
                       (short)-a->minus_upper[0]);
}
static inline int ct_grid_apart(ct_grid_query a, const ct_grid_box *b) {
  /* sign bits of the six differences; the last two 16-bit lanes are the id */
  const int signs = 0xaaa;
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

/* Writes to `hits` the indices k in [from, to) of the members that box a may overlap, with `tag` in
 * the upper half of each. Returns their number; `hits` needs space for to - from. Branch-free,
 * because the outcomes are unpredictable. */
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
