/* Bound of the round-off of a pair's distance, by which the bounds of the distance are widened. */
#ifndef PAIR_ROUND_OFF_BOUND_H
#define PAIR_ROUND_OFF_BOUND_H

#include <contact/limits.h>

#include <math.h>

/* Round-off of a result, bounded in units of u (L + |distance|), L the larger extent; first order
 * in u, matrices as spectral norms. t is the offset of the frames, |t| <= 2 L + |distance|; w a
 * Minkowski vertex, |w| <= 4 L + |distance|.
 *
 *   matrix of a quaternion: 10 for the factor 2/|q|^2, 13 for products and sums  23 a body
 *   relative rotation: both matrices, and 9 for the product                      55
 *   offset: difference 1, first matrix 23, product 5                             29 |t|
 *   vertex of b transformed: rotation 55, product 5, sum 1                       61 L + |t|
 *     tapered capsule or ball: transformed to its partner's frame instead        55 |t|
 *     and if the bodies overlap                                                  55 * 3 L
 *   choice of supports by rounded directions and products                        23 L
 *   value: unit normal 3, difference 1, dot product 3                            7 |w|
 *   rounding to the grid of 2^-50 |w| (exact mode and EPA), slack of EPA         10 |w|
 *   radii                                                                        2 L
 *   touching cores: planes may show less than the gap at which GJK stopped       64 L
 *   point of a curved core in its own frame, both bodies: length 3, quotient
 *     and product 3; the direction's error moves the point along the surface     12 L
 *   axes taken as parallel (32), as coincident (8 |w|), open arcs (4 |w|)        64 L + 12 |w|
 *
 * Separated: 61 + 60 + 23 + 68 + 2 = 214 L and 47 |distance|. Overlapping tapered bodies: 165 + 60
 * + 23 + 28 + 2 = 278 L. Balls against boxes: 170 L and 85 |distance|; against curved bodies 182
 * L. Touching: 278 L. Curved: 226 L, near parallel axes 338 L. Measured against 113-bit references
 * over seeded families: 22.
 */
#define CT_BRACKET_SLACK 384.0

/* Returns the half-width, m, by which the bounds of a distance are widened. `length`: length scale
 * of the pair, m (ct_proxy_scale). */
static inline double ct_bracket_slack(double length, double distance) {
  return CT_BRACKET_SLACK * CT_UNIT_ROUNDOFF * (length + fabs(distance));
}

#endif
