/* Searches the boxes of a scene outwards from one box: nearest first, branch and bound. */
#include "contact_state/aabb_nearest.h"
#include "broad/aabb_tree.h"
#include "shape/tapered_capsule.h"

#include <assert.h>
#include <stdlib.h>

/* Up to this number of overrides are tested one by one, because building their tree would cost
 * more. */
#define FEW_OVERRIDES 16

/* ---- bounds --------------------------------------------------------------------------------- */

bool ct_aabb_view_row(const ct_query *query, uint32_t row, ct_aabb_view *view) {
  ct_aabb box;
  if (!ct_query_aabb(query, row, &box)) return false;
  *view = ct_aabb_view_of(&box);
  const ct_body *body = ct_scene_body_at(query->scene, row);
  if (ct_body_collider_count(body) != 1 || ct_body_shape(body, 0)->kind != CT_KIND_PLANE)
    return true;
  ct_frame frame = ct_frame_of(*ct_query_pose(query, row));
  frame = ct_body_shape_frame(body, 0, &frame);
  view->is_plane = true;
  view->normal = ct_vec(frame.rotation.rx.z, frame.rotation.ry.z, frame.rotation.rz.z);
  view->point = frame.position;
  view->growth = ct_shape_growth(ct_body_shape(body, 0));
  view->plane_size = ct_max_abs(frame.position) + view->growth;
  return true;
}

/* Lower bound of the signed distance from the half-space's boundary to the box: that of the box's
 * lowest vertex along the normal, minus round-off. 0 if the box is unbounded. */
static double bound_plane_distance(const ct_aabb_view *plane, const ct_aabb_view *other) {
  if (!ct_aabb_is_bounded(&other->box)) return 0.0;
  const ct_aabb *box = &other->box;
  ct_vec3 n = plane->normal, p = plane->point;
  double x = (n.x > 0.0 ? box->min.x : box->max.x) - p.x,
         y = (n.y > 0.0 ? box->min.y : box->max.y) - p.y;
  double z = (n.z > 0.0 ? box->min.z : box->max.z) - p.z;
  double slack = CT_GAP_SLACK * 3.0 * (plane->plane_size + other->size);
  return n.x * x + n.y * y + n.z * z - plane->growth - slack;
}

double ct_aabb_distance_bound(const ct_aabb_view *a, const ct_aabb_view *b) {
  double bound = ct_aabb_gap(&a->box, &b->box, a->size + b->size);
  if (a->is_plane) bound = ct_max2(bound, bound_plane_distance(a, b));
  if (b->is_plane) bound = ct_max2(bound, bound_plane_distance(b, a));
  return bound;
}

/* ---- trees and marks ------------------------------------------------------------------------- */

static ct_status build_override_tree(ct_aabb_field *field) {
  const ct_query *query = field->query;
  size_t count = query->options.override_count, bounded = 0;
  ct_aabb *boxes = malloc(count * sizeof *boxes);
  uint32_t *users = malloc(count * sizeof *users);
  field->moved = ct_tree_create();
  ct_status status = boxes && users && field->moved ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < count && status == CT_OK; k++) {
    const ct_aabb *box = &query->override_boxes[k];
    if (box->min.x > box->max.x) continue;
    if (!ct_aabb_is_bounded(box)) {
      field->moved_unbounded = true;
      continue;
    }
    boxes[bounded] = *box;
    users[bounded++] = (uint32_t)k;
  }
  if (status == CT_OK)
    status = ct_tree_build(field->moved, boxes, users, bounded, NULL, query->options.cancel);
  free(boxes);
  free(users);
  return status;
}

static uint16_t mark_of_row(const ct_row_filter *filter, uint32_t row) {
  if (!filter || !filter->start || filter->start[row + 1] - filter->start[row] != 1)
    return CT_NODE_MIXED;
  if (filter->rules && (filter->ruled[row / 8] >> (row % 8) & 1)) return CT_NODE_MIXED;
  return filter->group[filter->start[row]];
}

static uint16_t join_marks(uint16_t a, uint16_t b) {
  if (a == b || b == CT_NODE_EMPTY) return a;
  return a == CT_NODE_EMPTY ? b : CT_NODE_MIXED;
}

/* Computes the marks of all nodes of the subtree at `at`, and returns the mark of `at`. Recursion
 * depth: at most CT_TREE_HEIGHT_MAX. */
static uint16_t mark_node(const ct_query *query, const ct_tree *tree, bool of_moved, uint32_t at,
                          uint16_t *marks) {
  assert(at < tree->used);
  const ct_tree_node *node = &tree->nodes[at];
  if (node->height > 0) {
    uint16_t first = mark_node(query, tree, of_moved, node->child[0], marks);
    marks[at] = join_marks(first, mark_node(query, tree, of_moved, node->child[1], marks));
  } else {
    uint32_t row = of_moved ? query->options.overrides[node->child[1]].row : node->child[1];
    marks[at] = !of_moved && ct_query_overridden(query, row) ? CT_NODE_EMPTY
                                                             : mark_of_row(query->filter, row);
  }
  return marks[at];
}

/* Marks of all nodes of the tree, owned by the caller. NULL: out of memory. */
static uint16_t *compute_marks(const ct_query *query, const ct_tree *tree, bool of_moved) {
  uint16_t *marks = malloc(((size_t)tree->used + 1) * sizeof *marks);
  if (marks && tree->root != CT_TREE_NULL) mark_node(query, tree, of_moved, tree->root, marks);
  return marks;
}

ct_status ct_aabb_field_open(ct_aabb_field *field, const ct_query *query, uint64_t searches) {
  *field = (ct_aabb_field){.query = query};
  if (query->source != CT_SOURCE_TREE) return CT_OK;
  ct_status status =
      query->options.override_count > FEW_OVERRIDES ? build_override_tree(field) : CT_OK;
  /* Computing the marks visits every node once. This pays off if the searches could visit as many
   * excluded rows. */
  bool grouped = query->filter && query->filter->start;
  if (status == CT_OK && (grouped || field->moved) && searches * searches > query->scene->rows) {
    field->marks = compute_marks(query, query->derived->tree, false);
    if (field->moved && grouped) field->moved_marks = compute_marks(query, field->moved, true);
    if (!field->marks || (field->moved && grouped && !field->moved_marks))
      status = CT_OUT_OF_MEMORY;
  }
  if (status != CT_OK) ct_aabb_field_close(field);
  return status;
}

void ct_aabb_field_close(ct_aabb_field *field) {
  ct_tree_destroy(field->moved);
  free(field->marks);
  free(field->moved_marks);
  *field = (ct_aabb_field){.query = field->query};
}

/* ---- search ---------------------------------------------------------------------------------- */

static ct_status visit_if_near(ct_aabb_search *search, uint32_t row) {
  ct_aabb_view view;
  if (ct_poll_cancelled(&search->poll, 1)) return CT_CANCELLED;
  if (!ct_aabb_view_row(search->field->query, row, &view)) return CT_OK;
  double bound = ct_aabb_distance_bound(search->from, &view);
  return bound <= search->limit ? search->visit(search, row, &view, bound) : CT_OK;
}

/* A tree node still to be visited, and the lower bound of its distance. */
typedef struct pending_node {
  uint32_t node;
  double bound;
} pending_node;

static pending_node pending_node_of(const ct_aabb_search *search, const ct_tree *tree,
                                    uint32_t node) {
  ct_aabb_view view = ct_aabb_view_of(&tree->nodes[node].box);
  return (pending_node){node, ct_aabb_distance_bound(search->from, &view)};
}

/* True if filters or overrides exclude all rows below the node. */
static bool is_branch_excluded(const ct_aabb_search *search, const uint16_t *marks, uint32_t node) {
  if (!marks || marks[node] == CT_NODE_MIXED) return false;
  if (marks[node] == CT_NODE_EMPTY) return true;
  return search->mask && (search->mask[marks[node] / 64] >> (marks[node] % 64) & 1);
}

static ct_status visit_leaf(ct_aabb_search *search, const ct_tree_node *leaf, double bound,
                            bool of_moved) {
  assert(leaf->height == 0 && bound <= search->limit);
  const ct_query *query = search->field->query;
  uint32_t row = of_moved ? query->options.overrides[leaf->child[1]].row : leaf->child[1];
  if (!of_moved && ct_query_overridden(query, row)) return CT_OK;
  ct_aabb_view view = ct_aabb_view_of(&leaf->box);
  return search->visit(search, row, &view, bound);
}

/* Searches a tree depth first, nearer child first. Skips nodes beyond the limit, which visits may
 * have lowered since the node was pushed. */
static ct_status search_nearest_in_tree(ct_aabb_search *search, const ct_tree *tree,
                                        bool of_moved) {
  const uint16_t *marks = of_moved ? search->field->moved_marks : search->field->marks;
  pending_node stack[CT_TREE_HEIGHT_MAX + 2];
  int top = 0;
  if (tree->root == CT_TREE_NULL) return CT_OK;
  stack[top++] = pending_node_of(search, tree, tree->root);
  while (top > 0) {
    pending_node at = stack[--top];
    assert(top < CT_TREE_HEIGHT_MAX);
    if (at.bound > search->limit || is_branch_excluded(search, marks, at.node)) continue;
    if (ct_poll_cancelled(&search->poll, 1)) return CT_CANCELLED;
    const ct_tree_node *node = &tree->nodes[at.node];
    if (node->height == 0) {
      ct_status status = visit_leaf(search, node, at.bound, of_moved);
      if (status != CT_OK) return status;
      continue;
    }
    pending_node c = pending_node_of(search, tree, node->child[0]),
                 d = pending_node_of(search, tree, node->child[1]);
    bool swap = d.bound < c.bound;
    stack[top++] = swap ? c : d;
    stack[top++] = swap ? d : c;
  }
  return CT_OK;
}

/* Visits the overridden rows that are not in the tree of overrides: all of them if there is no such
 * tree, else those with unbounded boxes. */
static ct_status search_overrides(ct_aabb_search *search) {
  const ct_query *query = search->field->query;
  ct_status status = CT_OK;
  if (search->field->moved && !search->field->moved_unbounded) return CT_OK;
  for (size_t k = 0; k < query->options.override_count && status == CT_OK; k++)
    if (!search->field->moved || !ct_aabb_is_bounded(&query->override_boxes[k]))
      status = visit_if_near(search, query->options.overrides[k].row);
  return status;
}

ct_status ct_aabb_search_run(ct_aabb_search *search) {
  const ct_query *query = search->field->query;
  ct_status status = CT_OK;
  if (query->source == CT_SOURCE_BOXES) {
    for (uint32_t row = 0; row < query->scene->rows && status == CT_OK; row++)
      status = visit_if_near(search, row);
    return status;
  }
  for (uint32_t k = 0; k < query->derived->unbounded_count && status == CT_OK; k++) {
    uint32_t row = query->derived->unbounded[k].row;
    if (!ct_query_overridden(query, row)) status = visit_if_near(search, row);
  }
  if (status == CT_OK) status = search_overrides(search);
  if (status == CT_OK && search->field->moved)
    status = search_nearest_in_tree(search, search->field->moved, true);
  return status == CT_OK ? search_nearest_in_tree(search, query->derived->tree, false) : status;
}
