/* Facets of a triangulated hull: floods exactly coplanar neighbours, links their boundary to a
 * loop, and selects the vertices.
 *
 * A vertex of the polytope is on three or more facets; a point inside an edge is on two boundary
 * loops, a point inside a facet on none. Vertices are therefore found by counting, without another
 * predicate. */
#include "hull/hull_faces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct joiner {
  const ct_hull_builder *grow;
  uint32_t *facet_of; /* [grow->face_count] facet of each triangle; CT_HULL_BUILDER_NONE until
                         visited */
  uint32_t *stack;    /* triangles of the current facet whose neighbours have not been visited */
  uint32_t *follower; /* [point_count] next point on the boundary of the current facet, for each
                         point on it */
  uint32_t *uses;     /* [point_count] number of loops through each point; later its vertex index */
  uint32_t *loop;     /* boundary loops of all facets, as point indices */
  uint32_t *start;    /* [facets + 1] position in `loop` of each facet's first point */
  uint32_t facets;
  const ct_cancel *cancel;
  uint32_t steps; /* number of triangles visited, for polling the cancel flag */
} joiner;

void ct_hull_cells_free(ct_hull_cells *cells) {
  free(cells->vertices);
  free(cells->vertex_input);
  free(cells->face_start);
  free(cells->face_loop);
  free(cells->face_source);
  free(cells->planes);
  memset(cells, 0, sizeof *cells);
}

static bool is_coplanar_face(const ct_hull_builder *grow, uint32_t face, uint32_t other) {
  const ct_hull_builder_face *f = &grow->faces[face], *g = &grow->faces[other];
  for (int i = 0; i < 3; i++) {
    uint32_t v = g->vertex[i];
    if (v != f->vertex[0] && v != f->vertex[1] && v != f->vertex[2])
      return ct_hull_builder_face_sees(grow, face, grow->points[v]) == 0;
  }
  return true;
}

/* Collects the facet that contains the triangle `seed`, and appends its boundary loop to `loop`.
 * False: cancelled. */
static bool join_facet(joiner *j, uint32_t seed) {
  const ct_hull_builder *g = j->grow;
  uint32_t depth = 0, boundary = 0, from = CT_HULL_BUILDER_NONE, facet = j->facets++;
  j->stack[depth++] = seed;
  j->facet_of[seed] = facet;
  while (depth) {
    if (ct_hull_cancelled(j->steps++, j->cancel)) return false;
    uint32_t face = j->stack[--depth];
    const ct_hull_builder_face *f = &g->faces[face];
    for (uint32_t e = 0; e < 3; e++) {
      uint32_t other = f->neighbour[e];
      if (j->facet_of[other] == facet) continue;
      if (j->facet_of[other] == CT_HULL_BUILDER_NONE && is_coplanar_face(g, face, other)) {
        j->facet_of[other] = facet;
        j->stack[depth++] = other;
        continue;
      }
      /* This edge is on the boundary: link its start to its end. */
      from = f->vertex[e];
      j->follower[from] = f->vertex[(e + 1) % 3];
      boundary++;
    }
  }
  /* Append the boundary loop, and count a loop for each of its points. */
  uint32_t at = j->start[facet];
  for (uint32_t i = 0; i < boundary; i++, from = j->follower[from]) {
    j->loop[at++] = from;
    j->uses[from]++;
  }
  j->start[facet + 1] = at;
  return true;
}

static bool allocate_joiner(joiner *j, uint32_t point_count) {
  uint32_t faces = j->grow->face_count, live = j->grow->live_count;
  j->facet_of = malloc((size_t)faces * sizeof *j->facet_of);
  j->stack = malloc((size_t)live * sizeof *j->stack);
  j->follower = malloc((size_t)point_count * sizeof *j->follower);
  j->uses = calloc(point_count, sizeof *j->uses);
  j->loop = malloc((size_t)live * 3 * sizeof *j->loop);
  j->start = malloc(((size_t)live + 1) * sizeof *j->start);
  if (!j->facet_of || !j->stack || !j->follower || !j->uses || !j->loop || !j->start) return false;
  j->start[0] = 0;
  for (uint32_t i = 0; i < faces; i++) j->facet_of[i] = CT_HULL_BUILDER_NONE;
  return true;
}

static void free_joiner(joiner *j) {
  free(j->facet_of);
  free(j->stack);
  free(j->follower);
  free(j->uses);
  free(j->loop);
  free(j->start);
}

/* Makes a vertex of each point on three or more loops. Replaces the counts in uses[] by vertex
 * indices, CT_HULL_BUILDER_NONE for points that are no vertices. */
static ct_status collect_vertices(joiner *j, uint32_t point_count, const uint32_t *position,
                                  ct_hull_cells *cells) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < point_count; i++) count += j->uses[i] >= 3;
  cells->vertices = malloc((size_t)count * sizeof *cells->vertices);
  cells->vertex_input = malloc((size_t)count * sizeof *cells->vertex_input);
  if (!cells->vertices || !cells->vertex_input) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < point_count; i++) {
    uint32_t at = position ? position[i] : i;
    if (at == CT_HULL_BUILDER_NONE) continue;
    bool corner = j->uses[at] >= 3;
    j->uses[at] = corner ? cells->vertex_count : CT_HULL_BUILDER_NONE;
    if (!corner) continue;
    cells->vertices[cells->vertex_count] = j->grow->points[at];
    cells->vertex_input[cells->vertex_count++] = i;
  }
  return CT_OK;
}

static ct_status collect_faces(const joiner *j, ct_hull_cells *cells) {
  cells->face_start = malloc(((size_t)j->facets + 1) * sizeof *cells->face_start);
  cells->face_loop = malloc((size_t)j->start[j->facets] * sizeof *cells->face_loop);
  if (!cells->face_start || !cells->face_loop) return CT_OUT_OF_MEMORY;
  uint32_t at = 0;
  for (uint32_t f = 0; f < j->facets; f++) {
    cells->face_start[f] = at;
    for (uint32_t i = j->start[f]; i < j->start[f + 1]; i++) {
      uint32_t vertex = j->uses[j->loop[i]];
      if (vertex != CT_HULL_BUILDER_NONE) cells->face_loop[at++] = vertex;
    }
    assert(at - cells->face_start[f] >= 3);
  }
  cells->face_start[j->facets] = at;
  cells->face_count = j->facets;
  return CT_OK;
}

ct_status ct_hull_cells_join(const ct_hull_builder *grow, uint32_t point_count,
                             const uint32_t *position, const ct_cancel *cancel,
                             ct_hull_cells *cells) {
  joiner j = {.grow = grow, .cancel = cancel};
  memset(cells, 0, sizeof *cells);
  ct_status status = allocate_joiner(&j, point_count) ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; status == CT_OK && i < grow->face_count; i++) {
    if (ct_hull_builder_is_alive(grow, i) && j.facet_of[i] == CT_HULL_BUILDER_NONE &&
        !join_facet(&j, i))
      status = CT_CANCELLED;
  }
  /* Each of these steps writes new memory, which takes tens of milliseconds for large hulls. */
  if (status == CT_OK) status = collect_vertices(&j, point_count, position, cells);
  if (status == CT_OK && ct_cancel_raised(cancel)) status = CT_CANCELLED;
  if (status == CT_OK) status = collect_faces(&j, cells);
  if (status == CT_OK && ct_cancel_raised(cancel)) status = CT_CANCELLED;
  free_joiner(&j);
  if (status != CT_OK) ct_hull_cells_free(cells);
  return status;
}
