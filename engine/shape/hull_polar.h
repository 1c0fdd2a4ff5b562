/* From half-spaces around an inner point to their polytope: dual points, hull, and back. */
#ifndef SHAPE_HULL_POLAR_H
#define SHAPE_HULL_POLAR_H

#include "shape/hull_cells.h"
#include "shape/inscribed.h"

typedef struct ct_plane_set {
  uint32_t count;
  ct_half_space *unit; /* [count] n/|n| and -d/|n| */
  ct_vec3 *normals;    /* [count] n times a power of two, largest component in [1/2, 1) */
  double *constants;   /* [count] d times the same power */
  ct_vec3 *points;     /* [count] scratch: dual points */
  const ct_cancel *cancel;
} ct_plane_set;

/* A face of the hull of points that does not have the origin strictly inside; CT_GROW_NONE when there is none. */
uint32_t ct_face_beyond_origin(const ct_grow *grow);

/* The polytope of planes that enclose `center` strictly. CT_DEGENERATE_HULL when center is not strictly inside all of them,
 * CT_UNBOUNDED when rounding cannot tell the polytope from an unbounded one; CT_CANCELLED. *grow is scratch. */
ct_status ct_hull_polar(ct_plane_set *set, ct_vec3 center, ct_grow *grow, ct_hull **out);

#endif
