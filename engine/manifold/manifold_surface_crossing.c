/* Contact points of a convex body and an open surface that intersects it: surface edges entering
 * and leaving the body (ray casts), and edges of a polytope through surface triangles.
 *
 * These points are the corners of the intersection curves. All get the pair's distance, and the
 * normal of the triangle, away from the middle of the body.
 */
#include "manifold/manifold.h"

#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include <contact/ray.h>

/* Largest number of points of one pair. */
#define POINTS_MAX 65536u
/* Cost of one edge through the body in steps of 100 ns, for the cancellation budget. */
#define EDGE_STEPS 4

static bool is_sharp_polytope(const ct_shape *s) {
  return (s->kind == CT_KIND_BOX || s->kind == CT_KIND_CONVEX) && s->rounding == 0.0 &&
         s->margin == 0.0;
}

static void add_crossing_point(ct_contacts *c, uint32_t position, ct_contact_point point) {
  uint32_t *root = c->memory->root;
  if (c->memory->count >= POINTS_MAX) c->cut_short = true;
  if (c->cut_short) return;
  point.normal = c->view.normal;
  point.distance = c->distance;
  point.point_b = ct_add_scaled(point.point_a, point.normal, point.distance);
  point.patch = position;
  ct_contacts_push(c, &point);
  root[position] = position;
}

static ct_vec3 get_placed_vertex(const ct_contacts *c, const ct_mesh_view *mesh, uint32_t vertex) {
  return ct_to_parent(c->relative, mesh->vertices[vertex]);
}

/* Adds the points where a surface edge enters and leaves the body. Edges run from the lower vertex
 * number; the first of two triangles tests the edge. */
static void intersect_surface_edge(ct_contacts *c, const ct_mesh_view *mesh, uint32_t position,
                                   int k) {
  const uint32_t *corner = mesh->corners[position];
  uint32_t v = corner[k], w = corner[(k + 1) % 3], other = mesh->across[position][k],
           number = 3 * mesh->order[position] + (uint32_t)k;
  if (other != CT_NO_TRIANGLE && other < position) return;
  /* number of the edge: the lower of its two triangles' numbers */
  for (uint32_t i = 0; other != CT_NO_TRIANGLE && i < 3; i++)
    if (mesh->corners[other][i] == w && mesh->corners[other][(i + 1) % 3] == v &&
        3 * mesh->order[other] + i < number)
      number = 3 * mesh->order[other] + i;
  ct_vec3 p = get_placed_vertex(c, mesh, v < w ? v : w),
          q = get_placed_vertex(c, mesh, v < w ? w : v), d = ct_sub(q, p);
  const ct_ray ray = {p, d, ct_norm(d)};
  if (!(ray.reach > 0.0)) return;
  /* cast along the edge: at most one entry and one exit */
  const ct_frame here = ct_frame_of(ct_pose_identity());
  ct_ray_crossing crossing[2];
  size_t count = ct_ray_cross(&ray, (ct_placed){c->a.shape, &here}, c->workspace, crossing, 2);
  for (uint32_t i = 0; i < count && i < 2; i++) {
    add_crossing_point(c, position,
                       (ct_contact_point){.b = {CT_FEATURE_EDGE, number},
                                          .point_a = crossing[i].position,
                                          .number = i});
    if (other != CT_NO_TRIANGLE) c->memory->root[other] = other;
  }
}

/* Adds the point where an edge of a polytope intersects a triangle. */
static void intersect_polytope_edge(ct_contacts *c, uint32_t position, const ct_triangle *t,
                                    const ct_vec3 edge[2], uint32_t number) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  double at;
  if (!ct_segment_meets(edge[0], edge[1], t, &at)) return;
  add_crossing_point(c, position,
                     (ct_contact_point){.a = {CT_FEATURE_EDGE, number},
                                        .b = {CT_FEATURE_FACE, mesh->order[position]},
                                        .point_a = ct_lerp(edge[0], edge[1], at)});
}

static void intersect_polytope_edges(ct_contacts *c, uint32_t position, const ct_triangle *t) {
  if (c->a.shape->kind == CT_KIND_CONVEX) {
    const ct_hull_view *hull = ct_hull_get(c->a.shape->hull);
    for (uint32_t i = 0; i < hull->edge_count && !ct_mesh_is_cancelled(&c->workspace->mesh, 1);
         i++) {
      uint32_t v = hull->edge_vertices[i][0], w = hull->edge_vertices[i][1];
      const ct_vec3 edge[2] = {{hull->x[v], hull->y[v], hull->z[v]},
                               {hull->x[w], hull->y[w], hull->z[w]}};
      intersect_polytope_edge(c, position, t, edge, i);
    }
    return;
  }
  /* box: four edges along each axis */
  ct_vec3 h = c->a.shape->box.half;
  for (uint32_t i = 0; i < 12; i++) {
    double s = i & 1 ? 1.0 : -1.0, u = i & 2 ? 1.0 : -1.0;
    ct_vec3 high = i < 4   ? ct_vec(h.x, s * h.y, u * h.z)
                   : i < 8 ? ct_vec(s * h.x, h.y, u * h.z)
                           : ct_vec(s * h.x, u * h.y, h.z);
    ct_vec3 low = {i < 4 ? -h.x : high.x, i >= 4 && i < 8 ? -h.y : high.y, i >= 8 ? -h.z : high.z};
    const ct_vec3 edge[2] = {low, high};
    intersect_polytope_edge(c, position, t, edge, i);
  }
}

/* The triangle's normal that points away from the middle of the body: most of the body is then on
 * one side. */
static ct_vec3 find_outward_normal(const ct_contacts *c, const ct_triangle *t) {
  ct_vec3 n = ct_unit_or(ct_triangle_cross(t), c->view.normal);
  return ct_dot(n, ct_sub(t->v[0], c->core_a.middle)) < 0.0 ? ct_neg(n) : n;
}

void ct_contacts_pierce(ct_contacts *c, uint32_t position) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  ct_triangle t = {{{0.0, 0.0, 0.0}}};
  for (int k = 0; k < 3; k++) t.v[k] = get_placed_vertex(c, mesh, mesh->corners[position][k]);
  c->view.normal = find_outward_normal(c, &t);
  for (int k = 0; k < 3; k++) intersect_surface_edge(c, mesh, position, k);
  if (is_sharp_polytope(c->a.shape)) intersect_polytope_edges(c, position, &t);
  c->cut_short = c->cut_short || ct_mesh_is_cancelled(&c->workspace->mesh, EDGE_STEPS);
}
