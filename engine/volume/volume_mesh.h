/* Surfaces of solids, for volumetric contacts of meshes and half-spaces. */
#ifndef VOLUME_VOLUME_MESH_H
#define VOLUME_VOLUME_MESH_H

#include "arrangement/arrangement.h"
#include "volume/volume_pair.h"

/* Builds the surface of a solid mesh, a box or a hull, without rounding radius and margin,
 * transformed by *frame; frame NULL: in its own frame. False: out of memory. */
bool ct_volume_surface_of(ct_placed_surface *placed, ct_arrangement_scratch *m,
                          const ct_shape *shape, const ct_frame *frame);

#endif
