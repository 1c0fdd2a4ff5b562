/* Bodies of revolution, and directions, in the half-plane of an axis: what curved/curved_parallel_axes.c and curved/curved_ring_search.c share. */
#ifndef CURVED_CURVED_PROFILE_H
#define CURVED_CURVED_PROFILE_H

#include "pair/convex_proxy.h"

/* A place or a unit normal of the half-plane: across the axis, and along it. */
typedef struct ct_spot {
  double across, along;
} ct_spot;

/* A body of revolution as seen along its axis. */
typedef struct ct_profile {
  ct_vec3 axis;  /* unit */
  double end[2]; /* hull of two discs, or balls: their places along the axis, radii of the discs and of the balls */
  double disc[2], ball[2];
  double half, wide; /* ellipsoid: radii along the axis and across, else 0 */
} ct_profile;

/* False: the core is not one of revolution. Two radii of an ellipsoid count as equal when they differ by not more than `unequal` of
 * the larger one; the profile is then that of the ellipsoid within which has the smaller one twice. */
bool ct_profile_of(const ct_core *core, double unequal, ct_profile *profile);

/* The farthest place along n, n.across >= 0. */
ct_spot ct_profile_farthest(const ct_profile *profile, ct_spot n);

static inline double ct_spot_dot(ct_spot n, ct_spot q) { return n.across * q.across + n.along * q.along; }

/* The sine of the turn from n to m, counter-clockwise. */
static inline double ct_spot_turn(ct_spot n, ct_spot m) { return n.across * m.along - n.along * m.across; }

/* The least of n.at over normals from n to m, counter-clockwise and less than half a turn apart. */
double ct_spot_least(ct_spot at, ct_spot n, ct_spot m, ct_spot *where);

/* The normal between n and m across the chord between two places, the second one farther along m; halfway where round-off or a
 * chord of no length leaves none. */
ct_spot ct_spot_between(ct_spot from, ct_spot to, ct_spot n, ct_spot m);

#endif
