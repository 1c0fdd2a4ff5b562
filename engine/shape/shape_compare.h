/* Order of shapes by content. Pointers and ids have no influence, so results do not depend on
 * the order of creation. */
#ifndef SHAPE_SHAPE_COMPARE_H
#define SHAPE_SHAPE_COMPARE_H

#include <contact/shape.h>

/* Kind by content: a capsule or ellipsoid that is a ball is a sphere, a cone of equal radii is a
 * cylinder. It equals the kind of the inner sharp shape (shape/sharp_shape.h). */
ct_kind ct_shape_content_kind(const ct_shape *shape);

/* Three-way comparison, < 0, 0 or > 0. Keys in order: content kind; parameters, offset and ball
 * of the inner sharp shape; for hulls, meshes and elements the interpretation, counts and
 * digest. 0 if the shapes have equal content, and for any two planes of equal growth. Cost O(1). */
int ct_shape_compare(const ct_shape *a, const ct_shape *b);

/* Lexicographic comparison of two arrays. */
int ct_numbers_compare(const double *a, const double *b, size_t count);

#endif
