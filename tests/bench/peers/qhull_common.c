/* Qhull's intersections of half-spaces in the peer benchmark: the hull of the dual points about the
 * given inner point, as in Qhull's program qhalf, and the intersection's vertices. */
#include "peers.h"

#include <libqhull_r/qhull_ra.h>
#include <stdlib.h>

enum { PLANES_MAX = 1024, VERTICES_MAX = 4096 };

typedef struct state {
  double dual[PLANES_MAX][3], vertex[VERTICES_MAX][3];
} state;

static void *prepare(const bench_row *row) {
  return row->bodies[0][0].face_count * 2 <= PLANES_MAX ? calloc(1, sizeof(state)) : NULL;
}

static int dual_points(const bench_row *row, int pair, state *s) {
  const double *c = row->inside[pair];
  int count = 0;
  for (int k = 0; k < 2; k++) {
    const bench_body *b = &row->bodies[pair][k];
    for (int f = 0; f < b->face_count; f++, count++) {
      const double *h = b->plane[f];
      double offset = h[3] - (h[0] * c[0] + h[1] * c[1] + h[2] * c[2]);
      for (int i = 0; i < 3; i++) s->dual[count][i] = h[i] / offset;
    }
  }
  return count;
}

static void forget(qhT *qh) {
  int used, blocks;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &used, &blocks);
}

/* The vertices, relative to the inner point; -1: failed. */
static int intersect(const bench_row *row, int pair, state *s) {
  qhT qh;
  char command[] = "qhull";
  int planes = dual_points(row, pair, s), count = 0;
  qh_zero(&qh, stderr);
  bool failed = qh_new_qhull(&qh, 3, planes, s->dual[0], False, command, NULL, stderr) != 0;
  for (facetT *facet = failed ? NULL : qh.facet_list; facet && facet->next && count < VERTICES_MAX;
       facet = facet->next) {
    if (!facet->normal) continue;
    for (int i = 0; i < 3; i++) s->vertex[count][i] = -facet->normal[i] / facet->offset;
    count++;
  }
  forget(&qh);
  return failed ? -1 : count;
}

/* The volume of the hull of the vertices. */
static double volume_of(state *s, int count) {
  qhT qh;
  char command[] = "qhull";
  qh_zero(&qh, stderr);
  bool failed = qh_new_qhull(&qh, 3, count, s->vertex[0], False, command, NULL, stderr) != 0;
  if (!failed) qh_getarea(&qh, qh.facet_list);
  double volume = failed ? BENCH_FAILED : qh.totvol;
  forget(&qh);
  return volume;
}

static void solids(void *opaque, const bench_row *row, double *values) {
  for (int i = 0; i < row->count; i++)
    values[i] = intersect(row, i, opaque) < 0 ? BENCH_FAILED : 0.0;
}

static void solids_measured(void *opaque, const bench_row *row, double *values) {
  for (int i = 0; i < row->count; i++) {
    int count = intersect(row, i, opaque);
    values[i] = count < 0 ? BENCH_FAILED : volume_of(opaque, count);
  }
}

static bool takes(const bench_row *row) { return row->bodies != NULL; }

const bench_engine bench_qhull_common[] = {
    {"Qhull dual, inner point given", false, true, takes, prepare, solids, solids_measured}};
const int bench_qhull_common_count = 1;
