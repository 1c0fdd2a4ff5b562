/* Candidate pairs of a motion: rows whose swept boxes overlap.
 *
 * A separate tree contains the moving rows and the rows with pose overrides; the revision's tree
 * contains the other rows. Each moving row queries both. If many rows move, the separate tree
 * contains all rows. */
#include "base/array.h"
#include "broad/pair_list.h"
#include "toi/toi_query.h"

#include <assert.h>
#include <stdlib.h>

/* Slack of the box test of a pair, relative to the coordinates; equal to that of queries. */
#define PAIR_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* The trees are queried with twice the slack, so that no pair that passes the box test is
 * missed. */
#define TREE_SLACK (2.0 * PAIR_SLACK)
/* Relative round-off of a swept box that is the sum of two boxes. */
#define SUM_SLACK (8.0 * CT_UNIT_ROUNDOFF)

/* Number of listed pairs considered between two polls of the cancel flag. */
#define PAIRS_PER_POLL 1024

/* The separate tree contains all rows if at least one row in this many moves. */
#define MANY_SHARE 4

/* ---- swept boxes ---------------------------------------------------------------------------- */

bool ct_motion_find_moving_body(const ct_motion_query *query, uint32_t row, size_t *mover) {
  size_t low = 0, high = query->options.moving_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (query->options.moving[middle].row < row) low = middle + 1;
    else high = middle;
  }
  *mover = low;
  return low < query->options.moving_count && query->options.moving[low].row == row &&
         ct_path_kind_of(query->options.moving[low].path) != CT_PATH_REST;
}

/* Returns the largest distance of the body's points from the pivot, by the bounding balls of its
 * colliders, m; below 0 without colliders. */
static double body_reach_about(const ct_body *body, ct_vec3 pivot) {
  const ct_frame frame = ct_frame_of(ct_pose_identity());
  double reach = -1.0;
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_vec3 center;
    double radius;
    ct_shape_ball(ct_body_shape(body, i), &center, &radius);
    ct_frame placed = ct_body_shape_frame(body, i, &frame);
    ct_vec3 at = ct_to_parent(placed, center);
    double size = ct_max_abs(at) + ct_max_abs(pivot);
    reach = ct_max2(reach,
                    (ct_norm(ct_sub(at, pivot)) + radius) * (1.0 + SUM_SLACK) + SUM_SLACK * size);
  }
  return reach;
}

/* Returns the swept box of a body that does not rotate: its box at `begin`, swept along the path of
 * the pivot. */
static ct_aabb swept_box_without_turning(const ct_body *body, const ct_path *path, double begin,
                                         double end) {
  ct_pose pose = ct_path_pose(path, begin);
  ct_frame frame = ct_frame_of(pose);
  ct_vec3 pivot = ct_to_parent(frame, ct_path_pivot(path));
  ct_aabb own = ct_body_aabb(body, &frame), way = ct_path_aabb(path, begin, end, 0.0);
  ct_aabb box = {ct_add(own.min, ct_sub(way.min, pivot)), ct_add(own.max, ct_sub(way.max, pivot))};
  return ct_aabb_expand(
      box, SUM_SLACK * (ct_aabb_magnitude(&own) + ct_aabb_magnitude(&way) + ct_max_abs(pivot)));
}

ct_aabb ct_motion_swept(const ct_motion_query *query, size_t mover, double begin, double end) {
  const ct_path *path = query->options.moving[mover].path;
  const ct_body *body = ct_scene_body_at(query->scene, query->options.moving[mover].row);
  ct_vec3 axis;
  bool constant;
  if (query->reach[mover] < 0.0) return ct_aabb_empty();
  if (ct_path_spin(path, &axis, &constant) == 0.0)
    return swept_box_without_turning(body, path, begin, end);
  if (query->reach[mover] < INFINITY) return ct_path_aabb(path, begin, end, query->reach[mover]);
  return (ct_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static ct_status sweep_boxes(ct_motion_query *query) {
  const ct_motion_options *o = &query->options;
  query->reach = malloc((o->moving_count + 1) * sizeof *query->reach);
  query->swept = malloc((o->moving_count + 1) * sizeof *query->swept);
  if (!query->reach || !query->swept) return CT_OUT_OF_MEMORY;
  for (size_t m = 0; m < o->moving_count; m++) {
    if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
    query->reach[m] = body_reach_about(ct_scene_body_at(query->scene, o->moving[m].row),
                                       ct_path_pivot(o->moving[m].path));
    query->swept[m] = ct_motion_swept(query, m, o->impact.begin, o->impact.end);
    if (ct_path_kind_of(o->moving[m].path) != CT_PATH_REST)
      query->paths[o->moving[m].row] = o->moving[m].path;
  }
  return CT_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Rows of the separate tree: moving rows, rows with pose overrides and, if many rows move, all
 * other rows. */
typedef struct special_rows {
  uint32_t *rows;
  ct_aabb *boxes;
  bool *at_rest;
  size_t count;
  bool all;      /* the separate tree contains all rows */
  ct_tree *tree; /* NULL: the options name another broad phase method */
} special_rows;

/* Query of one moving row for its partners. */
typedef struct partner_query {
  ct_motion_query *query;
  const special_rows *special;
  uint32_t row;
  ct_aabb box;
  double magnitude;
  const uint64_t *mask; /* bit set of the groups that the row does not collide with; NULL: none */
  ct_status status;
} partner_query;

static ct_status add_candidate_pair(ct_motion_query *query, uint32_t i, uint32_t j) {
  assert(i != j && query->listed_count <= query->listed_capacity);
  if (query->listed_count == CT_PAIRS_MAX) return CT_PAIR_LIMIT;
  if (!ct_array_reserve(&query->listed, &query->listed_capacity, query->listed_count + 1,
                        sizeof *query->listed))
    return CT_OUT_OF_MEMORY;
  query->listed[query->listed_count++] = i < j ? (ct_pair_index){i, j} : (ct_pair_index){j, i};
  return CT_OK;
}

/* True if the pair is a candidate. The result depends on the pair alone. */
static bool accepts_motion_pair(const partner_query *a, uint32_t partner, const ct_aabb *box,
                                bool at_rest) {
  const ct_query *still = a->query->still;
  if (!ct_query_selects(still, a->row, partner)) return false;
  double slack = PAIR_SLACK * (a->magnitude + ct_aabb_magnitude(box));
  bool lower = a->row < partner;
  ct_aabb grown = ct_aabb_expand(lower ? a->box : *box, slack);
  if (!ct_aabb_overlap(&grown, lower ? box : &a->box)) return false;
  const ct_body *body = ct_scene_body_at(a->query->scene, partner);
  if (at_rest && ct_plane_below(body, ct_query_pose(still, partner), &a->box, slack)) return false;
  return !still->filter || ct_row_filter_passes(still->filter, a->row, a->mask, partner);
}

static bool consider_row(partner_query *a, uint32_t partner, const ct_aabb *box, bool at_rest) {
  if (partner != a->row && accepts_motion_pair(a, partner, box, at_rest))
    a->status = add_candidate_pair(a->query, a->row, partner);
  return a->status == CT_OK;
}

/* Visits a row of the revision's tree. Rows that move or have an override are skipped: the separate
 * tree contains them. */
static bool visit_still(void *context, uint32_t row) {
  partner_query *a = context;
  ct_aabb box;
  if (a->query->paths[row] || ct_query_overridden(a->query->still, row) ||
      !ct_query_aabb(a->query->still, row, &box))
    return true;
  return consider_row(a, row, &box, true);
}

/* Visits a row of the separate tree. A pair of moving rows is found by both; the lower row adds
 * it. */
static bool visit_special(void *context, uint32_t index) {
  partner_query *a = context;
  const special_rows *special = a->special;
  uint32_t row = special->rows[index];
  if (!special->at_rest[index] && row < a->row) return true;
  return consider_row(a, row, &special->boxes[index], special->at_rest[index]);
}

static void add_special(special_rows *special, uint32_t row, ct_aabb box, bool at_rest) {
  special->rows[special->count] = row;
  special->boxes[special->count] = box;
  special->at_rest[special->count++] = at_rest;
}

static void add_still(const ct_motion_query *query, special_rows *special, uint32_t row) {
  ct_aabb box;
  if (!query->paths[row] && ct_scene_body_at(query->scene, row) &&
      ct_query_aabb(query->still, row, &box))
    add_special(special, row, box, true);
}

/* True if the options name a broad phase method other than the tree. */
static bool is_method_named(const ct_motion_options *o) {
  return o->broadphase != CT_BROADPHASE_AUTO && o->broadphase != CT_BROADPHASE_TREE;
}

static ct_status gather_special(const ct_motion_query *query, special_rows *special) {
  const ct_motion_options *o = &query->options;
  uint32_t rows = query->scene->rows;
  bool by_method = is_method_named(o);
  special->all = by_method || o->moving_count * MANY_SHARE >= rows;
  /* reserve memory for all rows, or only for moving rows and overrides */
  size_t most = special->all ? rows : o->moving_count + o->override_count;
  special->rows = malloc((most + 1) * sizeof *special->rows);
  special->boxes = malloc((most + 1) * sizeof *special->boxes);
  special->at_rest = malloc((most + 1) * sizeof *special->at_rest);
  special->tree = by_method ? NULL : ct_tree_create();
  if (!special->rows || !special->boxes || !special->at_rest || (!by_method && !special->tree))
    return CT_OUT_OF_MEMORY;
  /* add the moving rows that have colliders, then rows at rest */
  for (size_t m = 0; m < o->moving_count; m++)
    if (query->paths[o->moving[m].row] && query->reach[m] >= 0.0)
      add_special(special, o->moving[m].row, query->swept[m], false);
  for (uint32_t row = 0; special->all && row < rows; row++) add_still(query, special, row);
  for (size_t k = 0; !special->all && k < o->override_count; k++)
    add_still(query, special, o->overrides[k].row);
  return by_method
             ? CT_OK
             : ct_tree_build(special->tree, special->boxes, NULL, special->count, NULL, o->cancel);
}

static void special_free(special_rows *special) {
  free(special->rows);
  free(special->boxes);
  free(special->at_rest);
  if (special->tree) ct_tree_destroy(special->tree);
}

static ct_status list_partners(partner_query *a, double far) {
  const ct_query *still = a->query->still;
  ct_aabb box = ct_aabb_expand(a->box, TREE_SLACK * (a->magnitude + far));
  a->status = CT_OK;
  ct_tree_query(a->special->tree, &box, visit_special, a, NULL);
  if (a->special->all) return a->status;
  if (a->status == CT_OK) ct_tree_query(still->derived->tree, &box, visit_still, a, NULL);
  for (uint32_t k = 0; k < still->derived->unbounded_count && a->status == CT_OK; k++)
    visit_still(a, still->derived->unbounded[k].row);
  return a->status;
}

/* Returns the largest finite coordinate of all boxes, swept ones included. */
static double farthest(const ct_motion_query *query) {
  double far = query->still->reach;
  for (size_t m = 0; m < query->options.moving_count; m++)
    far = ct_max2(far, ct_aabb_magnitude(&query->swept[m]));
  return far;
}

static ct_status list_all(ct_motion_query *query, const special_rows *special) {
  const ct_motion_options *o = &query->options;
  const ct_row_filter *filter = query->still->filter;
  uint64_t mask[CT_GROUPS_MAX / 64];
  double far = farthest(query);
  ct_status status = CT_OK;
  for (size_t k = 0; k < special->count && status == CT_OK; k++) {
    uint32_t row = special->rows[k];
    if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
    if (special->at_rest[k]) continue;
    partner_query a = {.query = query, .special = special, .row = row, .box = special->boxes[k]};
    a.magnitude = ct_aabb_magnitude(&a.box);
    a.mask = filter && ct_row_filter_mask(filter, row, mask) ? mask : NULL;
    status = list_partners(&a, far);
  }
  return status;
}

/* Considers a pair listed by a broad phase method, which ignores filters and motion. The moving row
 * queries the other row; of two moving rows the lower one does. */
static ct_status consider_pair(ct_motion_query *query, const special_rows *special,
                               ct_pair_index pair) {
  const ct_row_filter *filter = query->still->filter;
  uint64_t mask[CT_GROUPS_MAX / 64];
  /* choose the moving row; of two moving rows the lower one */
  uint32_t mover = pair.i, other = pair.j;
  bool both = !special->at_rest[mover] && !special->at_rest[other];
  if (special->at_rest[mover] || (both && special->rows[other] < special->rows[mover])) {
    mover = pair.j;
    other = pair.i;
  }
  if (special->at_rest[mover]) return CT_OK;
  partner_query a = {.query = query,
                     .special = special,
                     .row = special->rows[mover],
                     .box = special->boxes[mover],
                     .status = CT_OK};
  a.magnitude = ct_aabb_magnitude(&a.box);
  a.mask = filter && ct_row_filter_mask(filter, a.row, mask) ? mask : NULL;
  consider_row(&a, special->rows[other], &special->boxes[other], special->at_rest[other]);
  return a.status;
}

/* Lists the pairs by the broad phase method that the options name. The boxes are expanded, so that
 * no pair that passes the box test is missed. */
static ct_status list_by_named_method(ct_motion_query *query, const special_rows *special) {
  const ct_motion_options *o = &query->options;
  const ct_broad_options options = {o->broadphase, CT_PAIRS_MAX, o->cancel};
  ct_pair_list list = {NULL, 0, 0};
  ct_aabb *grown = malloc((special->count + 1) * sizeof *grown);
  if (!grown) return CT_OUT_OF_MEMORY;
  double slack = 2.0 * TREE_SLACK * farthest(query);
  for (size_t k = 0; k < special->count; k++) grown[k] = ct_aabb_expand(special->boxes[k], slack);
  ct_status status = ct_broad_pairs(grown, special->count, &options, &list, NULL);
  for (size_t k = 0; k < list.count && status == CT_OK; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(o->cancel)) status = CT_CANCELLED;
    else status = consider_pair(query, special, list.items[k]);
  }
  ct_pair_list_free(&list);
  free(grown);
  return status;
}

ct_status ct_motion_list(ct_motion_query *query) {
  ct_status status = sweep_boxes(query);
  if (status != CT_OK || query->options.explicit_pairs) return status;
  special_rows special = {.rows = NULL};
  status = gather_special(query, &special);
  if (status == CT_OK)
    status = special.tree ? list_all(query, &special) : list_by_named_method(query, &special);
  special_free(&special);
  if (status != CT_OK) return status;
  return ct_pair_index_sort(query->listed, query->listed_count, query->scene->rows,
                            query->options.cancel);
}
