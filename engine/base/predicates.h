/* Exact geometric predicates: orientation of points, lines and directions as signs.
 *
 * Exactness range: every coordinate is 0 or has a magnitude in CT_EXACT_MIN..CT_EXACT_MAX. The sign
 * then is the sign of the real number for the given doubles. Lowest bits are multiples of 2^-352,
 * so no product of three underflows (2^-1056 >= 2^-1074) and none overflows. Callers flush smaller
 * external coordinates to zero (ct_exact_flush). Constructions, which round, are elsewhere.
 */
#ifndef BASE_PREDICATES_H
#define BASE_PREDICATES_H

#include <contact/limits.h>
#include <contact/vec.h>

#define CT_EXACT_MIN 0x1p-300
#define CT_EXACT_MAX 0x1p+300
/* Coordinates of hulls and meshes below this fraction of the largest are treated as zero, so that
 * the others are in the exactness range. The threshold is relative to the largest coordinate and
 * the fraction is a power of two, so that scaling the input by a power of two changes no bit. */
#define CT_EXACT_FLUSH_FRACTION 0x1p-260

static inline double ct_exact_flush(double x) { return fabs(x) < CT_EXACT_MIN ? 0.0 : x; }

/* Returns the sign of ((b - a) x (c - a)) . (d - a): +1 if d is on the side of the plane from which
 * a, b, c are counter-clockwise, -1 on the other side, 0 if the four points are exactly coplanar.
 * If a, b, c is a face, counter-clockwise from outside, +1 means that d is outside of its plane.
 * Cost: about 30 flops; 300 for nearly coplanar points; 10^4 for exactly coplanar points with
 * full-length coordinates. Shewchuk 1997. */
int ct_orient3d(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d);

struct ct_dd3;
/* ct_orient3d for points with double-double coordinates (base/double_double.h). Exact if all
 * coordinate differences fit a double-double. Cost: about 300 flops. */
int ct_orient3d_wide(const struct ct_dd3 *a, const struct ct_dd3 *b, const struct ct_dd3 *c,
                     const struct ct_dd3 *d);

/* Returns the exact sign of direction . ((a - origin) x (b - origin)), which is the side on which
 * the line origin + t direction passes the segment from a to b. +1: seen with the direction
 * pointing at the viewer, the segment from a to b runs counter-clockwise around the line. The
 * components of direction are in the exactness range too. Cost as for ct_orient3d. */
int ct_line_side(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b);

/* Returns the rounded value of the triple product of ct_line_side; relative error of a few u at any
 * magnitude. About 10^4 flops. */
double ct_line_volume(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b);

/* A point, projected onto a coordinate plane. */
typedef struct ct_vec2 {
  double x, y;
} ct_vec2;

/* Exact sign of (a - c) x (b - c): +1 if a, b, c turn counter-clockwise. */
int ct_orient2d(ct_vec2 a, ct_vec2 b, ct_vec2 c);

/* Exact sign of (q - p) x (s - r): +1 if the direction from r to s is counter-clockwise from the
 * direction from p to q. */
int ct_turn2d(ct_vec2 p, ct_vec2 q, ct_vec2 r, ct_vec2 s);

/* Exact sign of direction . (a - b). */
int ct_dot_sign(ct_vec3 direction, ct_vec3 a, ct_vec3 b);

/* True if a, b, c are exactly collinear (or equal). */
bool ct_collinear(ct_vec3 a, ct_vec3 b, ct_vec3 c);

#endif
