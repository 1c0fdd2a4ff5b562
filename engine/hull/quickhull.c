/* Quickhull: a first simplex of extreme points, outside sets, always the farthest point of the oldest face that has any.
 *
 * Outside sets are singly linked lists through one array; every point is in the set of one face that sees it. All comparisons of
 * heights only choose an order of work; what is inside is decided by exact signs, so the order cannot make the hull wrong.
 * Source: Barber, Dobkin, Huhdanpaa 1996.
 */
#include "hull/quickhull.h"
#include "base/simd_lanes.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_FRACTION 0x1p-260
/* Signs of a point against a face, or faces made and removed, between two looks at the cancel flag: some 100 us, ten times that
 * where all signs need exact arithmetic. */
#define STEPS_PER_POLL 8192u

/* Room for new faces, in pairs, at the start. */
#define FIRST_PAIRS 16u

/* Outside set of a face, and its place in the queue of faces that have one. */
typedef struct outside_set {
  uint32_t first;    /* head of the list, CT_HULL_BUILDER_NONE when empty */
  uint32_t farthest; /* point of greatest height, lowest index among equals */
  uint32_t before, after;
  double height; /* of farthest over the face, times |normal| */
} outside_set;

/* Normals and slacks of two new faces. */
typedef struct fan_pair {
  ct_lanes x, y, z, slack;
} fan_pair;

typedef struct quickhull {
  ct_hull_builder *grow;
  const ct_vec3 *points;
  uint32_t count;
  uint32_t *next; /* [count] list links */
  outside_set *sets;
  uint32_t set_capacity;
  fan_pair *fan; /* of the faces that the last point made, in the order of grow->created; an odd last one stands twice */
  uint32_t fan_count, fan_capacity;
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

/* A point off the line a b; CT_HULL_BUILDER_NONE when all are on it, exactly, or when cancelled. */
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
  return CT_HULL_BUILDER_NONE;
}

/* A point off the plane v0 v1 v2; CT_HULL_BUILDER_NONE when all are on it, exactly, or when cancelled. */
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
  return CT_HULL_BUILDER_NONE;
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
  if (v[2] == CT_HULL_BUILDER_NONE) return 1;
  v[3] = farthest_from_plane(q, v);
  return v[3] == CT_HULL_BUILDER_NONE ? 2 : 3;
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
  q->sets[face].after = CT_HULL_BUILDER_NONE;
  if (q->queue_last == CT_HULL_BUILDER_NONE) q->queue_first = face;
  else q->sets[q->queue_last].after = face;
  q->queue_last = face;
}

static void dequeue(quickhull *q, uint32_t face) {
  const outside_set *s = &q->sets[face];
  if (s->before == CT_HULL_BUILDER_NONE) q->queue_first = s->after;
  else q->sets[s->before].after = s->after;
  if (s->after == CT_HULL_BUILDER_NONE) q->queue_last = s->before;
  else q->sets[s->after].before = s->before;
}

/* Puts the point above the face into its set. */
static void take(quickhull *q, uint32_t point, uint32_t face, double height) {
  outside_set *s = &q->sets[face];
  if (s->first == CT_HULL_BUILDER_NONE || height > s->height || (height == s->height && point < s->farthest)) {
    s->height = height;
    s->farthest = point;
  }
  q->next[point] = s->first;
  s->first = point;
}

/* Puts the point into the set of the first face of the simplex that sees it; drops it when none does. */
static void assign_first(quickhull *q, uint32_t point) {
  const ct_hull_builder *g = q->grow;
  ct_vec3 p = q->points[point];
  for (uint32_t i = 0; i < g->created_count; i++) {
    uint32_t face = g->created[i];
    if (ct_hull_builder_face_sees(g, face, p) <= 0) continue;
    take(q, point, face, ct_dot(g->faces[face].normal, ct_sub(p, q->points[g->faces[face].vertex[0]])));
    return;
  }
}

static bool reserve_fan(quickhull *q, uint32_t pairs) {
  if (q->fan_capacity >= pairs) return true;
  uint32_t capacity = 2 * pairs + FIRST_PAIRS;
  fan_pair *larger = aligned_alloc(sizeof *larger, (size_t)capacity * sizeof *larger);
  if (!larger) return false;
  free(q->fan);
  q->fan = larger;
  q->fan_capacity = capacity;
  return true;
}

/* Empty sets for the new faces, and their planes two at a time. */
static bool open_fan(quickhull *q) {
  const ct_hull_builder *g = q->grow;
  uint32_t count = g->created_count;
  if (!reserve_fan(q, (count + 1) / 2)) return false;
  for (uint32_t i = 0; i < count; i += 2) {
    uint32_t face[2] = {g->created[i], g->created[i + 1 < count ? i + 1 : i]};
    const ct_hull_builder_face *f = &g->faces[face[0]], *h = &g->faces[face[1]];
    q->fan[i / 2] =
        (fan_pair){{f->normal.x, h->normal.x}, {f->normal.y, h->normal.y}, {f->normal.z, h->normal.z}, {f->slack, h->slack}};
    q->sets[face[0]].first = q->sets[face[1]].first = CT_HULL_BUILDER_NONE;
  }
  q->fan_count = (count + 1) / 2;
  return true;
}

/* The faces of a pair that rounding leaves in doubt, exactly: the first that sees the point, or CT_HULL_BUILDER_NONE. */
static uint32_t doubted(const quickhull *q, uint32_t pair, unsigned doubt, ct_vec3 p) {
  const ct_hull_builder *g = q->grow;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t i = 2 * pair + k;
    if (!(doubt & 1u << k) || i >= g->created_count) continue;
    const uint32_t *v = g->faces[g->created[i]].vertex;
    if (ct_orient3d(q->points[v[0]], q->points[v[1]], q->points[v[2]], p) > 0) return i;
  }
  return CT_HULL_BUILDER_NONE;
}

/* Puts the point into the set of a new face that sees it, the first from a pair on; drops it when none does. The faces share the
 * apex, and a face's slack holds from any of its corners. *found: that pair; left alone when none. Returns the pairs looked at. */
static uint32_t assign(quickhull *q, uint32_t point, ct_vec3 apex, uint32_t from, uint32_t *found) {
  ct_vec3 p = q->points[point], d = ct_sub(p, apex);
  double size = fabs(d.x) + fabs(d.y) + fabs(d.z);
  uint32_t pair = from;
  for (uint32_t i = 0; i < q->fan_count; i++, pair = pair + 1 < q->fan_count ? pair + 1 : 0) {
    const fan_pair *f = &q->fan[pair];
    ct_lanes height = f->x * d.x + f->y * d.y + f->z * d.z, bound = f->slack * size;
    unsigned not_below = ct_lanes_bits(height >= -bound);
    if (!not_below) continue;
    unsigned above = ct_lanes_bits(height > bound);
    uint32_t seen = above ? 2 * pair + (above == 2) : doubted(q, pair, not_below, p);
    if (seen == CT_HULL_BUILDER_NONE) continue;
    *found = pair;
    take(q, point, q->grow->created[seen], height[seen % 2]);
    return i + 1;
  }
  return q->fan_count;
}

static void enqueue_created(quickhull *q) {
  for (uint32_t i = 0; i < q->grow->created_count; i++) {
    uint32_t face = q->grow->created[i];
    if (q->sets[face].first != CT_HULL_BUILDER_NONE) enqueue(q, face);
  }
}

/* The points of a removed face move on. Where the first of them that is still outside went, the others look first: copies of a
 * point, which are always in one set, stay in one set, so that the lowest of them becomes the vertex. */
static bool move_on(quickhull *q, uint32_t face, uint32_t apex) {
  uint32_t from = CT_HULL_BUILDER_NONE;
  ct_vec3 origin = q->points[apex];
  for (uint32_t point = q->sets[face].first, next; point != CT_HULL_BUILDER_NONE; point = next) {
    uint32_t found = from;
    next = q->next[point];
    if (point != apex && cancelled(q, assign(q, point, origin, from == CT_HULL_BUILDER_NONE ? 0 : from, &found))) return false;
    if (from == CT_HULL_BUILDER_NONE) from = found;
  }
  return true;
}

/* The farthest point of the oldest face with an outside set joins the hull. */
static ct_status expand(quickhull *q) {
  ct_hull_builder *g = q->grow;
  uint32_t apex = q->sets[q->queue_first].farthest;
  ct_status status = ct_hull_builder_add(g, apex, q->queue_first);
  if (status != CT_OK) return status;
  if (!reserve_sets(q) || !open_fan(q)) return CT_OUT_OF_MEMORY;
  if (cancelled(q, g->created_count + g->removed_count)) return CT_CANCELLED;
  for (uint32_t i = 0; i < g->removed_count; i++) {
    uint32_t face = g->removed[i];
    if (q->sets[face].first == CT_HULL_BUILDER_NONE) continue;
    dequeue(q, face);
    if (!move_on(q, face, apex)) return CT_CANCELLED;
  }
  enqueue_created(q);
  ct_hull_builder_recycle(g);
  return CT_OK;
}

static ct_status run(quickhull *q, const uint32_t simplex[4]) {
  ct_status status = ct_hull_builder_start(q->grow, q->points, simplex);
  if (status != CT_OK) return status;
  q->next = malloc((size_t)q->count * sizeof *q->next);
  if (!q->next || !reserve_sets(q)) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < q->grow->created_count; i++) q->sets[q->grow->created[i]].first = CT_HULL_BUILDER_NONE;
  for (uint32_t i = 0; i < q->count; i++) {
    assign_first(q, i);
    if (cancelled(q, q->grow->created_count)) return CT_CANCELLED;
  }
  enqueue_created(q);
  while (status == CT_OK && q->queue_first != CT_HULL_BUILDER_NONE) status = expand(q);
  return status;
}

static double flushed(double x, double threshold) { return fabs(x) < threshold ? 0.0 : x; }

void ct_flush_points(ct_vec3 *points, size_t count, double largest) {
  double threshold = ct_max2(FLUSH_FRACTION * largest, CT_EXACT_MIN);
  for (size_t i = 0; i < count; i++) {
    points[i] = ct_vec(flushed(points[i].x, threshold), flushed(points[i].y, threshold), flushed(points[i].z, threshold));
  }
}

ct_status ct_quickhull(const ct_vec3 *points, uint32_t count, const ct_cancel *cancel, ct_hull_builder *grow, int *rank) {
  quickhull q = {.grow = grow,
                 .points = points,
                 .count = count,
                 .queue_first = CT_HULL_BUILDER_NONE,
                 .queue_last = CT_HULL_BUILDER_NONE,
                 .cancel = cancel};
  uint32_t simplex[4];
  *rank = count == 0 ? 0 : first_simplex(&q, simplex);
  if (ct_cancel_raised(cancel)) return CT_CANCELLED;
  if (*rank < 3) return CT_DEGENERATE_HULL;
  ct_status status = run(&q, simplex);
  free(q.next);
  free(q.sets);
  free(q.fan);
  return status;
}
