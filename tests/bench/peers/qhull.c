/* Qhull in the peer benchmark, by its reentrant library. */
#include "peers.h"

#include <libqhull_r/qhull_ra.h>

static int state;

static void *prepare(const bench_row *row) {
  (void)row;
  return &state;
}

static void hulls(const bench_row *row, const char *options, double *values, bool measure) {
  char command[16];
  snprintf(command, sizeof command, "%s", options);
  for (int i = 0; i < row->count; i++) {
    qhT qh;
    qh_zero(&qh, stderr);
    double *v = values + BENCH_HULL_VALUES * i;
    /* Qhull only reads the points. */
    coordT *points = (coordT *)(uintptr_t)row->clouds[(size_t)i * (size_t)row->cloud_points];
    bool failed =
        qh_new_qhull(&qh, 3, row->cloud_points, points, False, command, NULL, stderr) != 0;
    v[0] = failed ? BENCH_FAILED : qh.num_vertices;
    v[1] = qh.num_facets;
    if (measure && !failed) qh_getarea(&qh, qh.facet_list);
    v[2] = qh.totvol;
    qh_freeqhull(&qh, !qh_ALL);
    int used, blocks;
    qh_memfreeshort(&qh, &used, &blocks);
  }
}

/* Neighbouring facets that are coplanar up to rounding are merged. */
static void merged(void *opaque, const bench_row *row, double *values) {
  (void)opaque;
  hulls(row, "qhull", values, false);
}

static void merged_measured(void *opaque, const bench_row *row, double *values) {
  (void)opaque;
  hulls(row, "qhull", values, true);
}

/* Merged facets are triangulated again. */
static void triangles(void *opaque, const bench_row *row, double *values) {
  (void)opaque;
  hulls(row, "qhull Qt", values, false);
}

static void triangles_measured(void *opaque, const bench_row *row, double *values) {
  (void)opaque;
  hulls(row, "qhull Qt", values, true);
}

static bool takes(const bench_row *row) { return row->clouds != NULL; }

const bench_engine bench_qhull[] = {
    {"Qhull", false, true, takes, prepare, merged, merged_measured},
    {"Qhull Qt", false, true, takes, prepare, triangles, triangles_measured},
};
const int bench_qhull_count = sizeof bench_qhull / sizeof bench_qhull[0];
