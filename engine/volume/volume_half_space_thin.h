/* Volume of a solid below a half-space's surface, where the part is too thin for rounded
 * heights. */
#ifndef VOLUME_VOLUME_HALF_SPACE_THIN_H
#define VOLUME_VOLUME_HALF_SPACE_THIN_H

#include "arrangement/arrangement.h"
#include "volume/volume.h"

typedef struct ct_volume_below {
  double volume, error; /* m^3; bound of the volume's error, m^3 */
  ct_vec3 first; /* first moment of the volume about a point of the half-space's surface, m^4 */
} ct_volume_below;

/* Volume of the surface `skin`, in a's frame, below the half-space b; `origin`: reference point of
 * the moment. *out is unchanged if no volume is found. `near`: error bound of heights in double
 * arithmetic, m. Cost: about 600 flops a triangle that is not above. */
void ct_volume_below_wide(ct_volume_pair *pair, const ct_placed_surface *skin, ct_vec3 origin,
                          double near, ct_volume_below *out);

#endif
