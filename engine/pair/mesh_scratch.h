/* Scratch memory of mesh queries, reused between pairs: a binary heap of search nodes, a list of
 * edge crossings, and the cancel flag.
 *
 * Nothing is allocated once the arrays have grown. If an allocation fails or the heap is at its
 * limit, a push fails and the search continues depth first: slower, with the same result.
 */
#ifndef PAIR_MESH_SCRATCH_H
#define PAIR_MESH_SCRATCH_H

#include <contact/cancel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of heap entries: 15.3 MiB. */
#define CT_MESH_WAITING_MAX 1000000u
/* Limit of edge crossings: 22.9 MiB. */
#define CT_MESH_CROSSINGS_MAX 1000000u

/* A tree node or a pair of nodes, keyed by a bound over its subtree. */
typedef struct ct_search_node {
  double key;
  uint32_t a, b;
} ct_search_node;

/* A crossing of a mesh edge with a surface: the edge's vertices and the position along it. */
typedef struct ct_crossing {
  uint32_t low, high; /* vertices, low < high */
  uint32_t position;  /* a triangle with this edge */
  double at;          /* 0 at low, 1 at high */
} ct_crossing;

/* Zero-initialised: empty. */
typedef struct ct_mesh_scratch {
  ct_search_node *heap; /* [capacity], least key first, then least a, then least b */
  size_t count, capacity;
  ct_crossing *crossing; /* [crossing_capacity] */
  size_t crossing_count, crossing_capacity;
  const ct_cancel *cancel;
  uint32_t steps;     /* steps until the next poll of the cancel flag */
  bool stopped;       /* the flag was raised; cleared when a pair begins */
  bool out_of_memory; /* an allocation failed; never cleared here */
} ct_mesh_scratch;

void ct_mesh_scratch_free(ct_mesh_scratch *m);

/* Adds a node. Returns false at the limit or if out of memory. */
bool ct_search_heap_push(ct_mesh_scratch *m, ct_search_node w);
/* Removes and returns the node of least key. The heap must not be empty. */
ct_search_node ct_search_heap_pop(ct_mesh_scratch *m);
/* Adds a crossing. Returns false at the limit or if out of memory. */
bool ct_crossing_add(ct_mesh_scratch *m, ct_crossing c);

/* True if the query is cancelled. Polls the flag every few thousand steps of about 100 ns; once
 * raised, true for the rest of the pair. */
bool ct_mesh_is_cancelled(ct_mesh_scratch *m, uint32_t steps);

#endif
