/* The match of a point inside a solid: where a ray leaves it, or the nearest point of its surface.
 *
 * A ray meets closed triangles by exact signs. Most leave through the inside of one; where the first is met on an edge or a corner,
 * or from its front (as where parts of a solid overlap, or the ray grazes an edge), all are gathered, those that the ray leaves
 * through are compared by the very edge or corner they are met in, and the lowest number counts.
 */
#include "base/double_double.h"
#include "narrow/features.h"
#include "narrow/workspace.h"
#include "shape/mesh_ray.h"

#include <stdlib.h>

static void take(const ct_mesh_weights *w, uint32_t triangle, ct_vec3 direction, ct_feature_match *out) {
  *out = (ct_feature_match){.triangle = triangle, .point = w->point, .distance = w->t * ct_norm(direction)};
  for (int k = 0; k < 3; k++) out->barycentric[k] = w->weight[k];
}

/* All hits of the ray in the workspace; 0 too where memory is short. */
static size_t gather(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace) {
  ct_ray_memory *memory = &workspace->ray;
  size_t count = ct_mesh_ray_all(mesh, origin, direction, INFINITY, memory->hits, memory->capacity);
  if (count <= memory->capacity) return count;
  ct_mesh_hit *hits = realloc(memory->hits, 2 * count * sizeof *hits);
  if (!hits) {
    workspace->features.starved = true;
    return 0;
  }
  memory->hits = hits;
  memory->capacity = 2 * count;
  return ct_mesh_ray_all(mesh, origin, direction, INFINITY, memory->hits, memory->capacity);
}

static bool same(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Is every corner of the first that weighs something one of the second that does? */
static bool corners_within(const ct_mesh_view *view, uint32_t triangle, int zero, uint32_t other, int other_zero) {
  for (int k = 0; k < 3; k++) {
    if (zero & 1 << k) continue;
    bool found = false;
    for (int l = 0; l < 3; l++) {
      bool weighs = !(other_zero & 1 << l);
      found = found || (weighs && same(view->vertices[view->triangles[triangle][k]], view->vertices[view->triangles[other][l]]));
    }
    if (!found) return false;
  }
  return true;
}

/* Are two triangles met in one edge or corner? */
static bool met_alike(const ct_mesh_view *view, uint32_t p, int p_zero, uint32_t q, int q_zero) {
  return corners_within(view, p, p_zero, q, q_zero) && corners_within(view, q, q_zero, p, p_zero);
}

/* Among all hits. */
static bool search(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace, ct_feature_match *out) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const ct_mesh_hit *hits = NULL;
  size_t count = gather(mesh, origin, direction, workspace), first = 0;
  hits = workspace->ray.hits;
  while (first < count && hits[first].side >= 0) first++;
  if (first == count) return false;
  ct_mesh_weights best, other;
  uint32_t triangle = hits[first].triangle;
  ct_mesh_ray_weights(mesh, origin, direction, triangle, &best);
  const uint32_t met = triangle;
  const int zero = best.zero;
  for (size_t i = first + 1; i < count && zero; i++) {
    if (hits[i].side >= 0 || hits[i].triangle >= triangle) continue;
    ct_mesh_ray_weights(mesh, origin, direction, hits[i].triangle, &other);
    if (!met_alike(view, met, zero, hits[i].triangle, other.zero)) continue;
    triangle = hits[i].triangle;
    best = other;
  }
  take(&best, triangle, direction, out);
  return true;
}

bool ct_feature_ray(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace, ct_feature_match *out) {
  ct_mesh_hit hit;
  ct_mesh_weights w;
  if (!ct_mesh_ray_first(mesh, origin, direction, INFINITY, &hit)) return false;
  if (hit.side < 0) {
    ct_mesh_ray_weights(mesh, origin, direction, hit.triangle, &w);
    if (w.zero == 0) {
      take(&w, hit.triangle, direction, out);
      return true;
    }
  }
  return search(mesh, origin, direction, workspace, out);
}

void ct_feature_barycentric(const ct_mesh *mesh, uint32_t triangle, ct_vec3 point, double out[3]) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const uint32_t *t = view->triangles[triangle];
  ct_vec3 v[3] = {view->vertices[t[0]], view->vertices[t[1]], view->vertices[t[2]]};
  ct_dd3 ab = ct_dd3_sub(v[1], v[0]), ac = ct_dd3_sub(v[2], v[0]), normal = ct_dd3_cross(&ab, &ac);
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    ct_dd3 p = ct_dd3_sub(v[(k + 1) % 3], point), q = ct_dd3_sub(v[(k + 2) % 3], point), cross = ct_dd3_cross(&p, &q);
    out[k] = ct_max2(ct_dd_value(ct_dd3_dot(&cross, &normal)), 0.0);
    sum += out[k];
  }
  for (int k = 0; k < 3; k++) out[k] = sum > 0.0 ? out[k] / sum : 1.0 / 3.0;
}

void ct_feature_nearest(const ct_mesh *mesh, ct_vec3 point, ct_feature_match *out) {
  ct_mesh_foot foot = {.triangle = 0, .point = point};
  ct_mesh_nearest(mesh, point, INFINITY, &foot);
  *out = (ct_feature_match){.triangle = foot.triangle, .point = foot.point, .distance = foot.distance};
  ct_feature_barycentric(mesh, foot.triangle, foot.point, out->barycentric);
}
