/* Distance of one pair of convex bodies by GJK and EPA alone: an alternative to ct_pair_distance,
 * on request.
 *
 * GJK for separated bodies, EPA for penetration; curved kinds are refined to round-off by Newton's
 * method. Without the shortcuts of ct_pair_distance: closed forms of round bodies, scans of a box's
 * axes or a hull's planes, profiles of bodies of revolution. Distance, bounds, conventions and
 * mirror symmetry are as in ct_pair_distance. The last bits may differ, and so may the choice among
 * equally valid normals. World frame, m. Gilbert, Johnson, Keerthi 1988 (GJK); Montanari 2017
 * (signed volumes); van den Bergen 2001 (EPA). */
#ifndef CONTACT_GJK_EPA_H
#define CONTACT_GJK_EPA_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* True if both shapes are bounded and convex, and neither is a capsule with two radii. Such a
 * capsule is no sharp core with a constant rounding, over which EPA could expand a polytope. */
bool ct_gjk_epa_is_supported(const ct_shape *a, const ct_shape *b);

/* Signed distance of two supported shapes, written to *result. Never fails on finite input;
 * `status` reports numerical trouble. Cost: about 10 supports apart; in penetration 10 to 100,
 * several hundred for curved kinds. */
void ct_pair_gjk_epa(ct_placed a, ct_placed b, const ct_pair_options *options,
                     ct_workspace *workspace, ct_pair_result *result);

/* True if the shapes share a point: the same decision as distance <= 0 of ct_pair_gjk_epa, at less
 * cost. witness (may be NULL): set to a common point, world, if they overlap. */
bool ct_pair_gjk_epa_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

CT_DECLARATIONS_END

#endif
