/* Directed edges of loops in order of their vertices: counting passes, linear whatever the degrees are. */
#ifndef HULL_HALF_EDGE_H
#define HULL_HALF_EDGE_H

#include <contact/cancel.h>
#include <stdint.h>

/* A directed edge of a loop and what it belongs to. */
typedef struct ct_half_edge {
  uint32_t from, to, face;
} ct_half_edge;

typedef struct ct_half_edges {
  ct_half_edge *edges, *spare; /* [count] */
  uint32_t *start;          /* [vertices + 1] where the edges from a vertex begin; as many end there, since edges come in loops */
  uint32_t *cursor;         /* [vertices] scratch */
  uint32_t count, vertices; /* vertices of edges are below */
  const ct_cancel *cancel;  /* may be NULL */
} ct_half_edges;

/* For loops of `corners` corners together. False: out of memory; close all the same. */
bool ct_half_edges_open(ct_half_edges *set, uint32_t corners, uint32_t vertices, const ct_cancel *cancel);
void ct_half_edges_close(ct_half_edges *set);

/* The edges of the loops sorted by (from, to), and in spare by (to, from): on a closed surface spare[i] is then the reverse of
 * edges[i]. Face f has the corners loop[face_start[f]] to loop[face_start[f + 1] - 1]. False: cancelled, the order is then any. */
bool ct_half_edges_match(ct_half_edges *set, const uint32_t *face_start, const uint32_t *loop, uint32_t faces);

#endif
