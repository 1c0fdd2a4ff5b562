/* Contraction of edges shorter than their round-off, on the face loops. Union-find of vertices,
 * rewritten loops, and a check that the result is a closed surface (half-edges, Euler's
 * formula). */
#include "hull/hull_edge_collapse.h"
#include "hull/half_edge.h"

#include <stdlib.h>
#include <string.h>

typedef struct collapser {
  uint32_t *leader; /* [vertex_count] union-find of joined vertices; a root is the lowest index */
  uint32_t *uses;   /* [vertex_count] number of loops through the vertex, then its new index */
  uint32_t *start, *loop;
  ct_half_edges set;
  uint32_t face_count;
  uint32_t *source;
  bool cancelled;
} collapser;

static uint32_t find_leader(collapser *c, uint32_t v) {
  while (c->leader[v] != v) v = c->leader[v] = c->leader[c->leader[v]];
  return v;
}

static void unite_vertices(collapser *c, uint32_t a, uint32_t b) {
  a = find_leader(c, a);
  b = find_leader(c, b);
  if (a < b) c->leader[b] = a;
  else c->leader[a] = b;
}

/* Joins the ends of all short edges. True if any edge was short. */
static bool unite_short_edges(collapser *c, const ct_hull_cells *cells, const double *rounding) {
  bool any = false;
  for (uint32_t i = 0; i < cells->vertex_count; i++) c->leader[i] = i;
  for (uint32_t f = 0; f < cells->face_count; f++) {
    uint32_t begin = cells->face_start[f], end = cells->face_start[f + 1];
    for (uint32_t i = begin; i < end; i++) {
      uint32_t a = cells->face_loop[i], b = cells->face_loop[i + 1 < end ? i + 1 : begin];
      if (ct_max_abs(ct_sub(cells->vertices[a], cells->vertices[b])) > rounding[a] + rounding[b])
        continue;
      unite_vertices(c, a, b);
      any = true;
    }
  }
  return any;
}

/* Rewrites loops over the leaders without repeats. With `filter`, skips vertices used fewer than
 * three times. Loops with fewer than three corners are dropped. */
static void rewrite_loops(collapser *c, const ct_hull_cells *cells, const uint32_t *in_start,
                          const uint32_t *in_loop, bool filter) {
  uint32_t faces = filter ? c->face_count : cells->face_count, at = 0, kept = 0;
  uint32_t begin = in_start[0];
  for (uint32_t f = 0; f < faces; f++) {
    uint32_t end = in_start[f + 1], first = at;
    for (uint32_t i = begin; i < end; i++) {
      uint32_t v = filter ? in_loop[i] : find_leader(c, in_loop[i]);
      if (filter && c->uses[v] < 3) continue;
      if (at > first && c->loop[at - 1] == v) continue;
      c->loop[at++] = v;
    }
    while (at > first + 1 && c->loop[at - 1] == c->loop[first]) at--;
    begin = end;
    if (at - first < 3) {
      at = first;
      continue;
    }
    c->source[kept] = filter ? c->source[f] : cells->face_source[f];
    c->start[++kept] = at;
  }
  c->face_count = kept;
}

/* True if every directed edge occurs once with its reverse, and Euler's formula gives 2. False
 * also if cancelled. */
static bool is_closed_surface(collapser *c, uint32_t vertices) {
  uint32_t n = c->start[c->face_count];
  c->cancelled = !ct_half_edges_match(&c->set, c->start, c->loop, c->face_count);
  if (c->cancelled) return false;
  const ct_half_edge *edge = c->set.edges, *reverse = c->set.spare;
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0 && edge[i].from == edge[i - 1].from && edge[i].to == edge[i - 1].to) return false;
    if (edge[i].from != reverse[i].to || edge[i].to != reverse[i].from) return false;
  }
  return (int64_t)vertices - n / 2 + c->face_count == 2;
}

static void count_vertex_uses(collapser *c, uint32_t vertices) {
  memset(c->uses, 0, vertices * sizeof *c->uses);
  for (uint32_t i = 0; i < c->start[c->face_count]; i++) c->uses[c->loop[i]]++;
}

/* Replaces the cells by the result: used vertices are compacted, loops renumbered. */
static void replace_cells(collapser *c, ct_hull_cells *cells) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < cells->vertex_count; v++) {
    if (c->uses[v] < 3) continue;
    cells->vertices[count] = cells->vertices[v];
    c->uses[v] = count++;
  }
  cells->vertex_count = count;
  cells->face_count = c->face_count;
  memcpy(cells->face_start, c->start, ((size_t)c->face_count + 1) * sizeof *c->start);
  memcpy(cells->face_source, c->source, c->face_count * sizeof *c->source);
  for (uint32_t i = 0; i < c->start[c->face_count]; i++) cells->face_loop[i] = c->uses[c->loop[i]];
}

static void contract_edges(collapser *c, ct_hull_cells *cells) {
  rewrite_loops(c, cells, cells->face_start, cells->face_loop, false);
  count_vertex_uses(c, cells->vertex_count);
  rewrite_loops(c, cells, c->start, c->loop, true);
  count_vertex_uses(c, cells->vertex_count);
  /* A vertex with one or two faces left means the surface is not closed: keep the cells. */
  uint32_t vertices = 0;
  for (uint32_t v = 0; v < cells->vertex_count; v++) {
    if (c->uses[v] > 0 && c->uses[v] < 3) return;
    vertices += c->uses[v] > 0;
  }
  if (vertices >= 4 && is_closed_surface(c, vertices)) replace_cells(c, cells);
}

ct_status ct_hull_collapse(ct_hull_cells *cells, const double *rounding, const ct_cancel *cancel) {
  uint32_t corners = cells->face_start[cells->face_count];
  collapser c = {.leader = malloc(cells->vertex_count * sizeof *c.leader),
                 .uses = malloc(cells->vertex_count * sizeof *c.uses),
                 .start = calloc((size_t)cells->face_count + 1, sizeof *c.start),
                 .loop = malloc(corners * sizeof *c.loop),
                 .source = malloc(cells->face_count * sizeof *c.source)};
  bool ready = ct_half_edges_open(&c.set, corners, cells->vertex_count, cancel) && c.leader &&
               c.uses && c.start && c.loop && c.source;
  if (ready && unite_short_edges(&c, cells, rounding)) contract_edges(&c, cells);
  free(c.leader);
  free(c.uses);
  free(c.start);
  free(c.loop);
  free(c.source);
  ct_half_edges_close(&c.set);
  if (!ready) return CT_OUT_OF_MEMORY;
  return c.cancelled ? CT_CANCELLED : CT_OK;
}
