/* Cholesky factor L L' of a sparse symmetric positive definite matrix of 6 x 6 blocks, one for
 * each pair of bodies in contact. The order of elimination and the pattern of L are computed once,
 * the values whenever the matrix changes. George, Liu 1981; Davis, Direct methods for sparse
 * linear systems, 2006, chapter 4.
 *
 * The order is nested dissection: a set of vertices that separates the graph is eliminated last,
 * and each part is ordered in the same way. The fill is about n log n for a wall and n^(4/3) for a
 * pile of n bodies, instead of n^(3/2) and n^(5/3) with a band. George 1973; George, Liu 1978.
 */
#ifndef LINEAR_BLOCK_CHOLESKY_H
#define LINEAR_BLOCK_CHOLESKY_H

#include <contact/arena.h>
#include <contact/base.h>

enum { CT_CHOLESKY_ROWS = 6, CT_CHOLESKY_BLOCK = 36 };

/* An off-diagonal block: rows of a, columns of b, a != b; its transpose is at (b, a). */
typedef struct ct_block_pair {
  uint32_t a, b;
} ct_block_pair;

typedef struct ct_block_cholesky {
  size_t count;    /* rows of blocks */
  uint32_t *order; /* [count] rows in the order of elimination */
  uint32_t *place; /* [count] position of each row in the order */
  size_t *starts; /* [count + 1] range of each column's blocks of L below the diagonal, in the order
                     of elimination */
  uint32_t *rows; /* [starts[count]] ascending within a column */
  double *values; /* [36 starts[count]] row by row */
  double *diagonal;      /* [36 count] lower triangles */
  double work;           /* multiplications of one factorisation */
  uint32_t *head, *next; /* [count] lists of columns by the row of their next block */
  size_t *ahead;         /* [count] next block of each column */
  size_t *at;            /* [count] index of each row's block in the present column */
  double *right;         /* [6 count] vector of a solve, in the order of elimination */
} ct_block_cholesky;

/* Pattern of the matrix, and limits of its factor. */
typedef struct ct_block_shape {
  size_t count;               /* rows of blocks */
  const ct_block_pair *pairs; /* [pair_count] a pair may be listed more than once */
  size_t pair_count;
  size_t blocks_max; /* limit of blocks of L below the diagonal */
  double work_max;   /* limit of multiplications of one factorisation */
} ct_block_shape;

/* Symbolic factorisation. Memory is the arena's; the caller has entered it. *fits is false if the
 * limits are exceeded; then there is no factor. Returns CT_OUT_OF_MEMORY. */
ct_status ct_block_cholesky_open(ct_block_cholesky *f, const ct_block_shape *shape, ct_arena *arena,
                                 bool *fits);

/* Sets the matrix to zero. */
void ct_block_cholesky_clear(ct_block_cholesky *f);
/* Adds a block, by rows, at (a, a), or at (a, b) of a pair and its transpose at (b, a). */
void ct_block_cholesky_add(ct_block_cholesky *f, uint32_t a, uint32_t b, const double *block);
/* Factors the matrix. A pivot below its round-off is replaced by its round-off. Returns
 * CT_CANCELLED. */
ct_status ct_block_cholesky_factor(ct_block_cholesky *f, const ct_cancel *cancel);
/* out = A^-1 right; both [6 count], and may be equal. */
void ct_block_cholesky_solve(const ct_block_cholesky *f, const double *right, double *out);

/* ---- order of elimination -------------------------------------------------------------------- */

/* An undirected graph. Each edge is listed at both ends and may be listed twice; no vertex is its
 * own neighbour. */
typedef struct ct_graph {
  size_t count;               /* of vertices */
  const size_t *starts;       /* [count + 1] */
  const uint32_t *neighbours; /* [starts[count]] */
} ct_graph;

/* order [count]: the vertices in the order of elimination, the same for the same graph. Time
 * O((vertices + edges) depth), depth about log n. Returns false if out of memory. */
bool ct_nested_order(const ct_graph *graph, uint32_t *order, ct_arena *arena);

#endif
