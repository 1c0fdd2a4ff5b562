/* A binary heap in a growing array. */
#include "pair/mesh_scratch.h"

#include <stdlib.h>

#define POLL_STEPS 4096u
#define FIRST_CAPACITY 256u

void ct_mesh_scratch_free(ct_mesh_scratch *m) {
  free(m->heap);
  free(m->crossing);
}

/* Room for one more; false at the bound, or where memory is short. */
static bool make_room(ct_mesh_scratch *m, void **array, size_t item, size_t count, size_t *capacity, size_t most) {
  if (count < *capacity) return true;
  size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
  if (wanted > most) wanted = most;
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

static bool before(const ct_search_node *p, const ct_search_node *q) {
  if (p->key != q->key) return p->key < q->key;
  return p->a != q->a ? p->a < q->a : p->b < q->b;
}

bool ct_search_heap_push(ct_mesh_scratch *m, ct_search_node w) {
  void *array = m->heap;
  bool fits = make_room(m, &array, sizeof w, m->count, &m->capacity, CT_MESH_WAITING_MAX);
  m->heap = array;
  if (!fits) return false;
  size_t at = m->count++;
  while (at > 0) {
    size_t up = (at - 1) / 2;
    if (!before(&w, &m->heap[up])) break;
    m->heap[at] = m->heap[up];
    at = up;
  }
  m->heap[at] = w;
  return true;
}

ct_search_node ct_search_heap_pop(ct_mesh_scratch *m) {
  ct_search_node first = m->heap[0], last = m->heap[--m->count];
  size_t at = 0;
  for (size_t child = 1; child < m->count; child = 2 * at + 1) {
    if (child + 1 < m->count && before(&m->heap[child + 1], &m->heap[child])) child++;
    if (!before(&m->heap[child], &last)) break;
    m->heap[at] = m->heap[child];
    at = child;
  }
  m->heap[at] = last;
  return first;
}

bool ct_crossing_add(ct_mesh_scratch *m, ct_crossing c) {
  void *array = m->crossing;
  bool fits = make_room(m, &array, sizeof c, m->crossing_count, &m->crossing_capacity, CT_MESH_CROSSINGS_MAX);
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
