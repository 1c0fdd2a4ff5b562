/* Two bodies in the narrow phase: the extreme pair of their colliders.
 *
 * Compounds go through their pairs of colliders in an order that depends on the bodies' contents, not on which of them is a: ties
 * go to the first pair in that order, so that swapping the bodies mirrors the answer.
 */
#include "scene/query.h"

#include <stdlib.h>

/* Collider pairs between two looks at the cancel flag: some microseconds each. */
#define PAIRS_PER_POLL 16
/* Rounding of a computed distance against that of boxes, relative to the coordinates. */
#define GAP_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)

bool ct_placed_body_set(ct_placed_body *placed, const ct_body *body, const ct_pose *pose) {
  uint32_t count = (uint32_t)ct_body_collider_count(body);
  if (count > placed->capacity) {
    ct_frame *frames = realloc(placed->frames, count * sizeof *frames);
    if (frames) placed->frames = frames;
    ct_box *boxes = realloc(placed->boxes, count * sizeof *boxes);
    if (boxes) placed->boxes = boxes;
    if (!frames || !boxes) return false;
    placed->capacity = count;
  }
  placed->body = body;
  placed->pose = pose;
  placed->count = count;
  placed->boxed = false;
  ct_frame frame = ct_frame_of(*pose);
  for (uint32_t i = 0; i < count; i++) placed->frames[i] = ct_body_shape_frame(body, i, &frame);
  return true;
}

void ct_placed_body_free(ct_placed_body *placed) {
  free(placed->frames);
  free(placed->boxes);
}

static void make_boxes(ct_placed_body *placed) {
  if (placed->boxed) return;
  for (uint32_t i = 0; i < placed->count; i++) placed->boxes[i] = ct_shape_box(ct_body_shape(placed->body, i), &placed->frames[i]);
  placed->boxed = true;
}

/* ---- order of contents ---- */

static int compare_numbers(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare_poses(const ct_pose *a, const ct_pose *b) {
  double va[] = {a->position.x, a->position.y, a->position.z, a->rotation.x, a->rotation.y, a->rotation.z, a->rotation.w};
  double vb[] = {b->position.x, b->position.y, b->position.z, b->rotation.x, b->rotation.y, b->rotation.z, b->rotation.w};
  return compare_numbers(va, vb, 7);
}

static int compare_hulls(const ct_hull *a, const ct_hull *b) {
  if (a == b) return 0;
  const ct_hull_view *va = ct_hull_get(a), *vb = ct_hull_get(b);
  if (va->vertex_count != vb->vertex_count) return va->vertex_count < vb->vertex_count ? -1 : 1;
  int order = compare_numbers(va->x, vb->x, va->vertex_count);
  if (!order) order = compare_numbers(va->y, vb->y, va->vertex_count);
  return order ? order : compare_numbers(va->z, vb->z, va->vertex_count);
}

static int compare_shapes(const ct_shape *a, const ct_shape *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  double va[3] = {0.0, 0.0, 0.0}, vb[3] = {0.0, 0.0, 0.0};
  switch (a->kind) {
  case CT_KIND_SPHERE: va[0] = a->sphere.radius, vb[0] = b->sphere.radius; break;
  case CT_KIND_BOX:
    va[0] = a->box.half.x, va[1] = a->box.half.y, va[2] = a->box.half.z;
    vb[0] = b->box.half.x, vb[1] = b->box.half.y, vb[2] = b->box.half.z;
    break;
  case CT_KIND_CAPSULE:
    va[0] = a->capsule.half_length, va[1] = a->capsule.radius_bottom, va[2] = a->capsule.radius_top;
    vb[0] = b->capsule.half_length, vb[1] = b->capsule.radius_bottom, vb[2] = b->capsule.radius_top;
    break;
  case CT_KIND_CONVEX: return compare_hulls(a->hull, b->hull);
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: break;
  }
  return compare_numbers(va, vb, 3);
}

/* < 0: a comes first. Pose, number of colliders, then each collider's shape and pose. */
static int compare_bodies(const ct_placed_body *a, const ct_placed_body *b) {
  const ct_pose identity = ct_pose_identity();
  int order = compare_poses(a->pose, b->pose);
  if (order) return order;
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (uint32_t i = 0; i < a->count; i++) {
    order = compare_shapes(ct_body_shape(a->body, i), ct_body_shape(b->body, i));
    if (order) return order;
    const ct_pose *pa = ct_body_shape_pose(a->body, i), *pb = ct_body_shape_pose(b->body, i);
    order = compare_poses(pa ? pa : &identity, pb ? pb : &identity);
    if (order) return order;
  }
  return 0;
}

/* ---- pairs of colliders ---- */

/* Lower bound of the distance of what is in two boxes; 0 where they overlap. */
static double box_gap(const ct_box *a, const ct_box *b) {
  ct_vec3 d = {ct_max2(0.0, ct_max2(b->min.x - a->max.x, a->min.x - b->max.x)),
               ct_max2(0.0, ct_max2(b->min.y - a->max.y, a->min.y - b->max.y)),
               ct_max2(0.0, ct_max2(b->min.z - a->max.z, a->min.z - b->max.z))};
  if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0) return 0.0;
  double slack = GAP_SLACK * (ct_box_magnitude(a) + ct_box_magnitude(b));
  return ct_max2(0.0, sqrt(ct_norm2(d)) * (1.0 - GAP_SLACK) - slack);
}

/* Walks the pairs of colliders in the order of contents. */
typedef struct collider_walk {
  const ct_body_pair *pair;
  bool b_first;
  uint32_t inner; /* count of the second body's colliders */
  uint64_t count; /* pairs in all */
} collider_walk;

static collider_walk walk_of(const ct_body_pair *pair) {
  collider_walk walk = {pair, false, pair->b->count, (uint64_t)pair->a->count * pair->b->count};
  if (walk.count <= 1) return walk;
  make_boxes(pair->a);
  make_boxes(pair->b);
  walk.b_first = compare_bodies(pair->b, pair->a) < 0;
  if (walk.b_first) walk.inner = pair->a->count;
  return walk;
}

static void walk_at(const collider_walk *walk, uint64_t k, uint32_t *a, uint32_t *b) {
  uint32_t first = (uint32_t)(k / walk->inner), second = (uint32_t)(k % walk->inner);
  *a = walk->b_first ? second : first;
  *b = walk->b_first ? first : second;
}

static double gap_at(const collider_walk *walk, uint64_t k) {
  uint32_t a, b;
  if (walk->count <= 1) return 0.0;
  walk_at(walk, k, &a, &b);
  return box_gap(&walk->pair->a->boxes[a], &walk->pair->b->boxes[b]);
}

/* The pair of least box gap, a good one to begin with; the first among equals. */
static uint64_t nearest_boxes(const collider_walk *walk) {
  uint64_t best = 0;
  double best_gap = INFINITY;
  for (uint64_t k = 0; k < walk->count; k++) {
    double gap = gap_at(walk, k);
    if (gap < best_gap) {
      best_gap = gap;
      best = k;
      if (gap == 0.0) break;
    }
  }
  return best;
}

/* ---- distance ---- */

typedef struct extreme_pair {
  bool found;
  uint64_t at; /* in the walk */
  double key;  /* distance; unsupported depths are unbounded */
  ct_hit *hit;
} extreme_pair;

static void test_distance(const collider_walk *walk, uint64_t k, extreme_pair *best) {
  const ct_body_pair *pair = walk->pair;
  uint32_t a, b;
  walk_at(walk, k, &a, &b);
  double threshold = best->found && best->key < pair->limit ? best->key : pair->limit;
  ct_pair_options options = {pair->tolerance, ct_max2(threshold, 0.0)};
  ct_pair_result result;
  ct_pair_distance((ct_placed){ct_body_shape(pair->a->body, a), &pair->a->frames[a]},
                   (ct_placed){ct_body_shape(pair->b->body, b), &pair->b->frames[b]}, &options, pair->workspace, &result);
  double key = result.status == CT_PAIR_UNSUPPORTED ? -INFINITY : result.distance;
  if (key > pair->limit) return;
  if (best->found && !(key < best->key || (key == best->key && k < best->at))) return;
  best->found = true;
  best->key = key;
  best->at = k;
  best->hit->collider_a = a;
  best->hit->collider_b = b;
  best->hit->overlap = result.distance <= 0.0;
  best->hit->result = result;
}

ct_status ct_body_pair_distance(const ct_body_pair *pair, ct_hit *hit, bool *found) {
  collider_walk walk = walk_of(pair);
  extreme_pair best = {.hit = hit};
  *found = false;
  if (walk.count == 0) return CT_OK;
  uint64_t start = walk.count > 1 ? nearest_boxes(&walk) : 0;
  test_distance(&walk, start, &best);
  for (uint64_t k = 0; k < walk.count && walk.count > 1; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
    if (k == start) continue;
    double gap = gap_at(&walk, k);
    if (gap > 0.0 && (gap > pair->limit || (best.found && gap > best.key))) continue;
    test_distance(&walk, k, &best);
  }
  *found = best.found;
  return CT_OK;
}

/* ---- overlap ---- */

ct_status ct_body_pair_overlap(const ct_body_pair *pair, ct_hit *hit, bool *found) {
  collider_walk walk = walk_of(pair);
  *found = false;
  for (uint64_t k = 0; k < walk.count; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(pair->cancel)) return CT_CANCELLED;
    if (gap_at(&walk, k) > 0.0) continue;
    uint32_t a, b;
    ct_vec3 witness;
    walk_at(&walk, k, &a, &b);
    if (!ct_pair_overlap((ct_placed){ct_body_shape(pair->a->body, a), &pair->a->frames[a]},
                         (ct_placed){ct_body_shape(pair->b->body, b), &pair->b->frames[b]}, pair->workspace, &witness))
      continue;
    *hit = (ct_hit){.a = hit->a, .b = hit->b, .collider_a = a, .collider_b = b, .overlap = true};
    hit->result.point_a = hit->result.point_b = witness;
    *found = true;
    return CT_OK;
  }
  if (walk.count == 0 || pair->limit == 0.0) return CT_OK;
  if (!(pair->limit < INFINITY)) {
    *hit = (ct_hit){.a = hit->a, .b = hit->b};
    *found = true;
    return CT_OK;
  }
  /* Apart, but perhaps within the clearance. */
  ct_status status = ct_body_pair_distance(pair, hit, found);
  if (status == CT_OK && *found) hit->overlap = false;
  return status;
}
