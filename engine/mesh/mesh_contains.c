/* Is a point inside a mesh: the winding number, from the crossings of the ray that goes up along z.
 *
 * The point is moved by an infinitely small (e, e^2, 0): its ray then meets no edge and no vertex, so every crossing is through a
 * triangle's inside, up or down. Points on the surface are found first, on the triangles themselves. Nothing is rounded: boxes are
 * compared with the point's coordinates, and triangles by exact signs. Source: Edelsbrunner, Muecke 1990; Shewchuk 1997.
 */
#include "base/predicates.h"
#include "mesh/mesh_build.h"
#include "mesh/mesh_ray.h"

typedef struct corners {
  ct_vec3 a, b, c;
} corners;

static ct_vec2 flat(ct_vec3 p) { return (ct_vec2){p.x, p.y}; }

/* On which side of a to b the moved point is, seen from above; 0 only when a and b are one point there. */
static int moved_side(ct_vec3 a, ct_vec3 b, ct_vec3 p) {
  int side = ct_orient2d(flat(a), flat(b), flat(p));
  if (side != 0) return side;
  /* (b - a) x ((e, e^2)): first what the larger displacement tells. */
  if (a.y != b.y) return a.y > b.y ? 1 : -1;
  return (b.x > a.x) - (b.x < a.x);
}

/* +1: the ray comes out of the triangle's front; -1: it goes in there; 0: it does not meet it. */
static int crossing(const corners *t, ct_vec3 p) {
  int side = moved_side(t->a, t->b, p);
  if (side == 0 || moved_side(t->b, t->c, p) != side || moved_side(t->c, t->a, p) != side) return 0;
  /* Counter-clockwise from above is a normal that points up, and p has to be below. */
  return ct_orient3d(t->a, t->b, t->c, p) == -side ? side : 0;
}

/* Seen along an axis: is p in the closed triangle? False too where the triangle is a line from there. */
static bool covers(const corners *t, ct_vec3 p, int axis) {
  ct_vec3 from[4] = {t->a, t->b, t->c, p};
  ct_vec2 q[4];
  for (int i = 0; i < 4; i++) {
    ct_vec3 v = from[i];
    q[i] = axis == 0 ? (ct_vec2){v.y, v.z} : axis == 1 ? (ct_vec2){v.z, v.x} : (ct_vec2){v.x, v.y};
  }
  int turn = ct_orient2d(q[0], q[1], q[2]);
  return turn != 0 && ct_orient2d(q[0], q[1], q[3]) != -turn && ct_orient2d(q[1], q[2], q[3]) != -turn &&
         ct_orient2d(q[2], q[0], q[3]) != -turn;
}

static bool in_range(double a, double b, double c, double p) {
  return p >= ct_min2(ct_min2(a, b), c) && p <= ct_max2(ct_max2(a, b), c);
}

static bool on_triangle(const corners *t, ct_vec3 p) {
  if (!in_range(t->a.x, t->b.x, t->c.x, p.x) || !in_range(t->a.y, t->b.y, t->c.y, p.y) || !in_range(t->a.z, t->b.z, t->c.z, p.z))
    return false;
  if (ct_orient3d(t->a, t->b, t->c, p) != 0) return false;
  for (int axis = 0; axis < 3; axis++)
    if (covers(t, p, axis)) return true;
  return false;
}

/* Does the box reach up to p's ray? */
static bool above(const ct_aabb *box, ct_vec3 p) {
  return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y && p.z <= box->max.z;
}

ct_mesh_side ct_mesh_side_turns(const ct_mesh *mesh, ct_vec3 point, uint32_t *triangle,
                                int *turns) {
  const ct_mesh_view *view = &mesh->view;
  ct_vec3 p = {ct_exact_flush(point.x), ct_exact_flush(point.y), ct_exact_flush(point.z)};
  uint32_t on = CT_NO_TRIANGLE;
  if (triangle) *triangle = CT_NO_TRIANGLE;
  *turns = 0;
  if (!view->solid || !above(&view->box, p) || p.z < view->box.min.z) return CT_MESH_OUTSIDE;
  uint32_t stack[CT_MESH_DEPTH_MAX + 1];
  int top = 0, winding = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!above(&node->box, p)) continue;
    if (node->count == 0) {
      stack[top++] = node->first + 1;
      stack[top++] = node->first;
      continue;
    }
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
      const uint32_t *v = view->corners[i];
      corners t = {view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]]};
      if (on_triangle(&t, p)) {
        if (!triangle) return CT_MESH_ON;
        on = view->order[i] < on ? view->order[i] : on;
      } else {
        winding += crossing(&t, p);
      }
    }
  }
  if (triangle) *triangle = on;
  if (on != CT_NO_TRIANGLE) return CT_MESH_ON;
  *turns = winding;
  return winding >= 1 ? CT_MESH_INSIDE : CT_MESH_OUTSIDE;
}

ct_mesh_side ct_mesh_side_of(const ct_mesh *mesh, ct_vec3 p, uint32_t *triangle) {
  int turns;
  return ct_mesh_side_turns(mesh, p, triangle, &turns);
}

bool ct_mesh_contains(const ct_mesh *mesh, ct_vec3 p) { return ct_mesh_side_of(mesh, p, NULL) != CT_MESH_OUTSIDE; }
