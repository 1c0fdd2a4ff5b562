/* Contacts of a convex body and a surface that crosses it: where the surface's edges enter and leave the body, and where edges of a
 * polytope pass the surface's triangles. They are the corners of the lines in which the two surfaces cross. */
#include "manifold/manifold.h"

#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include <contact/ray.h>

/* Points of one pair, at most. */
#define POINTS_MAX 65536u
/* Steps of 100 ns that an edge's way through the body takes, for the flag. */
#define EDGE_STEPS 4

static bool is_polytope(const ct_shape *s) {
  return (s->kind == CT_KIND_BOX || s->kind == CT_KIND_CONVEX) && s->rounding == 0.0 && s->margin == 0.0;
}

static void take(ct_contacts *c, uint32_t position, ct_contact_point point) {
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

static ct_vec3 placed(const ct_contacts *c, const ct_mesh_view *mesh, uint32_t vertex) {
  return ct_to_parent(c->relative, mesh->vertices[vertex]);
}

/* An edge of the surface, from its vertex of the lower number, through the body. */
static void pass_body(ct_contacts *c, const ct_mesh_view *mesh, uint32_t position, int k) {
  const uint32_t *corner = mesh->corners[position];
  uint32_t v = corner[k], w = corner[(k + 1) % 3], other = mesh->across[position][k],
           number = 3 * mesh->order[position] + (uint32_t)k;
  if (other != CT_NO_TRIANGLE && other < position) return;
  for (uint32_t i = 0; other != CT_NO_TRIANGLE && i < 3; i++)
    if (mesh->corners[other][i] == w && mesh->corners[other][(i + 1) % 3] == v && 3 * mesh->order[other] + i < number)
      number = 3 * mesh->order[other] + i;
  ct_vec3 p = placed(c, mesh, v < w ? v : w), q = placed(c, mesh, v < w ? w : v), d = ct_sub(q, p);
  const ct_ray ray = {p, d, ct_norm(d)};
  if (!(ray.reach > 0.0)) return;
  const ct_frame here = ct_frame_of(ct_pose_identity());
  ct_ray_crossing crossing[2];
  size_t count = ct_ray_cross(&ray, (ct_placed){c->a.shape, &here}, c->workspace, crossing, 2);
  for (uint32_t i = 0; i < count && i < 2; i++) {
    take(c, position, (ct_contact_point){.b = {CT_FEATURE_EDGE, number}, .point_a = crossing[i].position, .number = i});
    if (other != CT_NO_TRIANGLE) c->memory->root[other] = other;
  }
}

/* An edge of a polytope through a triangle. */
static void pass_triangle(ct_contacts *c, uint32_t position, const ct_triangle *t, const ct_vec3 edge[2], uint32_t number) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  double at;
  if (!ct_segment_meets(edge[0], edge[1], t, &at)) return;
  take(c, position,
       (ct_contact_point){.a = {CT_FEATURE_EDGE, number},
                          .b = {CT_FEATURE_FACE, mesh->order[position]},
                          .point_a = ct_lerp(edge[0], edge[1], at)});
}

static void pass_edges(ct_contacts *c, uint32_t position, const ct_triangle *t) {
  if (c->a.shape->kind == CT_KIND_CONVEX) {
    const ct_hull_view *hull = ct_hull_get(c->a.shape->hull);
    for (uint32_t i = 0; i < hull->edge_count && !ct_mesh_is_cancelled(&c->workspace->mesh, 1); i++) {
      uint32_t v = hull->edge_vertices[i][0], w = hull->edge_vertices[i][1];
      const ct_vec3 edge[2] = {{hull->x[v], hull->y[v], hull->z[v]}, {hull->x[w], hull->y[w], hull->z[w]}};
      pass_triangle(c, position, t, edge, i);
    }
    return;
  }
  ct_vec3 h = c->a.shape->box.half;
  for (uint32_t i = 0; i < 12; i++) {
    double s = i & 1 ? 1.0 : -1.0, u = i & 2 ? 1.0 : -1.0;
    ct_vec3 high = i < 4 ? ct_vec(h.x, s * h.y, u * h.z) : i < 8 ? ct_vec(s * h.x, h.y, u * h.z) : ct_vec(s * h.x, u * h.y, h.z);
    ct_vec3 low = {i < 4 ? -h.x : high.x, i >= 4 && i < 8 ? -h.y : high.y, i >= 8 ? -h.z : high.z};
    const ct_vec3 edge[2] = {low, high};
    pass_triangle(c, position, t, edge, i);
  }
}

/* Along the triangle's normal, away from the middle of the body: the way in which most of the body is on one side. */
static ct_vec3 way_of(const ct_contacts *c, const ct_triangle *t) {
  ct_vec3 n = ct_unit_or(ct_triangle_cross(t), c->view.normal);
  return ct_dot(n, ct_sub(t->v[0], c->core_a.middle)) < 0.0 ? ct_neg(n) : n;
}

void ct_contacts_pierce(ct_contacts *c, uint32_t position) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  ct_triangle t = {{{0.0, 0.0, 0.0}}};
  for (int k = 0; k < 3; k++) t.v[k] = placed(c, mesh, mesh->corners[position][k]);
  c->view.normal = way_of(c, &t);
  for (int k = 0; k < 3; k++) pass_body(c, mesh, position, k);
  if (is_polytope(c->a.shape)) pass_edges(c, position, &t);
  c->cut_short = c->cut_short || ct_mesh_is_cancelled(&c->workspace->mesh, EDGE_STEPS);
}
