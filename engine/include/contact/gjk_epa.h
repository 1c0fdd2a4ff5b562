/* One pair of convex bodies by the general iterations alone: a method asked for by name, beside ct_pair_distance.
 *
 * Apart by the descent of Gilbert, Johnson and Keerthi, in depth by the growing polytope of van den Bergen; curved kinds are
 * brought to round-off by Newton's method, as always. No closed form for round bodies, no scan of a box's axes or a hull's planes,
 * no profile of bodies of revolution is taken. The truth is that of ct_pair_distance, and so are bounds, conventions and the mirror
 * of a swap; the last bits may differ, and which normal an answer has where several are as good. World frame, m. Gilbert, Johnson,
 * Keerthi 1988; Montanari 2017 (signed volumes); van den Bergen 2001 (polytope).
 */
#ifndef CONTACT_GJK_EPA_H
#define CONTACT_GJK_EPA_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* Are both shapes bounded and convex, and none a capsule of two radii? Such a capsule is no core with one ball around all of it,
 * over which a polytope could grow. */
bool ct_gjk_epa_is_supported(const ct_shape *a, const ct_shape *b);

/* Signed distance of two shapes that ct_gjk_epa_is_supported. Never fails on finite input; trouble is in result->status. Cost:
 * about 10 supports apart, of a depth what the polytope needs: some 10 to 100 supports, several hundred for curved kinds. */
void ct_pair_gjk_epa(ct_placed a, ct_placed b, const ct_pair_options *options, ct_workspace *workspace, ct_pair_result *result);

/* Do they share a point? The same decision as that distance's <= 0, cheaper. witness (may be NULL): a point of both, when they do.
 */
bool ct_pair_gjk_epa_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

CT_DECLARATIONS_END

#endif
