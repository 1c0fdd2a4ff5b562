/* ODE in the peer benchmark: dCollide of primitives, and of convex hulls. */
#include "peers.h"

#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

/* ODE's hulls consist of faces as polygons with a count, and a plane each. */
typedef struct convex {
  dReal *planes, *points;
  unsigned *polygons;
} convex;

typedef struct state {
  convex hulls[BENCH_HULLS];
  dGeomID (*pairs)[2];
} state;

static void place(dGeomID geom, const double q[4], const double p[3]) {
  dQuaternion turned = {q[3], q[0], q[1], q[2]};
  dNormalize4(turned);
  dGeomSetPosition(geom, p[0], p[1], p[2]);
  dGeomSetQuaternion(geom, turned);
  /* Both are computed on first use. */
  dReal box[6];
  dGeomGetRotation(geom);
  dGeomGetAABB(geom, box);
}

static bool make_convex(const bench_hull *hull, convex *c) {
  size_t faces = (size_t)hull->face_count, points = (size_t)hull->vertex_count;
  c->planes = calloc(4 * faces, sizeof *c->planes);
  c->points = calloc(3 * points, sizeof *c->points);
  c->polygons = calloc(4 * faces, sizeof *c->polygons);
  if (!c->planes || !c->points || !c->polygons) return false;
  memcpy(c->points, hull->vertex, 3 * points * sizeof *c->points);
  for (size_t f = 0; f < faces; f++) {
    const int *v = hull->face[f];
    const double *p = hull->vertex[v[0]], *q = hull->vertex[v[1]], *r = hull->vertex[v[2]];
    dVector3 e = {q[0] - p[0], q[1] - p[1], q[2] - p[2]},
             g = {r[0] - p[0], r[1] - p[1], r[2] - p[2]}, n;
    dCalcVectorCross3(n, e, g);
    dNormalize3(n);
    for (int k = 0; k < 3; k++) c->planes[4 * f + (size_t)k] = n[k];
    c->planes[4 * f + 3] = dCalcVectorDot3(n, p);
    c->polygons[4 * f] = 3;
    for (int k = 0; k < 3; k++) c->polygons[4 * f + 1 + (size_t)k] = (unsigned)v[k];
  }
  return true;
}

static dGeomID convex_geom(const state *s, const bench_row *row, int hull) {
  const convex *c = &s->hulls[hull];
  const bench_hull *h = &row->hulls[hull];
  return dCreateConvex(0, c->planes, (unsigned)h->face_count, c->points, (unsigned)h->vertex_count,
                       c->polygons);
}

static dGeomID solid_geom(const bench_solid *s) {
  if (s->kind == BENCH_BOX) return dCreateBox(0, 2 * s->size[0], 2 * s->size[1], 2 * s->size[2]);
  if (s->kind == BENCH_SPHERE) return dCreateSphere(0, s->size[0]);
  return dCreateCapsule(0, s->size[0], 2 * s->size[1]);
}

static void *prepare(const bench_row *row) {
  dInitODE2(0);
  dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->pairs = calloc((size_t)row->count, sizeof *s->pairs);
  if (!s->pairs) return NULL;
  for (int i = 0; row->hulls && i < BENCH_HULLS; i++)
    if (!make_convex(&row->hulls[i], &s->hulls[i])) return NULL;
  for (int i = 0; i < row->count; i++) {
    if (row->solids) {
      for (int k = 0; k < 2; k++) {
        s->pairs[i][k] = solid_geom(&row->solids[i][k]);
        place(s->pairs[i][k], row->solids[i][k].rotation, row->solids[i][k].position);
      }
    } else {
      const bench_pair *p = &row->pairs[i];
      s->pairs[i][0] = convex_geom(s, row, p->hull_a);
      s->pairs[i][1] = convex_geom(s, row, p->hull_b);
      place(s->pairs[i][0], p->rotation_a, p->position_a);
      place(s->pairs[i][1], p->rotation_b, p->position_b);
    }
  }
  return s;
}

static void collide(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  dContactGeom contacts[32];
  int most = row->solids ? 8 : 32;
  for (int i = 0; i < row->count; i++) {
    int count = dCollide(s->pairs[i][0], s->pairs[i][1], most, contacts, sizeof contacts[0]);
    double depth = BENCH_NO_CONTACT;
    for (int k = 0; k < count; k++)
      if (contacts[k].depth > depth) depth = contacts[k].depth;
    values[i] = depth;
  }
}

static void unimportant(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  dContactGeom contacts[2];
  for (int i = 0; i < row->count; i++) {
    int count = dCollide(s->pairs[i][0], s->pairs[i][1], 1 | (int)CONTACTS_UNIMPORTANT, contacts,
                         sizeof contacts[0]);
    values[i] = count > 0 ? 0.0 : BENCH_NO_CONTACT;
  }
}

static bool takes_solids(const bench_row *row) { return row->solids != NULL; }
/* ODE's search over edges takes minutes for larger hulls. */
static bool takes_small_hulls(const bench_row *row) {
  return row->work == BENCH_DEPTH && row->size <= 128;
}

const bench_engine bench_ode[] = {
    {"ODE dCollide(8)", false, true, takes_solids, prepare, collide, NULL},
    {"ODE dCollide(unimportant)", false, false, takes_solids, prepare, unimportant, NULL},
    {"ODE dCollide(32)", false, true, takes_small_hulls, prepare, collide, NULL},
};
const int bench_ode_count = sizeof bench_ode / sizeof bench_ode[0];
