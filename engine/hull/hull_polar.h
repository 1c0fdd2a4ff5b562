/* Polytope of half-spaces around an inner point: dual points, dual hull, polar. */
#ifndef HULL_HULL_POLAR_H
#define HULL_HULL_POLAR_H

#include "hull/hull_faces.h"
#include "hull/inscribed_ball.h"

typedef struct ct_plane_set {
  uint32_t count;
  ct_half_space *unit; /* [count] n / |n| and -d / |n| */
  ct_vec3 *normals;    /* [count] n times a power of two, largest component in [1/2, 1) */
  double *constants;   /* [count] d times the same power */
  ct_vec3 *points;     /* [count] scratch: dual points */
  const ct_cancel *cancel;
} ct_plane_set;

/* A face without the origin strictly behind it; CT_HULL_BUILDER_NONE if the origin is strictly
 * inside the hull. */
uint32_t ct_face_beyond_origin(const ct_hull_builder *grow);

/* Writes the dual point of each plane to set->points: the normal over the distance from the
 * center, so its length is 1 / distance. Distances are in double-double, which thin plates need.
 * CT_DEGENERATE_HULL: the center is not strictly inside all planes; CT_CANCELLED. */
ct_status ct_dual_points(ct_plane_set *set, ct_vec3 center);

/* Exact hull of set->points. vertex_input are the planes; redundant planes are missing.
 * CT_UNBOUNDED: the origin is not strictly inside. *grow is scratch; the caller frees the cells. */
ct_status ct_dual_hull(ct_plane_set *set, ct_hull_builder *grow, ct_hull_cells *cells);

/* Polar of a hull that contains the origin, moved to center: facets become vertices, vertices
 * become faces, and vertex_input becomes face_source. Applied to a dual hull it gives the
 * intersection of the planes. The caller frees *out in any case. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_polarise(const ct_hull_cells *dual, ct_vec3 center, const ct_cancel *cancel,
                      ct_hull_cells *out);

/* Polytope of planes that strictly enclose `center`. CT_DEGENERATE_HULL: center is not strictly
 * inside; CT_UNBOUNDED: round-off cannot distinguish the polytope from an unbounded one;
 * CT_CANCELLED. *grow is scratch. */
ct_status ct_hull_polar(ct_plane_set *set, ct_vec3 center, ct_hull_builder *grow, ct_hull **out);

#endif
