/* Inset of a hull: every face plane moves inward by one distance, and the half-spaces are
 * intersected again. The inradius bounds that distance. */
#include "hull/hull_faces.h"
#include "hull/inscribed_ball.h"

#include <stdlib.h>

ct_status ct_hull_inset(const ct_hull *hull, double by, const ct_cancel *cancel, ct_hull **out) {
  const ct_hull_view *view = &hull->view;
  double(*planes)[4] = malloc(view->face_count * sizeof *planes);
  if (!planes) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < view->face_count; i++) {
    planes[i][0] = view->nx[i];
    planes[i][1] = view->ny[i];
    planes[i][2] = view->nz[i];
    planes[i][3] = by - view->offset[i];
  }
  ct_status status =
      ct_hull_from_planes((const double(*)[4])planes, view->face_count, cancel, out, NULL);
  free(planes);
  if (status == CT_OK) (*out)->outer = ct_hull_retain(hull);
  return status;
}

double ct_hull_inradius(const ct_hull *hull, const ct_cancel *cancel) {
  const ct_hull_view *view = &hull->view;
  ct_half_space *planes = malloc(view->face_count * sizeof *planes);
  if (!planes) return -1.0;
  for (uint32_t i = 0; i < view->face_count; i++)
    planes[i] = (ct_half_space){ct_vec(view->nx[i], view->ny[i], view->nz[i]), view->offset[i]};
  ct_inscribed ball = ct_inscribed_ball(planes, view->face_count, cancel);
  free(planes);
  return ct_max2(ball.radius - ball.resolution, 0.0);
}
