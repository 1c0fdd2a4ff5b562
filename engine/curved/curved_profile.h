/* Bodies of revolution, and directions, in the half-plane of an axis: what
 * curved/curved_profile.c and curved/curved_ring_search.c share. */
#ifndef CURVED_CURVED_PROFILE_H
#define CURVED_CURVED_PROFILE_H

#include "pair/convex_proxy.h"

/* A place or a unit normal of the half-plane: across the axis, and along it. */
typedef struct ct_profile_point {
  double across, along;
} ct_profile_point;

/* A body of revolution as seen along its axis. */
typedef struct ct_profile {
  ct_vec3 axis;  /* unit */
  double end[2]; /* hull of two discs, or balls: their places along the axis, radii of the discs and
                    of the balls */
  double disc[2], ball[2];
  double half, wide; /* ellipsoid: radii along the axis and across, else 0 */
} ct_profile;

/* False: the core is not one of revolution. Two radii of an ellipsoid count as equal when they
 * differ by not more than `unequal` of the larger one; the profile is then that of the ellipsoid
 * within which has the smaller one twice. */
bool ct_profile_of(const ct_convex_proxy *proxy, double unequal, ct_profile *profile);

/* The farthest place along n, n.across >= 0. */
ct_profile_point ct_profile_farthest(const ct_profile *profile, ct_profile_point n);

static inline double ct_profile_dot(ct_profile_point n, ct_profile_point q) {
  return n.across * q.across + n.along * q.along;
}

/* The sine of the turn from n to m, counter-clockwise. */
static inline double ct_profile_cross(ct_profile_point n, ct_profile_point m) {
  return n.across * m.along - n.along * m.across;
}

/* The least of n.at over normals from n to m, counter-clockwise and less than half a turn apart. */
double ct_profile_minimum(ct_profile_point at, ct_profile_point n, ct_profile_point m,
                          ct_profile_point *where);

/* The normal between n and m across the chord between two places, the second one farther along m;
 * halfway where round-off or a chord of no length leaves none. */
ct_profile_point ct_profile_bisector(ct_profile_point from, ct_profile_point to, ct_profile_point n,
                                     ct_profile_point m);

#endif
