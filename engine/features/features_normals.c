/* Outward normals at vertices and interpolated between them: given by the caller, or the
 * angle-weighted sum of the incident triangles' normals (Thuermer, Wuethrich 1998).
 *
 * Incident triangles are found in the bounding volume hierarchy; they need not form a fan, and
 * nothing is stored for other vertices.
 */
#include "base/trigonometry.h"
#include "features/features.h"

#include <assert.h>

static bool is_point_in_aabb(const ct_aabb *box, ct_vec3 p) {
  return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y &&
         box->min.z <= p.z && p.z <= box->max.z;
}

static bool are_equal_points(ct_vec3 a, ct_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Angle-weighted normal sum over the incident triangles. */
typedef struct incident_sum {
  ct_vec3 sum;
  uint32_t triangle; /* the lowest number */
} incident_sum;

static void add_incident_triangle(const ct_mesh *mesh, uint32_t position, ct_vec3 p,
                                  incident_sum *a) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const uint32_t *corner = view->corners[position];
  for (int k = 0; k < 3; k++) {
    if (!are_equal_points(view->vertices[corner[k]], p)) continue;
    ct_vec3 u = ct_sub(view->vertices[corner[(k + 1) % 3]], p),
            v = ct_sub(view->vertices[corner[(k + 2) % 3]], p);
    uint32_t number = view->order[position];
    a->sum = ct_add_scaled(a->sum, ct_mesh_normal(mesh, number), ct_angle(u, v));
    a->triangle = number < a->triangle ? number : a->triangle;
    return;
  }
}

static incident_sum sum_incident_normals(const ct_mesh *mesh, ct_vec3 p) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  incident_sum a = {.triangle = CT_NO_TRIANGLE};
  uint32_t stack[CT_MESH_DEPTH_MAX + 2];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!is_point_in_aabb(&node->box, p)) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      add_incident_triangle(mesh, i, p, &a);
    if (node->count > 0) continue;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
  return a;
}

static ct_vec3 normalize_or_z(ct_vec3 v) { return ct_unit_or(v, ct_vec(0.0, 0.0, 1.0)); }

ct_feature_vertex ct_feature_vertex_of(const ct_mesh *mesh, uint32_t vertex) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  incident_sum a = sum_incident_normals(mesh, view->vertices[vertex]);
  ct_feature_vertex out = {.direction = view->normals ? view->normals[vertex] : a.sum,
                           .triangle = a.triangle};
  out.cancels = !view->normals && ct_norm(a.sum) < CT_NORMALS_CANCEL;
  if (out.cancels) out.direction = ct_mesh_normal(mesh, a.triangle);
  out.normal = normalize_or_z(out.direction);
  return out;
}

bool ct_feature_normal_at(const ct_mesh *mesh, uint32_t triangle, const double barycentric[3],
                          ct_vec3 *normal) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    uint32_t vertex = view->triangles[triangle][k];
    if (barycentric[k] == 0.0) continue;
    ct_vec3 n = view->normals ? normalize_or_z(view->normals[vertex])
                              : ct_feature_vertex_of(mesh, vertex).normal;
    sum = ct_add_scaled(sum, n, barycentric[k]);
  }
  bool known = ct_norm(sum) >= CT_NORMALS_CANCEL;
  *normal = known ? normalize_or_z(sum) : ct_mesh_normal(mesh, triangle);
  return known;
}
