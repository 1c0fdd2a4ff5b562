/* How often a mesh winds around a point: the sum of its triangles' solid angles, which takes open meshes as well.
 *
 * Where a mesh is closed, mesh_contains.c decides the same exactly, and faster. Source: Jacobson, Kavan, Sorkine-Hornung 2013.
 */
#include "base/angle.h"
#include "mesh/mesh_build.h"

double ct_mesh_winding(const ct_mesh *mesh, ct_vec3 p) {
  const ct_mesh_view *view = &mesh->view;
  double sum = 0.0;
  for (uint32_t i = 0; i < view->live_count; i++) {
    const uint32_t *v = view->corners[i];
    sum += ct_solid_angle(ct_sub(view->vertices[v[0]], p), ct_sub(view->vertices[v[1]], p), ct_sub(view->vertices[v[2]], p));
  }
  return sum / (4.0 * CT_PI);
}
