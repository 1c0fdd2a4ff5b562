/* Volumetric contact of two convex polyhedra by the dual hull, or by the method of Solfec 1.0. */
#ifndef VOLUME_VOLUME_DUAL_H
#define VOLUME_VOLUME_DUAL_H

#include "volume/volume_common.h"

/* Adds the contact of the intersection by the method of the options, CT_VOLUME_DUAL_HULL or
 * CT_VOLUME_SOLFEC. Allocates its lists. False: as for ct_volume_add_common, with common->inner and
 * margin set. */
bool ct_volume_by_dual(ct_volume_common *common);

#endif
