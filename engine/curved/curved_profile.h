/* Bodies of revolution and directions in the half-plane of an axis. */
#ifndef CURVED_CURVED_PROFILE_H
#define CURVED_CURVED_PROFILE_H

#include "pair/convex_proxy.h"

/* A point or unit normal of the half-plane: coordinate across the axis and along it. */
typedef struct ct_profile_point {
  double across, along;
} ct_profile_point;

/* Meridian of a body of revolution. */
typedef struct ct_profile {
  ct_vec3 axis;  /* unit */
  double end[2]; /* hull of two discs or balls: their positions along the axis, radii of the discs
                    and of the balls */
  double disc[2], ball[2];
  double half, wide; /* ellipsoid: radii along the axis and across; else 0 */
} ct_profile;

/* Returns false if the core is not a body of revolution. Two radii of an ellipsoid count as equal
 * if they differ by at most `unequal` of the larger one; the profile is then that of the inscribed
 * spheroid with the smaller radius. */
bool ct_profile_of(const ct_convex_proxy *proxy, double unequal, ct_profile *profile);

/* Returns the support point along n, n.across >= 0. */
ct_profile_point ct_profile_farthest(const ct_profile *profile, ct_profile_point n);

static inline double ct_profile_dot(ct_profile_point n, ct_profile_point q) {
  return n.across * q.across + n.along * q.along;
}

/* Sine of the angle from n to m, counter-clockwise. */
static inline double ct_profile_cross(ct_profile_point n, ct_profile_point m) {
  return n.across * m.along - n.along * m.across;
}

/* Returns the minimum of n.at over the normals from n to m, counter-clockwise and less than half a
 * turn apart. */
double ct_profile_minimum(ct_profile_point at, ct_profile_point n, ct_profile_point m,
                          ct_profile_point *where);

/* Returns the normal of the chord between two support points, the second one farther along m; the
 * bisector of n and m if the chord has no length or round-off puts its normal outside of them. */
ct_profile_point ct_profile_bisector(ct_profile_point from, ct_profile_point to, ct_profile_point n,
                                     ct_profile_point m);

#endif
