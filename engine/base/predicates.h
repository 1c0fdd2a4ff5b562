/* Exact signs: on which side of a plane through three points a fourth point lies.
 *
 * Exactness range. The sign is that of the real number for the doubles given, as long as every coordinate is 0 or has magnitude in
 * CT_EXACT_MIN..CT_EXACT_MAX: its lowest bit is then a multiple of 2^-352, no product of three underflows (2^-1056 >= 2^-1074)
 * and none overflows. Callers that take coordinates from outside flush smaller ones to zero first (ct_exact_flush).
 * Not here: constructions; those round.
 */
#ifndef BASE_PREDICATES_H
#define BASE_PREDICATES_H

#include <contact/limits.h>
#include <contact/vec.h>

#define CT_EXACT_MIN 0x1p-300
#define CT_EXACT_MAX 0x1p+300

static inline double ct_exact_flush(double x) { return fabs(x) < CT_EXACT_MIN ? 0.0 : x; }

/* Sign of ((b - a) x (c - a)) . (d - a): +1 when d lies on the side from which a, b, c turn counter-clockwise (the side that the
 * normal (b - a) x (c - a) points to), -1 on the other side, 0 exactly coplanar. For a face a, b, c counter-clockwise from
 * outside: +1 means that d sees the face. Cost: about 30 flops; near-coplanar points some 300; exact zeros off the grid some 10^4.
 * Shewchuk 1997. */
int ct_orient3d(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d);

struct ct_dd3;
/* ct_orient3d of points whose coordinates are unevaluated sums of two doubles (base/double_double.h), |low| <= u |high|: exact
 * where the differences of coordinates are such sums too. Cost: some 300 flops. */
int ct_orient3d_wide(const struct ct_dd3 *a, const struct ct_dd3 *b, const struct ct_dd3 *c, const struct ct_dd3 *d);

/* Sign of direction . ((a - origin) x (b - origin)), exact: on which side the line origin + t direction passes the segment from a
 * to b. +1: with direction pointing at the reader, a to b runs counter-clockwise around the line. The direction's components are in
 * the exactness range too. Cost as above. */
int ct_line_side(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b);

/* The number whose sign that is, right to some u of itself however small: some 10^4 flops. */
double ct_line_volume(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b);

/* A point of a coordinate plane. */
typedef struct ct_vec2 {
  double x, y;
} ct_vec2;

/* Sign of (a - c) x (b - c), exact: +1 when a, b, c turn counter-clockwise. */
int ct_orient2d(ct_vec2 a, ct_vec2 b, ct_vec2 c);

/* Sign of (q - p) x (s - r), exact: on which side of p to q the way from r to s turns. */
int ct_turn2d(ct_vec2 p, ct_vec2 q, ct_vec2 r, ct_vec2 s);

/* Sign of direction . (a - b), exact. */
int ct_dot_sign(ct_vec3 direction, ct_vec3 a, ct_vec3 b);

/* Are a, b, c exactly on one line (or equal)? */
bool ct_collinear(ct_vec3 a, ct_vec3 b, ct_vec3 c);

#endif
