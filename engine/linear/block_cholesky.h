/* Cholesky's factor L L' of a sparse symmetric positive definite matrix whose entries are blocks of
 * 6 x 6, one for each pair of bodies in contact. The order of elimination and the pattern of L are
 * found once, the numbers as often as they change. George, Liu 1981; Davis, Direct methods for
 * sparse linear systems, 2006, chapter 4.
 *
 * The order is nested dissection: a set of vertices whose removal splits the graph is eliminated
 * last, and each half is ordered in the same way. The fill is about n log n for a wall and n^(4/3)
 * for a heap, instead of n^(3/2) and n^(5/3) with a band. George 1973; George, Liu 1978.
 */
#ifndef LINEAR_BLOCK_CHOLESKY_H
#define LINEAR_BLOCK_CHOLESKY_H

#include <contact/arena.h>
#include <contact/cancel.h>

enum { CT_CHOLESKY_ROWS = 6, CT_CHOLESKY_BLOCK = 36 };

/* A block beside the diagonal: rows of a, columns of b, a != b; its transpose stands at (b, a). */
typedef struct ct_block_pair {
  uint32_t a, b;
} ct_block_pair;

typedef struct ct_block_cholesky {
  size_t count;    /* rows of blocks */
  uint32_t *order; /* [count] which row is eliminated first, second, ... */
  uint32_t *place; /* [count] when a row is */
  size_t *starts;  /* [count + 1] of the blocks of L under the diagonal in each column, in the order
                      of elimination */
  uint32_t *rows;  /* [starts[count]] ascending in each column */
  double *values;  /* [36 starts[count]] row by row */
  double *diagonal;      /* [36 count] lower triangles */
  double work;           /* multiplications of one factor */
  uint32_t *head, *next; /* [count] columns whose next block is in a row */
  size_t *ahead;         /* [count] that block */
  size_t *at;            /* [count] where a row's block is in the column that is made */
  double *right;         /* [6 count] of a solve, in the order of elimination */
} ct_block_cholesky;

/* Where the matrix has blocks, and what its factor may take. */
typedef struct ct_block_shape {
  size_t count;               /* rows of blocks */
  const ct_block_pair *pairs; /* [pair_count] a pair may be listed more than once */
  size_t pair_count;
  size_t blocks_max; /* of L, under the diagonal */
  double work_max;   /* multiplications of one factor */
} ct_block_shape;

/* The symbolic factorisation. The caller has entered the arena that the memory comes from. Where
 * the limits are too low, *fits is false and there is no factor. CT_OUT_OF_MEMORY. */
ct_status ct_block_cholesky_open(ct_block_cholesky *f, const ct_block_shape *shape, ct_arena *arena,
                                 bool *fits);

/* Begins a new matrix: of zeros. */
void ct_block_cholesky_clear(ct_block_cholesky *f);
/* Adds a block, row by row, at (a, a), or at (a, b) of a pair, and its transpose at (b, a). */
void ct_block_cholesky_add(ct_block_cholesky *f, uint32_t a, uint32_t b, const double *block);
/* The factor of what was added. A pivot that rounding left nothing of is taken for its own
 * rounding. CT_CANCELLED. */
ct_status ct_block_cholesky_factor(ct_block_cholesky *f, const ct_cancel *cancel);
/* out = A^-1 right; both [6 count], and may be the same. */
void ct_block_cholesky_solve(const ct_block_cholesky *f, const double *right, double *out);

/* ---- order of elimination -------------------------------------------------------------------- */

/* Undirected: each edge is listed at both ends; an edge may be listed twice, none from a vertex to
 * itself. */
typedef struct ct_graph {
  size_t count;               /* of vertices */
  const size_t *starts;       /* [count + 1] */
  const uint32_t *neighbours; /* [starts[count]] */
} ct_graph;

/* order [count]: which vertex comes first, second, ... The same graph gives the same order. Time
 * O((vertices + edges) depth), depth about log n. False: out of memory. */
bool ct_nested_order(const ct_graph *graph, uint32_t *order, ct_arena *arena);

#endif
