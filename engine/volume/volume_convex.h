/* Volumetric contact of two convex polyhedra in one frame: shapes, or elements of a mesh. */
#ifndef VOLUME_VOLUME_CONVEX_H
#define VOLUME_VOLUME_CONVEX_H

#include "volume/volume_pair.h"

/* Adds the contact of two polyhedra if they intersect; a must be before b by content. */
void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b);

#endif
