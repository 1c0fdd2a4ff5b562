/* What a closed surface of faces sums up to: areas, centroids, volume and the seed's normal. */
#ifndef VOLUME_VOLUME_SUMS_H
#define VOLUME_VOLUME_SUMS_H

#include "base/double_double.h"
#include <contact/volume.h>

typedef struct ct_volume_sum {
  ct_weighting weighting;
  ct_vec3 reference;      /* a point inside; moments are about it */
  double surface, volume; /* area of all faces; m^3 */
  ct_vec3 surface_moment; /* sum of area (centre - reference) */
  ct_vec3 volume_moment;  /* of the volume, about the reference */
  ct_vec3 normal;         /* N of contact/volume.h */
  double weights;         /* sum of the weights of all faces: what N is measured against */
  ct_vec3 areas;          /* sum of area normal over a's own outer faces, less that over b's */
} ct_volume_sum;

/* One face: its owner, its outward unit normal and whether normals count it. Triangles follow until it is closed. */
typedef struct ct_volume_face {
  ct_volume_owner owner;
  ct_vec3 normal;
  bool is_inner;
  double area, squares;
} ct_volume_face;

/* Adds the triangle p, q, r of the face, counter-clockwise from outside. */
void ct_volume_sum_triangle(ct_volume_sum *sum, ct_volume_face *face, ct_vec3 p, ct_vec3 q, ct_vec3 r);
/* The same with vertices to about 106 bits; `height` is that of the face's plane over the reference, right to some u of itself. */
void ct_volume_sum_wide_triangle(ct_volume_sum *sum, ct_volume_face *face, const ct_dd3 corner[3], double height);
/* Adds what the face as a whole counts. */
void ct_volume_sum_close(ct_volume_sum *sum, const ct_volume_face *face);

/* Volume, areas, centroid and position of the contact, in that frame. False: the surface has no area. */
bool ct_volume_sum_contact(const ct_volume_sum *sum, ct_volume_contact *contact);

/* Of the sum of all weights: a normal sum of this length or less has no direction (theory: one body in the other). */
#define CT_NORMAL_VANISHES 1e-12

/* The unit normal. False: N vanishes. */
bool ct_volume_sum_normal(const ct_volume_sum *sum, ct_vec3 *normal);

#endif
