/* The nearest point of a mesh's surface: down the tree, the nearer child first.
 */
#include "mesh/mesh_build.h"
#include "triangle/triangle_closest_point.h"
#include <contact/limits.h>

/* A box's distance in doubles, made smaller by this part, is no larger than the true one; its square errs by less than 6 u. */
#define SURELY (1.0 - 8.0 * CT_UNIT_ROUNDOFF)

typedef struct waiting {
  uint32_t node;
  double distance2; /* of the node's box, at most */
} waiting;

static double beyond(double low, double high, double p) { return ct_max2(ct_max2(low - p, p - high), 0.0); }

static waiting wait_for(const ct_mesh_view *view, uint32_t node, ct_vec3 p) {
  const ct_aabb *b = &view->nodes[node].box;
  ct_vec3 d = {beyond(b->min.x, b->max.x, p.x), beyond(b->min.y, b->max.y, p.y), beyond(b->min.z, b->max.z, p.z)};
  return (waiting){node, ct_norm2(d) * SURELY};
}

static void look_at(const ct_mesh_view *view, uint32_t position, ct_vec3 p, ct_triangle_near *best, uint32_t *triangle) {
  const uint32_t *v = view->corners[position];
  ct_triangle_near near = ct_triangle_nearest(view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]], p);
  if (near.distance2 > best->distance2 || (near.distance2 == best->distance2 && view->order[position] > *triangle)) return;
  *best = near;
  *triangle = view->order[position];
}

bool ct_mesh_nearest(const ct_mesh *mesh, ct_vec3 p, double limit, ct_mesh_foot *out) {
  const ct_mesh_view *view = &mesh->view;
  /* A little more than the limit's square: whether the limit is kept is decided by the distance itself. */
  ct_triangle_near best = {.distance2 = limit * limit / SURELY};
  uint32_t triangle = CT_NO_TRIANGLE;
  waiting stack[CT_MESH_DEPTH_MAX + 2];
  int top = 0;
  if (!(limit >= 0.0)) return false;
  stack[top++] = wait_for(view, 0, p);
  while (top > 0) {
    waiting w = stack[--top];
    const ct_mesh_node *node = &view->nodes[w.node];
    if (w.distance2 > best.distance2) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++) look_at(view, i, p, &best, &triangle);
    if (node->count > 0) continue;
    waiting first = wait_for(view, node->first, p), second = wait_for(view, node->first + 1, p);
    bool turned = second.distance2 < first.distance2;
    stack[top++] = turned ? first : second;
    stack[top++] = turned ? second : first;
  }
  if (triangle == CT_NO_TRIANGLE || !(sqrt(best.distance2) <= limit)) return false;
  *out = (ct_mesh_foot){sqrt(best.distance2), best.point, triangle};
  return true;
}
