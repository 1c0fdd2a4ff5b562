/* From half-spaces around an inner point to their polytope: dual points, hull, and back. */
#ifndef HULL_HULL_POLAR_H
#define HULL_HULL_POLAR_H

#include "hull/hull_faces.h"
#include "hull/inscribed_ball.h"

typedef struct ct_plane_set {
  uint32_t count;
  ct_half_space *unit; /* [count] n/|n| and -d/|n| */
  ct_vec3 *normals;    /* [count] n times a power of two, largest component in [1/2, 1) */
  double *constants;   /* [count] d times the same power */
  ct_vec3 *points;     /* [count] scratch: dual points */
  const ct_cancel *cancel;
} ct_plane_set;

/* A face of the hull of points that does not have the origin strictly inside; CT_HULL_BUILDER_NONE when there is none. */
uint32_t ct_face_beyond_origin(const ct_hull_builder *grow);

/* The dual point of each plane in set->points: the normal over the plane's distance from the center, so that it is 1 / distance
 * away from the origin. Distances are taken in double-double: those of a thin plate would be lost in the rounding of n.c.
 * CT_DEGENERATE_HULL when the center is not strictly inside all planes; CT_CANCELLED. */
ct_status ct_dual_points(ct_plane_set *set, ct_vec3 center);

/* The hull of set->points, exactly; vertex_input tells the planes, of which those that add nothing are left out. CT_UNBOUNDED when
 * the origin is not strictly inside. *grow is scratch; the cells are the caller's. */
ct_status ct_dual_hull(ct_plane_set *set, ct_hull_builder *grow, ct_hull_cells *cells);

/* The polar of a hull with the origin inside, moved to center: facets become vertices and vertices faces, with their vertex_input
 * as face_source. So of a dual hull the intersection of the planes, and of its polar the hull again. The caller frees *out in any
 * case. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_polarise(const ct_hull_cells *dual, ct_vec3 center, const ct_cancel *cancel, ct_hull_cells *out);

/* The polytope of planes that enclose `center` strictly. CT_DEGENERATE_HULL when center is not strictly inside all of them,
 * CT_UNBOUNDED when rounding cannot tell the polytope from an unbounded one; CT_CANCELLED. *grow is scratch. */
ct_status ct_hull_polar(ct_plane_set *set, ct_vec3 center, ct_hull_builder *grow, ct_hull **out);

#endif
