/* Distances with `nearest`: the one pair of least distance, at any clearance.
 *
 * Branch and bound (Roussopoulos, Kelley and Vincent 1995, "Nearest neighbor queries"): each row
 * descends the tree of boxes, nearer child first, and skips boxes that are certainly farther than
 * the best pair so far. Boxes at exactly the best distance are still tested, so that the result
 * does not depend on the shape of the tree: among equal distances the first pair in order is
 * reported. */
#include "query/query.h"

#include <stdlib.h>

typedef struct nearest_run {
  const ct_query *query;
  ct_workspace *workspace;
  ct_row_finder finder; /* search for rows near a box; its `mask` belongs to the body whose partners
                           are searched at present */
  ct_placed_body a, b;
  uint32_t placed_a; /* row of the body in `a`, or CT_NO_ROW */
  bool found;
  ct_distance_hit best;
  double bound; /* distance of the best pair, -INFINITY if its depth is unsupported, INFINITY if
                   there is none yet */
} nearest_run;

/* True if a pair whose boxes have this gap is certainly farther than the best pair. Never for
 * overlapping boxes: their gap is 0, but the pairs may differ in depth. */
static bool is_farther(const nearest_run *run, double gap) { return gap > 0.0 && gap > run->bound; }

static bool is_before(const ct_distance_hit *hit, const ct_distance_hit *other) {
  return hit->position.item != other->position.item ? hit->position.item < other->position.item
                                                    : hit->b < other->b;
}

/* Evaluates the pair of rows a and b. It becomes the best pair if it is nearer, or equally near and
 * before the best pair in order. */
static ct_status evaluate_pair(nearest_run *run, size_t item, uint32_t a, uint32_t b) {
  const ct_query *query = run->query;
  const ct_query_options *o = &query->options;
  if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  if (run->placed_a != a &&
      !ct_placed_body_set(&run->a, ct_scene_body_at(query->scene, a), ct_query_pose(query, a)))
    return CT_OUT_OF_MEMORY;
  run->placed_a = a;
  if (!ct_placed_body_set(&run->b, ct_scene_body_at(query->scene, b), ct_query_pose(query, b)))
    return CT_OUT_OF_MEMORY;
  const ct_body_pair pair = {.a = &run->a,
                             .b = &run->b,
                             .limit = run->bound,
                             .tolerance = query->question.distance.tolerance,
                             .cancel = o->cancel,
                             .workspace = run->workspace};
  ct_distance_hit hit = {.a = a, .b = b, .position = {item, 1, 1}};
  bool found;
  ct_status status = ct_body_pair_distance(&pair, &hit, &found);
  if (status != CT_OK) return status;
  if (ct_workspace_out_of_memory(run->workspace)) return CT_OUT_OF_MEMORY;
  /* If cancelled, the result of a pair of large meshes may be incomplete. */
  if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  if (!found) return CT_OK;
  double key = hit.result.status == CT_PAIR_UNSUPPORTED ? -INFINITY : hit.result.distance;
  if (run->found && (key > run->bound || (key == run->bound && !is_before(&hit, &run->best))))
    return CT_OK;
  run->found = true;
  run->best = hit;
  run->bound = key;
  return CT_OK;
}

/* ---- pairs of the scene --------------------------------------------------------------------- */

/* Returns the set of rows that search for their partners: the smaller one of where_a and where_b;
 * NULL: all rows. A pair of two searching rows is evaluated by the lower one. */
static const uint8_t *searching_rows(const ct_query *query) {
  const uint8_t *sides[2] = {query->options.where_a, query->options.where_b};
  size_t counts[2] = {query->scene->rows, query->scene->rows};
  for (int s = 0; s < 2; s++) {
    if (!sides[s]) continue;
    counts[s] = 0;
    for (uint32_t row = 0; row < query->scene->rows; row++) counts[s] += sides[s][row];
  }
  return counts[1] < counts[0] ? sides[1] : sides[0];
}

/* Evaluates the pair of the view's row and a partner unless it is evaluated by the partner, not
 * selected, filtered, or certainly farther than the best pair. */
static ct_status consider_partner(nearest_run *run, const ct_row_view *view,
                                  const uint8_t *searching, uint32_t partner) {
  const ct_query *query = run->query;
  bool from_partner = partner < view->row && (!searching || searching[partner]);
  ct_aabb other;
  if (partner == view->row || from_partner) return CT_OK;
  if (!ct_query_selects(query, view->row, partner) || !ct_query_aabb(query, partner, &other))
    return CT_OK;
  double size = view->magnitude + ct_aabb_magnitude(&other);
  if (is_farther(run, ct_aabb_gap(&view->box, &other, size))) return CT_OK;
  if (run->bound < INFINITY) {
    double reach = ct_max2(run->bound, 0.0);
    reach += CT_GAP_SLACK * (size + reach);
    if (ct_plane_below(view->body, ct_query_pose(query, view->row), &other, reach)) return CT_OK;
    if (ct_plane_below(ct_scene_body_at(query->scene, partner), ct_query_pose(query, partner),
                       &view->box, reach))
      return CT_OK;
  }
  if (query->filter && !ct_row_filter_passes(query->filter, view->row, view->mask, partner))
    return CT_OK;
  bool lower = view->row < partner;
  uint32_t a = lower ? view->row : partner, b = lower ? partner : view->row;
  return evaluate_pair(run, a, a, b);
}

/* A tree node still to visit, and a lower bound of the distance to its box. */
typedef struct pending_node {
  uint32_t node;
  double gap;
} pending_node;

static pending_node bound_node(const ct_query *query, const ct_row_view *view,
                               const ct_tree_node *nodes, uint32_t node) {
  return (pending_node){node,
                        ct_aabb_gap(&view->box, &nodes[node].box, view->magnitude + query->reach)};
}

static ct_status search_nearest_partners(nearest_run *run, const ct_row_view *view,
                                         const uint8_t *searching) {
  const ct_query *query = run->query;
  const ct_tree *tree = query->own_tree ? query->own_tree : query->derived->tree;
  const ct_tree_node *nodes = tree->nodes;
  pending_node stack[CT_TREE_HEIGHT_MAX + 2];
  int top = 0;
  ct_status status = CT_OK;
  if (tree->root != CT_TREE_NULL) stack[top++] = bound_node(query, view, nodes, tree->root);
  while (top > 0 && status == CT_OK) {
    pending_node p = stack[--top];
    const ct_tree_node *node = &nodes[p.node];
    if (is_farther(run, p.gap)) continue;
    if (node->height > 0) {
      pending_node c = bound_node(query, view, nodes, node->child[0]),
                   d = bound_node(query, view, nodes, node->child[1]);
      bool c_first = c.gap <= d.gap;
      stack[top++] = c_first ? d : c;
      stack[top++] = c_first ? c : d;
    } else if (query->own_tree || !ct_query_overridden(query, node->child[1])) {
      status = consider_partner(run, view, searching, node->child[1]);
    }
  }
  return status;
}

/* Considers the partners that the revision's tree does not contain at their pose: unbounded bodies
 * and rows with overrides. */
static ct_status search_others(nearest_run *run, const ct_row_view *view,
                               const uint8_t *searching) {
  const ct_query *query = run->query;
  ct_status status = CT_OK;
  for (size_t k = 0; k < query->derived->unbounded_count && status == CT_OK; k++)
    if (!ct_query_overridden(query, query->derived->unbounded[k].row))
      status = consider_partner(run, view, searching, query->derived->unbounded[k].row);
  for (size_t k = 0; k < query->options.override_count && status == CT_OK; k++)
    status = consider_partner(run, view, searching, query->options.overrides[k].row);
  return status;
}

static ct_status search_row(nearest_run *run, uint32_t row, const uint8_t *searching) {
  const ct_query *query = run->query;
  ct_row_view view;
  if (ct_cancel_raised(query->options.cancel)) return CT_CANCELLED;
  if (!ct_row_view_set(&run->finder, row, &view)) return CT_OK;
  ct_status status = CT_OK;
  if (query->source == CT_SOURCE_TREE) {
    status = search_nearest_partners(run, &view, searching);
    return status == CT_OK && !query->own_tree ? search_others(run, &view, searching) : status;
  }
  for (uint32_t partner = 0; partner < query->scene->rows && status == CT_OK; partner++)
    status = consider_partner(run, &view, searching, partner);
  return status;
}

static ct_status search_scene(nearest_run *run) {
  const uint8_t *searching = searching_rows(run->query);
  ct_status status = CT_OK;
  for (uint32_t row = 0; row < run->query->scene->rows && status == CT_OK; row++)
    if (!searching || searching[row]) status = search_row(run, row, searching);
  return status;
}

static ct_status search_explicit(nearest_run *run) {
  const ct_query_options *o = &run->query->options;
  ct_status status = CT_OK;
  for (size_t k = 0; k < o->pair_count && status == CT_OK; k++)
    status = evaluate_pair(run, k, o->pairs[k].a, o->pairs[k].b);
  return status;
}

ct_status ct_query_run_nearest(const ct_query *query, const ct_query_range *range,
                               ct_workspace *workspace, ct_distance_sink sink, void *context) {
  nearest_run *run = calloc(1, sizeof *run);
  if (!run) return CT_OUT_OF_MEMORY;
  run->query = query;
  run->workspace = workspace;
  run->placed_a = CT_NO_ROW;
  run->bound = INFINITY;
  ct_row_finder_init(&run->finder, query);
  ct_workspace_watch(workspace, query->options.cancel);
  ct_workspace_out_of_memory(workspace); /* reset the flag, which an earlier query may have set */
  ct_status status = query->source == CT_SOURCE_EXPLICIT ? search_explicit(run) : search_scene(run);
  ct_workspace_watch(workspace, NULL);
  const ct_distance_hit *best = &run->best;
  bool passed =
      best->position.item < range->begin ||
      (best->position.item == range->begin && range->after != CT_NO_ROW && best->b <= range->after);
  if (status == CT_OK && run->found && best->position.item < range->end && !passed)
    sink(context, best);
  ct_row_finder_free(&run->finder);
  ct_placed_body_free(&run->a);
  ct_placed_body_free(&run->b);
  free(run);
  return status;
}
