/* Surface integrals of a closed polyhedral surface: areas, centroids, volume and the weighted
 * normal. */
#ifndef VOLUME_VOLUME_SUMS_H
#define VOLUME_VOLUME_SUMS_H

#include "base/double_double.h"
#include <contact/volume.h>

typedef struct ct_volume_sum {
  ct_weighting weighting;
  ct_vec3 reference;      /* a point inside; reference of the moments */
  double surface, volume; /* area of all faces, m^2; volume, m^3 */
  ct_vec3 surface_moment; /* sum of area (centre - reference) */
  ct_vec3 volume_moment;  /* first moment of the volume about the reference */
  ct_vec3 normal;         /* weighted normal sum N of contact/volume.h */
  double weights;         /* sum of the weights of all faces: the scale of N */
  ct_vec3 areas; /* sum of area times normal over a's outer faces, minus the sum over b's */
} ct_volume_sum;

/* One face: its owner, its outward unit normal, and whether normal sums exclude it. Its triangles
 * are added until it is closed. */
typedef struct ct_volume_face {
  ct_volume_owner owner;
  ct_vec3 normal;
  bool is_inner;
  double area, squares;
} ct_volume_face;

/* Adds the triangle p, q, r of a face, counter-clockwise from outside. */
void ct_volume_sum_triangle(ct_volume_sum *sum, ct_volume_face *face, ct_vec3 p, ct_vec3 q,
                            ct_vec3 r);
/* As above with vertices of about 106 bits; `height`: of the face's plane over the reference, with
 * a relative error of some u. */
void ct_volume_sum_wide_triangle(ct_volume_sum *sum, ct_volume_face *face, const ct_dd3 corner[3],
                                 double height);
/* Adds the terms of the whole face. */
void ct_volume_sum_close(ct_volume_sum *sum, const ct_volume_face *face);

/* Sets volume, areas, centroid and position of the contact, in the same frame. False: no area or no
 * volume. */
bool ct_volume_sum_contact(const ct_volume_sum *sum, ct_volume_contact *contact);

/* A normal sum no longer than this part of the sum of all weights has no direction, as for one body
 * inside the other. */
#define CT_NORMAL_VANISHES 1e-12

/* Sets the unit normal. False: N vanishes. */
bool ct_volume_sum_normal(const ct_volume_sum *sum, ct_vec3 *normal);

#endif
