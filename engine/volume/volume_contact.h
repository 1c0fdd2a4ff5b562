/* Contact of the intersection of two convex polyhedra. */
#ifndef VOLUME_VOLUME_CONTACT_H
#define VOLUME_VOLUME_CONTACT_H

#include "volume/volume_common.h"

/* Largest difference of equal planes: relative rotation 55 u, normals of both hulls 4 u each,
 * rounded up. Offsets may differ by as much of the size; see pair/round_off_bound.h. */
#define CT_SAME_PLANE (96.0 * CT_UNIT_ROUNDOFF)

/* Finds the face of a that is coplanar with b's face to round-off, with the same outward side, and
 * is not yet shared; else CT_CUT_NONE. */
uint32_t ct_volume_same_plane(const ct_volume_common *common, uint32_t face);

/* Integrates over the intersection and adds its contact, or sets a flag that states why there is
 * none.
 *
 * False: nothing was added; the intersection is so thin that its volume in double arithmetic may be
 * off by more than CT_VOLUME_RELATIVE_ERROR. Never false with an epsilon.
 */
bool ct_volume_add_common(const ct_volume_common *common);

#endif
