/* Candidate pairs of a query: finds the partners of a body.
 *
 * The tree is queried with boxes expanded by more than all round-off; a test of the AABBs of the
 * two bodies alone (ct_query_accepts) then decides each pair. */
#include "base/array.h"
#include "query/query.h"
#include "shape/tapered_capsule.h"

#include <stdlib.h>
#include <string.h>

/* Slack of the pair test, relative to the coordinates: an upper bound of the error of a computed
 * distance. The box test must not exclude a pair whose computed distance is within the
 * clearance. */
#define PAIR_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* The tree is queried with twice the slack, so that it never excludes a pair that the test would
 * accept. */
#define TREE_SLACK (2.0 * PAIR_SLACK)
/* Up to this many rows are sorted by insertion sort, which is then faster than radix sort. */
#define INSERTION_MAX 48
#define DIGIT_BITS 11

_Static_assert(2u * CT_BODIES_MAX <= 1u << (2 * DIGIT_BITS), "rows are sorted by two digits");

static double finite_part(double v) { return fabs(v) < INFINITY ? fabs(v) : 0.0; }

double ct_aabb_magnitude(const ct_aabb *b) {
  double low =
      ct_max2(ct_max2(finite_part(b->min.x), finite_part(b->min.y)), finite_part(b->min.z));
  double high =
      ct_max2(ct_max2(finite_part(b->max.x), finite_part(b->max.y)), finite_part(b->max.z));
  return ct_max2(low, high);
}

size_t ct_override_from(const ct_override *overrides, size_t count, uint32_t row) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (overrides[middle].row < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

ct_pose ct_override_pose(const ct_scene *scene, const ct_override *overrides, size_t count,
                         uint32_t row) {
  size_t at = ct_override_from(overrides, count, row);
  return at < count && overrides[at].row == row ? overrides[at].pose : ct_scene_pose(scene, row);
}

size_t ct_query_override_from(const ct_query *query, uint32_t row) {
  return ct_override_from(query->options.overrides, query->options.override_count, row);
}

const ct_pose *ct_query_pose(const ct_query *query, uint32_t row) {
  if (ct_query_overridden(query, row))
    return &query->options.overrides[ct_query_override_from(query, row)].pose;
  return ct_scene_pose_at(query->scene, row);
}

bool ct_query_selects(const ct_query *query, uint32_t i, uint32_t j) {
  const uint8_t *a = query->options.where_a, *b = query->options.where_b;
  return ((!a || a[i]) && (!b || b[j])) || ((!a || a[j]) && (!b || b[i]));
}

static bool is_empty_box(const ct_aabb *box) { return box->min.x > box->max.x; }

bool ct_query_aabb(const ct_query *query, uint32_t row, ct_aabb *box) {
  if (query->boxes) {
    *box = query->boxes[row];
  } else if (ct_query_overridden(query, row)) {
    *box = query->override_boxes[ct_query_override_from(query, row)];
  } else if (query->derived->proxies[row] != CT_TREE_NULL) {
    *box = *ct_tree_aabb(query->derived->tree, query->derived->proxies[row]);
  } else {
    uint32_t at = ct_derived_unbounded_from(query->derived, row);
    if (at == query->derived->unbounded_count || query->derived->unbounded[at].row != row)
      return false;
    *box = query->derived->unbounded[at].box;
  }
  return !is_empty_box(box);
}

/* ---- search for partners --------------------------------------------------------------------- */

void ct_row_finder_init(ct_row_finder *finder, const ct_query *query) {
  finder->query = query;
  finder->rows = finder->spare = NULL;
  finder->count = finder->capacity = 0;
  finder->low = 0;
  finder->most = SIZE_MAX;
  finder->failed = false;
}

void ct_row_finder_free(ct_row_finder *finder) {
  free(finder->rows);
  free(finder->spare);
}

bool ct_row_view_set(ct_row_finder *finder, uint32_t row, ct_row_view *view) {
  const ct_query *query = finder->query;
  const uint8_t *a = query->options.where_a, *b = query->options.where_b;
  if (a && b && !a[row] && !b[row]) return false;
  if (!ct_query_aabb(query, row, &view->box)) return false;
  view->row = row;
  view->magnitude = ct_aabb_magnitude(&view->box);
  view->body = ct_scene_body_at(query->scene, row);
  view->mask =
      query->filter && ct_row_filter_mask(query->filter, row, finder->mask) ? finder->mask : NULL;
  return true;
}

static bool grow_row_finder(ct_row_finder *finder) {
  size_t capacity = ct_array_capacity(finder->capacity, finder->count + 1);
  finder->failed = !ct_array_resize(&finder->rows, capacity, sizeof *finder->rows) ||
                   !ct_array_resize(&finder->spare, capacity, sizeof *finder->spare);
  if (!finder->failed) finder->capacity = capacity;
  return !finder->failed;
}

static bool add_partner_row(ct_row_finder *finder, uint32_t row) {
  if (finder->count == finder->capacity && !grow_row_finder(finder)) return false;
  finder->rows[finder->count++] = row;
  return finder->count < finder->most;
}

static bool visit_tree_row(void *context, uint32_t row) {
  ct_row_finder *finder = context;
  if (row < finder->low || ct_query_overridden(finder->query, row)) return true;
  return add_partner_row(finder, row);
}

static void count_digits(const uint32_t *from, uint32_t *to, size_t count, unsigned shift) {
  uint32_t starts[(1u << DIGIT_BITS) + 1] = {0};
  const uint32_t mask = (1u << DIGIT_BITS) - 1;
  for (size_t k = 0; k < count; k++) starts[(from[k] >> shift & mask) + 1]++;
  for (uint32_t d = 0; d < mask; d++) starts[d + 1] += starts[d];
  for (size_t k = 0; k < count; k++) to[starts[from[k] >> shift & mask]++] = from[k];
}

static void sort_rows(ct_row_finder *finder) {
  uint32_t *rows = finder->rows;
  if (finder->count > INSERTION_MAX) {
    count_digits(rows, finder->spare, finder->count, 0);
    count_digits(finder->spare, rows, finder->count, DIGIT_BITS);
    return;
  }
  for (size_t i = 1; i < finder->count; i++) {
    uint32_t row = rows[i];
    size_t k = i;
    for (; k > 0 && rows[k - 1] > row; k--) rows[k] = rows[k - 1];
    rows[k] = row;
  }
}

ct_aabb ct_query_expanded_aabb(const ct_query *query, const ct_row_view *view) {
  double clearance = query->options.clearance;
  return ct_aabb_expand(view->box,
                        clearance + TREE_SLACK * (view->magnitude + query->reach + clearance));
}

ct_status ct_query_find(ct_row_finder *finder, const ct_row_view *view, uint32_t low,
                        uint64_t *tests) {
  const ct_query *query = finder->query;
  finder->count = 0;
  finder->low = low;
  ct_aabb box = ct_query_expanded_aabb(query, view);
  ct_tree_query(query->derived->tree, &box, visit_tree_row, finder, tests);
  bool more = finder->count < finder->most && !finder->failed;
  for (uint32_t k = ct_derived_unbounded_from(query->derived, low);
       more && k < query->derived->unbounded_count; k++) {
    const ct_unbounded_body *unbounded = &query->derived->unbounded[k];
    ++*tests;
    if (!ct_query_overridden(query, unbounded->row) && ct_aabb_overlap(&box, &unbounded->box))
      more = add_partner_row(finder, unbounded->row);
  }
  for (size_t k = ct_query_override_from(query, low); more && k < query->options.override_count;
       k++) {
    ++*tests;
    if (ct_aabb_overlap(&box, &query->override_boxes[k]))
      more = add_partner_row(finder, query->options.overrides[k].row);
  }
  if (finder->failed) return CT_OUT_OF_MEMORY;
  sort_rows(finder);
  return CT_OK;
}

/* ---- test of a pair -------------------------------------------------------------------------- */

/* Returns the body's collider if it is a single half-space, else NULL. */
static const ct_shape *only_plane(const ct_body *body) {
  if (ct_body_collider_count(body) != 1) return NULL;
  const ct_shape *shape = ct_body_shape(body, 0);
  return shape->kind == CT_KIND_PLANE ? shape : NULL;
}

bool ct_plane_below(const ct_body *body, const ct_pose *pose, const ct_aabb *box, double reach) {
  if (!only_plane(body) || !ct_aabb_is_bounded(box)) return false;
  ct_frame frame = ct_frame_of(*pose);
  frame = ct_body_shape_frame(body, 0, &frame);
  ct_vec3 n = {frame.rotation.rx.z, frame.rotation.ry.z, frame.rotation.rz.z}, p = frame.position;
  reach += ct_shape_growth(ct_body_shape(body, 0));
  double x = (n.x > 0.0 ? box->min.x : box->max.x) - p.x,
         y = (n.y > 0.0 ? box->min.y : box->max.y) - p.y;
  double z = (n.z > 0.0 ? box->min.z : box->max.z) - p.z;
  double slack = PAIR_SLACK * (fabs(x) + fabs(y) + fabs(z) + ct_max_abs(p) + reach);
  return n.x * x + n.y * y + n.z * z > reach + slack;
}

bool ct_query_accepts(const ct_query *query, const ct_row_view *view, uint32_t partner) {
  ct_aabb other;
  if (!ct_query_selects(query, view->row, partner) || !ct_query_aabb(query, partner, &other))
    return false;
  double clearance = query->options.clearance, reach = clearance;
  if (query->question.kind != CT_QUERY_PAIRS)
    reach += PAIR_SLACK * (view->magnitude + ct_aabb_magnitude(&other) + clearance);
  /* Always the box of the body in the lower row is expanded, so that the result does not depend on
   * which of the two bodies searches. */
  bool lower = view->row < partner;
  ct_aabb grown = ct_aabb_expand(lower ? view->box : other, reach);
  if (!ct_aabb_overlap(&grown, lower ? &other : &view->box)) return false;
  if (query->question.kind != CT_QUERY_PAIRS) {
    const ct_body *body = ct_scene_body_at(query->scene, partner);
    if (ct_plane_below(view->body, ct_query_pose(query, view->row), &other, reach)) return false;
    if (ct_plane_below(body, ct_query_pose(query, partner), &view->box, reach)) return false;
  }
  return !query->filter || ct_row_filter_passes(query->filter, view->row, view->mask, partner);
}
