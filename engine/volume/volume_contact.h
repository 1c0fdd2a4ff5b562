/* Contact of the intersection of two convex polyhedra. */
#ifndef VOLUME_VOLUME_CONTACT_H
#define VOLUME_VOLUME_CONTACT_H

#include "volume/volume_common.h"

/* Largest difference between the normals of equal planes: 55 unit round-offs by the relative
 * rotation and 4 by the normal of each hull, rounded up. Offsets may differ by this times the size;
 * see pair/round_off_bound.h. */
#define CT_SAME_PLANE (96.0 * CT_UNIT_ROUNDOFF)

/* Returns a face of a that is coplanar with the given face of b up to round-off, has the same
 * outward side, and is not shared yet; CT_CUT_NONE if there is none. */
uint32_t ct_volume_same_plane(const ct_volume_common *common, uint32_t face);

/* Integrates over the intersection and adds its contact, or sets a flag that states why there is
 * none.
 *
 * False: nothing was added, because the intersection is so thin that its volume in double
 * arithmetic may have a relative error above CT_VOLUME_RELATIVE_ERROR; call again with is_wide.
 * Never false for the Solfec method. */
bool ct_volume_add_common(const ct_volume_common *common);

#endif
