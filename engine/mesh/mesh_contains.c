/* Position of a point relative to a mesh: its winding number is counted from the crossings of a ray
 * from the point upward along z.
 *
 * The point is displaced by an infinitesimal (e, e^2, 0), so that its ray crosses no edge and no
 * vertex (simulation of simplicity, Edelsbrunner, Muecke 1990). Points on the surface are detected
 * first, triangle by triangle. All decisions are exact: comparisons with boxes, and the predicates
 * of base/predicates.h (Shewchuk 1997). Only solid meshes (closed and oriented) contain points.
 *
 * The generalised winding number is defined for open meshes too: the sum of the triangles' solid
 * angles divided by 4 pi (Jacobson, Kavan, Sorkine-Hornung 2013), computed in doubles. */
#include "base/predicates.h"
#include "base/trigonometry.h"
#include "mesh/mesh_build.h"
#include "mesh/mesh_ray.h"

#include <assert.h>

typedef struct corners {
  ct_vec3 a, b, c;
} corners;

static ct_vec2 project_to_xy(ct_vec3 p) { return (ct_vec2){p.x, p.y}; }

/* Returns the side of the displaced point relative to the line from a to b, seen from above: 1
 * left, -1 right; 0 only if a and b have equal x and y. */
static int find_perturbed_side(ct_vec3 a, ct_vec3 b, ct_vec3 p) {
  int side = ct_orient2d(project_to_xy(a), project_to_xy(b), project_to_xy(p));
  if (side != 0) return side;
  /* The point is on the line: the sign of (b - a) x (e, e^2), where the larger displacement e
   * decides first. */
  if (a.y != b.y) return a.y > b.y ? 1 : -1;
  return (b.x > a.x) - (b.x < a.x);
}

/* Returns +1 if the ray of p leaves through the triangle's front, -1 if it enters, and 0 if it does
 * not cross the triangle. */
static int count_crossing(const corners *t, ct_vec3 p) {
  int side = find_perturbed_side(t->a, t->b, p);
  if (side == 0 || find_perturbed_side(t->b, t->c, p) != side ||
      find_perturbed_side(t->c, t->a, p) != side)
    return 0;
  /* Counter-clockwise from above means an upward normal. The ray crosses the triangle only if p is
   * below it. */
  return ct_orient3d(t->a, t->b, t->c, p) == -side ? side : 0;
}

/* True if the projection of p along a coordinate axis is in that of the closed triangle. False also
 * if the triangle's projection is a line. */
static bool is_covered_along(const corners *t, ct_vec3 p, int axis) {
  ct_vec3 from[4] = {t->a, t->b, t->c, p};
  ct_vec2 q[4];
  for (int i = 0; i < 4; i++) {
    ct_vec3 v = from[i];
    q[i] = axis == 0 ? (ct_vec2){v.y, v.z} : axis == 1 ? (ct_vec2){v.z, v.x} : (ct_vec2){v.x, v.y};
  }
  int turn = ct_orient2d(q[0], q[1], q[2]);
  return turn != 0 && ct_orient2d(q[0], q[1], q[3]) != -turn &&
         ct_orient2d(q[1], q[2], q[3]) != -turn && ct_orient2d(q[2], q[0], q[3]) != -turn;
}

static bool is_in_corner_range(double a, double b, double c, double p) {
  return p >= ct_min2(ct_min2(a, b), c) && p <= ct_max2(ct_max2(a, b), c);
}

static bool is_on_triangle(const corners *t, ct_vec3 p) {
  if (!is_in_corner_range(t->a.x, t->b.x, t->c.x, p.x) ||
      !is_in_corner_range(t->a.y, t->b.y, t->c.y, p.y) ||
      !is_in_corner_range(t->a.z, t->b.z, t->c.z, p.z))
    return false;
  if (ct_orient3d(t->a, t->b, t->c, p) != 0) return false;
  for (int axis = 0; axis < 3; axis++)
    if (is_covered_along(t, p, axis)) return true;
  return false;
}

/* True if the box may intersect the ray of p. */
static bool reaches_ray(const ct_aabb *box, ct_vec3 p) {
  return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y &&
         p.z <= box->max.z;
}

ct_mesh_side ct_mesh_side_turns(const ct_mesh *mesh, ct_vec3 point, uint32_t *triangle,
                                int *turns) {
  const ct_mesh_view *view = &mesh->view;
  ct_vec3 p = {ct_exact_flush(point.x), ct_exact_flush(point.y), ct_exact_flush(point.z)};
  uint32_t on = CT_NO_TRIANGLE;
  if (triangle) *triangle = CT_NO_TRIANGLE;
  *turns = 0;
  if (!view->solid || !reaches_ray(&view->box, p) || p.z < view->box.min.z) return CT_MESH_OUTSIDE;
  /* Visit every leaf whose box may intersect the ray, and sum the crossings. */
  uint32_t stack[CT_MESH_DEPTH_MAX + 1];
  int top = 0, winding = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!reaches_ray(&node->box, p)) continue;
    if (node->count == 0) {
      assert(top + 2 <= CT_MESH_DEPTH_MAX + 1);
      stack[top++] = node->first + 1;
      stack[top++] = node->first;
      continue;
    }
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
      const uint32_t *v = view->corners[i];
      corners t = {view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]]};
      if (is_on_triangle(&t, p)) {
        if (!triangle) return CT_MESH_ON;
        on = view->order[i] < on ? view->order[i] : on;
      } else {
        winding += count_crossing(&t, p);
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

bool ct_mesh_contains(const ct_mesh *mesh, ct_vec3 p) {
  return ct_mesh_side_of(mesh, p, NULL) != CT_MESH_OUTSIDE;
}

double ct_mesh_winding(const ct_mesh *mesh, ct_vec3 p) {
  const ct_mesh_view *view = &mesh->view;
  double sum = 0.0;
  for (uint32_t i = 0; i < view->live_count; i++) {
    const uint32_t *v = view->corners[i];
    sum += ct_solid_angle(ct_sub(view->vertices[v[0]], p), ct_sub(view->vertices[v[1]], p),
                          ct_sub(view->vertices[v[2]], p));
  }
  return sum / (4.0 * CT_PI);
}
