/* Hull from half-spaces: checks the input, finds an interior point, and computes the polytope by
 * duality; inset of a hull.
 *
 * The intersection is bounded if and only if the origin is strictly inside the hull of the normals,
 * which is decided exactly for the given normals. Interior point: inscribed_ball.c; duality:
 * hull_polar.c. An inset moves every face plane inward by the same distance and intersects the
 * half-spaces again; the result is empty beyond the inradius. Limits: CT_HULL_POINTS_MAX planes,
 * distances up to CT_EXACT_MAX. */
#include "hull/hull_faces.h"
#include "hull/hull_polar.h"
#include "hull/inscribed_ball.h"
#include "hull/quickhull.h"

#include <stdlib.h>
#include <string.h>

static void free_plane_set(ct_plane_set *set) {
  free(set->unit);
  free(set->normals);
  free(set->constants);
  free(set->points);
}

/* Copies each plane to the set, multiplied by a power of two, which is exact. CT_LIMIT: a plane is
 * farther from the origin than the greatest coordinate, or not finite; report->culprit is its
 * index. */
static ct_status scale_planes(ct_plane_set *set, const double (*given)[4], ct_hull_report *report) {
  size_t n = set->count ? set->count : 1;
  set->unit = malloc(n * sizeof *set->unit);
  set->normals = malloc(n * sizeof *set->normals);
  set->constants = malloc(n * sizeof *set->constants);
  set->points = malloc(n * sizeof *set->points);
  if (!set->unit || !set->normals || !set->constants || !set->points) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < set->count; i++) {
    if (ct_hull_cancelled(i, set->cancel)) return CT_CANCELLED;
    ct_vec3 normal = ct_vec(given[i][0], given[i][1], given[i][2]);
    int exponent;
    double largest = ct_max_abs(normal);
    report->culprit = i;
    if (largest == 0.0) return CT_DEGENERATE_HULL;
    if (!(largest < INFINITY)) return CT_LIMIT;
    /* Multiply normal and constant by the same power of two. */
    (void)frexp(largest, &exponent);
    double d = ldexp(given[i][3], -exponent);
    if (!(fabs(d) <= CT_EXACT_MAX)) return CT_LIMIT;
    normal = ct_vec(ct_exact_flush(ldexp(normal.x, -exponent)),
                    ct_exact_flush(ldexp(normal.y, -exponent)),
                    ct_exact_flush(ldexp(normal.z, -exponent)));
    set->normals[i] = normal;
    set->constants[i] = ct_exact_flush(d);
    /* The unit normals are rounded: they are used for distances, not for decisions. */
    double length = ct_norm(normal);
    set->unit[i] = (ct_half_space){{normal.x / length, normal.y / length, normal.z / length},
                                   -set->constants[i] / length};
  }
  report->culprit = UINT32_MAX;
  return CT_OK;
}

/* CT_UNBOUNDED unless the origin is strictly inside the hull of the normals. */
static ct_status check_bounded(ct_plane_set *set, ct_hull_builder *grow, ct_hull_report *report) {
  int rank;
  ct_status status = ct_quickhull(set->normals, set->count, set->cancel, grow, &rank);
  if (status == CT_DEGENERATE_HULL) return CT_UNBOUNDED;
  if (status != CT_OK) return status;
  uint32_t face = ct_face_beyond_origin(grow);
  if (face == CT_HULL_BUILDER_NONE) return CT_OK;
  report->culprit = grow->faces[face].vertex[0];
  return CT_UNBOUNDED;
}

/* Computes the polytope with the centre of the inscribed ball as origin of the duality, then again
 * with the centroid of the first result: from there the dual points are spread most evenly. */
static ct_status intersect_half_spaces(ct_plane_set *set, ct_hull_builder *grow, ct_hull **out,
                                       ct_hull_report *report) {
  ct_inscribed ball = ct_inscribed_ball(set->unit, set->count, set->cancel);
  if (ct_cancel_raised(set->cancel)) return CT_CANCELLED;
  report->culprit = ball.culprit;
  if (ball.open) return CT_UNBOUNDED;
  if (ball.radius < -ball.resolution) return CT_EMPTY;
  ct_status status = check_bounded(set, grow, report);
  if (status != CT_OK) return status;
  if (ball.radius <= ball.resolution) return CT_DEGENERATE_HULL;
  ct_hull *rough = NULL, *fine = NULL;
  status = ct_hull_polar(set, ball.center, grow, &rough);
  if (status != CT_OK) return status;
  status = ct_hull_polar(set, rough->view.centroid, grow, &fine);
  if (status == CT_OUT_OF_MEMORY || status == CT_CANCELLED) {
    ct_hull_release(rough);
    return status;
  }
  /* The centroid may violate a plane by round-off; then the first result is returned. */
  if (status == CT_OK) ct_hull_release(rough);
  *out = status == CT_OK ? fine : rough;
  return CT_OK;
}

ct_status ct_hull_from_planes(const double (*planes)[4], size_t count, const ct_cancel *cancel,
                              ct_hull **out, ct_hull_report *report) {
  ct_hull_report local;
  if (!report) report = &local;
  *report = (ct_hull_report){.rank = 0, .culprit = UINT32_MAX};
  if (count > CT_HULL_POINTS_MAX) return CT_LIMIT;
  ct_plane_set set = {.count = (uint32_t)count, .cancel = cancel};
  ct_hull_builder grow = {0};
  ct_status status = scale_planes(&set, planes, report);
  if (status == CT_OK) status = intersect_half_spaces(&set, &grow, out, report);
  if (status == CT_OK) *report = (ct_hull_report){.rank = 3, .culprit = UINT32_MAX};
  ct_hull_builder_free(&grow);
  free_plane_set(&set);
  return status;
}

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
