/* Sorts the half-edges (directed edges) of polygon loops by their vertices, with counting passes:
 * the cost is linear for any vertex degree. */
#ifndef HULL_HALF_EDGE_H
#define HULL_HALF_EDGE_H

#include <contact/base.h>
#include <stdint.h>

/* A directed edge of a face loop. */
typedef struct ct_half_edge {
  uint32_t from, to, face;
} ct_half_edge;

typedef struct ct_half_edges {
  ct_half_edge *edges, *spare; /* [count] the half-edges sorted by (from, to), and by (to, from) */
  uint32_t *start;  /* [vertices + 1] start[v]: index in `edges` of the first edge from v, and in
                       `spare` of the first edge to v; the same on a closed surface */
  uint32_t *cursor; /* [vertices] scratch: next free position of each vertex during a pass */
  uint32_t count, vertices; /* number of half-edges; number of vertices (vertex indices are below
                               it) */
  const ct_cancel *cancel;  /* may be NULL */
} ct_half_edges;

/* Allocates arrays for face loops with `corners` entries in total. False: out of memory;
 * ct_half_edges_close must be called all the same. */
bool ct_half_edges_open(ct_half_edges *set, uint32_t corners, uint32_t vertices,
                        const ct_cancel *cancel);
void ct_half_edges_close(ct_half_edges *set);

/* Sorts the half-edges of the loops by (from, to) into `edges` and by (to, from) into `spare`. On a
 * closed surface spare[i] is the reverse of edges[i]. The loop of face f is loop[face_start[f]] to
 * loop[face_start[f + 1] - 1]. False: cancelled, and the order is undefined. */
bool ct_half_edges_match(ct_half_edges *set, const uint32_t *face_start, const uint32_t *loop,
                         uint32_t faces);

#endif
