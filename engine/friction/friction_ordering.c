/* The active contacts in an order that keeps those that share a body near each other, so that their
 * equations are a band: breadth first from an end of each heap, few neighbours first, reversed.
 * Cuthill, McKee 1969; George, Liu 1981.
 */
#include "friction/friction_newton.h"

/* Of neighbours not yet in the queue: appends them by degree, then number. */
static size_t append(const ct_newton *n, uint32_t contact, uint32_t *queue, size_t end) {
  const ct_friction_work *w = n->w;
  size_t first = end;
  for (size_t k = w->starts[contact]; k < w->starts[contact + 1]; k++) {
    uint32_t j = w->columns[k];
    if (n->place[j] != CT_NEWTON_WAITS) continue;
    n->place[j] = CT_NEWTON_QUEUED;
    size_t at = end++;
    for (; at > first && n->degree[queue[at - 1]] > n->degree[j]; at--) queue[at] = queue[at - 1];
    queue[at] = j;
  }
  return end;
}

/* Everything that hangs together with `root`, from queue[begin] on; returns the end. */
static size_t walk(const ct_newton *n, uint32_t root, uint32_t *queue, size_t begin) {
  size_t end = begin;
  queue[end++] = root;
  n->place[root] = CT_NEWTON_QUEUED;
  for (size_t at = begin; at < end; at++) end = append(n, queue[at], queue, end);
  return end;
}

size_t ct_newton_order(ct_newton *n) {
  const ct_friction_work *w = n->w;
  size_t count = 0;
  for (size_t k = 0; k < n->count; k++) {
    uint32_t i = n->active[k];
    n->degree[i] = 0;
    for (size_t e = w->starts[i]; e < w->starts[i + 1]; e++)
      n->degree[i] += n->place[w->columns[e]] != CT_NEWTON_OPEN;
  }
  for (size_t k = 0; k < n->count; k++) {
    if (n->place[n->active[k]] != CT_NEWTON_WAITS) continue;
    /* The last one of a walk from anywhere is at an end. */
    size_t end = walk(n, n->active[k], n->queue, count);
    uint32_t last = n->queue[end - 1];
    for (size_t at = count; at < end; at++) n->place[n->queue[at]] = CT_NEWTON_WAITS;
    count = walk(n, last, n->queue, count);
  }
  for (size_t k = 0; k < count; k++) {
    n->active[k] = n->queue[count - 1 - k];
    n->place[n->active[k]] = (uint32_t)k;
  }
  size_t band = 0;
  for (size_t k = 0; k < count; k++)
    for (size_t e = w->starts[n->active[k]]; e < w->starts[n->active[k] + 1]; e++) {
      uint32_t j = n->place[w->columns[e]];
      if (j == CT_NEWTON_OPEN) continue;
      size_t apart = j > k ? j - k : k - j;
      if (apart > band) band = apart;
    }
  return band;
}
