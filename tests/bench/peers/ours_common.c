/* This engine's common solids in the peer benchmark.
 *
 * An answer is the whole volumetric contact of a pair, by the public function. No inner point is
 * given. Besides the solid it contains volume, centroid, areas, contact point, normal, gaps (one of
 * them by a further distance query) and surfaces. */
#include "peers.h"

#include <contact/volume.h>
#include <stdlib.h>

typedef struct state {
  ct_shape hulls[BENCH_HULLS];
  ct_frame (*frames)[2];
  ct_workspace *workspace;
  ct_volume_options options;
} state;

static ct_frame frame_of(const double q[4], const double p[3]) {
  return ct_frame_of((ct_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}});
}

static state *make_state(const bench_row *row, ct_volume_method method) {
  state *s = calloc(1, sizeof *s);
  ct_vec3 *points = calloc((size_t)row->size, sizeof *points);
  bool ok = s && points && (s->workspace = ct_workspace_create()) &&
            (s->frames = calloc((size_t)row->count, sizeof *s->frames));
  for (int i = 0; ok && i < BENCH_HULLS; i++) {
    const bench_hull *h = &row->hulls[i];
    ct_hull *hull = NULL;
    for (int v = 0; v < h->vertex_count; v++)
      points[v] = ct_vec(h->vertex[v][0], h->vertex[v][1], h->vertex[v][2]);
    ok = ct_hull_from_points(points, (size_t)h->vertex_count, NULL, &hull, NULL) == CT_OK;
    s->hulls[i] = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  }
  for (int i = 0; ok && i < row->count; i++) {
    const bench_pair *p = &row->pairs[i];
    s->frames[i][0] = frame_of(p->rotation_a, p->position_a);
    s->frames[i][1] = frame_of(p->rotation_b, p->position_b);
  }
  free(points);
  if (ok) s->options = (ct_volume_options){.method = method};
  return ok ? s : NULL;
}

static void *prepare(const bench_row *row) { return make_state(row, CT_VOLUME_AUTO); }
static void *prepare_dual(const bench_row *row) { return make_state(row, CT_VOLUME_DUAL_HULL); }

static void solids(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  for (int i = 0; i < row->count; i++) {
    const bench_pair *p = &row->pairs[i];
    ct_placed a = {&s->hulls[p->hull_a], &s->frames[i][0]},
              b = {&s->hulls[p->hull_b], &s->frames[i][1]};
    ct_volume v;
    ct_pair_volume(a, b, &s->options, s->workspace, &v);
    values[i] = v.count == 1 ? v.contacts[0].volume : BENCH_FAILED;
  }
}

static bool takes(const bench_row *row) { return row->bodies != NULL; }

const bench_engine bench_ours_common[] = {
    {"contactd volume", true, true, takes, prepare, solids, NULL},
    {"contactd dualHull", false, true, takes, prepare_dual, solids, NULL},
};
const int bench_ours_common_count = sizeof bench_ours_common / sizeof bench_ours_common[0];
