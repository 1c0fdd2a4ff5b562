/* Distance and overlap of two bodies with several colliders each: finds the pair of colliders with
 * the least signed distance, or one that overlaps.
 *
 * The pairs of colliders are visited in an order that depends on the contents of the bodies, not on
 * which body is a: the first pair in that order is chosen among equals, so that swapping the bodies
 * mirrors the result. For large compounds an AABB tree of the second body's colliders skips pairs
 * that are too far apart; the result is identical to the bit. */
#include "base/poll.h"
#include "broad/aabb_tree.h"
#include "pair/pair_order.h"
#include "query/query.h"

#include <stdlib.h>

/* Steps between two polls of the cancel flag. One test of two boxes is one step and takes a few ns.
 * Computing the box of a collider (up to 100 us for a large hull) counts BOX_STEPS. A pair in the
 * narrow phase (1 us; 1 ms for large overlapping hulls) counts PAIR_STEPS. */
#define STEPS_PER_POLL 1024
#define BOX_STEPS 64
#define PAIR_STEPS 512
/* A tree of the second body's colliders is used if the first body has at least TREE_FIRST_MIN
 * colliders and there are at least TREE_PAIRS_MIN pairs; below, testing all pairs of boxes is
 * faster. */
#define TREE_FIRST_MIN 32
#define TREE_PAIRS_MIN 1024

bool ct_placed_body_set(ct_placed_body *placed, const ct_body *body, const ct_pose *pose) {
  uint32_t count = (uint32_t)ct_body_collider_count(body);
  if (count > placed->capacity) {
    ct_frame *frames = realloc(placed->frames, count * sizeof *frames);
    if (frames) placed->frames = frames;
    ct_aabb *boxes = realloc(placed->boxes, count * sizeof *boxes);
    if (boxes) placed->boxes = boxes;
    if (!frames || !boxes) return false;
    placed->capacity = count;
  }
  placed->body = body;
  placed->pose = pose;
  placed->count = count;
  placed->boxed = placed->treed = false;
  ct_frame frame = ct_frame_of(*pose);
  for (uint32_t i = 0; i < count; i++) placed->frames[i] = ct_body_shape_frame(body, i, &frame);
  return true;
}

void ct_placed_body_free(ct_placed_body *placed) {
  free(placed->frames);
  free(placed->boxes);
  free(placed->found);
  ct_tree_destroy(placed->tree);
}

static ct_status compute_collider_boxes(ct_placed_body *placed, ct_poll *poll) {
  if (placed->boxed) return CT_OK;
  placed->reach = 0.0;
  for (uint32_t i = 0; i < placed->count; i++) {
    if (ct_poll_cancelled(poll, BOX_STEPS)) return CT_CANCELLED;
    placed->boxes[i] = ct_shape_aabb(ct_body_shape(placed->body, i), &placed->frames[i]);
    placed->reach = ct_max2(placed->reach, ct_aabb_magnitude(&placed->boxes[i]));
  }
  placed->boxed = true;
  return CT_OK;
}

/* Builds the tree of the body's collider boxes, and allocates `found` for as many results as there
 * are colliders. */
static ct_status build_collider_tree(ct_placed_body *placed, const ct_cancel *cancel) {
  if (placed->treed) return CT_OK;
  if (!placed->tree) placed->tree = ct_tree_create();
  if (!placed->tree) return CT_OUT_OF_MEMORY;
  uint32_t *found = realloc(placed->found, placed->count * sizeof *found);
  if (!found) return CT_OUT_OF_MEMORY;
  placed->found = found;
  ct_status status = ct_tree_build(placed->tree, placed->boxes, NULL, placed->count, NULL, cancel);
  placed->treed = status == CT_OK;
  return status;
}

/* ---- pairs of colliders --------------------------------------------------------------------- */

double ct_aabb_gap(const ct_aabb *a, const ct_aabb *b, double size) {
  ct_vec3 d = ct_aabb_gaps(a, b);
  if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0) return 0.0;
  return ct_max2(0.0, sqrt(ct_norm2(d)) * (1.0 - CT_GAP_SLACK) - CT_GAP_SLACK * size);
}

/* Loop over the pairs of colliders of two bodies. `first` is the body that is lower in the order of
 * contents (ct_body_compare), so that swapping a and b does not change the order of the pairs. All
 * pairs of the first body's collider 0 come first. */
typedef struct collider_traversal {
  const ct_body_pair *pair;
  ct_placed_body *first, *second;
  bool b_first;
  bool single; /* each body has one collider */
  ct_poll poll;
} collider_traversal;

static collider_traversal make_collider_traversal(const ct_body_pair *pair) {
  return (collider_traversal){.pair = pair,
                              .first = pair->a,
                              .second = pair->b,
                              .single = pair->a->count == 1 && pair->b->count == 1,
                              .poll = ct_poll_start_later(pair->cancel, STEPS_PER_POLL)};
}

static ct_status start_collider_traversal(collider_traversal *traversal, const ct_body_pair *pair) {
  *traversal = make_collider_traversal(pair);
  if (traversal->single) return CT_OK;
  ct_status status = compute_collider_boxes(pair->a, &traversal->poll);
  if (status == CT_OK) status = compute_collider_boxes(pair->b, &traversal->poll);
  if (status != CT_OK) return status;
  traversal->b_first =
      ct_body_compare(pair->b->body, pair->b->pose, pair->a->body, pair->a->pose) < 0;
  if (!traversal->b_first) return CT_OK;
  traversal->first = pair->b;
  traversal->second = pair->a;
  return CT_OK;
}

static bool is_large(const collider_traversal *traversal) {
  return traversal->first->count >= TREE_FIRST_MIN &&
         (uint64_t)traversal->first->count * traversal->second->count >= TREE_PAIRS_MIN;
}

/* Index of a collider of the first body and of one of the second. */
typedef struct collider_pair {
  uint32_t first, second;
} collider_pair;

static double gap_of(const collider_traversal *traversal, collider_pair p) {
  if (traversal->single) return 0.0;
  const ct_aabb *a = &traversal->first->boxes[p.first], *b = &traversal->second->boxes[p.second];
  return ct_aabb_gap(a, b, ct_aabb_magnitude(a) + ct_aabb_magnitude(b));
}

/* Returns the index of the pair's collider that belongs to the caller's body a. */
static uint32_t index_in_a(const collider_traversal *traversal, collider_pair p) {
  return traversal->b_first ? p.second : p.first;
}
static uint32_t in_b(const collider_traversal *traversal, collider_pair p) {
  return traversal->b_first ? p.first : p.second;
}

/* ---- distance ------------------------------------------------------------------------------- */

typedef struct extreme_pair {
  bool found;
  collider_pair at;
  double key; /* signed distance of the pair, m; -INFINITY if its depth is unsupported */
  ct_distance_hit *hit;
} extreme_pair;

/* True if a pair of colliders whose boxes have this gap cannot become the pair of least
 * distance. */
static bool is_gap_irrelevant(const collider_traversal *traversal, const extreme_pair *best,
                              double gap) {
  return gap > 0.0 && (gap > traversal->pair->limit || (best->found && gap > best->key));
}

static bool is_better(const extreme_pair *best, collider_pair p, double key) {
  if (!best->found || key != best->key) return !best->found || key < best->key;
  return p.first < best->at.first || (p.first == best->at.first && p.second < best->at.second);
}

static void test_distance(const collider_traversal *traversal, collider_pair p,
                          extreme_pair *best) {
  const ct_body_pair *pair = traversal->pair;
  double threshold = best->found && best->key < pair->limit ? best->key : pair->limit;
  ct_pair_options options = {pair->tolerance, ct_max2(threshold, 0.0)};
  ct_pair_result result;
  uint32_t a = index_in_a(traversal, p), b = in_b(traversal, p);
  ct_pair_distance_within(ct_placed_collider(pair->a, a), ct_placed_collider(pair->b, b), &options,
                          pair->workspace, &result);
  double key = result.status == CT_PAIR_UNSUPPORTED ? -INFINITY : result.distance;
  if (key > pair->limit || !is_better(best, p, key)) return;
  best->hit->collider_a = a;
  best->hit->collider_b = b;
  best->hit->overlap = result.distance <= 0.0;
  best->hit->result = result;
  best->found = true;
  best->at = p;
  best->key = key;
}

/* Finds the pair of colliders whose boxes have the least gap, as the first candidate; among equals
 * the first in order. */
static ct_status nearest_boxes(collider_traversal *traversal, collider_pair *nearest) {
  double best_gap = INFINITY;
  *nearest = (collider_pair){0, 0};
  for (collider_pair p = {0, 0}; p.first < traversal->first->count; p.first++) {
    for (p.second = 0; p.second < traversal->second->count; p.second++) {
      if (ct_poll_cancelled(&traversal->poll, 1)) return CT_CANCELLED;
      double gap = gap_of(traversal, p);
      if (gap >= best_gap) continue;
      best_gap = gap;
      *nearest = p;
      if (gap == 0.0) return CT_OK;
    }
  }
  return CT_OK;
}

static ct_status distance_of_all(collider_traversal *traversal, extreme_pair *best) {
  collider_pair start;
  ct_status status = nearest_boxes(traversal, &start);
  if (status != CT_OK) return status;
  test_distance(traversal, start, best);
  for (collider_pair p = {0, 0}; p.first < traversal->first->count; p.first++) {
    for (p.second = 0; p.second < traversal->second->count; p.second++) {
      if (ct_poll_cancelled(&traversal->poll, 1)) return CT_CANCELLED;
      if ((p.first == start.first && p.second == start.second) ||
          is_gap_irrelevant(traversal, best, gap_of(traversal, p)))
        continue;
      test_distance(traversal, p, best);
      if (ct_poll_cancelled(&traversal->poll, PAIR_STEPS)) return CT_CANCELLED;
    }
  }
  return CT_OK;
}

/* A tree node still to visit, and the gap between its box and that of the first body's collider. */
typedef struct pending_node {
  uint32_t node;
  double gap;
} pending_node;

static pending_node pending_node_of_tree(const collider_traversal *traversal, uint32_t first,
                                         uint32_t node) {
  const ct_aabb *box = &traversal->first->boxes[first];
  return (pending_node){node, ct_aabb_gap(box, &traversal->second->tree->nodes[node].box,
                                          ct_aabb_magnitude(box) + traversal->second->reach)};
}

/* Evaluates the pairs of one collider of the first body by descending the second body's tree,
 * nearer child first; *best is updated. */
static ct_status distance_of_row(collider_traversal *traversal, uint32_t first,
                                 extreme_pair *best) {
  const ct_tree_node *nodes = traversal->second->tree->nodes;
  pending_node stack[CT_TREE_HEIGHT_MAX + 2];
  int top = 0;
  stack[top++] = pending_node_of_tree(traversal, first, traversal->second->tree->root);
  while (top > 0) {
    pending_node w = stack[--top];
    if (ct_poll_cancelled(&traversal->poll, 2)) return CT_CANCELLED;
    if (is_gap_irrelevant(traversal, best, w.gap)) continue;
    const ct_tree_node *node = &nodes[w.node];
    /* Inner node: push the nearer child last, so that it is visited next. */
    if (node->height > 0) {
      pending_node c = pending_node_of_tree(traversal, first, node->child[0]),
                   d = pending_node_of_tree(traversal, first, node->child[1]);
      bool swap = d.gap < c.gap;
      stack[top++] = swap ? c : d;
      stack[top++] = swap ? d : c;
      continue;
    }
    /* Leaf: evaluate the pair unless its own box gap excludes it. */
    collider_pair p = {first, node->child[1]};
    if (is_gap_irrelevant(traversal, best, gap_of(traversal, p))) continue;
    test_distance(traversal, p, best);
    if (ct_poll_cancelled(&traversal->poll, PAIR_STEPS)) return CT_CANCELLED;
  }
  return CT_OK;
}

/* Finds the least distance with the second body's tree. The first body's collider nearest to the
 * tree's box is visited first, for a small bound. */
static ct_status distance_by_tree(collider_traversal *traversal, extreme_pair *best) {
  ct_status status = build_collider_tree(traversal->second, traversal->pair->cancel);
  if (status != CT_OK) return status;
  uint32_t start = 0, root = traversal->second->tree->root;
  double least = INFINITY;
  for (uint32_t i = 0; i < traversal->first->count && least > 0.0; i++) {
    if (ct_poll_cancelled(&traversal->poll, 1)) return CT_CANCELLED;
    double gap = pending_node_of_tree(traversal, i, root).gap;
    if (gap >= least) continue;
    least = gap;
    start = i;
  }
  status = distance_of_row(traversal, start, best);
  for (uint32_t i = 0; i < traversal->first->count && status == CT_OK; i++)
    if (i != start) status = distance_of_row(traversal, i, best);
  return status;
}

ct_status ct_body_pair_distance(const ct_body_pair *pair, ct_distance_hit *hit, bool *found) {
  *found = false;
  if (pair->a->count == 0 || pair->b->count == 0) return CT_OK;
  collider_traversal traversal;
  extreme_pair best = {.hit = hit};
  ct_status status = start_collider_traversal(&traversal, pair);
  if (status != CT_OK) return status;
  if (traversal.single) test_distance(&traversal, (collider_pair){0, 0}, &best);
  else
    status = is_large(&traversal) ? distance_by_tree(&traversal, &best)
                                  : distance_of_all(&traversal, &best);
  *found = status == CT_OK && best.found;
  return status;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

static int compare_indices(const void *a, const void *b) {
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

/* Finds the colliders of the second body whose boxes are within `reach` of the box of the first
 * body's collider `first`. Writes their indices to traversal->second->found, ascending. */
static ct_status find_near_colliders(collider_traversal *traversal, uint32_t first, double reach,
                                     size_t *count) {
  const ct_tree_node *nodes = traversal->second->tree->nodes;
  uint32_t stack[CT_TREE_HEIGHT_MAX + 2], *found = traversal->second->found;
  int top = 0;
  *count = 0;
  stack[top++] = traversal->second->tree->root;
  while (top > 0) {
    uint32_t at = stack[--top];
    if (ct_poll_cancelled(&traversal->poll, 1)) return CT_CANCELLED;
    if (pending_node_of_tree(traversal, first, at).gap > reach) continue;
    if (nodes[at].height == 0) {
      if (gap_of(traversal, (collider_pair){first, nodes[at].child[1]}) <= reach)
        found[(*count)++] = nodes[at].child[1];
      continue;
    }
    stack[top++] = nodes[at].child[0];
    stack[top++] = nodes[at].child[1];
  }
  qsort(found, *count, sizeof *found, compare_indices);
  return CT_OK;
}

static ct_status visit_collider_pairs_of(collider_traversal *traversal, uint32_t a,
                                         ct_collider_visit visit, void *context) {
  bool large = is_large(traversal);
  size_t count = traversal->second->count;
  ct_status status =
      large ? find_near_colliders(traversal, a, traversal->pair->limit, &count) : CT_OK;
  for (size_t k = 0; k < count && status == CT_OK; k++) {
    uint32_t b = large ? traversal->second->found[k] : (uint32_t)k;
    if (ct_poll_cancelled(&traversal->poll, 1)) return CT_CANCELLED;
    if (!large && gap_of(traversal, (collider_pair){a, b}) > traversal->pair->limit) continue;
    status = visit(context, a, b);
    if (status == CT_OK && ct_poll_cancelled(&traversal->poll, PAIR_STEPS)) status = CT_CANCELLED;
  }
  return status;
}

ct_status ct_body_pair_visit(const ct_body_pair *pair, ct_collider_visit visit, void *context) {
  collider_traversal traversal = make_collider_traversal(pair);
  ct_status status = CT_OK;
  if (!traversal.single) {
    status = compute_collider_boxes(pair->a, &traversal.poll);
    if (status == CT_OK) status = compute_collider_boxes(pair->b, &traversal.poll);
    if (status == CT_OK && is_large(&traversal))
      status = build_collider_tree(pair->b, pair->cancel);
  }
  for (uint32_t a = 0; a < pair->a->count && status == CT_OK; a++)
    status = visit_collider_pairs_of(&traversal, a, visit, context);
  return status;
}

/* ---- overlap -------------------------------------------------------------------------------- */

/* Tests one pair of colliders. *found: the pair overlaps, and *hit contains the colliders and the
 * witness point. */
static ct_status test_overlap(collider_traversal *traversal, collider_pair p, ct_overlap_hit *hit,
                              bool *found) {
  const ct_body_pair *pair = traversal->pair;
  uint32_t a = index_in_a(traversal, p), b = in_b(traversal, p);
  ct_vec3 witness;
  if (ct_poll_cancelled(&traversal->poll, PAIR_STEPS)) return CT_CANCELLED;
  const ct_placed placed[2] = {ct_placed_collider(pair->a, a), ct_placed_collider(pair->b, b)};
  const ct_collider_pair which = {hit->a, hit->b, a, b};
  *found = pair->overlap_test ? pair->overlap_test(pair->context, &which, placed[0], placed[1],
                                                   pair->workspace, &witness)
                              : ct_pair_overlap(placed[0], placed[1], pair->workspace, &witness);
  if (!*found) return CT_OK;
  hit->collider_a = a;
  hit->collider_b = b;
  hit->overlap = true;
  hit->result = (ct_pair_result){.point_a = witness, .point_b = witness};
  return CT_OK;
}

static ct_status overlap_of_all(collider_traversal *traversal, ct_overlap_hit *hit, bool *found) {
  ct_status status = CT_OK;
  for (collider_pair p = {0, 0}; p.first < traversal->first->count && status == CT_OK && !*found;
       p.first++) {
    for (p.second = 0; p.second < traversal->second->count && status == CT_OK && !*found;
         p.second++) {
      if (ct_poll_cancelled(&traversal->poll, 1)) return CT_CANCELLED;
      if (gap_of(traversal, p) == 0.0) status = test_overlap(traversal, p, hit, found);
    }
  }
  return status;
}

static ct_status overlap_by_tree(collider_traversal *traversal, ct_overlap_hit *hit, bool *found) {
  ct_status status = build_collider_tree(traversal->second, traversal->pair->cancel);
  for (uint32_t i = 0; i < traversal->first->count && status == CT_OK && !*found; i++) {
    size_t count;
    status = find_near_colliders(traversal, i, 0.0, &count);
    for (size_t k = 0; k < count && status == CT_OK && !*found; k++)
      status = test_overlap(traversal, (collider_pair){i, traversal->second->found[k]}, hit, found);
  }
  return status;
}

ct_status ct_body_pair_overlap(const ct_body_pair *pair, ct_overlap_hit *hit, bool *found) {
  *found = false;
  if (pair->a->count == 0 || pair->b->count == 0) return CT_OK;
  collider_traversal traversal;
  ct_status status = start_collider_traversal(&traversal, pair);
  if (status == CT_OK)
    status = is_large(&traversal) ? overlap_by_tree(&traversal, hit, found)
                                  : overlap_of_all(&traversal, hit, found);
  if (status != CT_OK || *found || pair->limit == 0.0) return status;
  if (!(pair->limit < INFINITY)) {
    *found = true;
    return CT_OK;
  }
  /* no pair overlaps, but one may be within the clearance */
  ct_distance_hit nearest;
  status = ct_body_pair_distance(pair, &nearest, found);
  if (status != CT_OK || !*found) return status;
  hit->collider_a = nearest.collider_a;
  hit->collider_b = nearest.collider_b;
  hit->result = nearest.result;
  return CT_OK;
}
