/* Workspace: scratch memory of pair queries, for one thread.
 *
 * The workspace is a list of parts. Each part belongs to one module (EPA, manifolds, rays, ...),
 * and only that module knows its type. A part is zeroed memory; whenever the module uses it, it
 * registers how the part is freed and where its out-of-memory flag is. This folder therefore
 * depends on none of the modules that have a part. The memory of the parts is inside the workspace:
 * access to a part cannot fail and allocates nothing.
 *
 * Mesh queries share a binary heap of search nodes and a list of edge crossings. Nothing is
 * allocated once these arrays have grown. If an allocation fails or the heap is at its limit, a
 * push fails and the search continues depth first: slower, with the same result. If a crossing
 * cannot be added, the search ends with valid but possibly wide bounds, and sets out_of_memory. */
#ifndef PAIR_WORKSPACE_H
#define PAIR_WORKSPACE_H

#include "base/poll.h"
#include <contact/base.h>
#include <contact/pair.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- scratch memory of mesh queries: search nodes, edge crossings, the cancel flag ---- */

/* Greatest number of heap entries: 15.3 MiB. */
#define CT_MESH_WAITING_MAX 1000000u
/* Greatest number of edge crossings: 22.9 MiB. */
#define CT_MESH_CROSSINGS_MAX 1000000u

/* A tree node a, or a pair of nodes a and b, with a bound over all triangles below as its key. */
typedef struct ct_search_node {
  double key;
  uint32_t a, b;
} ct_search_node;

/* A crossing of a mesh edge with a surface: the edge, and the position along it. */
typedef struct ct_crossing {
  uint32_t low, high; /* vertices of the edge, low < high */
  uint32_t position;  /* position in the leaves of a triangle with this edge */
  double at;          /* parameter along the edge: 0 at `low`, 1 at `high` */
} ct_crossing;

/* Scratch memory of mesh queries. */
typedef struct ct_mesh_scratch {
  ct_search_node *heap; /* [capacity] search nodes; the root of the heap has the least key, then the
                           least a, then the least b */
  size_t count, capacity;
  ct_crossing *crossing; /* [crossing_capacity] */
  size_t crossing_count, crossing_capacity;
  ct_poll poll;
  bool stopped;       /* the cancel flag was raised; reset when a pair begins */
  bool out_of_memory; /* an allocation failed; reset by ct_workspace_out_of_memory */
} ct_mesh_scratch;

/* ---- parts ---- */

/* Greatest size of a part, bytes. */
#define CT_WORKSPACE_PART_MAX 512u

typedef enum ct_workspace_slot {
  CT_SLOT_EPA,
  CT_SLOT_ARRANGEMENT,
  CT_SLOT_MANIFOLD,
  CT_SLOT_VOLUME,
  CT_SLOT_FEATURES,
  CT_SLOT_RAY,
  CT_SLOT_COLLIDERS,
  CT_SLOT_COUNT
} ct_workspace_slot;

/* The type of a part, as its module registers it; a constant with static storage. */
typedef struct ct_workspace_part_type {
  size_t size;          /* size of the part, bytes */
  size_t out_of_memory; /* offset in the part of its out-of-memory flag, a bool; CT_NO_FLAG: it has
                           none */
  void (*release)(void *part); /* frees what the part owns */
} ct_workspace_part_type;
#define CT_NO_FLAG SIZE_MAX

typedef struct ct_workspace_part {
  const ct_workspace_part_type *type; /* NULL: the part was never used */
  _Alignas(max_align_t) unsigned char memory[CT_WORKSPACE_PART_MAX];
} ct_workspace_part;

/* All members are zero when the workspace is created, except mesh.poll. */
struct ct_workspace {
  ct_mesh_scratch mesh; /* also contains the cancel flag of all pair queries */
  ct_workspace_part parts[CT_SLOT_COUNT];
};

/* Returns the part in a slot; all zeros at its first use. */
static inline void *ct_workspace_part_of(ct_workspace *workspace, ct_workspace_slot slot,
                                         const ct_workspace_part_type *type) {
  ct_workspace_part *part = &workspace->parts[slot];
  assert(slot < CT_SLOT_COUNT && type->size <= CT_WORKSPACE_PART_MAX);
  assert(!part->type || part->type == type); /* a slot has one type */
  part->type = type;
  return part->memory;
}

/* Returns the cancel flag of the workspace's pair queries; NULL: none. */
static inline const ct_cancel *ct_workspace_cancel(const ct_workspace *workspace) {
  return workspace ? workspace->mesh.poll.cancel : NULL;
}

/* ---- mesh queries ---- */

/* Adds a node to the heap. False: the heap is at its limit, or out of memory. */
bool ct_search_heap_push(ct_mesh_scratch *m, ct_search_node w);
/* Removes the node of least key from the heap, which must not be empty, and returns it. */
ct_search_node ct_search_heap_pop(ct_mesh_scratch *m);
/* Adds a crossing to the list. False: the list is at its limit, or out of memory. */
bool ct_crossing_add(ct_mesh_scratch *m, ct_crossing c);

/* True if the query is cancelled. `steps`: work since the last call, in steps of approximately 100
 * ns; the flag is polled every few thousand steps. Once true, it is true for the rest of the
 * pair. */
bool ct_mesh_is_cancelled(ct_mesh_scratch *m, uint32_t steps);

#endif
