/* This engine's hulls in the peer benchmark.
 *
 * A row measures the public constructor. Besides vertices, facets and adjacency it computes edges,
 * facet planes, neighbours of vertices, mass, centre, inertia and bounds, all in canonical order.
 * The peers compute none of these. */
#include "peers.h"

#include <contact/hull.h>
#include <stdlib.h>

typedef struct state {
  ct_vec3 *points;
} state;

static void *prepare(const bench_row *row) {
  size_t all = (size_t)row->count * (size_t)row->cloud_points;
  state *s = calloc(1, sizeof *s);
  if (!s || !(s->points = calloc(all, sizeof *s->points))) return NULL;
  for (size_t i = 0; i < all; i++)
    s->points[i] = ct_vec(row->clouds[i][0], row->clouds[i][1], row->clouds[i][2]);
  return s;
}

static void build(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  for (int i = 0; i < row->count; i++, values += BENCH_HULL_VALUES) {
    ct_hull *hull = NULL;
    const ct_vec3 *points = s->points + (size_t)i * (size_t)row->cloud_points;
    values[0] = BENCH_FAILED;
    if (ct_hull_from_points(points, (size_t)row->cloud_points, NULL, &hull, NULL) != CT_OK)
      continue;
    const ct_hull_view *view = ct_hull_get(hull);
    values[0] = view->vertex_count;
    values[1] = view->face_count;
    values[2] = view->volume;
    ct_hull_release(hull);
  }
}

static bool takes(const bench_row *row) { return row->clouds != NULL; }

const bench_engine bench_ours_hull[] = {{"contactd hull", true, true, takes, prepare, build, NULL}};
const int bench_ours_hull_count = 1;
