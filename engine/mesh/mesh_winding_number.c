/* Generalised winding number of a point: the sum of the triangles' solid angles over 4 pi
 * (Jacobson, Kavan, Sorkine-Hornung 2013).
 *
 * Defined for open meshes too. For closed meshes mesh_contains.c decides exactly and faster.
 */
#include "base/trigonometry.h"
#include "mesh/mesh_build.h"

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
