/* Volumetric contact of two convex polyhedra. */
#include "narrow/volume.h"

void ct_volume_convex(ct_volume_pair *pair) { pair->status = CT_PAIR_UNSUPPORTED; }
