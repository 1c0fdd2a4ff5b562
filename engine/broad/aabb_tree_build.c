/* Top-down bulk build of the AABB tree by the binned surface area heuristic (Wald 2007), along the
 * axis on which the box centres have the widest range.
 *
 * The result depends only on the boxes and their order. The height is within the limit of
 * aabb_tree.h. */
#include "broad/aabb_tree.h"

#include "base/heap_sort.h"
#include "base/poll.h"

#include <assert.h>
#include <stdlib.h>

#define BINS_MAX 16
/* Least number of bins; ranges with few items use half as many bins as items. */
#define BINS_MIN 4
/* Limit to which coordinates are clamped in centres, m, so that sums stay finite. */
#define CENTRE_MAX 1e100
/* Items processed between two polls of the cancel flag: about 100 us. */
#define ITEMS_PER_POLL 8192
/* Size of the stack of pending ranges: one per level. */
#define STACK_MAX (CT_TREE_HEIGHT_MAX + 2)

/* A box to be inserted, with its user value and its index in the input. */
typedef struct build_item {
  ct_aabb box;
  uint32_t user, input;
} build_item;

/* A range of items to become the subtree of a node, and the node's depth. */
typedef struct build_range {
  uint32_t begin, end, node, depth;
} build_range;

typedef struct build_bin {
  ct_aabb box;
  uint32_t count;
} build_bin;

static double clamp_bin_coordinate(double v) {
  return v < -CENTRE_MAX ? -CENTRE_MAX : v > CENTRE_MAX ? CENTRE_MAX : v;
}

/* Twice the centre of a box along an axis, from clamped coordinates. */
static double find_twice_centre(const ct_aabb *box, int axis) {
  if (axis == 0) return clamp_bin_coordinate(box->min.x) + clamp_bin_coordinate(box->max.x);
  if (axis == 1) return clamp_bin_coordinate(box->min.y) + clamp_bin_coordinate(box->max.y);
  return clamp_bin_coordinate(box->min.z) + clamp_bin_coordinate(box->max.z);
}

static bool is_bounded(const ct_aabb *b) {
  return b->min.x > -CENTRE_MAX && b->min.y > -CENTRE_MAX && b->min.z > -CENTRE_MAX &&
         b->max.x < CENTRE_MAX && b->max.y < CENTRE_MAX && b->max.z < CENTRE_MAX;
}

static void exchange_items(build_item *a, build_item *b) {
  build_item t = *a;
  *a = *b;
  *b = t;
}

/* Moves unbounded boxes to the end, because they get a branch of their own. Returns the number of
 * bounded boxes. */
static uint32_t partition_unbounded(build_item *items, uint32_t count) {
  uint32_t i = 0, j = count;
  while (i < j) {
    if (is_bounded(&items[i].box)) i++;
    else exchange_items(&items[i], &items[--j]);
  }
  return i;
}

static int find_widest_axis(const build_item *items, uint32_t count, double *low, double *width) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) {
      double c = find_twice_centre(&items[i].box, k);
      lo[k] = ct_min2(lo[k], c);
      hi[k] = ct_max2(hi[k], c);
    }
  }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (hi[k] - lo[k] > hi[axis] - lo[axis]) axis = k;
  *low = lo[axis];
  *width = hi[axis] - lo[axis];
  return axis;
}

/* Order of items by centre, then by index in the input; a total order. */
static bool precedes_by_centre(const void *items, const void *by, size_t i, size_t j) {
  const build_item *a = (const build_item *)items + i, *b = (const build_item *)items + j;
  int axis = *(const int *)by;
  double ca = find_twice_centre(&a->box, axis), cb = find_twice_centre(&b->box, axis);
  return ca < cb || (ca == cb && a->input < b->input);
}

static void swap_items_at(void *items, size_t i, size_t j) {
  exchange_items((build_item *)items + i, (build_item *)items + j);
}

/* Bins along one axis: bin k contains the items with (twice the centre - low) * scale in [k, k +
 * 1). */
typedef struct build_bins {
  int axis, count;
  double low, scale;
  build_bin bin[BINS_MAX];
} build_bins;

static int find_item_bin(const build_bins *bins, const build_item *item) {
  double b = (find_twice_centre(&item->box, bins->axis) - bins->low) * bins->scale;
  return b < bins->count - 1 ? (int)b : bins->count - 1;
}

/* Returns the border between bins with the least cost, where the cost is the number of boxes times
 * their area, summed over both sides. Items in bins <= the result go to the left; of equal costs
 * the lowest border is chosen. */
static int find_best_border(const build_bins *bins) {
  const build_bin *bin = bins->bin;
  /* Costs of the right sides, accumulated from the right. */
  double right_cost[BINS_MAX];
  ct_aabb box = bin[bins->count - 1].box;
  uint32_t count = 0;
  for (int k = bins->count - 1; k > 0; k--) {
    box = ct_aabb_union(box, bin[k].box);
    count += bin[k].count;
    right_cost[k] = (double)count * ct_tree_area(box);
  }
  /* Costs of the left sides, accumulated from the left. */
  box = bin[0].box;
  count = 0;
  int best = 0;
  double best_cost = INFINITY;
  for (int k = 0; k < bins->count - 1; k++) {
    if (!bin[k].count) continue;
    box = ct_aabb_union(box, bin[k].box);
    count += bin[k].count;
    double cost = (double)count * ct_tree_area(box) + right_cost[k + 1];
    if (cost < best_cost) {
      best_cost = cost;
      best = k;
    }
  }
  return best;
}

/* Partitions items into two parts and returns the size of the left one, in [1, count - 1].
 * by_count: halve the range, by centres, to limit the height. */
static uint32_t split_range(build_item *items, uint32_t count, bool by_count) {
  if (count == 2) return 1;
  build_bins bins;
  double width;
  bins.axis = find_widest_axis(items, count, &bins.low, &width);
  bins.count = count >= 2 * BINS_MAX ? BINS_MAX : count >= 2 * BINS_MIN ? (int)count / 2 : BINS_MIN;
  bins.scale = (double)bins.count / width;
  /* Items with equal centres cannot be binned, so the range is halved. */
  if (!(width > 0.0) || !(bins.scale < 1e300)) return count / 2;
  if (by_count) {
    (void)ct_heap_sort(items, count, &bins.axis, precedes_by_centre, swap_items_at, NULL);
    return count / 2;
  }
  /* Bin the items, and partition them at the best border. */
  for (int k = 0; k < bins.count; k++)
    bins.bin[k] =
        (build_bin){{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, 0};
  for (uint32_t i = 0; i < count; i++) {
    build_bin *bin = &bins.bin[find_item_bin(&bins, &items[i])];
    bin->box = ct_aabb_union(bin->box, items[i].box);
    bin->count++;
  }
  int border = find_best_border(&bins);
  uint32_t i = 0, j = count;
  while (i < j) {
    if (find_item_bin(&bins, &items[i]) <= border) i++;
    else exchange_items(&items[i], &items[--j]);
  }
  return i;
}

/* Splits ranges until each is a single leaf. Children have higher indices than their parent, and
 * siblings are adjacent. False: cancelled. */
static bool build_nodes(ct_tree *tree, build_item *items, uint32_t count, uint32_t *proxies,
                        const ct_cancel *cancel) {
  ct_tree_node *nodes = tree->nodes;
  build_range stack[STACK_MAX];
  uint32_t limit = 2 * ct_tree_log2(count) + CT_TREE_HEIGHT_SLACK,
           bounded_count = partition_unbounded(items, count);
  int top = 0;
  ct_poll poll = ct_poll_start(cancel, ITEMS_PER_POLL);
  nodes[0].parent = CT_TREE_NULL;
  tree->used = 1;
  stack[top++] = (build_range){0, count, 0, 0};
  while (top > 0) {
    build_range r = stack[--top];
    ct_tree_node *node = &nodes[r.node];
    uint32_t size = r.end - r.begin;
    if (ct_poll_cancelled(&poll, size)) return false;
    if (size == 1) {
      const build_item *item = &items[r.begin];
      node->box = item->box;
      node->child[0] = CT_TREE_NULL;
      node->child[1] = item->user;
      node->height = node->shallow = 0;
      if (proxies) proxies[item->input] = r.node;
      continue;
    }
    /* Halving needs at most log2(size) + 1 more levels, so it must begin while that many are
     * left. */
    bool by_count = r.depth + ct_tree_log2(size) + 2 >= limit;
    bool parted = r.begin < bounded_count && bounded_count < r.end;
    uint32_t middle =
        parted ? bounded_count : r.begin + split_range(items + r.begin, size, by_count);
    uint32_t left = tree->used;
    tree->used += 2;
    node->child[0] = left;
    node->child[1] = left + 1;
    node->height = 1;
    nodes[left].parent = nodes[left + 1].parent = r.node;
    assert(top + 2 <= STACK_MAX);
    stack[top++] = (build_range){middle, r.end, left + 1, r.depth + 1};
    stack[top++] = (build_range){r.begin, middle, left, r.depth + 1};
  }
  return true;
}

/* Children have higher indices than their parent, so one backward pass computes all boxes and
 * heights. */
static void fit_inner_nodes(ct_tree *tree) {
  for (uint32_t i = tree->used; i-- > 0;) {
    ct_tree_node *node = &tree->nodes[i];
    if (node->height > 0)
      ct_tree_join(node, &tree->nodes[node->child[0]], &tree->nodes[node->child[1]]);
  }
}

void ct_tree_fit(ct_tree *tree, const ct_aabb *boxes) {
  for (uint32_t i = 0; i < tree->used; i++)
    if (tree->nodes[i].height == 0) tree->nodes[i].box = boxes[tree->nodes[i].child[1]];
  fit_inner_nodes(tree);
}

double ct_tree_cost(const ct_tree *tree) {
  double sum = 0.0;
  if (tree->root == CT_TREE_NULL) return 0.0;
  for (uint32_t i = 0; i < tree->used; i++)
    if (tree->nodes[i].height != CT_TREE_FREE && i != tree->root)
      sum += ct_tree_area(tree->nodes[i].box);
  double root = ct_tree_area(tree->nodes[tree->root].box);
  return root > 0.0 ? sum / root : 0.0;
}

static void clear_tree(ct_tree *tree) {
  tree->used = tree->leaf_count = 0;
  tree->root = tree->free_head = CT_TREE_NULL;
}

ct_status ct_tree_build(ct_tree *tree, const ct_aabb *boxes, const uint32_t *users, size_t count,
                        uint32_t *proxies, const ct_cancel *cancel) {
  if (count > CT_TREE_LEAVES_MAX) return CT_LIMIT;
  uint32_t n = (uint32_t)count;
  if (n == 0) {
    clear_tree(tree);
    return CT_OK;
  }
  build_item *items = malloc(count * sizeof *items);
  if (!items || !ct_tree_reserve(tree, 2 * n - 1)) {
    free(items);
    return CT_OUT_OF_MEMORY;
  }
  for (uint32_t i = 0; i < n; i++) items[i] = (build_item){boxes[i], users ? users[i] : i, i};
  tree->root = 0;
  tree->free_head = CT_TREE_NULL;
  tree->leaf_count = n;
  bool whole = build_nodes(tree, items, n, proxies, cancel);
  free(items);
  if (!whole) {
    clear_tree(tree);
    return CT_CANCELLED;
  }
  fit_inner_nodes(tree);
  return CT_OK;
}
