/* Cholesky factor L L' of a sparse symmetric positive definite matrix of 6 x 6 blocks, with an
 * off-diagonal block for each pair of bodies in contact. The order of elimination and the pattern
 * of L are computed once, the values whenever the matrix changes. George, Liu 1981; Davis, Direct
 * methods for sparse linear systems, 2006, chapter 4.
 *
 * The order is nested dissection: a set of vertices that separates the graph is eliminated last,
 * and each part is ordered in the same way. For n bodies the fill is approximately n log n for a
 * wall and n^(4/3) for a pile, instead of n^(3/2) and n^(5/3) for a band matrix. George 1973;
 * George, Liu 1978. */
#ifndef LINEAR_BLOCK_CHOLESKY_H
#define LINEAR_BLOCK_CHOLESKY_H

#include <contact/arena.h>
#include <contact/base.h>

enum { CT_CHOLESKY_ROWS = 6, CT_CHOLESKY_BLOCK = 36 };

/* Position of an off-diagonal block: rows of body a, columns of body b, a != b. Its transpose is at
 * (b, a). */
typedef struct ct_block_pair {
  uint32_t a, b;
} ct_block_pair;

typedef struct ct_block_cholesky {
  size_t count;          /* number of block rows */
  uint32_t *order;       /* [count] block rows in the order of elimination */
  uint32_t *place;       /* [count] position of each block row in `order` */
  size_t *starts;        /* [count + 1] starts[j] to starts[j + 1] - 1 are the blocks of L below the
                            diagonal in column j; L has its rows in the order of elimination */
  uint32_t *rows;        /* [starts[count]] row of each block of L, ascending within a column */
  double *values;        /* [36 starts[count]] entries of each block, row by row */
  double *diagonal;      /* [36 count] lower triangles of the diagonal blocks of L */
  double work;           /* number of multiplications of one factorisation */
  uint32_t *head, *next; /* [count] linked lists of columns: head[row] begins the list of columns
                            whose next block is in `row` */
  size_t *ahead;         /* [count] index of each column's next block during a factorisation */
  size_t *at;            /* [count] for each row with a block in the column being factored: index of
                            that block in `rows` and `values`; other entries are stale */
  double *right;         /* [6 count] scratch of a solve, in the order of elimination */
} ct_block_cholesky;

/* Pattern of the matrix, and limits for its factor. */
typedef struct ct_block_shape {
  size_t count;               /* number of block rows */
  const ct_block_pair *pairs; /* [pair_count] a pair may be listed more than once */
  size_t pair_count;
  size_t blocks_max; /* greatest number of blocks of L below the diagonal */
  double work_max;   /* greatest number of multiplications of one factorisation */
} ct_block_shape;

/* Computes the order of elimination and the pattern of L, and allocates the factor from the arena,
 * which the caller has entered. *fits is false if the limits are exceeded; then there is no factor.
 * Returns CT_OUT_OF_MEMORY. */
ct_status ct_block_cholesky_open(ct_block_cholesky *f, const ct_block_shape *shape, ct_arena *arena,
                                 bool *fits);

/* Sets the matrix to zero. */
void ct_block_cholesky_clear(ct_block_cholesky *f);
/* Adds a 6 x 6 block, row by row, to the matrix at (a, a), or at (a, b) of one of the pairs and,
 * transposed, at (b, a). */
void ct_block_cholesky_add(ct_block_cholesky *f, uint32_t a, uint32_t b, const double *block);
/* Computes the factor; it replaces the matrix. A pivot below its round-off is replaced by the
 * round-off. Returns CT_CANCELLED. */
ct_status ct_block_cholesky_factor(ct_block_cholesky *f, const ct_cancel *cancel);
/* Computes out = A^-1 right for the factored matrix A. Both are [6 count] and may be the same
 * array. */
void ct_block_cholesky_solve(const ct_block_cholesky *f, const double *right, double *out);

/* ---- order of elimination -------------------------------------------------------------------- */

/* An undirected graph. Each edge is listed at both ends and may be listed more than once; no vertex
 * is its own neighbour. */
typedef struct ct_graph {
  size_t count;               /* number of vertices */
  const size_t *starts;       /* [count + 1] first neighbour of each vertex */
  const uint32_t *neighbours; /* [starts[count]] */
} ct_graph;

/* Writes the vertices in the order of elimination to order [count]; the same graph gives the same
 * order. Time O((vertices + edges) log(vertices)) for graphs with small separators. False: out of
 * memory. */
bool ct_nested_order(const ct_graph *graph, uint32_t *order, ct_arena *arena);

#endif
