/* Matches of a point inside a solid: where a ray leaves the solid, or the nearest surface point.
 *
 * Most rays leave through the interior of the first triangle hit. Others traverse the stops of the
 * ray (ray_mesh_crossings.h) to the first one behind which the winding number is lower. A ray that
 * touches a reentrant edge continues; a ray that leaves one of two overlapping parts ends. The
 * lowest triangle number of the stop counts.
 */
#include "base/double_double.h"
#include "features/features.h"
#include "mesh/mesh_ray.h"
#include "ray/ray_mesh_crossings.h"

#include <contact/limits.h>

/* Stops in one point differ by less along the ray, in unit round-offs of the mesh's size. */
#define SAME_ROUNDOFFS 64.0

static void set_match(const ct_mesh_weights *w, uint32_t triangle, ct_vec3 direction,
                      ct_feature_match *out) {
  *out = (ct_feature_match){
      .triangle = triangle, .point = w->point, .distance = w->t * ct_norm(direction)};
  for (int k = 0; k < 3; k++) out->barycentric[k] = w->weight[k];
}

/* Matches the lowest-numbered triangle that the ray leaves through its back at a stop. */
static bool match_lowest_triangle(const ct_ray_walk *walk, const ct_ray_stop *stop, ct_vec3 origin,
                                  ct_vec3 direction, ct_feature_match *out) {
  const ct_mesh_hit *lowest = NULL;
  for (size_t i = stop->begin; i < stop->end; i++) {
    const ct_mesh_hit *hit = &walk->hits[walk->events[i].hit];
    if (hit->side < 0 && (!lowest || hit->triangle < lowest->triangle)) lowest = hit;
  }
  if (!lowest) return false;
  ct_mesh_weights w;
  ct_mesh_ray_weights(walk->mesh, origin, direction, lowest->triangle, &w);
  set_match(&w, lowest->triangle, direction, out);
  return true;
}

/* Traverses the stops of the whole ray. */
static bool match_ray_exit(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction,
                           ct_workspace *workspace, ct_feature_match *out) {
  ct_ray_walk walk = {.mesh = mesh, .origin = origin, .direction = direction};
  const ct_mesh_view *view = ct_mesh_get(mesh);
  ct_ray_stop stop;
  int exponent;
  if (!ct_mesh_ray_flush(&walk.origin, &walk.direction, &exponent)) return false;
  walk.same = SAME_ROUNDOFFS * CT_UNIT_ROUNDOFF * (view->radius + ct_max_abs(walk.origin));
  if (!ct_ray_walk_open(&walk, INFINITY, false, workspace)) {
    ct_workspace_features(workspace)->out_of_memory = true;
    return false;
  }
  ct_ray_walk_sum(&walk);
  int turns = walk.turns;
  while (ct_ray_walk_next(&walk, &stop)) {
    if (stop.within_after) continue; /* inside a coplanar face the ray is still inside */
    if (walk.turns < turns && match_lowest_triangle(&walk, &stop, origin, direction, out))
      return true;
    turns = walk.turns;
  }
  return false;
}

bool ct_feature_ray(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace,
                    ct_feature_match *out) {
  ct_mesh_hit hit;
  ct_mesh_weights w;
  if (!ct_mesh_ray_first(mesh, origin, direction, INFINITY, &hit)) return false;
  if (hit.side >= 0 || hit.zero != 0)
    return match_ray_exit(mesh, origin, direction, workspace, out);
  ct_mesh_ray_weights(mesh, origin, direction, hit.triangle, &w);
  set_match(&w, hit.triangle, direction, out);
  return true;
}

void ct_feature_barycentric(const ct_mesh *mesh, uint32_t triangle, ct_vec3 point, double out[3]) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const uint32_t *t = view->triangles[triangle];
  ct_vec3 v[3] = {view->vertices[t[0]], view->vertices[t[1]], view->vertices[t[2]]};
  ct_dd3 ab = ct_dd3_sub(v[1], v[0]), ac = ct_dd3_sub(v[2], v[0]), normal = ct_dd3_cross(&ab, &ac);
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    ct_dd3 p = ct_dd3_sub(v[(k + 1) % 3], point), q = ct_dd3_sub(v[(k + 2) % 3], point),
           cross = ct_dd3_cross(&p, &q);
    out[k] = ct_max2(ct_dd_value(ct_dd3_dot(&cross, &normal)), 0.0);
    sum += out[k];
  }
  for (int k = 0; k < 3; k++) out[k] = sum > 0.0 ? out[k] / sum : 1.0 / 3.0;
}

void ct_feature_nearest(const ct_mesh *mesh, ct_vec3 point, ct_feature_match *out) {
  ct_mesh_foot foot = {.triangle = 0, .point = point};
  ct_mesh_nearest(mesh, point, INFINITY, &foot);
  *out =
      (ct_feature_match){.triangle = foot.triangle, .point = foot.point, .distance = foot.distance};
  ct_feature_barycentric(mesh, foot.triangle, foot.point, out->barycentric);
}
