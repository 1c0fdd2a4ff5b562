/* An order of shapes by what they are: pointers and ids have no say in it, so that answers do not depend on who comes first. */
#ifndef SHAPE_SHAPE_COMPARE_H
#define SHAPE_SHAPE_COMPARE_H

#include <contact/shape.h>

/* A capsule or an ellipsoid that is a ball counts as a sphere and a cone of equal radii as a cylinder, so that each is one bit for
 * bit. It is the kind of the shape within (shape/sharp_shape.h). */
ct_kind ct_shape_content_kind(const ct_shape *shape);

/* < 0, 0 or > 0: by content kind, then the parameters of the sharp shape within and its ball;
 * hulls, meshes and elements by reading, numbers of vertices and of triangles or elements, then by
 * the digests of their arrays. A total order of contents, which means nothing else. 0 for shapes
 * that are the same body, and for any two planes of one growth. Cost O(1). */
int ct_shape_compare(const ct_shape *a, const ct_shape *b);

/* The first numbers that differ decide. */
int ct_numbers_compare(const double *a, const double *b, size_t count);

#endif
