/* ODE in the box benchmark: its hash space and its sweep-and-prune space. */
#include "boxes.h"

#include <ode/ode.h>

typedef struct state {
  uint32_t count;
  dSpaceID space;
  dGeomID *geoms;
  bool fresh;
} state;

static void *prepare(const bench_box *boxes, uint32_t count) {
  dInitODE2(0);
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->count = count;
  s->geoms = calloc(count, sizeof(dGeomID));
  if (!s->geoms) return NULL;
  for (uint32_t i = 0; i < count; i++) {
    const bench_box *b = &boxes[i];
    s->geoms[i] =
        dCreateBox(0, b->high[0] - b->low[0], b->high[1] - b->low[1], b->high[2] - b->low[2]);
    dGeomSetData(s->geoms[i], (void *)(uintptr_t)i);
  }
  return s;
}

static void place(void *opaque, const bench_box *boxes) {
  const state *s = opaque;
  for (uint32_t i = 0; i < s->count; i++) {
    const double *low = boxes[i].low, *high = boxes[i].high;
    dGeomBoxSetLengths(s->geoms[i], high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    dGeomSetPosition(s->geoms[i], (low[0] + high[0]) / 2, (low[1] + high[1]) / 2,
                     (low[2] + high[2]) / 2);
  }
}

static void renew(state *s, dSpaceID space) {
  if (s->space) dSpaceDestroy(s->space);
  s->space = space;
  s->fresh = true;
  dSpaceSetCleanup(space, 0);
}

static void reset_hash(void *opaque) { renew(opaque, dHashSpaceCreate(0)); }
static void reset_sweep(void *opaque) {
  renew(opaque, dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ));
}

static void collect(void *pairs, dGeomID a, dGeomID b) {
  dReal p[6], q[6];
  dGeomGetAABB(a, p);
  dGeomGetAABB(b, q);
  for (int axis = 0; axis < 3; axis++)
    if (p[2 * axis] > q[2 * axis + 1] || q[2 * axis] > p[2 * axis + 1]) return;
  bench_add(pairs, (uint32_t)(uintptr_t)dGeomGetData(a), (uint32_t)(uintptr_t)dGeomGetData(b));
}

static void answer(void *opaque, const bench_box *boxes, bench_pairs *pairs) {
  state *s = opaque;
  (void)boxes;
  for (uint32_t i = 0; i < s->count && s->fresh; i++) dSpaceAdd(s->space, s->geoms[i]);
  s->fresh = false;
  pairs->count = 0;
  dSpaceCollide(s->space, pairs, collect);
}

const bench_broad bench_broad_ode[] = {
    {"ODE hash space", 0, {10000, 10000}, prepare, reset_hash, place, answer},
    {"ODE sweep", 0, {10000, 10000}, prepare, reset_sweep, place, answer},
};
const int bench_broad_ode_count = sizeof bench_broad_ode / sizeof bench_broad_ode[0];
