/* Intersection of two polyhedra by the dual hull, as in Koziara's Solfec: an inner point, dual
 * points of the planes, their convex hull, and its polar (Muller, Preparata 1978). */
#ifndef VOLUME_VOLUME_DUAL_H
#define VOLUME_VOLUME_DUAL_H

#include "hull/hull_polar.h"
#include "volume/volume_body.h"

typedef struct ct_volume_dual {
  const ct_volume_body *a, *b;
  ct_plane_set planes; /* planes of both bodies; offsets change if planes are moved */
  uint32_t *source;    /* [planes.count] origin of each plane: a face of a, or a's face_count plus a
                          face of b */
  ct_vec3 inner;       /* the inner point */
  double margin;       /* its least distance from a plane, m; negative outside */
  ct_hull_cells solid; /* face_source indexes `source` */
} ct_volume_dual;

/* Collects the planes of both bodies except b's faces that are shared with a (shared[a faces],
 * CT_CUT_NONE: not shared). False: out of memory. Call ct_volume_dual_close in both cases. */
bool ct_volume_dual_open(ct_volume_dual *dual, const ct_volume_body *a, const ct_volume_body *b,
                         const uint32_t *shared);
void ct_volume_dual_close(ct_volume_dual *dual);

/* Sets the inner point to the centre of the largest inscribed ball; its margin is known to
 * *resolution. */
void ct_volume_dual_centre(ct_volume_dual *dual, double *resolution);

/* Sets the inner point by Solfec's iteration: in each of at most five passes, every plane nearer
 * than epsilon pushes the point inward. The step starts at 32 epsilon and halves each pass. If the
 * last pass still moved the point, `start` is used, as in Solfec. */
void ct_volume_dual_refine(ct_volume_dual *dual, ct_vec3 start, double epsilon);

/* Moves planes nearer to the inner point than epsilon outward to epsilon. True if any was moved. */
bool ct_volume_dual_swell(ct_volume_dual *dual, double epsilon);

/* Computes the intersection from the inner point. Status codes: hull/hull_polar.h. */
ct_status ct_volume_dual_solve(ct_volume_dual *dual);

#endif
