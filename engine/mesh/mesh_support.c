/* Support function of a mesh: branch and bound over the BVH.
 *
 * A subtree is pruned if its box cannot exceed the best corner so far. Rounding is monotonic for
 * these sums and products, so the computed value of a box is never below the value of a point
 * inside it.
 */
#include "mesh/mesh_support.h"

#include <assert.h>

/* One pending node per level, plus the two children of the current node. */
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 2)

typedef struct search {
  const ct_mesh_view *view;
  ct_vec3 direction;
  double most;
  uint32_t vertex, leaf; /* first leaf that attained the maximum */
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

/* Upper bound of d.p over the box. */
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
