/* Orders shapes by content. Pointers and ids have no influence, so that results do not depend on
 * the order in which shapes were created. */
#ifndef SHAPE_SHAPE_COMPARE_H
#define SHAPE_SHAPE_COMPARE_H

#include <contact/shape.h>

/* Returns the shape's kind by content: a capsule or ellipsoid that is a ball counts as a sphere, a
 * cone of equal radii as a cylinder. It equals the kind of the sharp shape
 * (shape/sharp_shape.h). */
ct_kind ct_shape_content_kind(const ct_shape *shape);

/* Compares two shapes: < 0, 0 or > 0. Keys in order: content kind; parameters, offset and ball
 * radius of the sharp shape; for hulls, meshes and elements the interpretation, counts and digest.
 * 0 means equal content; planes are equal if their displacements by rounding radius and margin are.
 * Cost O(1). */
int ct_shape_compare(const ct_shape *a, const ct_shape *b);

/* Compares two arrays lexicographically: < 0, 0 or > 0. */
int ct_numbers_compare(const double *a, const double *b, size_t count);

#endif
