/* Binary heap of search nodes and list of crossings, in growing arrays with limits. */
#include "pair/mesh_scratch.h"

#include <assert.h>
#include <stdlib.h>

#define POLL_STEPS 4096u
#define FIRST_CAPACITY 256u

void ct_mesh_scratch_free(ct_mesh_scratch *m) {
  free(m->heap);
  free(m->crossing);
}

/* Reserves space for one more item. Returns false at the limit or if out of memory. */
static bool reserve_scratch(ct_mesh_scratch *m, void **array, size_t item, size_t count,
                            size_t *capacity, size_t capacity_max) {
  if (count < *capacity) return true;
  size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
  if (wanted > capacity_max) wanted = capacity_max;
  if (count >= wanted) return false;
  void *more = realloc(*array, wanted * item);
  if (!more) {
    m->out_of_memory = true;
    return false;
  }
  *array = more;
  *capacity = wanted;
  return true;
}

static bool node_precedes(const ct_search_node *p, const ct_search_node *q) {
  if (p->key != q->key) return p->key < q->key;
  return p->a != q->a ? p->a < q->a : p->b < q->b;
}

bool ct_search_heap_push(ct_mesh_scratch *m, ct_search_node w) {
  void *array = m->heap;
  bool fits = reserve_scratch(m, &array, sizeof w, m->count, &m->capacity, CT_MESH_WAITING_MAX);
  m->heap = array;
  if (!fits) return false;
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
  void *array = m->crossing;
  bool fits = reserve_scratch(m, &array, sizeof c, m->crossing_count, &m->crossing_capacity,
                              CT_MESH_CROSSINGS_MAX);
  m->crossing = array;
  if (fits) m->crossing[m->crossing_count++] = c;
  return fits;
}

bool ct_mesh_is_cancelled(ct_mesh_scratch *m, uint32_t steps) {
  if (m->stopped) return true;
  if (m->steps > steps) {
    m->steps -= steps;
    return false;
  }
  m->steps = POLL_STEPS;
  m->stopped = ct_cancel_raised(m->cancel);
  return m->stopped;
}
