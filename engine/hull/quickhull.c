/* Quickhull (Barber, Dobkin, Huhdanpaa 1996): begins with a simplex of extreme points, assigns the
 * other points to outside sets of faces, and repeatedly inserts the farthest point of the face that
 * has been in the queue the longest.
 *
 * Outside sets are singly linked lists in one array; every point outside is in the set of one face
 * that sees it. Rounded heights only choose the order of insertion. Exact signs decide visibility,
 * so this order cannot make the hull wrong. */
#include "hull/quickhull.h"
#include "base/array.h"
#include "base/poll.h"
#include "base/simd_lanes.h"

#include <stdlib.h>
#include <string.h>

/* Number of steps between two polls of the cancel flag, where a step is one sign of a point and a
 * face, or one face created or removed: about 100 us, ten times that if all signs need exact
 * arithmetic. */
#define STEPS_PER_POLL 8192u
/* The same where all signs need exact arithmetic. */
#define EXACT_STEPS_PER_POLL 512u

/* Initial capacity of `fan`, in pairs of faces. */
#define FIRST_PAIRS 16u

/* Outside set of a face (points that the face sees), and its links in the queue of faces with a
 * nonempty set. */
typedef struct outside_set {
  uint32_t first;    /* first point of the list; CT_HULL_BUILDER_NONE: the set is empty */
  uint32_t farthest; /* point with the greatest height over the face; the lowest index among
                        equals */
  uint32_t before, after;
  double height; /* height of `farthest` over the face, times |normal| */
} outside_set;

/* Normals and slacks of two new faces, in SIMD lanes. */
typedef struct fan_pair {
  ct_lanes x, y, z, slack;
} fan_pair;

typedef struct quickhull {
  ct_hull_builder *grow;
  const ct_vec3 *points;
  uint32_t count;
  uint32_t *next; /* [count] next point in the same outside set */
  outside_set *sets;
  uint32_t set_capacity;
  fan_pair *fan; /* faces created by the last insertion, in the order of grow->created; if their
                    number is odd, the last is repeated */
  uint32_t fan_count, fan_capacity;
  uint32_t queue_first, queue_last;
  const ct_cancel *cancel; /* may be NULL */
  ct_poll poll;            /* counts signs of points and faces */
} quickhull;

static uint32_t find_farthest_from_point(const ct_vec3 *points, uint32_t count, uint32_t a) {
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

/* Returns the farthest point from the line a b, as computed, if it is exactly off the line, else
 * any point that is; CT_HULL_BUILDER_NONE if all points are exactly collinear, or if cancelled. */
static uint32_t find_farthest_from_line(const quickhull *q, uint32_t a, uint32_t b) {
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
    if (i % EXACT_STEPS_PER_POLL == 0 && ct_cancel_raised(q->cancel)) break;
    if (!ct_collinear(points[a], points[b], points[i])) return i;
  }
  return CT_HULL_BUILDER_NONE;
}

/* Returns the farthest point from the plane v0 v1 v2, as computed, if it is exactly off the plane,
 * else any point that is; CT_HULL_BUILDER_NONE if all points are exactly coplanar, or if
 * cancelled. */
static uint32_t find_farthest_from_plane(const quickhull *q, const uint32_t v[3]) {
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
    if (i % EXACT_STEPS_PER_POLL == 0 && ct_cancel_raised(q->cancel)) break;
    if (ct_orient3d(points[v[0]], points[v[1]], points[v[2]], points[i]) != 0) return i;
  }
  return CT_HULL_BUILDER_NONE;
}

/* Chooses four affinely independent points with large distances. Returns the rank (affine
 * dimension) of the points; below 3, v[rank + 1] to v[3] are unset. If cancelled, the result has no
 * meaning. */
static int find_first_simplex(const quickhull *q, uint32_t v[4]) {
  const ct_vec3 *points = q->points;
  const uint32_t count = q->count;
  uint32_t lowest = 0;
  for (uint32_t i = 1; i < count; i++) {
    if (points[i].x < points[lowest].x) lowest = i;
  }
  /* Go to the farthest point twice: the distance of the pair is then near the greatest, in any
   * orientation. */
  v[0] = find_farthest_from_point(points, count, lowest);
  v[1] = find_farthest_from_point(points, count, v[0]);
  if (v[0] == v[1]) return 0;
  v[2] = find_farthest_from_line(q, v[0], v[1]);
  if (v[2] == CT_HULL_BUILDER_NONE) return 1;
  v[3] = find_farthest_from_plane(q, v);
  return v[3] == CT_HULL_BUILDER_NONE ? 2 : 3;
}

static bool reserve_sets(quickhull *q) {
  if (q->set_capacity >= q->grow->face_count) return true;
  uint32_t capacity = q->grow->face_capacity;
  if (!ct_array_resize(&q->sets, capacity, sizeof *q->sets)) return false;
  q->set_capacity = capacity;
  return true;
}

static void enqueue_face(quickhull *q, uint32_t face) {
  q->sets[face].before = q->queue_last;
  q->sets[face].after = CT_HULL_BUILDER_NONE;
  if (q->queue_last == CT_HULL_BUILDER_NONE) q->queue_first = face;
  else q->sets[q->queue_last].after = face;
  q->queue_last = face;
}

static void dequeue_face(quickhull *q, uint32_t face) {
  const outside_set *s = &q->sets[face];
  if (s->before == CT_HULL_BUILDER_NONE) q->queue_first = s->after;
  else q->sets[s->before].after = s->after;
  if (s->after == CT_HULL_BUILDER_NONE) q->queue_last = s->before;
  else q->sets[s->after].before = s->before;
}

/* Adds the point, at the given height over the face, to the outside set of the face. */
static void add_to_outside_set(quickhull *q, uint32_t point, uint32_t face, double height) {
  outside_set *s = &q->sets[face];
  if (s->first == CT_HULL_BUILDER_NONE || height > s->height ||
      (height == s->height && point < s->farthest)) {
    s->height = height;
    s->farthest = point;
  }
  q->next[point] = s->first;
  s->first = point;
}

/* Assigns the point to the first face of the initial simplex that sees it; a point that no face
 * sees is interior and dropped. */
static void assign_to_simplex(quickhull *q, uint32_t point) {
  const ct_hull_builder *g = q->grow;
  ct_vec3 p = q->points[point];
  for (uint32_t i = 0; i < g->created_count; i++) {
    uint32_t face = g->created[i];
    if (ct_hull_builder_face_sees(g, face, p) <= 0) continue;
    add_to_outside_set(
        q, point, face,
        ct_dot(g->faces[face].normal, ct_sub(p, q->points[g->faces[face].vertex[0]])));
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

/* Empties the outside sets of the new faces, and loads their normals and slacks into q->fan. False:
 * out of memory. */
static bool load_fan(quickhull *q) {
  const ct_hull_builder *g = q->grow;
  uint32_t count = g->created_count;
  if (!reserve_fan(q, (count + 1) / 2)) return false;
  for (uint32_t i = 0; i < count; i += 2) {
    uint32_t face[2] = {g->created[i], g->created[i + 1 < count ? i + 1 : i]};
    const ct_hull_builder_face *f = &g->faces[face[0]], *h = &g->faces[face[1]];
    q->fan[i / 2] = (fan_pair){{f->normal.x, h->normal.x},
                               {f->normal.y, h->normal.y},
                               {f->normal.z, h->normal.z},
                               {f->slack, h->slack}};
    q->sets[face[0]].first = q->sets[face[1]].first = CT_HULL_BUILDER_NONE;
  }
  q->fan_count = (count + 1) / 2;
  return true;
}

/* Decides exactly which of the two faces of a pair sees p, for those with their bit in `doubt`.
 * Returns the index in grow->created of the first that does, or CT_HULL_BUILDER_NONE. */
static uint32_t resolve_doubtful(const quickhull *q, uint32_t pair, unsigned doubt, ct_vec3 p) {
  const ct_hull_builder *g = q->grow;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t i = 2 * pair + k;
    if (!(doubt & 1u << k) || i >= g->created_count) continue;
    const uint32_t *v = g->faces[g->created[i]].vertex;
    if (ct_orient3d(q->points[v[0]], q->points[v[1]], q->points[v[2]], p) > 0) return i;
  }
  return CT_HULL_BUILDER_NONE;
}

/* Assigns the point to a new face that sees it, searching the pairs cyclically from pair `from`; a
 * point that no face sees is interior and dropped. All faces share the vertex `apex`, and a face's
 * slack is valid relative to any of its vertices. *found is set to the pair of the face, and
 * unchanged if there is none. Returns the number of pairs tested. */
static uint32_t assign_to_fan(quickhull *q, uint32_t point, ct_vec3 apex, uint32_t from,
                              uint32_t *found) {
  ct_vec3 p = q->points[point], d = ct_sub(p, apex);
  double size = fabs(d.x) + fabs(d.y) + fabs(d.z);
  uint32_t pair = from;
  for (uint32_t i = 0; i < q->fan_count; i++, pair = pair + 1 < q->fan_count ? pair + 1 : 0) {
    const fan_pair *f = &q->fan[pair];
    ct_lanes height = f->x * d.x + f->y * d.y + f->z * d.z, bound = f->slack * size;
    unsigned not_below = ct_lanes_bits(height >= -bound);
    if (!not_below) continue;
    unsigned above = ct_lanes_bits(height > bound);
    uint32_t seen = above ? 2 * pair + (above == 2) : resolve_doubtful(q, pair, not_below, p);
    if (seen == CT_HULL_BUILDER_NONE) continue;
    *found = pair;
    add_to_outside_set(q, point, q->grow->created[seen], height[seen % 2]);
    return i + 1;
  }
  return q->fan_count;
}

static void enqueue_created_faces(quickhull *q) {
  for (uint32_t i = 0; i < q->grow->created_count; i++) {
    uint32_t face = q->grow->created[i];
    if (q->sets[face].first != CT_HULL_BUILDER_NONE) enqueue_face(q, face);
  }
}

/* Reassigns the outside points of a removed face, except the apex, to the new faces. Once a point
 * has been assigned, the search for later points starts at its pair. Copies of a point are thus
 * assigned to the same set, and the one with the lowest index becomes the vertex. False:
 * cancelled. */
static bool reassign_points(quickhull *q, uint32_t face, uint32_t apex) {
  uint32_t from = CT_HULL_BUILDER_NONE;
  ct_vec3 origin = q->points[apex];
  for (uint32_t point = q->sets[face].first, next; point != CT_HULL_BUILDER_NONE; point = next) {
    uint32_t found = from;
    next = q->next[point];
    if (point != apex &&
        ct_poll_cancelled(&q->poll, assign_to_fan(q, point, origin,
                                                  from == CT_HULL_BUILDER_NONE ? 0 : from, &found)))
      return false;
    if (from == CT_HULL_BUILDER_NONE) from = found;
  }
  return true;
}

/* Inserts the farthest point of the face that is first in the queue. */
static ct_status add_farthest_point(quickhull *q) {
  ct_hull_builder *g = q->grow;
  uint32_t apex = q->sets[q->queue_first].farthest;
  ct_status status = ct_hull_builder_add(g, apex, q->queue_first);
  if (status != CT_OK) return status;
  if (!reserve_sets(q) || !load_fan(q)) return CT_OUT_OF_MEMORY;
  if (ct_poll_cancelled(&q->poll, g->created_count + g->removed_count)) return CT_CANCELLED;
  /* Reassign the outside points of the removed faces to the new ones. */
  for (uint32_t i = 0; i < g->removed_count; i++) {
    uint32_t face = g->removed[i];
    if (q->sets[face].first == CT_HULL_BUILDER_NONE) continue;
    dequeue_face(q, face);
    if (!reassign_points(q, face, apex)) return CT_CANCELLED;
  }
  enqueue_created_faces(q);
  ct_hull_builder_recycle(g);
  return CT_OK;
}

static ct_status run_quickhull(quickhull *q, const uint32_t simplex[4]) {
  ct_status status = ct_hull_builder_start(q->grow, q->points, simplex);
  if (status != CT_OK) return status;
  q->next = malloc((size_t)q->count * sizeof *q->next);
  if (!q->next || !reserve_sets(q)) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < q->grow->created_count; i++)
    q->sets[q->grow->created[i]].first = CT_HULL_BUILDER_NONE;
  for (uint32_t i = 0; i < q->count; i++) {
    assign_to_simplex(q, i);
    if (ct_poll_cancelled(&q->poll, q->grow->created_count)) return CT_CANCELLED;
  }
  enqueue_created_faces(q);
  while (status == CT_OK && q->queue_first != CT_HULL_BUILDER_NONE) status = add_farthest_point(q);
  return status;
}

static double flush_tiny(double x, double threshold) { return fabs(x) < threshold ? 0.0 : x; }

void ct_flush_points(ct_vec3 *points, size_t count, double largest) {
  double threshold = ct_max2(CT_EXACT_FLUSH_FRACTION * largest, CT_EXACT_MIN);
  for (size_t i = 0; i < count; i++) {
    points[i] = ct_vec(flush_tiny(points[i].x, threshold), flush_tiny(points[i].y, threshold),
                       flush_tiny(points[i].z, threshold));
  }
}

ct_status ct_quickhull(const ct_vec3 *points, uint32_t count, const ct_cancel *cancel,
                       ct_hull_builder *grow, int *rank) {
  quickhull q = {.grow = grow,
                 .points = points,
                 .count = count,
                 .queue_first = CT_HULL_BUILDER_NONE,
                 .queue_last = CT_HULL_BUILDER_NONE,
                 .cancel = cancel,
                 .poll = ct_poll_start_later(cancel, STEPS_PER_POLL)};
  uint32_t simplex[4];
  if (ct_cancel_raised(cancel)) return CT_CANCELLED;
  *rank = count == 0 ? 0 : find_first_simplex(&q, simplex);
  if (ct_cancel_raised(cancel)) return CT_CANCELLED;
  if (*rank < 3) return CT_DEGENERATE_HULL;
  ct_status status = run_quickhull(&q, simplex);
  free(q.next);
  free(q.sets);
  free(q.fan);
  return status;
}
