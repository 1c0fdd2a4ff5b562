/* The workspace of pair queries: its parts, and the binary heap and list of crossings of mesh
 * queries, in growing arrays with limits. */
#include "pair/workspace.h"
#include "base/array.h"

#include <assert.h>

#include <stdlib.h>

#define POLL_STEPS 4096u

ct_workspace *ct_workspace_create(void) {
  ct_workspace *workspace = calloc(1, sizeof *workspace);
  if (workspace) workspace->mesh.poll = ct_poll_start(NULL, POLL_STEPS);
  return workspace;
}

void ct_workspace_destroy(ct_workspace *workspace) {
  if (!workspace) return;
  for (int i = 0; i < CT_SLOT_COUNT; i++) {
    ct_workspace_part *part = &workspace->parts[i];
    if (part->type) part->type->release(part->memory);
  }
  free(workspace->mesh.heap);
  free(workspace->mesh.crossing);
  free(workspace);
}

void ct_workspace_watch(ct_workspace *workspace, const ct_cancel *cancel) {
  if (workspace) workspace->mesh.poll.cancel = cancel;
}

/* Resets the out-of-memory flag of a part and returns its previous value. */
static bool clear_part_out_of_memory(ct_workspace_part *part) {
  if (!part->type || part->type->out_of_memory == CT_NO_FLAG) return false;
  bool *flag = (bool *)(part->memory + part->type->out_of_memory);
  bool out_of_memory = *flag;
  *flag = false;
  return out_of_memory;
}

bool ct_workspace_out_of_memory(ct_workspace *workspace) {
  if (!workspace) return false;
  bool out_of_memory = workspace->mesh.out_of_memory;
  workspace->mesh.out_of_memory = false;
  for (int i = 0; i < CT_SLOT_COUNT; i++)
    out_of_memory |= clear_part_out_of_memory(&workspace->parts[i]);
  return out_of_memory;
}

/* Reserves space for one more item in a growing array; `array` is the address of the pointer to it.
 * False: it is at its limit, or out of memory. */
static bool reserve_scratch(ct_mesh_scratch *m, void *array, size_t item, size_t count,
                            size_t *capacity, size_t capacity_max) {
  assert(count <= *capacity && *capacity <= capacity_max);
  if (count < *capacity) return true;
  if (count == capacity_max) return false;
  size_t wanted = ct_array_capacity(*capacity, count + 1);
  if (wanted > capacity_max) wanted = capacity_max;
  if (!ct_array_resize(array, wanted, item)) {
    m->out_of_memory = true;
    return false;
  }
  *capacity = wanted;
  return true;
}

static bool node_precedes(const ct_search_node *p, const ct_search_node *q) {
  if (p->key != q->key) return p->key < q->key;
  return p->a != q->a ? p->a < q->a : p->b < q->b;
}

bool ct_search_heap_push(ct_mesh_scratch *m, ct_search_node w) {
  assert(m->count <= m->capacity);
  if (!reserve_scratch(m, &m->heap, sizeof w, m->count, &m->capacity, CT_MESH_WAITING_MAX))
    return false;
  size_t at = m->count++;
  while (at > 0) {
    size_t up = (at - 1) / 2;
    if (!node_precedes(&w, &m->heap[up])) break;
    m->heap[at] = m->heap[up];
    at = up;
  }
  m->heap[at] = w;
  return true;
}

ct_search_node ct_search_heap_pop(ct_mesh_scratch *m) {
  assert(m->count > 0);
  ct_search_node first = m->heap[0], last = m->heap[--m->count];
  size_t at = 0;
  for (size_t child = 1; child < m->count; child = 2 * at + 1) {
    if (child + 1 < m->count && node_precedes(&m->heap[child + 1], &m->heap[child])) child++;
    if (!node_precedes(&m->heap[child], &last)) break;
    m->heap[at] = m->heap[child];
    at = child;
  }
  m->heap[at] = last;
  return first;
}

bool ct_crossing_add(ct_mesh_scratch *m, ct_crossing c) {
  assert(c.low <= c.high);
  bool fits = reserve_scratch(m, &m->crossing, sizeof c, m->crossing_count, &m->crossing_capacity,
                              CT_MESH_CROSSINGS_MAX);
  if (fits) m->crossing[m->crossing_count++] = c;
  return fits;
}

bool ct_mesh_is_cancelled(ct_mesh_scratch *m, uint32_t steps) {
  if (!m->stopped && ct_poll_cancelled(&m->poll, steps)) m->stopped = true;
  return m->stopped;
}
