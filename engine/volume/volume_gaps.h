/* What contacts have in common once their normal or their solid is known, by the pair's own distances. In the pair's frame, as all
 * in volume.h. */
#ifndef VOLUME_VOLUME_GAPS_H
#define VOLUME_VOLUME_GAPS_H

#include "volume/volume.h"

/* The distance of the pair, in its frame and order. */
ct_pair_result ct_volume_distance(ct_volume_pair *pair);
/* The normal of the pair's distance, for a contact whose own one vanishes. */
void ct_volume_use_distance_normal(ct_volume_pair *pair, ct_volume_contact *contact);
/* How far the second body must move along the normal to leave the first: for depth_along_normal. */
double ct_volume_depth(const ct_volume_pair *pair, ct_vec3 normal);
/* gap and depth_along_normal, from normal and raw_gap. */
void ct_volume_gaps(ct_volume_pair *pair, ct_volume_contact *contact);
/* surface_a and surface_b, from position. */
void ct_volume_surfaces(ct_volume_pair *pair, ct_volume_contact *contact);
/* Those of a pair with a curved body, from its distance: the bodies' points may be on rims and in corners, where the middle between
 * them is nearest to any face. */
void ct_volume_curved_surfaces(const ct_volume_pair *pair, const ct_pair_result *distance, ct_volume_contact *contact);

#endif
