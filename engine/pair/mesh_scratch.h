/* What searches of meshes keep between pairs: a heap of waiting nodes, lists of crossings, and the flag that stops them.
 *
 * Nothing is allocated once it is warm. Where memory is short, or the heap at its bound, a push fails and the search goes on
 * depth first: slower, never wrong.
 */
#ifndef PAIR_MESH_SCRATCH_H
#define PAIR_MESH_SCRATCH_H

#include <contact/cancel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Waiting entries, at most: 15.3 MiB of them. */
#define CT_MESH_WAITING_MAX 1000000u
/* Places where edges pass surfaces, at most: 22.9 MiB of them. */
#define CT_MESH_CROSSINGS_MAX 1000000u

/* A node, or a pair of nodes, and a bound of what lies below it. */
typedef struct ct_search_node {
  double key;
  uint32_t a, b;
} ct_search_node;

/* An edge of a mesh, by its two vertices, and where along it a surface is passed. */
typedef struct ct_crossing {
  uint32_t low, high; /* vertices, low < high */
  uint32_t position;  /* a triangle that has the edge */
  double at;          /* 0 at low, 1 at high */
} ct_crossing;

/* Zeroed is empty. */
typedef struct ct_mesh_scratch {
  ct_search_node *heap; /* [capacity], least key first, then least a, then least b */
  size_t count, capacity;
  ct_crossing *crossing; /* [crossing_capacity] */
  size_t crossing_count, crossing_capacity;
  const ct_cancel *cancel;
  uint32_t steps; /* until the flag is looked at */
  bool stopped;   /* it was found raised; cleared when a pair begins */
  bool out_of_memory; /* memory was refused; never cleared here */
} ct_mesh_scratch;

void ct_mesh_scratch_free(ct_mesh_scratch *m);

/* False: it does not fit. */
bool ct_search_heap_push(ct_mesh_scratch *m, ct_search_node w);
/* Takes the first; there must be one. */
ct_search_node ct_search_heap_pop(ct_mesh_scratch *m);
bool ct_crossing_add(ct_mesh_scratch *m, ct_crossing c);

/* Has the flag been raised? Looked at every few thousand steps of about 100 ns; once raised, true for the rest of the pair. */
bool ct_mesh_is_cancelled(ct_mesh_scratch *m, uint32_t steps);

#endif
