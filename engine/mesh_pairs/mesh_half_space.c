/* A mesh and a half-space: the lowest vertex. */
#include "mesh_pairs/mesh_mesh.h"
#include "mesh_pairs/mesh_tree_pairs.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)

typedef struct lowest {
  const ct_mesh_view *view;
  ct_vec3 up, origin;
  double height;
  uint32_t vertex, triangle; /* as given; the lowest triangle of the lowest vertex */
} lowest;

/* Height of the lowest corner of a box. */
static double bottom_of(const lowest *l, const ct_aabb *box) {
  ct_vec3 up = l->up,
          p = {up.x >= 0.0 ? box->min.x : box->max.x, up.y >= 0.0 ? box->min.y : box->max.y,
               up.z >= 0.0 ? box->min.z : box->max.z};
  return ct_dot(up, ct_sub(p, l->origin));
}

static void test_leaf(lowest *l, const ct_mesh_node *leaf) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t vertex = l->view->corners[i][k], triangle = l->view->order[i];
      double height = ct_dot(l->up, ct_sub(l->view->vertices[vertex], l->origin));
      if (height > l->height) continue;
      if (height == l->height &&
          (vertex > l->vertex || (vertex == l->vertex && triangle >= l->triangle)))
        continue;
      l->height = height;
      l->vertex = vertex;
      l->triangle = triangle;
    }
  }
}

/* Rounding keeps the order of sums and products, so no vertex comes out lower than the bottom of
 * its box. */
static void find_lowest(lowest *l) {
  uint32_t stack[STACK_SIZE];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *n = &l->view->nodes[stack[--top]];
    if (bottom_of(l, &n->box) > l->height) continue;
    if (n->count > 0) {
      test_leaf(l, n);
      continue;
    }
    assert(top + 2 <= STACK_SIZE);
    bool second = bottom_of(l, &l->view->nodes[n->first + 1].box) <
                  bottom_of(l, &l->view->nodes[n->first].box);
    stack[top++] = n->first + (second ? 0 : 1);
    stack[top++] = n->first + (second ? 1 : 0);
  }
}

void ct_cell_mesh_half_space(const ct_cell_input *in, ct_cell_result *result) {
  const ct_mat3 *r = &in->relative.rotation;
  lowest l = {
      .view = ct_mesh_get(in->shape_a->mesh), .origin = in->relative.position, .height = INFINITY};
  l.up = ct_unit_or(ct_vec(r->rx.z, r->ry.z, r->rz.z), ct_vec(0.0, 0.0, 1.0));
  l.vertex = l.triangle = UINT32_MAX;
  find_lowest(&l);
  ct_vec3 vertex = l.view->vertices[l.vertex], down = ct_neg(l.up);
  double radius = ct_shape_growth(in->shape_a);
  result->normal = down;
  result->distance = result->lower = result->upper = l.height - radius;
  result->point_a = ct_add_scaled(vertex, down, radius);
  result->point_b = ct_add_scaled(vertex, down, l.height);
  result->triangle_a = l.triangle;
  result->iterations = 1;
}
