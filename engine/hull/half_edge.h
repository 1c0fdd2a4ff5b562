/* Half-edges of face loops, sorted by their vertices with counting passes: linear for any vertex
 * degree. */
#ifndef HULL_HALF_EDGE_H
#define HULL_HALF_EDGE_H

#include <contact/base.h>
#include <stdint.h>

/* A directed edge of a face loop. */
typedef struct ct_half_edge {
  uint32_t from, to, face;
} ct_half_edge;

typedef struct ct_half_edges {
  ct_half_edge *edges, *spare; /* [count] */
  uint32_t *start;  /* [vertices + 1] first edge of each vertex, by `from` and by `to` alike: loops
                       are closed */
  uint32_t *cursor; /* [vertices] scratch */
  uint32_t count, vertices; /* vertex indices are below `vertices` */
  const ct_cancel *cancel;  /* may be NULL */
} ct_half_edges;

/* Allocates for loops of `corners` corners in total. False: out of memory; call
 * ct_half_edges_close all the same. */
bool ct_half_edges_open(ct_half_edges *set, uint32_t corners, uint32_t vertices,
                        const ct_cancel *cancel);
void ct_half_edges_close(ct_half_edges *set);

/* Sorts the edges of the loops by (from, to) into `edges` and by (to, from) into `spare`: on a
 * closed surface spare[i] is the reverse of edges[i]. Face f has the corners loop[face_start[f]]
 * to loop[face_start[f + 1] - 1]. False: cancelled, the order is undefined. */
bool ct_half_edges_match(ct_half_edges *set, const uint32_t *face_start, const uint32_t *loop,
                         uint32_t faces);

#endif
