/* libccd in the peer benchmark: depth of hulls by its EPA and its MPR. It has no distance of
 * separated bodies. */
#include "peers.h"

#include <ccd/ccd.h>
#include <stdlib.h>

typedef struct body {
  const bench_hull *hull;
  double matrix[9];
  const double *position;
} body;

typedef struct state {
  body (*pairs)[2];
} state;

/* A support function as a user of the library writes it: transform into the body's frame, loop over
 * all vertices, transform back. */
static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out) {
  const body *b = object;
  const double *m = b->matrix, *d = direction->v;
  double x = m[0] * d[0] + m[3] * d[1] + m[6] * d[2];
  double y = m[1] * d[0] + m[4] * d[1] + m[7] * d[2];
  double z = m[2] * d[0] + m[5] * d[1] + m[8] * d[2];
  double most = -1e300;
  const double *best = b->hull->vertex[0];
  for (int i = 0; i < b->hull->vertex_count; i++) {
    const double *v = b->hull->vertex[i];
    double h = x * v[0] + y * v[1] + z * v[2];
    if (h > most) {
      most = h;
      best = v;
    }
  }
  for (int k = 0; k < 3; k++)
    out->v[k] =
        m[3 * k] * best[0] + m[3 * k + 1] * best[1] + m[3 * k + 2] * best[2] + b->position[k];
}

static void center(const void *object, ccd_vec3_t *out) {
  const body *b = object;
  for (int k = 0; k < 3; k++) out->v[k] = b->position[k];
}

static void *prepare(const bench_row *row) {
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->pairs = calloc((size_t)row->count, sizeof *s->pairs);
  if (!s->pairs) return NULL;
  for (int i = 0; i < row->count; i++) {
    const bench_pair *p = &row->pairs[i];
    s->pairs[i][0] = (body){.hull = &row->hulls[p->hull_a], .position = p->position_a};
    s->pairs[i][1] = (body){.hull = &row->hulls[p->hull_b], .position = p->position_b};
    bench_matrix(p->rotation_a, s->pairs[i][0].matrix);
    bench_matrix(p->rotation_b, s->pairs[i][1].matrix);
  }
  return s;
}

static ccd_t settings(void) {
  ccd_t c;
  CCD_INIT(&c);
  c.support1 = c.support2 = support;
  c.center1 = c.center2 = center;
  c.max_iterations = 1000;
  return c;
}

static void epa(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  ccd_t c = settings();
  c.epa_tolerance = 1e-6;
  for (int i = 0; i < row->count; i++) {
    ccd_vec3_t direction, position;
    double depth = 0.0;
    values[i] =
        ccdGJKPenetration(&s->pairs[i][0], &s->pairs[i][1], &c, &depth, &direction, &position) == 0
            ? depth
            : BENCH_FAILED;
  }
}

static void mpr(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  ccd_t c = settings();
  c.mpr_tolerance = 1e-6;
  for (int i = 0; i < row->count; i++) {
    ccd_vec3_t direction, position;
    double depth = 0.0;
    values[i] =
        ccdMPRPenetration(&s->pairs[i][0], &s->pairs[i][1], &c, &depth, &direction, &position) == 0
            ? depth
            : BENCH_FAILED;
  }
}

static bool takes_depth(const bench_row *row) { return row->work == BENCH_DEPTH; }

const bench_engine bench_ccd[] = {
    {"libccd EPA", false, true, takes_depth, prepare, epa, NULL},
    {"libccd MPR", false, true, takes_depth, prepare, mpr, NULL},
};
const int bench_ccd_count = sizeof bench_ccd / sizeof bench_ccd[0];
