/* Radix sort of half-edges by stable counting passes, least significant vertex first. On a closed
 * surface as many edges start at a vertex as end there, so the passes by `from` and by `to` share
 * one table of counts. O(edges + vertices). */
#include "hull/half_edge.h"

#include <stdlib.h>
#include <string.h>

/* Number of edges copied between two polls of the cancel flag: 1 ms if they are not in the
 * cache. */
#define EDGES_PER_POLL 65536u

bool ct_half_edges_open(ct_half_edges *set, uint32_t corners, uint32_t vertices,
                        const ct_cancel *cancel) {
  *set = (ct_half_edges){.edges = malloc(corners * sizeof *set->edges),
                         .spare = malloc(corners * sizeof *set->spare),
                         .start = malloc(((size_t)vertices + 1) * sizeof *set->start),
                         .cursor = malloc(vertices * sizeof *set->cursor),
                         .vertices = vertices,
                         .cancel = cancel};
  return set->edges && set->spare && set->start && set->cursor;
}

void ct_half_edges_close(ct_half_edges *set) {
  free(set->edges);
  free(set->spare);
  free(set->start);
  free(set->cursor);
}

static bool poll_half_edges(const ct_half_edges *set, uint32_t step) {
  return step % EDGES_PER_POLL == 0 && ct_cancel_raised(set->cancel);
}

static void rewind_cursors(ct_half_edges *set) {
  memcpy(set->cursor, set->start, set->vertices * sizeof *set->cursor);
}

static void count_by_from(ct_half_edges *set, const uint32_t *loop) {
  memset(set->start, 0, ((size_t)set->vertices + 1) * sizeof *set->start);
  for (uint32_t i = 0; i < set->count; i++) set->start[loop[i] + 1]++;
  for (uint32_t v = 0; v < set->vertices; v++) set->start[v + 1] += set->start[v];
}

/* Writes the half-edges of all loops to `edges`, sorted by `from`. False: cancelled. */
static bool gather_half_edges(ct_half_edges *set, const uint32_t *face_start, const uint32_t *loop,
                              uint32_t faces) {
  rewind_cursors(set);
  for (uint32_t f = 0; f < faces; f++) {
    if (poll_half_edges(set, f)) return false;
    uint32_t first = loop[face_start[f]], from = first;
    for (uint32_t i = face_start[f] + 1; i < face_start[f + 1]; i++) {
      set->edges[set->cursor[from]++] = (ct_half_edge){from, loop[i], f};
      from = loop[i];
    }
    set->edges[set->cursor[from]++] = (ct_half_edge){from, first, f};
  }
  return true;
}

static bool sort_by_to(ct_half_edges *set) {
  rewind_cursors(set);
  for (uint32_t i = 0; i < set->count; i++) {
    if (poll_half_edges(set, i)) return false;
    set->spare[set->cursor[set->edges[i].to]++] = set->edges[i];
  }
  return true;
}

static bool sort_by_from(ct_half_edges *set) {
  rewind_cursors(set);
  for (uint32_t i = 0; i < set->count; i++) {
    if (poll_half_edges(set, i)) return false;
    set->edges[set->cursor[set->spare[i].from]++] = set->spare[i];
  }
  return true;
}

bool ct_half_edges_match(ct_half_edges *set, const uint32_t *face_start, const uint32_t *loop,
                         uint32_t faces) {
  set->count = face_start[faces];
  count_by_from(set, loop);
  return gather_half_edges(set, face_start, loop, faces) && sort_by_to(set) && sort_by_from(set);
}
