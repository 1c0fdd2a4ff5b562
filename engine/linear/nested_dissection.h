/* In which order the unknowns of a sparse symmetric system are best eliminated: a part of the graph
 * whose removal leaves two halves apart goes last, and each half is ordered likewise. What is
 * filled in is then n log n of a wall, n^(4/3) of a heap, against n^(3/2) and n^(5/3) of a band.
 * Separators are levels of a walk from an end. George 1973; George, Liu 1978.
 */
#ifndef LINEAR_NESTED_DISSECTION_H
#define LINEAR_NESTED_DISSECTION_H

#include <contact/arena.h>

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
