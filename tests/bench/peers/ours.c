/* This engine in the peer benchmark. */
#include "peers.h"

#include <contact/contact.h>
#include <stdlib.h>

typedef struct placed {
  ct_shape shape;
  ct_frame frame;
} placed;

typedef struct state {
  ct_hull *hulls[BENCH_HULLS];
  placed (*pairs)[2];
  ct_workspace *workspace;
} state;

static ct_frame frame_of(const double q[4], const double p[3]) {
  return ct_frame_of((ct_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}});
}

static bool make_hulls(const bench_row *row, state *s) {
  ct_vec3 *points = calloc((size_t)row->size, sizeof *points);
  bool ok = points != NULL;
  for (int i = 0; ok && i < BENCH_HULLS; i++) {
    const bench_hull *h = &row->hulls[i];
    for (int v = 0; v < h->vertex_count; v++)
      points[v] = ct_vec(h->vertex[v][0], h->vertex[v][1], h->vertex[v][2]);
    ok = ct_hull_from_points(points, (size_t)h->vertex_count, NULL, &s->hulls[i], NULL) == CT_OK;
  }
  free(points);
  return ok;
}

static ct_shape shape_of(const bench_solid *s) {
  ct_shape shape = {.kind = CT_KIND_SPHERE};
  if (s->kind == BENCH_SPHERE) {
    shape.sphere.radius = s->size[0];
  } else if (s->kind == BENCH_BOX) {
    shape.kind = CT_KIND_BOX;
    shape.box.half = ct_vec(s->size[0], s->size[1], s->size[2]);
  } else {
    shape.kind = CT_KIND_CAPSULE;
    shape.capsule.half_length = s->size[1];
    shape.capsule.radius_bottom = shape.capsule.radius_top = s->size[0];
  }
  return shape;
}

static void *prepare(const bench_row *row) {
  state *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->workspace = ct_workspace_create();
  s->pairs = calloc((size_t)row->count, sizeof *s->pairs);
  if (!s->workspace || !s->pairs || (row->hulls && !make_hulls(row, s))) return NULL;
  for (int i = 0; i < row->count; i++) {
    if (row->solids) {
      for (int k = 0; k < 2; k++) {
        const bench_solid *solid = &row->solids[i][k];
        s->pairs[i][k] = (placed){shape_of(solid), frame_of(solid->rotation, solid->position)};
      }
    } else {
      const bench_pair *p = &row->pairs[i];
      const ct_shape a = {.kind = CT_KIND_CONVEX, .hull = s->hulls[p->hull_a]},
                     b = {.kind = CT_KIND_CONVEX, .hull = s->hulls[p->hull_b]};
      s->pairs[i][0] = (placed){a, frame_of(p->rotation_a, p->position_a)};
      s->pairs[i][1] = (placed){b, frame_of(p->rotation_b, p->position_b)};
    }
  }
  return s;
}

static ct_placed of(const placed *p) { return (ct_placed){&p->shape, &p->frame}; }

static void distances(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  const ct_pair_options options = {.threshold = INFINITY};
  double sign = row->work == BENCH_DISTANCE ? 1.0 : -1.0;
  for (int i = 0; i < row->count; i++) {
    ct_pair_result r;
    ct_pair_distance(of(&s->pairs[i][0]), of(&s->pairs[i][1]), &options, s->workspace, &r);
    values[i] = r.status == CT_PAIR_OK ? sign * r.distance : BENCH_FAILED;
  }
}

/* Overlap decision; if the bodies overlap, also depth, normal, a point of each body and bounds. */
static void touches(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  const ct_pair_options options = {.threshold = 0.0};
  for (int i = 0; i < row->count; i++) {
    ct_pair_result r;
    ct_pair_distance(of(&s->pairs[i][0]), of(&s->pairs[i][1]), &options, s->workspace, &r);
    values[i] = r.distance > 0.0 ? BENCH_NO_CONTACT : -r.distance;
  }
}

/* The same with the points of the manifold, at most four, each with depth, normal, features and a
 * point of each body. ODE returns up to eight, each with a depth and one position; eight of this
 * engine's points would cost as much as the four. For a separated pair ODE returns only that fact;
 * this engine returns bounds, a normal and points too. */
static void contacts(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  const ct_contact_options options = {.detail = CT_DETAIL_MANIFOLD};
  for (int i = 0; i < row->count; i++) {
    ct_manifold m;
    ct_pair_contacts(of(&s->pairs[i][0]), of(&s->pairs[i][1]), &options, s->workspace, &m);
    values[i] = m.count ? -m.pair.distance : BENCH_NO_CONTACT;
  }
}

static void overlaps(void *opaque, const bench_row *row, double *values) {
  const state *s = opaque;
  for (int i = 0; i < row->count; i++)
    values[i] = ct_pair_overlap(of(&s->pairs[i][0]), of(&s->pairs[i][1]), s->workspace, NULL)
                    ? 0.0
                    : BENCH_NO_CONTACT;
}

static bool takes_hulls(const bench_row *row) {
  return row->work == BENCH_DISTANCE || row->work == BENCH_DEPTH;
}
static bool takes_solids(const bench_row *row) { return row->solids != NULL; }
/* For other primitives the single contact point is that of the distance query. */
static bool takes_boxes(const bench_row *row) {
  return row->solids != NULL && row->solids[0][1].kind == BENCH_BOX;
}

const bench_engine bench_ours[] = {
    {"contactd distance", true, true, takes_hulls, prepare, distances, NULL},
    {"contactd distance", true, true, takes_solids, prepare, touches, NULL},
    {"contactd contacts", true, true, takes_boxes, prepare, contacts, NULL},
    {"contactd overlap", true, false, takes_solids, prepare, overlaps, NULL},
};
const int bench_ours_count = sizeof bench_ours / sizeof bench_ours[0];
