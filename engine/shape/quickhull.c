/* Quickhull: a first simplex of extreme points, outside sets, always the farthest point of the oldest face that has any.
 *
 * Outside sets are singly linked lists through one array; every point is in the set of one face that sees it. All comparisons of
 * heights only choose an order of work; what is inside is decided by exact signs, so the order cannot make the hull wrong.
 * Source: Barber, Dobkin, Huhdanpaa 1996.
 */
#include "shape/quickhull.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_FRACTION 0x1p-260
/* Signs of a point against a face, or faces made and removed, between two looks at the cancel flag: some 100 us, ten times that
 * where all signs need exact arithmetic. */
#define STEPS_PER_POLL 8192u

/* Outside set of a face, and its place in the queue of faces that have one. */
typedef struct outside_set {
  uint32_t first;    /* head of the list, CT_GROW_NONE when empty */
  uint32_t farthest; /* point of greatest height, lowest index among equals */
  uint32_t before, after;
  double height; /* of farthest over the face, times |normal| */
} outside_set;

typedef struct quickhull {
  ct_grow *grow;
  const ct_vec3 *points;
  uint32_t count;
  uint32_t *next; /* [count] list links */
  outside_set *sets;
  uint32_t set_capacity;
  uint32_t queue_first, queue_last;
  const ct_cancel *cancel; /* may be NULL */
  uint32_t steps;          /* since it was looked at */
} quickhull;

static uint32_t farthest_from_point(const ct_vec3 *points, uint32_t count, uint32_t a) {
  uint32_t best = a;
  double most = 0.0;
  for (uint32_t i = 0; i < count; i++) {
    double d = ct_norm2(ct_sub(points[i], points[a]));
    if (d > most) {
      most = d;
      best = i;
    }
  }
  return best;
}

/* A point off the line a b; CT_GROW_NONE when all are on it, exactly, or when cancelled. */
static uint32_t farthest_from_line(const quickhull *q, uint32_t a, uint32_t b) {
  const ct_vec3 *points = q->points;
  const uint32_t count = q->count;
  uint32_t best = a;
  double most = 0.0;
  ct_vec3 along = ct_sub(points[b], points[a]);
  for (uint32_t i = 0; i < count; i++) {
    double d = ct_norm2(ct_cross(along, ct_sub(points[i], points[a])));
    if (d > most) {
      most = d;
      best = i;
    }
  }
  if (!ct_collinear(points[a], points[b], points[best])) return best;
  for (uint32_t i = 0; i < count; i++) {
    if (i % STEPS_PER_POLL == 0 && ct_cancel_raised(q->cancel)) break;
    if (!ct_collinear(points[a], points[b], points[i])) return i;
  }
  return CT_GROW_NONE;
}

/* A point off the plane v0 v1 v2; CT_GROW_NONE when all are on it, exactly, or when cancelled. */
static uint32_t farthest_from_plane(const quickhull *q, const uint32_t v[3]) {
  const ct_vec3 *points = q->points;
  const uint32_t count = q->count;
  uint32_t best = v[0];
  double most = 0.0;
  ct_vec3 origin = points[v[0]];
  ct_vec3 normal = ct_cross(ct_sub(points[v[1]], origin), ct_sub(points[v[2]], origin));
  for (uint32_t i = 0; i < count; i++) {
    double d = fabs(ct_dot(normal, ct_sub(points[i], origin)));
    if (d > most) {
      most = d;
      best = i;
    }
  }
  if (ct_orient3d(points[v[0]], points[v[1]], points[v[2]], points[best]) != 0) return best;
  for (uint32_t i = 0; i < count; i++) {
    if (i % STEPS_PER_POLL == 0 && ct_cancel_raised(q->cancel)) break;
    if (ct_orient3d(points[v[0]], points[v[1]], points[v[2]], points[i]) != 0) return i;
  }
  return CT_GROW_NONE;
}

/* Four affinely independent points, spread wide. Returns the rank; below 3, or when cancelled, v is not complete. */
static int first_simplex(const quickhull *q, uint32_t v[4]) {
  const ct_vec3 *points = q->points;
  const uint32_t count = q->count;
  uint32_t lowest = 0;
  for (uint32_t i = 1; i < count; i++) {
    if (points[i].x < points[lowest].x) lowest = i;
  }
  /* Twice the farthest point: close to the greatest distance, whatever the axes. */
  v[0] = farthest_from_point(points, count, lowest);
  v[1] = farthest_from_point(points, count, v[0]);
  if (v[0] == v[1]) return 0;
  v[2] = farthest_from_line(q, v[0], v[1]);
  if (v[2] == CT_GROW_NONE) return 1;
  v[3] = farthest_from_plane(q, v);
  return v[3] == CT_GROW_NONE ? 2 : 3;
}

static bool cancelled(quickhull *q, uint32_t steps) {
  q->steps += steps;
  if (q->steps < STEPS_PER_POLL) return false;
  q->steps = 0;
  return ct_cancel_raised(q->cancel);
}

static bool reserve_sets(quickhull *q) {
  if (q->set_capacity >= q->grow->face_count) return true;
  uint32_t capacity = q->grow->face_capacity;
  outside_set *larger = realloc(q->sets, (size_t)capacity * sizeof *larger);
  if (!larger) return false;
  q->sets = larger;
  q->set_capacity = capacity;
  return true;
}

static void enqueue(quickhull *q, uint32_t face) {
  q->sets[face].before = q->queue_last;
  q->sets[face].after = CT_GROW_NONE;
  if (q->queue_last == CT_GROW_NONE) q->queue_first = face;
  else q->sets[q->queue_last].after = face;
  q->queue_last = face;
}

static void dequeue(quickhull *q, uint32_t face) {
  const outside_set *s = &q->sets[face];
  if (s->before == CT_GROW_NONE) q->queue_first = s->after;
  else q->sets[s->before].after = s->after;
  if (s->after == CT_GROW_NONE) q->queue_last = s->before;
  else q->sets[s->after].before = s->before;
}

/* Puts the point into the set of the first created face that sees it; drops it when none does. Returns the faces looked at. */
static uint32_t assign(quickhull *q, uint32_t point) {
  const ct_grow *g = q->grow;
  ct_vec3 p = q->points[point];
  for (uint32_t i = 0; i < g->created_count; i++) {
    uint32_t face = g->created[i];
    if (ct_grow_sees(g, face, p) <= 0) continue;
    outside_set *s = &q->sets[face];
    double height = ct_dot(g->faces[face].normal, ct_sub(p, q->points[g->faces[face].vertex[0]]));
    if (s->first == CT_GROW_NONE || height > s->height || (height == s->height && point < s->farthest)) {
      s->height = height;
      s->farthest = point;
    }
    q->next[point] = s->first;
    s->first = point;
    return i + 1;
  }
  return g->created_count;
}

static void clear_created(quickhull *q) {
  for (uint32_t i = 0; i < q->grow->created_count; i++) q->sets[q->grow->created[i]].first = CT_GROW_NONE;
}

static void enqueue_created(quickhull *q) {
  for (uint32_t i = 0; i < q->grow->created_count; i++) {
    uint32_t face = q->grow->created[i];
    if (q->sets[face].first != CT_GROW_NONE) enqueue(q, face);
  }
}

/* The farthest point of the oldest face with an outside set joins the hull; the points of the removed faces move on. */
static ct_status expand(quickhull *q) {
  ct_grow *g = q->grow;
  uint32_t apex = q->sets[q->queue_first].farthest;
  ct_status status = ct_grow_add(g, apex, q->queue_first);
  if (status != CT_OK) return status;
  if (!reserve_sets(q)) return CT_OUT_OF_MEMORY;
  if (cancelled(q, g->created_count + g->removed_count)) return CT_CANCELLED;
  clear_created(q);
  for (uint32_t i = 0; i < g->removed_count; i++) {
    uint32_t face = g->removed[i];
    if (q->sets[face].first == CT_GROW_NONE) continue;
    dequeue(q, face);
    for (uint32_t point = q->sets[face].first, next; point != CT_GROW_NONE; point = next) {
      next = q->next[point];
      if (point != apex && cancelled(q, assign(q, point))) return CT_CANCELLED;
    }
  }
  enqueue_created(q);
  ct_grow_recycle(g);
  return CT_OK;
}

static ct_status run(quickhull *q, const uint32_t simplex[4]) {
  ct_status status = ct_grow_simplex(q->grow, q->points, simplex);
  if (status != CT_OK) return status;
  q->next = malloc((size_t)q->count * sizeof *q->next);
  if (!q->next || !reserve_sets(q)) return CT_OUT_OF_MEMORY;
  clear_created(q);
  for (uint32_t i = 0; i < q->count; i++)
    if (cancelled(q, assign(q, i))) return CT_CANCELLED;
  enqueue_created(q);
  while (status == CT_OK && q->queue_first != CT_GROW_NONE) status = expand(q);
  return status;
}

static double flushed(double x, double threshold) { return fabs(x) < threshold ? 0.0 : x; }

void ct_flush_points(ct_vec3 *points, size_t count, double largest) {
  double threshold = ct_max2(FLUSH_FRACTION * largest, CT_EXACT_MIN);
  for (size_t i = 0; i < count; i++) {
    points[i] = ct_vec(flushed(points[i].x, threshold), flushed(points[i].y, threshold), flushed(points[i].z, threshold));
  }
}

ct_status ct_quickhull(const ct_vec3 *points, uint32_t count, const ct_cancel *cancel, ct_grow *grow, int *rank) {
  quickhull q = {
      .grow = grow, .points = points, .count = count, .queue_first = CT_GROW_NONE, .queue_last = CT_GROW_NONE, .cancel = cancel};
  uint32_t simplex[4];
  *rank = count == 0 ? 0 : first_simplex(&q, simplex);
  if (ct_cancel_raised(cancel)) return CT_CANCELLED;
  if (*rank < 3) return CT_DEGENERATE_HULL;
  ct_status status = run(&q, simplex);
  free(q.next);
  free(q.sets);
  return status;
}
