/* Volume below a half-space's surface, where it is so thin that rounded heights do not tell it. */
#ifndef VOLUME_VOLUME_HALF_SPACE_THIN_H
#define VOLUME_VOLUME_HALF_SPACE_THIN_H

#include "arrangement/arrangement.h"
#include "volume/volume.h"

typedef struct ct_volume_below {
  double volume, error; /* m^3; the bound of the volume's error */
  ct_vec3 first;        /* first moment of the volume about a point of the half-space's surface, m^4 */
} ct_volume_below;

/* The volume of the skin, in a's frame, below b, which is a half-space; `origin`: the moment's point. *out is left as it is where
 * no volume is found. Heights in double arithmetic are right to `near`. Cost: some 600 flops a triangle that is not above. */
void ct_volume_below_wide(ct_volume_pair *pair, const ct_placed_surface *skin, ct_vec3 origin, double near, ct_volume_below *out);

#endif
