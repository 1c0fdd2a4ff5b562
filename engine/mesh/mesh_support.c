/* Extremes of meshes. Subtrees whose box does not reach beyond the best corner so far are left out: rounding keeps the order of
 * sums and products, so a box's corner never comes out nearer than a point in the box.
 */
#include "mesh/mesh_support.h"

#include <assert.h>

/* One node waits on each level, and the two children of the node that is looked at. */
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 2)

typedef struct search {
  const ct_mesh_view *view;
  ct_vec3 direction;
  double most;
  uint32_t vertex, leaf; /* the leaf is the first that was found to reach so far */
} search;

static void offer_triangle(search *s, uint32_t leaf, const uint32_t corners[3]) {
  for (int k = 0; k < 3; k++) {
    uint32_t vertex = corners[k];
    double value = ct_dot(s->direction, s->view->vertices[vertex]);
    if (value < s->most || (value == s->most && vertex >= s->vertex)) continue;
    if (value > s->most) s->leaf = leaf;
    s->most = value;
    s->vertex = vertex;
  }
}

/* Farthest that anything in the box can reach. */
static double box_reach(const ct_aabb *box, ct_vec3 d) {
  return ct_dot(
      d, ct_vec(d.x >= 0.0 ? box->max.x : box->min.x, d.y >= 0.0 ? box->max.y : box->min.y, d.z >= 0.0 ? box->max.z : box->min.z));
}

static search find(const ct_mesh_view *view, ct_vec3 direction) {
  search s = {.view = view, .direction = direction, .most = -INFINITY, .vertex = UINT32_MAX};
  uint32_t stack[STACK_SIZE], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    uint32_t at = stack[--depth];
    const ct_mesh_node *node = &view->nodes[at];
    if (box_reach(&node->box, direction) < s.most) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++) offer_triangle(&s, at, view->corners[i]);
    if (node->count > 0) continue;
    assert(depth + 2 <= STACK_SIZE);
    /* The child that may reach farther is looked at first. */
    double near = box_reach(&view->nodes[node->first].box, direction);
    double far = box_reach(&view->nodes[node->first + 1].box, direction);
    stack[depth++] = node->first + (near >= far ? 1 : 0);
    stack[depth++] = node->first + (near >= far ? 0 : 1);
  }
  return s;
}

double ct_mesh_support_value(const ct_mesh_view *view, ct_vec3 direction) { return find(view, direction).most; }

ct_vec3 ct_mesh_support(const ct_mesh_view *view, ct_vec3 direction) { return view->vertices[find(view, direction).vertex]; }

uint32_t ct_mesh_support_leaf(const ct_mesh_view *view, ct_vec3 direction, double *reach) {
  search s = find(view, direction);
  *reach = s.most;
  return s.leaf;
}
