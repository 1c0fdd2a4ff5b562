/* Stable counting passes over directed edges, the last vertex of the key first. */
#include "shape/half_edge.h"

#include <stdlib.h>
#include <string.h>

/* Edges moved between two looks at the cancel flag: 1 ms out of the cache. */
#define EDGES_PER_POLL 65536u

bool ct_half_edges_open(ct_half_edges *set, uint32_t count, uint32_t vertices, const ct_cancel *cancel) {
  *set = (ct_half_edges){.edges = malloc(count * sizeof *set->edges),
                         .spare = malloc(count * sizeof *set->spare),
                         .cursor = malloc(vertices * sizeof *set->cursor),
                         .count = count,
                         .vertices = vertices,
                         .cancel = cancel};
  return set->edges && set->spare && set->cursor;
}

void ct_half_edges_close(ct_half_edges *set) {
  free(set->edges);
  free(set->spare);
  free(set->cursor);
}

/* From edges to spare by one of their vertices, then the two change names. */
static bool pass(ct_half_edges *set, bool by_from) {
  const ct_half_edge *in = set->edges;
  uint32_t *cursor = set->cursor, sum = 0;
  memset(cursor, 0, set->vertices * sizeof *cursor);
  for (uint32_t i = 0; i < set->count; i++) {
    if (i % EDGES_PER_POLL == 0 && ct_cancel_raised(set->cancel)) return false;
    cursor[by_from ? in[i].from : in[i].to]++;
  }
  for (uint32_t v = 0; v < set->vertices; v++) {
    uint32_t size = cursor[v];
    cursor[v] = sum;
    sum += size;
  }
  for (uint32_t i = 0; i < set->count; i++) {
    if (i % EDGES_PER_POLL == 0 && ct_cancel_raised(set->cancel)) return false;
    set->spare[cursor[by_from ? in[i].from : in[i].to]++] = in[i];
  }
  ct_half_edge *sorted = set->spare;
  set->spare = set->edges;
  set->edges = sorted;
  return true;
}

bool ct_half_edges_sort(ct_half_edges *set) { return pass(set, false) && pass(set, true); }

bool ct_half_edges_match(ct_half_edges *set) { return pass(set, true) && pass(set, false) && pass(set, true); }
