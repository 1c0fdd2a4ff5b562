/* Volumetric contact of two convex polyhedra in one frame, whatever they are part of. */
#ifndef NARROW_VOLUME_CONVEX_H
#define NARROW_VOLUME_CONVEX_H

#include "narrow/volume.h"

/* The contact of two polyhedra, a before b by content, is added to the pair's lists when there is one. */
void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b);

#endif
