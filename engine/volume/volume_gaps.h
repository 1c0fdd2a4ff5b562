/* Gaps, depths, surfaces and fallback normals of contacts, by distance queries of the pair. Frame
 * and order of the pair are those of volume_pair.h. */
#ifndef VOLUME_VOLUME_GAPS_H
#define VOLUME_VOLUME_GAPS_H

#include "volume/volume_pair.h"

/* Computes the distance of the pair, in its frame and order. */
ct_pair_result ct_volume_distance(ct_volume_pair *pair);
/* Sets the contact's normal to that of the distance query, because the weighted normal sum
 * vanishes. */
void ct_volume_use_distance_normal(ct_volume_pair *pair, ct_volume_contact *contact);
/* Returns the length of the displacement of the second body along the normal that separates it from
 * the first, m. */
double ct_volume_depth(const ct_volume_pair *pair, ct_vec3 normal);
/* Sets gap and depth_along_normal from the contact's normal and raw_gap. */
void ct_volume_gaps(ct_volume_pair *pair, ct_volume_contact *contact);
/* Sets surface_a and surface_b from the contact's position. */
void ct_volume_surfaces(ct_volume_pair *pair, ct_volume_contact *contact);
/* Sets surface_a and surface_b of a pair with a curved body from the witness points of its
 * distance. These may be on rims and at vertices, where the midpoint between them may be near an
 * unrelated face. */
void ct_volume_curved_surfaces(const ct_volume_pair *pair, const ct_pair_result *distance,
                               ct_volume_contact *contact);

#endif
