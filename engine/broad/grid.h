/* What the files of the uniform grids share: levels, boxes in quanta, and how two of them are compared.
 *
 * A level measures coordinates in quanta, CT_GRID_CELL of them to the edge of a cell: a coordinate becomes (v - origin) / quantum,
 * rounded to a whole number. That never reverses an order, whatever is rounded on the way. So of two quanta that differ the order
 * of the coordinates is certain; only of equal ones the coordinates themselves must tell. Boxes that are compared lie in
 * neighbouring cells, so differences of quanta fit 16 bits though quanta do not: each box has six numbers modulo 2^16.
 */
#ifndef BROAD_GRID_H
#define BROAD_GRID_H

#include "broad/pair_list.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define CT_GRID_LEVELS_MAX 10
/* Quanta to the edge of a cell, and their bits: eight cells wrap around. */
#define CT_GRID_CELL_BITS 13
#define CT_GRID_CELL (1 << CT_GRID_CELL_BITS)
/* Candidates that wait for the exact look at once. */
#define CT_GRID_HITS 1024

/* The upper end is stored negated, so that one subtraction compares all six. */
typedef struct __attribute__((aligned(16))) ct_grid_box {
  int16_t lower[3], minus_upper[3];
  uint32_t id;
} ct_grid_box;

typedef struct ct_grid_level {
  ct_aabb bounds;    /* of its boxes, m */
  ct_vec3 largest;   /* extents along each axis, m */
  size_t count;      /* of its boxes */
  double inverse[3]; /* quanta per m; the origin is bounds.min */
  int64_t reach[3];  /* most quanta from a lower to an upper end; at most CT_GRID_CELL */
  int64_t cells[3];  /* along each axis; those along x are of 2^x_bits quanta */
  int x_bits;
  size_t first; /* of its cells */
} ct_grid_level;

typedef struct ct_grid_run {
  const ct_aabb *boxes;
  size_t count;
  ct_pair_output *out;
  int8_t of_exponent[2048]; /* the level of a size's exponent; -1: none */
  ct_grid_level levels[CT_GRID_LEVELS_MAX];
  int level_count;
  bool uniform;   /* all boxes have the one level */
  uint32_t *wide; /* boxes without a level, ascending */
  size_t wide_count;
  ct_grid_box *members; /* by level and cell */
  uint32_t *starts;     /* [cells of all levels + 1] the first member of a cell */
  uint64_t hits[CT_GRID_HITS];
  size_t hit_count;
  uint64_t next_poll;
  bool crowded;
} ct_grid_run;

/* Levels and what they span. False: out of memory. */
bool ct_grid_choose_levels(ct_grid_run *g);
/* The level of a box; -1: none, it is compared with all others. */
int ct_grid_level_of(const ct_grid_run *g, const ct_aabb *box);
/* Cells of each level, and each box in its own; those without a level to the wide. CT_OUT_OF_MEMORY. */
ct_status ct_grid_fill(ct_grid_run *g);
/* All pairs of two boxes with a level. Ends early when the grid turns out crowded. */
ct_status ct_grid_find_overlaps(ct_grid_run *g);
/* To be called between tests. CT_CANCELLED; sets g->crowded where they have become too many. */
ct_status ct_grid_poll(ct_grid_run *g);

static inline bool ct_grid_time_to_poll(const ct_grid_run *g) { return g->out->box_tests >= g->next_poll; }

/* The exponent of a box's size as it is stored: 0 for sizes of zero, 2047 for what is not finite. */
static inline int ct_grid_exponent(ct_vec3 extent) {
  double size = ct_max2(ct_max2(extent.x, extent.y), extent.z);
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  return (int)(bits >> 52 & 2047);
}

/* Quanta of a coordinate at or above the origin, by adding 2^52: sums are rounded to whole numbers there. */
static inline int64_t ct_grid_quanta(double v, double origin, double inverse) {
  double shifted = (v - origin) * inverse + 0x1p52;
  int64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits & 0xfffffffffffff;
}

/* Does a overlap b in quanta, or may it where some are equal? 0: yes. */
static inline int ct_grid_apart_plain(const ct_grid_box *a, const ct_grid_box *b) {
  int apart = 0;
  for (int axis = 0; axis < 3; axis++) {
    uint16_t above = (uint16_t)(-a->minus_upper[axis] - b->lower[axis]), below = (uint16_t)(-b->minus_upper[axis] - a->lower[axis]);
    apart |= above | below;
  }
  return apart & 0x8000;
}

#ifdef __SSE2__
/* What is compared with every candidate: the upper ends, the negated lower ones. */
typedef __m128i ct_grid_query;
static inline ct_grid_query ct_grid_query_box(const ct_grid_box *a) {
  return _mm_set_epi16(0, 0, (short)-a->lower[2], (short)-a->lower[1], (short)-a->lower[0], (short)-a->minus_upper[2],
                       (short)-a->minus_upper[1], (short)-a->minus_upper[0]);
}
static inline int ct_grid_apart(ct_grid_query a, const ct_grid_box *b) {
  const int signs = 0xaaa; /* of the six numbers; the last two lanes are the id */
  return _mm_movemask_epi8(_mm_sub_epi16(a, _mm_load_si128((const __m128i *)(const void *)b))) & signs;
}
#else
typedef ct_grid_box ct_grid_query;
static inline ct_grid_query ct_grid_query_box(const ct_grid_box *a) { return *a; }
static inline int ct_grid_apart(ct_grid_query a, const ct_grid_box *b) { return ct_grid_apart_plain(&a, b); }
#endif

/* Places k of members[from..to) that a may overlap, each with `tag` in the upper half, to `hits`; how many. Without a branch on
 * what is found: it could not be foretold. */
static inline size_t ct_grid_test(ct_grid_query a, const ct_grid_box *members, uint32_t from, uint32_t to, uint64_t tag,
                                  uint64_t *hits) {
  size_t count = 0;
  for (uint32_t k = from; k < to; k++) {
    hits[count] = tag | k;
    count += !ct_grid_apart(a, &members[k]);
  }
  return count;
}

#endif
