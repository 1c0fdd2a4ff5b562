/* The common solid of two polyhedra as the seed finds it: a point inside both, planes to dual points, their hull, and its polar. */
#ifndef VOLUME_VOLUME_DUAL_H
#define VOLUME_VOLUME_DUAL_H

#include "hull/hull_polar.h"
#include "volume/volume_body.h"

typedef struct ct_volume_dual {
  const ct_volume_body *a, *b;
  ct_plane_set planes; /* of both; offsets are those of the bodies until planes are moved */
  uint32_t *source;    /* [planes.count] the plane: a face of a, or a's faces and a face of b */
  ct_vec3 inner;       /* the inner point */
  double margin;       /* its least distance from a plane; below 0 outside one */
  ct_hull_cells solid; /* face_source: into `source` */
} ct_volume_dual;

/* The planes of both bodies, but for those of b's faces that are told to be on a face of a (shared[] of a's faces, CT_CUT_NONE
 * where there is none). False: memory was refused. Close it in any case. */
bool ct_volume_dual_open(ct_volume_dual *dual, const ct_volume_body *a, const ct_volume_body *b, const uint32_t *shared);
void ct_volume_dual_close(ct_volume_dual *dual);

/* The point farthest from all planes, the centre of the largest ball inside; its margin is known to *resolution. */
void ct_volume_dual_centre(ct_volume_dual *dual, double *resolution);

/* The seed's way to push a point inside: in each of at most five passes every plane nearer than epsilon moves it inward by a step
 * that starts at 32 epsilon and is halved each pass. Where the last pass still moved it the start stands, as in the seed's contact
 * detection. */
void ct_volume_dual_refine(ct_volume_dual *dual, ct_vec3 start, double epsilon);

/* Moves planes nearer than epsilon to the inner point out to it; true when any was. */
bool ct_volume_dual_swell(ct_volume_dual *dual, double epsilon);

/* The solid from the inner point. Statuses as of hull/hull_polar.h. */
ct_status ct_volume_dual_solve(ct_volume_dual *dual);

#endif
