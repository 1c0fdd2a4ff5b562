/* Polytope of half-spaces around a point inside all of them: dual points, their hull, and its
 * polar. */
#ifndef HULL_HULL_POLAR_H
#define HULL_HULL_POLAR_H

#include "hull/hull_faces.h"
#include "hull/inscribed_ball.h"

typedef struct ct_plane_set {
  uint32_t count;
  ct_half_space *unit; /* [count] unit normal n / |n| and offset -d / |n| of each input plane n.p +
                          d <= 0 */
  ct_vec3 *normals;    /* [count] n times a power of two, which makes its largest component at least
                          1/2 and below 1 */
  double *constants;   /* [count] d times the same power of two */
  ct_vec3 *points;     /* [count] scratch: dual points */
  const ct_cancel *cancel;
} ct_plane_set;

/* Returns a face that does not have the origin strictly behind it; CT_HULL_BUILDER_NONE if the
 * origin is strictly inside the hull. */
uint32_t ct_face_beyond_origin(const ct_hull_builder *grow);

/* Writes the dual point of each plane to set->points: the normal divided by the distance from
 * `center` to the plane, so that a dual point of a unit normal has the length 1 / distance.
 * Distances are in double-double, which thin plates need. CT_DEGENERATE_HULL: `center` is not
 * strictly inside all planes. CT_CANCELLED. */
ct_status ct_dual_points(ct_plane_set *set, ct_vec3 center);

/* Computes the exact hull of set->points. cells->vertex_input are the indices of planes; redundant
 * planes are missing. CT_UNBOUNDED: the origin is not strictly inside. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. *grow is scratch; the caller frees *cells in any case. */
ct_status ct_dual_hull(ct_plane_set *set, ct_hull_builder *grow, ct_hull_cells *cells);

/* Computes the polar of a dual hull that contains the origin, and moves the origin to `center`:
 * facets become vertices, vertices become faces, and vertex_input becomes face_source. The result
 * is the intersection of the half-spaces. The caller frees *out in any case. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
ct_status ct_polarise(const ct_hull_cells *dual, ct_vec3 center, const ct_cancel *cancel,
                      ct_hull_cells *out);

/* Computes the polytope of planes that strictly enclose `center`. CT_DEGENERATE_HULL: `center` is
 * not strictly inside, or the polytope is too thin for double-double. CT_UNBOUNDED: round-off
 * cannot distinguish the polytope from an unbounded one. CT_OUT_OF_MEMORY, CT_CANCELLED. *grow is
 * scratch. */
ct_status ct_hull_polar(ct_plane_set *set, ct_vec3 center, ct_hull_builder *grow, ct_hull **out);

#endif
