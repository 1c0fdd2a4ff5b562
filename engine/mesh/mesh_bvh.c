/* BVH of the live triangles, built top-down with binned splits by the surface-area heuristic (Wald
 * 2007) on all three axes.
 *
 * Splits are chosen from boxes in single precision relative to the mesh's box, which halves the
 * memory; the boxes of the nodes are computed afterwards from the vertices in doubles, exactly. The
 * depth is at most CT_MESH_DEPTH_MAX. The tree depends only on the vertices and the order of the
 * triangles. */
#include "mesh/mesh_build.h"

#include "base/heap_sort.h"
#include "base/poll.h"
#include <contact/limits.h>

#include <assert.h>
#include <float.h>
#include <stdlib.h>

#define BINS_MAX 16
/* Ranges with fewer triangles than this use half as many bins. */
#define HALF_BINS_BELOW 64
/* Ranges with more triangles than this are only split along their widest axis. */
#define ONE_AXIS_ABOVE 4096
/* Levels reserved for halving, enough for a range of 2^32 triangles. */
#define HALVING_LEVELS 33u
/* Relative increase of a node's radius; covers the round-off of a distance to the rounded middle (4
 * u) and of a sum. */
#define RADIUS_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

typedef struct fbox {
  float low[3], high[3];
} fbox;

typedef struct item {
  fbox box;
  uint32_t triangle;
} item;

typedef struct range {
  uint32_t begin, end, branch, depth;
  bool sorted; /* sorted along an axis; the range and its parts are only halved from here on */
} range;

typedef struct builder {
  item *items;
  ct_mesh_branch *branches;
  uint32_t branch_count;
  ct_poll poll; /* counts triangles of ranges */
} builder;

static const fbox empty_box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static void extend_fbox(fbox *a, const fbox *by) {
  for (int k = 0; k < 3; k++) {
    a->low[k] = by->low[k] < a->low[k] ? by->low[k] : a->low[k];
    a->high[k] = by->high[k] > a->high[k] ? by->high[k] : a->high[k];
  }
}

static float half_area_of_fbox(const fbox *b) {
  float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
  return x * y + y * z + z * x;
}

/* Returns twice the centre of an item's box along an axis. */
static float twice_centre(const item *i, int axis) { return i->box.low[axis] + i->box.high[axis]; }

static void swap_items_of_build(item *a, item *b) {
  item t = *a;
  *a = *b;
  *b = t;
}

typedef struct bin {
  fbox box;
  uint32_t count;
} bin;

typedef struct cut {
  int axis; /* -1: no split was found */
  int bins, border;
  float low, scale, cost;
} cut;

static int find_bin(const cut *c, const item *i) {
  float b = (twice_centre(i, c->axis) - c->low) * c->scale;
  return b < (float)(c->bins - 1) ? (int)b : c->bins - 1;
}

/* Finds the cheapest border between the bins of one axis, and stores it in *best if it is cheaper.
 * The cost is the number of triangles times the box's area, summed over both sides. */
static void try_borders(const bin *bins, cut c, cut *best) {
  /* Cost of all bins to the right of each border, accumulated from the right. */
  float right[BINS_MAX];
  fbox box = empty_box;
  uint32_t count = 0;
  for (int k = c.bins - 1; k > 0; k--) {
    extend_fbox(&box, &bins[k].box);
    count += bins[k].count;
    right[k] = count ? (float)count * half_area_of_fbox(&box) : INFINITY;
  }
  box = empty_box;
  count = 0;
  for (int k = 0; k < c.bins - 1; k++) {
    if (!bins[k].count) continue;
    extend_fbox(&box, &bins[k].box);
    count += bins[k].count;
    c.cost = (float)count * half_area_of_fbox(&box) + right[k + 1];
    c.border = k;
    if (c.cost < best->cost) *best = c;
  }
}

/* Returns the cheapest split over the axes. If cancelled, the result is arbitrary: split_all_ranges
 * then stops at its next poll. */
static cut find_best_cut(const item *items, uint32_t count, const ct_cancel *cancel) {
  cut best = {.axis = -1, .cost = INFINITY};
  /* Find the range of the centres, and the widest axis. */
  float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && ct_mesh_cancelled(i, cancel)) return best;
    for (int k = 0; k < 3; k++) {
      float c = twice_centre(&items[i], k);
      if (c < low[k]) low[k] = c;
      if (c > high[k]) high[k] = c;
    }
  }
  int widest = 0;
  for (int k = 1; k < 3; k++)
    if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
  /* Assign the centres to bins on each axis, and evaluate the borders between bins. */
  for (int axis = 0; axis < 3; axis++) {
    float width = high[axis] - low[axis];
    cut c = {
        .axis = axis, .bins = count < HALF_BINS_BELOW ? BINS_MAX / 2 : BINS_MAX, .low = low[axis]};
    c.scale = (float)c.bins / width;
    /* A width whose inverse overflows counts as zero. */
    if ((count > ONE_AXIS_ABOVE && axis != widest) || !(width > 0.0F) || !(c.scale < FLT_MAX))
      continue;
    bin bins[BINS_MAX];
    for (int k = 0; k < c.bins; k++) bins[k] = (bin){empty_box, 0};
    for (uint32_t i = 0; i < count; i++) {
      if (i > 0 && ct_mesh_cancelled(i, cancel)) return best;
      bin *b = &bins[find_bin(&c, &items[i])];
      extend_fbox(&b->box, &items[i].box);
      b->count++;
    }
    try_borders(bins, c, &best);
  }
  return best;
}

static bool precedes_on_axis(const void *items, const void *by, size_t i, size_t j) {
  const item *a = (const item *)items + i, *b = (const item *)items + j;
  int axis = *(const int *)by;
  float p = twice_centre(a, axis), q = twice_centre(b, axis);
  return p < q || (p == q && a->triangle < b->triangle);
}

static void swap_indexed_items(void *items, size_t i, size_t j) {
  swap_items_of_build((item *)items + i, (item *)items + j);
}

/* Partitions the items by the cheapest split or, if `sort`, sorts them along its axis. Returns the
 * number of items in the left part, from 1 to count - 1. */
static uint32_t split_items(item *items, uint32_t count, bool sort, const ct_cancel *cancel) {
  cut c = find_best_cut(items, count, cancel);
  if (c.axis < 0) return count / 2;
  if (sort) {
    (void)ct_heap_sort(items, count, &c.axis, precedes_on_axis, swap_indexed_items, cancel);
    return count / 2;
  }
  uint32_t i = 0, j = count;
  while (i < j) {
    if (find_bin(&c, &items[i]) <= c.border) i++;
    else swap_items_of_build(&items[i], &items[--j]);
  }
  return i;
}

static uint32_t levels_to_halve(uint32_t count) {
  uint32_t levels = 0;
  for (uint32_t n = count; n > 1; n = (n + 1) / 2) levels++;
  return levels;
}

/* Splits ranges until each is a leaf. Children have higher indices than their parents. False:
 * cancelled. */
static bool split_all_ranges(builder *b, uint32_t count) {
  range stack[CT_MESH_DEPTH_MAX + 1];
  int top = 0;
  stack[top++] = (range){0, count, 0, 0, false};
  b->branches[1] = (ct_mesh_branch){0, 0};
  b->branch_count = 2;
  while (top > 0) {
    range r = stack[--top];
    uint32_t size = r.end - r.begin;
    if (ct_poll_cancelled(&b->poll, size)) return false;
    if (size <= CT_MESH_LEAF_MAX) {
      b->branches[r.branch] = (ct_mesh_branch){r.begin, size};
      continue;
    }
    /* Near the depth limit a range is sorted once and then only halved, which bounds the depth. */
    bool halve = r.sorted || (r.depth + HALVING_LEVELS >= CT_MESH_DEPTH_MAX &&
                              r.depth + levels_to_halve(size) >= CT_MESH_DEPTH_MAX);
    uint32_t middle = r.begin +
                      (r.sorted ? size / 2
                                : split_items(b->items + r.begin, size, halve, b->poll.cancel)),
             left = b->branch_count;
    b->branches[r.branch] = (ct_mesh_branch){left, 0};
    b->branch_count += 2;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 1);
    stack[top++] = (range){middle, r.end, left + 1, r.depth + 1, halve};
    stack[top++] = (range){r.begin, middle, left, r.depth + 1, halve};
  }
  return true;
}

/* Computes the boxes of the live triangles, relative to the low corner and the widest side of the
 * mesh's box. False: cancelled. */
static bool collect_items(builder *b, const ct_mesh_parts *m, const ct_aabb *box) {
  double width = ct_max_abs(ct_sub(box->max, box->min));
  uint32_t n = 0;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (ct_mesh_cancelled(t, m->cancel)) return false;
    if (m->state[t] != CT_MESH_LIVE) continue;
    item *i = &b->items[n++];
    i->triangle = t;
    i->box = empty_box;
    for (int k = 0; k < 3; k++) {
      ct_vec3 p = ct_sub(ct_mesh_point(m, m->triangles[t][k]), box->min);
      float q[3] = {(float)(p.x / width), (float)(p.y / width), (float)(p.z / width)};
      fbox point = {{q[0], q[1], q[2]}, {q[0], q[1], q[2]}};
      extend_fbox(&i->box, &point);
    }
  }
  return true;
}

ct_status ct_mesh_branches(const ct_mesh_parts *m, const ct_aabb *box, uint32_t **order,
                           ct_mesh_branch **branches, uint32_t *branch_count) {
  uint32_t n = m->live_count;
  builder b = {.items = malloc(n * sizeof *b.items),
               .branches = malloc(2 * (size_t)n * sizeof *b.branches),
               .poll = ct_poll_start(m->cancel, CT_MESH_POLL)};
  *order = malloc(n * sizeof **order);
  ct_status status = b.items && b.branches && *order ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK && !(collect_items(&b, m, box) && split_all_ranges(&b, n)))
    status = CT_CANCELLED;
  for (uint32_t i = 0; status == CT_OK && i < n; i++) (*order)[i] = b.items[i].triangle;
  free(b.items);
  if (status != CT_OK) {
    free(b.branches);
    free(*order);
    *order = NULL;
    b.branches = NULL;
  }
  *branches = b.branches;
  *branch_count = b.branch_count;
  return status;
}

static ct_vec3 find_aabb_middle(const ct_aabb *box) {
  return (ct_vec3){0.5 * (box->min.x + box->max.x), 0.5 * (box->min.y + box->max.y),
                   0.5 * (box->min.z + box->max.z)};
}

static void fit_leaf(const ct_mesh_view *view, ct_mesh_node *node) {
  ct_vec3 first = view->vertices[view->corners[node->first][0]];
  node->box = (ct_aabb){first, first};
  for (uint32_t i = 0; i < 3 * node->count; i++) {
    ct_vec3 p = view->vertices[view->corners[node->first + i / 3][i % 3]];
    node->box = ct_aabb_union(node->box, (ct_aabb){p, p});
  }
  ct_vec3 middle = find_aabb_middle(&node->box);
  double radius = 0.0;
  for (uint32_t i = 0; i < 3 * node->count; i++)
    radius = ct_max2(
        radius, ct_norm(ct_sub(view->vertices[view->corners[node->first + i / 3][i % 3]], middle)));
  node->radius = radius * (1.0 + RADIUS_WIDENING);
}

/* Computes box and radius of an inner node from its children. The radius is the smaller of those of
 * a ball around the children's balls, and of a ball around the box. */
static void fit_inner(const ct_mesh_node *nodes, ct_mesh_node *node) {
  const ct_mesh_node *child = &nodes[node->first];
  node->box = ct_aabb_union(child[0].box, child[1].box);
  ct_vec3 middle = find_aabb_middle(&node->box);
  double balls = 0.0;
  for (int k = 0; k < 2; k++)
    balls =
        ct_max2(balls, ct_norm(ct_sub(find_aabb_middle(&child[k].box), middle)) + child[k].radius);
  ct_vec3 reach = {ct_max2(node->box.max.x - middle.x, middle.x - node->box.min.x),
                   ct_max2(node->box.max.y - middle.y, middle.y - node->box.min.y),
                   ct_max2(node->box.max.z - middle.z, middle.z - node->box.min.z)};
  node->radius = ct_min2(balls, ct_norm(reach)) * (1.0 + RADIUS_WIDENING);
}

bool ct_mesh_fit(const ct_mesh_view *view, ct_mesh_node *nodes, const ct_cancel *cancel) {
  for (uint32_t i = view->node_count; i-- > 0;) {
    if (ct_mesh_cancelled(i, cancel)) return false;
    if (i == 1) nodes[1] = (ct_mesh_node){.first = 0, .count = 0};
    else if (nodes[i].count > 0) fit_leaf(view, &nodes[i]);
    else fit_inner(nodes, &nodes[i]);
  }
  return true;
}

static double half_area_of_aabb(const ct_aabb *b) {
  ct_vec3 d = ct_sub(b->max, b->min);
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

double ct_mesh_tree_cost(const ct_mesh_view *view) {
  double sum = 0.0, root = half_area_of_aabb(&view->nodes[0].box);
  for (uint32_t i = 2; i < view->node_count; i++) sum += half_area_of_aabb(&view->nodes[i].box);
  return root > 0.0 ? sum / root : 0.0;
}
