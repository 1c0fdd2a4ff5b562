/* Bodies of revolution, represented by their meridian in the half-plane of the axis, and directions
 * in this half-plane. */
#ifndef CURVED_CURVED_PROFILE_H
#define CURVED_CURVED_PROFILE_H

#include "pair/convex_proxy.h"

/* A point or unit normal in the half-plane: its coordinate across the axis, and along it. */
typedef struct ct_profile_point {
  double across, along;
} ct_profile_point;

/* Meridian of a body of revolution. */
typedef struct ct_profile {
  ct_vec3 axis; /* unit */
  /* frustum or capsule: hull of two discs or balls at these positions along the axis, m, with the
   * radii `disc` or `ball` */
  double end[2];
  double disc[2], ball[2];
  double half, wide; /* ellipsoid: radii along the axis and across it, m; else 0 */
} ct_profile;

/* Computes the profile of a core. Returns false if the core is not a body of revolution. Two radii
 * of an ellipsoid count as equal if they differ by at most `unequal` times the larger one; the
 * profile is then that of the inscribed spheroid with the smaller radius. */
bool ct_profile_of(const ct_convex_proxy *proxy, double unequal, ct_profile *profile);

/* Returns the support point of the meridian along n, where n.across >= 0. */
ct_profile_point ct_profile_farthest(const ct_profile *profile, ct_profile_point n);

static inline double ct_profile_dot(ct_profile_point n, ct_profile_point q) {
  return n.across * q.across + n.along * q.along;
}

/* Sine of the counter-clockwise angle from n to m. */
static inline double ct_profile_cross(ct_profile_point n, ct_profile_point m) {
  return n.across * m.along - n.along * m.across;
}

/* Returns the minimum of x.at over the unit normals x from n counter-clockwise to m, less than half
 * a turn apart. *where: the normal with the minimum. */
double ct_profile_minimum(ct_profile_point at, ct_profile_point n, ct_profile_point m,
                          ct_profile_point *where);

/* Returns the normal of the chord from `from` to `to`, the support points along n and m. Returns
 * the bisector of n and m instead if the chord has no length, or if round-off puts its normal
 * outside of the angle between them. */
ct_profile_point ct_profile_bisector(ct_profile_point from, ct_profile_point to, ct_profile_point n,
                                     ct_profile_point m);

#endif
