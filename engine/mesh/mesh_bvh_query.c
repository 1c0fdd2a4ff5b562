/* Closest point on a mesh, and its support function, by branch and bound over the BVH.
 *
 * Closest point: depth first, nearer child first. A subtree is pruned if its box is certainly
 * farther than the best triangle. Distances to triangles are in doubles
 * (triangle/triangle_closest_point.c). Among equal distances the lowest triangle number is
 * selected. Support function: a subtree is pruned if no point of its box can exceed the best vertex
 * so far. Rounding is monotonic for these sums and products, so the computed value of a box is
 * never below that of a point inside it. */
#include "mesh/mesh_build.h"
#include "mesh/mesh_support.h"
#include "triangle/triangle_closest_point.h"

#include <contact/limits.h>

#include <assert.h>

/* Factor that makes a lower bound of a computed squared distance to a box, whose round-off is below
 * 6 u. */
#define LOWER_BOUND_FACTOR (1.0 - 8.0 * CT_UNIT_ROUNDOFF)

typedef struct pending_node {
  uint32_t node;
  double distance2; /* lower bound of the squared distance to the node's box, m^2 */
} pending_node;

static double distance_to_interval(double low, double high, double p) {
  return ct_max2(ct_max2(low - p, p - high), 0.0);
}

static pending_node make_pending_node(const ct_mesh_view *view, uint32_t node, ct_vec3 p) {
  const ct_aabb *b = &view->nodes[node].box;
  ct_vec3 d = {distance_to_interval(b->min.x, b->max.x, p.x),
               distance_to_interval(b->min.y, b->max.y, p.y),
               distance_to_interval(b->min.z, b->max.z, p.z)};
  return (pending_node){node, ct_norm2(d) * LOWER_BOUND_FACTOR};
}

static void consider_triangle(const ct_mesh_view *view, uint32_t position, ct_vec3 p,
                              ct_triangle_near *best, uint32_t *triangle) {
  const uint32_t *v = view->corners[position];
  ct_triangle_near near =
      ct_triangle_nearest(view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]], p);
  if (near.distance2 > best->distance2 ||
      (near.distance2 == best->distance2 && view->order[position] > *triangle))
    return;
  *best = near;
  *triangle = view->order[position];
}

bool ct_mesh_nearest(const ct_mesh *mesh, ct_vec3 p, double limit, ct_mesh_foot *out) {
  const ct_mesh_view *view = &mesh->view;
  /* Slightly above limit^2: the last test of this function compares the distance itself. */
  ct_triangle_near best = {.distance2 = limit * limit / LOWER_BOUND_FACTOR};
  uint32_t triangle = CT_NO_TRIANGLE;
  pending_node stack[CT_MESH_DEPTH_MAX + 2];
  int top = 0;
  if (!(limit >= 0.0)) return false;
  stack[top++] = make_pending_node(view, 0, p);
  while (top > 0) {
    pending_node w = stack[--top];
    const ct_mesh_node *node = &view->nodes[w.node];
    if (w.distance2 > best.distance2) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      consider_triangle(view, i, p, &best, &triangle);
    if (node->count > 0) continue;
    pending_node first = make_pending_node(view, node->first, p),
                 second = make_pending_node(view, node->first + 1, p);
    bool turned = second.distance2 < first.distance2;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = turned ? first : second;
    stack[top++] = turned ? second : first;
  }
  if (triangle == CT_NO_TRIANGLE || !(sqrt(best.distance2) <= limit)) return false;
  *out = (ct_mesh_foot){sqrt(best.distance2), best.point, triangle};
  return true;
}

/* Capacity of the stack: one pending node per level, and the two children of the current node. */
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 2)

typedef struct search {
  const ct_mesh_view *view;
  ct_vec3 direction;
  double most;
  uint32_t vertex, leaf; /* vertex that attains the maximum, and the first leaf that contains a
                            vertex attaining it */
} search;

static void consider_support_triangle(search *s, uint32_t leaf, const uint32_t corners[3]) {
  for (int k = 0; k < 3; k++) {
    uint32_t vertex = corners[k];
    double value = ct_dot(s->direction, s->view->vertices[vertex]);
    if (value < s->most || (value == s->most && vertex >= s->vertex)) continue;
    if (value > s->most) s->leaf = leaf;
    s->most = value;
    s->vertex = vertex;
  }
}

/* Returns an upper bound of d.p over all points p of the box. */
static double max_dot_of_aabb(const ct_aabb *box, ct_vec3 d) {
  return ct_dot(d,
                ct_vec(d.x >= 0.0 ? box->max.x : box->min.x, d.y >= 0.0 ? box->max.y : box->min.y,
                       d.z >= 0.0 ? box->max.z : box->min.z));
}

static search search_support(const ct_mesh_view *view, ct_vec3 direction) {
  search s = {.view = view, .direction = direction, .most = -INFINITY, .vertex = UINT32_MAX};
  uint32_t stack[STACK_SIZE], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    uint32_t at = stack[--depth];
    const ct_mesh_node *node = &view->nodes[at];
    if (max_dot_of_aabb(&node->box, direction) < s.most) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      consider_support_triangle(&s, at, view->corners[i]);
    if (node->count > 0) continue;
    assert(depth + 2 <= STACK_SIZE);
    /* The child with the larger bound is visited first. */
    double near = max_dot_of_aabb(&view->nodes[node->first].box, direction);
    double far = max_dot_of_aabb(&view->nodes[node->first + 1].box, direction);
    stack[depth++] = node->first + (near >= far ? 1 : 0);
    stack[depth++] = node->first + (near >= far ? 0 : 1);
  }
  return s;
}

double ct_mesh_support_value(const ct_mesh_view *view, ct_vec3 direction) {
  return search_support(view, direction).most;
}

ct_vec3 ct_mesh_support(const ct_mesh_view *view, ct_vec3 direction) {
  return view->vertices[search_support(view, direction).vertex];
}

uint32_t ct_mesh_support_leaf(const ct_mesh_view *view, ct_vec3 direction, double *reach) {
  search s = search_support(view, direction);
  *reach = s.most;
  return s.leaf;
}
